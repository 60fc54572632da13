// SPDX-License-Identifier: Apache-2.0
// Scatter where links take longer than a slot: over a tree of quickest ways.
//
// Each branch of the tree takes one packet a slot, the longest way first, and nobody else waits. The packets of a
// branch that take longer than x must have left by slot T − x, for each x; branches that have too many of them for a T
// give subtrees to others. Single-port the root sends one packet a slot, over any such tree.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

bool crl_applies_latency(const struct crl_problem *problem) { return crl_topology_latency_max(problem->topology) > 1; }

struct tree {
    const struct crl_topology *topology;
    uint32_t nodes, ports, root;
    uint32_t *delay;  // between the node and the root
    uint32_t *parent; // of the root: itself
    uint32_t *branch; // port of the root, as the node's way begins with it
    uint32_t *level;  // rank of its delay among all that there are
    uint32_t *order;  // nodes by delay, the root first
    uint32_t levels, *delay_of;
    uint32_t *count; // [ports][levels] nodes of a branch
    uint8_t *moved;  // [nodes] scratch
    uint64_t random;
};

static void tree_done(struct tree *t)
{
    free(t->delay);
    free(t->count);
    free(t->moved);
}

static uint64_t key_delay(const void *delay, uint32_t node) { return ((const uint32_t *)delay)[node]; }

static int tree_init(struct tree *t, const struct crl_problem *problem)
{
    const struct crl_topology *topology = problem->topology;
    uint32_t n = crl_topology_nodes(topology), most = 0;
    *t = (struct tree){.topology = topology, .nodes = n, .root = problem->root, .random = 1};
    t->ports = crl_topology_ports(topology);
    t->delay = malloc(sizeof *t->delay * 6 * n);
    t->moved = malloc(n);
    if (!t->delay || !t->moved) return CRL_ERR_MEMORY;
    t->parent = t->delay + n;
    t->branch = t->parent + n;
    t->level = t->branch + n;
    t->order = t->level + n;
    t->delay_of = t->order + n;
    for (uint32_t v = 0; v < n; v++) {
        t->delay[v] = crl_topology_delay(topology, t->root, v);
        if (t->delay[v] > most) most = t->delay[v];
        t->order[v] = v;
    }
    int error = crl_sort_order(t->order, n, key_delay, t->delay, most);
    for (uint32_t i = 0; i < n && !error; i++) {
        uint32_t v = t->order[i];
        if (!i || t->delay[v] != t->delay_of[t->levels - 1]) t->delay_of[t->levels++] = t->delay[v];
        t->level[v] = t->levels - 1;
    }
    t->count = malloc(sizeof *t->count * t->ports * (t->levels + UINT64_C(1)));
    return error || !t->count ? CRL_ERR_MEMORY : 0;
}

// The node next to v on a quickest way from the root over port `port`, or CRL_NONE.
static uint32_t parent_at(const struct tree *t, uint32_t v, uint32_t port)
{
    uint32_t u = crl_topology_behind(t->topology, v, port);
    if (u == CRL_NONE) return CRL_NONE;
    return t->delay[u] + crl_topology_latency(t->topology, u, port) == t->delay[v] ? u : CRL_NONE;
}

static uint32_t draw(struct tree *t, uint32_t below) { return (uint32_t)(crl_random(&t->random) % below); }

// ---------------------------------------------------------------- branches

// Packets of a branch that leave too late for end T.
static uint64_t excess(const struct tree *t, uint32_t branch, uint64_t T)
{
    const uint32_t *count = t->count + (size_t)branch * t->levels;
    uint64_t beyond = 0, sum = 0;
    for (uint32_t k = t->levels; k-- > 1;) {
        beyond += count[k];
        uint64_t x = t->delay_of[k] - UINT64_C(1), room = T > x ? T - x : 0;
        if (count[k] && beyond > room) sum += beyond - room;
    }
    return sum;
}

static uint64_t excess_of_all(const struct tree *t, uint64_t T)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < t->ports; p++) sum += excess(t, p, T);
    return sum;
}

// The branch that v would be in under parent u.
static uint32_t branch_under(const struct tree *t, uint32_t u, uint32_t port)
{
    return u == t->root ? port : t->branch[u];
}

// Every node, nearest first, joins the branch that has the fewest nodes so far; lots break ties.
static void grow(struct tree *t)
{
    uint32_t size[CRL_LINKS_MAX] = {0};
    memset(t->count, 0, sizeof *t->count * t->ports * t->levels);
    t->parent[t->root] = t->root;
    for (uint32_t i = 1; i < t->nodes; i++) {
        uint32_t v = t->order[i], best = CRL_NONE, first = draw(t, t->ports);
        for (uint32_t k = 0; k < t->ports; k++) {
            uint32_t port = (first + k) % t->ports, u = parent_at(t, v, port);
            if (u == CRL_NONE || (best != CRL_NONE && size[branch_under(t, u, port)] >= size[t->branch[v]])) continue;
            best = t->parent[v] = u;
            t->branch[v] = branch_under(t, u, port);
        }
        size[t->branch[v]]++;
        t->count[(size_t)t->branch[v] * t->levels + t->level[v]]++;
    }
}

// Puts v and what is below it into another branch.
static void rehang(struct tree *t, uint32_t v, uint32_t parent, uint32_t branch)
{
    uint32_t old = t->branch[v], i = 0;
    memset(t->moved, 0, t->nodes);
    t->parent[v] = parent;
    t->moved[v] = 1;
    while (t->order[i] != v) i++;
    for (; i < t->nodes; i++) {
        uint32_t u = t->order[i];
        if (u != v && !t->moved[t->parent[u]]) continue;
        t->moved[u] = 1;
        t->branch[u] = branch;
        t->count[(size_t)old * t->levels + t->level[u]]--;
        t->count[(size_t)branch * t->levels + t->level[u]]++;
    }
}

// Hangs a subtree drawn by lot elsewhere, unless more packets are then too late.
static void try_move(struct tree *t, uint64_t T)
{
    uint32_t v = t->order[1 + draw(t, t->nodes - 1)], port = draw(t, t->ports), u = parent_at(t, v, port);
    if (u == CRL_NONE || u == t->parent[v]) return;
    uint32_t from = t->branch[v], parent = t->parent[v], to = branch_under(t, u, port);
    if (from == to) {
        t->parent[v] = u;
        return;
    }
    uint64_t before = excess(t, from, T) + excess(t, to, T);
    rehang(t, v, u, to);
    if (excess(t, from, T) + excess(t, to, T) > before) rehang(t, v, parent, from);
}

// The end that the branches as they are come to.
static uint64_t end_of(const struct tree *t, uint64_t T)
{
    while (excess_of_all(t, T)) T++;
    return T;
}

// Leaves the tree that ends first in `t`; returns its end.
static uint64_t balance(struct tree *t, uint64_t bound, uint32_t *best)
{
    enum { SEEDS = 8, MOVES_PER_NODE = 100 };
    static const uint64_t work = UINT64_C(1) << 27;
    uint64_t least = UINT64_MAX, moves = work / SEEDS / t->nodes;
    if (moves > (uint64_t)MOVES_PER_NODE * t->nodes) moves = (uint64_t)MOVES_PER_NODE * t->nodes;
    for (uint64_t T = bound; T < least; T++)
        for (uint32_t seed = 0; seed < (T < bound + 2 ? SEEDS : 1) && T < least; seed++) {
            grow(t);
            for (uint64_t i = 0; i < moves && excess_of_all(t, T); i++) try_move(t, T);
            uint64_t end = end_of(t, T);
            if (end >= least) continue;
            least = end;
            memcpy(best, t->parent, 2 * sizeof *best * t->nodes); // with the branches
        }
    memcpy(t->parent, best, 2 * sizeof *best * t->nodes);
    return least;
}

// ---------------------------------------------------------------- scatter

// The packet of v leaves the root in slot `turn`.
static int add_way(struct crl_schedule *schedule, const struct tree *t, uint32_t v, uint64_t turn)
{
    int error = 0;
    for (uint32_t to = v; to != t->root && !error; to = t->parent[to]) {
        uint32_t from = t->parent[to], slot = (uint32_t)(turn + t->delay[from]);
        error = crl_schedule_add(schedule, (struct crl_move){slot, from, to, t->root, v});
    }
    return error;
}

static int plan_latency_rooted(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct tree t;
    bool single = problem->ports == CRL_PORTS_SINGLE;
    uint64_t turn[CRL_LINKS_MAX] = {0};
    int error = tree_init(&t, problem);
    uint32_t *best = malloc(sizeof *best * 2 * (t.nodes + UINT64_C(1)));
    if (!best) error = CRL_ERR_MEMORY;
    if (!error && single) grow(&t);
    else if (!error) balance(&t, crl_problem_bound_slots(problem), best);
    for (uint32_t i = t.nodes; i-- > 1 && !error;) { // the longest way first
        uint32_t v = t.order[i];
        error = add_way(schedule, &t, v, ++turn[single ? 0 : t.branch[v]]);
    }
    free(best);
    tree_done(&t);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_latency_tree[] = {
    {.collectives = "scatter",
     .scheme = "latency",
     .networks = "any with link latencies",
     .handles = CRL_HANDLES_LATENCY,
     .applies = crl_applies_latency,
     .plan = plan_latency_rooted,
     .cost = {.nodes_max = 1 << 16, .row_ns = 2000},
     .guarantee = "every x after which packets end: docs/schedules.md",
     .claim = crl_claim_product,
     .paper = "after B91 Sec. 3",
     .summary = "balanced tree of quickest ways, farthest first"},
    {0}};
