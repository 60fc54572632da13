// SPDX-License-Identifier: Apache-2.0
// carillon bound: how fast it can be at best, and why, without a plan.
#include "cli.h"
#include <jansson.h>

int command_bound(struct options *options)
{
    struct flow flow = {0};
    char *text = NULL;
    int error = flow_problem(&flow, options, options->operand[0]);
    if (!error) error = carillon_problem_bound(flow.problem, &text, &flow.diag);
    json_t *bound = text && !options->json && !options->quiet ? json_loads(text, 0, NULL) : NULL, *why;
    size_t i;
    if (options->quiet) print_verdict(text, options, OF_BOUND);
    print_summary(text, options);
    json_array_foreach(json_object_get(bound, "why"), i, why) printf("%-20s %s\n", "why", json_string_value(why));
    json_decref(bound);
    if (!error) error = flow_certificate(&flow, options);
    return flow_end(&flow, error);
}
