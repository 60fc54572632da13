// SPDX-License-Identifier: Apache-2.0
// Total exchange on arrays, and on products of which at least one factor is a path: greedy.
//
// A packet corrects its digits one factor after the other, in cyclic order from the factor numbered
// (sum of all digits of origin and destination) mod (number of factors): this spreads the packets evenly over the links
// of a cut, and both ways round. Each link sends, of the packets that wait for it, the one with the most hops to go. On
// all arrays tried the links of the widest cut are then busy in every slot.
//
// For routers whose banks are fed straight by their ports ("banked"), of the packets that came to a node over one port,
// its lane, at most one leaves in a slot. So each node matches its links with its lanes: links without a slot to spare
// first, then packets on their way, so that few wait. Lots drawn from fixed seeds break ties, and the best of several
// tries is taken.
//
// What waits for a link stands in line with those that have as many hops to go; nothing else is kept of a packet, as
// all else follows from its number and from where it lies.
#include "algorithm/algorithm.h"
#include "algorithm/matching.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOVES_MAX = 1 << 28, // of 24 bytes each
    WORK = 1 << 22,      // moves that are tried before a schedule is taken that misses the bound
};

// What a packet on a link is worth in a matching.
#define LATE (INT64_C(1) << 44)
enum { HOP = 1 << 16 }; // to go

// A packet on the move.
struct packet {
    uint32_t index, origin, dest, at;
    uint32_t lane;  // port that it came over; of an own packet, one more than there are
    uint32_t to_go; // hops
};

struct greedy {
    const struct crl_topology *topology;
    uint32_t ports, packets, arrived, links;
    uint32_t lanes;         // that are told apart, own packets included; 1: none
    uint32_t levels, words; // of hops to go, and of their bits
    uint32_t *last;         // [queue · levels + hops to go] the last in line, or CRL_NONE; queue: link · lanes + lane
    uint64_t *some;         // [queue · words] a bit for each line that is not empty
    uint32_t *next;         // [packet] whom it stands before; the last one in line, before the first
    uint32_t *after;        // [links] whom it leads to
    struct packet *moved;   // packets that moved in this slot
    uint32_t moves;         // and how many
    uint32_t *order;        // [packets] in which they come at first
    uint32_t *load;         // [links] moves that it has yet to carry
    uint32_t *chosen;       // [ports] lane of the packet that leaves, or CRL_NONE
    uint32_t left;          // slots, with this one
    uint64_t random;
    int64_t transit; // what it is worth to be on the way, in this try
    uint32_t lots;   // and how many lots there are
    struct crl_matching *matching;
};

static uint32_t digit_of(const struct crl_factor *f, uint32_t node) { return node / f->stride % f->size; }

static uint32_t first_factor(const struct crl_topology *t, uint32_t origin, uint32_t dest)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->factor_count; i++)
        sum += digit_of(&t->factor[i], origin) + digit_of(&t->factor[i], dest);
    return sum % t->factor_count;
}

// Half way round ring f there are two ways. Even origins go up and odd ones down, which leaves a difference where a
// quarter of the ring is not whole. Half the digit sums of the other factors even it out; their parity would not, as it
// is tied to the factor to correct first.
static bool half_goes_up(const struct crl_topology *t, const struct crl_factor *f, const struct packet *p)
{
    uint32_t sum = digit_of(f, p->origin);
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (&t->factor[i] != f) sum += (digit_of(&t->factor[i], p->origin) + digit_of(&t->factor[i], p->dest)) / 2;
    return sum % 2 == 0;
}

// Where the packet goes next: the neighbour in the first factor that it has to correct.
static uint32_t next_node(const struct crl_topology *t, const struct packet *p)
{
    uint32_t first = first_factor(t, p->origin, p->dest);
    for (uint32_t k = 0; k < t->factor_count; k++) {
        const struct crl_factor *f = &t->factor[(first + k) % t->factor_count];
        uint32_t m = f->size, x = digit_of(f, p->at), y = digit_of(f, p->dest), up = (y + m - x) % m;
        if (x == y) continue;
        uint32_t to = y;
        if (f->shape == CRL_PATH) to = x < y ? x + 1 : x - 1;
        if (f->shape == CRL_RING)
            to = 2 * up < m || (2 * up == m && half_goes_up(t, f, p)) ? (x + 1) % m : (x + m - 1) % m;
        return p->at + (to - x) * f->stride;
    }
    return CRL_NONE;
}

static struct packet packet_of(const struct greedy *g, uint32_t index)
{
    uint32_t others = crl_topology_nodes(g->topology) - 1, origin = index / others, dest = index % others;
    dest += dest >= origin;
    return (struct packet){index, origin, dest, origin, g->ports, crl_topology_distance(g->topology, origin, dest)};
}

static size_t queue_of(const struct greedy *g, uint32_t link, uint32_t lane)
{
    return (size_t)link * g->lanes + (g->lanes > 1 ? lane : 0);
}

static uint32_t link_of(const struct greedy *g, const struct packet *p)
{
    return p->at * g->ports + crl_topology_port_to(g->topology, p->at, next_node(g->topology, p));
}

// Puts a packet in line for the link it must take next.
static void join_queue(struct greedy *g, const struct packet *p)
{
    size_t queue = queue_of(g, link_of(g, p), p->lane);
    uint32_t *last = &g->last[queue * g->levels + p->to_go];
    g->next[p->index] = p->index;
    if (*last != CRL_NONE) {
        g->next[p->index] = g->next[*last];
        g->next[*last] = p->index;
    }
    // The oldest goes first; where lanes are told apart the newest, because of many tries the best is then a slot
    // shorter here and there.
    if (g->lanes == 1 || *last == CRL_NONE) *last = p->index;
    g->some[queue * g->words + p->to_go / 64] |= UINT64_C(1) << p->to_go % 64;
}

// The hops to go of the packet that goes first; 0: none waits.
static uint32_t most_hops(const struct greedy *g, size_t queue)
{
    for (uint32_t word = g->words; word-- > 0;) {
        uint64_t some = g->some[queue * g->words + word];
        if (some) return word * 64 + 63 - (uint32_t)__builtin_clzll(some);
    }
    return 0;
}

// Chooses the lanes whose packets leave a node. Own packets are in nobody's way, so each link has a column for them.
static void match(struct greedy *g, uint32_t node)
{
    struct crl_matching *m = g->matching;
    m->rows = g->ports;
    m->columns = 2 * g->ports;
    for (uint32_t port = 0; port < g->ports; port++) {
        uint32_t link = node * g->ports + port, count = 0;
        for (uint32_t lane = 0; lane < g->lanes; lane++) {
            uint32_t hops = most_hops(g, queue_of(g, link, lane));
            bool own = lane == g->ports;
            if (!hops) continue;
            m->row[port].edge[count].column = own ? g->ports + port : lane;
            m->row[port].edge[count++].worth = 1 + (int64_t)(crl_random(&g->random) % g->lots) + HOP * (int64_t)hops +
                                               (own ? 0 : g->transit) + (g->load[link] >= g->left ? LATE : 0);
        }
        m->row[port].count = count;
    }
    crl_match(m);
    for (uint32_t port = 0; port < g->ports; port++) {
        uint32_t column = m->column_of[port];
        g->chosen[port] = column == CRL_NONE || column < g->ports ? column : g->ports;
    }
}

static int send(struct greedy *g, uint32_t slot, uint32_t link, uint32_t lane, struct crl_schedule *schedule)
{
    size_t queue = queue_of(g, link, lane);
    uint32_t hops = most_hops(g, queue);
    if (!hops) return 0;
    uint32_t *last = &g->last[queue * g->levels + hops], first = g->next[*last];
    struct packet p = packet_of(g, first);
    g->next[*last] = g->next[first];
    if (*last == first) *last = CRL_NONE;
    if (*last == CRL_NONE) g->some[queue * g->words + hops / 64] &= ~(UINT64_C(1) << hops % 64);
    p.at = g->after[link];
    p.lane = link % g->ports;
    p.to_go = hops - 1;
    g->load[link]--;
    g->moved[g->moves++] = p;
    return crl_schedule_add(schedule, (struct crl_move){slot, link / g->ports, p.at, p.origin, p.dest});
}

static int play_slot(struct greedy *g, uint32_t slot, struct crl_schedule *schedule)
{
    int error = 0;
    g->moves = 0;
    for (uint32_t link = 0; link < g->links && !error; link++) {
        uint32_t port = link % g->ports;
        if (g->lanes > 1 && !port) match(g, link / g->ports);
        uint32_t lane = g->lanes > 1 ? g->chosen[port] : 0;
        if (lane != CRL_NONE) error = send(g, slot, link, lane, schedule);
    }
    for (uint32_t i = 0; i < g->moves; i++) { // what arrives in a slot can leave in the next
        if (g->moved[i].to_go) join_queue(g, &g->moved[i]);
        else g->arrived++;
    }
    return error;
}

// The moves that each link will carry.
static void count_loads(struct greedy *g)
{
    for (uint32_t link = 0; link < g->links; link++) g->load[link] = 0;
    for (uint32_t i = 0; i < g->packets; i++)
        for (struct packet p = packet_of(g, i); p.at != p.dest;) {
            uint32_t link = link_of(g, &p);
            g->load[link]++;
            p.at = g->after[link];
        }
}

static void start(struct greedy *g)
{
    size_t queues = (size_t)g->links * g->lanes;
    memset(g->last, 0xff, sizeof *g->last * queues * g->levels); // CRL_NONE
    memset(g->some, 0, sizeof *g->some * queues * g->words);
    g->arrived = 0;
    for (uint32_t i = 0; i < g->packets; i++) g->order[i] = i;
    for (uint32_t i = g->lanes > 1 ? g->packets : 0; i-- > 1;) { // lots
        uint32_t other = (uint32_t)(crl_random(&g->random) % (i + UINT64_C(1))), swap = g->order[i];
        g->order[i] = g->order[other];
        g->order[other] = swap;
    }
    for (uint32_t i = g->packets; i-- > 0;) {
        struct packet p = packet_of(g, g->order[i]);
        join_queue(g, &p);
    }
    if (g->lanes > 1) count_loads(g);
}

// One schedule; gives up beyond `limit` slots.
static int play(struct greedy *g, uint64_t seed, uint64_t bound, uint32_t limit, struct crl_schedule *schedule)
{
    int error = 0;
    g->random = seed;
    start(g);
    g->transit = (int64_t)HOP << (seed / 2 % 4);
    g->lots = UINT32_C(1) << (seed % 2 ? 14 : 18);
    for (uint32_t slot = 1; !error && g->arrived < g->packets && slot <= limit; slot++) {
        g->left = slot < bound ? (uint32_t)bound - slot + 1 : 1;
        error = play_slot(g, slot, schedule);
    }
    return error;
}

static int plan(struct greedy *g, const struct crl_problem *problem, struct crl_schedule *schedule)
{
    uint64_t bound = crl_problem_bound_slots(problem), work = 0;
    if (g->lanes == 1) return play(g, 0, bound, UINT32_MAX, schedule);
    struct crl_schedule now;
    uint32_t best = UINT32_MAX; // slots
    int error = 0;
    crl_schedule_init(&now, g->topology, CRL_NAMING_PAIR, false);
    for (uint64_t seed = 1; !error && best > bound && work <= WORK; seed++) {
        now.count = 0;
        error = play(g, seed, bound, best - 1, &now);
        work += now.count;
        if (g->arrived < g->packets) continue;
        best = crl_schedule_slots(&now);
        struct crl_schedule swap = *schedule;
        *schedule = now;
        now = swap;
    }
    crl_schedule_done(&now);
    return error;
}

static bool applies_mesh_total_exchange(const struct crl_problem *problem)
{
    return crl_topology_has(problem->topology, CRL_PATH) && !crl_topology_has(problem->topology, CRL_GRAPH);
}

static int plan_with(struct crl_schedule *schedule, const struct crl_problem *problem, bool banked,
                     struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    uint64_t nodes = crl_topology_nodes(t);
    if (nodes > 1 << 13 || crl_problem_bound_transmissions(problem) > MOVES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "a total exchange on %s has more than %d transmissions",
                        crl_topology_name(t), MOVES_MAX);
    struct greedy g = {.topology = t, .ports = crl_topology_ports(t), .packets = (uint32_t)(nodes * (nodes - 1))};
    g.links = (uint32_t)nodes * g.ports;
    g.lanes = banked ? g.ports + 1 : 1;
    for (uint32_t v = 0; v < nodes; v++) // the farthest corner is that of a node 0
        if (crl_topology_distance(t, 0, v) >= g.levels) g.levels = crl_topology_distance(t, 0, v) + 1;
    g.words = g.levels / 64 + 1;
    size_t queues = (size_t)g.links * g.lanes;
    g.last = malloc(sizeof *g.last * queues * g.levels);
    g.some = malloc(sizeof *g.some * queues * g.words);
    g.next = malloc(sizeof *g.next * (g.packets + UINT64_C(1)));
    g.order = malloc(sizeof *g.order * (g.packets + UINT64_C(1)));
    g.after = malloc(sizeof *g.after * g.links);
    g.moved = malloc(sizeof *g.moved * g.links);
    g.load = calloc(g.links, sizeof *g.load);
    g.chosen = malloc(sizeof *g.chosen * g.ports);
    g.matching = malloc(sizeof *g.matching);
    bool room = g.last && g.some && g.next && g.order && g.after && g.moved && g.load && g.chosen && g.matching;
    for (uint32_t link = 0; link < g.links && room; link++)
        g.after[link] = crl_topology_neighbor(t, link / g.ports, link % g.ports);
    int error = room ? plan(&g, problem, schedule) : CRL_ERR_MEMORY;
    void *const all[] = {g.last, g.some, g.next, g.order, g.after, g.moved, g.load, g.chosen, g.matching};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return error ? crl_fail_memory(diag) : 0;
}

static int plan_mesh_total_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                    struct crl_diag *diag)
{
    return plan_with(schedule, problem, false, diag);
}

static int plan_mesh_banked_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                     struct crl_diag *diag)
{
    return plan_with(schedule, problem, true, diag);
}

const struct crl_algorithm crl_rows_mesh_total_exchange[] = {
    {"total-exchange", "greedy", "product with a path", "max_i N*floor(m_i^2/4)/m_i where tried", "list scheduling",
     "most hops to go first, dimensions in an order that spreads the load", .ports = CRL_FOR_ALL_PORTS,
     .applies = applies_mesh_total_exchange, .plan = plan_mesh_total_exchange, .symmetric = crl_is_any,
     .cost = {.nodes_max = 1 << 13, .row_ns = 300, .pair_bytes = 8}},
    {"total-exchange", "banked", "product with a path", "max_i N*floor(m_i^2/4)/m_i where tried", "list scheduling",
     "no two packets from one port leave together: every node matches links with ports", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_BANKED, .applies = applies_mesh_total_exchange, .plan = plan_mesh_banked_exchange,
     .symmetric = crl_is_any,
     .cost = {.nodes_max = 1024, .row_ns = 1000, .search_s = 4, .pair_bytes = 8, .quick_nodes = 144}},
    {0}};
