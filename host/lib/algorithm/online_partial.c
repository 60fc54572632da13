// SPDX-License-Identifier: Apache-2.0
// Partial multinode broadcast, its parts, and partial exchange on tori and arrays: the schedule that on-line routers
// come to by themselves, Varvarigos & Bertsekas 1994. A partial gather is a partial exchange in reversed time (Sec. 1).
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "online/online.h"

enum { TRANSMISSIONS_MAX = 1 << 25, NODES_MAX = 1 << 16 }; // that are written down; that are looked at in every slot

static bool is_mesh(const struct crl_problem *problem)
{
    struct crl_mesh mesh;
    return problem->ports == CRL_PORTS_ALL && crl_mesh_of(&mesh, problem->topology);
}

static int refuse_too_many(const struct crl_problem *problem, struct crl_diag *diag)
{
    if (crl_topology_nodes(problem->topology) > NODES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "on-line routers are played on up to %d nodes", NODES_MAX);
    uint64_t packets = crl_problem_has_lines(problem) ? crl_problem_line_packets(problem) : problem->active_count;
    packets *= (uint64_t)crl_topology_nodes(problem->topology) * problem->parts;
    if (packets <= TRANSMISSIONS_MAX && crl_problem_bound_transmissions(problem) * problem->parts <= TRANSMISSIONS_MAX)
        return 0;
    return crl_fail(diag, CRL_ERR_LIMIT,
                    "more than %d transmissions; fewer nodes, or fewer active ones, can be planned", TRANSMISSIONS_MAX);
}

bool crl_applies_online_whole(const struct crl_problem *problem) { return problem->parts == 1 && is_mesh(problem); }
bool crl_applies_online_halves(const struct crl_problem *problem) { return problem->parts == 2 && is_mesh(problem); }
bool crl_applies_online(const struct crl_problem *problem) { return is_mesh(problem); }

bool crl_applies_online_split(const struct crl_problem *problem)
{
    return is_mesh(problem) && problem->parts == crl_mini_packets(problem->topology);
}

uint32_t crl_mini_packets(const struct crl_topology *topology)
{
    struct crl_mesh mesh;
    return crl_mesh_of(&mesh, topology) ? crl_online_parts(&mesh) : 1;
}

bool crl_algorithm_is_balanced(const struct crl_algorithm *algorithm)
{
    return algorithm->plan == crl_plan_balanced_exchange;
}

bool crl_algorithm_is_online(const struct crl_algorithm *algorithm)
{
    return algorithm->plan == crl_plan_online || crl_algorithm_is_balanced(algorithm);
}

bool crl_online_timing(const struct crl_algorithm *algorithm, const struct crl_schedule *schedule,
                       const struct crl_problem *problem, double tp, uint32_t *count_slots, double *bound)
{
    if (!crl_algorithm_is_online(algorithm)) return false;
    bool balanced = crl_algorithm_is_balanced(algorithm);
    *bound = balanced ? crl_balanced_exchange_bound(problem, tp) : crl_online_bound(problem, tp);
    // Every active node sends in the slot after counting.
    if (!schedule->count) *count_slots = 0;
    else *count_slots = balanced ? schedule->moves[0].slot - 1 : crl_online_count_slots(problem);
    return true;
}

static int finish(struct crl_schedule *schedule, struct crl_online_run *run, int error, struct crl_diag *diag)
{
    if (!error && run->faults) error = crl_fail(diag, CRL_ERR_LIMIT, "%u packets lost on line", run->faults);
    if (!error && crl_online_schedule(schedule, run)) error = crl_fail_memory(diag);
    crl_online_run_done(run);
    return error;
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, bool balanced, struct crl_diag *diag)
{
    struct crl_online_run run = {0};
    int error = refuse_too_many(problem, diag);
    if (!error) error = crl_online_run(&run, problem, balanced, 0, NULL, diag);
    return finish(schedule, &run, error, diag);
}

int crl_plan_online(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, false, diag);
}

int crl_plan_balanced_exchange(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, true, diag);
}

int crl_plan_online_gather(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct crl_problem exchange;
    int error = crl_problem_init(&exchange, "partial-exchange", problem->topology, 0, problem->ports, diag);
    if (!error) error = crl_problem_set_active(&exchange, problem->active, problem->active_count, 1, diag);
    if (!error) error = crl_plan_online(schedule, &exchange, diag);
    uint32_t last = crl_schedule_slots(schedule);
    for (size_t i = 0; i < schedule->count && !error; i++) {
        struct crl_move *m = &schedule->moves[i];
        *m = (struct crl_move){last - m->slot + 1, m->dst, m->src, m->dest, m->origin};
    }
    return error;
}
