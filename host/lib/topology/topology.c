// SPDX-License-Identifier: Apache-2.0
#include "topology/topology.h"
#include "base/base.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int crl_topology_fail(struct crl_diag *diag, uint64_t col, const char *format, ...)
{
    char text[400];
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

int crl_topology_parse(struct crl_topology **out, const char *spec, struct crl_diag *diag)
{
    *out = NULL;
    struct crl_topology *topology = calloc(1, sizeof *topology);
    if (!topology) return crl_fail_memory(diag);
    // Hypercubes alone are common and large enough to deserve arithmetic of their own.
    bool product = strchr(spec, '*');
    topology->kind = !product && !strncmp(spec, "hypercube:", 10) ? &crl_topology_hypercube
                     : !product && !strncmp(spec, "graph:", 6)    ? &crl_topology_graph
                                                                  : &crl_topology_product;
    int error = topology->kind->parse(topology, spec, diag);
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
