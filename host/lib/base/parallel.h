// SPDX-License-Identifier: Apache-2.0
// Work on several threads.
#ifndef CRL_PARALLEL_H
#define CRL_PARALLEL_H

#include "base/base.h"

// Threads worth starting: the processors this program may use, at least 1, at most 64.
uint32_t crl_threads(void);

// Calls work(user, share) for share 0…shares−1, each on a thread of its own (the last on the caller's), and waits for
// all. Returns 0 or, of the shares that failed, the result of the lowest; a thread that cannot be started is not an
// error: its share is done by the caller.
int crl_parallel(uint32_t shares, int (*work)(void *user, uint32_t share), void *user);

// The part of 0…count−1 that share `share` of `shares` has: first, and one behind the last.
uint64_t crl_share_first(uint64_t count, uint32_t share, uint32_t shares);

// The nodes that this process plays: *first and so many after it. All, where the run is not shared (context NULL, too).
uint32_t crl_share_nodes(const struct crl_context *context, uint32_t nodes, uint32_t *first);

#endif
