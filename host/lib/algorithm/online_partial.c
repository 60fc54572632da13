// SPDX-License-Identifier: Apache-2.0
// Partial multinode broadcast, its parts, and partial exchange on tori and arrays: the schedule that on-line routers
// come to by themselves, Varvarigos & Bertsekas 1994. A partial gather is a partial exchange in reversed time (Sec. 1).
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "online/online.h"
#include <math.h>

enum { TRANSMISSIONS_MAX = 1 << 25, NODES_MAX = 1 << 16 }; // that are written down; that are looked at in every slot

static bool is_mesh(const struct crl_problem *problem)
{
    struct crl_mesh mesh;
    return crl_mesh_of(&mesh, problem->topology);
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

uint32_t crl_mini_packets(const struct crl_topology *topology)
{
    struct crl_mesh mesh;
    return crl_mesh_of(&mesh, topology) ? crl_online_parts(&mesh) : 1;
}

bool crl_online_timing(const struct crl_algorithm *algorithm, const struct crl_schedule *schedule,
                       const struct crl_problem *problem, double tp, uint32_t *count_slots, double *bound)
{
    if (!crl_algorithm_is(algorithm, CRL_HANDLES_ONLINE)) return false;
    bool balanced = crl_algorithm_is(algorithm, CRL_HANDLES_BALANCED);
    *bound = balanced ? crl_balanced_exchange_bound(problem, tp) : crl_online_bound(problem, tp);
    // Every active node sends in the slot after counting.
    if (!schedule->count) *count_slots = 0;
    else *count_slots = balanced ? schedule->moves[0].slot - 1 : crl_online_count_slots(problem);
    return true;
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, bool balanced, struct crl_diag *diag)
{
    struct crl_online_run run = {0};
    int error = refuse_too_many(problem, diag);
    if (!error) error = crl_online_run(&run, problem, balanced, 0, NULL, diag);
    if (!error && run.faults) error = crl_fail(diag, CRL_ERR_LIMIT, "%u packets lost on line", run.faults);
    if (!error && crl_online_schedule(schedule, &run)) error = crl_fail_memory(diag);
    crl_online_run_done(&run);
    return error;
}

static int plan_online(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, false, diag);
}

static int plan_balanced_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                  struct crl_diag *diag)
{
    return plan(schedule, problem, true, diag);
}

static int plan_online_gather(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return crl_plan_reversed(schedule, &(struct crl_algorithm){.plan = plan_online}, problem, diag);
}

// What is proved of its time, counting included, in slots.
static uint64_t slots_of(double time, uint32_t parts)
{
    return isnan(time) ? UINT64_MAX : (uint64_t)(time * parts + 1e-6);
}

static uint64_t claim(const struct crl_problem *problem)
{
    return slots_of(crl_online_bound(problem, 1.0 / problem->parts), problem->parts);
}

static uint64_t claim_balanced(const struct crl_problem *problem)
{
    return slots_of(crl_balanced_exchange_bound(problem, 1.0 / problem->parts), problem->parts);
}

static uint64_t claim_sides(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t slots = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) slots += t->factor[i].size - 1;
    return slots;
}

static uint32_t splits_in_halves(const struct crl_topology *topology)
{
    (void)topology;
    return 2;
}

const struct crl_algorithm crl_rows_online_partial[] = {
    {"partial-multinode-broadcast", "whole", "torus, mesh", "(5b), (6b)", "V94 Sec. 3.2",
     "on line: count, pack, broadcast; a packet is routed by its rank mod d", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE, .applies = is_mesh, .plan = plan_online, .claim = claim},
    {"partial-multinode-broadcast", "split", "torus, mesh", "(5a), (6a), in mini packets", "V94 Sec. 3.1",
     "on line: count, pack, broadcast; packets split into d parts, 2d on a torus", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE | CRL_HANDLES_PARTS, .applies = is_mesh, .plan = plan_online,
     .splits = crl_mini_packets, .claim = claim},
    {"prefix", "crossing", "torus, mesh", "d(p-1); the paper's has 2d(p-1)", "V94 Sec. 3.1, Phase 1",
     "on line: sums from both ends of every line, dimension by dimension", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE, .applies = is_mesh, .plan = plan_online, .claim = claim_sides},
    {"packing", "greedy", "torus, mesh", "d(p-1) after counting", "V94 Theorem 3",
     "on line: count, then to the node whose number is the rank, digit by digit", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE, .applies = is_mesh, .plan = plan_online, .claim = claim},
    {"monotone-routing", "greedy", "torus, mesh", "2d(p-1) after counting", "V94 Theorem 4",
     "on line: packing, then to the destination, dimensions in reversed order", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE, .applies = is_mesh, .plan = plan_online, .claim = claim},
    {"line-broadcast", "whole", "torus, mesh", "K+p-2; on a ring K+floor(p/2)-1", "V94 Theorem 2",
     "on line: pass on what comes, else send the next of your own", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE, .applies = is_mesh, .plan = plan_online, .claim = claim},
    {"line-broadcast", "split", "with rings of 3 and more", "(K+p-2)/2", "V94 Theorem 2",
     "on line, in halves, each round the ring in its own direction", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE | CRL_HANDLES_PARTS, .applies = is_mesh, .plan = plan_online,
     .splits = splits_in_halves, .claim = claim},
    {"partial-exchange", "classes", "torus, mesh", "p x p: 2m(N-p)+2(p-1)+p, m=floor(sqrt(M))", "V94 Sec. 4",
     "on line: dimensions in an order that starts along the emptiest line", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE, .applies = is_mesh, .plan = plan_online, .claim = claim},
    {"partial-exchange", "balanced", "torus, mesh", "p^d: d(m(N-N/p)+p-1), m=floor(M^(1/d))", NULL,
     "on line, counting until no line has more than m nodes that start along it", .ports = CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_ONLINE | CRL_HANDLES_BALANCED, .applies = is_mesh, .plan = plan_balanced_exchange,
     .claim = claim_balanced},
    {"partial-gather", "reversed", "torus, mesh", "as partial-exchange", "V94 Sec. 1",
     "partial exchange in reversed time", .ports = CRL_FOR_ALL_PORTS, .applies = is_mesh, .plan = plan_online_gather,
     .claim = claim},
    {0}};
