// SPDX-License-Identifier: Apache-2.0
// Writes the picture. Only integers are printed, so that no locale changes it.
#include "draw/draw.h"

void crl_draw_text(const char *text, FILE *file)
{
    for (; *text; text++) switch (*text) {
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '&': fputs("&amp;", file); break;
        default: fputc(*text, file);
        }
}

static bool is_deep(const uint32_t rgb[3]) { return 299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] < 128000; }

// Cells too narrow for a gap touch: equal neighbours are then one run.
static uint32_t drawn_width(const struct drawing *d) { return d->cell_width < 8 ? d->cell_width : d->cell_width - 1; }

static uint32_t colour_index(const struct drawing *d, uint32_t distance)
{
    uint32_t range = d->far - d->near;
    return range < DRAW_COLOURS_MAX ? distance - d->near
                                    : (uint32_t)((uint64_t)(distance - d->near) * (DRAW_COLOURS_MAX - 1) / range);
}

static void put_style(const struct drawing *d, FILE *file)
{
    // Explicit colours first, for viewers that know no media queries; the dark ones after.
    fputs("<style>\n"
          "text{font:12px sans-serif;fill:#24292f;pointer-events:none}\n"
          ".title{font-size:18px;font-weight:bold}\n.quiet{fill:#626a73}\n.node{font-weight:bold}\n"
          ".end{text-anchor:end}\n.mid{text-anchor:middle}\n"
          ".name{font-family:monospace;font-size:11px;text-anchor:middle;fill:#111}\n.deep{fill:#fff}\n.own{font-"
          "weight:bold}\n"
          ".page{fill:#fff}\n.idle{fill:#eef0f3}\n.rule{stroke:#fff;fill:none}\n.bar{fill:#8c96a3}\n",
          file);
    for (uint32_t i = 0; i < d->colours; i++) {
        uint32_t rgb[3];
        crl_draw_colour(d->colours, i, rgb);
        fprintf(file, ".c%u{fill:#%02x%02x%02x}\n", i, rgb[0], rgb[1], rgb[2]);
    }
    fputs("@media(prefers-color-scheme:dark){\n"
          "text{fill:#e2e6ea}\n.quiet{fill:#9aa4ae}\n.name{fill:#111}\n.deep{fill:#fff}\n"
          ".page{fill:#16191d}\n.idle{fill:#262b31}\n.rule{stroke:#16191d}\n.bar{fill:#7c8794}\n}\n</style>\n",
          file);
}

// ---- the parts, from top to bottom

static void put_header(const struct drawing *d, FILE *file)
{
    for (uint32_t i = 0; i < d->lines; i++) {
        fprintf(file, "<text class=\"%s\" x=\"%d\" y=\"%u\">",
                i == 0  ? "title"
                : i < 4 ? "fact"
                        : "quiet",
                DRAW_MARGIN, DRAW_MARGIN + 14 + i * DRAW_LINE_HEIGHT + (i ? 4 : 0));
        crl_draw_text(d->line[i], file);
        fputs("</text>\n", file);
    }
}

static void put_legend(const struct drawing *d, FILE *file)
{
    bool each = d->far - d->near < DRAW_COLOURS_MAX; // a colour a distance
    bool pair = crl_naming_is_pair(d->schedule->naming);
    uint32_t x = DRAW_MARGIN + 126, y = d->legend_top;
    fprintf(file, "<text x=\"%d\" y=\"%u\">%s</text>\n", DRAW_MARGIN, y + 14,
            pair                                      ? "hops to destination"
            : d->schedule->naming == CRL_NAMING_RANGE ? "hops from first node"
                                                      : "hops from origin");
    for (uint32_t i = 0; i < d->colours; i++, x += DRAW_SWATCH) {
        uint32_t rgb[3], distance = each ? d->near + i : i ? d->far : d->near;
        crl_draw_colour(d->colours, i, rgb);
        fprintf(file, "<rect class=\"c%u\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"20\" rx=\"3\"/>", i, x, y,
                DRAW_SWATCH - 2);
        if (each || i == 0 || i == d->colours - 1)
            fprintf(file, "<text class=\"name%s\" x=\"%u\" y=\"%u\">%u</text>", is_deep(rgb) ? " deep" : "",
                    x + DRAW_SWATCH / 2 - 1, y + 14, distance);
        fputc('\n', file);
    }
    fprintf(file, "<rect class=\"idle\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"20\" rx=\"3\"/>", x + 10, y,
            DRAW_SWATCH - 2);
    fprintf(file, "<text x=\"%u\" y=\"%u\">idle</text>\n", x + 10 + DRAW_SWATCH + 2, y + 14);
    if (d->named)
        fprintf(file, "<text class=\"own\" x=\"%u\" y=\"%u\">bold:</text><text x=\"%u\" y=\"%u\">own packet</text>\n",
                x + 80, y + 14, x + 116, y + 14);
}

// How busy the whole network is, slot by slot, and the numbers of the slots.
static void put_strip(const struct drawing *d, FILE *file)
{
    const char *what = d->problem->ports == CRL_PORTS_SINGLE ? "senders busy" : "links busy";
    uint32_t y = d->strip_top + DRAW_STRIP_HEIGHT;
    fprintf(file, "<text class=\"quiet end\" x=\"%u\" y=\"%u\">%s</text>\n", d->left - 8, y - 10, what);
    fprintf(file, "<text class=\"quiet end\" x=\"%u\" y=\"%u\">slot</text>\n", d->left - 8, y + 16);
    fprintf(file, "<rect class=\"idle\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\"/>\n", d->left, d->strip_top,
            d->slots_shown * d->cell_width, DRAW_STRIP_HEIGHT);
    for (uint32_t s = 1; s <= d->slots_shown; s++) {
        uint32_t x = d->left + (s - 1) * d->cell_width;
        uint32_t height = (uint32_t)((d->busy[s] * DRAW_STRIP_HEIGHT + d->busy_most - 1) / d->busy_most);
        fprintf(file, "<rect class=\"bar\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\">", x, y - height,
                drawn_width(d), height);
        fprintf(file, "<title>Slot %u: %llu of %llu %s.</title></rect>", s, (unsigned long long)d->busy[s],
                (unsigned long long)d->busy_most, what);
        if (s % d->tick_slots == 0)
            fprintf(file, "<text class=\"mid\" x=\"%u\" y=\"%u\">%u</text>", x + d->cell_width / 2, y + 16, s);
        fputc('\n', file);
    }
}

// Lines between the slots, in the colour of the page, over the idle rows and under the cells.
static void put_rules(const struct drawing *d, FILE *file)
{
    uint32_t step = d->cell_width < 8 ? d->tick_slots : 1;
    if (d->slots_shown <= step || !d->nodes_shown) return;
    fputs("<path class=\"rule\" d=\"", file);
    for (uint32_t s = step; s < d->slots_shown; s += step)
        fprintf(file, "M%u.5 %uV%u", d->left + s * d->cell_width - 1, d->top, d->bottom);
    fputs("\"/>\n", file);
}

static void put_rows(const struct drawing *d, FILE *file)
{
    for (uint32_t i = 0; i < d->nodes_shown; i++) {
        uint32_t y = d->node_top[i], middle = d->cell_height / 2 + 4;
        fprintf(file, "<text class=\"node\" x=\"%d\" y=\"%u\">node %s</text>\n", DRAW_MARGIN, y + middle,
                CRL_NODE(d->schedule->topology, d->node[i]));
        for (uint32_t p = 0; p < d->ports; p++) {
            if (!d->has_row[i * d->ports + p]) continue;
            fprintf(file, "<text class=\"quiet end\" x=\"%u\" y=\"%u\">port %u → %u</text>", d->left - 8, y + middle, p,
                    crl_topology_neighbor(d->schedule->topology, d->node[i], p));
            fprintf(file, "<rect class=\"idle\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>\n", d->left, y + 1,
                    d->slots_shown * d->cell_width, d->cell_height - 2);
            y += d->cell_height;
        }
    }
    put_rules(d, file);
}

static uint32_t row_top(const struct drawing *d, uint32_t place, uint32_t port)
{
    uint32_t y = d->node_top[place];
    for (uint32_t p = 0; p < port; p++) y += d->has_row[place * d->ports + p] ? d->cell_height : 0;
    return y;
}

static void put_name(const struct drawing *d, const struct crl_move *m, FILE *file)
{
    char name[CRL_PACKET_NAME];
    for (const char *c = crl_schedule_packet_name(d->schedule, m, name); *c; c++)
        if (*c == '>') fputs("&gt;", file);
        else fputc(*c, file);
}

static void put_packet(const struct drawing *d, const struct crl_move *m, FILE *file)
{
    if (d->schedule->demands) {
        fputs("packet ", file);
        put_name(d, m, file);
        return;
    }
    if (crl_problem_has_lines(d->problem)) fprintf(file, "number %u of ", m->dest);
    else if (d->schedule->naming == CRL_NAMING_PART) fprintf(file, "part %u of ", m->dest);
    else if (d->schedule->naming == CRL_NAMING_SPLIT_PAIR)
        fprintf(file, "part %u of ", m->dest & ((1u << CRL_PART_BITS) - 1));
    const char *what = crl_problem_has_lines(d->problem) ? "packets" : "packet";
    if (m->src == m->origin) fprintf(file, "its own %s", what);
    else fprintf(file, "the %s of node %u", what, m->origin);
}

static void put_sentence(const struct drawing *d, const struct crl_move *m, uint32_t port, FILE *file)
{
    const struct crl_topology *t = d->schedule->topology;
    bool pair = crl_naming_is_pair(d->schedule->naming);
    uint32_t dest = crl_packet_dest(d->schedule->naming, m->dest);
    fprintf(file, "Slot %u: node %s sends ", m->slot, CRL_NODE(t, m->src));
    if (d->schedule->naming == CRL_NAMING_RANGE) fprintf(file, "the sum of nodes %u to %u", m->origin, m->dest);
    else put_packet(d, m, file);
    if (pair) fprintf(file, " for node %s", CRL_NODE(t, dest));
    fprintf(file, " to node %s through port %u", CRL_NODE(t, m->dst), port);
    if (pair) {
        uint32_t left = crl_topology_distance(t, m->dst, dest);
        if (left) fprintf(file, "; from there, %u hop%s to go", left, left == 1 ? "" : "s");
        else fputs(", where it belongs", file);
    }
    fputc('.', file);
}

static void put_cell(const struct drawing *d, const struct crl_move *m, FILE *file)
{
    uint32_t place = crl_draw_place(d, m->src), index = colour_index(d, crl_draw_distance(d->schedule, m)), rgb[3];
    uint32_t port = crl_move_port(d->schedule, m);
    uint32_t x = d->left + (m->slot - 1) * d->cell_width, y = row_top(d, place, port) + 1;
    fprintf(file, "<rect class=\"c%u\"", index);
    fprintf(file, " x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"%s><title>", x, y, drawn_width(d), d->cell_height - 2,
            d->named ? " rx=\"3\"" : "");
    put_sentence(d, m, port, file);
    fputs("</title></rect>", file);
    if (d->named) {
        crl_draw_colour(d->colours, index, rgb);
        fprintf(file, "<text class=\"name%s%s\" x=\"%u\" y=\"%u\">", is_deep(rgb) ? " deep" : "",
                m->src == crl_schedule_source(d->schedule, m) ? " own" : "", x + d->cell_width / 2,
                y + d->cell_height / 2 + 3);
        put_name(d, m, file);
        fputs("</text>", file);
    }
    fputc('\n', file);
}

void crl_draw_begin(const struct carillon_view *view, uint32_t width, uint32_t height, FILE *file)
{
    static const uint32_t points[] = {0, 252, 516}; // of columns in a paper that has two
    uint32_t wide = points[view->columns];
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\"", file);
    if (wide)
        fprintf(file, " width=\"%upt\" height=\"%upt\"", wide,
                (uint32_t)(((uint64_t)height * wide + width / 2) / width));
    else fprintf(file, " width=\"%u\" height=\"%u\"", width, height);
    fprintf(file, " viewBox=\"0 0 %u %u\">\n", width, height);
}

void crl_draw_svg(const struct drawing *d, FILE *file)
{
    const struct crl_schedule *s = d->schedule;
    crl_draw_begin(d->view, d->width, d->height, file);
    fputs("<title>", file);
    crl_draw_text(d->title, file);
    fputs("</title>\n", file);
    put_style(d, file);
    fprintf(file, "<rect class=\"page\" width=\"%u\" height=\"%u\"/>\n", d->width, d->height);
    put_header(d, file);
    put_legend(d, file);
    put_strip(d, file);
    put_rows(d, file);
    for (size_t i = 0; i < s->count; i++)
        if (s->moves[i].slot <= d->slots_shown && crl_draw_place(d, s->moves[i].src) != CRL_NONE)
            put_cell(d, &s->moves[i], file);
    fputs("</svg>\n", file);
}
