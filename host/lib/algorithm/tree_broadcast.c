// SPDX-License-Identifier: Apache-2.0
// Broadcast on any network.
//
// All-port over a tree of quickest ways: a node at distance k, with links that take longer than a slot at delay k, is
// reached in slot k, which is optimal. Single-port on products dimension by dimension, in no time and optimal on
// hypercubes and tori of even rings; where that misses the bound the packet spreads slot by slot (spread.c).
#include "algorithm/algorithm.h"
#include "topology/topology.h"
#include <stdlib.h>

struct reached {
    uint32_t slot, from; // in which the packet comes to a node, and from which
};

// Single-port broadcast within a factor from digit `root`: the slot in which digit y is reached, and from which digit.
// A complete graph doubles the nodes that have the packet; a ring or a path sends both ways, the longer first.
static uint32_t reach_digit(const struct crl_factor *f, uint32_t root, uint32_t y, uint32_t *from)
{
    uint32_t m = f->size, offset = (y + m - root) % m;
    if (f->shape == CRL_COMPLETE || m == 2) {
        uint32_t slot = crl_bits_for(offset + UINT64_C(1));
        *from = slot ? (root + offset - (UINT32_C(1) << (slot - 1))) % m : y;
        return slot;
    }
    if (f->shape == CRL_RING) {
        bool up = offset <= m / 2;
        *from = up ? (y + m - 1) % m : (y + 1) % m;
        return up ? offset : m - offset + 1;
    }
    uint32_t above = m - 1 - root;
    *from = y > root ? y - 1 : y + 1;
    return y > root ? y - root + (above < root) : root - y + (y < root && above >= root);
}

// Dimension by dimension; returns the slots.
static uint32_t reach_by_dimensions(struct reached *node, const struct crl_topology *t, uint32_t root_node)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t root = root_node / f->stride % f->size, last = 0, from;
        for (uint32_t v = 0; v < t->nodes; v++) {
            uint32_t y = v / f->stride % f->size;
            if (y == root || v / f->stride / f->size != root_node / f->stride / f->size) continue;
            uint32_t slot = reach_digit(f, root, y, &from);
            if (slot > last) last = slot;
            node[v] = (struct reached){slots + slot, v - y * f->stride + from * f->stride};
        }
        slots += last;
    }
    return slots;
}

static void reach_quickly(struct reached *node, const struct crl_topology *t, uint32_t root)
{
    for (uint32_t v = 0; v < t->nodes; v++) node[v].slot = crl_topology_delay(t, root, v);
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = 0; p < t->ports && v != root; p++) {
            uint32_t from = crl_topology_behind(t, v, p);
            if (from == CRL_NONE || node[from].slot + crl_topology_latency(t, from, p) != node[v].slot) continue;
            node[v].from = from;
        }
}

// Whether the dimensions are as quick as anything.
static bool reach_one_by_one(struct reached *node, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    if (!t->factor_count || crl_topology_has(t, CRL_GRAPH) || crl_topology_latency_max(t) > 1) return false;
    return reach_by_dimensions(node, t, problem->root) <= crl_problem_bound_slots(problem);
}

static int plan_tree_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct reached *node = calloc(t->nodes, sizeof *node);
    int error = node ? 0 : CRL_ERR_MEMORY;
    bool all = problem->ports == CRL_PORTS_ALL;
    if (!error && all) reach_quickly(node, t, problem->root);
    if (!error && !all && !reach_one_by_one(node, problem)) {
        free(node);
        return crl_plan_spread(schedule, problem, diag);
    }
    for (uint32_t v = 0; v < t->nodes && !error; v++) {
        if (v == problem->root) continue;
        uint32_t slot = node[v].slot + 1 - crl_topology_link_latency(t, node[v].from, v);
        error = crl_schedule_add(schedule, (struct crl_move){slot, node[v].from, v, problem->root, 0});
    }
    free(node);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_tree_broadcast[] = {
    {"broadcast", "bfs", "any", "eccentricity (all ports)", NULL, "farthest to go first", .plan = plan_tree_broadcast,
     .claim = crl_claim_far},
    {"broadcast", "latency", "any with link latencies", "weighted eccentricity (all ports)", NULL,
     "quickest ways; single-port slot by slot, farthest to go first", .handles = CRL_HANDLES_LATENCY,
     .applies = crl_applies_latency, .plan = plan_tree_broadcast, .claim = crl_claim_far},
    {0}};
