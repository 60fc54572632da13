// SPDX-License-Identifier: Apache-2.0
// The packets of a problem, and room for their ways.
#include "algorithm/core.h"
#include "base/base.h"
#include "topology/topology.h"
#include <string.h>

// ---------------------------------------------------------------- demands

// What all want over links with gaps or shared cables, for which no other scheme looks.
static bool spreads(const struct crl_problem *p)
{
    const struct crl_collective *c = p->collective;
    return c->naming == CRL_NAMING_ORIGIN && !c->rule && !crl_problem_is_partial(p) && !p->nowait &&
           crl_topology_is_cabled(p->topology) && p->host_count > 1;
}

bool crl_core_fits(const struct crl_problem *p)
{
    if (p->ports == CRL_PORTS_SINGLE && crl_topology_shares_cables(p->topology)) return false; // its rows are nodes
    if (!crl_problem_has_demands(p)) {
        bool pairs = crl_naming_is_pair(crl_problem_naming(p));
        return (pairs || spreads(p)) && crl_problem_packets(p);
    }
    for (uint32_t i = 0; p->demands && i < p->demands->count; i++) {
        const struct crl_demand *d = &p->demands->demand[i];
        if ((d->dst_count != 1 && p->nowait) || d->stage || d->kind) return false;
    }
    return p->demands && p->demands->count;
}

bool crl_core_is_single(const struct crl_problem *p)
{
    for (uint32_t i = 0; p->demands && i < p->demands->count; i++)
        if (p->demands->demand[i].dst_count != 1) return false;
    return p->collective->naming != CRL_NAMING_ORIGIN;
}

static void add_demand(struct crl_core *c, struct crl_core_demand d)
{
    d.first = c->packets;
    d.waits = d.next = CRL_NONE;
    d.from += c->words ? c->places : 0;
    d.to += c->words ? 2 * c->places : 0;
    for (uint32_t i = 0; i < d.count; i++) c->of_packet[c->packets++] = c->demands;
    c->demand[c->demands++] = d;
}

static void list_traffic(struct crl_core *c)
{
    const struct crl_demands *d = c->problem->demands;
    c->modulo = d->modulo;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct crl_demand *one = &d->demand[i];
        c->timed |= one->deadline != CRL_NONE;
        c->gated |= one->after != CRL_NONE;
        add_demand(c, (struct crl_core_demand){.from = one->src,
                                               .to = one->dst[0],
                                               .dst = one->dst,
                                               .dst_count = one->dst_count,
                                               .count = one->packets,
                                               .release = one->release - 1,
                                               .deadline = one->deadline,
                                               .after = one->after});
    }
    for (uint32_t i = 0; i < c->demands; i++) {
        if (c->demand[i].after == CRL_NONE) continue;
        struct crl_core_demand *before = &c->demand[c->demand[i].after];
        c->demand[i].next = before->waits;
        before->waits = i;
    }
}

// Packets of the same ends that follow each other are one demand. Where nodes all look the same those of node 0 do.
static void list_pairs(struct crl_core *c)
{
    enum crl_naming naming = crl_problem_naming(c->problem);
    uint32_t packets = (uint32_t)crl_problem_packets(c->problem), a, b, x, y, count;
    for (uint32_t i = 0; i < packets; i += count) {
        crl_problem_packet(c->problem, i, &a, &b);
        b = crl_packet_dest(naming, b);
        if (c->folded && a) break;
        for (count = 1; i + count < packets; count++) {
            crl_problem_packet(c->problem, i + count, &x, &y);
            if (x != a || crl_packet_dest(naming, y) != b) break;
        }
        add_demand(
            c, (struct crl_core_demand){.from = a, .to = b, .count = count, .deadline = CRL_NONE, .after = CRL_NONE});
    }
}

static void list_spreading(struct crl_core *c)
{
    const struct crl_problem *p = c->problem;
    for (uint64_t i = 0; i < crl_ends_count(p, p->collective->origins) && !c->pool.failed; i++) {
        struct crl_core_demand d = {.from = crl_ends_node(p, p->collective->origins, i), .count = p->parts};
        uint32_t *dst;
        d.deadline = d.after = CRL_NONE;
        CRL_NEW(&c->pool, dst, p->host_count);
        for (uint64_t k = 0; k < p->host_count && dst; k++)
            if (crl_ends_node(p, CRL_ENDS_ALL, k) != d.from) dst[d.dst_count++] = crl_ends_node(p, CRL_ENDS_ALL, k);
        if (!dst) return;
        d.dst = dst;
        d.to = *dst;
        add_demand(c, d);
    }
}

// ---------------------------------------------------------------- room

// Where a tree ends last, at the earliest.
static int find_farthest(struct crl_core *c, struct crl_core_demand *d)
{
    const uint32_t *from = crl_core_from(c, d->from);
    for (uint32_t i = 0; i < d->dst_count && from; i++) {
        if (!crl_core_to(c, d->dst[i])) return CRL_ERR_MEMORY;
        if (from[d->dst[i]] > from[d->to]) d->to = d->dst[i];
    }
    return from ? 0 : CRL_ERR_MEMORY;
}

// A way has no more hops than slots beyond the quickest way, and words two more. A tree has as many as nodes, and some
// that turn out to be needless.
static int make_room(struct crl_core *c)
{
    size_t hops = 0;
    for (uint32_t i = 0; i < c->demands; i++) {
        struct crl_core_demand *d = &c->demand[i];
        if (find_farthest(c, d) || !crl_core_to(c, d->to)) return CRL_ERR_MEMORY;
        uint32_t delay = c->from[d->from][d->to];
        if (delay == CRL_NONE) return CRL_ERR_RULE;
        size_t room = (delay + CRL_CORE_DETOUR * c->latency_max) / c->latency_min + (c->words ? 2 : 0);
        if (d->dst_count > 1) room = 2 * (size_t)c->places;
        if (room > UINT16_MAX) room = UINT16_MAX;
        for (uint32_t k = 0; k < d->count; k++, hops += room) c->first[d->first + k] = hops;
    }
    c->first[c->packets] = hops;
    if (hops >= CRL_NONE) return CRL_ERR_MEMORY;
    CRL_NEW(&c->pool, c->hop, hops + 1);
    return crl_pool_error(&c->pool);
}

static int make_packets(struct crl_core *c)
{
    size_t packets = crl_problem_packets(c->problem) / (c->folded ? c->places : 1) + 1;
    bool traffic = crl_problem_has_demands(c->problem);
    if (packets >= UINT32_MAX) return CRL_ERR_MEMORY;
    CRL_NEW(&c->pool, c->demand, traffic ? c->problem->demands->count + UINT64_C(1) : packets);
    CRL_NUMBERS(&c->pool, packets, &c->of_packet, &c->order);
    CRL_NEW(&c->pool, c->first, packets);
    CRL_ZEROED(&c->pool, c->hops, packets);
    if (c->pool.failed) return CRL_ERR_MEMORY;
    if (traffic) list_traffic(c);
    else if (spreads(c->problem)) list_spreading(c);
    else list_pairs(c);
    if (c->pool.failed) return CRL_ERR_MEMORY;
    return make_room(c);
}

// ---------------------------------------------------------------- all of it

int crl_core_init(struct crl_core *c, const struct crl_problem *problem, uint32_t words, bool folded)
{
    *c = (struct crl_core){.problem = problem, .words = words, .random = 1};
    c->folded = folded && crl_problem_is_symmetric(problem);
    int error = crl_core_make_net(c);
    return error ? error : make_packets(c);
}

void crl_core_done(struct crl_core *c) { crl_pool_done(&c->pool); }

void crl_core_spend(struct crl_core *c, uint64_t steps) { c->steps -= steps < c->steps ? steps : c->steps; }
