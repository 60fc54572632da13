// SPDX-License-Identifier: Apache-2.0
// Matchings of a bipartite graph that serve the vertices with the most work.
#ifndef CRL_VERTEX_MATCHING_H
#define CRL_VERTEX_MATCHING_H

#include "base/pool.h"

struct crl_vertex_matching {
    struct crl_vertex_edge {
        struct crl_vertex *end[2];
        struct crl_vertex_edge *next[2]; // others of the same end
    } * edge;                            // [edges]
    struct crl_vertex {
        struct crl_vertex_edge *first, *edge; // its edges, and the one by which it is matched
        uint64_t work;
        uint32_t seen;
        int side;          // 0 or 1
        bool fixed;        // it stays matched
    } * vertex, **order;   // [vertices] of both sides
    uint32_t *matched;     // [edges]
    uint32_t added, stamp; // vertices that have edges
};
// In the pool, which says whether there was memory for it.
void crl_vertex_matching_init(struct crl_vertex_matching *matching, struct crl_pool *pool, uint32_t edges,
                              size_t vertices);
// Adds one end of an edge: a vertex of that side, with so much work the first time that it is named.
void crl_vertex_matching_add(struct crl_vertex_matching *matching, uint32_t edge, int side, size_t vertex,
                             uint64_t work);
// Writes the edges of the best matching of what was added to matched[], returns how many these are, and begins anew.
uint32_t crl_vertex_matching_find(struct crl_vertex_matching *matching);

#endif
