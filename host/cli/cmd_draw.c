// SPDX-License-Identifier: Apache-2.0
// carillon draw: a picture of a schedule.
#include "cli.h"
#include <string.h>

static bool ends_in(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length > tail && !strcmp(text + length - tail, suffix);
}

int command_draw(struct options *options)
{
    struct flow flow = {0};
    struct output output = {0};
    const char *path = options->output;
    bool html = is_file(path) && ends_in(path, ".html");
    if (is_file(path) && !html && !ends_in(path, ".svg"))
        return complain_usage("-o needs a name that ends in .svg or .html, not '%s'", path);
    int error = flow_schedule(&flow, options);
    if (!error) error = output_open(&output, path, &flow.diag);
    if (!error) error = carillon_draw(flow.schedule, html ? "html" : "svg", output.file, &flow.diag);
    return flow_end(&flow, output_close(&output, error, &flow.diag));
}
