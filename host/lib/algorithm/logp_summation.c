// SPDX-License-Identifier: Apache-2.0
// Summation, K93 Sec. 5: a processor whose label in the broadcast tree of a machine with latency L + 1 is d sends its
// sum at T − d. Those for which it would not pay even to send one operand stay out.
#include "algorithm/logp.h"
#include "base/base.h"
#include <stdlib.h>

int crl_plan_logp_summation(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    const struct crl_logp *m = &p->machine;
    // An addition after every reception: one unit more in flight, and o + 1 apart.
    struct crl_logp reversed = {m->P, m->L + 1, m->o, m->g > m->o ? m->g : m->o + 1};
    uint64_t time = p->time ? p->time : crl_logp_time_for(m, p->operands), *label = malloc(sizeof *label * m->P);
    uint32_t *parent = malloc(sizeof *parent * m->P);
    int error = time != UINT64_MAX && label && parent && !crl_logp_tree(&reversed, m->P, label, parent)
                    ? 0
                    : crl_fail_memory(diag);
    for (uint32_t q = 1; q < m->P && !error && label[q] + m->o < time; q++)
        error = crl_logp_emit(schedule, m, time - label[q], q, parent[q], 0, diag);
    free(label);
    free(parent);
    return error;
}
