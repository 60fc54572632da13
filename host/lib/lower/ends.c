// SPDX-License-Identifier: Apache-2.0
// End to end: when words must be taken from streams, and when they leave on them, if a node has L streams each way, a
// word a cycle on each. Own words are taken by the earliest deadline, the cycle in which each first leaves; words for a
// node are given in the order in which they arrive. Both are the best that can be done for the schedule.
#include "lower/lower.h"
#include "base/base.h"
#include <stdlib.h>

struct event {
    uint64_t packet;
    uint32_t node, cycle;
};

static int by_packet(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return CRL_COMPARE({x->node, y->node}, {x->packet, y->packet}, {x->cycle, y->cycle});
}

static int by_cycle(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return CRL_COMPARE({x->node, y->node}, {x->cycle, y->cycle});
}

// Keeps the first event of each packet at each node; the rest is then in the order of nodes and cycles.
static size_t first_of_each(struct event *events, size_t count)
{
    size_t kept = 0;
    qsort(events, count, sizeof *events, by_packet);
    for (size_t i = 0; i < count; i++)
        if (!kept || events[kept - 1].node != events[i].node || events[kept - 1].packet != events[i].packet)
            events[kept++] = events[i];
    qsort(events, kept, sizeof *events, by_cycle);
    return kept;
}

struct lists {
    struct event *own, *shown;
    size_t own_count, shown_count;
};

// The words that a move takes in at its source, and brings for its destination. A folded schedule is that of node 0: it
// sends what is here, and gets what the same node behind the port would have sent with all names shifted.
static void list(struct lists *l, const struct crl_schedule *s, const struct crl_problem *problem,
                 const struct crl_geometry *g, const struct crl_move *m)
{
    uint32_t port = crl_move_port(s, m);
    uint32_t origin = m->origin, dest = m->dest, node = m->dst;
    if (crl_problem_source(problem, origin) == m->src)
        l->own[l->own_count++] = (struct event){crl_problem_index(problem, origin, dest), m->src,
                                                crl_link_cycle(g, problem->ports, m->slot, port)};
    if (s->folded) {
        uint32_t by = crl_topology_behind(s->topology, 0, port);
        origin = crl_topology_shift(s->topology, origin, by);
        if (s->naming == CRL_NAMING_PAIR) dest = crl_topology_shift(s->topology, dest, by);
        node = 0;
    }
    uint32_t slot = crl_arrival_slot(s->topology, m->slot, m->src, m->dst);
    if (crl_problem_source(problem, origin) != node && crl_problem_wants(problem, origin, dest, node))
        l->shown[l->shown_count++] = (struct event){crl_problem_index(problem, origin, dest), node,
                                                    crl_link_cycle(g, problem->ports, slot, port)};
}

// Words of one node; the last of them if `reverse` counts first.
static void each_node(const struct event *events, size_t count, uint32_t streams, struct crl_stream_ends *ends,
                      bool own)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && events[end].node == events[first].node; end++) {
        }
        uint64_t words = end - first;
        for (size_t i = first; i < end; i++) {
            int64_t queue = (int64_t)crl_ceil_div(own ? i - first + 1 : end - i, streams), cycle = events[i].cycle;
            if (own && cycle - queue + 1 < ends->first) ends->first = cycle - queue + 1;
            if (!own && cycle + queue - 1 > ends->last) ends->last = cycle + queue - 1;
        }
        if (own && words > ends->own) ends->own = words;
        if (!own && words > ends->shown) ends->shown = words;
    }
}

int crl_ends_measure(struct crl_stream_ends *ends, const struct crl_schedule *schedule,
                     const struct crl_problem *problem, uint32_t streams, uint32_t lanes)
{
    struct crl_geometry g = {.ports = crl_topology_ports(problem->topology)};
    struct lists l = {malloc(sizeof *l.own * (schedule->count + 1)), malloc(sizeof *l.shown * (schedule->count + 1)), 0,
                      0};
    int error = l.own && l.shown ? 0 : CRL_ERR_MEMORY;
    *ends = (struct crl_stream_ends){.first = INT64_MAX};
    g.lanes = lanes ? lanes : g.ports;
    for (size_t i = 0; i < schedule->count && !error; i++) list(&l, schedule, problem, &g, &schedule->moves[i]);
    if (!error) {
        each_node(l.own, first_of_each(l.own, l.own_count), streams, ends, true);
        each_node(l.shown, first_of_each(l.shown, l.shown_count), streams, ends, false);
        uint64_t slot = crl_slot_cycles(&g, problem->ports), cycles = crl_schedule_slots(schedule) * slot;
        if (ends->first <= ends->last) ends->slots = crl_ceil_div((uint64_t)(ends->last - ends->first) + 1, slot);
        ends->period = cycles;
        if (crl_ceil_div(ends->own, streams) > ends->period) ends->period = crl_ceil_div(ends->own, streams);
        if (crl_ceil_div(ends->shown, streams) > ends->period) ends->period = crl_ceil_div(ends->shown, streams);
    }
    CRL_FREE(l.own, l.shown);
    return error;
}

// rtl/slot/crl_stream_node.sv, rtl/stream/crl_stream_in.sv and crl_stream_out.sv say when what happens: an own word is
// read in time r + 1 of its row, three cycles after the one in which an adapter takes it; an arrival is shown in time r
// + 2, and given two cycles later. So a word that takes one slot is taken and shown in cycles that have one between
// them. Rows come later by their stages; so do they to adapters, and as many cycles go by until what adapters say has
// come to what begins rounds; and a round begins as much later again, because words are asked for so much ahead.
// Without adapters own words are taken as much later as words are shown. A slot is as long as a packet, and links hand
// words on a slot later: a packet's last word waits for all but itself.
uint32_t crl_sum_late(const struct crl_problem *problem, uint32_t words)
{
    const struct crl_topology *t = problem->topology;
    const uint32_t ports = crl_topology_ports(t);
    if (!crl_problem_sums(problem) || crl_topology_boards(t)) return 0;
    const uint32_t late = crl_op_floats(problem->op) ? CRL_FLOAT_STAGES : CRL_SUM_STAGES;
    for (uint32_t i = 0; i < crl_topology_nodes(t) * ports; i++) {
        const uint32_t from = crl_topology_behind(t, i / ports, i % ports);
        if (from != CRL_NONE && (uint64_t)crl_topology_latency(t, from, i % ports) * words <= late) return 0;
    }
    return late;
}

uint32_t crl_sum_apart(const struct crl_problem *problem, uint32_t words)
{
    if (!crl_sum_late(problem, words)) return 0;
    return crl_op_floats(problem->op) ? (uint32_t)crl_ceil_div(CRL_FLOAT_APART, words) : 1;
}

struct crl_stream_path crl_stream_path(bool adapters, uint32_t stages, uint32_t words, uint32_t late)
{
    const uint32_t router = 2 + late;
    return adapters ? (struct crl_stream_path){3, router, 4 * stages, words - 1, 2}
                    : (struct crl_stream_path){.router = router, .links = words - 1};
}

uint32_t crl_stream_path_cycles(const struct crl_stream_path *path)
{
    return path->adapter_in + path->router + path->row_stages + path->links + path->adapter_out;
}
