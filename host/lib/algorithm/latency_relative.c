// SPDX-License-Identifier: Apache-2.0
// Total exchange where links take longer than a slot, on networks that look the same from every node: what is planned
// for the packets of node 0, all nodes do with theirs, translated. A direction is then used once a slot by all that is
// planned, and slot by slot a matching of ports and packets says by what.
//
// Packets that have the longest way before them come first, lots break ties, and what is left over at the end is tried
// again with other lots: first for the bound, then for more slots, until some come out or the work is done. A plan is
// given up as soon as it cannot end in time, which bars late hops over slow links that others could have made early.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4000 };
static const uint64_t work_max = UINT64_C(400) << 20; // looks at packets, about a second or two

// A packet that waits to be sent by one of some ports.
struct item {
    uint32_t ports; // a bit each
    uint32_t key;   // least first: what has the longest way, then a lot
};

struct relative {
    const struct crl_topology *topology;
    const struct crl_problem *problem;
    uint32_t nodes, ports, most;     // most: ports that a node uses in a slot
    uint32_t latency[CRL_PORTS_MAX]; // of each port
    uint32_t latency_max;
    struct item *item;         // [nodes]
    uint32_t *at;              // [nodes] where a packet is
    uint32_t *waiting, *fresh; // [nodes] items that wait, in order of keys; those that come to them
    uint32_t waiting_count, fresh_count;
    uint32_t *flight;               // [latency_max][ports] what arrives in a slot, at slot mod latency_max
    uint32_t chosen[CRL_PORTS_MAX]; // item of each port in this slot
    uint64_t random, target, slot, work;
    uint64_t load[CRL_PORTS_MAX]; // hops that are left for each port
    uint32_t left;                // items that are neither there nor on their last way
    struct crl_schedule now, best;
};

static void relative_done(struct relative *r)
{
    free(r->item);
    free(r->at);
    free(r->flight);
    crl_schedule_done(&r->now);
    crl_schedule_done(&r->best);
}

static int relative_init(struct relative *r, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    *r = (struct relative){.topology = t, .problem = problem, .nodes = t->nodes, .ports = t->ports, .random = 1};
    r->most = problem->ports == CRL_PORTS_SINGLE ? 1 : t->ports;
    r->latency_max = crl_topology_latency_max(t);
    for (uint32_t p = 0; p < r->ports; p++) r->latency[p] = crl_topology_latency(t, 0, p);
    crl_schedule_init(&r->now, t, crl_problem_naming(problem), true);
    crl_schedule_init(&r->best, t, crl_problem_naming(problem), true);
    r->item = malloc(sizeof *r->item * r->nodes);
    r->at = malloc(3 * sizeof *r->at * r->nodes);
    r->flight = malloc(sizeof *r->flight * r->latency_max * r->ports);
    if (!r->item || !r->at || !r->flight) return CRL_ERR_MEMORY;
    r->waiting = r->at + r->nodes;
    r->fresh = r->waiting + r->nodes;
    return 0;
}

static uint32_t key_of(struct relative *r, uint32_t way)
{
    enum { LOT = 12 };
    uint32_t most = (UINT32_C(1) << (31 - LOT)) - 1;
    return (most - (way < most ? way : most)) << LOT | (uint32_t)(crl_random(&r->random) >> (64 - LOT));
}

// ---------------------------------------------------------------- a slot

// Ports over which something that is sent now arrives in time, and alone where a node takes one packet a slot.
static uint32_t open_ports(const struct relative *r)
{
    uint32_t open = 0;
    for (uint32_t p = 0; p < r->ports; p++) {
        if (r->slot + r->latency[p] - 1 > r->target) continue;
        const uint32_t *arriving = r->flight + (r->slot + r->latency[p] - 1) % r->latency_max * r->ports;
        bool taken = false;
        for (uint32_t q = 0; r->most == 1 && q < r->ports; q++) taken |= arriving[q] != CRL_NONE;
        if (!taken) open |= UINT32_C(1) << p;
    }
    return open;
}

// Finds a port for an item, which another may give up if it finds another.
static bool place(struct relative *r, uint32_t item, uint32_t open, uint32_t *seen)
{
    for (uint32_t ports = r->item[item].ports & open & ~*seen; ports; ports = r->item[item].ports & open & ~*seen) {
        uint32_t p = (uint32_t)__builtin_ctz(ports);
        *seen |= UINT32_C(1) << p;
        if (r->chosen[p] != CRL_NONE && !place(r, r->chosen[p], open, seen)) continue;
        r->chosen[p] = item;
        return true;
    }
    return false;
}

// Chooses what each port sends. Items in the order of their keys: no other choice serves more of them, or longer ones.
static void match(struct relative *r)
{
    uint32_t open = open_ports(r), room = (uint32_t)__builtin_popcount(open), placed = 0;
    if (room > r->most) room = r->most;
    for (uint32_t p = 0; p < r->ports; p++) r->chosen[p] = CRL_NONE;
    for (uint32_t i = 0; i < r->waiting_count && placed < room; i++) {
        uint32_t seen = 0;
        r->work++;
        placed += place(r, r->waiting[i], open, &seen);
    }
}

static uint64_t key_item(const void *items, uint32_t i) { return ((const struct item *)items)[i].key; }

static void drop_sent(struct relative *r)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->waiting_count; i++)
        if (r->item[r->waiting[i]].ports) r->waiting[kept++] = r->waiting[i];
    r->waiting_count = kept;
}

// Lets those in that have come.
static int merge(struct relative *r, uint32_t *room)
{
    uint32_t kept = r->waiting_count, a = 0, b = 0, count = 0;
    memcpy(room, r->waiting, sizeof *room * kept);
    int error = crl_sort_order(r->fresh, r->fresh_count, key_item, r->item, UINT32_MAX);
    while (a < kept || b < r->fresh_count) {
        bool first = b == r->fresh_count || (a < kept && r->item[room[a]].key <= r->item[r->fresh[b]].key);
        r->waiting[count++] = first ? room[a++] : r->fresh[b++];
    }
    r->waiting_count = count;
    r->fresh_count = 0;
    r->work += count / 16;
    return error;
}

// ---------------------------------------------------------------- total exchange

// Ports that bring a packet nearer that has offset `left` to go. Half way round a ring both directions do; which one it
// takes was drawn by lot, a bit a factor.
static uint32_t ports_towards(const struct crl_topology *t, uint32_t left, uint32_t down)
{
    uint32_t ports = 0, first = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t x = left / f->stride % f->size;
        bool ring = f->shape == CRL_RING && f->size > 2;
        uint32_t port = ring ? 2 * x > f->size || (2 * x == f->size && (down >> i & 1)) : f->size == 2 ? 0 : x - 1;
        if (x) ports |= UINT32_C(1) << (first + port);
        first += crl_factor_ports(f);
    }
    return ports;
}

// Half of the packets that go half way round a ring turn down.
static void draw_turns(struct relative *r, uint32_t *down, uint32_t *list)
{
    memset(down, 0, sizeof *down * r->nodes);
    for (uint32_t i = 0; i < r->topology->factor_count; i++) {
        const struct crl_factor *f = &r->topology->factor[i];
        uint32_t count = 0;
        if (f->shape != CRL_RING || f->size % 2 || f->size == 2) continue;
        for (uint32_t v = 0; v < r->nodes; v++)
            if (v / f->stride % f->size == f->size / 2) list[count++] = v;
        for (uint32_t k = 0; k < count / 2; k++) {
            uint32_t other = k + (uint32_t)(crl_random(&r->random) % (count - k)), swap = list[k];
            list[k] = list[other];
            list[other] = swap;
            down[list[k]] |= UINT32_C(1) << i;
        }
    }
}

static void wait_at(struct relative *r, uint32_t packet, uint32_t ports)
{
    uint32_t left = crl_topology_unshift(r->topology, packet, r->at[packet]);
    r->item[packet].ports = ports;
    r->item[packet].key = key_of(r, crl_topology_delay(r->topology, 0, left));
    r->fresh[r->fresh_count++] = packet;
}

static void count_load(struct relative *r, uint32_t packet, uint32_t down)
{
    const struct crl_topology *t = r->topology;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t alone = packet / f->stride % f->size * f->stride;
        if (alone) r->load[__builtin_ctz(ports_towards(t, alone, down))] += crl_topology_distance(t, 0, alone);
    }
}

static void exchange_begin(struct relative *r)
{
    uint32_t *down = r->waiting; // nothing waits yet
    memset(r->load, 0, sizeof r->load);
    r->item[0].ports = 0;
    draw_turns(r, down, r->fresh);
    for (uint32_t v = 1; v < r->nodes; v++) {
        r->at[v] = 0;
        count_load(r, v, down[v]);
        wait_at(r, v, ports_towards(r->topology, v, down[v]));
    }
}

static int exchange_send(struct relative *r, uint32_t packet, uint32_t port)
{
    const struct crl_topology *t = r->topology;
    uint32_t from = r->at[packet];
    r->at[packet] = crl_topology_neighbor(t, from, port);
    r->load[port]--;
    r->left -= r->at[packet] == packet;
    // What it may do next, whichever way it goes round: the turns drawn for other rings stay as they were.
    uint32_t left = crl_topology_unshift(t, packet, r->at[packet]), before = r->item[packet].ports, next = 0, first = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t own = ((UINT64_C(1) << crl_factor_ports(f)) - 1) << first & before;
        if (left / f->stride % f->size) next |= own;
        first += crl_factor_ports(f);
    }
    r->item[packet].ports = 0;
    r->item[packet].key = next; // until it arrives
    return crl_schedule_add(&r->now,
                            (struct crl_move){(uint32_t)r->slot, 0, crl_topology_neighbor(t, 0, port),
                                              crl_topology_unshift(t, 0, from), crl_topology_unshift(t, packet, from)});
}

// Whether the packet can still end in time.
static bool exchange_arrive(struct relative *r, uint32_t packet)
{
    if (r->at[packet] == packet) return true;
    wait_at(r, packet, r->item[packet].key);
    uint32_t left = crl_topology_unshift(r->topology, packet, r->at[packet]);
    return r->slot + crl_topology_delay(r->topology, 0, left) <= r->target;
}

static bool exchange_can_end(const struct relative *r)
{
    uint64_t hops = 0;
    for (uint32_t p = 0; p < r->ports; p++) {
        if (r->load[p] && r->slot + r->load[p] - 1 + r->latency[p] - 1 > r->target) return false;
        hops += r->load[p];
    }
    return r->most > 1 || !hops || r->slot + hops - 1 <= r->target;
}

// ---------------------------------------------------------------- a plan

// Whether everything that waits in the slot can still be there in time.
static bool is_in_time(const struct relative *r)
{
    if (!exchange_can_end(r)) return false;
    if (!r->waiting_count) return true;
    uint32_t packet = r->waiting[0], left = crl_topology_unshift(r->topology, packet, r->at[packet]);
    return r->slot + crl_topology_delay(r->topology, 0, left) - 1 <= r->target;
}

// What arrives at the end of the slot.
static bool take_in(struct relative *r)
{
    uint32_t *arriving = r->flight + r->slot % r->latency_max * r->ports;
    bool good = true;
    for (uint32_t p = 0; p < r->ports; p++) {
        if (arriving[p] != CRL_NONE) good = exchange_arrive(r, arriving[p]) && good;
        arriving[p] = CRL_NONE;
    }
    return good;
}

// One plan. Returns 1 if it is there by slot `target`, 0 if it is not, or a negative error.
static int plan_once(struct relative *r, uint32_t *room)
{
    r->now.count = 0;
    r->waiting_count = r->fresh_count = 0;
    r->left = r->nodes - 1;
    for (size_t i = 0; i < (size_t)r->latency_max * r->ports; i++) r->flight[i] = CRL_NONE;
    exchange_begin(r);
    int error = merge(r, room);
    for (r->slot = 1; !error && r->left; r->slot++) {
        if (!is_in_time(r)) return 0;
        match(r);
        for (uint32_t p = 0; p < r->ports && !error; p++) {
            if (r->chosen[p] == CRL_NONE) continue;
            r->flight[(r->slot + r->latency[p] - 1) % r->latency_max * r->ports + p] = r->chosen[p];
            error = exchange_send(r, r->chosen[p], p);
        }
        drop_sent(r);
        if (!take_in(r)) return error;
        if (!error) error = merge(r, room);
    }
    return error ? error : 1;
}

static int keep_best(struct relative *r)
{
    struct crl_schedule swap = r->best;
    r->best = r->now;
    r->now = swap;
    return 1;
}

// The first plan that comes out for the fewest slots, from `bound` on.
static int search(struct relative *r, uint64_t bound)
{
    uint32_t *room = malloc(sizeof *room * r->nodes);
    if (!room) return CRL_ERR_MEMORY;
    r->target = UINT32_MAX / 2;
    int good = plan_once(r, room);
    if (good == 1) good = keep_best(r);
    uint64_t most = crl_schedule_slots(&r->best);
    for (r->target = bound; good >= 0 && r->target < most; r->target++) {
        uint64_t end = r->work + work_max / 4;
        good = 0;
        for (uint32_t i = 0; i < TRIES && !good && r->work < end && r->work < work_max; i++) good = plan_once(r, room);
        if (good == 1) {
            good = keep_best(r);
            break;
        }
    }
    free(room);
    return good < 0 ? good : 0;
}

static bool applies_latency_relative(const struct crl_problem *problem)
{
    return crl_applies_latency(problem) && crl_problem_is_symmetric(problem);
}

static int plan_latency_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                 struct crl_diag *diag)
{
    struct relative r;
    int error = relative_init(&r, problem);
    if (!error) error = search(&r, crl_problem_bound_slots(problem));
    if (!error) {
        struct crl_schedule swap = *schedule;
        *schedule = r.best;
        r.best = swap;
    }
    relative_done(&r);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_latency_relative[] = {
    {"total-exchange", "latency", "product without paths, with link latencies",
     "load, late hops, farthest: docs/schedules.md", "list scheduling",
     "translates: every slot a matching of ports and packets, most to go first; N to 8192",
     .handles = CRL_HANDLES_LATENCY, .applies = applies_latency_relative, .plan = plan_latency_exchange,
     .symmetric = crl_is_any, .cost = {.nodes_max = 1 << 13, .row_ns = 200, .search_s = 2}},
    {0}};
