// SPDX-License-Identifier: Apache-2.0
// What a kind of topology provides. A new kind is one file and one row of the table in topology.c.
// No other place tells kinds apart by the texts that name them: ask for the kind, or for the shapes of the factors.
#ifndef CRL_TOPOLOGY_H
#define CRL_TOPOLOGY_H

#include "base/base.h"
#include "topology/names.h"

#define CRL_PORTS_MAX   32   // ports of a router, and of a node of a product
#define CRL_LINKS_MAX   1024 // links of a node of a graph, which can be planned, checked, drawn and exported
#define CRL_LATENCY_MAX 1000 // slots of a link, and of its gap

// An interconnection network: nodes 0…N−1 and ports 0…P−1 per node; port p carries traffic that travels in direction p.
struct crl_topology;

// Parses e.g. "hypercube:4", also with " without 0-1,5" (links and nodes that are dead) and " members 0,3-7" (other
// nodes only forward) behind it. Errors carry the position in `spec` (file "<topology>"); CRL_ERR_RULE: dead links cut
// off a node.
int crl_topology_parse(struct crl_topology **out, const char *spec, struct crl_diag *diag);
void crl_topology_free(struct crl_topology *topology);

const char *crl_topology_name(const struct crl_topology *topology); // canonical spelling
uint32_t crl_topology_nodes(const struct crl_topology *topology);
uint32_t crl_topology_ports(const struct crl_topology *topology); // P, the largest degree
uint64_t crl_topology_links(const struct crl_topology *topology); // directed links, one of width w counted w times
// Makes `topology` complete, of any number of nodes, under a name of the caller's. There is nothing to free.
void crl_topology_complete(struct crl_topology *topology, uint32_t nodes, const char *name);
// The node that port `port` of `node` leads to, or CRL_NONE.
uint32_t crl_topology_neighbor(const struct crl_topology *topology, uint32_t node, uint32_t port);
// The first port of `src` that leads to `dst`, or CRL_NONE where there is no link.
uint32_t crl_topology_port_to(const struct crl_topology *topology, uint32_t src, uint32_t dst);
// Links side by side lead from a node to one neighbour, each over a port of its own: a link of width w is w of them.
// How many lead from `src` to `dst`, and the port of the nth of them, from 0 in the order of ports, or CRL_NONE.
uint32_t crl_topology_width(const struct crl_topology *topology, uint32_t src, uint32_t dst);
uint32_t crl_topology_port_nth(const struct crl_topology *topology, uint32_t src, uint32_t dst, uint32_t nth);
// Hosts have packets and want packets; all other nodes, which are switches, only forward. The hosts in ascending order,
// or NULL where all nodes are; *count: how many there are. They stay the topology's.
const uint32_t *crl_topology_hosts(const struct crl_topology *topology, uint32_t *count);
// Whether switches, although they have no values, add what they forward of sums ('TOPOLOGY switches add').
bool crl_topology_switches_add(const struct crl_topology *topology);
// Names of nodes, where the file of the network gives them; NULL: nodes are called by their numbers.
const struct crl_names *crl_topology_names(const struct crl_topology *topology);
// A node as people read it: "7", or "7 (gpu7)" where it has a name. Returns `text`.
const char *crl_topology_node_text(const struct crl_topology *topology, uint32_t node, char text[CRL_NODE_TEXT]);
#define CRL_NODE(topology, node) crl_topology_node_text(topology, node, (char[CRL_NODE_TEXT]){0})
// The node that a text of so many letters names, by its name or as a number; CRL_NONE where there is no such node.
uint32_t crl_topology_node_named(const struct crl_topology *topology, const char *text, size_t length);
// The node whose port `port` leads to `node` (it sends what arrives at in[port]), or CRL_NONE.
uint32_t crl_topology_behind(const struct crl_topology *topology, uint32_t node, uint32_t port);
uint32_t crl_topology_distance(const struct crl_topology *topology, uint32_t a, uint32_t b);
// Sum of the distances from `node` to all nodes, and that over all nodes.
uint64_t crl_topology_status(const struct crl_topology *topology, uint32_t node);
uint64_t crl_topology_status_sum(const struct crl_topology *topology);
// The greatest of the distances from `node` to all nodes (inward: from all nodes to it).
uint32_t crl_topology_eccentricity(const struct crl_topology *topology, uint32_t node, bool inward);
// How many nodes are k hops away, counts[k], for k up to the eccentricity; `counts` holds only zeros before. On a
// product that takes a step for each distance and each digit, not for each node.
void crl_topology_count_distances(const struct crl_topology *topology, uint32_t node, bool inward, uint64_t *counts);
// Whether an automorphism (of a product: one that mirrors or turns factors) takes `node` to a node of lower number.
bool crl_topology_has_mirror(const struct crl_topology *topology, uint32_t node);
// Translations: where they exist, shift(v, by) is an automorphism of the network that takes node 0 to `by` and keeps
// ports; unshift is its inverse. On a hypercube both are XOR.
bool crl_topology_is_symmetric(const struct crl_topology *topology);
uint32_t crl_topology_shift(const struct crl_topology *topology, uint32_t node, uint32_t by);
uint32_t crl_topology_unshift(const struct crl_topology *topology, uint32_t node, uint32_t by);
// The network with every link turned round, under the same name. Returns 0 or CRL_ERR_MEMORY; what it shares with
// `topology` stays that one's, what it has of its own crl_topology_reversed_done frees.
int crl_topology_reversed(struct crl_topology *turned, const struct crl_topology *topology);
void crl_topology_reversed_done(struct crl_topology *turned);

// ---- latencies of links, in slots, 1 to CRL_LATENCY_MAX: 1 unless something else is said

// Of the link that leaves `node` by `port`, where there is one; of that from `src` to `dst`, 1 where there is none.
uint32_t crl_topology_latency(const struct crl_topology *topology, uint32_t node, uint32_t port);
uint32_t crl_topology_link_latency(const struct crl_topology *topology, uint32_t src, uint32_t dst);
uint32_t crl_topology_latency_max(const struct crl_topology *topology);
uint32_t crl_topology_latency_min(const struct crl_topology *topology);
// Whether a port's links have one latency at all nodes.
bool crl_topology_latency_by_port(const struct crl_topology *topology);
// Sum of the latencies on the quickest way; CRL_NONE: there is none.
uint32_t crl_topology_delay(const struct crl_topology *topology, uint32_t a, uint32_t b);
// Sets them from a text: "3" for all links, "1,3" for those of each dimension. Errors carry the position in it (file
// "<link-latency>"). Fails with CRL_ERR_ARGUMENT if these are not as many as dimensions, or a graph's file lists them.
int crl_topology_set_latency(struct crl_topology *topology, const char *text, struct crl_diag *diag);
// All latencies, as images list them: none where all are 1, else those of the ports, or, where they differ from node to
// node, of each port of each node in turn, 0 where it has no link. Returns how many; fills `list` unless it is NULL.
size_t crl_topology_list_latency(const struct crl_topology *topology, uint32_t *list);
// Sets what such a list says; false if the topology cannot have it, or its file says something else.
bool crl_topology_adopt_latency(struct crl_topology *topology, const uint32_t *list, size_t count);
// The latency of each dimension, and how many that are: 1 if all are alike, 0 if a graph's file lists them.
uint32_t crl_topology_latencies(const struct crl_topology *topology, uint32_t latency[]);

// ---- boards, and the cables between them

enum { CRL_CABLE_LATENCY_MIN = 9 }; // slots: what both ends of a cable take, and one for the cable

// Which node lies on which board.
struct crl_boards {
    uint32_t count;
    uint32_t *of;           // [nodes]
    struct crl_names names; // of boards
    bool each;              // a link between boards is a cable; else all links between two boards share one
};
// NULL: the network lies on one board, or nobody said.
const struct crl_boards *crl_topology_boards(const struct crl_topology *topology);
// The cable, from 0, that the links from `src` to `dst` share with others, all of which carry one packet a slot
// together; CRL_NONE: none.
uint32_t crl_topology_shared_cable(const struct crl_topology *topology, uint32_t src, uint32_t dst);
// A link takes a packet every so many slots; the most of all links.
uint32_t crl_topology_gap(const struct crl_topology *topology, uint32_t node, uint32_t port);
uint32_t crl_topology_gap_max(const struct crl_topology *topology);
// Whether some link shares a cable with another one; whether one does, or has a gap.
bool crl_topology_shares_cables(const struct crl_topology *topology);
bool crl_topology_is_cabled(const struct crl_topology *topology);
// Cables: both directions of a link, or of all links between two boards, are one.
uint32_t crl_topology_cables(const struct crl_topology *topology);
int crl_boards_copy(struct crl_boards **copy, const struct crl_boards *boards, uint32_t nodes); // 0, CRL_ERR_MEMORY
void crl_boards_free(struct crl_boards *boards);                                                // NULL: nothing
// Reads which node lies on which board: a grid of boards as in "2x2" on the product `of`, or the name of a file whose
// lines are 'NAME: NODES'. `graph` is that network, at column `col` of its name.
int crl_boards_read(struct crl_boards **boards, const char *text, const struct crl_topology *of,
                    const struct crl_names *names, uint64_t col, struct crl_diag *diag);

// A network from a file.
struct crl_graph {
    uint32_t nodes, ports;
    uint64_t links;
    uint32_t *after, *before; // [nodes][ports] who is reached through a port, and who reaches one through it
    uint16_t *order;          // [nodes][ports] the ports of a node that have links, by who is reached, then by number
    uint16_t *degree;         // [nodes] how many of them there are
    uint16_t *distance;       // [nodes][nodes]
    uint32_t *latency;        // [nodes][ports] of the link that leaves by a port; NULL: 1 everywhere
    uint32_t *delay;          // [nodes][nodes] on the quickest way; NULL: the distance
    uint32_t latency_min, latency_max;
    uint32_t *gap; // [nodes][ports] slots after which a link takes another packet; NULL: 1 everywhere
    uint32_t gap_max;
    struct crl_boards *boards; // NULL: one
    uint32_t hosts, *host;     // the nodes that do more than forward, ascending; NULL: all
    bool *dead;                // [nodes] those that not even forward: they have no links; NULL: none
    bool adds;                 // the others add
    struct crl_names *names;   // of all nodes; NULL: they have none
    // [nodes][ports] of a link: for any two nodes a symmetry of the network takes one to the other, and each link to
    // one of its own class. NULL: no such symmetries are known.
    uint32_t *link_class, link_classes;
};

// A factor of a product network. Of two nodes all shapes are the same.
enum crl_shape { CRL_COMPLETE, CRL_RING, CRL_PATH, CRL_GRAPH };
struct crl_factor {
    enum crl_shape shape;
    uint32_t size;
    uint32_t stride;         // of its digit in a node's number
    struct crl_graph *graph; // of CRL_GRAPH; all its links lead both ways
};
static inline uint32_t crl_factor_digit(const struct crl_factor *f, uint32_t node)
{
    return node / f->stride % f->size;
}
enum { CRL_FACTORS_MAX = 20 };

struct crl_topology {
    const struct crl_topology_kind *kind;
    char name[128];
    uint32_t nodes, ports;
    uint64_t links;
    uint32_t factor_count;
    struct crl_factor factor[CRL_FACTORS_MAX]; // leftmost first; a hypercube's are its dimensions
    struct crl_graph *graph;                   // of graph:FILE alone, which has no factors
    uint32_t latency[CRL_FACTORS_MAX];         // of the links of each dimension; 0: 1, or as the graph's file says
};

struct crl_topology_kind {
    // Parses the whole text. Fills all but kind; the caller frees and, also on failure, releases.
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

extern const struct crl_topology_kind crl_topology_hypercube, crl_topology_product, crl_topology_graph,
    crl_topology_linkless;

struct crl_graph_links; // topology/family.h
struct crl_family_text;
// A text that begins with `prefix` and a colon names a topology of this kind.
struct crl_topology_row {
    const char *prefix, *form; // form: how it is spelled, for messages
    const struct crl_topology_kind *kind;
    // Reads it as a factor of a product: *text points behind the colon, and afterwards behind the factor. Appends the
    // factor, or several, and their canonical spelling. NULL: it cannot be a factor.
    int (*factor)(struct crl_topology *topology, const struct crl_topology_row *row, const char *start,
                  const char **text, struct crl_diag *diag);
    // Lists the links of a network that is a graph by name; NULL: it is none.
    int (*family)(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag);
    enum crl_shape shape; // of the factors of crl_factor_sizes
    bool many;            // sizes joined by 'x'
    bool power;           // one number: that many factors of two nodes
};
int crl_factor_sizes(struct crl_topology *topology, const struct crl_topology_row *row, const char *start,
                     const char **text, struct crl_diag *diag);
int crl_factor_graph(struct crl_topology *topology, const struct crl_topology_row *row, const char *start,
                     const char **text, struct crl_diag *diag);
bool crl_topology_is_derived(const char *spec); // whether a list of dead links or of members stands in it
int crl_topology_parse_derived(struct crl_topology **out, const char *spec, struct crl_diag *diag);
// The row for the text up to its first ':' or '*', or NULL.
const struct crl_topology_row *crl_topology_row_of(const char *text);
// How topologies of a kind are spelled, as carillon_topology_at() lists them.
const char *crl_topology_form_at(size_t index);
// The canonical spelling of a topology. Fails as crl_topology_parse().
int crl_topology_spelling(const char *text, char name[128], struct crl_diag *diag);
// Whether a text names machines whose nodes no links join: it does not parse as a topology.
bool crl_topology_is_linkless(const char *text);
// Reports that there is no row for the text at column `col`.
int crl_topology_unknown(const char *text, uint64_t col, struct crl_diag *diag);

int crl_topology_fail(struct crl_diag *diag, uint64_t col, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reads a decimal number at *text and moves past it; false where there is none or it is ≥ 2^32.
bool crl_topology_number(const char **text, uint32_t *number);

// Reads the network in the file `path`, which the topology names at column `col`; the caller frees it.
int crl_graph_load(struct crl_graph **graph, const char *path, uint64_t col, struct crl_diag *diag);
// The same of the network of a family; `text` is what stands behind the colon, at column `col`.
int crl_graph_family(struct crl_graph **graph, const struct crl_topology_row *row, const char *text, uint64_t col,
                     struct crl_diag *diag);
void crl_graph_free(struct crl_graph *graph); // NULL: nothing
// As crl_topology_width and _port_nth.
uint32_t crl_graph_width(const struct crl_graph *graph, uint32_t src, uint32_t dst);
uint32_t crl_graph_port_nth(const struct crl_graph *graph, uint32_t src, uint32_t dst, uint32_t nth);
// Makes `topology` the graph alone, without a name. The graph stays the caller's, who must not free the topology.
void crl_graph_alone(struct crl_topology *topology, struct crl_graph *graph);

// Whether a factor of three or more nodes has that shape.
bool crl_topology_has(const struct crl_topology *topology, enum crl_shape shape);
// Ports that a factor gives each node.
uint32_t crl_factor_ports(const struct crl_factor *factor);
uint32_t crl_factor_distance(const struct crl_factor *factor, uint32_t x, uint32_t y);
// Links of one copy of a factor from its first `a` nodes, 0 < a < size, to the others; as many lead back.
uint64_t crl_factor_cut(const struct crl_factor *factor, uint64_t a);

#endif
