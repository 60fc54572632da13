// SPDX-License-Identifier: Apache-2.0
// The moves of a schedule packet by packet. Those of a folded schedule are first translated so that the packet's origin
// is node 0: then the move of node 0 with packet (o, t) is the move of node −o with packet (0, t−o), and one packet
// stands for its translates.
#ifndef CRL_CHECK_HOPS_H
#define CRL_CHECK_HOPS_H

#include "check/check.h"

struct crl_hop {
    uint32_t slot, src, dst;
    uint32_t index;  // of the move it comes from
    uint32_t packet; // within its bucket
};

// Hops lie bucket by bucket, in a bucket as the moves do: in order of slots. A bucket has 2^shift packets.
struct crl_hops {
    uint64_t packets; // of the problem; those of one origin if the schedule is folded
    uint32_t shift, buckets;
    uint32_t *start; // [buckets + 1]
    struct crl_hop *hop;
};

// All moves that are not bad, shared out by the threads of a check. Returns 0 or CRL_ERR_MEMORY.
int crl_hops_init(struct crl_hops *hops, const struct crl_check *check);
void crl_hops_done(struct crl_hops *hops);

#endif
