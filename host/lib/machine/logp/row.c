// SPDX-License-Identifier: Apache-2.0
// Rows of a LogP processor's table: the bit layout of docs/formats/logp.md.
#include "machine/logp/image.h"
#include <string.h>

enum { FIELDS = sizeof(struct crl_logp_row) / sizeof(uint32_t) };

// The members of struct crl_logp_row are its fields in order.
static uint32_t *field_of(struct crl_logp_row *row, uint32_t field) { return (uint32_t *)row + field; }

static void widths(const struct crl_logp_geometry *g, uint32_t width[FIELDS])
{
    const uint32_t all[FIELDS] = {1, 3, 2, 1, 1, 1, 1, 1, 1, 2, 2, g->name_width, g->addr_width, g->addr_width};
    memcpy(width, all, sizeof all);
}

uint32_t crl_logp_row_bits(const struct crl_logp_geometry *g) { return 17 + g->name_width + 2 * g->addr_width; }

uint32_t crl_logp_row_words(const struct crl_logp_geometry *g) { return (crl_logp_row_bits(g) + 31) / 32; }

static void put(uint32_t *bits, uint32_t at, uint32_t width, uint32_t value)
{
    for (uint32_t i = 0; i < width; i++)
        if (value >> i & 1) bits[(at + i) / 32] |= UINT32_C(1) << (at + i) % 32;
}

static bool is_even(const struct crl_logp_geometry *g, const uint32_t *bits)
{
    uint32_t ones = 0;
    for (uint32_t w = 0; w < crl_logp_row_words(g); w++) ones += (uint32_t)__builtin_popcount(bits[w]);
    return ones % 2 == 0;
}

void crl_logp_row_pack(const struct crl_logp_geometry *g, const struct crl_logp_row *row, uint32_t *bits)
{
    struct crl_logp_row copy = *row;
    uint32_t width[FIELDS], at = 1;
    widths(g, width);
    memset(bits, 0, sizeof *bits * crl_logp_row_words(g));
    for (uint32_t f = 0; f < FIELDS; at += width[f++]) put(bits, at, width[f], *field_of(&copy, f));
    if (!is_even(g, bits)) bits[0] |= 1; // the parity bit is bit 0
}

bool crl_logp_row_unpack(const struct crl_logp_geometry *g, const uint32_t *bits, struct crl_logp_row *row)
{
    uint32_t width[FIELDS], at = 1;
    widths(g, width);
    memset(row, 0, sizeof *row);
    for (uint32_t f = 0; f < FIELDS; f++)
        for (uint32_t i = 0; i < width[f]; i++, at++) *field_of(row, f) |= (bits[at / 32] >> at % 32 & 1) << i;
    return is_even(g, bits);
}

void crl_logp_row_used(const struct crl_logp_geometry *g, const struct crl_logp_row *row, uint32_t *mask)
{
    bool combines = row->part & 1 || row->total & 1, from_bank = row->send && row->what == CRL_LOGP_STORED;
    // Bits that matter, of each field: those that make something happen always do.
    struct crl_logp_row used = {
        .send = 1, .expect = 3, .hold = 1, .held = 1, .swap = 1, .store = 1, .part = 1, .total = 1};
    if (row->send) {
        used.dest = UINT32_MAX;
        // docs/formats/logp.md: 01x is the word before, 1x0 the part, 1x1 the total.
        used.what = row->what & 4 ? 5 : row->what & 2 ? 6 : 7;
    }
    if (row->store) {
        used.store_total = 1;
        used.waddr = UINT32_MAX;
    }
    if (combines) used.operand = 1;
    if (row->part & 1) used.part = 3;
    if (row->total & 1) used.total = 3;
    if (from_bank || (combines && row->operand)) used.raddr = UINT32_MAX;
    uint32_t width[FIELDS], at = 1;
    widths(g, width);
    memset(mask, 0, sizeof *mask * crl_logp_row_words(g));
    mask[0] = 1;
    for (uint32_t f = 0; f < FIELDS; at += width[f++]) put(mask, at, width[f], *field_of(&used, f));
}
