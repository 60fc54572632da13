// SPDX-License-Identifier: Apache-2.0
// The network as a figure: with the packets of a slot on its links, or with how often each link is used.
#include "base/base.h"
#include "draw/draw.h"
#include "draw/figure.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES_MAX = 1024,
    NAMED_MAX = 600, // packets in a slot that still have their names
    LETTER = 7,      // width of one, in pixels
};

struct network {
    const struct crl_figure *figure;
    const struct crl_topology *topology;
    struct crl_layout places;
    struct crl_sheet sheet;
    double unit, left, radius;
    bool *is_switch; // [nodes]
};

static int open_network(struct network *n, const struct crl_figure *figure, struct crl_diag *diag)
{
    *n = (struct network){.figure = figure, .topology = figure->schedule->topology};
    uint32_t nodes = crl_topology_nodes(n->topology);
    if (nodes > NODES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT,
                        "a figure of a network shows up to %d nodes, not '%u'; a page more: -o x.html", NODES_MAX,
                        nodes);
    uint32_t hosts;
    const uint32_t *host = crl_topology_hosts(n->topology, &hosts);
    n->is_switch = calloc(nodes, sizeof *n->is_switch);
    if (!n->is_switch) return crl_fail_memory(diag);
    for (uint32_t v = 0; host && v < nodes; v++) n->is_switch[v] = true;
    for (uint32_t i = 0; host && i < hosts; i++) n->is_switch[host[i]] = false;
    return crl_layout_new(&n->places, n->topology, diag);
}

static void close_network(struct network *n)
{
    free(n->is_switch);
    crl_layout_done(&n->places);
}

static void begin_network(struct network *n, const char *third, double extra, FILE *file)
{
    char title[160], facts[200];
    const struct crl_layout *p = &n->places;
    double close = n->topology->nodes <= 64 ? 90 : n->topology->nodes <= 256 ? 60 : 36; // pixels between neighbours
    n->unit = close / p->nearest;
    n->radius = CRL_LAYOUT_RADIUS * close;
    double margin = .6 * close;
    n->left = DRAW_MARGIN + margin - p->left * n->unit;
    uint32_t hosts = n->topology->nodes;
    char said[256];
    crl_figure_header(n->figure, title, facts);
    crl_topology_hosts(n->topology, &hosts);
    snprintf(said, sizeof said, "%s%s%s", third ? third : "", third && hosts < n->topology->nodes ? "; " : "",
             hosts < n->topology->nodes ? "squares are switches, which only forward" : "");
    crl_sheet_begin(&n->sheet, n->figure->view, file, (const char *const[3]){title, facts, *said ? said : NULL},
                    (p->right - p->left) * n->unit + 2 * margin, (p->bottom - p->top) * n->unit + 2 * margin + extra);
    n->sheet.top += margin - p->top * n->unit;
}

static void at(const struct network *n, uint32_t node, double point[2])
{
    point[0] = n->left + n->places.x[node] * n->unit;
    point[1] = n->sheet.top + n->places.y[node] * n->unit;
}

// How many ports of a node below `end` lead to another one.
static uint32_t links_to(const struct network *n, uint32_t src, uint32_t dst, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < end; p++) count += crl_topology_neighbor(n->topology, src, p) == dst;
    return count;
}

// How far to the right of the middle the link of a port lies, where there are several side by side.
static double beside(const struct network *n, uint32_t src, uint32_t dst, uint32_t port)
{
    uint32_t ports = crl_topology_ports(n->topology), there = links_to(n, src, dst, ports),
             back = links_to(n, dst, src, ports), lines = there > back ? there : back;
    if (lines < 2) return 0;
    double gap = fmin(1.1 * n->radius, 1.7 * n->radius / (lines - 1));
    return (links_to(n, src, dst, port) - (lines - 1) / 2.) * (src < dst ? gap : -gap);
}

// The ends and the control point of the link of a port, as much to the right of its middle as `aside` says.
static void link_of(const struct network *n, uint32_t src, uint32_t port, double aside, double a[2], double c[2],
                    double b[2])
{
    uint32_t dst = crl_topology_neighbor(n->topology, src, port);
    aside += beside(n, src, dst, port);
    at(n, src, a);
    at(n, dst, b);
    double length = hypot(b[0] - a[0], b[1] - a[1]),
           bow = 2 * n->places.bow[src * crl_topology_ports(n->topology) + port] * n->unit;
    if (length <= 0) length = 1;
    double nx = (b[1] - a[1]) / length, ny = (b[0] - a[0]) / length;
    if (src > dst) bow = -bow;
    c[0] = (a[0] + b[0]) / 2 + nx * bow, c[1] = (a[1] + b[1]) / 2 - ny * bow;
    a[0] -= nx * aside, b[0] -= nx * aside, c[0] -= nx * aside;
    a[1] += ny * aside, b[1] += ny * aside, c[1] += ny * aside;
}

static void put_links(const struct network *n)
{
    double a[2], b[2], c[2];
    for (uint32_t v = 0; v < n->topology->nodes; v++)
        for (uint32_t p = 0; p < crl_topology_ports(n->topology); p++) {
            uint32_t next = crl_topology_neighbor(n->topology, v, p);
            if (next == CRL_NONE) continue;
            bool drawn = next < v && links_to(n, v, next, p) < links_to(n, next, v, crl_topology_ports(n->topology));
            if (drawn) continue;
            link_of(n, v, p, 0, a, c, b);
            crl_sheet_curve(&n->sheet, "class=\"link\" stroke-width=\"1.5\"", a, c, b);
        }
}

static void put_nodes(const struct network *n)
{
    const struct crl_topology *t = n->topology;
    double x[2];
    for (uint32_t v = 0; v < t->nodes; v++) {
        char name[64] = "";
        size_t used = 0;
        at(n, v, x);
        if (n->is_switch[v])
            crl_sheet_box(&n->sheet, "class=\"node\"", x[0] - .86 * n->radius, x[1] - .86 * n->radius, 1.72 * n->radius,
                          1.72 * n->radius);
        else crl_sheet_circle(&n->sheet, "class=\"node\"", x[0], x[1], n->radius);
        const char *said = crl_topology_names(t) ? crl_names_at(crl_topology_names(t), v) : "";
        bool inside = *said && strlen(said) * LETTER < 1.9 * n->radius;
        char number[12];
        snprintf(number, sizeof number, "%u", v);
        crl_sheet_text(&n->sheet, n->radius > 10 ? "class=\"mid bold\"" : "class=\"mid small\"", x[0], x[1] + 4, "%s",
                       inside ? said : number);
        if (inside) continue;
        for (uint32_t i = 0; i < t->factor_count && t->factor_count > 1 && used < 8; i++)
            used += (size_t)snprintf(name + used, sizeof name - used, "%s%u", i ? "," : "",
                                     v / t->factor[i].stride % t->factor[i].size);
        if (crl_topology_names(t))
            used = (size_t)snprintf(name, sizeof name, "%s", crl_names_at(crl_topology_names(t), v));
        if (*name && used <= (crl_topology_names(t) ? 12 : 7) && n->radius > 15)
            crl_sheet_text(&n->sheet, "class=\"quiet small mid halo\"", x[0] + n->radius * .9, x[1] + n->radius + 6,
                           "%s", name);
    }
}

// ---------------------------------------------------------------- the packets of a slot

static void put_packet(const struct network *n, const struct crl_schedule *s, const struct crl_move *m,
                       const struct crl_range *range, bool named)
{
    double a[2], b[2], c[2], slots = crl_arrival_slot(n->topology, m->slot, m->src, m->dst) - m->slot + 1.;
    double t = (n->figure->view->slot - m->slot + .5) / slots, u = 1 - t;
    char style[32], colour[8], name[CRL_PACKET_NAME];
    crl_figure_colour(range, crl_draw_distance(s, m), colour);
    link_of(n, m->src, crl_move_port(s, m), n->radius * .3, a, c, b);
    double x = u * u * a[0] + 2 * u * t * c[0] + t * t * b[0], y = u * u * a[1] + 2 * u * t * c[1] + t * t * b[1];
    double dx = u * (c[0] - a[0]) + t * (b[0] - c[0]), dy = u * (c[1] - a[1]) + t * (b[1] - c[1]), d = hypot(dx, dy);
    if (d <= 0) d = 1;
    snprintf(style, sizeof style, "fill=\"%s\"", colour);
    double size = fmax(6, n->radius * .6);
    crl_sheet_arrow(&n->sheet, style, x - dx / d * size, y - dy / d * size, x + dx / d * size / 2,
                    y + dy / d * size / 2, size);
    if (!named) return;
    const char *said = crl_schedule_packet_name(s, m, name);
    double off = 11 + fabs(dy) / d * 3 * (double)strlen(said); // beside the packet, not over it
    crl_sheet_text(&n->sheet, "class=\"small mid halo\"", x - dy / d * off, y + dx / d * 11 + 3, "%s", said);
}

// The moves under way in the slot, all translates written out. The caller releases them.
static int under_way(struct crl_schedule *out, const struct crl_schedule *s, uint32_t slot, struct crl_diag *diag)
{
    struct crl_schedule some;
    crl_schedule_init(&some, s->topology, s->naming, s->folded);
    some.demands = s->demands;
    int error = 0;
    for (size_t i = 0; i < s->count && !error && s->moves[i].slot <= slot; i++) {
        const struct crl_move *m = &s->moves[i];
        if (crl_arrival_slot(s->topology, m->slot, m->src, m->dst) >= slot) error = crl_schedule_add(&some, *m);
    }
    if (error) crl_fail_memory(diag);
    if (!error) error = crl_schedule_sort(&some) ? crl_fail_memory(diag) : 0;
    if (!error && s->folded) error = crl_schedule_unfold(&some, diag);
    if (error) crl_schedule_done(&some);
    else *out = some;
    return error;
}

int crl_draw_network(const struct crl_figure *figure, FILE *file, struct crl_diag *diag)
{
    struct network n;
    CRL_ENDED(crl_schedule_done) struct crl_schedule moves = {0};
    char third[160] = "";
    uint32_t slots = crl_schedule_slots(figure->schedule);
    if (figure->view->slot > slots)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "there is no slot '%u': the last one is %u", figure->view->slot, slots);
    int error = open_network(&n, figure, diag);
    if (!error && figure->view->slot) error = under_way(&moves, figure->schedule, figure->view->slot, diag);
    if (!error) {
        struct crl_range range = crl_figure_range(figure->schedule);
        snprintf(third, sizeof third, "slot %u: %zu packets on their links, %s", figure->view->slot, moves.count,
                 crl_figure_bright(figure->schedule));
        begin_network(&n, figure->view->slot ? third : NULL, 0, file);
        put_links(&n);
        put_nodes(&n);
        for (size_t i = 0; i < moves.count; i++)
            put_packet(&n, &moves, &moves.moves[i], &range, moves.count <= NAMED_MAX && n.radius > 10);
        error = crl_sheet_end(&n.sheet, diag);
    }
    close_network(&n);
    return error;
}

// ---------------------------------------------------------------- loads

static uint64_t *loads_of(const struct crl_schedule *s, uint64_t *most)
{
    uint32_t nodes = crl_topology_nodes(s->topology), ports = crl_topology_ports(s->topology);
    uint64_t *load = calloc((size_t)nodes * ports + 1, sizeof *load);
    *most = 0;
    for (size_t i = 0; load && i < s->count; i++) {
        uint32_t port = crl_move_port(s, &s->moves[i]);
        uint64_t now = ++load[(size_t)s->moves[i].src * ports + port];
        if (now > *most) *most = now;
    }
    for (uint32_t v = 1; load && s->folded && v < nodes; v++) // as at node 0
        for (uint32_t p = 0; p < ports; p++) load[(size_t)v * ports + p] = load[p];
    return load;
}

// Whether a link is drawn thin: a long one between planes, which crosses many others.
static bool is_long(const struct network *n, uint32_t v, uint32_t port)
{
    const double far = 3.5; // in a plane of 4 × 4 the longest are 3
    uint32_t next = crl_topology_neighbor(n->topology, v, port);
    const double *x = n->places.x, *y = n->places.y;
    return next != CRL_NONE && n->topology->factor_count > 2 &&
           hypot(x[next] - x[v], y[next] - y[v]) > far * n->places.nearest;
}

static void put_load(const struct network *n, uint32_t v, uint32_t port, uint64_t load, uint64_t most)
{
    double a[2], b[2], c[2];
    char style[96];
    uint32_t rgb[3];
    crl_draw_colour(DRAW_COLOURS_MAX, (uint32_t)(load * (DRAW_COLOURS_MAX - 1) / (most ? most : 1)), rgb);
    link_of(n, v, port, n->radius * .22, a, c, b);
    bool thin = is_long(n, v, port);
    snprintf(style, sizeof style, "class=\"hop\" stroke=\"#%02x%02x%02x\" stroke-width=\"%d\"%s", rgb[0], rgb[1],
             rgb[2], (n->radius > 10 ? 5 : 2) / (thin ? 2 : 1), thin ? " opacity=\".6\"" : "");
    if (!load) snprintf(style, sizeof style, "class=\"idle\" stroke-width=\"1\"");
    fputs("<g><title>", n->sheet.file);
    fprintf(n->sheet.file, "%u to %u: %llu</title>", v, crl_topology_neighbor(n->topology, v, port),
            (unsigned long long)load);
    crl_sheet_curve(&n->sheet, style, a, c, b);
    fputs("</g>", n->sheet.file);
}

static void put_scale(const struct network *n, uint64_t most)
{
    double y = n->sheet.height - DRAW_MARGIN - 18;
    crl_sheet_text(&n->sheet, "class=\"quiet\"", DRAW_MARGIN, y + 13, "transmissions: 0");
    for (uint32_t i = 0; i < DRAW_COLOURS_MAX; i++) {
        char style[24];
        uint32_t rgb[3];
        crl_draw_colour(DRAW_COLOURS_MAX, i, rgb);
        snprintf(style, sizeof style, "fill=\"#%02x%02x%02x\"", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
        crl_sheet_box(&n->sheet, style, DRAW_MARGIN + 110 + i * 14, y, 14, 18);
    }
    crl_sheet_text(&n->sheet, "class=\"quiet\"", DRAW_MARGIN + 116 + DRAW_COLOURS_MAX * 14, y + 13, "%llu",
                   (unsigned long long)most);
}

int crl_draw_heat(const struct crl_figure *figure, FILE *file, struct crl_diag *diag)
{
    struct network n;
    uint64_t most;
    int error = open_network(&n, figure, diag);
    uint64_t *load = error ? NULL : loads_of(figure->schedule, &most);
    if (!error && !load) error = crl_fail_memory(diag);
    if (!error) {
        uint32_t ports = crl_topology_ports(n.topology);
        bool thin = false;
        for (uint32_t i = 0; i < n.topology->nodes * ports; i++) thin = thin || is_long(&n, i / ports, i % ports);
        begin_network(&n,
                      thin ? "how often each link is used, each way on its right-hand side; thin: long links"
                           : "how often each link is used, each way on its right-hand side",
                      30, file);
        for (uint32_t v = 0; v < n.topology->nodes; v++)
            for (uint32_t p = 0; p < ports; p++) {
                uint32_t next = crl_topology_neighbor(n.topology, v, p);
                if (next != CRL_NONE) put_load(&n, v, p, load[(size_t)v * ports + p], most);
            }
        put_nodes(&n);
        put_scale(&n, most);
        error = crl_sheet_end(&n.sheet, diag);
    }
    free(load);
    close_network(&n);
    return error;
}
