// SPDX-License-Identifier: Apache-2.0
// Schedules of sums in which what comes to a node of one chunk comes so many slots apart, for adders that take as long.
//
// All sums keep their order, so they keep their bits: a sum leaves behind the same arrivals as before, and before the
// same ones. Moves are taken in the order of their slots, each to the first slot in which its link is free and all that
// must be before it is. Two nodes that swap sums must both send before they get; these two moves stay in one slot.
#include "base/base.h"
#include "lower/lower.h"
#include <stdlib.h>
#include <string.h>

struct step {
    uint32_t behind;     // arrival at its source behind which it leaves, CRL_NONE: none
    uint32_t after;      // arrival at its destination before it, likewise
    uint32_t left, next; // first of those that leave its destination between these two; the next of such a list
    uint32_t swapped;    // with this one, CRL_NONE: none
    uint32_t slot;       // the new one; 0: none yet
    bool under_way;
};

struct apart {
    const struct crl_problem *problem;
    const struct crl_sum_hop *hop;
    struct step *step; // [hops]
    uint32_t apart, limit;
    uint8_t *used; // [links, or nodes that send and nodes that get][limit]
};

static uint32_t latency(const struct crl_sum_hop *h) { return h->arrival - h->slot + 1; }

static uint8_t *row_of(const struct apart *a, uint32_t i, bool gets)
{
    const struct crl_topology *t = a->problem->topology;
    const struct crl_sum_hop *h = &a->hop[i];
    const bool single = a->problem->ports == CRL_PORTS_SINGLE;
    const size_t row = !single ? (size_t)h->src * crl_topology_ports(t) + h->port
                       : gets  ? (size_t)crl_topology_nodes(t) + h->dst
                               : h->src;
    return a->used + row * a->limit + (gets ? latency(h) - 1 : 0);
}

static bool is_free(const struct apart *a, uint32_t i, uint32_t slot)
{
    return !row_of(a, i, false)[slot] && (a->problem->ports != CRL_PORTS_SINGLE || !row_of(a, i, true)[slot]);
}

static void take_slot(const struct apart *a, uint32_t i, uint32_t slot)
{
    a->step[i].slot = slot;
    row_of(a, i, false)[slot] = 1;
    if (a->problem->ports == CRL_PORTS_SINGLE) row_of(a, i, true)[slot] = 1;
}

static bool place(const struct apart *a, uint32_t i);

// The first slot that all before it allow; 0: they wait for each other.
static uint32_t earliest(const struct apart *a, uint32_t i)
{
    const struct step *s = &a->step[i];
    const struct crl_sum_hop *h = &a->hop[i];
    const uint32_t way = latency(h) - 1;
    const bool adds = h->effect & (CRL_SUM_ADDS | CRL_SUM_KEPT_ADDS);
    uint32_t slot = 1;
    if (s->behind != CRL_NONE) {
        if (!place(a, s->behind)) return 0;
        slot = a->step[s->behind].slot + latency(&a->hop[s->behind]);
    }
    if (s->after != CRL_NONE) {
        if (!place(a, s->after)) return 0;
        const uint32_t comes = a->step[s->after].slot + latency(&a->hop[s->after]) - 1 + (adds ? a->apart : 1);
        if (comes > slot + way) slot = comes - way;
    }
    for (uint32_t d = s->left; d != CRL_NONE; d = a->step[d].next) {
        if (d == s->swapped) continue;
        if (!place(a, d)) return 0;
        if (a->step[d].slot > slot + way) slot = a->step[d].slot - way;
    }
    return slot;
}

static bool place(const struct apart *a, uint32_t i)
{
    struct step *s = &a->step[i], *with = s->swapped == CRL_NONE ? s : &a->step[s->swapped];
    if (s->slot) return true;
    if (s->under_way) return false;
    s->under_way = with->under_way = true;
    uint32_t slot = earliest(a, i), other = with == s ? slot : earliest(a, s->swapped);
    if (!slot || !other) return false;
    const uint32_t room = a->limit - crl_topology_latency_max(a->problem->topology);
    if (other > slot) slot = other;
    while (slot < room && !(is_free(a, i, slot) && (with == s || is_free(a, s->swapped, slot)))) slot++;
    if (slot >= room) return false;
    take_slot(a, i, slot);
    if (with != s) take_slot(a, s->swapped, slot);
    return true;
}

// ---- what must be before what

static bool in_list(const struct step *step, uint32_t first, uint32_t which)
{
    while (first != CRL_NONE && first != which) first = step[first].next;
    return first != CRL_NONE;
}

static uint64_t key_slot(const void *hops, uint32_t i) { return ((const struct crl_sum_hop *)hops)[i].slot; }
static uint64_t key_chunk(const void *hops, uint32_t i) { return ((const struct crl_sum_hop *)hops)[i].chunk; }

struct noisy {
    const struct crl_sum_hop *hop;
    const uint32_t *noise;
};
static uint64_t key_noisy(const void *of, uint32_t i)
{
    const struct noisy *n = of;
    return n->hop[i].slot + (uint64_t)n->noise[i];
}

// Hops stand in the order of chunks and arrivals; `order`: in that of chunks and slots. A node sends before it gets.
static void find_order(const struct apart *a, const uint32_t *order, uint32_t count, uint32_t nodes, uint32_t *last,
                       uint32_t *left)
{
    for (uint32_t in = 0, out = 0; in < count; in++) {
        const struct crl_sum_hop *h = &a->hop[in];
        if (!in || h->chunk != h[-1].chunk)
            for (uint32_t v = 0; v < nodes; v++) last[v] = left[v] = CRL_NONE;
        for (; out < count && a->hop[order[out]].chunk == h->chunk && a->hop[order[out]].slot <= h->arrival; out++) {
            const uint32_t v = a->hop[order[out]].src;
            a->step[order[out]].behind = last[v];
            a->step[order[out]].next = left[v];
            left[v] = order[out];
        }
        a->step[in].after = last[h->dst];
        a->step[in].left = left[h->dst];
        last[h->dst] = in;
        left[h->dst] = CRL_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        a->step[i].swapped = CRL_NONE;
        for (uint32_t d = a->step[i].left; d != CRL_NONE; d = a->step[d].next)
            if (a->hop[d].dst == a->hop[i].src && in_list(a->step, a->step[d].left, i)) a->step[i].swapped = d;
    }
}

static bool is_apart(const struct apart *a, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_sum_hop *h = &a->hop[i];
        const uint32_t after = a->step[i].after, least = h->effect & (CRL_SUM_ADDS | CRL_SUM_KEPT_ADDS) ? a->apart : 1;
        if (after != CRL_NONE && h->arrival - a->hop[after].arrival < least) return false;
    }
    return true;
}

static int rebuild(struct crl_schedule *schedule, const struct apart *a, uint32_t count)
{
    struct crl_schedule other;
    crl_schedule_init_for(&other, a->problem, false);
    other.scheme = schedule->scheme;
    for (uint32_t i = 0; i < count; i++) {
        struct crl_move move = {a->step[i].slot, a->hop[i].src, a->hop[i].dst, 0, 0};
        crl_problem_packet(a->problem, a->hop[i].chunk, &move.origin, &move.dest);
        crl_schedule_add(&other, move);
    }
    int error = crl_schedule_sort(&other);
    crl_schedule_done(error ? &other : schedule);
    if (!error) *schedule = other;
    return error;
}

// Own numbers come in rows of their own, one a lane, each before its sum leaves and `apart` rows before another is
// added to it. How many slots later everything must be for that.
static uint32_t delay_for_own(const struct apart *a, uint32_t count, uint32_t nodes, uint32_t lanes, uint32_t *due)
{
    const uint32_t chunks = a->problem->chunks;
    uint32_t delay = 0;
    CRL_OWNED uint32_t *most = calloc(a->limit, sizeof *most);
    if (!most) return CRL_NONE;
    for (uint32_t v = 0; v < nodes; v++) {
        memset(most, 0, sizeof *most * a->limit);
        for (uint32_t c = 0; c < chunks; c++) due[c] = CRL_NONE;
        for (uint32_t i = 0; i < count; i++) {
            const struct crl_sum_hop *h = &a->hop[i];
            const uint32_t slot = a->step[i].slot, comes = slot + latency(h) - 1;
            if (h->src == v && slot + a->apart - 1 < due[h->chunk]) due[h->chunk] = slot + a->apart - 1;
            if (h->dst == v && comes < due[h->chunk]) due[h->chunk] = comes;
        }
        // In slots of arrivals: what is due in slot s comes in row s - apart at the latest.
        for (uint32_t c = 0; c < chunks; c++)
            if (due[c] != CRL_NONE && crl_chunk_has(a->problem, c, v)) most[due[c]]++;
        uint64_t owns = 0;
        for (uint32_t s = 0; s < a->limit; s++) {
            owns += most[s];
            const uint64_t rows = crl_ceil_div(owns, lanes), there = s < a->apart ? 0 : s - a->apart + UINT64_C(1);
            if (most[s] && rows > there + delay) delay = (uint32_t)(rows - there);
        }
    }
    return delay;
}

// Places all hops in an order; returns the last slot in which one arrives, 0 if one does not find a place.
static uint32_t place_all(const struct apart *a, const uint32_t *order, uint32_t count, size_t cells)
{
    uint32_t end = 0;
    memset(a->used, 0, cells);
    for (uint32_t i = 0; i < count; i++) {
        a->step[i].slot = 0;
        a->step[i].under_way = false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!place(a, order[i])) return 0;
        const uint32_t comes = a->step[order[i]].slot + latency(&a->hop[order[i]]) - 1;
        if (comes > end) end = comes;
    }
    return end;
}

// The best of some orders: that of slots, and others near it.
static int find_best(const struct apart *a, uint32_t *order, uint32_t count, size_t cells, uint32_t *best)
{
    enum { TRIES = 64, MOVES = 1 << 22 };
    uint32_t *noise = malloc(2 * sizeof *noise * (count + UINT64_C(1))), *kept = noise + count + 1;
    if (!noise) return CRL_ERR_MEMORY;
    int error = 0;
    *best = 0;
    for (uint32_t k = 0; k < TRIES && (!k || (uint64_t)k * count < MOVES) && !error; k++) {
        struct noisy by = {a->hop, noise};
        for (uint32_t i = 0; i < count; i++) {
            order[i] = i;
            noise[i] = k ? (uint32_t)(crl_mix(k * (UINT64_C(1) << 32) + i) % (1 + a->apart + k % 4)) : 0;
        }
        error = crl_sort_order(order, count, key_noisy, &by, UINT32_MAX);
        const uint32_t end = error ? 0 : place_all(a, order, count, cells);
        if (!end || (*best && end >= *best)) continue;
        *best = end;
        for (uint32_t i = 0; i < count; i++) kept[i] = a->step[i].slot;
    }
    for (uint32_t i = 0; i < count && *best; i++) a->step[i].slot = kept[i];
    free(noise);
    return error;
}

int crl_sums_apart(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t apart, bool longer,
                   uint32_t own_lanes)
{
    enum { ROOM = 1 << 28 }; // cells
    const struct crl_topology *t = problem->topology;
    const uint32_t nodes = crl_topology_nodes(t), slots = crl_schedule_slots(schedule),
                   most = crl_topology_latency_max(t);
    const uint32_t rows = problem->ports == CRL_PORTS_SINGLE ? 2 * nodes : nodes * crl_topology_ports(t);
    struct crl_sums sums;
    int error = crl_sums_init(&sums, schedule, problem, NULL);
    if (error) return error;
    const uint32_t count = (uint32_t)sums.count;
    struct apart a = {.problem = problem, .hop = sums.hop, .apart = apart};
    a.limit = (longer ? (apart + 1) * slots : slots) + most + 1;
    a.step = calloc(count + UINT64_C(1), sizeof *a.step);
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (count + UINT64_C(1)));
    CRL_OWNED uint32_t *last = malloc(sizeof *last * (2 * (size_t)nodes + problem->chunks));
    const size_t cells = (size_t)rows * a.limit;
    if (cells < ROOM) a.used = calloc(cells, 1);
    if (!a.step || !order || !last) error = CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count && !error; i++) order[i] = i;
    if (!error) error = crl_sort_order(order, count, key_slot, a.hop, UINT32_MAX);
    if (!error) error = crl_sort_order(order, count, key_chunk, a.hop, problem->chunks);
    if (!error) find_order(&a, order, count, nodes, last, last + nodes);
    uint32_t end = slots, delay = 0;
    if (!error && a.used && !crl_topology_shares_cables(t)) {
        if (is_apart(&a, count))
            for (uint32_t i = 0; i < count; i++) a.step[i].slot = a.hop[i].slot;
        else error = find_best(&a, order, count, cells, &end);
        if (!error && end && own_lanes) delay = delay_for_own(&a, count, nodes, own_lanes, last);
        if (delay == CRL_NONE) error = CRL_ERR_MEMORY;
        for (uint32_t i = 0; i < count && !error; i++) a.step[i].slot += delay;
        const bool moved = end && (delay || !is_apart(&a, count));
        if (!error && moved && (longer || end + delay <= slots)) error = rebuild(schedule, &a, count);
    }
    crl_sums_done(&sums);
    free(a.step);
    free(a.used);
    return error;
}
