// SPDX-License-Identifier: Apache-2.0
// Slot by slot, a matching of ports with the packets that wait for them; and tries until that takes few slots.
#ifndef CRL_PRODUCT_EXCHANGE_H
#define CRL_PRODUCT_EXCHANGE_H

#include "algorithm/matching.h"
#include "algorithm/product_packets.h"

// What routers can do: any packets leave together; one of a lane; besides, none waits on its way.
enum crl_lanes { CRL_LANES_ANY, CRL_LANES_BANKED, CRL_LANES_NOWAIT };

struct crl_exchange {
    struct crl_packets of;
    enum crl_lanes kind;
    uint32_t lanes;         // that are told apart: one a port, or one for all, and one for own packets; 1: none
    uint32_t levels, words; // of hops to go, and of their bits
    uint32_t *last;         // [queue · levels + hops to go] the last in line, or CRL_NONE; queue: link · lanes + lane
    uint64_t *some;         // [queue · words] a bit for each line that is not empty
    struct crl_line {
        uint32_t next, prev;
    } * line;         // [packet × factors] that stand in line, which closes to a circle
    uint32_t *order;  // [packet × factors] in which they come at first
    uint32_t *column; // [packet] in a matching, or CRL_NONE
    bool *left_out;   // [packet] of the search
    uint32_t *moved;  // [links] packets that moved in this slot
    uint32_t moves, under_way;
    uint64_t random, work;
    uint32_t left, lots;                          // slots, with this one; how many lots there are in this try
    int64_t transit;                              // what it is worth in this try to be on the way
    uint32_t candidate[CRL_MATCHING_COLUMNS_MAX]; // [column] a packet
    uint32_t chosen[CRL_PORTS_MAX];
    struct crl_matching matching;
};

// Reports errors. Ended with _done in any case.
int crl_exchange_new(struct crl_exchange *x, const struct crl_problem *problem, enum crl_lanes kind, bool mirrored,
                     struct crl_diag *diag);
void crl_exchange_done(struct crl_exchange *x);
// Adds the best schedule of packets that are not left out which is found with about so much work. 0,
// CRL_ERR_UNSUPPORTED: none was found, or CRL_ERR_MEMORY.
int crl_exchange_find(struct crl_exchange *x, struct crl_schedule *schedule, uint64_t work);

#endif
