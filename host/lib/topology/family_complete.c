// SPDX-License-Identifier: Apache-2.0
// complete:M of more nodes than routers have neighbours: a graph, of which link number k of a node leads to the node
// k + 1 further on. Smaller ones are products.
#include "topology/family.h"

int crl_family_complete(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag)
{
    uint32_t nodes = 0;
    int error = crl_family_sizes(text, &nodes, 1, 1, diag);
    if (!error) error = crl_family_range(text, "a complete graph", nodes, 2, CRL_LINKS_MAX + 1, diag);
    for (uint32_t v = 0; v < nodes && !error; v++)
        for (uint32_t k = 1; k < nodes && !error; k++)
            error = crl_graph_links_add(links, v, (v + k) % nodes, 1, (struct crl_link_time){1, 1}, diag);
    links->classes = nodes - 1;
    return error;
}
