// SPDX-License-Identifier: Apache-2.0
// Total exchange in which no packet waits on its way: what a node receives in slot s it sends on in slot s+1. So such
// packets pass through the router and never touch its memory, and no two that came through one port leave together. On
// products of rings and complete graphs, in as many slots as the busiest link must carry packets.
//
// On cubes, where rotation classes are those of Bertsekas et al. 1991, Section 4, and where all rings are of one size,
// a symmetry takes the ports in turn: dimension i to i + 1, and the last, turned round, to the first. A class of
// packets that it takes to each other, as many as there are ports, uses every port in every slot while it lasts if all
// its packets start together. So most of the schedule is trivial. The packets of smaller classes, and of the nearest
// whole ones, are negotiated, in a window of slots that they fill. On other products all packets are.
#include "algorithm/core.h"
#include "algorithm/product_packets.h"
#include "base/base.h"
#include <string.h>

enum {
    STEPS = 1 << 27, // of all tries at a window
    PATIENCE_MAX = 64,
    WINDOWS = 8,  // of growing length
    SEARCHED = 64 // nodes of products that have no classes
};

struct plan {
    struct crl_pool pool;
    const struct crl_problem *problem;
    const struct crl_topology *topology;
    struct crl_schedule *schedule;
    struct crl_packets of; // who writes moves down
    uint32_t *members;     // [nodes] of the class of which a packet is the first; packets are known by where they go
    uint32_t *turn;        // [nodes] of that class among those with which it shares slots; CRL_NONE: it has none
    uint32_t *next;        // [nodes] the class whose turn is next, or CRL_NONE
    bool *open;            // [nodes] left to the window
    uint32_t opened;       // packets
};

static uint32_t hops_of(const struct plan *p, uint32_t packet) { return crl_topology_distance(p->topology, 0, packet); }

// ---------------------------------------------------------------- classes

static bool has_classes(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].shape != CRL_RING || t->factor[i].size < 3 || t->factor[i].size != t->factor[0].size)
            return crl_is_hypercube(problem);
    return t->factor_count > 0;
}

// Where a packet's place goes when the packet goes to the next of its class. On cubes bits rotate within tracks of as
// many as the class has members, which is the same for whoever repeats these bits.
static uint32_t image(const struct plan *p, uint32_t node, uint32_t members)
{
    const struct crl_topology *t = p->topology;
    const struct crl_factor *last = &t->factor[t->factor_count - 1];
    if (!has_classes(p->problem)) return node;
    if (crl_is_hypercube(p->problem)) {
        uint32_t all = t->nodes - 1, ends = all / ((UINT32_C(1) << members) - 1);
        return (node << 1 & all & ~ends) | (node >> (members - 1) & ends);
    }
    uint32_t digit = node / last->stride, rest = node % last->stride;
    return rest * last->size + (last->size - digit) % last->size;
}

// Members of a packet's class; 0 if another member is a smaller number.
static uint32_t class_size(const struct plan *p, uint32_t packet)
{
    uint32_t size = 1, ports = p->topology->ports;
    for (uint32_t other = image(p, packet, ports); other != packet; other = image(p, other, ports), size++)
        if (other < packet) return 0;
    return size;
}

// A whole class has its slots for itself. On cubes, of smaller ones of one size and with as many hops, so many as have
// a member for each port take turns on these.
static void give_turns(struct plan *p)
{
    uint32_t nodes = p->topology->nodes, group[CRL_PORTS_MAX];
    memset(p->turn, 0xff, sizeof *p->turn * nodes); // CRL_NONE
    for (uint32_t first = 1; first < nodes; first++) {
        uint32_t together = p->members[first] ? p->topology->ports / p->members[first] : 0, count = 0;
        if (p->turn[first] != CRL_NONE || (together > 1 && !crl_is_hypercube(p->problem))) continue;
        for (uint32_t other = first; other < nodes && count < together; other++)
            if (p->members[other] == p->members[first] && p->turn[other] == CRL_NONE &&
                hops_of(p, other) == hops_of(p, first))
                group[count++] = other;
        for (uint32_t k = 0; count == together && k < count; k++) {
            p->turn[group[k]] = k;
            p->next[group[k]] = k + 1 < count ? group[k + 1] : CRL_NONE;
        }
    }
}

// The port over which the packet comes nearer. Of a class that shares its slots hops take one track of ports, of as
// many as the class has members, after the other.
static uint32_t port_to(const struct plan *p, uint32_t first, uint32_t at, uint32_t hop)
{
    const struct crl_topology *t = p->topology;
    uint32_t track = p->members[first], port = (hop + p->turn[first]) * track % t->ports;
    while (crl_topology_distance(t, crl_topology_neighbor(t, at, port), first) >= crl_topology_distance(t, at, first))
        port++;
    return port;
}

// The hops of the first packet, from `slot` on, and at the same time those of the others, its images.
static void add_class(struct plan *p, uint32_t first, uint32_t slot)
{
    uint32_t members = p->members[first];
    for (uint32_t at = 0, next, hop = 0; at != first; at = next, hop++) {
        next = crl_topology_neighbor(p->topology, at, port_to(p, first, at, hop));
        for (uint32_t k = 0, from = at, to = next, dest = first; k < members; k++) {
            crl_packets_write(&p->of, p->schedule, slot + hop, from, to, 0, dest);
            from = image(p, from, members);
            to = image(p, to, members);
            dest = image(p, dest, members);
        }
    }
}

// All classes that the window left, from `slot` on.
static void add_classes(struct plan *p, uint32_t slot)
{
    for (uint32_t first = 1; first < p->topology->nodes; first++) {
        if (p->open[first] || p->turn[first]) continue;
        for (uint32_t other = first; other != CRL_NONE; other = p->next[other]) add_class(p, other, slot);
        slot += hops_of(p, first);
    }
}

// ---------------------------------------------------------------- the window

static void open(struct plan *p, uint32_t first)
{
    for (uint32_t k = 0, packet = first; k < p->members[first]; k++, packet = image(p, packet, p->members[first]))
        p->open[packet] = true;
    p->opened += p->members[first];
}

// Opens the smaller classes that take no turns and, the nearest first, whole ones, until there is something to do in so
// many slots more than the longest way takes. Returns the slots that these packets fill; 0: they do not fill them.
static uint32_t open_window(struct plan *p, uint32_t more)
{
    uint32_t nodes = p->topology->nodes, ports = p->topology->ports, longest = 0, hops = 0;
    memset(p->open, 0, sizeof *p->open * nodes);
    p->opened = 0;
    for (uint32_t first = 1; first < nodes; first++) {
        if (!p->members[first] || p->turn[first] != CRL_NONE) continue;
        open(p, first);
        hops += p->members[first] * hops_of(p, first);
        if (hops_of(p, first) > longest) longest = hops_of(p, first);
    }
    for (uint32_t distance = 1; distance < nodes && hops < (longest + more) * ports; distance++)
        for (uint32_t first = 1; first < nodes && hops < (longest + more) * ports; first++) {
            if (p->open[first] || p->members[first] != ports || hops_of(p, first) != distance) continue;
            open(p, first);
            hops += ports * distance;
        }
    if (p->opened + 1 == nodes) return (uint32_t)crl_problem_bound_slots(p->problem);
    return hops % ports ? 0 : hops / ports;
}

// The packets of node 0 that are open. All nodes do what node 0 does, or its mirror image.
static int open_core(struct crl_core *c, const struct plan *p)
{
    const struct crl_packets *x = &p->of;
    int error = crl_core_init(c, p->problem, 0, true);
    uint32_t all = error ? 0 : c->packets;
    c->steps = STEPS;
    c->packets = c->demands = 0;
    for (uint32_t i = 0; i < c->arcs && x->twisted != CRL_NONE && !error; i++)
        c->arc[i].row[0] = crl_packets_seen(x, c->arc[i].from, c->arc[i].row[0]);
    for (uint32_t i = 0; i < all; i++) {
        size_t room = c->first[i + 1] - c->first[i];
        if (!p->open[c->demand[i].to]) continue;
        c->demand[c->demands] = c->demand[i];
        c->demand[c->demands++].first = c->packets++;
        c->first[c->packets] = c->first[c->packets - 1] + room;
    }
    return error;
}

static void write_window(const struct plan *p, const struct crl_core *c)
{
    for (uint32_t packet = 0; packet < c->packets; packet++)
        for (uint32_t i = 0; i < c->hops[packet]; i++) {
            const struct crl_core_hop *hop = &c->hop[c->first[packet] + i];
            const struct crl_core_arc *arc = &c->arc[hop->arc];
            crl_packets_write(&p->of, p->schedule, hop->slot + 1, arc->from, arc->to, 0,
                              c->demand[c->of_packet[packet]].to);
        }
}

// 0, CRL_ERR_UNSUPPORTED where no way was found to fill it, or another error.
static int fill_window(struct plan *p, uint32_t slots)
{
    struct crl_core c;
    int error = open_core(&c, p);
    if (!error) error = CRL_ERR_UNSUPPORTED;
    for (uint32_t patience = 1; error == CRL_ERR_UNSUPPORTED && patience <= PATIENCE_MAX; patience *= 2) {
        memset(c.hops, 0, sizeof *c.hops * c.packets);
        error =
            crl_core_negotiate(&c, &(struct crl_core_attempt){.slots = slots, .patience = patience, .nowait = true});
    }
    if (!error) write_window(p, &c);
    crl_core_done(&c);
    return error;
}

static int find(struct plan *p)
{
    int error = CRL_ERR_UNSUPPORTED;
    uint32_t slots = 0, last = 0;
    for (uint32_t packet = 1; packet < p->topology->nodes; packet++) p->members[packet] = class_size(p, packet);
    give_turns(p);
    for (uint32_t more = 0, tries = 0; error == CRL_ERR_UNSUPPORTED && tries < WINDOWS; more++) {
        slots = open_window(p, more);
        if (slots && slots != last) {
            tries++;
            error = fill_window(p, last = slots);
        }
        if (p->opened + 1 == p->topology->nodes) break;
    }
    if (!error) add_classes(p, slots + 1);
    return error;
}

// ---------------------------------------------------------------- planning

static int plan_nowait(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    uint32_t nodes = problem->topology->nodes;
    struct plan p = {.problem = problem, .topology = problem->topology, .schedule = schedule};
    int error = crl_packets_new(&p.of, &p.pool, problem, true, diag);
    schedule->folded &= p.of.twisted == CRL_NONE;
    CRL_NUMBERS(&p.pool, nodes, &p.members, &p.turn, &p.next);
    CRL_NEW(&p.pool, p.open, nodes);
    if (!error && p.pool.failed) error = crl_fail_memory(diag);
    if (!error) {
        error = find(&p);
        if (error == CRL_ERR_UNSUPPORTED)
            crl_fail(diag, error,
                     "no schedule without waiting was found for %s on %s; that does not mean there is none",
                     crl_problem_title(problem), crl_topology_name(problem->topology));
        else if (error == CRL_ERR_MEMORY) crl_fail_memory(diag);
    }
    crl_pool_done(&p.pool);
    return error;
}

static bool applies_nowait(const struct crl_problem *problem)
{
    return has_classes(problem) || (crl_packets_are_alike(problem) && problem->topology->nodes <= SEARCHED);
}

static bool folds(const struct crl_problem *problem) { return !crl_packets_are_mirrored(problem); }

const struct crl_algorithm crl_rows_exchange_nowait[] = {
    {"total-exchange", "nowait", "product without paths", "as matching", "after B91 Sec. 4",
     "no packet waits on its path; cubes, rings of one size, others of up to 64 nodes", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_NOWAIT, .applies = applies_nowait, .plan = plan_nowait, .symmetric = folds,
     .cost = {.nodes_max = 1 << 13, .row_ns = 100, .search_s = 4, .quick_nodes = 1024},
     .claim = crl_problem_bound_slots},
    {"total-exchange", "banked", "hypercube", "2^(d-1)", "after B91 Sec. 4",
     "no two packets from one port leave together; the same as nowait", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_BANKED, .applies = crl_is_hypercube, .plan = plan_nowait, .symmetric = crl_is_any,
     .cost = {.nodes_max = 1 << 13, .row_ns = 100, .search_s = 4, .quick_nodes = 1024}, .claim = crl_claim_half},
    {0}};
