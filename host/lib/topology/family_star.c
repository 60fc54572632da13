// SPDX-License-Identifier: Apache-2.0
// star:N — hosts 0…N−1 around one switch, node N.
#include "topology/family.h"

int crl_family_star(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag)
{
    uint32_t hosts = 0;
    int error = crl_family_sizes(text, &hosts, 1, 1, diag);
    if (!error) error = crl_family_range(text, "a star", hosts, 2, CRL_LINKS_MAX, diag);
    if (!error) error = crl_family_switches(links, hosts, diag);
    for (uint32_t v = 0; v < hosts && !error; v++) error = crl_graph_links_both(links, v, hosts, 1, diag);
    return error;
}
