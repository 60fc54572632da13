// SPDX-License-Identifier: Apache-2.0
// Exchanges for nodes that take and give so many words a slot, fewer than they have ports: by negotiated congestion,
// the fewest slots end to end for which a search comes to an end.
//
// "streamed": words may wait for a link, and for their way out. Links are used in no more slots than a round takes
// anyway, for its links or its words, in the middle of these, so that rounds follow each other as closely as ever; only
// where nothing is found in so many are there more. A plan in which no packet waits on its way is tried first: its
// routers need no banks.
//
// "one-bank": for nodes with one memory. In a slot a node puts one packet of its own on a link and takes one off, and
// no packet waits anywhere.
#include "algorithm/algorithm.h"
#include "algorithm/core.h"
#include "base/base.h"
#include "base/context.h"
#include "topology/topology.h"
#include <string.h>

enum {
    CELLS_A_SECOND = 1 << 17, // without waiting: packets times slots
    HOPS_A_SECOND = 1 << 12,  // where each node's packets are planned,
    MORE_MAX = 5,             // but no more seconds than so many
    SHARE = 4,                // an attempt with other lots may use up one in so many of the steps that are left
    COARSE = 256,             // the first step upward: the bound by so many
    LOTS = 19,                // from one attempt to the next
    LOTS_MAX = 4,             // attempts with other lots at what nothing can be better than
    DETOUR = 2,               // hops
    PATH_NODES_MAX = 64
};

struct streams {
    struct crl_core core;
    struct crl_core_plan best;
    uint32_t round; // slots in which links may be used
    bool tight;     // no packet waits anywhere
};

static bool applies_streamed(const struct crl_problem *problem)
{
    return problem->words_a_slot && crl_problem_packets(problem) > 0;
}

static bool applies_one_bank(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    if (!t->factor_count || crl_topology_has(t, CRL_GRAPH)) return false; // its bound is that of straight ways
    return t->nodes > 1 && (crl_topology_is_symmetric(t) || t->nodes <= PATH_NODES_MAX);
}

// The first slot in which a link is used.
static uint32_t first_slot(const struct crl_core *c)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t p = 0; p < c->packets; p++)
        for (size_t i = c->first[p]; i < c->first[p] + c->hops[p]; i++)
            if (crl_core_is_link(c, &c->arc[c->hop[i].arc]) && c->hop[i].slot < first) first = c->hop[i].slot;
    return first;
}

// ---------------------------------------------------------------- attempts

// Looks for a schedule of so many slots end to end, as struct crl_core_search says.
static int attempt(void *streams, uint32_t slots, uint32_t patience)
{
    struct streams *s = streams;
    struct crl_core *c = &s->core;
    uint64_t share = c->steps;
    uint32_t round = s->round - (c->latency_max - 1), links = slots < round ? slots : round, tries = s->tight ? 1 : 3;
    int error = CRL_ERR_UNSUPPORTED;
    for (uint32_t i = 0; i < tries && share && error == CRL_ERR_UNSUPPORTED; i++) {
        struct crl_core_attempt how = {.slots = slots,
                                       .detour = i == 2 ? DETOUR : 0,
                                       .patience = patience,
                                       .links_first = (slots - links) / 2,
                                       .links = links,
                                       .nowait = i == 0,
                                       .tight = s->tight};
        uint64_t part = share / (tries - i), rest = share - part;
        if (!s->tight || patience > 1) memset(c->hops, 0, sizeof *c->hops * c->packets);
        c->steps = part;
        c->random += LOTS;
        error = crl_core_negotiate(c, &how);
        share = rest + c->steps;
    }
    c->steps = share;
    return error ? error : crl_core_keep(&s->best, c, slots);
}

// Whoever needs `most` slots is better off with another plan.
static int search(struct streams *s, uint32_t bound, uint32_t most)
{
    struct crl_core_search x = {&s->core, &s->best, attempt, s, bound - 1};
    int error = crl_core_widen(&x, 1 + bound / COARSE, most);
    if (!error) error = crl_core_halve(&x, x.failed + (s->best.slots - x.failed) / 2, 1);
    if (!error && !s->tight && !s->core.problem->effort) {
        for (int lots = LOTS_MAX; lots && !error && s->best.slots == bound + 1;
             lots--) { // one less is the best there is
            error = crl_core_try(&x, bound, 1, SHARE);
            if (error == CRL_ERR_UNSUPPORTED) error = 0;
        }
        return error;
    }
    if (error) return error;
    s->core.steps /= 2; // patience is for the other half
    return crl_core_insist(&x, bound, 4);
}

// ---------------------------------------------------------------- the schemes

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t bound, uint32_t round,
                bool tight, struct crl_diag *diag)
{
    struct streams s = {.round = round, .tight = tight};
    struct crl_core *c = &s.core;
    int error = crl_core_init(c, problem, problem->words_a_slot, true);
    if (!error) error = crl_core_plan_new(&s.best, c);
    uint64_t more = tight ? (uint64_t)bound * c->packets / CELLS_A_SECOND : 0;
    if (!tight && !c->folded) more = crl_problem_bound_transmissions(problem) / HOPS_A_SECOND;
    if (!tight && more > MORE_MAX) more = MORE_MAX;
    c->steps = (problem->effort ? problem->effort : 1 + more) * CRL_CORE_STEPS_A_SECOND;
    uint64_t end = c->steps / 16;
    if (!error) error = search(&s, bound, bound + 2 * round);
    for (uint32_t wider = 1; error == CRL_ERR_UNSUPPORTED && !tight && c->steps > end; wider *= 2) {
        s.round += wider;
        error = search(&s, bound, bound + 2 * s.round);
    }
    if (!error) {
        crl_core_take(&s.best, c);
        error = crl_core_write(c, schedule, first_slot(c));
    }
    crl_pool_done(&s.best.pool);
    crl_core_done(c);
    if (error == CRL_ERR_UNSUPPORTED)
        return crl_fail(diag, error, "no plan was found in time; that does not mean there is none");
    return error ? crl_fail_memory(diag) : 0;
}

static int plan_streamed(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    uint64_t round, bound;
    int error = crl_problem_bound_round(&round, problem, problem->words_a_slot);
    uint64_t slots = crl_problem_bound_slots(problem); // fewer do for links only where others' rounds are under way
    if (round < slots) round = slots;
    if (!error) error = crl_problem_bound_ends(&bound, problem, problem->words_a_slot, round);
    if (error) return crl_fail_memory(diag);
    return plan(schedule, problem, (uint32_t)bound, (uint32_t)round, false, diag);
}

static int plan_one_bank(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct crl_problem words = *problem;
    words.words_a_slot = 1;
    return plan(schedule, &words, (uint32_t)crl_problem_bound_one_bank(problem), UINT32_MAX / 4, true, diag);
}

// Where nodes do not all do the same there are as many packets as pairs.
static bool is_quick(const struct crl_problem *problem)
{
    return crl_topology_nodes(problem->topology) <= (crl_problem_is_symmetric(problem) ? 128 : 64);
}

static uint64_t claim_one_bank(const struct crl_problem *problem)
{
    return crl_topology_is_symmetric(problem->topology) ? crl_problem_bound_one_bank(problem) : UINT64_MAX;
}

const struct crl_algorithm crl_rows_streamed_exchange[] = {
    {"total-exchange", "one-bank", "product without graphs, to 1024 nodes, with paths to 64",
     "max(all-port bound, N-2+ceil(mean distance)); arrays a few more", NULL,
     "a node starts one packet and takes one in a slot, and none waits", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_ONE_BANK, .applies = applies_one_bank, .plan = plan_one_bank, .symmetric = crl_is_any,
     .cost = {.nodes_max = 1024, .row_ns = 600000, .search_s = 1}, .claim = claim_one_bank},
    {"total-exchange partial-exchange partial-gather", "streamed", "any to 512 nodes, with fewer streams than ports",
     NULL, NULL, "as negotiated, also for words in and out: the fewest slots from end to end",
     .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_EFFORT,
     .applies = applies_streamed, .plan = plan_streamed, .symmetric = crl_is_any,
     .cost = {.nodes_max = 512, .row_ns = 1000, .search_s = 1, .pair_bytes = 200}, .quick = is_quick},
    {0}};
