// SPDX-License-Identifier: Apache-2.0
// 'TOPOLOGY without A-B,…' and 'TOPOLOGY members LIST': a network some of whose links are dead, or in which only the
// listed nodes have and want packets. It is a graph whose ports keep their numbers, and its name says all of it, so
// that images and certificates name the network that they are of: by numbers, also where nodes have names.
#include "base/base.h"
#include "topology/graph.h"
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {" without ", " members "};

// Where the part of the text begins that is not the network's own; NULL: there is none.
static const char *suffix_of(const char *spec)
{
    const char *without = strstr(spec, words[0]), *members = strstr(spec, words[1]);
    return !without || (members && members < without) ? members : without;
}

// The lists, as they are read, and as they stand in the name of the network.
struct lists {
    struct crl_graph *g;
    const char *start, *at;
    char name[sizeof((struct crl_topology *)0)->name];
    struct crl_diag *diag;
};

bool crl_topology_is_derived(const char *spec) { return suffix_of(spec); }

// The network as a graph of its own.
static int copy(struct crl_graph **out, const struct crl_topology *t, struct crl_diag *diag)
{
    struct crl_graph *g = *out = calloc(1, sizeof *g);
    size_t cells = (size_t)t->nodes * t->ports;
    if (!g) return crl_fail_memory(diag);
    *g = (struct crl_graph){.nodes = t->nodes, .ports = t->ports, .links = t->links};
    const uint32_t *host = crl_topology_hosts(t, &g->hosts);
    g->latency_min = crl_topology_latency_min(t);
    g->latency_max = crl_topology_latency_max(t);
    bool late = g->latency_max > 1;
    g->after = malloc(sizeof *g->after * (cells + 1));
    g->before = malloc(sizeof *g->before * (cells + 1));
    g->host = host ? malloc(sizeof *g->host * g->hosts) : NULL;
    g->latency = late ? malloc(sizeof *g->latency * (cells + 1)) : NULL;
    if (!g->after || !g->before || (host && !g->host) || (late && !g->latency)) return crl_fail_memory(diag);
    if (crl_names_copy(&g->names, crl_topology_names(t))) return crl_fail_memory(diag);
    if (host) memcpy(g->host, host, sizeof *g->host * g->hosts);
    for (size_t i = 0; i < cells; i++) {
        uint32_t node = (uint32_t)(i / t->ports), port = (uint32_t)(i % t->ports);
        g->after[i] = crl_topology_neighbor(t, node, port);
        g->before[i] = crl_topology_behind(t, node, port);
        if (late) g->latency[i] = g->after[i] == CRL_NONE ? 1 : crl_topology_latency(t, node, port);
    }
    return 0;
}

// Takes out what leads from a to b; false if nothing does.
static bool cut(struct crl_graph *g, uint32_t a, uint32_t b)
{
    uint64_t before = g->links;
    for (uint32_t p = 0; p < g->ports; p++) {
        uint32_t *after = &g->after[(size_t)a * g->ports + p];
        if (*after != b) continue;
        *after = g->before[(size_t)b * g->ports + p] = CRL_NONE;
        g->links--;
    }
    return g->links < before;
}

static uint64_t col_of(const struct lists *l) { return (uint64_t)(l->at - l->start) + 1; }

static int add_text(struct lists *l, const char *text)
{
    size_t used = strlen(l->name);
    if (used + strlen(text) >= sizeof l->name)
        return crl_topology_fail(l->diag, (uint64_t)(suffix_of(l->start) - l->start) + 2,
                                 "a name of more than %zu characters, lists included", sizeof l->name - 1);
    snprintf(l->name + used, sizeof l->name - used, "%s", text);
    return 0;
}

static int read_node(struct lists *l, uint32_t *node)
{
    char text[16];
    const char *before = l->at;
    uint64_t col = col_of(l);
    if (!crl_topology_number(&l->at, node)) *node = crl_names_read(l->g->names, &l->at);
    if (l->at == before)
        return crl_topology_fail(l->diag, col, "expected a node, found '%.40s', as in 'torus:4x4 without 0-1,5-6'",
                                 before);
    if (*node >= l->g->nodes)
        return crl_topology_fail(l->diag, col, "node '%u' is beyond the last, %u", *node, l->g->nodes - 1);
    snprintf(text, sizeof text, "%u", *node);
    return add_text(l, text);
}

// Moves past a character, if it stands there.
static int read_char(struct lists *l, char c, bool *there)
{
    *there = *l->at == c;
    if (!*there) return 0;
    l->at++;
    return add_text(l, (char[]){c, 0});
}

static int read_without(struct lists *l)
{
    for (bool more = true; more;) {
        uint64_t col = col_of(l);
        uint32_t a, b;
        char x[CRL_NODE_TEXT], y[CRL_NODE_TEXT];
        bool dash;
        int error = read_node(l, &a);
        if (!error) error = read_char(l, '-', &dash);
        if (!error && !dash)
            error =
                crl_topology_fail(l->diag, col_of(l), "expected '-' between the ends of a link, found '%.40s'", l->at);
        if (!error) error = read_node(l, &b);
        if (error) return error;
        bool there = cut(l->g, a, b), back = cut(l->g, b, a);
        if (!there && !back)
            return crl_topology_fail(l->diag, col, "there is no link '%s-%s', or it is out already",
                                     crl_names_text(l->g->names, a, x), crl_names_text(l->g->names, b, y));
        if ((error = read_char(l, ',', &more))) return error;
    }
    return 0;
}

// A node, or two with '-' between them.
static int read_range(struct lists *l, const bool *host, bool *member)
{
    uint64_t col = col_of(l);
    uint32_t first, last;
    char text[CRL_NODE_TEXT];
    bool dash;
    int error = read_node(l, &first);
    if (!error) error = read_char(l, '-', &dash);
    last = first;
    if (!error && dash) error = read_node(l, &last);
    if (!error && last < first) error = crl_topology_fail(l->diag, col, "a range ends before it begins");
    for (uint32_t v = first; !error && v <= last; v++) {
        const char *name = crl_names_text(l->g->names, v, text);
        if (!host[v]) error = crl_topology_fail(l->diag, col, "node '%s' is a switch, and cannot be a member", name);
        else if (member[v]) error = crl_topology_fail(l->diag, col, "node '%s' is listed twice", name);
        else member[v] = true;
    }
    return error;
}

static int read_members(struct lists *l)
{
    struct crl_graph *g = l->g;
    bool *member = calloc(g->nodes, sizeof *member), *host = calloc(g->nodes, sizeof *host), more;
    int error = member && host ? 0 : crl_fail_memory(l->diag);
    for (uint32_t i = 0; i < g->hosts && !error; i++) host[g->host ? g->host[i] : i] = true;
    for (more = !error; more && !error;) {
        error = read_range(l, host, member);
        if (!error) error = read_char(l, ',', &more);
    }
    free(host);
    free(g->host);
    g->host = error ? NULL : malloc(sizeof *g->host * g->nodes);
    if (!error && !g->host) error = crl_fail_memory(l->diag);
    g->hosts = 0;
    for (uint32_t v = 0; v < g->nodes && !error; v++)
        if (member[v]) g->host[g->hosts++] = v;
    free(member);
    if (!error && g->hosts == g->nodes) {
        free(g->host);
        g->host = NULL;
    }
    return error;
}

static int read_suffix(struct lists *l)
{
    int error = 0;
    while (*l->at && !error) {
        bool without = !strncmp(l->at, words[0], strlen(words[0])),
             members = !strncmp(l->at, words[1], strlen(words[1]));
        if (!without && !members)
            return crl_topology_fail(l->diag, col_of(l), "unexpected '%.40s' after a list of links or nodes", l->at);
        l->at += strlen(words[members]);
        error = add_text(l, words[members]);
        if (!error) error = without ? read_without(l) : read_members(l);
    }
    return error;
}

static int derive(struct lists *l, const struct crl_topology *base)
{
    uint32_t lost[2];
    char x[CRL_NODE_TEXT], y[CRL_NODE_TEXT];
    uint64_t col = (uint64_t)(suffix_of(l->start) - l->start) + 2;
    if (base->nodes > CRL_GRAPH_NODES_MAX)
        return crl_topology_fail(l->diag, col, "'%u' nodes; members and dead links are for at most %d", base->nodes,
                                 CRL_GRAPH_NODES_MAX);
    int error = copy(&l->g, base, l->diag);
    if (!error) error = add_text(l, base->name);
    if (!error) error = read_suffix(l);
    if (error) return error;
    error = crl_graph_measure(l->g, lost);
    if (error == CRL_ERR_PARSE)
        return crl_fail_at(l->diag, CRL_ERR_RULE, "<topology>", 1, col,
                           "without these links node '%s' does not reach node '%s'",
                           crl_names_text(l->g->names, lost[0], x), crl_names_text(l->g->names, lost[1], y));
    return error ? crl_fail_memory(l->diag) : 0;
}

int crl_topology_parse_derived(struct crl_topology **out, const char *spec, struct crl_diag *diag)
{
    struct lists l = {.start = spec, .at = suffix_of(spec), .diag = diag};
    struct crl_topology *base = NULL;
    char *text = strndup(spec, (size_t)(l.at - spec));
    int error = text ? crl_topology_parse(&base, text, diag) : crl_fail_memory(diag);
    free(text);
    if (!error) error = derive(&l, base);
    struct crl_topology *t = error ? NULL : calloc(1, sizeof *t);
    if (!error && !t) error = crl_fail_memory(diag);
    if (!error) {
        crl_graph_alone(t, l.g);
        memcpy(t->name, l.name, sizeof t->name);
        *out = t;
    } else {
        crl_graph_free(l.g);
    }
    crl_topology_free(base);
    return error;
}
