// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the partial collectives, from the active nodes that there are: Varvarigos & Bertsekas 1994, Eqs. (3a)
// and (3b), for every node and every distance instead of one corner; every cut across a dimension; and
// every box of a torus or an array.
#include "base/base.h"
#include "problem/problem.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

struct partial {
    const struct crl_problem *problem;
    const struct crl_topology *topology;
    uint32_t nodes;
    bool pairs, outward; // packets are named by pair; the active nodes send
    uint64_t *at;        // [nodes] packets by distance
};

uint32_t crl_ports_in_use(const struct crl_problem *problem, uint32_t node, bool inward)
{
    const struct crl_topology *t = problem->topology;
    uint32_t degree = 0;
    if (problem->ports == CRL_PORTS_SINGLE) return 1;
    for (uint32_t i = 0; i < crl_topology_ports(t); i++)
        degree += (inward ? crl_topology_behind(t, node, i) : crl_topology_neighbor(t, node, i)) != CRL_NONE;
    return degree;
}

uint64_t crl_slots_by_distance(uint64_t *packets, uint32_t farthest, uint64_t ports)
{
    uint64_t best = 0, beyond = 0;
    for (uint32_t k = farthest + 1; k-- > 0;) {
        if (beyond && crl_ceil_div(beyond, ports) + k > best) best = crl_ceil_div(beyond, ports) + k;
        beyond += packets[k];
        packets[k] = 0;
    }
    return best;
}

// Slots in which `node` passes what it exchanges with the active nodes (or with `all`). Leaves p->at as it found it,
// all 0.
static uint64_t one_end(struct partial *p, uint32_t node, bool all, bool inward)
{
    uint32_t count = all ? p->nodes : p->problem->active_count, farthest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = all ? i : p->problem->active[i];
        uint32_t hops =
            inward ? crl_topology_distance(p->topology, v, node) : crl_topology_distance(p->topology, node, v);
        if (v == node) continue;
        p->at[hops] += p->problem->parts;
        if (hops > farthest) farthest = hops;
    }
    return crl_slots_by_distance(p->at, farthest, crl_ports_in_use(p->problem, node, inward));
}

// Of the first `a` of the nodes along a dimension, and of the others: how many are active.
static uint64_t active_below(const struct partial *p, const struct crl_factor *f, uint64_t a)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->problem->active_count; i++) count += crl_factor_digit(f, p->problem->active[i]) < a;
    return count;
}

static uint64_t cut(const struct partial *p, const struct crl_factor *f, uint64_t a)
{
    uint64_t copies = p->nodes / f->size, links = crl_factor_cut(f, a);
    uint64_t below = active_below(p, f, a), above = p->problem->active_count - below;
    uint64_t up = below * p->problem->parts, down = above * p->problem->parts;
    if (p->pairs) {
        up *= (f->size - a) * copies;
        down *= a * copies;
    }
    return crl_ceil_div(up > down ? up : down, links * copies);
}

// ---- boxes of a torus or an array: what must leave one, or come into it, over the links on its surface

enum { BOXES_MAX = 1 << 23, BOX_DIMS_MAX = 32 };

struct box {
    const struct partial *partial;
    uint64_t length[BOX_DIMS_MAX], sides[BOX_DIMS_MAX]; // of each factor; on how many sides it has links to others
    uint64_t best;
};

static bool has_boxes(const struct crl_topology *t)
{
    uint64_t boxes = 1;
    if (!t->factor_count || t->factor_count > BOX_DIMS_MAX) return false;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        boxes *= f->size * (f->size + UINT64_C(1)) / 2;
        if ((f->shape == CRL_COMPLETE && f->size > 3) || (f->shape == CRL_GRAPH && f->size > 1) || boxes > BOXES_MAX)
            return false;
    }
    return true;
}

static uint64_t sides_of(const struct crl_factor *f, uint64_t low, uint64_t high)
{
    bool ring = f->shape != CRL_PATH && f->size > 2, whole = high - low == f->size;
    return whole ? 0 : ring ? 2 : (low > 0) + (high < f->size);
}

static void judge_box(struct box *b, uint64_t inside)
{
    const struct partial *p = b->partial;
    uint64_t nodes = 1, links = 0, dims = p->topology->factor_count;
    for (uint32_t i = 0; i < dims; i++) nodes *= b->length[i];
    for (uint32_t i = 0; i < dims; i++) links += nodes / b->length[i] * b->sides[i];
    uint64_t out = inside * p->problem->parts, in = (p->problem->active_count - inside) * p->problem->parts;
    if (p->pairs) {
        out *= p->nodes - nodes;
        in *= nodes;
    }
    uint64_t slots = links ? crl_ceil_div(out > in ? out : in, links) : 0;
    if (slots > b->best) b->best = slots;
}

// All boxes over the first `dims` factors. active: [their nodes] how many are active, of those within the other sides.
// room: as many numbers as a factor fewer has nodes, and behind them those of all fewer ones.
static void boxes(struct box *b, uint32_t dims, const uint32_t *active, uint32_t *room)
{
    if (!dims) {
        judge_box(b, *active);
        return;
    }
    const struct crl_factor *f = &b->partial->topology->factor[dims - 1];
    for (uint64_t low = 0; low < f->size; low++) {
        memset(room, 0, f->stride * sizeof *room);
        for (uint64_t high = low + 1; high <= f->size; high++) {
            for (uint64_t i = 0; i < f->stride; i++) room[i] += active[(high - 1) * f->stride + i];
            b->length[dims - 1] = high - low;
            b->sides[dims - 1] = sides_of(f, low, high);
            boxes(b, dims - 1, room, room + f->stride);
        }
    }
}

static uint64_t box_bound(const struct partial *p)
{
    struct box box = {.partial = p};
    CRL_OWNED uint32_t *active =
        has_boxes(p->topology) ? calloc(p->nodes * (p->topology->factor_count + UINT64_C(2)), sizeof *active) : NULL;
    for (uint32_t i = 0; i < p->problem->active_count && active; i++) active[p->problem->active[i]] = 1;
    if (active) boxes(&box, p->topology->factor_count, active, active + p->nodes);
    return box.best;
}

static uint64_t distances(const struct partial *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->problem->active_count; i++)
        for (uint32_t v = 0; v < p->nodes; v++)
            sum += p->outward ? crl_topology_distance(p->topology, p->problem->active[i], v)
                              : crl_topology_distance(p->topology, v, p->problem->active[i]);
    return sum;
}

static int partial_init(struct partial *p, const struct crl_problem *problem)
{
    *p = (struct partial){.problem = problem, .topology = problem->topology};
    p->nodes = crl_topology_nodes(problem->topology);
    p->pairs = problem->collective->naming == CRL_NAMING_PAIR;
    p->outward = problem->collective->origins == CRL_ENDS_ACTIVE;
    p->at = calloc(p->nodes, sizeof *p->at);
    return p->at ? 0 : CRL_ERR_MEMORY;
}

static uint64_t at_least(uint64_t best, uint64_t bound) { return bound > best ? bound : best; }

uint64_t crl_bound_partial(const struct crl_problem *problem)
{
    struct partial p;
    uint64_t best = 0;
    if (!partial_init(&p, problem)) {
        for (uint32_t v = 0; v < p.nodes; v++) best = at_least(best, one_end(&p, v, false, p.outward));
        for (uint32_t i = 0; i < problem->active_count && p.pairs; i++)
            best = at_least(best, one_end(&p, problem->active[i], true, !p.outward));
        for (uint32_t i = 0; i < p.topology->factor_count; i++)
            for (uint64_t a = 1; a < p.topology->factor[i].size; a++)
                best = at_least(best, cut(&p, &p.topology->factor[i], a));
        best = at_least(best, box_bound(&p));
        uint64_t room = problem->ports == CRL_PORTS_SINGLE ? p.nodes : crl_topology_links(p.topology);
        if (room) best = at_least(best, crl_ceil_div(crl_transmissions_partial(problem) * problem->parts, room));
    }
    free(p.at);
    return best;
}

// In whole packets, also where they are split.
uint64_t crl_transmissions_partial(const struct crl_problem *problem)
{
    struct partial p = {.problem = problem, .topology = problem->topology};
    p.nodes = crl_topology_nodes(problem->topology);
    p.outward = problem->collective->origins == CRL_ENDS_ACTIVE;
    if (problem->collective->naming == CRL_NAMING_ORIGIN) return problem->active_count * (uint64_t)(p.nodes - 1);
    return distances(&p);
}
