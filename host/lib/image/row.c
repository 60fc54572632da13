// SPDX-License-Identifier: Apache-2.0
// Packing of table rows: the bit layout of docs/formats/row.md, written once as where each field is.
#include "image/row.h"
#include "base/base.h"
#include <string.h>

bool crl_geometry_is_direct(const struct crl_geometry *geometry)
{
    return geometry->banks < geometry->lanes && !geometry->combine;
}

enum crl_op crl_geometry_op(const struct crl_geometry *geometry) { return (enum crl_op)(geometry->combine - 1); }

uint64_t crl_word_on_stream(const struct crl_geometry *geometry, uint64_t word)
{
    return geometry->combine ? crl_op_narrowed(crl_geometry_op(geometry), word) : word;
}

uint32_t crl_geometry_bank_select(const struct crl_geometry *geometry, uint32_t bank)
{
    return crl_geometry_is_direct(geometry) ? geometry->lanes + bank : bank;
}

struct crl_row_layout crl_row_layout(const struct crl_geometry *g)
{
    struct crl_row_layout l = {.bits = 1};
    uint32_t group = crl_bits_for(crl_ceil_div(g->ports, g->lanes)), source = crl_bits_for(g->lanes);
    uint32_t addr = g->storeless ? 0 : g->addr_width;
    const struct {
        enum crl_field field;
        uint32_t width;
    } fields[] = {{CRL_FIELD_RADDR, addr},
                  {CRL_FIELD_BYP, crl_geometry_is_direct(g) ? 0 : 1},
                  {CRL_FIELD_DLY, g->delay},
                  {CRL_FIELD_WEN, !g->storeless},
                  {CRL_FIELD_WSEL, g->combine      ? g->lanes * (g->streams ? 2 : 1)
                                   : g->write_xbar ? source
                                                   : 0},
                  {CRL_FIELD_WADDR, g->waddr_field ? addr : 0},
                  {CRL_FIELD_OWN, g->streams && !g->combine},
                  {CRL_FIELD_SET, g->combine > 0},
                  {CRL_FIELD_FWD, g->combine > 0},
                  {CRL_FIELD_FLIP, g->combine > 0},
                  {CRL_FIELD_OV, 1},
                  {CRL_FIELD_OSEL, crl_bits_for(crl_geometry_bank_select(g, g->banks))},
                  {CRL_FIELD_OPORT, group},
                  {CRL_FIELD_EXP, 1},
                  {CRL_FIELD_IPORT, group},
                  {CRL_FIELD_SHOW, g->streams > 0},
                  {CRL_FIELD_SSEL, g->streams && g->combine ? crl_bits_for(g->banks) : 0}};
    static const struct {
        size_t first, count; // in fields
    } parts[] = {{0, 10}, {10, 3}, {13, 4}};
    const uint32_t times[] = {g->banks, g->lanes, g->lanes};
    l.field[CRL_FIELD_PARITY].width = 1;
    for (size_t part = 0; part < 3; part++) {
        uint32_t step = 0;
        for (size_t f = parts[part].first; f < parts[part].first + parts[part].count; f++) {
            l.field[fields[f].field].at = l.bits + step;
            l.field[fields[f].field].width = fields[f].width;
            step += fields[f].width;
        }
        for (size_t f = parts[part].first; f < parts[part].first + parts[part].count; f++)
            l.field[fields[f].field].step = step;
        l.bits += step * times[part];
    }
    l.words = (l.bits + 31) / 32;
    return l;
}

uint32_t crl_row_bits(const struct crl_geometry *geometry) { return crl_row_layout(geometry).bits; }

uint32_t crl_row_words(const struct crl_geometry *geometry) { return crl_row_layout(geometry).words; }

static inline uint32_t get(const struct crl_row_layout *layout, const uint32_t *bits, enum crl_field field,
                           uint32_t index)
{
    uint32_t at = layout->field[field].at + index * layout->field[field].step, width = layout->field[field].width;
    if (!width) return 0;
    uint64_t window = bits[at / 32];
    if (at % 32 + width > 32) window |= (uint64_t)bits[at / 32 + 1] << 32;
    return (uint32_t)(window >> at % 32 & ((UINT64_C(1) << width) - 1));
}

void crl_row_put(const struct crl_row_layout *layout, uint32_t *bits, enum crl_field field, uint32_t index,
                 uint32_t value)
{
    uint32_t at = layout->field[field].at + index * layout->field[field].step, width = layout->field[field].width;
    if (!width) return; // and perhaps no word either
    uint64_t window = (value & ((UINT64_C(1) << width) - 1)) << at % 32;
    bits[at / 32] |= (uint32_t)window;
    if (window >> 32) bits[at / 32 + 1] |= (uint32_t)(window >> 32);
}

static bool is_even(const uint32_t *bits, uint32_t words)
{
    uint32_t all = 0;
    for (uint32_t w = 0; w < words; w++) all ^= bits[w];
    return !(__builtin_popcount(all) & 1);
}

bool crl_row_parity(const struct crl_geometry *geometry, const uint32_t *bits)
{
    return is_even(bits, crl_row_words(geometry));
}

void crl_row_mend_parity(const struct crl_row_layout *layout, uint32_t *bits)
{
    if (!is_even(bits, layout->words)) bits[0] ^= 1; // the parity bit is bit 0
}

// The members of a row that have bits, and their fields: of each bank and of each lane.
#define BANK_FIELDS(X)                                                                                                 \
    X(uint32_t, RADDR, bank, raddr);                                                                                   \
    X(uint8_t, BYP, bank, byp);                                                                                        \
    X(uint8_t, DLY, bank, dly);                                                                                        \
    X(uint8_t, WEN, bank, wen);                                                                                        \
    X(uint32_t, WSEL, bank, wsel);                                                                                     \
    X(uint32_t, WADDR, bank, waddr);                                                                                   \
    X(uint8_t, OWN, bank, own);                                                                                        \
    X(uint8_t, SET, bank, set);                                                                                        \
    X(uint8_t, FWD, bank, fwd);                                                                                        \
    X(uint8_t, FLIP, bank, flip);
#define LANE_FIELDS(X)                                                                                                 \
    X(uint8_t, OV, lane, ov);                                                                                          \
    X(uint8_t, OSEL, lane, osel);                                                                                      \
    X(uint8_t, OPORT, lane, oport);                                                                                    \
    X(uint8_t, EXP, lane, exp);                                                                                        \
    X(uint8_t, IPORT, lane, iport);                                                                                    \
    X(uint8_t, SHOW, lane, show);                                                                                      \
    X(uint8_t, SSEL, lane, ssel);
#define PUT(type, FIELD, part, member) crl_row_put(&l, bits, CRL_FIELD_##FIELD, i, row->part[i].member)
#define GET(type, FIELD, part, member) row->part[i].member = (type)get(&l, bits, CRL_FIELD_##FIELD, i)

void crl_row_pack(const struct crl_geometry *g, const struct crl_row *row, uint32_t *bits)
{
    struct crl_row_layout l = crl_row_layout(g);
    memset(bits, 0, sizeof *bits * l.words);
    for (uint32_t i = 0; i < g->banks; i++) {
        BANK_FIELDS(PUT)
    }
    for (uint32_t i = 0; i < g->lanes; i++) {
        LANE_FIELDS(PUT)
    }
    crl_row_mend_parity(&l, bits);
}

bool crl_row_unpack(const struct crl_geometry *g, const uint32_t *bits, struct crl_row *row)
{
    struct crl_row_layout l = crl_row_layout(g);
    memset(row, 0, sizeof *row);
    for (uint32_t i = 0; i < g->banks; i++) {
        BANK_FIELDS(GET)
    }
    for (uint32_t i = 0; i < g->lanes; i++) {
        LANE_FIELDS(GET)
    }
    return is_even(bits, l.words);
}

bool crl_row_takes(const struct crl_geometry *g, const struct crl_row *row, uint32_t stream)
{
    if (!g->combine) return row->bank[stream].own;
    for (uint32_t b = 0; b < g->banks; b++)
        if (row->bank[b].wsel >> (g->lanes + stream) & 1) return true;
    return false;
}

// ---- which bits of a row matter

static bool is_read(const struct crl_row *row, const struct crl_geometry *g, uint32_t bank)
{
    for (uint32_t j = 0; j < g->lanes; j++)
        if ((row->lane[j].ov && row->lane[j].osel == crl_geometry_bank_select(g, bank)) ||
            (row->lane[j].show && g->combine && row->lane[j].ssel == bank))
            return true;
    return false;
}

static void mark(const struct crl_row_layout *layout, uint32_t *mask, enum crl_field field, uint32_t index, bool acts)
{
    if (acts) crl_row_put(layout, mask, field, index, UINT32_MAX);
}

// What a bank that adds up arrivals does not look at: where it starts from the live words, or from what the row before
// wrote.
static void mark_sum(const struct crl_row_layout *l, const struct crl_row *row, uint32_t b, bool read, uint32_t *mask)
{
    bool adds = row->bank[b].wen || (read && row->bank[b].byp), stored = adds && !row->bank[b].set;
    mark(l, mask, CRL_FIELD_RADDR, b, read); // in stages it is all that counts
    mark(l, mask, CRL_FIELD_BYP, b, read);
    mark(l, mask, CRL_FIELD_DLY, b, read && !row->bank[b].byp);
    mark(l, mask, CRL_FIELD_WEN, b, true);
    mark(l, mask, CRL_FIELD_WSEL, b, adds);
    mark(l, mask, CRL_FIELD_WADDR, b, adds);
    mark(l, mask, CRL_FIELD_SET, b, adds);
    mark(l, mask, CRL_FIELD_FWD, b, stored);
    mark(l, mask, CRL_FIELD_FLIP, b, stored);
}

void crl_row_used(const struct crl_geometry *g, const struct crl_row *row, const struct crl_row *next, uint32_t *mask)
{
    struct crl_row_layout l = crl_row_layout(g);
    memset(mask, 0, sizeof *mask * l.words);
    mask[0] = 1; // parity
    for (uint32_t b = 0; b < g->banks; b++) {
        if (g->combine) {
            mark_sum(&l, row, b, is_read(row, g, b), mask);
            continue;
        }
        bool read = is_read(row, g, b), replayed = next && !next->bank[b].byp && is_read(next, g, b);
        bool live = (row->bank[b].byp && read) || (row->bank[b].dly && replayed);
        mark(&l, mask, CRL_FIELD_RADDR, b, read && !row->bank[b].byp);
        mark(&l, mask, CRL_FIELD_BYP, b, read);
        mark(&l, mask, CRL_FIELD_DLY, b, replayed);
        mark(&l, mask, CRL_FIELD_WEN, b, true);
        mark(&l, mask, CRL_FIELD_WSEL, b, row->bank[b].wen || live);
        mark(&l, mask, CRL_FIELD_WADDR, b, row->bank[b].wen);
        mark(&l, mask, CRL_FIELD_OWN, b, true);
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        mark(&l, mask, CRL_FIELD_OV, j, true);
        mark(&l, mask, CRL_FIELD_OSEL, j, row->lane[j].ov);
        mark(&l, mask, CRL_FIELD_OPORT, j, row->lane[j].ov);
        mark(&l, mask, CRL_FIELD_EXP, j, true);
        mark(&l, mask, CRL_FIELD_IPORT, j, row->lane[j].exp);
        mark(&l, mask, CRL_FIELD_SHOW, j, true);
        mark(&l, mask, CRL_FIELD_SSEL, j, row->lane[j].show);
    }
}
