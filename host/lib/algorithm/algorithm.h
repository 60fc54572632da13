// SPDX-License-Identifier: Apache-2.0
// What an algorithm is made of. A new one is one file and one row of the table in table.c.
#ifndef CRL_ALGORITHM_H
#define CRL_ALGORITHM_H

#include "algorithm/estimate.h"
#include "schedule/schedule.h"

// One row of the table of algorithms: what solves what, where, and who says so.
struct crl_algorithm {
    const char *collective; // name of the problem
    const char *scheme;
    const char *topology; // topologies it applies to, as in "hypercube"
    uint32_t port_models; // bit set of 1 << enum crl_ports
    const char *bound;    // its number of slots, as a formula
    const char *paper;    // key and section
    const char *summary;
    bool (*applies)(const struct crl_problem *problem);
    int (*plan)(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag);
};

const struct crl_algorithm *crl_algorithm_table(size_t *count);
// Whether a row is for a topology, with all ports or a single one.
bool crl_algorithm_fits(const struct crl_algorithm *algorithm, const struct crl_topology *topology);
// The first row that solves `problem`, or the one named `scheme` (NULL: any).
int crl_algorithm_find(const struct crl_algorithm **out, const struct crl_problem *problem, const char *scheme,
                       struct crl_diag *diag);
// All rows that solve `problem`, the default first, in out[…] (room for the whole table); returns how many.
size_t crl_algorithms_for(const struct crl_algorithm **out, const struct crl_problem *problem);
// How its need grows, and what crl_plan will need.
const struct crl_plan_cost *crl_plan_cost_of(const struct crl_algorithm *algorithm);
// Whether that takes no more than about a second, so that it may be tried by those who did not ask for it.
bool crl_plan_is_quick(const struct crl_algorithm *algorithm, const struct crl_problem *problem);
struct crl_plan_estimate crl_plan_estimate(const struct crl_algorithm *algorithm, const struct crl_problem *problem);
// Whether its schedules look the same from every node, so that they have a relative form; and a scheme for the problem
// of which that holds, or NULL.
bool crl_plan_folds(const struct crl_algorithm *algorithm, const struct crl_problem *problem);
const char *crl_plan_folds_with(const struct crl_problem *problem);
// Plans. Fails with CRL_ERR_LIMIT, before it begins, where that needs more memory than there is. `schedule` comes back
// in canonical order and folded where the algorithm is symmetric; the caller ends it
// with crl_schedule_done also after an error.
int crl_plan(struct crl_schedule *schedule, const struct crl_algorithm *algorithm, const struct crl_problem *problem,
             struct crl_diag *diag);

// Whether routers find the schedule by themselves, knowing no more than their place and whether they are active.
bool crl_algorithm_is_online(const struct crl_algorithm *algorithm);
bool crl_algorithm_is_balanced(const struct crl_algorithm *algorithm); // an exchange of balanced classes
// Of an on-line algorithm and its schedule: the slots of counting, which come before the first packet, and an upper
// bound on its time in slots of a whole packet if a step of counting takes `tp` of them (NAN: none is known). Returns
// false, and leaves both alone, for any other algorithm. Varvarigos & Bertsekas 1994, Eqs. (5a) to (6b) and Sec. 4, for
// any sides.
bool crl_online_timing(const struct crl_algorithm *algorithm, const struct crl_schedule *schedule,
                       const struct crl_problem *problem, double tp, uint32_t *count_slots, double *bound);

// Turns round a schedule that was planned on `topology` with all links turned round: what it spreads, that gathers.
// The next plans a reduction as what it is in reversed time, with the row's function, and does so.
void crl_schedule_turn(struct crl_schedule *schedule, const struct crl_topology *topology);
int crl_plan_reversed(struct crl_schedule *schedule, const struct crl_algorithm *algorithm,
                      const struct crl_problem *problem, struct crl_diag *diag);

// Reductions to a root: of one chunk, on the hypercube or anywhere, and of several.
bool crl_applies_reduce_cube(const struct crl_problem *problem);
bool crl_applies_reduce_one(const struct crl_problem *problem);

bool crl_is_hypercube(const struct crl_problem *problem);

int crl_plan_hypercube_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_multinode_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_scatter(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_gather(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_total_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

int crl_plan_hypercube_nowait_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_nowait_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_hypercube_banked_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Where these are known to find a schedule.
bool crl_applies_hypercube_nowait_exchange(const struct crl_problem *problem);
bool crl_applies_hypercube_nowait_broadcast(const struct crl_problem *problem);
bool crl_applies_hypercube_banked_broadcast(const struct crl_problem *problem);

int crl_plan_torus_multinode_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_torus_orbit_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_array_fold_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_torus_multinode_broadcast(const struct crl_problem *problem);
bool crl_applies_torus_orbit_broadcast(const struct crl_problem *problem);
bool crl_applies_array_fold_broadcast(const struct crl_problem *problem);

// For nodes that take and give few words a slot.
bool crl_applies_streamed_exchange(const struct crl_problem *problem);
int crl_plan_streamed_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Any product, hypercubes included.
bool crl_is_product(const struct crl_problem *problem);
bool crl_is_any(const struct crl_problem *problem);

// Single-port total exchange on graph:FILE alone, which Algorithm A2 takes for its factors, too.
bool crl_applies_graph_exchange(const struct crl_problem *problem);
int crl_plan_graph_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_exchange_matching(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_exchange_matching(const struct crl_problem *problem);
// Slots that Algorithm A2 takes.
int crl_product_exchange_a2_slots(uint64_t *slots, const struct crl_problem *problem, struct crl_diag *diag);
int crl_plan_product_exchange_a2(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_product_multinode_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_product_multinode_broadcast(const struct crl_problem *problem);
// Networks in which a Hamiltonian cycle is found: all products that have one.
bool crl_applies_hamilton_broadcast(const struct crl_problem *problem);
int crl_plan_hamilton_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_tree_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_tree_scatter(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_tree_gather(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

int crl_plan_torus_total_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_torus_translation_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_torus_banked_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_torus_nowait_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_mesh_total_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_mesh_banked_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Where translations will not do for crl_plan_torus_total_exchange, so that it lists every move.
bool crl_exchanges_mirrored(const struct crl_problem *problem);
bool crl_applies_torus_translation_exchange(const struct crl_problem *problem);
// All-port total exchange: on products of rings and complete graphs; on those with a path.
bool crl_applies_torus_total_exchange(const struct crl_problem *problem);
bool crl_applies_torus_nowait_exchange(const struct crl_problem *problem);
bool crl_applies_mesh_total_exchange(const struct crl_problem *problem);

// One injection and one ejection a node and slot, no waiting.
bool crl_applies_product_one_bank(const struct crl_problem *problem);
int crl_plan_product_one_bank(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Any network of a size at which every packet can be looked at in every slot.
int crl_plan_any_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
// Of split packets, one part after the other.
bool crl_applies_repeated_exchange(const struct crl_problem *problem);
int crl_plan_repeated_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
// Scatter and gather on any network, in as few slots as there can be.
bool crl_applies_rooted_flow(const struct crl_problem *problem);
int crl_plan_rooted_flow(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
// Broadcast kinds on any network; whether every move is listed, where nodes do not all do the same.
int crl_plan_spread(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_lists_spread(const struct crl_problem *problem);
// Any network, by search.
bool crl_applies_listed(const struct crl_problem *problem); // where nodes only forward, or packets are split
bool crl_applies_negotiated_exchange(const struct crl_problem *problem);
int crl_plan_negotiated_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Any packets of one destination each, on any network: listed, and negotiated.
bool crl_applies_core(const struct crl_problem *problem);
int crl_plan_core_list(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_core(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Links that take longer than a slot: on any network; and by translations.
bool crl_applies_latency(const struct crl_problem *problem);
bool crl_applies_latency_relative(const struct crl_problem *problem);
int crl_plan_latency_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_latency_rooted(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_latency_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_latency_list_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// All-reduce as a reduce-scatter and an all-gather; as the default schemes of these list every move, or not.
int crl_plan_all_reduce_twice(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_lists_all_reduce_twice(const struct crl_problem *problem);

// In an odd number of slots, one less than that: where translations of one pattern or two may do it.
int crl_plan_all_reduce_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_all_reduce_exchange(const struct crl_problem *problem);
bool crl_lists_all_reduce_exchange(const struct crl_problem *problem);
// By a SAT solver, on products that are small, or symmetric enough.
int crl_plan_all_reduce_search(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_all_reduce_search(const struct crl_problem *problem);
// Of more chunks than nodes.
int crl_plan_all_reduce_batches(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_all_reduce_batches(const struct crl_problem *problem);
// All-reduce where all dimensions have two nodes; scan of any number of chunks on products.
int crl_plan_all_reduce_doubling(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_all_reduce_doubling(const struct crl_problem *problem);
int crl_plan_scan_lines(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_scan_lines(const struct crl_problem *problem);
int crl_plan_scan_walk(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_scan_walk(const struct crl_problem *problem);

// Partial collectives, and their parts, on tori and arrays, as routers carry them out on line.
bool crl_applies_online_whole(const struct crl_problem *problem);
bool crl_applies_online_split(const struct crl_problem *problem);
bool crl_applies_online(const struct crl_problem *problem);
bool crl_applies_online_halves(const struct crl_problem *problem);
int crl_plan_online(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_online_gather(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_balanced_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

#endif
