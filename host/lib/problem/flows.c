// SPDX-License-Identifier: Apache-2.0
#include "problem/flows.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- the network

static void list_links(struct crl_flows *f)
{
    const struct crl_topology *t = f->topology;
    for (uint32_t v = 0; v < f->nodes; v++) {
        f->first[v] = f->links;
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t u = crl_topology_neighbor(t, v, p), i = f->first[v];
            if (u == CRL_NONE) continue;
            while (i < f->links && f->to[i] != u) i++;
            if (i == f->links) {
                f->from[i] = v;
                f->to[i] = u;
                f->latency[i] = crl_topology_latency(t, v, p);
                f->links++;
            }
            f->width[i]++;
        }
    }
    f->first[f->nodes] = f->links;
}

static void name_farthest(struct crl_flows *f, uint32_t i)
{
    const struct crl_demand *demand = &f->demands->demand[i];
    uint32_t far = crl_demand_farthest(demand, f->topology), k = 0;
    while (demand->dst[k] != far) k++;
    f->named[f->many_count] = k;
    f->many[f->many_count++] = i;
}

static void list_needs(struct crl_flows *f, const uint64_t *from)
{
    const struct crl_demands *d = f->demands;
    for (uint32_t v = 0; v < f->nodes; v++) f->start[v] = UINT64_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct crl_demand *demand = &d->demand[i];
        if (from[i] - 1 < f->start[demand->src]) f->start[demand->src] = from[i] - 1;
        if (demand->dst_count > 1) name_farthest(f, i);
        else f->need[(size_t)demand->src * f->nodes + *demand->dst] += demand->packets;
    }
}

int crl_flows_init(struct crl_flows *f, const struct crl_problem *p, const struct crl_demands *d, const uint64_t *from)
{
    size_t nodes = crl_topology_nodes(p->topology), links = crl_topology_links(p->topology) + 1;
    size_t rows = links > 2 * nodes ? links : 2 * nodes;
    *f = (struct crl_flows){.topology = p->topology, .demands = d, .context = p->context, .nodes = (uint32_t)nodes};
    f->single = p->ports == CRL_PORTS_SINGLE;
    f->from = malloc(3 * sizeof *f->from * links);
    f->width = calloc(links, sizeof *f->width);
    f->first = malloc(sizeof *f->first * (nodes + 1));
    f->capacity = malloc(4 * sizeof *f->capacity * rows);
    f->start = malloc(sizeof *f->start * nodes);
    f->need = calloc(nodes * nodes, sizeof *f->need);
    f->many = malloc(2 * sizeof *f->many * (d->count + UINT64_C(1)));
    f->value = calloc(2 * rows + links, sizeof *f->value);
    f->enters = malloc(2 * sizeof *f->enters * nodes * nodes);
    int error = crl_ways_init(&f->ways, f->nodes);
    if (error || !f->from || !f->width || !f->first || !f->capacity || !f->start || !f->need || !f->many || !f->value ||
        !f->enters)
        return CRL_ERR_MEMORY;
    f->leaves = f->enters + nodes * nodes;
    f->named = f->many + d->count;
    f->to = f->from + links;
    f->latency = f->to + links;
    f->after = f->capacity + rows;
    f->before = f->after + rows;
    f->price = f->before + rows;
    f->found = f->value + rows;
    f->cost = f->found + rows;
    list_links(f);
    list_needs(f, from);
    f->rows = f->single ? 2 * f->nodes : f->links;
    for (uint32_t i = 0; i < f->rows; i++) f->capacity[i] = f->single ? 1 : f->width[i];
    return crl_flows_window(f, 0, 0);
}

void crl_flows_done(struct crl_flows *f)
{
    free(f->from);
    free(f->width);
    free(f->first);
    free(f->capacity);
    free(f->start);
    free(f->need);
    free(f->many);
    free(f->value);
    free(f->enters);
    crl_ways_done(&f->ways);
    *f = (struct crl_flows){0};
}

// ---------------------------------------------------------------- windows

// The first slot in which anything can be at a node, less one; UINT64_MAX: never.
static uint64_t soonest(const struct crl_flows *f, uint32_t node)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t s = 0; s < f->nodes; s++) {
        if (f->start[s] == UINT64_MAX || crl_topology_distance(f->topology, s, node) == CRL_NONE) continue;
        uint64_t slots = f->start[s] + crl_topology_delay(f->topology, s, node);
        if (slots < best) best = slots;
    }
    return best;
}

// Slots from a node to the nearest destination.
static uint64_t nearest(const struct crl_flows *f, uint32_t node, const bool *wants)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t v = 0; v < f->nodes; v++) {
        if (!wants[v] || crl_topology_distance(f->topology, node, v) == CRL_NONE) continue;
        uint64_t slots = crl_topology_delay(f->topology, node, v);
        if (slots < best) best = slots;
    }
    return best;
}

static void list_wanting(const struct crl_flows *f, bool *wants)
{
    for (uint32_t i = 0; i < f->demands->count; i++)
        for (uint32_t k = 0; k < f->demands->demand[i].dst_count; k++) wants[f->demands->demand[i].dst[k]] = true;
}

static uint32_t larger(uint64_t a, uint64_t b)
{
    uint64_t most = a > b ? a : b;
    return most > CRL_DEMAND_SLOT_MAX ? CRL_DEMAND_SLOT_MAX : (uint32_t)most;
}

static void least(uint32_t *at, uint32_t value)
{
    if (value < *at) *at = value;
}

// From `source` in the first slots, or to `dest` in the last, without paying.
static bool can_enter(const struct crl_flows *f, uint32_t source, uint32_t node)
{
    const struct crl_topology *t = f->topology;
    for (uint32_t p = 0; p < crl_topology_ports(t) && f->start[source] < f->skip; p++) {
        uint32_t u = crl_topology_behind(t, node, p);
        if (u != CRL_NONE && crl_topology_distance(t, source, u) != CRL_NONE &&
            f->start[source] + crl_topology_delay(t, source, u) < f->skip)
            return true;
    }
    return source == node;
}

static bool can_leave(const struct crl_flows *f, uint32_t node, uint32_t dest)
{
    const struct crl_topology *t = f->topology;
    for (uint32_t p = 0; p < crl_topology_ports(t) && f->spare; p++) {
        uint32_t v = crl_topology_neighbor(t, node, p);
        if (v != CRL_NONE && crl_topology_distance(t, v, dest) != CRL_NONE && crl_topology_delay(t, v, dest) < f->spare)
            return true;
    }
    return dest == node;
}

static void set_free(struct crl_flows *f)
{
    for (uint32_t s = 0; s < f->nodes; s++)
        for (uint32_t v = 0; v < f->nodes; v++) {
            f->enters[(size_t)s * f->nodes + v] = can_enter(f, s, v);
            f->leaves[(size_t)s * f->nodes + v] = can_leave(f, v, s);
        }
}

// Windows of rows: where links of single-port nodes differ in latency, only that all are so late.
static void set_rows(struct crl_flows *f, const uint64_t *ready, const uint64_t *rest)
{
    uint32_t late = crl_topology_latency_min(f->topology) - 1;
    bool apart = f->single && crl_topology_latency_max(f->topology) != late + 1;
    for (uint32_t i = 0; i < f->rows; i++) {
        f->after[i] = apart ? 0 : CRL_DEMAND_SLOT_MAX;
        f->before[i] = apart ? late : CRL_DEMAND_SLOT_MAX;
    }
    for (uint32_t i = 0; i < f->links && !apart; i++)
        for (int side = 0; side < 1 + f->single; side++) {
            uint32_t row = side ? crl_flow_receives(f, i) : crl_flow_sends(f, i);
            least(&f->after[row], larger(ready[f->from[i]], f->skip));
            least(&f->before[row], larger(rest[f->to[i]], f->spare) + f->latency[i] - 1);
        }
}

int crl_flows_window(struct crl_flows *f, uint32_t skip, uint32_t spare)
{
    bool *wants = calloc(f->nodes, sizeof *wants);
    uint64_t *ready = malloc(2 * sizeof *ready * f->nodes), *rest = ready + f->nodes;
    bool good = wants && ready;
    f->skip = skip;
    f->spare = spare;
    if (good) list_wanting(f, wants);
    for (uint32_t v = 0; v < f->nodes && good; v++) {
        ready[v] = soonest(f, v);
        rest[v] = nearest(f, v, wants);
    }
    if (good) set_rows(f, ready, rest);
    if (good && (skip || spare)) set_free(f);
    free(wants);
    free(ready);
    return good ? 0 : CRL_ERR_MEMORY;
}

void crl_flows_endless(struct crl_flows *f)
{
    f->endless = true;
    memset(f->after, 0, sizeof *f->after * f->rows);
    memset(f->before, 0, sizeof *f->before * f->rows);
}

// ---------------------------------------------------------------- what is due

// What a packet pays that has come from the source of the ways to `dest`.
static double to_dest(const struct crl_flows *f, uint32_t dest)
{
    double cost = f->ways.cost[dest];
    for (uint32_t v = 0; v < f->nodes && f->spare; v++)
        if (f->leaves[(size_t)dest * f->nodes + v] && f->ways.cost[v] < cost) cost = f->ways.cost[v];
    return cost;
}

static void ways_from(struct crl_flows *f, uint32_t source)
{
    crl_ways_begin(&f->ways, f->nodes);
    for (uint32_t v = 0; v < f->nodes; v++)
        if (v == source || (f->skip && f->enters[(size_t)source * f->nodes + v])) crl_ways_enter(&f->ways, v);
    crl_ways_spread(&f->ways, f->first, f->to, f->cost);
}

double crl_flows_due(struct crl_flows *f, const double *value, uint64_t last)
{
    double due = 0;
    for (uint32_t i = 0; i < f->links; i++) {
        f->cost[i] = value[crl_flow_sends(f, i)] + (f->single ? value[crl_flow_receives(f, i)] : 0);
        if (!crl_flow_open(f, i, last)) f->cost[i] = INFINITY;
    }
    for (uint32_t s = 0; s < f->nodes; s++) {
        if (f->start[s] == UINT64_MAX) continue;
        ways_from(f, s);
        for (uint32_t v = 0; v < f->nodes; v++)
            if (f->need[(size_t)s * f->nodes + v] > 0) due += f->need[(size_t)s * f->nodes + v] * to_dest(f, v);
        for (uint32_t i = 0; i < f->many_count; i++) {
            const struct crl_demand *demand = &f->demands->demand[f->many[i]];
            double dearest = -1;
            for (uint32_t k = 0; k < demand->dst_count && demand->src == s; k++) {
                double cost = to_dest(f, demand->dst[k]);
                if (cost > dearest) f->named[i] = k;
                dearest = fmax(dearest, cost);
            }
            due += dearest > 0 ? demand->packets * dearest : 0;
        }
    }
    return due;
}

// ---------------------------------------------------------------- integers

// Slots that integer values prove, given that `slots` are sure; 0: no more than these. Sums of integers below 2^53 are
// exact.
static uint64_t slots_of(struct crl_flows *f, const double *value, uint64_t slots)
{
    double taken = 0, shut = 0, due = crl_flows_due(f, value, slots);
    for (uint32_t i = 0; i < f->rows; i++) {
        if (crl_flow_shut(f, i) >= slots) continue;
        taken += value[i] * f->capacity[i];
        shut += value[i] * f->capacity[i] * (double)crl_flow_shut(f, i);
    }
    if (taken <= 0 || !(due + shut < 0x1p53) || due + shut <= taken * (double)slots) return 0;
    return crl_ceil_div((uint64_t)(due + shut), (uint64_t)taken);
}

// What the values prove in `steps` steps: as far as no link opens at once, and then with those that have.
static uint64_t rounded(struct crl_flows *f, double most, double steps, uint64_t slots)
{
    for (uint32_t i = 0; i < f->rows; i++) f->found[i] = f->value[i] > 0 ? floor(f->value[i] / most * steps + 0.5) : 0;
    for (uint64_t proved; (proved = slots_of(f, f->found, slots)) > slots; slots = proved)
        for (uint32_t i = 0; i < f->rows; i++)
            if (crl_flow_shut(f, i) >= slots && crl_flow_shut(f, i) + 1 < proved) proved = crl_flow_shut(f, i) + 1;
    return slots;
}

bool crl_flows_round(struct crl_flows *f, uint64_t slots)
{
    enum { FINEST = 1 << 16, FEW = 64 };
    double most = 0;
    for (uint32_t i = 0; i < f->rows; i++) most = fmax(most, f->value[i]);
    uint64_t steps = 1, best = most > 0 ? rounded(f, most, FINEST, slots) : 0;
    if (best <= slots) return false;
    while (steps < FINEST && rounded(f, most, (double)steps, slots) < best) steps = steps < FEW ? steps + 1 : steps * 2;
    f->slots = rounded(f, most, (double)steps, slots);
    for (uint32_t i = 0; i < f->rows; i++) f->price[i] = (uint32_t)f->found[i];
    return true;
}
