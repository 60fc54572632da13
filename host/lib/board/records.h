// SPDX-License-Identifier: Apache-2.0
// What a board needs of an image, as the records that lie in its flash and are written through its link:
// docs/formats/board.md.
#ifndef CRL_BOARD_RECORDS_H
#define CRL_BOARD_RECORDS_H

#include "board/board.h"

struct crl_records {
    uint16_t *words; // owned; pairs of little-endian bytes in the flash
    size_t count, capacity;
    const struct crl_board_design *design; // that plays them
    uint32_t identity;                     // crl_board_identity
    uint32_t rows;
};

struct crl_record {
    uint32_t addr;
    size_t count;
    const uint16_t *words;
};

// The design for this kind of board that plays images like this one: with or without sums.
const struct crl_board_design *crl_records_design(const struct crl_board_kind *kind, const struct crl_image *image);
// Whether the design can play the image; says why not.
int crl_records_fit(const struct crl_board_design *design, const struct crl_image *image, struct crl_diag *diag);
int crl_records_build(struct crl_records *records, const struct crl_board_design *design, const struct crl_image *image,
                      const struct crl_problem *problem, uint64_t seed, struct crl_diag *diag);
void crl_records_done(struct crl_records *records);

// The record at *at, which moves on; false at the end. Start with *at = 0.
bool crl_records_next(const struct crl_records *records, size_t *at, struct crl_record *record);
// As bytes; the caller frees. NULL: no memory.
uint8_t *crl_records_bytes(const struct crl_records *records, size_t *count);

// Words of a line of the table memory and of the trace memory, and bits of the port in the latter.
uint32_t crl_board_table_words(const struct crl_board_design *design);
uint32_t crl_board_trace_words(const struct crl_board_design *design);
uint32_t crl_board_port_bits(const struct crl_board_design *design);

#endif
