// SPDX-License-Identifier: Apache-2.0
// Nodes downwards, time to the right, a line a transmission. Where lines would cover each other there is a bar instead
// for all that a node sends in a slot.
#include "base/base.h"
#include "draw/draw.h"
#include "draw/figure.h"
#include <math.h>

enum { NODES_MAX = 256, LINES_MAX = 1 << 16, SLOT_LINES_MAX = 128, LEFT = 40 };

struct chart {
    struct crl_sheet sheet;
    double wide, high; // of a slot, of a node
};

static double x_of(const struct chart *c, double slot) { return DRAW_MARGIN + LEFT + slot * c->wide; }
static double y_of(const struct chart *c, uint32_t node) { return c->sheet.top + 24 + (node + .5) * c->high; }

static void put_axes(const struct chart *c, uint32_t nodes, uint32_t slots)
{
    uint32_t each = (uint32_t)ceil(28 / c->wide), row = (uint32_t)ceil(12 / c->high);
    for (uint32_t v = 0; v < nodes; v++) {
        crl_sheet_line(&c->sheet, "class=\"link\"", x_of(c, 0), y_of(c, v), x_of(c, slots), y_of(c, v));
        if (v % row == 0) crl_sheet_text(&c->sheet, "class=\"end\"", x_of(c, 0) - 8, y_of(c, v) + 4, "%u", v);
    }
    for (uint32_t slot = 0; slot <= slots; slot += each)
        crl_sheet_text(&c->sheet, "class=\"quiet mid\"", x_of(c, slot), c->sheet.top + 14, "%u", slot);
}

static void put_lines(const struct chart *c, const struct crl_schedule *s)
{
    struct crl_range range = crl_figure_range(s);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        char style[64], colour[8];
        crl_figure_colour(&range, crl_draw_distance(s, m), colour);
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"%d\"", colour, c->high > 12 ? 2 : 1);
        double aside = 0; // of links side by side
        for (const struct crl_move *b = m;
             b-- > s->moves && b->slot == m->slot && b->src == m->src && b->dst == m->dst;)
            aside += 3;
        crl_sheet_line(&c->sheet, style, x_of(c, m->slot - 1.), y_of(c, m->src) + aside,
                       x_of(c, crl_arrival_slot(s->topology, m->slot, m->src, m->dst)), y_of(c, m->dst) + aside);
    }
}

// As high as the part of its links that a node sends on, in the colour of the mean distance.
static void put_bars(const struct chart *c, const struct crl_schedule *s)
{
    struct crl_range range = crl_figure_range(s);
    uint32_t sent = 0, distances = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        char style[64], colour[8];
        sent++, distances += crl_draw_distance(s, m);
        if (i + 1 < s->count && m[1].slot == m->slot && m[1].src == m->src) continue;
        crl_figure_colour(&range, (distances + sent / 2) / sent, colour);
        snprintf(style, sizeof style, "fill=\"%s\"", colour);
        double high = fmax(1, (c->high - 2) * sent / crl_topology_ports(s->topology));
        crl_sheet_box(&c->sheet, style, x_of(c, m->slot - 1.), y_of(c, m->src) + c->high / 2 - 1 - high, c->wide - 2,
                      high);
        sent = distances = 0;
    }
}

int crl_draw_space_time(const struct crl_figure *figure, FILE *file, struct crl_diag *diag)
{
    const struct crl_schedule *s = figure->schedule;
    CRL_ENDED(crl_schedule_done) struct crl_schedule full = {0};
    struct chart c;
    char title[160], facts[200], said[200];
    uint32_t nodes = crl_topology_nodes(s->topology), slots = crl_schedule_slots(s);
    if (nodes > NODES_MAX || crl_schedule_transmissions(s) > LINES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT,
                        "a figure of space and time shows up to %d nodes and %d transmissions, not '%u' and '%llu'; a "
                        "page more: -o x.html",
                        NODES_MAX, LINES_MAX, nodes, (unsigned long long)crl_schedule_transmissions(s));
    int error = s->folded ? crl_schedule_expand(&full, s, diag) : 0;
    if (error) return error;
    if (s->folded) s = &full;
    c.wide = fmax(24, fmin(80, 1600. / (slots ? slots : 1)));
    c.high = fmax(14, fmin(32, 900. / nodes));
    crl_figure_header(figure, title, facts);
    bool bars = crl_schedule_transmissions(s) > (uint64_t)slots * SLOT_LINES_MAX;
    snprintf(said, sizeof said,
             "a row a node, time in slots to the right, a bar the packets it sends (full height: %u), %s",
             crl_topology_ports(s->topology), crl_figure_bright(s));
    crl_sheet_begin(&c.sheet, figure->view, file,
                    (const char *const[3]){
                        title, facts, bars ? said : "a row a node, time in slots to the right, a line a transmission"},
                    LEFT + slots * c.wide + 20, 24 + nodes * c.high + 8);
    put_axes(&c, nodes, slots);
    (bars ? put_bars : put_lines)(&c, s);
    return crl_sheet_end(&c.sheet, diag);
}
