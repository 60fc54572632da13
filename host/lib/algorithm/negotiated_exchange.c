// SPDX-License-Identifier: Apache-2.0
// Total exchange, whole or partial, on any network, both port models. First list scheduling, as the packets come and on
// ways that load the links evenly. Then by negotiated congestion: from the bound upward, and between that and what was
// found first, the fewest slots for which a search comes to an end. What is found is kept in the cache.
#include "algorithm/algorithm.h"
#include "algorithm/negotiation.h"
#include "algorithm/random.h"
#include "algorithm/rerouting.h"
#include "base/base.h"
#include "base/cache.h"
#include "base/context.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_A_SECOND = 400000000, // of negotiation, on an idle machine
    EFFORT = 6,                 // seconds, unless said
    TRIES = 4,                  // of a number of slots, with and without detours
    SHARE = 3,                  // a number of slots may use up one in so many of the steps that are left
    DETOUR = 3,                 // hops; most networks do better with these or with none
    PATIENCE_MAX = 16
};

struct search {
    const struct crl_problem *problem;
    struct crl_negotiation *negotiation;
    struct crl_schedule *best;
    uint64_t steps;
};

static bool applies_negotiated_exchange(const struct crl_problem *problem) { return crl_problem_packets(problem) > 0; }

// ---------------------------------------------------------------- the search

static void take_best(struct search *s, struct crl_schedule *found)
{
    struct crl_schedule swap = *s->best;
    *s->best = *found;
    *found = swap;
}

// Even ways, with half of the steps.
static int reroute(struct search *s)
{
    uint64_t share = s->steps / 2, kept = s->steps - share;
    uint32_t bound = (uint32_t)crl_problem_bound_slots(s->problem);
    struct crl_schedule found;
    if (crl_schedule_slots(s->best) <= bound) return 0;
    crl_schedule_init(&found, s->best->topology, s->best->naming, false);
    int error = crl_reroute(&found, s->problem, bound, &share);
    s->steps = kept + share;
    if (!error && crl_schedule_slots(&found) < crl_schedule_slots(s->best)) take_best(s, &found);
    crl_schedule_done(&found);
    return error;
}

// Looks for a schedule of so many slots, which replaces the best. CRL_ERR_UNSUPPORTED: there was none.
static int attempt(struct search *s, uint32_t slots, uint32_t patience)
{
    uint64_t share = s->steps / SHARE, kept = s->steps - share;
    int error = CRL_ERR_UNSUPPORTED;
    struct crl_schedule found;
    crl_schedule_init(&found, s->best->topology, s->best->naming, false);
    for (uint32_t i = 0; i < TRIES && share && error == CRL_ERR_UNSUPPORTED; i++) {
        struct crl_negotiate how = {
            .slots = slots, .detour = i % 2 ? 0 : DETOUR, .patience = patience, .seed = patience + i};
        error = crl_negotiate(s->negotiation, &how, &share, &found);
    }
    s->steps = kept + share;
    if (!error) take_best(s, &found);
    crl_schedule_done(&found);
    return error;
}

// The fewest slots, from `least` on, for which an attempt succeeds: tries the least, then halves what is left.
static int halve(struct search *s, uint32_t least, uint32_t patience)
{
    int error = 0;
    for (uint32_t slots = least, end = crl_schedule_slots(s->best); least < end && s->steps > SHARE && !error;) {
        error = attempt(s, slots, patience);
        if (!error) end = slots;
        if (error == CRL_ERR_UNSUPPORTED) {
            least = slots + 1;
            error = 0;
        }
        slots = least + (end - least) / 2;
    }
    return error;
}

// At first with little patience; then slot by slot with more.
static int search(struct search *s)
{
    uint32_t bound = (uint32_t)crl_problem_bound_slots(s->problem), patience = 1;
    int error = reroute(s);
    if (!error) error = halve(s, bound, patience);
    while (!error && patience <= PATIENCE_MAX && s->steps > SHARE) {
        uint32_t slots = crl_schedule_slots(s->best);
        if (slots <= bound) break;
        error = halve(s, slots - 1, patience);
        if (crl_schedule_slots(s->best) == slots) patience *= 4;
    }
    return error == CRL_ERR_INTERRUPTED ? 0 : error; // with the best so far
}

// ---------------------------------------------------------------- what was found before

// Named by the links, the packets and how long was looked: a graph's name does not say what is in its file.
static void name_entry(char entry[96], const struct crl_problem *p, uint32_t effort)
{
    const struct crl_topology *t = p->topology;
    const uint32_t ports = crl_topology_ports(t), links = crl_topology_nodes(t) * ports;
    uint64_t hash = crl_problem_bound_slots(p);
    for (uint32_t i = 0; i < links; i++)
        hash = crl_permute(hash ^ crl_topology_neighbor(t, i / ports, i % ports), 64, links);
    for (uint64_t i = 0; i < crl_problem_packets(p); i++) {
        uint32_t origin, dest;
        crl_problem_packet(p, i, &origin, &dest);
        hash = crl_permute(hash ^ ((uint64_t)origin << 32 | dest), 64, links);
    }
    snprintf(entry, 96, "negotiated2-%u-%s-%us-%016llx.csv", crl_topology_nodes(t),
             p->ports == CRL_PORTS_SINGLE ? "single" : "all", effort, (unsigned long long)hash);
}

static int write_entry(FILE *file, void *schedule) { return crl_schedule_write_csv(schedule, file, false, NULL); }

static bool recall(struct search *s, const char *entry)
{
    FILE *file = crl_cache_open(s->problem->context, entry);
    struct crl_schedule found;
    if (!file) return false;
    crl_schedule_init(&found, s->best->topology, s->best->naming, false);
    int error = crl_schedule_read_csv(&found, file, entry, NULL);
    fclose(file);
    if (!error) error = crl_schedule_unfold(&found, NULL);
    crl_schedule_forget_lines(&found); // the moves come from a plan, not from a file that the user knows
    bool good = !error && crl_negotiation_accepts(s->negotiation, &found);
    if (good) take_best(s, &found);
    crl_schedule_done(&found);
    return good;
}

// ---------------------------------------------------------------- the plan

static int plan_negotiated_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                    struct crl_diag *diag)
{
    uint32_t effort = problem->effort ? problem->effort : EFFORT;
    struct search s = {.problem = problem, .best = schedule, .steps = (uint64_t)effort * STEPS_A_SECOND};
    char entry[96];
    schedule->folded = false;
    name_entry(entry, problem, effort);
    int error = crl_negotiation_new(&s.negotiation, problem, 0);
    if (!error && !recall(&s, entry)) {
        error = crl_plan_any_exchange(schedule, problem, NULL);
        crl_context_hold(problem->context, true);
        if (!error) error = search(&s);
        bool whole = !crl_context_cancelled(problem->context);
        crl_context_hold(problem->context, false);
        if (!error && whole && !crl_schedule_sort(schedule))
            crl_cache_write(problem->context, entry, write_entry, schedule); // or not
    }
    crl_negotiation_free(s.negotiation);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_negotiated_rooted[] = {
    {.collectives = "scatter gather",
     .scheme = "negotiated",
     .networks = "with switches or in parts, to 256 nodes",
     .handles = CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_EFFORT,
     .applies = crl_is_listed,
     .plan = plan_negotiated_exchange,
     .cost = {.nodes_max = 256, .row_ns = 1000, .search_s = 6, .pair_bytes = 200, .quick_nodes = 128},
     .guarantee = "the bound where tried",
     .summary = "as total exchange"},
    {0}};

const struct crl_algorithm crl_rows_negotiated_exchange[] = {
    {.collectives = "total-exchange partial-exchange partial-gather",
     .scheme = "negotiated",
     .networks = "any, to 256 nodes",
     .handles = CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_SEARCH | CRL_HANDLES_EFFORT,
     .applies = applies_negotiated_exchange,
     .plan = plan_negotiated_exchange,
     .cost = {.nodes_max = 256, .row_ns = 1000, .search_s = 6, .pair_bytes = 200, .quick_nodes = 128},
     .guarantee = "the bound where tried",
     .summary =
         "packets negotiate for links and slots; from the bound upward, for --effort seconds; kept in the cache"},
    {0}};
