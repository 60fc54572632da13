// SPDX-License-Identifier: Apache-2.0
// Sums of a node while they are lowered (decision 0036), and where own words come and sums leave on streams.
#ifndef CRL_LOWER_SUMS_H
#define CRL_LOWER_SUMS_H

#include "lower/lower.h"

struct sum {
    uint32_t chunk, bank, addr;
    uint32_t versions, slot; // what it was at the beginning of slot `slot` still leaves while it grows
    uint32_t written;        // row in which it grew last, CRL_NONE: it did not
    uint32_t last;           // row in which it leaves last, CRL_NONE: it does not
    bool own, keep;          // it begins with the node's value; the node must end with it
};
struct growth {
    uint32_t sum, row, lanes; // lanes: that it adds, and above them streams
    uint32_t version;
    bool set, flip, fwd;
};
struct departure {
    uint32_t sum, row, port, version, written;
    uint32_t stream; // CRL_NONE: it leaves by the port; else on this stream
};

struct node {
    struct sum *sum;
    struct growth *growth;       // of each sum in the order of rows
    struct departure *departure; // likewise
    size_t sums, growths, departures;
    size_t sum_room, growth_room, departure_room;
    uint32_t banks, depth;
    uint32_t *own, *shown; // [rows][lanes] chunks that come and leave on streams, CRL_NONE: none
};

// Without streams sums begin in banks. With them the own value of each chunk is a word that comes in some row, and each
// sum that the node must end with leaves in one. Changes growths and departures. CRL_ERR_UNSUPPORTED: some value would
// come too late. `apart` as of crl_lower_options.
int crl_sums_stream(struct node *node, const struct crl_geometry *geometry, const struct crl_problem *problem,
                    uint32_t apart);

#endif
