// SPDX-License-Identifier: Apache-2.0
// Lower bounds: computed from distances and degrees, so that they hold on any topology.
#include "base/base.h"
#include "problem/problem.h"

static uint32_t degree(const struct crl_topology *t, uint32_t node)
{
    uint32_t degree = 0;
    for (uint32_t p = 0; p < crl_topology_ports(t); p++) degree += crl_topology_neighbor(t, node, p) != CRL_NONE;
    return degree;
}

// On a symmetric network every node is like node 0.
static uint32_t nodes_that_differ(const struct crl_topology *t)
{
    return crl_topology_is_symmetric(t) ? 1 : crl_topology_nodes(t);
}

static uint64_t status(const struct crl_topology *t, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++) sum += crl_topology_distance(t, node, v);
    return sum;
}

static uint64_t status_sum(const struct crl_topology *t)
{
    uint64_t sum = 0;
    uint32_t different = nodes_that_differ(t);
    for (uint32_t v = 0; v < different; v++) sum += status(t, v);
    return sum * (crl_topology_nodes(t) / different);
}

static uint32_t eccentricity(const struct crl_topology *t, uint32_t node)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++) {
        uint32_t distance = crl_topology_distance(t, node, v);
        if (distance > most) most = distance;
    }
    return most;
}

// Slots in which one end, of `ports` usable ports, passes a packet to or from every other node: the packets that go farther
// than k hops must have passed k slots before the end, for each k.
static uint64_t one_end(const struct crl_topology *t, uint32_t node, uint32_t ports)
{
    uint64_t best = 0;
    uint32_t farthest = eccentricity(t, node);
    for (uint32_t k = 0; k < farthest; k++) {
        uint64_t beyond = 0;
        for (uint32_t v = 0; v < crl_topology_nodes(t); v++) beyond += crl_topology_distance(t, node, v) > k;
        uint64_t slots = crl_ceil_div(beyond, ports) + k;
        if (slots > best) best = slots;
    }
    return best;
}

uint64_t crl_bound_rooted(const struct crl_problem *problem)
{
    uint32_t ports = problem->ports == CRL_PORTS_SINGLE ? 1 : degree(problem->topology, problem->root);
    return one_end(problem->topology, problem->root, ports);
}

uint64_t crl_bound_broadcast(const struct crl_problem *problem)
{
    uint64_t far = eccentricity(problem->topology, problem->root);
    if (problem->ports == CRL_PORTS_ALL) return far;
    uint64_t doubling = crl_bits_for(crl_topology_nodes(problem->topology)); // one sender informs one node a slot
    return far > doubling ? far : doubling;
}

// Every node must receive N−1 packets over its links, and the farthest of them needs its distance.
uint64_t crl_bound_multinode_broadcast(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t best = 0;
    for (uint32_t v = 0; v < nodes_that_differ(t); v++) {
        uint32_t ports = problem->ports == CRL_PORTS_SINGLE ? 1 : degree(t, v);
        uint64_t load = crl_ceil_div(crl_topology_nodes(t) - UINT64_C(1), ports), far = eccentricity(t, v);
        if (load > best) best = load;
        if (far > best) best = far;
    }
    return best;
}

// Every packet crosses its distance; in a slot each link (or, single-port, each node) carries one.
uint64_t crl_bound_total_exchange(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t capacity = problem->ports == CRL_PORTS_SINGLE ? crl_topology_nodes(t) : crl_topology_links(t);
    uint64_t best = crl_ceil_div(status_sum(t), capacity);
    for (uint32_t v = 0; v < nodes_that_differ(t); v++) {
        uint64_t slots = one_end(t, v, problem->ports == CRL_PORTS_SINGLE ? 1 : degree(t, v));
        if (slots > best) best = slots;
    }
    return best;
}

uint64_t crl_transmissions_broadcast(const struct crl_problem *problem)
{
    return crl_topology_nodes(problem->topology) - UINT64_C(1);
}

uint64_t crl_transmissions_multinode_broadcast(const struct crl_problem *problem)
{
    uint64_t n = crl_topology_nodes(problem->topology);
    return n * (n - 1);
}

uint64_t crl_transmissions_rooted(const struct crl_problem *problem)
{
    return status(problem->topology, problem->root);
}

uint64_t crl_transmissions_total_exchange(const struct crl_problem *problem)
{
    return status_sum(problem->topology);
}
