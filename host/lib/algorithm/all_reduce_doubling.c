// SPDX-License-Identifier: Apache-2.0
// All-reduce where every dimension has two nodes, by recursive doubling: in round r neighbours in dimension (r + c) mod
// d swap what they hold of chunk c, the sum over a subcube. So as many chunks go through every dimension in a round,
// one after the other; where that takes no longer than a link, none of them waits, and with latencies λ_i the last sums
// are there after Σ λ_i − 1 + ⌈M/d⌉ slots, which entry into a node takes at least. Single-port all chunks go through
// the same dimension: Σ λ_i − 1 + M.
#include "algorithm/algorithm.h"
#include "base/base.h"

static uint32_t together(const struct crl_problem *problem)
{
    uint32_t d = problem->topology->factor_count;
    return problem->ports == CRL_PORTS_SINGLE ? problem->chunks : (uint32_t)crl_ceil_div(problem->chunks, d);
}

static bool applies_all_reduce_doubling(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].size != 2) return false;
    return t->factor_count && (t->factor_count == 1 || together(problem) <= crl_topology_latency_min(t));
}

static int plan_all_reduce_doubling(struct crl_schedule *schedule, const struct crl_problem *problem,
                                    struct crl_diag *diag)
{
    (void)diag;
    const struct crl_topology *t = problem->topology;
    uint32_t d = t->factor_count;
    bool single = problem->ports == CRL_PORTS_SINGLE;
    schedule->folded = false; // chunks go different ways
    for (uint32_t c = 0; c < problem->chunks; c++) {
        uint32_t slot = single ? c + 1 : c / d + 1;
        for (uint32_t r = 0; r < d; r++) {
            uint32_t step = t->factor[single ? r : (r + c) % d].stride;
            for (uint32_t v = 0; v < t->nodes; v++)
                crl_schedule_add(schedule, (struct crl_move){slot, v, v ^ step, c, 0});
            slot += crl_topology_link_latency(t, 0, step);
        }
    }
    return 0;
}

static uint64_t claim(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t slots = crl_ceil_div(problem->chunks, problem->ports == CRL_PORTS_ALL ? t->factor_count : 1) - 1;
    for (uint32_t i = 0; i < t->factor_count; i++) slots += crl_topology_latency(t, 0, i);
    return slots;
}

const struct crl_algorithm crl_rows_all_reduce_doubling[] = {
    {"all-reduce", "doubling", "2 x 2 x ..., few chunks or late links", "d*latency-1+ceil(M/d)", NULL,
     "dimension by dimension neighbours swap what they have; M/d chunks in the time that a link takes",
     .handles = CRL_HANDLES_LATENCY, .applies = applies_all_reduce_doubling, .plan = plan_all_reduce_doubling,
     .claim = claim},
    {0}};
