// SPDX-License-Identifier: Apache-2.0
// Exchanges for nodes that take and give so many words a slot, fewer than they have ports: by negotiated congestion,
// the fewest slots end to end for which a search comes to an end. Links are used in no more slots than a round takes
// anyway, for its links or its words, in the middle of these, so that rounds follow each other as closely as ever. A
// plan in which no packet waits on its way is tried first: its routers need no banks.
#include "algorithm/algorithm.h"
#include "algorithm/core.h"
#include "base/base.h"
#include "base/context.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_A_SECOND = 400000000, // as in core.c
    SHARE = 4,                  // a number of slots may use up one in so many of the steps that are left
    PATIENCE = 1,
    DETOUR = 2 // hops
};

struct search {
    struct crl_core core;
    struct crl_schedule *best;
    uint32_t round; // slots of one
};

static bool applies_streamed_exchange(const struct crl_problem *problem)
{
    return problem->words_a_slot && crl_problem_packets(problem) > 0;
}

// Slots that a round takes at least, or CRL_ERR_MEMORY.
static int64_t round_slots(const struct crl_problem *p)
{
    uint32_t nodes = crl_topology_nodes(p->topology);
    uint64_t *words = calloc(2 * (size_t)nodes, sizeof *words), most = 0, slots = crl_problem_bound_slots(p);
    for (uint64_t i = 0; words && i < crl_problem_packets(p); i++) {
        uint32_t origin, dest;
        crl_problem_packet(p, i, &origin, &dest);
        words[origin]++;
        words[nodes + crl_packet_dest(crl_problem_naming(p), dest)]++;
    }
    for (uint32_t i = 0; words && i < 2 * nodes; i++)
        if (words[i] > most) most = words[i];
    free(words);
    if (crl_ceil_div(most, p->words_a_slot) > slots) slots = crl_ceil_div(most, p->words_a_slot);
    return words ? (int64_t)slots : CRL_ERR_MEMORY;
}

// The first slot in which a link is used becomes slot 1.
static void begin_at_1(struct crl_schedule *s)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < s->count; i++)
        if (s->moves[i].slot < first) first = s->moves[i].slot;
    for (size_t i = 0; i < s->count; i++) s->moves[i].slot -= first - 1;
}

// Looks for a schedule of so many slots end to end, which replaces the best. CRL_ERR_UNSUPPORTED: there was none.
static int attempt(struct search *s, uint32_t slots)
{
    struct crl_core *c = &s->core;
    uint64_t share = c->steps / SHARE, kept = c->steps - share;
    uint32_t links = slots < s->round ? slots : s->round;
    int error = CRL_ERR_UNSUPPORTED;
    for (uint32_t i = 0; i < 3 && share && error == CRL_ERR_UNSUPPORTED; i++) {
        struct crl_core_attempt how = {.slots = slots,
                                       .detour = i == 2 ? DETOUR : 0,
                                       .patience = PATIENCE,
                                       .links_first = (slots - links) / 2,
                                       .links = links,
                                       .nowait = i == 0};
        uint64_t part = share / (3 - i), rest = share - part;
        memset(c->hops, 0, sizeof *c->hops * c->packets);
        c->steps = part;
        c->random = i + 1;
        error = crl_core_negotiate(c, &how);
        share = rest + c->steps;
    }
    c->steps = kept + share;
    if (error) return error;
    s->best->count = 0;
    error = crl_core_write(c, s->best, 0);
    begin_at_1(s->best);
    return error;
}

// From the bound upward in steps that double, then by halves between the last failure and what was found. Whoever needs
// more than three rounds is better off with another plan.
static int search(struct search *s, uint32_t bound)
{
    uint32_t failed = bound - 1, slots = bound, step = 1;
    uint64_t end = s->core.steps / 16;
    int error;
    while ((error = attempt(s, slots)) == CRL_ERR_UNSUPPORTED && s->core.steps > end && slots < bound + 2 * s->round) {
        failed = slots;
        slots += step;
        step *= 2;
    }
    while (!error && slots - failed > 1 && s->core.steps > end) {
        uint32_t middle = failed + (slots - failed) / 2;
        int again = attempt(s, middle);
        if (again && again != CRL_ERR_UNSUPPORTED) return again;
        *(again ? &failed : &slots) = middle;
    }
    return error;
}

static int plan_streamed_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                  struct crl_diag *diag)
{
    struct search s = {.best = schedule};
    int64_t round = round_slots(problem);
    uint64_t bound;
    s.round = (uint32_t)round;
    int error = round < 0 ? CRL_ERR_MEMORY : crl_problem_bound_ends(&bound, problem, problem->words_a_slot);
    if (!error) error = crl_core_init(&s.core, problem, problem->words_a_slot);
    s.core.steps = (problem->effort ? problem->effort : 1) * STEPS_A_SECOND;
    if (!error) error = search(&s, (uint32_t)bound);
    crl_core_done(&s.core);
    if (error == CRL_ERR_UNSUPPORTED)
        return crl_fail(diag, error, "no plan was found in time; that does not mean there is none");
    return error ? crl_fail_memory(diag) : 0;
}

// Where nodes do not all do the same there are as many packets as pairs.
static bool is_quick(const struct crl_problem *problem)
{
    return crl_topology_nodes(problem->topology) <= (crl_problem_is_symmetric(problem) ? 128 : 36);
}

const struct crl_algorithm crl_rows_streamed_exchange[] = {
    {"total-exchange partial-exchange partial-gather", "streamed", "any to 512 nodes, with fewer streams than ports",
     NULL, NULL, "as negotiated, also for words in and out: the fewest slots from end to end",
     .ports = CRL_FOR_ALL_PORTS, .handles = CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_EFFORT,
     .applies = applies_streamed_exchange, .plan = plan_streamed_exchange, .symmetric = crl_is_any,
     .cost = {.nodes_max = 512, .row_ns = 1000, .search_s = 1, .pair_bytes = 200}, .quick = is_quick},
    {0}};
