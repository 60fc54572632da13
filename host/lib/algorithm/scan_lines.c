// SPDX-License-Identifier: Apache-2.0
// Scan on products, dimension by dimension, the least significant first. Before a dimension every node holds the sum
// over all nodes that differ from it in the dimensions before, and keeps the sum over those of them up to itself. Along
// each line of the dimension the sums go up, from digit to digit, each node adding its own: what comes is the sum over
// lower nodes alone, so it is kept, too. In the last step up the two ends swap, so both have the sum over the line,
// which comes down again from there, for the next dimension; on a ring both ways. In a complete graph all do so at
// once, in one slot; so they do on the hypercube, in d slots, which is optimal.
//
// Of two dimensions, with all ports, the sum of a line turns back sooner. The last node sends its value at once, so the
// one before it and its neighbour swap, have the sum two steps sooner, and it comes down from there; of three nodes the
// middle one has it at once. The last node then gets what it keeps at the end: the sum over all nodes up to itself, as
// soon as the one before it has it. Only the last line, whose sum nobody wants, goes up to its end. (As few slots as
// can be on 13 meshes of up to 25 nodes, by a SAT solver; decision 0270.)
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
    uint32_t first, end; // nodes that send are of these
};

// All nodes whose digit is `from` send to those whose digit is `to`.
static void send(struct lines *l, const struct crl_factor *f, uint32_t from, uint32_t to)
{
    for (uint32_t v = l->first; v < l->end; v++) {
        if (v / f->stride % f->size != from) continue;
        crl_schedule_add(l->schedule, (struct crl_move){l->slot, v, v + (to - from) * f->stride, l->chunk, 0});
    }
}

static bool is_at_once(const struct crl_factor *f, bool all)
{
    return f->size == 2 || (all && (f->shape == CRL_COMPLETE || (f->shape == CRL_RING && f->size == 3)));
}

// A dimension. Digits from `low` on have the sum of their line, once it has turned back, and of a ring those below
// `high`. The last line of those that turn back sooner does not.
static void play_line(struct lines *l, const struct crl_factor *f, bool all, bool last, bool sooner)
{
    uint32_t latency = crl_topology_link_latency(l->topology, 0, f->stride), n = f->size;
    const uint32_t turn = n - 2 - sooner;
    uint32_t low = sooner && n == 3 ? 1 : turn; // of three digits the middle one has it at once
    bool at_once = is_at_once(f, all);
    for (uint32_t a = 0; a < n && at_once; a++)
        for (uint32_t b = 0; b < n; b++)
            if (a < b || (a > b && !last)) send(l, f, a, b);
    if (at_once) l->slot += latency;
    for (uint32_t step = 0, high = 0; !at_once && (step + 1 < n || (!last && low > high)); step++, l->slot += latency) {
        if (step + 1 < n) send(l, f, step, step + 1);
        if (last) continue;
        if (sooner) l->end -= n;
        if (sooner && step == 0) send(l, f, n - 1, n - 2);
        if (step == turn && low == turn) send(l, f, turn + 1, turn);
        if (step + 2 > n && f->shape == CRL_RING && l->both_ways) {
            send(l, f, high ? high - 1 : n - 1, high);
            high++;
        }
        if (step > turn && low > high) {
            send(l, f, low, low - 1);
            low--;
        }
        if (sooner) l->end += n;
    }
}

// Whether lines of the first dimension turn back sooner: links to their last nodes are used again that much later.
static bool turns_sooner(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    const struct crl_factor *f = t->factor;
    return t->factor_count == 2 && problem->ports == CRL_PORTS_ALL && f->size > 2 && !is_at_once(f, true) &&
           (f[1].size == 2 || !is_at_once(&f[1], true)) && problem->chunks <= (f->size + 1) / 2;
}

// What the last nodes of lines that turned back sooner keep, but of the first, which have it: once the nodes before
// them have it, from slot `slot` on.
static void end_sooner(struct lines *l, const struct crl_problem *problem, uint32_t slot)
{
    const struct crl_factor *f = problem->topology->factor;
    uint32_t latency = crl_topology_link_latency(l->topology, 0, f[1].stride);
    for (uint32_t a = 1; a + 1 < f[1].size; a++) {
        l->slot = slot + a * latency;
        l->first = a * f->size;
        l->end = l->first + f->size;
        send(l, f, f->size - 2, f->size - 1);
    }
    l->first = 0;
    l->end = problem->topology->nodes;
}

static int plan_scan_lines(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    bool all = problem->ports == CRL_PORTS_ALL, sooner = turns_sooner(problem);
    struct lines l = {.schedule = schedule, .topology = t, .slot = 1, .end = t->nodes};
    (void)diag;
    for (; l.chunk < problem->chunks; l.chunk++) {
        if (all) l.slot = l.chunk + 1;
        for (uint32_t i = 0; i < t->factor_count; i++) {
            const struct crl_factor *f = &t->factor[i];
            uint32_t slot = l.slot;
            l.both_ways = all && problem->chunks <= f->size; // a link is used again so many steps later
            play_line(&l, f, all, i + 1 == t->factor_count, sooner && i == 0);
            if (sooner && i == 1) end_sooner(&l, problem, slot);
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
    if (turns_sooner(problem)) slots -= t->factor->shape == CRL_RING || t->factor->size == 3 ? 1 : 2;
    return problem->chunks == 1 && crl_topology_latency_max(t) == 1 ? slots : UINT64_MAX;
}

const struct crl_algorithm crl_rows_scan_lines[] = {
    {"scan", "lines", "product without graphs",
     "sum of 2m_i-3 (rings ceil(3m_i/2)-2), m_i-1 of the last; complete factors: 1; all-port, of two paths: 2 less",
     NULL, "dimension by dimension sums go up every line and come down; chunks follow each other slot by slot",
     .handles = CRL_HANDLES_LATENCY, .applies = crl_applies_scan_lines, .plan = plan_scan_lines, .claim = claim},
    {0}};
