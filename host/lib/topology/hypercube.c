// SPDX-License-Identifier: Apache-2.0
// hypercube:d — nodes are d-bit strings, port p flips bit p.
#include "topology/topology.h"
#include <string.h>

enum { DIMENSIONS_MAX = 20 };

static int parse(struct crl_topology *topology, const char *spec, struct crl_diag *diag)
{
    const char *text = strchr(spec, ':') + 1, *end = text;
    uint64_t at = (uint64_t)(text - spec) + 1;
    uint32_t d;
    if (!crl_topology_number(&end, &d))
        return crl_topology_fail(diag, at, "expected the number of dimensions, found '%.40s', as in 'hypercube:4'",
                                 text);
    if (*end)
        return crl_topology_fail(diag, at + (uint64_t)(end - text), "unexpected '%.40s' after the number of dimensions",
                                 end);
    if (d < 1 || d > DIMENSIONS_MAX)
        return crl_topology_fail(diag, at, "a hypercube of '%u' dimensions; must be 1 to %d", d, DIMENSIONS_MAX);
    snprintf(topology->name, sizeof topology->name, "hypercube:%u", d);
    topology->factor_count = topology->ports = d;
    for (uint32_t i = 0; i < d; i++) topology->factor[i] = (struct crl_factor){CRL_COMPLETE, 2, UINT32_C(1) << i, NULL};
    topology->nodes = UINT32_C(1) << d;
    topology->links = (uint64_t)d << d;
    return 0;
}

static uint32_t neighbor(const struct crl_topology *topology, uint32_t node, uint32_t port)
{
    return port < topology->ports ? node ^ UINT32_C(1) << port : CRL_NONE;
}

static uint32_t port_to(const struct crl_topology *topology, uint32_t src, uint32_t dst)
{
    (void)topology;
    uint32_t difference = src ^ dst;
    if (!difference || (difference & (difference - 1))) return CRL_NONE;
    return (uint32_t)__builtin_ctz(difference);
}

static uint32_t distance(const struct crl_topology *topology, uint32_t a, uint32_t b)
{
    (void)topology;
    return (uint32_t)__builtin_popcount(a ^ b);
}

static uint32_t shift(const struct crl_topology *topology, uint32_t node, uint32_t by)
{
    (void)topology;
    return node ^ by;
}

static bool symmetric(const struct crl_topology *topology)
{
    (void)topology;
    return true;
}

const struct crl_topology_kind crl_topology_hypercube = {
    .parse = parse,
    .neighbor = neighbor,
    .behind = neighbor, // a link's two directions flip the same bit
    .port_to = port_to,
    .distance = distance,
    .symmetric = symmetric,
    .shift = shift,
    .unshift = shift, // XOR undoes itself
};
