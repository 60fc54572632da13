// SPDX-License-Identifier: Apache-2.0
// 'TOPOLOGY without A-B,C,…', 'TOPOLOGY members LIST', 'TOPOLOGY switches add' and 'TOPOLOGY boards FILE cable
// λ,G,each': a network some of whose links or nodes are dead, in which only the listed nodes have and want packets,
// whose switches add, or that lies on boards with cables between them. It is a graph whose ports keep their numbers,
// and its name says all of it, so that images and certificates name the network that they are of: by numbers, also
// where nodes have names.
#include "base/base.h"
#include "topology/graph.h"
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {" without ", " members ", " switches ", " boards "};

// Where the part of the text begins that is not the network's own; NULL: there is none.
static const char *suffix_of(const char *spec)
{
    const char *first = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(spec, words[i]);
        if (at && (!first || at < first)) first = at;
    }
    return first;
}

// The lists, as they are read, and as they stand in the name of the network.
struct lists {
    struct crl_graph *g;
    const struct crl_topology *base;
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
    bool late = g->latency_max > 1, gaps = crl_topology_gap_max(t) > 1;
    g->gap_max = crl_topology_gap_max(t);
    g->after = malloc(sizeof *g->after * (cells + 1));
    g->before = malloc(sizeof *g->before * (cells + 1));
    g->host = host ? malloc(sizeof *g->host * g->hosts) : NULL;
    g->latency = late ? malloc(sizeof *g->latency * (cells + 1)) : NULL;
    g->gap = gaps ? malloc(sizeof *g->gap * (cells + 1)) : NULL;
    if (!g->after || !g->before || (host && !g->host) || (late && !g->latency) || (gaps && !g->gap))
        return crl_fail_memory(diag);
    if (crl_names_copy(&g->names, crl_topology_names(t))) return crl_fail_memory(diag);
    if (host) memcpy(g->host, host, sizeof *g->host * g->hosts);
    for (size_t i = 0; i < cells; i++) {
        uint32_t node = (uint32_t)(i / t->ports), port = (uint32_t)(i % t->ports);
        g->after[i] = crl_topology_neighbor(t, node, port);
        g->before[i] = crl_topology_behind(t, node, port);
        if (late) g->latency[i] = g->after[i] == CRL_NONE ? 1 : crl_topology_latency(t, node, port);
        if (gaps) g->gap[i] = g->after[i] == CRL_NONE ? 1 : crl_topology_gap(t, node, port);
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

// All nodes that do more than forward, as a list.
static int list_hosts(struct crl_graph *g)
{
    if (g->host) return 0;
    g->host = malloc(sizeof *g->host * g->nodes);
    for (uint32_t v = 0; v < g->nodes && g->host; v++) g->host[v] = v;
    return g->host ? 0 : CRL_ERR_MEMORY;
}

// Takes a node out, with its links.
static int bury(struct lists *l, uint32_t node, uint64_t col)
{
    struct crl_graph *g = l->g;
    char text[CRL_NODE_TEXT];
    if (!g->dead) g->dead = calloc(g->nodes, sizeof *g->dead);
    if (!g->dead || list_hosts(g)) return crl_fail_memory(l->diag);
    if (g->dead[node])
        return crl_topology_fail(l->diag, col, "node '%s' is out already", crl_names_text(g->names, node, text));
    g->dead[node] = true;
    for (uint32_t v = 0; v < g->nodes; v++) cut(g, node, v), cut(g, v, node);
    uint32_t hosts = 0;
    for (uint32_t i = 0; i < g->hosts; i++)
        if (g->host[i] != node) g->host[hosts++] = g->host[i];
    g->hosts = hosts;
    return hosts ? 0 : crl_topology_fail(l->diag, col, "no node is left");
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
        if (!error) error = dash ? read_node(l, &b) : bury(l, a, col);
        if (error) return error;
        if (dash && !(cut(l->g, a, b) | cut(l->g, b, a)))
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
        if (!host[v])
            error = crl_topology_fail(l->diag, col, "node '%s' is a switch or dead, and cannot be a member", name);
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
    CRL_FREE(host, g->host);
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

static int read_switches(struct lists *l)
{
    if (strncmp(l->at, "add", 3))
        return crl_topology_fail(l->diag, col_of(l), "expected 'add', which is what switches can do, found '%.40s'",
                                 l->at);
    if (!l->g->host) return crl_topology_fail(l->diag, col_of(l), "there are no switches that could add");
    l->at += 3;
    l->g->adds = true;
    return add_text(l, "add");
}

// ---------------------------------------------------------------- boards

// A list of 1 where there is none yet.
static uint32_t *ones(const struct crl_graph *g, uint32_t *list)
{
    size_t cells = (size_t)g->nodes * g->ports;
    if (list) return list;
    list = malloc(sizeof *list * cells);
    for (size_t i = 0; i < cells && list; i++) list[i] = 1;
    return list;
}

// Links between boards take so long, and so many slots between two packets; 0: as they did.
static int set_cables(struct lists *l, uint32_t latency, uint32_t gap)
{
    struct crl_graph *g = l->g;
    char x[CRL_NODE_TEXT], y[CRL_NODE_TEXT];
    if (latency && !(g->latency = ones(g, g->latency))) return crl_fail_memory(l->diag);
    if (gap && !(g->gap = ones(g, g->gap))) return crl_fail_memory(l->diag);
    g->latency_min = UINT32_MAX;
    for (size_t i = 0; i < (size_t)g->nodes * g->ports; i++) {
        uint32_t v = (uint32_t)(i / g->ports), u = g->after[i];
        if (u == CRL_NONE) continue;
        bool cable = g->boards->of[v] != g->boards->of[u];
        if (cable && latency) g->latency[i] = latency;
        if (cable && gap) g->gap[i] = gap;
        uint32_t takes = g->latency ? g->latency[i] : 1;
        if (cable && takes < CRL_CABLE_LATENCY_MIN)
            return crl_topology_fail(
                l->diag, col_of(l),
                "the link from '%s' to '%s' is a cable of latency %u, which takes at least %d: say --cable-latency",
                crl_names_text(g->names, v, x), crl_names_text(g->names, u, y), takes, CRL_CABLE_LATENCY_MIN);
        if (takes > g->latency_max) g->latency_max = takes;
        if (takes < g->latency_min) g->latency_min = takes;
        if (g->gap && g->gap[i] > g->gap_max) g->gap_max = g->gap[i];
    }
    return 0;
}

// 'cable λ', 'cable λ,G', and ',each'; λ or G may be 0: as the network's file says.
static int read_cable(struct lists *l)
{
    static const char word[] = " cable ", each[] = ",each";
    const char *from = l->at;
    uint32_t latency = 0, gap = 0;
    if (!strncmp(l->at, word, strlen(word))) {
        l->at += strlen(word);
        bool good = crl_topology_number(&l->at, &latency);
        if (good && l->at[0] == ',' && l->at[1] >= '0' && l->at[1] <= '9') {
            l->at++;
            good = crl_topology_number(&l->at, &gap);
        }
        l->g->boards->each = !strncmp(l->at, each, strlen(each));
        if (l->g->boards->each) l->at += strlen(each);
        if (!good || latency > CRL_LATENCY_MAX || gap > CRL_LATENCY_MAX || (*l->at && *l->at != ' '))
            return crl_topology_fail(l->diag, (uint64_t)(from - l->start) + 2,
                                     "expected a cable as in 'cable 20,3': a latency and a gap to %d", CRL_LATENCY_MAX);
    }
    char text[64];
    if ((size_t)(l->at - from) >= sizeof text)
        return crl_topology_fail(l->diag, col_of(l), "a cable of too many words");
    snprintf(text, sizeof text, "%.*s", (int)(l->at - from), from);
    int error = add_text(l, text);
    return error ? error : set_cables(l, latency, gap);
}

static int read_boards(struct lists *l)
{
    char text[sizeof l->name];
    uint64_t col = col_of(l);
    size_t length = strcspn(l->at, " ");
    if (l->g->boards) return crl_topology_fail(l->diag, col, "boards are said twice");
    if (length >= sizeof text) return crl_topology_fail(l->diag, col, "a name of boards that is too long");
    memcpy(text, l->at, length);
    text[length] = 0;
    int error = crl_boards_read(&l->g->boards, text, l->base, l->g->names, col, l->diag);
    if (!error) error = add_text(l, text);
    l->at += length;
    return error ? error : read_cable(l);
}

static int read_suffix(struct lists *l)
{
    int error = 0;
    while (*l->at && !error) {
        static int (*const read[])(struct lists * l) = {read_without, read_members, read_switches, read_boards};
        size_t i = 0, kinds = sizeof words / sizeof *words;
        while (i < kinds && strncmp(l->at, words[i], strlen(words[i]))) i++;
        if (i == kinds)
            return crl_topology_fail(l->diag, col_of(l), "unexpected '%.40s' after a list of links or nodes", l->at);
        l->at += strlen(words[i]);
        error = add_text(l, words[i]);
        if (!error) error = read[i](l);
    }
    return error;
}

static int derive(struct lists *l, const struct crl_topology *base)
{
    uint32_t lost[2];
    char x[CRL_NODE_TEXT], y[CRL_NODE_TEXT];
    uint64_t col = (uint64_t)(suffix_of(l->start) - l->start) + 2;
    if (base->nodes > CRL_GRAPH_NODES_MAX)
        return crl_topology_fail(l->diag, col, "'%u' nodes; members, boards and dead links are for at most %d",
                                 base->nodes, CRL_GRAPH_NODES_MAX);
    l->base = base;
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
    struct crl_topology *base = NULL;
    struct lists l = {.start = spec, .at = suffix_of(spec), .diag = diag};
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
