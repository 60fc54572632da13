// SPDX-License-Identifier: Apache-2.0
// Planning by a row of the table, and what that needs.
#include "algorithm/algorithm.h"

bool crl_plan_folds(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    return crl_problem_is_symmetric(problem) && algorithm->symmetric && algorithm->symmetric(problem);
}

struct crl_plan_estimate crl_plan_estimate(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    uint64_t nodes = crl_topology_nodes(problem->topology), rows = crl_problem_bound_transmissions(problem);
    if (crl_plan_folds(algorithm, problem)) rows /= nodes;
    uint64_t ends = crl_problem_packets(problem) * crl_topology_ports(problem->topology);
    rows *= crl_problem_parts_a_count(problem);
    return crl_plan_estimate_of(&algorithm->cost, rows, nodes, ends);
}

bool crl_plan_is_quick(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    uint32_t most = algorithm->cost.quick_nodes;
    if (algorithm->quick) return algorithm->quick(problem);
    return !most || crl_topology_nodes(problem->topology) <= most;
}

// Of another in reversed time the claim is that one's.
uint64_t crl_plan_claim(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    struct crl_turned turned;
    if (!algorithm->claim) return UINT64_MAX;
    if (crl_algorithm_names(algorithm, crl_problem_name(problem))) return algorithm->claim(problem);
    if (crl_problem_turned(&turned, problem)) return UINT64_MAX;
    uint64_t slots = algorithm->claim(&turned.problem);
    crl_problem_turned_done(&turned);
    return slots;
}

static int refuse(const struct crl_plan_estimate *estimate, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    char advice[200] = "a smaller network would do, or a machine with more memory";
    size_t count = crl_algorithms_for(rows, problem), i = 0;
    for (; i < count; i++) {
        struct crl_plan_estimate other = crl_plan_estimate(rows[i], problem);
        if (crl_plan_fits(&other)) break;
    }
    if (i < count) snprintf(advice, sizeof advice, "--scheme %s needs less", rows[i]->scheme);
    return crl_plan_refuse(estimate, crl_problem_title(problem), crl_topology_name(problem->topology), advice, diag);
}

int crl_plan(struct crl_schedule *schedule, const struct crl_algorithm *algorithm, const struct crl_problem *problem,
             struct crl_diag *diag)
{
    struct crl_plan_estimate estimate = crl_plan_estimate(algorithm, problem);
    crl_schedule_init_for(schedule, problem, crl_problem_is_symmetric(problem));
    if (!crl_plan_fits(&estimate)) return refuse(&estimate, problem, diag);
    bool turns = !crl_algorithm_names(algorithm, crl_problem_name(problem));
    int error =
        turns ? crl_plan_reversed(schedule, algorithm, problem, diag) : algorithm->plan(schedule, problem, diag);
    if (!schedule->scheme) schedule->scheme = algorithm->scheme; // an algorithm may have fallen back on another
    if (error || !(error = crl_schedule_sort(schedule))) return error;
    return error == CRL_ERR_MEMORY ? crl_fail_memory(diag)
                                   : crl_fail(diag, error, "%s on %s has too many moves to hold",
                                              crl_problem_title(problem), crl_topology_name(problem->topology));
}
