// SPDX-License-Identifier: Apache-2.0
// Scatter on any network, over a tree; links that take longer than a slot count as so many hops.
//
// All-port, as Bertsekas et al. 1991, Section 3, on the hypercube: down each branch of the tree the root sends one
// packet a slot, farthest destinations first, and nobody else waits. The slots are those of the largest branch, so the
// branches are balanced: from any tree of shortest paths, subtrees are hung elsewhere as long as that does not make the
// sizes more uneven. Where that is not enough (a root near the border of an array has branches that lead nowhere),
// leaves may make detours.
//
// Single-port the root sends one packet a slot, farthest destinations first, over any shortest paths: in a slot no two
// packets are at the same distance, so no node sends or receives twice. That meets the bound max_k (k + nodes farther
// than k) on every network.
//
// Gather is the scatter of the network with all links turned round, in reversed time.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { MOVES_PER_NODE = 400, MOVES_MAX = 1000000, SEEDS = 8 };

struct tree {
    const struct crl_topology *topology;
    uint32_t nodes, root;
    uint32_t *depth;  // slots of the quickest way from the root
    uint32_t *parent; // of the root: itself
    uint32_t *size;   // of the node's subtree
    uint32_t *level;  // slots of the way in the tree: the depth, unless there are detours
    uint32_t *order;  // nodes by level, nearest first
};

static void tree_done(struct tree *t)
{
    free(t->depth);
    free(t->parent);
    free(t->size);
    free(t->level);
    free(t->order);
}

static uint64_t key_level(const void *level, uint32_t node) { return ((const uint32_t *)level)[node]; }

static int sort_by_level(struct tree *t) { return crl_sort_order(t->order, t->nodes, key_level, t->level, t->nodes); }

static int tree_init(struct tree *t, const struct crl_topology *topology, uint32_t root)
{
    uint32_t n = crl_topology_nodes(topology);
    *t = (struct tree){.topology = topology, .nodes = n, .root = root};
    t->depth = malloc(sizeof *t->depth * n);
    t->parent = malloc(sizeof *t->parent * n);
    t->size = malloc(sizeof *t->size * n);
    t->level = malloc(sizeof *t->level * n);
    t->order = malloc(sizeof *t->order * n);
    if (!t->depth || !t->parent || !t->size || !t->level || !t->order) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < n; v++) {
        t->depth[v] = crl_topology_delay(topology, root, v);
        t->level[v] = t->depth[v];
        t->order[v] = v;
    }
    return sort_by_level(t);
}

// The node that v can get packets from over port `port`, or CRL_NONE.
static uint32_t above_at(const struct tree *t, uint32_t v, uint32_t port)
{
    return crl_topology_behind(t->topology, v, port);
}

// The same, if that is on a quickest way from the root.
static uint32_t parent_at(const struct tree *t, uint32_t v, uint32_t port)
{
    uint32_t u = above_at(t, v, port);
    bool quickest = u != CRL_NONE && t->depth[u] + crl_topology_latency(t->topology, u, port) == t->depth[v];
    return quickest ? u : CRL_NONE;
}

// The node next to the root above v.
static uint32_t branch_of(const struct tree *t, uint32_t v)
{
    while (t->parent[v] != t->root) v = t->parent[v];
    return v;
}

// ---------------------------------------------------------------- growing and balancing

// Every node, nearest first, joins the branch with the fewest nodes so far; lots break ties.
static void grow(struct tree *t, uint64_t *random)
{
    uint32_t ports = crl_topology_ports(t->topology);
    for (uint32_t v = 0; v < t->nodes; v++) t->size[v] = 1;
    t->parent[t->root] = t->root;
    for (uint32_t i = 1; i < t->nodes; i++) {
        uint32_t v = t->order[i], best = CRL_NONE, least = 0;
        for (uint32_t k = 0, first = (uint32_t)(crl_random(random) % ports); k < ports; k++) {
            uint32_t u = parent_at(t, v, (first + k) % ports);
            if (u == CRL_NONE) continue;
            uint32_t size = u == t->root ? 0 : t->size[branch_of(t, u)];
            if (best != CRL_NONE && size >= least) continue;
            best = u;
            least = size;
        }
        t->parent[v] = best;
        if (best != t->root) t->size[branch_of(t, v)]++;
    }
}

static void count_subtrees(struct tree *t)
{
    for (uint32_t v = 0; v < t->nodes; v++) t->size[v] = 1;
    for (uint32_t i = t->nodes; i-- > 1;) t->size[t->parent[t->order[i]]] += t->size[t->order[i]];
}

static void hang(struct tree *t, uint32_t v, uint32_t to)
{
    for (uint32_t u = t->parent[v]; u != t->root; u = t->parent[u]) t->size[u] -= t->size[v];
    for (uint32_t u = to; u != t->root; u = t->parent[u]) t->size[u] += t->size[v];
    t->parent[v] = to;
}

// Hangs a subtree drawn by lot from another parent, unless the branches become more uneven.
static void move_subtree(struct tree *t, uint64_t *random)
{
    uint32_t v = (uint32_t)(crl_random(random) % t->nodes), size = t->size[v];
    uint32_t to =
        t->depth[v] < 2 ? CRL_NONE : parent_at(t, v, (uint32_t)(crl_random(random) % crl_topology_ports(t->topology)));
    if (to == CRL_NONE || to == t->parent[v]) return;
    uint32_t old_branch = branch_of(t, v), new_branch = branch_of(t, to);
    if (old_branch != new_branch && (uint64_t)t->size[new_branch] + size > t->size[old_branch]) return;
    hang(t, v, to);
}

// Hangs a leaf drawn by lot from any neighbour, now and then though the branches become more uneven, or the way longer.
static void move_leaf(struct tree *t, uint64_t *random, uint64_t most)
{
    uint32_t v = (uint32_t)(crl_random(random) % t->nodes);
    if (v == t->root || t->size[v] > 1 || t->parent[v] == t->root) return;
    uint32_t port = (uint32_t)(crl_random(random) % crl_topology_ports(t->topology)), to = above_at(t, v, port);
    if (to == CRL_NONE || to == t->root || to == t->parent[v] || t->level[to] >= most) return;
    uint32_t old_branch = branch_of(t, v), new_branch = branch_of(t, to);
    uint32_t level = t->level[to] + crl_topology_latency(t->topology, to, port);
    bool detour = level > t->level[v];
    if (old_branch == new_branch && detour && crl_random(random) % 4) return;
    bool uneven = old_branch != new_branch && t->size[new_branch] + detour >= t->size[old_branch];
    if (uneven && (t->size[new_branch] > t->size[old_branch] || crl_random(random) % 16)) return;
    hang(t, v, to);
    t->level[v] = level;
}

// Spares leaves the detours that balance nothing.
static void shorten(struct tree *t)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 0; v < t->nodes; v++)
            for (uint32_t p = 0; p < crl_topology_ports(t->topology) && t->size[v] == 1 && t->level[v] > t->depth[v];
                 p++) {
                uint32_t to = above_at(t, v, p);
                if (to == CRL_NONE || to == t->root || branch_of(t, to) != branch_of(t, v)) continue;
                uint32_t level = t->level[to] + crl_topology_latency(t->topology, to, p);
                if (level >= t->level[v]) continue;
                hang(t, v, to);
                t->level[v] = level;
                changed = true;
            }
    }
}

// Gives each node the slot in which its packet leaves the root; returns the slots that the whole scatter takes.
// Single-port all nodes count as one branch.
static uint32_t time_packets(const struct tree *t, bool single, uint32_t *sent, uint32_t *leaves)
{
    uint32_t slots = 0;
    memset(sent, 0, sizeof *sent * t->nodes); // packets sent down a branch so far
    for (uint32_t i = t->nodes; i-- > 1;) {
        uint32_t v = t->order[i];
        leaves[v] = ++sent[single ? t->root : branch_of(t, v)];
        if (leaves[v] + t->level[v] - 1 > slots) slots = leaves[v] + t->level[v] - 1;
    }
    return slots;
}

// The best tree so far.
struct best {
    uint32_t slots, *parent, *level;
};

// Compares the tree with the best and keeps it if it is better.
static int judge(struct tree *t, struct best *best, uint32_t *sent, uint32_t *leaves)
{
    int error = sort_by_level(t);
    uint32_t slots = error ? UINT32_MAX : time_packets(t, false, sent, leaves);
    if (slots >= best->slots) return error;
    best->slots = slots;
    memcpy(best->parent, t->parent, sizeof *best->parent * t->nodes);
    memcpy(best->level, t->level, sizeof *best->level * t->nodes);
    return error;
}

static int take(struct tree *t, const struct best *best)
{
    memcpy(t->parent, best->parent, sizeof *best->parent * t->nodes);
    memcpy(t->level, best->level, sizeof *best->level * t->nodes);
    int error = sort_by_level(t);
    count_subtrees(t);
    return error;
}

// Searches for a tree that takes `bound` slots, first without, then with detours; leaves the best in *t.
static int search(struct tree *t, struct best *best, uint64_t bound, uint32_t *sent, uint32_t *leaves)
{
    uint64_t moves = (uint64_t)MOVES_PER_NODE * t->nodes;
    if (moves > MOVES_MAX) moves = MOVES_MAX;
    int error = 0;
    for (uint64_t seed = 0; seed < 2 * SEEDS && best->slots > bound && !error; seed++) {
        uint64_t random = seed, pause = moves / 100 + 1;
        bool detours = seed >= SEEDS;
        if (detours) error = take(t, best);
        else grow(t, &random);
        count_subtrees(t);
        for (uint64_t i = 0; i <= moves && best->slots > bound && !error; i++) {
            if (i % pause == 0) error = judge(t, best, sent, leaves);
            if (detours) move_leaf(t, &random, bound);
            else move_subtree(t, &random);
        }
    }
    if (!error) error = take(t, best);
    shorten(t);
    return error ? error : sort_by_level(t);
}

static int balance(struct tree *t, uint64_t bound, uint32_t *sent, uint32_t *leaves)
{
    struct best best = {UINT32_MAX, malloc(sizeof(uint32_t) * t->nodes), malloc(sizeof(uint32_t) * t->nodes)};
    int error = best.parent && best.level ? search(t, &best, bound, sent, leaves) : CRL_ERR_MEMORY;
    free(best.parent);
    free(best.level);
    return error;
}

// ---------------------------------------------------------------- the schedules

static int add_paths(struct crl_schedule *schedule, const struct tree *t, const uint32_t *leaves)
{
    for (uint32_t i = 1; i < t->nodes; i++) {
        uint32_t end = t->order[i];
        for (uint32_t v = end; v != t->root; v = t->parent[v]) {
            struct crl_move move = {leaves[end] + t->level[t->parent[v]], t->parent[v], v, t->root, end};
            int error = crl_schedule_add(schedule, move);
            if (error) return error;
        }
    }
    return 0;
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    if (crl_problem_bound_transmissions(problem) >= UINT32_MAX - 1)
        return crl_fail(diag, CRL_ERR_LIMIT, "a %s on %s has too many moves to hold", crl_problem_name(problem),
                        crl_topology_name(problem->topology));
    struct tree t;
    bool single = problem->ports == CRL_PORTS_SINGLE;
    uint64_t random = 0;
    int error = tree_init(&t, problem->topology, problem->root);
    uint32_t *sent = malloc(sizeof *sent * t.nodes), *leaves = malloc(sizeof *leaves * t.nodes);
    if (!sent || !leaves) error = CRL_ERR_MEMORY;
    if (!error && single) grow(&t, &random);
    if (!error && !single) error = balance(&t, crl_problem_bound_slots(problem), sent, leaves);
    if (!error) time_packets(&t, single, sent, leaves);
    if (!error) error = add_paths(schedule, &t, leaves);
    free(sent);
    free(leaves);
    tree_done(&t);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_tree_rooted[] = {
    {"scatter", "balanced", "any", "max_k(k+ceil(beyond k/ports))", "after B91 Sec. 3",
     "balanced tree, farthest first; all-port it may make detours for that", .plan = plan, .cost = {.row_ns = 250},
     .claim = crl_claim_product},
    {0}};

// Behind what is found as a flow.
const struct crl_algorithm crl_rows_tree_latency[] = {
    {"scatter", "latency", "any with link latencies", "every x after which packets end: docs/schedules.md",
     "after B91 Sec. 3", "balanced tree of quickest ways, farthest first; all-port it may make detours for that",
     .handles = CRL_HANDLES_LATENCY, .applies = crl_applies_latency, .plan = plan,
     .cost = {.nodes_max = 1 << 16, .row_ns = 2000}, .claim = crl_claim_product},
    {0}};
