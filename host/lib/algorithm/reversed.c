// SPDX-License-Identifier: Apache-2.0
// Collectives as what they are in reversed time: gather is scatter, reduce is broadcast, reduce-scatter is all-gather.
// Of sums, where the one sends a packet from a to b in slot t, the other sends from b to a the sum of all that b has
// got, in slot T + 1 − t. The tree over which a packet spreads is the one over which its chunk comes together.
// Bertsekas et al. 1991, Section 1.
#include "algorithm/algorithm.h"

// What arrives in slot t is sent in slot T + 1 − t. Of a folded schedule the rows of node 0 are kept.
static struct crl_move turn(const struct crl_schedule *s, uint32_t slots, struct crl_move m)
{
    struct crl_move back = {slots + 1 - crl_arrival_slot(s->topology, m.slot, m.src, m.dst), m.dst, m.src, m.origin,
                            m.dest};
    return s->folded ? crl_move_at_0(s, back) : back;
}

void crl_schedule_turn(struct crl_schedule *schedule, const struct crl_topology *topology)
{
    uint32_t slots = crl_schedule_slots(schedule);
    for (size_t i = 0; i < schedule->count; i++) schedule->moves[i] = turn(schedule, slots, schedule->moves[i]);
    schedule->topology = topology;
}

// What spread from a node comes together there; the chunks of a reduction are the parts of the packets.
static void name_packets(struct crl_schedule *s, const struct crl_problem *problem)
{
    s->naming = crl_problem_naming(problem);
    for (size_t i = 0; i < s->count; i++) {
        struct crl_move *m = &s->moves[i];
        uint32_t bits = s->naming == CRL_NAMING_SPLIT_PAIR ? CRL_PART_BITS : 0, end = m->dest >> bits;
        if (crl_naming_is_pair(s->naming)) {
            m->dest = m->origin << bits | (m->dest & ((1u << bits) - 1));
            m->origin = end;
        } else if (crl_problem_sums(problem)) {
            m->origin = crl_problem_has_root(problem) ? m->dest : m->origin * problem->parts + m->dest;
            m->dest = 0;
        }
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
    if (!error && !schedule->error && p->parts > 1)
        error = crl_schedule_unfold(schedule, diag); // parts of sums are not named alike
    crl_schedule_turn(schedule, problem->topology);
    name_packets(schedule, problem);
    crl_problem_turned_done(&turned);
    return error;
}
