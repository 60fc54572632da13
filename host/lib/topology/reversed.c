// SPDX-License-Identifier: Apache-2.0
// Networks with all links turned round. Only files say links that lead one way, or take longer one way.
#include "topology/graph.h"
#include <stdlib.h>
#include <string.h>

static void *copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes);
    return to && from ? memcpy(to, from, bytes) : to;
}

// What a link takes, from where it now begins.
static uint32_t *turn_links(const struct crl_graph *of, const uint32_t *said)
{
    size_t cells = (size_t)of->nodes * of->ports;
    uint32_t *turned = malloc(sizeof *turned * cells);
    for (size_t i = 0; i < cells && turned; i++)
        turned[i] = of->before[i] == CRL_NONE ? 1 : said[(size_t)of->before[i] * of->ports + i % of->ports];
    return turned;
}

static int turn_times(struct crl_graph *g, const struct crl_graph *of)
{
    size_t nodes = g->nodes;
    g->latency = turn_links(of, of->latency);
    g->delay = malloc(sizeof *g->delay * nodes * nodes);
    if (!g->latency || !g->delay) return CRL_ERR_MEMORY;
    for (size_t v = 0; v < nodes; v++)
        for (size_t u = 0; u < nodes; u++) g->delay[v * nodes + u] = of->delay[u * nodes + v];
    return 0;
}

static struct crl_graph *turn(const struct crl_graph *of)
{
    struct crl_graph *g = malloc(sizeof *g);
    if (!g) return NULL;
    *g = *of;
    size_t nodes = g->nodes, cells = nodes * g->ports;
    g->after = copy(of->before, sizeof *g->after * cells);
    g->before = copy(of->after, sizeof *g->before * cells);
    g->distance = malloc(sizeof *g->distance * nodes * nodes);
    g->latency = g->gap = g->delay = g->host = g->link_class = NULL;
    g->names = NULL;
    g->boards = NULL;
    g->dead = NULL; // they have no links, which is all that is asked from now on
    g->order = g->degree = NULL;
    bool good = g->after && g->before && g->distance && (!of->latency || !turn_times(g, of));
    for (size_t v = 0; good && v < nodes; v++)
        for (size_t u = 0; u < nodes; u++) g->distance[v * nodes + u] = of->distance[u * nodes + v];
    if (good) good = !crl_graph_sort(g);
    if (good && of->gap) good = (g->gap = turn_links(of, of->gap));
    if (good && of->boards) good = !crl_boards_copy(&g->boards, of->boards, g->nodes);
    if (good && of->host) good = (g->host = copy(of->host, sizeof *g->host * g->hosts));
    if (good) return g;
    crl_graph_free(g);
    return NULL;
}

void crl_topology_reversed_done(struct crl_topology *turned)
{
    for (uint32_t i = 0; i < turned->factor_count; i++)
        if (turned->factor[i].shape == CRL_GRAPH) crl_graph_free(turned->factor[i].graph);
    crl_graph_free(turned->graph);
}

int crl_topology_reversed(struct crl_topology *turned, const struct crl_topology *topology)
{
    bool good = true;
    *turned = *topology;
    if (topology->graph) good = (turned->graph = turn(topology->graph));
    for (uint32_t i = 0; i < turned->factor_count; i++) {
        struct crl_factor *f = &turned->factor[i];
        if (f->shape == CRL_GRAPH) good = (f->graph = good ? turn(f->graph) : NULL);
    }
    if (good) return 0;
    crl_topology_reversed_done(turned);
    return CRL_ERR_MEMORY;
}
