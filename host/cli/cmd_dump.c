// SPDX-License-Identifier: Apache-2.0
// carillon dump: an image for people, for programs, for $readmemh and for C.
#include "cli.h"
#include <string.h>

int command_dump(struct options *options)
{
    struct flow flow = {0};
    struct output output = {0};
    const char *format = options->json ? "json" : options->format, *path = options->operand[0];
    if (options->json && options->format && strcmp(options->format, "json"))
        return complain_usage("--json and --format %s contradict each other", options->format);
    if (refuse_format(format, carillon_dump_format_at)) return EXIT_USAGE;
    int error = flow_image(&flow, options, path);
    if (!error) error = carillon_check(flow.schedule, &flow.diag);
    if (error == CRL_ERR_RULE) { // dump shows it all the same; run and check judge
        fprintf(stderr, "%s: warning: %s\n", path, flow.diag.text);
        error = 0;
    }
    if (!error) error = output_open(&output, options->output, &flow.diag);
    if (!error) error = carillon_dump(flow.image, flow.schedule, format, options->table, output.file, &flow.diag);
    return flow_end(&flow, output_close(&output, error, &flow.diag));
}
