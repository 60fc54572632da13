// SPDX-License-Identifier: Apache-2.0
// The trace a schedule must produce, from the schedule alone: slot s uses port p in link cycle (s−1)·⌈P/K⌉ + ⌊p/K⌋ + 1.
#include "trace/trace.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

struct crl_expected {
    const struct crl_schedule *schedule;
    const struct crl_problem *problem;
    struct crl_geometry geometry;
    uint64_t seed;
    uint32_t nodes, cycles; // link cycles a round
    uint32_t cycle, word;   // next to play, from 1; word of the packet
    size_t at;              // first move of the current slot
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
    struct crl_expected *e = *out = calloc(1, sizeof *e);
    if (!e) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    e->schedule = schedule;
    e->problem = problem;
    e->geometry = *geometry;
    e->seed = seed;
    e->nodes = crl_topology_nodes(problem->topology);
    e->cycles = crl_schedule_slots(schedule) * cycles_per_slot(e);
    e->cycle = 1;
    e->valid = calloc(e->nodes, sizeof *e->valid);
    e->data = calloc((size_t)e->nodes * geometry->ports, sizeof *e->data);
    if (e->valid && e->data) return 0;
    crl_expected_free(e);
    *out = NULL;
    return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
}

void crl_expected_free(struct crl_expected *e)
{
    if (!e) return;
    free(e->valid);
    free(e->data);
    free(e);
}

static void put(struct crl_expected *e, const struct crl_move *m, uint32_t port, uint32_t by)
{
    const struct crl_topology *t = e->problem->topology;
    uint32_t src = m->src, origin = m->origin, dest = m->dest;
    if (e->schedule->folded) {
        src = crl_topology_shift(t, src, by);
        origin = crl_topology_shift(t, origin, by);
        if (e->schedule->naming == CRL_NAMING_PAIR) dest = crl_topology_shift(t, dest, by);
    }
    e->valid[src] |= UINT32_C(1) << port;
    e->data[(size_t)src * e->geometry.ports + port] =
        crl_payload(e->problem, origin, dest, e->word, &e->geometry, e->seed);
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_expected *e = self;
    const struct crl_schedule *s = e->schedule;
    if (e->word == e->geometry.words) return 1;
    memset(e->valid, 0, sizeof *e->valid * e->nodes);
    uint32_t phases = cycles_per_slot(e), slot = (e->cycle - 1) / phases + 1, phase = (e->cycle - 1) % phases;
    while (e->at < s->count && s->moves[e->at].slot < slot) e->at++;
    for (size_t i = e->at; i < s->count && s->moves[i].slot == slot; i++) {
        uint32_t port = crl_topology_port_to(s->topology, s->moves[i].src, s->moves[i].dst);
        if (phases > 1 && port / e->geometry.lanes != phase) continue;
        for (uint32_t v = 0; v < (s->folded ? e->nodes : 1); v++) put(e, &s->moves[i], port, v);
    }
    *valid = e->valid;
    *data = e->data;
    if (e->cycle++ <= e->cycles) return 0;
    // That was the last row of a round, in which no link is used.
    e->cycle = 1;
    e->at = 0;
    return ++e->word == e->geometry.words;
}

struct crl_player crl_expected_player(struct crl_expected *expected)
{
    return (struct crl_player){.self = expected, .step = step};
}
