// SPDX-License-Identifier: Apache-2.0
// Total exchange on products of rings, paths and complete graphs, all-port: in every slot a matching of ports with
// packets.
//
// Packets that want ports in any order are an open shop with steps of one slot: packets are jobs and ports machines. By
// König's theorem it takes no longer than the busiest port or the farthest packet, if in every slot a matching serves
// all ports and packets that have no slot to spare. These are worth so much here that the best matching does.
//
// Routers whose banks are fed straight by their ports ask for more: of the packets that came to a node over one port,
// its lane, at most one leaves in a slot. So it is a matching of ports with lanes and own packets, which may leave
// together. Far packets start first, so that short ones are left to fill the gaps at the end. Nothing says that a
// matching leaves the next slot as good a one, nor that there is an order where nodes play mirror images or packets
// correct their factors in turn: lots drawn from fixed seeds break ties, and the best of several tries is taken. Only
// "greedy" does without lanes, as where each packet wants one port alone the first in line goes.
//
// For each port the packets of a lane, and the own ones, stand in a queue, the farthest first, so that a slot looks at
// the heads alone and work grows with the moves.
#include "algorithm/product_packets.h"
#include "base/best.h"
#include "base/matching.h"
#include "base/random.h"
#include <string.h>

_Static_assert(CRL_MATCHING_ROWS_MAX >= CRL_PORTS_MAX, "a row of a matching is a port");

enum {
    WORK = 20000000, // offers looked at before it gives up,
    TRIES = 8,       // but not before so many tries
};

// What a packet on a port is worth.
#define LATE_PACKET (INT64_C(1) << 44)
#define LATE_PORT   (INT64_C(1) << 40)
#define TRANSIT     (INT64_C(1) << 36) // on its way: keeps few of them waiting, so that lanes have little to give out
enum { HOP = 1 << 16 };                // to go

struct exchange {
    struct crl_pool pool;
    struct crl_packets of;
    uint32_t lanes;         // that are told apart: one a port, and one for own packets; 1: none
    uint32_t levels, words; // of hops to go, and of their bits
    uint32_t *last;         // [queue · levels + hops to go] the last in line, or CRL_NONE; queue: link · lanes + lane
    uint64_t *some;         // [queue · words] a bit for each line that is not empty
    struct line {
        uint32_t next, prev;
    } * line;         // [packet × factors] that stand in line, which closes to a circle
    uint32_t *order;  // [packet × factors] in which they come at first
    uint32_t *column; // [packet] in a matching, or CRL_NONE
    uint32_t *moved;  // [links] packets that moved in this slot
    uint32_t moves;
    uint64_t random, work;
    uint32_t left, lots;                          // slots, with this one; how many lots there are in this try
    int64_t transit;                              // what it is worth in this try to be on the way
    uint32_t candidate[CRL_MATCHING_COLUMNS_MAX]; // [column] a packet
    uint32_t chosen[CRL_PORTS_MAX];
    struct crl_matching matching;
};

struct offers { // packets, and what they are worth, as less than no cost
    uint32_t count;
    struct crl_best best[CRL_PORTS_MAX];
};

// ---------------------------------------------------------------- queues

// Lanes of own packets are the last ones.
static uint32_t queue_at(const struct exchange *x, uint32_t link, uint32_t lane)
{
    return link * x->lanes + (lane == x->of.ports ? x->lanes - 1 : lane);
}

static uint32_t queue_of(const struct exchange *x, uint32_t entry)
{
    uint32_t packet = entry / x->of.factors;
    return queue_at(x, crl_packets_link(&x->of, packet, entry % x->of.factors), x->of.packet[packet].lane);
}

// The oldest goes first; in lanes of several places the newest, because of many tries the best is then a slot shorter
// here and there.
static void join(struct exchange *x, uint32_t entry)
{
    uint32_t queue = queue_of(x, entry), level = x->of.packet[entry / x->of.factors].to_go;
    uint32_t *last = &x->last[(size_t)queue * x->levels + level];
    x->line[entry].next = x->line[entry].prev = entry;
    if (*last != CRL_NONE) {
        uint32_t first = x->line[*last].next;
        x->line[entry].next = first;
        x->line[entry].prev = *last;
        x->line[*last].next = x->line[first].prev = entry;
    }
    if (*last == CRL_NONE || x->lanes == 1 || x->of.places == 1) *last = entry;
    x->some[(size_t)queue * x->words + level / 64] |= UINT64_C(1) << level % 64;
}

static void leave(struct exchange *x, uint32_t entry)
{
    uint32_t queue = queue_of(x, entry), level = x->of.packet[entry / x->of.factors].to_go;
    uint32_t *last = &x->last[(size_t)queue * x->levels + level];
    x->line[x->line[entry].prev].next = x->line[entry].next;
    x->line[x->line[entry].next].prev = x->line[entry].prev;
    if (*last == entry) *last = x->line[entry].next == entry ? CRL_NONE : x->line[entry].prev;
    if (*last == CRL_NONE) x->some[(size_t)queue * x->words + level / 64] &= ~(UINT64_C(1) << level % 64);
}

// Does so in the queues of all ports that the packet wants.
static void do_for_all(struct exchange *x, uint32_t packet, void (*what)(struct exchange *, uint32_t))
{
    for (uint32_t i = 0; i < x->of.factors; i++)
        if (crl_packets_wants(&x->of, packet, i)) what(x, packet * x->of.factors + i);
}

// The most hops to go of those in a queue, below `level`; 0: none waits.
static uint32_t level_below(const struct exchange *x, uint32_t queue, uint32_t level)
{
    const uint64_t *some = &x->some[(size_t)queue * x->words];
    for (uint32_t word = (level + 63) / 64; word-- > 0;) {
        uint64_t bits = some[word];
        if (level < word * 64 + 64) bits &= (UINT64_C(1) << level % 64) - 1;
        if (bits) return word * 64 + 63 - (uint32_t)__builtin_clzll(bits);
    }
    return 0;
}

// The first in a queue, or CRL_NONE; and the one behind another.
static uint32_t first_in(const struct exchange *x, uint32_t queue, uint32_t below)
{
    uint32_t level = level_below(x, queue, below);
    return level ? x->line[x->last[(size_t)queue * x->levels + level]].next : CRL_NONE;
}

static uint32_t behind(const struct exchange *x, uint32_t queue, uint32_t entry)
{
    uint32_t level = x->of.packet[entry / x->of.factors].to_go;
    if (x->last[(size_t)queue * x->levels + level] != entry) return x->line[entry].next;
    return first_in(x, queue, level);
}

// ---------------------------------------------------------------- a slot

// What the packet is worth on the link, but for its lot.
static int64_t worth(const struct exchange *x, uint32_t packet, uint32_t link)
{
    int64_t sum = 1 + HOP * (int64_t)x->of.packet[packet].to_go;
    if (x->of.packet[packet].lane != x->of.ports) sum += x->transit;
    if (x->of.places == 1 && x->of.packet[packet].to_go >= x->left) sum += LATE_PACKET;
    if (x->of.load[link] >= x->left) sum += LATE_PORT;
    return sum;
}

static int64_t draw(struct exchange *x)
{
    x->work++;
    return x->lots > 1 ? (int64_t)(crl_random(&x->random) % x->lots) : 0;
}

// Own packets may leave together, so as many of them as there are ports that they might want: down the queue worth
// falls, but for lots. Of a lane the first in line.
static void collect_offers(struct exchange *x, uint32_t link, struct offers *list)
{
    uint32_t most = x->of.places > 1 ? 1 : x->of.ports, own = queue_at(x, link, x->of.ports);
    list->count = 0;
    for (uint32_t at = first_in(x, own, x->levels); at != CRL_NONE && list->count < most; at = behind(x, own, at)) {
        int64_t cost = -worth(x, at / x->of.factors, link) - draw(x);
        list->count = crl_best_put(list->best, list->count, most, at / x->of.factors, cost);
    }
    for (uint32_t lane = 0; lane < x->of.ports; lane++) {
        uint32_t at = first_in(x, queue_at(x, link, lane), x->levels);
        if (at == CRL_NONE) continue;
        int64_t cost = -worth(x, at / x->of.factors, link) - draw(x);
        list->count = crl_best_put(list->best, list->count, x->of.ports, at / x->of.factors, cost);
    }
}

// Matches the ports of a place with lanes, which are the first columns, and single packets.
static void match(struct exchange *x, uint32_t place)
{
    struct crl_matching *m = &x->matching;
    uint32_t ports = x->of.ports;
    m->rows = m->columns = ports;
    for (uint32_t port = 0; port < ports; port++) {
        struct offers list;
        collect_offers(x, place * ports + port, &list);
        m->row[port].count = list.count;
        for (uint32_t i = 0; i < list.count; i++) {
            uint32_t packet = list.best[i].what, column = x->of.packet[packet].lane;
            if (column == ports && x->column[packet] == CRL_NONE) {
                x->candidate[m->columns] = packet;
                x->column[packet] = m->columns++;
            }
            if (column == ports) column = x->column[packet];
            m->row[port].edge[i].column = column;
            m->row[port].edge[i].worth = -list.best[i].cost;
        }
    }
    crl_match(m);
    for (uint32_t c = ports; c < m->columns; c++) x->column[x->candidate[c]] = CRL_NONE;
    for (uint32_t port = 0; port < ports; port++) {
        uint32_t column = m->column_of[port], queue = queue_at(x, place * ports + port, column);
        if (column >= ports) x->chosen[port] = column == CRL_NONE ? CRL_NONE : x->candidate[column];
        else x->chosen[port] = first_in(x, queue, x->levels) / x->of.factors;
    }
}

// Chooses the packets that leave a place. Where each wants one port alone, and lanes are not told apart, these are the
// first in line.
static void choose(struct exchange *x, uint32_t place)
{
    if (x->lanes > 1) {
        match(x, place);
        return;
    }
    for (uint32_t port = 0; port < x->of.ports; port++) {
        uint32_t at = first_in(x, place * x->of.ports + port, x->levels);
        x->chosen[port] = at == CRL_NONE ? CRL_NONE : at / x->of.factors;
        x->work++;
        if (at == CRL_NONE) continue;
        __builtin_prefetch(&x->of.packet[x->chosen[port]]); // of many packets hardly any is in the cache
        __builtin_prefetch(&x->of.leg[at]);
    }
}

static void play_slot(struct exchange *x, uint32_t slot, struct crl_schedule *schedule)
{
    uint32_t ports = x->of.ports;
    x->moves = 0;
    for (uint32_t place = 0; place < x->of.places; place++) {
        choose(x, place);
        for (uint32_t port = 0; port < ports; port++) {
            uint32_t packet = x->chosen[port], i = x->of.factor_of[port];
            if (packet == CRL_NONE) continue;
            do_for_all(x, packet, leave);
            crl_packets_move(&x->of, slot, packet, i, schedule);
            if (x->lanes > 1)
                x->of.packet[packet].lane = (uint8_t)crl_packets_port(&x->of, packet, i); // as it is seen there
            x->moved[x->moves++] = packet;
        }
    }
    for (uint32_t k = 0; k < x->moves; k++) do_for_all(x, x->moved[k], join); // it can leave in the next slot
}

// ---------------------------------------------------------------- tries

// Lots are of each queue its own: if all queues had the same packets at their heads, few of these could leave together.
static void fill_queues(struct exchange *x)
{
    uint32_t count = x->of.packets * x->of.factors;
    memset(x->last, 0xff, sizeof *x->last * x->of.links * x->lanes * x->levels); // CRL_NONE
    memset(x->some, 0, sizeof *x->some * x->of.links * x->lanes * x->words);
    for (uint32_t i = 0; i < count; i++) x->order[i] = i;
    if (x->lots) crl_shuffle(x->order, count, &x->random);
    for (uint32_t k = count; k-- > 0;)
        if (crl_packets_wants(&x->of, x->order[k] / x->of.factors, x->order[k] % x->of.factors)) join(x, x->order[k]);
}

static void restart(struct exchange *x, uint64_t seed)
{
    x->random = seed;
    x->transit = x->of.places > 1 ? (int64_t)HOP << (seed / 2 % 4) : TRANSIT;
    x->lots = x->lanes == 1 ? 0 : UINT32_C(1) << (x->of.places == 1 || seed % 2 ? 14 : 18);
    crl_packets_restart(&x->of);
    for (uint32_t packet = 0; packet < x->of.packets; packet++) {
        x->of.packet[packet].lane = (uint8_t)x->of.ports;
        x->column[packet] = CRL_NONE;
    }
    fill_queues(x);
}

// Whether no link has more to carry than there are slots.
static bool in_time(const struct exchange *x, uint32_t slots)
{
    for (uint32_t link = 0; link < x->of.links; link++)
        if (x->of.load[link] > slots) return false;
    return true;
}

// One try; returns its slots, or CRL_NONE if these would be more than `limit`.
static uint32_t play(struct exchange *x, uint64_t seed, uint32_t limit, struct crl_schedule *schedule)
{
    uint32_t slot = 0;
    restart(x, seed);
    while (x->of.moving) {
        if (slot == limit || (x->of.places == 1 && !in_time(x, limit - slot))) return CRL_NONE;
        x->left = slot < x->of.least ? x->of.least - slot : 1;
        play_slot(x, ++slot, schedule);
    }
    return slot;
}

// Adds the best schedule that is found.
static void find(struct exchange *x, struct crl_schedule *schedule)
{
    uint64_t best_seed = 1;
    uint32_t best = CRL_NONE;
    bool once = x->lanes == 1; // without lots one try is all
    crl_packets_restart(&x->of);
    for (uint64_t seed = 1; !once && best > x->of.least && (seed <= TRIES || x->work <= WORK); seed++) {
        uint32_t slots = play(x, seed, best - 1, NULL);
        if (slots >= best) continue;
        best = slots;
        best_seed = seed;
    }
    play(x, best_seed, best, schedule);
}

// ---------------------------------------------------------------- planning

static int exchange_new(struct exchange *x, const struct crl_problem *problem, bool laned, bool mirrored,
                        struct crl_diag *diag)
{
    *x = (struct exchange){0};
    int error = crl_packets_new(&x->of, &x->pool, problem, mirrored, diag);
    if (error) return error;
    for (uint32_t i = 0; i < x->of.factors; i++) {
        const struct crl_factor *f = &x->of.topology->factor[i];
        x->levels += f->shape == CRL_PATH ? f->size - 1 : f->shape == CRL_RING ? f->size / 2 : 1;
    }
    x->levels++;
    x->words = x->levels / 64 + 1;
    x->lanes = laned ? x->of.ports + 1 : 1;
    size_t queues = (size_t)x->of.links * x->lanes, packets = x->of.packets, entries = packets * x->of.factors;
    CRL_NEW(&x->pool, x->last, queues * x->levels);
    CRL_NEW(&x->pool, x->some, queues * x->words);
    CRL_NEW(&x->pool, x->line, entries);
    CRL_NEW(&x->pool, x->order, entries);
    CRL_NEW(&x->pool, x->column, packets);
    CRL_NEW(&x->pool, x->moved, x->of.links);
    return x->pool.failed ? crl_fail_memory(diag) : 0;
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, bool laned, bool mirrored,
                struct crl_diag *diag)
{
    struct exchange x;
    int error = exchange_new(&x, problem, laned, mirrored, diag);
    schedule->folded &= x.of.twisted == CRL_NONE;
    if (!error) find(&x, schedule);
    crl_pool_done(&x.pool);
    return error;
}

static int plan_greedy(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, false, true, diag);
}

static int plan_translation(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, true, false, diag);
}

static int plan_matching(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, true, true, diag);
}

static bool folds(const struct crl_problem *problem) { return !crl_packets_are_mirrored(problem); }

static bool applies_translation(const struct crl_problem *problem)
{
    return crl_packets_are_alike(problem) && crl_packets_are_mirrored(problem);
}

static bool has_paths(const struct crl_problem *problem)
{
    return crl_topology_has(problem->topology, CRL_PATH) && !crl_topology_has(problem->topology, CRL_GRAPH);
}

const struct crl_algorithm crl_rows_product_exchange[] = {
    {"total-exchange", "matching", "product without paths", "ceil(max_i N*floor(m_i^2/4)/(2*m_i)), diameter",
     "list scheduling", "an open shop: every slot a matching of packets and ports", .ports = CRL_FOR_ALL_PORTS,
     .applies = crl_packets_are_alike, .plan = plan_matching, .symmetric = folds, .cost = {.row_ns = 100},
     .claim = crl_problem_bound_slots},
    {"total-exchange", "translation", "ring of even size times an odd product",
     "as matching, and a quarter of the ring more", "list scheduling",
     "as matching, but the same from every node, so that one node's rows are all", .ports = CRL_FOR_ALL_PORTS,
     .applies = applies_translation, .plan = plan_translation, .symmetric = crl_is_any},
    {"total-exchange", "greedy", "product with a path", "max_i N*floor(m_i^2/4)/m_i where tried", "list scheduling",
     "most hops to go first, dimensions in an order that spreads the load", .ports = CRL_FOR_ALL_PORTS,
     .applies = has_paths, .plan = plan_greedy, .symmetric = crl_is_any,
     .cost = {.nodes_max = 1 << 13, .row_ns = 300, .pair_bytes = 50}},
    {"total-exchange", "banked", "product without paths", "as matching", "list scheduling",
     "no two packets from one port leave together, by search", .ports = CRL_FOR_ALL_PORTS, .router = CRL_ROUTER_BANKED,
     .applies = crl_packets_are_alike, .plan = plan_matching, .symmetric = folds,
     .cost = {.nodes_max = 1 << 16, .row_ns = 1000, .search_s = 4, .quick_nodes = 8192},
     .claim = crl_problem_bound_slots},
    {"total-exchange", "banked", "product with a path", "max_i N*floor(m_i^2/4)/m_i where tried", "list scheduling",
     "no two packets from one port leave together: every node matches links with ports", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_BANKED, .applies = has_paths, .plan = plan_matching, .symmetric = crl_is_any,
     .cost = {.nodes_max = 1024, .row_ns = 1000, .search_s = 4, .pair_bytes = 50, .quick_nodes = 144}},
    {0}};
