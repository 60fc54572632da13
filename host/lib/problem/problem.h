// SPDX-License-Identifier: Apache-2.0
// What each collective must achieve. Both judges, check and oracle, take it from here.
#ifndef CRL_PROBLEM_H
#define CRL_PROBLEM_H

#include <carillon/carillon.h>

// A collective is a rule for which packets exist. Packets named by origin go to every node, those named by pair to
// `dest`.
enum crl_ends { CRL_ENDS_ALL, CRL_ENDS_ROOT, CRL_ENDS_ACTIVE };
struct crl_collective {
    const char *name, *alias;
    enum crl_naming naming;
    enum crl_ends origins, dests; // one of the two is CRL_ENDS_ALL
    uint64_t (*bound_slots)(const struct crl_problem *problem);
    uint64_t (*bound_transmissions)(const struct crl_problem *problem);
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

#endif
