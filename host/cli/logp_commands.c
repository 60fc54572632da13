// SPDX-License-Identifier: Apache-2.0
// carillon plan and check on a LogP machine.
#include "logp_cli.h"
#include <string.h>

static int write_json(struct logp_job *job, FILE *file)
{
    const struct crl_logp_schedule *s = &job->schedule;
    char machine[CRL_LOGP_NAME];
    crl_logp_name(&job->problem.machine, machine);
    fprintf(file,
            "{\n  \"algorithm\": \"%s\",\n  \"topology\": \"%s\",\n  \"columns\": [\"time\", \"src\", \"dst\", "
            "\"item\"%s],\n  \"rows\": [",
            crl_logp_problem_name(&job->problem), machine, s->buffered ? ", \"rtime\"" : "");
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_logp_send *m = &s->sends[i];
        fprintf(file, "%s\n    [%u, %u, %u, %u", i ? "," : "", m->time, m->src, m->dst, m->item);
        if (s->buffered) fprintf(file, ", %u", m->rtime);
        fputc(']', file);
    }
    fputs("\n  ]\n}\n", file);
    return 0;
}

static int write_csv(struct logp_job *job, FILE *file) { return crl_logp_write_csv(&job->schedule, file, &job->diag); }

static int write_goal(struct logp_job *job, FILE *file)
{
    return crl_logp_write_goal(&job->schedule, &job->problem, file, &job->diag);
}

static const struct form {
    const char *name;
    int (*write)(struct logp_job *job, FILE *file);
} forms[] = {{"csv", write_csv}, {"json", write_json}, {"goal", write_goal}};

static const struct form *form_named(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!name || !strcmp(name, forms[i].name)) return &forms[i];
    return NULL;
}

int logp_command_plan(const struct options *options)
{
    struct logp_job job = {0};
    const struct form *form = form_named(options->format);
    if (!form) return complain_usage("--format is csv, json or goal, not '%s'", options->format);
    int error = logp_job_problem(&job, options, options->operand[0]);
    if (!error) error = logp_job_plan(&job, options, NULL);
    if (!error) error = logp_job_check(&job);
    if (error == CRL_ERR_RULE) print_findings(&job.report.common, "<plan>");
    bool to_file = options->output && strcmp(options->output, "-"); // standard output is for one thing only
    if (!error && (to_file || !options->json)) {
        struct output output;
        error = output_open(&output, options->output, &job.diag);
        if (!error) error = form->write(&job, output.file);
        error = output_close(&output, error, &job.diag);
    }
    if (!error && (to_file || options->json)) print_summary(logp_job_summary(&job), options->json);
    int code = complain(error, &job.diag);
    logp_job_done(&job);
    return code;
}

int logp_command_check(const struct options *options)
{
    struct logp_job job = {0};
    int error = logp_job_problem(&job, options, options->algorithm);
    if (!error) error = logp_job_plan(&job, options, options->operand[0]);
    if (!error) error = logp_job_check(&job);
    if (!error || error == CRL_ERR_RULE)
        print_verdict(logp_job_summary(&job), &job.report.common, options->operand[0], options->json);
    int code = complain(error, &job.diag);
    logp_job_done(&job);
    return code;
}
