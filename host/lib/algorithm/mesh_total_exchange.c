// SPDX-License-Identifier: Apache-2.0
// Total exchange on arrays, and on products of which at least one factor is a path: greedy.
//
// A packet corrects its digits one factor after the other, in cyclic order from the factor numbered
// (sum of all digits of origin and destination) mod (number of factors): this spreads the packets evenly over the links
// of a cut, and both ways round. Each link sends, of the packets that wait for it, the one with the most hops to go. On
// all arrays tried the links of the widest cut are then busy in every slot.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>

enum { MOVES_MAX = 1 << 28 }; // of 24 bytes each

struct packet {
    uint32_t origin, dest, at;
    uint32_t first;       // factor to correct first
    uint32_t to_go;       // hops
    uint32_t left, right; // of a heap, CRL_NONE: none
    uint32_t rank;        // steps to the nearest gap below in the heap; the left is never nearer to one
};

struct greedy {
    const struct crl_topology *topology;
    uint32_t ports, packets, arrived, links;
    struct packet *packet;
    uint32_t *waiting; // [nodes × ports] a leftist heap of packets
    uint32_t *moved;   // packets that moved in this slot
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

static bool goes_before(const struct packet *a, const struct packet *b) { return a->to_go > b->to_go; }

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

// Puts a packet into the heap of the link it must take next.
static void join_queue(struct greedy *g, uint32_t index)
{
    struct packet *p = &g->packet[index];
    uint32_t port = crl_topology_port_to(g->topology, p->at, next_node(g->topology, p));
    uint32_t *heap = &g->waiting[p->at * g->ports + port];
    p->left = p->right = CRL_NONE;
    p->rank = 1;
    *heap = merge(g->packet, *heap, index);
}

static int play_slot(struct greedy *g, uint32_t slot, struct crl_schedule *schedule)
{
    uint32_t moved = 0;
    int error = 0;
    for (uint32_t link = 0; link < g->links && !error; link++) {
        uint32_t top = g->waiting[link];
        if (top == CRL_NONE) continue;
        struct packet *p = &g->packet[top];
        uint32_t next = next_node(g->topology, p);
        g->waiting[link] = merge(g->packet, p->left, p->right);
        error = crl_schedule_add(schedule, (struct crl_move){slot, p->at, next, p->origin, p->dest});
        p->at = next;
        p->to_go--;
        g->moved[moved++] = top;
    }
    for (uint32_t i = 0; i < moved; i++) { // what arrives in a slot can leave in the next
        if (g->packet[g->moved[i]].to_go) join_queue(g, g->moved[i]);
        else g->arrived++;
    }
    return error;
}

static void start(struct greedy *g)
{
    const struct crl_topology *t = g->topology;
    uint32_t nodes = crl_topology_nodes(t);
    for (uint32_t link = 0; link < g->links; link++) g->waiting[link] = CRL_NONE;
    for (uint32_t i = 0; i < g->packets; i++) {
        uint32_t origin = i / (nodes - 1), dest = i % (nodes - 1);
        dest += dest >= origin;
        g->packet[i] = (struct packet){.origin = origin,
                                       .dest = dest,
                                       .at = origin,
                                       .first = first_factor(t, origin, dest),
                                       .to_go = crl_topology_distance(t, origin, dest)};
        join_queue(g, i);
    }
}

bool crl_applies_mesh_total_exchange(const struct crl_problem *problem)
{
    return crl_topology_has(problem->topology, CRL_PATH) && !crl_topology_has(problem->topology, CRL_GRAPH);
}

int crl_plan_mesh_total_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                 struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    uint64_t nodes = crl_topology_nodes(t);
    if (nodes > 1 << 13 || crl_problem_bound_transmissions(problem) > MOVES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "a total exchange on %s has more than %d transmissions",
                        crl_topology_name(t), MOVES_MAX);
    struct greedy g = {.topology = t, .ports = crl_topology_ports(t), .packets = (uint32_t)(nodes * (nodes - 1))};
    g.links = (uint32_t)nodes * g.ports;
    g.packet = malloc(sizeof *g.packet * g.packets);
    g.waiting = malloc(sizeof *g.waiting * g.links);
    g.moved = malloc(sizeof *g.moved * g.links);
    int error = g.packet && g.waiting && g.moved ? 0 : CRL_ERR_MEMORY;
    if (!error) start(&g);
    for (uint32_t slot = 1; !error && g.arrived < g.packets; slot++) error = play_slot(&g, slot, schedule);
    free(g.packet);
    free(g.waiting);
    free(g.moved);
    return error ? crl_fail_memory(diag) : 0;
}
