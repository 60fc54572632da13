// SPDX-License-Identifier: Apache-2.0
// carillon draw: a picture of a schedule.
#include "cli.h"
#include <string.h>

static bool ends_in(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length > tail && !strcmp(text + length - tail, suffix);
}

// The page of a trace, on routers as the options say.
static int draw_trace(struct flow *flow, const struct options *options, FILE *page)
{
    int error = flow->image ? 0 : carillon_lower(&flow->image, flow->schedule, &flow->diag);
    FILE *trace = error ? NULL : input_open(options->trace, &flow->diag);
    if (!error && !trace) error = CRL_ERR_IO;
    if (!error)
        error = carillon_draw_trace(flow->schedule, flow->image, trace, options->trace, false, page, &flow->diag);
    input_close(trace);
    return error;
}

int command_draw(struct options *options)
{
    struct flow flow = {0};
    struct output output = {0};
    const char *path = options->output;
    bool html = is_file(path) && ends_in(path, ".html");
    if (is_file(path) && !html && !ends_in(path, ".svg"))
        return complain_usage("-o needs a name that ends in .svg or .html, not '%s'", path);
    if (options->trace && !html) return complain_usage("--trace is replayed in a page: -o FILE.html");
    options->flow.for_routers = options->trace; // the schedule that run plays
    int error = flow_schedule(&flow, options), verdict = 0;
    if (html && !options->trace && error == CRL_ERR_RULE) verdict = error, error = 0; // a page shows what is wrong
    struct crl_diag why = flow.diag;
    if (!error) error = output_open(&output, path, &flow.diag);
    if (!error && options->trace) error = draw_trace(&flow, options, output.file);
    else if (!error) error = carillon_draw(flow.schedule, html ? "html" : "svg", output.file, &flow.diag);
    if (error == CRL_ERR_MISMATCH) verdict = error, error = 0, why = flow.diag;
    error = output_close(&output, error, &flow.diag);
    if (!error && verdict) flow.diag = why;
    return flow_end(&flow, error ? error : verdict);
}
