// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on the hypercube in the ⌈(2^d−1)/d⌉ slots of Bertsekas et al. 1991, Section 2, in which no packet
// ever waits on its way: what a node receives in slot s it sends on in slot s+1 or never. The tree need not be one of
// shortest paths.
//
// A SAT solver finds it. A rotation class of d strings can be reached in one slot, over d distinct dimensions, from a
// class reached in the slot before: if x with bit p flipped is y, so it is when all three are rotated. Of large cubes
// the first slots reach a class each, so that one string stands for d; the slots that follow take what is left.
#include "algorithm/algorithm.h"
#include "algorithm/classes.h"
#include "base/pool.h"
#include "base/sat.h"
#include <string.h>

enum { DIMENSIONS_MAX = 8, ALONE = 6 }; // ALONE: dimensions up to which no slot need reach a class

// A tree of the d-bit strings, the root being 0. reached[t·slots + s]: "t is reached in slot s"; over[(t·d + p)·slots +
// s]: "and over p", from t ^ 1 << p. Slots are from 0 here; the first `alike` reach a class each.
struct tree {
    struct crl_pool pool;
    struct crl_sat *sat;
    uint32_t d, strings, slots, alike;
    uint32_t *smallest, *turn; // [2^d] of the rotations of t, and by how much that is rotated; CRL_NONE: fewer than d
    int *reached, *over, *literals;
};

// Of the first slots variables are those of the smallest string of a class.
static int *reached(const struct tree *w, uint32_t t, uint32_t s)
{
    return &w->reached[(size_t)(s < w->alike && w->turn[t] != CRL_NONE ? w->smallest[t] : t) * w->slots + s];
}

static int *over(const struct tree *w, uint32_t t, uint32_t p, uint32_t s)
{
    if (s < w->alike && w->turn[t] != CRL_NONE) {
        p = (p + w->d - w->turn[t]) % w->d;
        t = w->smallest[t];
    }
    return &w->over[((size_t)t * w->d + p) * w->slots + s];
}

static int tree_new(struct tree *w, const struct crl_problem *problem)
{
    struct crl_classes classes;
    uint32_t d = crl_topology_ports(problem->topology), full = 0;
    *w = (struct tree){.d = d, .strings = UINT32_C(1) << d, .sat = crl_sat_new(problem->context)};
    w->slots = (uint32_t)crl_problem_bound_slots(problem);
    CRL_ZEROED(&w->pool, w->reached, (size_t)w->strings * w->slots);
    CRL_ZEROED(&w->pool, w->over, (size_t)w->strings * d * w->slots);
    CRL_NEW(&w->pool, w->literals, w->strings + (size_t)w->slots * d + 1);
    CRL_NUMBERS(&w->pool, w->strings, &w->smallest, &w->turn);
    if (!w->sat || crl_classes_new(&classes, &w->pool, d) || w->pool.failed) return CRL_ERR_MEMORY;
    memset(w->turn, 0xff, sizeof *w->turn * w->strings);
    for (uint32_t i = 0; i < classes.count; i++) {
        full += classes.size[i] == d;
        for (uint32_t r = 0; r < d && classes.size[i] == d; r++) {
            uint32_t t = crl_rotate(classes.smallest[i], r, d);
            w->smallest[t] = classes.smallest[i];
            w->turn[t] = r;
        }
    }
    w->alike = d > ALONE ? full + 3 - d : 0; // without a few classes the last slots have no solution
    return 0;
}

// ---------------------------------------------------------------- clauses

// Whether a string's variables of a slot are its own.
static bool is_own(const struct tree *w, uint32_t t, uint32_t s) { return s >= w->alike || w->turn[t] == 0; }

// If t is reached in slot s, then over one dimension, from 0 or from a string reached in the slot before.
static void add_parents(struct tree *w, uint32_t t, uint32_t s)
{
    int here = *reached(w, t, s);
    size_t n = 0;
    for (uint32_t p = 0; p < w->d; p++) {
        uint32_t parent = t ^ UINT32_C(1) << p;
        int before = s && parent ? *reached(w, parent, s - 1) : 0;
        if (parent && !before) continue;
        int x = *over(w, t, p, s) = crl_sat_variable(w->sat);
        crl_sat_clause2(w->sat, -x, here);
        if (parent) crl_sat_clause2(w->sat, -x, before);
        w->literals[n++] = x;
    }
    crl_sat_at_most_one(w->sat, w->literals, n);
    w->literals[n++] = -here;
    crl_sat_clause(w->sat, w->literals, n);
}

// Dimensions of a slot are distinct. Where at most one link stays idle, saying so helps the solver.
static void add_links(struct tree *w)
{
    bool full = w->slots * w->d <= w->strings;
    int *idle = w->literals + w->strings;
    for (uint32_t s = 0; s < w->slots; s++)
        for (uint32_t p = 0; p < (s < w->alike ? 1 : w->d); p++) {
            size_t n = 0;
            for (uint32_t t = 1; t < w->strings; t++)
                if (*over(w, t, p, s)) w->literals[n++] = *over(w, t, p, s);
            crl_sat_at_most_one(w->sat, w->literals, n);
            if (s >= w->alike) w->literals[n++] = *idle++ = crl_sat_variable(w->sat);
            if (full || s < w->alike) crl_sat_clause(w->sat, w->literals, n);
        }
    if (full) crl_sat_at_most_one(w->sat, w->literals + w->strings, (size_t)(idle - w->literals) - w->strings);
}

static void add_clauses(struct tree *w)
{
    for (uint32_t t = 1; t < w->strings; t++)
        for (uint32_t s = 0; s < w->slots; s++)
            if (is_own(w, t, s)) *reached(w, t, s) = crl_sat_variable(w->sat);
    for (uint32_t t = 1; t < w->strings; t++) {
        size_t n = 0;
        for (uint32_t s = 0; s < w->slots; s++)
            if (*reached(w, t, s)) w->literals[n++] = *reached(w, t, s);
        crl_sat_exactly_one(w->sat, w->literals, n);
        for (uint32_t s = 0; s < w->slots; s++)
            if (is_own(w, t, s)) add_parents(w, t, s);
    }
    add_links(w);
}

// ---------------------------------------------------------------- planning

// What node 0's packet does from t ^ bit to t, that of node t ^ bit does from 0 to bit.
static void write(const struct tree *w, struct crl_schedule *schedule)
{
    for (uint32_t t = 1; t < w->strings; t++)
        for (uint32_t p = 0; p < w->d; p++)
            for (uint32_t s = 0; s < w->slots; s++) {
                uint32_t bit = UINT32_C(1) << p;
                if (!*over(w, t, p, s) || !crl_sat_value(w->sat, *over(w, t, p, s))) continue;
                crl_schedule_add(schedule, (struct crl_move){.slot = s + 1, .dst = bit, .origin = t ^ bit});
            }
}

static int plan_nowait(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct tree w;
    int error = tree_new(&w, problem);
    if (!error) {
        add_clauses(&w);
        if (crl_sat_solve(w.sat, 0) != CRL_SAT_YES) error = CRL_ERR_INTERRUPTED;
    }
    if (!error) write(&w, schedule);
    crl_sat_free(w.sat);
    crl_pool_done(&w.pool);
    return error == CRL_ERR_MEMORY ? crl_fail_memory(diag) : error;
}

static bool applies_nowait(const struct crl_problem *problem)
{
    return crl_is_hypercube(problem) && crl_topology_ports(problem->topology) <= DIMENSIONS_MAX;
}

const struct crl_algorithm crl_rows_hypercube_nowait_broadcast[] = {
    {"multinode-broadcast", "nowait", "hypercube", "ceil((2^d-1)/d)", "after B91 Sec. 2",
     "no packet waits on its path; d to 8", .ports = CRL_FOR_ALL_PORTS, .router = CRL_ROUTER_NOWAIT,
     .applies = applies_nowait, .plan = plan_nowait, .symmetric = crl_is_any, .cost = {.search_s = 1},
     .claim = crl_claim_cube},
    {0}};
