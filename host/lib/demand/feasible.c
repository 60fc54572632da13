// SPDX-License-Identifier: Apache-2.0
// What no plan can meet, whatever else is on the links.
#include "base/base.h"
#include "demand/demand.h"
#include <stdlib.h>

// The first slot in which a packet may leave its source, and the first in which the last of all can have arrived.
struct window {
    uint64_t from, arrives;
};

static int judge(const struct crl_demands *d, const struct crl_topology *t, uint32_t i, struct window *w,
                 struct crl_diag *diag)
{
    const struct crl_demand *demand = &d->demand[i];
    w->arrives = w->from;
    for (uint32_t k = 0; k < demand->dst_count; k++) {
        uint32_t to = demand->dst[k];
        if (crl_topology_distance(t, demand->src, to) == CRL_NONE)
            return crl_fail_at(diag, CRL_ERR_RULE, d->name, demand->line, demand->dst_col,
                               "demand '%s' cannot be met: no path leads from %u to %u", demand->id, demand->src, to);
        uint64_t delay = crl_topology_delay(t, demand->src, to);
        if (w->from + delay - 1 > w->arrives) w->arrives = w->from + delay - 1;
    }
    if (demand->deadline == CRL_NONE || w->arrives <= demand->deadline) return 0;
    return crl_fail_at(diag, CRL_ERR_RULE, d->name, demand->line, demand->deadline_col,
                       "demand '%s' cannot be met: it may leave in slot %llu at the earliest, so it arrives in slot "
                       "%llu, after its deadline %u",
                       demand->id, (unsigned long long)w->from, (unsigned long long)w->arrives, demand->deadline);
}

int crl_demands_feasible(const struct crl_demands *d, const struct crl_topology *t, struct crl_diag *diag)
{
    struct window *window = calloc(d->count + UINT64_C(1), sizeof *window);
    uint32_t *chain = malloc(sizeof *chain * (d->count + UINT64_C(1)));
    int error = window && chain ? 0 : crl_fail_memory(diag);
    for (uint32_t i = 0; i < d->count && !error; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; at != CRL_NONE && !window[at].from; at = d->demand[at].after) chain[length++] = at;
        while (length-- && !error) { // what is waited for comes first
            uint32_t at = chain[length], before = d->demand[at].after;
            window[at].from = d->demand[at].release;
            if (before != CRL_NONE && window[before].arrives + 1 > window[at].from)
                window[at].from = window[before].arrives + 1;
            error = judge(d, t, at, &window[at], diag);
        }
    }
    free(window);
    free(chain);
    return error;
}
