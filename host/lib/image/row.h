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
    CRL_FIELD_OWN,
    CRL_FIELD_SET,
    CRL_FIELD_FWD,
    CRL_FIELD_FLIP,
    CRL_FIELD_OV,
    CRL_FIELD_OSEL,
    CRL_FIELD_OPORT,
    CRL_FIELD_EXP,
    CRL_FIELD_IPORT,
    CRL_FIELD_SHOW,
    CRL_FIELD_SSEL
};

// Where the fields of a row are: `width` bits from bit at + index * step on, `index` being the bank or the lane. A
// width of 0 says that rows of this geometry do not have the field.
struct crl_row_layout {
    struct {
        uint32_t at, step, width;
    } field[CRL_FIELD_SSEL + 1];
    uint32_t bits, words;
};
struct crl_row_layout crl_row_layout(const struct crl_geometry *geometry);
// The field must be 0 before; a value that is wider than the field loses its upper bits.
void crl_row_put(const struct crl_row_layout *layout, uint32_t *bits, enum crl_field field, uint32_t index,
                 uint32_t value);
// Sets the parity bit so that the number of ones is even.
void crl_row_mend_parity(const struct crl_row_layout *layout, uint32_t *bits);
bool crl_row_parity(const struct crl_geometry *geometry, const uint32_t *bits); // true: even, as it must be

#endif
