// SPDX-License-Identifier: Apache-2.0
// Demands of which some are sums, as two sets of demands that only move: what spreads, and what in reversed time, with
// all links turned round, spreads to those that have parts of a sum. A sum that all want does both.
#include "base/base.h"
#include "problem/bound_prices.h"
#include "problem/problem.h"
#include <string.h>

bool crl_demand_moves(const struct crl_demand *demand, bool turned)
{
    return turned ? demand->kind != CRL_DEMAND_MOVE : demand->kind != CRL_DEMAND_SUM;
}

// When they may leave counts from the beginning, so it is left out where time is reversed.
static int list(struct crl_demands *half, const struct crl_demands *d, bool turned)
{
    int error = 0;
    *half = (struct crl_demands){.unnumbered = d->unnumbered, .modulo = d->modulo};
    for (uint32_t i = 0; i < d->count && !error; i++) {
        struct crl_demand demand = d->demand[i];
        if (!crl_demand_moves(&demand, turned)) continue;
        demand.kind = CRL_DEMAND_MOVE;
        demand.stage = 0;
        demand.after = CRL_NONE;
        if (turned) demand.release = 1;
        error = crl_demands_add(half, demand.id, strlen(demand.id), demand);
    }
    return error ? error : crl_demands_finish(half, NULL);
}

static uint64_t bound_half(const struct crl_problem *p, bool turned)
{
    struct crl_problem half;
    struct crl_topology back;
    struct crl_demands d;
    uint64_t slots = 0;
    if (!list(&d, p->demands, turned) && d.count && !(turned && crl_topology_reversed(&back, p->topology))) {
        crl_problem_init(&half, "traffic", turned ? &back : p->topology, 0, p->ports, NULL);
        if (!crl_problem_set_demands(&half, &d, NULL)) slots = crl_problem_bound_slots(&half);
        if (turned) crl_topology_reversed_done(&back);
    }
    crl_demands_done(&d);
    return slots;
}

uint64_t crl_bound_demand_sums(const struct crl_problem *p)
{
    struct crl_priced *priced = p->priced;
    if (priced && priced->flowed) return priced->flow_slots;
    uint64_t forth = bound_half(p, false), back = bound_half(p, true), slots = forth > back ? forth : back;
    if (priced) priced->flowed = true;
    if (priced) priced->flow_slots = slots;
    return slots;
}
