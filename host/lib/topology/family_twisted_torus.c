// SPDX-License-Identifier: Apache-2.0
// twisted-torus:AxB or twisted-torus:AxBxT — a torus of A columns and B rows whose links from the last row to the first
// lead T columns further on (B if left out): Cámara et al. 2010, who take A = 2B. Node x + Ay.
#include "topology/family.h"

int crl_family_twisted_torus(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag)
{
    uint32_t size[3] = {0};
    int error = crl_family_sizes(text, size, 2, 3, diag);
    for (int i = 0; i < 2 && !error; i++) error = crl_family_range(text, "a size", size[i], 3, 1024, diag);
    if (error) return error;
    uint32_t columns = size[0], rows = size[1], twist = size[2] ? size[2] : rows;
    if (columns * rows > CRL_GRAPH_NODES_MAX)
        return crl_topology_fail(diag, text->col, "'%u' nodes; at most %d", columns * rows, CRL_GRAPH_NODES_MAX);
    links->classes = 4; // + and − along rows and along columns
    for (uint32_t v = 0; v < columns * rows && !error; v++) {
        uint32_t x = v % columns, y = v / columns, over = y + 1 == rows ? twist % columns : 0;
        error = crl_graph_links_both(links, v, y * columns + (x + 1) % columns, 1, diag);
        if (!error) error = crl_graph_links_both(links, v, (y + 1) % rows * columns + (x + over) % columns, 1, diag);
    }
    return error;
}
