// SPDX-License-Identifier: Apache-2.0
// Where nodes stand: as in the replay page (page/layout.js), so that a figure looks like the page it is taken from.
#include "base/base.h"
#include "draw/figure.h"
#include <math.h>
#include <stdlib.h>

static const double TURN = 6.283185307179586;

static uint32_t digit(const struct crl_topology *t, uint32_t node, uint32_t factor)
{
    return node / t->factor[factor].stride % t->factor[factor].size;
}

// A network of one factor has that shape; else, as of many, none.
static bool is_only(const struct crl_topology *t, enum crl_shape shape)
{
    return t->factor_count == 1 && t->factor[0].shape == shape && t->factor[0].size > 2;
}

static bool is_cube(const struct crl_topology *t)
{
    bool all = t->factor_count > 2;
    for (uint32_t i = 0; i < t->factor_count; i++) all &= t->factor[i].size == 2;
    return all;
}

static void place_on_circle(struct crl_layout *p)
{
    uint32_t count = p->topology->nodes;
    double radius = fmax(1, count / TURN);
    for (uint32_t v = 0; v < count; v++) {
        p->x[v] = radius * sin(TURN * v / count);
        p->y[v] = -radius * cos(TURN * v / count);
    }
}

// A cube of three dimensions seen from the side, and a grid of such cubes where there are more.
static void place_cubes(struct crl_layout *p)
{
    const struct crl_topology *t = p->topology;
    double vector[CRL_FACTORS_MAX][2] = {{1, 0}, {0, 1}, {.45, -.36}}, wide = 1.95, high = 1.85;
    for (uint32_t i = 3; i < t->factor_count; i++) {
        if (i % 2) vector[i][0] = wide, wide = 2 * wide + .15;
        else vector[i][1] = high, high = 2 * high + .15;
    }
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t i = 0; i < t->factor_count; i++)
            if (v >> i & 1) p->x[v] += vector[i][0], p->y[v] += vector[i][1];
}

struct links {
    uint32_t ports;
    const uint32_t *next; // [count][ports]; CRL_NONE: no link
};

static int find_hops(uint32_t count, const struct links *links, float *hops, struct crl_diag *diag)
{
    uint32_t *queue = malloc(sizeof *queue * count);
    if (!queue) return crl_fail_memory(diag);
    for (size_t i = 0; i < (size_t)count * count; i++) hops[i] = (float)count;
    for (uint32_t v = 0; v < count; v++) {
        float *row = &hops[(size_t)v * count];
        uint32_t end = 1;
        queue[0] = v;
        row[v] = 0;
        for (uint32_t at = 0; at < end; at++)
            for (uint32_t i = 0; i < links->ports; i++) {
                uint32_t to = links->next[queue[at] * links->ports + i];
                if (to == CRL_NONE || to == v || row[to] < (float)count) continue;
                row[to] = row[queue[at]] + 1;
                queue[end++] = to;
            }
    }
    free(queue);
    return 0;
}

// Far apart in hops is far apart in the picture, by stress majorization (Gansner, Koren & North 2004, one node after
// the other): each node goes where, on the mean, its distances to the others are right.
static int spread_out(uint32_t count, const struct links *links, double *x, double *y, struct crl_diag *diag)
{
    float *hops = malloc(sizeof *hops * count * count);
    int error = hops ? find_hops(count, links, hops, diag) : crl_fail_memory(diag);
    if (error) {
        free(hops);
        return error;
    }
    for (uint32_t v = 0; v < count; v++) {
        x[v] = count / 6. * cos(TURN * v / count) + .01 * sin(9. * v); // nothing to be stuck in
        y[v] = count / 6. * sin(TURN * v / count) + .01 * cos(7. * v);
    }
    double rounds = fmax(8, fmin(300, round(6e7 / ((double)count * count + 1))));
    for (double round = 0; round < rounds; round++)
        for (uint32_t a = 0; a < count; a++) {
            double sx = 0, sy = 0, sum = 0;
            for (uint32_t b = 0; b < count; b++) {
                if (a == b) continue;
                double wish = fmin(hops[(size_t)a * count + b], hops[(size_t)b * count + a]),
                       weight = 1 / (wish * wish);
                double dx = x[a] - x[b], dy = y[a] - y[b], length = hypot(dx, dy);
                if (length == 0) length = 1e-3;
                sx += weight * (x[b] + wish * dx / length);
                sy += weight * (y[b] + wish * dy / length);
                sum += weight;
            }
            if (sum > 0) x[a] = sx / sum, y[a] = sy / sum;
        }
    free(hops);
    return 0;
}

static int place_graph(struct crl_layout *p, struct crl_diag *diag)
{
    const struct crl_topology *t = p->topology;
    uint32_t *next = malloc(sizeof *next * t->nodes * (t->ports ? t->ports : 1));
    if (!next) return crl_fail_memory(diag);
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t i = 0; i < t->ports; i++) next[v * t->ports + i] = crl_topology_neighbor(t, v, i);
    int error = spread_out(t->nodes, &(struct links){t->ports, next}, p->x, p->y, diag);
    free(next);
    return error;
}

static double extent(const double *list, uint32_t count)
{
    double least = list[0], most = list[0];
    for (uint32_t i = 1; i < count; i++) least = fmin(least, list[i]), most = fmax(most, list[i]);
    return most - least;
}

// Lines along x and y in turn: a grid, a grid of grids, and so on.
static int place_grids(struct crl_layout *p, struct crl_diag *diag)
{
    const struct crl_topology *t = p->topology;
    double reach[2] = {0, 0};
    uint32_t axis = 0;
    int error = 0;
    for (uint32_t i = 0; i < t->factor_count && !error; i++) {
        const struct crl_factor *f = &t->factor[i];
        double gap = 1 + (i > 1 ? .7 : 0), *at[2] = {calloc(f->size, sizeof(double)), calloc(f->size, sizeof(double))};
        if (!at[0] || !at[1]) error = crl_fail_memory(diag);
        if (!error && f->shape == CRL_GRAPH) {
            double scale = fmax(reach[0], reach[1]) + gap;
            error = spread_out(f->size, &(struct links){f->graph->ports, f->graph->after}, at[0], at[1], diag);
            for (uint32_t d = 0; d < f->size; d++) at[0][d] *= scale, at[1][d] *= scale;
        } else if (!error) { // grids of grids are staggered, so that the lines between them do not run along the rows
            double step = reach[axis] + gap;
            for (uint32_t d = 0; d < f->size; d++) at[axis][d] = d * step, at[1 - axis][d] = i > 1 ? .4 * d : 0;
            axis = 1 - axis;
        }
        for (uint32_t v = 0; v < t->nodes && !error; v++)
            p->x[v] += at[0][digit(t, v, i)], p->y[v] += at[1][digit(t, v, i)];
        for (int k = 0; k < 2 && !error; k++) reach[k] += extent(at[k], f->size);
        free(at[0]);
        free(at[1]);
    }
    return error;
}

static void measure(struct crl_layout *p)
{
    const struct crl_topology *t = p->topology;
    p->left = p->top = p->nearest = INFINITY;
    p->right = p->bottom = -INFINITY;
    for (uint32_t v = 0; v < t->nodes; v++) {
        p->left = fmin(p->left, p->x[v]), p->right = fmax(p->right, p->x[v]);
        p->top = fmin(p->top, p->y[v]), p->bottom = fmax(p->bottom, p->y[v]);
        for (uint32_t i = 0; i < crl_topology_ports(t); i++) {
            uint32_t next = crl_topology_neighbor(t, v, i);
            if (next != CRL_NONE) p->nearest = fmin(p->nearest, hypot(p->x[v] - p->x[next], p->y[v] - p->y[next]));
        }
    }
    if (!isfinite(p->nearest) || p->nearest <= 0) p->nearest = 1;
}

int crl_layout_new(struct crl_layout *p, const struct crl_topology *topology, struct crl_diag *diag)
{
    int error = 0;
    *p = (struct crl_layout){.topology = topology,
                             .x = calloc(topology->nodes, sizeof(double)),
                             .y = calloc(topology->nodes, sizeof(double))};
    if (!p->x || !p->y) error = crl_fail_memory(diag);
    else if (!topology->factor_count) error = place_graph(p, diag);
    else if (is_only(topology, CRL_RING) || is_only(topology, CRL_COMPLETE)) place_on_circle(p);
    else if (is_cube(topology)) place_cubes(p);
    else error = place_grids(p, diag);
    if (!error) measure(p);
    return error;
}

void crl_layout_done(struct crl_layout *p)
{
    free(p->x);
    free(p->y);
}

// Of the link of a graph: as much as it takes to pass beside a node that would be on it.
static double around(const struct crl_layout *p, uint32_t a, uint32_t b)
{
    uint32_t from = a < b ? a : b, to = a < b ? b : a, nodes = p->topology->nodes;
    double dx = p->x[to] - p->x[from], dy = p->y[to] - p->y[from], length = hypot(dx, dy), bow = 0;
    for (uint32_t v = 0; v < nodes && nodes < 500 && length > 0; v++) {
        double along = ((p->x[v] - p->x[from]) * dx + (p->y[v] - p->y[from]) * dy) / length;
        double side = ((p->x[v] - p->x[from]) * dy - (p->y[v] - p->y[from]) * dx) / length;
        if (v != a && v != b && along > 0 && along < length && fabs(side) < .27)
            bow = side > 0 ? side - .45 : side + .45;
    }
    return bow;
}

double crl_layout_bow(const struct crl_layout *p, uint32_t a, uint32_t b)
{
    const struct crl_topology *t = p->topology;
    if (!t->factor_count || is_only(t, CRL_GRAPH)) return around(p, a, b);
    if (is_only(t, CRL_RING) || is_only(t, CRL_COMPLETE)) return 0;
    uint32_t i = 0;
    while (i + 1 < t->factor_count && digit(t, a, i) == digit(t, b, i)) i++;
    if (is_cube(t)) return i < 3 ? 0 : .16;
    const struct crl_factor *f = &t->factor[i];
    uint32_t x = digit(t, a, i), y = digit(t, b, i), steps = x < y ? y - x : x - y;
    if (f->shape == CRL_GRAPH || (steps == 1 && i < 2)) return 0;
    if (steps == 1) return .08;
    return f->shape == CRL_COMPLETE ? .3 + .17 * (steps - 2.) / fmax(1, f->size - 3.) : .34;
}
