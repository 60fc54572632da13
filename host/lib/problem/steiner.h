// SPDX-License-Identifier: Apache-2.0
// Trees that lead from a source to several destinations: Wong's dual ascent (A dual ascent approach for Steiner tree
// problems on a directed graph, 1984). Sets of nodes without the source and with a destination are raised one after the
// other by what the cheapest link into them has left, until a tree of links without anything left reaches all. What
// the sets are worth together is at most what any tree costs, and mostly close to the tree that is left.
#ifndef CRL_STEINER_H
#define CRL_STEINER_H

#include "base/base.h"

struct crl_steiner {
    uint32_t nodes, links;
    const uint32_t *from, *to; // [links]
    uint32_t *first, *into;    // the links into node v: into[first[v]] … into[first[v + 1] − 1]
    double *left;              // [links] of the price
    bool *inside;              // [nodes] the set that is raised
    uint32_t *queue;           // [nodes]
    uint32_t *size; // [nodes] of the set of a destination when it was last looked at; CRL_NONE: it is reached
    uint32_t *by;   // [nodes] the link by which the tree reaches a node, CRL_NONE: it does not
    double *cost;   // [nodes]
};
// A set that is worth so much: the nodes that are `inside`. Returns 0 or an error, which ends the ascent.
typedef int crl_steiner_fn(void *user, const struct crl_steiner *steiner, double value);

// Links by their ends, which stay the caller's. Returns 0 or CRL_ERR_MEMORY; ended with _done also after a failure.
int crl_steiner_init(struct crl_steiner *steiner, uint32_t nodes, uint32_t links, const uint32_t *from,
                     const uint32_t *to);
void crl_steiner_done(struct crl_steiner *steiner);
// Returns what the sets are worth, where links cost price[links]; with integers, an integer. take NULL: nobody.
double crl_steiner_ascend(struct crl_steiner *steiner, const double *price, uint32_t source, const uint32_t *dst,
                          uint32_t count, crl_steiner_fn *take, void *user, int *error);
// After an ascent: the links of a tree, `by`, of which those that lead to no destination are left out: used[links] set.
void crl_steiner_tree(struct crl_steiner *steiner, const double *price, uint32_t source, const uint32_t *dst,
                      uint32_t count, bool *used);

#endif
