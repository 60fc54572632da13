// SPDX-License-Identifier: Apache-2.0
// Edge colouring of bipartite multigraphs with as many colours as the largest degree (König 1916).
#ifndef CRL_COLOURING_H
#define CRL_COLOURING_H

#include <stdbool.h>
#include <stdint.h>

// An edge between vertex end[0] of the left side and vertex end[1] of the right side.
struct crl_edge {
    uint32_t end[2];
    uint32_t colour; // result, 0…colours−1
};

// Colours `count` edges between `vertices` vertices a side so that no two edges of a vertex share a colour. `colours`
// must be at least the largest degree. `quick`: an edge takes a colour that is free at both its ends if there is one,
// which spares nearly all the work on large graphs, but gives another colouring. Returns 0 or CRL_ERR_MEMORY. At most
// count · vertices steps, in practice far fewer.
int crl_colour_edges(struct crl_edge *edges, uint32_t count, uint32_t vertices, uint32_t colours, bool quick);

#endif
