// SPDX-License-Identifier: Apache-2.0
// Intervals as the routers' model plays them: one run after the other, of the nodes that have a packet when it begins.
#include "machine/online/online.h"
#include "base/base.h"
#include <stdlib.h>

struct line { // numbers of packets that wait at a node
    uint32_t *sequence;
    size_t capacity, first, count;
};

struct run { // an interval
    struct crl_problem problem;
    struct crl_online *online;
    uint32_t *active, *sequence; // [nodes]
};

struct crl_intervals_model {
    struct run run[2]; // this one, and that before it
    uint32_t now, nodes, depth, slot;
    struct line *line;
    uint64_t seed, faults;
};

int crl_intervals_model_new(struct crl_intervals_model **out, const struct crl_topology *topology, uint32_t depth,
                            uint64_t seed, struct crl_diag *diag)
{
    struct crl_intervals_model *m = *out = calloc(1, sizeof *m);
    if (!m) return crl_fail_memory(diag);
    m->nodes = crl_topology_nodes(topology);
    m->depth = depth;
    m->seed = seed;
    m->line = calloc(m->nodes, sizeof *m->line);
    int error = m->line ? 0 : crl_fail_memory(diag);
    for (size_t i = 0; i < 2 && !error; i++) {
        m->run[i].active = calloc(m->nodes, sizeof *m->run[i].active);
        m->run[i].sequence = calloc(m->nodes, sizeof *m->run[i].sequence);
        if (!m->run[i].active || !m->run[i].sequence) error = crl_fail_memory(diag);
        if (!error)
            error =
                crl_problem_init(&m->run[i].problem, "partial-multinode-broadcast", topology, 0, CRL_PORTS_ALL, diag);
    }
    if (!error) return 0;
    crl_intervals_model_free(m);
    *out = NULL;
    return error;
}

void crl_intervals_model_free(struct crl_intervals_model *m)
{
    if (!m) return;
    for (size_t i = 0; i < 2; i++) {
        crl_online_free(m->run[i].online);
        CRL_FREE(m->run[i].active, m->run[i].sequence);
    }
    for (uint32_t v = 0; m->line && v < m->nodes; v++) free(m->line[v].sequence);
    CRL_FREE(m->line, m);
}

static int give(struct crl_intervals_model *m, const struct crl_interval_packet *packet)
{
    struct line *line = &m->line[packet->node];
    if (m->depth && line->count == m->depth) {
        m->faults++;
        return 0;
    }
    if (crl_grow((void **)&line->sequence, &line->capacity, line->first + line->count, sizeof *line->sequence))
        return CRL_ERR_MEMORY;
    line->sequence[line->first + line->count++] = packet->sequence;
    return 0;
}

static int begin(struct crl_intervals_model *m, struct crl_diag *diag)
{
    m->now ^= 1;
    m->slot = 0;
    struct run *run = &m->run[m->now];
    uint32_t count = 0;
    for (uint32_t v = 0; v < m->nodes; v++) {
        struct line *line = &m->line[v];
        if (!line->count) continue;
        run->active[count++] = v;
        run->sequence[v] = line->sequence[line->first];
        line->first = --line->count ? line->first + 1 : 0;
    }
    crl_online_free(run->online);
    run->online = NULL;
    int error =
        crl_problem_set_active(&run->problem, run->active, count, crl_mini_packets(run->problem.topology), diag);
    if (!error) error = crl_online_new(&run->online, &run->problem, false, 0, m->seed, diag);
    if (error) return error;
    run->online->sequence = run->sequence;
    m->faults += run->online->run.faults;
    return 0;
}

static int step(void *self, const struct crl_interval_packet *given, size_t count, struct crl_interval_slot *slot,
                struct crl_diag *diag)
{
    struct crl_intervals_model *m = self;
    int error = 0;
    for (size_t i = 0; i < count && !error; i++)
        if (give(m, &given[i])) error = crl_fail_memory(diag);
    slot->begins = !m->run[m->now].online || m->slot == crl_online_slots(m->run[m->now].online);
    if (slot->begins && !error) error = begin(m, diag);
    if (error) return error;
    struct crl_online *online = m->run[m->now].online;
    struct crl_player player = crl_online_player(online);
    player.step(player.self, &slot->valid, &slot->data);
    slot->counts = ++m->slot <= online->run.prefix_slots;
    slot->faults = m->faults;
    return 0;
}

static bool held(void *user, uint32_t node, uint32_t memory, uint32_t address, uint32_t *origin, uint32_t *payload)
{
    const struct crl_intervals_model *m = user;
    struct crl_online_memory before = crl_online_model_memory(m->run[m->now ^ 1].online);
    return before.held(before.user, node, memory, address, origin, payload);
}

struct crl_intervals_engine crl_intervals_model_engine(struct crl_intervals_model *model)
{
    return (struct crl_intervals_engine){"model", model, step, {held, model}};
}
