// SPDX-License-Identifier: Apache-2.0
// Networks by name that are no products. Each is a file, with a function that lists its links, and a row in topology.c.
#ifndef CRL_FAMILY_H
#define CRL_FAMILY_H

#include "topology/graph.h"

// What stands behind the colon, which is at column `col` of the topology's text.
struct crl_family_text {
    const char *text, *form; // form: how it is spelled, for messages
    uint64_t col;
};

// Appends the links to empty ones, marks who only forwards. Fail with CRL_ERR_PARSE where there is no such network.
int crl_family_cayley(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);
int crl_family_complete(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);
int crl_family_dragonfly(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);
int crl_family_fat_tree(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);
int crl_family_gen_kautz(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);
int crl_family_slim_fly(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);
int crl_family_star(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);
int crl_family_twisted_torus(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);

// Reads `least` to `most` numbers with 'x' between them; those that are not there stay as they are.
int crl_family_sizes(const struct crl_family_text *text, uint32_t size[], uint32_t least, uint32_t most,
                     struct crl_diag *diag);
// Fails unless `least` ≤ number ≤ `most`.
int crl_family_range(const struct crl_family_text *text, const char *what, uint32_t number, uint32_t least,
                     uint32_t most, struct crl_diag *diag);
// Nodes from `first` on only forward.
int crl_family_switches(struct crl_graph_links *links, uint32_t first, struct crl_diag *diag);

#endif
