// SPDX-License-Identifier: Apache-2.0
// Text that images and schedules of several forms are written as.
#ifndef CRL_MACHINE_TABLES_H
#define CRL_MACHINE_TABLES_H

#include "api/machine.h"
#include "image/store.h"

static inline bool crl_table_chosen(uint32_t wanted, uint32_t table) { return wanted == CRL_NONE || wanted == table; }

// A row of `row_bits` bits as a line that $readmemh takes.
void crl_row_spell(const uint32_t *bits, uint32_t row_bits, FILE *file);

// As struct crl_dump wants them: the summary of an image and its tables; a table for $readmemh, exact depth; tables as
// C.
int crl_dump_json(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                  FILE *file, struct crl_diag *diag);
int crl_dump_readmemh(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                      FILE *file, struct crl_diag *diag);
int crl_dump_c(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table, FILE *file,
               struct crl_diag *diag);
// The beginning of a schedule as JSON, up to its first row; `columns` as they stand in an array.
void crl_json_head(const char *algorithm, const char *topology, const char *columns, FILE *file);

#endif
