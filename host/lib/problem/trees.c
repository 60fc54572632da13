// SPDX-License-Identifier: Apache-2.0
#include "problem/trees.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is moved at once: a demand with several destinations, or all that a source sends to one each.
struct trees {
    struct crl_flows *flows;
    struct crl_certificate *reason;
    struct crl_steiner steiner;
    uint32_t count, first_source; // of what is moved; those from here on are sources
    uint32_t *source;             // the node
    double *flow;                 // [count][rows]
    double *load, *price, *mean;  // [rows]
    double *whole, *best;         // [rows] prices in integers, and those that prove the most
    uint64_t slots;               // that these prove
    double *cost;                 // [links]
    double *through;              // [nodes]
    double *moved;                // [rows] of one of them
    bool *used;                   // [links]
    int error;
};

static const struct crl_demand *demand_of(const struct trees *t, uint32_t i)
{
    return &t->flows->demands->demand[t->flows->many[i]];
}

static void set_costs(struct trees *t, const double *value)
{
    const struct crl_flows *f = t->flows;
    for (uint32_t i = 0; i < f->links; i++) t->cost[i] = crl_flow_cost(f, value, i);
}

static void ways_from(struct trees *t, uint32_t source)
{
    struct crl_ways *w = &t->flows->ways;
    crl_ways_begin(w, t->flows->nodes);
    crl_ways_enter(w, source);
    crl_ways_spread(w, t->flows->first, t->flows->to, t->cost);
}

// ---------------------------------------------------------------- what is due

static double due(struct trees *t, const double *value)
{
    const struct crl_flows *f = t->flows;
    double sum = 0;
    set_costs(t, value);
    for (uint32_t i = 0; i < t->first_source; i++) {
        const struct crl_demand *d = demand_of(t, i);
        sum +=
            d->packets * crl_steiner_ascend(&t->steiner, t->cost, d->src, d->dst, d->dst_count, NULL, NULL, &t->error);
    }
    for (uint32_t i = t->first_source; i < t->count; i++) {
        ways_from(t, t->source[i]);
        for (uint32_t v = 0; v < f->nodes; v++) {
            double packets = f->need[(size_t)t->source[i] * f->nodes + v];
            if (packets > 0) sum += packets * f->ways.cost[v];
        }
    }
    return sum;
}

// ---------------------------------------------------------------- moving

static void load_link(struct trees *t, uint32_t link, double packets)
{
    CRL_FLOW_EACH(t->flows, link, at) t->moved[*at] += packets;
}

static void find_tree(struct trees *t, uint32_t i)
{
    const struct crl_demand *d = demand_of(t, i);
    crl_steiner_ascend(&t->steiner, t->cost, d->src, d->dst, d->dst_count, NULL, NULL, &t->error);
    crl_steiner_tree(&t->steiner, t->cost, d->src, d->dst, d->dst_count, t->used);
    for (uint32_t k = 0; k < t->flows->links; k++)
        if (t->used[k]) load_link(t, k, d->packets);
}

static void find_paths(struct trees *t, uint32_t i)
{
    const struct crl_flows *f = t->flows;
    ways_from(t, t->source[i]);
    memcpy(t->through, f->need + (size_t)t->source[i] * f->nodes, sizeof *t->through * f->nodes);
    for (uint32_t k = f->ways.settled; k-- > 1;) {
        uint32_t v = f->ways.order[k], link = f->ways.by[v];
        load_link(t, link, t->through[v]);
        t->through[f->from[link]] += t->through[v];
    }
}

static void move(struct trees *t, uint32_t i, double share)
{
    double *flow = t->flow + (size_t)i * t->flows->rows;
    memset(t->moved, 0, sizeof *t->moved * t->flows->rows);
    set_costs(t, t->price);
    if (i < t->first_source) find_tree(t, i);
    else find_paths(t, i);
    for (uint32_t k = 0; k < t->flows->rows; k++) {
        double change = share * (t->moved[k] - flow[k]);
        flow[k] += change;
        t->load[k] += change;
    }
}

#define KEEP 0.03 // of a price in the mean

static double fullest(const struct trees *t)
{
    double most = 0;
    for (uint32_t i = 0; i < t->flows->rows; i++) most = fmax(most, t->load[i] / t->flows->capacity[i]);
    return most;
}

static uint32_t late(const struct trees *t)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->flows->rows && !t->flows->endless; i++)
        if (t->flows->late[i] > most) most = t->flows->late[i];
    return most;
}

static void reprice(struct trees *t, double steepness)
{
    const struct crl_flows *f = t->flows;
    double most = fullest(t), sum = 0;
    for (uint32_t i = 0; i < f->rows; i++)
        sum += t->price[i] = exp(steepness * (t->load[i] / f->capacity[i] / most - 1)) + 1e-9;
    for (uint32_t i = 0; i < f->rows; i++) t->mean[i] += KEEP * (t->price[i] / sum - t->mean[i]);
}

// ---------------------------------------------------------------- integers

// What the mean proves in so many steps. Sums of integers below 2^53 are exact. The best are kept.
static void try_steps(struct trees *t, double steps)
{
    double most = 0;
    for (uint32_t i = 0; i < t->flows->rows; i++) most = fmax(most, t->mean[i]);
    for (uint32_t i = 0; i < t->flows->rows; i++) t->whole[i] = floor(t->mean[i] / most * steps + 0.5);
    double owed = due(t, t->whole);
    if (!(owed < 0x1p53)) return;
    uint64_t slots = crl_flows_least(t->flows, t->whole, owed, late(t) + UINT64_C(1), false);
    if (slots <= t->slots || slots <= late(t) + UINT64_C(1) || slots >= UINT32_MAX) return;
    t->slots = slots;
    memcpy(t->best, t->whole, sizeof *t->best * t->flows->rows);
}

// The best prices are mostly those of a few cuts, so few steps prove more than many.
static void run(struct trees *t, uint32_t rounds)
{
    enum { PATIENCE = 40 }; // rounds in which nothing more is proved
    static const double steps[] = {1, 2, 3, 5, 12, 1000};
    uint32_t proved = 0;
    for (uint32_t i = 0; i < t->flows->rows; i++) t->price[i] = 1;
    for (uint32_t i = 0; i < t->count; i++) move(t, i, 1);
    for (uint32_t round = 0; round < rounds && !t->error; round++) {
        double steepness = 10 * exp(round * log(30) / rounds), share = 1.0 / (2 + round / 2);
        for (uint32_t i = 0; i < t->count; i++) {
            if (i % 8 == 0) reprice(t, steepness);
            move(t, i, share);
        }
        uint64_t before = t->slots;
        for (size_t k = 0; k < sizeof steps / sizeof *steps && round % 4 == 3; k++) try_steps(t, steps[k]);
        if (t->slots > before) proved = round;
        if (round > proved + PATIENCE) break;
        if ((double)t->slots + 1 > late(t) + fullest(t)) break; // no such prices prove more
    }
}

struct writing {
    struct trees *trees;
    const char *id;
};

static int write_set(void *user, const struct crl_steiner *s, double value)
{
    struct writing *w = user;
    struct crl_certificate *c = w->trees->reason;
    int error = crl_certificate_name(c, w->id, true, (uint32_t)value, 0);
    for (uint32_t v = 0; v < s->nodes && !error; v++)
        if (s->inside[v]) error = crl_certificate_set(c, v);
    return error;
}

static int write_price(struct trees *t, uint32_t row)
{
    struct crl_price p = crl_flow_line(t->flows, row, (uint32_t)t->best[row]);
    return p.price ? crl_certificate_price(t->reason, p) : 0;
}

// The sets of the prices as they are.
static void write(struct trees *t)
{
    struct crl_certificate *c = t->reason;
    c->prices = c->nameds = c->members = c->id_count = 0;
    c->slots = (uint32_t)t->slots;
    for (uint32_t i = 0; i < t->flows->rows && !t->error; i++) t->error = write_price(t, i);
    set_costs(t, t->best);
    for (uint32_t i = 0; i < t->first_source && !t->error; i++) {
        const struct crl_demand *d = demand_of(t, i);
        struct writing w = {t, d->id};
        if (!d->offset && *d->id)
            crl_steiner_ascend(&t->steiner, t->cost, d->src, d->dst, d->dst_count, write_set, &w, &t->error);
    }
}

// ---------------------------------------------------------------- all

static int init(struct trees *t)
{
    const struct crl_flows *f = t->flows;
    size_t rows = f->rows, nodes = f->nodes, links = f->links + UINT64_C(1);
    t->count = t->first_source = f->many_count;
    t->source = malloc(sizeof *t->source * (nodes + t->count));
    for (uint32_t s = 0; s < f->nodes && t->source; s++)
        for (uint32_t v = 0; v < f->nodes; v++)
            if (f->need[s * nodes + v] > 0) {
                t->source[t->count++] = s;
                break;
            }
    t->flow = calloc(t->count * rows + 1, sizeof *t->flow);
    t->load = calloc(6 * rows + links + nodes, sizeof *t->load);
    t->used = malloc(sizeof *t->used * links);
    if (!t->source || !t->flow || !t->load || !t->used) return CRL_ERR_MEMORY;
    t->price = t->load + rows;
    t->mean = t->price + rows;
    t->best = t->mean + rows;
    t->whole = t->best + rows;
    t->moved = t->whole + rows;
    t->cost = t->moved + rows;
    t->through = t->cost + links;
    return crl_steiner_init(&t->steiner, f->nodes, f->links, f->from, f->to);
}

int crl_trees_bound(struct crl_certificate *reason, struct crl_flows *f, uint32_t rounds)
{
    struct trees t = {.flows = f, .reason = reason};
    t.error = init(&t);
    if (!t.error) run(&t, rounds);
    if (!t.error) memcpy(f->value, t.best, sizeof *f->value * f->rows);
    if (!t.error && t.slots > reason->slots) write(&t);
    crl_steiner_done(&t.steiner);
    CRL_FREE(t.source, t.flow, t.load, t.used);
    return t.error;
}
