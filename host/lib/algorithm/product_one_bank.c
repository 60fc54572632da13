// SPDX-License-Identifier: Apache-2.0
// Total exchange for nodes with one memory: in a slot a node puts one packet of its own on a link and takes one off,
// and no packet waits on its way. On products of rings and complete graphs every node can do the same, so it is a
// packing: each offset takes one first slot, one last slot, and a run of (port, slot) cells in between.
//
// Search: an offset is put where it is in the way of the fewest others, these are taken out and put elsewhere, and one
// that was taken out often weighs more. The number of slots starts at the bound and grows when the search gives up. The
// bound is the larger of the load of the links and N − 2 + ⌈status / (N − 1)⌉: N − 1 packets start in different slots,
// and the mean of their last slots is that of their first ones plus the mean distance less 1.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1024 };

bool crl_applies_product_one_bank(const struct crl_problem *problem)
{
    return problem->topology->factor_count && crl_topology_is_symmetric(problem->topology) &&
           crl_topology_nodes(problem->topology) <= NODES_MAX;
}

// A packet of node 0: `hops[i]` hops through port `port[i]`, in any order.
struct item {
    uint32_t offset, dims, length, weight;
    uint32_t port[CRL_FACTORS_MAX], hops[CRL_FACTORS_MAX], half[CRL_FACTORS_MAX]; // half: may as well go the other way
    uint32_t first;                                                               // slot it starts in; 0: not placed
    uint8_t *route;                                                               // [length] ports
};

struct packing {
    const struct crl_topology *topology;
    uint32_t count, ports, slots, states_max;
    struct item *items;
    uint32_t *cell;         // [slots + 1][ports] 1 + the item that has it
    uint32_t *start, *stop; // [slots + 1] likewise
    uint32_t *cost;         // [states_max] of the cheapest way on from a state
    uint32_t *queue, queued;
    uint64_t random;
};

static void describe(struct packing *p, struct item *item, uint32_t offset)
{
    const struct crl_topology *t = p->topology;
    uint32_t first = 0;
    item->offset = offset;
    item->weight = 1;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t digit = offset / f->stride % f->size, turn = f->shape == CRL_RING && f->size > 2;
        uint32_t up = digit, down = f->size - digit;
        if (digit) {
            item->port[item->dims] = turn ? first + (down < up) : first + digit - 1;
            item->hops[item->dims] = !turn ? 1 : up < down ? up : down;
            item->half[item->dims] = turn && up == down;
            item->length += item->hops[item->dims++];
        }
        first += f->size == 2 ? 1 : turn ? 2 : f->size - 1;
    }
}

static uint32_t weight_of(const struct packing *p, uint32_t owner) { return owner ? p->items[owner - 1].weight : 0; }

// Fills p->cost for an item that starts in slot `first`: state = hops done per dimension, mixed radix.
static uint32_t cheapest(struct packing *p, const struct item *item, uint32_t first)
{
    uint32_t states = 1;
    for (uint32_t i = 0; i < item->dims; i++) states *= item->hops[i] + 1;
    p->cost[states - 1] = 0;
    for (uint32_t state = states - 1; state-- > 0;) {
        uint32_t best = UINT32_MAX, done = 0, stride = 1;
        for (uint32_t i = 0; i < item->dims; stride *= item->hops[i++] + 1)
            done += state / stride % (item->hops[i] + 1);
        const uint32_t *cell = p->cell + (size_t)(first + done) * p->ports;
        stride = 1;
        for (uint32_t i = 0; i < item->dims; stride *= item->hops[i++] + 1) {
            if (state / stride % (item->hops[i] + 1) == item->hops[i]) continue;
            uint32_t cost = p->cost[state + stride] + weight_of(p, cell[item->port[i]]);
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
    for (uint32_t k = 0; k < item->length; k++) p->cell[(size_t)(item->first + k) * p->ports + item->route[k]] = 0;
    p->start[item->first] = p->stop[item->first + item->length - 1] = 0;
    item->first = 0;
    item->weight++;
    p->queue[p->queued++] = owner - 1;
}

// Walks a cheapest way from `first`, taking out whoever is in it. p->cost must be that of this item and slot.
static void put(struct packing *p, uint32_t index, uint32_t first)
{
    struct item *item = &p->items[index];
    uint32_t state = 0;
    take_out(p, p->start[first]);
    take_out(p, p->stop[first + item->length - 1]);
    for (uint32_t k = 0; k < item->length; k++) {
        uint32_t best = UINT32_MAX, best_stride = 0, ties = 0, stride = 1;
        uint32_t *cell = p->cell + (size_t)(first + k) * p->ports;
        for (uint32_t i = 0; i < item->dims; stride *= item->hops[i++] + 1) {
            if (state / stride % (item->hops[i] + 1) == item->hops[i]) continue;
            uint32_t cost = p->cost[state + stride] + weight_of(p, cell[item->port[i]]);
            if (cost > best || (cost == best && crl_random(&p->random) % ++ties)) continue;
            if (cost < best) ties = 1;
            best = cost;
            best_stride = stride;
            item->route[k] = (uint8_t)item->port[i];
        }
        take_out(p, cell[item->route[k]]);
        cell[item->route[k]] = index + 1;
        state += best_stride;
    }
    item->first = first;
    p->start[first] = p->stop[first + item->length - 1] = index + 1;
}

static void place(struct packing *p, uint32_t index)
{
    struct item *item = &p->items[index];
    for (uint32_t i = 0; i < item->dims; i++) // + and − are neighbours: an even and an odd port, or the other way round
        if (item->half[i] && crl_random(&p->random) % 2) {
            item->port[i] = item->half[i] == 1 ? item->port[i] + 1 : item->port[i] - 1;
            item->half[i] = 3 - item->half[i];
        }
    uint32_t best = UINT32_MAX, best_first = 1, ties = 0;
    for (uint32_t first = 1; first + item->length - 1 <= p->slots; first++) {
        uint32_t cost = weight_of(p, p->start[first]) + weight_of(p, p->stop[first + item->length - 1]);
        if (cost > best) continue;
        cost += cheapest(p, item, first);
        if (cost > best || (cost == best && crl_random(&p->random) % ++ties)) continue;
        if (cost < best) ties = 1;
        best = cost;
        best_first = first;
    }
    cheapest(p, item, best_first);
    put(p, index, best_first);
}

static bool pack(struct packing *p, uint32_t slots)
{
    enum { WORK = 60000000 }; // about a second
    p->slots = slots;
    p->queued = 0;
    memset(p->cell, 0, sizeof *p->cell * (slots + 1) * p->ports);
    memset(p->start, 0, sizeof *p->start * (slots + 1));
    memset(p->stop, 0, sizeof *p->stop * (slots + 1));
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

static uint32_t first_slots(const struct packing *p, uint64_t status)
{
    uint64_t load = crl_ceil_div(status, p->ports), turns = p->count - 1 + crl_ceil_div(status, p->count);
    return (uint32_t)(load > turns ? load : turns);
}

static int prepare(struct packing *p, uint64_t *status, uint32_t *slots_max)
{
    uint32_t longest = 0;
    p->items = calloc(p->count, sizeof *p->items);
    p->queue = malloc(sizeof *p->queue * (p->count * 2 + 2));
    if (!p->items || !p->queue) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < p->count; i++) {
        struct item *item = &p->items[i];
        uint32_t states = 1;
        describe(p, item, i + 1);
        for (uint32_t k = 0; k < item->dims; k++) states *= item->hops[k] + 1;
        if (states > p->states_max) p->states_max = states;
        if (item->length > longest) longest = item->length;
        *status += item->length;
        item->route = malloc(item->length);
        if (!item->route) return CRL_ERR_MEMORY;
    }
    *slots_max = (uint32_t)*status + longest; // one after the other
    p->cell = malloc(sizeof *p->cell * (*slots_max + 1) * p->ports);
    p->start = malloc(sizeof *p->start * (*slots_max + 1));
    p->stop = malloc(sizeof *p->stop * (*slots_max + 1));
    p->cost = malloc(sizeof *p->cost * p->states_max);
    return p->cell && p->start && p->stop && p->cost ? 0 : CRL_ERR_MEMORY;
}

// The packet of offset D that starts at node 0 is at x after some hops; the move of node 0 there is that of origin −x.
static int emit(const struct packing *p, struct crl_schedule *schedule)
{
    const struct crl_topology *t = p->topology;
    int error = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct item *item = &p->items[i];
        uint32_t x = 0;
        for (uint32_t k = 0; k < item->length && !error; k++) {
            uint32_t origin = crl_topology_unshift(t, 0, x), dest = crl_topology_shift(t, origin, item->offset);
            uint32_t dst = crl_topology_neighbor(t, 0, item->route[k]);
            error = crl_schedule_add(schedule, (struct crl_move){item->first + k, 0, dst, origin, dest, 0});
            x = crl_topology_neighbor(t, x, item->route[k]);
        }
    }
    return error;
}

int crl_plan_product_one_bank(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct packing p = {.topology = t, .count = crl_topology_nodes(t) - 1, .ports = crl_topology_ports(t), .random = 1};
    uint64_t status = 0;
    uint32_t slots_max = 0;
    int error = prepare(&p, &status, &slots_max);
    if (!error) {
        uint32_t slots = first_slots(&p, status);
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
    return error;
}
