// SPDX-License-Identifier: Apache-2.0
// Words of the board's address space, read and written over the serial link by frames with CRCs: docs/formats/board.md.
#ifndef CRL_BOARD_LINK_H
#define CRL_BOARD_LINK_H

#include "board/registers.h"
#include "board/usb.h"

struct crl_link {
    struct crl_pipe *pipe;
    const struct crl_board_watch *watch;
    uint8_t tag;
    uint32_t retries; // frames that had to be sent again since it was opened
};

// Sets the line up and drops what lies on it.
int crl_link_open(struct crl_link *link, struct crl_pipe *pipe, const struct crl_board_watch *watch,
                  struct crl_diag *diag);

// Any number of words; frames that get lost or damaged are repeated, a bounded number of times. So what has an effect
// by being written twice is written with crl_link_once: CRL_ERR_DEVICE, and *lost = true if it may or may not have
// arrived.
int crl_link_read(struct crl_link *link, uint32_t addr, uint16_t *words, size_t count, struct crl_diag *diag);
int crl_link_write(struct crl_link *link, uint32_t addr, const uint16_t *words, size_t count, struct crl_diag *diag);
int crl_link_once(struct crl_link *link, uint32_t addr, uint16_t word, bool *lost, struct crl_diag *diag);

int crl_link_get(struct crl_link *link, enum crl_register reg, uint16_t *word, struct crl_diag *diag);
int crl_link_set(struct crl_link *link, enum crl_register reg, uint16_t word, struct crl_diag *diag);

// Asks once, with little patience, whether a design of ours is there. Returns 0 and says in *present; an error is one
// of USB.
int crl_link_probe(struct crl_link *link, bool *present, struct crl_diag *diag);

#endif
