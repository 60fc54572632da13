// SPDX-License-Identifier: Apache-2.0
// Figures of schedules on LogP machines: processors and time, as in Fig. 1 of Karp et al. 1993, and the tree beside it.
#include "base/base.h"
#include "draw/draw.h"
#include "draw/figure.h"
#include "machine/logp/logp.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// As struct crl_figure.
struct figure {
    const struct crl_logp_schedule *schedule;
    const struct crl_logp_problem *problem;
    const char *scheme;
};
static struct figure figure_of(const struct carillon_schedule *schedule)
{
    return (struct figure){&logp_schedule_in(schedule)->schedule, logp_said(schedule->problem), schedule->scheme};
}

enum { PROCESSORS_MAX = 256, MESSAGES_MAX = 1 << 14, TIME_MAX = 4000, LEFT = 40, ROW = 44, BAR = 20 };

static void header(const struct figure *f, char title[160], char facts[200])
{
    char name[CRL_LOGP_NAME];
    crl_logp_name(&f->problem->machine, name);
    snprintf(title, 160, "%s on %s", crl_logp_problem_name(f->problem), name);
    snprintf(facts, 200, "%s%s%sdone at time %" PRIu64 ", %zu messages", f->scheme ? "scheme " : "",
             f->scheme ? f->scheme : "", f->scheme ? ", " : "",
             crl_logp_schedule_slots(f->schedule, &f->problem->machine), f->schedule->count);
}

struct chart {
    struct crl_sheet sheet;
    double step; // of a unit of time
};

static double x_of(const struct chart *c, double time) { return DRAW_MARGIN + LEFT + time * c->step; }
static double y_of(const struct chart *c, uint32_t node) { return c->sheet.top + 24 + (node + .5) * ROW; }

// Colours of items that stand far apart, as the page has them.
static void colour_of(uint32_t item, bool one, char colour[32])
{
    if (one) snprintf(colour, 32, "#0b62c4");
    else snprintf(colour, 32, "hsl(%ld,62%%,48%%)", lround(item * 137.508) % 360);
}

static void put_message(const struct chart *c, const struct crl_logp *m, const struct crl_logp_send *s, bool one)
{
    char colour[32], style[96];
    double wide = fmax(2, m->o * c->step), sent = x_of(c, s->time + m->o), got = x_of(c, s->rtime);
    colour_of(s->item, one, colour);
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.4\"", colour);
    crl_sheet_line(&c->sheet, style, sent, y_of(c, s->src), got, y_of(c, s->dst));
    if (m->g > m->o) {
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-dasharray=\"2 3\"", colour);
        crl_sheet_line(&c->sheet, style, sent, y_of(c, s->src), x_of(c, s->time + m->g), y_of(c, s->src));
    }
    snprintf(style, sizeof style, "fill=\"%s\"", colour);
    crl_sheet_arrow(&c->sheet, style, sent, y_of(c, s->src), got, y_of(c, s->dst), 8);
    crl_sheet_box(&c->sheet, style, x_of(c, s->time), y_of(c, s->src) - BAR / 2., wide, BAR);
    snprintf(style, sizeof style, "class=\"page\" stroke=\"%s\" stroke-width=\"1.4\"", colour);
    crl_sheet_box(&c->sheet, style, got, y_of(c, s->dst) - BAR / 2., wide, BAR);
    if (one || wide < 14) return;
    crl_sheet_text(&c->sheet, "class=\"small mid\" style=\"fill:#fff\"", x_of(c, s->time) + wide / 2,
                   y_of(c, s->src) + 4, "%u", s->item);
    crl_sheet_text(&c->sheet, "class=\"small mid\"", got + wide / 2, y_of(c, s->dst) + 4, "%u", s->item);
}

static int refuse(const struct figure *f, uint64_t last, struct crl_diag *diag)
{
    const struct crl_logp *m = &f->problem->machine;
    if (m->P <= PROCESSORS_MAX && f->schedule->count <= MESSAGES_MAX && last <= TIME_MAX) return 0;
    return crl_fail(
        diag, CRL_ERR_LIMIT,
        "a figure shows up to %d processors, %d messages and %d units of time, not '%u', '%zu' and '%" PRIu64
        "'; a page more: -o x.html",
        PROCESSORS_MAX, MESSAGES_MAX, TIME_MAX, m->P, f->schedule->count, last);
}

static int draw_space_time(const struct carillon_schedule *schedule, const struct carillon_view *view, FILE *file,
                           struct crl_diag *diag)
{
    const struct figure drawn = figure_of(schedule), *figure = &drawn;
    const struct crl_logp *m = &figure->problem->machine;
    uint64_t last = crl_logp_schedule_slots(figure->schedule, m);
    struct chart c;
    char title[160], facts[200];
    bool one = true;
    int error = refuse(figure, last, diag);
    if (error) return error;
    for (size_t i = 0; i < figure->schedule->count; i++) one &= !figure->schedule->sends[i].item;
    c.step = fmax(4, fmin(30, 1600. / (last ? (double)last : 1)));
    header(figure, title, facts);
    crl_sheet_begin(&c.sheet, view, file,
                    (const char *const[3]){title, facts,
                                           "full bar: busy with a send; framed bar: with a reception; dotted: the gap"},
                    LEFT + ((double)last + m->g) * c.step + 20, 24 + m->P * (double)ROW);
    uint32_t each = (uint32_t)ceil(28 / c.step);
    for (uint32_t v = 0; v < m->P; v++) {
        crl_sheet_line(&c.sheet, "class=\"link\"", x_of(&c, 0), y_of(&c, v), x_of(&c, (double)last), y_of(&c, v));
        crl_sheet_text(&c.sheet, "class=\"end\"", x_of(&c, 0) - 8, y_of(&c, v) + 4, "P%u", v);
    }
    for (uint64_t t = 0; t <= last; t += each)
        crl_sheet_text(&c.sheet, "class=\"quiet mid\"", x_of(&c, (double)t), c.sheet.top + 14, "%" PRIu64, t);
    for (size_t i = 0; i < figure->schedule->count; i++) put_message(&c, m, &figure->schedule->sends[i], one);
    return crl_sheet_end(&c.sheet, diag);
}

// Who has item 0 from whom, and when; where sums are sent, who adds whose, and when it is sent, with the root below.
static int draw_tree(const struct carillon_schedule *schedule, const struct carillon_view *view, FILE *file,
                     struct crl_diag *diag)
{
    const struct figure drawn = figure_of(schedule), *figure = &drawn;
    const struct crl_logp_schedule *s = figure->schedule;
    const struct crl_logp *m = &figure->problem->machine;
    bool sums = crl_logp_combines(figure->problem);
    char title[160], facts[200];
    uint64_t last = crl_logp_schedule_slots(s, m);
    struct crl_draw_tree tree = {
        .upside_down = sums, .prefix = "P", .vertex = malloc(sizeof *tree.vertex * (m->P + 1))};
    CRL_OWNED uint32_t *place = malloc(sizeof *place * m->P);
    int error = refuse(figure, last, diag);
    if (!error && (!tree.vertex || !place)) error = crl_fail_memory(diag);
    for (uint32_t v = 0; v < m->P && !error; v++) place[v] = CRL_NONE;
    // The root: who has it before anybody sends it, or who gets the last sum.
    for (size_t i = 0; i < s->count && !error; i++) {
        const struct crl_logp_send *x = &s->sends[sums ? s->count - 1 - i : i];
        uint32_t from = sums ? x->dst : x->src, to = sums ? x->src : x->dst;
        if (!sums && x->item) continue;
        if (!tree.count) {
            tree.vertex[0] = (struct crl_draw_vertex){.above = CRL_NONE, .number = from, .beside = sums ? last : 0};
            place[from] = tree.count++;
        }
        if (place[from] == CRL_NONE || place[to] != CRL_NONE) continue;
        tree.vertex[tree.count] = (struct crl_draw_vertex){
            .above = place[from], .number = to, .beside = sums ? x->time : (uint64_t)x->rtime + m->o};
        place[to] = tree.count++;
    }
    header(figure, title, facts);
    if (!error)
        error = crl_draw_tree_write(&tree, view,
                                    (const char *const[3]){title, facts,
                                                           sums ? "who adds whose sum, and when it is sent"
                                                                : "who gets item 0 from whom, and when it is there"},
                                    file, diag);
    free(tree.vertex);
    return error;
}

static const struct crl_view views[] = {
    {"space-time", false, draw_space_time}, {"tree", false, draw_tree}, {NULL, false, NULL}};

const struct crl_pictures logp_pictures = {views, logp_page};
