// SPDX-License-Identifier: Apache-2.0
#include "topology/family.h"
#include "base/base.h"
#include <stdlib.h>

int crl_family_sizes(const struct crl_family_text *text, uint32_t size[], uint32_t least, uint32_t most,
                     struct crl_diag *diag)
{
    const char *at = text->text;
    uint32_t count = 0;
    for (;; at++) {
        uint64_t col = text->col + (uint64_t)(at - text->text);
        if (count == most || !crl_topology_number(&at, &size[count]))
            return crl_topology_fail(diag, col, "expected numbers as in '%s', found '%.40s'", text->form, text->text);
        count++;
        if (*at != 'x') break;
    }
    if (!*at && count >= least) return 0;
    return crl_topology_fail(diag, text->col + (uint64_t)(at - text->text),
                             "expected numbers as in '%s', found '%.40s'", text->form, text->text);
}

int crl_family_range(const struct crl_family_text *text, const char *what, uint32_t number, uint32_t least,
                     uint32_t most, struct crl_diag *diag)
{
    if (number >= least && number <= most) return 0;
    return crl_topology_fail(diag, text->col, "%s of '%u'; must be %u to %u, as in '%s'", what, number, least, most,
                             text->form);
}

int crl_family_switches(struct crl_graph_links *links, uint32_t first, struct crl_diag *diag)
{
    links->forwards = calloc(CRL_GRAPH_NODES_MAX, sizeof *links->forwards);
    if (!links->forwards) return crl_fail_memory(diag);
    for (uint32_t v = first; v < CRL_GRAPH_NODES_MAX; v++) links->forwards[v] = true;
    return 0;
}

int crl_graph_family(struct crl_graph **graph, const struct crl_topology_row *row, const char *text, uint64_t col,
                     struct crl_diag *diag)
{
    CRL_ENDED(crl_graph_links_done) struct crl_graph_links links = {.name = "<topology>", .col = col};
    *graph = NULL;
    int error = row->family(&links, &(struct crl_family_text){text, row->form, col}, diag);
    if (!error) error = crl_graph_build(graph, &links, diag);
    return error;
}
