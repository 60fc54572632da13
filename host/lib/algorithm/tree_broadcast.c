// SPDX-License-Identifier: Apache-2.0
// Broadcast on any network.
//
// All-port over a tree of quickest ways: a node at distance k, with links that take longer than a slot at delay k, is
// reached in slot k, which is optimal. Single-port every node that has the packet passes it on to one neighbour a slot,
// and those go first behind whom the network is deepest: each slot is a matching of senders and neighbours that is best
// for them in that order. Lots from fixed seeds break ties; the best of several tries is kept. On a product one of them
// goes dimension by dimension, which is optimal on hypercubes and tori of even rings.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum { WORK = 3000000, TRIES_MAX = 2000 };

struct wave {
    const struct crl_topology *topology;
    uint32_t nodes, ports, root, reached;
    uint32_t *depth; // slots of the quickest way from the root
    uint32_t *below; // how many slots further the network reaches behind the node
    uint32_t *slot;  // in which the packet comes to the node; CRL_NONE: it does not yet
    uint32_t *from;  // by whom
    uint32_t *gives; // to whom a node sends in this slot, or CRL_NONE
    uint32_t *seen;  // senders already asked on the way, by stamp
    uint32_t stamp;
    uint32_t *list; // nodes that could be reached in this slot
    uint64_t *key;  // their order
    uint32_t *order;
};

static void wave_done(struct wave *w)
{
    free(w->depth);
    free(w->order);
    free(w->key);
}

static uint64_t key_of(const void *keys, uint32_t i) { return ((const uint64_t *)keys)[i]; }

static uint64_t key_depth(const void *depth, uint32_t node) { return ((const uint32_t *)depth)[node]; }

// Whether port p of v is one of those over which a quickest way comes, and from which node.
static bool comes_from(const struct wave *w, uint32_t v, uint32_t port, uint32_t *from)
{
    *from = crl_topology_behind(w->topology, v, port);
    return *from != CRL_NONE && w->depth[*from] + crl_topology_latency(w->topology, *from, port) == w->depth[v];
}

// below[u] is the most of u's children in the graph of quickest ways, and the way to them.
static int measure(struct wave *w)
{
    uint32_t height = 0;
    for (uint32_t v = 0; v < w->nodes; v++) {
        w->depth[v] = crl_topology_delay(w->topology, w->root, v);
        if (w->depth[v] > height) height = w->depth[v];
        w->below[v] = 0;
        w->order[v] = v;
    }
    int error = crl_sort_order(w->order, w->nodes, key_depth, w->depth, height);
    for (uint32_t i = w->nodes; i-- > 1 && !error;) {
        uint32_t v = w->order[i], u;
        for (uint32_t p = 0; p < w->ports; p++) {
            if (!comes_from(w, v, p, &u)) continue;
            uint32_t way = w->below[v] + w->depth[v] - w->depth[u];
            if (way > w->below[u]) w->below[u] = way;
        }
    }
    return error;
}

static int wave_init(struct wave *w, const struct crl_topology *topology, uint32_t root)
{
    uint32_t n = crl_topology_nodes(topology);
    *w = (struct wave){.topology = topology, .nodes = n, .ports = crl_topology_ports(topology), .root = root};
    w->depth = calloc(7 * (size_t)n, sizeof *w->depth);
    w->order = calloc(n, sizeof *w->order);
    w->key = calloc(n, sizeof *w->key);
    if (!w->depth || !w->order || !w->key) return CRL_ERR_MEMORY;
    w->below = w->depth + n;
    w->slot = w->below + n;
    w->from = w->slot + n;
    w->gives = w->from + n;
    w->seen = w->gives + n;
    w->list = w->seen + n;
    return measure(w);
}

// Finds a sender for v, who may take one from another node if that finds another.
static bool find_sender(struct wave *w, uint32_t v, uint32_t slot, uint32_t first)
{
    for (uint32_t k = 0; k < w->ports; k++) {
        uint32_t u = crl_topology_behind(w->topology, v, (first + k) % w->ports);
        if (u == CRL_NONE || w->slot[u] >= slot || w->seen[u] == w->stamp) continue;
        w->seen[u] = w->stamp;
        if (w->gives[u] != CRL_NONE && !find_sender(w, w->gives[u], slot, first)) continue;
        w->gives[u] = v;
        w->from[v] = u;
        return true;
    }
    return false;
}

// Nodes not reached that have a neighbour who is, deepest behind them first.
static int list_next(struct wave *w, uint32_t slot, uint64_t *random, uint32_t *count)
{
    *count = 0;
    uint64_t most = 0;
    for (uint32_t v = 0; v < w->nodes; v++) {
        bool near = false;
        for (uint32_t p = 0; p < w->ports && w->slot[v] == CRL_NONE && !near; p++) {
            uint32_t u = crl_topology_behind(w->topology, v, p);
            near = u != CRL_NONE && w->slot[u] < slot;
        }
        if (!near) continue;
        uint64_t key = (uint64_t)(w->below[w->root] - w->below[v]) << 8 | (crl_random(random) & 0xff);
        if (key > most) most = key;
        w->key[*count] = key;
        w->order[*count] = *count;
        w->list[(*count)++] = v;
    }
    return crl_sort_order(w->order, *count, key_of, w->key, most);
}

// One broadcast; returns its slots, or a negative error.
static int64_t spread(struct wave *w, uint64_t seed)
{
    uint64_t random = seed;
    uint32_t slot = 0, last = 0, count;
    for (uint32_t v = 0; v < w->nodes; v++) w->slot[v] = CRL_NONE;
    w->slot[w->root] = 0;
    for (w->reached = 1; w->reached < w->nodes;) {
        slot++;
        int error = list_next(w, slot, &random, &count);
        if (error) return error;
        for (uint32_t v = 0; v < w->nodes; v++) w->gives[v] = CRL_NONE;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t v = w->list[w->order[i]];
            w->stamp++;
            find_sender(w, v, slot, (uint32_t)(crl_random(&random) % w->ports));
        }
        for (uint32_t u = 0; u < w->nodes; u++) {
            if (w->gives[u] == CRL_NONE) continue;
            uint32_t arrival = crl_arrival_slot(w->topology, slot, u, w->gives[u]);
            w->slot[w->gives[u]] = arrival;
            if (arrival > last) last = arrival;
            w->reached++;
        }
    }
    return last;
}

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
static int64_t spread_by_dimensions(struct wave *w)
{
    const struct crl_topology *t = w->topology;
    uint32_t slots = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t root = w->root / f->stride % f->size, last = 0, from;
        for (uint32_t v = 0; v < t->nodes; v++) {
            uint32_t y = v / f->stride % f->size;
            if (y == root || v / f->stride / f->size != w->root / f->stride / f->size) continue;
            uint32_t slot = reach_digit(f, root, y, &from);
            if (slot > last) last = slot;
            w->slot[v] = slots + slot;
            w->from[v] = v - y * f->stride + from * f->stride;
        }
        slots += last;
    }
    return slots;
}

// Leaves the best of several tries in w.
static int64_t spread_well(struct wave *w, uint64_t bound)
{
    uint64_t best_seed = 0;
    bool product = w->topology->factor_count > 0 && !crl_topology_has(w->topology, CRL_GRAPH) &&
                   crl_topology_latency_max(w->topology) == 1;
    int64_t least = product ? spread_by_dimensions(w) : INT64_MAX, slots = least, by_dimensions = least;
    uint64_t tries = 1 + WORK / ((uint64_t)w->nodes * w->ports * (bound + 1));
    if (tries > TRIES_MAX) tries = TRIES_MAX;
    for (uint64_t seed = 0; seed < tries && least > (int64_t)bound; seed++) {
        slots = spread(w, seed);
        if (slots < 0) return slots;
        if (slots < least) best_seed = seed;
        if (slots < least) least = slots;
    }
    if (slots == least) return slots; // the last try is the best
    return product && least == by_dimensions ? spread_by_dimensions(w) : spread(w, best_seed);
}

static void spread_everywhere(struct wave *w)
{
    for (uint32_t v = 0; v < w->nodes; v++) {
        uint32_t from;
        w->slot[v] = w->depth[v];
        for (uint32_t p = 0; p < w->ports && v != w->root; p++)
            if (comes_from(w, v, p, &from)) w->from[v] = from;
    }
}

static int plan_tree_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct wave w;
    int64_t error = wave_init(&w, problem->topology, problem->root);
    if (!error && problem->ports == CRL_PORTS_ALL) spread_everywhere(&w);
    else if (!error) error = spread_well(&w, crl_problem_bound_slots(problem));
    if (error > 0) error = 0; // slots
    for (uint32_t v = 0; v < w.nodes && !error; v++) {
        if (v == w.root) continue;
        uint32_t slot = w.slot[v] + 1 - crl_topology_link_latency(w.topology, w.from[v], v);
        error = crl_schedule_add(schedule, (struct crl_move){slot, w.from[v], v, w.root, 0});
    }
    wave_done(&w);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_tree_broadcast[] = {
    {"broadcast", "bfs", "any", "eccentricity (all ports)", NULL, "farthest to go first", .plan = plan_tree_broadcast,
     .claim = crl_claim_far},
    {"broadcast", "latency", "any with link latencies", "weighted eccentricity (all ports)", NULL,
     "quickest ways; single-port slot by slot, farthest to go first", .handles = CRL_HANDLES_LATENCY,
     .applies = crl_applies_latency, .plan = plan_tree_broadcast, .claim = crl_claim_far},
    {0}};
