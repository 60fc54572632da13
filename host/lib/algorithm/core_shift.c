// SPDX-License-Identifier: Apache-2.0
// Fewer slots with the same ways: all hops are shifted as late as they can, the last first, then in the order that this
// makes as early as they can, and so on. (Forward-backward improvement, as of projects with scarce resources.)
#include "algorithm/core.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum {
    IDLE = 6,   // passes without progress, at most
    STEPS = 40, // of a hop in a pass
    SHARE = 8   // all may use up one in so many of the steps that are left
};

struct shifting {
    struct crl_core *core;
    size_t *order;   // [hops] places of all hops, by slot
    size_t *before;  // [room] place of the hop that brings the packet, SIZE_MAX: none does
    uint32_t *limit; // [room] time by which it must have arrived
    uint32_t *used;  // [rows][width] packets in a cell
    uint32_t *next;  // [rows][width] a slot that is nearer to one with room; it itself where it has room
    size_t *first;   // [width + 1] place in the order, by slot
    size_t hops;
    uint32_t width, slots;
};

static void find_before(const struct shifting *s)
{
    const struct crl_core *c = s->core;
    for (uint32_t p = 0; p < c->packets; p++)
        for (size_t i = c->first[p]; i < c->first[p] + c->hops[p]; i++) {
            uint32_t from = c->arc[c->hop[i].arc].from;
            s->before[i] = SIZE_MAX;
            for (size_t k = i; k-- > c->first[p] && s->before[i] == SIZE_MAX;) // it stands before it
                if (c->arc[c->hop[k].arc].to == from) s->before[i] = k;
        }
}

// By slot, and empties all cells.
static void sort(struct shifting *s)
{
    const struct crl_core *c = s->core;
    memset(s->first, 0, sizeof *s->first * (s->width + 1));
    for (uint32_t p = 0; p < c->packets; p++)
        for (size_t i = c->first[p]; i < c->first[p] + c->hops[p]; i++) s->first[c->hop[i].slot + 1]++;
    for (uint32_t slot = 0; slot < s->width; slot++) s->first[slot + 1] += s->first[slot];
    for (uint32_t p = 0; p < c->packets; p++)
        for (size_t i = c->first[p]; i < c->first[p] + c->hops[p]; i++) s->order[s->first[c->hop[i].slot]++] = i;
    for (size_t i = 0; i < (size_t)c->rows * s->width; i++) {
        s->used[i] = 0;
        s->next[i] = (uint32_t)(i % s->width);
    }
}

// The nearest slot of a row with room, from one on.
static uint32_t room_at(const struct shifting *s, uint32_t row, uint32_t slot)
{
    uint32_t *next = &s->next[(size_t)row * s->width];
    while (next[slot] != slot) slot = next[slot] = next[next[slot]];
    return slot;
}

// Puts a hop into the nearest slot with room in both rows, by steps of one or, backward, of one less.
static void put(const struct shifting *s, struct crl_core_hop *hop, uint32_t slot, uint32_t step)
{
    const struct crl_core_arc *a = &s->core->arc[hop->arc];
    uint32_t before;
    do {
        before = slot;
        for (int k = 0; k < 2 && a->row[k] != CRL_NONE; k++)
            slot = room_at(s, a->row[k], slot + a->shift[k]) - a->shift[k];
    } while (slot != before);
    hop->slot = slot;
    for (int k = 0; k < 2 && a->row[k] != CRL_NONE; k++) {
        size_t cell = (size_t)a->row[k] * s->width + slot + a->shift[k];
        if (++s->used[cell] == s->core->capacity[a->row[k]]) s->next[cell] += step;
    }
}

static uint32_t shift_early(struct shifting *s)
{
    const struct crl_core *c = s->core;
    uint32_t last = 0;
    sort(s);
    for (size_t k = 0; k < s->hops; k++) {
        struct crl_core_hop *hop = &c->hop[s->order[k]];
        size_t before = s->before[s->order[k]];
        uint32_t ready = c->demand[c->of_packet[hop->packet]].release;
        if (before != SIZE_MAX) ready = c->hop[before].slot + c->arc[c->hop[before].arc].latency;
        put(s, hop, ready, 1);
        uint32_t end = hop->slot + c->arc[hop->arc].latency;
        if (end > last) last = end;
    }
    return last;
}

static void shift_late(struct shifting *s)
{
    const struct crl_core *c = s->core;
    sort(s);
    for (size_t k = 0; k < s->hops; k++) s->limit[s->order[k]] = s->slots;
    for (size_t k = s->hops; k-- > 0;) {
        struct crl_core_hop *hop = &c->hop[s->order[k]];
        size_t before = s->before[s->order[k]];
        put(s, hop, s->limit[s->order[k]] - c->arc[hop->arc].latency, UINT32_MAX);
        if (before != SIZE_MAX && hop->slot < s->limit[before]) s->limit[before] = hop->slot;
    }
}

// Whether no hop of an earlier slot needs cells of a later one: else what is shifted first may take the last place of
// what comes after.
static bool is_in_order(const struct crl_core *c)
{
    for (uint32_t i = 0; i < c->arcs; i++)
        if (c->arc[i].row[1] != CRL_NONE && c->arc[i].shift[1] != c->arc[0].shift[1]) return false;
    return true;
}

int64_t crl_core_shift(struct crl_core *c, uint32_t slots, uint32_t bound)
{
    if (!is_in_order(c)) return slots;
    struct shifting s = {.core = c, .slots = slots, .width = slots + c->latency_max + 1};
    size_t room = c->first[c->packets] + 1, cells = (size_t)c->rows * s.width + 1;
    for (uint32_t p = 0; p < c->packets; p++) s.hops += c->hops[p];
    s.order = malloc(sizeof *s.order * (s.hops + 1));
    s.before = malloc(sizeof *s.before * room);
    s.limit = malloc(sizeof *s.limit * room);
    s.used = malloc(sizeof *s.used * cells);
    s.next = malloc(sizeof *s.next * cells);
    s.first = malloc(sizeof *s.first * (s.width + UINT64_C(2)));
    uint64_t end = c->steps - c->steps / SHARE;
    int error = s.order && s.before && s.limit && s.used && s.next && s.first ? 0 : CRL_ERR_MEMORY;
    if (!error) find_before(&s);
    for (int idle = 0; idle < IDLE && !error && s.slots > bound && c->steps > end; idle++) {
        shift_late(&s);
        uint32_t last = shift_early(&s);
        if (last < s.slots) idle = -1;
        s.slots = last;
        crl_core_spend(c, STEPS * s.hops);
    }
    void *const all[] = {s.order, s.before, s.limit, s.used, s.next, s.first};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return error ? error : (int64_t)s.slots;
}
