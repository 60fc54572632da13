// SPDX-License-Identifier: Apache-2.0
// Text that images and schedules of several forms are written as.
#ifndef CRL_FORM_TABLES_H
#define CRL_FORM_TABLES_H

#include "form/form.h"

// A table of rows, each of ⌈row_bits / 32⌉ words.
struct crl_table {
    const uint32_t *bits;
    uint32_t rows, row_bits;
};
void crl_table_hex(const struct crl_table *table, FILE *file); // for $readmemh, exact depth
void crl_table_c(const struct crl_table *table, uint32_t number, FILE *file);

// The summary of an image, as struct crl_dump wants it.
int crl_dump_json(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                  FILE *file, struct crl_diag *diag);
// The beginning of a schedule as JSON, up to its first row; `columns` as they stand in an array.
void crl_json_head(const char *algorithm, const char *topology, const char *columns, FILE *file);

#endif
