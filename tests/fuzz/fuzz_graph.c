// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a network of graph:FILE. What is read must be a network in which everybody reaches
// everybody and each link has two ends, and must be the same when its links are written and read again.
#include "memory_file.h"
#include "topology/topology.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int load(struct crl_topology **topology, const void *bytes, size_t size)
{
    struct memory_file file = memory_file(bytes, size);
    struct crl_diag diag;
    char name[64];
    snprintf(name, sizeof name, "graph:%s", file.path);
    int error = crl_topology_parse(topology, name, &diag);
    memory_file_close(&file);
    return error;
}

// The links, one way each; those side by side stand together.
static void list(const struct crl_topology *t, FILE *out)
{
    const struct crl_graph *g = t->graph;
    fprintf(out, "nodes %u\n", t->nodes);
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = 0; p < t->ports; p++) {
            uint32_t to = crl_topology_neighbor(t, v, p), width = 0;
            for (uint32_t q = 0; q < t->ports && to != CRL_NONE; q++)
                if (crl_topology_neighbor(t, v, q) == to) width += q >= p ? 1 : CRL_LINKS_MAX + 1; // listed already
            if (to == CRL_NONE || width > CRL_LINKS_MAX) continue;
            if (!g->distance[v * t->nodes + to] || g->before[to * t->ports + p] != v) abort();
            fprintf(out, "%u > %u %u %u\n", v, to, width, crl_topology_latency(t, v, p));
        }
    if (!g->host) return;
    fprintf(out, "hosts ");
    for (uint32_t i = 0; i < g->hosts; i++) fprintf(out, "%s%u", i ? "," : "", g->host[i]);
    fprintf(out, "\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct crl_topology *topology, *again;
    if (load(&topology, bytes, size)) return 0;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) abort();
    list(topology, out);
    if (fclose(out) || load(&again, text, length)) abort();
    if (again->nodes != topology->nodes || again->links != topology->links ||
        again->graph->hosts != topology->graph->hosts ||
        memcmp(again->graph->distance, topology->graph->distance,
               sizeof *again->graph->distance * again->nodes * again->nodes))
        abort();
    free(text);
    crl_topology_free(again);
    crl_topology_free(topology);
    return 0;
}
