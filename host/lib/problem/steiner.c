// SPDX-License-Identifier: Apache-2.0
#include "problem/steiner.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int crl_steiner_init(struct crl_steiner *s, uint32_t nodes, uint32_t links, const uint32_t *from, const uint32_t *to)
{
    *s = (struct crl_steiner){.nodes = nodes, .links = links, .from = from, .to = to};
    s->first = calloc(nodes + UINT64_C(2), sizeof *s->first);
    s->into = malloc(sizeof *s->into * (links + UINT64_C(1)));
    s->left = malloc(sizeof *s->left * (links + (size_t)nodes + 1));
    s->inside = malloc(sizeof *s->inside * nodes);
    s->queue = malloc(3 * sizeof *s->queue * nodes);
    if (!s->first || !s->into || !s->left || !s->inside || !s->queue) return CRL_ERR_MEMORY;
    s->cost = s->left + links;
    s->size = s->queue + nodes;
    s->by = s->size + nodes;
    for (uint32_t i = 0; i < links; i++) s->first[to[i] + 2]++;
    for (uint32_t v = 1; v <= nodes; v++) s->first[v + 1] += s->first[v];
    for (uint32_t i = 0; i < links; i++) s->into[s->first[to[i] + 1]++] = i;
    return 0;
}

void crl_steiner_done(struct crl_steiner *s)
{
    CRL_FREE(s->first, s->into, s->left, s->inside, s->queue);
    *s = (struct crl_steiner){0};
}

// Sets `inside`: the nodes from which links without anything left lead to `dest`. Returns how many; *least: what has
// the least left of the links into them.
static uint32_t gather(struct crl_steiner *s, uint32_t dest, double *least)
{
    uint32_t count = 1;
    memset(s->inside, 0, sizeof *s->inside * s->nodes);
    s->inside[dest] = true;
    s->queue[0] = dest;
    *least = INFINITY;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t j = s->first[s->queue[k]]; j < s->first[s->queue[k] + 1]; j++) {
            uint32_t u = s->from[s->into[j]];
            if (s->inside[u]) continue;
            if (s->left[s->into[j]] > 0) continue;
            s->inside[u] = true;
            s->queue[count++] = u;
        }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t j = s->first[s->queue[k]]; j < s->first[s->queue[k] + 1]; j++)
            if (!s->inside[s->from[s->into[j]]]) *least = fmin(*least, s->left[s->into[j]]);
    return count;
}

static void take_from(struct crl_steiner *s, uint32_t count, double value)
{
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t j = s->first[s->queue[k]]; j < s->first[s->queue[k] + 1]; j++)
            if (!s->inside[s->from[s->into[j]]]) s->left[s->into[j]] -= value;
}

// The destination whose set was the smallest; CRL_NONE: all are reached.
static uint32_t smallest(const struct crl_steiner *s, const uint32_t *dst, uint32_t count)
{
    uint32_t best = CRL_NONE;
    for (uint32_t k = 0; k < count; k++)
        if (s->size[dst[k]] != CRL_NONE && (best == CRL_NONE || s->size[dst[k]] < s->size[best])) best = dst[k];
    return best;
}

double crl_steiner_ascend(struct crl_steiner *s, const double *price, uint32_t source, const uint32_t *dst,
                          uint32_t count, crl_steiner_fn *take, void *user, int *error)
{
    double sum = 0, least;
    uint32_t dest;
    memcpy(s->left, price, sizeof *price * s->links);
    for (uint32_t k = 0; k < count; k++) s->size[dst[k]] = 1;
    while (!*error && (dest = smallest(s, dst, count)) != CRL_NONE) {
        uint32_t size = gather(s, dest, &least);
        bool grown = size > s->size[dest]; // perhaps another one is smaller now
        s->size[dest] = s->inside[source] || isinf(least) ? CRL_NONE : size;
        if (s->size[dest] == CRL_NONE || (grown && smallest(s, dst, count) != dest)) continue;
        take_from(s, size, least);
        sum += least;
        if (take) *error = take(user, s, least);
    }
    return sum;
}

// Ways over links without anything left, the cheapest from what is in the tree already to a destination that is not.
static uint32_t extend(struct crl_steiner *s, const double *price, const bool *in_tree, const uint32_t *dst,
                       uint32_t count)
{
    bool fell = true;
    for (uint32_t v = 0; v < s->nodes; v++) s->cost[v] = in_tree[v] ? 0 : INFINITY;
    while (fell) {
        fell = false;
        for (uint32_t i = 0; i < s->links; i++) {
            if (s->left[i] > 0 || s->cost[s->from[i]] + price[i] >= s->cost[s->to[i]]) continue;
            s->cost[s->to[i]] = s->cost[s->from[i]] + price[i];
            s->by[s->to[i]] = i;
            fell = true;
        }
    }
    uint32_t best = CRL_NONE;
    for (uint32_t k = 0; k < count; k++)
        if (!in_tree[dst[k]] && (best == CRL_NONE || s->cost[dst[k]] < s->cost[best])) best = dst[k];
    return best != CRL_NONE && isinf(s->cost[best]) ? CRL_NONE : best;
}

void crl_steiner_tree(struct crl_steiner *s, const double *price, uint32_t source, const uint32_t *dst, uint32_t count,
                      bool *used)
{
    bool *in_tree = s->inside;
    uint32_t dest;
    memset(in_tree, 0, sizeof *in_tree * s->nodes);
    memset(used, 0, sizeof *used * s->links);
    in_tree[source] = true;
    while ((dest = extend(s, price, in_tree, dst, count)) != CRL_NONE)
        for (uint32_t v = dest; !in_tree[v]; v = s->from[s->by[v]]) {
            in_tree[v] = true;
            used[s->by[v]] = true;
        }
}
