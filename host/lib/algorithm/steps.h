// SPDX-License-Identifier: Apache-2.0
// Trees for packets of several destinations that share links with what is planned already.
#ifndef CRL_STEPS_H
#define CRL_STEPS_H

#include "schedule/schedule.h"

// Adds moves of a tree a packet of the problem's demands, which keep off links that are loaded much: load[node · ports
// + port] packets in all that go over a link, of which it should carry no more than `slots`. The trees begin one after
// the other over that time, whether links are free in a slot or not. Returns 0 or CRL_ERR_MEMORY.
int crl_steps_trees(struct crl_schedule *plan, const struct crl_problem *problem, uint32_t *load, uint32_t slots);
// Shifts the moves of a schedule of demands of one stage, none of which is a sum, so that it takes fewer slots, down to
// `bound`. Returns 0 or CRL_ERR_MEMORY.
int crl_steps_justify(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t bound);

#endif
