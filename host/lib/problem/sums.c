// SPDX-License-Identifier: Apache-2.0
// Sums: every node has a vector of as many chunks, and what nodes end with are chunks of the sum of these vectors. A
// packet is a partial sum of a chunk, and is named by the chunk.
#include "base/base.h"
#include "problem/problem.h"

static uint64_t packets(const struct crl_problem *problem) { return problem->chunks; }

static void packet(const struct crl_problem *problem, uint64_t index, uint32_t *chunk, uint32_t *none)
{
    (void)problem;
    *chunk = (uint32_t)index;
    *none = 0;
}

static uint64_t packet_index(const struct crl_problem *problem, uint32_t chunk, uint32_t none)
{
    return chunk < problem->chunks && !none ? chunk : UINT64_MAX;
}

static bool root_wants(const struct crl_problem *problem, uint32_t chunk, uint32_t none, uint32_t node)
{
    (void)chunk, (void)none;
    return node == problem->root;
}

// Chunk c is that of host c, counted in their order; of several parts these follow each other.
static bool own_wanted(const struct crl_problem *problem, uint32_t chunk, uint32_t none, uint32_t node)
{
    (void)none;
    chunk /= problem->parts;
    return node == (problem->hosts ? problem->hosts[chunk] : chunk);
}

static bool all_want(const struct crl_problem *problem, uint32_t chunk, uint32_t none, uint32_t node)
{
    (void)chunk, (void)none;
    return crl_problem_is_host(problem, node);
}

static uint64_t root_gets(const struct crl_problem *problem, uint32_t node)
{
    return node == problem->root ? problem->chunks : 0;
}

static uint64_t own_get(const struct crl_problem *problem, uint32_t node)
{
    return crl_problem_is_host(problem, node) ? problem->parts : 0;
}

static uint64_t all_get(const struct crl_problem *problem, uint32_t node)
{
    return crl_problem_is_host(problem, node) ? problem->chunks : 0;
}

static const struct crl_sum_rule reduce = {false, true, true}, reduce_scatter = {false, false, false},
                                 all_reduce = {false, false, true}, scan = {true, true, true};

const struct crl_packet_rule crl_rule_reduce = {packets, packet, packet_index, root_wants, root_gets, &reduce},
                             crl_rule_reduce_scatter = {packets,    packet,  packet_index,
                                                        own_wanted, own_get, &reduce_scatter},
                             crl_rule_all_reduce = {packets, packet, packet_index, all_want, all_get, &all_reduce},
                             crl_rule_scan = {packets, packet, packet_index, all_want, all_get, &scan};

static const struct crl_sum_rule *sum_of(const struct crl_problem *problem)
{
    return problem->collective->rule ? problem->collective->rule->sum : NULL;
}

// ---- a chunk, by its number: who has a part of it, and who wants it

static const struct crl_demand *demand_of(const struct crl_problem *problem, uint32_t chunk)
{
    return problem->demands ? &problem->demands->demand[crl_demands_find(problem->demands, chunk)] : NULL;
}

bool crl_chunk_has(const struct crl_problem *problem, uint32_t chunk, uint32_t node)
{
    const struct crl_demand *demand = demand_of(problem, chunk);
    return demand ? crl_demand_has(demand, node) : crl_problem_is_host(problem, node);
}

uint32_t crl_chunk_values(const struct crl_problem *problem, uint32_t chunk)
{
    const struct crl_demand *demand = demand_of(problem, chunk);
    if (!demand) return problem->hosts ? problem->host_count : crl_topology_nodes(problem->topology);
    return demand->kind == CRL_DEMAND_MOVE ? 1 : demand->dst_count + 1;
}

bool crl_chunk_wanted(const struct crl_problem *problem, uint32_t chunk, uint32_t node)
{
    const struct crl_demand *demand = demand_of(problem, chunk);
    return demand ? crl_demand_wants(demand, node) : crl_problem_wants(problem, chunk, 0, node);
}

bool crl_chunk_has_one_place(const struct crl_problem *problem, uint32_t chunk)
{
    const struct crl_demand *demand = demand_of(problem, chunk);
    return demand ? demand->kind != CRL_DEMAND_SUM_ALL : crl_problem_turns(problem);
}

bool crl_problem_sums(const struct crl_problem *problem) { return sum_of(problem); }
bool crl_problem_scans(const struct crl_problem *problem) { return sum_of(problem) && sum_of(problem)->scan; }
bool crl_problem_takes_chunks(const struct crl_problem *problem) { return sum_of(problem) && sum_of(problem)->said; }

uint32_t crl_problem_usual_chunks(const struct crl_problem *problem)
{
    if (sum_of(problem)->one) return 1;
    return problem->hosts ? problem->host_count : crl_topology_nodes(problem->topology);
}

int crl_problem_set_chunks(struct crl_problem *problem, uint32_t chunks, struct crl_diag *diag)
{
    if (!crl_problem_takes_chunks(problem) || !chunks)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the number of chunks of %s is %u", crl_problem_title(problem),
                        problem->chunks);
    problem->chunks = chunks;
    return 0;
}
