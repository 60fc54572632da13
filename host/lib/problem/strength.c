// SPDX-License-Identifier: Apache-2.0
// The partition of the nodes that proves the most for sums: into k parts with the fewest links between them for each of
// k − 1, which Nash-Williams and Tutte call the strength of a graph. Links count whichever way they lead.
//
// Newton's method: for a ratio p/q, the best so far, the partition that makes q · links − p · (k − 1) least is found;
// where that is below 0 its own ratio is better. With g(S) = q · (links with one end in S) − 2p, twice that is
// Σ g(part) + 2p, and the least sum of g over partitions is the most that numbers x(v) can add up to of which no set S
// has more than g(S). Node after node gets as much as the sets of nodes up to it allow, which a minimum cut tells;
// these sets hold as much as they may, and so do unions of those that meet, which are the parts (Frank, and Cunningham
// 1985).
#include "base/pool.h"
#include "base/base.h"
#include "problem/bound.h"
#include <string.h>

enum { NODES_MAX = 512, WORK = 1 << 20 }; // WORK: nodes times links, for some tenths of a second

struct edge {
    uint32_t to, back; // the edge the other way
    uint32_t width;    // links between its ends, whichever way they lead
    int64_t room;
};
struct strength {
    struct crl_pool pool;
    const struct crl_topology *t;
    uint32_t nodes, source, sink; // these two are nodes behind the others
    uint32_t *first;              // [nodes + 3] edges of a node: to its neighbours, the source and the sink
    struct edge *edge;
    uint32_t *part, *best, *level, *next, *queue;
    int64_t *x;
};

// ---------------------------------------------------------------- the network of the flows

static int make_edges(struct strength *s)
{
    const struct crl_topology *t = s->t;
    uint32_t count = 0, all = s->nodes + 2;
    CRL_NEW(&s->pool, s->edge, 2 * crl_topology_links(t) + 4 * (size_t)s->nodes);
    CRL_NUMBERS(&s->pool, all + 1, &s->first, &s->part, &s->best, &s->level, &s->next, &s->queue);
    CRL_NEW(&s->pool, s->x, s->nodes);
    if (crl_pool_error(&s->pool)) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < all; v++) {
        s->first[v] = s->next[v] = count;
        for (uint32_t u = 0; u < all; u++) {
            bool inner = u < s->nodes && v < s->nodes;
            uint32_t width = inner && u != v ? crl_topology_width(t, u, v) + crl_topology_width(t, v, u) : 0;
            if (inner ? width : u < s->nodes || v < s->nodes) s->edge[count++] = (struct edge){u, 0, width, 0};
        }
    }
    s->first[all] = count;
    // Those of a node are in the order of their ends, in which these find them.
    for (uint32_t e = 0; e < count; e++) s->edge[e].back = s->next[s->edge[e].to]++;
    return 0;
}

static bool find_levels(struct strength *s)
{
    uint32_t count = 0;
    memset(s->level, 0xff, sizeof *s->level * (s->nodes + 2));
    s->level[s->source] = 0;
    s->queue[count++] = s->source;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t v = s->queue[at];
        s->next[v] = s->first[v];
        for (const struct edge *e = &s->edge[s->first[v]]; e < &s->edge[s->first[v + 1]]; e++) {
            if (e->room <= 0 || s->level[e->to] != CRL_NONE) continue;
            s->level[e->to] = s->level[v] + 1;
            s->queue[count++] = e->to;
        }
    }
    return s->level[s->sink] != CRL_NONE;
}

// Pushes up to `most` from a node to the sink, level by level (Dinic).
static int64_t push(struct strength *s, uint32_t v, int64_t most)
{
    int64_t pushed = 0;
    if (v == s->sink) return most;
    for (; s->next[v] < s->first[v + 1]; s->next[v]++) {
        struct edge *e = &s->edge[s->next[v]];
        if (e->room <= 0 || s->level[e->to] != s->level[v] + 1) continue;
        int64_t flow = push(s, e->to, most - pushed < e->room ? most - pushed : e->room);
        e->room -= flow;
        s->edge[e->back].room += flow;
        pushed += flow;
        if (pushed == most) break; // there may be room left
    }
    return pushed;
}

// ---------------------------------------------------------------- a partition

// Gives node v as much as the sets of nodes up to it allow: the least of g(S) − x(S without v). Where other nodes are
// not in S that costs what they have (if they have less than nothing, where they are), which source and sink ask for.
static void add_node(struct strength *s, uint32_t v, int64_t p, int64_t q)
{
    int64_t least = -2 * p;
    for (uint32_t u = 0; u < s->nodes; u++) {
        int64_t has = u < v ? s->x[u] : 0, out = has < 0 ? -has : 0;
        struct edge *e = &s->edge[s->first[u]], *end = &s->edge[s->first[u + 1]];
        for (; e < end; e++) {
            bool within = u <= v && e->to <= v;
            if (e->to < s->nodes && u <= v && !within) out += q * e->width;
            e->room = within ? q * e->width : 0;
            if (e->to == s->source) s->edge[e->back].room = u == v ? INT64_MAX / 4 : has > 0 ? has : 0;
            if (e->to == s->sink) s->edge[e->back].room = 0;
            if (e->to == s->sink) e->room = u <= v ? out : 0;
        }
        least -= has > 0 ? has : 0;
    }
    while (find_levels(s)) least += push(s, s->source, INT64_MAX / 2);
    s->x[v] = least;
    s->part[v] = v;
    for (uint32_t u = 0; u < v; u++) { // one part of all that meet S
        uint32_t old = s->part[u];
        for (uint32_t w = 0; w < v && old != v && s->level[u] != CRL_NONE; w++)
            if (s->part[w] == old) s->part[w] = v;
    }
}

// The ratio of a partition: *links between *parts parts, less one.
static void measure(const struct strength *s, int64_t *parts, int64_t *links)
{
    int64_t twice = 0;
    *parts = -1;
    for (uint32_t v = 0; v < s->nodes; v++) {
        *parts += s->part[v] == v; // a part is named by its last node
        for (const struct edge *e = &s->edge[s->first[v]]; e < &s->edge[s->first[v + 1]]; e++)
            if (e->to < s->nodes && s->part[e->to] != s->part[v]) twice += e->width;
    }
    *links = twice / 2;
}

bool crl_bound_strength(const struct crl_topology *topology, uint32_t *part, uint64_t *parts, uint64_t *links)
{
    struct strength s = {.t = topology, .nodes = crl_topology_nodes(topology)};
    s.source = s.nodes;
    s.sink = s.nodes + 1;
    if (s.nodes < 2 || s.nodes > NODES_MAX || s.nodes * crl_topology_links(topology) > WORK) return false;
    bool good = !make_edges(&s);
    int64_t p = 0, q = 1, k = 0, l = 0;
    for (uint32_t v = 0; good && v < s.nodes; v++) s.part[v] = v;
    if (good) measure(&s, &k, &l);
    while (good && (!p || l * q < p * k)) {
        memcpy(s.best, s.part, sizeof *s.part * s.nodes);
        *parts = (uint64_t)(q = k) + 1;
        *links = (uint64_t)(p = l);
        for (uint32_t v = 0; v < s.nodes; v++) add_node(&s, v, p, q);
        measure(&s, &k, &l);
        if (!k) break; // of one part nothing follows
    }
    if (good && part) memcpy(part, s.best, sizeof *part * s.nodes);
    crl_pool_done(&s.pool);
    return good;
}
