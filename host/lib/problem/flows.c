// SPDX-License-Identifier: Apache-2.0
#include "problem/flows.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- the network

static void least(uint32_t *at, uint32_t value)
{
    if (value < *at) *at = value;
}

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

// The row of a cable that links share, or of a link, which is given one if it is the first.
static uint32_t cable_row(struct crl_flows *f, uint32_t link)
{
    const struct crl_topology *t = f->topology;
    uint32_t cable = crl_topology_shared_cable(t, f->from[link], f->to[link]), row = f->single ? 2 * f->nodes : 0;
    uint32_t gap = crl_topology_gap(t, f->from[link], crl_topology_port_to(t, f->from[link], f->to[link]));
    if (f->single && cable == CRL_NONE && gap == 1) return CRL_NONE; // the nodes say more
    while (cable != CRL_NONE && row < f->rows &&
           crl_topology_shared_cable(t, f->from[f->link[row]], f->to[f->link[row]]) != cable)
        row++;
    if (cable == CRL_NONE) row = f->rows;
    if (row == f->rows) {
        f->rows++;
        f->link[row] = link;
        f->room[row] = cable == CRL_NONE ? f->width[link] : 1;
        f->gap[row] = gap;
        f->late[row] = f->latency[link] - 1;
    }
    least(&f->gap[row], gap);
    least(&f->late[row], f->latency[link] - 1);
    return row;
}

static void list_rows(struct crl_flows *f)
{
    f->rows = f->single ? 2 * f->nodes : 0;
    for (uint32_t i = 0; i < f->rows; i++) {
        f->room[i] = f->gap[i] = 1;
        f->late[i] = crl_topology_latency_min(f->topology) - 1;
    }
    for (uint32_t i = 0; i < f->links; i++) {
        uint32_t *row = &f->row[(size_t)i * CRL_FLOW_ROWS];
        if (f->single) *row++ = f->from[i];
        if (f->single) *row++ = f->nodes + f->to[i];
        *row++ = cable_row(f, i);
        if (!f->single) *row = CRL_NONE;
    }
    for (uint32_t i = 0; i < f->rows; i++) f->capacity[i] = (double)f->room[i] / f->gap[i];
}

struct crl_price crl_flow_line(const struct crl_flows *f, uint32_t row, uint32_t price)
{
    struct crl_price p = {CRL_PAYS_LINK, CRL_NONE, CRL_NONE, price, 0, 0, 0};
    uint32_t link = f->link[row];
    if (f->single && row < 2 * f->nodes) {
        p.payer = row < f->nodes ? CRL_PAYS_SEND : CRL_PAYS_RECV;
        *(row < f->nodes ? &p.from : &p.to) = row % f->nodes;
        return p;
    }
    p.from = f->from[link];
    p.to = f->to[link];
    if (crl_topology_shared_cable(f->topology, p.from, p.to) != CRL_NONE) p.payer = CRL_PAYS_CABLE;
    return p;
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
    size_t rows = links + 2 * nodes;
    *f = (struct crl_flows){.topology = p->topology, .demands = d, .context = p->context, .nodes = (uint32_t)nodes};
    f->single = p->ports == CRL_PORTS_SINGLE;
    struct crl_pool *pool = &f->pool;
    CRL_NUMBERS(pool, links, &f->width, &f->to, &f->from, &f->latency);
    CRL_NEW(pool, f->first, nodes + 1);
    CRL_NEW(pool, f->row, CRL_FLOW_ROWS * links);
    CRL_NUMBERS(pool, rows, &f->link, &f->room, &f->gap, &f->late, &f->after, &f->before, &f->price);
    CRL_NEW(pool, f->capacity, rows);
    CRL_NEW(pool, f->start, nodes);
    CRL_ZEROED(pool, f->need, nodes * nodes);
    CRL_NUMBERS(pool, d->count, &f->many, &f->named);
    CRL_ZEROED(pool, f->value, rows);
    CRL_ZEROED(pool, f->found, rows);
    CRL_ZEROED(pool, f->cost, links);
    CRL_NEW(pool, f->enters, nodes * nodes);
    CRL_NEW(pool, f->leaves, nodes * nodes);
    if (crl_ways_init(&f->ways, f->nodes) || crl_pool_error(pool)) return CRL_ERR_MEMORY;
    list_links(f);
    list_needs(f, from);
    list_rows(f);
    return crl_flows_window(f, 0, 0);
}

void crl_flows_done(struct crl_flows *f)
{
    crl_pool_done(&f->pool);
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
    bool differ = crl_topology_latency_max(f->topology) != crl_topology_latency_min(f->topology);
    uint32_t apart = f->single && differ ? 2 * f->nodes : 0; // rows of nodes
    for (uint32_t i = 0; i < f->rows; i++) {
        f->after[i] = i < apart ? 0 : CRL_DEMAND_SLOT_MAX;
        f->before[i] = i < apart ? f->late[i] : CRL_DEMAND_SLOT_MAX;
    }
    for (uint32_t i = 0; i < f->links; i++) CRL_FLOW_EACH(f, i, row)
        {
            if (*row < apart) continue;
            least(&f->after[*row], larger(ready[f->from[i]], f->skip));
            least(&f->before[*row], larger(rest[f->to[i]], f->spare) + f->latency[i] - 1);
        }
}

int crl_flows_window(struct crl_flows *f, uint32_t skip, uint32_t spare)
{
    CRL_OWNED bool *wants = calloc(f->nodes, sizeof *wants);
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

// What all packets pay at least over links that can be used if all ends by slot `last`, at values [rows].
static double flows_due(struct crl_flows *f, const double *value, uint64_t last)
{
    double due = 0;
    for (uint32_t i = 0; i < f->links; i++) {
        f->cost[i] = crl_flow_cost(f, value, i);
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

// What rows take in so many slots, of which those count that `slots` open.
static double taken(const struct crl_flows *f, const double *value, uint64_t last, uint64_t slots, bool windows)
{
    double sum = 0;
    for (uint32_t i = 0; i < f->rows; i++) {
        uint64_t shut = f->endless ? 0 : windows ? crl_flow_shut(f, i) : f->late[i];
        if (shut >= slots || !(value[i] > 0)) continue;
        bool round = f->endless && f->room[i] == 1; // as the checker of certificates has it
        uint64_t times = round ? last / f->gap[i] : crl_ceil_div(last - shut, f->gap[i]);
        sum += value[i] * f->room[i] * (double)times;
    }
    return sum;
}

uint64_t crl_flows_least(const struct crl_flows *f, const double *value, double due, uint64_t slots, bool windows)
{
    uint64_t few = slots, step = 1; // that are too few
    if (taken(f, value, few, slots, windows) >= due) return slots;
    while (taken(f, value, few + step, slots, windows) < due && step < UINT32_MAX) step *= 2;
    for (; step; step /= 2)
        if (taken(f, value, few + step, slots, windows) < due) few += step;
    return few + 1;
}

// Slots that integer values prove, given that `slots` are sure; 0: no more than these. Sums of integers below 2^53 are
// exact.
static uint64_t slots_of(struct crl_flows *f, const double *value, uint64_t slots)
{
    double due = flows_due(f, value, slots);
    uint64_t least = due < 0x1p53 ? crl_flows_least(f, value, due, slots, true) : 0;
    return least > slots && least < UINT32_MAX ? least : 0;
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
