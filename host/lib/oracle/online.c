// SPDX-License-Identifier: Apache-2.0
// On-line routers beside their RTL: words as the links carry them, registers, and what nodes must hold in the end.
#include "base/base.h"
#include "online/online.h"
#include <carillon/online.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOADS = 16, NODES_MAX = 4096 };
static const struct crl_geometry word_geometry = {.words = 1, .data_width = 32};

struct crl_online {
    const struct crl_problem *problem;
    struct crl_online_run run;
    uint32_t depth; // said; 0: any
    uint64_t seed;
    uint32_t slot, ports;
    size_t at; // in run.log
    uint32_t *valid;
    uint64_t *data;
};

static bool exchanges(const struct crl_problem *problem) { return crl_problem_naming(problem) == CRL_NAMING_PAIR; }

bool crl_online_playable(const struct crl_problem *problem)
{
    struct crl_mesh mesh;
    if (problem->ports != CRL_PORTS_ALL || !crl_mesh_of(&mesh, problem->topology) || mesh.nodes > NODES_MAX)
        return false;
    if (!strcmp(crl_problem_name(problem), "partial-exchange")) return mesh.dims == 2;
    return !strcmp(crl_problem_name(problem), "partial-multinode-broadcast") &&
           (problem->parts == 1 || problem->parts == crl_online_parts(&mesh));
}

int crl_online_new(struct crl_online **out, const struct crl_problem *problem, uint32_t depth, uint64_t seed,
                   struct crl_diag *diag)
{
    *out = NULL;
    if (!crl_online_playable(problem))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no on-line router plays a %s on %s", crl_problem_name(problem),
                        crl_topology_name(problem->topology));
    struct crl_online *o = calloc(1, sizeof *o);
    if (!o) return crl_fail_memory(diag);
    o->problem = problem;
    o->seed = seed;
    o->depth = depth;
    o->ports = crl_topology_ports(problem->topology);
    int error = exchanges(problem) ? crl_online_exchange(&o->run, problem, depth, diag)
                                   : crl_online_broadcast(&o->run, problem, diag);
    size_t nodes = crl_topology_nodes(problem->topology);
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
    uint32_t most = exchanges(o->problem) ? o->run.held_most : o->problem->active_count;
    if (o->depth) most = o->depth;
    return most ? most : 1;
}

static uint32_t payload(const struct crl_online *o, uint32_t origin, uint32_t dest)
{
    return (uint32_t)crl_payload(o->problem, origin, dest, 0, &word_geometry, o->seed);
}

static uint64_t link_bits(const struct crl_online *o, const struct crl_link_word *w)
{
    if (w->is_count) return UINT64_C(1) << 63 | w->count;
    uint64_t low = (uint64_t)w->origin << 32 | payload(o, w->origin, w->dest);
    return exchanges(o->problem) ? (uint64_t)w->tag << 56 | (uint64_t)w->dest << 44 | low
                                 : (uint64_t)w->tag << 44 | low;
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_online *o = self;
    const struct crl_link_log *log = &o->run.log;
    if (o->slot == o->run.slots) return 1;
    o->slot++;
    memset(o->valid, 0, sizeof *o->valid * o->run.mesh.nodes);
    for (; o->at < log->count && log->entry[o->at].slot == o->slot; o->at++) {
        const struct crl_link_entry *e = &log->entry[o->at];
        o->valid[e->node] |= UINT32_C(1) << e->port;
        o->data[(size_t)e->node * o->ports + e->port] = link_bits(o, &e->word);
    }
    *valid = o->valid;
    *data = o->data;
    return o->slot == o->run.slots;
}

struct crl_player crl_online_player(struct crl_online *o) { return (struct crl_player){o, step}; }

uint32_t crl_online_behind(const struct crl_online *o, uint32_t node, uint32_t port)
{
    return crl_mesh_step(&o->run.mesh, node, port / 2, port % 2 == CRL_UP ? CRL_DOWN : CRL_UP);
}

uint32_t crl_online_topology_port(const struct crl_online *o, uint32_t port)
{
    const struct crl_mesh *m = &o->run.mesh;
    return m->port[port / 2] + (m->size[port / 2] > 2 ? port % 2 : 0);
}

static bool is_active(const struct crl_problem *problem, uint32_t node)
{
    for (uint32_t i = 0; i < problem->active_count; i++)
        if (problem->active[i] == node) return true;
    return false;
}

uint32_t crl_online_register_count(const struct crl_online *o)
{
    return PAYLOADS + (exchanges(o->problem) ? o->run.mesh.nodes : o->problem->parts);
}

uint32_t crl_online_register(const struct crl_online *o, uint32_t node, uint32_t address)
{
    const struct crl_mesh *m = &o->run.mesh;
    bool exchange = exchanges(o->problem), active = is_active(o->problem, node);
    if (address == 0) return active | (uint32_t)(o->problem->parts > 1) << 1;
    if (address == 1) return node;
    if (address >= 2 && address - 2 < m->dims) {
        uint32_t k = address - 2;
        return (uint32_t)m->ring[k] << 31 | crl_mesh_digit(m, node, k) << 16 | m->size[k];
    }
    if (exchange && address == 4) return crl_online_depth(o);
    if (exchange && (address == 5 || address == 6)) return m->stride[address - 5];
    // Only what this node has to say.
    if (address < PAYLOADS || !active || (exchange && address - PAYLOADS == node)) return 0;
    return payload(o, node, address - PAYLOADS);
}

// ---- what the nodes hold

static uint32_t halves(const struct crl_online *o) { return o->problem->parts > o->run.mesh.dims ? 2 : 1; }

uint32_t crl_online_memories(const struct crl_online *o) { return exchanges(o->problem) ? 4 : 4 * o->run.mesh.dims; }

uint32_t crl_online_memory_part(const struct crl_online *o, uint32_t memory)
{
    if (o->problem->parts == 1) return 0;
    return memory / 4 * halves(o) + (halves(o) == 2 ? memory % 2 : 0);
}

static const char *judge_packet(const struct crl_online *o, uint32_t node, uint32_t origin, uint32_t part,
                                uint32_t found, uint8_t *seen, struct crl_diag *where)
{
    bool exchange = exchanges(o->problem);
    uint32_t parts = o->problem->parts;
    if (origin >= o->run.mesh.nodes || !is_active(o->problem, origin) || (exchange && origin == node) ||
        seen[origin * parts + part]++) {
        crl_fail(where, 0, "node %u holds a packet of node %u, part %u, that it must not, or holds it twice", node,
                 origin, part);
        return "extra";
    }
    uint32_t right = payload(o, origin, exchange ? node : part);
    if (found == right) return NULL;
    crl_fail(where, 0, "node %u, packet of node %u, part %u: %x, but must be %x", node, origin, part, found, right);
    return "wrong";
}

static const char *judge_node(const struct crl_online *o, uint32_t node, const struct crl_online_memory *memory,
                              uint8_t *seen, struct crl_diag *where)
{
    uint32_t parts = o->problem->parts, origin, found;
    memset(seen, 0, (size_t)o->run.mesh.nodes * parts);
    for (uint32_t m = 0; m < crl_online_memories(o); m++)
        for (uint32_t i = 0; memory->held(memory->user, node, m, i, &origin, &found); i++) {
            const char *verdict = judge_packet(o, node, origin, crl_online_memory_part(o, m), found, seen, where);
            if (verdict) return verdict;
            if (!exchanges(o->problem) && m % 4 >= 2) break; // a single packet
        }
    for (uint32_t i = 0; i < o->problem->active_count; i++)
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t a = o->problem->active[i];
            if (seen[a * parts + part] || (exchanges(o->problem) && a == node)) continue;
            crl_fail(where, 0, "node %u has no packet of node %u, part %u", node, a, part);
            return "missing";
        }
    return NULL;
}

const char *crl_online_oracle(const struct crl_online *o, const struct crl_online_memory *memory,
                              struct crl_diag *where)
{
    uint8_t *seen = malloc((size_t)o->run.mesh.nodes * o->problem->parts);
    const char *verdict = seen ? NULL : "memory";
    for (uint32_t v = 0; v < o->run.mesh.nodes && !verdict; v++) verdict = judge_node(o, v, memory, seen, where);
    free(seen);
    return verdict ? verdict : "ok";
}
