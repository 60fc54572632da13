// SPDX-License-Identifier: Apache-2.0
// Lower bounds of demands, and the lines of certificates that prove them.
#ifndef CRL_DEMAND_BOUND_H
#define CRL_DEMAND_BOUND_H

#include "certify/certify.h"
#include "problem/flows.h"

// A node that proves `slots`: what passes it after slot `after`, and has `before` slots to go from there.
struct crl_end {
    uint64_t slots, after, before;
    uint32_t node;
    bool inward;
};
// The best that one node proves. `from`: as of crl_demands_earliest; NULL: of a period, in which slots are taken modulo
// it, so that only loads count. Returns 0 or CRL_ERR_MEMORY.
int crl_demand_ends(struct crl_end *best, const struct crl_problem *problem, const struct crl_demands *demands,
                    const uint64_t *from);

// The best lower bound of demands, what proves it as lines of *reason, a certificate without its header, whose slots it
// sets. To be ended with crl_certificate_done, also after a failure. Returns 0 or CRL_ERR_MEMORY.
int crl_demands_bound(struct crl_certificate *reason, const struct crl_problem *problem,
                      const struct crl_demands *demands, bool patient);
// Raises the claim of a reason that has its header, where a linear program of so many columns does, slot by slot.
int crl_demands_raise(struct crl_certificate *reason, const struct crl_problem *problem, uint64_t columns_max);

// The same of a total exchange, where that says more than plainer bounds; else 0. And whether it is looked for.
uint64_t crl_bound_exchange(const struct crl_problem *problem);
// Where links have gaps or share cables: what the packets for one node prove that all want, at least `slots`, which is
// known.
uint64_t crl_bound_spread(const struct crl_problem *problem, uint64_t slots);
bool crl_bound_exchange_applies(const struct crl_problem *problem);

#endif
