// SPDX-License-Identifier: Apache-2.0
// A table of texts, and the forms in which people paste tables.
#ifndef CRL_CLI_TABLE_TEXT_H
#define CRL_CLI_TABLE_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 9, TABLE_CELL = 96 };
struct table {
    const char *const *titles; // [columns]
    int columns;
    char (*row)[TABLE_COLUMNS][TABLE_CELL];
    size_t rows;
};
// Adds a row of empty cells, which the table owns until the next one is added; NULL: out of memory.
char (*table_add(struct table *table))[TABLE_CELL];
void table_done(struct table *table);
// Name of form `index`, or NULL.
const char *table_format_at(size_t index);
// Writes it in one of them; NULL: the first.
void table_write(const struct table *table, const char *format, FILE *file);

#endif
