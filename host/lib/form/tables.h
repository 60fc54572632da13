// SPDX-License-Identifier: Apache-2.0
// Text that images and schedules of several forms are written as.
#ifndef CRL_FORM_TABLES_H
#define CRL_FORM_TABLES_H

#include "form/form.h"
#include "image/store.h"

// A table: `rows` rows of `row_bits` bits in ⌈row_bits/32⌉ words each, least significant first, idle rows and all.
struct crl_table {
    uint32_t *bits; // owned
    uint32_t rows, row_bits;
};
int crl_table_open(struct crl_table *table, const struct crl_row_store *store, uint32_t number, uint32_t rows,
                   uint32_t row_bits, struct crl_diag *diag);
void crl_table_close(struct crl_table *table);
void crl_table_hex(const struct crl_table *table, FILE *file); // for $readmemh, exact depth
void crl_table_c(const struct crl_table *table, uint32_t number, FILE *file);

// The summary of an image, as struct crl_dump wants it.
int crl_dump_json(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                  FILE *file, struct crl_diag *diag);
// The beginning of a schedule as JSON, up to its first row; `columns` as they stand in an array.
void crl_json_head(const char *algorithm, const char *topology, const char *columns, FILE *file);

#endif
