// SPDX-License-Identifier: Apache-2.0
// What an algorithm is made of. A new one is one file and one row of the table in table.c.
#ifndef CRL_ALGORITHM_H
#define CRL_ALGORITHM_H

#include <carillon/carillon.h>

bool crl_is_hypercube(const struct crl_problem *problem);

int crl_plan_hypercube_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_multinode_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_scatter(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_gather(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_total_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

int crl_plan_hypercube_nowait_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_nowait_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_banked_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Where these are known to find a schedule.
bool crl_applies_hypercube_nowait_exchange(const struct crl_problem *problem);
bool crl_applies_hypercube_nowait_broadcast(const struct crl_problem *problem);
bool crl_applies_hypercube_banked_broadcast(const struct crl_problem *problem);

#endif
