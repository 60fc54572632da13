// SPDX-License-Identifier: Apache-2.0
// Plans: the hops of all packets, kept in little room, and as moves of a schedule.
#include "algorithm/core.h"
#include "base/base.h"
#include "topology/topology.h"
#include <string.h>

int crl_core_plan_new(struct crl_core_plan *p, const struct crl_core *c)
{
    p->slots = CRL_NONE;
    CRL_ZEROED(&p->pool, p->hops, c->packets + UINT64_C(1));
    CRL_ZEROED(&p->pool, p->done, c->demands + UINT64_C(1));
    return crl_pool_error(&p->pool);
}

int crl_core_keep(struct crl_core_plan *p, const struct crl_core *c, uint32_t slots)
{
    size_t count = 0, next = 0;
    for (uint32_t i = 0; i < c->packets; i++) count += c->hops[i];
    if (count > p->room) {
        struct crl_core_step *more = crl_pool_resize(&p->pool, p->step, count, sizeof *more);
        if (!more) return CRL_ERR_MEMORY;
        p->step = more;
        p->room = count;
    }
    for (uint32_t i = 0; i < c->packets; i++)
        for (uint32_t k = 0; k < c->hops[i]; k++) {
            const struct crl_core_hop *hop = &c->hop[c->first[i] + k];
            p->step[next++] = (struct crl_core_step){hop->arc, hop->slot};
        }
    p->slots = slots;
    memcpy(p->hops, c->hops, sizeof *p->hops * c->packets);
    for (uint32_t i = 0; i < c->demands; i++) p->done[i] = c->demand[i].done;
    return 0;
}

void crl_core_take(const struct crl_core_plan *p, struct crl_core *c)
{
    const struct crl_core_step *step = p->step;
    memcpy(c->hops, p->hops, sizeof *p->hops * c->packets);
    for (uint32_t i = 0; i < c->packets; i++)
        for (uint32_t k = 0; k < c->hops[i]; k++, step++)
            c->hop[c->first[i] + k] = (struct crl_core_hop){.arc = step->arc, .slot = step->slot, .packet = i};
    for (uint32_t i = 0; i < c->demands; i++) c->demand[i].done = p->done[i];
}

uint32_t crl_core_note_done(struct crl_core *c)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < c->demands; i++) c->demand[i].done = 0;
    for (uint32_t p = 0; p < c->packets; p++) {
        struct crl_core_demand *d = &c->demand[c->of_packet[p]];
        for (size_t i = c->first[p]; i < c->first[p] + c->hops[p]; i++) {
            uint32_t time = c->hop[i].slot + c->arc[c->hop[i].arc].latency;
            if (time > d->done) d->done = time;
        }
        if (d->done > slots) slots = d->done;
    }
    return slots;
}

// ---------------------------------------------------------------- moves

static uint64_t leaves_in(const void *core, uint32_t packet)
{
    const struct crl_core *c = core;
    return c->hops[packet] ? c->hop[c->first[packet]].slot : 0;
}

// Which packet's hops each takes: those of a demand are named in the order in which they leave, but where another
// plan's names are to be kept.
static int name_packets(struct crl_core *c)
{
    int error = 0;
    for (uint32_t p = 0; p < c->packets; p++) c->order[p] = p;
    for (uint32_t i = 0; i < c->demands && !c->problem->keep && !error; i++)
        if (c->demand[i].count > 1)
            error = crl_sort_order(&c->order[c->demand[i].first], c->demand[i].count, leaves_in, c, UINT32_MAX);
    return error;
}

int crl_core_write(struct crl_core *c, struct crl_schedule *schedule, uint32_t first)
{
    int error = name_packets(c);
    for (uint32_t packet = 0; packet < c->packets && !error; packet++) {
        uint32_t origin, dest, from = c->order[packet];
        crl_problem_packet(c->problem, packet, &origin, &dest);
        for (uint32_t i = 0; i < c->hops[from]; i++) {
            const struct crl_core_hop *hop = &c->hop[c->first[from] + i];
            const struct crl_core_arc *arc = &c->arc[hop->arc];
            if (!crl_core_is_link(c, arc)) continue;
            struct crl_move move = {hop->slot - first + 1, arc->from, arc->to, origin, dest};
            crl_schedule_add(schedule, c->folded ? crl_move_at_0(schedule, move) : move);
        }
    }
    return error;
}

static uint32_t arc_between(const struct crl_core *c, uint32_t from, uint32_t to)
{
    if (from >= c->places) return CRL_NONE;
    for (uint32_t k = c->out[from]; k < c->out[from + 1]; k++)
        if (c->arc[k].to == to) return k;
    return CRL_NONE;
}

bool crl_core_is_there(const struct crl_core *c, uint32_t packet, uint32_t node, uint32_t time)
{
    const struct crl_core_demand *d = &c->demand[c->of_packet[packet]];
    bool there = node == d->from && time >= d->release;
    for (size_t i = c->first[packet]; i < c->first[packet] + c->hops[packet] && !there; i++)
        there = c->arc[c->hop[i].arc].to == node && c->hop[i].slot + c->arc[c->hop[i].arc].latency <= time;
    return there;
}

static bool is_everywhere(const struct crl_core *c, uint32_t packet)
{
    const struct crl_core_demand *d = &c->demand[c->of_packet[packet]];
    bool everywhere = crl_core_is_there(c, packet, d->to, CRL_NONE);
    for (uint32_t i = 0; i < d->dst_count && everywhere; i++)
        everywhere = crl_core_is_there(c, packet, d->dst[i], CRL_NONE);
    return everywhere;
}

// Appends a hop if the packet is at its beginning by then; what does not fit is left out.
static void read_move(struct crl_core *c, const struct crl_move *m)
{
    uint64_t packet = crl_problem_index(c->problem, m->origin, m->dest);
    uint32_t arc = arc_between(c, m->src, m->dst);
    if (packet >= c->packets || arc == CRL_NONE || !m->slot) return;
    size_t next = c->first[packet] + c->hops[packet];
    if (next == c->first[packet + 1] || !crl_core_is_there(c, (uint32_t)packet, m->src, m->slot - 1)) return;
    c->hop[next] = (struct crl_core_hop){.arc = arc, .slot = m->slot - 1, .packet = (uint32_t)packet};
    c->hops[packet]++;
}

void crl_core_read(struct crl_core *c, const struct crl_schedule *schedule)
{
    memset(c->hops, 0, sizeof *c->hops * c->packets);
    for (size_t i = 0; i < schedule->count; i++) read_move(c, &schedule->moves[i]);
    for (uint32_t p = 0; p < c->packets; p++)
        if (!is_everywhere(c, p)) c->hops[p] = 0;
}
