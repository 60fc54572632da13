// SPDX-License-Identifier: Apache-2.0
// Which nodes' values are in a sum, and in which order they were added. Most sums hold one value or all, and need no
// memory.
#ifndef CRL_CHECK_CONTRIBUTIONS_H
#define CRL_CHECK_CONTRIBUTIONS_H

#include "base/base.h"

struct crl_contributions {
    uint32_t count; // 0: nothing is in it
    uint32_t last;  // the highest of the nodes
    uint64_t *bits; // [nodes, in words] one a node; NULL where there is one node, or where they are all
    uint32_t term;  // of the terms of its chunk
};

// The lowest node in both, CRL_NONE where there is none.
uint32_t crl_contributions_common(const struct crl_contributions *a, const struct crl_contributions *b);
// Whether all that is in `a` is in `b`.
bool crl_contributions_within(const struct crl_contributions *a, const struct crl_contributions *b);
// The lowest node that is not in it.
uint32_t crl_contributions_lacks(const struct crl_contributions *a);
bool crl_contributions_has(const struct crl_contributions *a, uint32_t node);
// Adds what is in `more`, of a network of `nodes` nodes. Returns 0 or CRL_ERR_MEMORY.
int crl_contributions_join(struct crl_contributions *sum, const struct crl_contributions *more, uint32_t nodes);
int crl_contributions_copy(struct crl_contributions *copy, const struct crl_contributions *of, uint32_t nodes);
void crl_contributions_done(struct crl_contributions *sum);

#endif
