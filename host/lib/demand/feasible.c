// SPDX-License-Identifier: Apache-2.0
// What no plan can meet, whatever else is on the links.
#include "base/base.h"
#include "demand/demand.h"
#include <stdlib.h>

uint32_t crl_demand_farthest(const struct crl_demand *demand, const struct crl_topology *t)
{
    uint32_t far = *demand->dst;
    for (uint32_t k = 1; k < demand->dst_count; k++)
        if (crl_topology_delay(t, demand->src, demand->dst[k]) > crl_topology_delay(t, demand->src, far))
            far = demand->dst[k];
    return far;
}

// `from` is the first slot in which a packet may leave its source.
static int judge(const struct crl_demands *d, const struct crl_topology *t, uint32_t i, uint64_t from,
                 struct crl_diag *diag)
{
    const struct crl_demand *demand = &d->demand[i];
    uint64_t arrives = 0;
    for (uint32_t k = 0; k < demand->dst_count; k++) {
        uint32_t to = demand->dst[k];
        if (crl_topology_distance(t, demand->src, to) == CRL_NONE)
            return crl_fail_at(diag, CRL_ERR_RULE, d->name, demand->line, demand->dst_col,
                               "demand '%s' cannot be met: no path leads from %u to %u", demand->id, demand->src, to);
        uint64_t delay = crl_topology_delay(t, demand->src, to);
        if (from + delay - 1 > arrives) arrives = from + delay - 1;
    }
    if (demand->deadline == CRL_NONE || arrives <= demand->deadline) return 0;
    return crl_fail_at(diag, CRL_ERR_RULE, d->name, demand->line, demand->deadline_col,
                       "demand '%s' cannot be met: it may leave in slot %llu at the earliest, so it arrives in slot "
                       "%llu, after its deadline %u",
                       demand->id, (unsigned long long)from, (unsigned long long)arrives, demand->deadline);
}

static uint64_t links_at(const struct crl_topology *t, uint32_t node, bool inward)
{
    uint64_t count = 0;
    for (uint32_t p = 0; p < crl_topology_ports(t); p++)
        count += (inward ? crl_topology_behind(t, node, p) : crl_topology_neighbor(t, node, p)) != CRL_NONE;
    return count ? count : 1;
}

// Of what comes to a node in lower stages: from which slot on all of it can be there, and how many packets that are.
struct stages {
    uint64_t *ready, *packets; // [nodes]
};

// The first slot in which one may leave `node` that waits for a demand, which leaves in slot `from`: its last packet
// leaves when the links at either end have taken the others.
static uint64_t waits(const struct crl_topology *t, const struct crl_demand *before, uint64_t from, uint32_t node)
{
    uint64_t out = links_at(t, before->src, false), in = links_at(t, node, true);
    return from + crl_ceil_div(before->packets, out < in ? out : in) - 1 + crl_topology_delay(t, before->src, node);
}

static uint64_t leaves(const struct crl_demands *d, const struct crl_topology *t, uint32_t i, const struct stages *s,
                       const uint64_t *from)
{
    const struct crl_demand *demand = &d->demand[i];
    uint64_t slot = demand->release, after = 0;
    if (demand->after != CRL_NONE) after = waits(t, &d->demand[demand->after], from[demand->after], demand->src);
    if (demand->stage && s->ready[demand->src] > slot) slot = s->ready[demand->src];
    return after > slot ? after : slot;
}

static void settle(const struct crl_demands *d, const struct crl_topology *t, uint32_t i, struct stages *s,
                   const uint64_t *from)
{
    const struct crl_demand *demand = &d->demand[i];
    for (uint32_t k = 0; k < demand->dst_count; k++) {
        uint32_t v = demand->dst[k];
        uint64_t slot = waits(t, demand, from[i], v);
        s->packets[v] += demand->packets;
        uint64_t load = crl_ceil_div(s->packets[v], links_at(t, v, true)) + 1;
        if (load > slot) slot = load;
        if (slot > s->ready[v]) s->ready[v] = slot;
    }
}

// Of one stage, when all lower ones are known. What is waited for comes first.
static void set_stage(const struct crl_demands *d, const struct crl_topology *t, uint32_t stage, struct stages *s,
                      uint32_t *chain, uint64_t *from)
{
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; d->demand[i].stage == stage && at != CRL_NONE && !from[at]; at = d->demand[at].after)
            chain[length++] = at;
        while (length--) from[chain[length]] = leaves(d, t, chain[length], s, from);
    }
    for (uint32_t i = 0; i < d->count; i++)
        if (d->demand[i].stage == stage) settle(d, t, i, s, from);
}

static uint32_t next_stage(const struct crl_demands *d, uint32_t stage)
{
    uint32_t next = CRL_NONE;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->demand[i].stage > stage && d->demand[i].stage < next) next = d->demand[i].stage;
    return next;
}

int crl_demands_earliest(const struct crl_demands *d, const struct crl_topology *t, uint64_t *from)
{
    CRL_OWNED uint32_t *chain = malloc(sizeof *chain * (d->count + UINT64_C(1)));
    struct stages s = {.ready = calloc(2 * (size_t)crl_topology_nodes(t), sizeof *s.ready)};
    bool good = chain && s.ready;
    if (good) s.packets = s.ready + crl_topology_nodes(t);
    for (uint32_t i = 0; i < d->count; i++) from[i] = 0; // not known
    for (uint32_t stage = 0; stage != CRL_NONE && good; stage = next_stage(d, stage))
        set_stage(d, t, stage, &s, chain, from);
    free(s.ready);
    return good ? 0 : CRL_ERR_MEMORY;
}

int crl_demands_feasible(const struct crl_demands *d, const struct crl_topology *t, struct crl_diag *diag)
{
    CRL_OWNED uint64_t *from = malloc(sizeof *from * (d->count + UINT64_C(1)));
    int error = from && !crl_demands_earliest(d, t, from) ? 0 : crl_fail_memory(diag);
    for (uint32_t i = 0; i < d->count && !error; i++) error = judge(d, t, i, from[i], diag);
    return error;
}
