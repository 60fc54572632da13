// SPDX-License-Identifier: Apache-2.0
/* Whether an iCE40 would configure itself from some bytes: the format is Project IceStorm's description of it. */
#ifndef CRL_VBITSTREAM_H
#define CRL_VBITSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CRL_VBITSTREAM_PIECES = 16 };

/* Width and height of a device's CRAM banks in a bitstream, which tell devices apart. */
struct crl_vdevice {
    const char *name;
    unsigned cram_width;
};

/* What is in a bitstream; it points into its bytes. */
struct crl_vbitstream {
    size_t size;
    const uint8_t *comment; /* texts that end with a zero each, before the preamble */
    size_t comment_size;
    /* Pieces of the contents of the block RAMs: rows of `width` bits, most significant bit first. */
    struct {
        const uint8_t *bits;
        unsigned bank, first_row, rows, width;
    } ram[CRL_VBITSTREAM_PIECES];
    size_t pieces;
};

/*
 * Checks the bitstream at the start of `bytes` for the device. NULL when it is fine (*found = what is in it, unless
 * found is NULL), else why it is not, in words.
 */
const char *crl_vbitstream_check(const struct crl_vdevice *device, const uint8_t *bytes, size_t size,
                                 struct crl_vbitstream *found);

/*
 * Whether it is one of this project, by its comment: `carillon` and a name, after which may stand where the schedule
 * tables are: `tables`, and for each word of a line the bank and the first column of its block RAM, as in `2.48`.
 */
bool crl_vbitstream_is_ours(const struct crl_vbitstream *bitstream);

/*
 * The contents of the table memory, in the form that scripts/bake takes them: read from the block RAMs that the comment
 * names. The caller frees them. NULL when it names none, or some that are not there (or when there is no memory).
 */
char *crl_vbitstream_tables(const struct crl_vbitstream *bitstream);

/*
 * Writes the shortest bitstream that configures a device, with nothing in it: a stand-in for one that has been built.
 * Returns its length, at most 64 bytes.
 */
size_t crl_vbitstream_stand_in(const struct crl_vdevice *device, uint8_t *bytes);

#endif
