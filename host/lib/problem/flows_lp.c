// SPDX-License-Identifier: Apache-2.0
// The flow of all packets as a linear program: for each source how much of what it sends is on each link; T at least
// what every row carries and the slots in which it takes nothing. Solved by Clp's barrier method, where the program was
// built with it.
#include "base/base.h"
#include "problem/flows.h"

// A demand with several destinations is one for the one that is named here.
static double need(const struct crl_flows *f, uint32_t source, uint32_t dest)
{
    double sum = f->need[(size_t)source * f->nodes + dest];
    for (uint32_t i = 0; i < f->many_count; i++) {
        const struct crl_demand *demand = &f->demands->demand[f->many[i]];
        sum += demand->src == source && demand->dst[f->named[i]] == dest ? demand->packets : 0;
    }
    return sum;
}

// Nodes from which packets of a source may leave for their destinations.
static uint64_t exits(const struct crl_flows *f, uint32_t source)
{
    uint64_t count = 0;
    for (uint32_t dest = 0; dest < f->nodes && f->spare; dest++)
        for (uint32_t v = 0; v < f->nodes && need(f, source, dest) > 0; v++)
            count += f->leaves[(size_t)dest * f->nodes + v];
    return count;
}

uint64_t crl_flows_columns(const struct crl_flows *f)
{
    uint64_t columns = 0;
    for (uint32_t v = 0; v < f->nodes; v++)
        if (f->start[v] != UINT64_MAX) columns += f->links + exits(f, v);
    return columns;
}

#ifdef CRL_CLP
#include <coin/Clp_C_Interface.h>
#include <stdlib.h>

struct program {
    const struct crl_flows *flows;
    uint64_t last;
    Clp_Simplex *model;
    int columns, rows, entries;
    size_t column_room, row_room, entry_room;
    int *start, *row;
    double *factor, *most, *cost, *row_least, *row_most;
    int *transit; // [nodes] rows of what comes to a node and leaves it, of one source
    bool failed;
};

static void program_done(struct program *p)
{
    void *const arrays[] = {p->start, p->row, p->factor, p->most, p->cost, p->row_least, p->row_most, p->transit};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    if (p->model) Clp_deleteModel(p->model);
}

static int add_row(struct program *p, double least, double most)
{
    size_t room = p->row_room;
    p->failed |= crl_grow((void **)&p->row_least, &room, (size_t)p->rows, sizeof *p->row_least) ||
                 crl_grow((void **)&p->row_most, &p->row_room, (size_t)p->rows, sizeof *p->row_most);
    if (p->failed) return 0;
    p->row_least[p->rows] = least;
    p->row_most[p->rows] = most;
    return p->rows++;
}

static void add_column(struct program *p, double cost)
{
    size_t room[2] = {p->column_room, p->column_room};
    p->failed |= crl_grow((void **)&p->start, &room[0], (size_t)p->columns + 1, sizeof *p->start) ||
                 crl_grow((void **)&p->most, &room[1], (size_t)p->columns + 1, sizeof *p->most) ||
                 crl_grow((void **)&p->cost, &p->column_room, (size_t)p->columns + 1, sizeof *p->cost);
    if (p->failed) return;
    p->start[p->columns] = p->entries;
    p->most[p->columns] = 1e30;
    p->cost[p->columns++] = cost;
}

static void enter(struct program *p, int row, double factor)
{
    size_t room = p->entry_room;
    if (row < 0) return;
    p->failed |= crl_grow((void **)&p->row, &room, (size_t)p->entries, sizeof *p->row) ||
                 crl_grow((void **)&p->factor, &p->entry_room, (size_t)p->entries, sizeof *p->factor);
    if (p->failed) return;
    p->row[p->entries] = row;
    p->factor[p->entries++] = factor;
}

// What comes to `dest` and stays there is what it needs; with `spare` also from nodes from which the rest is free.
static void fill_exits(struct program *p, uint32_t source, uint32_t dest)
{
    const struct crl_flows *f = p->flows;
    double packets = need(f, source, dest);
    const bool *leaves = f->leaves + (size_t)dest * f->nodes;
    if (packets <= 0 || leaves[source]) return;
    int row = add_row(p, packets, packets);
    for (uint32_t v = 0; v < f->nodes; v++) {
        if (v == source || !leaves[v]) continue;
        add_column(p, 0);
        enter(p, p->transit[v], -1);
        enter(p, row, 1);
    }
}

// The flow of what one source sends. Row 0 and those that follow are the rows that have prices.
static void fill_source(struct program *p, uint32_t source)
{
    const struct crl_flows *f = p->flows;
    for (uint32_t v = 0; v < f->nodes; v++) {
        double stays = v == source || f->spare ? 0 : need(f, source, v);
        p->transit[v] = v == source ? -1 : add_row(p, stays, stays);
    }
    for (uint32_t i = 0; i < f->links; i++) {
        if (f->to[i] == source || !crl_flow_open(f, i, p->last)) continue;
        add_column(p, 0);
        CRL_FLOW_EACH(f, i, at) enter(p, (int)*at, 1);
        enter(p, p->transit[f->to[i]], 1);
        enter(p, p->transit[f->from[i]], -1);
    }
    for (uint32_t v = 0; v < f->nodes && f->skip; v++) {
        if (v == source || !f->enters[(size_t)source * f->nodes + v]) continue;
        add_column(p, 0);
        enter(p, p->transit[v], 1);
    }
    for (uint32_t v = 0; v < f->nodes && f->spare; v++) fill_exits(p, source, v);
}

static bool fill(struct program *p)
{
    const struct crl_flows *f = p->flows;
    p->transit = malloc(sizeof *p->transit * f->nodes);
    if (!p->transit) return false;
    for (uint32_t i = 0; i < f->rows; i++) {
        bool open = crl_flow_shut(f, i) < p->last;
        add_row(p, -1e30, open ? -(double)crl_flow_shut(f, i) * f->capacity[i] : 1e30);
    }
    add_column(p, 1); // T, which is to be small
    for (uint32_t i = 0; i < f->rows; i++)
        if (crl_flow_shut(f, i) < p->last) enter(p, (int)i, -f->capacity[i]);
    for (uint32_t s = 0; s < f->nodes; s++)
        if (f->start[s] != UINT64_MAX) fill_source(p, s);
    if (!p->failed) p->start[p->columns] = p->entries;
    return !p->failed;
}

// The dual values of the rows; NULL: there is no solution.
static const double *solve(struct program *p, int (*method)(Clp_Simplex *model))
{
    Clp_setLogLevel(p->model, 0);
    Clp_loadProblem(p->model, p->columns, p->rows, p->start, p->row, p->factor, NULL, p->most, p->cost, p->row_least,
                    p->row_most);
    method(p->model);
    return Clp_status(p->model) ? NULL : Clp_dualRowSolution(p->model);
}

bool crl_flows_solve(struct crl_flows *f, uint64_t last)
{
    CRL_ENDED(program_done) struct program p = {.flows = f, .last = last};
    const double *dual = NULL;
    // The barrier method gives up the program where few demands leave many ways alike; those are quick without it.
    bool few = f->demands->count < f->nodes;
    if (fill(&p) && (p.model = Clp_newModel()))
        dual = solve(&p, few ? Clp_initialDualSolve : Clp_initialBarrierNoCrossSolve);
    for (uint32_t i = 0; i < f->rows && dual; i++) f->value[i] = dual[i] < 0 ? -dual[i] : 0;
    return dual;
}
// ---------------------------------------------------------------- slot by slot

// Whether a packet of a source can be at `node` after t slots and still go on to a destination.
static bool can_be(const struct program *p, uint32_t source, uint32_t node, uint64_t t)
{
    const struct crl_flows *f = p->flows;
    if (f->start[source] + crl_topology_delay(f->topology, source, node) > t) return false;
    for (uint32_t v = 0; v < f->nodes; v++)
        if (f->need[(size_t)source * f->nodes + v] > 0 && t + crl_topology_delay(f->topology, node, v) <= p->last)
            return true;
    return false;
}

// The row of what is at a node after t slots; -1: none. That of the source, where there is always enough, is none.
static int *place(const struct program *p, uint32_t node, uint64_t t)
{
    return &p->transit[t * p->flows->nodes + node];
}

static void fill_places(struct program *p, uint32_t source)
{
    const struct crl_flows *f = p->flows;
    for (uint64_t t = 0; t <= p->last; t++)
        for (uint32_t v = 0; v < f->nodes; v++) {
            double stays = t == p->last ? f->need[(size_t)source * f->nodes + v] : 0;
            *place(p, v, t) = v == source || !can_be(p, source, v, t) ? -1 : add_row(p, stays, stays);
        }
}

// Rows of prices are those of a link in a slot: link · last + slot − 1.
static void fill_in_time(struct program *p, uint32_t source)
{
    const struct crl_flows *f = p->flows;
    fill_places(p, source);
    for (uint64_t t = 0; t < p->last; t++) {
        for (uint32_t v = 0; v < f->nodes; v++) {
            if (*place(p, v, t) < 0 || *place(p, v, t + 1) < 0) continue;
            add_column(p, 0); // waits
            enter(p, *place(p, v, t), -1);
            enter(p, *place(p, v, t + 1), 1);
        }
        for (uint32_t i = 0; i < f->links; i++) {
            uint64_t arrives = t + f->latency[i];
            bool from = f->from[i] == source ? t >= f->start[source] : *place(p, f->from[i], t) >= 0;
            if (!from || arrives > p->last || *place(p, f->to[i], arrives) < 0) continue;
            add_column(p, 0);
            enter(p, (int)(i * p->last + t), 1);
            enter(p, *place(p, f->from[i], t), -1);
            enter(p, *place(p, f->to[i], arrives), 1);
        }
    }
}

bool crl_flows_solve_in_time(struct crl_flows *f, uint64_t last, uint64_t columns_max, double *value)
{
    CRL_ENDED(program_done) struct program p = {.flows = f, .last = last};
    const double *dual = NULL;
    p.transit = malloc(sizeof *p.transit * f->nodes * (last + 1));
    p.failed = !p.transit;
    for (uint64_t i = 0; i < f->links * last && !p.failed; i++) add_row(&p, -1e30, 0);
    if (!p.failed) add_column(&p, 1); // of how often the places are there, which is to be small
    for (uint64_t i = 0; i < f->links * last && !p.failed; i++) enter(&p, (int)i, -(double)f->width[i / last]);
    for (uint32_t s = 0; s < f->nodes && !p.failed; s++) {
        if (f->start[s] != UINT64_MAX) fill_in_time(&p, s);
        p.failed |= (uint64_t)p.columns > columns_max;
    }
    if (!p.failed) p.start[p.columns] = p.entries;
    if (!p.failed && (p.model = Clp_newModel())) dual = solve(&p, Clp_initialDualSolve);
    for (uint64_t i = 0; i < f->links * last && dual; i++) value[i] = dual[i] < 0 ? -dual[i] : 0;
    return dual;
}
#else
bool crl_flows_solve_in_time(struct crl_flows *flows, uint64_t last, uint64_t columns_max, double *value)
{
    (void)flows, (void)last, (void)columns_max, (void)value;
    return false;
}

bool crl_flows_solve(struct crl_flows *flows, uint64_t last)
{
    (void)flows, (void)last;
    return false;
}
#endif
