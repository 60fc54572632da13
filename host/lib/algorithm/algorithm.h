// SPDX-License-Identifier: Apache-2.0
// What an algorithm is made of. A new one is one file and one row of the table in table.c.
#ifndef CRL_ALGORITHM_H
#define CRL_ALGORITHM_H

#include <carillon/carillon.h>

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
int crl_plan_array_search_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_array_fold_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_torus_multinode_broadcast(const struct crl_problem *problem);
bool crl_applies_torus_orbit_broadcast(const struct crl_problem *problem);
bool crl_applies_array_search_broadcast(const struct crl_problem *problem);
bool crl_applies_array_fold_broadcast(const struct crl_problem *problem);

// Any product, hypercubes included.
bool crl_is_product(const struct crl_problem *problem);
bool crl_is_any(const struct crl_problem *problem);

// Single-port total exchange on graph:FILE alone, which Algorithm A2 takes for its factors, too.
bool crl_applies_graph_exchange(const struct crl_problem *problem);
int crl_plan_graph_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_product_exchange_matching(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
bool crl_applies_product_exchange_matching(const struct crl_problem *problem);
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
int crl_plan_mesh_total_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// All-port total exchange: on products of rings and complete graphs; on those with a path.
bool crl_applies_torus_total_exchange(const struct crl_problem *problem);
bool crl_applies_mesh_total_exchange(const struct crl_problem *problem);

// One injection and one ejection a node and slot, no waiting.
bool crl_applies_product_one_bank(const struct crl_problem *problem);
int crl_plan_product_one_bank(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Any network of a size at which every packet can be looked at in every slot.
bool crl_applies_any_list(const struct crl_problem *problem);
int crl_plan_any_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_any_multinode_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

// Partial collectives, and their parts, on tori and arrays, as routers carry them out on line.
bool crl_applies_online_whole(const struct crl_problem *problem);
bool crl_applies_online_split(const struct crl_problem *problem);
bool crl_applies_online(const struct crl_problem *problem);
bool crl_applies_online_halves(const struct crl_problem *problem);
int crl_plan_online(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_online_gather(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_balanced_exchange(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

#endif
