// SPDX-License-Identifier: Apache-2.0
// Broadcast of one item over E(P), K93 Sec. 2; processors are numbered in the order in which they get it.
#include "algorithm/logp.h"
#include "base/base.h"
#include <stdlib.h>

int crl_plan_logp_broadcast(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    const struct crl_logp *m = &p->machine;
    uint64_t *label = malloc(sizeof *label * m->P);
    uint32_t *parent = malloc(sizeof *parent * m->P);
    int error = label && parent && !crl_logp_tree(m, m->P, label, parent) ? 0 : crl_fail_memory(diag);
    for (uint32_t q = 1; q < m->P && !error; q++)
        error = crl_logp_emit(schedule, m, label[q] - crl_logp_flight(m), parent[q], q, 0, diag);
    free(label);
    free(parent);
    return error;
}
