// SPDX-License-Identifier: Apache-2.0
// Total exchange on products of rings and complete graphs in as many slots as the busiest link must carry packets.
//
// Every node sends its packets in the same way, so one list is planned, for node 0: the packet with offset D, on its
// way from 0 to D, wants certain ports, each so many times, in any order. That is an open shop with steps of one slot:
// packets are jobs and ports machines. By König's theorem it takes no longer than the busiest port or the farthest
// packet, if in every slot a matching serves all ports and packets that have no slot to spare ("urgent" below). Offsets
// of half a ring are split between up and down.
//
// If one factor is a ring of even size above two and the product of the others is odd, half offsets cannot be split
// evenly. Then a node with an odd digit there plays the mirror image: instead of the translations of that ring the
// group of the nodes is made of those by an even number and of the reflections x → c − x with c odd. A packet that goes
// round takes the ports "outward" and "inward" in turn, so its hops have an order and nothing is guaranteed: some
// orders of the packets are tried, and the best is taken. This schedule is not relative.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>

enum { MOVES_MAX = 1 << 28, TRIES = 100 }; // a move has 24 bytes

struct exchange {
    const struct crl_topology *topology;
    uint32_t nodes, ports, factors;
    uint32_t twisted; // the factor with the mirrored nodes, or CRL_NONE
    uint32_t factor_of[CRL_PORTS_MAX];
    uint32_t mirror[CRL_PORTS_MAX];    // the opposite port, of a ring
    uint32_t least, diameter;          // slots that it takes at least, and hops of the farthest packet
    uint32_t *order;                   // packets, named by offset, in order of preference
    uint32_t *at, *to_go;              // [packet]
    uint32_t *hops;                    // [packet × factors] to go
    uint8_t *way;                      // [packet × factors] port in whose direction it goes
    uint8_t *port_of;                  // [packet] port that it takes in this slot, or NO_PORT
    uint32_t packet_of[CRL_PORTS_MAX]; // and the other way round, or CRL_NONE
    uint32_t head[CRL_PORTS_MAX];      // packets before this place in the order have no more use for the port
    uint32_t load[CRL_PORTS_MAX];      // moves that the port has yet to carry
    bool visited[CRL_PORTS_MAX];       // by the search for a matching
    uint32_t moving, left;             // packets that are not there yet; slots that are left
};
enum { NO_PORT = UINT8_MAX };

static uint32_t digit_of(const struct crl_factor *f, uint32_t node) { return node / f->stride % f->size; }

// ---- what is to be done

static bool is_even_ring(const struct crl_factor *f) { return f->shape == CRL_RING && f->size > 2 && f->size % 2 == 0; }

static uint32_t twisted_factor(const struct crl_topology *t)
{
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (is_even_ring(&t->factor[i]) && t->nodes / t->factor[i].size % 2) return i;
    return CRL_NONE;
}

static void number_ports(struct exchange *x)
{
    for (uint32_t i = 0, port = 0; i < x->factors; i++) {
        const struct crl_factor *f = &x->topology->factor[i];
        uint32_t first = port, ports = f->size == 2 ? 1 : f->shape == CRL_COMPLETE ? f->size - 1 : 2;
        for (; port < first + ports; port++) {
            x->factor_of[port] = i;
            x->mirror[port] = 2 * first + ports - 1 - port;
        }
    }
}

// Decides for each packet how it corrects factor i, whose first port is `first`.
static void choose_ways(struct exchange *x, uint32_t i, uint32_t first)
{
    const struct crl_factor *f = &x->topology->factor[i];
    bool half_goes_down = false;
    for (uint32_t packet = 0; packet < x->nodes; packet++) {
        uint32_t up = digit_of(f, packet), port = first, hops = up;
        bool half = 2 * up == f->size;
        if (f->shape == CRL_COMPLETE || f->size == 2) {
            port = first + (up ? up - 1 : 0);
            hops = up > 0;
        } else if (2 * up > f->size || (half && half_goes_down)) {
            port = first + 1;
            hops = f->size - up;
        }
        if (half) half_goes_down = !half_goes_down;
        x->way[packet * x->factors + i] = (uint8_t)port;
        x->hops[packet * x->factors + i] = hops;
    }
}

// Of each two hops in the twisted factor, the second is over the image of the opposite port.
static void count_work(struct exchange *x, uint32_t packet)
{
    x->to_go[packet] = 0;
    for (uint32_t i = 0; i < x->factors; i++) {
        uint32_t hops = x->hops[packet * x->factors + i], mirrored = i == x->twisted ? hops / 2 : 0;
        uint32_t port = x->way[packet * x->factors + i];
        x->to_go[packet] += hops;
        x->load[port] += hops - mirrored;
        x->load[x->mirror[port]] += mirrored;
    }
    if (x->to_go[packet] > x->diameter) x->diameter = x->to_go[packet];
}

static uint64_t preference(const void *user, uint32_t packet)
{
    return (uint64_t) ~((const uint32_t *)user)[packet] << 32; // far ones first
}

// Puts all packets back to node 0. `seed` shuffles those of equal distance.
static int restart(struct exchange *x, uint32_t seed)
{
    uint32_t first = 0;
    for (uint32_t port = 0; port < x->ports; port++) x->head[port] = x->load[port] = 0;
    for (uint32_t i = 0; i < x->factors; i++) {
        choose_ways(x, i, first);
        while (first < x->ports && x->factor_of[first] == i) first++;
    }
    uint32_t bits = crl_bits_for(x->nodes), count = 0;
    for (uint32_t k = 0; k < UINT32_C(1) << bits; k++) {
        uint32_t packet = (uint32_t)crl_permute(k, bits, seed);
        if (packet < x->nodes) x->order[count++] = packet;
    }
    for (uint32_t packet = 0; packet < x->nodes; packet++) {
        x->at[packet] = 0;
        x->port_of[packet] = NO_PORT;
        count_work(x, packet);
    }
    x->least = x->diameter;
    for (uint32_t port = 0; port < x->ports; port++)
        if (x->load[port] > x->least) x->least = x->load[port];
    x->moving = x->nodes - 1;
    return crl_sort_order(x->order, x->nodes, preference, x->to_go, UINT64_MAX);
}

// ---- a matching of packets and ports

// The port that the packet takes next in factor i, as node 0 or its image at this digit sees it.
static uint32_t next_port(const struct exchange *x, uint32_t packet, uint32_t i)
{
    uint32_t port = x->way[packet * x->factors + i];
    if (i != x->twisted || digit_of(&x->topology->factor[i], x->at[packet]) % 2 == 0) return port;
    return x->mirror[port];
}

static bool can_take(const struct exchange *x, uint32_t packet, uint32_t port)
{
    uint32_t i = x->factor_of[port];
    return x->hops[packet * x->factors + i] && next_port(x, packet, i) == port;
}

static void match(struct exchange *x, uint32_t packet, uint32_t port)
{
    x->port_of[packet] = (uint8_t)port;
    x->packet_of[port] = packet;
}

// The first packet that could take the port and does nothing else in this slot.
static uint32_t idle_packet(struct exchange *x, uint32_t port)
{
    uint32_t i = x->factor_of[port], place = x->head[port];
    bool from_head = true;
    for (; place < x->nodes; place++) {
        uint32_t packet = x->order[place];
        if (x->port_of[packet] == NO_PORT && can_take(x, packet, port)) return packet;
        bool useless = !x->hops[packet * x->factors + i];
        if (!useless && i != x->twisted) useless = x->way[packet * x->factors + i] != port;
        from_head &= useless;
        if (from_head) x->head[port] = place + 1;
    }
    return CRL_NONE;
}

// Gives the port a packet: an idle one, or another port's that can be given one instead. With `rob`, also that of a
// port that can do without. Packets that move in this slot still do so afterwards.
static bool feed_port(struct exchange *x, uint32_t port, bool rob)
{
    x->visited[port] = true;
    uint32_t idle = idle_packet(x, port);
    if (idle != CRL_NONE) {
        match(x, idle, port);
        return true;
    }
    for (uint32_t other = 0; other < x->ports; other++) {
        uint32_t packet = x->packet_of[other];
        if (x->visited[other] || packet == CRL_NONE || !can_take(x, packet, port)) continue;
        if (rob && x->load[other] < x->left) x->packet_of[other] = CRL_NONE;
        else if (!feed_port(x, other, rob)) continue;
        match(x, packet, port);
        return true;
    }
    return false;
}

// Gives the packet a port; the packet that had it gets another.
static bool serve_packet(struct exchange *x, uint32_t packet)
{
    for (uint32_t i = 0; i < x->factors; i++) {
        uint32_t port = next_port(x, packet, i);
        if (!x->hops[packet * x->factors + i] || x->visited[port]) continue;
        x->visited[port] = true;
        if (x->packet_of[port] != CRL_NONE && !serve_packet(x, x->packet_of[port])) continue;
        match(x, packet, port);
        return true;
    }
    return false;
}

static void forget_visits(struct exchange *x)
{
    for (uint32_t port = 0; port < x->ports; port++) x->visited[port] = false;
}

static bool is_urgent(const struct exchange *x, uint32_t port) { return x->load[port] >= x->left; }

// Urgent packets, then urgent ports, then whatever else can move. What is matched stays so, but for ports that are not
// urgent.
static void match_slot(struct exchange *x)
{
    for (uint32_t port = 0; port < x->ports; port++) x->packet_of[port] = CRL_NONE;
    for (uint32_t packet = 1; x->left <= x->diameter && packet < x->nodes; packet++) {
        if (!x->to_go[packet] || x->to_go[packet] < x->left) continue;
        forget_visits(x);
        serve_packet(x, packet);
    }
    for (uint32_t pass = 0; pass < 3; pass++) // 0: urgent ports, 1: those that must rob, 2: the others
        for (uint32_t port = 0; port < x->ports; port++) {
            if (!x->load[port] || x->packet_of[port] != CRL_NONE || (pass < 2 && !is_urgent(x, port))) continue;
            forget_visits(x);
            feed_port(x, port, pass == 1);
        }
}

// ---- moves

// The image of `node` under the automorphism that takes node 0 to `by`.
static uint32_t image(const struct exchange *x, uint32_t node, uint32_t by)
{
    uint32_t sum = crl_topology_shift(x->topology, node, by);
    if (x->twisted == CRL_NONE) return sum;
    const struct crl_factor *f = &x->topology->factor[x->twisted];
    uint32_t c = digit_of(f, by);
    if (c % 2 == 0) return sum;
    return sum + ((c + f->size - digit_of(f, node)) % f->size - digit_of(f, sum)) * f->stride;
}

static int write_move(const struct exchange *x, struct crl_schedule *schedule, uint32_t slot, uint32_t packet,
                      uint32_t next)
{
    uint32_t at = x->at[packet];
    if (x->twisted == CRL_NONE) {
        uint32_t origin = crl_topology_unshift(x->topology, 0, at);
        uint32_t dest = crl_topology_shift(x->topology, packet, origin);
        struct crl_move move = {slot, 0, crl_topology_unshift(x->topology, next, at), origin, dest};
        return crl_schedule_add(schedule, move);
    }
    int error = 0;
    for (uint32_t v = 0; v < x->nodes && !error; v++)
        error = crl_schedule_add(schedule,
                                 (struct crl_move){slot, image(x, at, v), image(x, next, v), v, image(x, packet, v)});
    return error;
}

static int play_slot(struct exchange *x, uint32_t slot, struct crl_schedule *schedule)
{
    int error = 0;
    for (uint32_t port = 0; port < x->ports && !error; port++) {
        uint32_t packet = x->packet_of[port], i = x->factor_of[port];
        if (packet == CRL_NONE) continue;
        uint32_t next = crl_topology_neighbor(x->topology, x->at[packet], x->way[packet * x->factors + i]);
        if (schedule) error = write_move(x, schedule, slot, packet, next);
        x->port_of[packet] = NO_PORT;
        x->at[packet] = next;
        x->hops[packet * x->factors + i]--;
        x->load[port]--;
        if (!--x->to_go[packet]) x->moving--;
    }
    return error;
}

// One try; returns slots or an error. Without a schedule it only counts.
static int64_t play(struct exchange *x, uint32_t seed, struct crl_schedule *schedule)
{
    uint32_t slot = 0;
    int error = restart(x, seed);
    while (!error && x->moving) {
        x->left = slot < x->least ? x->least - slot : 1;
        match_slot(x);
        error = play_slot(x, ++slot, schedule);
    }
    return error ? error : (int64_t)slot;
}

static int plan(struct exchange *x, struct crl_schedule *schedule)
{
    int64_t slots = INT64_MAX;
    uint32_t best = 0;
    if (x->twisted == CRL_NONE) return play(x, 0, schedule) < 0 ? CRL_ERR_MEMORY : 0;
    schedule->folded = false;
    for (uint32_t seed = 0; seed < TRIES && (!seed || slots > x->least); seed++) {
        int64_t now = play(x, seed, NULL);
        if (now < 0) return CRL_ERR_MEMORY;
        if (now < slots) {
            slots = now;
            best = seed;
        }
    }
    return play(x, best, schedule) < 0 ? CRL_ERR_MEMORY : 0;
}

bool crl_exchanges_mirrored(const struct crl_problem *problem) { return twisted_factor(problem->topology) != CRL_NONE; }

bool crl_applies_torus_total_exchange(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return t->factor_count && !crl_is_hypercube(problem) && crl_topology_is_symmetric(t);
}

int crl_plan_torus_total_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                  struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct exchange x = {
        .topology = t, .nodes = t->nodes, .ports = t->ports, .factors = t->factor_count, .twisted = twisted_factor(t)};
    uint64_t moves = crl_problem_bound_transmissions(problem) / (x.twisted == CRL_NONE ? x.nodes : 1);
    if (moves > MOVES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "a total exchange on %s is a list of more than %d moves",
                        crl_topology_name(t), MOVES_MAX);
    size_t n = x.nodes, pairs = n * x.factors;
    x.order = malloc(sizeof *x.order * n);
    x.at = malloc(sizeof *x.at * n);
    x.to_go = malloc(sizeof *x.to_go * n);
    x.hops = malloc(sizeof *x.hops * pairs);
    x.way = malloc(pairs);
    x.port_of = malloc(n);
    number_ports(&x);
    int error = x.order && x.at && x.to_go && x.hops && x.way && x.port_of ? plan(&x, schedule) : CRL_ERR_MEMORY;
    free(x.order);
    free(x.at);
    free(x.to_go);
    free(x.hops);
    free(x.way);
    free(x.port_of);
    return error ? crl_fail_memory(diag) : 0;
}
