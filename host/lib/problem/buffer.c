// SPDX-License-Identifier: Apache-2.0
// How large the buffer of a collective is, by whose bytes bandwidth is counted: as nccl-tests counts it.
#include "base/base.h"
#include "problem/problem.h"
#include <stdlib.h>

// The most that a node has, or gets, of what demands say.
static uint64_t most_of_demands(const struct crl_demands *d, uint32_t nodes)
{
    uint64_t most = 0, *at = calloc((size_t)nodes * 2, sizeof *at);
    for (uint32_t i = 0; at && d && i < d->count; i++) {
        const struct crl_demand *demand = &d->demand[i];
        at[2 * demand->src] += demand->packets;
        for (uint32_t k = 0; k < demand->dst_count; k++) at[2 * demand->dst[k] + 1] += demand->packets;
    }
    for (uint32_t i = 0; at && i < 2 * nodes; i++)
        if (at[i] > most) most = at[i];
    free(at);
    return most;
}

static uint64_t most_wanted(const struct crl_problem *problem)
{
    uint64_t most = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(problem->topology); v++) {
        uint64_t wanted = crl_problem_wanted(problem, v);
        if (wanted > most) most = wanted;
    }
    return most;
}

uint64_t crl_problem_buffer(const struct crl_problem *problem)
{
    if (crl_problem_has_demands(problem))
        return most_of_demands(problem->demands, crl_topology_nodes(problem->topology));
    if (crl_problem_sums(problem)) return problem->chunks;
    if (problem->collective->rule) return most_wanted(problem);
    if (problem->collective->naming == CRL_NAMING_ORIGIN) return crl_problem_packets(problem);
    return (uint64_t)problem->host_count * problem->parts;
}
