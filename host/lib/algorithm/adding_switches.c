// SPDX-License-Identifier: Apache-2.0
// All-reduce where switches add (--switches add): planned as if all nodes had values, and wanted the sums. Then what a
// switch sends before it has anything is left out, and what it would get for nobody behind it, and what a node has
// already, because nothing of a switch's own is missing in it.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

struct pruning {
    const struct crl_problem *problem;
    struct crl_schedule *s; // sorted
    bool *out;              // [moves]
    size_t words;           // of a set of nodes
    uint64_t *sum, *held;   // [moves][words] whose values are on their way; [nodes][chunks][words] and at a node
};

static uint32_t arrival(const struct pruning *p, const struct crl_move *m)
{
    const struct crl_topology *t = p->problem->topology;
    return m->slot + crl_topology_latency(t, m->src, crl_topology_port_to(t, m->src, m->dst)) - 1;
}

static uint64_t *held_at(const struct pruning *p, uint32_t node, uint32_t chunk)
{
    return &p->held[((size_t)node * p->problem->chunks + chunk) * p->words];
}

static void leave(struct pruning *p, size_t i)
{
    const uint64_t *held = held_at(p, p->s->moves[i].src, p->s->moves[i].origin);
    p->out[i] = true;
    for (size_t w = 0; w < p->words; w++) p->out[i] &= !held[w];
    memcpy(&p->sum[i * p->words], held, sizeof *held * p->words);
}

// What brings nothing new is left out.
static void come(struct pruning *p, size_t i)
{
    uint64_t *held = held_at(p, p->s->moves[i].dst, p->s->moves[i].origin), more = 0;
    for (size_t w = 0; w < p->words; w++) {
        more |= p->sum[i * p->words + w] & ~held[w];
        held[w] |= p->sum[i * p->words + w];
    }
    p->out[i] |= !more;
}

static uint64_t arrival_of(const void *pruning, uint32_t i)
{
    const struct pruning *p = pruning;
    return arrival(p, &p->s->moves[i]);
}

// What the moves bring, slot by slot; a slot's departures are before its arrivals.
static int follow(struct pruning *p)
{
    const uint32_t nodes = p->problem->topology->nodes, count = (uint32_t)p->s->count;
    uint32_t *order = malloc(sizeof *order * (count + 1));
    for (uint32_t i = 0; i < count && order; i++) order[i] = i;
    if (!order || crl_sort_order(order, count, arrival_of, p, UINT32_MAX)) return free(order), CRL_ERR_MEMORY;
    for (size_t c = 0; c < p->problem->chunks; c++)
        for (uint32_t v = 0; v < nodes; v++)
            if (crl_problem_is_host(p->problem, v)) held_at(p, v, (uint32_t)c)[v / 64] |= UINT64_C(1) << v % 64;
    for (uint32_t left = 0, here = 0; here < count; here++) {
        while (left < count && p->s->moves[left].slot <= arrival_of(p, order[here])) leave(p, left++);
        come(p, order[here]);
    }
    free(order);
    return 0;
}

// From the last slot on: a switch needs what it still sends.
static void leave_out_unasked(struct pruning *p, uint32_t *sends)
{
    const uint32_t chunks = p->problem->chunks;
    for (size_t i = p->s->count; i-- > 0;) {
        const struct crl_move *m = &p->s->moves[i];
        if (p->out[i]) continue;
        p->out[i] =
            !crl_problem_is_host(p->problem, m->dst) && sends[(size_t)m->dst * chunks + m->origin] <= arrival(p, m);
        if (!p->out[i] && m->slot > sends[(size_t)m->src * chunks + m->origin])
            sends[(size_t)m->src * chunks + m->origin] = m->slot;
    }
}

static int prune(struct crl_schedule *s, const struct crl_problem *problem)
{
    const uint32_t nodes = problem->topology->nodes;
    struct pruning p = {.problem = problem, .s = s, .words = (nodes + 63) / 64};
    uint32_t *sends = calloc((size_t)nodes * problem->chunks, sizeof *sends);
    p.out = calloc(s->count + 1, sizeof *p.out);
    p.sum = calloc(s->count + 1, sizeof *p.sum * p.words);
    p.held = calloc((size_t)nodes * problem->chunks, sizeof *p.held * p.words);
    int error = p.out && p.sum && p.held && sends ? 0 : CRL_ERR_MEMORY;
    if (!error) error = follow(&p);
    if (!error) leave_out_unasked(&p, sends);
    size_t kept = 0;
    for (size_t i = 0; i < s->count && !error; i++)
        if (!p.out[i]) s->moves[kept++] = s->moves[i];
    if (!error) s->count = kept;
    free(p.out);
    free(p.sum);
    free(p.held);
    free(sends);
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
