// SPDX-License-Identifier: Apache-2.0
// carillon draw: a picture of a schedule.
#include "cli.h"
#include <string.h>

static bool ends_in(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length > tail && !strcmp(text + length - tail, suffix);
}

int command_draw(const struct options *options)
{
    struct job job = {0};
    struct output output = {0};
    const char *path = options->output;
    bool to_file = path && strcmp(path, "-"), html = to_file && ends_in(path, ".html");
    if (to_file && !html && !ends_in(path, ".svg"))
        return complain_usage("-o needs a name that ends in .svg or .html, not '%s'", path);
    int error = job_schedule(&job, options);
    // A schedule from a file may look the same from every node, too.
    if (!error && !job.schedule.folded && crl_problem_is_symmetric(&job.problem)) crl_schedule_fold(&job.schedule);
    if (!error) error = output_open(&output, path, &job.diag);
    if (!error)
        error = crl_draw(&job.schedule, &job.problem, job.scheme, html ? CRL_DRAW_HTML : CRL_DRAW_SVG, output.file,
                         &job.diag);
    int code = complain(output_close(&output, error, &job.diag), &job.diag);
    job_done(&job);
    return code;
}
