// SPDX-License-Identifier: Apache-2.0
// What the nodes of on-line routers must hold in the end.
#include "machine/online/online.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

static bool exchanges(const struct crl_online *o) { return crl_online_kind_of(o->problem) == CRL_ONLINE_EXCHANGE; }

static uint32_t halves(const struct crl_online *o) { return o->problem->parts > o->run.mesh.dims ? 2 : 1; }

static uint32_t memories_of(const struct crl_online *o) { return exchanges(o) ? 1 : 4 * o->run.mesh.dims; }

// The part of the packets in a memory; 0 where packets are whole.
static uint32_t part_of(const struct crl_online *o, uint32_t memory)
{
    if (o->problem->parts == 1) return 0;
    return memory / 4 * halves(o) + (halves(o) == 2 ? memory % 2 : 0);
}

static bool model_held(void *user, uint32_t node, uint32_t memory, uint32_t address, uint32_t *origin,
                       uint32_t *payload)
{
    const struct crl_online *o = user;
    if (memory % 4 >= 2) return false; // its own packets are in the lists
    const uint32_t *first = &o->run.kept_first[(node * o->run.mesh.dims + memory / 4) * 2 + memory % 4];
    if (address >= first[1] - first[0]) return false;
    *origin = o->run.kept[first[0] + address];
    *payload = crl_online_payload(o, *origin, part_of(o, memory));
    return true;
}

struct crl_online_memory crl_online_model_memory(struct crl_online *o)
{
    return (struct crl_online_memory){model_held, o};
}

static const char *judge_packet(const struct crl_online *o, uint32_t node, uint32_t origin, uint32_t part,
                                uint32_t found, uint8_t *seen, struct crl_diag *where)
{
    bool exchange = exchanges(o);
    uint32_t parts = o->problem->parts;
    if (origin >= o->run.mesh.nodes || !crl_online_is_active(o->problem, origin) || (exchange && origin == node) ||
        seen[origin * parts + part]++) {
        crl_fail(where, 0, "node %u holds a packet of node %u, part %u, that it must not, or holds it twice", node,
                 origin, part);
        return "extra";
    }
    uint32_t right = crl_online_payload(o, origin, exchange ? node : part);
    if (found == right) return NULL;
    crl_fail(where, 0, "node %u, packet of node %u, part %u: %x, but must be %x", node, origin, part, found, right);
    return "wrong";
}

static const char *judge_node(const struct crl_online *o, uint32_t node, const struct crl_online_memory *memory,
                              uint8_t *seen, struct crl_diag *where)
{
    uint32_t parts = o->problem->parts, origin, found;
    memset(seen, 0, (size_t)o->run.mesh.nodes * parts);
    for (uint32_t m = 0; m < memories_of(o); m++)
        for (uint32_t i = 0; memory->held(memory->user, node, m, i, &origin, &found); i++) {
            const char *verdict = judge_packet(o, node, origin, part_of(o, m), found, seen, where);
            if (verdict) return verdict;
            if (!exchanges(o) && m % 4 >= 2) break; // a single packet
        }
    for (uint32_t i = 0; i < o->problem->active_count; i++)
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t a = o->problem->active[i];
            if (seen[a * parts + part] || (exchanges(o) && a == node)) continue;
            crl_fail(where, 0, "node %u has no packet of node %u, part %u", node, a, part);
            return "missing";
        }
    return NULL;
}

const char *crl_online_oracle(const struct crl_online *o, const struct crl_online_memory *memory,
                              struct crl_diag *where)
{
    CRL_OWNED uint8_t *seen = malloc((size_t)o->run.mesh.nodes * o->problem->parts);
    const char *verdict = seen ? NULL : "memory";
    for (uint32_t v = 0; v < o->run.mesh.nodes && !verdict; v++) {
        switch (crl_online_kind_of(o->problem)) {
        case CRL_ONLINE_PREFIX: verdict = crl_online_judge_sums(o, v, memory, where); break;
        case CRL_ONLINE_PACKING:
        case CRL_ONLINE_ROUTING: verdict = crl_online_judge_routed(o, v, memory, where); break;
        case CRL_ONLINE_LINES: verdict = crl_online_judge_line(o, v, memory, where); break;
        default: verdict = judge_node(o, v, memory, seen, where);
        }
    }
    return verdict ? verdict : "ok";
}
