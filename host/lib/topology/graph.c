// SPDX-License-Identifier: Apache-2.0
// Any strongly connected network, as a table of links. Ports are the colours of a bipartite edge colouring of the
// directed links (from their senders to their receivers), so there are as many as the largest degree, and a port is
// used once at each end. A link of width w is w links side by side, each with a port of its own.
#include "topology/graph.h"
#include "base/base.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- links

int crl_graph_links_add(struct crl_graph_links *links, uint32_t from, uint32_t to, uint32_t width,
                        struct crl_link_time time, struct crl_diag *diag)
{
    for (uint32_t i = 0; i < width; i++) {
        if (crl_grow((void **)&links->edge, &links->capacity, links->count, sizeof *links->edge) ||
            crl_grow((void **)&links->time, &links->time_capacity, links->count, sizeof *links->time))
            return crl_fail_memory(diag);
        links->time[links->count] = time;
        links->edge[links->count++] = (struct crl_edge){{from, to}, 0};
    }
    if (from >= links->nodes) links->nodes = from + 1;
    if (to >= links->nodes) links->nodes = to + 1;
    return 0;
}

int crl_graph_links_both(struct crl_graph_links *links, uint32_t a, uint32_t b, uint32_t width, struct crl_diag *diag)
{
    int error = crl_graph_links_add(links, a, b, width, (struct crl_link_time){1, 1}, diag);
    return error ? error : crl_graph_links_add(links, b, a, width, (struct crl_link_time){1, 1}, diag);
}

void crl_graph_links_done(struct crl_graph_links *links)
{
    crl_names_done(&links->names);
    CRL_FREE(links->edge, links->time, links->forwards, links->at);
}

// ---- the graph
void crl_graph_free(struct crl_graph *g)
{
    if (!g) return;
    CRL_FREE(g->after, g->before, g->order, g->degree, g->distance, g->latency, g->gap);
    crl_boards_free(g->boards);
    CRL_FREE(g->delay, g->link_class, g->host, g->dead);
    crl_names_free(g->names);
    free(g);
}

static uint32_t port_nth(const struct crl_graph *g, uint32_t node, uint32_t i)
{
    return g->order[(size_t)node * g->ports + i];
}

static uint32_t reached(const struct crl_graph *g, uint32_t node, uint32_t i)
{
    return g->after[(size_t)node * g->ports + port_nth(g, node, i)];
}

static uint64_t key_reached(const void *after, uint32_t port) { return ((const uint32_t *)after)[port]; }

int crl_graph_sort(struct crl_graph *g)
{
    g->order = malloc(sizeof *g->order * ((size_t)g->nodes * g->ports + 1));
    g->degree = calloc(g->nodes, sizeof *g->degree);
    CRL_OWNED uint32_t *port = malloc(sizeof *port * (g->ports + 1));
    int error = g->order && g->degree && port ? 0 : CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < g->nodes && !error; v++) {
        const uint32_t *after = g->after + (size_t)v * g->ports;
        uint32_t count = 0;
        for (uint32_t p = 0; p < g->ports; p++)
            if (after[p] != CRL_NONE) port[count++] = p;
        error = crl_sort_order(port, count, key_reached, after, g->nodes);
        for (uint32_t i = 0; i < count; i++) g->order[(size_t)v * g->ports + i] = (uint16_t)port[i];
        g->degree[v] = (uint16_t)count;
    }
    return error;
}

// The first of the sorted ports of a node that reaches a node of no lower number than `dst`.
static uint32_t find(const struct crl_graph *g, uint32_t src, uint32_t dst)
{
    uint32_t low = 0, high = g->degree[src];
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (reached(g, src, middle) < dst) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Distances from `source` by breadth-first search; false if a node cannot be reached.
static bool search(struct crl_graph *g, uint32_t source, uint32_t *queue)
{
    uint16_t *distance = g->distance + (size_t)source * g->nodes;
    uint32_t filled = 1, dead = 0;
    for (uint32_t v = 0; v < g->nodes; v++) distance[v] = UINT16_MAX;
    for (uint32_t v = 0; g->dead && v < g->nodes; v++)
        if (v != source && (g->dead[v] || g->dead[source])) distance[v] = 0, dead++; // nobody goes there
    distance[source] = 0;
    queue[0] = source;
    for (uint32_t at = 0; at < filled; at++)
        for (uint32_t i = 0; i < g->degree[queue[at]]; i++) {
            uint32_t v = reached(g, queue[at], i);
            if (distance[v] != UINT16_MAX) continue;
            distance[v] = (uint16_t)(distance[queue[at]] + 1);
            queue[filled++] = v;
        }
    return filled + dead == g->nodes;
}

// Delays from `source`: nodes whose delay has come down wait in a ring until their neighbours are told.
static void search_quickest(struct crl_graph *g, uint32_t source, uint32_t *ring, bool *waits)
{
    uint32_t *delay = g->delay + (size_t)source * g->nodes, first = 0, waiting = 1;
    for (uint32_t v = 0; v < g->nodes; v++) delay[v] = g->dead && (g->dead[v] || g->dead[source]) ? 0 : UINT32_MAX;
    delay[source] = 0;
    ring[0] = source;
    for (; waiting; waiting--) {
        uint32_t u = ring[first];
        first = (first + 1) % g->nodes;
        waits[u] = false;
        for (uint32_t i = 0; i < g->degree[u]; i++) {
            uint32_t v = reached(g, u, i), latency = g->latency[(size_t)u * g->ports + port_nth(g, u, i)];
            if (delay[u] + latency >= delay[v]) continue;
            delay[v] = delay[u] + latency;
            if (waits[v]) continue;
            waits[v] = true;
            ring[(first + waiting++ - 1) % g->nodes] = v;
        }
    }
}

static int measure_delays(struct crl_graph *g)
{
    g->delay = malloc(sizeof *g->delay * g->nodes * g->nodes);
    CRL_OWNED uint32_t *ring = malloc(sizeof *ring * g->nodes);
    CRL_OWNED bool *waits = calloc(g->nodes, sizeof *waits);
    bool good = g->delay && ring && waits;
    for (uint32_t v = 0; good && v < g->nodes; v++) search_quickest(g, v, ring, waits);
    return good ? 0 : CRL_ERR_MEMORY;
}

int crl_graph_measure(struct crl_graph *g, uint32_t lost[2])
{
    g->distance = malloc(sizeof *g->distance * g->nodes * g->nodes);
    CRL_OWNED uint32_t *queue = malloc(sizeof *queue * g->nodes);
    int error = g->distance && queue ? crl_graph_sort(g) : CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < g->nodes && !error; v++) {
        if (search(g, v, queue)) continue;
        error = CRL_ERR_PARSE;
        lost[0] = v;
        for (lost[1] = 0; g->distance[(size_t)v * g->nodes + lost[1]] != UINT16_MAX;) lost[1]++;
    }
    return !error && g->latency ? measure_delays(g) : error;
}

// ---- from links

static int set_times(struct crl_graph *g, const struct crl_graph_links *links)
{
    size_t cells = (size_t)g->nodes * g->ports;
    g->latency_min = g->latency_max = links->time[0].latency;
    g->gap_max = 1;
    for (size_t i = 0; i < links->count; i++) {
        struct crl_link_time time = links->time[i];
        if (time.latency < g->latency_min) g->latency_min = time.latency;
        if (time.latency > g->latency_max) g->latency_max = time.latency;
        if (time.gap > g->gap_max) g->gap_max = time.gap;
    }
    if (g->latency_max > 1) g->latency = malloc(sizeof *g->latency * cells);
    if (g->gap_max > 1) g->gap = malloc(sizeof *g->gap * cells);
    if ((g->latency_max > 1 && !g->latency) || (g->gap_max > 1 && !g->gap)) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < cells && g->latency; i++) g->latency[i] = 1;
    for (size_t i = 0; i < cells && g->gap; i++) g->gap[i] = 1;
    for (size_t i = 0; i < links->count; i++) {
        size_t cell = (size_t)links->edge[i].end[0] * g->ports + links->edge[i].colour;
        if (g->latency) g->latency[cell] = links->time[i].latency;
        if (g->gap) g->gap[cell] = links->time[i].gap;
    }
    return 0;
}

static int set_classes(struct crl_graph *g, const struct crl_graph_links *links)
{
    g->link_classes = links->classes;
    if (!links->classes) return 0;
    g->link_class = calloc((size_t)g->nodes * g->ports, sizeof *g->link_class);
    if (!g->link_class) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < links->count; i++)
        g->link_class[(size_t)links->edge[i].end[0] * g->ports + links->edge[i].colour] = (uint32_t)i % links->classes;
    return 0;
}

// *node: who has it.
static uint32_t largest_degree(const struct crl_graph_links *links, uint32_t *node)
{
    uint32_t most = 0, *degree = calloc((size_t)links->nodes * 2, sizeof *degree);
    for (size_t i = 0; degree && i < links->count; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t *d = &degree[(size_t)links->edge[i].end[side] * 2 + (size_t)side];
            if (++*d <= most) continue;
            most = *d;
            *node = links->edge[i].end[side];
        }
    free(degree);
    return most;
}

static int fail(const struct crl_graph_links *links, uint32_t node, struct crl_diag *diag, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Says what is wrong with a node, where it was first named; CRL_NONE: with the network.
static int fail(const struct crl_graph_links *links, uint32_t node, struct crl_diag *diag, const char *format, ...)
{
    struct crl_named_at at = {1, links->col};
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (node != CRL_NONE && links->at && links->at[node].line) at = links->at[node];
    return crl_fail_at(diag, CRL_ERR_PARSE, links->name, at.line, at.col, "%s", text);
}

static int wire(struct crl_graph *g, struct crl_graph_links *links)
{
    size_t cells = (size_t)g->nodes * g->ports;
    g->after = malloc(sizeof *g->after * cells);
    g->before = malloc(sizeof *g->before * cells);
    // Ports are what wires of routers are called by: a graph's keep the numbers that they always had.
    if (!g->after || !g->before ||
        crl_colour_edges(links->edge, (uint32_t)links->count, g->nodes, g->ports, g->ports > CRL_PORTS_MAX))
        return CRL_ERR_MEMORY;
    for (size_t i = 0; i < cells; i++) g->after[i] = g->before[i] = CRL_NONE;
    for (size_t i = 0; i < links->count; i++) {
        const struct crl_edge *e = &links->edge[i];
        g->after[(size_t)e->end[0] * g->ports + e->colour] = e->end[1];
        g->before[(size_t)e->end[1] * g->ports + e->colour] = e->end[0];
    }
    int error = set_times(g, links);
    return error ? error : set_classes(g, links);
}

// Whether all links of a node lead to and from one other.
static bool is_leaf(const struct crl_graph *g, uint32_t node)
{
    uint32_t other = CRL_NONE;
    for (uint32_t p = 0; p < 2 * g->ports; p++) {
        uint32_t u = (p % 2 ? g->after : g->before)[(size_t)node * g->ports + p / 2];
        if (u != CRL_NONE && other != CRL_NONE && u != other) return false;
        if (u != CRL_NONE) other = u;
    }
    return true;
}

static int list_hosts(struct crl_graph *g, const struct crl_graph_links *links, struct crl_diag *diag)
{
    char text[CRL_NODE_TEXT];
    g->hosts = g->nodes;
    for (uint32_t v = 0; links->forwards && v < g->nodes; v++) g->hosts -= links->forwards[v];
    if (g->hosts == g->nodes) return 0;
    if (!g->hosts) return fail(links, CRL_NONE, diag, "every node is a switch: there are no hosts");
    g->host = malloc(sizeof *g->host * g->hosts);
    if (!g->host) return crl_fail_memory(diag);
    for (uint32_t v = 0, i = 0; v < g->nodes; v++) {
        if (!links->forwards[v]) g->host[i++] = v;
        else if (is_leaf(g, v))
            return fail(links, v, diag,
                        "switch '%s' has one neighbour only, so it has nothing to forward: leave it out",
                        crl_names_text(&links->names, v, text));
    }
    return 0;
}

static int build(struct crl_graph *g, struct crl_graph_links *links, struct crl_diag *diag)
{
    uint32_t lost[2], node = 0;
    char a[CRL_NODE_TEXT], b[CRL_NODE_TEXT];
    g->nodes = links->nodes;
    g->links = links->count;
    g->ports = largest_degree(links, &node);
    if (g->nodes < 2 || !g->ports) return fail(links, CRL_NONE, diag, "the graph has no edges");
    if (g->ports > CRL_LINKS_MAX)
        return fail(links, node, diag,
                    "node '%s' has '%u' links, a wide one counted as often as it is wide; at most %d",
                    crl_names_text(&links->names, node, a), g->ports, CRL_LINKS_MAX);
    int error = wire(g, links);
    if (!error) error = crl_names_copy(&g->names, &links->names);
    if (!error) error = crl_graph_measure(g, lost);
    if (error == CRL_ERR_PARSE)
        return fail(links, lost[1], diag, "the graph is not connected: node '%s' does not reach node '%s'",
                    crl_names_text(&links->names, lost[0], a), crl_names_text(&links->names, lost[1], b));
    return error ? crl_fail_memory(diag) : list_hosts(g, links, diag);
}

int crl_graph_build(struct crl_graph **graph, struct crl_graph_links *links, struct crl_diag *diag)
{
    struct crl_graph *g = *graph = calloc(1, sizeof *g);
    int error = g ? build(g, links, diag) : crl_fail_memory(diag);
    if (!error) return 0;
    crl_graph_free(g);
    *graph = NULL;
    return error;
}

// ---- graph:FILE

int crl_graph_load(struct crl_graph **graph, const char *path, uint64_t col, struct crl_diag *diag)
{
    CRL_ENDED(crl_graph_links_done) struct crl_graph_links links = {.name = path, .col = 1};
    *graph = NULL;
    if (!*path) return crl_topology_fail(diag, col, "expected the name of a file, as in 'graph:net.txt'");
    FILE *file = crl_open(path);
    if (!file) return crl_topology_fail(diag, col, "cannot read '%s': %s", path, strerror(errno));
    struct crl_reader r; // a pipe cannot be read twice, so what comes is seen in the buffer
    crl_reader_init(&r, file, path);
    size_t first = 0;
    while (first < r.filled && memchr(" \n\t\r", r.buffer[first], 4)) first++;
    bool json = first < r.filled && (r.buffer[first] == '{' || r.buffer[first] == '[');
    int error = crl_refuse_mark(r.bytes, r.filled, path, diag);
    if (!error) error = json ? crl_graph_read_json(&links, &r, diag) : crl_graph_read_list(&links, &r, diag);
    if (!error && ferror(file)) error = crl_fail_at(diag, CRL_ERR_IO, path, 0, 0, "cannot read on");
    fclose(file);
    if (!error) error = crl_graph_build(graph, &links, diag);
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
    const struct crl_topology_row *row = crl_topology_row_of(spec);
    const char *text = strchr(spec, ':') + 1;
    uint64_t col = (uint64_t)(text - spec) + 1;
    struct crl_graph *graph;
    if (strlen(spec) >= sizeof t->name)
        return crl_topology_fail(diag, col, "a name of more than %zu characters", sizeof t->name - 1);
    int error = row->family ? crl_graph_family(&graph, row, text, col, diag) : crl_graph_load(&graph, text, col, diag);
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
    const struct crl_graph *g = t->graph;
    uint32_t i = find(g, src, dst);
    return i < g->degree[src] && reached(g, src, i) == dst ? port_nth(g, src, i) : CRL_NONE;
}

uint32_t crl_graph_width(const struct crl_graph *g, uint32_t src, uint32_t dst)
{
    return find(g, src, dst + 1) - find(g, src, dst);
}

uint32_t crl_graph_port_nth(const struct crl_graph *g, uint32_t src, uint32_t dst, uint32_t nth)
{
    uint32_t i = find(g, src, dst) + nth;
    return i < g->degree[src] && reached(g, src, i) == dst ? port_nth(g, src, i) : CRL_NONE;
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
