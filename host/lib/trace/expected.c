// SPDX-License-Identifier: Apache-2.0
// The trace a schedule must produce, from the schedule alone: slot s uses port p in link cycle (s−1)·⌈P/K⌉ + ⌊p/K⌋ + 1.
#include "trace/trace.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

// A packet on a link.
struct transmission {
    uint64_t number; // of the packet's first word, as payloads are numbered
    uint32_t node, port;
};

struct crl_expected {
    const struct crl_schedule *schedule;
    const struct crl_problem *problem;
    struct crl_geometry geometry;
    struct crl_permutation payload;
    uint32_t nodes, cycles; // link cycles a round
    uint32_t cycle, word;   // next to play, from 1; word of the packet
    size_t at;              // first move of the current slot
    bool keeps;             // all transmissions of a round, for the words that follow; else those of one cycle
    bool kept;              // they are there
    size_t count, capacity;
    struct transmission *list;
    size_t *start; // [cycles + 2] where each cycle's transmissions begin; of one that is not kept at 0
    uint32_t *valid;
    uint64_t *data;
};

static uint32_t cycles_per_slot(const struct crl_expected *e)
{
    if (e->problem->ports == CRL_PORTS_SINGLE) return 1;
    return (uint32_t)crl_ceil_div(e->geometry.ports, e->geometry.lanes);
}

int crl_expected_new(struct crl_expected **out, const struct crl_schedule *schedule, const struct crl_problem *problem,
                     const struct crl_geometry *geometry, uint64_t seed, struct crl_diag *diag)
{
    enum { KEPT_MAX = 1 << 23 };
    struct crl_expected *e = *out = calloc(1, sizeof *e);
    if (!e) return crl_fail_memory(diag);
    e->schedule = schedule;
    e->problem = problem;
    e->geometry = *geometry;
    e->nodes = crl_topology_nodes(problem->topology);
    e->cycles = crl_schedule_slots(schedule) * cycles_per_slot(e);
    e->cycle = 1;
    e->keeps = geometry->words > 1 && crl_schedule_transmissions(schedule) <= KEPT_MAX;
    crl_payload_init(&e->payload, geometry, seed);
    e->start = calloc(e->keeps ? e->cycles + UINT64_C(3) : 2, sizeof *e->start);
    e->valid = calloc(e->nodes, sizeof *e->valid);
    e->data = calloc((size_t)e->nodes * geometry->ports, sizeof *e->data);
    if (e->start && e->valid && e->data) return 0;
    crl_expected_free(e);
    *out = NULL;
    return crl_fail_memory(diag);
}

void crl_expected_free(struct crl_expected *e)
{
    if (!e) return;
    free(e->list);
    free(e->start);
    free(e->valid);
    free(e->data);
    free(e);
}

static int add(struct crl_expected *e, const struct crl_move *m, uint32_t port, uint32_t by)
{
    uint32_t origin = m->origin, dest = m->dest;
    if (e->schedule->folded) crl_packet_shift(e->problem, by, &origin, &dest);
    int error = crl_grow((void **)&e->list, &e->capacity, e->count, sizeof *e->list);
    if (error) return error;
    e->list[e->count++] =
        (struct transmission){.number = crl_problem_index(e->problem, origin, dest) * e->geometry.words,
                              .node = e->schedule->folded ? by : m->src, // node 0 translated by a node is that node
                              .port = port};
    return 0;
}

// Lists the transmissions of the current cycle.
static int find(struct crl_expected *e)
{
    const struct crl_schedule *s = e->schedule;
    uint32_t phases = cycles_per_slot(e), slot = (e->cycle - 1) / phases + 1, phase = (e->cycle - 1) % phases;
    int error = 0;
    while (e->at < s->count && s->moves[e->at].slot < slot) e->at++;
    for (size_t i = e->at; i < s->count && s->moves[i].slot == slot; i++) {
        uint32_t port = crl_topology_port_to(s->topology, s->moves[i].src, s->moves[i].dst);
        if (phases > 1 && port / e->geometry.lanes != phase) continue;
        for (uint32_t v = 0; v < (s->folded ? e->nodes : 1) && !error; v++) error = add(e, &s->moves[i], port, v);
    }
    return error;
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_expected *e = self;
    size_t first = 0;
    if (e->word == e->geometry.words) return 1;
    if (e->keeps) first = e->start[e->cycle];
    else e->count = 0;
    if (!e->kept) {
        int error = find(e);
        if (error) return error;
        e->start[e->keeps ? e->cycle + 1 : 1] = e->count;
    }
    memset(e->valid, 0, sizeof *e->valid * e->nodes);
    for (size_t i = first, end = e->start[e->keeps ? e->cycle + 1 : 1]; i < end; i++) {
        const struct transmission *t = &e->list[i];
        e->valid[t->node] |= UINT32_C(1) << t->port;
        e->data[(size_t)t->node * e->geometry.ports + t->port] = crl_permutation_at(&e->payload, t->number + e->word);
    }
    *valid = e->valid;
    *data = e->data;
    if (e->cycle++ <= e->cycles) return 0;
    // That was the last row of a round, in which no link is used.
    e->cycle = 1;
    e->at = 0;
    e->kept = e->keeps;
    return ++e->word == e->geometry.words;
}

struct crl_player crl_expected_player(struct crl_expected *expected)
{
    return (struct crl_player){.self = expected, .step = step};
}
