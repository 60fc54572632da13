// SPDX-License-Identifier: Apache-2.0
// Scatter and gather on the hypercube in ⌈(2^d−1)/d⌉ slots over d·2^(d−1) links: Bertsekas et al. 1991, Section 3.
//
// A shortest-path spanning tree whose d subtrees differ by at most one node. Down each subtree the root sends one
// packet a slot, farthest destinations first, and nobody else waits. Gather is the same in reversed time.
#include "algorithm/algorithm.h"
#include "algorithm/classes.h"
#include "base/base.h"
#include <string.h>

// A member with its right bit set and its left bit clear, less the 1 to the right of its leftmost longest run of zeros.
// What remains has one longest run, so its class has d members.
static uint32_t clear_after_longest_run(uint32_t s, uint32_t d)
{
    uint32_t run = 0, longest = 0, end = 0;
    for (uint32_t i = d; i-- > 0;) {
        if (s >> i & 1) {
            if (run > longest) {
                longest = run;
                end = i;
            }
            run = 0;
        } else {
            run++;
        }
    }
    return s & ~(UINT32_C(1) << end);
}

// Fills parent[t] and subtree[t] (from 0) of the balanced tree; returns 0 or CRL_ERR_MEMORY.
static int grow_tree(uint32_t d, struct crl_pool *pool, uint32_t *parent, uint8_t *subtree)
{
    struct crl_classes classes;
    uint32_t n = 1, full = (UINT32_C(1) << d) - 1;
    int error = crl_classes_new(&classes, pool, d);
    if (error) return error;
    for (uint32_t c = 0; c < classes.count; c++) {
        uint32_t s = classes.smallest[c]; // ends in 1 and begins with 0: it is the smallest of its rotations
        uint32_t above = s == 1 ? 0 : clear_after_longest_run(s, d);
        uint32_t position = crl_class_position(n, d);
        uint32_t turn = above ? (position + d - subtree[above]) % d : position;
        for (uint32_t i = 0; i < classes.size[c]; i++, n++) {
            uint32_t t = crl_rotate(s, turn + i, d);
            parent[t] = crl_rotate(above, turn + i, d);
            subtree[t] = (uint8_t)crl_class_position(n, d);
        }
    }
    subtree[full] = (uint8_t)crl_class_position(n, d);
    parent[full] = 0; // d = 1: the root itself
    for (uint32_t p = 0; p < d && d > 1; p++) {
        uint32_t t = full ^ UINT32_C(1) << p;
        if (subtree[t] == subtree[full]) parent[full] = t;
    }
    return 0;
}

// Adds the hops of the packets of every destination, farthest first within each subtree.
static void send_down(struct crl_schedule *schedule, uint32_t d, uint32_t root, const uint32_t *parent,
                      const uint8_t *subtree)
{
    uint32_t next[CRL_PORTS_MAX] = {0}; // packets sent down each subtree so far
    for (uint32_t weight = d; weight > 0; weight--)
        for (uint32_t t = 1; t < UINT32_C(1) << d; t++) {
            if ((uint32_t)__builtin_popcount(t) != weight) continue;
            uint32_t slot = next[subtree[t]]++ + weight;
            for (uint32_t v = t; v; v = parent[v], slot--) {
                struct crl_move move = {slot, parent[v] ^ root, v ^ root, root, t ^ root};
                crl_schedule_add(schedule, move);
            }
        }
}

static int plan_hypercube_scatter(struct crl_schedule *schedule, const struct crl_problem *problem,
                                  struct crl_diag *diag)
{
    uint32_t d = crl_topology_ports(problem->topology);
    struct crl_pool pool = {0};
    uint32_t *parent = CRL_ZEROED(&pool, parent, UINT32_C(1) << d);
    uint8_t *subtree = CRL_ZEROED(&pool, subtree, UINT32_C(1) << d);
    int error = grow_tree(d, &pool, parent, subtree);
    if (!error) send_down(schedule, d, problem->root, parent, subtree);
    crl_pool_done(&pool);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_hypercube_scatter[] = {
    {"scatter", "balanced", "hypercube", "ceil((2^d-1)/d)", "B91 Sec. 3",
     "perfectly balanced spanning tree, farthest first", .ports = CRL_FOR_ALL_PORTS, .applies = crl_is_hypercube,
     .plan = plan_hypercube_scatter, .cost = {.row_ns = 200}, .claim = crl_claim_cube},
    {0}};
