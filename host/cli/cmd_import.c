// SPDX-License-Identifier: Apache-2.0
// carillon import: the plan of another tool as a schedule, judged.
#include "cli.h"
#include <stdlib.h>

static int read_plan(struct flow *flow, const struct options *options)
{
    const char *path = options->operand[0];
    FILE *file = input_open(path, &flow->diag);
    if (!file) return CRL_ERR_IO;
    int error = carillon_import(&flow->schedule, context(), options->algorithm, options->topology, &options->flow,
                                options->format, file, path, &flow->diag);
    input_close(file);
    return error;
}

// The demands of a traffic, where --write-demands asks for them.
static int write_demands(struct flow *flow, const struct options *options)
{
    struct output output = {0};
    if (!options->write_demands) return 0;
    int error = output_open(&output, options->write_demands, &flow->diag);
    if (!error) error = carillon_schedule_demands(flow->schedule, output.file, &flow->diag);
    return output_close(&output, error, &flow->diag);
}

int command_import(struct options *options)
{
    struct flow flow = {0};
    char *summary = NULL;
    if (refuse_format(options->format, carillon_import_format_at)) return EXIT_USAGE;
    bool to_file = is_file(options->output), writes = to_file || !options->json;
    int error = read_plan(&flow, options), judged = 0;
    if (!error) error = write_demands(&flow, options);
    if (!error) judged = carillon_check(flow.schedule, &flow.diag);
    if (judged && judged != CRL_ERR_RULE) error = judged;
    if (!error && writes) error = write_schedule(flow.schedule, options->output, NULL, &flow.diag);
    if (!error) error = carillon_schedule_summary(flow.schedule, true, &summary, &flow.diag);
    if (!error && judged) {
        print_findings(flow.schedule, to_file ? options->output : "<schedule>");
        error = carillon_check(flow.schedule, &flow.diag); // says how many rules it breaks
    }
    if (to_file || options->json) {
        print_verdict(summary, options, OF_CHECK);
        print_summary(summary, options);
    } else free(summary);
    return flow_end(&flow, error);
}
