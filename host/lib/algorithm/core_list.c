// SPDX-License-Identifier: Apache-2.0
// Slots for static ways: in each slot each arc takes the packet before which there is most to wait for, which is what
// still has to cross the fullest of the arcs on the rest of its way. Packets of one demand on one way, or tree, are a
// flow, and a flow before an arc is a stop: so that nobody looks at single packets. The stops of a tree lie in such an
// order that what follows after one, up to its end, is what it leads to.
#include "algorithm/core.h"
#include "base/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { FARTHEST, EARLIEST };              // variants
enum { LATEST = 1 << 24 };                // deadlines that are told apart
enum { LOTS = 3, KEPT = 128, TAILS = 8 }; // bits of a key by lot; keys are kept for one in so many of all slots

struct flow {
    uint32_t demand, first, count, hops; // packets, in the list of packets by flow
    uint32_t stop;                       // the first, of as many as it has hops
    uint32_t sample;                     // a packet whose way it is
};

struct stop {
    uint32_t flow, arc, waiting, passed;
    uint32_t at;    // place among those that wait for its arc
    uint32_t end;   // the stop after all that it leads to
    uint32_t rest;  // hops to the farthest of these
    uint32_t delay; // from the source
};

struct place {
    uint32_t stop, key, until; // until: the time from which the key is too old
};

struct turn {
    uint32_t key, stop;
};

struct list {
    struct crl_pool pool;
    struct crl_core *core;
    struct flow *flow;
    struct stop *stop;
    uint32_t flows, stops;
    uint32_t *packet;      // [packets] by flow
    uint32_t *flow_of;     // [packets]
    uint32_t *first_flow;  // [demands + 1]
    struct place *queue;   // the stops that wait for an arc are queue[first[arc]…],
    uint32_t *queued;      // [arcs] so many
    uint32_t *first;       // [arcs + 1]
    uint32_t *backlog;     // [rows] packets that have not crossed it
    uint32_t *used;        // [rows][ring] by slot
    uint32_t *left, *tail; // [demands] hops that are not over; time that is needed after it
    uint32_t *by_release;  // demands
    uint32_t *landing;     // [latency_max + 1][width] stops that a packet comes to then
    uint32_t *landings;    // [latency_max + 1]
    struct turn *turn;     // [arcs]
    struct crl_core_match match;
    uint64_t random;
    uint32_t ring, width, time, released, keep, order, moving;
    uint64_t looks, hops_left;
};

// ---------------------------------------------------------------- flows

// What stops lead to, the last first.
static void link_stops(struct list *l, const struct flow *f)
{
    const struct crl_core *c = l->core;
    for (uint32_t i = f->stop + f->hops; i-- > f->stop;) {
        struct stop *s = &l->stop[i];
        uint32_t k = i + 1;
        for (; k < f->stop + f->hops && c->arc[l->stop[k].arc].from == c->arc[s->arc].to; k = l->stop[k].end)
            if (l->stop[k].rest >= s->rest) s->rest = l->stop[k].rest + 1;
        s->end = k;
    }
    for (uint32_t i = f->stop; i < f->stop + f->hops; i++)
        for (uint32_t k = i + 1; k < l->stop[i].end; k = l->stop[k].end)
            l->stop[k].delay = l->stop[i].delay + c->arc[l->stop[i].arc].latency;
}

// The flow of a packet, among those of its demand, of which there are few.
static struct flow *flow_for(struct list *l, uint32_t demand, uint32_t packet)
{
    const struct crl_core *c = l->core;
    for (uint32_t f = l->flows; f > l->first_flow[demand]; f--)
        if (crl_core_same_way(c, packet, l->flow[f - 1].sample)) return &l->flow[f - 1];
    struct flow *f = &l->flow[l->flows++];
    *f = (struct flow){.demand = demand, .hops = c->hops[packet], .stop = l->stops, .sample = packet};
    for (uint32_t i = 0; i < f->hops; i++)
        l->stop[l->stops++] =
            (struct stop){.flow = l->flows - 1, .arc = c->hop[c->first[packet] + i].arc, .at = CRL_NONE, .rest = 1};
    link_stops(l, f);
    return f;
}

static void list_flows(struct list *l)
{
    const struct crl_core *c = l->core;
    for (uint32_t i = 0; i < c->demands; i++) {
        const struct crl_core_demand *d = &c->demand[i];
        l->first_flow[i] = l->flows;
        for (uint32_t p = d->first; p < d->first + d->count; p++) {
            struct flow *f = flow_for(l, i, p);
            l->flow_of[p] = (uint32_t)(f - l->flow);
            f->count++;
        }
    }
    l->first_flow[c->demands] = l->flows;
    for (uint32_t f = 0, first = 0; f < l->flows; f++) {
        l->flow[f].first = first;
        first += l->flow[f].count;
        l->flow[f].count = 0;
    }
    for (uint32_t p = 0; p < c->packets; p++) {
        struct flow *f = &l->flow[l->flow_of[p]];
        l->packet[f->first + f->count++] = p;
    }
}

// Room for the stops before each arc, and what crosses each row.
static void count_stops(struct list *l)
{
    const struct crl_core *c = l->core;
    for (uint32_t i = 0; i < l->stops; i++) l->first[l->stop[i].arc + 1]++;
    for (uint32_t i = 0; i < c->arcs; i++) {
        l->first[i + 1] += l->first[i];
        l->width += c->capacity[c->arc[i].row[0]];
    }
    for (uint32_t i = 0; i < l->stops; i++) {
        const struct crl_core_arc *a = &c->arc[l->stop[i].arc];
        for (int k = 0; k < 2 && a->row[k] != CRL_NONE; k++) l->backlog[a->row[k]] += l->flow[l->stop[i].flow].count;
    }
    for (uint32_t i = 0; i < c->rows; i++)
        if (l->backlog[i] / c->capacity[i] / KEPT > l->keep) l->keep = l->backlog[i] / c->capacity[i] / KEPT;
}

// ---------------------------------------------------------------- keys

static uint32_t backlog_of(const struct list *l, uint32_t arc)
{
    const struct crl_core_arc *a = &l->core->arc[arc];
    uint32_t most = l->backlog[a->row[0]] / l->core->capacity[a->row[0]];
    if (a->row[1] != CRL_NONE && l->backlog[a->row[1]] > most) most = l->backlog[a->row[1]];
    return most + a->latency - 1;
}

// Slots that are needed from now on for the rest of the way, at least.
static uint32_t need_of(const struct list *l, const struct stop *stop)
{
    uint32_t most = 0;
    for (const struct stop *s = stop + 1; s < &l->stop[stop->end]; s++) {
        uint32_t need = backlog_of(l, s->arc) + s->delay - stop->delay;
        if (need > most) most = need;
    }
    return most;
}

static uint32_t find_key(struct list *l, uint32_t index)
{
    const struct stop *s = &l->stop[index];
    uint32_t demand = l->flow[s->flow].demand, end = l->core->demand[demand].end;
    uint32_t key = l->order == FARTHEST ? s->rest : need_of(l, s);
    uint32_t lot = (uint32_t)crl_mix((uint64_t)l->order << 32 | s->flow) & ((1 << LOTS) - 1);
    key += l->tail[demand];
    if (l->order == EARLIEST) key = end < LATEST ? LATEST - end + s->rest : s->rest;
    l->looks += 4 * (s->end - index);
    return (key < UINT32_MAX >> (LOTS + 1) ? key << LOTS : UINT32_MAX >> 1) + lot + 1;
}

static uint32_t key_of(struct list *l, struct place *p)
{
    if (l->time < p->until) return p->key;
    p->key = find_key(l, p->stop);
    p->until = l->time + 1 + l->keep;
    return p->key;
}

// ---------------------------------------------------------------- stops

static void begin_to_wait(struct list *l, uint32_t index, uint32_t count)
{
    struct stop *s = &l->stop[index];
    s->waiting += count;
    if (s->at != CRL_NONE || !count) return;
    s->at = l->queued[s->arc]++;
    l->queue[l->first[s->arc] + s->at] = (struct place){.stop = index};
}

// At all of the stops that branch off side by side.
static void begin_all(struct list *l, uint32_t first, uint32_t end, uint32_t count)
{
    for (uint32_t i = first; i < end; i = l->stop[i].end) begin_to_wait(l, i, count);
}

static void leave_queue(struct list *l, uint32_t index)
{
    struct stop *s = &l->stop[index];
    struct place *queue = &l->queue[l->first[s->arc]], last = queue[--l->queued[s->arc]];
    queue[s->at] = last;
    l->stop[last.stop].at = s->at;
    s->at = CRL_NONE;
}

static void release(struct list *l, uint32_t demand)
{
    for (uint32_t f = l->first_flow[demand]; f < l->first_flow[demand + 1]; f++)
        begin_all(l, l->flow[f].stop, l->flow[f].stop + l->flow[f].hops, l->flow[f].count);
}

static void arrive(struct list *l, uint32_t demand)
{
    struct crl_core *c = l->core;
    l->hops_left--;
    c->demand[demand].done = l->time;
    if (--l->left[demand]) return;
    for (uint32_t i = c->demand[demand].waits; i != CRL_NONE; i = c->demand[i].next)
        if (c->demand[i].release <= l->time) release(l, i);
}

// Who may leave from now on: those whose release has come, and what they waited for.
static void release_all(struct list *l)
{
    const struct crl_core *c = l->core;
    for (; l->released < c->demands && c->demand[l->by_release[l->released]].release <= l->time; l->released++) {
        uint32_t after = c->demand[l->by_release[l->released]].after;
        if (after == CRL_NONE || (!l->left[after] && c->demand[after].done < l->time))
            release(l, l->by_release[l->released]);
    }
}

static void land(struct list *l)
{
    uint32_t ring = l->core->latency_max + 1, bucket = l->time % ring, count = l->landings[bucket];
    l->landings[bucket] = 0;
    l->moving -= count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = l->landing[(size_t)bucket * l->width + i];
        begin_all(l, index + 1, l->stop[index].end, 1);
        arrive(l, l->flow[l->stop[index].flow].demand);
    }
}

// ---------------------------------------------------------------- slots

static uint32_t *used_by(const struct list *l, const struct crl_core_arc *a, int k)
{
    return &l->used[(size_t)a->row[k] * l->ring + (l->time + a->shift[k]) % l->ring];
}

static bool is_free(const struct list *l, const struct crl_core_arc *a)
{
    if (!crl_core_is_open(l->core, a, l->time)) return false;
    for (int k = 0; k < 2 && a->row[k] != CRL_NONE; k++)
        if (*used_by(l, a, k) >= l->core->capacity[a->row[k]]) return false;
    return true;
}

static void go(struct list *l, uint32_t index)
{
    struct crl_core *c = l->core;
    struct stop *s = &l->stop[index];
    const struct flow *f = &l->flow[s->flow];
    const struct crl_core_arc *a = &c->arc[s->arc];
    uint32_t packet = l->packet[f->first + s->passed++], bucket = (l->time + a->latency) % (c->latency_max + 1);
    c->hop[c->first[packet] + index - f->stop].slot = l->time;
    for (int k = 0; k < 2 && a->row[k] != CRL_NONE; k++) {
        ++*used_by(l, a, k);
        l->backlog[a->row[k]]--;
    }
    if (!--s->waiting) leave_queue(l, index);
    l->landing[(size_t)bucket * l->width + l->landings[bucket]++] = index;
    l->moving++;
}

static struct turn first_of(struct list *l, uint32_t arc)
{
    struct turn best = {0, CRL_NONE};
    struct place *queue = &l->queue[l->first[arc]];
    for (uint32_t i = 0; i < l->queued[arc]; i++) {
        uint32_t key = key_of(l, &queue[i]);
        if (key > best.key) best = (struct turn){key, queue[i].stop};
    }
    l->looks += l->queued[arc];
    return best;
}

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return x->stop < y->stop ? -1 : x->stop > y->stop;
}

// The most urgent goes first.
static void play_urgent(struct list *l)
{
    const struct crl_core *c = l->core;
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->arcs; i++)
        if (l->queued[i] && is_free(l, &c->arc[i])) l->turn[count++] = first_of(l, i);
    qsort(l->turn, count, sizeof *l->turn, compare_turns);
    for (uint32_t i = 0; i < count; i++)
        if (is_free(l, &c->arc[l->stop[l->turn[i].stop].arc])) go(l, l->turn[i].stop);
}

// Those rows come first that have the most left to do.
static void play_matched(struct list *l)
{
    const struct crl_core *c = l->core;
    for (uint32_t i = 0; i < c->arcs; i++) {
        const struct crl_core_arc *a = &c->arc[i];
        if (!l->queued[i] || !is_free(l, a)) continue;
        for (int k = 0; k < 2; k++) {
            uint64_t work = (uint64_t)l->backlog[a->row[k]] << 16 | (crl_random(&l->random) & 0xffff);
            crl_core_match_add(&l->match, i, k, (size_t)(used_by(l, a, k) - l->used), work);
        }
    }
    uint32_t count = crl_core_match(&l->match);
    for (uint32_t i = 0; i < count; i++) go(l, first_of(l, l->match.matched[i]).stop);
}

static void play_slot(struct list *l)
{
    const struct crl_core *c = l->core;
    if (c->problem->ports == CRL_PORTS_SINGLE && (c->gated || l->order == EARLIEST)) play_urgent(l);
    else if (c->problem->ports == CRL_PORTS_SINGLE) play_matched(l);
    else
        for (uint32_t i = 0; i < c->arcs; i++)
            while (l->queued[i] && is_free(l, &c->arc[i])) go(l, first_of(l, i).stop);
    if (!c->modulo)
        for (uint32_t i = 0; i < c->rows; i++) l->used[(size_t)i * l->ring + l->time % l->ring] = 0;
    crl_core_spend(l->core, c->arcs);
}

// ---------------------------------------------------------------- the list

static uint64_t release_key(const void *user, uint32_t i)
{
    const struct crl_core *c = user;
    return c->demand[i].release;
}

// For how long those that wait for it still need.
static uint32_t tail_of(const struct list *l, uint32_t demand)
{
    const struct crl_core *c = l->core;
    uint32_t most = 0;
    for (uint32_t i = c->demand[demand].waits; i != CRL_NONE; i = c->demand[i].next) {
        uint32_t tail = l->tail[i] + c->from[c->demand[i].from][c->demand[i].to] + c->demand[i].count - 1;
        if (tail > most) most = tail;
    }
    return most;
}

// Chains of any length settle round by round; so long ones do well enough.
static int find_tails(struct list *l)
{
    struct crl_core *c = l->core;
    uint32_t last = 0;
    for (uint32_t i = 0; i < c->demands; i++) {
        const struct crl_core_demand *d = &c->demand[i];
        l->left[i] = 0;
        for (uint32_t p = d->first; p < d->first + d->count; p++) l->left[i] += c->hops[p] ? c->hops[p] : 1;
        l->hops_left += l->left[i];
        l->by_release[i] = i;
        if (d->release > last) last = d->release;
    }
    for (uint32_t round = 0; round < TAILS; round++)
        for (uint32_t i = 0; i < c->demands; i++) l->tail[i] = tail_of(l, i);
    return crl_sort_order(l->by_release, c->demands, release_key, c, last);
}

static int list_new(struct list *l, struct crl_core *c, uint32_t variant)
{
    size_t packets = c->packets + UINT64_C(1), stops = 0, demands = c->demands + UINT64_C(1);
    *l = (struct list){.core = c, .order = variant, .random = variant};
    l->ring = c->modulo ? c->modulo : c->latency_max;
    for (uint32_t p = 0; p < c->packets; p++) stops += c->hops[p];
    CRL_NEW(&l->pool, l->flow, packets);
    CRL_NEW(&l->pool, l->stop, stops + 1);
    CRL_NEW(&l->pool, l->packet, packets);
    CRL_NEW(&l->pool, l->flow_of, packets);
    CRL_NEW(&l->pool, l->first_flow, demands);
    CRL_NEW(&l->pool, l->queue, stops + 1);
    CRL_ZEROED(&l->pool, l->queued, c->arcs + UINT64_C(1));
    CRL_ZEROED(&l->pool, l->first, c->arcs + UINT64_C(1));
    CRL_ZEROED(&l->pool, l->backlog, c->rows + UINT64_C(1));
    CRL_ZEROED(&l->pool, l->used, ((size_t)c->rows + 1) * l->ring);
    CRL_NEW(&l->pool, l->left, demands);
    CRL_ZEROED(&l->pool, l->tail, demands);
    CRL_NEW(&l->pool, l->by_release, demands);
    CRL_NEW(&l->pool, l->turn, c->arcs + UINT64_C(1));
    CRL_ZEROED(&l->pool, l->landings, c->latency_max + UINT64_C(1));
    if (l->pool.failed) return CRL_ERR_MEMORY;
    crl_core_set_ends(c, CRL_NONE);
    list_flows(l);
    count_stops(l);
    CRL_NEW(&l->pool, l->landing, l->width * (c->latency_max + UINT64_C(1)));
    crl_core_match_init(&l->match, &l->pool, c->arcs, (size_t)c->rows * l->ring);
    return l->pool.failed ? CRL_ERR_MEMORY : find_tails(l);
}

// When nothing is under way the next thing that happens is a release. Where slots are taken modulo a period whoever
// finds no place in a whole one finds none.
static bool goes_on(struct list *l, uint32_t *idle)
{
    const struct crl_core *c = l->core;
    *idle = l->moving ? 0 : *idle + 1;
    if (*idle <= l->ring) return true;
    if (l->released == c->demands) return false;
    l->time = c->demand[l->by_release[l->released]].release - 1;
    *idle = 0;
    return true;
}

int64_t crl_core_list(struct crl_core *c, uint32_t variant)
{
    struct list l;
    uint32_t idle = 0;
    int error = list_new(&l, c, variant);
    for (; !error; l.time++) {
        land(&l);
        release_all(&l);
        if (!l.hops_left) break;
        play_slot(&l);
        if (!goes_on(&l, &idle)) break;
    }
    for (uint32_t i = 0; i < l.stops && !error; i++) { // of who got no slots
        const struct flow *f = &l.flow[l.stop[i].flow];
        for (uint32_t k = l.stop[i].passed; k < f->count; k++) c->hops[l.packet[f->first + k]] = 0;
    }
    crl_core_spend(c, 4 * l.looks);
    int64_t time = error;
    if (!error) time = l.hops_left ? CRL_NONE : l.time;
    crl_pool_done(&l.pool);
    return time;
}
