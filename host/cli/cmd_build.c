// SPDX-License-Identifier: Apache-2.0
// carillon build: plan, check, lower, write the image.
#include "cli.h"

static int write_image(struct flow *flow, const struct options *options)
{
    struct output output;
    int error = output_open(&output, options->output, &flow->diag);
    if (!error) error = carillon_image_write(flow->image, output.file, &flow->diag);
    return output_close(&output, error, &flow->diag);
}

int command_build(struct options *options)
{
    struct flow flow = {0};
    char *summary = NULL;
    if (!options->output) return complain_usage("where to? Say -o IMAGE");
    bool to_stdout = !is_file(options->output);
    if (to_stdout && options->json) return complain_usage("the image and --json cannot both go to standard output");
    options->flow.for_routers = true;
    int error = flow_plan(&flow, options, options->operand[0], options->from);
    if (!error) error = flow_check(&flow, options->from ? options->from : "<plan>");
    if (!error) error = flow_lower(&flow);
    if (!error) error = write_image(&flow, options);
    if (!error && !to_stdout) error = carillon_image_summary(flow.image, flow.schedule, &summary, &flow.diag);
    if (options->quiet) print_verdict(summary, options, OF_PLAN);
    print_summary(summary, options);
    return flow_end(&flow, error);
}
