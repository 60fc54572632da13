// SPDX-License-Identifier: Apache-2.0
// Fewer slots with the same ways: all moves are shifted as late as they can, the last first, then in the order that
// this makes as early as they can, and so on. (Forward-backward improvement, as of projects with scarce resources.)
#include "algorithm/steps.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { PASSES = 24 };

struct item {
    struct crl_move move;
    uint32_t before;      // the item that brings its packet, CRL_NONE: none does
    uint32_t limit;       // the first slot, or the last, in which it may be sent
    uint32_t out, in;     // rows
    uint32_t room, delay; // of its link: width, and slots after which it has arrived, less one
};

struct shifting {
    const struct crl_problem *problem;
    struct item *item;
    uint32_t count, rows, slots; // slots: of the table, twice as many as the schedule has
    uint16_t *used;              // [slots + 1][rows]
    uint32_t *order;
};

static uint64_t key_slot(const void *items, uint32_t i) { return ((const struct item *)items)[i].move.slot; }

static bool is_free(const struct shifting *s, const struct item *i, uint32_t slot)
{
    const uint16_t *used = s->used;
    return used[(size_t)slot * s->rows + i->out] < i->room &&
           (i->in == CRL_NONE || !used[(size_t)(slot + i->delay) * s->rows + i->in]);
}

static void put(const struct shifting *s, struct item *i, uint32_t slot)
{
    s->used[(size_t)slot * s->rows + i->out]++;
    if (i->in != CRL_NONE) s->used[(size_t)(slot + i->delay) * s->rows + i->in]++;
    i->move.slot = slot;
}

static uint32_t release_of(const struct shifting *s, const struct item *i)
{
    return s->problem->demands->demand[i->move.origin].release;
}

// Those that were sent first go first; returns the last slot in which one arrives, CRL_NONE where the table ends
// before.
static uint32_t shift_early(struct shifting *s)
{
    uint32_t last = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        struct item *i = &s->item[s->order[k]];
        const struct item *before = i->before == CRL_NONE ? NULL : &s->item[i->before];
        uint32_t slot = before ? before->move.slot + before->delay + 1 : release_of(s, i);
        while (slot + i->delay <= s->slots && !is_free(s, i, slot)) slot++;
        if (slot + i->delay > s->slots) return CRL_NONE;
        put(s, i, slot);
        if (slot + i->delay > last) last = slot + i->delay;
    }
    return last;
}

// False where the table begins too late.
static bool shift_late(struct shifting *s)
{
    for (uint32_t k = 0; k < s->count; k++) s->item[k].limit = s->slots - s->item[k].delay;
    for (uint32_t k = s->count; k-- > 0;) {
        struct item *i = &s->item[s->order[k]];
        uint32_t slot = i->limit;
        while (slot && !is_free(s, i, slot)) slot--;
        if (!slot) return false;
        put(s, i, slot);
        if (i->before == CRL_NONE) continue;
        struct item *before = &s->item[i->before];
        if (slot < before->delay + 2) return false;
        if (slot - 1 - before->delay < before->limit) before->limit = slot - 1 - before->delay;
    }
    return true;
}

static int sort(struct shifting *s)
{
    memset(s->used, 0, sizeof *s->used * (s->slots + UINT64_C(1)) * s->rows);
    for (uint32_t i = 0; i < s->count; i++) s->order[i] = i;
    return crl_sort_order(s->order, s->count, key_slot, s->item, UINT32_MAX);
}

static void begin(struct shifting *s, const struct crl_schedule *schedule, uint32_t *brings)
{
    const struct crl_topology *t = s->problem->topology;
    uint32_t nodes = crl_topology_nodes(t), ports = crl_topology_ports(t);
    bool single = s->problem->ports == CRL_PORTS_SINGLE;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &schedule->moves[i];
        uint64_t packet = (s->problem->demands->first[m->origin] + m->dest) * nodes;
        uint32_t link = m->src * ports + crl_topology_port_to(t, m->src, m->dst);
        s->item[i] = (struct item){.move = *m,
                                   .before = brings[packet + m->src],
                                   .out = single ? m->src : link,
                                   .in = single ? nodes + m->dst : CRL_NONE,
                                   .room = single ? 1 : crl_topology_width(t, m->src, m->dst),
                                   .delay = crl_arrival_slot(t, m->slot, m->src, m->dst) - m->slot};
        brings[packet + m->dst] = i;
    }
}

static int shift(struct shifting *s, struct crl_schedule *schedule, uint32_t bound)
{
    uint32_t best = s->slots / 2;
    int error = 0;
    for (int pass = 0; pass < PASSES && best > bound && !error; pass++) {
        error = sort(s);
        if (!error && !shift_late(s)) return 0;
        if (!error) error = sort(s);
        uint32_t last = error ? best : shift_early(s);
        for (uint32_t i = 0; i < s->count && last < best; i++) schedule->moves[i] = s->item[i].move;
        if (last < best) best = last;
    }
    return error;
}

int crl_steps_justify(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t bound)
{
    uint32_t nodes = crl_topology_nodes(problem->topology);
    uint64_t cells = crl_demands_packets(problem->demands) * nodes;
    struct shifting s = {.problem = problem, .count = (uint32_t)schedule->count};
    if (crl_schedule_sort(schedule)) return CRL_ERR_MEMORY;
    s.slots = 2 * crl_schedule_slots(schedule);
    s.rows = problem->ports == CRL_PORTS_SINGLE ? 2 * nodes : nodes * crl_topology_ports(problem->topology);
    s.item = malloc(sizeof *s.item * (s.count + UINT64_C(1)));
    s.order = malloc(sizeof *s.order * (s.count + UINT64_C(1)));
    s.used = malloc(sizeof *s.used * (s.slots + UINT64_C(1)) * s.rows);
    uint32_t *brings = malloc(sizeof *brings * (cells + 1));
    int error = s.item && s.order && s.used && brings ? 0 : CRL_ERR_MEMORY;
    for (uint64_t i = 0; i < cells && !error; i++) brings[i] = CRL_NONE;
    if (!error) begin(&s, schedule, brings);
    if (!error) error = shift(&s, schedule, bound);
    if (!error && crl_schedule_sort(schedule)) error = CRL_ERR_MEMORY;
    free(s.item);
    free(s.order);
    free(s.used);
    free(brings);
    return error;
}
