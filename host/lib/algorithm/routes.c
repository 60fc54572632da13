// SPDX-License-Identifier: Apache-2.0
// Routes of a total exchange that load the nodes evenly, so that single-port nobody has much more to send than others.
//
// If all packets of an array correct the dimensions in the same order, the node in the middle sends half as many again
// as nodes do in the mean. Ways along the borders are as short. A packet has a few shortest ways to choose from: at
// each node it takes the first port that leads nearer, in an order of the ports that the choice turns or reverses, so
// that in a product it corrects the factors in different orders. One packet after the other takes the way that is
// cheapest, where a node's price is a high power of what it sends; after a few rounds hardly any packet changes its
// way.
#include "algorithm/routes.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, NO_CHOICE = UINT8_MAX, DEAREST = 2 }; // DEAREST: times the target, from where on prices are the same

// ---------------------------------------------------------------- ways

// A choice is a port to begin with and a direction. In a product of rings, paths and complete graphs one choice for
// each factor does, and of two factors there are no more than two orders.
static bool by_factors(const struct crl_topology *t) { return t->factor_count && !crl_topology_has(t, CRL_GRAPH); }

static uint32_t choices(const struct crl_topology *t)
{
    if (!by_factors(t)) return 2 * t->ports;
    return t->factor_count == 2 ? 2 : 2 * t->factor_count;
}

struct way {
    uint32_t start;
    bool reversed;
};

static struct way way_of(const struct crl_topology *t, uint32_t choice)
{
    uint32_t count = by_factors(t) ? t->factor_count : t->ports;
    struct way way = {choice % count, choice >= count};
    if (!by_factors(t)) return way;
    uint32_t factors = way.start + way.reversed; // in reverse from the last port of its factor
    way.start = 0;
    for (uint32_t i = 0; i < factors; i++) way.start += crl_factor_ports(&t->factor[i]);
    way.start -= way.reversed;
    return way;
}

static uint32_t next_port(const struct crl_routes *r, uint32_t at, uint32_t dest, struct way way)
{
    uint32_t nearer = r->nearer[(size_t)at * r->nodes + dest];
    if (way.reversed) {
        uint32_t below = nearer & (UINT32_MAX >> (31 - way.start));
        return 31 - (uint32_t)__builtin_clz(below ? below : nearer);
    }
    uint32_t above = nearer >> way.start;
    return above ? way.start + (uint32_t)__builtin_ctz(above) : (uint32_t)__builtin_ctz(nearer);
}

static uint64_t price_of(const struct crl_routes *r, uint32_t node)
{
    uint32_t sends = r->sends[node], most = DEAREST * r->target;
    return r->price[sends < most ? sends : most];
}

static uint64_t cost(const struct crl_routes *r, uint32_t from, uint32_t dest, struct way way)
{
    uint64_t sum = 0;
    for (uint32_t at = from; at != dest; at = r->after[(size_t)at * r->ports + next_port(r, at, dest, way)])
        sum += price_of(r, at);
    return sum;
}

static void count(struct crl_routes *r, uint32_t from, uint32_t dest, struct way way, uint32_t change)
{
    for (uint32_t at = from; at != dest; at = r->after[(size_t)at * r->ports + next_port(r, at, dest, way)])
        r->sends[at] += change;
}

// ---------------------------------------------------------------- prices

// (sends / target)^16 in units of 2^−16.
static void set_prices(struct crl_routes *r)
{
    for (uint64_t sends = 0; sends <= (uint64_t)DEAREST * r->target; sends++) {
        uint64_t power = (sends << 16) / r->target;
        for (int i = 0; i < 4; i++) power = power * power >> 16;
        r->price[sends] = power;
    }
}

static void choose(struct crl_routes *r, const struct way *ways, uint32_t count_of_ways, uint32_t from, uint32_t dest,
                   uint32_t first)
{
    uint8_t *choice = &r->choice[(size_t)from * r->nodes + dest];
    uint64_t least = UINT64_MAX;
    if (*choice != NO_CHOICE) count(r, from, dest, ways[*choice], UINT32_MAX);
    for (uint32_t i = 0; i < count_of_ways; i++) {
        uint32_t k = (first + i) % count_of_ways;
        uint64_t price = cost(r, from, dest, ways[k]);
        if (price >= least) continue;
        least = price;
        *choice = (uint8_t)k;
    }
    count(r, from, dest, ways[*choice], 1);
}

static void write_ports(struct crl_routes *r, const struct way *ways)
{
    uint32_t hops = 0;
    for (uint32_t packet = 0; packet < r->nodes * r->nodes; packet++) {
        uint32_t at = packet / r->nodes, dest = packet % r->nodes;
        r->first[packet] = hops;
        while (at != dest) {
            uint32_t port = next_port(r, at, dest, ways[r->choice[packet]]);
            r->port[hops++] = (uint8_t)port;
            at = r->after[(size_t)at * r->ports + port];
        }
    }
    r->first[r->nodes * r->nodes] = hops;
}

void crl_routes_find(struct crl_routes *r, uint64_t seed)
{
    struct way ways[2 * CRL_PORTS_MAX];
    uint32_t pairs = r->nodes * r->nodes, count_of_ways = choices(r->topology), bits = crl_bits_for(pairs);
    for (uint32_t k = 0; k < count_of_ways; k++) ways[k] = way_of(r->topology, k);
    memset(r->choice, NO_CHOICE, pairs);
    memset(r->sends, 0, sizeof *r->sends * r->nodes);
    for (uint64_t round = 0; round < ROUNDS; round++)
        for (uint64_t i = 0; i < UINT64_C(1) << bits; i++) {
            uint32_t pair = (uint32_t)crl_permute(i, bits, seed * ROUNDS + round);
            uint32_t from = pair / r->nodes, dest = pair % r->nodes;
            if (pair < pairs && from != dest) choose(r, ways, count_of_ways, from, dest, (uint32_t)i);
        }
    write_ports(r, ways);
}

// ---------------------------------------------------------------- preparation

static void find_nearer(struct crl_routes *r)
{
    const struct crl_topology *t = r->topology;
    for (uint32_t v = 0; v < r->nodes; v++)
        for (uint32_t p = 0; p < r->ports; p++) r->after[(size_t)v * r->ports + p] = crl_topology_neighbor(t, v, p);
    for (uint32_t v = 0; v < r->nodes; v++)
        for (uint32_t dest = 0; dest < r->nodes; dest++) {
            uint32_t nearer = 0, distance = crl_topology_distance(t, v, dest);
            for (uint32_t p = 0; p < r->ports; p++) {
                uint32_t u = r->after[(size_t)v * r->ports + p];
                if (u != CRL_NONE && crl_topology_distance(t, u, dest) < distance) nearer |= UINT32_C(1) << p;
            }
            r->nearer[(size_t)v * r->nodes + dest] = nearer;
        }
}

int crl_routes_new(struct crl_routes *r, const struct crl_topology *t, uint32_t target)
{
    uint64_t hops = crl_topology_status_sum(t);
    size_t n = t->nodes;
    *r = (struct crl_routes){.topology = t, .nodes = t->nodes, .ports = t->ports, .target = target};
    r->after = malloc(sizeof *r->after * n * t->ports);
    r->nearer = malloc(sizeof *r->nearer * n * n);
    r->choice = malloc(n * n);
    r->first = malloc(sizeof *r->first * (n * n + 1));
    r->port = malloc(hops + 1);
    r->sends = malloc(sizeof *r->sends * n);
    r->price = malloc(sizeof *r->price * (DEAREST * (size_t)r->target + 1));
    if (!r->after || !r->nearer || !r->choice || !r->first || !r->port || !r->sends || !r->price) return CRL_ERR_MEMORY;
    find_nearer(r);
    set_prices(r);
    return 0;
}

void crl_routes_done(struct crl_routes *r)
{
    free(r->after);
    free(r->nearer);
    free(r->choice);
    free(r->first);
    free(r->port);
    free(r->sends);
    free(r->price);
}
