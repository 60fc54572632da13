// SPDX-License-Identifier: Apache-2.0
// The load of the nodes in a total exchange: a linear program, its dual a bound.
//
// Charge y[v] ≥ 0 for each packet that node v sends. Single-port nobody sends more than T packets in T slots, so all
// charges together are at most T·Σ y. Each packet, whatever its path and however long, pays at least the cheapest path
// between its ends. So
//     T ≥ Σ cheapest(a, b) / Σ y     for any y.
// With all y equal it is the average status of Dimakopoulos & Dimopoulos 1996, Sec. 3. It is larger where the middle of
// a network is on more shortest paths than its corners: y = 0 in the corners of a 4x4 array and 1 elsewhere gives 43,
// not 40. Good prices are found by trial, but any prices prove their bound.
#include "problem/load.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum { PRICE = 1 << 16, ROUNDS = 64, NODES_MAX = 128 }; // PRICE: of the dearest node

struct load {
    const struct crl_topology *topology;
    uint32_t nodes, ports;
    uint32_t *after;    // [node · ports + port] neighbour, or CRL_NONE
    uint32_t *distance; // [node · nodes + dest]
    uint32_t *order;    // nodes by distance to `dest`, nearest first
    uint32_t *price, *through, *sends, *next;
    uint64_t *cost;
};

static void load_done(struct load *l)
{
    free(l->after);
    free(l->cost);
}

static int load_init(struct load *l, const struct crl_topology *t)
{
    uint32_t n = crl_topology_nodes(t), ports = crl_topology_ports(t);
    *l = (struct load){.topology = t, .nodes = n, .ports = ports};
    l->after = malloc(sizeof *l->after * ((size_t)n * ports + (size_t)n * n + 5 * (size_t)n));
    l->cost = malloc(sizeof *l->cost * n);
    if (!l->after || !l->cost) return CRL_ERR_MEMORY;
    l->distance = l->after + (size_t)n * ports;
    l->order = l->distance + (size_t)n * n;
    l->price = l->order + n;
    l->through = l->price + n;
    l->sends = l->through + n;
    l->next = l->sends + n;
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t p = 0; p < ports; p++) l->after[v * ports + p] = crl_topology_neighbor(t, v, p);
        for (uint32_t d = 0; d < n; d++) l->distance[v * n + d] = crl_topology_distance(t, v, d);
    }
    return 0;
}

struct key {
    const struct load *load;
    uint32_t dest;
};

static uint64_t key_distance(const void *user, uint32_t node)
{
    const struct key *key = user;
    return key->load->distance[node * key->load->nodes + key->dest];
}

// Sends everybody's packet for `dest` over the cheapest of the shortest paths and counts what each node sends.
static int route(struct load *l, uint32_t dest, uint32_t turn)
{
    uint32_t n = l->nodes;
    for (uint32_t v = 0; v < n; v++) l->order[v] = v;
    int error = crl_sort_order(l->order, n, key_distance, &(struct key){l, dest}, n);
    l->cost[dest] = 0;
    for (uint32_t i = 1; i < n && !error; i++) {
        uint32_t v = l->order[i], best = CRL_NONE;
        for (uint32_t k = 0; k < l->ports; k++) {
            uint32_t p = (k + turn) % l->ports, u = l->after[v * l->ports + p];
            if (u == CRL_NONE || l->distance[u * n + dest] + 1 != l->distance[v * n + dest]) continue;
            if (best == CRL_NONE || l->cost[u] < l->cost[l->after[v * l->ports + best]]) best = p;
        }
        l->next[v] = l->after[v * l->ports + best];
        l->cost[v] = l->cost[l->next[v]] + l->price[v];
        l->through[v] = 1;
    }
    l->through[dest] = 0;
    for (uint32_t i = n; i-- > 1 && !error;) {
        uint32_t v = l->order[i];
        l->sends[v] += l->through[v];
        l->through[l->next[v]] += l->through[v];
    }
    return error;
}

static int round_of_prices(struct load *l, uint32_t turn)
{
    uint64_t most = 1, dearest = 1;
    int error = 0;
    memset(l->sends, 0, sizeof *l->sends * l->nodes);
    for (uint32_t d = 0; d < l->nodes && !error; d++) error = route(l, d, turn + d);
    for (uint32_t v = 0; v < l->nodes; v++)
        if (l->sends[v] > most) most = l->sends[v];
    for (uint32_t v = 0; v < l->nodes; v++) {
        uint64_t price = l->price[v] + l->price[v] * (uint64_t)l->sends[v] / (most * 4);
        l->through[v] = (uint32_t)price;
        if (price > dearest) dearest = price;
    }
    for (uint32_t v = 0; v < l->nodes; v++) l->price[v] = (uint32_t)((uint64_t)l->through[v] * PRICE / dearest);
    return error;
}

static int balance(struct load *l)
{
    int error = 0;
    for (uint32_t v = 0; v < l->nodes; v++) l->price[v] = PRICE;
    for (uint32_t i = 0; i < ROUNDS && !error; i++) error = round_of_prices(l, i);
    return error;
}

// What the packets of all nodes for `dest` pay at least, on paths of any length.
static uint64_t cheapest(struct load *l, uint32_t dest)
{
    uint64_t sum = 0;
    for (uint32_t v = 0; v < l->nodes; v++) l->cost[v] = v == dest ? 0 : UINT64_MAX / 2;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 0; v < l->nodes; v++)
            for (uint32_t p = 0; p < l->ports; p++) {
                uint32_t u = l->after[v * l->ports + p];
                if (u == CRL_NONE || v == dest || l->cost[u] + l->price[v] >= l->cost[v]) continue;
                l->cost[v] = l->cost[u] + l->price[v];
                changed = true;
            }
    }
    for (uint32_t v = 0; v < l->nodes; v++) sum += l->cost[v];
    return sum;
}

static uint64_t bound_of_prices(struct load *l)
{
    uint64_t paid = 0, prices = 0;
    for (uint32_t d = 0; d < l->nodes; d++) paid += cheapest(l, d);
    for (uint32_t v = 0; v < l->nodes; v++) prices += l->price[v];
    return prices ? crl_ceil_div(paid, prices) : 0;
}

// Prices of 1 where a node has at least `degree` neighbours, else 0.
static uint64_t bound_of_degree(struct load *l, uint32_t degree)
{
    for (uint32_t v = 0; v < l->nodes; v++) {
        uint32_t count = 0;
        for (uint32_t p = 0; p < l->ports; p++) count += l->after[v * l->ports + p] != CRL_NONE;
        l->price[v] = count >= degree;
    }
    return bound_of_prices(l);
}

// A price of 1 at the dearest node only, else 0: the packets that cannot go round it, as on a path.
static uint64_t bound_of_dearest(struct load *l)
{
    uint32_t dearest = 0;
    for (uint32_t v = 1; v < l->nodes; v++)
        if (l->price[v] > l->price[dearest]) dearest = v;
    for (uint32_t v = 0; v < l->nodes; v++) l->price[v] = v == dearest;
    return bound_of_prices(l);
}

// Prices of 1 at all nodes with digit x in factor f, else 0.
static uint64_t bound_of_layer(struct load *l, const struct crl_factor *f, uint32_t x)
{
    for (uint32_t v = 0; v < l->nodes; v++) l->price[v] = v / f->stride % f->size == x;
    return bound_of_prices(l);
}

// The same in closed form for a path: with k copies of it, the layer sends the packets that pass it, k²·2x(m − 1 − x),
// and its own, k²(m − 1) to other layers and k(k − 1) to itself. Its k nodes send one a slot.
static uint64_t bound_of_path(const struct crl_topology *t, const struct crl_factor *f)
{
    uint64_t copies = t->nodes / f->size, last = f->size - UINT64_C(1), middle = last / 2;
    return copies * (2 * middle * (last - middle) + last) + copies - 1;
}

// Of whole layers across a factor.
static uint64_t bound_of_layers(struct load *l)
{
    const struct crl_topology *t = l->topology;
    uint64_t best = 0;
    for (uint32_t i = 0; i < t->factor_count; i++)
        for (uint32_t x = 0; x < t->factor[i].size && t->factor[i].shape == CRL_GRAPH; x++) {
            uint64_t bound = bound_of_layer(l, &t->factor[i], x);
            if (bound > best) best = bound;
        }
    return best;
}

static uint64_t bound_of_paths(const struct crl_topology *t)
{
    uint64_t best = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        uint64_t bound = t->factor[i].shape == CRL_PATH ? bound_of_path(t, &t->factor[i]) : 0;
        if (bound > best) best = bound;
    }
    return best;
}

uint64_t crl_load_bound(const struct crl_topology *topology)
{
    struct load l;
    uint64_t best = bound_of_paths(topology);
    if (crl_topology_is_symmetric(topology) || crl_topology_nodes(topology) > NODES_MAX) return best;
    if (!load_init(&l, topology)) {
        uint64_t priced = balance(&l) ? 0 : bound_of_prices(&l);
        if (priced > best) best = priced;
        uint64_t alone = bound_of_dearest(&l), layers = bound_of_layers(&l);
        if (alone > best) best = alone;
        if (layers > best) best = layers;
        for (uint32_t degree = 2; degree <= l.ports; degree++) {
            uint64_t bound = bound_of_degree(&l, degree);
            if (bound > best) best = bound;
        }
    }
    load_done(&l);
    return best;
}
