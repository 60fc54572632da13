// SPDX-License-Identifier: Apache-2.0
// Lower bounds: computed from distances and degrees, so that they hold on any topology.
#include "base/base.h"
#include "problem/load.h"
#include "problem/problem.h"
#include "topology/topology.h"
#include <stdlib.h>

// Slots in which one end passes a packet to or from every other node. Without memory to count them: in which it passes
// as many, from however near.
static uint64_t one_end(const struct crl_problem *problem, uint32_t node, bool inward)
{
    const struct crl_topology *t = problem->topology;
    uint64_t ports = crl_ports_in_use(problem, node, inward), others = crl_topology_nodes(t) - UINT64_C(1);
    uint32_t farthest = crl_topology_eccentricity(t, node, inward);
    uint64_t *packets = calloc(farthest + UINT64_C(1), sizeof *packets);
    if (!packets) return others ? crl_ceil_div(others, ports) : 0;
    crl_topology_count_distances(t, node, inward, packets);
    packets[0] = 0; // none to itself
    uint64_t slots = crl_slots_by_distance(packets, farthest, ports);
    free(packets);
    return slots;
}

uint64_t crl_bound_rooted(const struct crl_problem *problem)
{
    bool inward = problem->collective->origins == CRL_ENDS_ALL;
    return one_end(problem, problem->root, inward);
}

// Whether one neighbour of the root, the first that it informs, is on shortest paths to all nodes that are `far` hops
// away. If not, the root sends towards some of them in the second slot only.
static bool leads_to_all_farthest(const struct crl_topology *t, uint32_t root, uint32_t far)
{
    for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
        uint32_t u = crl_topology_neighbor(t, root, p), v = 0;
        if (u == CRL_NONE) continue;
        while (v < crl_topology_nodes(t) &&
               (crl_topology_distance(t, root, v) < far || crl_topology_distance(t, u, v) < far))
            v++;
        if (v == crl_topology_nodes(t)) return true;
    }
    return far == 0;
}

uint64_t crl_bound_broadcast(const struct crl_problem *problem)
{
    uint64_t far = crl_topology_eccentricity(problem->topology, problem->root, false);
    if (problem->ports == CRL_PORTS_ALL) return far;
    uint64_t doubling = crl_bits_for(crl_topology_nodes(problem->topology)); // one sender informs one node a slot
    far += !leads_to_all_farthest(problem->topology, problem->root, (uint32_t)far);
    return far > doubling ? far : doubling;
}

// Single-port, where all links lead between two halves: the larger half gets (N−1) packets a node, and from each node
// of the other half at most one a slot. 0: there are no such halves.
static uint64_t halves(const struct crl_topology *t)
{
    uint64_t nodes = crl_topology_nodes(t), odd = 0;
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t mine = crl_topology_distance(t, 0, v) % 2;
        odd += mine;
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t u = crl_topology_neighbor(t, v, p);
            if (u != CRL_NONE && crl_topology_distance(t, 0, u) % 2 == mine) return 0;
        }
    }
    uint64_t small = odd * 2 < nodes ? odd : nodes - odd;
    return small ? crl_ceil_div((nodes - small) * (nodes - 1), small) : 0;
}

// Every node must receive N−1 packets over its links, and the farthest of them needs its distance.
uint64_t crl_bound_multinode_broadcast(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t best = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++) {
        if (crl_topology_has_mirror(t, v)) continue;
        uint64_t load = crl_ceil_div(crl_topology_nodes(t) - UINT64_C(1), crl_ports_in_use(problem, v, true));
        uint64_t far = crl_topology_eccentricity(t, v, true);
        if (load > best) best = load;
        if (far > best) best = far;
    }
    uint64_t apart = problem->ports == CRL_PORTS_SINGLE && !crl_topology_is_symmetric(t) ? halves(t) : 0;
    return apart > best ? apart : best;
}

// Cuts a factor, and with it the network, in two: every node of the first part has a packet for every node of the
// second, and the links from part to part must carry them all.
static uint64_t total_exchange_cut(const struct crl_topology *t)
{
    uint64_t best = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint64_t copies = t->nodes / f->size;
        for (uint64_t a = 1; a < f->size; a++) {
            uint64_t packets =
                a * copies * (f->size - a); // of one copy: as many times more over as many times more links
            uint64_t slots = crl_ceil_div(packets, crl_factor_cut(f, a));
            if (slots > best) best = slots;
        }
    }
    return best;
}

// Every packet crosses its distance, and the cuts between its ends; in a slot each link (or, single-port, each node)
// carries one.
uint64_t crl_bound_total_exchange(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t capacity = problem->ports == CRL_PORTS_SINGLE ? crl_topology_nodes(t) : crl_topology_links(t);
    uint64_t best = crl_ceil_div(crl_topology_status_sum(t), capacity);
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++) {
        uint64_t slots = crl_topology_has_mirror(t, v) ? 0 : one_end(problem, v, false);
        if (slots > best) best = slots;
    }
    uint64_t cut = total_exchange_cut(t), load = problem->ports == CRL_PORTS_SINGLE ? crl_load_bound(t) : 0;
    if (cut > best) best = cut;
    return load > best ? load : best;
}

// The N − 1 packets of a node start in different slots, N/2 in the mean or later, and those for a node end in different
// slots, T − N/2 + 1 in the mean or earlier. Between the two lies the mean distance less 1, so T ≥ N − 2 + it.
uint64_t crl_problem_bound_one_bank(const struct crl_problem *problem)
{
    uint64_t n = crl_topology_nodes(problem->topology), best = crl_problem_bound_slots(problem);
    uint64_t turns = n < 2 ? 0 : n - 2 + crl_ceil_div(crl_topology_status_sum(problem->topology), n * (n - 1));
    return turns > best ? turns : best;
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
    uint64_t sum = 0; // of a scatter it is the root's status
    if (problem->collective->origins == CRL_ENDS_ROOT) return crl_topology_status(problem->topology, problem->root);
    for (uint32_t v = 0; v < crl_topology_nodes(problem->topology); v++)
        sum += crl_topology_distance(problem->topology, v, problem->root);
    return sum;
}

uint64_t crl_transmissions_total_exchange(const struct crl_problem *problem)
{
    return crl_topology_status_sum(problem->topology);
}
