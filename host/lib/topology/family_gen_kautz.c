// SPDX-License-Identifier: Apache-2.0
// gen-kautz:DxN — N nodes, each with one-way links to −Du − 1, …, −Du − D modulo N (Imase, Itoh 1983). Links of a node
// to itself are left out; a node that comes twice gets a wide link.
#include "topology/family.h"

int crl_family_gen_kautz(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag)
{
    uint32_t size[2] = {0};
    int error = crl_family_sizes(text, size, 2, 2, diag);
    if (!error) error = crl_family_range(text, "a degree", size[0], 1, CRL_LINKS_MAX, diag);
    if (!error) error = crl_family_range(text, "a number of nodes", size[1], 2, CRL_GRAPH_NODES_MAX, diag);
    uint32_t degree = size[0], nodes = size[1];
    for (uint32_t u = 0; u < nodes && !error; u++)
        for (uint32_t j = 1; j <= degree && !error; j++) {
            uint32_t v = (nodes - (degree * u + j) % nodes) % nodes;
            if (v != u) error = crl_graph_links_add(links, u, v, 1, (struct crl_link_time){1, 1}, diag);
        }
    return error;
}
