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

// The first slot in which a demand may leave that waits for `before`, whose packets leave in slot `from`.
static uint64_t leaves(const struct crl_demands *d, const struct crl_topology *t, uint32_t i, const uint64_t *from)
{
    const struct crl_demand *demand = &d->demand[i];
    uint64_t slot = demand->release;
    if (demand->after == CRL_NONE) return slot;
    uint64_t here = from[demand->after] + crl_topology_delay(t, d->demand[demand->after].src, demand->src);
    return here > slot ? here : slot;
}

int crl_demands_feasible(const struct crl_demands *d, const struct crl_topology *t, struct crl_diag *diag)
{
    uint64_t *from = calloc(d->count + UINT64_C(1), sizeof *from); // 0: not known
    uint32_t *chain = malloc(sizeof *chain * (d->count + UINT64_C(1)));
    int error = from && chain ? 0 : crl_fail_memory(diag);
    for (uint32_t i = 0; i < d->count && !error; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; at != CRL_NONE && !from[at]; at = d->demand[at].after) chain[length++] = at;
        while (length-- && !error) { // what is waited for comes first
            from[chain[length]] = leaves(d, t, chain[length], from);
            error = judge(d, t, chain[length], from[chain[length]], diag);
        }
    }
    free(from);
    free(chain);
    return error;
}
