// SPDX-License-Identifier: Apache-2.0
// Reductions as what they are in reversed time: reduce is broadcast, reduce-scatter is all-gather. Where the one sends
// a packet from a to b in slot t, the other sends from b to a the sum of all that b has got, in slot T + 1 − t. The
// tree over which a packet spreads is the one over which its chunk comes together. Bertsekas et al. 1991, Section 1.
#include "algorithm/algorithm.h"

// What arrives in slot t is sent in slot T + 1 − t. Of a folded schedule the rows of node 0 are kept.
static struct crl_move turn(const struct crl_schedule *s, uint32_t slots, struct crl_move m)
{
    struct crl_move back = {slots + 1 - crl_arrival_slot(s->topology, m.slot, m.src, m.dst), m.dst, m.src, m.origin,
                            m.dest};
    if (!s->folded) return back;
    back.dst = crl_topology_unshift(s->topology, back.dst, back.src);
    back.origin = crl_topology_unshift(s->topology, back.origin, back.src);
    back.src = 0;
    return back;
}

void crl_schedule_turn(struct crl_schedule *schedule, const struct crl_topology *topology)
{
    uint32_t slots = crl_schedule_slots(schedule);
    for (size_t i = 0; i < schedule->count; i++) schedule->moves[i] = turn(schedule, slots, schedule->moves[i]);
    schedule->topology = topology;
}

bool crl_applies_reduce_cube(const struct crl_problem *problem)
{
    return crl_is_hypercube(problem) && problem->chunks == 1;
}

bool crl_applies_reduce_one(const struct crl_problem *problem) { return problem->chunks == 1; }

// The chunks of a reduction to a root are the parts of the root's packet.
static void name_chunks(struct crl_schedule *s, const struct crl_problem *problem)
{
    s->naming = crl_problem_naming(problem);
    for (size_t i = 0; i < s->count && crl_problem_has_root(problem); i++) {
        s->moves[i].origin = s->moves[i].dest;
        s->moves[i].dest = 0;
    }
}

int crl_plan_reversed(struct crl_schedule *schedule, const struct crl_algorithm *algorithm,
                      const struct crl_problem *problem, struct crl_diag *diag)
{
    struct crl_turned turned;
    if (crl_problem_turned(&turned, problem)) return crl_fail_memory(diag);
    const struct crl_problem *p = &turned.problem;
    crl_schedule_init(schedule, p->topology, crl_problem_naming(p), crl_problem_is_symmetric(p));
    int error = algorithm->plan(schedule, p, diag);
    crl_schedule_turn(schedule, problem->topology);
    name_chunks(schedule, problem);
    crl_problem_turned_done(&turned);
    return error;
}
