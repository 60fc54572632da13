// SPDX-License-Identifier: Apache-2.0
// carillon plan: a schedule, checked before it is written.
#include "cli.h"
#include "logp_cli.h"
#include <string.h>

static void write_json_move(FILE *file, const struct crl_schedule *s, const struct crl_move *m, bool first)
{
    char name[24];
    fprintf(file, "%s\n    [%u, %u, %u, \"%s\"]", first ? "" : ",", m->slot, m->src, m->dst,
            crl_packet_name(s->naming, m->origin, m->dest, name));
}

static int write_json(struct job *job, FILE *file, bool relative)
{
    struct crl_schedule full = {0}, *s = &job->schedule;
    if (relative && !s->folded)
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT,
                        "this schedule does not look the same from every node, so it has no relative form");
    if (s->folded && !relative) {
        int error = crl_schedule_expand(&full, s, &job->diag);
        if (error) return error;
        s = &full;
    }
    fprintf(file,
            "{\n  \"algorithm\": \"%s\",\n  \"topology\": \"%s\",\n  \"columns\": [\"slot\", \"src\", \"dst\", "
            "\"packet\"],\n  \"rows\": [",
            crl_problem_name(&job->problem), crl_topology_name(job->topology));
    for (size_t i = 0; i < s->count; i++) write_json_move(file, s, &s->moves[i], i == 0);
    fputs("\n  ]\n}\n", file);
    crl_schedule_done(&full);
    return 0;
}

static int write_schedule(struct job *job, const struct options *options)
{
    struct output output;
    int error = output_open(&output, options->output, &job->diag);
    if (!error)
        error = options->format && !strcmp(options->format, "json")
                    ? write_json(job, output.file, options->relative)
                    : crl_schedule_write_csv(&job->schedule, output.file, options->relative, &job->diag);
    return output_close(&output, error, &job->diag);
}

int command_plan(const struct options *options)
{
    struct job job = {0};
    if (logp_wanted(options)) return logp_command_plan(options);
    if (options->format && strcmp(options->format, "csv") && strcmp(options->format, "json"))
        return complain_usage("--format is csv or json, not '%s'", options->format);
    int error = job_problem(&job, options, options->operand[0]);
    if (!error) error = job_plan(&job, options);
    if (!error && options->relative && !job.schedule.folded)
        error = crl_fail(&job.diag, CRL_ERR_ARGUMENT,
                         "%s does not look the same from every node, so it has no relative form",
                         crl_problem_name(&job.problem));
    if (!error) error = job_check(&job);
    bool to_file = options->output && strcmp(options->output, "-"); // standard output is for one thing only
    if (!error && (to_file || !options->json)) error = write_schedule(&job, options);
    if (!error && (to_file || options->json)) print_summary(job_summary(&job), options->json);
    int code = complain(error, &job.diag);
    job_done(&job);
    return code;
}
