// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on the hypercube in the ⌈(2^d−1)/d⌉ slots of Bertsekas et al. 1991, Section 2, in which no packet
// ever waits on its way: what a node receives in slot s it sends on in slot s+1 or never. The tree need not be one of
// shortest paths.
//
// So what is reached in a slot, over distinct dimensions, hangs on what was reached in the slot before, or on the root.
// Depth first, slot by slot, strings with few ways on first, as in a knight's tour. On small cubes a slot takes a
// matching of dimensions and strings. On large ones of a prime number of dimensions it takes a rotation class, which a
// class of the slot before leads to as a whole: if x with bit p flipped is y, so it is when all three are rotated.
#include "algorithm/algorithm.h"
#include "algorithm/classes.h"
#include "base/context.h"
#include "base/matching.h"
#include "base/pool.h"
#include "base/random.h"

enum {
    SEEDS = 1000,
    STEPS = 20000, // of one: slots that are tried
    TRIES = 2,     // of each slot
    MATCHED = 8,   // dimensions to which slots are matchings
    WORTH = 100    // of a string more in a slot
};

// A tree of the d-bit strings, the root being 0: string t is reached in slot[t] over dimension port[t], from t ^ 1 <<
// port[t].
struct tree {
    uint32_t d, slots, steps;
    uint32_t *slot; // [2^d] 0: not reached yet
    uint8_t *port;  // [2^d]
    uint64_t random;
    struct crl_matching matching;
};

// The lower, the fewer ways lead on from a string; of equal ones by lot.
static uint32_t rank(struct tree *tree, uint32_t t)
{
    uint32_t ways = 0;
    for (uint32_t p = 0; p < tree->d; p++) ways += !tree->slot[t ^ UINT32_C(1) << p];
    return 4 * ways + crl_draw(&tree->random, 8);
}

// Finds the strings that are reached next over each dimension, or 0, from those reached last and from the root. Where
// the strings of even weight would not fit every other slot, a neighbour of the root waits for the second.
static void match(struct tree *tree, const uint32_t *last, uint32_t slot, uint32_t *next)
{
    struct crl_matching *m = &tree->matching;
    uint32_t strings = UINT32_C(1) << tree->d, ranks[1 << MATCHED];
    m->rows = tree->d - (slot == 1 && strings / 2 - 1 > tree->slots / 2 * tree->d);
    m->columns = strings;
    for (uint32_t t = 0; t < strings; t++) ranks[t] = rank(tree, t);
    for (uint32_t p = 0; p < m->rows; p++) {
        struct crl_matching_row *row = &m->row[p];
        row->count = 0;
        for (uint32_t i = 0; i <= tree->d; i++) {
            uint32_t t = (i < tree->d ? last[i] : 0) ^ UINT32_C(1) << p;
            if (tree->slot[t] || (i < tree->d && !last[i])) continue;
            row->edge[row->count].column = t;
            row->edge[row->count++].worth = WORTH - ranks[t];
        }
    }
    crl_match(m);
    for (uint32_t p = 0; p < tree->d; p++) next[p] = p < m->rows && m->column_of[p] != CRL_NONE ? m->column_of[p] : 0;
}

// The same by turning one string round; 1…1 comes last, alone.
static void turn(struct tree *tree, const uint32_t *last, uint32_t left, uint32_t *next)
{
    uint32_t full = (UINT32_C(1) << tree->d) - 1, best = CRL_NONE, port = 0;
    for (uint32_t p = 0; p < tree->d; p++) {
        uint32_t t = last[0] ^ UINT32_C(1) << p, here = rank(tree, t);
        if (tree->slot[t] || (t == full && left > 1) || here >= best) continue;
        best = here;
        port = p;
    }
    for (uint32_t r = 0; r < tree->d; r++)
        next[(port + r) % tree->d] =
            best == CRL_NONE || (left == 1 && r) ? 0 : crl_rotate(last[0] ^ UINT32_C(1) << port, r, tree->d);
}

static void set_slots(struct tree *tree, const uint32_t *strings, uint32_t slot)
{
    for (uint32_t p = 0; p < tree->d; p++) {
        if (!strings[p]) continue;
        tree->slot[strings[p]] = slot;
        tree->port[strings[p]] = (uint8_t)p;
    }
}

static bool extend(struct tree *tree, const uint32_t *last, uint32_t slot, uint32_t left)
{
    for (uint32_t tries = 0; tries < TRIES && tree->steps; tries++) {
        uint32_t next[CRL_PORTS_MAX], count = 0;
        tree->steps--;
        if (tree->d <= MATCHED) match(tree, last, slot, next);
        else turn(tree, last, left, next);
        for (uint32_t p = 0; p < tree->d; p++) count += next[p] > 0;
        if (left > count + (tree->slots - slot) * tree->d) continue;
        set_slots(tree, next, slot);
        if (left == count || extend(tree, next, slot + 1, left - count)) return true;
        set_slots(tree, next, 0);
    }
    return false;
}

static bool search(struct tree *tree, const struct crl_context *context)
{
    const uint32_t nothing[CRL_PORTS_MAX] = {0};
    for (uint64_t seed = 0; seed < SEEDS && !crl_context_cancelled(context); seed++) {
        tree->random = seed;
        tree->steps = STEPS;
        if (extend(tree, nothing, 1, (UINT32_C(1) << tree->d) - 1)) return true;
    }
    return false;
}

static int plan_nowait(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    uint32_t d = crl_topology_ports(problem->topology);
    struct tree tree = {.d = d, .slots = (uint32_t)crl_problem_bound_slots(problem)};
    struct crl_pool pool = {0};
    CRL_ZEROED(&pool, tree.slot, (size_t)1 << d);
    CRL_ZEROED(&pool, tree.port, (size_t)1 << d);
    int error = pool.failed ? crl_fail_memory(diag) : 0;
    if (!error) tree.slot[0] = 1; // the root is not to be reached
    if (!error && !search(&tree, problem->context))
        error = crl_fail(diag, CRL_ERR_UNSUPPORTED,
                         "no schedule without waiting was found for %s on %s; that does not mean there is none",
                         crl_problem_title(problem), crl_topology_name(problem->topology));
    for (uint32_t t = 1; !error && t < UINT32_C(1) << d; t++) {
        // Node 0's packet goes from t ^ bit to t, so that of node t ^ bit from 0 to bit.
        uint32_t bit = UINT32_C(1) << tree.port[t];
        crl_schedule_add(schedule, (struct crl_move){.slot = tree.slot[t], .dst = bit, .origin = t ^ bit});
    }
    crl_pool_done(&pool);
    return error;
}

static bool applies_nowait(const struct crl_problem *problem)
{
    uint32_t d = crl_topology_ports(problem->topology);
    return crl_is_hypercube(problem) && (d <= MATCHED || d == 11 || d == 13);
}

const struct crl_algorithm crl_rows_hypercube_nowait_broadcast[] = {
    {"multinode-broadcast", "nowait", "hypercube", "ceil((2^d-1)/d)", "after B91 Sec. 2",
     "no packet waits on its path; d to 8, 11, or 13", .ports = CRL_FOR_ALL_PORTS, .router = CRL_ROUTER_NOWAIT,
     .applies = applies_nowait, .plan = plan_nowait, .symmetric = crl_is_any, .cost = {.search_s = 1},
     .claim = crl_claim_cube},
    {0}};
