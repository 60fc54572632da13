// SPDX-License-Identifier: Apache-2.0
// Total exchange for nodes with one memory: in a slot a node puts one packet of its own on a link and takes one off,
// and no packet waits on its way. It is a packing: each packet takes a first slot of its origin, a last slot of its
// destination, and a run of (link, slot) cells in between. On products of rings and complete graphs every node can do
// the same, so the packets and links of node 0 stand for all; where there is a path, all packets are packed.
//
// Search: a packet is put where it is in the way of the fewest others, these are taken out and put elsewhere, and one
// that was taken out often weighs more. The number of slots starts at the bound and grows when the search gives up.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum { PATH_NODES_MAX = 64 };

bool crl_applies_product_one_bank(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].shape == CRL_GRAPH) return false; // its hops are no straight way through one port
    return t->factor_count && t->nodes > 1 && (crl_topology_is_symmetric(t) || t->nodes <= PATH_NODES_MAX);
}

// A packet: `hops[i]` hops through port `port[i]`, in any order.
struct item {
    uint32_t origin, dest, dims, length, weight;
    uint32_t port[CRL_FACTORS_MAX], hops[CRL_FACTORS_MAX], half[CRL_FACTORS_MAX]; // half: may as well go the other way
    uint32_t first;                                                               // slot it starts in; 0: not placed
    uint32_t *route;                                                              // [length] links
};

struct packing {
    const struct crl_topology *topology;
    uint32_t count, nodes, places, ports, slots, states_max; // places: nodes, or 1 where one stands for all
    struct item *items;
    uint32_t *cell;         // [slots + 1][places][ports] 1 + the item that has it; a link is place · ports + port
    uint32_t *start, *stop; // [slots + 1][places] likewise
    uint32_t *cost;         // [states_max] of the cheapest way on from a state
    uint32_t *node, *done;  // [states_max] where a packet is in a state, and its hops so far
    uint32_t *queue, queued;
    uint64_t random;
};

static void describe(struct packing *p, struct item *item, uint32_t origin, uint32_t dest)
{
    const struct crl_topology *t = p->topology;
    uint32_t first = 0;
    item->origin = origin;
    item->dest = dest;
    item->weight = 1;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t from = origin / f->stride % f->size, to = dest / f->stride % f->size;
        uint32_t turn = f->shape != CRL_COMPLETE && f->size > 2, path = turn && f->shape == CRL_PATH;
        uint32_t up = (to + f->size - from) % f->size, down = f->size - up;
        if (up) {
            bool back = path ? to < from : down < up;
            item->port[item->dims] = turn ? first + back : first + up - 1;
            item->hops[item->dims] = !turn ? 1 : back ? down : up;
            item->half[item->dims] = turn && !path && up == down;
            item->length += item->hops[item->dims++];
        }
        first += f->size == 2 ? 1 : turn ? 2 : f->size - 1;
    }
}

static uint32_t weight_of(const struct packing *p, uint32_t owner) { return owner ? p->items[owner - 1].weight : 0; }

// Fills p->node and p->done: state = hops done per dimension, mixed radix. Returns the number of states.
static uint32_t follow(struct packing *p, const struct item *item)
{
    uint32_t states = 1;
    p->node[0] = item->origin;
    p->done[0] = 0;
    for (uint32_t i = 0; i < item->dims; i++) {
        uint32_t stride = states;
        states *= item->hops[i] + 1;
        for (uint32_t state = stride; state < states; state++) {
            p->node[state] = crl_topology_neighbor(p->topology, p->node[state - stride], item->port[i]);
            p->done[state] = p->done[state - stride] + 1;
        }
    }
    return states;
}

// The link by which an item leaves a state in dimension `i`.
static uint32_t link_of(const struct packing *p, const struct item *item, uint32_t state, uint32_t i)
{
    return (p->places > 1 ? p->node[state] * p->ports : 0) + item->port[i];
}

static uint32_t *cell_at(const struct packing *p, uint32_t slot, uint32_t link)
{
    return &p->cell[(size_t)slot * p->places * p->ports + link];
}

static uint32_t *start_of(const struct packing *p, const struct item *item, uint32_t first)
{
    return &p->start[(size_t)first * p->places + item->origin];
}

static uint32_t *stop_of(const struct packing *p, const struct item *item, uint32_t first)
{
    return &p->stop[(size_t)(first + item->length - 1) * p->places + (p->places > 1 ? item->dest : 0)];
}

// Fills p->cost for an item that starts in slot `first`. Its states must have been followed.
static uint32_t cheapest(struct packing *p, const struct item *item, uint32_t states, uint32_t first)
{
    p->cost[states - 1] = 0;
    for (uint32_t state = states - 1; state-- > 0;) {
        uint32_t best = UINT32_MAX, slot = first + p->done[state], stride = 1;
        for (uint32_t i = 0; i < item->dims; stride *= item->hops[i++] + 1) {
            if (state / stride % (item->hops[i] + 1) == item->hops[i]) continue;
            uint32_t cost = p->cost[state + stride] + weight_of(p, *cell_at(p, slot, link_of(p, item, state, i)));
            if (cost < best) best = cost;
        }
        p->cost[state] = best;
    }
    return p->cost[0];
}

static void take_out(struct packing *p, uint32_t owner)
{
    if (!owner) return;
    struct item *item = &p->items[owner - 1];
    for (uint32_t k = 0; k < item->length; k++) *cell_at(p, item->first + k, item->route[k]) = 0;
    *start_of(p, item, item->first) = *stop_of(p, item, item->first) = 0;
    item->first = 0;
    item->weight++;
    p->queue[p->queued++] = owner - 1;
}

// Walks a cheapest way from `first`, taking out whoever is in it. p->cost must be that of this item and slot.
static void put(struct packing *p, uint32_t index, uint32_t first)
{
    struct item *item = &p->items[index];
    uint32_t state = 0;
    take_out(p, *start_of(p, item, first));
    take_out(p, *stop_of(p, item, first));
    for (uint32_t k = 0; k < item->length; k++) {
        uint32_t best = UINT32_MAX, best_stride = 0, ties = 0, stride = 1;
        for (uint32_t i = 0; i < item->dims; stride *= item->hops[i++] + 1) {
            if (state / stride % (item->hops[i] + 1) == item->hops[i]) continue;
            uint32_t cost = p->cost[state + stride] + weight_of(p, *cell_at(p, first + k, link_of(p, item, state, i)));
            if (cost > best || (cost == best && crl_random(&p->random) % ++ties)) continue;
            if (cost < best) ties = 1;
            best = cost;
            best_stride = stride;
            item->route[k] = link_of(p, item, state, i);
        }
        take_out(p, *cell_at(p, first + k, item->route[k]));
        *cell_at(p, first + k, item->route[k]) = index + 1;
        state += best_stride;
    }
    item->first = first;
    *start_of(p, item, first) = *stop_of(p, item, first) = index + 1;
}

static void place(struct packing *p, uint32_t index)
{
    struct item *item = &p->items[index];
    for (uint32_t i = 0; i < item->dims; i++) // + and − are neighbours: an even and an odd port, or the other way round
        if (item->half[i] && crl_random(&p->random) % 2) {
            item->port[i] = item->half[i] == 1 ? item->port[i] + 1 : item->port[i] - 1;
            item->half[i] = 3 - item->half[i];
        }
    uint32_t best = UINT32_MAX, best_first = 1, ties = 0, states = follow(p, item);
    for (uint32_t first = 1; first + item->length - 1 <= p->slots; first++) {
        uint32_t cost = weight_of(p, *start_of(p, item, first)) + weight_of(p, *stop_of(p, item, first));
        if (cost > best) continue;
        cost += cheapest(p, item, states, first);
        if (cost > best || (cost == best && crl_random(&p->random) % ++ties)) continue;
        if (cost < best) ties = 1;
        best = cost;
        best_first = first;
    }
    cheapest(p, item, states, best_first);
    put(p, index, best_first);
}

static bool pack(struct packing *p, uint32_t slots)
{
    enum { WORK = 60000000 }; // about a second
    p->slots = slots;
    p->queued = 0;
    memset(p->cell, 0, sizeof *p->cell * (slots + 1) * p->places * p->ports);
    memset(p->start, 0, sizeof *p->start * (slots + 1) * p->places);
    memset(p->stop, 0, sizeof *p->stop * (slots + 1) * p->places);
    for (uint32_t i = 0; i < p->count; i++) {
        p->items[i].first = 0;
        p->items[i].weight = 1;
        p->queue[p->queued++] = i;
    }
    uint32_t steps = p->count * 4 + WORK / (slots * (p->states_max + 1));
    while (p->queued && steps--) {
        uint32_t at = (uint32_t)(crl_random(&p->random) % p->queued), index = p->queue[at];
        p->queue[at] = p->queue[--p->queued];
        place(p, index);
    }
    return !p->queued;
}

static int prepare(struct packing *p, uint32_t slots_max)
{
    p->items = calloc(p->count, sizeof *p->items);
    p->queue = malloc(sizeof *p->queue * (p->count * 2 + 2));
    if (!p->items || !p->queue) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < p->count; i++) {
        struct item *item = &p->items[i];
        uint32_t states = 1, origin = i / (p->nodes - 1), dest = i % (p->nodes - 1);
        describe(p, item, origin, dest + (dest >= origin));
        for (uint32_t k = 0; k < item->dims; k++) states *= item->hops[k] + 1;
        if (states > p->states_max) p->states_max = states;
        item->route = malloc(sizeof *item->route * item->length);
        if (!item->route) return CRL_ERR_MEMORY;
    }
    p->cell = malloc(sizeof *p->cell * (slots_max + 1) * p->places * p->ports);
    p->start = malloc(sizeof *p->start * (slots_max + 1) * p->places);
    p->stop = malloc(sizeof *p->stop * (slots_max + 1) * p->places);
    p->cost = malloc(sizeof *p->cost * p->states_max);
    p->node = malloc(sizeof *p->node * p->states_max);
    p->done = malloc(sizeof *p->done * p->states_max);
    return p->cell && p->start && p->stop && p->cost && p->node && p->done ? 0 : CRL_ERR_MEMORY;
}

// The packet of offset D that starts at node 0 is at x after some hops; the move of node 0 there is that of origin −x.
static int emit(const struct packing *p, struct crl_schedule *schedule)
{
    const struct crl_topology *t = p->topology;
    int error = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct item *item = &p->items[i];
        uint32_t x = item->origin;
        for (uint32_t k = 0; k < item->length && !error; k++) {
            uint32_t port = item->route[k] % p->ports, next = crl_topology_neighbor(t, x, port);
            struct crl_move move = {item->first + k, x, next, item->origin, item->dest};
            if (p->places == 1) {
                move.src = 0;
                move.dst = crl_topology_neighbor(t, 0, port);
                move.origin = crl_topology_unshift(t, 0, x);
                move.dest = crl_topology_shift(t, move.origin, item->dest);
            }
            error = crl_schedule_add(schedule, move);
            x = next;
        }
    }
    return error;
}

int crl_plan_product_one_bank(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct packing p = {.topology = t, .nodes = t->nodes, .places = 1, .ports = t->ports, .random = 1};
    if (!crl_topology_is_symmetric(t)) p.places = t->nodes;
    p.count = p.places * (t->nodes - 1);
    uint32_t slots = (uint32_t)crl_problem_bound_one_bank(problem),
             slots_max = 4 * slots + t->nodes; // it is found long before
    int error = prepare(&p, slots_max);
    if (!error) {
        while (slots < slots_max && !pack(&p, slots)) slots++;
        if (slots >= slots_max)
            error = crl_fail(diag, CRL_ERR_UNSUPPORTED, "no packing was found; that does not mean there is none");
        else error = emit(&p, schedule) ? crl_fail_memory(diag) : 0;
    } else {
        crl_fail_memory(diag);
    }
    for (uint32_t i = 0; p.items && i < p.count; i++) free(p.items[i].route);
    free(p.items);
    free(p.queue);
    free(p.cell);
    free(p.start);
    free(p.stop);
    free(p.cost);
    free(p.node);
    free(p.done);
    return error;
}
