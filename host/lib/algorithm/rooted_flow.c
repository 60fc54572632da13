// SPDX-License-Identifier: Apache-2.0
// Scatter and gather, all-port, as the greatest flow through time: it says which links carry a packet in which slots,
// and in as few slots as there can be. Packets that wait at one node are all for, or from, the root, so whichever takes
// a link that carries one, all come to the root in the end.
#include "algorithm/algorithm.h"
#include "base/pool.h"
#include "problem/bound_prices.h"
#include <stdlib.h>

// A gather; a scatter is one in reversed time.
struct gather {
    struct crl_pool pool;
    const struct crl_problem *problem;
    bool turned;
    uint32_t slots, packets;
    struct crl_flow_step *steps;
    size_t count;
    size_t *before;         // [count] the step of the same packet before, SIZE_MAX for none
    size_t *latest;         // [packets] the last of its steps
    uint32_t *since, *next; // [packets] slot after which it is where it is, the next one at that node
    uint32_t *first;        // [nodes] a packet there
};

static bool applies_rooted_flow(const struct crl_problem *problem)
{
    return crl_problem_has_root(problem) && crl_problem_packets(problem) > 0;
}

static void put(struct gather *g, uint32_t packet, uint32_t node, uint32_t since)
{
    g->since[packet] = since;
    g->next[packet] = g->first[node];
    g->first[node] = packet;
}

// A packet that is at the node before a slot leaves it. The flow says that there is one.
static uint32_t take(struct gather *g, uint32_t node, uint32_t slot)
{
    uint32_t *link = &g->first[node];
    while (g->since[*link] >= slot) link = &g->next[*link];
    uint32_t packet = *link;
    *link = g->next[packet];
    return packet;
}

static void carry(struct gather *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct crl_flow_step *s = &g->steps[i];
        uint32_t packet = take(g, s->from, s->slot);
        put(g, packet, s->to, s->slot + s->latency - 1);
        g->before[i] = g->latest[packet];
        g->latest[packet] = i;
    }
}

static uint32_t start_of(const struct gather *g, uint32_t packet)
{
    uint32_t origin, dest;
    crl_problem_packet(g->problem, packet, &origin, &dest);
    return g->turned ? crl_packet_dest(crl_problem_naming(g->problem), dest) : origin;
}

static void write_step(const struct gather *g, uint32_t packet, const struct crl_flow_step *s,
                       struct crl_schedule *schedule)
{
    uint32_t origin, dest;
    crl_problem_packet(g->problem, packet, &origin, &dest);
    struct crl_move move = {s->slot, s->from, s->to, origin, dest};
    if (g->turned) move = (struct crl_move){g->slots + 2 - s->latency - s->slot, s->to, s->from, origin, dest};
    crl_schedule_add(schedule, move);
}

// Back from the root, always by the step that brought the packet there first: what it did between is left out.
static void write_way(const struct gather *g, uint32_t packet, struct crl_schedule *schedule)
{
    uint32_t start = start_of(g, packet), node = g->problem->root;
    size_t step = g->latest[packet];
    while (node != start) {
        size_t first = step;
        for (; step != SIZE_MAX; step = g->before[step])
            if (g->steps[step].to == node) first = step;
        write_step(g, packet, &g->steps[first], schedule);
        node = g->steps[first].from;
        step = g->before[first];
    }
}

static int gather_new(struct gather *g, const struct crl_problem *problem)
{
    uint32_t nodes = crl_topology_nodes(problem->topology);
    *g = (struct gather){.problem = problem, .packets = (uint32_t)crl_problem_packets(problem)};
    g->turned = problem->collective->origins == CRL_ENDS_ROOT;
    int error = crl_rooted_flow(problem, &g->slots, &g->steps, &g->count);
    if (error) return error;
    CRL_NEW(&g->pool, g->before, g->count + 1);
    CRL_NEW(&g->pool, g->latest, g->packets);
    CRL_NEW(&g->pool, g->since, 2 * (size_t)g->packets + nodes);
    if (g->pool.failed) return CRL_ERR_MEMORY;
    g->next = g->since + g->packets;
    g->first = g->next + g->packets;
    for (uint32_t v = 0; v < nodes; v++) g->first[v] = CRL_NONE;
    for (uint32_t i = 0; i < g->packets; i++) {
        put(g, i, start_of(g, i), 0);
        g->latest[i] = SIZE_MAX;
    }
    return 0;
}

static int plan_rooted_flow(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct gather g;
    schedule->folded = false;
    int error = gather_new(&g, problem);
    if (!error) carry(&g);
    for (uint32_t i = 0; !error && i < g.packets; i++) write_way(&g, i, schedule);
    free(g.steps);
    crl_pool_done(&g.pool);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_rooted_flow[] = {
    {"scatter gather", "flow", "any to 1024 nodes", "the best that there is", NULL,
     "the greatest flow through time to or from the root", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_SEARCH,
     .applies = applies_rooted_flow, .plan = plan_rooted_flow,
     .cost = {.nodes_max = 1024, .row_ns = 2000, .search_s = 2, .pair_bytes = 400}, .claim = crl_problem_bound_slots},
    {0}};
