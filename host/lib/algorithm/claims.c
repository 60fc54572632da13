// SPDX-License-Identifier: Apache-2.0
// What several rows ask of a problem, and what several promise.
#include "algorithm/algorithm.h"
#include "topology/topology.h"

bool crl_is_hypercube(const struct crl_problem *problem) { return problem->topology->kind == &crl_topology_hypercube; }

bool crl_is_product(const struct crl_problem *problem) { return problem->topology->factor_count > 0; }

bool crl_is_any(const struct crl_problem *problem)
{
    (void)problem;
    return true;
}

uint64_t crl_claim_cube(const struct crl_problem *problem)
{
    return crl_ceil_div(problem->topology->nodes - 1, problem->topology->ports);
}

uint64_t crl_claim_half(const struct crl_problem *problem) { return problem->topology->nodes / 2; }

// With a single port whoever has the packet tells one more in every slot, at first at least.
uint64_t crl_claim_far(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint32_t far = 0;
    for (uint32_t v = 0; v < t->nodes; v++)
        if (crl_topology_delay(t, problem->root, v) > far) far = crl_topology_delay(t, problem->root, v);
    if (problem->ports == CRL_PORTS_ALL) return far;
    return crl_topology_latency_max(t) == 1 ? t->nodes - 1 : UINT64_MAX;
}
