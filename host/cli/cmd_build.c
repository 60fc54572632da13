// SPDX-License-Identifier: Apache-2.0
// carillon build: plan, check, lower, write the image.
#include "cli.h"
#include <string.h>

json_t *image_summary(const struct job *job);

static int write_image(struct job *job, const struct options *options)
{
    struct output output;
    int error = output_open(&output, options->output, &job->diag);
    if (!error) error = crl_image_write(&job->image, output.file, &job->diag);
    return output_close(&output, error, &job->diag);
}

int command_build(const struct options *options)
{
    struct job job = {0};
    if (!options->output) return complain_usage("where to? Say -o IMAGE");
    bool to_stdout = !strcmp(options->output, "-");
    if (to_stdout && options->json) return complain_usage("the image and --json cannot both go to standard output");
    int error = job_problem(&job, options, options->operand[0]);
    if (!error) error = job_plan(&job, options);
    if (!error) error = job_check(&job);
    if (error == CRL_ERR_RULE) job_print_findings(&job, options->from ? options->from : "<plan>");
    if (!error) error = job_lower(&job, options);
    if (!error) error = write_image(&job, options);
    if (!error && !to_stdout) print_summary(image_summary(&job), options->json);
    int code = complain(error, &job.diag);
    job_done(&job);
    return code;
}

json_t *image_summary(const struct job *job)
{
    const struct crl_image *image = &job->image;
    const struct crl_geometry *g = &image->geometry;
    json_t *summary = job_summary(job);
    json_t *more =
        json_pack("{s:I, s:I, s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I}", "lanes", (json_int_t)g->lanes, "banks",
                  (json_int_t)g->banks, "write_xbar", (int)g->write_xbar, "delay", (int)g->delay, "waddr_field",
                  (int)g->waddr_field, "words", (json_int_t)g->words, "data_width", (json_int_t)g->data_width,
                  "addr_width", (json_int_t)g->addr_width, "rows", (json_int_t)g->rows, "row_bits",
                  (json_int_t)crl_row_bits(g), "tables", (json_int_t)image->tables);
    json_object_update(summary, more);
    json_decref(more);
    return summary;
}
