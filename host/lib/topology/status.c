// SPDX-License-Identifier: Apache-2.0
// Status (sum of the distances to all nodes) and its sum over all nodes in closed form: Dimakopoulos & Dimopoulos 1996,
// Theorem 1 and Corollary 1; and how the distances are distributed, factor by factor. Networks without factors count
// their distances.
#include "topology/topology.h"

// Status of digit x within its factor.
static uint64_t digit_status(const struct crl_factor *f, uint32_t x)
{
    uint64_t m = f->size, below = x, above = m - 1 - x;
    if (f->shape == CRL_COMPLETE || m == 2) return m - 1;
    if (f->shape == CRL_RING) return m * m / 4;
    if (f->shape == CRL_GRAPH) {
        uint64_t sum = 0;
        for (uint32_t y = 0; y < m; y++) sum += f->graph->distance[x * m + y];
        return sum;
    }
    return below * (below + 1) / 2 + above * (above + 1) / 2;
}

// Sum of the statuses of all digits of a factor.
static uint64_t factor_status(const struct crl_factor *f)
{
    uint64_t m = f->size, sum = 0;
    if (f->shape == CRL_PATH) return m * (m * m - 1) / 3;
    for (uint32_t x = 0; x < m && f->shape == CRL_GRAPH; x++) sum += digit_status(f, x);
    if (f->shape == CRL_GRAPH) return sum;
    return m * digit_status(f, 0);
}

uint64_t crl_topology_status(const struct crl_topology *t, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        sum += t->nodes / f->size * digit_status(f, node / f->stride % f->size);
    }
    for (uint32_t v = 0; v < t->nodes && !t->factor_count; v++) sum += crl_topology_distance(t, node, v);
    return sum;
}

uint64_t crl_topology_status_sum(const struct crl_topology *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        uint64_t copies = t->nodes / t->factor[i].size;
        sum += copies * copies * factor_status(&t->factor[i]);
    }
    for (uint32_t v = 0; v < t->nodes && !t->factor_count; v++) sum += crl_topology_status(t, v);
    return sum;
}

static uint32_t hops(const struct crl_topology *t, uint32_t node, uint32_t other, bool inward)
{
    return inward ? crl_topology_distance(t, other, node) : crl_topology_distance(t, node, other);
}

static uint32_t digit_of(const struct crl_factor *f, uint32_t node) { return node / f->stride % f->size; }

static uint32_t digit_eccentricity(const struct crl_factor *f, uint32_t x)
{
    uint32_t most = 0, last = f->size - 1;
    if (f->shape == CRL_COMPLETE || last < 2) return last > 0;
    if (f->shape == CRL_RING) return f->size / 2;
    if (f->shape == CRL_PATH) return x > last - x ? x : last - x;
    for (uint32_t y = 0; y < f->size; y++)
        if (crl_factor_distance(f, x, y) > most) most = crl_factor_distance(f, x, y);
    return most;
}

uint32_t crl_topology_eccentricity(const struct crl_topology *t, uint32_t node, bool inward)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) // links of factors lead both ways
        most += digit_eccentricity(&t->factor[i], digit_of(&t->factor[i], node));
    for (uint32_t v = 0; v < t->nodes && !t->factor_count; v++)
        if (hops(t, node, v, inward) > most) most = hops(t, node, v, inward);
    return most;
}

void crl_topology_count_distances(const struct crl_topology *t, uint32_t node, bool inward, uint64_t *counts)
{
    uint32_t farthest = 0;
    for (uint32_t v = 0; v < t->nodes && !t->factor_count; v++) counts[hops(t, node, v, inward)]++;
    if (!t->factor_count) return;
    counts[0] = 1;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t x = digit_of(f, node);
        for (uint32_t k = farthest + 1; k-- > 0;) // downwards: what is added lies above
            for (uint32_t y = 0; y < f->size; y++)
                if (y != x) counts[k + crl_factor_distance(f, x, y)] += counts[k];
        farthest += digit_eccentricity(f, x);
    }
}

bool crl_topology_has_mirror(const struct crl_topology *t, uint32_t node)
{
    if (!t->factor_count) return node && crl_topology_is_symmetric(t);
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t x = digit_of(f, node);
        bool turns = f->shape == CRL_COMPLETE || f->shape == CRL_RING;
        if (turns ? x > 0 : f->shape == CRL_PATH && x > f->size - 1 - x) return true;
    }
    return false;
}
