// SPDX-License-Identifier: Apache-2.0
// Lower bounds where some nodes only forward: packets are those of hosts, ways and links those of all.
#include "base/base.h"
#include "problem/bound_prices.h"
#include "problem/problem.h"

static uint64_t at_least(uint64_t best, uint64_t bound) { return bound > best ? bound : best; }

// Sum of the distances that packets of one destination each must go.
static uint64_t distances(const struct crl_problem *p)
{
    const struct crl_collective *c = p->collective;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < crl_ends_count(p, c->origins); i++)
        for (uint64_t k = 0; k < crl_ends_count(p, c->dests); k++)
            sum += crl_topology_distance(p->topology, crl_ends_node(p, c->origins, i), crl_ends_node(p, c->dests, k));
    return sum;
}

// Every packet that is for all arrives at each host but its origin, from however near.
uint64_t crl_transmissions_hosts(const struct crl_problem *p)
{
    const struct crl_collective *c = p->collective;
    if (c->naming == CRL_NAMING_PAIR) return distances(p);
    return crl_ends_count(p, c->origins) * (p->host_count - UINT64_C(1));
}

// Single-port, those who know can at most double in a slot, switches among them.
static uint64_t doubling(const struct crl_problem *p)
{
    uint64_t slots = 0;
    while (UINT64_C(1) << slots < p->host_count) slots++;
    return slots;
}

uint64_t crl_bound_both_ends(const struct crl_problem *p, uint32_t *x)
{
    const struct crl_topology *t = p->topology;
    uint64_t pairs = p->host_count * (p->host_count - UINT64_C(1)), room = 0, best = 0, farther = 1;
    for (uint32_t i = 0; i < p->host_count; i++)
        room += crl_ports_in_use(p, p->hosts[i], false) + crl_ports_in_use(p, p->hosts[i], true);
    for (uint32_t hops = 0; room && farther; hops++) {
        farther = 0;
        for (uint64_t i = 0; i < p->host_count; i++)
            for (uint64_t k = 0; k < p->host_count; k++)
                farther += crl_topology_distance(t, p->hosts[i], p->hosts[k]) > hops;
        uint64_t slots = hops + crl_ceil_div((pairs + farther) * p->parts, room);
        if (slots <= 2 * (uint64_t)hops || slots <= best) continue; // one packet could be in neither
        best = slots;
        *x = hops;
    }
    return best;
}

uint64_t crl_bound_hosts(const struct crl_problem *p)
{
    const struct crl_topology *t = p->topology;
    const struct crl_collective *c = p->collective;
    bool single = p->ports == CRL_PORTS_SINGLE, all = c->origins == CRL_ENDS_ALL && c->dests == CRL_ENDS_ALL;
    uint64_t latency = crl_topology_latency_min(t), room = single ? crl_topology_nodes(t) : crl_topology_links(t);
    uint64_t best = crl_bound_ends(p);
    if (p->host_count < 2) return 0;
    // The last of what links, or nodes, carry in turn is sent a latency before the end.
    best = at_least(best, crl_ceil_div(crl_transmissions_hosts(p) * p->parts, room) + latency - 1);
    if (single && c->naming == CRL_NAMING_ORIGIN) best = at_least(best, doubling(p) + latency - 1);
    uint32_t x;
    bool exchange = all && c->naming == CRL_NAMING_PAIR;
    if (exchange && crl_topology_latency_max(t) == 1) best = at_least(best, crl_bound_both_ends(p, &x));
    bool apart = single && latency != crl_topology_latency_max(t); // packets sent in two slots may arrive in one
    if (exchange && !apart) {
        uint64_t priced = crl_bound_prices(p);
        if (priced) best = at_least(best, priced + latency - 1);
    }
    return best;
}
