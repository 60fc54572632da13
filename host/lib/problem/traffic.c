// SPDX-License-Identifier: Apache-2.0
// Traffic: packets are what demands say. A packet's name is the number of its demand and its own number in it. And the
// demands that other collectives are.
#include "base/base.h"
#include "problem/problem.h"
#include <stdlib.h>

static uint64_t packets(const struct crl_problem *problem)
{
    return problem->demands ? crl_demands_packets(problem->demands) : 0;
}

static void packet(const struct crl_problem *problem, uint64_t index, uint32_t *demand, uint32_t *number)
{
    *demand = crl_demands_find(problem->demands, index);
    *number = (uint32_t)(index - problem->demands->first[*demand]);
}

static uint64_t packet_index(const struct crl_problem *problem, uint32_t demand, uint32_t number)
{
    const struct crl_demands *d = problem->demands;
    if (!d || demand >= d->count || number >= d->demand[demand].packets) return UINT64_MAX;
    return d->first[demand] + number;
}

static bool wants(const struct crl_problem *problem, uint32_t demand, uint32_t number, uint32_t node)
{
    (void)number;
    return crl_demand_wants(&problem->demands->demand[demand], node);
}

static uint64_t wanted(const struct crl_problem *problem, uint32_t node)
{
    const struct crl_demands *d = problem->demands;
    uint64_t sum = 0;
    for (uint32_t i = 0; d && i < d->count; i++)
        if (crl_demand_wants(&d->demand[i], node)) sum += d->demand[i].packets;
    return sum;
}

static const struct crl_sum_rule sums = {false, false, false};
const struct crl_packet_rule crl_rule_demands = {packets, packet, packet_index, wants, wanted, NULL};
const struct crl_packet_rule crl_rule_demand_sums = {packets, packet, packet_index, wants, wanted, &sums};

bool crl_problem_has_demands(const struct crl_problem *problem)
{
    return problem->collective->rule == &crl_rule_demands || problem->collective->rule == &crl_rule_demand_sums;
}

int crl_problem_set_demands(struct crl_problem *problem, const struct crl_demands *demands, struct crl_diag *diag)
{
    if (!crl_problem_has_demands(problem))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the packets of %s are not said by demands",
                        crl_problem_title(problem));
    problem->demands = demands;
    if (!demands->sums) return 0;
    if (problem->hosts)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no sums on %s: nodes that only forward do not add",
                        crl_topology_name(problem->topology));
    problem->collective = crl_collective_that_sums(problem->collective);
    problem->chunks = (uint32_t)crl_demands_packets(demands);
    return 0;
}

uint32_t crl_problem_source(const struct crl_problem *problem, uint32_t origin)
{
    return crl_problem_has_demands(problem) ? problem->demands->demand[origin].src : origin;
}

const struct crl_demand *crl_problem_demand(const struct crl_problem *problem, uint32_t origin)
{
    return crl_problem_has_demands(problem) ? &problem->demands->demand[origin] : NULL;
}

// Hops that packets must make: of one with several destinations at least as many as it has, or as the farthest is away.
// Of a sum at its source, as far as it is from there.
uint64_t crl_transmissions_traffic(const struct crl_problem *problem)
{
    const struct crl_demands *d = problem->demands;
    uint64_t sum = 0;
    for (uint32_t i = 0; d && i < d->count; i++) {
        const struct crl_demand *one = &d->demand[i];
        uint64_t most = one->dst_count;
        for (uint32_t k = 0; k < one->dst_count; k++) {
            bool gathers = one->kind == CRL_DEMAND_SUM;
            uint32_t from = gathers ? one->dst[k] : one->src, to = gathers ? one->src : one->dst[k];
            uint32_t hops = crl_topology_distance(problem->topology, from, to);
            if (hops > most) most = hops;
        }
        sum += most * one->packets;
    }
    return sum;
}

// ---------------------------------------------------------------- other collectives as demands

// The nodes that want the packet of this index, without its origin.
static uint32_t list_wanting(const struct crl_problem *p, uint32_t origin, uint32_t dest, uint32_t *list)
{
    uint32_t count = 0;
    if (crl_naming_is_pair(crl_problem_naming(p))) {
        list[0] = crl_packet_dest(crl_problem_naming(p), dest);
        return list[0] != origin;
    }
    for (uint32_t v = 0; v < crl_topology_nodes(p->topology); v++)
        if (v != origin && crl_problem_wants(p, origin, dest, v)) list[count++] = v;
    return count;
}

int crl_problem_list_demands(struct crl_demands *demands, const struct crl_problem *p, uint64_t packets)
{
    uint64_t parts = p->parts;
    CRL_OWNED uint32_t *list = malloc(sizeof *list * crl_topology_nodes(p->topology));
    int error = list ? 0 : CRL_ERR_MEMORY;
    *demands = (struct crl_demands){0};
    for (uint64_t i = 0; i < packets && !error; i += parts) {
        uint32_t origin, dest;
        crl_problem_packet(p, i, &origin, &dest);
        struct crl_demand demand = {.src = origin, .packets = (uint32_t)parts, .release = 1, .dst = list};
        demand.dst_count = list_wanting(p, origin, dest, list);
        demand.deadline = demand.after = CRL_NONE;
        error = crl_demands_add(demands, NULL, 0, demand);
    }
    return error ? error : crl_demands_finish(demands, NULL);
}
