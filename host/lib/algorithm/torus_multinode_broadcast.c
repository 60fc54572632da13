// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on a network with translations: tori, rings, generalized hypercubes, complete graphs, products.
//
// As on the hypercube (Bertsekas et al. 1991, Section 2): one broadcast tree from node 0 whose links of each slot have
// distinct directions; then its translates to all origins never meet on a link. Nothing is known there that takes the
// place of the rotation classes, so the tree is searched for: a slot at a time, by a matching of ports and nodes not
// reached yet that is as large as can be. All nodes are reached in max(⌈(N−1)/degree⌉, diameter) slots if every
// matching is full and nobody far away is left for the end.
//
// Of packets in parts each part has a tree, and no two trees have the same direction in a slot. The network is then
// there once for each part, one copy behind the other, with a root in each: node v of copy k is number k·N + v, and
// "nodes" are those of all copies. Where the parts are a multiple of the degree, no link idles.
//
// Among such matchings we like those that send on what has just come. Then the tree is little more than a bundle of
// paths, few packets wait in a node, and those that leave a node together came through different ports, which spares
// the router its write crossbar. Lots drawn from fixed seeds break ties; the best of several trees is kept.
#include "algorithm/algorithm.h"
#include "algorithm/matching.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum {
    COPIES_MAX = 1 << 16, // nodes of all copies
    SEEDS_PER_LENGTH = 500,
    SLOTS_BEYOND_MAX = 8, // lengths tried beyond the bound
    WORK = 8000000,       // about how many nodes to look at for a better tree, once there is one
    WORK_MAX = 200000000, // and for the first
};

// What an edge of the matching is worth. Any edge is better than none.
enum {
    ANY = 1 << 26,
    URGENT = 1 << 18,
    NO_WAIT = 1 << 14,
    WAIT = 1 << 8,
    WAITS_MAX = 60,
    NARROW = 1 << 9,
    LOT = 1 << 10
};

struct tree {
    uint32_t *ready; // [nodes] slot from which on a node can send, 0: not reached
    uint8_t *port;   // [nodes] over which it is reached
    uint32_t conflicts, buffer;
};

// The best nodes for a port.
struct shortlist {
    uint32_t count, node[CRL_PORTS_MAX];
    int64_t worth[CRL_PORTS_MAX];
};

struct search {
    uint32_t nodes, one, ports, slots, diameter; // one: nodes of a copy of the network
    uint32_t *distance;                          // [nodes] from the root of the copy
    uint32_t *neighbor;                          // [nodes][ports]
    uint32_t *behind;                            // [nodes][ports]
    struct tree now, best;
    uint64_t random, work;
    uint32_t *frontier;    // [nodes] nodes next to some that are reached
    uint8_t *seen;         // [nodes] reached, or in the frontier
    uint32_t *far, *queue; // [nodes] scratch: distance from those that are reached
    uint32_t *last;        // [nodes] slot in which a node sent last, or 0
    uint32_t *held;        // [nodes] packets that a node holds after a slot (slots < nodes)
    bool *banned;          // [nodes] does not send in this slot
    uint32_t frontier_count, left, margin;
    uint32_t look;      // slots left when to see next how far the farthest node is
    bool urgent, found; // a tree, which is the best
    struct crl_matching *matching;
    uint32_t candidate[CRL_MATCHING_COLUMNS_MAX]; // its columns
    uint32_t *column;                             // [nodes] and the other way round, or CRL_NONE
    struct shortlist *shortlist;                  // [ports]
    uint32_t chosen[CRL_PORTS_MAX];               // node that a port reaches in this slot, or CRL_NONE
};

static uint32_t draw(struct search *s, uint32_t n) { return (uint32_t)(((crl_random(&s->random) >> 32) * n) >> 32); }

static uint32_t parent_of(const struct search *s, uint32_t node, uint32_t port)
{
    return s->behind[(size_t)node * s->ports + port];
}

// ---- what edges are worth

// The part that does not depend on the port. Nodes with few ways on come first, as in a knight's tour: nobody will pass
// them again.
static int64_t node_worth(struct search *s, uint32_t node, uint32_t slot)
{
    uint32_t ways = 0, after = s->slots - slot, late = s->diameter > after ? s->diameter - after : 0;
    for (uint32_t p = 0; p < s->ports; p++) ways += !s->now.ready[s->neighbor[(size_t)node * s->ports + p]];
    int64_t worth = ANY + (int64_t)draw(s, LOT) + NARROW * (int64_t)(s->ports - ways);
    if (s->urgent && s->distance[node] >= late) worth += URGENT * (int64_t)(s->distance[node] - late + 1);
    return worth;
}

static int64_t edge_worth(const struct search *s, uint32_t node, uint32_t port, uint32_t slot, int64_t worth)
{
    uint32_t parent = parent_of(s, node, port), ready = s->now.ready[parent];
    if (!ready || ready > slot || s->banned[parent]) return 0;
    uint32_t wait = s->distance[parent] ? slot - ready : 0; // the root's own packet takes no room
    if (!wait) return worth + NO_WAIT;
    return worth - WAIT * (int64_t)(wait < WAITS_MAX ? wait : WAITS_MAX);
}

// Puts a node on the list, which keeps the best `length`.
static void enlist(struct shortlist *list, uint32_t length, uint32_t node, int64_t worth)
{
    if (list->count == length && worth <= list->worth[length - 1]) return;
    uint32_t at = list->count < length ? list->count++ : length - 1;
    for (; at > 0 && list->worth[at - 1] < worth; at--) {
        list->worth[at] = list->worth[at - 1];
        list->node[at] = list->node[at - 1];
    }
    list->worth[at] = worth;
    list->node[at] = node;
}

static void enlist_frontier(struct search *s, uint32_t slot)
{
    for (uint32_t p = 0; p < s->ports; p++) s->shortlist[p].count = 0;
    for (uint32_t i = 0; i < s->frontier_count; i++) {
        uint32_t node = s->frontier[i];
        int64_t common = node_worth(s, node, slot);
        for (uint32_t p = 0; p < s->ports; p++) {
            int64_t worth = edge_worth(s, node, p, slot, common);
            if (worth) enlist(&s->shortlist[p], s->ports, node, worth);
        }
    }
}

// ---- matchings

// Fills `chosen` with the best matching of ports and nodes.
static void match(struct search *s, uint32_t slot)
{
    struct crl_matching *m = s->matching;
    m->rows = s->ports;
    m->columns = 0;
    enlist_frontier(s, slot);
    for (uint32_t p = 0; p < s->ports; p++) {
        const struct shortlist *list = &s->shortlist[p];
        m->row[p].count = list->count;
        for (uint32_t i = 0; i < list->count; i++) {
            uint32_t node = list->node[i], column = s->column[node];
            if (column == CRL_NONE) {
                column = s->column[node] = m->columns++;
                s->candidate[column] = node;
            }
            m->row[p].edge[i].column = column;
            m->row[p].edge[i].worth = list->worth[i];
        }
    }
    crl_match(m);
    for (uint32_t p = 0; p < s->ports; p++)
        s->chosen[p] = m->column_of[p] == CRL_NONE ? CRL_NONE : s->candidate[m->column_of[p]];
    for (uint32_t c = 0; c < m->columns; c++) s->column[s->candidate[c]] = CRL_NONE;
}

static uint32_t matched(const struct search *s)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < s->ports; p++) count += s->chosen[p] != CRL_NONE;
    return count;
}

// Of two packets that came over one port and leave in this slot: the one that waited longer, or CRL_NONE.
static uint32_t conflicting(const struct search *s)
{
    uint32_t sender[CRL_PORTS_MAX];
    for (uint32_t p = 0; p < s->ports; p++) sender[p] = CRL_NONE;
    for (uint32_t p = 0; p < s->ports; p++) {
        if (s->chosen[p] == CRL_NONE) continue;
        uint32_t parent = parent_of(s, s->chosen[p], p);
        if (!s->distance[parent]) continue;
        uint32_t *other = &sender[s->now.port[parent]];
        if (*other != CRL_NONE && *other != parent)
            return s->now.ready[*other] < s->now.ready[parent] ? *other : parent;
        *other = parent;
    }
    return CRL_NONE;
}

// Matches, and again without packets in conflict as long as that costs no edge.
static void match_without_conflict(struct search *s, uint32_t slot)
{
    uint32_t banned[CRL_PORTS_MAX * 2], count = 0, best[CRL_PORTS_MAX], edges;
    match(s, slot);
    edges = matched(s);
    memcpy(best, s->chosen, sizeof best);
    while (count < 2 * s->ports) {
        uint32_t node = conflicting(s);
        if (node == CRL_NONE) break;
        s->banned[banned[count++] = node] = true;
        match(s, slot);
        if (matched(s) < edges) break;
    }
    if (matched(s) < edges || conflicting(s) != CRL_NONE) {
        memcpy(s->chosen, best, sizeof best);
        s->now.conflicts += conflicting(s) != CRL_NONE;
    }
    while (count) s->banned[banned[--count]] = false;
}

// ---- trees

static void add_to_frontier(struct search *s, uint32_t node)
{
    for (uint32_t p = 0; p < s->ports; p++) {
        uint32_t next = s->neighbor[(size_t)node * s->ports + p];
        if (s->seen[next]) continue;
        s->seen[next] = 1;
        s->frontier[s->frontier_count++] = next;
    }
}

// `node` sends in this slot, and so holds its packet since it came. In a relative schedule a node holds as many packets
// as there are nodes of the trees that are yet to send. The roots' own packets take no room.
static void hold(struct search *s, uint32_t node, uint32_t slot)
{
    if (!s->distance[node]) return;
    uint32_t since = s->now.ready[node] - 1;
    if (s->last[node] > since) since = s->last[node];
    for (uint32_t t = since; t < slot; t++)
        if (++s->held[t] > s->now.buffer) s->now.buffer = s->held[t];
    s->last[node] = slot;
}

// Reaches what was chosen, and counts it.
static uint32_t reach(struct search *s, uint32_t slot)
{
    uint32_t count = 0, kept = 0, before = s->frontier_count;
    for (uint32_t p = 0; p < s->ports; p++) {
        if (s->chosen[p] == CRL_NONE) continue;
        hold(s, parent_of(s, s->chosen[p], p), slot);
        s->now.ready[s->chosen[p]] = slot + 1;
        s->now.port[s->chosen[p]] = (uint8_t)p;
        count++;
    }
    for (uint32_t i = 0; i < before; i++)
        if (!s->now.ready[s->frontier[i]]) s->frontier[kept++] = s->frontier[i];
    s->frontier_count = kept;
    for (uint32_t p = 0; p < s->ports; p++)
        if (s->chosen[p] != CRL_NONE) add_to_frontier(s, s->chosen[p]);
    return count;
}

// How far the node farthest from those reached is from them.
static uint32_t farthest(struct search *s)
{
    uint32_t count = 0, most = 0;
    for (uint32_t v = 0; v < s->nodes; v++) {
        s->far[v] = s->now.ready[v] ? 0 : CRL_NONE;
        if (s->now.ready[v]) s->queue[count++] = v;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = s->queue[i];
        most = s->far[v];
        for (uint32_t p = 0; p < s->ports; p++) {
            uint32_t next = s->neighbor[(size_t)v * s->ports + p];
            if (s->far[next] != CRL_NONE) continue;
            s->far[next] = most + 1;
            s->queue[count++] = next;
        }
    }
    return most;
}

// By how many slots to be early with the farthest node. Most networks have time, and few packets wait with a small
// margin; others must go there directly, and fill in the rest afterwards.
static uint32_t margin(const struct search *s, uint64_t seed)
{
    switch (seed % 8) {
    case 3: return s->nodes;
    case 7: return s->diameter / 4 + 4;
    default: return (uint32_t)(seed % 4);
    }
}

// Finds out whether it is urgent to go to the farthest node, with so many slots left. It comes nearer by at most one
// hop a slot, so what is urgent stays so, and it need not be looked at before that can be. False: it is too late.
static bool hurry(struct search *s, uint32_t slots)
{
    enum { PAUSE = 16 }; // once it is urgent: after one of so many of the slots that are left
    if (s->margin >= s->diameter) {
        s->urgent = s->margin >= slots;
        return true;
    }
    if (slots > s->look) return true;
    uint32_t far = farthest(s);
    s->urgent = far + s->margin >= slots;
    s->look = s->urgent ? slots - slots / PAUSE - 1 : far + s->margin;
    s->work += s->nodes / 4;
    return far <= slots;
}

static bool better(const struct tree *a, const struct tree *b)
{
    return a->conflicts != b->conflicts ? a->conflicts < b->conflicts : a->buffer < b->buffer;
}

// Grows a tree; gives up when it will take too long, or is not better than the best that was found.
static bool grow(struct search *s, uint64_t seed)
{
    s->random = seed;
    s->margin = margin(s, seed);
    s->look = s->diameter + s->margin;
    s->urgent = false;
    s->left = s->nodes - s->nodes / s->one;
    s->frontier_count = s->now.conflicts = s->now.buffer = 0;
    memset(s->last, 0, sizeof *s->last * s->nodes);
    memset(s->held, 0, sizeof *s->held * s->nodes);
    memset(s->now.ready, 0, sizeof *s->now.ready * s->nodes);
    memset(s->seen, 0, s->nodes);
    for (uint32_t root = 0; root < s->nodes; root += s->one) s->now.ready[root] = s->seen[root] = 1;
    for (uint32_t root = 0; root < s->nodes; root += s->one) add_to_frontier(s, root);
    for (uint32_t slot = 1; s->left; slot++) {
        uint32_t slots = s->slots - slot + 1; // with this one
        if (slot > s->slots || (uint64_t)slots * s->ports < s->left) return false;
        if (!hurry(s, slots)) return false;
        s->work += s->frontier_count;
        match_without_conflict(s, slot);
        s->left -= reach(s, slot);
        if (s->found && !better(&s->now, &s->best)) return false; // nor will it be: both only grow
    }
    return true;
}

static bool find(struct search *s)
{
    s->work = 0;
    for (uint64_t seed = 1; seed <= SEEDS_PER_LENGTH && s->work < (s->found ? WORK : WORK_MAX); seed++) {
        if (!grow(s, seed)) continue;
        struct tree swap = s->best;
        s->best = s->now;
        s->now = swap;
        s->found = true;
    }
    return s->found;
}

// ---- planning

static int search_new(struct search *s, const struct crl_topology *topology, uint32_t parts)
{
    uint32_t one = crl_topology_nodes(topology), nodes = one * parts, ports = crl_topology_ports(topology);
    *s = (struct search){.nodes = nodes, .one = one, .ports = ports};
    uint32_t **arrays[] = {&s->distance,  &s->frontier,   &s->far,    &s->queue, &s->last,
                           &s->now.ready, &s->best.ready, &s->column, &s->held};
    bool good = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= !!(*arrays[i] = calloc(nodes, sizeof(uint32_t)));
    good &= !!(s->neighbor = calloc((size_t)nodes * ports, sizeof *s->neighbor));
    good &= !!(s->behind = calloc((size_t)nodes * ports, sizeof *s->behind));
    good &= !!(s->seen = calloc(nodes, 1));
    good &= !!(s->banned = calloc(nodes, sizeof *s->banned));
    good &= !!(s->now.port = calloc(nodes, 1));
    good &= !!(s->best.port = calloc(nodes, 1));
    good &= !!(s->matching = calloc(1, sizeof *s->matching));
    good &= !!(s->shortlist = calloc(ports, sizeof *s->shortlist));
    if (!good) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < nodes; v++) {
        s->column[v] = CRL_NONE;
        s->distance[v] = crl_topology_distance(topology, 0, v % one);
        if (s->distance[v] > s->diameter) s->diameter = s->distance[v];
        for (uint32_t p = 0; p < ports; p++) {
            s->neighbor[(size_t)v * ports + p] = v - v % one + crl_topology_neighbor(topology, v % one, p);
            s->behind[(size_t)v * ports + p] = v - v % one + crl_topology_behind(topology, v % one, p);
        }
    }
    return 0;
}

static void search_done(struct search *s)
{
    uint32_t *arrays[] = {s->distance,   s->frontier, s->far,    s->queue,  s->last, s->now.ready,
                          s->best.ready, s->neighbor, s->behind, s->column, s->held};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(s->seen);
    free(s->banned);
    free(s->now.port);
    free(s->best.port);
    free(s->matching);
    free(s->shortlist);
}

// The packet of node 0 goes from its parent to v, so node 0 sends over that port the packet of the node that lies
// where 0 does as seen from the parent.
static int emit(const struct search *s, struct crl_schedule *schedule)
{
    int error = 0;
    for (uint32_t v = 0; v < s->nodes && !error; v++) {
        if (!s->distance[v]) continue;
        uint32_t port = s->best.port[v], parent = parent_of(s, v, port) % s->one;
        struct crl_move move = {.slot = s->best.ready[v] - 1, .dst = s->neighbor[port], .dest = v / s->one};
        move.origin = crl_topology_unshift(schedule->topology, 0, parent);
        error = crl_schedule_add(schedule, move);
    }
    return error;
}

int crl_plan_torus_multinode_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                       struct crl_diag *diag)
{
    struct search s;
    int error = search_new(&s, problem->topology, problem->parts);
    if (!error) {
        uint32_t load = (uint32_t)crl_ceil_div(s.nodes - (uint64_t)problem->parts, s.ports);
        uint32_t bound = load > s.diameter ? load : s.diameter;
        for (s.slots = bound; !find(&s) && s.slots < bound + SLOTS_BEYOND_MAX;) s.slots++;
        if (s.found) error = emit(&s, schedule);
    }
    search_done(&s);
    if (!error && !s.found)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no tree was found for %s; that does not mean there is none",
                        crl_topology_name(problem->topology));
    return error ? crl_fail_memory(diag) : 0;
}

static bool applies_torus_multinode_broadcast(const struct crl_problem *problem)
{
    if (problem->parts > 1) // on which the cube's own schemes do not split
        return crl_topology_is_symmetric(problem->topology) &&
               crl_topology_nodes(problem->topology) <= COPIES_MAX / problem->parts;
    return crl_topology_is_symmetric(problem->topology) && !crl_is_hypercube(problem);
}

static uint64_t claim_spread(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t slots = crl_ceil_div((uint64_t)problem->parts * (t->nodes - 1), t->ports);
    uint32_t diameter = crl_topology_eccentricity(t, 0, false);
    return slots > diameter ? slots : diameter;
}

const struct crl_algorithm crl_rows_torus_multinode_broadcast[] = {
    {"multinode-broadcast", "tree", "product without paths", "max(ceil((N-1)/degree), diameter)", "after B91 Sec. 2",
     "translates of one tree with distinct directions in every slot, found by search; N to 65536",
     .ports = CRL_FOR_ALL_PORTS, .handles = CRL_HANDLES_PARTS, .applies = applies_torus_multinode_broadcast,
     .plan = crl_plan_torus_multinode_broadcast, .symmetric = crl_is_any, .cost = {.nodes_max = 1 << 16, .search_s = 2},
     .claim = claim_spread},
    {0}};
