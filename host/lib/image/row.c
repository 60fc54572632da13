// SPDX-License-Identifier: Apache-2.0
// Packing of table rows: the bit layout of docs/formats/row.md, written once as a walk over all fields.
#include "image/row.h"
#include "base/base.h"
#include <string.h>

bool crl_geometry_is_direct(const struct crl_geometry *geometry) { return geometry->banks < geometry->lanes; }

uint32_t crl_geometry_bank_select(const struct crl_geometry *geometry, uint32_t bank)
{
    return crl_geometry_is_direct(geometry) ? geometry->lanes + bank : bank;
}

// Calls field(user, bit position, width, which field) for every field of a row in order; returns the number of bits.
static uint32_t walk(const struct crl_geometry *g, crl_field_fn *field, void *user)
{
    uint32_t group = crl_bits_for(crl_ceil_div(g->ports, g->lanes)),
             select = crl_bits_for(crl_geometry_bank_select(g, g->banks));
    uint32_t source = g->write_xbar ? crl_bits_for(g->lanes) : 0, at = 0;
    const struct {
        enum crl_field field;
        uint32_t width;
    } bank[] = {{CRL_FIELD_RADDR, g->addr_width}, {CRL_FIELD_BYP, crl_geometry_is_direct(g) ? 0 : 1},
                {CRL_FIELD_DLY, g->delay},        {CRL_FIELD_WEN, 1},
                {CRL_FIELD_WSEL, source},         {CRL_FIELD_WADDR, g->waddr_field ? g->addr_width : 0}},
      out[] = {{CRL_FIELD_OV, 1}, {CRL_FIELD_OSEL, select}, {CRL_FIELD_OPORT, group}},
      in[] = {{CRL_FIELD_EXP, 1}, {CRL_FIELD_IPORT, group}};
#define EACH(fields, index)                                                                                            \
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {                                                      \
        if (fields[f].width && field) field(user, at, fields[f].width, fields[f].field, index);                        \
        at += fields[f].width;                                                                                         \
    }
    if (field) field(user, at, 1, CRL_FIELD_PARITY, 0);
    at++;
    for (uint32_t b = 0; b < g->banks; b++) EACH(bank, b)
    for (uint32_t j = 0; j < g->lanes; j++) EACH(out, j)
    for (uint32_t j = 0; j < g->lanes; j++) EACH(in, j)
#undef EACH
    return at;
}

uint32_t crl_row_fields(const struct crl_geometry *geometry, crl_field_fn *field, void *user)
{
    return walk(geometry, field, user);
}

uint32_t crl_row_bits(const struct crl_geometry *geometry) { return walk(geometry, NULL, NULL); }

uint32_t crl_row_words(const struct crl_geometry *geometry) { return (crl_row_bits(geometry) + 31) / 32; }

uint32_t crl_row_get(const struct crl_row *row, enum crl_field field, uint32_t index)
{
    switch (field) {
    case CRL_FIELD_RADDR: return row->bank[index].raddr;
    case CRL_FIELD_WADDR: return row->bank[index].waddr;
    case CRL_FIELD_BYP: return row->bank[index].byp;
    case CRL_FIELD_DLY: return row->bank[index].dly;
    case CRL_FIELD_WEN: return row->bank[index].wen;
    case CRL_FIELD_WSEL: return row->bank[index].wsel;
    case CRL_FIELD_OV: return row->lane[index].ov;
    case CRL_FIELD_OSEL: return row->lane[index].osel;
    case CRL_FIELD_OPORT: return row->lane[index].oport;
    case CRL_FIELD_EXP: return row->lane[index].exp;
    case CRL_FIELD_IPORT: return row->lane[index].iport;
    case CRL_FIELD_PARITY: break;
    }
    return 0;
}

static void set(struct crl_row *row, enum crl_field field, uint32_t index, uint32_t value)
{
    switch (field) {
    case CRL_FIELD_RADDR: row->bank[index].raddr = value; break;
    case CRL_FIELD_WADDR: row->bank[index].waddr = value; break;
    case CRL_FIELD_BYP: row->bank[index].byp = (uint8_t)value; break;
    case CRL_FIELD_DLY: row->bank[index].dly = (uint8_t)value; break;
    case CRL_FIELD_WEN: row->bank[index].wen = (uint8_t)value; break;
    case CRL_FIELD_WSEL: row->bank[index].wsel = (uint8_t)value; break;
    case CRL_FIELD_OV: row->lane[index].ov = (uint8_t)value; break;
    case CRL_FIELD_OSEL: row->lane[index].osel = (uint8_t)value; break;
    case CRL_FIELD_OPORT: row->lane[index].oport = (uint8_t)value; break;
    case CRL_FIELD_EXP: row->lane[index].exp = (uint8_t)value; break;
    case CRL_FIELD_IPORT: row->lane[index].iport = (uint8_t)value; break;
    case CRL_FIELD_PARITY: break;
    }
}

struct pack {
    const struct crl_row *from;
    struct crl_row *to;
    uint32_t *bits;
    const uint32_t *in;
};

static void pack_field(void *user, uint32_t at, uint32_t width, enum crl_field field, uint32_t index)
{
    struct pack *p = user;
    uint32_t value = crl_row_get(p->from, field, index);
    for (uint32_t i = 0; i < width; i++)
        if (value >> i & 1) p->bits[(at + i) / 32] |= UINT32_C(1) << (at + i) % 32;
}

static void unpack_field(void *user, uint32_t at, uint32_t width, enum crl_field field, uint32_t index)
{
    struct pack *p = user;
    uint64_t window = p->in[at / 32];
    if (at % 32 + width > 32) window |= (uint64_t)p->in[at / 32 + 1] << 32;
    uint32_t value = (uint32_t)(window >> at % 32 & ((UINT64_C(1) << width) - 1));
    set(p->to, field, index, value);
}

bool crl_row_parity(const struct crl_geometry *geometry, const uint32_t *bits)
{
    uint32_t ones = 0;
    for (uint32_t w = 0; w < crl_row_words(geometry); w++) ones += (uint32_t)__builtin_popcount(bits[w]);
    return ones % 2 == 0;
}

void crl_row_pack(const struct crl_geometry *geometry, const struct crl_row *row, uint32_t *bits)
{
    memset(bits, 0, sizeof *bits * crl_row_words(geometry));
    struct pack p = {.from = row, .bits = bits};
    walk(geometry, pack_field, &p);
    if (!crl_row_parity(geometry, bits)) bits[0] |= 1; // the parity bit is bit 0
}

bool crl_row_unpack(const struct crl_geometry *geometry, const uint32_t *bits, struct crl_row *row)
{
    memset(row, 0, sizeof *row);
    struct pack p = {.to = row, .in = bits};
    walk(geometry, unpack_field, &p);
    return crl_row_parity(geometry, bits);
}
