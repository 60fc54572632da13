// SPDX-License-Identifier: Apache-2.0
// graph:FILE — any strongly connected network, from an edge list or from an msccl topology in JSON.
//
// An edge list has a link a line: 'A B' leads both ways, 'A > B' from A to B; its width, which must be 1, and its
// latency in slots may follow, as in 'A B 1 3'. '#' begins a comment. 'nodes N' may stand before them; after 'n N'
// instead every line 'A B' leads one way. The JSON has "links", a matrix in which links[d][s] = 1 is a link from s to
// d. Ports are the colours of a bipartite edge colouring of the directed links (from their senders to their receivers),
// so there are as many as the largest degree, and a port is used once at each end.
#include "base/base.h"
#include "base/colouring.h"
#include "topology/topology.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 4096 };

// The links read so far.
struct links {
    struct crl_edge *edge; // end[0] sends to end[1]
    uint32_t *latency;     // of each
    size_t count, capacity, latency_capacity;
    uint32_t nodes;
    uint64_t *listed; // [NODES_MAX][NODES_MAX], a bit each: which there are
    uint32_t said;    // how many nodes the file says there are; 0: it does not
    bool directed;    // of a file that begins with 'n N': every line is a link one way
};

static int add_link(struct links *links, uint32_t from, uint32_t to, uint32_t latency, struct crl_diag *diag)
{
    if (crl_grow((void **)&links->edge, &links->capacity, links->count, sizeof *links->edge) ||
        crl_grow((void **)&links->latency, &links->latency_capacity, links->count, sizeof *links->latency))
        return crl_fail_memory(diag);
    links->latency[links->count] = latency;
    links->edge[links->count++] = (struct crl_edge){{from, to}, 0};
    if (from >= links->nodes) links->nodes = from + 1;
    if (to >= links->nodes) links->nodes = to + 1;
    return 0;
}

// ---- edge list

static void skip_blanks(struct crl_reader *r)
{
    while (r->c == ' ' || r->c == '\t' || r->c == '\r') crl_reader_next(r);
    if (r->c == '#')
        while (r->c != '\n' && r->c != EOF) crl_reader_next(r);
}

// Whether the link is new; notes it.
static bool is_new(struct links *links, uint32_t from, uint32_t to)
{
    size_t bit = (size_t)from * NODES_MAX + to;
    uint64_t mask = UINT64_C(1) << bit % 64;
    if (links->listed[bit / 64] & mask) return false;
    links->listed[bit / 64] |= mask;
    return true;
}

// Reads the number of a node, and what blanks follow.
static int read_node(struct crl_reader *r, uint32_t *node, struct crl_diag *diag)
{
    uint64_t line = r->line, col = r->col;
    int error = crl_reader_number(r, "number of a node", node, diag);
    if (error) return error;
    if (*node >= NODES_MAX)
        return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col, "node '%u'; at most %d nodes", *node, NODES_MAX);
    skip_blanks(r);
    return 0;
}

// Reads a number from 1 to `most`, if there is one, and what blanks follow.
static int read_number(struct crl_reader *r, const char *what, uint32_t *number, uint32_t most, struct crl_diag *diag)
{
    uint64_t line = r->line, col = r->col;
    if (r->c < '0' || r->c > '9') return 0;
    int error = crl_reader_number(r, what, number, diag);
    if (!error && (*number < 1 || *number > most))
        error = most == 1 ? crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col,
                                        "a %s of '%u'; must be 1: wider links are not built", what, *number)
                          : crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col, "a %s of '%u'; must be 1 to %u", what,
                                        *number, most);
    skip_blanks(r);
    return error;
}

// A line that begins with a letter: 'nodes N', or 'n N', after which links are directed.
static int read_word(struct crl_reader *r, struct links *links, struct crl_diag *diag)
{
    char word[16] = "", here[16];
    uint64_t line = r->line, col = r->col;
    for (size_t i = 0; r->c >= 'a' && r->c <= 'z'; crl_reader_next(r))
        if (i + 1 < sizeof word) word[i++] = (char)r->c;
    if (!strcmp(word, "h") || !strcmp(word, "hosts") || !strcmp(word, "switches"))
        return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col,
                           "'%s': nodes that only forward are not built; every node is a host", word);
    if (strcmp(word, "n") && strcmp(word, "nodes"))
        return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col,
                           "expected the number of a node or 'nodes', found '%s'", word);
    if (links->said || links->count)
        return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col, "'%s' must come first, and once", word);
    links->directed = !word[1];
    skip_blanks(r);
    col = r->col;
    int error = crl_reader_number(r, "number of nodes", &links->said, diag);
    if (!error && (!links->said || links->said > NODES_MAX))
        error =
            crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col, "'%u' nodes; must be 1 to %d", links->said, NODES_MAX);
    links->nodes = links->said;
    skip_blanks(r);
    if (error || r->c == '\n' || r->c == EOF) return error;
    return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, r->col,
                       "expected the end of the line after the number of nodes, found %s", crl_reader_here(r, here));
}

static int read_edge(struct crl_reader *r, struct links *links, struct crl_diag *diag)
{
    uint32_t end[2], width = 1, latency = 1;
    char here[16];
    uint64_t line = r->line, col = r->col;
    int error = read_node(r, &end[0], diag);
    bool one_way = !error && (r->c == '>' || links->directed);
    if (!error && r->c == '>') {
        crl_reader_next(r);
        skip_blanks(r);
    }
    if (!error) error = read_node(r, &end[1], diag);
    if (!error) error = read_number(r, "width", &width, 1, diag);
    if (!error) error = read_number(r, "latency", &latency, CRL_LATENCY_MAX, diag);
    if (error) return error;
    if (r->c != '\n' && r->c != EOF)
        return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, r->col,
                           "expected the end of the line after the edge, found %s", crl_reader_here(r, here));
    if (end[0] == end[1])
        return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col, "node '%u' is linked to itself", end[0]);
    for (int side = 0; side < 2; side++)
        if (links->said && end[side] >= links->said)
            return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col, "node '%u' is beyond the last, %u", end[side],
                               links->said - 1);
    if (!is_new(links, end[0], end[1]) || (!one_way && !is_new(links, end[1], end[0])))
        return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, col, "the edge '%u %u' is listed twice", end[0], end[1]);
    error = add_link(links, end[0], end[1], latency, diag);
    return error || one_way ? error : add_link(links, end[1], end[0], latency, diag);
}

static int read_edges(struct crl_reader *r, struct links *links, struct crl_diag *diag)
{
    links->listed = calloc((size_t)NODES_MAX * NODES_MAX / 64, sizeof *links->listed);
    if (!links->listed) return crl_fail_memory(diag);
    for (;;) {
        skip_blanks(r);
        if (r->c == EOF) break;
        bool word = r->c >= 'a' && r->c <= 'z';
        int error = r->c == '\n' ? 0 : word ? read_word(r, links, diag) : read_edge(r, links, diag);
        if (error) return error;
        if (r->c == '\n') crl_reader_next(r);
    }
    return 0;
}

// ---- msccl JSON

static int read_matrix(const json_t *matrix, const char *name, struct links *links, struct crl_diag *diag)
{
    size_t nodes = json_array_size(matrix);
    if (!json_is_array(matrix) || !nodes) return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "no \"links\" matrix");
    if (nodes > NODES_MAX)
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "'%zu' nodes; at most %d", nodes, NODES_MAX);
    links->nodes = (uint32_t)nodes;
    for (size_t to = 0; to < nodes; to++) {
        const json_t *row = json_array_get(matrix, to);
        if (!json_is_array(row) || json_array_size(row) != nodes)
            return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "row '%zu' of \"links\" has not '%zu' entries", to,
                               nodes);
        for (size_t from = 0; from < nodes; from++) {
            const json_t *width = json_array_get(row, from);
            if (!json_is_number(width) || json_number_value(width) < 0)
                return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "links[%zu][%zu] is not a number of links", to,
                                   from);
            if (json_number_value(width) == 0) continue;
            if (json_number_value(width) != 1)
                return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1,
                                   "links[%zu][%zu] has a width of '%g'; must be 1: wider links are not built", to,
                                   from, json_number_value(width));
            if (to == from) return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "node '%zu' is linked to itself", to);
            int error = add_link(links, (uint32_t)from, (uint32_t)to, 1, diag);
            if (error) return error;
        }
    }
    return 0;
}

// What the reader has taken from the file but not given out goes first.
static size_t feed(void *buffer, size_t size, void *reader)
{
    struct crl_reader *r = reader;
    size_t left = r->filled - r->used;
    if (!left) return fread(buffer, 1, size, r->file);
    if (left > size) left = size;
    memcpy(buffer, r->buffer + r->used, left);
    r->used += left;
    return left;
}

static int read_json(struct crl_reader *r, struct links *links, struct crl_diag *diag)
{
    const char *name = r->name;
    json_error_t where;
    r->used = 0; // with the first character, which was only looked at
    json_t *root = json_load_callback(feed, r, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return crl_fail_at(diag, CRL_ERR_PARSE, name, where.line > 0 ? (uint64_t)where.line : 1,
                           where.column > 0 ? (uint64_t)where.column : 1, "%s", where.text);
    int error = read_matrix(json_object_get(root, "links"), name, links, diag);
    json_decref(root);
    return error;
}

// ---- the graph

void crl_graph_free(struct crl_graph *g)
{
    if (!g) return;
    free(g->after);
    free(g->before);
    free(g->distance);
    free(g->latency);
    free(g->delay);
    free(g);
}

// Distances from `source` by breadth-first search; false if a node cannot be reached.
static bool search(struct crl_graph *g, uint32_t source, uint32_t *queue)
{
    uint16_t *distance = g->distance + (size_t)source * g->nodes;
    uint32_t filled = 1;
    for (uint32_t v = 0; v < g->nodes; v++) distance[v] = UINT16_MAX;
    distance[source] = 0;
    queue[0] = source;
    for (uint32_t at = 0; at < filled; at++)
        for (uint32_t p = 0; p < g->ports; p++) {
            uint32_t v = g->after[(size_t)queue[at] * g->ports + p];
            if (v == CRL_NONE || distance[v] != UINT16_MAX) continue;
            distance[v] = (uint16_t)(distance[queue[at]] + 1);
            queue[filled++] = v;
        }
    return filled == g->nodes;
}

// Delays from `source`: nodes whose delay has come down wait in a ring until their neighbours are told.
static void search_quickest(struct crl_graph *g, uint32_t source, uint32_t *ring, bool *waits)
{
    uint32_t *delay = g->delay + (size_t)source * g->nodes, first = 0, waiting = 1;
    for (uint32_t v = 0; v < g->nodes; v++) delay[v] = UINT32_MAX;
    delay[source] = 0;
    ring[0] = source;
    for (; waiting; waiting--) {
        uint32_t u = ring[first];
        first = (first + 1) % g->nodes;
        waits[u] = false;
        for (uint32_t p = 0; p < g->ports; p++) {
            uint32_t v = g->after[(size_t)u * g->ports + p];
            if (v == CRL_NONE || delay[u] + g->latency[(size_t)u * g->ports + p] >= delay[v]) continue;
            delay[v] = delay[u] + g->latency[(size_t)u * g->ports + p];
            if (waits[v]) continue;
            waits[v] = true;
            ring[(first + waiting++ - 1) % g->nodes] = v;
        }
    }
}

static void note_latencies(struct crl_graph *g, const struct links *links)
{
    g->latency_min = g->latency_max = links->latency[0];
    for (size_t i = 1; i < links->count; i++) {
        if (links->latency[i] < g->latency_min) g->latency_min = links->latency[i];
        if (links->latency[i] > g->latency_max) g->latency_max = links->latency[i];
    }
}

static int set_latencies(struct crl_graph *g, const struct links *links)
{
    size_t cells = (size_t)g->nodes * g->ports;
    note_latencies(g, links);
    if (g->latency_max == 1) return 0;
    g->latency = malloc(sizeof *g->latency * cells);
    g->delay = malloc(sizeof *g->delay * g->nodes * g->nodes);
    uint32_t *ring = malloc(sizeof *ring * g->nodes);
    bool *waits = calloc(g->nodes, sizeof *waits);
    bool good = g->latency && g->delay && ring && waits;
    for (size_t i = 0; good && i < cells; i++) g->latency[i] = 1;
    for (size_t i = 0; good && i < links->count; i++)
        g->latency[(size_t)links->edge[i].end[0] * g->ports + links->edge[i].colour] = links->latency[i];
    for (uint32_t v = 0; good && v < g->nodes; v++) search_quickest(g, v, ring, waits);
    free(ring);
    free(waits);
    return good ? 0 : CRL_ERR_MEMORY;
}

static uint32_t largest_degree(const struct links *links)
{
    uint32_t most = 0, *degree = calloc((size_t)links->nodes * 2, sizeof *degree);
    for (size_t i = 0; degree && i < links->count; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t *d = &degree[(size_t)links->edge[i].end[side] * 2 + (size_t)side];
            if (++*d > most) most = *d;
        }
    free(degree);
    return most;
}

static int build(struct crl_graph *g, struct links *links, const char *name, struct crl_diag *diag)
{
    g->nodes = links->nodes;
    g->links = links->count;
    g->ports = largest_degree(links);
    if (g->nodes < 2 || !g->ports) return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "the graph has no edges");
    if (g->ports > CRL_PORTS_MAX)
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "a node has '%u' links; at most %d", g->ports,
                           CRL_PORTS_MAX);
    size_t cells = (size_t)g->nodes * g->ports;
    g->after = malloc(sizeof *g->after * cells);
    g->before = malloc(sizeof *g->before * cells);
    g->distance = malloc(sizeof *g->distance * g->nodes * g->nodes);
    uint32_t *queue = malloc(sizeof *queue * g->nodes);
    if (!g->after || !g->before || !g->distance || !queue ||
        // Ports are what wires are called by: a graph's keep the numbers that they always had.
        crl_colour_edges(links->edge, (uint32_t)links->count, g->nodes, g->ports, false)) {
        free(queue);
        return crl_fail_memory(diag);
    }
    for (size_t i = 0; i < cells; i++) g->after[i] = g->before[i] = CRL_NONE;
    for (size_t i = 0; i < links->count; i++) {
        const struct crl_edge *e = &links->edge[i];
        g->after[(size_t)e->end[0] * g->ports + e->colour] = e->end[1];
        g->before[(size_t)e->end[1] * g->ports + e->colour] = e->end[0];
    }
    int error = 0;
    for (uint32_t v = 0; v < g->nodes && !error; v++)
        if (!search(g, v, queue))
            error = crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1,
                                "the graph is not connected: node '%u' does not reach every other", v);
    free(queue);
    if (!error && set_latencies(g, links)) error = crl_fail_memory(diag);
    return error;
}

int crl_graph_load(struct crl_graph **graph, const char *path, uint64_t col, struct crl_diag *diag)
{
    struct links links = {0};
    *graph = NULL;
    if (!*path) return crl_topology_fail(diag, col, "expected the name of a file, as in 'graph:net.txt'");
    FILE *file = fopen(path, "rb");
    if (!file) return crl_topology_fail(diag, col, "cannot read '%s': %s", path, strerror(errno));
    struct crl_reader r; // a pipe cannot be read twice, so what comes is seen in the buffer
    crl_reader_init(&r, file, path);
    size_t first = 0;
    while (first < r.filled && memchr(" \n\t\r", r.buffer[first], 4)) first++;
    bool json = first < r.filled && (r.buffer[first] == '{' || r.buffer[first] == '[');
    int error = json ? read_json(&r, &links, diag) : read_edges(&r, &links, diag);
    if (!error && ferror(file)) error = crl_fail_at(diag, CRL_ERR_IO, path, 0, 0, "cannot read on");
    fclose(file);
    struct crl_graph *g = error ? NULL : calloc(1, sizeof *g);
    if (!g && !error) error = crl_fail_memory(diag);
    if (!error) error = build(g, &links, path, diag);
    free(links.edge);
    free(links.latency);
    free(links.listed);
    if (error) crl_graph_free(g);
    else *graph = g;
    return error;
}

void crl_graph_alone(struct crl_topology *t, struct crl_graph *graph)
{
    *t = (struct crl_topology){.kind = &crl_topology_graph,
                               .nodes = graph->nodes,
                               .ports = graph->ports,
                               .links = graph->links,
                               .graph = graph};
}

static int parse(struct crl_topology *t, const char *spec, struct crl_diag *diag)
{
    const char *path = strchr(spec, ':') + 1;
    struct crl_graph *graph;
    if (strlen(spec) >= sizeof t->name)
        return crl_topology_fail(diag, 7, "a file name of more than %zu characters", sizeof t->name - 8);
    int error = crl_graph_load(&graph, path, 7, diag);
    if (error) return error;
    crl_graph_alone(t, graph);
    snprintf(t->name, sizeof t->name, "%s", spec);
    return 0;
}

static void release(struct crl_topology *t) { crl_graph_free(t->graph); }

static uint32_t neighbor(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    return port < t->ports ? t->graph->after[(size_t)node * t->ports + port] : CRL_NONE;
}

static uint32_t behind(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    return port < t->ports ? t->graph->before[(size_t)node * t->ports + port] : CRL_NONE;
}

static uint32_t port_to(const struct crl_topology *t, uint32_t src, uint32_t dst)
{
    for (uint32_t p = 0; p < t->ports; p++)
        if (t->graph->after[(size_t)src * t->ports + p] == dst) return p;
    return CRL_NONE;
}

static uint32_t distance(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    return t->graph->distance[(size_t)a * t->nodes + b];
}

static bool symmetric(const struct crl_topology *t)
{
    (void)t;
    return false; // a graph file says nothing of symmetries
}

const struct crl_topology_kind crl_topology_graph = {
    .parse = parse,
    .release = release,
    .neighbor = neighbor,
    .behind = behind,
    .port_to = port_to,
    .distance = distance,
    .symmetric = symmetric,
};
