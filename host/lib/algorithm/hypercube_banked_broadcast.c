// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on the hypercube in the ⌈(2^d−1)/d⌉ slots of Bertsekas et al. 1991, Section 2, for a router that
// stores each packet in the bank of the port it came through: no two distinct packets that came through one port are
// sent in the same slot.
//
// As in the paper, strings are numbered by weight and class, string n is reached in slot ⌈n/d⌉ over position m(n), and
// the members of a class follow each other by rotation. A class that begins with a slot has no conflict: its parents
// are rotations of each other, and so are the ports they came through. Conflicts arise where a slot holds parts of two
// classes, which it does from the first class of fewer than d members on. But the order of the classes of a weight is
// free, and so is the first member; we draw them by lot, keep what has no conflict, and start the weight over at a dead
// end. A schedule without waiting (see hypercube_nowait.c) has no conflicts either, but it is not known for every d.
#include "algorithm/algorithm.h"
#include "algorithm/classes.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

// d = 16 was not found within a minute.
enum { DIMENSIONS_MAX = 15, SEEDS = 2000, TRIES_PER_WEIGHT = 200 };

struct tree {
    struct crl_classes classes;
    uint32_t d, strings;
    uint64_t random;
    uint32_t *slot;   // [2^d] in which a string is reached
    uint8_t *port;    // [2^d] over which
    uint32_t *sender; // [(slots + 1)·d] the string that came over a port and sends in a slot, or 0
    uint32_t *order;  // [classes.count] a permutation of the classes that keeps the weights in order
};

static uint32_t random_below(struct tree *tree, uint32_t n)
{
    tree->random = tree->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((tree->random >> 32) * n) >> 32);
}

static uint32_t *sender_of(struct tree *tree, uint32_t slot, uint32_t parent)
{
    return &tree->sender[(size_t)slot * tree->d + tree->port[parent]];
}

// Reaches t as string number n, if its parent is there and its bank is free.
static bool reach(struct tree *tree, uint32_t t, uint32_t n)
{
    uint32_t port = crl_class_position(n, tree->d), slot = crl_class_slot(n, tree->d), parent = t ^ UINT32_C(1) << port;
    if (parent) {
        uint32_t *sender = sender_of(tree, slot, parent);
        if (!tree->slot[parent] || tree->slot[parent] >= slot || (*sender && *sender != parent)) return false;
        *sender = parent;
    }
    tree->slot[t] = slot;
    tree->port[t] = (uint8_t)port;
    return true;
}

// Forgets the strings of class i; the senders are worked out again by reach_class.
static void forget_class(struct tree *tree, uint32_t i)
{
    for (uint32_t r = 0; r < tree->classes.size[i]; r++)
        tree->slot[crl_rotate(tree->classes.smallest[i], r, tree->d)] = 0;
}

// Reaches class i from number n on, beginning with any member that has bit m(n).
static bool reach_class(struct tree *tree, uint32_t i, uint32_t n)
{
    uint32_t d = tree->d, size = tree->classes.size[i], first_slot = crl_class_slot(n, d),
             last_slot = crl_class_slot(n + size - 1, d);
    uint32_t *row = &tree->sender[(size_t)first_slot * d], before[CRL_PORTS_MAX], lot = random_below(tree, size);
    memcpy(before, row, sizeof *row * d); // only the first slot can have other senders
    for (uint32_t r = 0; r < size; r++) {
        uint32_t first = crl_rotate(tree->classes.smallest[i], (lot + r) % size, d), k = 0;
        if (!(first >> crl_class_position(n, d) & 1)) continue;
        while (k < size && reach(tree, crl_rotate(first, k, d), n + k)) k++;
        if (k == size) return true;
        memcpy(row, before, sizeof *row * d);
        if (last_slot > first_slot) memset(row + d, 0, sizeof *row * d);
        forget_class(tree, i);
    }
    return false;
}

// Reaches the classes order[from…to), of one weight, from number n on, in an order drawn by lot.
static bool reach_weight(struct tree *tree, uint32_t from, uint32_t to, uint32_t n)
{
    for (uint32_t at = from; at < to; at++) {
        uint32_t lot = random_below(tree, to - at), k = 0, left = to - at;
        while (k < left && !reach_class(tree, tree->order[at + (lot + k) % left], n)) k++;
        if (k == left) return false;
        uint32_t *chosen = &tree->order[at + (lot + k) % left], swap = *chosen;
        *chosen = tree->order[at];
        tree->order[at] = swap;
        n += tree->classes.size[swap];
    }
    return true;
}

// The string 1…1 comes last, over any port free in its slot.
static bool reach_last(struct tree *tree)
{
    uint32_t full = tree->strings - 1, slot = crl_class_slot(full, tree->d);
    for (uint32_t n = full; crl_class_slot(n, tree->d) == slot; n++)
        if (reach(tree, full, n)) return true;
    return false;
}

// Undoes a failed attempt at the classes order[from…to) from number n on. `row` is the first slot's senders from
// before.
static void undo_weight(struct tree *tree, uint32_t from, uint32_t to, uint32_t n, const uint32_t *row)
{
    uint32_t d = tree->d, first = crl_class_slot(n, d), end = crl_class_slot(tree->strings - 1, d) + 1;
    for (uint32_t at = from; at < to; at++) forget_class(tree, tree->order[at]);
    memcpy(&tree->sender[(size_t)first * d], row, sizeof *row * d);
    memset(&tree->sender[(size_t)(first + 1) * d], 0, sizeof *row * d * (end - first - 1));
}

static bool search(struct tree *tree, uint64_t seed)
{
    uint32_t n = 1, to, row[CRL_PORTS_MAX], slots = crl_class_slot(tree->strings - 1, tree->d);
    tree->random = seed;
    memset(tree->slot, 0, sizeof *tree->slot * tree->strings);
    memset(tree->sender, 0, sizeof *tree->sender * (slots + 1) * tree->d);
    for (uint32_t i = 0; i < tree->classes.count; i++) tree->order[i] = i;
    for (uint32_t from = 0; from < tree->classes.count; from = to) {
        uint32_t weight = (uint32_t)__builtin_popcount(tree->classes.smallest[from]), tries = 0, members = 0;
        for (to = from; to < tree->classes.count && (uint32_t)__builtin_popcount(tree->classes.smallest[to]) == weight;
             to++)
            members += tree->classes.size[to];
        memcpy(row, &tree->sender[(size_t)crl_class_slot(n, tree->d) * tree->d], sizeof *row * tree->d);
        while (!reach_weight(tree, from, to, n)) {
            if (++tries == TRIES_PER_WEIGHT) return false;
            undo_weight(tree, from, to, n, row);
        }
        n += members;
    }
    return reach_last(tree);
}

static int emit(const struct tree *tree, struct crl_schedule *schedule)
{
    int error = 0;
    for (uint32_t t = 1; t < tree->strings && !error; t++) {
        uint32_t bit = UINT32_C(1) << tree->port[t];
        error = crl_schedule_add(schedule, (struct crl_move){.slot = tree->slot[t], .dst = bit, .origin = t ^ bit});
    }
    return error;
}

static int plan_hypercube_banked_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                           struct crl_diag *diag)
{
    uint32_t d = crl_topology_ports(problem->topology), strings = UINT32_C(1) << d;
    if (d == 4) return crl_plan_hypercube_nowait_broadcast(schedule, problem, diag); // the lots never succeed there
    struct tree tree = {.d = d, .strings = strings};
    int error = crl_classes_new(&tree.classes, d);
    tree.slot = calloc(strings, sizeof *tree.slot);
    tree.port = calloc(strings, sizeof *tree.port);
    tree.sender = calloc((size_t)(crl_class_slot(strings, d) + 1) * d, sizeof *tree.sender);
    tree.order = calloc((size_t)tree.classes.count + 1, sizeof *tree.order);
    if (!tree.slot || !tree.port || !tree.sender || !tree.order) error = CRL_ERR_MEMORY;
    bool found = false;
    for (uint64_t seed = 1; seed <= SEEDS && !found && !error; seed++) found = search(&tree, seed);
    if (found) error = emit(&tree, schedule);
    crl_classes_done(&tree.classes);
    free(tree.slot);
    free(tree.port);
    free(tree.sender);
    free(tree.order);
    if (!error && !found)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "no input-banked schedule was found for %s; that does not mean there is none",
                        crl_topology_name(problem->topology));
    return error ? crl_fail_memory(diag) : 0;
}

static bool applies_hypercube_banked_broadcast(const struct crl_problem *problem)
{
    return crl_is_hypercube(problem) && crl_topology_ports(problem->topology) <= DIMENSIONS_MAX;
}

const struct crl_algorithm crl_rows_hypercube_banked_broadcast[] = {
    {"multinode-broadcast", "banked", "hypercube", "ceil((2^d-1)/d)", "after B91 Sec. 2",
     "no two packets from one port leave together; d to 15", .ports = CRL_FOR_ALL_PORTS, .handles = CRL_HANDLES_ONE_WAY,
     .router = CRL_ROUTER_BANKED, .applies = applies_hypercube_banked_broadcast,
     .plan = plan_hypercube_banked_broadcast, .symmetric = crl_is_any, .claim = crl_claim_cube},
    {0}};
