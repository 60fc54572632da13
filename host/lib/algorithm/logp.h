// SPDX-License-Identifier: Apache-2.0
// What an algorithm on a LogP machine is made of. A new one is one file and one row of the table in logp_table.c.
#ifndef CRL_ALGORITHM_LOGP_H
#define CRL_ALGORITHM_LOGP_H

#include <carillon/logp.h>

// Adds a send that is received when it arrives. Reports what goes wrong.
int crl_logp_emit(struct crl_logp_schedule *schedule, const struct crl_logp *machine, uint64_t time, uint32_t src,
                  uint32_t dst, uint32_t item, struct crl_diag *diag);

int crl_plan_logp_broadcast(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);
int crl_plan_logp_all_to_all(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);
int crl_plan_logp_summation(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);

#endif
