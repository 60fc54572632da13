// SPDX-License-Identifier: Apache-2.0
// Slots of sums against the number of chunks, beside the bound.
//
// Some numbers of chunks are planned. Any other number is covered by these: a plan of more chunks leaves some out, and
// two plans may follow each other. So the slots are monotone and subadditive in the number of chunks.
#include "api/machine.h"
#include "base/context.h"
#include <stdlib.h>
#include <string.h>

enum { POINTS = 64, CHUNKS = 256, CHUNKS_MAX = 1000000, PLANS = 96 };

struct point {
    uint32_t chunks;
    uint64_t planned, slots, bound; // planned: 0 where it is not
};
struct front {
    struct point point[POINTS]; // by their chunks
    size_t points;
    uint32_t chunks; // that are covered
    uint64_t *slots; // [chunks + 1]
    uint8_t *last;   // [chunks + 1] the point whose plan comes last
    const struct crl_context *context;
    const char *algorithm, *topology;
    const struct carillon_options *options;
};

// ---------------------------------------------------------------- what is planned

static int plan(struct point *p, struct carillon_problem *problem, struct crl_diag *diag)
{
    struct carillon_schedule *schedule;
    int error = carillon_plan(&schedule, problem, diag);
    if (!error) error = carillon_check(schedule, diag);
    if (!error) p->planned = schedule->report.slots;
    carillon_schedule_free(schedule);
    return error;
}

// The bound and, if it is to be planned, the slots of so many chunks.
static int measure(struct point *p, const struct front *f, bool plans, struct crl_diag *diag)
{
    struct carillon_options options = *f->options;
    struct carillon_problem *problem;
    options.chunks = p->chunks;
    if (crl_context_cancelled(f->context)) return crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted");
    int error = carillon_problem_new(&problem, f->context, f->algorithm, f->topology, &options, diag);
    json_t *bound = error ? NULL : problem->machine->bound(problem);
    if (!error && !bound) error = crl_fail_memory(diag);
    p->bound = (uint64_t)json_integer_value(json_object_get(bound, "bound_slots"));
    json_decref(bound);
    if (!error && plans) error = plan(p, problem, diag);
    carillon_problem_free(problem);
    return error;
}

// Plans 1, 2, 3, 4, 6, 8, 12, 16 … chunks, and as many as are asked for if these are not more.
static int plan_points(struct front *f, struct crl_diag *diag)
{
    uint32_t most = f->chunks < CHUNKS ? f->chunks : CHUNKS;
    int error = 0;
    for (uint32_t chunks = 1; chunks < most && !error;
         chunks += chunks > 2 && chunks % 3 ? chunks / 2 : (chunks + 2) / 3) {
        f->point[f->points].chunks = chunks;
        error = measure(&f->point[f->points++], f, true, diag);
    }
    f->point[f->points].chunks = most;
    return error ? error : measure(&f->point[f->points++], f, true, diag);
}

// ---------------------------------------------------------------- what follows from these

static int cover(struct front *f, struct crl_diag *diag)
{
    f->slots = calloc(f->chunks + (size_t)1, sizeof *f->slots);
    f->last = calloc(f->chunks + (size_t)1, sizeof *f->last);
    if (!f->slots || !f->last) return crl_fail_memory(diag);
    for (uint32_t m = 1; m <= f->chunks; m++) {
        f->slots[m] = UINT64_MAX;
        for (size_t i = 0; i < f->points; i++) {
            uint32_t before = f->point[i].chunks < m ? m - f->point[i].chunks : 0;
            if (f->slots[before] + f->point[i].planned >= f->slots[m]) continue;
            f->slots[m] = f->slots[before] + f->point[i].planned;
            f->last[m] = (uint8_t)i;
        }
    }
    return 0;
}

// The plans that cover so many chunks, as in "3 x 256 + 64".
static void write_cover(const struct front *f, uint32_t chunks, char cell[PLANS])
{
    uint32_t times[POINTS] = {0};
    size_t length = 0;
    for (uint32_t m = chunks; m;) {
        uint32_t block = f->point[f->last[m]].chunks;
        times[f->last[m]]++;
        m = block < m ? m - block : 0;
    }
    for (size_t i = f->points; i-- > 0;) {
        if (!times[i] || length > PLANS - 32) continue;
        length += (size_t)snprintf(cell + length, PLANS - length, length ? " + " : "");
        if (times[i] > 1) length += (size_t)snprintf(cell + length, PLANS - length, "%u x ", times[i]);
        length += (size_t)snprintf(cell + length, PLANS - length, "%u", f->point[i].chunks);
    }
}

// ---------------------------------------------------------------- all of it

static json_t *tell(const struct front *f)
{
    json_t *points = json_array();
    for (size_t i = 0; i < f->points; i++) {
        char plans[PLANS] = "";
        write_cover(f, f->point[i].chunks, plans);
        json_array_append_new(points, json_pack("{s:I, s:I, s:I, s:s}", "chunks", (json_int_t)f->point[i].chunks,
                                                "slots", (json_int_t)f->slots[f->point[i].chunks], "bound_slots",
                                                (json_int_t)f->point[i].bound, "plans", plans));
    }
    return json_pack("{s:s, s:s, s:o}", "algorithm", f->algorithm, "topology", f->topology, "front", points);
}

int carillon_front(char **json, const struct crl_context *context, const char *algorithm, const char *topology,
                   const struct carillon_options *options, struct crl_diag *diag)
{
    struct carillon_options own;
    *json = NULL;
    int error = crl_options_take(&own, options, diag);
    if (error) return error;
    const char *name = carillon_algorithm_spelled(algorithm, topology);
    if (carillon_algorithm_known(name) && strcmp(name, "all-reduce") && strcmp(name, "reduce") && strcmp(name, "scan"))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "only all-reduce, reduce and scan have chunks to choose, and not %s",
                        carillon_algorithm_title(name));
    struct front f = {.chunks = own.chunks ? own.chunks : CHUNKS,
                      .context = context,
                      .algorithm = algorithm,
                      .topology = topology,
                      .options = &own};
    if (!topology) return crl_fail(diag, CRL_ERR_ARGUMENT, "which network? Say -t, as in -t hypercube:4");
    if (f.chunks > CHUNKS_MAX) return crl_fail(diag, CRL_ERR_ARGUMENT, "a front is of up to %d chunks", CHUNKS_MAX);
    error = plan_points(&f, diag);
    if (!error) error = cover(&f, diag);
    for (uint32_t chunks = 2 * CHUNKS; chunks < f.chunks && !error && f.points < POINTS - 1; chunks *= 2) {
        f.point[f.points].chunks = chunks;
        error = measure(&f.point[f.points++], &f, false, diag);
    }
    if (!error && f.chunks > CHUNKS) {
        f.point[f.points].chunks = f.chunks;
        error = measure(&f.point[f.points++], &f, false, diag);
    }
    if (!error) error = crl_json_text(tell(&f), json, diag);
    CRL_FREE(f.slots, f.last);
    return error;
}
