// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on the hypercube in the ⌈(2^d−1)/d⌉ slots of Bertsekas et al. 1991, Section 2, in which no packet
// ever waits on its way: what a node receives in slot s it sends on in slot s+1 or never. The tree need not be one of
// shortest paths.
//
// A rotation class of d strings can be reached in one slot, over d distinct dimensions, from a class reached in the
// slot before: if x with bit p flipped is y, so it is when all three are rotated. So for the first slots the tree is a
// path in the graph of classes, from 0…01 on. The SAT solver schedules the strings that it leaves out in the slots that
// follow.
#include "algorithm/algorithm.h"
#include "algorithm/classes.h"
#include "base/pool.h"
#include "base/context.h"
#include "base/random.h"
#include "base/sat.h"
#include <string.h>

enum {
    FIRST = 200,
    SEEDS = 1000,
    CONFLICTS = 3000,
    STEPS = 1500, // of a walk: it is found soon or not at all
    ALONE = 6     // dimensions for which the solver is enough
};

// A tree of the d-bit strings, the root being 0: string t is reached in slot[t] over dimension port[t], from t ^ 1 <<
// port[t].
struct tree {
    uint32_t d, slots; // slots in all
    uint32_t *slot;    // [2^d] zeroed before the search
    uint8_t *port;     // [2^d]
    const struct crl_context *context;
};

// The graph of the classes of d members, and a path in it.
struct graph {
    struct crl_pool pool;
    struct crl_classes classes;
    uint32_t d, strings;
    uint64_t random;
    uint32_t *class_of; // [2^d] CRL_NONE if the string has none
    struct crl_walk walk;
};

static int graph_init(struct graph *g, uint32_t d, uint64_t seed)
{
    *g = (struct graph){.d = d, .strings = UINT32_C(1) << d, .random = FIRST + seed};
    int error = crl_classes_new(&g->classes, &g->pool, d);
    uint32_t count = g->classes.count;
    CRL_NEW(&g->pool, g->class_of, g->strings);
    CRL_ZEROED(&g->pool, g->walk.taken, count + 1);
    CRL_ZEROED(&g->pool, g->walk.path, count + 1);
    if (error || g->pool.failed) return CRL_ERR_MEMORY;
    memset(g->class_of, 0xff, sizeof *g->class_of * g->strings);
    for (uint32_t i = 0; i < count; i++) {
        g->walk.taken[i] = g->classes.size[i] < d;
        for (uint32_t r = 0; r < d && !g->walk.taken[i]; r++) g->class_of[crl_rotate(g->classes.smallest[i], r, d)] = i;
    }
    return 0;
}

// The class across dimension p from class i, or CRL_NONE.
static uint32_t next_to(const void *graph, uint32_t i, uint32_t p)
{
    const struct graph *g = graph;
    return g->class_of[g->classes.smallest[i] ^ UINT32_C(1) << p];
}

// ---------------------------------------------------------------- paths

// Leaves out a chain of classes of ascending weight, from 2 to d−1: with them the solver can lead the strings of every
// weight that belong to no class of d to their places. Returns the first of the chain.
static uint32_t leave_out(struct graph *g)
{
    uint32_t first = CRL_NONE, i = g->class_of[1], next;
    for (uint32_t weight = 2; weight < g->d; weight++, i = next) {
        do next = next_to(g, i, crl_draw(&g->random, g->d));
        while (next == CRL_NONE || (uint32_t)__builtin_popcount(g->classes.smallest[next]) != weight);
        g->walk.taken[next] = true;
        if (weight == 2) first = next;
    }
    return first;
}

// Reaches the classes of the path, one a slot.
static void reach_path(const struct graph *g, struct tree *tree)
{
    uint32_t parent = 0;
    for (uint32_t n = 0; n < g->walk.length; n++) {
        uint32_t smallest = g->classes.smallest[g->walk.path[n]], port = 0;
        while (parent ? g->class_of[smallest ^ UINT32_C(1) << port] != parent - 1 : smallest != UINT32_C(1) << port)
            port++;
        for (uint32_t r = 0; r < g->d; r++) {
            uint32_t t = crl_rotate(smallest, r, g->d);
            tree->slot[t] = n + 1;
            tree->port[t] = (uint8_t)((port + r) % g->d);
        }
        parent = g->walk.path[n] + 1;
    }
}

// ---------------------------------------------------------------- the SAT solver's part

// Strings not reached by slot `before` are free; they get the slots after it. reached[t·slots + s] "t is reached in
// slot s", over[(t·d + p)·slots + s] "and over p", slots counted from the first free one.
struct window {
    struct crl_pool pool;
    struct crl_sat *sat;
    struct tree *tree;
    uint32_t before, slots;
    int *reached, *over, *literals;
};

static int *over(struct window *w, uint32_t t, uint32_t p, uint32_t s)
{
    return &w->over[((size_t)t * w->tree->d + p) * w->slots + s];
}

static int window_init(struct window *w, struct tree *tree, uint32_t before)
{
    size_t strings = (size_t)1 << tree->d;
    *w = (struct window){
        .tree = tree, .before = before, .slots = tree->slots - before, .sat = crl_sat_new(tree->context)};
    CRL_ZEROED(&w->pool, w->reached, strings * w->slots);
    CRL_ZEROED(&w->pool, w->over, strings * tree->d * w->slots);
    CRL_NEW(&w->pool, w->literals, strings + w->slots);
    return w->sat && !w->pool.failed ? 0 : CRL_ERR_MEMORY;
}

// If t is reached in slot s, then over one dimension, from 0 or from a string reached in the slot before.
static void add_parents(struct window *w, uint32_t t, uint32_t s)
{
    int here = w->reached[(size_t)t * w->slots + s];
    size_t n = 0;
    for (uint32_t p = 0; p < w->tree->d; p++) {
        uint32_t parent = t ^ UINT32_C(1) << p;
        bool fixed = parent == 0 || (s == 0 && w->tree->slot[parent] == w->before && w->before);
        int before = s && parent && !w->tree->slot[parent] ? w->reached[(size_t)parent * w->slots + s - 1] : 0;
        if (!fixed && !before) continue;
        int x = *over(w, t, p, s) = crl_sat_variable(w->sat);
        crl_sat_clause2(w->sat, -x, here);
        if (!fixed) crl_sat_clause2(w->sat, -x, before);
        w->literals[n++] = x;
    }
    crl_sat_at_most_one(w->sat, w->literals, n);
    w->literals[n++] = -here;
    crl_sat_clause(w->sat, w->literals, n);
}

// Dimensions of a slot are distinct.
static void add_links(struct window *w)
{
    for (uint32_t s = 0; s < w->slots; s++)
        for (uint32_t p = 0; p < w->tree->d; p++) {
            size_t n = 0;
            for (uint32_t t = 1; t < UINT32_C(1) << w->tree->d; t++)
                if (*over(w, t, p, s)) w->literals[n++] = *over(w, t, p, s);
            crl_sat_at_most_one(w->sat, w->literals, n);
        }
}

static void add_clauses(struct window *w)
{
    uint32_t strings = UINT32_C(1) << w->tree->d;
    for (uint32_t t = 1; t < strings; t++) {
        if (w->tree->slot[t]) continue;
        int *reached = &w->reached[(size_t)t * w->slots];
        for (uint32_t s = 0; s < w->slots; s++) reached[s] = crl_sat_variable(w->sat);
        crl_sat_exactly_one(w->sat, reached, w->slots);
    }
    for (uint32_t t = 1; t < strings; t++)
        for (uint32_t s = 0; s < w->slots && !w->tree->slot[t]; s++) add_parents(w, t, s);
    add_links(w);
}

static int fill_window(struct tree *tree, uint32_t before, int conflicts)
{
    struct window w;
    int error = window_init(&w, tree, before);
    if (!error) {
        add_clauses(&w);
        if (crl_sat_solve(w.sat, conflicts) != CRL_SAT_YES) error = CRL_ERR_UNSUPPORTED;
    }
    for (uint32_t t = 1; t < UINT32_C(1) << tree->d && !error; t++)
        for (uint32_t p = 0; p < tree->d; p++)
            for (uint32_t s = 0; s < w.slots; s++)
                if (*over(&w, t, p, s) && crl_sat_value(w.sat, *over(&w, t, p, s))) {
                    tree->slot[t] = before + s + 1;
                    tree->port[t] = (uint8_t)p;
                }
    crl_sat_free(w.sat);
    crl_pool_done(&w.pool);
    return error;
}

// ---------------------------------------------------------------- planning

// A path for the first slots, the solver for the rest. What is left out is drawn by lot. Each step of the path changes
// the weight by one, so it goes to all that are open with an even weight, and to one more with an odd one.
static int follow_path(struct graph *g, struct tree *tree)
{
    struct crl_walk *w = &g->walk;
    w->graph = g;
    w->next = next_to;
    w->random = &g->random;
    w->ports = g->d;
    w->steps = STEPS;
    w->path[0] = g->class_of[1];
    w->beside = leave_out(g);
    for (uint32_t i = w->length = 1; i < g->classes.count; i++)
        if (!w->taken[i] && __builtin_popcount(g->classes.smallest[i]) % 2 == 0) w->length += 2;
    if (!crl_walk_find(w)) return CRL_ERR_UNSUPPORTED;
    memset(tree->slot, 0, sizeof *tree->slot << tree->d);
    reach_path(g, tree);
    return fill_window(tree, w->length, CONFLICTS);
}

static int search(struct tree *tree)
{
    int error = CRL_ERR_UNSUPPORTED;
    if (tree->d <= ALONE) return fill_window(tree, 0, 0);
    for (uint64_t seed = 1; seed <= SEEDS && error == CRL_ERR_UNSUPPORTED && !crl_context_cancelled(tree->context);
         seed++) {
        struct graph g;
        error = graph_init(&g, tree->d, seed);
        if (!error) error = follow_path(&g, tree);
        crl_pool_done(&g.pool);
    }
    return error;
}

static int plan_nowait(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    uint32_t d = crl_topology_ports(problem->topology);
    struct tree tree = {.d = d, .slots = (uint32_t)crl_problem_bound_slots(problem), .context = problem->context};
    struct crl_pool pool = {0};
    CRL_ZEROED(&pool, tree.slot, (size_t)1 << d);
    CRL_ZEROED(&pool, tree.port, (size_t)1 << d);
    int error = pool.failed ? CRL_ERR_MEMORY : search(&tree);
    for (uint32_t t = 1; !error && t < UINT32_C(1) << d; t++) {
        // Node 0's packet goes from t ^ bit to t, so that of node t ^ bit from 0 to bit.
        uint32_t bit = UINT32_C(1) << tree.port[t];
        crl_schedule_add(schedule, (struct crl_move){.slot = tree.slot[t], .dst = bit, .origin = t ^ bit});
    }
    crl_pool_done(&pool);
    if (error == CRL_ERR_UNSUPPORTED)
        return crl_fail(diag, error,
                        "no schedule without waiting was found for %s on %s; that does not mean there is none",
                        crl_problem_title(problem), crl_topology_name(problem->topology));
    return error ? crl_fail_memory(diag) : 0;
}

static bool applies_nowait(const struct crl_problem *problem)
{
    uint32_t d = crl_topology_ports(problem->topology);
    return crl_is_hypercube(problem) && (d <= 8 || d == 11 || d == 13);
}

const struct crl_algorithm crl_rows_hypercube_nowait_broadcast[] = {
    {"multinode-broadcast", "nowait", "hypercube", "ceil((2^d-1)/d)", "after B91 Sec. 2",
     "no packet waits on its path; d to 8, 11, or 13", .ports = CRL_FOR_ALL_PORTS, .router = CRL_ROUTER_NOWAIT,
     .applies = applies_nowait, .plan = plan_nowait, .symmetric = crl_is_any, .cost = {.search_s = 1},
     .claim = crl_claim_cube},
    {0}};
