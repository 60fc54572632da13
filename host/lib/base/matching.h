// SPDX-License-Identifier: Apache-2.0
// Matchings of most worth between a few rows and columns.
#ifndef CRL_MATCHING_H
#define CRL_MATCHING_H

#include "base/base.h"

// Of a row, only its best as many columns as there are rows can matter; beyond these there may be one a row.
enum { CRL_MATCHING_ROWS_MAX = 32, CRL_MATCHING_COLUMNS_MAX = CRL_MATCHING_ROWS_MAX * (CRL_MATCHING_ROWS_MAX + 1) };

// A row and the columns that it may be matched with.
struct crl_matching_row {
    uint32_t count;
    struct {
        uint32_t column; // below crl_matching.columns
        int64_t worth;   // above 0
    } edge[CRL_MATCHING_ROWS_MAX + 1];
};

struct crl_matching {
    uint32_t rows, columns;
    struct crl_matching_row row[CRL_MATCHING_ROWS_MAX];
    uint32_t column_of[CRL_MATCHING_ROWS_MAX]; // of each row, or CRL_NONE
};

// Fills column_of so that the sum of the worths is the largest.
void crl_match(struct crl_matching *matching);

#endif
