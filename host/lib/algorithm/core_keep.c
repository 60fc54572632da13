// SPDX-License-Identifier: Apache-2.0
// A schedule of before as something to begin with: packets keep their ways in it as far as these still lead where they
// must, and the others have none.
#include "algorithm/core.h"
#include <stdlib.h>

struct adopting {
    struct crl_core *core;
    uint32_t *at;   // [packets] the node that its way has come to
    uint32_t *time; // [packets] when it is there; CRL_NONE: its way is broken
};

static uint32_t arc_of(const struct crl_core *c, uint32_t from, uint32_t to)
{
    for (uint32_t a = c->out[from]; a < c->out[from + 1]; a++)
        if (c->arc[a].to == to) return a;
    return CRL_NONE;
}

static void adopt_move(struct adopting *a, const struct crl_move *m)
{
    struct crl_core *c = a->core;
    uint64_t p = crl_problem_index(c->problem, m->origin, m->dest);
    if (p >= c->packets || a->time[p] == CRL_NONE) return;
    bool known = m->slot && m->src < c->places && m->dst < c->places && m->src == a->at[p];
    uint32_t arc = known ? arc_of(c, m->src, m->dst) : CRL_NONE;
    if (arc == CRL_NONE || m->slot - 1 < a->time[p] || c->first[p] + c->hops[p] >= c->first[p + 1]) {
        a->time[p] = CRL_NONE;
        return;
    }
    c->hop[c->first[p] + c->hops[p]++] = (struct crl_core_hop){.arc = arc, .slot = m->slot - 1, .packet = (uint32_t)p};
    a->at[p] = m->dst;
    a->time[p] = m->slot - 1 + c->arc[arc].latency;
}

int crl_core_adopt(struct crl_core *c, const struct crl_schedule *old)
{
    struct adopting a = {c, malloc(sizeof *a.at * (c->packets + UINT64_C(1))),
                         malloc(sizeof *a.time * (c->packets + UINT64_C(1)))};
    bool good = a.at && a.time;
    for (uint32_t p = 0; good && p < c->packets; p++) {
        const struct crl_core_demand *d = &c->demand[c->of_packet[p]];
        c->hops[p] = 0;
        a.at[p] = d->from;
        a.time[p] = d->release;
    }
    for (size_t i = 0; good && i < old->count; i++) adopt_move(&a, &old->moves[i]);
    for (uint32_t p = 0; good && p < c->packets; p++)
        if (a.time[p] == CRL_NONE || a.at[p] != c->demand[c->of_packet[p]].to) c->hops[p] = 0;
    free(a.at);
    free(a.time);
    return good ? 0 : CRL_ERR_MEMORY;
}
