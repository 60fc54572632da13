// SPDX-License-Identifier: Apache-2.0
// Collectives in reversed time: what the one gathers, the other spreads, on the network with all links turned round.
#include "problem/problem.h"
#include <string.h>

const char *crl_collective_turned(const char *collective)
{
    static const char *const pairs[][2] = {{"gather", "scatter"},
                                           {"partial-gather", "partial-exchange"},
                                           {"reduce", "broadcast"},
                                           {"reduce-scatter", "multinode-broadcast"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strcmp(collective, pairs[i][0])) return pairs[i][1];
    return NULL;
}

bool crl_problem_turns(const struct crl_problem *problem)
{
    return crl_problem_sums(problem) && crl_collective_turned(crl_problem_name(problem));
}

int crl_problem_turned(struct crl_turned *turned, const struct crl_problem *problem)
{
    const char *name = crl_collective_turned(crl_problem_name(problem));
    struct crl_problem *p = &turned->problem;
    int error = crl_topology_reversed(&turned->topology, problem->topology);
    if (error) return error;
    error = crl_problem_init(p, name, &turned->topology, problem->root, problem->ports, NULL);
    // Of several chunks it is a broadcast in parts.
    p->parts = crl_problem_sums(problem) && crl_problem_has_root(problem) ? problem->chunks : problem->parts;
    p->active = problem->active;
    p->active_count = problem->active_count;
    p->context = problem->context;
    if (crl_problem_sums(problem)) p->priced = problem->priced; // of the same prices
    p->effort = problem->effort;
    p->words_a_slot = problem->words_a_slot;
    return error;
}

void crl_problem_turned_done(struct crl_turned *turned) { crl_topology_reversed_done(&turned->topology); }
