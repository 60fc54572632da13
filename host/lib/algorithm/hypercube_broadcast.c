// SPDX-License-Identifier: Apache-2.0
// Broadcast on the hypercube by the spanning binomial tree ("completely unbalanced" in Bertsekas et al. 1991): in slot
// s every node that has the packet sends it across dimension s. d slots; no node sends or receives twice in a slot, so
// it serves both port models.
#include "algorithm/algorithm.h"

static int plan_hypercube_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                    struct crl_diag *diag)
{
    uint32_t root = problem->root;
    for (uint32_t p = 0; p < crl_topology_ports(problem->topology); p++)
        for (uint32_t v = 0; v < UINT32_C(1) << p; v++) {
            struct crl_move move = {.slot = p + 1, .src = v ^ root, .dst = v ^ root ^ UINT32_C(1) << p, .origin = root};
            if (crl_schedule_add(schedule, move)) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
        }
    return 0;
}

static uint64_t claim_diameter(const struct crl_problem *problem) { return crl_topology_ports(problem->topology); }

const struct crl_algorithm crl_rows_hypercube_broadcast[] = {
    {"broadcast", "binomial", "hypercube", "d", "B91 Sec. 1", "spanning binomial tree", .applies = crl_is_hypercube,
     .plan = plan_hypercube_broadcast, .claim = claim_diameter},
    {0}};
