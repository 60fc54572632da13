// SPDX-License-Identifier: Apache-2.0
// Tables for other tools: rows as hexadecimal numbers, and as C arrays.
#ifndef CRL_DUMP_TABLES_H
#define CRL_DUMP_TABLES_H

#include "image/store.h"

// A table: `rows` rows of `row_bits` bits in ⌈row_bits/32⌉ words each, least significant first, idle rows and all.
struct dump_table {
    uint32_t *bits; // owned
    uint32_t rows, row_bits;
};
int dump_table_open(struct dump_table *table, const struct crl_row_store *store, uint32_t number, uint32_t rows,
                    uint32_t row_bits, struct crl_diag *diag);
void dump_table_close(struct dump_table *table);

// For $readmemh: a row a line.
void dump_table_hex(const struct dump_table *table, FILE *file);
// `static const uint32_t crl_table_N[CRL_ROWS][CRL_ROW_WORDS]`.
void dump_table_c(const struct dump_table *table, uint32_t number, FILE *file);

#endif
