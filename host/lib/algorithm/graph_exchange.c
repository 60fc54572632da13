// SPDX-License-Identifier: Apache-2.0
// Single-port total exchange on a graph from a file, alone or as a factor of a product, where the numbers of the nodes
// make every shift by s, or every exclusive or with s, a symmetry (circulants, hypercubes): it takes the average
// status, which is optimal. Offset after offset all packets of an offset make the same hops of a shortest way together
// (Dimakopoulos & Dimopoulos 1996, Sec. 4, say that Cayley networks can).
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "topology/topology.h"

typedef uint32_t (*translation)(uint32_t node, uint32_t by, uint32_t nodes);

static uint32_t shift(uint32_t node, uint32_t by, uint32_t nodes) { return (node + by) % nodes; }

static uint32_t flip(uint32_t node, uint32_t by, uint32_t nodes)
{
    (void)nodes;
    return node ^ by;
}

// Whether every node's neighbours are the translates of those of node 0.
static bool has_translations(const struct crl_graph *g, translation by)
{
    uint32_t degree = 0;
    if (by == flip && (g->nodes & (g->nodes - 1))) return false;
    for (uint32_t p = 0; p < g->ports; p++) {
        if (g->after[p] == CRL_NONE) continue;
        for (uint32_t v = 0; v < g->nodes; v++)
            if (g->distance[(size_t)v * g->nodes + by(g->after[p], v, g->nodes)] != 1) return false;
        degree++;
    }
    return (uint64_t)degree * g->nodes == g->links;
}

// NULL: its nodes have no such numbers.
static translation translation_of(const struct crl_graph *g)
{
    return has_translations(g, shift) ? shift : has_translations(g, flip) ? flip : NULL;
}

static bool applies_graph_exchange(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return t->graph && t->ports <= CRL_PORTS_MAX && translation_of(t->graph);
}

static int plan_graph_exchange(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    (void)diag;
    const struct crl_graph *g = problem->topology->graph;
    const translation by = translation_of(g);
    uint32_t n = g->nodes, slot = 0;
    for (uint32_t offset = 1; offset < n; offset++)
        for (uint32_t at = 0, next = 0; at != offset; at = next) { // the way of the packet of node 0
            for (uint32_t p = 0; p < g->ports; p++) {
                uint32_t u = g->after[(size_t)at * g->ports + p];
                if (u != CRL_NONE && g->distance[(size_t)u * n + offset] < g->distance[(size_t)at * n + offset])
                    next = u;
            }
            slot++;
            for (uint32_t v = 0; v < n; v++) {
                struct crl_move move = {slot, by(at, v, n), by(next, v, n), v, by(offset, v, n)};
                crl_schedule_add(schedule, move);
            }
        }
    return 0;
}

const struct crl_algorithm crl_rows_graph_exchange[] = {
    {"total-exchange", "translation", "graph with translations", "ceil(average status)", "after D96 Sec. 4",
     "where the numbering has translations, as of circulants and hypercubes", .ports = CRL_FOR_SINGLE_PORT,
     .applies = applies_graph_exchange, .plan = plan_graph_exchange, .symmetric = crl_is_any,
     .cost = {.row_ns = 450, .pair_bytes = 16}, .claim = crl_problem_bound_slots},
    {0}};
