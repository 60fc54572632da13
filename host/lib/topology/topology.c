// SPDX-License-Identifier: Apache-2.0
#include "topology/topology.h"
#include "base/base.h"
#include "topology/family.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int crl_topology_fail(struct crl_diag *diag, uint64_t col, const char *format, ...)
{
    char text[sizeof diag->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return crl_fail_at(diag, CRL_ERR_PARSE, "<topology>", 1, col, "%s", text);
}

bool crl_topology_number(const char **text, uint32_t *number)
{
    const char *at = *text;
    uint64_t value = 0;
    if (*at < '0' || *at > '9') return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (uint64_t)(*at - '0');
        if (value > UINT32_MAX) return false;
    }
    *text = at;
    *number = (uint32_t)value;
    return true;
}

const struct crl_names *crl_topology_names(const struct crl_topology *topology)
{
    return topology->graph ? topology->graph->names : NULL;
}

const char *crl_topology_node_text(const struct crl_topology *topology, uint32_t node, char text[CRL_NODE_TEXT])
{
    const struct crl_names *names = crl_topology_names(topology);
    if (!names || node >= names->count) snprintf(text, CRL_NODE_TEXT, "%u", node);
    else snprintf(text, CRL_NODE_TEXT, "%u (%s)", node, crl_names_at(names, node));
    return text;
}

uint32_t crl_topology_node_named(const struct crl_topology *topology, const char *text, size_t length)
{
    const char *at = text;
    uint32_t node = crl_names_find(crl_topology_names(topology), text, length);
    if (node != CRL_NONE) return node;
    if (!length || length > 9 || !crl_topology_number(&at, &node) || at != text + length) return CRL_NONE;
    return node < crl_topology_nodes(topology) ? node : CRL_NONE;
}

// What has no links is named like a network, and is none.
static int has_no_links(struct crl_topology *topology, const char *spec, struct crl_diag *diag)
{
    (void)topology;
    return crl_topology_fail(diag, 1, "'%.80s' is a LogP machine, which has no links", spec);
}
const struct crl_topology_kind crl_topology_linkless = {.parse = has_no_links};

// Hypercubes alone are common and large enough to deserve arithmetic of their own.
static const struct crl_topology_row rows[] = {
    {"hypercube", "hypercube:D", &crl_topology_hypercube, crl_factor_sizes, .shape = CRL_COMPLETE, .power = true},
    {"torus", "torus:AxB…", &crl_topology_product, crl_factor_sizes, .shape = CRL_RING, .many = true},
    {"mesh", "mesh:AxB…", &crl_topology_product, crl_factor_sizes, .shape = CRL_PATH, .many = true},
    {"complete", "complete:M", &crl_topology_product, crl_factor_sizes, .family = crl_family_complete,
     .shape = CRL_COMPLETE},
    {"ghc", "ghc:AxB…", &crl_topology_product, crl_factor_sizes, .shape = CRL_COMPLETE, .many = true},
    {"ring", "ring:M", &crl_topology_product, crl_factor_sizes, .shape = CRL_RING},
    {"path", "path:M", &crl_topology_product, crl_factor_sizes, .shape = CRL_PATH},
    {"fat-tree", "fat-tree:K", &crl_topology_graph, .family = crl_family_fat_tree},
    {"star", "star:N", &crl_topology_graph, .family = crl_family_star},
    {"dragonfly", "dragonfly:AxH", &crl_topology_graph, .factor = crl_factor_graph, .family = crl_family_dragonfly},
    {"slim-fly", "slim-fly:Q", &crl_topology_graph, .factor = crl_factor_graph, .family = crl_family_slim_fly},
    {"twisted-torus", "twisted-torus:AxBxT", &crl_topology_graph, .factor = crl_factor_graph,
     .family = crl_family_twisted_torus},
    {"gen-kautz", "gen-kautz:DxN", &crl_topology_graph, .family = crl_family_gen_kautz},
    {"cayley", "cayley:120,102", &crl_topology_graph, .factor = crl_factor_graph, .family = crl_family_cayley},
    {"graph", "graph:FILE", &crl_topology_graph, .factor = crl_factor_graph},
    {"logp", "logp:P=…,L=… or logp:FILE", .kind = &crl_topology_linkless},
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *crl_topology_form_at(size_t index) { return index < ROWS ? rows[index].form : NULL; }

const struct crl_topology_row *crl_topology_row_of(const char *text)
{
    size_t length = strcspn(text, ":*");
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].prefix) == length && !strncmp(rows[i].prefix, text, length)) return &rows[i];
    return NULL;
}

bool crl_topology_is_linkless(const char *text)
{
    const struct crl_topology_row *row = crl_topology_row_of(text);
    return row && row->kind == &crl_topology_linkless;
}

// What other people call them.
static const struct {
    const char *name, *prefix;
} others[] = {{"cube", "hypercube"}, {"array", "mesh"},      {"grid", "mesh"},     {"line", "path"},
              {"linear", "path"},    {"clique", "complete"}, {"full", "complete"}, {"crossbar", "complete"},
              {"hamming", "ghc"},    {"cycle", "ring"}};

// How the topology is spelled that a word, up to what is no letter, was meant to be; NULL: none.
static const char *meant(const char *text)
{
    char word[32];
    struct carillon_nearest nearest = {.word = word};
    size_t length = 0;
    while (length < sizeof word - 1 && isalpha((unsigned char)text[length])) word[length] = text[length], length++;
    word[length] = 0;
    for (size_t i = 0; i < ROWS; i++) crl_nearest_try(&nearest, rows[i].prefix);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) crl_nearest_try(&nearest, others[i].name);
    for (size_t i = 0; nearest.best && i < sizeof others / sizeof *others; i++)
        if (nearest.best == others[i].name) nearest.best = others[i].prefix;
    for (size_t i = 0; nearest.best && i < ROWS; i++)
        if (!strcmp(nearest.best, rows[i].prefix)) return rows[i].form;
    return NULL;
}

// Says what was meant, if that can be told: a file without 'graph:', sides without a family, or a family misspelled.
static bool hint_at(const char *text, char *hint, size_t size)
{
    const char *form = meant(text);
    const bool sides =
        isdigit((unsigned char)*text) && strspn(text, "0123456789x") == strlen(text) && strlen(text) < 40;
    const bool is_file = !access(text, R_OK);
    if (is_file) snprintf(hint, size, "there is such a file; did you mean 'graph:%.60s'?", text);
    else if (sides) snprintf(hint, size, "did you mean 'mesh:%s' or 'torus:%s'?", text, text);
    else if (form) snprintf(hint, size, "did you mean '%s'?", form);
    return is_file || sides || form;
}

int crl_topology_unknown(const char *text, uint64_t col, struct crl_diag *diag)
{
    char factors[300] = "", alone[200] = "", hint[200];
    size_t length = strcspn(text, ":*");
    for (size_t i = 0; i < ROWS; i++) {
        size_t used = strlen(rows[i].factor ? factors : alone);
        if (rows[i].factor) snprintf(factors + used, sizeof factors - used, "%s, ", rows[i].form);
        else snprintf(alone + used, sizeof alone - used, ", %s", rows[i].form);
    }
    if (length > 40) length = 40;
    if (hint_at(text, hint, sizeof hint))
        return crl_topology_fail(diag, col, "unknown topology '%.*s'; %s", (int)length, text, hint);
    return crl_topology_fail(diag, col, "unknown topology '%.*s'; known: %sproducts of them with '*'%s", (int)length,
                             text, factors, alone);
}

// The name is written into images, JSON and drawings as it is, so it must be text without quotes.
static int check_text(const char *spec, struct crl_diag *diag)
{
    for (const unsigned char *at = (const unsigned char *)spec; *at;) {
        size_t length = crl_utf8_length((const char *)at);
        uint64_t col = (uint64_t)((const char *)at - spec) + 1;
        if (!length) return crl_topology_fail(diag, col, "byte 0x%02x is not UTF-8", *at);
        if (*at < ' ' || *at == 0x7f)
            return crl_topology_fail(diag, col, "a control character, byte 0x%02x, in the name of a topology", *at);
        if (*at == '"' || *at == '\\')
            return crl_topology_fail(diag, col, "unexpected '%c'; the name of a topology has neither '\"' nor '\\'",
                                     *at);
        at += length;
    }
    return 0;
}

// A factor has no more ports than a router; of what is a family, too, more is a graph.
static bool is_wide(const struct crl_topology_row *row, const char *text)
{
    uint32_t size;
    return row->factor && row->family && row->kind == &crl_topology_product && crl_topology_number(&text, &size) &&
           !*text && size > CRL_PORTS_MAX + 1;
}

int crl_topology_parse(struct crl_topology **out, const char *spec, struct crl_diag *diag)
{
    *out = NULL;
    int error = check_text(spec, diag);
    if (error) return error;
    if (crl_topology_is_derived(spec)) return crl_topology_parse_derived(out, spec, diag);
    const struct crl_topology_row *row = crl_topology_row_of(spec);
    if (!row) return crl_topology_unknown(spec, 1, diag);
    size_t head = strlen(row->prefix);
    if (spec[head] != ':')
        return crl_topology_fail(diag, head + 1, "expected ':' after '%s', as in '%s'", row->prefix, row->form);
    struct crl_topology *topology = calloc(1, sizeof *topology);
    if (!topology) return crl_fail_memory(diag);
    topology->kind = strchr(spec, '*') ? &crl_topology_product : row->kind;
    if (is_wide(row, spec + head + 1)) topology->kind = &crl_topology_graph;
    error = topology->kind->parse(topology, spec, diag);
    if (error) crl_topology_free(topology);
    else *out = topology;
    return error;
}

void crl_topology_free(struct crl_topology *topology)
{
    if (topology && topology->kind->release) topology->kind->release(topology);
    free(topology);
}

const char *crl_topology_name(const struct crl_topology *t) { return t->name; }
uint32_t crl_topology_nodes(const struct crl_topology *t) { return t->nodes; }
uint32_t crl_topology_ports(const struct crl_topology *t) { return t->ports; }
uint64_t crl_topology_links(const struct crl_topology *t) { return t->links; }

uint32_t crl_topology_neighbor(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    return t->kind->neighbor(t, node, port);
}

uint32_t crl_topology_behind(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    return t->kind->behind(t, node, port);
}

uint32_t crl_topology_port_to(const struct crl_topology *t, uint32_t src, uint32_t dst)
{
    return t->kind->port_to(t, src, dst);
}

uint32_t crl_topology_width(const struct crl_topology *t, uint32_t src, uint32_t dst)
{
    uint32_t width = 0;
    if (t->graph) return crl_graph_width(t->graph, src, dst);
    for (uint32_t p = 0; p < t->ports; p++) width += crl_topology_neighbor(t, src, p) == dst;
    return width;
}

uint32_t crl_topology_port_nth(const struct crl_topology *t, uint32_t src, uint32_t dst, uint32_t nth)
{
    if (t->graph) return crl_graph_port_nth(t->graph, src, dst, nth);
    uint32_t port = crl_topology_port_to(t, src, dst);
    while (port < t->ports && nth)
        if (++port < t->ports && crl_topology_neighbor(t, src, port) == dst) nth--;
    return port < t->ports ? port : CRL_NONE;
}

const uint32_t *crl_topology_hosts(const struct crl_topology *t, uint32_t *count)
{
    *count = t->graph ? t->graph->hosts : t->nodes;
    return t->graph ? t->graph->host : NULL;
}

bool crl_topology_switches_add(const struct crl_topology *t) { return t->graph && t->graph->adds; }

uint32_t crl_topology_distance(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    return t->kind->distance(t, a, b);
}

bool crl_topology_is_symmetric(const struct crl_topology *t) { return t->kind->symmetric(t); }

uint32_t crl_topology_shift(const struct crl_topology *t, uint32_t node, uint32_t by)
{
    return t->kind->shift(t, node, by);
}

uint32_t crl_topology_unshift(const struct crl_topology *t, uint32_t node, uint32_t by)
{
    return t->kind->unshift(t, node, by);
}

int crl_topology_spelling(const char *text, char name[128], struct crl_diag *diag)
{
    struct crl_topology *topology;
    int error = crl_topology_parse(&topology, text, diag);
    if (!error) snprintf(name, 128, "%s", crl_topology_name(topology));
    crl_topology_free(topology);
    return error;
}
