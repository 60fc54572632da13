// SPDX-License-Identifier: Apache-2.0
// The table of schemes, and forwarding tables from their making to their end.
#include "machine/queue/queue.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

static const struct crl_scheme table[] = {
    {"naive", "one tree that crosses dimensions 1 to d", "S93 Sec. IV-A", "ρ < 2/d (1 − 2^−d)", 1, CRL_QUEUE_PORTS_MAX,
     false, crl_scheme_naive, NULL, NULL, NULL},
    {"periodic", "d simultaneous multinode broadcasts, over and over", "S93 Sec. IV-B", "ρ < 1", 1, CRL_QUEUE_PORTS_MAX,
     false, crl_scheme_periodic, crl_s93_periodic_delay, NULL, NULL},
    {"direct", "one of d rotated trees at random, as soon as possible", "S93 Sec. IV-C", "ρ < 1", 1,
     CRL_QUEUE_PORTS_MAX, false, crl_scheme_direct, crl_s93_approximation, NULL, crl_s93_simulated},
    {"indirect", "to the root of one of d disjoint trees and down from there: Rules A to E", "S93 Sec. V-B",
     "ρ < 2/3 (1 − 2^−d)", 1, CRL_QUEUE_PORTS_MAX, true, crl_scheme_indirect, crl_s93_indirect_delay,
     crl_s93_indirect_queue, NULL},
    {"indirect-nonidling", "along one of d disjoint trees from wherever the packet is", "S93 Sec. V-G",
     "ρ < 2/3 (1 − 1/(3·2^d − 2))", 1, CRL_QUEUE_PORTS_MAX, false, crl_scheme_nonidling, NULL, NULL, NULL},
    {"balanced", "like indirect, along d disjoint balanced trees: one slot up, d slots down", "beyond S93 Sec. V-F",
     "ρ < (2^d − 1)/((d + 1)⌈(2^d − 1)/d⌉)", 3, 8, true, crl_scheme_balanced, NULL, NULL, NULL},
};

const struct crl_scheme *crl_scheme_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

int crl_scheme_find(const struct crl_scheme **out, const char *name, struct crl_diag *diag)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) {
            *out = &table[i];
            return 0;
        }
    char known[256] = "";
    for (size_t i = 0, used = 0; i < sizeof table / sizeof *table; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", table[i].name);
    return crl_fail(diag, CRL_ERR_ARGUMENT, "unknown scheme '%s'; there are %s", name, known);
}

int crl_queue_tables_alloc(struct crl_queue_tables *t, struct crl_diag *diag)
{
    size_t rows = (size_t)t->tables * t->period * t->ports;
    t->root = calloc(t->trees, sizeof *t->root);
    t->node_table = calloc(t->nodes, sizeof *t->node_table);
    t->forward = calloc((size_t)t->tables * t->trees * (t->ports + 2), sizeof *t->forward);
    t->gate = calloc(rows, sizeof *t->gate);
    t->accept = calloc(rows, sizeof *t->accept);
    t->loop_gate = calloc(t->period, sizeof *t->loop_gate);
    if (!t->root || !t->node_table || !t->forward || !t->gate || !t->accept || !t->loop_gate)
        return crl_fail_memory(diag);
    for (uint32_t k = 0; k < t->trees; k++) t->root[k] = CRL_NONE;
    for (uint32_t v = 0; v < t->nodes && t->tables > 1; v++) t->node_table[v] = v;
    memset(t->accept, CRL_GATE_NO_TREE, rows);
    return 0;
}

int crl_queue_tables_copy(struct crl_queue_tables *to, const struct crl_queue_tables *from, struct crl_diag *diag)
{
    size_t rows = (size_t)from->tables * from->period * from->ports;
    *to = *from;
    int error = crl_queue_tables_alloc(to, diag);
    if (error) {
        crl_queue_tables_done(to);
        return error;
    }
    memcpy(to->root, from->root, from->trees * sizeof *to->root);
    memcpy(to->node_table, from->node_table, from->nodes * sizeof *to->node_table);
    memcpy(to->forward, from->forward, (size_t)from->tables * from->trees * (from->ports + 2) * sizeof *to->forward);
    memcpy(to->gate, from->gate, rows * sizeof *to->gate);
    memcpy(to->accept, from->accept, rows * sizeof *to->accept);
    memcpy(to->loop_gate, from->loop_gate, from->period * sizeof *to->loop_gate);
    return 0;
}

void crl_queue_tables_done(struct crl_queue_tables *t)
{
    CRL_FREE(t->root, t->node_table, t->forward, t->gate, t->accept, t->loop_gate);
    memset(t, 0, sizeof *t);
}

int crl_queue_build(struct crl_queue_tables *t, const struct crl_scheme *scheme, const struct crl_topology *topology,
                    bool blocking, const struct crl_context *context, struct crl_diag *diag)
{
    memset(t, 0, sizeof *t);
    const char *name = crl_topology_name(topology);
    uint32_t d = crl_topology_ports(topology);
    if (topology->kind != &crl_topology_hypercube)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "random broadcasts are routed on hypercubes only, not on '%s'",
                        name);
    if (d < scheme->dimensions_min || d > scheme->dimensions_max)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "scheme '%s' has %u to %u dimensions, not '%u'", scheme->name,
                        scheme->dimensions_min, scheme->dimensions_max, d);
    if (blocking && !scheme->blocking)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "scheme '%s' could deadlock with finite buffers that block",
                        scheme->name);
    snprintf(t->topology, sizeof t->topology, "%s", name);
    snprintf(t->scheme, sizeof t->scheme, "%s", scheme->name);
    t->nodes = crl_topology_nodes(topology);
    t->ports = d;
    t->blocking = blocking;
    int error = scheme->build(t, context, diag);
    t->cycles = (t->loops ? t->trees : 0) + d + CRL_QUEUE_OWN_MAX;
    if (!error) error = crl_queue_check(t, NULL, diag);
    if (error) crl_queue_tables_done(t);
    return error;
}
