// SPDX-License-Identifier: Apache-2.0
// Sets of groups of nodes, as text.
#include "problem/groups.h"
#include "base/base.h"
#include "problem/problem.h"
#include <stdlib.h>
#include <string.h>

// What is being read.
struct set {
    const struct crl_topology *topology;
    const char *text, *at;
    uint64_t seed;
    struct crl_text_place place;
    struct crl_groups *groups;
};

static int bad(const struct set *s, const char *what, const char *more)
{
    return crl_fail_at(s->place.diag, CRL_ERR_ARGUMENT, s->place.name, s->place.line,
                       s->place.col + (uint64_t)(s->at - s->text), "%s%.80s", what, more);
}

static int make_room(const struct set *s)
{
    uint32_t nodes = crl_topology_nodes(s->topology);
    s->groups->node = malloc(sizeof *s->groups->node * nodes);
    s->groups->first = calloc(nodes + UINT64_C(2), sizeof *s->groups->first);
    return s->groups->node && s->groups->first ? 0 : crl_fail_memory(s->place.diag);
}

static uint32_t host_at(const uint32_t *hosts, uint32_t rank) { return hosts ? hosts[rank] : rank; }

// ---------------------------------------------------------------- one group

static int all_hosts(struct set *s)
{
    uint32_t count;
    const uint32_t *hosts = crl_topology_hosts(s->topology, &count);
    int error = make_room(s);
    if (error) return error;
    for (uint32_t i = 0; i < count; i++) s->groups->node[i] = host_at(hosts, i);
    s->groups->first[s->groups->count = 1] = count;
    return 0;
}

// So many of the hosts: the first of a random order of all.
static int at_random(struct set *s, const char *number)
{
    uint32_t hosts, wanted, got = 0;
    const uint32_t *host = crl_topology_hosts(s->topology, &hosts);
    uint32_t bits = crl_bits_for(hosts) ? crl_bits_for(hosts) : 1;
    bool *picked = calloc(hosts, sizeof *picked);
    int error = picked ? make_room(s) : crl_fail_memory(s->place.diag);
    s->at = number;
    if (!error && (!crl_topology_number(&s->at, &wanted) || *s->at)) error = bad(s, "a number was expected: ", number);
    s->at = number;
    if (!error && wanted > hosts) error = bad(s, "more nodes than there are: ", number);
    for (uint64_t i = 0; !error && got < wanted; i++) {
        uint64_t rank = crl_permute(i, bits, s->seed);
        if (rank >= hosts) continue;
        picked[rank] = true;
        got++;
    }
    got = 0;
    for (uint32_t i = 0; i < hosts && !error; i++)
        if (picked[i]) s->groups->node[got++] = host_at(host, i);
    free(picked);
    s->at = s->text;
    if (!error) s->groups->first[s->groups->count = 1] = got;
    return error;
}

static int listed(struct set *s, const char *list)
{
    uint32_t *node = NULL, count, hosts;
    const uint32_t *host = crl_topology_hosts(s->topology, &hosts);
    int error = make_room(s);
    if (error) return error;
    error = crl_active_parse(&node, &count, s->place.name, list, s->topology, s->seed, s->place.diag);
    if (error && s->place.diag && error != CRL_ERR_MEMORY) {
        s->place.diag->line = s->place.line;
        s->place.diag->col += s->place.col + (uint64_t)(list - s->text) - 1;
    }
    for (uint32_t i = 0; i < count && !error; i++) {
        bool is_host = true;
        if (host) crl_nodes_below(host, hosts, node[i], &is_host);
        s->groups->node[i] = node[i];
        if (!is_host) error = bad(s, "a node of this list only forwards: ", list);
    }
    s->groups->first[s->groups->count = 1] = count;
    free(node);
    return error;
}

// ---------------------------------------------------------------- products

static const char *const dims_needed = "rows, columns, planes and dims are of products such as torus:4x4, not of ";

// The network as a product: one with dead links or members is a graph, whose name says of which product.
static int product_of(const struct set *s, struct crl_topology **out)
{
    char name[sizeof s->topology->name];
    snprintf(name, sizeof name, "%s", crl_topology_name(s->topology));
    char *without = strstr(name, " without "), *members = strstr(name, " members ");
    if (without) *without = '\0';
    if (members) *members = '\0';
    int error = crl_topology_parse(out, name, s->place.diag);
    if (error || (*out)->factor_count) return error;
    crl_topology_free(*out);
    *out = NULL;
    return bad(s, dims_needed, crl_topology_name(s->topology));
}

// The nodes that agree in every dimension that is not `free_dims` have one base: that of them whose other digits are 0.
static uint32_t base_of(const struct crl_topology *t, uint32_t node, uint32_t free_dims)
{
    uint32_t base = 0, stride = 1;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        uint32_t digit = node / stride % t->factor[i].size;
        if (!(free_dims >> i & 1)) base += digit * stride;
        stride *= t->factor[i].size;
    }
    return base;
}

// Groups in the order of their bases, of which those of fewer than two hosts are none.
static int split(struct set *s, const struct crl_topology *product, uint32_t free_dims)
{
    struct crl_groups *g = s->groups;
    uint32_t count, nodes = crl_topology_nodes(s->topology), used = 0;
    const uint32_t *hosts = crl_topology_hosts(s->topology, &count);
    CRL_OWNED uint32_t *size = calloc(nodes, sizeof *size), *next = malloc(sizeof *next * nodes);
    int error = make_room(s);
    if (!error && (!size || !next)) error = crl_fail_memory(s->place.diag);
    for (uint32_t i = 0; i < count && !error; i++) size[base_of(product, host_at(hosts, i), free_dims)]++;
    for (uint32_t v = 0; v < nodes && !error; v++) {
        if (size[v] < 2) continue;
        next[v] = used;
        g->first[++g->count] = used += size[v];
    }
    for (uint32_t i = 0; i < count && !error; i++) {
        uint32_t base = base_of(product, host_at(hosts, i), free_dims);
        if (size[base] > 1) g->node[next[base]++] = host_at(hosts, i);
    }
    return error;
}

static int dimension(struct set *s, const struct crl_topology *product, uint32_t *dim)
{
    const char *before = s->at;
    char text[80];
    snprintf(text, sizeof text, "a dimension from 1 to %u was expected: ", product->factor_count);
    if (crl_topology_number(&s->at, dim) && *dim && *dim <= product->factor_count) return 0;
    s->at = before;
    return bad(s, text, s->at);
}

// "1,3": the dimensions that may differ within a group; or all but one.
static int read_dims(struct set *s, const struct crl_topology *product, bool all_but, uint32_t *free_dims)
{
    const uint32_t all = (uint32_t)((UINT64_C(1) << product->factor_count) - 1);
    uint32_t dim;
    do {
        int error = dimension(s, product, &dim);
        if (error) return error;
        *free_dims |= UINT32_C(1) << (dim - 1);
    } while (*s->at == ',' && !all_but && s->at++);
    if (*s->at) return bad(s, all_but ? "one dimension was expected: " : "',' or the end was expected: ", s->at);
    if (all_but) *free_dims = all & ~*free_dims;
    return *free_dims ? 0 : bad(s, "a group of one node has nothing to send: ", s->text);
}

// `col`: where in the text the list stands.
static int of_product(struct set *s, const char *dims, uint64_t col, bool all_but)
{
    struct crl_topology *product = NULL;
    uint32_t free_dims = 0;
    int error = product_of(s, &product);
    if (error) return error;
    struct set list = *s;
    list.text = list.at = dims;
    list.place.col += col;
    error = read_dims(&list, product, all_but, &free_dims);
    if (!error) error = split(s, product, free_dims);
    crl_topology_free(product);
    return error;
}

int crl_groups_of(struct crl_groups *groups, const struct crl_topology *topology, const char *set, uint64_t seed,
                  struct crl_text_place place)
{
    struct set s = {topology, set, set, seed, place, groups};
    int error;
    *groups = (struct crl_groups){0};
    if (!*set) error = all_hosts(&s);
    else if (!strcmp(set, "rows")) error = of_product(&s, "1", 0, false);
    else if (!strcmp(set, "columns")) error = of_product(&s, "2", 0, false);
    else if (!strncmp(set, "dims:", 5)) error = of_product(&s, set + 5, 5, false);
    else if (!strncmp(set, "planes:", 7)) error = of_product(&s, set + 7, 7, true);
    else if (!strncmp(set, "nodes:", 6)) error = listed(&s, set + 6);
    else if (!strncmp(set, "random:", 7)) error = at_random(&s, set + 7);
    else error = bad(&s, "groups are rows, columns, dims:LIST, planes:K, nodes:LIST or random:K, not ", set);
    if (!error && (!groups->count || groups->first[1] < 2)) error = bad(&s, "a group needs two nodes: ", set);
    return error;
}

void crl_groups_done(struct crl_groups *groups)
{
    CRL_FREE(groups->node, groups->first);
    *groups = (struct crl_groups){0};
}
