// SPDX-License-Identifier: Apache-2.0
// What the algorithms for links need, as measured by scripts/bench --only scaling.
#include "algorithm/algorithm.h"
#include "algorithm/routes.h"

// Whether a scheme that nobody asked for by name is found in about a second.
static bool is_quick_cube_exchange(const struct crl_problem *problem)
{
    return crl_topology_ports(problem->topology) < 10;
}

static bool is_quick_cube_broadcast(const struct crl_problem *problem)
{
    return crl_topology_ports(problem->topology) != 8;
}

static bool is_quick_torus_exchange(const struct crl_problem *problem)
{
    return crl_topology_nodes(problem->topology) <= 1024;
}

static bool is_quick_banked_torus_exchange(const struct crl_problem *problem)
{
    return crl_topology_nodes(problem->topology) <= 8192;
}

static bool is_quick_array_exchange(const struct crl_problem *problem)
{
    return crl_topology_nodes(problem->topology) <= 144;
}

static bool is_quick_negotiation(const struct crl_problem *problem)
{
    return crl_topology_nodes(problem->topology) <= 128;
}

// Where nodes do not all do the same there are as many packets as pairs.
static bool is_quick_streams(const struct crl_problem *problem)
{
    return crl_topology_nodes(problem->topology) <= (crl_problem_is_symmetric(problem) ? 128 : 36);
}

static const struct {
    int (*plan)(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
    struct crl_plan_cost cost;
    bool (*lists)(const struct crl_problem *problem); // every move where translates would do; NULL: never
    bool (*quick)(const struct crl_problem *problem); // NULL: always
} costs[] = {
    {crl_plan_hypercube_scatter, {.row_ns = 200}, NULL, NULL},
    {crl_plan_hypercube_gather, {.row_ns = 200}, NULL, NULL},
    {crl_plan_torus_multinode_broadcast, {.nodes_max = 1 << 16, .search_s = 2}, NULL, NULL},
    {crl_plan_array_fold_broadcast, {.nodes_max = 1 << 16, .row_ns = 250, .pair_bytes = 1}, NULL, NULL},
    {crl_plan_graph_exchange, {.row_ns = 450, .pair_bytes = 16}, NULL, NULL},
    {crl_plan_exchange_matching, {.nodes_max = CRL_ROUTES_NODES_MAX, .row_ns = 450, .pair_bytes = 16}, NULL, NULL},
    {crl_plan_product_exchange_a2, {.row_ns = 250}, NULL, NULL},
    {crl_plan_hamilton_broadcast, {.row_ns = 100}, crl_is_any, NULL},
    {crl_plan_tree_scatter, {.row_ns = 250}, NULL, NULL},
    {crl_plan_tree_gather, {.row_ns = 250}, NULL, NULL},
    {crl_plan_mesh_total_exchange, {.nodes_max = 1 << 13, .row_ns = 300, .pair_bytes = 8}, NULL, NULL},
    {crl_plan_torus_total_exchange, {.row_ns = 100}, crl_exchanges_mirrored, NULL},
    {crl_plan_hypercube_nowait_exchange, {.search_s = 10}, NULL, is_quick_cube_exchange},
    {crl_plan_hypercube_nowait_broadcast, {.search_s = 15}, NULL, is_quick_cube_broadcast},
    {crl_plan_torus_nowait_exchange,
     {.nodes_max = 4096, .row_ns = 100, .search_s = 4},
     crl_exchanges_mirrored,
     is_quick_torus_exchange},
    {crl_plan_torus_banked_exchange,
     {.nodes_max = 1 << 16, .row_ns = 1000, .search_s = 4},
     crl_exchanges_mirrored,
     is_quick_banked_torus_exchange},
    {crl_plan_mesh_banked_exchange,
     {.nodes_max = 1024, .row_ns = 1000, .search_s = 4, .pair_bytes = 8},
     NULL,
     is_quick_array_exchange},
    {crl_plan_product_one_bank, {.nodes_max = 1024, .row_ns = 1500000}, NULL, NULL},
    {crl_plan_repeated_exchange, {.row_ns = 300}, crl_is_any, NULL},
    {crl_plan_spread, {.row_ns = 300, .search_s = 2}, crl_lists_spread, NULL},
    {crl_plan_rooted_flow, {.nodes_max = 512, .row_ns = 2000, .search_s = 1, .pair_bytes = 400}, crl_is_any, NULL},
    {crl_plan_any_exchange, {.row_ns = 800, .port_bytes = 20}, crl_is_any, NULL},
    {crl_plan_negotiated_exchange,
     {.nodes_max = 256, .row_ns = 1000, .search_s = 6, .pair_bytes = 200},
     crl_is_any,
     is_quick_negotiation},
    {crl_plan_streamed_exchange,
     {.nodes_max = 512, .row_ns = 1000, .search_s = 1, .pair_bytes = 200},
     NULL,
     is_quick_streams},
    {crl_plan_core, {.row_ns = 1500, .search_s = 6, .pair_bytes = 8, .port_bytes = 20}, crl_is_any, NULL},
    {crl_plan_core_list, {.row_ns = 1500, .pair_bytes = 8, .port_bytes = 20}, crl_is_any, NULL},
    {crl_plan_all_reduce_exchange, {.search_s = 5}, crl_lists_all_reduce_exchange, NULL},
    {crl_plan_all_reduce_search, {.search_s = 60}, crl_is_any, NULL},
    {crl_plan_all_reduce_doubling, {0}, crl_is_any, NULL},
    {crl_plan_all_reduce_batches, {0}, crl_is_any, NULL},
    {crl_plan_scan_lines, {0}, crl_is_any, NULL},
    {crl_plan_scan_walk, {.nodes_max = 1024, .search_s = 2}, crl_is_any, NULL},
    {crl_plan_all_reduce_twice, {0}, crl_lists_all_reduce_twice, NULL},
    {crl_plan_latency_broadcast, {.row_ns = 2000}, NULL, NULL},
    {crl_plan_latency_rooted, {.nodes_max = 1 << 16, .row_ns = 2000}, NULL, NULL},
    {crl_plan_latency_exchange, {.nodes_max = 1 << 13, .row_ns = 200, .search_s = 2}, NULL, NULL},
    {crl_plan_latency_list_exchange, {.nodes_max = 512, .row_ns = 40000, .search_s = 2}, crl_is_any, NULL},
};

static size_t place_of(const struct crl_algorithm *algorithm)
{
    size_t i = 0;
    while (i < sizeof costs / sizeof *costs && costs[i].plan != algorithm->plan) i++;
    return i;
}

const struct crl_plan_cost *crl_plan_cost_of(const struct crl_algorithm *algorithm)
{
    static const struct crl_plan_cost others = {0};
    size_t i = place_of(algorithm);
    return i < sizeof costs / sizeof *costs ? &costs[i].cost : &others;
}

bool crl_plan_folds(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    size_t i = place_of(algorithm);
    bool lists = i < sizeof costs / sizeof *costs && costs[i].lists && costs[i].lists(problem);
    return crl_problem_is_symmetric(problem) && !lists;
}

struct crl_plan_estimate crl_plan_estimate(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    uint64_t nodes = crl_topology_nodes(problem->topology), rows = crl_problem_bound_transmissions(problem);
    if (crl_plan_folds(algorithm, problem)) rows /= nodes;
    uint64_t ends = crl_problem_packets(problem) * crl_topology_ports(problem->topology);
    rows *= crl_problem_parts_a_count(problem);
    return crl_plan_estimate_of(crl_plan_cost_of(algorithm), rows, nodes, ends);
}

bool crl_plan_is_quick(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    size_t i = place_of(algorithm);
    return i == sizeof costs / sizeof *costs || !costs[i].quick || costs[i].quick(problem);
}
