// SPDX-License-Identifier: Apache-2.0
// Images of LogP machines, as the commands use them; carillon build.
#include "logp_play.h"
#include <string.h>

bool logp_is_image(const char *path) { return image_has_form(path, CRL_FORM_LOGP); }

static bool same_schedule(const struct crl_logp_schedule *a, const struct crl_logp_schedule *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct crl_logp_send *x = &a->sends[i], *y = &b->sends[i];
        if (x->time != y->time || x->src != y->src || x->dst != y->dst || x->item != y->item || x->rtime != y->rtime)
            return false;
    }
    return true;
}

int logp_play_check(struct logp_play *play, const char *file)
{
    int error = logp_job_check(&play->job);
    if (error == CRL_ERR_RULE) print_findings(&play->job.report.common, file);
    return error;
}

int logp_play_build(struct logp_play *play, const struct options *options)
{
    struct logp_job *job = &play->job;
    struct crl_logp_schedule raised = {0};
    int error = logp_job_problem(job, options, options->operand[0]);
    if (!error) error = logp_job_plan(job, options, options->from);
    if (!error) error = logp_play_check(play, options->from ? options->from : "<plan>");
    if (!error)
        error = crl_logp_lower(&play->image, &job->schedule, &job->problem, job->report.time, job->scheme,
                               options->words, options->width, &job->diag);
    if (error) return error;
    error = crl_logp_raise(&raised, &play->image, &job->diag);
    if (!error && !same_schedule(&raised, &job->schedule))
        error = crl_fail(&job->diag, CRL_ERR_MISMATCH,
                         "the tables do not say what the schedule says: please report this bug");
    crl_logp_schedule_done(&raised);
    return error;
}

// What an image already says.
static int refuse_with_image(const struct options *options, struct crl_diag *diag)
{
    static const char *const names[] = {"scheme", "ports", "root", "from",     "relative",    "lanes", "banks",
                                        "words",  "width", "time", "operands", "full-duplex", "items"};
    const char *name = options_first_given(options, names, sizeof names / sizeof *names);
    if (!name) return 0;
    return crl_fail(diag, CRL_ERR_ARGUMENT, "an image has its own '--%s'; build another one, or name an algorithm",
                    name);
}

int logp_play_read(struct logp_play *play, const struct options *options, const char *path)
{
    struct logp_job *job = &play->job;
    struct crl_container container = {0};
    struct crl_logp said;
    char own[CRL_LOGP_NAME], asked[CRL_LOGP_NAME];
    int error = refuse_with_image(options, &job->diag);
    if (error) return error;
    FILE *file = input_open(path, &job->diag);
    if (!file) return CRL_ERR_IO;
    error = crl_container_read(&container, file, path, &job->diag);
    input_close(file);
    if (!error) error = crl_logp_image_parse(&play->image, &container, &job->diag);
    crl_container_done(&container);
    if (error) return error;
    job->problem = play->image.problem;
    job->scheme = play->image.scheme;
    if (options->topology) {
        error = crl_logp_parse(&said, options->topology, &job->diag);
        crl_logp_name(&job->problem.machine, own);
        if (!error) crl_logp_name(&said, asked);
        if (!error && strcmp(own, asked))
            error = crl_fail(&job->diag, CRL_ERR_ARGUMENT, "'%s' was built for %s, not for %s", path, own,
                             options->topology);
    }
    return error ? error : crl_logp_raise(&job->schedule, &play->image, &job->diag);
}

void logp_play_done(struct logp_play *play)
{
    crl_logp_image_done(&play->image);
    logp_job_done(&play->job);
}

json_t *logp_play_summary(const struct logp_play *play)
{
    const struct crl_logp_geometry *g = &play->image.geometry;
    json_t *summary = logp_job_summary(&play->job);
    json_t *more = json_pack("{s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "lanes", 1, "banks", 1, "words",
                             (json_int_t)g->words, "data_width", (json_int_t)g->data_width, "addr_width",
                             (json_int_t)g->addr_width, "rows", (json_int_t)g->rows, "row_bits",
                             (json_int_t)crl_logp_row_bits(g), "tables", (json_int_t)play->job.problem.machine.P);
    json_object_update(summary, more);
    json_decref(more);
    return summary;
}

int logp_command_build(const struct options *options)
{
    struct logp_play play = {0};
    struct crl_diag *diag = &play.job.diag;
    bool to_stdout = !strcmp(options->output, "-");
    int error = logp_play_build(&play, options);
    if (!error) {
        struct output output;
        error = output_open(&output, options->output, diag);
        if (!error) error = crl_logp_image_write(&play.image, output.file, diag);
        error = output_close(&output, error, diag);
    }
    if (!error && !to_stdout) print_summary(logp_play_summary(&play), options->json);
    int code = complain(error, diag);
    logp_play_done(&play);
    return code;
}
