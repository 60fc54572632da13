// SPDX-License-Identifier: Apache-2.0
#include "image/played.h"
#include "base/base.h"
#include <stdlib.h>

// Rows that are kept as fields: about a kilobyte and a half each.
enum { KEPT_MAX = 1 << 17 };

static uint64_t row_of(const void *user, uint32_t index) { return ((const struct crl_row_use *)user)[index].row; }

static void order_plays(struct crl_row_play *play, const uint32_t *order, const uint32_t *table,
                        const struct crl_row_store *s, uint32_t uses)
{
    for (uint32_t i = 0; i < uses; i++) {
        const struct crl_row_use *use = &s->use[order[i]];
        const bool more = order[i] + UINT64_C(1) < s->first[table[order[i]] + 1];
        play[i] = (struct crl_row_play){.row = use->row,
                                        .table = table[order[i]],
                                        .bits = use->bits,
                                        .next = more && use[1].row == use->row + 1 ? use[1].bits : CRL_NONE};
    }
    play[uses] = (struct crl_row_play){.row = CRL_NONE, .table = CRL_NONE, .bits = CRL_NONE, .next = CRL_NONE};
}

int crl_row_plays(struct crl_row_play **play, const struct crl_image *image, struct crl_pool *pool)
{
    const struct crl_row_store *s = &image->store;
    const size_t uses = s->first[image->tables];
    if (uses >= UINT32_MAX) return CRL_ERR_LIMIT;
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (uses + 1)), *table = malloc(sizeof *table * (uses + 1));
    if (!CRL_NEW(pool, *play, uses + 1) || !order || !table) return CRL_ERR_MEMORY;
    for (uint32_t t = 0; t < image->tables; t++)
        for (size_t i = s->first[t]; i < s->first[t + 1]; i++) {
            order[i] = (uint32_t)i;
            table[i] = t;
        }
    int error = crl_sort_order(order, (uint32_t)uses, row_of, s->use, image->geometry.rows);
    if (!error) order_plays(*play, order, table, s, (uint32_t)uses);
    return error;
}

static void take_apart(struct crl_row_fields *f, const struct crl_geometry *g, const uint32_t *bits)
{
    crl_row_unpack(g, bits, &f->row);
    f->sends = f->shows = f->expects = f->nowhere = 0;
    f->takes = f->keeps = f->passes = f->shown = 0;
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t bank = f->row.lane[j].osel - crl_geometry_bank_select(g, 0);
        uint32_t port = j + g->lanes * f->row.lane[j].iport;
        if (f->row.lane[j].ov) f->sends |= UINT32_C(1) << j;
        if (f->row.lane[j].ov && bank < g->banks) f->shown |= UINT64_C(1) << bank;
        if (f->row.lane[j].show) f->shows |= UINT32_C(1) << j;
        bank = f->row.lane[j].ssel;
        if (g->combine && f->row.lane[j].show && bank < g->banks) f->shown |= UINT64_C(1) << bank;
        if (!f->row.lane[j].exp) continue;
        if (port < g->ports) f->expects |= UINT32_C(1) << port;
        else f->nowhere |= UINT32_C(1) << j;
    }
    for (uint32_t b = 0; g->streams && b < (g->combine ? g->lanes : g->banks); b++)
        if (crl_row_takes(g, &f->row, b)) f->takes |= UINT64_C(1) << b;
    for (uint32_t b = 0; b < g->banks; b++) {
        if (f->row.bank[b].wen || f->row.bank[b].dly) f->keeps |= UINT64_C(1) << b;
        if (!g->combine && f->row.bank[b].byp) f->passes |= UINT64_C(1) << b;
    }
    f->passes &= f->shown & ~(f->keeps | f->takes);
}

static const uint32_t *bits_at(const struct crl_row_reader *r, uint32_t bits)
{
    return r->image->store.bits + (size_t)bits * r->image->store.row_words;
}

int crl_row_reader_init(struct crl_row_reader *r, const struct crl_image *image, struct crl_pool *pool)
{
    *r = (struct crl_row_reader){.image = image};
    if (image->store.distinct > KEPT_MAX) return 0;
    if (!CRL_NEW(pool, r->kept, image->store.distinct)) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < image->store.distinct; i++) take_apart(&r->kept[i], &image->geometry, bits_at(r, i));
    return 0;
}

const struct crl_row_fields *crl_row_read(const struct crl_row_reader *r, uint32_t bits, struct crl_row_fields *room)
{
    if (r->kept) return &r->kept[bits];
    take_apart(room, &r->image->geometry, bits_at(r, bits));
    return room;
}
