// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on the hypercube in ⌈(2^d−1)/d⌉ slots: Bertsekas et al. 1991, Section 2.
//
// One broadcast tree from node 0 whose links of each slot have distinct dimensions; its translates to all origins never
// meet on a link. Strings are numbered in class order; string number n is reached in slot ⌈n/d⌉ over dimension m(n),
// from the string with that bit cleared. The first member of a class may be any with that bit set (but for the first
// class of each weight, whose ones must begin there). Among the candidates we take the one whose parent is needed
// latest anyway: then the parent's packet need not be kept much longer, which lowers the number of packets a node must
// hold.
#include "algorithm/algorithm.h"
#include "algorithm/classes.h"
#include "base/base.h"

struct tree {
    uint32_t d;
    uint32_t *needed; // [2^d] last slot in which a string sends, or in which it was reached
};

static uint32_t choose_first(const struct tree *tree, uint32_t smallest, uint32_t size, uint32_t position)
{
    uint32_t best = CRL_NONE, best_needed = 0;
    for (uint32_t r = 0; r < size; r++) {
        uint32_t x = crl_rotate(smallest, r, tree->d);
        if (!(x >> position & 1)) continue;
        uint32_t needed = tree->needed[x ^ UINT32_C(1) << position];
        if (best == CRL_NONE || needed > best_needed || (needed == best_needed && x < best)) {
            best = x;
            best_needed = needed;
        }
    }
    return best;
}

static void reach(struct tree *tree, struct crl_schedule *schedule, uint32_t t, uint32_t n)
{
    uint32_t bit = UINT32_C(1) << crl_class_position(n, tree->d), slot = crl_class_slot(n, tree->d), parent = t ^ bit;
    tree->needed[t] = tree->needed[parent] = slot;
    // The packet of node 0 goes from `parent` to t, so that of node `parent` goes from 0 to `bit`.
    crl_schedule_add(schedule, (struct crl_move){.slot = slot, .src = 0, .dst = bit, .origin = parent});
}

static int plan_hypercube_multinode_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                              struct crl_diag *diag)
{
    uint32_t d = crl_topology_ports(problem->topology), strings = UINT32_C(1) << d, n = 1;
    struct crl_classes classes;
    struct tree tree = {.d = d};
    struct crl_pool pool = {0};
    CRL_ZEROED(&pool, tree.needed, strings);
    int error = crl_classes_new(&classes, &pool, d);
    for (uint32_t c = 0; !error && c < classes.count; c++) {
        uint32_t position = crl_class_position(n, d), smallest = classes.smallest[c];
        bool block = !(smallest & (smallest + 1)); // 0…01…1: the first class of its weight
        uint32_t first =
            block ? crl_rotate(smallest, position, d) : choose_first(&tree, smallest, classes.size[c], position);
        for (uint32_t i = 0; i < classes.size[c]; i++) reach(&tree, schedule, crl_rotate(first, i, d), n++);
    }
    if (!error) reach(&tree, schedule, strings - 1, n);
    crl_pool_done(&pool);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_hypercube_multinode_broadcast[] = {
    {"multinode-broadcast", "rotation", "hypercube", "ceil((2^d-1)/d)", "B91 Sec. 2",
     "translates of one tree with distinct dimensions in every slot", .ports = CRL_FOR_ALL_PORTS,
     .applies = crl_is_hypercube, .plan = plan_hypercube_multinode_broadcast, .symmetric = crl_is_any,
     .claim = crl_claim_cube},
    {0}};
