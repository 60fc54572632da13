// SPDX-License-Identifier: Apache-2.0
// The cheapest way of one packet through cells: a dynamic program over the times at which it can be where. Waiting
// costs nothing.
#include "algorithm/core.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { DEAR = 0x7f7f7f7f }; // no way leads there; as memset writes it

// A near arc, by times from the first.
struct lane {
    uint32_t from, to, latency;
    uint32_t first, times;    // in which it is of use
    const uint32_t *price[2]; // by time; where slots are taken modulo a period: of slot 0. [1] NULL: none
    uint32_t shift[2];
};

struct search {
    struct crl_core *core;
    const struct crl_core_cells *cells;
    const struct crl_core_attempt *how;
    const struct crl_core_demand *demand;
    struct lane *lane;
    uint32_t *cost;
    uint16_t *came;
    uint32_t width, times;
    uint32_t words[2], word_count; // near arcs of words
    uint32_t stays[4], stay_count; // places where one may wait
};

// ---------------------------------------------------------------- what the way may be made of

static const uint32_t *prices_of(const struct search *s, const struct crl_core_arc *a, int k)
{
    if (a->row[k] == CRL_NONE) return NULL;
    const uint32_t *row = &s->cells->price[(size_t)a->row[k] * s->cells->slots];
    return s->cells->modulo ? row : row + (int32_t)(s->demand->start + a->shift[k]);
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
                                   .to = n->to,
                                   .latency = a->latency,
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
    if (!s->cells->modulo) return l->price[0][time] + (l->price[1] ? l->price[1][time] : 0);
    uint32_t price = l->price[0][(l->shift[0] + time) % s->cells->modulo];
    return l->price[1] ? price + l->price[1][(l->shift[1] + time) % s->cells->modulo] : price;
}

static inline void try_lane(struct search *s, uint32_t time, uint32_t k, bool or_as_cheap)
{
    const struct lane *l = &s->lane[k];
    if (time - l->first >= l->times) return; // also where it is before
    size_t there = (size_t)(time + l->latency) * s->width + l->to;
    uint32_t cost = s->cost[(size_t)time * s->width + l->from];
    if (cost >= DEAR) return;
    cost += price_at(s, l, time);
    if (cost > s->cost[there] || (cost == s->cost[there] && !or_as_cheap)) return;
    s->cost[there] = cost;
    s->came[there] = (uint16_t)(k + 1);
}

static void fill(struct search *s)
{
    struct crl_core *c = s->core;
    uint32_t arcs = c->near.arcs, turn = arcs ? (uint32_t)(crl_random(&c->random) % arcs) : 0;
    size_t cells = (size_t)(s->times + 1) * s->width;
    memset(s->cost, DEAR & 0xff, sizeof *s->cost * cells);
    memset(s->came, 0, sizeof *s->came * cells);
    s->cost[0] = 0;
    for (uint32_t time = 0; time <= s->times; time++) {
        for (uint32_t i = 0; i < s->word_count; i++) try_lane(s, time, s->words[i], crl_random(&c->random) % 2);
        if (time == s->times) break;
        wait(s, time);
        for (uint32_t k = turn; k < arcs; k++)
            if (s->lane[k].latency) try_lane(s, time, k, false);
        for (uint32_t k = 0; k < turn; k++)
            if (s->lane[k].latency) try_lane(s, time, k, false);
    }
    crl_core_spend(c, (uint64_t)(arcs + s->width / 4 + 1) * (s->times + 1) + arcs);
}

// Follows the way back, then turns it round.
static bool follow(struct search *s, uint32_t packet)
{
    struct crl_core *c = s->core;
    uint32_t at = c->near.place[s->demand->to], time = s->times, hops = 0;
    uint32_t room = (uint32_t)(c->first[packet + 1] - c->first[packet]);
    struct crl_core_hop *hop = &c->hop[c->first[packet]];
    while (at) { // the source has place 0
        uint32_t came = s->came[(size_t)time * s->width + at];
        if (!came) {
            time--;
            continue;
        }
        const struct crl_core_near_arc *near = &c->near.arc[came - 1];
        if (hops == room) return false;
        time -= c->arc[near->arc].latency;
        hop[hops++] = (struct crl_core_hop){.arc = near->arc, .slot = s->demand->start + time, .packet = packet};
        at = near->from;
    }
    c->hops[packet] = (uint16_t)hops;
    for (uint32_t i = 0; i < hops / 2; i++) {
        struct crl_core_hop swap = hop[i];
        hop[i] = hop[hops - 1 - i];
        hop[hops - 1 - i] = swap;
    }
    return true;
}

static int make_room(struct crl_core_way *way, uint32_t arcs, size_t cells)
{
    if (!way->lane) way->lane = malloc(sizeof *way->lane * (arcs + UINT64_C(1)));
    if (!way->lane) return CRL_ERR_MEMORY;
    if (cells <= way->room) return 0;
    free(way->cost);
    free(way->came);
    way->room = cells;
    way->cost = malloc(sizeof *way->cost * cells);
    way->came = malloc(sizeof *way->came * cells);
    return way->cost && way->came ? 0 : CRL_ERR_MEMORY;
}

int crl_core_find_way(struct crl_core *c, struct crl_core_cells *cells, struct crl_core_way *way, uint32_t packet,
                      const struct crl_core_attempt *how)
{
    const struct crl_core_demand *d = &c->demand[c->of_packet[packet]];
    struct search s = {.core = c, .cells = cells, .how = how, .demand = d};
    if (d->end < d->start + c->from[d->from][d->to] || d->end < d->start) return CRL_ERR_UNSUPPORTED;
    crl_core_look_around(c, d, how->detour);
    if (c->near.arcs >= UINT16_MAX) crl_core_look_around(c, d, 0);
    if (c->near.arcs >= UINT16_MAX) return CRL_ERR_UNSUPPORTED;
    s.times = d->end - d->start;
    s.width = c->near.nodes;
    if (make_room(way, c->arcs, (size_t)(s.times + 1) * s.width)) return CRL_ERR_MEMORY;
    s.cost = way->cost;
    s.came = way->came;
    s.lane = way->lane;
    list_lanes(&s);
    list_stays(&s);
    fill(&s);
    if (s.cost[(size_t)s.times * s.width + c->near.place[d->to]] >= DEAR || !follow(&s, packet))
        return CRL_ERR_UNSUPPORTED;
    crl_core_enter(c, cells, packet);
    return 0;
}
