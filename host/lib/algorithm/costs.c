// SPDX-License-Identifier: Apache-2.0
// What the algorithms for links need, as measured by scripts/bench --only scaling.
#include "algorithm/algorithm.h"
#include "algorithm/routes.h"

static const struct {
    int (*plan)(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
    struct crl_plan_cost cost;
    bool (*lists)(const struct crl_problem *problem); // every move where translates would do; NULL: never
} costs[] = {
    {crl_plan_hypercube_scatter, {.row_ns = 200}, NULL},
    {crl_plan_hypercube_gather, {.row_ns = 200}, NULL},
    {crl_plan_torus_multinode_broadcast, {.nodes_max = 1 << 16, .search_s = 2}, NULL},
    {crl_plan_array_search_broadcast, {.nodes_max = 2048, .row_ns = 1500, .search_s = 10, .pair_bytes = 10}, NULL},
    {crl_plan_array_fold_broadcast, {.nodes_max = 1 << 16, .row_ns = 250, .pair_bytes = 1}, NULL},
    {crl_plan_graph_exchange, {.row_ns = 450, .pair_bytes = 16}, NULL},
    {crl_plan_exchange_matching, {.nodes_max = CRL_ROUTES_NODES_MAX, .row_ns = 450, .pair_bytes = 16}, NULL},
    {crl_plan_product_exchange_a2, {.row_ns = 250}, NULL},
    {crl_plan_hamilton_broadcast, {.row_ns = 100}, crl_is_any},
    {crl_plan_tree_scatter, {.row_ns = 250}, NULL},
    {crl_plan_tree_gather, {.row_ns = 250}, NULL},
    {crl_plan_mesh_total_exchange, {.nodes_max = 1 << 13, .row_ns = 600, .pair_bytes = 36}, NULL},
    {crl_plan_torus_total_exchange, {.row_ns = 100}, crl_exchanges_mirrored},
    {crl_plan_product_one_bank, {.nodes_max = 1024, .row_ns = 1500000}, NULL},
    {crl_plan_any_exchange, {.nodes_max = 512, .row_ns = 40000, .pair_bytes = 20}, crl_is_any},
    {crl_plan_any_multinode_broadcast, {.nodes_max = 512, .row_ns = 2500}, crl_is_any},
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

struct crl_plan_estimate crl_plan_estimate(const struct crl_algorithm *algorithm, const struct crl_problem *problem)
{
    size_t i = place_of(algorithm);
    bool lists = i < sizeof costs / sizeof *costs && costs[i].lists && costs[i].lists(problem);
    uint64_t nodes = crl_topology_nodes(problem->topology), rows = crl_problem_bound_transmissions(problem);
    if (crl_problem_is_symmetric(problem) && !lists) rows /= nodes;
    return crl_plan_estimate_of(crl_plan_cost_of(algorithm), rows * problem->parts, nodes);
}
