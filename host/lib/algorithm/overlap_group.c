// SPDX-License-Identifier: Apache-2.0
// Groups of symmetries with which plans of sums go: the images of a chunk's trees are other chunks' trees, so of each
// orbit of arcs one is used once in a slot, and there is as much less to be found.
//
// Where there are translations: all of them, or those by vectors whose digits add up to a multiple of two or three. On
// other products: powers of a turn, by which digits go to the next dimension, the last one mirrored to the first; on a
// square array that is a quarter turn, and of two dimensions its second power mirrors both. The last group is always
// that of the identity.
#include "algorithm/overlap.h"

enum { CLASSES = 3, ITEMS_MAX = 1024 }; // of larger plans with turns the parts are as hard as the whole

// So many turns of a node.
static uint32_t turned(const struct crl_topology *t, uint32_t node, uint32_t times)
{
    const struct crl_factor *f = t->factor;
    uint32_t d = t->factor_count, to = 0;
    for (uint32_t i = 0; i < d; i++) {
        uint32_t digit = node / f[i].stride % f[i].size;
        to += ((i + times) / d % 2 ? f[i].size - 1 - digit : digit) * f[(i + times) % d].stride;
    }
    return d ? to : node;
}

static bool have_turn(const struct crl_topology *t, uint32_t times)
{
    bool good = true;
    for (uint32_t i = 1; i < t->factor_count; i++)
        good &= t->factor[i].size == t->factor[0].size || times % t->factor_count == 0;
    return good;
}

static void turns(struct crl_overlap *o, uint32_t step)
{
    const struct crl_topology *t = o->problem->topology;
    uint32_t all = crl_overlap_groups(t);
    bool large = 2 * (uint64_t)o->nodes * o->problem->chunks / (all / step) > ITEMS_MAX;
    if (all % step || !have_turn(t, step) || (large && step < all)) return;
    for (; o->order < all / step; o->order++)
        for (uint32_t v = 0; v < o->nodes; v++)
            o->image[(size_t)o->order * o->nodes + v] = turned(t, v, o->order * step);
}

static void translations(struct crl_overlap *o, uint32_t classes)
{
    const struct crl_topology *t = o->problem->topology;
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].size % classes && classes <= CLASSES) return;
    for (uint32_t by = 0; by < (classes <= CLASSES ? o->nodes : 1); by++) {
        uint32_t digits = 0;
        for (uint32_t i = 0; i < t->factor_count; i++) digits += by / t->factor[i].stride % t->factor[i].size;
        if (digits % classes) continue;
        for (uint32_t v = 0; v < o->nodes; v++)
            o->image[(size_t)o->order * o->nodes + v] = crl_topology_shift(t, v, by);
        o->order++;
    }
}

uint32_t crl_overlap_groups(const struct crl_topology *t)
{
    return crl_topology_is_symmetric(t) ? CLASSES + 1 : t->factor_count ? 2 * t->factor_count : 1;
}

int crl_overlap_find_group(struct crl_overlap *o, uint32_t which)
{
    const struct crl_topology *t = o->problem->topology;
    bool symmetric = crl_topology_is_symmetric(t);
    CRL_NEW(&o->pool, o->image, (size_t)o->nodes * (symmetric ? o->nodes : crl_overlap_groups(t)));
    if (o->pool.failed) return CRL_ERR_MEMORY;
    if (symmetric) translations(o, which + 1);
    else turns(o, which + 1);
    return o->order && o->problem->chunks % o->order == 0 ? 0 : CRL_ERR_UNSUPPORTED;
}

// An arc between two nodes that is in no orbit yet, or CRL_NONE.
static uint32_t find_arc(const struct crl_overlap *o, uint32_t from, uint32_t to, uint32_t latency)
{
    const struct crl_overlap_world *w = &o->world[0];
    for (uint32_t i = w->first[to]; i < w->first[to + 1]; i++) {
        const struct crl_overlap_arc *a = &o->arc[w->arc[i]];
        if (a->from == from && a->latency == latency && a->orbit == CRL_NONE) return w->arc[i];
    }
    return CRL_NONE;
}

// False where a node is its own image, which a single port does not allow.
static bool find_alike(struct crl_overlap *o)
{
    bool free = true;
    for (uint32_t v = 0; v < o->nodes; v++) o->alike[v] = CRL_NONE;
    for (uint32_t v = 0; v < o->nodes; v++)
        for (uint32_t i = 0; i < o->order && (i || o->alike[v] == CRL_NONE); i++) {
            uint32_t to = o->image[(size_t)i * o->nodes + v];
            free &= o->alike[to] == CRL_NONE;
            o->alike[to] = v;
        }
    return free;
}

int crl_overlap_find_orbits(struct crl_overlap *o)
{
    if (!find_alike(o) && o->single) return CRL_ERR_UNSUPPORTED;
    for (uint32_t a = 0; a < o->arcs; a++) {
        if (o->arc[a].orbit != CRL_NONE) continue;
        for (uint32_t i = 0; i < o->order; i++) {
            const uint32_t *image = &o->image[(size_t)i * o->nodes];
            struct crl_overlap_arc of = o->arc[a];
            uint32_t other = i ? find_arc(o, image[of.from], image[of.to], of.latency) : a;
            if (other == CRL_NONE) return CRL_ERR_UNSUPPORTED;
            o->arc[other].orbit = o->orbits;
        }
        o->orbits++;
    }
    return 0;
}
