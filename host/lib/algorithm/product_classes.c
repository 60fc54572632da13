// SPDX-License-Identifier: Apache-2.0
// Total exchange on products of rings and complete graphs in which no packet waits on its way, in as many slots as the
// busiest link must carry packets.
//
// Where all rings are of one size there is a symmetry that takes the ports in turn: dimension i to i + 1, and the last,
// turned round, to the first. A class of packets that it takes to each other, as many as there are ports, uses every
// port in every slot while it lasts if all its packets start together. So most of the schedule is trivial, and the
// search has a window of slots for the nearest classes, and for the smaller ones. On other products it has all packets.
#include "algorithm/product_exchange.h"
#include "base/base.h"
#include <stdlib.h>

enum {
    WORK = 20000000, // offers looked at before it gives up
    WINDOWS = 8,     // choices of whole classes beside the smaller ones
};

static bool has_classes(const struct crl_topology *t)
{
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].shape != CRL_RING || t->factor[i].size < 3 || t->factor[i].size != t->factor[0].size)
            return false;
    return t->factor_count > 1;
}

static uint32_t image(const struct crl_topology *t, uint32_t node)
{
    const struct crl_factor *last = &t->factor[t->factor_count - 1];
    uint32_t digit = node / last->stride, rest = node % last->stride;
    return rest * last->size + (last->size - digit) % last->size;
}

// Members of a packet's class; 0 if another member is a smaller number.
static uint32_t class_size(const struct crl_topology *t, uint32_t packet)
{
    uint32_t size = 1;
    for (uint32_t other = image(t, packet); other != packet; other = image(t, other), size++)
        if (other < packet) return 0;
    return size;
}

static void set_class(struct crl_exchange *s, uint32_t packet, bool left_out)
{
    uint32_t other = packet;
    do s->left_out[other] = left_out;
    while ((other = image(s->of.topology, other)) != packet);
}

// Leaves out whole classes, but for the nearest ones, which together have `hops` a port. False: there are not so many.
static bool leave_out_classes(struct crl_exchange *s, uint32_t hops)
{
    const struct crl_topology *t = s->of.topology;
    for (uint32_t packet = 1; packet < s->of.nodes; packet++)
        if (class_size(t, packet)) set_class(s, packet, class_size(t, packet) == s->of.ports);
    for (uint32_t distance = 1; hops; distance++) {
        bool farther = false;
        for (uint32_t packet = 1; packet < s->of.nodes && hops; packet++) {
            uint32_t now = class_size(t, packet) == s->of.ports ? crl_topology_distance(t, 0, packet) : 0;
            farther |= now > distance;
            if (now != distance) continue;
            set_class(s, packet, false);
            hops -= now < hops ? now : hops;
        }
        if (!farther && hops) return false;
    }
    return true;
}

// The port that `port` is taken to.
static uint32_t turned(const struct crl_exchange *s, uint32_t port)
{
    return port + 2 < s->of.ports ? port + 2 : 1 - port % 2; // up in the last factor becomes down in the first
}

// Adds the class of `first` from `slot` on: factor after factor, as the first packet sees it.
static int add_class(struct crl_exchange *s, uint32_t first, uint32_t slot, struct crl_schedule *schedule)
{
    struct crl_packets *x = &s->of;
    int error = 0;
    for (uint32_t i = 0; i < x->factors; i++)
        for (uint32_t k = 0, packet = first, port = x->leg[first * x->factors + i].way; k < x->ports; k++) {
            x->leg[packet * x->factors + port / 2].way = (uint8_t)port;
            packet = image(x->topology, packet);
            port = turned(s, port);
        }
    for (uint32_t i = 0; i < x->factors; i++)
        for (; x->leg[first * x->factors + i].hops && !error; slot++)
            for (uint32_t k = 0, packet = first, port = 2 * i; k < x->ports && !error; k++) {
                error = crl_packets_move(x, slot, packet, port / 2, schedule);
                packet = image(x->topology, packet);
                port = turned(s, port);
            }
    return error;
}

// Whether every port is busy in each slot of what is not left out.
static bool is_even(const struct crl_packets *x)
{
    for (uint32_t port = 0; port < x->ports; port++)
        if (x->load[port] != x->least) return false;
    return true;
}

static int find_with_classes(struct crl_exchange *s, struct crl_schedule *schedule)
{
    struct crl_packets *x = &s->of;
    int error = CRL_ERR_UNSUPPORTED;
    for (uint32_t hops = 0, last = CRL_NONE, tries = 0; error == CRL_ERR_UNSUPPORTED && tries < WINDOWS; hops++) {
        if (!leave_out_classes(s, hops)) return error;
        crl_packets_restart(x, s->left_out);
        if (!is_even(x) || x->least == last) continue;
        last = x->least;
        tries++;
        error = crl_exchange_find(s, schedule, WORK / WINDOWS);
    }
    uint32_t slot = x->least + 1;
    crl_packets_restart(x, NULL);
    for (uint32_t packet = 1; packet < x->nodes && !error; packet++) {
        if (!s->left_out[packet] || !class_size(x->topology, packet)) continue;
        uint32_t hops = x->packet[packet].to_go;
        error = add_class(s, packet, slot, schedule);
        slot += hops;
    }
    return error;
}

// ---------------------------------------------------------------- planning

static int plan_nowait(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct crl_exchange x;
    int error = crl_exchange_new(&x, problem, CRL_LANES_NOWAIT, true, diag);
    schedule->folded &= x.of.twisted == CRL_NONE;
    if (!error && !(x.left_out = calloc(x.of.packets, sizeof *x.left_out))) error = crl_fail_memory(diag);
    if (!error) {
        bool classes = has_classes(x.of.topology);
        error = classes ? find_with_classes(&x, schedule) : crl_exchange_find(&x, schedule, WORK);
        if (error == CRL_ERR_UNSUPPORTED)
            crl_fail(diag, error,
                     "no schedule without waiting was found for %s on %s; that does not mean there is none",
                     crl_problem_name(problem), crl_topology_name(problem->topology));
        else if (error) crl_fail_memory(diag);
    }
    crl_exchange_done(&x);
    return error;
}

static bool applies_nowait(const struct crl_problem *problem)
{
    enum { SEARCHED = 64 }; // of more nodes hardly any try succeeds
    return crl_packets_are_alike(problem) &&
           (has_classes(problem->topology) || crl_topology_nodes(problem->topology) <= SEARCHED);
}

static bool folds(const struct crl_problem *problem) { return !crl_packets_are_mirrored(problem); }

const struct crl_algorithm crl_rows_product_classes[] = {
    {"total-exchange", "nowait", "product without paths", "as matching", "list scheduling",
     "no packet waits on its way; rings of one size, others of up to 64 nodes by search", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_NOWAIT, .applies = applies_nowait, .plan = plan_nowait, .symmetric = folds,
     .cost = {.nodes_max = 4096, .row_ns = 100, .search_s = 4, .quick_nodes = 1024}, .claim = crl_problem_bound_slots},
    {0}};
