// SPDX-License-Identifier: Apache-2.0
// Packing and monotone routing: each active node has one packet. That of the i-th goes to node i, or to the i-th of as
// many destinations. Varvarigos & Bertsekas 1994, Theorems 3 and 4.
#include "base/base.h"
#include "problem/problem.h"
#include "topology/topology.h"

static uint32_t dest_of(const struct crl_problem *problem, uint32_t rank)
{
    return problem->dests ? problem->dests[rank] : rank;
}

static uint64_t packets(const struct crl_problem *problem) { return problem->active_count; }

static void packet(const struct crl_problem *problem, uint64_t index, uint32_t *origin, uint32_t *dest)
{
    *origin = problem->active[index];
    *dest = dest_of(problem, (uint32_t)index);
}

static uint64_t packet_index(const struct crl_problem *problem, uint32_t origin, uint32_t dest)
{
    bool is_one;
    uint32_t rank = crl_nodes_below(problem->active, problem->active_count, origin, &is_one);
    return is_one && dest == dest_of(problem, rank) ? rank : UINT64_MAX;
}

static bool wants(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t node)
{
    (void)problem;
    (void)origin;
    return node == dest;
}

static uint64_t wanted(const struct crl_problem *problem, uint32_t node)
{
    bool is_one = node < problem->active_count;
    if (problem->dests) crl_nodes_below(problem->dests, problem->active_count, node, &is_one);
    return is_one;
}

const struct crl_packet_rule crl_rule_ranks = {packets, packet, packet_index, wants, wanted, NULL};
const struct crl_packet_rule crl_rule_dests = {packets, packet, packet_index, wants, wanted, NULL};

bool crl_problem_routes(const struct crl_problem *problem) { return problem->collective->rule == &crl_rule_dests; }

int crl_problem_set_dests(struct crl_problem *problem, const uint32_t *dests, uint32_t count, struct crl_diag *diag)
{
    if (!crl_problem_routes(problem))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "no destinations can be chosen for %s", crl_problem_title(problem));
    if (count != problem->active_count)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' destinations for the packets of %u active nodes", count,
                        problem->active_count);
    int error = crl_nodes_ascending(problem->topology, dests, count, "destination", diag);
    if (error) return error;
    problem->dests = dests;
    return 0;
}

// Packets that lead across the cut above digit `a` of a factor, one way and the other; the more of them.
static uint64_t crossing(const struct crl_problem *problem, const struct crl_factor *f, uint64_t a)
{
    uint64_t up = 0, down = 0;
    for (uint32_t i = 0; i < problem->active_count; i++) {
        bool from = problem->active[i] / f->stride % f->size < a, to = dest_of(problem, i) / f->stride % f->size < a;
        up += from && !to;
        down += to && !from;
    }
    return up > down ? up : down;
}

// The longest way, and every cut across a dimension.
uint64_t crl_bound_routing(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t best = 0;
    for (uint32_t i = 0; i < problem->active_count; i++) {
        uint32_t hops = crl_topology_distance(t, problem->active[i], dest_of(problem, i));
        if (hops > best) best = hops;
    }
    for (uint32_t k = 0; k < t->factor_count; k++)
        for (uint64_t a = 1; a < t->factor[k].size; a++) {
            uint64_t links = crl_factor_cut(&t->factor[k], a) * (t->nodes / t->factor[k].size);
            uint64_t slots = crl_ceil_div(crossing(problem, &t->factor[k], a), links);
            if (slots > best) best = slots;
        }
    return best;
}

uint64_t crl_transmissions_routing(const struct crl_problem *problem)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < problem->active_count; i++)
        sum += crl_topology_distance(problem->topology, problem->active[i], dest_of(problem, i));
    return sum;
}
