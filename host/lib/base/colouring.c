// SPDX-License-Identifier: Apache-2.0
#include "base/colouring.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

struct colouring {
    struct crl_edge *edges;
    uint32_t colours, words;
    uint32_t *at[2];   // at[side][vertex * colours + colour]: 1 + the edge that has this colour there
    uint64_t *free[2]; // free[side][vertex * words]: a bit for each colour that no edge has there, and for some beyond
};

static uint32_t *slot(const struct colouring *c, uint32_t edge, int side, uint32_t colour)
{
    return &c->at[side][(size_t)c->edges[edge].end[side] * c->colours + colour];
}

static uint64_t *free_at(const struct colouring *c, uint32_t edge, int side)
{
    return &c->free[side][(size_t)c->edges[edge].end[side] * c->words];
}

static void set(const struct colouring *c, uint32_t edge, int side, uint32_t colour, uint32_t what)
{
    uint64_t *word = free_at(c, edge, side) + colour / 64, bit = UINT64_C(1) << colour % 64;
    *slot(c, edge, side, colour) = what;
    *word = what ? *word & ~bit : *word | bit;
}

static uint32_t free_colour(const struct colouring *c, uint32_t edge, int side)
{
    const uint64_t *word = free_at(c, edge, side);
    uint32_t w = 0;
    while (!word[w]) w++;
    return 64 * w + (uint32_t)__builtin_ctzll(word[w]); // exists: fewer edges than colours meet here
}

// A colour that is free at both ends, `colours` or more if there is none.
static uint32_t common_colour(const struct colouring *c, uint32_t edge)
{
    const uint64_t *a = free_at(c, edge, 0), *b = free_at(c, edge, 1);
    uint32_t w = 0;
    while (w < c->words && !(a[w] & b[w])) w++;
    return w < c->words ? 64 * w + (uint32_t)__builtin_ctzll(a[w] & b[w]) : c->colours;
}

// Colour `a` is free at the left end of the new edge and `b` at its right end, where an edge has a: swap a and b along
// the path of a and b edges that starts with that one. It cannot come to the left end, where a is free.
static void swap_path(struct colouring *c, uint32_t new_edge, uint32_t a, uint32_t b)
{
    uint32_t next = *slot(c, new_edge, 1, a), colour = a;
    int side = 1;
    set(c, new_edge, 1, a, 0);
    while (next) {
        uint32_t edge = next - 1, other = colour == a ? b : a;
        set(c, edge, side, other, next);
        side = 1 - side; // at the far end it may push another edge on
        uint32_t pushed = *slot(c, edge, side, other);
        set(c, edge, side, other, next);
        if (*slot(c, edge, side, colour) == next) set(c, edge, side, colour, 0);
        c->edges[edge].colour = other;
        next = pushed;
        colour = other;
    }
}

static int begin(struct colouring *c, uint32_t vertices)
{
    size_t words = (size_t)vertices * c->words;
    for (int side = 0; side < 2; side++) {
        c->at[side] = calloc((size_t)vertices * c->colours + 1, sizeof(uint32_t));
        c->free[side] = malloc((words + 1) * sizeof(uint64_t));
        if (c->free[side]) memset(c->free[side], 0xff, words * sizeof(uint64_t));
    }
    return c->at[0] && c->at[1] && c->free[0] && c->free[1] ? 0 : CRL_ERR_MEMORY;
}

int crl_colour_edges(struct crl_edge *edges, uint32_t count, uint32_t vertices, uint32_t colours, bool quick)
{
    struct colouring c = {.edges = edges, .colours = colours, .words = (colours + 63) / 64};
    int error = begin(&c, vertices);
    for (uint32_t i = 0; i < count && !error; i++) {
        uint32_t a = quick ? common_colour(&c, i) : colours;
        if (a >= colours) {
            uint32_t b = free_colour(&c, i, 1);
            a = free_colour(&c, i, 0);
            if (a != b && *slot(&c, i, 1, a)) swap_path(&c, i, a, b);
        }
        for (int side = 0; side < 2; side++) set(&c, i, side, a, i + 1);
        edges[i].colour = a;
    }
    for (int side = 0; side < 2; side++) CRL_FREE(c.at[side], c.free[side]);
    return error;
}
