// SPDX-License-Identifier: Apache-2.0
// A toy kind of topology, for tests/extend/run: claw:K, node 0 in the middle of K others. The link to node v is port v
// − 1.
#include "topology/topology.h"
#include <string.h>

static int parse(struct crl_topology *t, const char *text, struct crl_diag *diag)
{
    const char *at = text + strlen("claw:");
    uint32_t leaves;
    if (!crl_topology_number(&at, &leaves) || *at || leaves < 1 || leaves > CRL_PORTS_MAX)
        return crl_topology_fail(diag, (uint64_t)(at - text) + 1, "claw:K needs 1 to %d leaves", CRL_PORTS_MAX);
    snprintf(t->name, sizeof t->name, "claw:%u", leaves);
    t->nodes = leaves + 1;
    t->ports = leaves;
    t->links = 2 * leaves;
    return 0;
}

static uint32_t neighbor(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    (void)t;
    return node == 0 ? port + 1 : node == port + 1 ? 0 : CRL_NONE;
}

static uint32_t port_to(const struct crl_topology *t, uint32_t src, uint32_t dst)
{
    (void)t;
    return src == 0 && dst ? dst - 1 : src && dst == 0 ? src - 1 : CRL_NONE;
}

static uint32_t distance(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    (void)t;
    return a == b ? 0 : a && b ? 2 : 1;
}

static bool symmetric(const struct crl_topology *t)
{
    (void)t;
    return false;
}

const struct crl_topology_kind crl_topology_claw = {.parse = parse,
                                                    .neighbor = neighbor,
                                                    .behind = neighbor,
                                                    .port_to = port_to,
                                                    .distance = distance,
                                                    .symmetric = symmetric};
