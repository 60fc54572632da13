// SPDX-License-Identifier: Apache-2.0
// Where nodes stand, in figures and in the replay page, which is told.
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
    CRL_OWNED uint32_t *queue = malloc(sizeof *queue * count);
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
    return 0;
}

// Far apart in hops is far apart in the picture, by stress majorization (Gansner, Koren & North 2004, one node after
// the other): each node goes where, on the mean, its distances to the others are right.
static int spread_out(uint32_t count, const struct links *links, double *x, double *y, struct crl_diag *diag)
{
    CRL_OWNED float *hops = malloc(sizeof *hops * count * count);
    int error = hops ? find_hops(count, links, hops, diag) : crl_fail_memory(diag);
    if (error) {
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
    return 0;
}

// Nodes that ended too close push each other apart.
static void push_apart(uint32_t count, double *x, double *y)
{
    enum { ROUNDS = 100, NODES = 1024 };
    const double room = .9;
    bool pushed = count <= NODES;
    for (uint32_t round = 0; pushed && round < ROUNDS; round++) {
        pushed = false;
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < a; b++) {
                double dx = x[a] - x[b], dy = y[a] - y[b], length = hypot(dx, dy);
                if (length >= room) continue;
                if (length < 1e-3) dx = 1e-3 * cos(a), dy = 1e-3 * sin(a), length = 1e-3;
                double step = (room - length) / 2 / length + 1e-3;
                x[a] += dx * step, y[a] += dy * step, x[b] -= dx * step, y[b] -= dy * step;
                pushed = true;
            }
    }
}

static int place_graph(struct crl_layout *p, struct crl_diag *diag)
{
    const struct crl_topology *t = p->topology;
    CRL_OWNED uint32_t *next = malloc(sizeof *next * t->nodes * (t->ports ? t->ports : 1));
    if (!next) return crl_fail_memory(diag);
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t i = 0; i < t->ports; i++) next[v * t->ports + i] = crl_topology_neighbor(t, v, i);
    int error = spread_out(t->nodes, &(struct links){t->ports, next}, p->x, p->y, diag);
    return error;
}

// ---- switches in layers: how far each node is from the hosts, who stand at the bottom

struct layers {
    uint32_t count;          // of layers
    uint32_t *level, *order; // [nodes]; order: the nodes, layer by layer from the hosts up
    uint32_t *first;         // [count + 1] of each in `order`
    double *key;             // [nodes] what a layer is sorted by
};

// Whether every link leads from a layer to the one beside it. Fills level and order by a search from all hosts.
static bool has_layers(const struct crl_topology *t, struct layers *l)
{
    uint32_t hosts, end = 0;
    const uint32_t *host = crl_topology_hosts(t, &hosts);
    if (!host || hosts == t->nodes) return false;
    for (uint32_t v = 0; v < t->nodes; v++) l->level[v] = CRL_NONE;
    for (uint32_t i = 0; i < hosts; i++) l->level[host[i]] = 0, l->order[end++] = host[i];
    for (uint32_t at = 0; at < end; at++)
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t to = crl_topology_neighbor(t, l->order[at], p);
            if (to != CRL_NONE && l->level[to] == CRL_NONE)
                l->level[to] = l->level[l->order[at]] + 1, l->order[end++] = to;
        }
    bool beside = end == t->nodes;
    for (uint32_t v = 0; beside && v < t->nodes; v++)
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to != CRL_NONE) beside &= l->level[v] == l->level[to] + 1 || l->level[to] == l->level[v] + 1;
        }
    for (uint32_t i = 0; i < end; i++)
        if (!i || l->level[l->order[i]] != l->level[l->order[i - 1]]) l->first[l->count++] = i;
    l->first[l->count] = end;
    return beside;
}

// Sorts a layer by where the neighbours are, on the mean, of those in the layer below or above; few change places.
static void sort_layer(struct crl_layout *p, struct layers *l, uint32_t layer, uint32_t beside)
{
    const struct crl_topology *t = p->topology;
    uint32_t *order = l->order + l->first[layer], count = l->first[layer + 1] - l->first[layer];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t neighbours = 0;
        double sum = 0;
        for (uint32_t port = 0; port < crl_topology_ports(t); port++) {
            uint32_t to = crl_topology_neighbor(t, order[i], port);
            if (to != CRL_NONE && l->level[to] == beside) sum += p->x[to], neighbours++;
        }
        l->key[order[i]] = neighbours ? sum / neighbours : p->x[order[i]];
    }
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k && l->key[order[k - 1]] > l->key[order[k]] + 1e-9; k--) {
            uint32_t node = order[k];
            order[k] = order[k - 1], order[k - 1] = node;
        }
}

static void spread_layer(struct crl_layout *p, const struct layers *l, uint32_t layer, double wide)
{
    uint32_t count = l->first[layer + 1] - l->first[layer];
    for (uint32_t i = 0; i < count; i++) p->x[l->order[l->first[layer] + i]] = (i + .5) * wide / count;
}

static void place_layers(struct crl_layout *p, struct layers *l)
{
    uint32_t most = 1;
    for (uint32_t k = 0; k < l->count; k++)
        if (l->first[k + 1] - l->first[k] > most) most = l->first[k + 1] - l->first[k];
    for (uint32_t k = 0; k < l->count; k++) spread_layer(p, l, k, most);
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t k = 1; k < l->count; k++) sort_layer(p, l, k, k - 1), spread_layer(p, l, k, most);
        for (uint32_t k = l->count - 1; k-- > 0;) sort_layer(p, l, k, k + 1), spread_layer(p, l, k, most);
    }
    for (uint32_t v = 0; v < p->topology->nodes; v++) p->y[v] = -fmax(1.5, .16 * most) * l->level[v];
}

// Whether it could be placed so; *error: CRL_ERR_MEMORY.
static bool place_if_layers(struct crl_layout *p, int *error, struct crl_diag *diag)
{
    uint32_t nodes = p->topology->nodes;
    struct layers l = {.level = malloc(sizeof *l.level * (3 * (size_t)nodes + 1)),
                       .key = malloc(sizeof *l.key * nodes)};
    bool placed = false;
    if (l.level && l.key) {
        l.order = l.level + nodes;
        l.first = l.order + nodes;
        placed = has_layers(p->topology, &l);
        if (placed) place_layers(p, &l);
    } else {
        *error = crl_fail_memory(diag);
    }
    CRL_FREE(l.level, l.key);
    return placed;
}

// ---- families that have a shape of their own

// Groups on a circle, the nodes of each on a small one.
static void place_groups(struct crl_layout *p, uint32_t size)
{
    uint32_t groups = p->topology->nodes / size;
    double inner = fmax(.6, size / TURN), outer = fmax((2 * inner + 1.4) / 2 / sin(TURN / 2 / groups), inner + 1);
    for (uint32_t v = 0; v < p->topology->nodes; v++) {
        double at = TURN * (v / size) / groups, in = at + TURN * (v % size + .5) / size;
        p->x[v] = outer * sin(at) + inner * sin(in);
        p->y[v] = -outer * cos(at) - inner * cos(in);
    }
}

static int place_family(struct crl_layout *p, struct crl_diag *diag)
{
    const struct crl_topology *t = p->topology;
    uint32_t size;
    if (sscanf(t->name, "dragonfly:%u", &size) == 1 && size && t->nodes % size == 0) {
        place_groups(p, size);
    } else if (sscanf(t->name, "twisted-torus:%u", &size) == 1 && size) {
        for (uint32_t v = 0; v < t->nodes; v++) p->x[v] = v % size + .3 * (v / size), p->y[v] = v / size;
    } else {
        int error = place_graph(p, diag);
        if (!error) push_apart(t->nodes, p->x, p->y);
        return error;
    }
    return 0;
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
        CRL_FREE(at[0], at[1]);
    }
    return error;
}

static void measure(struct crl_layout *p)
{
    const struct crl_topology *t = p->topology;
    double nearest = INFINITY; // its square
    p->left = p->top = INFINITY;
    p->right = p->bottom = -INFINITY;
    for (uint32_t v = 0; v < t->nodes; v++) {
        p->left = fmin(p->left, p->x[v]), p->right = fmax(p->right, p->x[v]);
        p->top = fmin(p->top, p->y[v]), p->bottom = fmax(p->bottom, p->y[v]);
        for (uint32_t w = 0; w < v; w++) {
            double dx = p->x[v] - p->x[w], dy = p->y[v] - p->y[w];
            nearest = fmin(nearest, dx * dx + dy * dy);
        }
    }
    p->nearest = isfinite(nearest) && nearest > 0 ? sqrt(nearest) : 1;
}

// How far the middle of a link's line is off the straight one in its kind of network: past what lies in a row.
static double usual_bow(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    if (!t->factor_count || t->factor_count == 1) return 0;
    uint32_t i = 0;
    while (i + 1 < t->factor_count && digit(t, a, i) == digit(t, b, i)) i++;
    if (is_cube(t)) return i < 3 ? 0 : .16;
    const struct crl_factor *f = &t->factor[i];
    uint32_t x = digit(t, a, i), y = digit(t, b, i), steps = x < y ? y - x : x - y;
    if (f->shape == CRL_GRAPH || (steps == 1 && i < 2)) return 0;
    if (steps == 1) return .08;
    return f->shape == CRL_COMPLETE ? .3 + .17 * (steps - 2.) / fmax(1, f->size - 3.) : .34;
}

// How near the line comes to a node that it is not of, as points on it are looked at.
static double clearance(const struct crl_layout *p, uint32_t a, uint32_t b, double bow)
{
    double dx = p->x[b] - p->x[a], dy = p->y[b] - p->y[a], length = hypot(dx, dy), least = INFINITY;
    double points = ceil(16 + 8 * length);
    double cx = (p->x[a] + p->x[b]) / 2 + dy / length * 2 * bow, cy = (p->y[a] + p->y[b]) / 2 - dx / length * 2 * bow;
    for (uint32_t v = 0; v < p->topology->nodes; v++) {
        double off = hypot(p->x[v] - (p->x[a] + p->x[b]) / 2, p->y[v] - (p->y[a] + p->y[b]) / 2);
        if (v == a || v == b || off > length / 2 + fabs(bow) + 1) continue;
        for (double i = 0; i <= points; i++) {
            double s = i / points, u = 1 - s;
            least = fmin(least, hypot(u * u * p->x[a] + 2 * s * u * cx + s * s * p->x[b] - p->x[v],
                                      u * u * p->y[a] + 2 * s * u * cy + s * s * p->y[b] - p->y[v]));
        }
    }
    return least;
}

static double bow_of(const struct crl_layout *p, uint32_t a, uint32_t b)
{
    enum { NODES = 600 }; // of more the discs are dots
    if (a > b) return bow_of(p, b, a);
    double usual = usual_bow(p->topology, a, b), best = usual, most;
    if (a == b || p->topology->nodes > NODES) return usual;
    most = clearance(p, a, b, usual);
    double far = .3 + .25 * hypot(p->x[a] - p->x[b], p->y[a] - p->y[b]), need = 1.3 * CRL_LAYOUT_RADIUS * p->nearest;
    for (double off = .04; off < far && most < need; off += .04)
        for (int side = -1; side <= 1 && most < need; side += 2) {
            double room = clearance(p, a, b, side * off);
            if (room > most + .02) most = room, best = side * off;
        }
    return best;
}

// Where the curve from a to b with control point c turns back, in one coordinate; a where it does not.
static double turn(double a, double c, double b)
{
    double t = a - 2 * c + b == 0 ? 0 : (a - c) / (a - 2 * c + b);
    return t <= 0 || t >= 1 ? a : a + t * (c - a);
}

// The whole is as large as it takes to show the line, too.
static void take_bow(struct crl_layout *p, uint32_t a, uint32_t b, double bow)
{
    double dx = p->x[b] - p->x[a], dy = p->y[b] - p->y[a], length = a < b ? hypot(dx, dy) : -hypot(dx, dy);
    if (length == 0) return;
    double x = turn(p->x[a], (p->x[a] + p->x[b]) / 2 + dy / length * 2 * bow, p->x[b]);
    double y = turn(p->y[a], (p->y[a] + p->y[b]) / 2 - dx / length * 2 * bow, p->y[b]);
    p->left = fmin(p->left, x), p->right = fmax(p->right, x);
    p->top = fmin(p->top, y), p->bottom = fmax(p->bottom, y);
}

int crl_layout_new(struct crl_layout *p, const struct crl_topology *topology, struct crl_diag *diag)
{
    int error = 0;
    *p = (struct crl_layout){.topology = topology,
                             .x = calloc(topology->nodes, sizeof(double)),
                             .y = calloc(topology->nodes, sizeof(double))};
    if (!p->x || !p->y) error = crl_fail_memory(diag);
    else if (place_if_layers(p, &error, diag) || error)
        ;
    else if (!topology->factor_count || is_only(topology, CRL_GRAPH)) error = place_family(p, diag);
    else if (is_only(topology, CRL_RING) || is_only(topology, CRL_COMPLETE)) place_on_circle(p);
    else if (is_cube(topology)) place_cubes(p);
    else error = place_grids(p, diag);
    uint32_t ports = crl_topology_ports(topology);
    p->bow = error ? NULL : calloc((size_t)topology->nodes * ports + 1, sizeof *p->bow);
    if (!error && !p->bow) error = crl_fail_memory(diag);
    if (!error) measure(p);
    for (uint32_t v = 0; v < topology->nodes && !error; v++)
        for (uint32_t i = 0; i < ports; i++) {
            uint32_t next = crl_topology_neighbor(topology, v, i);
            if (next == CRL_NONE) continue;
            p->bow[v * ports + i] = bow_of(p, v, next);
            take_bow(p, v, next, p->bow[v * ports + i]);
        }
    return error;
}

void crl_layout_done(struct crl_layout *p) { CRL_FREE(p->x, p->y, p->bow); }
