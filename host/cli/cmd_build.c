// SPDX-License-Identifier: Apache-2.0
// carillon build: plan, check, lower, write the image.
#include "cli.h"
#include "logp_play.h"
#include "queue_image.h"
#include <string.h>

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
    if (logp_wanted(options)) return logp_command_build(options);
    if (queue_wanted(options)) return queue_command_build(options);
    if (options->blocking) return complain_usage("--blocking is for schemes of random broadcasts");
    int error = job_problem(&job, options, options->operand[0]);
    if (!error) error = job_plan(&job, options);
    if (!error) error = job_check(&job);
    if (error == CRL_ERR_RULE) print_findings(&job.report, options->from ? options->from : "<plan>");
    if (!error) error = job_lower(&job, options);
    if (!error) error = write_image(&job, options);
    if (!error && !to_stdout) print_summary(job_image_summary(&job), options->json);
    int code = complain(error, &job.diag);
    job_done(&job);
    return code;
}
