// SPDX-License-Identifier: Apache-2.0
// Lower bounds: computed from distances and degrees, so that they hold on any topology.
#include "base/base.h"
#include "problem/bound_prices.h"
#include "problem/problem.h"
#include "topology/topology.h"
#include <stdlib.h>

// Slots in which one end passes a packet to or from every other node. Without memory to count them: in which it passes
// as many, from however near.
static uint64_t one_end(const struct crl_problem *problem, uint32_t node, bool inward)
{
    const struct crl_topology *t = problem->topology;
    uint64_t ports = crl_ports_in_use(problem, node, inward);
    uint64_t others = (crl_topology_nodes(t) - UINT64_C(1)) * problem->parts;
    uint32_t farthest = crl_topology_eccentricity(t, node, inward);
    CRL_OWNED uint64_t *packets = calloc(farthest + UINT64_C(1), sizeof *packets);
    if (!packets) return others ? crl_ceil_div(others, ports) : 0;
    crl_topology_count_distances(t, node, inward, packets);
    packets[0] = 0; // none to itself
    for (uint32_t d = 1; d <= farthest; d++) packets[d] *= problem->parts;
    return crl_slots_by_distance(packets, farthest, ports);
}

uint64_t crl_bound_rooted(const struct crl_problem *problem)
{
    bool inward = problem->collective->origins == CRL_ENDS_ALL;
    return one_end(problem, problem->root, inward);
}

// Single-port, who knows tells one other a slot: so of the nodes d hops or more away, and within reach, as many have
// been told by slot s as before, and one more for each that is d − 1 hops or more away and had been told before.
static uint64_t telling(const struct crl_topology *t, uint32_t root, uint32_t far)
{
    uint64_t *at = calloc(2 * (far + UINT64_C(2)), sizeof *at), *told = at + far + 2, slots = 0;
    if (!at) return far; // out of memory: the distance alone
    crl_topology_count_distances(t, root, false, at);
    told[0] = 1;
    for (bool all = far == 0; !all;) {
        uint64_t within = 0, beyond = 0;
        all = true;
        slots++;
        for (uint32_t d = far + 1; d-- > 0;) { // from the far end, so that the nearer are still those of before
            beyond += at[d];
            within += d <= slots ? at[d] : 0;
            told[d] += told[d ? d - 1 : 0];
            if (told[d] > within) told[d] = within;
            all &= told[d] == beyond;
        }
    }
    free(at);
    return slots;
}

uint64_t crl_bound_broadcast(const struct crl_problem *problem)
{
    uint32_t far = crl_topology_eccentricity(problem->topology, problem->root, false);
    if (problem->ports == CRL_PORTS_ALL) return far; // of parts crl_bound_flow knows more
    // The root sends one part a slot, and the last that it sends at all is told like any other from then on.
    return problem->parts - UINT64_C(1) + telling(problem->topology, problem->root, far);
}

// Single-port, where all links lead between two halves: the larger half gets (N−1) packets a node, and from each node
// of the other half at most one a slot. 0: there are no such halves.
static uint64_t halves(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
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
    return small ? crl_ceil_div((nodes - small) * (nodes - 1) * problem->parts, small) : 0;
}

// Every node must receive N−1 packets over its links, part by part, and the farthest of them needs its distance.
uint64_t crl_bound_multinode_broadcast(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t best = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++) {
        if (crl_topology_has_mirror(t, v)) continue;
        uint64_t packets = (crl_topology_nodes(t) - UINT64_C(1)) * problem->parts;
        uint64_t load = crl_ceil_div(packets, crl_ports_in_use(problem, v, true));
        uint64_t far = crl_topology_eccentricity(t, v, true);
        if (load > best) best = load;
        if (far > best) best = far;
    }
    uint64_t apart = problem->ports == CRL_PORTS_SINGLE && !crl_topology_is_symmetric(t) ? halves(problem) : 0;
    return apart > best ? apart : best;
}

// Cuts a factor, and with it the network, in two: every node of the first part has a packet for every node of the
// second, and the links from part to part must carry them all.
static uint64_t total_exchange_cut(const struct crl_topology *t, uint64_t parts)
{
    uint64_t best = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint64_t copies = t->nodes / f->size;
        for (uint64_t a = 1; a < f->size; a++) {
            uint64_t packets =
                parts * a * copies * (f->size - a); // of one copy: as many times more over as many times more links
            uint64_t slots = crl_ceil_div(packets, crl_factor_cut(f, a));
            if (slots > best) best = slots;
        }
    }
    return best;
}

// Single-port, the middle layer of a path factor: with k copies of the path, the layer sends the packets that pass it,
// k²·2x(m − 1 − x), and its own, k²(m − 1) to other layers and k(k − 1) to itself. Its k nodes send one a slot.
static uint64_t middle_layer(const struct crl_topology *t, uint64_t parts)
{
    uint64_t best = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        uint64_t last = t->factor[i].size - UINT64_C(1), copies = t->nodes / t->factor[i].size, middle = last / 2;
        uint64_t slots = parts * (copies * (2 * middle * (last - middle) + last) + copies - 1);
        if (t->factor[i].shape == CRL_PATH && slots > best) best = slots;
    }
    return best;
}

// Every packet crosses its distance, and the cuts between its ends; in a slot each link (or, single-port, each node)
// carries one.
uint64_t crl_bound_total_exchange(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t capacity = problem->ports == CRL_PORTS_SINGLE ? crl_topology_nodes(t) : crl_topology_links(t);
    uint64_t best = crl_ceil_div(crl_topology_status_sum(t) * problem->parts, capacity);
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++) {
        uint64_t slots = crl_topology_has_mirror(t, v) ? 0 : one_end(problem, v, false);
        if (slots > best) best = slots;
    }
    uint64_t cut = total_exchange_cut(t, problem->parts);
    uint64_t layer = problem->ports == CRL_PORTS_SINGLE ? middle_layer(t, problem->parts) : 0;
    if (cut > best) best = cut;
    if (layer > best) best = layer;
    uint64_t priced = crl_bound_prices(problem);
    return priced > best ? priced : best;
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
