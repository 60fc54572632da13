// SPDX-License-Identifier: Apache-2.0
// dragonfly:A or dragonfly:AxH — groups of A nodes that are all linked to each other; each node has H links (1 if left
// out) to other groups, one between any two groups, of which there are AH + 1 (Kim, Dally, Scott, Abts 2008). Link
// number l of a group leads to the group l + 1 further on.
#include "topology/family.h"

int crl_family_dragonfly(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag)
{
    uint32_t size[2] = {0, 1};
    int error = crl_family_sizes(text, size, 1, 2, diag);
    if (!error) error = crl_family_range(text, "groups", size[0], 2, CRL_LINKS_MAX, diag);
    if (!error) error = crl_family_range(text, "a number of links to other groups", size[1], 1, CRL_LINKS_MAX, diag);
    if (error) return error;
    uint32_t nodes = size[0], out = size[0] * size[1], groups = out + 1;
    if (nodes * groups > CRL_GRAPH_NODES_MAX)
        return crl_topology_fail(diag, text->col, "'%u' nodes; at most %d", nodes * groups, CRL_GRAPH_NODES_MAX);
    for (uint32_t g = 0; g < groups && !error; g++) {
        for (uint32_t a = 0; a < nodes; a++)
            for (uint32_t b = 0; b < a && !error; b++)
                error = crl_graph_links_both(links, g * nodes + a, g * nodes + b, 1, diag);
        for (uint32_t l = 0; l < out && !error; l++) // the other end has the link back: each end lists its own
            error = crl_graph_links_add(links, g * nodes + l / size[1],
                                        (g + l + 1) % groups * nodes + (out - 1 - l) / size[1], 1,
                                        (struct crl_link_time){1, 1}, diag);
    }
    return error;
}
