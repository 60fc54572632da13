// SPDX-License-Identifier: Apache-2.0
// Any packets, on any network. Where they have one destination each, first static ways that load the rows evenly, and
// slots for these, one after the other: that is a schedule. Then, from the bound upward and between that and what was
// found, the fewest slots for which a negotiation that begins with the schedule comes to an end. What is found is kept
// in the cache.
#include "algorithm/core.h"
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "base/context.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_A_SECOND = 400000000, // on an idle machine
    EFFORT = 6,                 // seconds, unless said
    TRIES = 3,                  // of a number of slots
    SHARE = 3,                  // a number of slots may use up one in so many of the steps that are left
    DETOUR = 3,                 // slots; most networks do better with these or with none
    LISTS = 3,                  // ways of listing
    PATIENCE_MAX = 16
};

// A plan of all packets.
struct plan {
    uint16_t *hops;
    struct crl_core_hop *hop;
    uint32_t *done;
    uint32_t slots; // CRL_NONE: some have no way, or come too late
};

struct planner {
    struct crl_core core;
    struct plan best;
    struct crl_core_attempt how;
    uint32_t bound;
};

// ---------------------------------------------------------------- plans

static int plan_new(struct plan *p, const struct crl_core *c)
{
    p->slots = CRL_NONE;
    p->hops = calloc(c->packets + UINT64_C(1), sizeof *p->hops);
    p->hop = malloc(sizeof *p->hop * (c->first[c->packets] + 1));
    p->done = calloc(c->demands + UINT64_C(1), sizeof *p->done);
    return p->hops && p->hop && p->done ? 0 : CRL_ERR_MEMORY;
}

static void plan_done(struct plan *p)
{
    free(p->hops);
    free(p->hop);
    free(p->done);
}

static void keep_plan(struct plan *p, const struct crl_core *c, uint32_t slots)
{
    p->slots = slots;
    memcpy(p->hops, c->hops, sizeof *p->hops * c->packets);
    memcpy(p->hop, c->hop, sizeof *p->hop * c->first[c->packets]);
    for (uint32_t i = 0; i < c->demands; i++) p->done[i] = c->demand[i].done;
}

static void take_plan(const struct plan *p, struct crl_core *c)
{
    memcpy(c->hops, p->hops, sizeof *p->hops * c->packets);
    memcpy(c->hop, p->hop, sizeof *p->hop * c->first[c->packets]);
    for (uint32_t i = 0; i < c->demands; i++) c->demand[i].done = p->done[i];
}

static bool meets_deadlines(const struct crl_core *c)
{
    for (uint32_t i = 0; i < c->demands; i++)
        if (c->demand[i].done > c->demand[i].deadline) return false;
    return true;
}

static uint32_t slots_of(const struct crl_core *c)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < c->demands; i++)
        if (c->demand[i].done > slots) slots = c->demand[i].done;
    return slots;
}

// ---------------------------------------------------------------- the list

// The best list. One in which deadlines are missed is none, but something to begin with.
static int list(struct planner *p)
{
    struct crl_core *c = &p->core;
    int64_t slots = crl_core_find_paths(c, p->bound);
    struct plan ways = {0};
    int error = slots < 0 ? (int)slots : plan_new(&ways, c);
    if (!error) keep_plan(&ways, c, 0);
    for (uint32_t i = 0; i < LISTS && !error && p->best.slots > p->bound; i++) {
        take_plan(&ways, c);
        int64_t time = crl_core_list(c, i);
        if (time < 0) error = (int)time;
        uint32_t found = !error && meets_deadlines(c) ? (uint32_t)time : CRL_NONE;
        if (!error && (!i || found < p->best.slots)) keep_plan(&p->best, c, found);
    }
    plan_done(&ways);
    return error;
}

// ---------------------------------------------------------------- the search

// Looks for a plan of so many slots, which replaces the best. CRL_ERR_UNSUPPORTED: there was none.
static int attempt(struct planner *p, uint32_t slots, uint32_t patience)
{
    struct crl_core *c = &p->core;
    uint64_t share = c->steps / SHARE, kept = c->steps - share;
    int error = CRL_ERR_UNSUPPORTED;
    c->steps = share;
    p->how.slots = slots;
    p->how.patience = patience;
    for (uint32_t i = 0; i < TRIES && c->steps && error == CRL_ERR_UNSUPPORTED; i++) {
        p->how.detour = i % 2 ? 0 : DETOUR;
        take_plan(&p->best, c);
        error = crl_core_negotiate(c, &p->how);
    }
    c->steps += kept;
    if (!error) keep_plan(&p->best, c, slots_of(c));
    return error;
}

// Where there is no plan yet: from the bound upward, in steps that double.
static int widen(struct planner *p, uint32_t least)
{
    int error = CRL_ERR_UNSUPPORTED;
    uint64_t end = p->core.steps / 16;
    for (uint32_t slots = least, step = 1; error == CRL_ERR_UNSUPPORTED && p->core.steps > end; step *= 2) {
        error = attempt(p, slots, 1);
        slots += step;
    }
    return error;
}

// The fewest slots, from `least` on, for which an attempt succeeds: tries the least, then halves what is left.
static int halve(struct planner *p, uint32_t least, uint32_t patience)
{
    int error = 0;
    for (uint32_t slots = least; least < p->best.slots && p->core.steps > SHARE && !error;) {
        error = attempt(p, slots, patience);
        if (error == CRL_ERR_UNSUPPORTED) {
            least = slots + 1;
            error = 0;
        }
        slots = least + (p->best.slots - least) / 2;
    }
    return error;
}

// At first with little patience; then slot by slot with more.
static int search(struct planner *p)
{
    uint32_t patience = 1;
    int error = p->best.slots == CRL_NONE ? widen(p, p->bound) : 0;
    if (error) return error;
    error = halve(p, p->bound, patience);
    while (!error && patience <= PATIENCE_MAX && p->core.steps > SHARE) {
        uint32_t slots = p->best.slots;
        if (slots <= p->bound) break;
        error = halve(p, slots - 1, patience);
        if (p->best.slots == slots) patience *= 4;
    }
    return error == CRL_ERR_INTERRUPTED ? 0 : error; // with the best so far
}

// ---------------------------------------------------------------- what was planned before

// As much of it as there can be, within the slots that are allowed; if that cannot be, in as few more as there are.
static int keep(struct planner *p)
{
    int error = crl_core_adopt(&p->core, p->core.problem->keep);
    if (!error) keep_plan(&p->best, &p->core, CRL_NONE);
    return error ? error : widen(p, p->bound + p->core.problem->slack);
}

// ---------------------------------------------------------------- the schemes

static uint32_t bound_of(const struct crl_core *c)
{
    uint64_t bound = crl_problem_bound_slots(c->problem), load = c->modulo ? 0 : crl_core_load(c);
    if (load > bound) bound = load;
    for (uint32_t i = 0; i < c->demands; i++) {
        const struct crl_core_demand *d = &c->demand[i];
        if (d->release + c->from[d->from][d->to] > bound) bound = d->release + c->from[d->from][d->to];
    }
    return bound ? (uint32_t)bound : 1;
}

static int fail(int error, const struct planner *p, struct crl_diag *diag)
{
    if (error == CRL_ERR_MEMORY) return crl_fail_memory(diag);
    if (error == CRL_ERR_RULE) return crl_fail(diag, error, "some packet cannot reach its destination");
    if (error != CRL_ERR_UNSUPPORTED && p->best.slots != CRL_NONE) return error;
    return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                    "no plan was found in time%s; that does not mean there is none: --effort looks for longer",
                    p->core.modulo ? " that fits into the period" : "");
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, bool negotiates,
                struct crl_diag *diag)
{
    struct planner p = {.how.nowait = problem->nowait};
    uint64_t effort = problem->effort ? problem->effort : EFFORT;
    schedule->folded = false;
    int error = crl_core_init(&p.core, problem, 0);
    if (!error) error = plan_new(&p.best, &p.core);
    p.core.steps = effort * STEPS_A_SECOND;
    if (!error) p.bound = bound_of(&p.core);
    if (!error && problem->keep) error = keep(&p);
    else if (!error && !problem->nowait && crl_core_is_single(problem)) error = list(&p);
    if (!error && negotiates && !problem->keep) error = search(&p);
    if (!error && p.best.slots == CRL_NONE) error = CRL_ERR_UNSUPPORTED;
    if (!error) take_plan(&p.best, &p.core);
    if (!error) error = crl_core_write(&p.core, schedule, 0);
    error = error ? fail(error, &p, diag) : 0;
    plan_done(&p.best);
    crl_core_done(&p.core);
    return error;
}

static bool lists(const struct crl_problem *problem) { return crl_core_fits(problem) && crl_core_is_single(problem); }

static int plan_list(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, false, diag);
}

static int plan_negotiated(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, true, diag);
}

const struct crl_algorithm crl_rows_core[] = {
    {.collectives = "traffic groups program",
     .scheme = "negotiated",
     .networks = "any",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_EFFORT,
     .applies = crl_core_fits,
     .plan = plan_negotiated,
     .cost = {.row_ns = 1500, .search_s = 6, .pair_bytes = 8, .port_bytes = 20},
     .guarantee = "the bound where tried",
     .summary = "even ways, listed, then by negotiated congestion; trees of several destinations by that alone"},
    {.collectives = "traffic groups program",
     .scheme = "list",
     .networks = "any, of one destination each",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS,
     .applies = lists,
     .plan = plan_list,
     .cost = {.row_ns = 1500, .pair_bytes = 8, .port_bytes = 20},
     .summary = "even ways, then slot by slot what has most before it"},
    {0}};
