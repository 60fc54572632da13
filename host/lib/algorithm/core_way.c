// SPDX-License-Identifier: Apache-2.0
// The cheapest way of one packet through cells: a dynamic program over the times at which it can be where. Waiting
// costs nothing. To several destinations a tree grows: the cheapest way from anything in it to the next destination,
// the cheapest first (Takahashi & Matsuyama 1980).
#include "algorithm/core.h"
#include "base/random.h"
#include "base/base.h"
#include <string.h>

enum {
    DEAR = 0x7f7f7f7f, // no way leads there; as memset writes it
    TREE = UINT16_MAX, // it comes there by the tree, which begins with the source
    STEPS_A_TIME = 14, // to wait and to begin, beside one for each arc
    STEPS_AN_ARC = 6,  // to find what is near, and to list it
    LANES = 256        // that the nearest memory holds; each of others costs three steps a time
};

// A near arc, by times from the first.
struct lane {
    const uint32_t *price[2]; // by time; where slots are taken modulo a period: of slot 0. [1] NULL: none
    uint32_t shift[2];
    uint32_t first, times; // in which it is of use
    size_t there;          // cells from those of the time to where it leads
    uint32_t from;
    uint16_t came;
    bool word, gapped;
};

struct search {
    struct crl_core *core;
    const struct crl_core_cells *cells;
    const struct crl_core_attempt *how;
    const struct crl_core_demand *demand;
    struct lane *lane;
    uint32_t *cost, *reached; // as in the way
    uint16_t *came;
    uint32_t width, times, modulo;
    bool needless;                 // a node of the tree was reached anew, and earlier
    uint32_t words[2], word_count; // near arcs of words
    uint32_t stays[4], stay_count; // places where one may wait
};

// ---------------------------------------------------------------- what the way may be made of

static const uint32_t *prices_of(const struct search *s, const struct crl_core_arc *a, int k)
{
    if (a->row[k] == CRL_NONE) return NULL;
    const uint32_t *row = &s->cells->price[(size_t)a->row[k] * s->cells->slots];
    return s->modulo ? row : row + (int32_t)(s->demand->start + a->shift[k]);
}

// Links are used in some of the slots only.
static void list_lanes(struct search *s)
{
    struct crl_core_near *near = &s->core->near;
    uint32_t begin = s->how->links_first, end = s->how->links ? begin + s->how->links - 1 : CRL_NONE;
    for (uint32_t i = 0; i < near->arcs; i++) {
        const struct crl_core_near_arc *n = &near->arc[i];
        const struct crl_core_arc *a = &s->core->arc[n->arc];
        bool link = a->latency;
        uint32_t first = link && n->first < begin ? begin : n->first, last = link && n->last > end ? end : n->last;
        s->lane[i] = (struct lane){.from = n->from,
                                   .there = (size_t)a->latency * s->width + n->to,
                                   .came = (uint16_t)(i + 1),
                                   .word = !link,
                                   .gapped = a->gap > 1,
                                   .first = first - s->demand->start,
                                   .times = last >= first ? last - first + 1 : 0,
                                   .price = {prices_of(s, a, 0), prices_of(s, a, 1)},
                                   .shift = {s->demand->start + a->shift[0], s->demand->start + a->shift[1]}};
        if (!link) s->words[s->word_count++] = i;
    }
}

// Without waiting one may still stay at the source and at the destination and, where words are taken and given, behind
// the one and before the other.
static void list_stays(struct search *s)
{
    const struct crl_core_near *near = &s->core->near;
    s->stay_count = 0;
    s->stays[s->stay_count++] = near->place[s->demand->from];
    s->stays[s->stay_count++] = near->place[s->demand->to];
    for (uint32_t i = 0; i < s->word_count && !s->how->tight; i++) {
        const struct crl_core_near_arc *a = &near->arc[s->words[i]];
        s->stays[s->stay_count++] = a->from == s->stays[0] ? a->to : a->from;
    }
}

static void wait(struct search *s, uint32_t time)
{
    const uint32_t *now = &s->cost[(size_t)time * s->width];
    uint32_t *next = &s->cost[(size_t)(time + 1) * s->width];
    uint16_t *came = &s->came[(size_t)(time + 1) * s->width];
    if (s->how->nowait) {
        for (uint32_t k = 0; k < s->stay_count; k++) {
            uint32_t i = s->stays[k];
            if (now[i] > next[i]) continue;
            next[i] = now[i];
            came[i] = 0;
        }
        return;
    }
    for (uint32_t i = 0; i < s->width; i++) {
        came[i] = now[i] <= next[i] ? 0 : came[i];
        next[i] = now[i] <= next[i] ? now[i] : next[i];
    }
}

static uint32_t price_at(const struct search *s, const struct lane *l, uint32_t time)
{
    if (!s->modulo) return l->price[0][time] + (l->price[1] ? l->price[1][time] : 0);
    uint32_t price = l->price[0][(l->shift[0] + time) % s->modulo];
    return l->price[1] ? price + l->price[1][(l->shift[1] + time) % s->modulo] : price;
}

// cost, came: of the cells of a time. As prices are far below DEAR, nothing leads on from where no way leads.
static inline void try_lane(const struct search *s, const struct lane *l, uint32_t time, uint32_t *cost, uint16_t *came,
                            bool or_as_cheap)
{
    if (time - l->first >= l->times) return; // also where it is before
    const struct crl_core_arc *arc = &s->core->arc[s->core->near.arc[l->came - 1].arc];
    if (l->gapped && !crl_core_is_open(s->core, arc, s->demand->start + time)) return;
    uint32_t there = cost[l->from] + price_at(s, l, time);
    if (there > cost[l->there] || (there == cost[l->there] && !or_as_cheap)) return;
    cost[l->there] = there;
    came[l->there] = l->came;
}

// The packet is at a place from that time on.
static void reach(struct search *s, uint32_t place, uint32_t time)
{
    size_t there = (size_t)time * s->width + place;
    s->needless |= s->reached[place] != CRL_NONE;
    s->reached[place] = time;
    s->cost[there] = 0;
    s->came[there] = TREE;
}

// What there is of a tree already is where it begins.
static void begin(struct search *s, uint32_t packet)
{
    const struct crl_core *c = s->core;
    size_t cells = (size_t)(s->times + 1) * s->width;
    memset(s->cost, DEAR & 0xff, sizeof *s->cost * cells);
    memset(s->came, 0, sizeof *s->came * cells);
    memset(s->reached, 0xff, sizeof *s->reached * s->width); // CRL_NONE
    reach(s, 0, 0);
    for (uint32_t i = 0; i < c->hops[packet]; i++) {
        const struct crl_core_hop *hop = &c->hop[c->first[packet] + i];
        const struct crl_core_arc *a = &c->arc[hop->arc];
        if (c->near.stamp[a->to] == c->near.now)
            reach(s, c->near.place[a->to], hop->slot + a->latency - s->demand->start);
    }
}

// What it costs to be where, from a time on before which nothing changed.
static void fill(struct search *s, uint32_t first)
{
    struct crl_core *c = s->core;
    uint32_t arcs = c->near.arcs, turn = arcs ? (uint32_t)(crl_random(&c->random) % arcs) : 0;
    for (uint32_t time = first; time <= s->times; time++) {
        uint32_t *cost = &s->cost[(size_t)time * s->width];
        uint16_t *came = &s->came[(size_t)time * s->width];
        for (uint32_t i = 0; i < s->word_count; i++)
            try_lane(s, &s->lane[s->words[i]], time, cost, came, crl_random(&c->random) % 2);
        if (time == s->times) break;
        wait(s, time);
        for (uint32_t k = turn; k < arcs; k++)
            if (!s->lane[k].word) try_lane(s, &s->lane[k], time, cost, came, false);
        for (uint32_t k = 0; k < turn; k++)
            if (!s->lane[k].word) try_lane(s, &s->lane[k], time, cost, came, false);
    }
    uint32_t far = arcs > LANES ? 2 * (arcs - LANES) : 0;
    crl_core_spend(c, (uint64_t)(arcs + far + STEPS_A_TIME) * (s->times + 1 - first));
}

// Follows the way back to the tree, then turns it round. Returns the first time at which the tree has a new place, or
// CRL_NONE where there is no way, or it has too many hops.
static uint32_t follow(struct search *s, uint32_t packet, uint32_t at)
{
    struct crl_core *c = s->core;
    if (at == CRL_NONE || s->cost[(size_t)s->times * s->width + at] >= DEAR) return CRL_NONE;
    uint32_t time = s->times, hops = c->hops[packet], before = hops, earliest = CRL_NONE;
    uint32_t room = (uint32_t)(c->first[packet + 1] - c->first[packet]);
    struct crl_core_hop *hop = &c->hop[c->first[packet]];
    for (uint32_t came; (came = s->came[(size_t)time * s->width + at]) != TREE;) {
        if (!came) {
            time--;
            continue;
        }
        const struct crl_core_near_arc *near = &c->near.arc[came - 1];
        if (hops == room) return CRL_NONE;
        reach(s, at, time);
        earliest = time;
        time -= c->arc[near->arc].latency;
        hop[hops++] = (struct crl_core_hop){.arc = near->arc, .slot = s->demand->start + time, .packet = packet};
        at = near->from;
    }
    c->hops[packet] = (uint16_t)hops;
    for (uint32_t i = before, k = hops; i + 1 < k; i++) {
        struct crl_core_hop swap = hop[i];
        hop[i] = hop[--k];
        hop[k] = swap;
    }
    return earliest;
}

// The destination that is the cheapest to reach of those that are not in the tree; CRL_NONE: all are.
static uint32_t next_destination(const struct search *s)
{
    const struct crl_core_demand *d = s->demand;
    const uint32_t *cost = &s->cost[(size_t)s->times * s->width];
    uint32_t best = CRL_NONE;
    for (uint32_t i = 0; i < d->dst_count || !i; i++) {
        uint32_t place = s->core->near.place[d->dst_count > 1 ? d->dst[i] : d->to];
        if (s->reached[place] == CRL_NONE && (best == CRL_NONE || cost[place] < cost[best])) best = place;
    }
    return best;
}

// ---------------------------------------------------------------- what a tree does not need

static bool is_wanted(const struct crl_core_demand *d, uint32_t node)
{
    for (uint32_t i = 0; i < d->dst_count; i++)
        if (d->dst[i] == node) return true;
    return false;
}

static bool leads_on(const struct crl_core *c, const struct crl_core_hop *hop, uint32_t hops, uint32_t node)
{
    for (uint32_t i = 0; i < hops; i++)
        if (c->arc[hop[i].arc].from == node) return true;
    return false;
}

// Of the hops of a packet that are not marked keeps those that lead from its source to a destination.
static void keep_tree(struct crl_core *c, struct crl_core_cells *cells, uint32_t packet)
{
    const struct crl_core_demand *d = &c->demand[c->of_packet[packet]];
    struct crl_core_hop *hop = &c->hop[c->first[packet]];
    uint32_t hops = c->hops[packet], kept, marked;
    crl_core_leave(c, cells, packet);
    do {
        kept = marked = 0;
        for (uint32_t i = 0; i < hops; i++)
            if (hop[i].packet != CRL_NONE) hop[kept++] = hop[i];
        c->hops[packet] = (uint16_t)(hops = kept);
        for (uint32_t i = 0; i < hops; i++) {
            const struct crl_core_arc *a = &c->arc[hop[i].arc];
            bool rooted = crl_core_is_there(c, packet, a->from, hop[i].slot);
            if (rooted && (is_wanted(d, a->to) || leads_on(c, hop, hops, a->to))) continue;
            hop[i].packet = CRL_NONE;
            marked++;
        }
    } while (marked);
    crl_core_enter(c, cells, packet, 0);
}

// Of hops to one node the first one counts.
static void drop_needless(struct search *s, struct crl_core_cells *cells, uint32_t packet)
{
    struct crl_core *c = s->core;
    struct crl_core_hop *hop = &c->hop[c->first[packet]];
    for (uint32_t i = 0; i < c->hops[packet]; i++) {
        const struct crl_core_arc *a = &c->arc[hop[i].arc];
        if (s->reached[c->near.place[a->to]] + s->demand->start != hop[i].slot + a->latency) hop[i].packet = CRL_NONE;
    }
    keep_tree(c, cells, packet);
}

static uint32_t end_of(const struct crl_core *c, const struct crl_core_hop *hop)
{
    return hop->slot + c->arc[hop->arc].latency;
}

// A way that comes to a node again, as one may that must not wait: instead of going round it leaves its source later.
static void cut_loops(struct crl_core *c, struct crl_core_cells *cells, uint32_t packet)
{
    const uint32_t from = c->demand[c->of_packet[packet]].from;
    struct crl_core_hop *hop = &c->hop[c->first[packet]];
    uint32_t hops = c->hops[packet], kept = 0;
    crl_core_leave(c, cells, packet);
    for (uint32_t i = 0; i < hops; i++) {
        uint32_t to = c->arc[hop[i].arc].to, before = kept;
        while (before && c->arc[hop[before - 1].arc].to != to) before--;
        for (uint32_t k = 0, later = before ? end_of(c, &hop[i]) - end_of(c, &hop[before - 1]) : 0; k < before; k++)
            hop[k].slot += later;
        if (before || to == from) kept = before;
        else hop[kept++] = hop[i];
    }
    c->hops[packet] = (uint16_t)kept;
    crl_core_enter(c, cells, packet, 0);
}

void crl_core_trim(struct crl_core *c, struct crl_core_cells *cells, uint32_t packet)
{
    struct crl_core_hop *hop = &c->hop[c->first[packet]];
    for (uint32_t i = 0; i < c->hops[packet]; i++)
        if (crl_core_is_over(c, cells, &hop[i])) hop[i].packet = CRL_NONE;
    keep_tree(c, cells, packet);
}

// ---------------------------------------------------------------- the way, or the tree

static int make_room(struct crl_core_way *way, uint32_t nodes, uint32_t arcs, size_t cells)
{
    if (!way->lane) CRL_NEW(way->pool, way->lane, arcs + UINT64_C(1));
    if (!way->reached) CRL_NEW(way->pool, way->reached, nodes);
    if (cells > way->room) {
        way->room = cells;
        way->cost = crl_pool_resize(way->pool, way->cost, cells, sizeof *way->cost);
        way->came = crl_pool_resize(way->pool, way->came, cells, sizeof *way->came);
    }
    return crl_pool_error(way->pool);
}

static int grow(struct search *s, struct crl_core_cells *cells, uint32_t packet)
{
    struct crl_core *c = s->core;
    uint32_t first = 0;
    begin(s, packet);
    do {
        fill(s, first);
        uint32_t hops = c->hops[packet];
        first = follow(s, packet, next_destination(s));
        if (first == CRL_NONE) {
            crl_core_leave(c, cells, packet);
            return CRL_ERR_UNSUPPORTED;
        }
        crl_core_enter(c, cells, packet, hops);
    } while (next_destination(s) != CRL_NONE);
    if (s->needless && s->demand->dst_count > 1) drop_needless(s, cells, packet);
    else if (s->needless) cut_loops(c, cells, packet);
    return 0;
}

int crl_core_find_way(struct crl_core *c, struct crl_core_cells *cells, struct crl_core_way *way, uint32_t packet,
                      const struct crl_core_attempt *how)
{
    const struct crl_core_demand *d = &c->demand[c->of_packet[packet]];
    struct search s = {.core = c, .cells = cells, .how = how, .demand = d, .modulo = cells->modulo};
    if (d->end < d->start + c->from[d->from][d->to] || d->end < d->start) return CRL_ERR_UNSUPPORTED;
    crl_core_look_around(c, d, how->detour);
    if (c->near.arcs >= TREE - 1) crl_core_look_around(c, d, 0);
    if (c->near.arcs >= TREE - 1) return CRL_ERR_UNSUPPORTED;
    s.times = d->end - d->start;
    s.width = c->near.nodes;
    if (make_room(way, c->nodes, c->arcs, (size_t)(s.times + 1) * s.width)) return CRL_ERR_MEMORY;
    s.cost = way->cost;
    s.came = way->came;
    s.lane = way->lane;
    s.reached = way->reached;
    list_lanes(&s);
    list_stays(&s);
    crl_core_spend(c, STEPS_AN_ARC * (uint64_t)c->near.arcs);
    return grow(&s, cells, packet);
}
