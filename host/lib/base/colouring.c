// SPDX-License-Identifier: Apache-2.0
#include "base/colouring.h"
#include "base/base.h"
#include <stdlib.h>

struct colouring {
    struct crl_edge *edges;
    uint32_t colours;
    uint32_t *at[2]; // at[side][vertex * colours + colour]: 1 + the edge that has this colour there
};

static uint32_t *slot(const struct colouring *c, uint32_t edge, int side, uint32_t colour)
{
    return &c->at[side][(size_t)c->edges[edge].end[side] * c->colours + colour];
}

static uint32_t free_colour(const struct colouring *c, uint32_t edge, int side)
{
    uint32_t colour = 0;
    while (*slot(c, edge, side, colour)) colour++;
    return colour; // exists: fewer edges than colours meet here
}

// A colour that is free at both ends, `colours` if there is none.
static uint32_t common_colour(const struct colouring *c, uint32_t edge)
{
    uint32_t colour = 0;
    while (colour < c->colours && (*slot(c, edge, 0, colour) || *slot(c, edge, 1, colour))) colour++;
    return colour;
}

// Colour `a` is free at the left end of the new edge and `b` at its right end, where an edge has a: swap a and b along
// the path of a and b edges that starts with that one. It cannot come to the left end, where a is free.
static void swap_path(struct colouring *c, uint32_t new_edge, uint32_t a, uint32_t b)
{
    uint32_t *first = slot(c, new_edge, 1, a), next = *first, colour = a;
    int side = 1;
    *first = 0;
    while (next) {
        uint32_t edge = next - 1, other = colour == a ? b : a;
        *slot(c, edge, side, other) = next;
        side = 1 - side; // at the far end it may push another edge on
        uint32_t pushed = *slot(c, edge, side, other);
        *slot(c, edge, side, other) = next;
        if (*slot(c, edge, side, colour) == next) *slot(c, edge, side, colour) = 0;
        c->edges[edge].colour = other;
        next = pushed;
        colour = other;
    }
}

int crl_colour_edges(struct crl_edge *edges, uint32_t count, uint32_t vertices, uint32_t colours, bool quick)
{
    struct colouring c = {.edges = edges, .colours = colours};
    for (int side = 0; side < 2; side++) c.at[side] = calloc((size_t)vertices * colours + 1, sizeof(uint32_t));
    int error = c.at[0] && c.at[1] ? 0 : CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count && !error; i++) {
        uint32_t a = quick ? common_colour(&c, i) : colours;
        if (a == colours) {
            uint32_t b = free_colour(&c, i, 1);
            a = free_colour(&c, i, 0);
            if (a != b && *slot(&c, i, 1, a)) swap_path(&c, i, a, b);
        }
        *slot(&c, i, 0, a) = *slot(&c, i, 1, a) = i + 1;
        edges[i].colour = a;
    }
    free(c.at[0]);
    free(c.at[1]);
    return error;
}
