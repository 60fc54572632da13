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

// Where nodes all look the same those of node 0 are listed.
static void list_demands(struct crl_core *c, const struct crl_demands *d)
{
    c->modulo = d->modulo;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct crl_demand *one = &d->demand[i];
        c->timed |= one->deadline != CRL_NONE;
        c->gated |= one->after != CRL_NONE;
        c->demand[c->demands++] = (struct crl_core_demand){.from = one->src + (c->words ? c->places : 0),
                                                           .to = one->dst[0] + (c->words ? 2 * c->places : 0),
                                                           .dst = one->dst,
                                                           .dst_count = one->dst_count,
                                                           .first = c->packets,
                                                           .count = one->packets,
                                                           .release = one->release - 1,
                                                           .deadline = one->deadline,
                                                           .after = one->after,
                                                           .waits = CRL_NONE,
                                                           .next = CRL_NONE};
        for (uint32_t k = 0; k < one->packets; k++) c->of_packet[c->packets++] = i;
    }
    for (uint32_t i = 0; i < c->demands; i++) {
        if (c->demand[i].after == CRL_NONE) continue;
        struct crl_core_demand *before = &c->demand[c->demand[i].after];
        c->demand[i].next = before->waits;
        before->waits = i;
    }
}

// ---------------------------------------------------------------- room

// Where a tree ends last, at the earliest.
static int find_farthest(struct crl_core *c, struct crl_core_demand *d)
{
    const uint32_t *from = crl_core_from(c, d->from);
    for (uint32_t i = 0; i < d->dst_count && d->dst_count > 1 && from; i++) {
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
    uint64_t packets = crl_problem_packets(c->problem) / (c->folded ? c->places : 1);
    bool traffic = crl_problem_has_demands(c->problem);
    if (packets + 1 >= UINT32_MAX) return CRL_ERR_MEMORY;
    int error = traffic ? 0 : crl_problem_list_demands(&c->listed, c->problem, packets);
    const struct crl_demands *demands = traffic ? c->problem->demands : &c->listed;
    CRL_NEW(&c->pool, c->demand, demands->count + UINT64_C(1));
    CRL_NUMBERS(&c->pool, packets + 1, &c->of_packet, &c->order);
    CRL_NEW(&c->pool, c->first, packets + 1);
    CRL_ZEROED(&c->pool, c->hops, packets + 1);
    if (error || c->pool.failed) return CRL_ERR_MEMORY;
    list_demands(c, demands);
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

void crl_core_done(struct crl_core *c)
{
    crl_pool_done(&c->pool);
    crl_demands_done(&c->listed);
}

void crl_core_spend(struct crl_core *c, uint64_t steps) { c->steps -= steps < c->steps ? steps : c->steps; }
