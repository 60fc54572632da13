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

// The moves that are not bad, bucket by bucket, in a bucket in order of slots. A bucket has 2^shift packets.
struct crl_hops {
    const struct crl_check *check;
    uint64_t packets; // of the problem; those of one origin if the schedule is folded
    uint32_t shift, buckets;
    uint32_t *start; // [buckets + 1]
    uint32_t *move;  // indices of moves
};

// The hops of one bucket, packet by packet, of each in order of slots. One thread's, for one bucket after the other.
struct crl_bucket {
    struct crl_hop *hop; // [count]
    uint32_t count;
    struct crl_hop *unsorted; // scratch, as is the rest
    uint32_t *order;
    size_t capacity, order_capacity;
};

// Sorts the moves, on the threads of the check, which must outlive it. Returns 0 or CRL_ERR_MEMORY.
int crl_hops_init(struct crl_hops *hops, const struct crl_check *check);
void crl_hops_done(struct crl_hops *hops);
// Fills a bucket that was 0 at first or held another. Returns 0 or CRL_ERR_MEMORY; it is to be ended in any case.
int crl_bucket_fill(struct crl_bucket *bucket, const struct crl_hops *hops, uint32_t number);
void crl_bucket_done(struct crl_bucket *bucket);

#endif
