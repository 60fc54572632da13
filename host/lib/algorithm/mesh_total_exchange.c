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
#include "algorithm/algorithm.h"
#include "algorithm/matching.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>

enum {
    MOVES_MAX = 1 << 28, // of 24 bytes each
    WORK = 1 << 22,      // moves that are tried before a schedule is taken that misses the bound
};

// What a packet on a link is worth in a matching.
#define LATE (INT64_C(1) << 44)
enum { HOP = 1 << 16 }; // to go

struct packet {
    uint32_t origin, dest, at;
    uint32_t lane;        // port that it came over; of an own packet, one more than there are
    uint32_t first;       // factor to correct first
    uint32_t to_go;       // hops
    uint32_t lot;         // which goes before those with as many
    uint32_t left, right; // of a heap, CRL_NONE: none
    uint32_t rank;        // steps to the nearest gap below in the heap; the left is never nearer to one
};

struct greedy {
    const struct crl_topology *topology;
    uint32_t ports, packets, arrived, links;
    uint32_t lanes; // that are told apart, own packets included; 1: none
    struct packet *packet;
    uint32_t *waiting; // [nodes × ports × lanes] a leftist heap of packets
    uint32_t *moved;   // packets that moved in this slot
    uint32_t moves;    // and how many
    uint32_t *load;    // [links] moves that it has yet to carry
    uint32_t *chosen;  // [ports] lane of the packet that leaves, or CRL_NONE
    uint32_t left;     // slots, with this one
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
    for (uint32_t k = 0; k < t->factor_count; k++) {
        const struct crl_factor *f = &t->factor[(p->first + k) % t->factor_count];
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

static bool goes_before(const struct packet *a, const struct packet *b)
{
    return a->to_go != b->to_go ? a->to_go > b->to_go : a->lot > b->lot;
}

static uint32_t merge(struct packet *packet, uint32_t a, uint32_t b)
{
    if (a == CRL_NONE) return b;
    if (b == CRL_NONE) return a;
    if (goes_before(&packet[b], &packet[a])) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    struct packet *p = &packet[a];
    p->right = merge(packet, p->right, b); // as deep as the logarithm of the packets
    uint32_t left = p->left == CRL_NONE ? 0 : packet[p->left].rank;
    uint32_t right = packet[p->right].rank;
    if (left < right) {
        uint32_t swap = p->left;
        p->left = p->right;
        p->right = swap;
    }
    p->rank = 1 + (left < right ? left : right);
    return a;
}

static uint32_t *heap_of(const struct greedy *g, uint32_t link, uint32_t lane)
{
    return &g->waiting[(size_t)link * g->lanes + lane];
}

// Puts a packet into the heap of the link it must take next.
static void join_queue(struct greedy *g, uint32_t index)
{
    struct packet *p = &g->packet[index];
    uint32_t port = crl_topology_port_to(g->topology, p->at, next_node(g->topology, p));
    uint32_t *heap = heap_of(g, p->at * g->ports + port, g->lanes > 1 ? p->lane : 0);
    p->left = p->right = CRL_NONE;
    p->rank = 1;
    *heap = merge(g->packet, *heap, index);
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
            uint32_t top = *heap_of(g, link, lane);
            bool own = lane == g->ports;
            if (top == CRL_NONE) continue;
            m->row[port].edge[count].column = own ? g->ports + port : lane;
            m->row[port].edge[count++].worth = 1 + (int64_t)(crl_random(&g->random) % g->lots) +
                                               HOP * (int64_t)g->packet[top].to_go + (own ? 0 : g->transit) +
                                               (g->load[link] >= g->left ? LATE : 0);
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
    uint32_t *heap = heap_of(g, link, lane), top = *heap;
    if (top == CRL_NONE) return 0;
    struct packet *p = &g->packet[top];
    uint32_t next = next_node(g->topology, p);
    *heap = merge(g->packet, p->left, p->right);
    int error = crl_schedule_add(schedule, (struct crl_move){slot, p->at, next, p->origin, p->dest});
    p->at = next;
    p->lane = link % g->ports;
    p->to_go--;
    g->load[link]--;
    g->moved[g->moves++] = top;
    return error;
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
        if (g->packet[g->moved[i]].to_go) join_queue(g, g->moved[i]);
        else g->arrived++;
    }
    return error;
}

// The moves that each link will carry.
static void count_loads(struct greedy *g)
{
    for (uint32_t link = 0; link < g->links; link++) g->load[link] = 0;
    for (uint32_t i = 0; i < g->packets; i++) {
        struct packet *p = &g->packet[i];
        for (uint32_t next; p->at != p->dest; p->at = next) {
            next = next_node(g->topology, p);
            g->load[p->at * g->ports + crl_topology_port_to(g->topology, p->at, next)]++;
        }
        p->at = p->origin;
    }
}

static void start(struct greedy *g)
{
    const struct crl_topology *t = g->topology;
    uint32_t nodes = crl_topology_nodes(t);
    for (size_t i = 0; i < (size_t)g->links * g->lanes; i++) g->waiting[i] = CRL_NONE;
    g->arrived = 0;
    for (uint32_t i = 0; i < g->packets; i++) {
        uint32_t origin = i / (nodes - 1), dest = i % (nodes - 1);
        dest += dest >= origin;
        g->packet[i] = (struct packet){.origin = origin,
                                       .dest = dest,
                                       .at = origin,
                                       .lane = g->ports,
                                       .first = first_factor(t, origin, dest),
                                       .to_go = crl_topology_distance(t, origin, dest),
                                       .lot = g->lanes > 1 ? (uint32_t)crl_random(&g->random) : 0};
        join_queue(g, i);
    }
    count_loads(g);
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

bool crl_applies_mesh_total_exchange(const struct crl_problem *problem)
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
    g.packet = malloc(sizeof *g.packet * g.packets);
    g.waiting = malloc(sizeof *g.waiting * g.links * g.lanes);
    g.moved = malloc(sizeof *g.moved * g.links);
    g.load = malloc(sizeof *g.load * g.links);
    g.chosen = malloc(sizeof *g.chosen * g.ports);
    g.matching = malloc(sizeof *g.matching);
    bool room = g.packet && g.waiting && g.moved && g.load && g.chosen && g.matching;
    int error = room ? plan(&g, problem, schedule) : CRL_ERR_MEMORY;
    free(g.packet);
    free(g.waiting);
    free(g.moved);
    free(g.load);
    free(g.chosen);
    free(g.matching);
    return error ? crl_fail_memory(diag) : 0;
}

int crl_plan_mesh_total_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                 struct crl_diag *diag)
{
    return plan_with(schedule, problem, false, diag);
}

int crl_plan_mesh_banked_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                  struct crl_diag *diag)
{
    return plan_with(schedule, problem, true, diag);
}
