// SPDX-License-Identifier: Apache-2.0
// The cheapest of what is offered, in a list that is as long as the caller says.
#ifndef CRL_BEST_H
#define CRL_BEST_H

#include "base/base.h"

struct crl_best {
    int64_t cost;
    uint32_t what;
};

// Puts an offer among the best `count` so far, the cheapest first and of equal ones the first; `most` ≥ 1 have room.
// Returns how many these are then.
static inline uint32_t crl_best_put(struct crl_best *best, uint32_t count, uint32_t most, uint32_t what, int64_t cost)
{
    if (count == most && cost >= best[count - 1].cost) return count;
    uint32_t at = count < most ? count++ : count - 1;
    for (; at > 0 && best[at - 1].cost > cost; at--) best[at] = best[at - 1];
    best[at] = (struct crl_best){cost, what};
    return count;
}

#endif
