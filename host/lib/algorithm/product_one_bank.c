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

static bool applies_product_one_bank(const struct crl_problem *problem)
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
    // Sets of slots, a bit each, `words` words long; bit 0 is not used.
    uint32_t words;
    uint64_t *free, *may_start, *may_stop; // [links], [places]: no item has it
    uint64_t *ways;                        // [states_max] first slots with a way on from a state that is free
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

static void set_slot(const struct packing *p, uint64_t *sets, uint32_t which, uint32_t slot, bool value)
{
    uint64_t *word = &sets[(size_t)which * p->words + slot / 64], mask = UINT64_C(1) << slot % 64;
    *word = value ? *word | mask : *word & ~mask;
}

static void set_ends(const struct packing *p, const struct item *item, bool value)
{
    set_slot(p, p->may_start, p->places > 1 ? item->origin : 0, item->first, value);
    set_slot(p, p->may_stop, p->places > 1 ? item->dest : 0, item->first + item->length - 1, value);
}

static void take_out(struct packing *p, uint32_t owner)
{
    if (!owner) return;
    struct item *item = &p->items[owner - 1];
    for (uint32_t k = 0; k < item->length; k++) {
        *cell_at(p, item->first + k, item->route[k]) = 0;
        set_slot(p, p->free, item->route[k], item->first + k, true);
    }
    set_ends(p, item, true);
    *start_of(p, item, item->first) = *stop_of(p, item, item->first) = 0;
    item->first = 0;
    item->weight++;
    p->queue[p->queued++] = owner - 1;
}

static void take_cell(struct packing *p, uint32_t index, uint32_t k, uint32_t first)
{
    struct item *item = &p->items[index];
    *cell_at(p, first + k, item->route[k]) = index + 1;
    set_slot(p, p->free, item->route[k], first + k, false);
}

static void take_ends(struct packing *p, uint32_t index, uint32_t first)
{
    struct item *item = &p->items[index];
    item->first = first;
    *start_of(p, item, first) = *stop_of(p, item, first) = index + 1;
    set_ends(p, item, false);
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
        take_cell(p, index, k, first);
        state += best_stride;
    }
    take_ends(p, index, first);
}

// Word w of a set, each slot `by` earlier.
static uint64_t shifted(const struct packing *p, const uint64_t *set, uint32_t w, uint32_t by)
{
    uint32_t from = w + by / 64, bits = by % 64;
    if (from >= p->words) return 0;
    uint64_t high = bits && from + 1 < p->words ? set[from + 1] << (64 - bits) : 0;
    return set[from] >> bits | high;
}

// Fills p->ways: first slots from which the rest of the way is free, from the end back to the start.
static void find_free_ways(struct packing *p, const struct item *item, uint32_t states)
{
    memset(p->ways, 0, sizeof *p->ways * states * p->words);
    const uint64_t *stop = p->may_stop + (p->places > 1 ? (size_t)item->dest * p->words : 0);
    for (uint32_t w = 0; w < p->words; w++)
        p->ways[(size_t)(states - 1) * p->words + w] = shifted(p, stop, w, item->length - 1);
    for (uint32_t state = states - 1; state-- > 0;) {
        uint64_t *ways = &p->ways[(size_t)state * p->words];
        for (uint32_t i = 0, stride = 1; i < item->dims; stride *= item->hops[i++] + 1) {
            if (state / stride % (item->hops[i] + 1) == item->hops[i]) continue;
            const uint64_t *next = &p->ways[(size_t)(state + stride) * p->words];
            const uint64_t *cells = &p->free[(size_t)link_of(p, item, state, i) * p->words];
            for (uint32_t w = 0; w < p->words; w++) ways[w] |= next[w] & shifted(p, cells, w, p->done[state]);
        }
    }
    const uint64_t *start = p->may_start + (p->places > 1 ? (size_t)item->origin * p->words : 0);
    for (uint32_t w = 0; w < p->words; w++) p->ways[w] &= start[w];
}

// One of the slots in a set, each as likely, or 0: there is none.
static uint32_t any_slot(struct packing *p, const uint64_t *set)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < p->words; w++) count += (uint32_t)__builtin_popcountll(set[w]);
    if (!count) return 0;
    uint32_t nth = (uint32_t)(crl_random(&p->random) % count), w = 0;
    for (; nth >= (uint32_t)__builtin_popcountll(set[w]); w++) nth -= (uint32_t)__builtin_popcountll(set[w]);
    uint64_t bits = set[w];
    while (nth--) bits &= bits - 1;
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

// Puts an item where it is in nobody's way. False: there is no such place.
static bool put_free(struct packing *p, uint32_t index, uint32_t states)
{
    struct item *item = &p->items[index];
    find_free_ways(p, item, states);
    uint32_t first = any_slot(p, p->ways), state = 0;
    for (uint32_t k = 0; first && k < item->length; k++) {
        uint32_t ties = 0, taken = 0;
        for (uint32_t i = 0, stride = 1; i < item->dims; stride *= item->hops[i++] + 1) {
            if (state / stride % (item->hops[i] + 1) == item->hops[i]) continue;
            uint32_t link = link_of(p, item, state, i);
            bool way = p->ways[(size_t)(state + stride) * p->words + first / 64] >> first % 64 & 1;
            if (!way || *cell_at(p, first + k, link) || crl_random(&p->random) % ++ties) continue;
            item->route[k] = link;
            taken = stride;
        }
        take_cell(p, index, k, first);
        state += taken;
    }
    if (first) take_ends(p, index, first);
    return first;
}

static void place(struct packing *p, uint32_t index)
{
    enum { LOOKS = 1 << 16 }; // at about so many states, wherever there are many more
    struct item *item = &p->items[index];
    for (uint32_t i = 0; i < item->dims; i++) // + and − are neighbours: an even and an odd port, or the other way round
        if (item->half[i] && crl_random(&p->random) % 2) {
            item->port[i] = item->half[i] == 1 ? item->port[i] + 1 : item->port[i] - 1;
            item->half[i] = 3 - item->half[i];
        }
    uint32_t best = UINT32_MAX, best_first = 1, ties = 0, states = follow(p, item);
    if (put_free(p, index, states)) return;
    uint32_t most = LOOKS / states + 1, range = p->slots - item->length + 1, count = range < most ? range : most;
    uint32_t offset = count < range ? (uint32_t)(crl_random(&p->random) % range) : 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t first = (offset + k) % range + 1;
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
    p->words = slots / 64 + 1;
    memset(p->free, 0, sizeof *p->free * p->words * p->places * p->ports);
    memset(p->may_start, 0, sizeof *p->may_start * p->words * p->places);
    memset(p->may_stop, 0, sizeof *p->may_stop * p->words * p->places);
    for (uint32_t slot = 1; slot <= slots; slot++) {
        for (uint32_t link = 0; link < p->places * p->ports; link++) set_slot(p, p->free, link, slot, true);
        for (uint32_t v = 0; v < p->places; v++) {
            set_slot(p, p->may_start, v, slot, true);
            set_slot(p, p->may_stop, v, slot, true);
        }
    }
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
    size_t words = slots_max / 64 + 1;
    p->free = malloc(sizeof *p->free * words * p->places * p->ports);
    p->may_start = malloc(sizeof *p->may_start * words * p->places);
    p->may_stop = malloc(sizeof *p->may_stop * words * p->places);
    p->ways = malloc(sizeof *p->ways * words * p->states_max);
    if (!p->free || !p->may_start || !p->may_stop || !p->ways) return CRL_ERR_MEMORY;
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

// Packs into `slots` slots; writes the schedule down if that works. Returns 1, 0 where it does not, or an error.
static int attempt(struct packing *p, uint32_t slots, struct crl_schedule *schedule)
{
    if (!pack(p, slots)) return 0;
    schedule->count = 0;
    int error = emit(p, schedule);
    return error ? error : 1;
}

// From the bound up, one slot more at a time; on large networks, where each failure takes long, in steps that double,
// and then by halves between the last failure and the success.
static int search(struct packing *p, uint32_t bound, uint32_t slots_max, struct crl_schedule *schedule)
{
    enum { SMALL = 128 };
    uint32_t failed = bound - 1, slots = bound, step = 1;
    int done;
    while (!(done = attempt(p, slots, schedule))) {
        failed = slots;
        slots += step;
        if (p->nodes > SMALL) step *= 2;
        if (slots > slots_max) return 0;
    }
    while (done > 0 && slots - failed > 1) {
        uint32_t middle = failed + (slots - failed) / 2;
        int again = attempt(p, middle, schedule);
        if (again < 0) return again;
        *(again ? &slots : &failed) = middle;
    }
    return done;
}

static int plan_product_one_bank(struct crl_schedule *schedule, const struct crl_problem *problem,
                                 struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct packing p = {.topology = t, .nodes = t->nodes, .places = 1, .ports = t->ports, .random = 1};
    if (!crl_topology_is_symmetric(t)) p.places = t->nodes;
    p.count = p.places * (t->nodes - 1);
    uint32_t slots = (uint32_t)crl_problem_bound_one_bank(problem), slots_max = 2 * slots + t->nodes;
    int done = prepare(&p, slots_max); // it is found long before
    if (!done) done = search(&p, slots, slots_max, schedule);
    for (uint32_t i = 0; p.items && i < p.count; i++) free(p.items[i].route);
    free(p.items);
    free(p.queue);
    free(p.cell);
    free(p.start);
    free(p.stop);
    free(p.cost);
    free(p.node);
    free(p.done);
    free(p.free);
    free(p.may_start);
    free(p.may_stop);
    free(p.ways);
    if (!done) return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no packing was found; that does not mean there is none");
    return done < 0 ? crl_fail_memory(diag) : 0;
}

static uint64_t claim(const struct crl_problem *problem)
{
    return crl_topology_is_symmetric(problem->topology) ? crl_problem_bound_one_bank(problem) : UINT64_MAX;
}

const struct crl_algorithm crl_rows_product_one_bank[] = {
    {"total-exchange", "one-bank", "product without graphs, to 1024 nodes, with paths to 64",
     "max(all-port bound, N-2+ceil(mean distance)); arrays a few more", NULL,
     "a node starts one packet and takes one in a slot, and none waits", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_ONE_BANK, .applies = applies_product_one_bank, .plan = plan_product_one_bank,
     .symmetric = crl_is_any, .cost = {.nodes_max = 1024, .row_ns = 1500000}, .claim = claim},
    {0}};
