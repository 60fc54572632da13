// SPDX-License-Identifier: Apache-2.0
// What a kind of topology provides. A new kind is one file and one row of the table in topology.c.
#ifndef CRL_TOPOLOGY_H
#define CRL_TOPOLOGY_H

#include <carillon/carillon.h>

struct crl_topology {
    const struct crl_topology_kind *kind;
    char name[128];
    uint32_t nodes, ports;
    uint64_t links;
    uint32_t dimensions; // of a hypercube
};

struct crl_topology_kind {
    const char *name;    // what stands before the colon
    const char *form;    // for error messages
    // Parses what follows the colon. `at` is its column. Fills all but kind; the caller frees.
    int (*parse)(struct crl_topology *topology, const char *text, uint64_t at, struct crl_diag *diag);
    uint32_t (*neighbor)(const struct crl_topology *topology, uint32_t node, uint32_t port);
    uint32_t (*behind)(const struct crl_topology *topology, uint32_t node, uint32_t port);
    uint32_t (*port_to)(const struct crl_topology *topology, uint32_t src, uint32_t dst);
    uint32_t (*distance)(const struct crl_topology *topology, uint32_t a, uint32_t b);
    // Both NULL where there are no translations.
    uint32_t (*shift)(const struct crl_topology *topology, uint32_t node, uint32_t by);
    uint32_t (*unshift)(const struct crl_topology *topology, uint32_t node, uint32_t by);
};

extern const struct crl_topology_kind crl_topology_hypercube;

int crl_topology_fail(struct crl_diag *diag, uint64_t col, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Reads a decimal number at *text and moves past it; false where there is none or it is ≥ 2^32.
bool crl_topology_number(const char **text, uint32_t *number);

#endif
