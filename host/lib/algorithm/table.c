// SPDX-License-Identifier: Apache-2.0
// The table of algorithms. The first row that fits a problem is its default.
#include "algorithm/algorithm.h"
#include "topology/topology.h"
#include <string.h>

#define ALL    (1u << CRL_PORTS_ALL)
#define SINGLE (1u << CRL_PORTS_SINGLE)

bool crl_is_hypercube(const struct crl_problem *problem) { return problem->topology->kind == &crl_topology_hypercube; }

bool crl_is_product(const struct crl_problem *problem) { return problem->topology->factor_count > 0; }

bool crl_is_any(const struct crl_problem *problem)
{
    (void)problem;
    return true;
}

bool crl_applies_listed(const struct crl_problem *problem) { return problem->hosts || problem->parts > 1; }

static const struct crl_algorithm table[] = {
    {"broadcast", "binomial", "hypercube", ALL | SINGLE, "d", "B91 Sec. 1", "spanning binomial tree", crl_is_hypercube,
     crl_plan_hypercube_broadcast},
    {"multinode-broadcast", "rotation", "hypercube", ALL, "ceil((2^d-1)/d)", "B91 Sec. 2",
     "translates of one tree with distinct dimensions in every slot", crl_is_hypercube,
     crl_plan_hypercube_multinode_broadcast},
    {"scatter", "balanced", "hypercube", ALL, "ceil((2^d-1)/d)", "B91 Sec. 3",
     "perfectly balanced spanning tree, farthest first", crl_is_hypercube, crl_plan_hypercube_scatter},
    {"gather", "balanced", "hypercube", ALL, "ceil((2^d-1)/d)", "B91 Sec. 3", "scatter in reversed time",
     crl_is_hypercube, crl_plan_hypercube_gather},
    {"total-exchange", "recursive", "hypercube", ALL, "2^(d-1)", "B91 Sec. 4", "every link busy in every slot",
     crl_is_hypercube, crl_plan_hypercube_total_exchange},
    {"total-exchange", "nowait", "hypercube", ALL, "2^(d-1)", "after B91 Sec. 4",
     "no packet waits on its way; d to 13, in seconds at d = 12", crl_applies_hypercube_nowait_exchange,
     crl_plan_hypercube_nowait_exchange},
    {"total-exchange", "banked", "hypercube", ALL, "2^(d-1)", "after B91 Sec. 4",
     "no two packets from one port leave together; the same as nowait", crl_applies_hypercube_nowait_exchange,
     crl_plan_hypercube_nowait_exchange},
    {"multinode-broadcast", "nowait", "hypercube", ALL, "ceil((2^d-1)/d)", "after B91 Sec. 2",
     "no packet waits on its way; d prime, 1, 4, 6, or 8 (which takes 15 s once)",
     crl_applies_hypercube_nowait_broadcast, crl_plan_hypercube_nowait_broadcast},
    {"multinode-broadcast", "banked", "hypercube", ALL, "ceil((2^d-1)/d)", "after B91 Sec. 2",
     "no two packets from one port leave together; d to 15", crl_applies_hypercube_banked_broadcast,
     crl_plan_hypercube_banked_broadcast},
    {"multinode-broadcast", "tree", "product without paths", ALL, "max(ceil((N-1)/degree), diameter)",
     "after B91 Sec. 2", "translates of one tree with distinct directions in every slot, found by search; N to 65536",
     crl_applies_torus_multinode_broadcast, crl_plan_torus_multinode_broadcast},
    {"multinode-broadcast", "orbit", "torus p x p", ALL, "floor(N/4)", "V94 Sec. 2",
     "four nodes a slot, which are rotations of each other", crl_applies_torus_orbit_broadcast,
     crl_plan_torus_orbit_broadcast},
    {"multinode-broadcast", "dimension", "product without paths", SINGLE, "N-1", "after D96 Sec. 4",
     "dimension by dimension, a new packet to every node in every slot", crl_applies_product_multinode_broadcast,
     crl_plan_product_multinode_broadcast},
    {"multinode-broadcast", "hamilton", "with a Hamiltonian cycle", SINGLE, "N-1", "none",
     "everybody passes on to its successor what it got, its own packet first; graphs of up to 512 nodes",
     crl_applies_hamilton_broadcast, crl_plan_hamilton_broadcast},
    {"multinode-broadcast", "slotwise", "any", ALL | SINGLE, "the bound where tried", "none",
     "slot by slot: matchings of links, single-port of senders and receivers, with what is rare", crl_is_any,
     crl_plan_spread},
    {"multinode-broadcast", "fold", "product with paths", ALL, "p x p: floor(N/2)", "V94 Sec. 2",
     "plays the torus of the same size at half the speed; N to 65536", crl_applies_array_fold_broadcast,
     crl_plan_array_fold_broadcast},
    {"total-exchange", "translation", "graph", SINGLE, "circulants, hypercubes: ceil(average status)",
     "after D96 Sec. 4", "by translations where the numbering has them, else as matching", crl_applies_graph_exchange,
     crl_plan_graph_exchange},
    {"total-exchange", "matching", "products with paths and graphs", SINGLE, "at most a2's", "after D96 Sec. 3",
     "ways that load nodes evenly; a matching of senders and receivers in every slot, most work first; N to 4096",
     crl_applies_exchange_matching, crl_plan_exchange_matching},
    {"total-exchange", "a2", "product", SINGLE, "n*sum(T_i/|V_i|)", "D96 Sec. 4",
     "factor by factor; optimal but for paths of three or more nodes and some graphs", crl_is_product,
     crl_plan_product_exchange_a2},
    {"broadcast", "bfs", "any", ALL | SINGLE, "eccentricity (all ports)", "none", "farthest to go first", crl_is_any,
     crl_plan_tree_broadcast},
    {"scatter", "balanced", "any", ALL | SINGLE, "max_k(k+ceil(beyond k/ports))", "after B91 Sec. 3",
     "balanced tree, farthest first; all-port it may make detours for that", crl_is_any, crl_plan_tree_scatter},
    {"gather", "balanced", "any", ALL | SINGLE, "max_k(k+ceil(beyond k/ports))", "after B91 Sec. 3",
     "scatter in reversed time", crl_is_any, crl_plan_tree_gather},
    {"total-exchange", "matching", "product without paths", ALL, "ceil(max_i N*floor(m_i^2/4)/(2*m_i)), diameter",
     "list scheduling", "an open shop: every slot a matching of packets and ports", crl_applies_torus_total_exchange,
     crl_plan_torus_total_exchange},
    {"total-exchange", "translation", "ring of even size times an odd product", ALL,
     "as matching, and a quarter of the ring more", "list scheduling",
     "as matching, but the same from every node, so that one node's rows are all",
     crl_applies_torus_translation_exchange, crl_plan_torus_translation_exchange},
    {"total-exchange", "nowait", "product without paths", ALL, "as matching", "list scheduling",
     "no packet waits on its way; rings of one size, others of up to 64 nodes by search",
     crl_applies_torus_nowait_exchange, crl_plan_torus_nowait_exchange},
    {"total-exchange", "banked", "product without paths", ALL, "as matching", "list scheduling",
     "no two packets from one port leave together, by search", crl_applies_torus_total_exchange,
     crl_plan_torus_banked_exchange},
    {"total-exchange", "greedy", "product with a path", ALL, "max_i N*floor(m_i^2/4)/m_i where tried",
     "list scheduling", "most hops to go first, dimensions in an order that spreads the load",
     crl_applies_mesh_total_exchange, crl_plan_mesh_total_exchange},
    {"total-exchange", "banked", "product with a path", ALL, "max_i N*floor(m_i^2/4)/m_i where tried",
     "list scheduling", "no two packets from one port leave together: every node matches links with ports",
     crl_applies_mesh_total_exchange, crl_plan_mesh_banked_exchange},
    {"total-exchange", "one-bank", "product without graphs, to 1024 nodes, with paths to 64", ALL,
     "max(all-port bound, N-2+ceil(mean distance)); arrays a few more", "none",
     "a node starts one packet and takes one in a slot, and none waits", crl_applies_product_one_bank,
     crl_plan_product_one_bank},
    {"total-exchange", "repeated", "products without graphs, packets in parts", ALL | SINGLE,
     "the bound where whole packets keep all links busy", "none", "the default scheme of whole packets, part by part",
     crl_applies_repeated_exchange, crl_plan_repeated_exchange},
    {"total-exchange", "list", "any", ALL | SINGLE, "none claimed", "none", "slot by slot, farthest to go first",
     crl_is_any, crl_plan_any_exchange},
    {"total-exchange", "negotiated", "any, to 256 nodes", ALL | SINGLE, "the bound where tried", "none",
     "packets negotiate for links and slots; from the bound upward, for --effort seconds; kept in the cache",
     crl_applies_negotiated_exchange, crl_plan_negotiated_exchange},
    {"total-exchange", "streamed", "any to 512 nodes, with fewer streams than ports", ALL, "none claimed", "none",
     "as negotiated, also for words in and out: the fewest slots from end to end", crl_applies_streamed_exchange,
     crl_plan_streamed_exchange},
    {"scatter", "flow", "any to 512 nodes", ALL, "the best that there is", "none",
     "the greatest flow through time to or from the root", crl_applies_rooted_flow, crl_plan_rooted_flow},
    {"scatter", "negotiated", "with switches or in parts, to 256 nodes", ALL | SINGLE, "the bound where tried", "none",
     "as total exchange", crl_applies_listed, crl_plan_negotiated_exchange},
    {"gather", "flow", "any to 512 nodes", ALL, "the best that there is", "none",
     "the greatest flow through time to or from the root", crl_applies_rooted_flow, crl_plan_rooted_flow},
    {"gather", "negotiated", "with switches or in parts, to 256 nodes", ALL | SINGLE, "the bound where tried", "none",
     "as total exchange", crl_applies_listed, crl_plan_negotiated_exchange},
    {"scatter", "list", "with switches or in parts", ALL | SINGLE, "none claimed", "none",
     "slot by slot, farthest to go first", crl_applies_listed, crl_plan_any_exchange},
    {"gather", "list", "with switches or in parts", ALL | SINGLE, "none claimed", "none",
     "slot by slot, farthest to go first", crl_applies_listed, crl_plan_any_exchange},
    {"scatter", "latency", "switches or parts, late links, to 512", ALL | SINGLE, "none claimed", "none",
     "as total exchange", crl_applies_listed, crl_plan_latency_list_exchange},
    {"gather", "latency", "switches or parts, late links, to 512", ALL | SINGLE, "none claimed", "none",
     "as total exchange", crl_applies_listed, crl_plan_latency_list_exchange},
    {"partial-multinode-broadcast", "whole", "torus, mesh", ALL, "(5b), (6b)", "V94 Sec. 3.2",
     "on line: count, pack, broadcast; a packet is routed by its rank mod d", crl_applies_online_whole,
     crl_plan_online},
    {"partial-multinode-broadcast", "split", "torus, mesh", ALL, "(5a), (6a), in mini packets", "V94 Sec. 3.1",
     "on line: count, pack, broadcast; packets split into d parts, 2d on a torus", crl_applies_online_split,
     crl_plan_online},
    {"partial-multinode-broadcast", "slotwise", "any", ALL | SINGLE, "the bound where tried", "none",
     "planned for the active nodes, as multinode broadcast", crl_is_any, crl_plan_spread},
    {"partial-exchange", "classes", "torus, mesh", ALL, "p x p: 2m(N-p)+2(p-1)+p, m=floor(sqrt(M))", "V94 Sec. 4",
     "on line: dimensions in an order that starts along the emptiest line", crl_applies_online, crl_plan_online},
    {"partial-exchange", "balanced", "torus, mesh", ALL, "p^d: d(m(N-N/p)+p-1), m=floor(M^(1/d))", "none",
     "on line, counting until no line has more than m nodes that start along it", crl_applies_online,
     crl_plan_balanced_exchange},
    {"partial-exchange", "offline", "any", ALL | SINGLE, "none claimed", "none",
     "planned for the active nodes, farthest to go first", crl_is_any, crl_plan_any_exchange},
    {"partial-exchange", "negotiated", "any, to 256 nodes", ALL | SINGLE, "the bound where tried", "none",
     "as total exchange", crl_applies_negotiated_exchange, crl_plan_negotiated_exchange},
    {"partial-exchange", "streamed", "any to 512 nodes, with fewer streams than ports", ALL, "none claimed", "none",
     "as total exchange", crl_applies_streamed_exchange, crl_plan_streamed_exchange},
    {"partial-gather", "reversed", "torus, mesh", ALL, "as partial-exchange", "V94 Sec. 1",
     "partial exchange in reversed time", crl_applies_online, crl_plan_online_gather},
    {"partial-gather", "offline", "any", ALL | SINGLE, "none claimed", "none",
     "planned for the active nodes, farthest to go first", crl_is_any, crl_plan_any_exchange},
    {"partial-gather", "negotiated", "any, to 256 nodes", ALL | SINGLE, "the bound where tried", "none",
     "as total exchange", crl_applies_negotiated_exchange, crl_plan_negotiated_exchange},
    {"partial-gather", "streamed", "any to 512 nodes, with fewer streams than ports", ALL, "none claimed", "none",
     "as total exchange", crl_applies_streamed_exchange, crl_plan_streamed_exchange},
    {"prefix", "crossing", "torus, mesh", ALL, "d(p-1); the paper's has 2d(p-1)", "V94 Sec. 3.1, Phase 1",
     "on line: sums from both ends of every line, dimension by dimension", crl_applies_online, crl_plan_online},
    {"packing", "greedy", "torus, mesh", ALL, "d(p-1) after counting", "V94 Theorem 3",
     "on line: count, then to the node whose number is the rank, digit by digit", crl_applies_online, crl_plan_online},
    {"monotone-routing", "greedy", "torus, mesh", ALL, "2d(p-1) after counting", "V94 Theorem 4",
     "on line: packing, then to the destination, dimensions in reversed order", crl_applies_online, crl_plan_online},
    {"line-broadcast", "whole", "torus, mesh", ALL, "K+p-2; on a ring K+floor(p/2)-1", "V94 Theorem 2",
     "on line: pass on what comes, else send the next of your own", crl_applies_online_whole, crl_plan_online},
    {"line-broadcast", "split", "with rings of 3 and more", ALL, "(K+p-2)/2", "V94 Theorem 2",
     "on line, in halves, each round the ring in its own direction", crl_applies_online_halves, crl_plan_online},
    {"broadcast", "latency", "any with link latencies", ALL | SINGLE, "weighted eccentricity (all ports)", "none",
     "quickest ways; single-port slot by slot, farthest to go first", crl_applies_latency, crl_plan_latency_broadcast},
    {"broadcast", "slotwise", "any", ALL | SINGLE, "the bound where tried", "none",
     "as multinode broadcast; for packets in parts, and past switches", crl_is_any, crl_plan_spread},
    {"scatter", "latency", "any with link latencies", ALL | SINGLE,
     "every x after which packets end: docs/schedules.md", "after B91 Sec. 3",
     "balanced tree of quickest ways, farthest first", crl_applies_latency, crl_plan_latency_rooted},
    {"gather", "latency", "any with link latencies", ALL | SINGLE, "every x after which packets end: docs/schedules.md",
     "after B91 Sec. 3", "scatter in reversed time", crl_applies_latency, crl_plan_latency_rooted},
    {"total-exchange", "latency", "product without paths, with link latencies", ALL | SINGLE,
     "load, late hops, farthest: docs/schedules.md", "list scheduling",
     "translates: every slot a matching of ports and packets, most to go first; N to 8192",
     crl_applies_latency_relative, crl_plan_latency_exchange},
    {"total-exchange", "latency", "any with link latencies, to 512 nodes", ALL | SINGLE, "none claimed", "none",
     "slot by slot, longest to go first", crl_applies_latency, crl_plan_latency_list_exchange},
    {"partial-exchange", "latency", "any with link latencies, to 512 nodes", ALL | SINGLE, "none claimed", "none",
     "as total exchange", crl_applies_latency, crl_plan_latency_list_exchange},
    {"partial-gather", "latency", "any with link latencies, to 512 nodes", ALL | SINGLE, "none claimed", "none",
     "as total exchange", crl_applies_latency, crl_plan_latency_list_exchange},
    {"traffic", "negotiated", "any, of one destination each", ALL | SINGLE, "the bound where tried", "none",
     "even ways, listed, then by negotiated congestion", crl_applies_core, crl_plan_core},
    {"traffic", "list", "any, of one destination each", ALL | SINGLE, "none claimed", "none",
     "even ways, then slot by slot what has most before it", crl_applies_core, crl_plan_core_list},
    {"groups", "negotiated", "any, of one destination each", ALL | SINGLE, "the bound where tried", "none",
     "even ways, listed, then by negotiated congestion", crl_applies_core, crl_plan_core},
    {"groups", "list", "any, of one destination each", ALL | SINGLE, "none claimed", "none",
     "even ways, then slot by slot what has most before it", crl_applies_core, crl_plan_core_list},
    {"program", "negotiated", "any, of one destination each", ALL | SINGLE, "the bound where tried", "none",
     "even ways, listed, then by negotiated congestion", crl_applies_core, crl_plan_core},
    {"program", "list", "any, of one destination each", ALL | SINGLE, "none claimed", "none",
     "even ways, then slot by slot what has most before it", crl_applies_core, crl_plan_core_list},
    // Reductions: the functions plan what they are in reversed time, a broadcast or a multinode broadcast.
    {"reduce", "binomial", "hypercube, one chunk", ALL | SINGLE, "d", "B91 Sec. 1", "broadcast in reversed time",
     crl_applies_reduce_cube, crl_plan_hypercube_broadcast},
    {"reduce", "bfs", "any, one chunk", ALL | SINGLE, "eccentricity (all ports)", "none", "broadcast in reversed time",
     crl_applies_reduce_one, crl_plan_tree_broadcast},
    {"reduce", "latency", "any with link latencies, one chunk", ALL | SINGLE, "weighted eccentricity (all ports)",
     "none", "broadcast in reversed time", crl_applies_reduce_one, crl_plan_latency_broadcast},
    {"reduce", "slotwise", "any", ALL | SINGLE, "the bound where tried", "none",
     "partial multinode broadcast of the root alone, in parts, in reversed time", crl_is_any, crl_plan_spread},
    {"reduce-scatter", "rotation", "hypercube", ALL, "ceil((2^d-1)/d)", "B91 Sec. 1, 2",
     "all-gather in reversed time, also those below", crl_is_hypercube, crl_plan_hypercube_multinode_broadcast},
    {"reduce-scatter", "nowait", "hypercube", ALL, "ceil((2^d-1)/d)", "after B91 Sec. 2",
     "a partial sum leaves in the slot after that in which the last of it came; d as all-gather",
     crl_applies_hypercube_nowait_broadcast, crl_plan_hypercube_nowait_broadcast},
    {"reduce-scatter", "tree", "product without paths", ALL, "max(ceil((N-1)/degree), diameter)", "after B91 Sec. 2",
     "translates of one tree with distinct directions in every slot; N to 65536", crl_applies_torus_multinode_broadcast,
     crl_plan_torus_multinode_broadcast},
    {"reduce-scatter", "orbit", "torus p x p", ALL, "floor(N/4)", "V94 Sec. 1, 2",
     "four nodes a slot, which are rotations of each other", crl_applies_torus_orbit_broadcast,
     crl_plan_torus_orbit_broadcast},
    {"reduce-scatter", "dimension", "product without paths", SINGLE, "N-1", "after D96 Sec. 4",
     "dimension by dimension", crl_applies_product_multinode_broadcast, crl_plan_product_multinode_broadcast},
    {"reduce-scatter", "hamilton", "with a Hamiltonian cycle", SINGLE, "N-1", "none",
     "everybody adds its own to what it got and passes it on; graphs of up to 512 nodes",
     crl_applies_hamilton_broadcast, crl_plan_hamilton_broadcast},
    {"reduce-scatter", "slotwise", "any", ALL | SINGLE, "the bound where tried", "none",
     "multinode broadcast in reversed time", crl_is_any, crl_plan_spread},
    {"reduce-scatter", "fold", "product with paths", ALL, "p x p: floor(N/2)", "V94 Sec. 1, 2",
     "plays the torus of the same size at half the speed; N to 65536", crl_applies_array_fold_broadcast,
     crl_plan_array_fold_broadcast},
    {"all-reduce", "exchange", "hypercube, torus, where N-1 and the degree allow", ALL,
     "ceil(2(N-1)/degree) where tried", "after B91 Sec. 2",
     "partial sums meet at both ends of a link, which swap them; else as twice", crl_applies_all_reduce_exchange,
     crl_plan_all_reduce_exchange},
    {"all-reduce", "doubling", "2 x 2 x ..., few chunks or late links", ALL | SINGLE, "d*latency-1+ceil(M/d)", "none",
     "dimension by dimension neighbours swap what they have; M/d chunks in the time that a link takes",
     crl_applies_all_reduce_doubling, crl_plan_all_reduce_doubling},
    {"all-reduce", "search", "small networks", ALL | SINGLE, "the bound where tried", "none",
     "by a SAT solver, patterns that go with symmetries of the network; else as twice; kept in the cache",
     crl_applies_all_reduce_search, crl_plan_all_reduce_search},
    {"all-reduce", "batches", "any, more chunks than nodes", ALL | SINGLE, "none claimed", "none",
     "as many chunks as nodes at a time, by the default scheme for these", crl_applies_all_reduce_batches,
     crl_plan_all_reduce_batches},
    {"scan", "lines", "product without graphs", ALL | SINGLE, "sum of 2(m_i-1), m_i-1 of the last; complete factors: 1",
     "none", "dimension by dimension sums go up every line and come down; chunks follow each other slot by slot",
     crl_applies_scan_lines, crl_plan_scan_lines},
    {"scan", "walk", "graphs", ALL | SINGLE, "none claimed", "none",
     "a walk over the nodes in the order of their numbers; chunks follow as closely as it does not meet itself",
     crl_applies_scan_walk, crl_plan_scan_walk},
    {"all-reduce", "twice", "any", ALL | SINGLE, "twice all-gather's", "none",
     "reduce-scatter, then all-gather, by their default schemes", crl_is_any, crl_plan_all_reduce_twice},
};

// Links that take longer than a slot are for schemes that know of it.
static bool fits_links(const struct crl_algorithm *a, const struct crl_problem *problem)
{
    static int (*const know[])(struct crl_schedule *, const struct crl_problem *,
                               struct crl_diag *) = {crl_plan_all_reduce_doubling,
                                                     crl_plan_all_reduce_search,
                                                     crl_plan_all_reduce_batches,
                                                     crl_plan_all_reduce_twice,
                                                     crl_plan_scan_lines,
                                                     crl_plan_scan_walk,
                                                     crl_plan_spread,
                                                     crl_plan_repeated_exchange,
                                                     crl_plan_rooted_flow,
                                                     crl_plan_core,
                                                     crl_plan_core_list};
    bool knows = crl_topology_latency_max(problem->topology) == 1 || !strcmp(a->scheme, "latency");
    for (size_t i = 0; i < sizeof know / sizeof *know; i++) knows |= a->plan == know[i];
    return knows;
}

// Nodes that only forward are for schemes that ask which packets there are, and do not take it from the network.
static bool fits_hosts(const struct crl_algorithm *a, const struct crl_problem *problem)
{
    static int (*const know[])(struct crl_schedule *, const struct crl_problem *,
                               struct crl_diag *) = {crl_plan_spread,
                                                     crl_plan_any_exchange,
                                                     crl_plan_negotiated_exchange,
                                                     crl_plan_latency_list_exchange,
                                                     crl_plan_streamed_exchange,
                                                     crl_plan_repeated_exchange,
                                                     crl_plan_rooted_flow,
                                                     crl_plan_core,
                                                     crl_plan_core_list};
    bool knows = !problem->hosts;
    for (size_t i = 0; i < sizeof know / sizeof *know; i++) knows |= a->plan == know[i];
    return knows;
}

// Packets that are split are for schemes that ask which there are.
static bool fits_parts(const struct crl_algorithm *a, const struct crl_problem *problem)
{
    static int (*const know[])(struct crl_schedule *, const struct crl_problem *, struct crl_diag *) = {
        crl_plan_torus_multinode_broadcast, crl_plan_spread,
        crl_plan_hamilton_broadcast,        crl_plan_product_multinode_broadcast,
        crl_plan_repeated_exchange,         crl_plan_any_exchange,
        crl_plan_negotiated_exchange,       crl_plan_streamed_exchange,
        crl_plan_latency_list_exchange,     crl_plan_rooted_flow};
    bool knows = problem->parts == 1 || crl_problem_is_partial(problem) || problem->collective->rule;
    for (size_t i = 0; i < sizeof know / sizeof *know; i++) knows |= a->plan == know[i];
    return knows;
}

const struct crl_algorithm *crl_algorithm_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

// Whether the row is for such problems, of whatever size.
static bool solves(const struct crl_algorithm *a, const struct crl_problem *problem)
{
    return !strcmp(a->collective, crl_problem_name(problem)) && (a->port_models >> problem->ports & 1) &&
           fits_links(a, problem) && fits_hosts(a, problem) && fits_parts(a, problem) && a->applies(problem);
}

static bool takes(const struct crl_algorithm *a, uint32_t nodes)
{
    uint32_t most = crl_plan_cost_of(a)->nodes_max;
    return !most || nodes <= most;
}

size_t crl_algorithms_for(const struct crl_algorithm **out, const struct crl_problem *problem)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (solves(&table[i], problem) && takes(&table[i], crl_topology_nodes(problem->topology)))
            out[count++] = &table[i];
    return count;
}

static int fail_for_size(const struct crl_algorithm *a, const struct crl_problem *problem, const char *schemes,
                         struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    return crl_fail(diag, CRL_ERR_LIMIT, "%s on %s is too large: '%u' nodes, and scheme '%s' plans up to %u%s%s",
                    crl_problem_name(problem), crl_topology_name(t), crl_topology_nodes(t), a->scheme,
                    crl_plan_cost_of(a)->nodes_max, *schemes ? "; of this size there is " : "", schemes);
}

bool crl_algorithm_fits(const struct crl_algorithm *algorithm, const struct crl_topology *topology)
{
    struct crl_problem problem;
    for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
        if (crl_problem_init(&problem, algorithm->collective, topology, 0, (enum crl_ports)ports, NULL)) return false;
        const uint32_t parts[] = {1, 2, crl_mini_packets(topology)}; // what on-line schemes split into by themselves
        bool split = crl_problem_is_partial(&problem) || problem.collective->rule;
        for (size_t i = 0; i < (split ? sizeof parts / sizeof *parts : 1); i++) {
            problem.parts = parts[i];
            if (solves(algorithm, &problem) && takes(algorithm, crl_topology_nodes(topology))) return true;
        }
    }
    return false;
}

int crl_algorithm_find(const struct crl_algorithm **out, const struct crl_problem *problem, const char *scheme,
                       struct crl_diag *diag)
{
    const char *name = crl_problem_name(problem);
    const struct crl_algorithm *too_small = NULL; // takes the most nodes of those that do not take enough
    char schemes[300] = "", hint[96];
    struct carillon_nearest nearest = {.word = scheme};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct crl_algorithm *a = &table[i];
        if (!solves(a, problem)) continue;
        bool wanted = !scheme || !strcmp(scheme, a->scheme), large = takes(a, crl_topology_nodes(problem->topology));
        if (wanted && large) {
            *out = a;
            return 0;
        }
        if (wanted && (!too_small || crl_plan_cost_of(a)->nodes_max > crl_plan_cost_of(too_small)->nodes_max))
            too_small = a;
        if (!large) continue;
        carillon_nearest_try(&nearest, a->scheme); // only reached where a scheme was asked for
        snprintf(schemes + strlen(schemes), sizeof schemes - strlen(schemes), "%s%s", *schemes ? ", " : "", a->scheme);
    }
    if (too_small) return fail_for_size(too_small, problem, schemes, diag);
    if (*schemes)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "no scheme '%.80s' for %s on %s; there is %s%s", scheme, name,
                        crl_topology_name(problem->topology), schemes, carillon_did_you_mean(&nearest, hint));
    return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                    "no algorithm for %s on %s with %s ports; 'carillon list' shows what there is", name,
                    crl_topology_name(problem->topology), problem->ports == CRL_PORTS_ALL ? "all" : "single");
}

const char *crl_plan_folds_with(const struct crl_problem *problem)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct crl_algorithm *a = &table[i];
        if (solves(a, problem) && takes(a, crl_topology_nodes(problem->topology)) && crl_plan_folds(a, problem))
            return a->scheme;
    }
    return NULL;
}

static int refuse(const struct crl_plan_estimate *estimate, const struct crl_problem *problem, struct crl_diag *diag)
{
    char advice[200] = "a smaller network would do, or a machine with more memory";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct crl_algorithm *a = &table[i];
        if (!solves(a, problem) || !takes(a, crl_topology_nodes(problem->topology))) continue;
        struct crl_plan_estimate other = crl_plan_estimate(a, problem);
        if (!crl_plan_fits(&other)) continue;
        snprintf(advice, sizeof advice, "--scheme %s needs less", a->scheme);
        break;
    }
    return crl_plan_refuse(estimate, crl_problem_name(problem), crl_topology_name(problem->topology), advice, diag);
}

int crl_plan(struct crl_schedule *schedule, const struct crl_algorithm *algorithm, const struct crl_problem *problem,
             struct crl_diag *diag)
{
    struct crl_plan_estimate estimate = crl_plan_estimate(algorithm, problem);
    crl_schedule_init_for(schedule, problem, crl_problem_is_symmetric(problem));
    if (!crl_plan_fits(&estimate)) return refuse(&estimate, problem, diag);
    bool turns = crl_problem_turns(problem);
    int error =
        turns ? crl_plan_reversed(schedule, algorithm, problem, diag) : algorithm->plan(schedule, problem, diag);
    if (!schedule->scheme) schedule->scheme = algorithm->scheme; // an algorithm may have fallen back on another
    if (!error && crl_schedule_sort(schedule)) error = crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    return error;
}
