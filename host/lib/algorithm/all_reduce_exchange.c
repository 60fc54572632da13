// SPDX-License-Identifier: Apache-2.0
// All-reduce in less than twice the slots of all-gather, on networks with translations. The values of a chunk come
// together not at one node but at the two ends of a link, which swap their partial sums in one slot and are then both
// complete: that saves the slot in which one of them would wait for the other. From there the sum spreads over a tree
// whose links in each slot have distinct directions, so that its translates never meet, as in Bertsekas et al. 1991,
// Section 2. Read backwards such a tree brings values together. T slots, T odd, h = (T − 1)/2.
//
// On its own, where a ring gives the link two directions: all translates of one pattern swap in slot h + 1, spread in
// the slots after it, and gather, over the same tree backwards, in those before.
//
// In pairs, where links are two-way streets of one direction (hypercubes) or no direction may idle in the middle: two
// patterns, each translated by the vectors of even weight, so that a direction is used once by even and once by odd
// senders in each slot. The tree of pattern 0 spreads from the link {0, e} from slot h + 1, that of pattern 1 from {0,
// f} from slot h + 3. Each pattern gathers over the tree of the other, read backwards, with the dimensions of e and f
// swapped: pattern 0 in slots 1 to h − 1, pattern 1 in slots 1 to h + 1. In slot h + 1 pattern 0 spreads while pattern
// 1 gathers over the same links backwards, so of each such pair of directions it uses one.
//
// In threes, on tori all of whose sides are multiples of three: the pair, of which nothing is swapped, and a pattern 2
// on its own, each translated by the vectors whose digits add up to a multiple of three.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>

enum { SEEDS = 64, TREES = 3, CELLS_MAX = TREES * CRL_PORTS_MAX };

struct tree {
    uint32_t other, swap; // the end of the link from node 0, and the slot in which the two are complete
    uint32_t *slot;       // [nodes] in which the sum reaches it, 0: not yet
    uint32_t *from;       // [nodes] from where
};

struct exchange {
    const struct crl_topology *topology;
    uint32_t nodes, ports, classes, half;    // classes of senders: as many as patterns; half: h
    const struct crl_factor *first, *second; // the dimension of e; in pairs also that of f
    struct tree tree[TREES];                 // [classes]
    uint64_t random;
    // A slot: which node of which tree each cell (port · classes + class of the sender) reaches, node + tree · nodes.
    uint32_t reaches[CELLS_MAX];
    uint32_t *taken; // [nodes · classes] the cell that reaches it in this slot
    uint32_t *tried; // [nodes · classes] last cell that tried it, counted over all slots
    uint32_t tries;
    uint32_t *before; // [node · ports + port] who sends through the port to the node
    uint8_t *class;   // [nodes]
};

static uint32_t class_of(const struct exchange *x, uint32_t node)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < x->topology->factor_count; i++)
        sum += node / x->topology->factor[i].stride % x->topology->factor[i].size;
    return sum % x->classes;
}

// The node with the digits of the two dimensions swapped.
static uint32_t swapped(const struct exchange *x, uint32_t node)
{
    if (x->classes != 2) return node;
    uint32_t a = node / x->first->stride % x->first->size, b = node / x->second->stride % x->second->size;
    return node + (b - a) * x->first->stride + (a - b) * x->second->stride;
}

static uint32_t cell_of(const struct exchange *x, uint32_t from, uint32_t to)
{
    return crl_topology_port_to(x->topology, from, to) * x->classes + x->class[from];
}

// ---------------------------------------------------------------- growing the trees

static bool can_reach(const struct exchange *x, uint32_t cell, uint32_t place, uint32_t slot)
{
    const struct tree *tree = &x->tree[place / x->nodes];
    uint32_t node = place % x->nodes, from = x->before[(size_t)node * x->ports + cell / x->classes];
    if (tree->swap >= slot || tree->slot[node]) return false;
    return tree->slot[from] && tree->slot[from] < slot && x->class[from] == cell % x->classes;
}

// Finds something for a cell to reach, from a random place on, moving other cells where it must.
static bool match(struct exchange *x, uint32_t cell, uint32_t slot, uint32_t round)
{
    uint32_t places = x->nodes * x->classes, first = (uint32_t)(crl_random(&x->random) % places);
    for (uint32_t k = 0; k < places; k++) {
        uint32_t place = first + k < places ? first + k : first + k - places;
        if (x->tried[place] == round || !can_reach(x, cell, place, slot)) continue;
        x->tried[place] = round;
        if (x->taken[place] != CRL_NONE && !match(x, x->taken[place], slot, round)) continue;
        x->taken[place] = cell;
        x->reaches[cell] = place;
        return true;
    }
    return false;
}

static void settle(struct exchange *x, uint32_t cell, uint32_t slot)
{
    uint32_t place = x->reaches[cell], node = place % x->nodes;
    struct tree *tree = &x->tree[place / x->nodes];
    tree->slot[node] = slot;
    tree->from[node] = x->before[(size_t)node * x->ports + cell / x->classes];
    x->taken[place] = CRL_NONE;
}

static void grow(struct exchange *x, uint32_t slot)
{
    uint32_t cells = x->ports * x->classes, order[CELLS_MAX];
    const struct tree *late = &x->tree[x->classes > 1]; // the last to swap
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t k = (uint32_t)(crl_random(&x->random) % (i + 1));
        order[i] = order[k];
        order[k] = i;
        x->reaches[i] = CRL_NONE;
    }
    for (uint32_t i = 0; i < cells; i++) {
        // In that slot the ends of the second link swap.
        bool barred =
            late->swap == slot && (order[i] == cell_of(x, 0, late->other) || order[i] == cell_of(x, late->other, 0));
        if (!barred) match(x, order[i], slot, ++x->tries);
    }
    for (uint32_t i = 0; i < cells; i++)
        if (x->reaches[i] != CRL_NONE) settle(x, i, slot);
}

// In slot h + 1 the tree of pattern 0 leaves from node 0 and e over links that it does not use backwards.
static void grow_middle(struct exchange *x)
{
    struct tree *tree = &x->tree[0];
    uint32_t ends[] = {0, tree->other}, slot = x->half + 1;
    bool used[CELLS_MAX] = {false};
    for (uint32_t k = 0, first = (uint32_t)(crl_random(&x->random) % 2); k < 2 * x->ports; k++) {
        uint32_t end = ends[(first + k) % 2], to = crl_topology_neighbor(x->topology, end, k / 2);
        if (tree->slot[to]) continue;
        uint32_t there = cell_of(x, end, to), back = cell_of(x, swapped(x, to), swapped(x, end));
        if (there == back || used[back]) continue;
        used[there] = true;
        tree->slot[to] = slot;
        tree->from[to] = end;
        first = (uint32_t)(crl_random(&x->random) % 2);
    }
}

static bool complete(const struct exchange *x)
{
    for (uint32_t k = 0; k < x->classes; k++)
        for (uint32_t v = 0; v < x->nodes; v++)
            if (!x->tree[k].slot[v]) return false;
    return true;
}

// The next dimension after `last` (NULL: from the first) whose links have two directions, round and round, or NULL.
static const struct crl_factor *next_ring(const struct crl_topology *t, const struct crl_factor *last)
{
    uint32_t at = last ? (uint32_t)(last - t->factor) + 1 : 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[(at + i) % t->factor_count];
        if (f->shape == CRL_RING && f->size > 2) return f;
    }
    return NULL;
}

static bool search(struct exchange *x)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        x->random = seed;
        if (x->classes == 1) {
            x->first = next_ring(x->topology, x->first);
            x->tree[0].other = x->first->stride;
        }
        for (uint32_t k = 0; k < x->classes; k++) {
            struct tree *tree = &x->tree[k];
            for (uint32_t v = 0; v < x->nodes; v++) tree->slot[v] = 0;
            tree->slot[0] = tree->slot[tree->other] = tree->swap;
        }
        if (x->classes > 1) grow_middle(x);
        for (uint32_t slot = x->half + 2; slot <= 2 * x->half + 1; slot++) grow(x, slot);
        if (complete(x)) return true;
    }
    return false;
}

// ---------------------------------------------------------------- the schedule

// Adds the translate by `by` of a move of pattern `k` for chunk `chunk`. Folded, only what node 0 sends.
static int add(struct crl_schedule *schedule, const struct exchange *x, uint32_t slot, uint32_t from, uint32_t to,
               uint32_t by, uint32_t chunk)
{
    const struct crl_topology *t = x->topology;
    if (schedule->folded)
        return crl_schedule_add(schedule, (struct crl_move){slot, 0, crl_topology_unshift(t, to, from),
                                                            crl_topology_unshift(t, 0, from), 0});
    return crl_schedule_add(
        schedule, (struct crl_move){slot, crl_topology_shift(t, from, by), crl_topology_shift(t, to, by), chunk, 0});
}

static int add_pattern(struct crl_schedule *schedule, const struct exchange *x, uint32_t k, uint32_t by, uint32_t chunk)
{
    bool paired = x->classes > 1 && k < 2;
    const struct tree *out = &x->tree[k], *in = &x->tree[paired ? 1 - k : k];
    uint32_t last = 2 * x->half + 1;
    int error = add(schedule, x, out->swap, 0, out->other, by, chunk);
    if (!error) error = add(schedule, x, out->swap, out->other, 0, by, chunk);
    for (uint32_t v = 1; v < x->nodes && !error; v++) {
        if (v != out->other) error = add(schedule, x, out->slot[v], out->from[v], v, by, chunk);
        if (!error && v != in->other)
            error = add(schedule, x, last + 1 - in->slot[v], swapped(x, v), swapped(x, in->from[v]), by, chunk);
    }
    return error;
}

static int add_translates(struct crl_schedule *schedule, const struct exchange *x)
{
    int error = 0;
    for (uint32_t by = 0; by < x->nodes && !error && !(schedule->folded && by); by++) {
        if (x->class[by]) continue;
        for (uint32_t k = 0; k < x->classes && !error; k++)
            error = add_pattern(schedule, x, k, by, crl_topology_shift(x->topology, k * x->tree[0].other, by));
    }
    return error;
}

// ---------------------------------------------------------------- where

// Two dimensions of one kind, where translations by one step change the parity of the digits' sum in all.
static bool find_pair(struct exchange *x)
{
    const struct crl_topology *t = x->topology;
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].size % 2 || (t->factor[i].size > 2 && t->factor[i].shape != CRL_RING)) return false;
    for (uint32_t i = 0; i < t->factor_count; i++)
        for (uint32_t k = i + 1; k < t->factor_count; k++)
            if (t->factor[i].size == t->factor[k].size) {
                x->first = &t->factor[i];
                x->second = &t->factor[k];
                return true;
            }
    return false;
}

static bool in_threes(const struct crl_topology *t)
{
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].size % 3 || t->factor[i].shape == CRL_PATH) return false;
    return t->factor_count > 0;
}

// Chooses one of the three ways, if it can take no more slots than the load of the links asks for.
static bool choose(struct exchange *x, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    *x = (struct exchange){.topology = t, .nodes = crl_topology_nodes(t), .ports = crl_topology_ports(t)};
    if (!crl_topology_is_symmetric(t) || problem->chunks != x->nodes || x->nodes < 3) return false;
    uint64_t slots = crl_ceil_div(2 * (x->nodes - UINT64_C(1)), x->ports);
    x->half = (uint32_t)(slots / 2);
    if (slots % 2 == 0) return false;
    if (next_ring(t, NULL) && (uint64_t)x->half * x->ports >= x->nodes - 2) {
        x->classes = 1;
        x->tree[0] = (struct tree){.swap = x->half + 1}; // of any of the rings
        return true;
    }
    if (x->half < 3) return false;
    if (find_pair(x)) {
        x->classes = 2;
    } else if (in_threes(t)) {
        x->classes = 3;
        x->first = x->second = t->factor;
    } else {
        return false;
    }
    x->tree[0] = (struct tree){.other = x->first->stride, .swap = x->half};
    x->tree[1] = (struct tree){.other = x->second->stride, .swap = x->half + 2};
    x->tree[2] = (struct tree){.other = x->first->stride, .swap = x->half + 1};
    return true;
}

static bool applies_all_reduce_exchange(const struct crl_problem *problem)
{
    struct exchange x;
    return problem->topology->ports <= CRL_PORTS_MAX && choose(&x, problem);
}

static bool folds(const struct crl_problem *problem)
{
    struct exchange x;
    return choose(&x, problem) && x.classes == 1;
}

static int prepare(struct exchange *x)
{
    size_t places = (size_t)x->nodes * x->classes;
    x->taken = malloc(sizeof *x->taken * places);
    x->tried = calloc(places, sizeof *x->tried);
    x->before = malloc(sizeof *x->before * x->nodes * x->ports);
    x->class = malloc(x->nodes);
    bool good = x->taken && x->tried && x->before && x->class;
    for (uint32_t k = 0; k < x->classes; k++) {
        x->tree[k].slot = malloc(sizeof(uint32_t) * x->nodes);
        x->tree[k].from = malloc(sizeof(uint32_t) * x->nodes);
        good = good && x->tree[k].slot && x->tree[k].from;
    }
    for (size_t i = 0; good && i < places; i++) x->taken[i] = CRL_NONE;
    for (uint32_t v = 0; good && v < x->nodes; v++) {
        x->class[v] = (uint8_t)class_of(x, v);
        for (uint32_t p = 0; p < x->ports; p++)
            x->before[(size_t)v * x->ports + p] = crl_topology_behind(x->topology, v, p);
    }
    return good ? 0 : CRL_ERR_MEMORY;
}

static int plan_all_reduce_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                    struct crl_diag *diag)
{
    struct exchange x;
    choose(&x, problem);
    schedule->folded &= x.classes == 1;
    int error = prepare(&x);
    bool found = !error && search(&x);
    if (found) error = add_translates(schedule, &x);
    for (uint32_t k = 0; k < TREES; k++) {
        free(x.tree[k].slot);
        free(x.tree[k].from);
    }
    free(x.taken);
    free(x.tried);
    free(x.before);
    free(x.class);
    if (error) return crl_fail_memory(diag);
    if (found) return 0;
    schedule->folded = crl_problem_is_symmetric(problem);
    schedule->scheme = "twice";
    return crl_plan_all_reduce_twice(schedule, problem, diag);
}

const struct crl_algorithm crl_rows_all_reduce_exchange[] = {
    {"all-reduce", "exchange", "hypercube, torus, where N-1 and the degree allow", "ceil(2(N-1)/degree) where tried",
     "after B91 Sec. 2", "partial sums meet at both ends of a link, which swap them; else as twice",
     .ports = CRL_FOR_ALL_PORTS, .applies = applies_all_reduce_exchange, .plan = plan_all_reduce_exchange,
     .symmetric = folds, .cost = {.search_s = 5}},
    {0}};
