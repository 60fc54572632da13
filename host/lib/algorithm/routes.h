// SPDX-License-Identifier: Apache-2.0
// Shortest ways for the packets of a total exchange that load the nodes of a network evenly.
#ifndef CRL_ROUTES_H
#define CRL_ROUTES_H

#include "topology/topology.h"

enum { CRL_ROUTES_NODES_MAX = 4096 }; // a table of all pairs is kept

// The packet from a to b is number a · nodes + b. Its hops leave through ports port[first[number]] …
// port[first[number + 1] − 1].
struct crl_routes {
    const struct crl_topology *topology;
    uint32_t nodes, ports;
    uint32_t *after;  // [node · ports + port] neighbour, or CRL_NONE
    uint32_t *nearer; // [node · nodes + dest] a bit for each port that leads nearer to dest
    uint8_t *choice;  // [packet] which of the ways it takes
    uint32_t *first;  // [packet, and one more]
    uint8_t *port;
    uint32_t *sends; // [node] packets that it sends, its own among them
    uint64_t *price; // by the number of packets that a node sends
    uint32_t target; // what no node should send more than
};

// Prepares for a network of at most CRL_ROUTES_NODES_MAX nodes and fewer than 2^32 hops, in which no node should send
// more than `target` ≥ 1 packets; crl_routes_done also after an
// error. Both return 0 or CRL_ERR_MEMORY.
int crl_routes_new(struct crl_routes *routes, const struct crl_topology *topology, uint32_t target);
void crl_routes_done(struct crl_routes *routes);
// Finds routes; `seed` picks one of many results.
void crl_routes_find(struct crl_routes *routes, uint64_t seed);

#endif
