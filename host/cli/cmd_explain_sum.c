// SPDX-License-Identifier: Apache-2.0
// carillon explain-sum: in which order the values of a chunk are added.
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>

int command_explain_sum(struct options *options)
{
    struct flow flow = {0};
    char *text = NULL;
    int error = flow_schedule(&flow, options);
    if (!error) error = carillon_explain_sum(flow.schedule, options->chunk, &text, &flow.diag);
    json_t *sums = text && !options->json ? json_loads(text, 0, NULL) : NULL, *sum;
    size_t i;
    json_array_foreach(json_object_get(sums, "sums"), i, sum) printf(
        "%s: %s\n", json_string_value(json_object_get(sum, "nodes")), json_string_value(json_object_get(sum, "sum")));
    json_decref(sums);
    if (options->json) print_summary(text, options);
    else free(text);
    return flow_end(&flow, error);
}
