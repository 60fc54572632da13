// SPDX-License-Identifier: Apache-2.0
// Latencies of links: one for all, one a dimension, or those that the file of a graph lists. A packet that is sent in
// slot s over a link of latency λ arrives in slot s + λ − 1, so that it can go on in slot s + λ. And gaps, which only
// files list.
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>

// Dimensions that can have latencies of their own: the factors, or a graph alone.
static uint32_t dimensions(const struct crl_topology *t) { return t->factor_count ? t->factor_count : 1; }

// The graph of a dimension; NULL: it is none.
static const struct crl_graph *graph_of(const struct crl_topology *t, uint32_t dim)
{
    return t->factor_count ? t->factor[dim].graph : t->graph;
}

static uint32_t digit_of(const struct crl_topology *t, uint32_t dim, uint32_t node)
{
    return t->factor_count ? node / t->factor[dim].stride % t->factor[dim].size : node;
}

// The graph whose file says the latencies of a dimension; NULL: they are all alike.
static const struct crl_graph *listed(const struct crl_topology *t, uint32_t dim)
{
    const struct crl_graph *g = graph_of(t, dim);
    return g && g->latency ? g : NULL;
}

static uint32_t of_dimension(const struct crl_topology *t, uint32_t dim)
{
    return t->latency[dim] ? t->latency[dim] : 1;
}

// The dimension of a port, which becomes that of the dimension.
static uint32_t dimension_of(const struct crl_topology *t, uint32_t *port)
{
    uint32_t dim = 0;
    while (dim < t->factor_count && *port >= crl_factor_ports(&t->factor[dim]))
        *port -= crl_factor_ports(&t->factor[dim++]);
    return dim;
}

uint32_t crl_topology_latency(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    uint32_t dim = dimension_of(t, &port);
    const struct crl_graph *g = listed(t, dim);
    return g ? g->latency[(size_t)digit_of(t, dim, node) * g->ports + port] : of_dimension(t, dim);
}

uint32_t crl_topology_gap(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    uint32_t dim = dimension_of(t, &port);
    const struct crl_graph *g = graph_of(t, dim);
    return g && g->gap ? g->gap[(size_t)digit_of(t, dim, node) * g->ports + port] : 1;
}

uint32_t crl_topology_gap_max(const struct crl_topology *t)
{
    uint32_t most = 1;
    for (uint32_t dim = 0; dim < dimensions(t); dim++) {
        const struct crl_graph *g = graph_of(t, dim);
        if (g && g->gap && g->gap_max > most) most = g->gap_max;
    }
    return most;
}

uint32_t crl_topology_link_latency(const struct crl_topology *t, uint32_t src, uint32_t dst)
{
    if (crl_topology_latency_max(t) == 1 || src >= t->nodes || dst >= t->nodes) return 1;
    uint32_t port = crl_topology_port_to(t, src, dst);
    return port == CRL_NONE ? 1 : crl_topology_latency(t, src, port);
}

uint32_t crl_topology_latency_max(const struct crl_topology *t)
{
    uint32_t most = 1;
    for (uint32_t dim = 0; dim < dimensions(t); dim++) {
        const struct crl_graph *g = listed(t, dim);
        uint32_t latency = g ? g->latency_max : of_dimension(t, dim);
        if (latency > most) most = latency;
    }
    return most;
}

uint32_t crl_topology_latency_min(const struct crl_topology *t)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t dim = 0; dim < dimensions(t); dim++) {
        const struct crl_graph *g = listed(t, dim);
        uint32_t latency = g ? g->latency_min : of_dimension(t, dim);
        if (latency < least) least = latency;
    }
    return least;
}

static bool any_listed(const struct crl_topology *t)
{
    for (uint32_t dim = 0; dim < dimensions(t); dim++)
        if (listed(t, dim)) return true;
    return false;
}

bool crl_topology_latency_by_port(const struct crl_topology *t)
{
    return !any_listed(t) || crl_topology_latency_min(t) == crl_topology_latency_max(t);
}

uint32_t crl_topology_delay(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    uint32_t sum = 0, least = crl_topology_latency_min(t), distance = crl_topology_distance(t, a, b);
    if (distance == CRL_NONE) return CRL_NONE;
    if (least == crl_topology_latency_max(t)) return least * distance;
    for (uint32_t dim = 0; dim < dimensions(t); dim++) {
        const struct crl_graph *g = listed(t, dim);
        uint32_t x = digit_of(t, dim, a), y = digit_of(t, dim, b);
        if (g) {
            sum += g->delay[(size_t)x * g->nodes + y];
        } else {
            uint32_t stride = t->factor[dim].stride;
            sum += of_dimension(t, dim) * crl_topology_distance(t, a, a - x * stride + y * stride);
        }
    }
    return sum;
}

// ---------------------------------------------------------------- from text

static int fail(struct crl_diag *diag, uint64_t col, const char *text)
{
    return crl_fail_at(diag, CRL_ERR_PARSE, "<link-latency>", 1, col,
                       "expected latencies from 1 to %d with commas between them, found '%.40s'", CRL_LATENCY_MAX,
                       text);
}

int crl_topology_set_latency(struct crl_topology *t, const char *text, struct crl_diag *diag)
{
    uint32_t latency[CRL_FACTORS_MAX], count = 0;
    for (const char *at = text;; at++) {
        uint64_t col = (uint64_t)(at - text) + 1;
        if (count == CRL_FACTORS_MAX)
            return crl_fail_at(diag, CRL_ERR_PARSE, "<link-latency>", 1, col, "more than %d latencies",
                               CRL_FACTORS_MAX);
        if (!crl_topology_number(&at, &latency[count]) || !latency[count] || latency[count] > CRL_LATENCY_MAX)
            return fail(diag, col, text + col - 1);
        count++;
        if (!*at) break;
        if (*at != ',') return fail(diag, (uint64_t)(at - text) + 1, at);
    }
    if (count > 1 && count != dimensions(t))
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "'%u' latencies; %s has %u dimension%s, and takes one latency or as many", count, t->name,
                        dimensions(t), dimensions(t) == 1 ? "" : "s");
    if (any_listed(t))
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "the file of '%s' says the latencies of its links: leave out --link-latency", t->name);
    for (uint32_t dim = 0; dim < dimensions(t); dim++) t->latency[dim] = latency[count > 1 ? dim : 0];
    return 0;
}

uint32_t crl_topology_latencies(const struct crl_topology *t, uint32_t latency[])
{
    latency[0] = crl_topology_latency_min(t);
    if (latency[0] == crl_topology_latency_max(t)) return 1;
    if (any_listed(t)) return 0;
    for (uint32_t dim = 0; dim < dimensions(t); dim++) latency[dim] = of_dimension(t, dim);
    return dimensions(t);
}

// ---------------------------------------------------------------- as a list

// Of a port, where it has one latency at all nodes.
static uint32_t of_port(const struct crl_topology *t, uint32_t port)
{
    uint32_t dim = 0;
    while (dim < t->factor_count && port >= crl_factor_ports(&t->factor[dim]))
        port -= crl_factor_ports(&t->factor[dim++]);
    const struct crl_graph *g = listed(t, dim);
    return g ? g->latency_min : of_dimension(t, dim);
}

size_t crl_topology_list_latency(const struct crl_topology *t, uint32_t *list)
{
    bool by_port = crl_topology_latency_by_port(t);
    size_t count = by_port ? t->ports : (size_t)t->nodes * t->ports;
    if (crl_topology_latency_max(t) == 1) return 0;
    for (size_t i = 0; list && i < count; i++) {
        uint32_t node = (uint32_t)(i / t->ports), port = (uint32_t)(i % t->ports);
        if (by_port) list[i] = of_port(t, port);
        else list[i] = crl_topology_neighbor(t, node, port) == CRL_NONE ? 0 : crl_topology_latency(t, node, port);
    }
    return count;
}

bool crl_topology_adopt_latency(struct crl_topology *t, const uint32_t *list, size_t count)
{
    if (count == t->ports)
        for (uint32_t dim = 0, port = 0; dim < dimensions(t); dim++) {
            if (!listed(t, dim)) t->latency[dim] = list[port];
            if (t->factor_count) port += crl_factor_ports(&t->factor[dim]);
        }
    size_t own = crl_topology_list_latency(t, NULL);
    CRL_OWNED uint32_t *said = malloc(sizeof *said * (own + 1));
    bool same = said && own == count;
    if (said) crl_topology_list_latency(t, said);
    for (size_t i = 0; same && i < count; i++) same = said[i] == list[i];
    return same;
}
