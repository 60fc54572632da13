// SPDX-License-Identifier: Apache-2.0
// All-reduce of more chunks than nodes: as many as nodes at a time, by the default scheme for these, and then the rest.
#include "algorithm/algorithm.h"
#include "base/base.h"

bool crl_applies_all_reduce_batches(const struct crl_problem *problem)
{
    return problem->chunks > crl_topology_nodes(problem->topology);
}

// Adds chunks [first, first + problem->chunks) behind what there is.
static int add_batch(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t first,
                     struct crl_diag *diag)
{
    const struct crl_algorithm *algorithm;
    struct crl_schedule batch = {0};
    uint32_t after = crl_schedule_slots(schedule);
    int error = crl_algorithm_find(&algorithm, problem, NULL, diag);
    if (!error) error = crl_plan(&batch, algorithm, problem, diag);
    if (!error) error = crl_schedule_unfold(&batch, diag);
    for (size_t i = 0; i < batch.count && !error; i++) {
        struct crl_move m = batch.moves[i];
        m.slot += after;
        m.origin += first;
        if (crl_schedule_add(schedule, m)) error = crl_fail_memory(diag);
    }
    crl_schedule_done(&batch);
    return error;
}

int crl_plan_all_reduce_batches(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(problem->topology);
    struct crl_problem some = *problem;
    int error = 0;
    schedule->folded = false;
    for (uint32_t first = 0; first < problem->chunks && !error; first += some.chunks) {
        some.chunks = problem->chunks - first < nodes ? problem->chunks - first : nodes;
        error = add_batch(schedule, &some, first, diag);
    }
    return error;
}

const struct crl_algorithm crl_rows_all_reduce_batches[] = {
    {"all-reduce", "batches", "any, more chunks than nodes", NULL, NULL,
     "as many chunks as nodes at a time, by the default scheme for these", .handles = CRL_HANDLES_LATENCY,
     .applies = crl_applies_all_reduce_batches, .plan = crl_plan_all_reduce_batches},
    {0}};
