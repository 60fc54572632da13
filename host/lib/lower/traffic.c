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
struct crl_traffic {
    const struct crl_schedule *schedule;
    uint32_t *out, *out_start, *in, *in_start;
};

uint32_t crl_link_cycle(const struct crl_geometry *g, uint32_t port_model, uint32_t slot, uint32_t port)
{
    if (port_model == CRL_PORTS_SINGLE) return slot;
    return (slot - 1) * (uint32_t)crl_ceil_div(g->ports, g->lanes) + port / g->lanes + 1;
}

uint32_t crl_link_slot(const struct crl_geometry *g, uint32_t port_model, uint32_t cycle)
{
    if (port_model == CRL_PORTS_SINGLE) return cycle;
    return (cycle - 1) / (uint32_t)crl_ceil_div(g->ports, g->lanes) + 1;
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

int crl_traffic_new(struct crl_traffic **out, const struct crl_schedule *schedule)
{
    struct crl_traffic *t = *out = calloc(1, sizeof *t);
    if (!t) return CRL_ERR_MEMORY;
    t->schedule = schedule;
    if (schedule->folded) return 0;
    uint32_t nodes = crl_topology_nodes(schedule->topology);
    t->out = malloc(sizeof(uint32_t) * (schedule->count + 1));
    t->in = malloc(sizeof(uint32_t) * (schedule->count + 1));
    t->out_start = calloc(nodes + UINT64_C(2), sizeof(uint32_t));
    t->in_start = calloc(nodes + UINT64_C(2), sizeof(uint32_t));
    if (!t->out || !t->in || !t->out_start || !t->in_start) {
        crl_traffic_free(t);
        *out = NULL;
        return CRL_ERR_MEMORY;
    }
    group(schedule, false, nodes, t->out, t->out_start);
    group(schedule, true, nodes, t->in, t->in_start);
    t->out_start[nodes + 1] = t->in_start[nodes + 1] = (uint32_t)schedule->count;
    return 0;
}

void crl_traffic_free(struct crl_traffic *traffic)
{
    if (!traffic) return;
    free(traffic->out);
    free(traffic->in);
    free(traffic->out_start);
    free(traffic->in_start);
    free(traffic);
}

void crl_node_plan_done(struct crl_node_plan *plan)
{
    free(plan->visits);
    free(plan->departures);
    free(plan->strays);
    *plan = (struct crl_node_plan){0};
}

static struct event event_of(const struct crl_schedule *schedule, const struct crl_move *m, bool leaves)
{
    struct event e = {m->origin, m->dest, m->slot, crl_topology_port_to(schedule->topology, m->src, m->dst), leaves};
    return e;
}

static size_t events_of(const struct crl_traffic *traffic, uint32_t node, struct event **out)
{
    const struct crl_schedule *s = traffic->schedule;
    const struct crl_topology *t = s->topology;
    size_t n = 0, outs = s->folded ? s->count : traffic->out_start[node + 2] - traffic->out_start[node + 1];
    size_t ins = s->folded ? s->count : traffic->in_start[node + 2] - traffic->in_start[node + 1];
    struct event *events = *out = malloc(sizeof *events * (outs + ins + 1));
    if (!events) return 0;
    for (size_t i = 0; i < outs; i++)
        events[n++] = event_of(s, &s->moves[s->folded ? i : traffic->out[traffic->out_start[node + 1] + i]], true);
    for (size_t i = 0; i < ins; i++) {
        const struct crl_move *m = &s->moves[s->folded ? i : traffic->in[traffic->in_start[node + 1] + i]];
        struct event e = event_of(s, m, false);
        if (s->folded) { // what node 0 sends on a port, the node behind that port sends to node 0, translated
            uint32_t by = crl_topology_behind(t, 0, e.port);
            e.origin = crl_topology_shift(t, e.origin, by);
            if (s->naming == CRL_NAMING_PAIR) e.dest = crl_topology_shift(t, e.dest, by);
        }
        events[n++] = e;
    }
    return n;
}

static int by_packet(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    if (x->dest != y->dest) return x->dest < y->dest ? -1 : 1;
    if (x->leaves != y->leaves) return x->leaves - y->leaves; // arrivals first
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

static int add_stray(struct crl_node_plan *plan, uint32_t cycle, uint32_t port)
{
    int error = crl_grow((void **)&plan->strays, &plan->strays_capacity, plan->strays_count, sizeof *plan->strays);
    if (!error) plan->strays[plan->strays_count++] = (struct crl_stray){cycle, port};
    return error;
}

static int by_cycle(const void *a, const void *b)
{
    const struct crl_departure *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

// Adds the visit that events[0…count) make up: all of one packet, arrivals first.
static int add_visit(struct crl_node_plan *plan, const struct event *events, size_t count,
                     const struct crl_problem *problem, const struct crl_geometry *g)
{
    struct crl_visit visit = {
        .origin = events->origin, .dest = events->dest, .first = (uint32_t)plan->departures_count};
    bool arrived = false;
    int error = 0;
    visit.keep = crl_problem_wants(problem, visit.origin, visit.dest, plan->node);
    for (size_t i = 0; i < count && !error; i++) {
        uint32_t cycle = crl_link_cycle(g, problem->ports, events[i].slot, events[i].port);
        if (events[i].leaves) {
            error = crl_grow((void **)&plan->departures, &plan->departures_capacity, plan->departures_count,
                             sizeof *plan->departures);
            if (!error)
                plan->departures[plan->departures_count++] =
                    (struct crl_departure){.cycle = cycle, .port = events[i].port};
            visit.count++;
        } else if (arrived || visit.origin == plan->node) {
            error = add_stray(plan, cycle, events[i].port);
        } else {
            arrived = true;
            visit.arrival = cycle;
            visit.in_port = events[i].port;
        }
    }
    if (error) return error;
    if (visit.count) qsort(plan->departures + visit.first, visit.count, sizeof *plan->departures, by_cycle);
    if (!visit.count && !visit.keep) return arrived ? add_stray(plan, visit.arrival, visit.in_port) : 0;
    error = crl_grow((void **)&plan->visits, &plan->visits_capacity, plan->visits_count, sizeof *plan->visits);
    if (!error) plan->visits[plan->visits_count++] = visit;
    return error;
}

// Own packets that never leave but must be there at the end have no events.
static int add_silent_own(struct crl_node_plan *plan, const struct crl_problem *problem)
{
    if (crl_problem_naming(problem) != CRL_NAMING_ORIGIN || crl_problem_index(problem, plan->node, 0) == UINT64_MAX)
        return 0;
    for (size_t i = 0; i < plan->visits_count; i++)
        if (plan->visits[i].origin == plan->node) return 0;
    int error = crl_grow((void **)&plan->visits, &plan->visits_capacity, plan->visits_count, sizeof *plan->visits);
    if (!error) plan->visits[plan->visits_count++] = (struct crl_visit){.origin = plan->node, .keep = true};
    return error;
}

int crl_node_plan_collect(struct crl_node_plan *plan, const struct crl_traffic *traffic,
                          const struct crl_problem *problem, const struct crl_geometry *geometry, uint32_t node)
{
    struct event *events;
    plan->visits_count = plan->departures_count = plan->strays_count = 0;
    plan->node = node;
    size_t count = events_of(traffic, node, &events);
    int error = events ? 0 : CRL_ERR_MEMORY;
    if (!error) qsort(events, count, sizeof *events, by_packet);
    for (size_t at = 0, end; at < count && !error; at = end) {
        for (end = at + 1;
             end < count && events[end].origin == events[at].origin && events[end].dest == events[at].dest; end++) {
        }
        error = add_visit(plan, events + at, end - at, problem, geometry);
    }
    free(events);
    return error ? error : add_silent_own(plan, problem);
}
