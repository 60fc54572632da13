// SPDX-License-Identifier: Apache-2.0
// The network of trees that overlap: its arcs, seen from both worlds, its delays, and places at which sums can meet.
#include "algorithm/overlap.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { BEAM = 32 }; // places that are extended

// ---------------------------------------------------------------- arcs

static int find_arcs(struct crl_overlap *o)
{
    const struct crl_topology *t = o->problem->topology;
    CRL_NEW(&o->pool, o->arc, crl_topology_links(t) + 1);
    CRL_NEW(&o->pool, o->delay, (size_t)o->nodes * o->nodes);
    if (o->pool.failed) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < o->nodes; v++) {
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to != CRL_NONE)
                o->arc[o->arcs++] = (struct crl_overlap_arc){v, to, crl_topology_latency(t, v, p), CRL_NONE};
        }
        for (uint32_t u = 0; u < o->nodes; u++) o->delay[(size_t)v * o->nodes + u] = crl_topology_delay(t, v, u);
    }
    return 0;
}

// Whether a node that adds reaches all others that do; those that do not add are dead.
static bool reaches_all(const struct crl_overlap *o, uint32_t v)
{
    bool all = true;
    for (uint32_t u = 0; u < o->nodes && crl_problem_is_host(o->problem, v); u++)
        all &= o->delay[(size_t)v * o->nodes + u] != CRL_NONE || !crl_problem_is_host(o->problem, u);
    return all;
}

// Lists the arcs by where they end in a world.
static void sort_arcs(struct crl_overlap *o, int world)
{
    struct crl_overlap_world *w = &o->world[world];
    for (uint32_t a = 0; a < o->arcs; a++) w->first[crl_overlap_from(o, !world, a) + 1]++;
    for (uint32_t v = 0; v < o->nodes; v++) w->first[v + 1] += w->first[v];
    for (uint32_t a = o->arcs; a-- > 0;) {
        uint32_t v = crl_overlap_from(o, !world, a);
        w->arc[w->first[v] + w->load[v]++] = a;
    }
}

uint32_t crl_overlap_find_arc(const struct crl_overlap *o, uint32_t from, uint32_t to, uint32_t slot, uint32_t mark)
{
    const struct crl_overlap_world *w = &o->world[0];
    for (uint32_t i = w->first[to]; i < w->first[to + 1]; i++) {
        size_t cell[2];
        uint32_t a = w->arc[i], cells = o->arc[a].from == from ? crl_overlap_cells(o, 0, a, slot, cell) : 0, k = 0;
        while (k < cells && o->used[cell[k]] == mark) k++;
        if (cells && k == cells) return a;
    }
    return CRL_NONE;
}

// The latency of the quickest arc between two nodes, both ways, or 0.
static uint32_t swap_slots(const struct crl_overlap *o, uint32_t u, uint32_t v)
{
    uint32_t there = 0, back = 0;
    for (uint32_t i = o->world[0].first[v]; i < o->world[0].first[v + 1]; i++) {
        const struct crl_overlap_arc *a = &o->arc[o->world[0].arc[i]];
        if (a->from == u && a->latency > there) there = a->latency;
    }
    for (uint32_t i = o->world[0].first[u]; i < o->world[0].first[u + 1]; i++) {
        const struct crl_overlap_arc *a = &o->arc[o->world[0].arc[i]];
        if (a->from == v && a->latency > back) back = a->latency;
    }
    return !there || !back ? 0 : there > back ? there : back;
}

// ---------------------------------------------------------------- places

// Adds a place whose nodes are known.
static int add_place(struct crl_overlap *o, struct crl_overlap_place p)
{
    p.in = p.out = p.span = 0;
    for (uint32_t r = 0; r < p.rounds; p.span += p.lasts[r++]) {
        p.lasts[r] = 0;
        for (uint32_t i = 0; i < p.nodes; i++) {
            uint32_t slots = swap_slots(o, p.node[i], p.node[i ^ 1u << r]);
            if (slots > p.lasts[r]) p.lasts[r] = slots;
        }
    }
    for (uint32_t v = 0; v < o->nodes; v++) {
        uint32_t in = CRL_NONE, out = CRL_NONE;
        if (!crl_problem_is_host(o->problem, v)) continue;
        for (uint32_t i = 0; i < p.nodes; i++) {
            uint32_t to = o->delay[(size_t)v * o->nodes + p.node[i]], from = o->delay[(size_t)p.node[i] * o->nodes + v];
            if (to < in) in = to;
            if (from < out) out = from;
        }
        if (in > p.in) p.in = in;
        if (out > p.out) p.out = out;
    }
    int error = crl_pool_grow(&o->pool, (void **)&o->place, &o->places_room, o->places, sizeof *o->place);
    if (!error) o->place[o->places++] = p;
    return error;
}

static bool is_in(const struct crl_overlap_place *p, uint32_t node)
{
    uint32_t i = 0;
    while (i < p->nodes && p->node[i] != node) i++;
    return i < p->nodes;
}

// Finds node `at` and those after it of a copy of a place beside it: each is linked with the node that it is the copy
// of, and with those of the copy that its original is linked with.
static bool copy_beside(const struct crl_overlap *o, struct crl_overlap_place *p, uint32_t half)
{
    uint32_t at = p->nodes - half;
    if (at == half) return true;
    for (uint32_t i = o->world[0].first[p->node[at]]; i < o->world[0].first[p->node[at] + 1]; i++) {
        uint32_t node = o->arc[o->world[0].arc[i]].from;
        bool good = !is_in(p, node) && swap_slots(o, node, p->node[at]);
        for (uint32_t r = 0; r + 1 < p->rounds && good; r++)
            good = !(at >> r & 1) || swap_slots(o, node, p->node[p->nodes - (1u << r)]);
        if (!good) continue;
        p->node[p->nodes++] = node;
        if (copy_beside(o, p, half)) return true;
        p->nodes--;
    }
    return false;
}

// Adds places of two copies of one, the first node of the second each neighbour of the first's in turn.
static int extend(struct crl_overlap *o, struct crl_overlap_place p)
{
    uint32_t half = p.nodes, first = p.node[0];
    int error = 0;
    if (2 * half > CRL_OVERLAP_PLACE || p.rounds == CRL_OVERLAP_ROUNDS) return 0;
    p.rounds++;
    for (uint32_t i = o->world[0].first[first]; i < o->world[0].first[first + 1] && !error; i++) {
        uint32_t node = o->arc[o->world[0].arc[i]].from;
        if (is_in(&p, node) || !swap_slots(o, first, node)) continue;
        p.nodes = half;
        p.node[p.nodes++] = node;
        if (copy_beside(o, &p, half)) error = add_place(o, p);
        p.nodes = half;
    }
    return error;
}

static int by_total(const void *a, const void *b)
{
    const struct crl_overlap_place *p = a, *q = b;
    if (crl_overlap_total(p) != crl_overlap_total(q)) return crl_overlap_total(p) < crl_overlap_total(q) ? -1 : 1;
    if (p->nodes != q->nodes) return p->nodes < q->nodes ? -1 : 1;
    return memcmp(p->node, q->node, sizeof p->node[0] * p->nodes);
}

static void sort_places(struct crl_overlap *o, size_t first)
{
    qsort(o->place + first, o->places - first, sizeof *o->place, by_total);
    for (size_t i = first, begin = first; i < o->places; i++) {
        if (crl_overlap_total(&o->place[i]) > crl_overlap_total(&o->place[begin])) begin = i;
        o->place[i].first = (uint32_t)begin;
        for (size_t k = begin; k <= i; k++) o->place[k].alike = (uint32_t)(i + 1 - begin);
    }
}

// Nodes, and ends of links; then larger places, as long as these take fewer slots, the best of each size.
static int find_places(struct crl_overlap *o)
{
    int error = 0;
    for (uint32_t v = 0; v < o->nodes && !error; v++)
        if (crl_problem_is_host(o->problem, v))
            error = add_place(o, (struct crl_overlap_place){.nodes = 1, .node = {v}});
    for (uint32_t a = 0; a < o->arcs && !error; a++)
        if (o->arc[a].from < o->arc[a].to && swap_slots(o, o->arc[a].from, o->arc[a].to))
            error = add_place(
                o, (struct crl_overlap_place){.nodes = 2, .rounds = 1, .node = {o->arc[a].from, o->arc[a].to}});
    if (error) return error;
    sort_places(o, 0);
    size_t first = 0, last = o->simple = o->places;
    uint32_t best = crl_overlap_total(o->place);
    while (!error && first < last) {
        for (size_t i = first; i < last && i < first + BEAM && !error; i++) error = extend(o, o->place[i]);
        sort_places(o, last);
        size_t end = last;
        while (end < o->places && end < last + BEAM && crl_overlap_total(&o->place[end]) <= best) end++;
        first = last;
        last = o->places = end;
        if (first < last) best = crl_overlap_total(&o->place[first]);
    }
    sort_places(o, o->simple);
    return error;
}

// ---------------------------------------------------------------- memory

// All of it, from one table.
static int allocate(struct crl_overlap *o)
{
    size_t nodes = o->nodes, arcs = o->arcs + 1, chunks = o->chunks, items = 2 * nodes * chunks;
    size_t sets = nodes * o->words;
    const struct {
        uint32_t **array;
        size_t count;
    } state[] = {{&o->used, o->cells}, {&o->when, items},   {&o->by, items},           {&o->leaves, items},
                 {&o->at, chunks},     {&o->meets, chunks}, {&o->missing.list, items}, {&o->missing.place, items}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof state / sizeof *state; i++) count += state[i].count;
    o->state_bytes = count * sizeof(uint32_t);
    o->kept = crl_pool_new(&o->pool, count, sizeof(uint32_t), true);
    uint32_t *at = o->state = crl_pool_new(&o->pool, count, sizeof *at, true);
    for (size_t i = 0; i < sizeof state / sizeof *state && at; at += state[i++].count) *state[i].array = at;
    CRL_NUMBERS(&o->pool, items, &o->next, &o->queue, &o->seen);
    CRL_ZEROED(&o->pool, o->turn, nodes);
    CRL_ZEROED(&o->pool, o->came, items);
    CRL_ZEROED(&o->pool, o->link, items);
    for (int k = 0; k < 2; k++) {
        struct crl_overlap_world *w = &o->world[k];
        CRL_ZEROED(&o->pool, w->has, sets);
        CRL_ZEROED(&o->pool, w->lacks, sets);
        CRL_NUMBERS(&o->pool, chunks, &w->copies, &w->begin);
        CRL_ZEROED(&o->pool, w->price, arcs);
        CRL_ZEROED(&o->pool, w->quota, nodes);
        CRL_ZEROED(&o->pool, w->head, o->slots_max + 2);
    }
    return crl_pool_error(&o->pool);
}

int crl_overlap_init(struct crl_overlap *o, const struct crl_problem *problem, uint32_t group, uint32_t slots_max)
{
    *o = (struct crl_overlap){.problem = problem, .slots_max = slots_max};
    o->nodes = crl_topology_nodes(problem->topology);
    o->single = problem->ports == CRL_PORTS_SINGLE;
    int error = crl_overlap_find_group(o, group);
    if (error) return error;
    o->chunks = problem->chunks / o->order;
    o->words = o->chunks / 64 + 1;
    if (2 * (uint64_t)o->nodes * o->chunks > CRL_OVERLAP_ITEMS) return CRL_ERR_UNSUPPORTED;
    error = find_arcs(o);
    for (int k = 0; k < 2 && !error; k++) {
        struct crl_overlap_world *w = &o->world[k];
        CRL_ZEROED(&o->pool, w->first, o->nodes + 2);
        CRL_ZEROED(&o->pool, w->arc, o->arcs + 1);
        CRL_ZEROED(&o->pool, w->load, (o->arcs > o->nodes ? o->arcs : o->nodes) + 1);
        error = crl_pool_error(&o->pool);
        if (!error) sort_arcs(o, k);
    }
    CRL_NEW(&o->pool, o->alike, o->nodes);
    if (!error) error = o->pool.failed ? CRL_ERR_MEMORY : crl_overlap_find_orbits(o);
    o->cells = (o->single ? 2 * (size_t)o->nodes : o->orbits) * (slots_max + 1);
    for (uint32_t v = 0; v < o->nodes && !error; v++)
        if (!reaches_all(o, v)) error = CRL_ERR_UNSUPPORTED;
    if (!error) error = find_places(o);
    if (!error) error = allocate(o);
    for (uint32_t v = 0; v < o->nodes && !error; v++) o->turn[v] = v;
    return error;
}

void crl_overlap_keep(struct crl_overlap *o)
{
    memcpy(o->kept, o->state, o->state_bytes);
    o->kept_missed = o->missing.count;
}

void crl_overlap_take(struct crl_overlap *o)
{
    memcpy(o->state, o->kept, o->state_bytes);
    o->missing.count = o->kept_missed;
}

void crl_overlap_done(struct crl_overlap *o) { crl_pool_done(&o->pool); }
