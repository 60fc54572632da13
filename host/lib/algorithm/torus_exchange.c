// SPDX-License-Identifier: Apache-2.0
#include "algorithm/torus_exchange.h"
#include "base/base.h"
#include <stdlib.h>

enum { MOVES_MAX = 1 << 28 }; // a move has 24 bytes

static uint32_t digit_of(const struct crl_factor *f, uint32_t node) { return node / f->stride % f->size; }

static bool is_even_ring(const struct crl_factor *f) { return f->shape == CRL_RING && f->size > 2 && f->size % 2 == 0; }

static uint32_t twisted_factor(const struct crl_topology *t)
{
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (is_even_ring(&t->factor[i]) && t->nodes / t->factor[i].size % 2) return i;
    return CRL_NONE;
}

static void number_ports(struct crl_torus_exchange *x)
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
static void choose_ways(struct crl_torus_exchange *x, uint32_t i, uint32_t first, const bool *left_out)
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
        if (left_out && left_out[packet]) hops = 0;
        else if (half) half_goes_down = !half_goes_down;
        x->way[packet * x->factors + i] = (uint8_t)port;
        x->hops[packet * x->factors + i] = hops;
    }
}

// Of each two hops in the twisted factor, the second is over the image of the opposite port.
static void count_work(struct crl_torus_exchange *x, uint32_t packet)
{
    x->to_go[packet] = 0;
    for (uint32_t i = 0; i < x->factors; i++) {
        uint32_t hops = x->hops[packet * x->factors + i], mirrored = i == x->twisted ? hops / 2 : 0;
        uint32_t port = x->way[packet * x->factors + i];
        x->to_go[packet] += hops;
        x->load[port] += hops - mirrored;
        x->load[x->mirror[port]] += mirrored;
    }
    x->moving += x->to_go[packet] > 0;
    if (x->to_go[packet] > x->diameter) x->diameter = x->to_go[packet];
}

void crl_torus_exchange_restart(struct crl_torus_exchange *x, const bool *left_out)
{
    uint32_t first = 0;
    x->moving = x->diameter = 0;
    for (uint32_t port = 0; port < x->ports; port++) x->load[port] = 0;
    for (uint32_t i = 0; i < x->factors; i++) {
        choose_ways(x, i, first, left_out);
        while (first < x->ports && x->factor_of[first] == i) first++;
    }
    for (uint32_t packet = 0; packet < x->nodes; packet++) {
        x->at[packet] = 0;
        count_work(x, packet);
    }
    x->least = x->diameter;
    for (uint32_t port = 0; port < x->ports; port++)
        if (x->load[port] > x->least) x->least = x->load[port];
}

// The image of `node` under the automorphism that takes node 0 to `by`.
static uint32_t image(const struct crl_torus_exchange *x, uint32_t node, uint32_t by)
{
    uint32_t sum = crl_topology_shift(x->topology, node, by);
    if (x->twisted == CRL_NONE) return sum;
    const struct crl_factor *f = &x->topology->factor[x->twisted];
    uint32_t c = digit_of(f, by);
    if (c % 2 == 0) return sum;
    return sum + ((c + f->size - digit_of(f, node)) % f->size - digit_of(f, sum)) * f->stride;
}

static int write_move(const struct crl_torus_exchange *x, struct crl_schedule *schedule, uint32_t slot, uint32_t packet,
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

int crl_torus_exchange_move(struct crl_torus_exchange *x, uint32_t slot, uint32_t packet, uint32_t i,
                            struct crl_schedule *schedule)
{
    uint32_t way = x->way[packet * x->factors + i], port = crl_torus_exchange_port(x, packet, i);
    uint32_t next = crl_topology_neighbor(x->topology, x->at[packet], way);
    int error = schedule ? write_move(x, schedule, slot, packet, next) : 0;
    x->at[packet] = next;
    x->hops[packet * x->factors + i]--;
    x->load[port]--;
    if (!--x->to_go[packet]) x->moving--;
    return error;
}

bool crl_exchanges_mirrored(const struct crl_problem *problem) { return twisted_factor(problem->topology) != CRL_NONE; }

bool crl_applies_torus_total_exchange(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return t->factor_count && !crl_is_hypercube(problem) && crl_topology_is_symmetric(t);
}

int crl_torus_exchange_new(struct crl_torus_exchange *x, const struct crl_problem *problem, bool mirrored,
                           struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    *x = (struct crl_torus_exchange){.topology = t,
                                     .nodes = t->nodes,
                                     .ports = t->ports,
                                     .factors = t->factor_count,
                                     .twisted = mirrored ? twisted_factor(t) : CRL_NONE};
    uint64_t moves = crl_problem_bound_transmissions(problem) / (x->twisted == CRL_NONE ? x->nodes : 1);
    if (moves > MOVES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "a total exchange on %s is a list of more than %d moves",
                        crl_topology_name(t), MOVES_MAX);
    size_t n = x->nodes, pairs = n * x->factors;
    x->at = malloc(sizeof *x->at * n);
    x->to_go = malloc(sizeof *x->to_go * n);
    x->hops = malloc(sizeof *x->hops * pairs);
    x->way = malloc(pairs);
    if (!x->at || !x->to_go || !x->hops || !x->way) return crl_fail_memory(diag);
    number_ports(x);
    return 0;
}

void crl_torus_exchange_done(struct crl_torus_exchange *x)
{
    free(x->at);
    free(x->to_go);
    free(x->hops);
    free(x->way);
}
