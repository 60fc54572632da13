// SPDX-License-Identifier: Apache-2.0
// carillon draw: a picture of a schedule, or a page that plays it.
#include "cli.h"
#include <stdlib.h>
#include <string.h>

static int refuse(const struct options *options, bool html)
{
    const char *path = options->output;
    if (is_file(path) && !html && !ends_in(path, ".svg") && !raster_kind(path))
        return complain_usage("-o needs a name that ends in .svg, .png, .pdf or .html, not '%s'", path);
    if (is_file(path) && raster_kind(path) && raster_refuse(raster_kind(path))) return EXIT_USAGE;
    if (options->trace && !html) return complain_usage("--trace is replayed in a page: -o FILE.html");
    if (options->beside && !html) return complain_usage("--beside makes a page: -o FILE.html");
    if (options->beside && options->trace) return complain_usage("--beside and --trace do not go together");
    if (options->beside && !carillon_algorithm_known(options->operand[0]))
        return complain_usage("--beside needs the name of an algorithm, not '%s'", options->operand[0]);
    const char *still = options->view      ? "view"
                        : options->slot    ? "slot"
                        : options->caption ? "caption"
                        : options->columns ? "columns"
                                           : NULL;
    if (html && still) return complain_usage("a page has all views: --%s is of pictures", still);
    return 0;
}

// The page of a trace, on routers as the options say.
static int draw_trace(struct flow *flow, const struct options *options, FILE *page)
{
    int error = flow->image || !carillon_needs_image(flow->schedule) ? 0 : flow_lower(flow);
    FILE *trace = error ? NULL : input_open(options->trace, &flow->diag);
    if (!error && !trace) error = CRL_ERR_IO;
    if (!error)
        error = carillon_draw_trace(flow->schedule, flow->image, trace, options->trace, false, page, &flow->diag);
    input_close(trace);
    return error;
}

// The schedule of another file, which may break rules, at the right of the flow's.
static int draw_beside(struct flow *flow, const struct options *options, FILE *page, int *verdict)
{
    struct flow other = {0};
    int error = flow_plan(&other, options, options->operand[0], options->beside);
    if (!error) error = flow_check(&other, options->beside);
    if (error == CRL_ERR_RULE) *verdict = error, error = 0;
    if (!error) error = carillon_draw_beside(flow->schedule, other.schedule, page, &other.diag);
    if (error || *verdict) flow->diag = other.diag;
    carillon_schedule_free(other.schedule);
    carillon_problem_free(other.problem);
    return error;
}

static int draw_picture(struct flow *flow, const struct options *options, FILE *picture)
{
    const char *kind = is_file(options->output) ? raster_kind(options->output) : NULL;
    char *svg = NULL;
    size_t length = 0;
    FILE *file = kind ? open_memstream(&svg, &length) : picture;
    if (!file) return fail(&flow->diag, CRL_ERR_MEMORY, "out of memory");
    const char *caption = options->caption && !strcmp(options->caption, "none") ? "" : options->caption;
    const struct carillon_view view = {options->view, options->slot, caption, options->columns};
    int error = carillon_draw_view(flow->schedule, &view, file, &flow->diag);
    if (!kind) return error;
    if (fclose(file) && !error) error = fail(&flow->diag, CRL_ERR_MEMORY, "out of memory");
    if (!error) error = raster_write(svg, length, kind, picture, &flow->diag);
    free(svg);
    return error;
}

int command_draw(struct options *options)
{
    struct flow flow = {0};
    struct output output = {0};
    bool html = is_file(options->output) && ends_in(options->output, ".html");
    int verdict = 0, code = refuse(options, html);
    if (code) return code;
    options->flow.for_routers = options->trace; // the schedule that run plays
    int error = flow_schedule(&flow, options);
    if (html && !options->trace && error == CRL_ERR_RULE) verdict = error, error = 0; // a page shows what is wrong
    struct crl_diag why = flow.diag;
    if (!error) error = output_open(&output, options->output, &flow.diag);
    if (!error && options->trace) error = draw_trace(&flow, options, output.file);
    else if (!error && options->beside) error = draw_beside(&flow, options, output.file, &verdict), why = flow.diag;
    else if (!error && html) error = carillon_draw(flow.schedule, "html", output.file, &flow.diag);
    else if (!error) error = draw_picture(&flow, options, output.file);
    if (error == CRL_ERR_MISMATCH) verdict = error, error = 0, why = flow.diag;
    error = output_close(&output, error, &flow.diag);
    if (!error && verdict) flow.diag = why;
    return flow_end(&flow, error ? error : verdict);
}
