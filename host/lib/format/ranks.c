// SPDX-License-Identifier: Apache-2.0
// What each rank does, in order of time, and what its sends and receptions wait for.
#include "base/base.h"
#include "format/format.h"

int crl_ranks_make(struct crl_ranks *r, const struct crl_flow *f, const struct crl_problem *problem)
{
    uint32_t nodes = crl_topology_nodes(problem->topology);
    *r = (struct crl_ranks){.flow = f, .sums = crl_problem_sums(problem)};
    CRL_NUMBERS(&r->pool, f->places, &r->last, &r->gone);
    CRL_NUMBERS(&r->pool, f->count, &r->before, &r->sent, &r->left);
    CRL_NUMBERS(&r->pool, nodes + UINT64_C(2), &r->start);
    CRL_NUMBERS(&r->pool, 2 * (size_t)f->count, &r->event);
    if (crl_pool_error(&r->pool)) return CRL_ERR_MEMORY;
    for (uint32_t p = 0; p < f->places; p++) r->last[p] = r->gone[p] = CRL_NONE;
    // Counted two places up, so that filling one leaves each start where it belongs.
    for (uint32_t i = 0; i < f->count; i++) {
        r->start[f->moves[i].src + 2]++;
        r->start[f->moves[i].dst + 2]++;
    }
    for (uint32_t v = 0; v < nodes; v++) r->start[v + 2] += r->start[v + 1];
    for (struct crl_flow_at at = {0}; crl_flow_next(f, &at);) {
        const struct crl_move *m = &f->moves[at.move];
        r->event[r->start[(at.arrives ? m->dst : m->src) + 1]++] = 2 * at.move + at.arrives;
        if (!at.arrives) {
            r->sent[at.move] = r->gone[f->from[at.move]];
            r->gone[f->from[at.move]] = at.move;
            continue;
        }
        r->left[at.move] = r->gone[f->to[at.move]];
        r->before[at.move] = r->last[f->to[at.move]];
        r->last[f->to[at.move]] = at.move;
    }
    return 0;
}

void crl_ranks_done(struct crl_ranks *r) { crl_pool_done(&r->pool); }

uint32_t crl_ranks_first(const struct crl_ranks *r, uint32_t place)
{
    uint32_t first = r->last[place];
    while (first != CRL_NONE && r->before[first] != CRL_NONE) first = r->before[first];
    return first;
}

uint32_t crl_ranks_need(const struct crl_ranks *r, uint32_t move, uint32_t after)
{
    const struct crl_flow *f = r->flow;
    uint32_t place = f->from[move], first = CRL_NONE;
    if (!r->sums && (f->place[place].own || after != CRL_NONE)) return CRL_NONE;
    for (uint32_t a = after == CRL_NONE ? r->last[place] : r->before[after]; a != CRL_NONE; a = r->before[a]) {
        if (f->arrival[a] >= f->moves[move].slot) continue;
        if (r->sums) return a; // of a sum everything that has come
        first = a;
    }
    return first;
}

uint32_t crl_ranks_left(const struct crl_ranks *r, uint32_t move, uint32_t after)
{
    if (!r->sums) return CRL_NONE;
    return after == CRL_NONE ? r->left[move] : r->sent[after];
}
