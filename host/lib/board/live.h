// SPDX-License-Identifier: Apache-2.0
// Boards whose nodes decide for themselves: the host loads what they know, has slots played, some at a time, and reads
// what each slot did. docs/formats/board.md.
#ifndef CRL_BOARD_LIVE_H
#define CRL_BOARD_LIVE_H

#include "board/board.h"

// What all of these designs have in common.
enum {
    CRL_LIVE_SLOTS = 32,  // that the board plays at a time
    CRL_LIVE_RECORD = 32, // words of a slot: 4 a node, first what it did, then the words on its ports
    CRL_LIVE_LIST = 256,  // words of own packets, slots' ends included
    CRL_LIVE_END = 0x8000 // in the list: the packets of the next slot follow
};

// ---- slots

// Resets the nodes of a board and lets them know `count` words at `addr` of the table region; then they are put to use.
// Fails with CRL_ERR_DEVICE unless the design of this name is in the FPGA.
int crl_live_begin(struct crl_board *board, const char *design, struct crl_diag *diag);
int crl_live_load(struct crl_board *board, uint32_t addr, const uint16_t *words, size_t count, struct crl_diag *diag);
int crl_live_use(struct crl_board *board, struct crl_diag *diag);
// Plays `slots` slots, at most CRL_LIVE_SLOTS, with a list of own packets (`count` may be 0), and reads what they did:
// record is [slots][CRL_LIVE_RECORD].
int crl_live_play(struct crl_board *board, const uint16_t *list, size_t count, uint32_t slots, uint16_t *record,
                  struct crl_diag *diag);

#endif
