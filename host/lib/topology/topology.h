// SPDX-License-Identifier: Apache-2.0
// What a kind of topology provides. A new kind is one file and one row of the table in topology.c.
#ifndef CRL_TOPOLOGY_H
#define CRL_TOPOLOGY_H

#include <carillon/carillon.h>

// A factor of a product network. Of two nodes all shapes are the same.
enum crl_shape { CRL_COMPLETE, CRL_RING, CRL_PATH };
struct crl_factor {
    enum crl_shape shape;
    uint32_t size;
    uint32_t stride; // of its digit in a node's number
};
enum { CRL_FACTORS_MAX = 20 };

struct crl_topology {
    const struct crl_topology_kind *kind;
    char name[128];
    uint32_t nodes, ports;
    uint64_t links;
    uint32_t factor_count;
    struct crl_factor factor[CRL_FACTORS_MAX]; // leftmost first; a hypercube's are its dimensions
    struct crl_graph *graph;                   // of graph:FILE; a graph has no factors
};

struct crl_topology_kind {
    // Parses the whole text. Fills all but kind; the caller frees.
    int (*parse)(struct crl_topology *topology, const char *text, struct crl_diag *diag);
    void (*release)(struct crl_topology *topology); // frees what parse allocated; NULL: nothing
    uint32_t (*neighbor)(const struct crl_topology *topology, uint32_t node, uint32_t port);
    uint32_t (*behind)(const struct crl_topology *topology, uint32_t node, uint32_t port);
    uint32_t (*port_to)(const struct crl_topology *topology, uint32_t src, uint32_t dst);
    uint32_t (*distance)(const struct crl_topology *topology, uint32_t a, uint32_t b);
    bool (*symmetric)(const struct crl_topology *topology); // whether shift and unshift may be called
    uint32_t (*shift)(const struct crl_topology *topology, uint32_t node, uint32_t by);
    uint32_t (*unshift)(const struct crl_topology *topology, uint32_t node, uint32_t by);
};

extern const struct crl_topology_kind crl_topology_hypercube, crl_topology_product, crl_topology_graph;

int crl_topology_fail(struct crl_diag *diag, uint64_t col, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reads a decimal number at *text and moves past it; false where there is none or it is ≥ 2^32.
bool crl_topology_number(const char **text, uint32_t *number);

#endif
