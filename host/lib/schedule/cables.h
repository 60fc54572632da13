// SPDX-License-Identifier: Apache-2.0
// What cables between boards must hold so that a plan, played in rounds by boards with clocks of their own, never locks
// up, and what they can hold at most.
//
// A board plays its rows in order, one a slot. It plays a row when every word that arrives in it is there, and when
// there is room for every word that the row sends; nothing else keeps two boards together.
#ifndef CRL_CABLES_H
#define CRL_CABLES_H

#include "schedule/schedule.h"

// One direction of a cable.
struct crl_cable {
    uint32_t from, to;     // boards
    uint32_t src, dst;     // nodes, where each link is a cable; else CRL_NONE
    uint32_t links;        // that share it
    uint32_t latency, gap; // slots; of links that differ the least latency and the greatest gap
    uint32_t words;        // a round
    uint32_t under_way;    // words that the plan has in it at a time: so many must have room
    uint32_t most;         // that can ever be in it, whatever the clocks are; CRL_NONE: without end
    uint32_t depth;        // of crl_cable, a power of two: one more than `most` at least or, where that is without
                           // end, than what goes in while a word goes there and its acknowledgement comes back
};

// The cables of a plan, sorted and not folded, on a network with boards; the caller frees *cables. Returns 0,
// CRL_ERR_MEMORY, or CRL_ERR_UNSUPPORTED where the network has no boards.
int crl_cables_list(struct crl_cable **cables, uint32_t *count, const struct crl_schedule *schedule);

// Cycles that a flit may take from the register that it leaves to the one that hears it so that words come as planned,
// of which a slot has so many times the words of a packet, which follow each other; 0: even one from one register
// straight to the other is too late.
uint32_t crl_cable_delay(const struct crl_cable *cable, uint32_t slot_cycles, uint32_t words);

// Which of them the link from `src` to `dst` goes over, and which leads back; `count`, or CRL_NONE: none.
uint32_t crl_cables_find(const struct crl_cable *cables, uint32_t count, const struct crl_boards *boards, uint32_t src,
                         uint32_t dst);
uint32_t crl_cables_back(const struct crl_cable *cables, uint32_t count, uint32_t cable);

#endif
