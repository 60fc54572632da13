// SPDX-License-Identifier: Apache-2.0
// The two banks of schedules in a board's flash: docs/formats/board.md.
#ifndef CRL_BOARD_BANK_H
#define CRL_BOARD_BANK_H

#include "board/kinds.h"
#include "board/flash.h"
#include "board/records.h"

enum { CRL_BANKS = 2 };

// What one bank holds.
struct crl_bank {
    bool good; // header and payload are whole and for this design
    uint32_t sequence;
    uint8_t *payload; // of a good bank; owned
    size_t count;
};

// `board` is the number of the design they are for.
int crl_banks_read(struct crl_flash *flash, uint32_t board, struct crl_bank banks[CRL_BANKS], struct crl_diag *diag);
void crl_banks_done(struct crl_bank banks[CRL_BANKS]);
// The good bank a board starts with, or -1.
int crl_banks_newest(const struct crl_bank banks[CRL_BANKS]);

// Writes the records into the bank that is not `in_use`, or, where that is not known (-1) or not good, into the one
// that is not the newest good one: payload, then header, both read back. A power cut at any time leaves the other as it
// was.
int crl_bank_write(struct crl_flash *flash, const struct crl_records *records, int in_use, int *written,
                   uint32_t *sequence, struct crl_diag *diag);

#endif
