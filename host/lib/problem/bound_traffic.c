// SPDX-License-Identifier: Apache-2.0
// Lower bounds of traffic.
#include "base/base.h"
#include "problem/problem.h"

// The packets of a demand leave its source one after the other, over all its links at once.
static uint64_t alone(const struct crl_problem *p, const struct crl_demand *demand)
{
    uint64_t farthest = 0, ports = crl_ports_in_use(p, demand->src, false);
    for (uint32_t k = 0; k < demand->dst_count; k++) {
        uint64_t delay = crl_topology_delay(p->topology, demand->src, demand->dst[k]);
        if (delay > farthest) farthest = delay;
    }
    return demand->release - 1 + crl_ceil_div(demand->packets, ports) - 1 + farthest;
}

uint64_t crl_bound_traffic(const struct crl_problem *p)
{
    uint64_t best = 0;
    for (uint32_t i = 0; p->demands && i < p->demands->count; i++) {
        uint64_t slots = alone(p, &p->demands->demand[i]);
        if (slots > best) best = slots;
    }
    return best;
}
