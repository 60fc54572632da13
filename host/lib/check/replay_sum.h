// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_CHECK_REPLAY_SUM_H
#define CRL_CHECK_REPLAY_SUM_H

#include "check/hops.h"
#include "check/terms.h"

// A chunk, and all hops that carry it in order of slots.
struct crl_replay {
    struct crl_part *part; // where findings go
    const struct crl_hop *hops;
    size_t count;
    uint32_t chunk;
};
// Replays it. Fills `terms`, which the caller began with zeros and ends, with how its sums come about; ends[v], of all
// nodes, is the term that node v ends with, CRL_NONE where it wants none. Returns 0 or CRL_ERR_MEMORY.
int crl_replay_sum(const struct crl_replay *what, struct crl_terms *terms, uint32_t *ends);

#endif
