// SPDX-License-Identifier: Apache-2.0
// Trees that overlap by a SAT solver, all-port, on small networks with links of latency 1: in which slot which arc
// brings each item, and where and when each chunk meets, at a node or at the ends of a link.
#include "algorithm/overlap.h"
#include "base/base.h"
#include "base/sat.h"
#include "topology/topology.h"

enum { NODES_MAX = 16, CELLS_MAX = 4000, CONFLICTS = 200000 };

// Variables, slots and times in their world.
struct solver {
    struct crl_pool pool; // of an attempt
    struct crl_overlap *o;
    struct crl_sat *sat;
    int *sent;  // [2][chunks][arcs][slots + 1] an item is sent over an arc in a slot
    int *has;   // [items][slots + 1] it has arrived by then
    int *meets; // [chunks][simple places][slots + 1] a chunk meets there after a slot; 0: it cannot
    int *list;  // scratch
};

static int *sent(const struct solver *s, int world, uint32_t chunk, uint32_t arc, uint32_t slot)
{
    const struct crl_overlap *o = s->o;
    return &s->sent[(((size_t)world * o->chunks + chunk) * o->arcs + arc) * (o->slots + 1) + slot];
}

static int *has(const struct solver *s, uint32_t item, uint32_t time)
{
    return &s->has[(size_t)item * (s->o->slots + 1) + time];
}

static int *meets(const struct solver *s, uint32_t chunk, size_t place, uint32_t slot)
{
    return &s->meets[(chunk * s->o->simple + place) * (s->o->slots + 1) + slot];
}

// ---------------------------------------------------------------- the formula

// A chunk meets once.
static void constrain_meeting(struct solver *s, uint32_t chunk)
{
    const struct crl_overlap *o = s->o;
    size_t count = 0;
    for (size_t p = 0; p < o->simple; p++)
        for (uint32_t slot = o->place[p].in; slot + o->place[p].span + o->place[p].out <= o->slots; slot++)
            s->list[count++] = *meets(s, chunk, p, slot) = crl_sat_variable(s->sat);
    crl_sat_exactly_one(s->sat, s->list, count);
}

// What brings an item, so that it is there at a time.
static size_t list_ways(struct solver *s, int world, uint32_t node, uint32_t chunk, uint32_t time)
{
    const struct crl_overlap *o = s->o;
    const struct crl_overlap_world *w = &o->world[world];
    size_t count = 0;
    for (uint32_t i = w->first[node]; time && i < w->first[node + 1]; i++) {
        uint32_t from = crl_overlap_item(o, world, crl_overlap_from(o, world, w->arc[i]), chunk);
        int way = *sent(s, world, chunk, w->arc[i], time) = crl_sat_variable(s->sat);
        crl_sat_clause2(s->sat, -way, *has(s, from, time - 1));
        s->list[count++] = way;
    }
    for (size_t p = 0; p < o->simple; p++) {
        uint32_t slot = world ? o->slots - time : time - o->place[p].span;
        if (slot <= o->slots && crl_overlap_is_in(&o->place[p], node) && *meets(s, chunk, p, slot))
            s->list[count++] = *meets(s, chunk, p, slot);
    }
    return count;
}

// It comes once, and comes at last.
static void constrain_item(struct solver *s, int world, uint32_t node, uint32_t chunk)
{
    int before = 0;
    for (uint32_t time = 0; time <= s->o->slots; time++) {
        int now = *has(s, crl_overlap_item(s->o, world, node, chunk), time);
        size_t count = list_ways(s, world, node, chunk, time);
        crl_sat_at_most_one(s->sat, s->list, count);
        for (size_t i = 0; i < count; i++) {
            crl_sat_clause2(s->sat, -s->list[i], now);
            if (before) crl_sat_clause2(s->sat, -s->list[i], -before);
        }
        if (before) crl_sat_clause2(s->sat, -before, now);
        if (before) s->list[count++] = before;
        s->list[count++] = -now;
        crl_sat_clause(s->sat, s->list, count);
        before = now;
    }
    crl_sat_clause(s->sat, &before, 1);
}

// Of the arcs of an orbit one is used in a slot of world 0, by who is sent over it or swaps.
static void constrain_cell(struct solver *s, uint32_t orbit, uint32_t slot)
{
    const struct crl_overlap *o = s->o;
    size_t count = 0;
    for (uint32_t a = 0; a < o->arcs; a++)
        for (uint32_t chunk = 0; chunk < o->chunks && o->arc[a].orbit == orbit; chunk++) {
            s->list[count++] = *sent(s, 0, chunk, a, slot);
            s->list[count++] = *sent(s, 1, chunk, a, o->slots + 1 - slot);
            for (size_t p = 0; p < o->simple; p++)
                if (crl_overlap_is_in(&o->place[p], o->arc[a].from) && crl_overlap_is_in(&o->place[p], o->arc[a].to) &&
                    *meets(s, chunk, p, slot - 1))
                    s->list[count++] = *meets(s, chunk, p, slot - 1);
        }
    crl_sat_at_most_one(s->sat, s->list, count);
}

static void constrain(struct solver *s)
{
    const struct crl_overlap *o = s->o;
    for (size_t i = 0; i < 2 * (size_t)o->nodes * o->chunks * (o->slots + 1); i++) s->has[i] = crl_sat_variable(s->sat);
    for (uint32_t chunk = 0; chunk < o->chunks; chunk++) {
        constrain_meeting(s, chunk);
        for (uint32_t i = 0; i < 2 * o->nodes; i++) constrain_item(s, i >= o->nodes, i % o->nodes, chunk);
    }
    for (uint32_t orbit = 0; orbit < o->orbits; orbit++)
        for (uint32_t slot = 1; slot <= o->slots; slot++) constrain_cell(s, orbit, slot);
}

// ---------------------------------------------------------------- the search

// What the solver found becomes the state.
static void take(const struct solver *s)
{
    struct crl_overlap *o = s->o;
    for (uint32_t i = 0; i < 2 * o->nodes * o->chunks; i++) o->by[i] = CRL_NONE;
    for (uint32_t chunk = 0; chunk < o->chunks; chunk++)
        for (uint32_t slot = 0; slot <= o->slots; slot++) {
            for (uint32_t p = 0; p < o->simple; p++)
                if (*meets(s, chunk, p, slot) && crl_sat_value(s->sat, *meets(s, chunk, p, slot))) {
                    o->at[chunk] = p;
                    o->meets[chunk] = slot;
                }
            for (uint32_t i = 0; slot && i < 2 * o->arcs; i++) {
                uint32_t a = i % o->arcs, to = crl_overlap_from(o, i < o->arcs, a);
                if (!crl_sat_value(s->sat, *sent(s, i >= o->arcs, chunk, a, slot))) continue;
                o->by[crl_overlap_item(o, i >= o->arcs, to, chunk)] = a;
                o->leaves[crl_overlap_item(o, i >= o->arcs, to, chunk)] = slot;
            }
        }
}

// Looks for trees in o->slots. 0, CRL_ERR_UNSUPPORTED where there are none or it gave up, or CRL_ERR_MEMORY.
static int attempt(struct crl_overlap *o, int *patience)
{
    struct solver s = {.o = o, .sat = crl_sat_new(o->problem->context)};
    size_t slots = o->slots + 1, cells = o->chunks * slots;
    CRL_ZEROED(&s.pool, s.sent, 2 * o->arcs * cells);
    CRL_ZEROED(&s.pool, s.has, 2 * o->nodes * cells);
    CRL_ZEROED(&s.pool, s.meets, o->simple * cells);
    CRL_ZEROED(&s.pool, s.list, (2 + o->simple) * (o->arcs * o->chunks + slots));
    int error = s.sat && !s.pool.failed ? 0 : CRL_ERR_MEMORY;
    if (!error) constrain(&s);
    enum crl_sat_answer answer = error ? CRL_SAT_NO : crl_sat_solve(s.sat, CONFLICTS);
    if (answer == CRL_SAT_GAVE_UP) *patience -= CONFLICTS;
    if (!error && answer != CRL_SAT_YES) error = CRL_ERR_UNSUPPORTED;
    if (!error) take(&s);
    crl_sat_free(s.sat);
    crl_pool_done(&s.pool);
    return error;
}

int crl_overlap_solve(struct crl_schedule *schedule, struct crl_overlap *o, int *patience, uint32_t end)
{
    const struct crl_topology *t = o->problem->topology;
    int error = CRL_ERR_UNSUPPORTED;
    bool small = o->nodes <= NODES_MAX && !o->single && crl_topology_latency_max(t) == 1;
    for (uint32_t a = 0; a < o->arcs; a++) small &= crl_topology_width(t, o->arc[a].from, o->arc[a].to) == 1;
    o->slots = (uint32_t)crl_problem_bound_slots(o->problem);
    for (; small && o->slots < end && error == CRL_ERR_UNSUPPORTED && *patience > 0; o->slots++) {
        if ((uint64_t)o->chunks * o->arcs * o->slots > CELLS_MAX) break;
        error = attempt(o, patience);
        if (!error) crl_overlap_write(schedule, o);
    }
    return error;
}
