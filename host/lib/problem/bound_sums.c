// SPDX-License-Identifier: Apache-2.0
// What proves the bounds of all-reduce and scan: parts that must exchange their sums, and single values that must
// reach a node in time. sums_bound.c says why these hold.
#include "base/base.h"
#include "problem/bound.h"
#include <stdlib.h>

static bool is_scan(const struct crl_argument *w) { return crl_problem_scans(w->problem); }

// Marks the nodes that a matching cannot do without: every link leaves a marked sender or enters a marked receiver, and
// they are as many as the matching has links (König).
static void cover(const struct crl_topology *t, uint32_t v, const uint32_t *sender, uint32_t *reached, bool *enters)
{
    if (reached[v] == CRL_NONE) return;
    reached[v] = CRL_NONE;
    for (uint32_t p = 0; p < t->ports; p++) {
        uint32_t u = crl_topology_neighbor(t, v, p);
        if (u == CRL_NONE || enters[u]) continue;
        enters[u] = true;
        if (sender[u] != CRL_NONE) cover(t, sender[u], sender, reached, enters);
    }
}

// Prices of 1 on what all transmissions need: links, or single-port the fewest senders and receivers.
static void price_all(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    bool single = w->problem->ports == CRL_PORTS_SINGLE;
    if (!single || crl_topology_is_symmetric(t)) {
        crl_argue_price(w, single ? CRL_PAYS_SEND : CRL_PAYS_LINK, CRL_NONE, CRL_NONE, 1, 0, 0);
        return;
    }
    CRL_OWNED uint32_t *sender = malloc(sizeof *sender * t->nodes), *tried = calloc(t->nodes, sizeof *tried);
    CRL_OWNED bool *enters = calloc(t->nodes, sizeof *enters), *sends = calloc(t->nodes, sizeof *sends);
    if (!sender || !tried || !enters || !sends) w->error = CRL_ERR_MEMORY;
    if (!w->error) {
        crl_largest_matching(t, sender, tried);
        for (uint32_t v = 0; v < t->nodes; v++) tried[v] = 0;
        for (uint32_t v = 0; v < t->nodes; v++)
            if (sender[v] != CRL_NONE) sends[sender[v]] = true;
        for (uint32_t v = 0; v < t->nodes; v++)
            if (!sends[v]) cover(t, v, sender, tried, enters);
        for (uint32_t v = 0; v < t->nodes; v++) {
            if (tried[v] != CRL_NONE) crl_argue_price(w, CRL_PAYS_SEND, v, CRL_NONE, 1, 0, 0);
            if (enters[v]) crl_argue_price(w, CRL_PAYS_RECV, CRL_NONE, v, 1, 0, 0);
        }
    }
}

// All nodes as parties; single-port with prices that every transmission pays.
static bool singletons(struct crl_argument *w)
{
    if (w->problem->ports == CRL_PORTS_SINGLE) price_all(w);
    return crl_argue(w, CRL_PARTITION);
}

// The layers of a factor as parties: the first `a` and the others, or all of them.
static bool layers(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    bool proved = false;
    for (uint32_t i = 0; i < t->factor_count; i++)
        for (uint32_t a = 1; a <= t->factor[i].size && !proved; a++) {
            const struct crl_factor *f = &t->factor[i];
            for (uint32_t x = 0; x < f->size; x++)
                for (uint32_t v = 0; v < t->nodes && !w->error; v++)
                    if (v / f->stride % f->size == x)
                        w->error = crl_certificate_member(w->certificate, v, a == f->size ? x : x >= a, 0);
            proved = crl_argue(w, CRL_PARTITION);
        }
    return proved;
}

// The parties between which there are fewest links for their number.
static bool strongest(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    CRL_OWNED uint32_t *part = malloc(sizeof *part * t->nodes);
    uint64_t parts, links;
    if (part && crl_bound_strength(t, part, &parts, &links))
        for (uint32_t last = 0; last < t->nodes; last++)
            for (uint32_t v = 0; v <= last && !w->error; v++)
                if (part[v] == last) w->error = crl_certificate_member(w->certificate, v, last, 0);
    return crl_argue(w, CRL_PARTITION);
}

// The chunks of `from` on their way to `to`, over the links from nodes farther than x from `to` to others. since,
// delay: [nodes] slots from the one and to the other, CRL_NONE: not on a way.
static bool carried(struct crl_argument *w, uint32_t from, uint32_t to, uint32_t x, const uint32_t *since,
                    const uint32_t *delay)
{
    const struct crl_topology *t = w->problem->topology;
    w->certificate->from = from;
    crl_argue_to(w, to);
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = 0; p < t->ports && delay[v] > x && delay[v] != CRL_NONE && since[v] != CRL_NONE; p++) {
            uint32_t u = crl_topology_neighbor(t, v, p);
            if (u != CRL_NONE && delay[u] <= x) crl_argue_price(w, CRL_PAYS_LINK, v, u, 1, since[v], delay[u]);
        }
    return crl_argue(w, CRL_CARRIER);
}

// Single-port they enter `to`, or leave `from`, one a slot.
static bool carried_single(struct crl_argument *w, uint32_t from, uint32_t to, uint32_t delay)
{
    const struct crl_topology *t = w->problem->topology;
    uint32_t most = crl_topology_latency_max(t);
    w->certificate->from = from;
    crl_argue_to(w, to);
    crl_argue_price(w, CRL_PAYS_RECV, CRL_NONE, to, 1, delay > most ? delay - most : 0, 0);
    return crl_argue(w, CRL_CARRIER);
}

static bool carriers(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    uint64_t chunks = w->problem->chunks, slots = w->certificate->slots;
    bool proved = false, single = w->problem->ports == CRL_PORTS_SINGLE;
    CRL_OWNED uint32_t *delays = malloc(sizeof *delays * t->nodes), *since = malloc(sizeof *since * t->nodes);
    if (!delays || !since) w->error = CRL_ERR_MEMORY;
    for (uint32_t to = 0; to < t->nodes && !w->error && !proved; to++) {
        const uint32_t top = is_scan(w) ? to : t->nodes - 1;
        crl_bound_delays_below(t, to, true, top, delays);
        for (uint32_t from = 0; from < t->nodes && !proved; from++) {
            if (!crl_problem_is_host(w->problem, from) || !crl_problem_is_host(w->problem, to)) continue;
            uint32_t delay = delays[from];
            if (from == to || delay == CRL_NONE || delay + chunks < slots + 1) continue;
            crl_bound_delays_below(t, from, false, top, since);
            if (delay >= slots) {
                w->certificate->from = from;
                crl_argue_to(w, to);
                proved = crl_argue(w, CRL_CARRIER);
            }
            if (single && !proved) proved = carried_single(w, from, to, delay);
            for (uint32_t x = 0; x < delay && !proved && !single; x++) proved = carried(w, from, to, x, since, delays);
        }
    }
    return proved;
}

// Every node but the first must receive each chunk of a scan.
static bool receipts(struct crl_argument *w)
{
    price_all(w);
    for (uint32_t v = 1; v < w->problem->topology->nodes; v++) crl_argue_to(w, v);
    return crl_argue(w, CRL_WEIGHTS);
}

bool crl_argue_sums(struct crl_argument *w)
{
    if (is_scan(w)) return receipts(w) || carriers(w) || crl_argue(w, CRL_GROWTH);
    if (crl_topology_switches_add(w->problem->topology)) return carriers(w);
    if (w->problem->hosts) return crl_argue(w, CRL_PARTITION) || carriers(w);
    return singletons(w) || layers(w) || (w->problem->ports == CRL_PORTS_ALL && strongest(w)) || carriers(w);
}
