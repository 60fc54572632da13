// SPDX-License-Identifier: Apache-2.0
// What happens in a node: which packets come, when they leave, what stays.
#include "base/base.h"
#include "lower/lower.h"
#include <stdlib.h>

struct event {
    uint32_t origin, dest, slot, port;
    bool leaves;
};

// Moves of a schedule by the node they leave and by the node they reach, as two lists of indices cut at start[node].
struct crl_moves_by_node {
    const struct crl_schedule *schedule;
    uint32_t *out, *out_start, *in, *in_start;
};

uint32_t crl_link_cycle(const struct crl_geometry *g, uint32_t port_model, uint32_t slot, uint32_t port)
{
    if (port_model == CRL_PORTS_SINGLE) return slot;
    return (slot - 1) * crl_slot_cycles(g, port_model) + port / g->lanes + 1;
}

uint32_t crl_link_slot(const struct crl_geometry *g, uint32_t port_model, uint32_t cycle)
{
    return (cycle - 1) / crl_slot_cycles(g, port_model) + 1;
}

static void group(const struct crl_schedule *schedule, bool by_dst, uint32_t nodes, uint32_t *list, uint32_t *start)
{
    for (size_t i = 0; i < schedule->count; i++)
        start[(by_dst ? schedule->moves[i].dst : schedule->moves[i].src) + 1]++;
    for (uint32_t v = 0; v < nodes; v++) start[v + 1] += start[v];
    for (size_t i = schedule->count; i-- > 0;) {
        // Fill each group from its end, so that start[v + 1] ends as the start of v's group.
        uint32_t v = by_dst ? schedule->moves[i].dst : schedule->moves[i].src;
        list[--start[v + 1]] = (uint32_t)i;
    }
}

int crl_moves_by_node_new(struct crl_moves_by_node **out, const struct crl_schedule *schedule)
{
    struct crl_moves_by_node *t = *out = calloc(1, sizeof *t);
    if (!t) return CRL_ERR_MEMORY;
    t->schedule = schedule;
    if (schedule->folded) return 0;
    uint32_t nodes = crl_topology_nodes(schedule->topology);
    t->out = malloc(sizeof(uint32_t) * (schedule->count + 1));
    t->in = malloc(sizeof(uint32_t) * (schedule->count + 1));
    t->out_start = calloc(nodes + UINT64_C(2), sizeof(uint32_t));
    t->in_start = calloc(nodes + UINT64_C(2), sizeof(uint32_t));
    if (!t->out || !t->in || !t->out_start || !t->in_start) {
        crl_moves_by_node_free(t);
        *out = NULL;
        return CRL_ERR_MEMORY;
    }
    group(schedule, false, nodes, t->out, t->out_start);
    group(schedule, true, nodes, t->in, t->in_start);
    t->out_start[nodes + 1] = t->in_start[nodes + 1] = (uint32_t)schedule->count;
    return 0;
}

void crl_moves_by_node_free(struct crl_moves_by_node *moves)
{
    if (!moves) return;
    CRL_FREE(moves->out, moves->in, moves->out_start, moves->in_start, moves);
}

void crl_node_plan_done(struct crl_node_plan *plan)
{
    CRL_FREE(plan->visits, plan->departures, plan->strays, plan->zero);
    *plan = (struct crl_node_plan){0};
}

// ---- the events of a node, by packet

struct events {
    struct event *event; // owned
    uint32_t count, leaving;
};

// Arrivals are events of the slot in which the packet comes out of the link.
static struct event event_of(const struct crl_schedule *schedule, const struct crl_move *m, bool leaves)
{
    uint32_t slot = leaves ? m->slot : crl_arrival_slot(schedule->topology, m->slot, m->src, m->dst);
    struct event e = {m->origin, m->dest, slot, crl_move_port(schedule, m), leaves};
    return e;
}

// A move of a list. They lie far apart, and are fetched some time before they are looked at: this node's or the next's.
static const struct crl_move *move_of(const struct crl_schedule *s, const uint32_t *list, size_t at)
{
    enum { AHEAD = 16 };
    if (s->folded) return &s->moves[at];
    if (at + AHEAD < s->count) __builtin_prefetch(&s->moves[list[at + AHEAD]]);
    return &s->moves[list[at]];
}

static int events_of(struct events *events, const struct crl_moves_by_node *moves, uint32_t node)
{
    const struct crl_schedule *s = moves->schedule;
    const struct crl_topology *t = s->topology;
    size_t outs = s->folded ? s->count : moves->out_start[node + 2] - moves->out_start[node + 1];
    size_t ins = s->folded ? s->count : moves->in_start[node + 2] - moves->in_start[node + 1];
    if (outs + ins > UINT32_MAX / 2) return CRL_ERR_LIMIT;
    struct event *event = events->event = malloc(sizeof *event * (outs + ins + 1));
    if (!event) return CRL_ERR_MEMORY;
    events->leaving = (uint32_t)outs;
    events->count = 0;
    size_t out = s->folded ? 0 : moves->out_start[node + 1], in = s->folded ? 0 : moves->in_start[node + 1];
    for (size_t i = 0; i < outs; i++) event[events->count++] = event_of(s, move_of(s, moves->out, out + i), true);
    for (size_t i = 0; i < ins; i++) {
        const struct crl_move *m = move_of(s, moves->in, in + i);
        struct event e = event_of(s, m, false);
        if (s->folded) { // what node 0 sends on a port, the node behind that port sends to node 0, translated
            uint32_t by = crl_topology_behind(t, 0, e.port);
            e.origin = crl_topology_shift(t, e.origin, by);
            if (s->naming == CRL_NAMING_PAIR) e.dest = crl_topology_shift(t, e.dest, by);
        }
        event[events->count++] = e;
    }
    return 0;
}

struct keys {
    const struct event *event;
    uint32_t dest_bits;
};

static uint64_t packet_key(const void *user, uint32_t index)
{
    const struct keys *keys = user;
    return (uint64_t)keys->event[index].origin << keys->dest_bits | keys->event[index].dest;
}

// Arrivals of a packet come before its departures, each in order of slot and port.
static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return CRL_COMPARE({x->leaves, y->leaves}, {x->slot, y->slot}, {x->port, y->port});
}

static bool same_packet(const struct event *a, const struct event *b)
{
    return a->origin == b->origin && a->dest == b->dest;
}

// Sorts the events by packet. By counting, as a root has as many packets as there are nodes.
static int sort_events(struct events *events)
{
    uint32_t dest = 0, origin = 0, *order = malloc(sizeof *order * (events->count + UINT64_C(1)));
    struct event *sorted = malloc(sizeof *sorted * (events->count + UINT64_C(1)));
    int error = order && sorted ? 0 : CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < events->count && !error; i++) {
        order[i] = i;
        if (events->event[i].dest > dest) dest = events->event[i].dest;
        if (events->event[i].origin > origin) origin = events->event[i].origin;
    }
    struct keys keys = {events->event, crl_bits_for(dest + UINT64_C(1))};
    if (!error)
        error = crl_sort_order(order, events->count, packet_key, &keys, (uint64_t)origin << keys.dest_bits | dest);
    for (uint32_t i = 0; i < events->count && !error; i++) sorted[i] = events->event[order[i]];
    for (uint32_t at = 0, end; at < events->count && !error; at = end) {
        for (end = at + 1; end < events->count && same_packet(&sorted[end], &sorted[at]); end++) {
        }
        if (end - at > 1) qsort(sorted + at, end - at, sizeof *sorted, by_time);
    }
    free(order);
    if (error) free(sorted);
    else {
        free(events->event);
        events->event = sorted;
    }
    return error;
}

// ---- visits

static int by_cycle(const void *a, const void *b)
{
    const struct crl_departure *x = a, *y = b;
    return CRL_COMPARE({x->cycle, y->cycle}, {x->port, y->port});
}

static void add_stray(struct crl_node_plan *plan, uint32_t cycle, uint32_t port)
{
    plan->strays[plan->strays_count++] = (struct crl_stray){cycle, port};
}

// Adds the visit that events[0…count) make up: all of one packet, arrivals first.
static void add_visit(struct crl_node_plan *plan, const struct event *events, uint32_t count,
                      const struct crl_problem *problem, const struct crl_geometry *g)
{
    struct crl_visit visit = {.origin = events->origin, .dest = events->dest, .first = plan->departures_count};
    bool arrived = false, own = crl_problem_source(problem, visit.origin) == plan->node;
    visit.keep = crl_problem_wants(problem, visit.origin, visit.dest, plan->node);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cycle = crl_link_cycle(g, problem->ports, events[i].slot, events[i].port);
        if (events[i].leaves) {
            plan->departures[plan->departures_count++] =
                (struct crl_departure){.cycle = cycle, .port = (uint8_t)events[i].port};
            visit.count++;
        } else if (arrived || own) {
            add_stray(plan, cycle, events[i].port);
        } else {
            arrived = true;
            visit.arrival = cycle;
            visit.in_port = (uint8_t)events[i].port;
        }
    }
    if (visit.count > 1) qsort(plan->departures + visit.first, visit.count, sizeof *plan->departures, by_cycle);
    if (visit.count || visit.keep) plan->visits[plan->visits_count++] = visit;
    else if (arrived) add_stray(plan, visit.arrival, visit.in_port);
}

// Own packets that never leave but must be there at the end have no events.
static void add_silent_own(struct crl_node_plan *plan, const struct crl_problem *problem)
{
    if (crl_problem_naming(problem) != CRL_NAMING_ORIGIN || crl_problem_index(problem, plan->node, 0) == UINT64_MAX)
        return;
    for (uint32_t i = 0; i < plan->visits_count; i++)
        if (plan->visits[i].origin == plan->node) return;
    plan->visits[plan->visits_count++] = (struct crl_visit){.origin = plan->node, .keep = true};
}

int crl_node_plan_collect(struct crl_node_plan *plan, const struct crl_moves_by_node *moves,
                          const struct crl_problem *problem, const struct crl_geometry *geometry, uint32_t node)
{
    struct events events = {0};
    plan->node = node;
    int error = events_of(&events, moves, node);
    if (!error) error = sort_events(&events);
    uint32_t packets = 1; // one more for an own packet without events
    for (uint32_t i = 0; i < events.count && !error; i++)
        packets += !i || !same_packet(&events.event[i], &events.event[i - 1]);
    if (!error) {
        plan->visits = malloc(sizeof *plan->visits * packets);
        plan->departures = malloc(sizeof *plan->departures * (events.leaving + UINT64_C(1)));
        plan->strays = malloc(sizeof *plan->strays * (events.count - events.leaving + UINT64_C(1)));
        if (!plan->visits || !plan->departures || !plan->strays) error = CRL_ERR_MEMORY;
    }
    for (uint32_t at = 0, end; at < events.count && !error; at = end) {
        for (end = at + 1; end < events.count && same_packet(&events.event[end], &events.event[at]); end++) {
        }
        add_visit(plan, events.event + at, end - at, problem, geometry);
    }
    free(events.event);
    if (error) return error;
    add_silent_own(plan, problem);
    if (!plan->strays_count) {
        free(plan->strays);
        plan->strays = NULL;
    }
    return 0;
}
