// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_SCHEDULE_H
#define CRL_SCHEDULE_H

#include <carillon/carillon.h>

// The translate of a relative move at node `by`.
struct crl_move crl_move_translate(const struct crl_schedule *schedule, struct crl_move move, uint32_t by);
// Order by slot, src, dst, origin, dest: negative, 0 or positive.
int crl_move_compare(const struct crl_move *a, const struct crl_move *b);

#endif
