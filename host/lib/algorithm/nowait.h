// SPDX-License-Identifier: Apache-2.0
// Searches for schedules in which no packet waits. hypercube_nowait.c turns what they find into plans, and remembers
// it.
#ifndef CRL_NOWAIT_H
#define CRL_NOWAIT_H

#include "algorithm/algorithm.h"

// Total exchange is searched up to this dimension.
enum { CRL_NOWAIT_EXCHANGE_MAX = 13 };

// A tree of the d-bit strings, the root being 0: string t is reached in slot[t] over dimension port[t], from t ^ 1 <<
// port[t].
struct crl_tree {
    uint32_t d, slots; // slots in all
    uint32_t *slot;    // [2^d] zeroed before the search
    uint8_t *port;     // [2^d]
};

// Both return 0, CRL_ERR_MEMORY, or CRL_ERR_UNSUPPORTED if nothing was found.
int crl_nowait_broadcast_search(struct crl_tree *tree);
int crl_nowait_exchange_search(struct crl_schedule *schedule, uint32_t d); // adds to a relative schedule

// Whether a search is known to succeed.
bool crl_nowait_broadcast_available(uint32_t d);

#endif
