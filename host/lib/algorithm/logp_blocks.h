// SPDX-License-Identifier: Apache-2.0
// Block-cyclic schedules in the postal model (K93 Sec. 3.2 to 3.4): every item goes over a tree like E(P−1), and every
// node of it with r children is a block of r processors, or one with r + 1, that take turns.
#ifndef CRL_ALGORITHM_LOGP_BLOCKS_H
#define CRL_ALGORITHM_LOGP_BLOCKS_H

#include "algorithm/logp.h"

struct crl_logp_blocks {
    uint32_t latency, nodes;          // L, and P − 1
    uint64_t extra;                   // how much later than E(P − 1) the last gets an item
    uint64_t *label;                  // [nodes] when a node has an item, from when the root has it
    uint32_t *parent;                 // [nodes]
    uint32_t *children, *size, *base; // [nodes] of a block: its node's children, processors, and the first of these
    // A leaf is a message. To whom it goes: to the block of node `to`, there to whoever's turn was `turn` items ago;
    // CRL_NONE: to the receive-only processor, P − 1. (Or there is none, and one block has a processor more.)
    uint32_t *to, *turn;
    uint64_t *there; // when it is there: its label, or a multiple of its parent's size later
    void *memory;
};

// Looks for a schedule in which no two messages reach a processor at once, with the least extra delay that the search
// finds. If `strict` is false, extra is 0 and two messages may reach a processor at once; `variant` picks one of many.
int crl_logp_blocks_find(struct crl_logp_blocks *blocks, const struct crl_logp *postal, bool strict, uint64_t variant,
                         struct crl_diag *diag);
void crl_logp_blocks_done(struct crl_logp_blocks *blocks);

#endif
