// SPDX-License-Identifier: Apache-2.0
// Tables of rows as images of every form hold them: rows that are equal are kept once, and of a table only the rows
// that do something.
#ifndef CRL_STORE_H
#define CRL_STORE_H

#include "image/container.h"

enum { CRL_ROW_WORDS_MAX = 216 }; // 64 banks that add up 32 lanes, with the widest addresses, need 213

// A row of a table that is not idle.
struct crl_row_use {
    uint32_t row;  // its number in the table
    uint32_t bits; // its bits in the store
};

// Rows are packed in `row_words` words, as their form lays them out; an idle row is all zeros.
struct crl_row_store {
    uint32_t row_words;
    uint32_t distinct;       // rows, none of them idle
    uint32_t *bits;          // [distinct][row_words], owned
    size_t *first;           // [tables + 1] where each table's rows begin in `use`, owned
    struct crl_row_use *use; // of each table in ascending order, owned
};

void crl_row_store_done(struct crl_row_store *store);
// The bits of a row, all zeros where it is idle.
const uint32_t *crl_row_store_row(const struct crl_row_store *store, uint32_t table, uint32_t row);
// All rows of a table, the idle ones too, as `bits`[rows][row_words].
void crl_row_store_table(const struct crl_row_store *store, uint32_t table, uint32_t rows, uint32_t *bits);
// The same of all tables, one after the other; NULL when memory runs out. The caller frees.
uint32_t *crl_row_store_all(const struct crl_row_store *store, uint32_t tables, uint32_t rows);

// ---- making one: a failure is kept, and reported by crl_row_builder_end.

struct crl_row_builder;
int crl_row_builder_new(struct crl_row_builder **out, uint32_t row_words);
// Adds a table: `numbers` of `count` rows, in ascending order, and their bits; idle ones among them are left out.
// `share` looks for an equal table first. Returns the table's number.
uint32_t crl_row_builder_add(struct crl_row_builder *builder, const uint32_t *numbers, const uint32_t *bits,
                             size_t count, bool share);
// Frees the builder (NULL: nothing) and hands over what was added; the number of tables is in *tables.
int crl_row_builder_end(struct crl_row_builder *builder, struct crl_row_store *store, uint32_t *tables);

// ---- files: two sections, of the distinct rows and of the tables

void crl_put_rows(struct crl_bytes *file, struct crl_bytes *body, uint32_t id, const struct crl_row_store *store,
                  uint32_t tables);
// Refuses what crl_row_builder would not have made of `tables` tables of `rows` rows.
void crl_get_rows(struct crl_cursor *cursor, uint32_t id, struct crl_row_store *store, uint32_t row_words,
                  uint32_t tables, uint32_t rows);

#endif
