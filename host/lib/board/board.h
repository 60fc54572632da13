// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_BOARD_BOARD_H
#define CRL_BOARD_BOARD_H

#include "board/flash.h"
#include "board/link.h"

struct crl_board {
    struct crl_usb usb;
    struct crl_board_found found;
    const struct crl_board_watch *watch;
    struct crl_pipe *uart; // claimed at the first use
    bool kind_named;       // by the caller; else it is what the USB name says
    bool connected;        // a design that fits answers
    struct crl_link link;
    uint32_t patience_ms; // for what the board does in no time
    // What the last play left.
    uint32_t rows, words, step;
    uint32_t *valid;  // [words][rows][nodes]
    uint64_t *data;   // [words][rows][nodes][ports]
    uint16_t *memory; // [words][nodes][CRL_BOARD_ADDRS]
};

// Finds the design behind the link, and that it fits the board and this program. Waits until its loader is at rest.
int crl_board_connect(struct crl_board *board, struct crl_diag *diag);
// The same, but that there is none is no error: *present says.
int crl_board_look(struct crl_board *board, bool *present, struct crl_diag *diag);
// Waits until the bits of STATUS in `mask` are as in `value`.
int crl_board_wait(struct crl_board *board, uint16_t mask, uint16_t value, const char *doing, struct crl_diag *diag);

#endif
