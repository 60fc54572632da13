// SPDX-License-Identifier: Apache-2.0
// The fields of a table row, in the order of docs/formats/row.md.
#ifndef CRL_ROW_H
#define CRL_ROW_H

#include "image/image.h"

enum crl_field {
    CRL_FIELD_PARITY,
    CRL_FIELD_RADDR,
    CRL_FIELD_BYP,
    CRL_FIELD_DLY,
    CRL_FIELD_WEN,
    CRL_FIELD_WSEL,
    CRL_FIELD_WADDR,
    CRL_FIELD_OV,
    CRL_FIELD_OSEL,
    CRL_FIELD_OPORT,
    CRL_FIELD_EXP,
    CRL_FIELD_IPORT
};

// Visits the fields of a row from bit 0 up; fields of no width are left out. `index` is the bank or the lane.
typedef void crl_field_fn(void *user, uint32_t at, uint32_t width, enum crl_field field, uint32_t index);
uint32_t crl_row_fields(const struct crl_geometry *geometry, crl_field_fn *field, void *user);
uint32_t crl_row_get(const struct crl_row *row, enum crl_field field, uint32_t index);
bool crl_row_parity(const struct crl_geometry *geometry, const uint32_t *bits); // true: even, as it must be

#endif
