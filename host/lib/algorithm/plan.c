// SPDX-License-Identifier: Apache-2.0
// Planning by a row of the table, and what that needs.
#include "algorithm/algorithm.h"
#include "base/memory.h"

struct crl_plan_estimate crl_plan_estimate_of(const struct crl_plan_cost *cost, uint64_t rows, uint64_t nodes,
                                              uint64_t queued)
{
    enum { ROW_NS = 60, NODE_BYTES = 512 }; // where the row does not say; distances, queues and trees
    struct crl_plan_estimate e = {.rows = rows};
    double ns = (double)rows * (cost->row_ns ? cost->row_ns : ROW_NS);
    double bytes = (double)rows * CRL_PLAN_ROW_BYTES + (double)nodes * NODE_BYTES +
                   (double)nodes * (double)nodes * cost->pair_bytes + (double)queued * cost->port_bytes;
    e.bytes = bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX;
    e.seconds = ns / 1e9 + cost->search_s;
    return e;
}

static uint64_t usable(void)
{
    uint64_t available = crl_memory_available();
    return available - available / 8;
}

bool crl_plan_fits(const struct crl_plan_estimate *e) { return e->rows < UINT32_MAX - 1 && e->bytes <= usable(); }

static const char *time_text(double seconds, char text[32])
{
    if (seconds < 600) snprintf(text, 32, "%.0f s", seconds < 1 ? 1 : seconds);
    else if (seconds < 36000) snprintf(text, 32, "%.0f min", seconds / 60);
    else snprintf(text, 32, "%.0f h", seconds / 3600);
    return text;
}

int crl_plan_refuse(const struct crl_plan_estimate *e, const char *what, const char *where, const char *advice,
                    struct crl_diag *diag)
{
    char need[32], free[32], time[32], have[64] = "a list has at most 2^32 rows";
    if (e->bytes > usable()) snprintf(have, sizeof have, "%s are free", crl_memory_text((double)usable(), free));
    return crl_fail(diag, CRL_ERR_LIMIT, "%s on %s is too large: '%llu' rows, about %s of memory and %s; %s; %s", what,
                    where, (unsigned long long)e->rows, crl_memory_text((double)e->bytes, need),
                    time_text(e->seconds, time), have, advice);
}

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

uint32_t crl_plan_effort(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    if (problem->effort) return problem->effort;
    return algorithm->seconds ? algorithm->seconds(problem) : algorithm->cost.search_s;
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
