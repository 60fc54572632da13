// SPDX-License-Identifier: Apache-2.0
// Parallel prefix: every node has a value and learns the sum over the nodes up to itself, and that over all. A packet
// first-last is the sum over these nodes and those between.
#include "base/base.h"
#include "problem/problem.h"
#include "topology/topology.h"

static uint64_t nodes_of(const struct crl_problem *problem) { return crl_topology_nodes(problem->topology); }

static uint64_t packets(const struct crl_problem *problem) { return nodes_of(problem) * nodes_of(problem); }

static void packet(const struct crl_problem *problem, uint64_t index, uint32_t *first, uint32_t *last)
{
    *first = (uint32_t)(index / nodes_of(problem));
    *last = (uint32_t)(index % nodes_of(problem));
}

static uint64_t packet_index(const struct crl_problem *problem, uint32_t first, uint32_t last)
{
    return first <= last && last < nodes_of(problem) ? first * nodes_of(problem) + last : UINT64_MAX;
}

static bool wants(const struct crl_problem *problem, uint32_t first, uint32_t last, uint32_t node)
{
    return first == 0 && (last == node || last + UINT64_C(1) == nodes_of(problem));
}

static uint64_t wanted(const struct crl_problem *problem, uint32_t node)
{
    return node + UINT64_C(1) == nodes_of(problem) ? 1 : 2;
}

const struct crl_packet_rule crl_rule_ranges = {packets, packet, packet_index, wants, wanted, NULL};

// All values reach every node: the farthest of node 0, and of the last.
uint64_t crl_bound_prefix(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint32_t nodes = crl_topology_nodes(t), far = 0;
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t up = crl_topology_distance(t, 0, v), down = crl_topology_distance(t, nodes - 1, v);
        if (up > far) far = up;
        if (down > far) far = down;
    }
    return far;
}

// Before the first node knows the sum of all, every other one has sent; after that, every other one receives.
uint64_t crl_transmissions_prefix(const struct crl_problem *problem) { return 2 * (nodes_of(problem) - 1); }
