// SPDX-License-Identifier: Apache-2.0
// Cells: how many packets are in each, and what one more would pay.
#include "algorithm/core.h"
#include "base/base.h"
#include <string.h>

enum {
    CELLS_MAX = 1 << 26,
    HOP = 8,          // price of a cell that nobody else wants
    PRESENT = 4,      // and of each packet too many in it, in the first round
    PRESENT_MAX = 16, // as it grows to
    HISTORY = 4       // what a round adds for good for each packet too many
};

static uint32_t capacity_of(const struct crl_core *c, const struct crl_core_cells *x, size_t cell)
{
    return c->capacity[cell / x->slots];
}

static void set_price(struct crl_core_cells *x, size_t cell, uint32_t capacity)
{
    uint32_t over = x->used[cell] >= capacity ? x->used[cell] + 1 - capacity : 0;
    x->price[cell] = HOP + x->history[cell] + over * x->present;
}

static void set_prices(const struct crl_core *c, struct crl_core_cells *x)
{
    for (uint32_t row = 0; row < c->rows; row++)
        for (uint32_t slot = 0; slot < x->slots; slot++) set_price(x, (size_t)row * x->slots + slot, c->capacity[row]);
}

int crl_core_cells_init(struct crl_core_cells *x, struct crl_pool *pool, const struct crl_core *c, uint32_t slots)
{
    *x = (struct crl_core_cells){.slots = c->modulo ? c->modulo : slots, .modulo = c->modulo, .present = PRESENT};
    size_t cells = (size_t)c->rows * x->slots + 1;
    if (cells > CELLS_MAX) return CRL_ERR_UNSUPPORTED;
    CRL_NUMBERS(pool, cells, &x->used, &x->history, &x->price, &x->head);
    crl_set_init(&x->over, pool, cells);
    if (pool->failed) return CRL_ERR_MEMORY;
    memset(x->head, 0xff, sizeof *x->head * cells);
    crl_set_empty(&x->over, cells);
    set_prices(c, x);
    return 0;
}

// ---------------------------------------------------------------- packets in cells

static void change(const struct crl_core *c, struct crl_core_cells *x, size_t cell, uint32_t by)
{
    uint32_t capacity = capacity_of(c, x, cell);
    x->used[cell] += by;
    crl_set_put(&x->over, (uint32_t)cell, x->used[cell] > capacity);
    set_price(x, cell, capacity);
}

void crl_core_enter(struct crl_core *c, struct crl_core_cells *x, uint32_t packet, uint32_t first)
{
    for (size_t i = c->first[packet] + first; i < c->first[packet] + c->hops[packet]; i++) {
        struct crl_core_hop *hop = &c->hop[i];
        const struct crl_core_arc *arc = &c->arc[hop->arc];
        for (int k = 0; k < 2 && arc->row[k] != CRL_NONE; k++) {
            size_t cell = crl_core_cell(x, arc, k, hop->slot);
            hop->next[k] = x->head[cell];
            x->head[cell] = (uint32_t)i;
            change(c, x, cell, 1);
        }
    }
}

// The reference by which a cell knows a hop. A row is a sender's or a receiver's, so in a cell it is always the same
// one of the two.
static uint32_t *reference(const struct crl_core *c, struct crl_core_cells *x, size_t cell, int k, uint32_t hop)
{
    uint32_t *at = &x->head[cell];
    while (*at != hop) at = &c->hop[*at].next[k];
    return at;
}

void crl_core_leave(struct crl_core *c, struct crl_core_cells *x, uint32_t packet)
{
    for (size_t i = c->first[packet]; i < c->first[packet] + c->hops[packet]; i++) {
        struct crl_core_hop *hop = &c->hop[i];
        const struct crl_core_arc *arc = &c->arc[hop->arc];
        for (int k = 0; k < 2 && arc->row[k] != CRL_NONE; k++) {
            size_t cell = crl_core_cell(x, arc, k, hop->slot);
            *reference(c, x, cell, k, (uint32_t)i) = hop->next[k];
            change(c, x, cell, UINT32_MAX);
        }
    }
    c->hops[packet] = 0;
}

bool crl_core_is_over(const struct crl_core *c, const struct crl_core_cells *x, const struct crl_core_hop *hop)
{
    const struct crl_core_arc *arc = &c->arc[hop->arc];
    for (int k = 0; k < 2 && arc->row[k] != CRL_NONE; k++)
        if (crl_set_has(&x->over, (uint32_t)crl_core_cell(x, arc, k, hop->slot))) return true;
    return false;
}

bool crl_core_crosses_over(const struct crl_core *c, const struct crl_core_cells *x, uint32_t packet)
{
    for (size_t i = c->first[packet]; i < c->first[packet] + c->hops[packet]; i++)
        if (crl_core_is_over(c, x, &c->hop[i])) return true;
    return false;
}

uint64_t crl_core_raise(const struct crl_core *c, struct crl_core_cells *x)
{
    uint64_t too_many = 0;
    bool dearer = x->present < PRESENT_MAX;
    if (dearer) x->present += 1 + x->present / 4;
    for (uint32_t i = 0; i < x->over.count; i++) {
        uint32_t cell = x->over.list[i], capacity = capacity_of(c, x, cell), over = x->used[cell] - capacity;
        too_many += over;
        x->history[cell] += HISTORY * over;
        set_price(x, cell, capacity);
    }
    if (dearer) set_prices(c, x);
    return too_many;
}
