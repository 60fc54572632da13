// SPDX-License-Identifier: Apache-2.0
// All-reduce where switches add (--switches add): planned as if all nodes had values, and wanted the sums. Then what a
// switch sends before it has anything is left out, and what it would get for nobody behind it, and what a node has
// already, because nothing of a switch's own is missing in it.
#include "algorithm/algorithm.h"
#include "base/pool.h"

struct pruning {
    struct crl_pool pool;
    const struct crl_problem *problem;
    struct crl_schedule *s; // sorted
    bool *out;              // [moves]
    uint32_t *sum, *held;   // [moves] hosts whose values are on their way; [nodes][chunks] and at a node
    uint32_t *sends;        // [nodes][chunks] the last slot in which a node sends
    uint32_t *order;        // [moves] by arrival
};

static uint64_t arrival(const void *pruning, uint32_t i)
{
    const struct pruning *p = pruning;
    const struct crl_move *m = &p->s->moves[i];
    return crl_arrival_slot(p->problem->topology, m->slot, m->src, m->dst);
}

static uint32_t *at(const struct pruning *p, uint32_t *array, uint32_t node, uint32_t chunk)
{
    return &array[(size_t)node * p->problem->chunks + chunk];
}

// What the moves bring, slot by slot; a slot's departures are before its arrivals. A sum of all takes the place of what
// a node has; others have no value in common with it.
static void follow(struct pruning *p)
{
    const uint32_t hosts = p->problem->host_count, count = (uint32_t)p->s->count;
    for (uint32_t c = 0; c < p->problem->chunks; c++)
        for (uint32_t i = 0; i < hosts; i++) *at(p, p->held, p->problem->hosts[i], c) = 1;
    for (uint32_t left = 0, here = 0; here < count; here++) {
        const uint32_t i = p->order[here];
        const struct crl_move *m = p->s->moves;
        for (; left < count && m[left].slot <= arrival(p, i); left++)
            p->sum[left] = *at(p, p->held, m[left].src, m[left].origin);
        uint32_t *held = at(p, p->held, m[i].dst, m[i].origin);
        p->out[i] = !p->sum[i] || (p->sum[i] == hosts && *held == hosts);
        *held = p->sum[i] == hosts ? hosts : *held + p->sum[i];
    }
}

// From the last slot on: a switch needs what it still sends.
static void leave_out_unasked(struct pruning *p)
{
    for (size_t i = p->s->count; i-- > 0;) {
        const struct crl_move *m = &p->s->moves[i];
        uint32_t *sends = at(p, p->sends, m->src, m->origin), next = *at(p, p->sends, m->dst, m->origin);
        p->out[i] |= !crl_problem_is_host(p->problem, m->dst) && next <= arrival(p, (uint32_t)i);
        if (!p->out[i] && m->slot > *sends) *sends = m->slot;
    }
}

static int prune(struct crl_schedule *s, const struct crl_problem *problem)
{
    struct pruning p = {.problem = problem, .s = s};
    CRL_NUMBERS(&p.pool, (size_t)problem->topology->nodes * problem->chunks, &p.held, &p.sends);
    CRL_NUMBERS(&p.pool, s->count, &p.sum, &p.order);
    CRL_NEW(&p.pool, p.out, s->count);
    int error = crl_pool_error(&p.pool);
    for (uint32_t i = 0; i < s->count && !error; i++) p.order[i] = i;
    if (!error) error = crl_sort_order(p.order, (uint32_t)s->count, arrival, &p, UINT32_MAX);
    if (!error) {
        follow(&p);
        leave_out_unasked(&p);
        size_t kept = 0;
        for (size_t i = 0; i < s->count; i++)
            if (!p.out[i]) s->moves[kept++] = s->moves[i];
        s->count = kept;
    }
    crl_pool_done(&p.pool);
    return error ? error : crl_schedule_sort(s);
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct crl_problem all = *problem;
    const struct crl_algorithm *algorithm;
    all.hosts = NULL;
    int error = crl_algorithm_find(&algorithm, &all, NULL, diag);
    if (!error) error = crl_plan(schedule, algorithm, &all, diag);
    if (!error) error = crl_schedule_unfold(schedule, diag);
    schedule->scheme = "added";
    return error || !prune(schedule, problem) ? error : crl_fail_memory(diag);
}

static bool applies_added(const struct crl_problem *problem)
{
    return problem->hosts && crl_topology_switches_add(problem->topology);
}

const struct crl_algorithm crl_rows_adding_switches[] = {
    {"all-reduce", "added", "any", NULL, NULL, "sums come together in switches that add, and spread from there",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_EFFORT, .applies = applies_added, .plan = plan,
     .cost = {.search_s = 10, .quick_nodes = 6}},
    {0}};
