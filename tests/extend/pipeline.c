// SPDX-License-Identifier: Apache-2.0
// A toy algorithm, for tests/extend/run: on a path every packet runs to both ends without a stop, a hop a slot. A link
// carries those from behind it one after the other, so that the last comes in slot N − 1.
#include "algorithm/algorithm.h"

static bool applies(const struct crl_problem *problem)
{
    return problem->topology->factor_count == 1 && problem->topology->factor[0].shape == CRL_PATH;
}

static uint64_t claim(const struct crl_problem *problem) { return problem->topology->nodes - 1; }

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(problem->topology);
    for (uint32_t origin = 0; origin < nodes; origin++)
        for (uint32_t v = 0; v < nodes; v++) {
            uint32_t towards = v < origin ? v + 1 : v - 1;
            struct crl_move move = {v < origin ? origin - v : v - origin, towards, v, origin, 0};
            if (v != origin && crl_schedule_add(schedule, move)) return crl_fail_memory(diag);
        }
    return 0;
}

const struct crl_algorithm crl_rows_pipeline[] = {
    {"multinode-broadcast", "pipeline", "path", "N-1", NULL, "every packet runs to both ends without a stop",
     .ports = CRL_FOR_ALL_PORTS, .applies = applies, .plan = plan, .claim = claim},
    {0}};
