// SPDX-License-Identifier: Apache-2.0
// carillon dynamic: broadcasts that arrive at random, one run or a sweep.
#include "sweep.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 4096 };

// A number with nothing after it but one of `stops`.
static bool number_of(const char **text, const char *stops, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(*text, &end);
    if (end == *text || errno || !isfinite(*number) || (*end && !strchr(stops, *end))) return false;
    *text = end;
    return true;
}

// Reads load factors as 0.3, or 0.1,0.2,0.3, or 0.05:0.50:0.05. Returns how many, or 0 after saying why.
static size_t loads_of(const char *text, double *load, size_t most)
{
    const char *at = text;
    double x, last, step;
    size_t count = 0;
    while (number_of(&at, ",:", &x) && x > 0 && count < most) {
        load[count++] = x;
        if (!*at) return count;
        if (*at++ == ',') continue;
        if (count != 1 || !number_of(&at, ":", &last) || *at++ != ':' || !number_of(&at, "", &step) || step <= 0 ||
            last < x || (last - x) / step >= (double)most)
            break;
        // In whole steps, and rounded to what people would write.
        for (double i = 1; x + i * step <= last + step * 1e-6; i++) load[count++] = round((x + i * step) * 1e9) / 1e9;
        return count;
    }
    complain_usage("--rho needs load factors above 0, as in 0.3, 0.1,0.2 or 0.05:0.50:0.05, not '%s'", text);
    return 0;
}

// Reads hypercube:8 or hypercube:5..8 as a range of dimensions; other topologies are left to the library.
static bool cubes_of(const char *text, uint32_t *first, uint32_t *last)
{
    int used = 0;
    if (sscanf(text, "hypercube:%2u..%2u%n", first, last, &used) == 2 && !text[used] && *first <= *last) return true;
    *first = *last = 0;
    return !strstr(text, "..");
}

static int points_of(const struct options *o, struct point *points, size_t *count)
{
    static double load[POINTS_MAX];
    uint32_t first, last;
    size_t loads = o->flow.blocking ? 1 : loads_of(o->flow.rho, load, POINTS_MAX);
    char names[256], *save = NULL;
    if (!loads) return EXIT_USAGE;
    if (!cubes_of(o->topology, &first, &last))
        return complain_usage("a range of hypercubes is written hypercube:5..8, not '%s'", o->topology);
    snprintf(names, sizeof names, "%s", o->operand[0]);
    *count = 0;
    for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
        for (uint32_t d = first; d <= last; d++)
            for (size_t i = 0; i < loads; i++) {
                if (*count == POINTS_MAX) return complain_usage("a sweep has at most %d points", POINTS_MAX);
                struct point *p = &points[(*count)++];
                p->rho = load[i];
                snprintf(p->scheme, sizeof p->scheme, "%s", name);
                if (first) snprintf(p->topology, sizeof p->topology, "hypercube:%u", d);
                else snprintf(p->topology, sizeof p->topology, "%s", o->topology);
            }
    return *count ? 0 : complain_usage("unknown scheme '%s'", o->operand[0]);
}

static int refuse(const struct options *o)
{
    if (!o->topology) return complain_usage("which network? Say -t hypercube:8");
    if (!o->flow.rho && !o->flow.blocking) return complain_usage("which load? Say --rho 0.3");
    if (o->flow.rho && o->flow.blocking) return complain_usage("with --blocking sources are saturated: no --rho");
    if (o->trace && !is_file(o->trace)) return complain_usage("--trace needs the name of a file");
    if (o->replay && !is_file(o->replay)) return complain_usage("--replay needs the name of a file");
    return 0;
}

static int run_one(const struct point *point, const struct options *o, struct crl_diag *diag)
{
    struct output trace = {0}, page = {0};
    struct carillon_traffic traffic;
    int error = o->trace ? output_open(&trace, o->trace, diag) : 0;
    if (!error && o->replay) error = output_open(&page, o->replay, diag);
    if (!error)
        error = carillon_traffic_run(&traffic, context(), point->scheme, point->topology, point->rho, &o->flow,
                                     trace.file, page.file, diag);
    progress_end();
    error = output_close(&trace, error, diag);
    error = output_close(&page, error, diag);
    if (error) return error;
    print_verdict(traffic.json, o, OF_TRAFFIC);
    print_summary(traffic.json, o);
    return carillon_traffic_judge(&traffic, diag);
}

int command_dynamic(struct options *o)
{
    struct crl_diag diag = {0};
    size_t count = 0;
    int code = refuse(o);
    if (code) return code;
    struct point *points = calloc(POINTS_MAX, sizeof *points);
    if (!points) return complain(fail(&diag, CRL_ERR_MEMORY, "out of memory"), &diag);
    code = points_of(o, points, &count);
    if (!code && sweep_shared() && !o->output)
        code = complain_usage("ranks share the points of a sweep: it needs -o FILE.csv");
    else if (!code && count == 1 && !o->output) code = complain(run_one(points, o, &diag), &diag);
    else if (!code && (!o->output || o->trace || o->replay || o->flow.wave || o->json || !is_file(o->output)))
        code = complain_usage("a sweep needs -o FILE.csv, and neither --trace, --replay, --wave nor --json");
    else if (!code) code = complain(sweep(points, count, o, &diag), &diag);
    free(points);
    return code;
}
