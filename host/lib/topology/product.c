// SPDX-License-Identifier: Apache-2.0
// Cartesian products of complete graphs, rings, paths and graphs from files: torus, mesh, ghc, complete, ring, path,
// and any of them and of graph:FILE joined by '*'.
//
// A node is a mixed-radix number, the leftmost factor its least significant digit. Ports are numbered factor by factor:
// two for a ring or a path (first up, then down), one for two nodes, m − 1 for a complete graph (offset 1 first), the
// graph's own for a graph.
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 20 };

uint32_t crl_factor_ports(const struct crl_factor *f)
{
    if (f->size == 1) return 0;
    if (f->size == 2) return 1;
    if (f->shape == CRL_GRAPH) return f->graph->ports;
    return f->shape == CRL_COMPLETE ? f->size - 1 : 2;
}

// Directed links of one copy of a factor.
static uint64_t factor_links(const struct crl_factor *f)
{
    if (f->size <= 2) return f->size == 2 ? 2 : 0;
    if (f->shape == CRL_COMPLETE) return (uint64_t)f->size * (f->size - 1);
    if (f->shape == CRL_GRAPH) return f->graph->links;
    return f->shape == CRL_RING ? 2 * (uint64_t)f->size : 2 * (uint64_t)(f->size - 1);
}

// The digit that `port` (within the factor) of digit `x` leads to, or CRL_NONE.
static uint32_t digit_after(const struct crl_factor *f, uint32_t x, uint32_t port)
{
    if (f->size == 2) return x ^ 1;
    if (f->shape == CRL_COMPLETE) return (x + port + 1) % f->size;
    if (f->shape == CRL_GRAPH) return f->graph->after[(size_t)x * f->graph->ports + port];
    if (f->shape == CRL_RING) return port ? (x + f->size - 1) % f->size : (x + 1) % f->size;
    if (port) return x ? x - 1 : CRL_NONE;
    return x + 1 < f->size ? x + 1 : CRL_NONE;
}

// The digit whose `port` leads to `x`.
static uint32_t digit_before(const struct crl_factor *f, uint32_t x, uint32_t port)
{
    if (f->size == 2) return x ^ 1;
    if (f->shape == CRL_COMPLETE) return (x + f->size - port - 1) % f->size;
    if (f->shape == CRL_GRAPH) return f->graph->before[(size_t)x * f->graph->ports + port];
    return digit_after(f, x, 1 - port); // up and down undo each other
}

static uint32_t digit_port(const struct crl_factor *f, uint32_t x, uint32_t y)
{
    if (f->size == 2) return 0;
    if (f->shape == CRL_COMPLETE) return (y + f->size - x) % f->size - 1;
    for (uint32_t port = 0; port < crl_factor_ports(f); port++)
        if (digit_after(f, x, port) == y) return port;
    return CRL_NONE;
}

uint32_t crl_factor_distance(const struct crl_factor *f, uint32_t x, uint32_t y)
{
    uint32_t apart = x > y ? x - y : y - x;
    if (f->shape == CRL_COMPLETE) return apart > 0;
    if (f->shape == CRL_GRAPH) return f->graph->distance[(size_t)x * f->size + y];
    return f->shape == CRL_RING && f->size - apart < apart ? f->size - apart : apart;
}

// The factor that `port` belongs to; *port becomes the port within it.
static const struct crl_factor *factor_of(const struct crl_topology *t, uint32_t *port)
{
    for (uint32_t i = 0; i < t->factor_count; i++) {
        uint32_t ports = crl_factor_ports(&t->factor[i]);
        if (*port < ports) return &t->factor[i];
        *port -= ports;
    }
    return NULL;
}

static uint32_t with_digit(const struct crl_factor *f, uint32_t node, uint32_t digit)
{
    return digit == CRL_NONE ? CRL_NONE : node + (digit - crl_factor_digit(f, node)) * f->stride;
}

static uint32_t neighbor(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    const struct crl_factor *f = factor_of(t, &port);
    return f ? with_digit(f, node, digit_after(f, crl_factor_digit(f, node), port)) : CRL_NONE;
}

static uint32_t behind(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    const struct crl_factor *f = factor_of(t, &port);
    return f ? with_digit(f, node, digit_before(f, crl_factor_digit(f, node), port)) : CRL_NONE;
}

static uint32_t port_to(const struct crl_topology *t, uint32_t src, uint32_t dst)
{
    uint32_t first = 0, found = CRL_NONE;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t x = crl_factor_digit(f, src), y = crl_factor_digit(f, dst);
        if (x != y) {
            uint32_t port = digit_port(f, x, y);
            if (found != CRL_NONE || port == CRL_NONE) return CRL_NONE; // more than one hop away
            found = first + port;
        }
        first += crl_factor_ports(f);
    }
    return found;
}

static uint32_t distance(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->factor_count; i++)
        sum +=
            crl_factor_distance(&t->factor[i], crl_factor_digit(&t->factor[i], a), crl_factor_digit(&t->factor[i], b));
    return sum;
}

static uint32_t add_digits(const struct crl_topology *t, uint32_t node, uint32_t by, bool subtract)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t x = crl_factor_digit(f, node), y = crl_factor_digit(f, by);
        sum += (x + (subtract ? f->size - y : y)) % f->size * f->stride;
    }
    return sum;
}

static uint32_t shift(const struct crl_topology *t, uint32_t node, uint32_t by)
{
    return add_digits(t, node, by, false);
}

static uint32_t unshift(const struct crl_topology *t, uint32_t node, uint32_t by)
{
    return add_digits(t, node, by, true);
}

void crl_topology_complete(struct crl_topology *t, uint32_t nodes, const char *name)
{
    *t = (struct crl_topology){.kind = &crl_topology_product,
                               .nodes = nodes,
                               .ports = nodes - 1,
                               .links = (uint64_t)nodes * (nodes - 1),
                               .factor_count = 1,
                               .factor = {{.shape = CRL_COMPLETE, .size = nodes, .stride = 1}}};
    snprintf(t->name, sizeof t->name, "%s", name);
}

// ---- names

static int add_factor(struct crl_topology *t, struct crl_factor f, uint64_t at, struct crl_diag *diag)
{
    uint64_t nodes = (uint64_t)t->nodes * f.size;
    if (nodes > NODES_MAX) return crl_topology_fail(diag, at, "more than %d nodes", NODES_MAX);
    if (t->factor_count == CRL_FACTORS_MAX)
        return crl_topology_fail(diag, at, "more than %d dimensions", CRL_FACTORS_MAX);
    if (t->ports + crl_factor_ports(&f) > CRL_PORTS_MAX)
        return crl_topology_fail(diag, at, "a node would have more than %d ports", CRL_PORTS_MAX);
    t->ports += crl_factor_ports(&f);
    f.stride = t->nodes;
    t->factor[t->factor_count++] = f;
    t->nodes = (uint32_t)nodes;
    return 0;
}

static int name_too_long(uint64_t col, struct crl_diag *diag)
{
    return crl_topology_fail(diag, col, "a name of more than %zu characters",
                             sizeof((struct crl_topology *)0)->name - 1);
}

// Parses `4x4x3` or `7` at *text.
static int parse_sizes(struct crl_topology *t, const struct crl_topology_row *row, const char *start, const char **text,
                       struct crl_diag *diag)
{
    for (;;) {
        uint64_t col = (uint64_t)(*text - start) + 1;
        uint32_t size, least = row->power ? 1 : 2;
        const bool digits = **text >= '0' && **text <= '9';
        if (!crl_topology_number(text, &size))
            return digits
                       ? crl_topology_fail(diag, col, "a size that is too large: '%.40s'", *text)
                       : crl_topology_fail(diag, col, "expected a number, found '%.40s', as in '%s'", *text, row->form);
        if (size < least) return crl_topology_fail(diag, col, "a size of '%u'; must be at least %u", size, least);
        int error = 0;
        if (row->power && size > 20)
            return crl_topology_fail(diag, col, "a hypercube of '%u' dimensions; must be 1 to 20", size);
        if (!row->power) error = add_factor(t, (struct crl_factor){.shape = row->shape, .size = size}, col, diag);
        for (uint32_t i = 0; row->power && i < size && !error; i++)
            error = add_factor(t, (struct crl_factor){.shape = row->shape, .size = 2}, col, diag);
        if (error) return error;
        if (!row->many || **text != 'x') return 0;
        ++*text;
    }
}

int crl_factor_sizes(struct crl_topology *t, const struct crl_topology_row *row, const char *start, const char **text,
                     struct crl_diag *diag)
{
    uint64_t col = (uint64_t)(*text - start) + 1;
    uint32_t first = t->factor_count;
    int error = parse_sizes(t, row, start, text, diag);
    size_t used = strlen(t->name);
    used += (size_t)snprintf(t->name + used, sizeof t->name - used, "%s%s:", used ? "*" : "", row->prefix);
    if (row->power && used < sizeof t->name)
        used += (size_t)snprintf(t->name + used, sizeof t->name - used, "%u", t->factor_count - first);
    for (uint32_t i = first; i < t->factor_count && !row->power && used < sizeof t->name; i++)
        used +=
            (size_t)snprintf(t->name + used, sizeof t->name - used, "%s%u", i > first ? "x" : "", t->factor[i].size);
    return !error && used >= sizeof t->name ? name_too_long(col, diag) : error;
}

static uint32_t width(const struct crl_graph *g, uint32_t a, uint32_t b)
{
    uint32_t links = 0;
    for (uint32_t p = 0; p < g->ports; p++) links += g->after[(size_t)a * g->ports + p] == b;
    return links;
}

// What a factor must be: links lead both ways alike, and all nodes are hosts. NULL: it is.
static const char *why_no_factor(const struct crl_graph *g)
{
    if (g->host) return "has switches; a factor's nodes must all be hosts";
    if (g->nodes == 2 && g->links > 2) return "is two nodes with a wide link, which cannot be a factor";
    for (uint32_t v = 0; v < g->nodes; v++)
        for (uint32_t p = 0; p < g->ports; p++) {
            uint32_t u = g->after[(size_t)v * g->ports + p];
            if (u == CRL_NONE) continue;
            if (g->distance[(size_t)u * g->nodes + v] != 1)
                return "has links that lead one way; a factor's must lead both ways";
            if (width(g, v, u) != width(g, u, v)) return "has links that are wider one way; a factor's must not";
        }
    return NULL;
}

// Parses the name of a file or what says the network of a family, which ends at a '*'. Of two nodes all shapes are the
// same, and a complete graph has translations.
int crl_factor_graph(struct crl_topology *t, const struct crl_topology_row *row, const char *start, const char **text,
                     struct crl_diag *diag)
{
    const char *end = *text + strcspn(*text, "*");
    uint64_t col = (uint64_t)(*text - start) + 1;
    struct crl_graph *graph;
    char *path = strndup(*text, (size_t)(end - *text));
    if (!path) return crl_fail_memory(diag);
    int error = row->family ? crl_graph_family(&graph, row, path, col, diag) : crl_graph_load(&graph, path, col, diag);
    const char *why = error ? NULL : why_no_factor(graph);
    if (why) error = crl_topology_fail(diag, col, "'%s' %s", path, why);
    struct crl_factor factor = {.shape = CRL_GRAPH, .size = error ? 0 : graph->nodes, .graph = graph};
    if (!error && graph->nodes == 2) factor = (struct crl_factor){.shape = CRL_COMPLETE, .size = 2};
    if (!error) error = add_factor(t, factor, col, diag);
    if (error || !factor.graph) crl_graph_free(graph);
    size_t used = strlen(t->name);
    used += (size_t)snprintf(t->name + used, sizeof t->name - used, "%s%s:%s", used ? "*" : "", row->prefix, path);
    free(path);
    *text = end;
    return !error && used >= sizeof t->name ? name_too_long(col, diag) : error;
}

static int parse_factor(struct crl_topology *t, const char *start, const char **text, struct crl_diag *diag)
{
    size_t head = strcspn(*text, ":*");
    uint64_t col = (uint64_t)(*text - start) + 1;
    const struct crl_topology_row *row = crl_topology_row_of(*text);
    if (!row) return crl_topology_unknown(*text, col, diag);
    if (!row->factor) return crl_topology_fail(diag, col, "'%s' cannot be part of a product", row->prefix);
    *text += head;
    if (**text != ':')
        return crl_topology_fail(diag, col + head, "expected ':' after '%s', as in '%s'", row->prefix, row->form);
    ++*text;
    return row->factor(t, row, start, text, diag);
}

static int parse_product(struct crl_topology *t, const char *text, struct crl_diag *diag)
{
    const char *start = text;
    t->nodes = 1;
    for (;; text++) {
        int error = parse_factor(t, start, &text, diag);
        if (error) return error;
        if (!*text) break;
        if (*text != '*')
            return crl_topology_fail(diag, (uint64_t)(text - start) + 1,
                                     "unexpected '%.40s' after the size; factors are joined by '*'", text);
    }
    for (uint32_t i = 0; i < t->factor_count; i++)
        t->links += t->nodes / t->factor[i].size * factor_links(&t->factor[i]);
    return 0;
}

static void release(struct crl_topology *t)
{
    for (uint32_t i = 0; i < t->factor_count; i++) crl_graph_free(t->factor[i].graph);
}

// ---- what a product is made of

bool crl_topology_has(const struct crl_topology *t, enum crl_shape shape)
{
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].shape == shape && t->factor[i].size > 2) return true;
    return false;
}

uint64_t crl_factor_cut(const struct crl_factor *f, uint64_t a)
{
    uint64_t links = 0;
    if (f->shape == CRL_COMPLETE) return a * (f->size - a);
    if (f->shape != CRL_GRAPH) return f->shape == CRL_RING && f->size > 2 ? 2 : 1;
    for (size_t i = 0; i < a * f->graph->ports; i++) links += f->graph->after[i] != CRL_NONE && f->graph->after[i] >= a;
    return links;
}

// Translations turn every ring and complete graph; a path of three or more nodes has none, and a file says nothing of a
// graph's.
static bool has_translations(const struct crl_topology *t)
{
    return !crl_topology_has(t, CRL_PATH) && !crl_topology_has(t, CRL_GRAPH);
}

const struct crl_topology_kind crl_topology_product = {
    .parse = parse_product,
    .release = release,
    .neighbor = neighbor,
    .behind = behind,
    .port_to = port_to,
    .distance = distance,
    .symmetric = has_translations,
    .shift = shift,
    .unshift = unshift,
};
