// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_ORACLE_SUMS_H
#define CRL_ORACLE_SUMS_H

#include "trace/trace.h"

// What chunks of sums must be, from the values of the nodes and the operator alone. Geometry and problem must stay
// alive. Returns 0 or CRL_ERR_MEMORY.
struct crl_oracle_sums;
int crl_oracle_sums_new(struct crl_oracle_sums **out, const struct crl_geometry *geometry,
                        const struct crl_problem *problem);
void crl_oracle_sums_free(struct crl_oracle_sums *sums); // NULL is allowed
// Word `word` of the chunk that number[i] / words names, as node `node` + i must hold it, into right[i], for each of
// `count` nodes. `payload` is that of the values.
void crl_oracle_sums_of(struct crl_oracle_sums *sums, const struct crl_permutation *payload, uint32_t word,
                        uint32_t node, const uint64_t *number, uint64_t *right, uint32_t count);

#endif
