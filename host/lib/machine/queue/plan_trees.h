// SPDX-License-Identifier: Apache-2.0
// d spanning trees of a d-cube with roots of their own, no two of which have a directed link in common.
#ifndef CRL_TREES_H
#define CRL_TREES_H

#include "machine/queue/queue.h"

#define CRL_TREES_ROOT 255
struct crl_trees {
    uint32_t d, nodes;
    uint32_t root[CRL_QUEUE_PORTS_MAX];
    // [d][nodes] port that leads to the parent, CRL_TREES_ROOT at the root
    uint8_t *parent;
    uint16_t *children; // [d][nodes] mask of ports, from crl_trees_finish
};
int crl_trees_alloc(struct crl_trees *trees, uint32_t d, struct crl_diag *diag);
void crl_trees_done(struct crl_trees *trees);
// Fills in the children after demanding that these are spanning trees with disjoint links; else CRL_ERR_RULE.
int crl_trees_finish(struct crl_trees *trees, struct crl_diag *diag);
// Nodes of the subtree that hangs from port `port` of the root of tree `k`.
uint32_t crl_trees_subtree(const struct crl_trees *trees, uint32_t k, uint32_t port);

// The edge-disjoint binomial trees of Johnsson and Ho: root e_k, crossing dimensions k+1, …, k (S93 Sec. V-A).
int crl_trees_binomial(struct crl_trees *trees, uint32_t d, struct crl_diag *diag);
// Trees whose root has d subtrees of as equal size as can be; found by search, kept in the context's cache.
int crl_trees_balanced(struct crl_trees *trees, uint32_t d, const struct crl_context *context, struct crl_diag *diag);

#endif
