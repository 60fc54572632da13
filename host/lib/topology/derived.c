// SPDX-License-Identifier: Apache-2.0
// 'TOPOLOGY without A-B,…' and 'TOPOLOGY members LIST': a network some of whose links are dead, or in which only the
// listed nodes have and want packets. It is a graph whose ports keep their numbers, and its name says all of it, so
// that images and certificates name the network that they are of.
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

static int read_node(const struct crl_graph *g, const char *start, const char **at, uint32_t *node,
                     struct crl_diag *diag)
{
    const char *before = *at;
    uint64_t col = (uint64_t)(before - start) + 1;
    if (!crl_topology_number(at, node))
        return crl_topology_fail(diag, col, "expected a node, found '%.40s', as in 'torus:4x4 without 0-1,5-6'",
                                 before);
    if (*node < g->nodes) return 0;
    return crl_topology_fail(diag, col, "node '%u' is beyond the last, %u", *node, g->nodes - 1);
}

static int read_without(struct crl_graph *g, const char *start, const char **at, struct crl_diag *diag)
{
    for (;; ++*at) {
        uint64_t col = (uint64_t)(*at - start) + 1;
        uint32_t a, b;
        int error = read_node(g, start, at, &a, diag);
        if (!error && **at != '-')
            error = crl_topology_fail(diag, (uint64_t)(*at - start) + 1,
                                      "expected '-' between the ends of a link, found '%.40s'", *at);
        if (!error) {
            ++*at;
            error = read_node(g, start, at, &b, diag);
        }
        if (error) return error;
        bool there = cut(g, a, b), back = cut(g, b, a);
        if (!there && !back)
            return crl_topology_fail(diag, col, "there is no link '%u-%u', or it is out already", a, b);
        if (**at != ',') return 0;
    }
}

static int read_members(struct crl_graph *g, const char *start, const char **at, struct crl_diag *diag)
{
    bool *member = calloc(g->nodes, sizeof *member), *host = calloc(g->nodes, sizeof *host);
    int error = member && host ? 0 : crl_fail_memory(diag);
    for (uint32_t i = 0; i < g->hosts && !error; i++) host[g->host ? g->host[i] : i] = true;
    for (bool more = !error; more; more = !error && **at == ',' && ++*at) {
        uint64_t col = (uint64_t)(*at - start) + 1;
        uint32_t first, last;
        error = read_node(g, start, at, &first, diag);
        last = first;
        if (!error && **at == '-') {
            ++*at;
            error = read_node(g, start, at, &last, diag);
        }
        if (!error && last < first) error = crl_topology_fail(diag, col, "a range ends before it begins");
        for (uint32_t v = first; !error && v <= last; v++) {
            if (!host[v]) error = crl_topology_fail(diag, col, "node '%u' is a switch, and cannot be a member", v);
            else if (member[v]) error = crl_topology_fail(diag, col, "node '%u' is listed twice", v);
            else member[v] = true;
        }
    }
    free(host);
    free(g->host);
    g->host = error ? NULL : malloc(sizeof *g->host * g->nodes);
    if (!error && !g->host) error = crl_fail_memory(diag);
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

static int read_suffix(struct crl_graph *g, const char *start, const char *at, struct crl_diag *diag)
{
    int error = 0;
    while (*at && !error) {
        bool without = !strncmp(at, words[0], strlen(words[0])), members = !strncmp(at, words[1], strlen(words[1]));
        if (!without && !members)
            return crl_topology_fail(diag, (uint64_t)(at - start) + 1,
                                     "unexpected '%.40s' after a list of links or nodes", at);
        at += strlen(words[members]);
        error = without ? read_without(g, start, &at, diag) : read_members(g, start, &at, diag);
    }
    return error;
}

static int derive(struct crl_graph **g, const struct crl_topology *base, const char *spec, struct crl_diag *diag)
{
    uint32_t lost[2];
    uint64_t col = (uint64_t)(suffix_of(spec) - spec) + 2;
    if (base->nodes > CRL_GRAPH_NODES_MAX)
        return crl_topology_fail(diag, col, "'%u' nodes; members and dead links are for at most %d", base->nodes,
                                 CRL_GRAPH_NODES_MAX);
    int error = copy(g, base, diag);
    if (!error) error = read_suffix(*g, spec, suffix_of(spec), diag);
    if (error) return error;
    error = crl_graph_measure(*g, lost);
    if (error == CRL_ERR_PARSE)
        return crl_topology_fail(diag, col, "without these links node '%u' does not reach node '%u'", lost[0], lost[1]);
    return error ? crl_fail_memory(diag) : 0;
}

int crl_topology_parse_derived(struct crl_topology **out, const char *spec, struct crl_diag *diag)
{
    const char *suffix = suffix_of(spec);
    struct crl_topology *base = NULL;
    struct crl_graph *g = NULL;
    char *text = strndup(spec, (size_t)(suffix - spec));
    int error = text ? crl_topology_parse(&base, text, diag) : crl_fail_memory(diag);
    free(text);
    if (!error && strlen(base->name) + strlen(suffix) >= sizeof base->name)
        error = crl_topology_fail(diag, (uint64_t)(suffix - spec) + 2,
                                  "a name of more than %zu characters, lists included", sizeof base->name - 1);
    if (!error) error = derive(&g, base, spec, diag);
    struct crl_topology *t = error ? NULL : calloc(1, sizeof *t);
    if (!error && !t) error = crl_fail_memory(diag);
    if (!error) {
        crl_graph_alone(t, g);
        snprintf(t->name, sizeof t->name, "%s%s", base->name, suffix);
        *out = t;
    } else {
        crl_graph_free(g);
    }
    crl_topology_free(base);
    return error;
}
