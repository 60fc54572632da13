// SPDX-License-Identifier: Apache-2.0
// Matchings of most worth between the ports of a node and what they might carry.
#ifndef CRL_MATCHING_H
#define CRL_MATCHING_H

#include "algorithm/algorithm.h"

// Of a row, only its best as many columns as there are rows can matter; beyond these there may be one a port.
enum { CRL_MATCHING_COLUMNS_MAX = CRL_PORTS_MAX * (CRL_PORTS_MAX + 1) };

// A row and the columns that it may be matched with.
struct crl_matching_row {
    uint32_t count;
    struct {
        uint32_t column; // below crl_matching.columns
        int64_t worth;   // above 0
    } edge[CRL_PORTS_MAX + 1];
};

struct crl_matching {
    uint32_t rows, columns;
    struct crl_matching_row row[CRL_PORTS_MAX];
    uint32_t column_of[CRL_PORTS_MAX]; // of each row, or CRL_NONE
};

// Fills column_of so that the sum of the worths is the largest.
void crl_match(struct crl_matching *matching);

#endif
