// SPDX-License-Identifier: Apache-2.0
// The network as arcs and rows, and how long its ways are.
#include "algorithm/core.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- arcs

// The rows of a link: itself, or the cable that it shares, or, single-port, its ends; the one that receives does so
// when the packet is there.
static struct crl_core_arc link_of(const struct crl_core *c, uint32_t from, uint32_t to, uint32_t port)
{
    uint32_t latency = crl_topology_latency(c->problem->topology, from, port);
    uint32_t gap = crl_topology_gap(c->problem->topology, from, port);
    if (c->problem->ports == CRL_PORTS_SINGLE)
        return (struct crl_core_arc){
            from, to, latency, gap, {c->folded ? 0 : from, c->folded ? 1 : c->places + to}, {0, latency - 1}};
    uint32_t cable = crl_topology_shared_cable(c->problem->topology, from, to);
    uint32_t row = c->folded           ? port
                   : cable == CRL_NONE ? c->arcs
                                       : (uint32_t)crl_topology_links(c->problem->topology) + cable;
    return (struct crl_core_arc){from, to, latency, gap, {row, CRL_NONE}, {0, 0}};
}

// Rows of shared cables, which are behind those of as many arcs as there are links.
static uint32_t cables_of(const struct crl_topology *t)
{
    const struct crl_boards *b = crl_topology_boards(t);
    return b && !b->each ? b->count * b->count : 0;
}

// Links side by side are one arc, as wide as there are of them.
static void list_links(struct crl_core *c)
{
    const struct crl_topology *t = c->problem->topology;
    bool single = c->problem->ports == CRL_PORTS_SINGLE;
    uint32_t ports = crl_topology_ports(t), places = c->folded ? 1 : c->places;
    for (uint32_t v = 0; v < c->places; v++)
        for (uint32_t p = 0; p < ports; p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to == CRL_NONE || (!c->folded && crl_topology_port_to(t, v, to) != p)) continue;
            c->arc[c->arcs] = link_of(c, v, to, p);
            bool one = c->folded || crl_topology_shared_cable(t, v, to) != CRL_NONE;
            if (!single) c->capacity[c->arc[c->arcs].row[0]] = one ? 1 : crl_topology_width(t, v, to);
            c->arcs++;
        }
    uint32_t cables = cables_of(t);
    c->rows = single ? 2 * places : c->folded ? ports : cables ? (uint32_t)crl_topology_links(t) + cables : c->arcs;
    for (uint32_t row = 0; row < c->rows; row++)
        if (single || !c->capacity[row]) c->capacity[row] = 1;
}

// Each node has one more node from which its words come, in the slot in which they leave it or before, and one to which
// they go, in the slot in which they arrive or later.
static void list_words(struct crl_core *c)
{
    uint32_t n = c->places, places = c->folded ? 1 : n;
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t v = i % n, row = c->rows + (i < n ? 0 : places) + (c->folded ? 0 : v);
        c->capacity[row] = c->words;
        c->arc[c->arcs++] = i < n ? (struct crl_core_arc){n + v, v, 0, 0, {row, CRL_NONE}, {0, 0}}
                                  : (struct crl_core_arc){v, 2 * n + v, 0, 0, {row, CRL_NONE}, {UINT32_MAX, 0}};
    }
    c->rows += 2 * places;
}

static int compare_arcs(const void *a, const void *b)
{
    const struct crl_core_arc *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to < y->to ? -1 : x->to > y->to;
}

// Arcs by the nodes that they leave, and those that reach a node.
static void index_arcs(struct crl_core *c)
{
    for (uint32_t i = 0; i < c->arcs; i++) {
        c->out[c->arc[i].from + 1]++;
        c->in[c->arc[i].to + 2]++;
    }
    for (uint32_t v = 0; v < c->nodes; v++) {
        c->out[v + 1] += c->out[v];
        c->in[v + 1] += c->in[v];
    }
    for (uint32_t i = 0; i < c->arcs; i++) c->in_arc[c->in[c->arc[i].to + 1]++] = i;
}

int crl_core_make_net(struct crl_core *c)
{
    const struct crl_topology *t = c->problem->topology;
    c->places = crl_topology_nodes(t);
    c->nodes = c->words ? 3 * c->places : c->places;
    size_t arcs = crl_topology_links(t) + 2 * (size_t)c->places, nodes = c->nodes;
    CRL_NEW(&c->pool, c->arc, arcs + 1);
    CRL_ZEROED(&c->pool, c->capacity, arcs + 4 * nodes + cables_of(t));
    CRL_NUMBERS(&c->pool, nodes + 2, &c->out, &c->in);
    CRL_NEW(&c->pool, c->in_arc, arcs + 1);
    CRL_ZEROED(&c->pool, c->from, nodes);
    CRL_ZEROED(&c->pool, c->to, nodes);
    CRL_NUMBERS(&c->pool, nodes, &c->near.node, &c->near.place, &c->near.stamp, &c->near.least);
    CRL_NEW(&c->pool, c->near.arc, arcs + 1);
    if (c->pool.failed) return CRL_ERR_MEMORY;
    list_links(c);
    if (c->words) list_words(c);
    qsort(c->arc, c->arcs, sizeof *c->arc, compare_arcs);
    index_arcs(c);
    c->latency_max = crl_topology_latency_max(t);
    c->latency_min = crl_topology_latency_min(t);
    return 0;
}

// ---------------------------------------------------------------- delays

// Words come from nodes that nothing reaches, and go to some that nothing leaves.
static uint32_t delay_between(const struct crl_core *c, uint32_t from, uint32_t to)
{
    if (from == to) return 0;
    if (from >= 2 * c->places || (to >= c->places && to < 2 * c->places)) return CRL_NONE;
    return crl_topology_delay(c->problem->topology, from % c->places, to % c->places);
}

static const uint32_t *delays(struct crl_core *c, uint32_t **list, uint32_t node, bool forth)
{
    if (list[node]) return list[node];
    uint32_t *delay = CRL_NEW(&c->pool, list[node], c->nodes);
    for (uint32_t v = 0; v < c->nodes && delay; v++)
        delay[v] = forth ? delay_between(c, node, v) : delay_between(c, v, node);
    return delay;
}

const uint32_t *crl_core_from(struct crl_core *c, uint32_t node) { return delays(c, c->from, node, true); }

const uint32_t *crl_core_to(struct crl_core *c, uint32_t node) { return delays(c, c->to, node, false); }

// ---------------------------------------------------------------- what is near

static void add_near(struct crl_core_near *near, uint32_t node)
{
    near->stamp[node] = near->now;
    near->place[node] = near->nodes;
    near->node[near->nodes++] = node;
}

static void sort_near(struct crl_core_near *near, const uint32_t *from)
{
    for (uint32_t i = 1; i < near->nodes; i++) {
        uint32_t node = near->node[i], k = i;
        for (; k && from[near->node[k - 1]] > from[node]; k--) near->node[k] = near->node[k - 1];
        near->node[k] = node;
    }
    for (uint32_t i = 0; i < near->nodes; i++) near->place[near->node[i]] = i;
}

// Delays to the nearest of the destinations.
static const uint32_t *delays_to(struct crl_core *c, const struct crl_core_demand *d)
{
    uint32_t *least = c->near.least;
    if (d->dst_count <= 1) return c->to[d->to];
    memcpy(least, c->to[d->to], sizeof *least * c->nodes);
    for (uint32_t i = 0; i < d->dst_count; i++)
        for (uint32_t v = 0; v < c->nodes; v++)
            if (c->to[d->dst[i]][v] < least[v]) least[v] = c->to[d->dst[i]][v];
    return least;
}

void crl_core_look_around(struct crl_core *c, const struct crl_core_demand *d, uint32_t detour)
{
    struct crl_core_near *near = &c->near;
    const uint32_t *from = c->from[d->from], *to = delays_to(c, d);
    uint32_t most = from[d->to] + detour, room = d->end - d->start; // of trees: over the nearest destination
    if (most > room) most = room;
    near->nodes = 0;
    near->now++;
    add_near(near, d->from);
    for (bool sorted = c->latency_max == 1;; sorted = true) { // found nearest first, or looked at once more
        near->arcs = 0;
        for (uint32_t i = 0; i < near->nodes; i++)
            for (uint32_t v = near->node[i], k = c->out[v]; k < c->out[v + 1]; k++) {
                const struct crl_core_arc *a = &c->arc[k];
                if (to[a->to] == CRL_NONE || from[a->to] + to[a->to] > most) continue;
                if (near->stamp[a->to] != near->now) add_near(near, a->to);
                uint32_t way = from[v] + a->latency + to[a->to];
                if (way > most || a->to == d->from || (v == d->to && d->dst_count <= 1)) continue;
                near->arc[near->arcs++] = (struct crl_core_near_arc){i, near->place[a->to], k, d->start + from[v],
                                                                     d->end - a->latency - to[a->to]};
            }
        if (sorted) return;
        sort_near(near, from);
    }
}
