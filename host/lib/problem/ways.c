// SPDX-License-Identifier: Apache-2.0
// Dijkstra's algorithm with a binary heap.
#include "problem/ways.h"
#include <math.h>
#include <stdlib.h>

int crl_ways_init(struct crl_ways *w, uint32_t nodes)
{
    w->cost = malloc(sizeof *w->cost * nodes);
    w->by = malloc(4 * sizeof *w->by * nodes);
    w->heap = w->by + nodes;
    w->place = w->heap + nodes;
    w->order = w->place + nodes;
    return w->cost && w->by ? 0 : CRL_ERR_MEMORY;
}

void crl_ways_done(struct crl_ways *w) { CRL_FREE(w->cost, w->by); }

static void put(struct crl_ways *w, uint32_t at, uint32_t node)
{
    w->heap[at] = node;
    w->place[node] = at;
}

static void rise(struct crl_ways *w, uint32_t node)
{
    uint32_t at = w->place[node];
    for (; at && w->cost[w->heap[(at - 1) / 2]] > w->cost[node]; at = (at - 1) / 2) put(w, at, w->heap[(at - 1) / 2]);
    put(w, at, node);
}

static uint32_t take_nearest(struct crl_ways *w)
{
    uint32_t nearest = w->heap[0], node = w->heap[--w->waiting], at = 0;
    for (uint32_t below = 1; below < w->waiting; below = 2 * at + 1) {
        if (below + 1 < w->waiting && w->cost[w->heap[below + 1]] < w->cost[w->heap[below]]) below++;
        if (w->cost[w->heap[below]] >= w->cost[node]) break;
        put(w, at, w->heap[below]);
        at = below;
    }
    if (w->waiting) put(w, at, node);
    return nearest;
}

// Prices of links are sums of one value or two.
static double price_of(const struct crl_rows *r, const double *value, uint32_t link)
{
    double price = value[crl_row_sends(r, link)];
    return r->single ? price + value[crl_row_receives(r, link)] : price;
}

void crl_ways_begin(struct crl_ways *w, uint32_t nodes)
{
    for (uint32_t v = 0; v < nodes; v++) w->cost[v] = INFINITY;
    w->waiting = w->settled = 0;
}

void crl_ways_enter(struct crl_ways *w, uint32_t node)
{
    w->cost[node] = 0;
    w->by[node] = CRL_NONE;
    put(w, w->waiting++, node);
}

// A way to the end of a link, by it.
static void reach(struct crl_ways *w, uint32_t node, uint32_t link, double cost)
{
    if (cost >= w->cost[node]) return;
    if (isinf(w->cost[node])) put(w, w->waiting++, node);
    w->cost[node] = cost;
    w->by[node] = link;
    rise(w, node);
}

void crl_ways_spread(struct crl_ways *w, const uint32_t *first, const uint32_t *to, const double *cost)
{
    while (w->waiting) {
        uint32_t v = take_nearest(w);
        w->order[w->settled++] = v;
        for (uint32_t i = first[v]; i < first[v + 1]; i++) reach(w, to[i], i, w->cost[v] + cost[i]);
    }
}

double crl_ways_find(struct crl_ways *w, const struct crl_rows *r, const double *value, uint32_t source, uint32_t dest)
{
    double sum = 0;
    crl_ways_begin(w, r->nodes);
    crl_ways_enter(w, source);
    while (w->waiting) {
        uint32_t v = take_nearest(w);
        w->order[w->settled++] = v;
        if (v == dest) break;
        if (!r->forwards || !r->forwards[v]) sum += w->cost[v];
        for (uint32_t i = r->first[v]; i < r->first[v + 1]; i++)
            reach(w, r->to[i], i, w->cost[v] + price_of(r, value, i));
    }
    return sum;
}
