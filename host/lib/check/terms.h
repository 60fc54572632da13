// SPDX-License-Identifier: Apache-2.0
// How sums come about. A term is the value of one node, or the sum of what a node held and what came to it, in this
// order. docs/formats/sums.md.
#ifndef CRL_CHECK_TERMS_H
#define CRL_CHECK_TERMS_H

#include "schedule/schedule.h"

struct crl_term {
    uint32_t held, came; // terms; came is CRL_NONE where it is the value of the node `held`
    uint64_t order;      // hash of the expression
    uint64_t bits;       // the same for expressions that differ only by which of two operands is the first
};
struct crl_terms {
    struct crl_term *term; // the first ones are the nodes' own values
    size_t count, capacity;
};

// Begins with the values of the nodes of `problem`, for the sums of `chunk`. Returns 0 or CRL_ERR_MEMORY, as the next.
int crl_terms_begin(struct crl_terms *terms, const struct crl_problem *problem, uint32_t chunk);
int crl_terms_add(struct crl_terms *terms, uint32_t held, uint32_t came, uint32_t *sum);
void crl_terms_done(struct crl_terms *terms);

// A hash of two hashes, in this order.
uint64_t crl_terms_pair(uint64_t first, uint64_t second);
// The hash of all sums of a chunk: ends[v] is the term that node v ends with, CRL_NONE where it wants none.
uint64_t crl_terms_hash(const struct crl_terms *terms, const struct crl_problem *problem, uint32_t chunk,
                        const uint32_t *ends);

// How the sums of `chunk` come about in a schedule that breaks no rule: fills `terms`, which the caller ends, and
// ends[v], as above, for all nodes. Returns 0 or CRL_ERR_MEMORY.
int crl_explain_sum(struct crl_terms *terms, uint32_t *ends, const struct crl_schedule *schedule,
                    const struct crl_problem *problem, uint32_t chunk);

#endif
