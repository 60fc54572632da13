// SPDX-License-Identifier: Apache-2.0
// fat-tree:K — of switches with K ports, K even, in three layers (Al-Fares, Loukissas, Vahdat 2008): K pods of K/2 edge
// and K/2 upper switches, (K/2)² core switches, K³/4 hosts. Numbered hosts first, then edge, upper and core switches.
#include "topology/family.h"

int crl_family_fat_tree(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag)
{
    enum { PORTS_MAX = 20 }; // 2000 hosts
    uint32_t ports = 0;
    int error = crl_family_sizes(text, &ports, 1, 1, diag);
    if (!error) error = crl_family_range(text, "switches with a number of ports", ports, 2, PORTS_MAX, diag);
    if (!error && ports % 2) error = crl_topology_fail(diag, text->col, "'%u' ports; must be an even number", ports);
    if (error) return error;
    uint32_t half = ports / 2, hosts = ports * half * half, edge = hosts, upper = edge + ports * half;
    uint32_t core = upper + ports * half;
    // With two ports a pod is a line, and the core is one switch between two pods.
    error = crl_family_switches(links, hosts, diag);
    for (uint32_t v = 0; v < hosts && !error; v++) error = crl_graph_links_both(links, v, edge + v / half, 1, diag);
    for (uint32_t s = 0; s < ports * half && !error; s++) // switch s % half of its layer in pod s / half
        for (uint32_t k = 0; k < half && !error; k++) {
            error = crl_graph_links_both(links, edge + s, upper + s / half * half + k, 1, diag);
            if (!error) error = crl_graph_links_both(links, upper + s, core + s % half * half + k, 1, diag);
        }
    return error;
}
