// SPDX-License-Identifier: Apache-2.0
// Sums in stages (decision 0130): which routers the rows of tables need, and whether such can play them.
#include "machine/slots/emission.h"
#include "lower/lower.h"
#include <stdlib.h>
#include <string.h>

static bool row_adds_one(const struct crl_geometry *g, const struct crl_row *row)
{
    for (uint32_t b = 0; b < g->banks; b++) {
        const uint32_t lanes = row->bank[b].wen ? row->bank[b].wsel & ((UINT32_C(1) << g->lanes) - 1) : 0;
        if (lanes & (lanes - 1)) return false;
    }
    return true;
}

static bool row_is_aligned(const struct crl_geometry *g, const struct crl_row *row)
{
    for (uint32_t b = 0; b < g->banks; b++)
        if (row->bank[b].wen && row->bank[b].wsel >> g->lanes & ~(UINT32_C(1) << b % g->lanes)) return false;
    for (uint32_t j = 0; j < g->lanes; j++)
        if (row->lane[j].show && row->lane[j].ssel % g->lanes != j) return false;
    return true;
}

// Whether something holds of all rows of all tables.
static bool all_rows(const struct emission *e, bool (*holds)(const struct crl_geometry *, const struct crl_row *))
{
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct crl_image *image = e->part[p].image;
        for (size_t i = 0; i < image->store.first[image->tables]; i++) {
            struct crl_row row;
            crl_row_unpack(&image->geometry,
                           image->store.bits + (size_t)image->store.use[i].bits * image->store.row_words, &row);
            if (!holds(&image->geometry, &row)) return false;
        }
    }
    return true;
}

bool adds_one(const struct emission *e) { return all_rows(e, row_adds_one); }

bool is_aligned(const struct emission *e) { return all_rows(e, row_is_aligned); }

// One bank, over all rows of a table: each adds one word, to a sum of long enough before. `last`: [words of a bank].
static bool is_apart(const struct crl_image *image, uint32_t table, uint32_t bank, uint32_t words, uint32_t *last)
{
    const struct crl_geometry *g = &image->geometry;
    memset(last, 0, sizeof *last << g->addr_width);
    for (uint32_t r = 0; r < g->rows; r++) {
        struct crl_row row;
        crl_row_unpack(g, crl_image_row(image, table, r), &row);
        if (!row.bank[bank].wen) continue;
        const uint32_t of = row.bank[bank].wsel, at = row.bank[bank].waddr, from = last[at ^ row.bank[bank].flip];
        if (of & (of - 1)) return false;
        if (!row.bank[bank].set && from && (uint64_t)(r + 1 - from) * words < CRL_FLOAT_APART) return false;
        last[at] = r + 1;
    }
    return true;
}

uint32_t late_of(const struct crl_problem *problem, const struct crl_image *image, uint32_t words)
{
    const uint32_t late = crl_sum_late(problem, words);
    if (!late || !crl_op_floats(problem->op)) return late;
    CRL_OWNED uint32_t *last = malloc(sizeof *last << image->geometry.addr_width);
    bool good = last != NULL; // without memory emission fails elsewhere
    for (uint32_t t = 0; t < image->tables && good; t++)
        for (uint32_t b = 0; b < image->geometry.banks && good; b++) good = is_apart(image, t, b, words, last);
    return good ? late : 0;
}

static bool leaves(const struct crl_geometry *g, const struct crl_row *row, uint32_t bank)
{
    for (uint32_t j = 0; j < g->lanes; j++)
        if ((row->lane[j].ov && row->lane[j].osel == bank) || (row->lane[j].show && row->lane[j].ssel == bank))
            return true;
    return false;
}

// What is known of a bank behind a row.
struct bank {
    uint32_t last; // address that was written last
    uint32_t left; // address that left in the row, CRL_NONE: none did
};

// raddr is the address of what leaves, and the row after does not write there.
static bool plays(struct bank *bank, const struct crl_geometry *g, const struct crl_row *row, uint32_t b)
{
    const uint32_t at = row->bank[b].raddr, to = row->bank[b].wen ? row->bank[b].waddr : CRL_NONE;
    const bool out = leaves(g, row, b), free = to == CRL_NONE || to != bank->left;
    const bool named = row->bank[b].byp ? at == to : row->bank[b].dly ? at == bank->last : true;
    if (to != CRL_NONE) bank->last = to;
    bank->left = out ? at : CRL_NONE;
    return free && (!out || named);
}

int check_stages(const struct emission *e, const struct part *part)
{
    const struct crl_image *image = part->image;
    const struct crl_geometry *g = &image->geometry;
    for (uint32_t t = 0; t < image->tables && part->late; t++) {
        struct bank bank[CRL_BANKS_MAX];
        for (uint32_t b = 0; b < g->banks; b++) bank[b] = (struct bank){CRL_NONE, CRL_NONE};
        // And row 0 once more, of the next round.
        for (uint32_t r = 0; r <= g->rows; r++) {
            struct crl_row row;
            crl_row_unpack(g, crl_image_row(image, t, r % g->rows), &row);
            for (uint32_t b = 0; b < g->banks; b++)
                if (!plays(&bank[b], g, &row, b))
                    return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                                    "table %u, row %u: a sum leaves that routers in stages do not find: build the "
                                    "image anew, or with another --link-latency",
                                    t, r % g->rows);
        }
    }
    return 0;
}
