// SPDX-License-Identifier: Apache-2.0
// All-reduce as a reduce-scatter followed by an all-gather. Where there are as many chunks as nodes, by the default
// schemes of these. Of fewer chunks each has an owner, the owners as far apart as their numbers can be: a partial
// multinode broadcast of the owners, backwards and forwards. More are taken in turn, as many as nodes at a time.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include <stdlib.h>

struct half {
    const struct crl_problem *problem; // the all-reduce
    uint32_t first, chunks;            // of its chunks
    bool backwards;                    // the reduce-scatter
    uint32_t *owners;                  // [chunks]
};

static int plan_half(struct crl_schedule *schedule, const struct half *h, const struct crl_topology *t,
                     struct crl_diag *diag)
{
    const struct crl_problem *p = h->problem;
    struct crl_problem spread;
    const struct crl_algorithm *algorithm;
    bool some = h->chunks < t->nodes;
    int error =
        crl_problem_init(&spread, some ? "partial-multinode-broadcast" : "multinode-broadcast", t, 0, p->ports, diag);
    spread.context = p->context;
    if (!error && some) error = crl_problem_set_active(&spread, h->owners, h->chunks, 1, diag);
    // Of partial schemes some are for routers that know nothing of the others.
    if (!error && !(algorithm = crl_algorithm_planned(&spread)))
        error = crl_algorithm_find(&algorithm, &spread, NULL, diag);
    return error ? error : crl_plan(schedule, algorithm, &spread, diag);
}

// Names chunks instead of their owners.
static void name_chunks(struct crl_schedule *s, const struct half *h)
{
    for (size_t i = 0; i < s->count; i++) {
        bool is_one;
        s->moves[i].origin = h->first + crl_nodes_below(h->owners, h->chunks, s->moves[i].origin, &is_one);
    }
}

// Adds a half behind what there is.
static int add_half(struct crl_schedule *schedule, const struct half *h, struct crl_diag *diag)
{
    struct crl_topology turned;
    struct crl_schedule half = {0};
    const struct crl_topology *t = h->problem->topology;
    if (h->backwards && crl_topology_reversed(&turned, t)) return crl_fail_memory(diag);
    int error = plan_half(&half, h, h->backwards ? &turned : t, diag);
    if (!error && h->backwards) crl_schedule_turn(&half, t);
    schedule->folded &= half.folded;
    if (!error && !schedule->folded) error = crl_schedule_unfold(&half, diag);
    if (!error && !schedule->folded) name_chunks(&half, h);
    crl_schedule_append(schedule, &half, crl_schedule_slots(schedule), 0);
    crl_schedule_done(&half);
    if (h->backwards) crl_topology_reversed_done(&turned);
    return error;
}

int crl_plan_all_reduce_twice(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(problem->topology);
    struct half h = {.problem = problem, .owners = malloc(sizeof *h.owners * nodes)};
    int error = h.owners ? 0 : crl_fail_memory(diag);
    for (; h.first < problem->chunks && !error; h.first += h.chunks) {
        h.chunks = problem->chunks - h.first < nodes ? problem->chunks - h.first : nodes;
        for (uint32_t i = 0; i < h.chunks; i++) h.owners[i] = (uint32_t)((uint64_t)i * nodes / h.chunks);
        for (int side = 0; side < 2 && !error; side++) {
            h.backwards = side == 0;
            error = add_half(schedule, &h, diag);
        }
    }
    free(h.owners);
    return error;
}

static bool folds(const struct crl_problem *problem)
{
    struct crl_problem spread;
    const struct crl_algorithm *algorithm;
    return !crl_problem_init(&spread, "multinode-broadcast", problem->topology, 0, problem->ports, NULL) &&
           !crl_algorithm_find(&algorithm, &spread, NULL, NULL) && crl_plan_folds(algorithm, &spread);
}

const struct crl_algorithm crl_rows_all_reduce_twice[] = {{"all-reduce", "twice", "any", "twice all-gather's", NULL,
                                                           "reduce-scatter, then all-gather, by their default schemes",
                                                           .handles = CRL_HANDLES_LATENCY,
                                                           .plan = crl_plan_all_reduce_twice, .symmetric = folds},
                                                          {0}};
