// SPDX-License-Identifier: Apache-2.0
// On-line routers beside their RTL: words as the links carry them, registers, and what nodes must hold in the end.
#include "oracle/online.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { PAYLOADS = 16, OWN_PACKETS = 32, NODES_MAX = 4096 }; // registers; and nodes whose numbers fit a word
enum { EXCHANGE_DIMS_MAX = 6 };                             // it has 2 d³ queues a node
enum { LINE_PACKETS_MAX = 1 << 15 };                        // whose addresses fit the load port
static const struct crl_geometry word_geometry = {.words = 1, .data_width = 32};

static bool exchanges(const struct crl_problem *problem) { return crl_online_kind_of(problem) == CRL_ONLINE_EXCHANGE; }

bool crl_online_playable(const struct crl_problem *problem)
{
    struct crl_mesh mesh;
    if (problem->ports != CRL_PORTS_ALL || !crl_mesh_of(&mesh, problem->topology) || mesh.nodes > NODES_MAX)
        return false;
    switch (crl_online_kind_of(problem)) {
    case CRL_ONLINE_NOTHING: return false;
    case CRL_ONLINE_BROADCAST: return problem->parts == 1 || problem->parts == crl_online_parts(&mesh);
    case CRL_ONLINE_EXCHANGE: return mesh.dims <= EXCHANGE_DIMS_MAX;
    default: return true;
    }
}

// A permutation, so that no two of 2^32 are alike.
uint32_t crl_online_payload_of(const struct crl_problem *problem, uint32_t origin, uint32_t part, uint32_t sequence,
                               uint64_t seed)
{
    uint64_t number = (uint64_t)sequence * crl_topology_nodes(problem->topology) + origin;
    return (uint32_t)crl_permute((number * problem->parts + part) & UINT32_MAX, 32, seed);
}

uint32_t crl_online_payload(const struct crl_online *o, uint32_t origin, uint32_t dest)
{
    if (o->sequence) return crl_online_payload_of(o->problem, origin, dest, o->sequence[origin], o->seed);
    return (uint32_t)crl_payload(o->problem, origin, dest, 0, &word_geometry, o->seed);
}

uint32_t crl_online_value(const struct crl_online *o, uint32_t node) { return crl_online_payload(o, node, node); }

// Packets, or parts of them, that a node has to broadcast along its line.
static uint32_t own_packets(const struct crl_problem *problem, uint32_t node)
{
    return (problem->starts[node + 1] - problem->starts[node]) * problem->parts;
}

int crl_online_new(struct crl_online **out, const struct crl_problem *problem, uint32_t depth, uint64_t seed,
                   struct crl_diag *diag)
{
    *out = NULL;
    if (!crl_online_playable(problem))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no on-line router plays a %s on %s", crl_problem_name(problem),
                        crl_topology_name(problem->topology));
    bool lines = crl_problem_has_lines(problem);
    if (lines && crl_problem_line_packets(problem) * (uint64_t)problem->parts > LINE_PACKETS_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT,
                        "%u packets of a line; on-line routers hold up to %u, or half as many split",
                        crl_problem_line_packets(problem), LINE_PACKETS_MAX);
    if (depth && crl_online_kind_of(problem) >= CRL_ONLINE_PREFIX && !lines)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "a %s needs no queues whose depth could be said",
                        crl_problem_name(problem));
    for (uint32_t v = 0; v < crl_topology_nodes(problem->topology) && depth && lines; v++)
        if (problem->starts[v + 1] - problem->starts[v] > depth)
            return crl_fail(diag, CRL_ERR_ARGUMENT, "node %u has more packets of its own than a memory of '%u' holds",
                            v, depth);
    struct crl_online *o = calloc(1, sizeof *o);
    if (!o) return crl_fail_memory(diag);
    o->problem = problem;
    o->seed = seed;
    o->depth = depth;
    o->ports = crl_topology_ports(problem->topology);
    size_t nodes = crl_topology_nodes(problem->topology);
    uint32_t *values = malloc(sizeof *values * nodes);
    int error = values ? 0 : crl_fail_memory(diag);
    for (uint32_t v = 0; v < nodes && !error; v++)
        values[v] = crl_online_kind_of(problem) == CRL_ONLINE_PREFIX ? crl_online_value(o, v) : 0;
    if (!error) error = crl_online_run(&o->run, problem, depth, values, diag);
    free(values);
    o->valid = calloc(nodes, sizeof *o->valid);
    o->data = calloc(nodes * o->ports, sizeof *o->data);
    if (!error && (!o->valid || !o->data)) error = crl_fail_memory(diag);
    if (error) crl_online_free(o);
    else *out = o;
    return error;
}

void crl_online_free(struct crl_online *o)
{
    if (!o) return;
    crl_online_run_done(&o->run);
    free(o->valid);
    free(o->data);
    free(o);
}

uint32_t crl_online_slots(const struct crl_online *o) { return o->run.slots; }
uint32_t crl_online_faults(const struct crl_online *o) { return o->run.faults; }
bool crl_online_exchanges(const struct crl_online *o) { return exchanges(o->problem); }
uint32_t crl_online_nodes(const struct crl_online *o) { return o->run.mesh.nodes; }
uint32_t crl_online_dims(const struct crl_online *o) { return o->run.mesh.dims; }

uint32_t crl_online_depth(const struct crl_online *o)
{
    uint32_t most = exchanges(o->problem)               ? o->run.queue_most
                    : crl_problem_has_lines(o->problem) ? crl_problem_line_packets(o->problem)
                                                        : o->problem->active_count;
    if (o->depth) most = o->depth;
    return most ? most : 1;
}

static uint64_t link_bits(const struct crl_online *o, const struct crl_link_word *w)
{
    if (w->is_count) return UINT64_C(1) << 63 | w->count;
    // What is routed by its destination carries that and not its origin.
    uint64_t who = crl_problem_routes(o->problem) ? w->dest : w->origin;
    uint64_t low = who << 32 | crl_online_payload(o, w->origin, w->dest);
    return exchanges(o->problem) ? (uint64_t)w->tag << 56 | (uint64_t)w->dest << 44 | low
                                 : (uint64_t)w->tag << 44 | low;
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_online *o = self;
    const struct crl_link_log *log = &o->run.log;
    memset(o->valid, 0, sizeof *o->valid * o->run.mesh.nodes);
    *valid = o->valid;
    *data = o->data;
    if (o->slot == o->run.slots) return 1;
    o->slot++;
    for (; o->at < log->count && log->entry[o->at].slot == o->slot; o->at++) {
        const struct crl_link_entry *e = &log->entry[o->at];
        o->valid[e->node] |= UINT32_C(1) << e->port;
        o->data[(size_t)e->node * o->ports + e->port] = link_bits(o, &e->word);
    }
    return o->slot == o->run.slots;
}

struct crl_player crl_online_player(struct crl_online *o) { return (struct crl_player){.self = o, .step = step}; }

uint32_t crl_online_behind(const struct crl_online *o, uint32_t node, uint32_t port)
{
    return crl_mesh_step(&o->run.mesh, node, port / 2, port % 2 == CRL_UP ? CRL_DOWN : CRL_UP);
}

uint32_t crl_online_topology_port(const struct crl_online *o, uint32_t port)
{
    const struct crl_mesh *m = &o->run.mesh;
    return m->port[port / 2] + (m->size[port / 2] > 2 ? port % 2 : 0);
}

bool crl_online_is_active(const struct crl_problem *problem, uint32_t node)
{
    for (uint32_t i = 0; i < problem->active_count; i++)
        if (problem->active[i] == node) return true;
    return false;
}

uint32_t crl_online_register_count(const struct crl_online *o)
{
    uint32_t most = 0;
    if (crl_problem_has_lines(o->problem)) {
        for (uint32_t v = 0; v < o->run.mesh.nodes; v++)
            if (own_packets(o->problem, v) > most) most = own_packets(o->problem, v);
        return OWN_PACKETS + most;
    }
    return PAYLOADS + (exchanges(o->problem) ? o->run.mesh.nodes : o->problem->parts);
}

// What one engine does by itself; 0 where all of them do the whole partial multinode broadcast.
static uint32_t mode(const struct crl_problem *problem)
{
    switch (crl_online_kind_of(problem)) {
    case CRL_ONLINE_PREFIX: return 1;
    case CRL_ONLINE_PACKING: return 2;
    case CRL_ONLINE_ROUTING: return 3;
    case CRL_ONLINE_LINES: return 4;
    default: return 0;
    }
}

// Registers of these modes alone; false if `address` is none.
static bool mode_register(const struct crl_online *o, uint32_t node, uint32_t address, uint32_t *value)
{
    const struct crl_problem *p = o->problem;
    bool lines = crl_problem_has_lines(p);
    *value = 0;
    if (address == 10 && crl_problem_routes(p))
        for (uint32_t i = 0; i < p->active_count; i++)
            if (p->active[i] == node) *value = p->dests[i];
    if (address == 11 && lines) *value = crl_online_line_dim(&o->run.mesh, p);
    if (address == 12 && lines) *value = own_packets(p, node) / p->parts;
    if (address == PAYLOADS && mode(p) == 1) *value = crl_online_value(o, node);
    if (address == PAYLOADS && (mode(p) == 2 || mode(p) == 3))
        for (uint32_t i = 0; i < p->active_count; i++)
            if (p->active[i] == node) *value = crl_online_payload(o, node, p->dests ? p->dests[i] : i);
    if (address >= OWN_PACKETS && lines && address - OWN_PACKETS < own_packets(p, node))
        *value = crl_online_payload(o, node, address - OWN_PACKETS);
    return mode(p) && address >= 10;
}

uint32_t crl_online_register(const struct crl_online *o, uint32_t node, uint32_t address)
{
    const struct crl_mesh *m = &o->run.mesh;
    bool exchange = exchanges(o->problem), active = crl_online_is_active(o->problem, node);
    uint32_t value;
    if (address == 13 && !exchange) return crl_online_depth(o);
    if (address == 0) return active | (uint32_t)(o->problem->parts > 1) << 1 | mode(o->problem) << 2;
    if (mode_register(o, node, address, &value)) return value;
    if (address == 1) return node;
    if (address >= 2 && address - 2 < m->dims) {
        uint32_t k = address - 2;
        return (uint32_t)m->ring[k] << 31 | crl_mesh_digit(m, node, k) << 16 | m->size[k];
    }
    if (exchange && address == 10) return crl_online_depth(o);
    // Only what this node has to say.
    if (address < PAYLOADS || !active || (exchange && address - PAYLOADS == node)) return 0;
    return crl_online_payload(o, node, address - PAYLOADS);
}
