// SPDX-License-Identifier: Apache-2.0
// Broadcast and scatter on any network, over a tree; links that take longer than a slot count as so many hops.
//
// Broadcast, all-port: a tree of quickest paths, over which everybody gets the packet as soon as can be. Single-port,
// and on hypercubes, each node of it sends to one child after the other, which is optimal on meshes and tori of even
// rings, too; on hypercubes that is the spanning binomial tree ("completely unbalanced" in Bertsekas et al. 1991).
// Where it misses the bound the packet spreads slot by slot (spread.c).
//
// Scatter, all-port, as Bertsekas et al. 1991, Section 3, on the hypercube: down each branch of the tree the root sends
// one packet a slot, farthest destinations first, and nobody else waits. The slots are those of the largest branch, so
// branches grow node by node, the smallest first, over quickest paths.
//
// Scatter, single-port: one packet a slot, farthest destinations first, over any quickest paths: in a slot no two
// packets are at the same distance, so no node sends or receives twice. That meets the bound max_k (k + nodes farther
// than k) on every network.
#include "algorithm/algorithm.h"
#include "base/random.h"
#include "base/pool.h"
#include "topology/topology.h"
#include <string.h>

struct way {
    uint32_t from, to;
};

struct branch {
    struct way *way; // way[first…ways) lead on from it, nearest first, but for those whose ends others took since
    size_t first, ways, room;
    uint32_t size;
};

struct tree {
    struct crl_pool pool;
    const struct crl_topology *topology;
    uint32_t nodes, ports, root;
    uint32_t *parent; // CRL_NONE: it has no place yet
    uint32_t *level;  // slots of the way in the tree, at first of the quickest one
    uint32_t *side;   // the branch, by port of the root
    uint32_t *order;  // nodes by that, nearest first
    uint32_t *leaves; // slot in which a node's packet leaves the root
    uint32_t *behind; // slots from when its parent begins to send to a node until all behind it have the packet
    struct branch *branch;
    uint64_t random;
};

static uint64_t key_level(const void *level, uint32_t node) { return ((const uint32_t *)level)[node]; }

static int tree_new(struct tree *t, const struct crl_problem *problem)
{
    const struct crl_topology *topology = problem->topology;
    *t = (struct tree){.topology = topology, .nodes = topology->nodes, .ports = topology->ports, .root = problem->root};
    CRL_NUMBERS(&t->pool, t->nodes, &t->parent, &t->level, &t->side, &t->order, &t->leaves, &t->behind);
    CRL_ZEROED(&t->pool, t->branch, t->ports + UINT64_C(1));
    if (t->pool.failed) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < t->nodes; v++) {
        t->level[v] = crl_topology_delay(topology, t->root, v);
        t->order[v] = v;
    }
    return crl_sort_order(t->order, t->nodes, key_level, t->level, UINT32_MAX);
}

// ---------------------------------------------------------------- quickest paths

static void grow_quickly(struct tree *t)
{
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = t->ports, found = v == t->root; p-- > 0 && !found;) {
            uint32_t from = crl_topology_behind(t->topology, v, p);
            found = from != CRL_NONE && t->level[from] + crl_topology_latency(t->topology, from, p) == t->level[v];
            if (found) t->parent[v] = from;
        }
}

// ---------------------------------------------------------------- branches of one size

// Adds the ways on from a node to those of its branch, in an order by lot.
static int add_ways_from(struct tree *t, uint32_t v, uint32_t side)
{
    struct branch *b = &t->branch[side];
    uint32_t first = (uint32_t)(crl_random(&t->random) % t->ports);
    int error = 0;
    for (uint32_t k = 0; k < t->ports && !error; k++) {
        uint32_t p = (first + k) % t->ports, next = crl_topology_neighbor(t->topology, v, p);
        if (next == CRL_NONE || t->parent[next] != CRL_NONE) continue;
        if (t->level[v] + crl_topology_latency(t->topology, v, p) != t->level[next]) continue;
        error = crl_pool_grow(&t->pool, (void **)&b->way, &b->room, b->ways, sizeof *b->way);
        if (!error) b->way[b->ways++] = (struct way){v, next};
    }
    return error;
}

static int join(struct tree *t, uint32_t side, struct way way)
{
    t->parent[way.to] = way.from;
    t->side[way.to] = side;
    t->branch[side].size++;
    return add_ways_from(t, way.to, side);
}

// The smallest branch that has ways on; CRL_NONE: none has any.
static uint32_t choose_branch(const struct tree *t)
{
    uint32_t best = CRL_NONE;
    for (uint32_t p = 0; p < t->ports; p++) {
        struct branch *b = &t->branch[p];
        while (b->first < b->ways && t->parent[b->way[b->first].to] != CRL_NONE) b->first++;
        if (b->first < b->ways && (best == CRL_NONE || b->size < t->branch[best].size)) best = p;
    }
    return best;
}

// Gives each node the slot in which its packet leaves the root.
static void time_packets(struct tree *t)
{
    for (uint32_t p = 0; p < t->ports; p++) t->branch[p].size = 0; // packets sent down it so far
    for (uint32_t i = t->nodes; i-- > 1;) {
        uint32_t v = t->order[i];
        t->leaves[v] = ++t->branch[t->side[v]].size;
    }
}

static int grow_evenly(struct tree *t)
{
    int error = 0;
    memset(t->parent, 0xff, sizeof *t->parent * t->nodes); // CRL_NONE
    t->parent[t->root] = t->root;
    for (uint32_t p = 0; p < t->ports && !error; p++) {
        uint32_t v = crl_topology_neighbor(t->topology, t->root, p);
        if (v != CRL_NONE && crl_topology_latency(t->topology, t->root, p) == t->level[v])
            error = join(t, p, (struct way){t->root, v});
    }
    for (uint32_t side; !error && (side = choose_branch(t)) != CRL_NONE;)
        error = join(t, side, t->branch[side].way[t->branch[side].first]);
    return error;
}

static void add_ways(struct crl_schedule *schedule, const struct tree *t)
{
    for (uint32_t i = 1; i < t->nodes; i++) {
        uint32_t end = t->order[i];
        for (uint32_t v = end; v != t->root; v = t->parent[v]) {
            struct crl_move move = {t->leaves[end] + t->level[t->parent[v]], t->parent[v], v, t->root, end};
            crl_schedule_add(schedule, move);
        }
    }
}

static int plan_scatter(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct tree t;
    int error = tree_new(&t, problem);
    if (!error && problem->ports == CRL_PORTS_SINGLE) grow_quickly(&t); // all nodes are one branch
    else if (!error) error = grow_evenly(&t);
    if (!error) {
        time_packets(&t);
        add_ways(schedule, &t);
    }
    crl_pool_done(&t.pool);
    return error ? crl_fail_memory(diag) : 0;
}

// ---------------------------------------------------------------- broadcast

// Each node sends to one child after the other, first to the one behind which most slots pass; no node sends twice in a
// slot then.
static void take_turns(struct tree *t)
{
    uint32_t *child = t->side, *next = t->leaves, *behind = t->behind; // child, next: a node + 1, or 0
    for (uint32_t i = t->nodes; i-- > 1;) {
        uint32_t v = t->order[i], turn = 0, *at = &child[t->parent[v]];
        for (uint32_t c = child[v]; c; c = next[c - 1], turn++)
            if (turn + behind[c - 1] > behind[v]) behind[v] = turn + behind[c - 1];
        behind[v] += t->level[v] - t->level[t->parent[v]];
        while (*at && behind[*at - 1] >= behind[v]) at = &next[*at - 1];
        next[v] = *at;
        *at = v + 1;
    }
    behind[t->root] = 0; // from here on the slots until a node has it
    for (uint32_t i = 0; i < t->nodes; i++)
        for (uint32_t v = t->order[i], c = child[v], turn = 0; c; c = next[c - 1])
            behind[c - 1] = behind[v] + turn++ + t->level[c - 1] - t->level[v];
    memcpy(t->level, behind, sizeof *behind * t->nodes);
}

static void add_tree(struct crl_schedule *schedule, const struct tree *t)
{
    for (uint32_t v = 0; v < t->nodes; v++) {
        if (v == t->root) continue;
        uint32_t slot = t->level[v] + 1 - crl_topology_link_latency(t->topology, t->parent[v], v);
        crl_schedule_add(schedule, (struct crl_move){slot, t->parent[v], v, t->root, 0});
    }
}

static int plan_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct tree t;
    int error = tree_new(&t, problem);
    bool single = problem->ports == CRL_PORTS_SINGLE, spreads = false;
    bool even = crl_is_hypercube(problem) && crl_topology_latency_max(problem->topology) == 1;
    uint64_t bound = single ? crl_problem_bound_slots(problem) : UINT64_MAX;
    if (!error) grow_quickly(&t);
    if (!error && (single || even)) take_turns(&t);
    for (uint32_t v = 0; v < t.nodes && !error; v++) spreads |= t.level[v] > bound;
    if (!error && !spreads) add_tree(schedule, &t);
    crl_pool_done(&t.pool);
    if (error) return crl_fail_memory(diag);
    return spreads ? crl_plan_spread(schedule, problem, diag) : 0;
}

static uint64_t claim_torus(const struct crl_problem *problem)
{
    return crl_topology_is_symmetric(problem->topology) ? crl_problem_bound_slots(problem) : UINT64_MAX;
}

static uint64_t claim_diameter(const struct crl_problem *problem) { return crl_topology_ports(problem->topology); }

const struct crl_algorithm crl_rows_tree[] = {
    {"broadcast", "binomial", "hypercube", "d", "B91 Sec. 1", "spanning binomial tree", .applies = crl_is_hypercube,
     .plan = plan_broadcast, .claim = claim_diameter},
    {"broadcast", "bfs", "any", "weighted eccentricity (all ports)", NULL,
     "quickest paths; single-port slot by slot, farthest to go first", .handles = CRL_HANDLES_LATENCY,
     .plan = plan_broadcast, .claim = crl_claim_far},
    {"scatter", "balanced", "any", "max_k(k+ceil(beyond k/ports)) on tori", "after B91 Sec. 3",
     "balanced tree of quickest paths, farthest first", .handles = CRL_HANDLES_LATENCY, .plan = plan_scatter,
     .cost = {.nodes_max = 1 << 16, .row_ns = 2000}, .claim = claim_torus},
    {0}};
