// SPDX-License-Identifier: Apache-2.0
// A total exchange of split packets, part by part: the exchange of whole packets by the default scheme, once a part.
// Where that keeps all links busy in every slot, as on cubes and most tori, nothing is better.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "topology/topology.h"

bool crl_applies_repeated_exchange(const struct crl_problem *problem)
{
    return problem->parts > 1 && problem->topology->factor_count && !crl_topology_has(problem->topology, CRL_GRAPH);
}

int crl_plan_repeated_exchange(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_algorithm *algorithm;
    struct crl_problem whole = *problem;
    struct crl_schedule once = {0};
    whole.parts = 1;
    whole.priced = NULL; // those of the parts prove more slots
    schedule->folded = false;
    int error = crl_algorithm_find(&algorithm, &whole, NULL, diag);
    if (!error) error = crl_plan(&once, algorithm, &whole, diag);
    if (!error) error = crl_schedule_unfold(&once, diag);
    uint32_t slots = error ? 0 : crl_schedule_slots(&once);
    for (uint32_t part = 0; part < problem->parts && !error; part++)
        for (size_t i = 0; i < once.count && !error; i++) {
            struct crl_move m = once.moves[i];
            m.slot += part * slots;
            m.dest = m.dest << CRL_PART_BITS | part;
            if (crl_schedule_add(schedule, m)) error = crl_fail_memory(diag);
        }
    crl_schedule_done(&once);
    return error;
}
