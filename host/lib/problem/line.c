// SPDX-License-Identifier: Apache-2.0
// Broadcasts along lines: every node has any number of packets, which all nodes of its line of one dimension must get.
// Varvarigos & Bertsekas 1994, Theorem 2.
#include "base/base.h"
#include "problem/problem.h"
#include "topology/topology.h"
#include <stdlib.h>

static const struct crl_factor *factor_of(const struct crl_problem *problem)
{
    return &problem->topology->factor[problem->dim];
}

// Parts of packets of all nodes before `node`.
static uint64_t before(const struct crl_problem *problem, uint32_t node)
{
    return problem->starts ? (uint64_t)problem->starts[node] * problem->parts : 0;
}

static uint64_t own(const struct crl_problem *problem, uint32_t node)
{
    return before(problem, node + 1) - before(problem, node);
}

// Node `digit` of the line that `node` is on.
static uint32_t on_line(const struct crl_problem *problem, uint32_t node, uint32_t digit)
{
    const struct crl_factor *f = factor_of(problem);
    return node - node / f->stride % f->size * f->stride + digit * f->stride;
}

static uint64_t packets(const struct crl_problem *problem)
{
    return before(problem, crl_topology_nodes(problem->topology));
}

static void packet(const struct crl_problem *problem, uint64_t index, uint32_t *origin, uint32_t *part)
{
    uint32_t least = 0, most = crl_topology_nodes(problem->topology) - 1; // the last node that starts at or before it
    while (least < most) {
        uint32_t middle = least + (most - least + 1) / 2;
        if (before(problem, middle) <= index) least = middle;
        else most = middle - 1;
    }
    *origin = least;
    *part = (uint32_t)(index - before(problem, least));
}

static uint64_t packet_index(const struct crl_problem *problem, uint32_t origin, uint32_t part)
{
    if (origin >= crl_topology_nodes(problem->topology) || part >= own(problem, origin)) return UINT64_MAX;
    return before(problem, origin) + part;
}

static bool wants(const struct crl_problem *problem, uint32_t origin, uint32_t part, uint32_t node)
{
    (void)part;
    return on_line(problem, origin, 0) == on_line(problem, node, 0);
}

static uint64_t wanted(const struct crl_problem *problem, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < factor_of(problem)->size; i++) sum += own(problem, on_line(problem, node, i));
    return sum;
}

const struct crl_packet_rule crl_rule_lines = {packets, packet, packet_index, wants, wanted, NULL};

bool crl_problem_has_lines(const struct crl_problem *problem) { return problem->collective->rule == &crl_rule_lines; }

uint32_t crl_problem_line_packets(const struct crl_problem *problem)
{
    uint64_t most = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(problem->topology); v++) {
        uint64_t held = v == on_line(problem, v, 0) ? wanted(problem, v) : 0;
        if (held > most) most = held;
    }
    return (uint32_t)(most / problem->parts);
}

int crl_problem_set_lines(struct crl_problem *problem, const uint32_t *starts, uint32_t dim, uint32_t parts,
                          struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    if (!crl_problem_has_lines(problem))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the nodes of %s cannot be given packets", crl_problem_title(problem));
    if (dim >= t->factor_count || t->factor[dim].size < 2)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "%s has no lines along dimension '%u'", crl_topology_name(t), dim + 1);
    const struct crl_factor *f = &t->factor[dim];
    bool ring = f->size > 2 && (f->shape == CRL_RING || (f->shape == CRL_COMPLETE && f->size == 3));
    if (parts != 1 && (parts != 2 || !ring))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "packets in '%u' parts: only those that go round a ring have two",
                        parts);
    for (uint32_t v = 0; v < t->nodes; v++)
        if (starts[0] || starts[v + 1] < starts[v])
            return crl_fail(diag, CRL_ERR_ARGUMENT, "packets of node '%u' start after they end", v);
    problem->starts = starts;
    problem->dim = dim;
    problem->parts = parts;
    return 0;
}

// What a node must get passes its links, and what it has leaves by them before it goes on to the farthest.
uint64_t crl_bound_line(const struct crl_problem *problem)
{
    const struct crl_factor *f = factor_of(problem);
    uint64_t best = 0, *at = calloc(crl_topology_nodes(problem->topology), sizeof *at);
    for (uint32_t v = 0; at && v < crl_topology_nodes(problem->topology); v++) {
        uint32_t farthest = 0;
        for (uint32_t i = 0; i < f->size; i++) {
            uint32_t from = on_line(problem, v, i), hops = crl_topology_distance(problem->topology, from, v);
            if (from != v) at[hops] += own(problem, from);
            if (hops > farthest) farthest = hops;
        }
        uint64_t slots = crl_slots_by_distance(at, farthest, crl_ports_in_use(problem, v, true));
        if (slots > best) best = slots;
        slots = own(problem, v) ? crl_ceil_div(own(problem, v), crl_ports_in_use(problem, v, false)) + farthest - 1 : 0;
        if (slots > best) best = slots;
    }
    free(at);
    return best;
}

// In whole packets, also where they are split.
uint64_t crl_transmissions_line(const struct crl_problem *problem)
{
    return packets(problem) / problem->parts * (factor_of(problem)->size - UINT64_C(1));
}
