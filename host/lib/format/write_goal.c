// SPDX-License-Identifier: Apache-2.0
// Schedules of links as GOAL text, which LogGOPSim reads: nodes are ranks, and the tag of a message is the number of
// its packet. A send requires what it sends to have come; of sums a reception requires what it is added to to have
// left. The grammar has nothing for slots, so a comment says them.
#include "base/base.h"
#include "format/format.h"

static int write_waits(const struct crl_plan *plan, const struct crl_ranks *ranks, uint32_t move, FILE *file)
{
    CRL_OWNED uint32_t *place = NULL;
    size_t count;
    int error = crl_flow_waits(ranks->flow, plan->problem, move, &place, &count);
    for (size_t i = 0; i < count; i++) fprintf(file, "s%u requires r%u\n", move, crl_ranks_first(ranks, place[i]));
    return error;
}

static int write_event(const struct crl_plan *plan, const struct crl_ranks *ranks, uint32_t event, FILE *file)
{
    uint32_t move = event / 2;
    const struct crl_move *m = &ranks->flow->moves[move];
    unsigned long long tag = crl_problem_index(plan->problem, m->origin, m->dest);
    if (event & 1) {
        fprintf(file, "r%u: recv 1b from %u tag %llu\n", move, m->src, tag);
        for (uint32_t s = CRL_NONE; (s = crl_ranks_left(ranks, move, s)) != CRL_NONE;)
            fprintf(file, "r%u requires s%u\n", move, s);
        return 0;
    }
    fprintf(file, "// slot %u\ns%u: send 1b to %u tag %llu\n", m->slot, move, m->dst, tag);
    for (uint32_t a = CRL_NONE; (a = crl_ranks_need(ranks, move, a)) != CRL_NONE;)
        fprintf(file, "s%u requires r%u\n", move, a);
    return write_waits(plan, ranks, move, file);
}

int crl_write_goal(const struct crl_plan *plan, FILE *file, struct crl_diag *diag)
{
    CRL_ENDED(crl_flow_done) struct crl_flow flow = {0};
    CRL_ENDED(crl_ranks_done) struct crl_ranks ranks = {0};
    uint32_t nodes = crl_topology_nodes(plan->schedule->topology);
    int error = crl_flow_make(&flow, plan, diag);
    if (!error && crl_ranks_make(&ranks, &flow, plan->problem)) error = crl_fail_memory(diag);
    if (!error)
        fprintf(file, "// %s on %s in %u slots\n// collective %s\nnum_ranks %u\n", crl_problem_name(plan->problem),
                crl_topology_name(plan->schedule->topology), plan->slots, crl_problem_name(plan->problem), nodes);
    if (!error && crl_problem_has_root(plan->problem)) fprintf(file, "// root %u\n", plan->problem->root);
    for (uint32_t v = 0; v < nodes && !error; v++) {
        fprintf(file, "\nrank %u {\n", v);
        for (uint32_t i = ranks.start[v]; i < ranks.start[v + 1] && !error; i++)
            if (write_event(plan, &ranks, ranks.event[i], file)) error = crl_fail_memory(diag);
        fputs("}\n", file);
    }
    if (!error && ferror(file)) error = crl_fail(diag, CRL_ERR_IO, "cannot write the schedule");
    return error;
}
