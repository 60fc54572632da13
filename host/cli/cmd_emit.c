// SPDX-License-Identifier: Apache-2.0
// carillon emit: a fabric as a directory that stands alone.
#include "cli.h"

int command_emit(struct options *options)
{
    struct flow flow = {0};
    char *summary = NULL;
    if (!is_file(options->output)) return complain_usage("where to? Say -o DIRECTORY");
    options->flow.for_routers = true;
    if (!options->flow.streams && carillon_algorithm_known(options->operand[0])) // an image says it itself
        options->flow.streams = CARILLON_STREAMS_ALL;
    int error = flow_schedule(&flow, options);
    if (!error && !flow.image) error = carillon_lower(&flow.image, flow.schedule, &flow.diag);
    struct carillon_emission how = {options->output, options->top, options->protocol};
    if (!error) error = carillon_emit(flow.image, flow.schedule, &how, &flow.diag);
    if (!error) error = carillon_image_summary(flow.image, flow.schedule, &summary, &flow.diag);
    print_summary(summary, options);
    return flow_end(&flow, error);
}
