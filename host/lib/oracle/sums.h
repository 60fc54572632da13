// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_ORACLE_SUMS_H
#define CRL_ORACLE_SUMS_H

#include "oracle/oracle.h"

// What chunks of sums must be, from the values of the nodes and the operator alone; of floating-point numbers also from
// the order of additions. Geometry and problem must stay alive. Returns 0 or CRL_ERR_MEMORY.
struct crl_oracle_sums;
int crl_oracle_sums_new(struct crl_oracle_sums **out, const struct crl_geometry *geometry,
                        const struct crl_problem *problem);
void crl_oracle_sums_free(struct crl_oracle_sums *sums); // NULL is allowed
void crl_oracle_sums_order(struct crl_oracle_sums *sums, const struct crl_orders *orders);
// Word `word` of the chunk that number[i] / words names, as node `node` + i must hold it, into right[i], for each of
// `count` nodes. `payload` is that of the values. Where it depends on an order that nobody said, a found[i] that may be
// right is: near enough to the exact sum, and, where all nodes want one sum, what the node before it had.
void crl_oracle_sums_of(struct crl_oracle_sums *sums, const struct crl_permutation *payload, uint32_t word,
                        uint32_t node, const uint64_t *number, const uint64_t *found, uint64_t *right, uint32_t count);

#endif
