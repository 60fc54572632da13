// SPDX-License-Identifier: Apache-2.0
#include "image/played.h"
#include "base/base.h"
#include "image/row.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Rows that are kept as fields: about a kilobyte and a half each.
enum { KEPT_MAX = 1 << 17 };

static uint64_t row_of(const void *user, uint32_t index) { return ((const struct crl_row_use *)user)[index].row; }

// Use i, which is one of table t.
static struct crl_row_play play_of(const struct crl_row_store *s, size_t i, uint32_t t)
{
    const struct crl_row_use *use = &s->use[i];
    const bool more = i + 1 < s->first[t + 1] && use[1].row == use->row + 1;
    return (struct crl_row_play){.row = use->row, .table = t, .bits = use->bits, .next = more ? use[1].bits : CRL_NONE};
}

// Where the tables have more rows than are used.
static int sort_plays(struct crl_row_play *play, const struct crl_row_store *s, uint32_t tables, uint32_t uses,
                      uint32_t rows)
{
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (uses + UINT64_C(1)));
    CRL_OWNED uint32_t *table = malloc(sizeof *table * (uses + UINT64_C(1)));
    if (!order || !table) return CRL_ERR_MEMORY;
    for (uint32_t t = 0; t < tables; t++)
        for (size_t i = s->first[t]; i < s->first[t + 1]; i++) {
            order[i] = (uint32_t)i;
            table[i] = t;
        }
    int error = crl_sort_order(order, uses, row_of, s->use, rows);
    for (uint32_t i = 0; i < uses && !error; i++) play[i] = play_of(s, order[i], table[order[i]]);
    return error;
}

// Else by counting: each use goes where its row has come to, and the uses are read in their order.
static int count_plays(struct crl_row_play *play, const struct crl_row_store *s, uint32_t tables, uint32_t uses,
                       uint32_t rows)
{
    CRL_OWNED uint32_t *start = calloc(rows + UINT64_C(1), sizeof *start);
    if (!start) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < uses; i++) start[s->use[i].row + 1]++;
    for (uint32_t row = 0; row < rows; row++) start[row + 1] += start[row];
    for (uint32_t t = 0; t < tables; t++)
        for (size_t i = s->first[t]; i < s->first[t + 1]; i++) play[start[s->use[i].row]++] = play_of(s, i, t);
    return 0;
}

int crl_row_plays(struct crl_row_play **play, const struct crl_image *image, struct crl_pool *pool)
{
    const struct crl_row_store *s = &image->store;
    const size_t uses = s->first[image->tables];
    const uint32_t rows = image->geometry.rows;
    if (uses >= UINT32_MAX) return CRL_ERR_LIMIT;
    if (!CRL_NEW(pool, *play, uses + 1)) return CRL_ERR_MEMORY;
    (*play)[uses] = (struct crl_row_play){.row = CRL_NONE, .table = CRL_NONE, .bits = CRL_NONE, .next = CRL_NONE};
    return (rows > uses ? sort_plays : count_plays)(*play, s, image->tables, (uint32_t)uses, rows);
}

// ---- rows as fields

// Fields of one bit of which is kept where they are set.
enum { NO_MASK, SENDS, EXPECTS, SHOWS, WRITES, DELAYS, PASSES, TAKES, MASKS };

// What a bit of a row says: bit `shift` of the number, of 32 bits or 8, at so many bytes of the fields, and bit `index`
// of a mask.
struct crl_row_bit {
    uint16_t at;
    uint8_t shift, index, mask;
    bool wide;
};

#define BANK(name) offsetof(struct crl_row, bank[0].name), true
#define LANE(name) offsetof(struct crl_row, lane[0].name), false
static const struct {
    size_t at;
    bool of_bank;
    uint8_t mask;
    bool wide;
} fields[] = {
    [CRL_FIELD_RADDR] = {BANK(raddr), NO_MASK, true},  [CRL_FIELD_BYP] = {BANK(byp), PASSES, false},
    [CRL_FIELD_DLY] = {BANK(dly), DELAYS, false},      [CRL_FIELD_WEN] = {BANK(wen), WRITES, false},
    [CRL_FIELD_WSEL] = {BANK(wsel), NO_MASK, true},    [CRL_FIELD_WADDR] = {BANK(waddr), NO_MASK, true},
    [CRL_FIELD_OWN] = {BANK(own), TAKES, false},       [CRL_FIELD_SET] = {BANK(set), NO_MASK, false},
    [CRL_FIELD_FWD] = {BANK(fwd), NO_MASK, false},     [CRL_FIELD_FLIP] = {BANK(flip), NO_MASK, false},
    [CRL_FIELD_OV] = {LANE(ov), SENDS, false},         [CRL_FIELD_OSEL] = {LANE(osel), NO_MASK, false},
    [CRL_FIELD_OPORT] = {LANE(oport), NO_MASK, false}, [CRL_FIELD_EXP] = {LANE(exp), EXPECTS, false},
    [CRL_FIELD_IPORT] = {LANE(iport), NO_MASK, false}, [CRL_FIELD_SHOW] = {LANE(show), SHOWS, false},
    [CRL_FIELD_SSEL] = {LANE(ssel), NO_MASK, false},
};

static void name_bits(struct crl_row_bit *bit, const struct crl_geometry *g)
{
    const struct crl_row_layout l = crl_row_layout(g);
    const struct crl_row *row = NULL;
    for (uint32_t f = CRL_FIELD_PARITY + 1; f < sizeof fields / sizeof *fields; f++)
        for (uint32_t i = 0; i < (fields[f].of_bank ? g->banks : g->lanes); i++)
            for (uint32_t k = 0; k < l.field[f].width; k++)
                bit[l.field[f].at + i * l.field[f].step + k] = (struct crl_row_bit){
                    .at = (uint16_t)(fields[f].at + i * (fields[f].of_bank ? sizeof *row->bank : sizeof *row->lane)),
                    .shift = (uint8_t)k,
                    .index = (uint8_t)i,
                    .mask = fields[f].mask,
                    .wide = fields[f].wide};
}

// Whatever the row says of banks and lanes that there are; bit 0 is the parity.
static void read_bits(const struct crl_row_reader *r, const uint32_t *bits, struct crl_row *row, uint64_t mask[MASKS])
{
    const struct crl_geometry *g = &r->image->geometry;
    memset(row->bank, 0, sizeof *row->bank * g->banks);
    memset(row->lane, 0, sizeof *row->lane * g->lanes);
    for (uint32_t w = 0; w < r->image->store.row_words; w++)
        for (uint32_t left = w ? bits[w] : bits[w] & ~UINT32_C(1); left; left &= left - 1) {
            const struct crl_row_bit *bit = &r->bit[w * 32 + (uint32_t)__builtin_ctz(left)];
            uint8_t *at = (uint8_t *)row + bit->at;
            if (bit->wide) *(uint32_t *)(void *)at |= UINT32_C(1) << bit->shift;
            else *at |= (uint8_t)(1u << bit->shift);
            mask[bit->mask] |= UINT64_C(1) << bit->index;
        }
}

static void take_apart(const struct crl_row_reader *r, struct crl_row_fields *f, const uint32_t *bits)
{
    const struct crl_geometry *g = &r->image->geometry;
    uint64_t mask[MASKS] = {0};
    read_bits(r, bits, &f->row, mask);
    f->sends = (uint32_t)mask[SENDS];
    f->shows = (uint32_t)mask[SHOWS];
    f->keeps = mask[WRITES] | mask[DELAYS];
    f->takes = mask[TAKES];
    f->expects = f->nowhere = 0;
    f->shown = 0;
    for (uint32_t lanes = f->sends; lanes; lanes &= lanes - 1) {
        uint32_t bank = f->row.lane[__builtin_ctz(lanes)].osel - crl_geometry_bank_select(g, 0);
        if (bank < g->banks) f->shown |= UINT64_C(1) << bank;
    }
    for (uint32_t lanes = g->combine ? f->shows : 0; lanes; lanes &= lanes - 1) {
        uint32_t bank = f->row.lane[__builtin_ctz(lanes)].ssel;
        if (bank < g->banks) f->shown |= UINT64_C(1) << bank;
    }
    for (uint64_t lanes = mask[EXPECTS]; lanes; lanes &= lanes - 1) {
        uint32_t j = (uint32_t)__builtin_ctzll(lanes), port = j + g->lanes * f->row.lane[j].iport;
        if (port < g->ports) f->expects |= UINT32_C(1) << port;
        else f->nowhere |= UINT32_C(1) << j;
    }
    for (uint32_t j = 0; g->streams && g->combine && j < g->lanes; j++)
        if (crl_row_takes(g, &f->row, j)) f->takes |= UINT64_C(1) << j;
    f->passes = g->combine ? 0 : mask[PASSES] & f->shown & ~(f->keeps | f->takes);
}

static const uint32_t *bits_at(const struct crl_row_reader *r, uint32_t bits)
{
    return r->image->store.bits + (size_t)bits * r->image->store.row_words;
}

int crl_row_reader_init(struct crl_row_reader *r, const struct crl_image *image, struct crl_pool *pool)
{
    *r = (struct crl_row_reader){.image = image};
    const uint32_t words = crl_row_words(&image->geometry), stored = image->store.row_words;
    if (!CRL_ZEROED(pool, r->bit, (words > stored ? words : stored) * UINT64_C(32))) return CRL_ERR_MEMORY;
    name_bits(r->bit, &image->geometry);
    if (image->store.distinct > KEPT_MAX) return 0;
    struct crl_row_fields *kept;
    if (!CRL_ZEROED(pool, kept, image->store.distinct)) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < image->store.distinct; i++) take_apart(r, &kept[i], bits_at(r, i));
    r->kept = kept;
    return 0;
}

const struct crl_row_fields *crl_row_read(const struct crl_row_reader *r, uint32_t bits, struct crl_row_fields *room)
{
    if (r->kept) return &r->kept[bits];
    take_apart(r, room, bits_at(r, bits));
    return room;
}
