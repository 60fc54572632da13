// SPDX-License-Identifier: Apache-2.0
// All translates of the moves of a folded schedule, a slot and in it a node at a time, in canonical order.
//
// A translation adds to a node's number digit by digit (on a hypercube, bit by bit). The lower digits are added once a
// slot, in tables of one column for each number of a move, so that a translate costs an addition per number.
#ifndef CRL_TRANSLATES_H
#define CRL_TRANSLATES_H

#include "schedule/schedule.h"

struct crl_translates {
    const struct crl_topology *topology;
    enum crl_naming naming;
    uint32_t low;     // nodes that differ in their lower digits only: 0…low−1
    uint32_t columns; // numbers of a move that are translated: dst, origin and, of a pair, dest
    const struct crl_move *moves;
    size_t count, capacity;
    uint32_t *column; // [count][columns][low]
    uint32_t *base;   // [count][columns] what the upper digits come to at node `based`
    uint32_t based;
    uint32_t *order; // [count] the moves as their translates were in order at the node before
    struct crl_move *out;
};

void crl_translates_init(struct crl_translates *translates, const struct crl_schedule *schedule);
void crl_translates_done(struct crl_translates *translates);
// The moves of node 0 in the next slot, which must stay alive. Returns 0 or CRL_ERR_MEMORY.
int crl_translates_slot(struct crl_translates *translates, const struct crl_move *moves, size_t count);
// Their `count` translates at node `by`, in canonical order, good until the next call.
const struct crl_move *crl_translates_at(struct crl_translates *translates, uint32_t by);

// Hands over all of them, the moves of a node in a slot at a time, until `take` has had enough: false. Returns 0 or
// CRL_ERR_MEMORY.
int crl_translates_each(const struct crl_schedule *schedule,
                        bool (*take)(void *user, const struct crl_move *moves, size_t count), void *user);

#endif
