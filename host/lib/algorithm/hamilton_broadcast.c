// SPDX-License-Identifier: Apache-2.0
// Single-port multinode broadcast along a Hamiltonian cycle: in every slot each node passes to its successor what it
// got in the slot before, its own packet first. Everybody gets a new packet in every slot, so N − 1 slots do, which is
// the bound. Where a network looks the same from every node all nodes send in the direction of the cycle's next step
// instead, so that node 0 stands for all.
//
// Products: one factor gives k columns, a path that winds through the others gives L levels. The cycle goes to and fro
// over columns 1 to k − 1, level by level, and comes home along column 0. After an even number of levels it ends in
// column 1; after an odd number in column k − 1, next to column 0 on rings and complete graphs only. Where no factor
// will do all are paths of odd length: a bipartite network of odd size, which has no such cycle, or one path.
// Graphs, and products with one: depth first, the neighbour with the fewest ways on first (Warnsdorff), of equal ones
// that at the lower port, within limits.
#include "algorithm/algorithm.h"
#include "base/pool.h"
#include "topology/topology.h"

enum { GRAPH_NODES_MAX = 512, STEPS_MAX = 200000 };

// ---------------------------------------------------------------- products

static const struct crl_factor *columns_of(const struct crl_topology *t)
{
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        if (t->nodes / f->size % 2 == 0 || (f->shape != CRL_PATH && f->size > 2) || t->nodes == 2) return f;
    }
    return NULL;
}

// The path through all factors but `columns`, column 0, which turns back at both ends of each (a reflected mixed-radix
// Gray code), and with the other columns the cycle.
static bool product_cycle(struct crl_pool *pool, const struct crl_topology *t, uint32_t *cycle)
{
    const struct crl_factor *columns = columns_of(t);
    uint32_t levels = 1, wide = columns->size - 1, *path = CRL_ZEROED(pool, path, t->nodes / columns->size);
    if (!path) return false;
    for (uint32_t i = t->factor_count; i-- > 0;) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t length = levels;
        for (uint32_t digit = 1; f != columns && digit < f->size; digit++)
            for (uint32_t k = 0; k < length; k++)
                path[levels++] = path[digit % 2 ? length - 1 - k : k] + digit * f->stride;
    }
    for (uint32_t level = 0; level < levels; level++) {
        for (uint32_t k = 0; k < wide; k++)
            cycle[level * wide + k] = path[level] + (level % 2 ? wide - k : k + 1) * columns->stride;
        cycle[t->nodes - 1 - level] = path[level];
    }
    return true;
}

// ---------------------------------------------------------------- graphs

struct walk {
    const struct crl_topology *topology;
    uint32_t nodes, steps; // steps: until it gives up
    uint32_t *path;        // [nodes]
    bool *taken;           // [nodes]
};

static uint32_t ways_on(const struct walk *w, uint32_t at)
{
    uint32_t ways = 0;
    for (uint32_t p = 0; p < crl_topology_ports(w->topology); p++) {
        uint32_t next = crl_topology_neighbor(w->topology, at, p);
        ways += next != CRL_NONE && !w->taken[next];
    }
    return ways;
}

// Extends the walk from its last node, the `length`-th, until it has all nodes and ends beside the first.
static bool extend(struct walk *w, uint32_t length)
{
    uint32_t at = w->path[length - 1], ports = crl_topology_ports(w->topology);
    if (length == w->nodes) return crl_topology_port_to(w->topology, at, w->path[0]) != CRL_NONE;
    for (uint32_t ways = 0; ways <= ports; ways++)
        for (uint32_t p = 0; p < ports; p++) {
            uint32_t next = crl_topology_neighbor(w->topology, at, p);
            if (next == CRL_NONE || w->taken[next] || ways_on(w, next) != ways) continue;
            if (!w->steps) return false;
            w->steps--;
            w->taken[next] = true;
            w->path[length] = next;
            if (extend(w, length + 1)) return true;
            w->taken[next] = false;
        }
    return false;
}

static bool graph_cycle(struct crl_pool *pool, const struct crl_topology *t, uint32_t *cycle)
{
    struct walk w = {t, crl_topology_nodes(t), STEPS_MAX, cycle, NULL};
    CRL_ZEROED(pool, w.taken, w.nodes);
    if (!w.taken) return false;
    w.taken[0] = true;
    return extend(&w, 1);
}

// ---------------------------------------------------------------- either

static bool is_product(const struct crl_topology *t) { return t->factor_count && !crl_topology_has(t, CRL_GRAPH); }

// A Hamiltonian cycle, or NULL where none was found.
static uint32_t *find_cycle(struct crl_pool *pool, const struct crl_topology *t)
{
    uint32_t nodes = crl_topology_nodes(t);
    bool product = is_product(t);
    if (nodes < 2 || (product ? !columns_of(t) : nodes > GRAPH_NODES_MAX)) return NULL;
    uint32_t *cycle = CRL_ZEROED(pool, cycle, nodes);
    return cycle && (product ? product_cycle : graph_cycle)(pool, t, cycle) ? cycle : NULL;
}

static bool applies(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    if (is_product(t)) return t->nodes > 1 && columns_of(t);
    struct crl_pool pool = {0};
    bool found = find_cycle(&pool, t);
    crl_pool_done(&pool);
    return found;
}

// Of one part after the other; sender by sender in each slot, so that nothing is to be sorted.
static void play(struct crl_schedule *schedule, const uint32_t *cycle, const uint32_t *place, uint32_t nodes,
                 uint32_t parts)
{
    for (uint32_t round = 0; round < (nodes - 1) * parts; round++)
        for (uint32_t v = 0; v < nodes; v++) {
            uint32_t slot = round % (nodes - 1) + 1, i = place[v];
            uint32_t from = i + 1 >= slot ? i + 1 - slot : i + 1 + nodes - slot;
            struct crl_move move = {round + 1, v, cycle[i + 1 < nodes ? i + 1 : 0], cycle[from], round / (nodes - 1)};
            crl_schedule_add(schedule, move);
        }
}

// The same of node 0: its packet goes along the cycle, and those of others along translates.
static void play_folded(struct crl_schedule *schedule, const struct crl_topology *t, const uint32_t *cycle,
                        uint32_t parts)
{
    for (uint32_t round = 0; round < (t->nodes - 1) * parts; round++) {
        uint32_t at = cycle[round % (t->nodes - 1)], next = cycle[round % (t->nodes - 1) + 1];
        struct crl_move move = {
            .slot = round + 1, .dst = crl_topology_unshift(t, next, at), .dest = round / (t->nodes - 1)};
        move.origin = crl_topology_unshift(t, cycle[0], at);
        crl_schedule_add(schedule, move);
    }
}

static int plan_hamilton_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                   struct crl_diag *diag)
{
    struct crl_pool pool = {0};
    uint32_t *cycle = find_cycle(&pool, problem->topology), nodes = crl_topology_nodes(problem->topology);
    uint32_t *place = schedule->folded ? cycle : CRL_NEW(&pool, place, nodes); // of each node in the cycle
    int error = cycle && place ? 0 : CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < nodes && !error && !schedule->folded; i++) place[cycle[i]] = i;
    if (!error && schedule->folded) play_folded(schedule, problem->topology, cycle, problem->parts);
    else if (!error) play(schedule, cycle, place, nodes, problem->parts);
    crl_pool_done(&pool);
    return error ? crl_fail_memory(diag) : 0;
}

static uint64_t claim(const struct crl_problem *problem)
{
    return (uint64_t)problem->parts * (problem->topology->nodes - 1);
}

const struct crl_algorithm crl_rows_hamilton_broadcast[] = {
    {"multinode-broadcast", "hamilton", "with a Hamiltonian cycle", "N-1", NULL,
     "everybody passes on to its successor what it got, its own packet first; graphs of up to 512 nodes",
     .ports = CRL_FOR_SINGLE_PORT, .handles = CRL_HANDLES_PARTS, .applies = applies, .plan = plan_hamilton_broadcast,
     .symmetric = crl_is_any, .cost = {.row_ns = 100}, .claim = claim},
    {0}};
