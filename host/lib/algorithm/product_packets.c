// SPDX-License-Identifier: Apache-2.0
#include "algorithm/product_packets.h"

enum { MOVES_MAX = 1 << 28, PLACES_MAX = 1 << 13 }; // a move has 24 bytes

static bool is_even_ring(const struct crl_factor *f) { return f->shape == CRL_RING && f->size > 2 && f->size % 2 == 0; }

static uint32_t twisted_factor(const struct crl_topology *t)
{
    if (!crl_topology_is_symmetric(t)) return CRL_NONE;
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (is_even_ring(&t->factor[i]) && t->nodes / t->factor[i].size % 2) return i;
    return CRL_NONE;
}

static void number_ports(struct crl_packets *x)
{
    for (uint32_t i = 0, port = 0; i < x->factors; i++) {
        uint32_t first = port, ports = crl_factor_ports(&x->topology->factor[i]);
        for (; port < first + ports; port++) {
            x->factor_of[port] = i;
            x->mirror[port] = 2 * first + ports - 1 - port;
        }
    }
}

static uint32_t origin_of(const struct crl_packets *x, uint32_t packet) { return packet / x->nodes; }

static uint32_t dest_of(const struct crl_packets *x, uint32_t packet) { return packet % x->nodes; }

// ---------------------------------------------------------------- ways

// Half way round ring f there are two ways. Even origins go up and odd ones down, which leaves a difference where a
// quarter of the ring is not whole. Half the digit sums of the other factors even it out; their parity would not, as it
// is tied to the factor to correct first.
static bool half_goes_up(const struct crl_topology *t, const struct crl_factor *f, uint32_t origin, uint32_t dest)
{
    uint32_t sum = crl_factor_digit(f, origin);
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (&t->factor[i] != f)
            sum += (crl_factor_digit(&t->factor[i], origin) + crl_factor_digit(&t->factor[i], dest)) / 2;
    return sum % 2 == 0;
}

// Decides for each packet how it corrects factor i, whose first port is `first`. Where there is one place every other
// half offset goes down.
static void choose_ways(struct crl_packets *x, uint32_t i, uint32_t first)
{
    const struct crl_factor *f = &x->topology->factor[i];
    bool half_goes_down = false, path = f->shape == CRL_PATH;
    for (uint32_t packet = 0; packet < x->packets; packet++) {
        uint32_t origin = origin_of(x, packet), dest = dest_of(x, packet), from = crl_factor_digit(f, origin);
        uint32_t to = crl_factor_digit(f, dest), up = (to + f->size - from) % f->size, port = first, hops = up;
        bool half = 2 * up == f->size && !path;
        if (half && x->places > 1) half_goes_down = !half_goes_up(x->topology, f, origin, dest);
        if (f->shape == CRL_COMPLETE || f->size == 2) {
            port = first + (up ? up - 1 : 0);
            hops = up > 0;
        } else if (path ? to < from : 2 * up > f->size || (half && half_goes_down)) {
            port = first + 1;
            hops = f->size - up;
        }
        if (half) half_goes_down = !half_goes_down;
        x->leg[packet * x->factors + i].way = (uint8_t)port;
        x->leg[packet * x->factors + i].hops = (uint16_t)hops;
    }
}

// With one place links are ports. Of each two hops in the twisted factor, the second is over the image of the opposite
// port.
static void count_work_at_one(struct crl_packets *x, uint32_t packet)
{
    for (uint32_t i = 0; i < x->factors; i++) {
        uint32_t hops = x->leg[packet * x->factors + i].hops, mirrored = i == x->twisted ? hops / 2 : 0;
        uint32_t port = x->leg[packet * x->factors + i].way;
        x->load[port] += hops - mirrored;
        x->load[x->mirror[port]] += mirrored;
    }
}

// The factor that a packet corrects now, if it is that one's turn.
static void take_turns(struct crl_packets *x, uint32_t packet)
{
    while (x->packet[packet].to_go && !x->leg[packet * x->factors + x->packet[packet].turn].hops)
        x->packet[packet].turn = (uint8_t)((x->packet[packet].turn + 1) % x->factors);
}

static void count_work(struct crl_packets *x, uint32_t packet)
{
    const struct crl_topology *t = x->topology;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->factor_count; i++)
        sum +=
            crl_factor_digit(&t->factor[i], origin_of(x, packet)) + crl_factor_digit(&t->factor[i], dest_of(x, packet));
    for (uint32_t k = 0, at = x->packet[packet].at; k < x->factors; k++) {
        uint32_t i = packet * x->factors + (sum + k) % x->factors;
        for (uint32_t hops = x->leg[i].hops; hops; hops--) {
            x->load[at * x->ports + x->leg[i].way]++;
            at = crl_topology_neighbor(t, at, x->leg[i].way);
        }
    }
    x->packet[packet].turn = (uint8_t)(sum % x->factors);
    take_turns(x, packet);
}

void crl_packets_restart(struct crl_packets *x)
{
    uint32_t first = 0;
    x->moving = x->diameter = 0;
    for (uint32_t link = 0; link < x->links; link++) x->load[link] = 0;
    for (uint32_t i = 0; i < x->factors; i++) {
        choose_ways(x, i, first);
        first += crl_factor_ports(&x->topology->factor[i]);
    }
    for (uint32_t packet = 0; packet < x->packets; packet++) {
        x->packet[packet].at = origin_of(x, packet);
        x->packet[packet].to_go = 0;
        for (uint32_t i = 0; i < x->factors; i++) x->packet[packet].to_go += x->leg[packet * x->factors + i].hops;
        (x->places > 1 ? count_work : count_work_at_one)(x, packet);
        x->moving += x->packet[packet].to_go > 0;
        if (x->packet[packet].to_go > x->diameter) x->diameter = x->packet[packet].to_go;
    }
    x->least = x->diameter;
    for (uint32_t link = 0; link < x->links; link++)
        if (x->load[link] > x->least) x->least = x->load[link];
}

// ---------------------------------------------------------------- moves

// The image of `node` under the automorphism that takes node 0 to `by`.
static uint32_t image(const struct crl_packets *x, uint32_t node, uint32_t by)
{
    uint32_t sum = crl_topology_shift(x->topology, node, by);
    if (x->twisted == CRL_NONE) return sum;
    const struct crl_factor *f = &x->topology->factor[x->twisted];
    uint32_t c = crl_factor_digit(f, by);
    if (c % 2 == 0) return sum;
    return sum + ((c + f->size - crl_factor_digit(f, node)) % f->size - crl_factor_digit(f, sum)) * f->stride;
}

void crl_packets_write(const struct crl_packets *x, struct crl_schedule *schedule, uint32_t slot, uint32_t at,
                       uint32_t next, uint32_t origin, uint32_t dest)
{
    struct crl_move move = {slot, at, next, origin, dest};
    if (x->places > 1 || x->twisted == CRL_NONE) {
        crl_schedule_add(schedule, x->places > 1 ? move : crl_move_at_0(schedule, move));
    } else {
        for (uint32_t v = 0; v < x->nodes; v++)
            crl_schedule_add(schedule,
                             (struct crl_move){slot, image(x, at, v), image(x, next, v), v, image(x, dest, v)});
    }
}

void crl_packets_move(struct crl_packets *x, uint32_t slot, uint32_t packet, uint32_t i, struct crl_schedule *schedule)
{
    uint32_t way = x->leg[packet * x->factors + i].way, link = crl_packets_link(x, packet, i);
    uint32_t next = crl_topology_neighbor(x->topology, x->packet[packet].at, way);
    if (schedule)
        crl_packets_write(x, schedule, slot, x->packet[packet].at, next, origin_of(x, packet), dest_of(x, packet));
    x->packet[packet].at = next;
    x->leg[packet * x->factors + i].hops--;
    x->load[link]--;
    if (!--x->packet[packet].to_go) x->moving--;
    else if (x->places > 1) take_turns(x, packet);
}

// ---------------------------------------------------------------- all of it

bool crl_packets_are_mirrored(const struct crl_problem *problem)
{
    return twisted_factor(problem->topology) != CRL_NONE;
}

bool crl_packets_are_alike(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return t->factor_count && !crl_is_hypercube(problem) && crl_topology_is_symmetric(t);
}

int crl_packets_new(struct crl_packets *x, struct crl_pool *pool, const struct crl_problem *problem, bool mirrored,
                    struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    *x = (struct crl_packets){.topology = t,
                              .nodes = t->nodes,
                              .ports = t->ports,
                              .factors = t->factor_count,
                              .places = crl_topology_is_symmetric(t) ? 1 : t->nodes,
                              .twisted = mirrored ? twisted_factor(t) : CRL_NONE};
    bool listed = x->places > 1 || x->twisted != CRL_NONE;
    if (x->places > PLACES_MAX || crl_problem_bound_transmissions(problem) / (listed ? 1 : x->nodes) > MOVES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "an all-to-all on %s is a list of more than %d moves",
                        crl_topology_name(t), MOVES_MAX);
    x->packets = x->places * x->nodes;
    x->links = x->places * x->ports;
    size_t packets = x->packets;
    CRL_NEW(pool, x->packet, packets);
    CRL_NEW(pool, x->leg, packets * x->factors);
    CRL_NEW(pool, x->load, x->links);
    if (pool->failed) return crl_fail_memory(diag);
    number_ports(x);
    return 0;
}
