// SPDX-License-Identifier: Apache-2.0
// A tree reaches its destinations one after the other, each over the cheapest way from what it has, under prices that
// rise steeply with a link's load. All trees are taken out and found again a few times.
#include "algorithm/steps.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 };

struct growing {
    const struct crl_topology *topology;
    const struct crl_demands *demands;
    uint32_t nodes, ports, slots, *load;
    uint32_t *came;  // [packets][nodes] link over which the packet comes to a node, CRL_NONE: it does not
    double *dist;    // [nodes] from the tree
    uint32_t *by;    // [nodes] the link before it on that way
    uint32_t *queue; // [nodes] of nodes whose distance has come down
    uint32_t first, waiting;
    bool *waits; // [nodes]
};

static double price(const struct growing *g, uint32_t node, uint32_t link, uint32_t to)
{
    double full = (double)g->load[link] / g->slots / crl_topology_width(g->topology, node, to), steep = full;
    for (int i = 0; i < 5; i++) steep *= steep;
    return 1 + 1000 * steep; // the 32nd power
}

static void push(struct growing *g, uint32_t node)
{
    if (g->waits[node]) return;
    g->waits[node] = true;
    g->queue[(g->first + g->waiting++) % g->nodes] = node;
}

static void relax(struct growing *g)
{
    while (g->waiting) {
        uint32_t u = g->queue[g->first];
        g->first = (g->first + 1) % g->nodes;
        g->waiting--;
        g->waits[u] = false;
        for (uint32_t p = 0; p < g->ports; p++) {
            uint32_t v = crl_topology_neighbor(g->topology, u, p), link = u * g->ports + p;
            if (v == CRL_NONE || crl_topology_port_to(g->topology, u, v) != p) continue;
            double dist = g->dist[u] + price(g, u, link, v);
            if (dist >= g->dist[v]) continue;
            g->dist[v] = dist;
            g->by[v] = link;
            push(g, v);
        }
    }
}

// Takes in a destination with the way to it.
static void attach(struct growing *g, uint32_t *came, uint32_t src, uint32_t v)
{
    for (; v != src && came[v] == CRL_NONE; v = g->by[v] / g->ports) {
        came[v] = g->by[v];
        g->load[came[v]]++;
        g->dist[v] = 0;
        push(g, v);
    }
}

static void grow(struct growing *g, const struct crl_demand *demand, uint32_t *came)
{
    for (uint32_t v = 0; v < g->nodes; v++) {
        if (came[v] != CRL_NONE) g->load[came[v]]--;
        came[v] = CRL_NONE;
        g->dist[v] = 1e300;
    }
    g->dist[demand->src] = 0;
    push(g, demand->src);
    for (;;) {
        uint32_t nearest = CRL_NONE;
        relax(g);
        for (uint32_t k = 0; k < demand->dst_count; k++) {
            uint32_t v = demand->dst[k];
            if (came[v] == CRL_NONE && (nearest == CRL_NONE || g->dist[v] < g->dist[nearest])) nearest = v;
        }
        if (nearest == CRL_NONE) return;
        attach(g, came, demand->src, nearest);
    }
}

static uint32_t depth_of(const struct growing *g, const uint32_t *came, uint32_t v)
{
    uint32_t depth = 0;
    for (; came[v] != CRL_NONE; v = came[v] / g->ports) depth++;
    return depth;
}

// The trees begin evenly in the time that the deepest leaves.
static int write_trees(const struct growing *g, struct crl_schedule *plan)
{
    uint64_t packets = crl_demands_packets(g->demands);
    uint32_t deepest = 0, spare;
    for (uint64_t i = 0; i < packets * g->nodes; i++) {
        uint32_t depth = depth_of(g, g->came + i / g->nodes * g->nodes, (uint32_t)(i % g->nodes));
        if (depth > deepest) deepest = depth;
    }
    spare = g->slots > deepest ? g->slots - deepest : 0;
    int error = 0;
    for (uint64_t i = 0; i < packets * g->nodes && !error; i++) {
        const uint32_t *came = g->came + i / g->nodes * g->nodes;
        uint32_t v = (uint32_t)(i % g->nodes), demand = crl_demands_find(g->demands, i / g->nodes);
        if (came[v] == CRL_NONE) continue;
        uint32_t slot = (uint32_t)(i / g->nodes * spare / packets) + depth_of(g, came, v);
        error = crl_schedule_add(plan, (struct crl_move){slot, came[v] / g->ports, v, demand,
                                                         (uint32_t)(i / g->nodes - g->demands->first[demand])});
    }
    return error;
}

int crl_steps_trees(struct crl_schedule *plan, const struct crl_problem *problem, uint32_t *load, uint32_t slots)
{
    uint32_t nodes = crl_topology_nodes(problem->topology);
    uint64_t packets = crl_demands_packets(problem->demands);
    struct growing g = {.topology = problem->topology,
                        .demands = problem->demands,
                        .nodes = nodes,
                        .ports = crl_topology_ports(problem->topology),
                        .slots = slots ? slots : 1,
                        .load = load};
    g.came = malloc(sizeof *g.came * (packets * nodes + 1));
    g.dist = malloc(sizeof *g.dist * nodes);
    g.by = malloc(sizeof *g.by * nodes);
    g.queue = malloc(sizeof *g.queue * nodes);
    g.waits = calloc(nodes, sizeof *g.waits);
    int error = g.came && g.dist && g.by && g.queue && g.waits ? 0 : CRL_ERR_MEMORY;
    for (uint64_t i = 0; i < packets * nodes && !error; i++) g.came[i] = CRL_NONE;
    for (uint64_t i = 0; i < ROUNDS * packets && !error; i++)
        grow(&g, &problem->demands->demand[crl_demands_find(problem->demands, i % packets)],
             g.came + i % packets * nodes);
    if (!error) error = write_trees(&g, plan);
    void *const all[] = {g.came, g.dist, g.by, g.queue, g.waits};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return error;
}
