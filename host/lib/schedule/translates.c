// SPDX-License-Identifier: Apache-2.0
#include "schedule/translates.h"
#include "base/base.h"
#include <stdlib.h>

enum { LOW_LEAST = 64, LOW_MOST = 4096, FEW = 64 };

void crl_translates_init(struct crl_translates *t, const struct crl_schedule *schedule)
{
    *t = (struct crl_translates){.topology = schedule->topology,
                                 .naming = schedule->naming,
                                 .low = 1,
                                 .columns = schedule->naming == CRL_NAMING_PAIR ? 3 : 2};
    for (uint32_t i = 0; i < t->topology->factor_count; i++) {
        uint32_t size = t->topology->factor[i].size;
        if (t->low >= LOW_LEAST && (uint64_t)t->low * size > LOW_MOST) break;
        t->low *= size;
    }
}

void crl_translates_done(struct crl_translates *t) { CRL_FREE(t->column, t->base, t->order, t->out); }

static int make_room(struct crl_translates *t, size_t count)
{
    if (count <= t->capacity) return 0;
    crl_translates_done(t);
    t->column = malloc(sizeof *t->column * count * t->columns * t->low);
    t->base = malloc(sizeof *t->base * count * t->columns);
    t->order = malloc(sizeof *t->order * count);
    t->out = malloc(sizeof *t->out * count);
    t->capacity = t->column && t->base && t->order && t->out ? count : 0;
    return t->capacity ? 0 : CRL_ERR_MEMORY;
}

// The lower digits of `number`, translated by 0…low−1: factor by factor, each filling as many copies of what the ones
// before it have filled as it has digits.
static void fill_column(const struct crl_translates *t, uint32_t number, uint32_t *column)
{
    column[0] = 0;
    for (uint32_t i = 0, length = 1; length < t->low; length *= t->topology->factor[i++].size) {
        const struct crl_factor *f = &t->topology->factor[i];
        uint32_t digit = number / f->stride % f->size;
        for (uint32_t v = f->size; v-- > 0;) { // the copy of digit 0 last: the others are made from it
            uint32_t sum = crl_topology_shift(t->topology, digit * f->stride, v * f->stride);
            for (uint32_t k = 0; k < length; k++) column[v * length + k] = column[k] + sum;
        }
    }
}

static uint32_t number_of(const struct crl_move *m, uint32_t column)
{
    return column == 0 ? m->dst : column == 1 ? m->origin : m->dest;
}

int crl_translates_slot(struct crl_translates *t, const struct crl_move *moves, size_t count)
{
    int error = make_room(t, count);
    if (error) return error;
    t->moves = moves;
    t->count = count;
    t->based = CRL_NONE;
    for (size_t i = 0; i < count; i++) {
        t->order[i] = (uint32_t)i;
        for (uint32_t c = 0; c < t->columns; c++)
            fill_column(t, number_of(&moves[i], c), &t->column[(i * t->columns + c) * t->low]);
    }
    return 0;
}

static void rebase(struct crl_translates *t, uint32_t upper)
{
    t->based = upper;
    for (size_t i = 0; i < t->count; i++)
        for (uint32_t c = 0; c < t->columns; c++) {
            uint32_t number = number_of(&t->moves[i], c);
            t->base[i * t->columns + c] = crl_topology_shift(t->topology, number - number % t->low, upper);
        }
}

// Order of moves of one node in one slot.
static bool after(const struct crl_move *a, const struct crl_move *b)
{
    return a->dst != b->dst ? a->dst > b->dst : crl_move_compare(a, b) > 0;
}

static int compare(const void *a, const void *b) { return crl_move_compare(a, b); }

const struct crl_move *crl_translates_at(struct crl_translates *t, uint32_t by)
{
    uint32_t lower = by % t->low, columns = t->columns;
    size_t low = t->low;
    if (by - lower != t->based) rebase(t, by - lower);
    for (size_t k = 0; k < t->count; k++) {
        uint32_t i = t->order[k];
        const uint32_t *base = &t->base[i * columns], *column = &t->column[i * columns * low + lower];
        const struct crl_move *m = &t->moves[i];
        struct crl_move move = {m->slot, by, base[0] + column[0], base[1] + column[low],
                                columns == 3 ? base[2] + column[2 * low] : m->dest};
        size_t at = k;
        // From one node to the next few change places.
        for (; at > 0 && t->count <= FEW && after(&t->out[at - 1], &move); at--) {
            t->out[at] = t->out[at - 1];
            t->order[at] = t->order[at - 1];
        }
        t->out[at] = move;
        t->order[at] = i;
    }
    if (t->count > FEW) qsort(t->out, t->count, sizeof *t->out, compare);
    return t->out;
}

int crl_translates_each(const struct crl_schedule *s,
                        bool (*take)(void *user, const struct crl_move *moves, size_t count), void *user)
{
    CRL_ENDED(crl_translates_done) struct crl_translates t = {0};
    int error = 0;
    bool more = true;
    crl_translates_init(&t, s);
    for (size_t first = 0, end; first < s->count && !error && more; first = end) {
        end = first + 1;
        while (end < s->count && s->moves[end].slot == s->moves[first].slot) end++;
        error = crl_translates_slot(&t, &s->moves[first], end - first);
        for (uint32_t v = 0; v < crl_topology_nodes(s->topology) && !error && more; v++)
            more = take(user, crl_translates_at(&t, v), end - first);
    }
    return error;
}
