// SPDX-License-Identifier: Apache-2.0
// Networks in the making: a list of links, from a file or by a rule, and the graph that it makes.
#ifndef CRL_GRAPH_H
#define CRL_GRAPH_H

#include "base/colouring.h"
#include "topology/names.h"
#include "topology/topology.h"

enum { CRL_GRAPH_NODES_MAX = 4096 }; // tables of all pairs are kept

// Where a node was first named.
struct crl_named_at {
    uint64_t line, col; // line 0: nowhere
};

// All owned; ended with crl_graph_links_done, also after a failure.
struct crl_graph_links {
    const char *name;      // of the file, for errors; not owned
    uint64_t col;          // of the first line, for what is wrong with all of it
    struct crl_edge *edge; // end[0] sends to end[1]; a link of width w stands here w times
    struct crl_link_time {
        uint32_t latency, gap; // slots; it takes a packet every `gap` slots
    } * time;                  // of each
    size_t count, capacity, time_capacity;
    uint32_t classes;        // link i is of class i mod classes, see crl_graph; 0: nothing is known of symmetries
    uint32_t nodes;          // one more than the highest that was named
    bool *forwards;          // [CRL_GRAPH_NODES_MAX] who only forwards; NULL: nobody
    struct crl_named_at *at; // [CRL_GRAPH_NODES_MAX] or NULL
    struct crl_names names;  // of all nodes, or none
};

// Appends a link one way, 1 ≤ width ≤ CRL_LINKS_MAX, between two different nodes below CRL_GRAPH_NODES_MAX. Returns 0
// or CRL_ERR_MEMORY.
int crl_graph_links_add(struct crl_graph_links *links, uint32_t from, uint32_t to, uint32_t width,
                        struct crl_link_time time, struct crl_diag *diag);
// The same both ways.
int crl_graph_links_both(struct crl_graph_links *links, uint32_t a, uint32_t b, uint32_t width, struct crl_diag *diag);
void crl_graph_links_done(struct crl_graph_links *links);

// Read what is left of a file into empty links: an edge list; an msccl topology.
int crl_graph_read_list(struct crl_graph_links *links, struct crl_reader *reader, struct crl_diag *diag);
int crl_graph_read_json(struct crl_graph_links *links, struct crl_reader *reader, struct crl_diag *diag);

// Makes the graph, which the caller frees with crl_graph_free. Fails with CRL_ERR_PARSE where a node has too many
// links, nodes do not reach each other, nobody is a host, or a switch has nobody to forward to.
int crl_graph_build(struct crl_graph **graph, struct crl_graph_links *links, struct crl_diag *diag);
// Sorts the ports of a graph of which `after` is set. Returns 0 or CRL_ERR_MEMORY.
int crl_graph_sort(struct crl_graph *graph);
// The same, and fills the tables of distances and delays, where everything else is set; CRL_ERR_MEMORY, or
// CRL_ERR_PARSE where node lost[0] does not reach node lost[1].
int crl_graph_measure(struct crl_graph *graph, uint32_t lost[2]);

#endif
