// SPDX-License-Identifier: Apache-2.0
// What a node of on-line routers must hold after a part of the partial multinode broadcast: from the problem alone.
#include "base/base.h"
#include "machine/online/online.h"
#include <stdlib.h>

enum { UPWARD, DOWNWARD, OWN, OWN_OTHER_HALF, MEMORIES }; // of engine 0
enum { PREFIX = 0, TOTAL = 1 };                           // the same, after parallel prefix

// A memory of a single entry; false where it has none.
static bool single(const struct crl_online_memory *memory, uint32_t node, uint32_t which, uint32_t *who,
                   uint32_t *found)
{
    return memory->held(memory->user, node, which, 0, who, found);
}

const char *crl_online_judge_sums(const struct crl_online *o, uint32_t node, const struct crl_online_memory *memory,
                                  struct crl_diag *where)
{
    uint32_t sum[2] = {0, 0}, who, found;
    for (uint32_t v = 0; v < o->run.mesh.nodes; v++) {
        if (v <= node) sum[PREFIX] += crl_online_value(o, v);
        sum[TOTAL] += crl_online_value(o, v);
    }
    for (uint32_t which = PREFIX; which <= TOTAL; which++) {
        const char *name = which == PREFIX ? "the sum up to it" : "the sum of all";
        if (!single(memory, node, which, &who, &found)) {
            crl_fail(where, 0, "node %u has not %s", node, name);
            return "missing";
        }
        if (found == sum[which]) continue;
        crl_fail(where, 0, "node %u: %s is %x, but must be %x", node, name, found, sum[which]);
        return "wrong";
    }
    return NULL;
}

const char *crl_online_judge_routed(const struct crl_online *o, uint32_t node, const struct crl_online_memory *memory,
                                    struct crl_diag *where)
{
    const struct crl_problem *p = o->problem;
    uint32_t rank = 0, who, found;
    while (rank < p->active_count && (p->dests ? p->dests[rank] : rank) != node) rank++;
    for (uint32_t which = 0; which < MEMORIES; which++) {
        bool wanted = which == OWN && rank < p->active_count;
        if (single(memory, node, which, &who, &found) == wanted) continue;
        crl_fail(where, 0, wanted ? "node %u has no packet" : "node %u holds a packet that it must not", node);
        return wanted ? "missing" : "extra";
    }
    if (!single(memory, node, OWN, &who, &found)) return NULL;
    uint32_t right = crl_online_payload(o, p->active[rank], node), name = p->dests ? node : p->active[rank];
    if (who == name && found == right) return NULL;
    crl_fail(where, 0, "node %u holds packet %u with %x, but must hold %u with %x", node, who, found, name, right);
    return "wrong";
}

// A packet of the same line: which part it is its payload says. `next` is where to look first.
static const char *judge_packet(const struct crl_online *o, uint32_t node, uint32_t origin, uint32_t found,
                                uint8_t *seen, uint32_t *next, struct crl_diag *where)
{
    const struct crl_problem *p = o->problem;
    bool known = origin < o->run.mesh.nodes && crl_problem_wants(p, origin, 0, node);
    uint32_t parts = known ? (p->starts[origin + 1] - p->starts[origin]) * p->parts : 0;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t part = (next[origin] + i) % parts;
        if (crl_online_payload(o, origin, part) != found) continue;
        next[origin] = part + 1;
        if (!seen[crl_problem_index(p, origin, part)]++) return NULL;
        crl_fail(where, 0, "node %u holds packet %u.%u twice", node, origin, part);
        return "extra";
    }
    crl_fail(where, 0, "node %u holds %x as a packet of node %u, which has none like it for this line", node, found,
             origin);
    return "wrong";
}

static const char *judge_line(const struct crl_online *o, uint32_t node, const struct crl_online_memory *memory,
                              uint8_t *seen, uint32_t *next, struct crl_diag *where)
{
    uint32_t origin, found;
    const char *verdict = NULL;
    for (uint32_t m = UPWARD; m < MEMORIES; m++)
        for (uint32_t i = 0; memory->held(memory->user, node, m, i, &origin, &found) && !verdict; i++) {
            verdict = judge_packet(o, node, origin, found, seen, next, where);
            if (m >= OWN) break; // a single packet
        }
    for (uint64_t i = 0; i < crl_problem_packets(o->problem) && !verdict; i++) {
        uint32_t part;
        crl_problem_packet(o->problem, i, &origin, &part);
        if (seen[i] || !crl_problem_wants(o->problem, origin, part, node)) continue;
        crl_fail(where, 0, "node %u has no packet %u.%u", node, origin, part);
        verdict = "missing";
    }
    return verdict;
}

const char *crl_online_judge_line(const struct crl_online *o, uint32_t node, const struct crl_online_memory *memory,
                                  struct crl_diag *where)
{
    CRL_OWNED uint8_t *seen = calloc(crl_problem_packets(o->problem) + 1, 1);
    CRL_OWNED uint32_t *next = calloc(o->run.mesh.nodes, sizeof *next);
    return seen && next ? judge_line(o, node, memory, seen, next, where) : "memory";
}
