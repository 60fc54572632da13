// SPDX-License-Identifier: Apache-2.0
// Ways for all packets of an exchange that load the links evenly or, single-port, what nodes send and what they
// receive; and then slots for them.
#ifndef CRL_REROUTING_H
#define CRL_REROUTING_H

#include "schedule/schedule.h"

// Appends a schedule of an exchange, a scatter or a gather on a network of links of latency 1. `slots` is what is hoped
// for: the search for ways ends when no link, or node, has more to do. *steps says how long it may look, a step some
// two nanoseconds, and comes back as what is left of that. Returns 0, CRL_ERR_INTERRUPTED with nothing appended, or
// CRL_ERR_MEMORY.
int crl_reroute(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t slots, uint64_t *steps);

#endif
