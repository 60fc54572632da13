// SPDX-License-Identifier: Apache-2.0
// Scan on products, dimension by dimension, the least significant first. Before a dimension every node holds the sum
// over all nodes that differ from it in the dimensions before, and keeps the sum over those of them up to itself. Along
// each line of the dimension the sums go up, from digit to digit, each node adding its own: what comes is the sum over
// lower nodes alone, so it is kept, too. In the last step up the two ends swap, so both have the sum over the line,
// which comes down again from there, for the next dimension; on a ring both ways. In a complete graph all do so at
// once, in one slot; so they do on the hypercube, in d slots, which is optimal.
//
// But for what comes down a ring from both ends no link is used twice for a chunk, so chunks follow each other slot by
// slot where all ports work at once. A step takes as long as a link of its dimension.
#include "algorithm/algorithm.h"

bool crl_applies_scan_lines(const struct crl_problem *problem)
{
    return crl_is_product(problem) && !crl_topology_has(problem->topology, CRL_GRAPH);
}

struct lines {
    struct crl_schedule *schedule;
    const struct crl_topology *topology;
    uint32_t slot, chunk; // slot: of the next step
    bool both_ways;
};

// All nodes whose digit is `from` send to those whose digit is `to`.
static void send(struct lines *l, const struct crl_factor *f, uint32_t from, uint32_t to)
{
    for (uint32_t v = 0; v < l->topology->nodes; v++) {
        if (v / f->stride % f->size != from) continue;
        crl_schedule_add(l->schedule, (struct crl_move){l->slot, v, v + (to - from) * f->stride, l->chunk, 0});
    }
}

static void play_line(struct lines *l, const struct crl_factor *f, bool at_once, bool last)
{
    uint32_t latency = crl_topology_link_latency(l->topology, 0, f->stride), low = f->size - 2, high = 0;
    bool both = f->shape == CRL_RING && l->both_ways;
    for (uint32_t a = 0; a < f->size && at_once; a++)
        for (uint32_t b = 0; b < f->size; b++)
            if (a < b || (a > b && !last)) send(l, f, a, b);
    if (at_once) l->slot += latency;
    for (uint32_t a = 0; a + 1 < f->size && !at_once; a++, l->slot += latency) {
        send(l, f, a, a + 1);
        if (a + 2 == f->size && !last) send(l, f, a + 1, a);
    }
    for (; low > high && !last && !at_once; l->slot += latency) { // digits below `high` and from `low` on have it
        if (both) send(l, f, high ? high - 1 : f->size - 1, high);
        high += both;
        if (low > high) send(l, f, low, low - 1);
        low -= low > high;
    }
}

static int plan_scan_lines(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    bool all = problem->ports == CRL_PORTS_ALL;
    struct lines l = {.schedule = schedule, .topology = t, .slot = 1};
    (void)diag;
    for (; l.chunk < problem->chunks; l.chunk++) {
        if (all) l.slot = l.chunk + 1;
        for (uint32_t i = 0; i < t->factor_count; i++) {
            const struct crl_factor *f = &t->factor[i];
            bool complete = f->shape == CRL_COMPLETE || (f->shape == CRL_RING && f->size == 3);
            bool at_once = f->size == 2 || (all && complete);
            l.both_ways = all && problem->chunks <= f->size; // a link is used again so many steps later
            play_line(&l, f, at_once, i + 1 == t->factor_count);
        }
    }
    return 0;
}

static uint64_t claim(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t slots = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        bool all = problem->ports == CRL_PORTS_ALL, last = i + 1 == t->factor_count;
        uint64_t down = f->shape == CRL_RING && all ? (f->size - UINT64_C(1)) / 2 : f->size - UINT64_C(2);
        slots += f->shape == CRL_COMPLETE && all ? 1 : f->size - 1 + (last ? 0 : down);
    }
    return problem->chunks == 1 && crl_topology_latency_max(t) == 1 ? slots : UINT64_MAX;
}

const struct crl_algorithm crl_rows_scan_lines[] = {
    {"scan", "lines", "product without graphs",
     "sum of 2m_i-3 (rings ceil(3m_i/2)-2), m_i-1 of the last; complete factors: 1", NULL,
     "dimension by dimension sums go up every line and come down; chunks follow each other slot by slot",
     .handles = CRL_HANDLES_LATENCY, .applies = crl_applies_scan_lines, .plan = plan_scan_lines, .claim = claim},
    {0}};
