// SPDX-License-Identifier: Apache-2.0
// What no plan can meet, whatever else is on the links.
#include "base/base.h"
#include "demand/demand.h"
#include <stdlib.h>

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

// The first slot in which a demand may leave that waits for others, which leave in slot `from`: the last packet of them
// leaves when the links at either end have taken the others.
static uint64_t leaves(const struct crl_demands *d, const struct crl_topology *t, uint32_t i, const uint64_t *from)
{
    const struct crl_demand *demand = &d->demand[i];
    if (demand->after == CRL_NONE) return demand->release;
    const struct crl_demand *before = &d->demand[demand->after];
    uint64_t out = links_at(t, before->src, false), in = links_at(t, demand->src, true);
    uint64_t slots = crl_ceil_div(before->packets, out < in ? out : in) - 1;
    uint64_t here = from[demand->after] + slots + crl_topology_delay(t, before->src, demand->src);
    return here > demand->release ? here : demand->release;
}

int crl_demands_earliest(const struct crl_demands *d, const struct crl_topology *t, uint64_t *from)
{
    uint32_t *chain = malloc(sizeof *chain * (d->count + UINT64_C(1)));
    if (!chain) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < d->count; i++) from[i] = 0; // not known
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; at != CRL_NONE && !from[at]; at = d->demand[at].after) chain[length++] = at;
        while (length--) from[chain[length]] = leaves(d, t, chain[length], from); // what is waited for comes first
    }
    free(chain);
    return 0;
}

int crl_demands_feasible(const struct crl_demands *d, const struct crl_topology *t, struct crl_diag *diag)
{
    uint64_t *from = malloc(sizeof *from * (d->count + UINT64_C(1)));
    int error = from && !crl_demands_earliest(d, t, from) ? 0 : crl_fail_memory(diag);
    for (uint32_t i = 0; i < d->count && !error; i++) error = judge(d, t, i, from[i], diag);
    free(from);
    return error;
}
