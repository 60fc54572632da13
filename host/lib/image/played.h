// SPDX-License-Identifier: Apache-2.0
// The rows of an image as whoever plays them needs them: in the order in which they are played, and taken apart.
#ifndef CRL_PLAYED_H
#define CRL_PLAYED_H

#include "base/pool.h"
#include "image/image.h"

// A row of a table that is not idle.
struct crl_row_play {
    uint32_t row, table;
    uint32_t bits; // in the store
    uint32_t next; // those of the table's next row; CRL_NONE: that is idle, or there is none
};

// All rows that are not idle, in the order of their numbers and then of their tables: `play` has one more than there
// are uses in the store, whose number none has. It is the pool's. Returns 0, CRL_ERR_MEMORY or CRL_ERR_LIMIT.
int crl_row_plays(struct crl_row_play **play, const struct crl_image *image, struct crl_pool *pool);

// A row as fields, and which lanes and banks it has to do with, as masks, so that nobody looks at all of them.
struct crl_row_fields {
    struct crl_row row;
    uint32_t sends, shows; // lanes
    uint32_t expects;      // ports on which words must arrive
    uint32_t nowhere;      // lanes that expect words on ports that are none
    uint64_t takes;        // banks, or for sums lanes, that are given an own word of a stream
    uint64_t keeps;        // banks that write or delay a word
    uint64_t passes;       // of routers that do not add up: banks that show what comes in, and keep nothing
    uint64_t shown;        // banks whose lane an output, or a stream of sums, selects
};

// Rows are taken apart once, if there are not too many. Of rows that are not kept, each is when it is asked for: bit by
// bit of those that are not zero, as most are.
struct crl_row_bit;
struct crl_row_reader {
    const struct crl_image *image;
    struct crl_row_bit *bit;     // of the words of a row
    struct crl_row_fields *kept; // [distinct]; NULL: too many
};
int crl_row_reader_init(struct crl_row_reader *reader, const struct crl_image *image, struct crl_pool *pool);
// A row of the store; `room` is where it lies if it was not kept.
const struct crl_row_fields *crl_row_read(const struct crl_row_reader *reader, uint32_t bits,
                                          struct crl_row_fields *room);

#endif
