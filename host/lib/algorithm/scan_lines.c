// SPDX-License-Identifier: Apache-2.0
// Scan on products, dimension by dimension, the least significant first. Before a dimension every node holds the sum
// over all nodes that differ from it in the dimensions before, and keeps the sum over those of them up to itself. Along
// each line of the dimension the sums go up, from digit to digit, each node adding its own: what comes is the sum over
// lower nodes alone, so it is kept, too. Then the sum over the line comes down again, for the next dimension. In a
// complete graph all do so at once, in one slot; so they do on the hypercube, in d slots, which is optimal.
//
// No link is used twice for a chunk, so chunks follow each other slot by slot where all ports work at once. A step
// takes as long as a link of its dimension.
#include "algorithm/algorithm.h"

bool crl_applies_scan_lines(const struct crl_problem *problem)
{
    return crl_is_product(problem) && !crl_topology_has(problem->topology, CRL_GRAPH);
}

struct lines {
    struct crl_schedule *schedule;
    const struct crl_topology *topology;
    uint32_t slot, chunk; // slot: of the next step
    int error;
};

// All nodes whose digit is `from` send to those whose digit is `to`.
static void send(struct lines *l, const struct crl_factor *f, uint32_t from, uint32_t to)
{
    for (uint32_t v = 0; v < l->topology->nodes && !l->error; v++) {
        if (v / f->stride % f->size != from) continue;
        struct crl_move move = {l->slot, v, v + (to - from) * f->stride, l->chunk, 0};
        l->error = crl_schedule_add(l->schedule, move);
    }
}

static void play_line(struct lines *l, const struct crl_factor *f, bool at_once, bool last)
{
    uint32_t latency = crl_topology_link_latency(l->topology, 0, f->stride);
    for (uint32_t a = 0; a < f->size && at_once; a++)
        for (uint32_t b = 0; b < f->size; b++)
            if (a < b || (a > b && !last)) send(l, f, a, b);
    if (at_once) l->slot += latency;
    for (uint32_t a = 0; a + 1 < f->size && !at_once; a++, l->slot += latency) send(l, f, a, a + 1);
    for (uint32_t a = f->size; --a > 0 && !last && !at_once; l->slot += latency) send(l, f, a, a - 1);
}

static int plan_scan_lines(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    bool all = problem->ports == CRL_PORTS_ALL;
    struct lines l = {.schedule = schedule, .topology = t, .slot = 1};
    for (; l.chunk < problem->chunks && !l.error; l.chunk++) {
        if (all) l.slot = l.chunk + 1;
        for (uint32_t i = 0; i < t->factor_count; i++) {
            const struct crl_factor *f = &t->factor[i];
            bool complete = f->shape == CRL_COMPLETE || (f->shape == CRL_RING && f->size == 3);
            bool at_once = f->size == 2 || (all && complete);
            play_line(&l, f, at_once, i + 1 == t->factor_count);
        }
    }
    return l.error ? crl_fail(diag, l.error, "a scan on %s has too many moves to hold", crl_topology_name(t)) : 0;
}

static uint64_t claim(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t slots = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        bool complete = t->factor[i].shape == CRL_COMPLETE && problem->ports == CRL_PORTS_ALL;
        slots += complete ? 1 : (uint64_t)(t->factor[i].size - 1) * (i + 1 < t->factor_count ? 2 : 1);
    }
    return problem->chunks == 1 && crl_topology_latency_max(t) == 1 ? slots : UINT64_MAX;
}

const struct crl_algorithm crl_rows_scan_lines[] = {
    {"scan", "lines", "product without graphs", "sum of 2(m_i-1), m_i-1 of the last; complete factors: 1", NULL,
     "dimension by dimension sums go up every line and come down; chunks follow each other slot by slot",
     .handles = CRL_HANDLES_LATENCY, .applies = crl_applies_scan_lines, .plan = plan_scan_lines, .claim = claim},
    {0}};
