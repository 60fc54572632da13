// SPDX-License-Identifier: Apache-2.0
// What each collective must achieve. Both judges, check and oracle, take it from here.
#ifndef CRL_PROBLEM_H
#define CRL_PROBLEM_H

#include <carillon/carillon.h>

// A collective is a rule for which packets exist. Packets named by origin go to every node, those named by pair to
// `dest`.
enum crl_ends { CRL_ENDS_ALL, CRL_ENDS_ROOT, CRL_ENDS_ACTIVE };
// Which packets there are, where ends do not say it: functions of the same names in carillon.h.
struct crl_packet_rule {
    uint64_t (*packets)(const struct crl_problem *problem);
    void (*packet)(const struct crl_problem *problem, uint64_t index, uint32_t *origin, uint32_t *dest);
    uint64_t (*index)(const struct crl_problem *problem, uint32_t origin, uint32_t dest);
    bool (*wants)(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t node);
    uint64_t (*wanted)(const struct crl_problem *problem, uint32_t node);
};
struct crl_collective {
    const char *name, *alias;
    enum crl_naming naming;
    enum crl_ends origins, dests; // one of the two is CRL_ENDS_ALL
    uint64_t (*bound_slots)(const struct crl_problem *problem);
    uint64_t (*bound_transmissions)(const struct crl_problem *problem);
    const struct crl_packet_rule *rule; // NULL: the ends say it
};

extern const struct crl_collective crl_collectives[];
extern const size_t crl_collectives_count;

uint64_t crl_bound_broadcast(const struct crl_problem *problem);
uint64_t crl_bound_multinode_broadcast(const struct crl_problem *problem);
uint64_t crl_bound_rooted(const struct crl_problem *problem); // scatter and gather
uint64_t crl_bound_total_exchange(const struct crl_problem *problem);
uint64_t crl_bound_partial(const struct crl_problem *problem);
uint64_t crl_transmissions_broadcast(const struct crl_problem *problem);
uint64_t crl_transmissions_multinode_broadcast(const struct crl_problem *problem);
uint64_t crl_transmissions_rooted(const struct crl_problem *problem);
uint64_t crl_transmissions_total_exchange(const struct crl_problem *problem);
uint64_t crl_transmissions_partial(const struct crl_problem *problem);

extern const struct crl_packet_rule crl_rule_ranges, crl_rule_ranks, crl_rule_dests, crl_rule_lines;
uint64_t crl_bound_prefix(const struct crl_problem *problem);
uint64_t crl_bound_routing(const struct crl_problem *problem);
uint64_t crl_bound_line(const struct crl_problem *problem);
uint64_t crl_transmissions_prefix(const struct crl_problem *problem);
uint64_t crl_transmissions_routing(const struct crl_problem *problem);
uint64_t crl_transmissions_line(const struct crl_problem *problem);

// ---- lists of nodes

// Fails with CRL_ERR_ARGUMENT unless all are nodes, in strictly ascending order. `what` one of them is.
int crl_nodes_ascending(const struct crl_topology *topology, const uint32_t *list, uint32_t count, const char *what,
                        struct crl_diag *diag);
// How many of an ascending list are below `node`, and whether it is one itself.
uint32_t crl_nodes_below(const uint32_t *list, uint32_t count, uint32_t node, bool *is_one);

// ---- parts of bounds

// Links of a node that lead to it (`inward`) or from it; 1 where it uses one a slot.
uint32_t crl_ports_in_use(const struct crl_problem *problem, uint32_t node, bool inward);
// Slots in which packets[k] packets that go k hops, k ≤ farthest, pass one end of `ports` ports: those that go farther
// than k hops must have passed k slots before the end, for each k. Sets packets[…] to 0.
uint64_t crl_slots_by_distance(uint64_t *packets, uint32_t farthest, uint64_t ports);

#endif
