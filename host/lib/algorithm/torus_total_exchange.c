// SPDX-License-Identifier: Apache-2.0
// Total exchange on products of rings and complete graphs in as many slots as the busiest link must carry packets.
//
// Packets that want ports in any order are an open shop with steps of one slot: packets are jobs and ports machines. By
// König's theorem it takes no longer than the busiest port or the farthest packet, if in every slot a matching serves
// all ports and packets that have no slot to spare ("urgent" below).
//
// Where nodes play mirror images, hops have an order and nothing is guaranteed: some orders of the packets are tried,
// and the best is taken.
#include "algorithm/torus_exchange.h"
#include "base/base.h"
#include <stdlib.h>

enum { TRIES = 100 };

struct exchange {
    struct crl_torus_exchange of;
    uint32_t *order;                   // packets, in order of preference
    uint8_t *port_of;                  // [packet] port that it takes in this slot, or NO_PORT
    uint32_t packet_of[CRL_PORTS_MAX]; // and the other way round, or CRL_NONE
    uint32_t head[CRL_PORTS_MAX];      // packets before this place in the order have no more use for the port
    bool visited[CRL_PORTS_MAX];       // by the search for a matching
    uint32_t left;                     // slots that are left
};
enum { NO_PORT = UINT8_MAX };

static uint64_t preference(const void *user, uint32_t packet)
{
    return (uint64_t) ~((const uint32_t *)user)[packet] << 32; // far ones first
}

// Puts all packets back to node 0. `seed` shuffles those of equal distance.
static int restart(struct exchange *x, uint32_t seed)
{
    uint32_t bits = crl_bits_for(x->of.nodes), count = 0;
    crl_torus_exchange_restart(&x->of, NULL);
    for (uint32_t port = 0; port < x->of.ports; port++) x->head[port] = 0;
    for (uint32_t packet = 0; packet < x->of.nodes; packet++) x->port_of[packet] = NO_PORT;
    for (uint32_t k = 0; k < UINT32_C(1) << bits; k++) {
        uint32_t packet = (uint32_t)crl_permute(k, bits, seed);
        if (packet < x->of.nodes) x->order[count++] = packet;
    }
    return crl_sort_order(x->order, x->of.nodes, preference, x->of.to_go, UINT64_MAX);
}

// ---- a matching of packets and ports

static bool can_take(const struct exchange *x, uint32_t packet, uint32_t port)
{
    uint32_t i = x->of.factor_of[port];
    return x->of.hops[packet * x->of.factors + i] && crl_torus_exchange_port(&x->of, packet, i) == port;
}

static void match(struct exchange *x, uint32_t packet, uint32_t port)
{
    x->port_of[packet] = (uint8_t)port;
    x->packet_of[port] = packet;
}

// The first packet that could take the port and does nothing else in this slot.
static uint32_t idle_packet(struct exchange *x, uint32_t port)
{
    uint32_t i = x->of.factor_of[port], place = x->head[port];
    bool from_head = true;
    for (; place < x->of.nodes; place++) {
        uint32_t packet = x->order[place];
        if (x->port_of[packet] == NO_PORT && can_take(x, packet, port)) return packet;
        bool useless = !x->of.hops[packet * x->of.factors + i];
        if (!useless && i != x->of.twisted) useless = x->of.way[packet * x->of.factors + i] != port;
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
    for (uint32_t other = 0; other < x->of.ports; other++) {
        uint32_t packet = x->packet_of[other];
        if (x->visited[other] || packet == CRL_NONE || !can_take(x, packet, port)) continue;
        if (rob && x->of.load[other] < x->left) x->packet_of[other] = CRL_NONE;
        else if (!feed_port(x, other, rob)) continue;
        match(x, packet, port);
        return true;
    }
    return false;
}

// Gives the packet a port; the packet that had it gets another.
static bool serve_packet(struct exchange *x, uint32_t packet)
{
    for (uint32_t i = 0; i < x->of.factors; i++) {
        uint32_t port = crl_torus_exchange_port(&x->of, packet, i);
        if (!x->of.hops[packet * x->of.factors + i] || x->visited[port]) continue;
        x->visited[port] = true;
        if (x->packet_of[port] != CRL_NONE && !serve_packet(x, x->packet_of[port])) continue;
        match(x, packet, port);
        return true;
    }
    return false;
}

static void forget_visits(struct exchange *x)
{
    for (uint32_t port = 0; port < x->of.ports; port++) x->visited[port] = false;
}

static bool is_urgent(const struct exchange *x, uint32_t port) { return x->of.load[port] >= x->left; }

// Urgent packets, then urgent ports, then whatever else can move. What is matched stays so, but for ports that are not
// urgent.
static void match_slot(struct exchange *x)
{
    for (uint32_t port = 0; port < x->of.ports; port++) x->packet_of[port] = CRL_NONE;
    for (uint32_t packet = 1; x->left <= x->of.diameter && packet < x->of.nodes; packet++) {
        if (!x->of.to_go[packet] || x->of.to_go[packet] < x->left) continue;
        forget_visits(x);
        serve_packet(x, packet);
    }
    for (uint32_t pass = 0; pass < 3; pass++) // 0: urgent ports, 1: those that must rob, 2: the others
        for (uint32_t port = 0; port < x->of.ports; port++) {
            if (!x->of.load[port] || x->packet_of[port] != CRL_NONE || (pass < 2 && !is_urgent(x, port))) continue;
            forget_visits(x);
            feed_port(x, port, pass == 1);
        }
}

// ---- schedules

static int play_slot(struct exchange *x, uint32_t slot, struct crl_schedule *schedule)
{
    int error = 0;
    for (uint32_t port = 0; port < x->of.ports && !error; port++) {
        uint32_t packet = x->packet_of[port];
        if (packet == CRL_NONE) continue;
        x->port_of[packet] = NO_PORT;
        error = crl_torus_exchange_move(&x->of, slot, packet, x->of.factor_of[port], schedule);
    }
    return error;
}

// One try; returns slots or an error. Without a schedule it only counts.
static int64_t play(struct exchange *x, uint32_t seed, struct crl_schedule *schedule)
{
    uint32_t slot = 0;
    int error = restart(x, seed);
    while (!error && x->of.moving) {
        x->left = slot < x->of.least ? x->of.least - slot : 1;
        match_slot(x);
        error = play_slot(x, ++slot, schedule);
    }
    return error ? error : (int64_t)slot;
}

static int plan(struct exchange *x, struct crl_schedule *schedule)
{
    int64_t slots = INT64_MAX;
    uint32_t best = 0;
    if (x->of.twisted == CRL_NONE) return play(x, 0, schedule) < 0 ? CRL_ERR_MEMORY : 0;
    schedule->folded = false;
    if (x->of.factors == 1) return crl_ring_exchange(schedule, x->of.nodes);
    for (uint32_t seed = 0; seed < TRIES && (!seed || slots > x->of.least); seed++) {
        int64_t now = play(x, seed, NULL);
        if (now < 0) return CRL_ERR_MEMORY;
        if (now < slots) {
            slots = now;
            best = seed;
        }
    }
    return play(x, best, schedule) < 0 ? CRL_ERR_MEMORY : 0;
}

static int plan_with(struct crl_schedule *schedule, const struct crl_problem *problem, bool mirrored,
                     struct crl_diag *diag)
{
    struct exchange x = {0};
    int error = crl_torus_exchange_new(&x.of, problem, mirrored, diag);
    if (!error) {
        x.order = malloc(sizeof *x.order * x.of.nodes);
        x.port_of = malloc(x.of.nodes);
        if (!x.order || !x.port_of || plan(&x, schedule)) error = crl_fail_memory(diag);
    }
    free(x.order);
    free(x.port_of);
    crl_torus_exchange_done(&x.of);
    return error;
}

static int plan_torus_total_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                     struct crl_diag *diag)
{
    return plan_with(schedule, problem, true, diag);
}

static int plan_torus_translation_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                           struct crl_diag *diag)
{
    return plan_with(schedule, problem, false, diag);
}

static bool folds(const struct crl_problem *problem) { return !crl_exchanges_mirrored(problem); }

static bool applies_translation(const struct crl_problem *problem)
{
    return crl_applies_torus_total_exchange(problem) && crl_exchanges_mirrored(problem);
}

const struct crl_algorithm crl_rows_torus_total_exchange[] = {
    {"total-exchange", "matching", "product without paths", "ceil(max_i N*floor(m_i^2/4)/(2*m_i)), diameter",
     "list scheduling", "an open shop: every slot a matching of packets and ports", .ports = CRL_FOR_ALL_PORTS,
     .applies = crl_applies_torus_total_exchange, .plan = plan_torus_total_exchange, .symmetric = folds,
     .cost = {.row_ns = 100}, .claim = crl_problem_bound_slots},
    {"total-exchange", "translation", "ring of even size times an odd product",
     "as matching, and a quarter of the ring more", "list scheduling",
     "as matching, but the same from every node, so that one node's rows are all", .ports = CRL_FOR_ALL_PORTS,
     .applies = applies_translation, .plan = plan_torus_translation_exchange, .symmetric = crl_is_any},
    {0}};
