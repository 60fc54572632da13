// SPDX-License-Identifier: Apache-2.0
// Broadcast of one item over E(P), K93 Sec. 2; processors are numbered in the order in which they get it. And
// summation, Sec. 5: a processor whose label in the broadcast tree of a machine with latency L + 1 is d sends its sum
// at T − d. Those for which it would not pay even to send one operand stay out.
#include "machine/logp/plan.h"
#include "base/pool.h"

// Over the tree of `planned`, from the root or, by a time, towards it.
static int plan_over(const struct crl_logp *planned, const uint64_t *by, struct crl_logp_schedule *schedule,
                     const struct crl_logp_problem *p, struct crl_diag *diag)
{
    const struct crl_logp *m = &p->machine;
    struct crl_pool pool = {0};
    uint64_t *label = CRL_NEW(&pool, label, m->P);
    uint32_t *parent = CRL_NEW(&pool, parent, m->P);
    int error = !pool.failed && !crl_logp_tree(planned, m->P, label, parent) ? 0 : crl_fail_memory(diag);
    for (uint32_t q = 1; !error && q < m->P && (!by || label[q] + m->o < *by); q++)
        if (by) crl_logp_emit(schedule, m, *by - label[q], q, parent[q], 0, diag);
        else crl_logp_emit(schedule, m, label[q] - crl_logp_flight(m), parent[q], q, 0, diag);
    crl_pool_done(&pool);
    return error;
}

int crl_plan_logp_broadcast(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    return plan_over(&p->machine, NULL, schedule, p, diag);
}

int crl_plan_logp_summation(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    const struct crl_logp *m = &p->machine;
    // An addition after every reception: one unit more in flight, and o + 1 apart.
    struct crl_logp reversed = {m->P, m->L + 1, m->o, m->g > m->o ? m->g : m->o + 1};
    uint64_t time = p->time ? p->time : crl_logp_time_for(m, p->operands);
    return time == UINT64_MAX ? crl_fail_memory(diag) : plan_over(&reversed, &time, schedule, p, diag);
}
