// SPDX-License-Identifier: Apache-2.0
// On-line routers beside their RTL: words as the links carry them, registers, and what nodes must hold in the end.
#include "machine/online/online.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

// Registers (rtl/online/crl_online_node.sv, crl_online_exchange.sv): from where on there are payloads; packets of a
// line, or the digits of a destination.
enum {
    LONGEST = 1,
    SIDES = 2,
    QUEUE_LIMIT = 10,
    LINE_DIM = 11,
    ITEMS = 12,
    LIMIT = 13,
    PAYLOADS = 16,
    OWN_PACKETS = 32
};
enum { NODES_MAX = 4096 };           // whose numbers fit a word
enum { EXCHANGE_DIMS_MAX = 6 };      // it has 2 d³ queues a node
enum { LINE_PACKETS_MAX = 1 << 15 }; // whose addresses fit the load port
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

int crl_online_new(struct crl_online **out, const struct crl_problem *problem, bool balanced, uint32_t depth,
                   uint64_t seed, struct crl_diag *diag)
{
    *out = NULL;
    if (!crl_online_playable(problem))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no on-line router plays %s on %s", crl_problem_title(problem),
                        crl_topology_name(problem->topology));
    bool lines = crl_problem_has_lines(problem);
    if (lines && crl_problem_line_packets(problem) * (uint64_t)problem->parts > LINE_PACKETS_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT,
                        "%u packets of a line; on-line routers hold up to %u, or half as many split",
                        crl_problem_line_packets(problem), LINE_PACKETS_MAX);
    if (depth && crl_online_kind_of(problem) >= CRL_ONLINE_PREFIX && !lines)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "%s needs no queues whose depth could be said",
                        crl_problem_title(problem));
    for (uint32_t v = 0; v < crl_topology_nodes(problem->topology) && depth && lines; v++)
        if (problem->starts[v + 1] - problem->starts[v] > depth)
            return crl_fail(diag, CRL_ERR_ARGUMENT, "node %u has more packets of its own than a memory of '%u' holds",
                            v, depth);
    struct crl_online *o = calloc(1, sizeof *o);
    if (!o) return crl_fail_memory(diag);
    o->problem = problem;
    o->seed = seed;
    o->balanced = balanced;
    o->depth = depth;
    o->ports = crl_topology_ports(problem->topology);
    size_t nodes = crl_topology_nodes(problem->topology);
    uint32_t *values = malloc(sizeof *values * nodes);
    int error = values ? 0 : crl_fail_memory(diag);
    for (uint32_t v = 0; v < nodes && !error; v++)
        values[v] = crl_online_kind_of(problem) == CRL_ONLINE_PREFIX ? crl_online_value(o, v) : 0;
    if (!error) error = crl_online_run(&o->run, problem, balanced, depth, values, diag);
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
    CRL_FREE(o->valid, o->data, o);
}

uint32_t crl_online_slots(const struct crl_online *o) { return o->run.slots; }
uint32_t crl_online_faults(const struct crl_online *o) { return o->run.faults; }
bool crl_online_exchanges(const struct crl_online *o) { return exchanges(o->problem); }
uint32_t crl_online_nodes(const struct crl_online *o) { return o->run.mesh.nodes; }
uint32_t crl_online_dims(const struct crl_online *o) { return o->run.mesh.dims; }

uint32_t crl_online_depth(const struct crl_online *o)
{
    uint32_t most = exchanges(o->problem)               ? o->run.held_most
                    : crl_problem_has_lines(o->problem) ? crl_problem_line_packets(o->problem)
                                                        : o->problem->active_count;
    if (o->depth && !exchanges(o->problem)) most = o->depth;
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

// Where sides allow it all dimensions have equally many bits, so that one simulator serves many of them.
static uint32_t address_bits(const struct crl_online *o, uint32_t dim)
{
    const struct crl_mesh *m = &o->run.mesh;
    uint32_t even = 12 / m->dims, bits = 1;
    if (m->longest <= UINT32_C(1) << even) return even;
    while (m->size[dim] > UINT32_C(1) << bits) bits++;
    return bits;
}

uint32_t crl_online_address_bits(const struct crl_online *o)
{
    uint32_t packed = 0;
    for (uint32_t k = 0; k < o->run.mesh.dims && exchanges(o->problem); k++) packed |= address_bits(o, k) << 4 * k;
    return packed;
}

// Address of a node, and back; CRL_NONE: it is none's.
static uint32_t address_of(const struct crl_online *o, uint32_t node)
{
    uint32_t address = 0, at = 0;
    for (uint32_t k = 0; k < o->run.mesh.dims; at += address_bits(o, k), k++)
        address |= crl_mesh_digit(&o->run.mesh, node, k) << at;
    return address;
}

static uint32_t node_at(const struct crl_online *o, uint32_t address)
{
    const struct crl_mesh *m = &o->run.mesh;
    uint32_t node = 0;
    for (uint32_t k = 0; k < m->dims; address >>= address_bits(o, k), k++) {
        uint32_t digit = address & ((UINT32_C(1) << address_bits(o, k)) - 1);
        if (digit >= m->size[k]) return CRL_NONE;
        node += digit * m->stride[k];
    }
    return node;
}

uint32_t crl_online_register_count(const struct crl_online *o)
{
    uint32_t most = 0;
    if (exchanges(o->problem)) return PAYLOADS + address_of(o, o->run.mesh.nodes - 1) + 1;
    if (crl_problem_routes(o->problem)) return OWN_PACKETS + o->run.mesh.dims;
    if (!crl_problem_has_lines(o->problem)) return PAYLOADS + 2 * o->run.mesh.dims;
    for (uint32_t v = 0; v < o->run.mesh.nodes; v++)
        if (own_packets(o->problem, v) > most) most = own_packets(o->problem, v);
    return OWN_PACKETS + most;
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

// Index of an active node, else active_count.
static uint32_t index_of(const struct crl_problem *problem, uint32_t node)
{
    uint32_t i = 0;
    while (i < problem->active_count && problem->active[i] != node) i++;
    return i;
}

// Payload of half `half` of the packet of engine `engine`.
static uint32_t broadcast_payload(const struct crl_online *o, uint32_t node, uint32_t engine, uint32_t half)
{
    uint32_t parts = o->problem->parts, halves = parts > o->run.mesh.dims ? 2 : 1;
    if (half >= halves) return 0;
    return crl_online_payload(o, node, parts == 1 ? 0 : engine * halves + half);
}

static uint32_t payload_register(const struct crl_online *o, uint32_t node, uint32_t at)
{
    const struct crl_problem *p = o->problem;
    uint32_t i = index_of(p, node);
    switch (mode(p)) {
    case 0: return i == p->active_count ? 0 : broadcast_payload(o, node, at / 2, at % 2);
    case 1: return at ? 0 : crl_online_value(o, node);
    case 2:
    case 3: return at || i == p->active_count ? 0 : crl_online_payload(o, node, p->dests ? p->dests[i] : i);
    default: return 0;
    }
}

static uint32_t broadcast_register(const struct crl_online *o, uint32_t node, uint32_t address)
{
    const struct crl_problem *p = o->problem;
    bool lines = crl_problem_has_lines(p);
    uint32_t at = address - OWN_PACKETS, i = index_of(p, node);
    if (address >= OWN_PACKETS && lines) return at < own_packets(p, node) ? crl_online_payload(o, node, at) : 0;
    if (address >= OWN_PACKETS) return i < p->active_count ? crl_mesh_digit(&o->run.mesh, p->dests[i], at) : 0;
    if (address >= PAYLOADS) return payload_register(o, node, address - PAYLOADS);
    if (address == LIMIT) return crl_online_depth(o);
    if (address == LINE_DIM && lines) return crl_online_line_dim(&o->run.mesh, p);
    if (address == ITEMS && lines) return own_packets(p, node) / p->parts;
    return 0;
}

// Only what this node has to say.
static uint32_t exchange_register(const struct crl_online *o, uint32_t node, uint32_t address)
{
    if (address == QUEUE_LIMIT) return o->depth && o->depth < crl_online_depth(o) ? o->depth : crl_online_depth(o);
    uint32_t dest = address >= PAYLOADS ? node_at(o, address - PAYLOADS) : CRL_NONE;
    if (dest == CRL_NONE || dest == node || !crl_online_is_active(o->problem, node)) return 0;
    return crl_online_payload(o, node, dest);
}

uint32_t crl_online_register(const struct crl_online *o, uint32_t node, uint32_t address)
{
    const struct crl_mesh *m = &o->run.mesh;
    bool active = crl_online_is_active(o->problem, node);
    if (address == 0 && exchanges(o->problem)) return active | (uint32_t)o->balanced << 1;
    if (address == 0) return active | (uint32_t)(o->problem->parts > 1) << 1 | mode(o->problem) << 2;
    if (address == LONGEST) return m->longest - 1;
    if (address >= SIDES && address - SIDES < m->dims) {
        uint32_t k = address - SIDES;
        return (uint32_t)m->ring[k] << 31 | crl_mesh_digit(m, node, k) << 16 | (m->size[k] - 1);
    }
    return exchanges(o->problem) ? exchange_register(o, node, address) : broadcast_register(o, node, address);
}
