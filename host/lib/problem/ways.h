// SPDX-License-Identifier: Apache-2.0
// The cheapest ways from a node, where a link costs what the rows cost that its packets are in.
#ifndef CRL_WAYS_H
#define CRL_WAYS_H

#include "problem/bound_prices.h"

struct crl_ways {
    double *cost;    // [nodes]
    uint32_t *by;    // [nodes] the last link of the way, or CRL_NONE
    uint32_t *heap;  // waiting nodes, the nearest on top
    uint32_t *place; // [nodes] where they stand
    uint32_t *order; // settled nodes, the nearest first
    uint32_t waiting, settled;
};

int crl_ways_init(struct crl_ways *ways, uint32_t nodes); // 0 or CRL_ERR_MEMORY
void crl_ways_done(struct crl_ways *ways);                // also after a failure
// Finds the ways from `source`; value: [rows]. Ends once that to `dest` is known (CRL_NONE: with all). Integers up to
// 2^53 are exact here, so with integer values so are the costs. Returns the sum of those of hosts that were settled.
double crl_ways_find(struct crl_ways *ways, const struct crl_rows *rows, const double *value, uint32_t source,
                     uint32_t dest);
// The same from several nodes at once, with costs of links: begin, enter each node, spread. first: [nodes + 1] of the
// links from a node, which lead to[link]. A link of cost INFINITY is none.
void crl_ways_begin(struct crl_ways *ways, uint32_t nodes);
void crl_ways_enter(struct crl_ways *ways, uint32_t node);
void crl_ways_spread(struct crl_ways *ways, const uint32_t *first, const uint32_t *to, const double *cost);

#endif
