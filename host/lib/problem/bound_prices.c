// SPDX-License-Identifier: Apache-2.0
#include "problem/bound_prices.h"
#include "base/base.h"
#include "problem/demand_bound.h"
#include "problem/ways.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rows_init(struct crl_rows *r, const struct crl_topology *t, bool single)
{
    size_t links = crl_topology_links(t), nodes = crl_topology_nodes(t);
    *r = (struct crl_rows){.nodes = (uint32_t)nodes, .single = single};
    bool classes = !single && t->graph && t->graph->link_class;
    size_t count = single ? 2 * nodes : links;
    CRL_NUMBERS(&r->pool, links, &r->from, &r->to);
    CRL_NEW(&r->pool, r->first, nodes + 1);
    CRL_ZEROED(&r->pool, r->price, count);
    CRL_ZEROED(&r->pool, r->value, count);
    if (classes) CRL_NEW(&r->pool, r->of_class, links);
    if (crl_pool_error(&r->pool)) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < nodes; v++) {
        r->first[v] = r->links;
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t u = crl_topology_neighbor(t, v, p);
            if (u == CRL_NONE) continue;
            if (classes) r->of_class[r->links] = t->graph->link_class[(size_t)v * t->ports + p];
            r->from[r->links] = v;
            r->to[r->links++] = u;
        }
    }
    r->first[nodes] = r->links;
    uint32_t hosts;
    const uint32_t *host = crl_topology_hosts(t, &hosts);
    if (host) {
        if (!CRL_NEW(&r->pool, r->forwards, nodes)) return CRL_ERR_MEMORY;
        for (uint32_t v = 0; v < nodes; v++) r->forwards[v] = true;
        for (uint32_t i = 0; i < hosts; i++) r->forwards[host[i]] = false;
    }
    r->count = single ? 2 * r->nodes : classes ? t->graph->link_classes : r->links;
    r->origins = classes ? 1 : r->nodes;
    return 0;
}

// What all packets pay, over what all rows take in a slot.
static double ratio(struct crl_ways *w, const struct crl_rows *r, const double *value, double *paid, double *taken)
{
    *paid = *taken = 0;
    for (uint32_t s = 0; s < r->origins; s++)
        if (!r->forwards || !r->forwards[s]) *paid += crl_ways_find(w, r, value, s, CRL_NONE);
    for (uint32_t i = 0; i < r->count; i++) *taken += value[i];
    return *taken > 0 ? *paid / *taken : 0;
}

// ---------------------------------------------------------------- without a solver

// Every origin in turn moves a part of what it sends to the ways that are cheapest when a row costs the more the fuller
// it is, exponentially.
struct balance {
    struct crl_ways ways;
    double *flow;    // [origins][rows] of what a node sends
    double *load;    // [rows] of all
    double *price;   // [rows]
    double *mean;    // [rows] prices of the last rounds, the older the less, which waver less
    double *best;    // [rows] the prices that proved the most
    double *through; // [nodes]
};

static void move(struct balance *b, const struct crl_rows *r, uint32_t source, double share)
{
    if (r->forwards && r->forwards[source]) return;
    double *flow = b->flow + (size_t)source * r->count;
    crl_ways_find(&b->ways, r, b->price, source, CRL_NONE);
    for (uint32_t i = 0; i < r->count; i++) {
        b->load[i] -= share * flow[i];
        flow[i] *= 1 - share;
    }
    for (uint32_t v = 0; v < r->nodes; v++) b->through[v] = !r->forwards || !r->forwards[v];
    for (uint32_t k = r->nodes; k-- > 1;) {
        uint32_t v = b->ways.order[k], link = b->ways.by[v],
                 row[2] = {crl_row_sends(r, link), crl_row_receives(r, link)};
        for (int side = 0; side < 1 + r->single; side++) {
            flow[row[side]] += share * b->through[v];
            b->load[row[side]] += share * b->through[v];
        }
        b->through[r->from[link]] += b->through[v];
    }
}

#define KEEP 0.02 // of a price in the mean

static double fullest(const struct balance *b, const struct crl_rows *r)
{
    double most = 0;
    for (uint32_t i = 0; i < r->count; i++) most = fmax(most, b->load[i]);
    return most;
}

static void reprice(struct balance *b, const struct crl_rows *r, double steepness)
{
    double most = fullest(b, r), sum = 0;
    for (uint32_t i = 0; i < r->count; i++) sum += b->price[i] = exp(steepness * (b->load[i] / most - 1)) + 1e-9;
    for (uint32_t i = 0; i < r->count; i++) b->mean[i] += KEEP * (b->price[i] / sum - b->mean[i]);
}

static void rounds(struct balance *b, const struct crl_rows *r, uint32_t parts)
{
    enum { ROUNDS = 120 };
    double best = 0, paid, taken;
    for (uint32_t i = 0; i < r->count; i++) b->price[i] = 1;
    for (uint32_t s = 0; s < r->origins; s++) move(b, r, s, 1);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double steepness = 10 * exp(round * log(60) / ROUNDS), share = 1.0 / (2 + round / 2);
        for (uint32_t s = 0; s < r->origins; s++) {
            if (s % 8 == 0) reprice(b, r, steepness);
            move(b, r, s, share);
        }
        double bound = round % 4 == 3 ? ratio(&b->ways, r, b->mean, &paid, &taken) : 0;
        if (bound > best) memcpy(b->best, b->mean, sizeof *b->best * r->count);
        if (bound > best) best = bound;
        if (best > 0 && ceil(parts * fullest(b, r)) - ceil(parts * best) < 0.5) break; // nothing more to be had
    }
}

// Sets the values without a solver, within a percent or two: the dearer a row, the fewer packets take it, and so on.
// *most: slots that no prices prove more than, where each packet has so many parts.
static bool rows_balance(struct crl_rows *r, uint32_t parts, uint64_t *most)
{
    struct balance b = {.flow = calloc((size_t)r->origins * r->count, sizeof(double)),
                        .load = calloc(4 * (size_t)r->count + r->nodes, sizeof(double))};
    bool good = !crl_ways_init(&b.ways, r->nodes) && b.flow && b.load;
    if (good) {
        b.price = b.load + r->count;
        b.mean = b.price + r->count;
        b.best = b.mean + r->count;
        b.through = b.best + r->count;
        rounds(&b, r, parts);
        *most = (uint64_t)ceil(parts * fullest(&b, r));
        memcpy(r->value, b.best, sizeof *r->value * r->count);
    }
    crl_ways_done(&b.ways);
    CRL_FREE(b.flow, b.load);
    return good;
}

// ---------------------------------------------------------------- integers

// What the values prove in `steps` steps. Sums of integers below 2^53 are exact.
static uint64_t slots_of(struct crl_ways *w, const struct crl_rows *r, uint32_t parts, double *rounded, double steps)
{
    double most = 0, paid, taken;
    for (uint32_t i = 0; i < r->count; i++) most = fmax(most, r->value[i]);
    for (uint32_t i = 0; i < r->count; i++)
        rounded[i] = most > 0 && r->value[i] > 0 ? floor(r->value[i] / most * steps + 0.5) : 0;
    ratio(w, r, rounded, &paid, &taken);
    if (taken <= 0 || paid > 0x1p53) return 0;
    return crl_ceil_div((uint64_t)paid * parts, (uint64_t)taken);
}

// Of links side by side the dearer take no packet from its cheapest way: all cost what the cheapest of them does.
static void level(struct crl_rows *r)
{
    for (uint32_t i = 0; i < r->links && r->count == r->links; i++)
        for (uint32_t k = r->first[r->from[i]]; k < r->first[r->from[i] + 1]; k++)
            if (r->to[k] == r->to[i] && r->value[k] < r->value[i]) r->value[i] = r->value[k];
}

// Whether no origin's packets pay less than those of the first, as the symmetries have it. Who says them may err.
static bool are_alike(struct crl_ways *w, const struct crl_rows *r, const double *rounded)
{
    double first = crl_ways_find(w, r, rounded, 0, CRL_NONE);
    for (uint32_t s = r->origins; s < r->nodes; s++)
        if (crl_ways_find(w, r, rounded, s, CRL_NONE) < first) return false;
    return true;
}

// Sets the prices: the values rounded to as few steps as prove as much as many steps do. Returns how many slots they
// prove where each packet has so many parts, with links of latency 1; 0 if none.
static uint64_t rows_round(struct crl_rows *r, uint32_t parts)
{
    enum { FINEST = 1 << 16, FEW = 64 };
    CRL_ENDED(crl_ways_done) struct crl_ways w = {0};
    CRL_OWNED double *rounded = malloc(sizeof *rounded * (r->count + 1));
    uint64_t best = 0, steps = 1;
    if (!crl_ways_init(&w, r->nodes) && rounded) {
        level(r);
        best = slots_of(&w, r, parts, rounded, FINEST);
        for (; steps < FINEST; steps = steps < FEW ? steps + 1 : steps * 2) {
            uint64_t slots = slots_of(&w, r, parts, rounded, (double)steps);
            if (slots < best) continue;
            best = slots;
            break;
        }
        best = slots_of(&w, r, parts, rounded, (double)steps);
        if (!are_alike(&w, r, rounded)) best = 0;
        for (uint32_t i = 0; i < r->count; i++) r->price[i] = (uint32_t)rounded[i];
    }
    return best;
}

// ---------------------------------------------------------------- which networks

// Arrays and tori whose cuts are the bound, and networks too large.
static bool worth_it(const struct crl_problem *p, bool patient)
{
    enum { SMALL = 1 << 14, MANY = 1 << 16, LARGE = 1 << 20, PATIENT_NODES = 1024 };
    const struct crl_topology *t = p->topology;
    bool single = p->ports == CRL_PORTS_SINGLE, files = crl_topology_has(t, CRL_GRAPH) || t->graph;
    bool classes = t->graph && t->graph->link_class; // single-port all nodes are alike, and so are their best prices
    uint64_t flows = crl_topology_links(t) * (classes ? 1 : t->nodes);
    if (crl_topology_is_symmetric(t) || (single ? classes : !files)) return false;
    return flows <= (!files ? SMALL : single ? MANY : LARGE) || (patient && t->nodes <= PATIENT_NODES);
}

// Origins × links of linear programs that take less than a second, some seconds, and half a minute.
enum { SOON = 1 << 14, SECONDS = 50000, LATE = 1 << 16 };

static void find(struct crl_priced *f, const struct crl_problem *p)
{
    bool single = p->ports == CRL_PORTS_SINGLE;
    f->tried = true;
    if (!worth_it(p, f->patient) || rows_init(&f->rows, p->topology, single)) return;
    uint64_t flows = (uint64_t)f->rows.origins * f->rows.links, most = UINT64_MAX;
    bool balanced = flows > SOON && rows_balance(&f->rows, p->parts, &most);
    if (balanced) f->slots = rows_round(&f->rows, p->parts);
    if (f->slots == most) return; // a flow says that there is nothing more
    if (crl_rows_solve(&f->rows, f->patient ? LATE : SECONDS) || (!balanced && rows_balance(&f->rows, p->parts, &most)))
        f->slots = rows_round(&f->rows, p->parts);
}

uint64_t crl_bound_prices(const struct crl_problem *p)
{
    CRL_ENDED(crl_priced_done) struct crl_priced own = {0};
    struct crl_priced *f = p->priced ? p->priced : &own;
    if (!f->tried && !crl_bound_exchange_applies(p)) find(f, p);
    return f->slots;
}

void crl_priced_done(struct crl_priced *f)
{
    crl_pool_done(&f->rows.pool);
    CRL_FREE(f->proof, f->since);
    crl_certificate_done(&f->reason);
    *f = (struct crl_priced){.patient = f->patient};
}
