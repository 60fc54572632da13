// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_LOGP_LOWER_H
#define CRL_LOGP_LOWER_H

#include "machine/logp/image.h"

// Compiles a checked schedule to tables and placements. `time` is that of the checker's report (summation only). Fails
// with CRL_ERR_UNSUPPORTED where the hardware cannot play it: L = 0, too many processors or too long a latency, two
// messages that wait at once.
int crl_logp_lower(struct crl_logp_image *image, const struct crl_logp_schedule *schedule,
                   const struct crl_logp_problem *problem, uint64_t time, const char *scheme, uint32_t words,
                   uint32_t data_width, struct crl_diag *diag);
// Reads the tables of an image back into a schedule, in canonical order, by following every word. Fails with
// CRL_ERR_MISMATCH where a table sends, combines or keeps something that is no item.
int crl_logp_raise(struct crl_logp_schedule *schedule, const struct crl_logp_image *image, struct crl_diag *diag);

#endif
