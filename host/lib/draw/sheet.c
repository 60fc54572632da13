// SPDX-License-Identifier: Apache-2.0
// What figures are written with: an SVG file under a header. Numbers are printed as integers of tenths, so that no
// locale changes them.
#include "base/base.h"
#include "draw/draw.h"
#include "draw/figure.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LETTER = 7, TITLE_LETTER = 11 };

static void put(FILE *file, double value)
{
    long tenths = lround(value * 10);
    fprintf(file, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
}

void crl_sheet_begin(struct crl_sheet *sheet, const struct carillon_view *view, FILE *file, const char *const lines[3],
                     double width, double height)
{
    const char *const caption[3] = {view->caption}, *const *said = view->caption ? caption : lines;
    double text = 0;
    uint32_t count = 0;
    for (; count < 3 && said[count] && *said[count]; count++)
        text = fmax(text, (double)strlen(said[count]) * (count ? LETTER : TITLE_LETTER));
    *sheet = (struct crl_sheet){file, ceil(fmax(width, text)) + 2 * DRAW_MARGIN, 0, DRAW_MARGIN + count * 22 + 12};
    sheet->height = ceil(sheet->top + height) + DRAW_MARGIN;
    crl_draw_begin(view, (uint32_t)lround(sheet->width), (uint32_t)lround(sheet->height), file);
    fputs("<title>", file);
    crl_draw_text(lines[0], file);
    fputs("</title>\n<style>\n"
          "text{font:12px sans-serif;fill:#24292f}\n.title{font-size:18px;font-weight:bold}\n.quiet{fill:#626a73}\n"
          ".mid{text-anchor:middle}\n.end{text-anchor:end}\n.small{font-size:10px}\n.bold{font-weight:bold}\n"
          ".halo{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\n"
          ".page{fill:#fff}\n.node{fill:#eef0f3;stroke:#8c96a3}\n.link{stroke:#c3cad2;fill:none}\n"
          ".idle{stroke:#e3e6ea;fill:none}\n.hop{fill:none}\n"
          "@media(prefers-color-scheme:dark){\ntext{fill:#e2e6ea}\n.quiet{fill:#9aa4ae}\n.halo{stroke:#16191d}\n"
          ".page{fill:#16191d}\n.node{fill:#262b31;stroke:#7c8794}\n.link{stroke:#4a525b}\n.idle{stroke:#2f353c}\n}\n"
          "</style>\n",
          file);
    fprintf(file, "<rect class=\"page\" width=\"%ld\" height=\"%ld\"/>\n", lround(sheet->width), lround(sheet->height));
    for (uint32_t i = 0; i < count; i++)
        crl_sheet_text(sheet, i ? "class=\"quiet\"" : "class=\"title\"", DRAW_MARGIN, DRAW_MARGIN + 14 + 22 * i, "%s",
                       said[i]);
}

int crl_sheet_end(struct crl_sheet *sheet, struct crl_diag *diag)
{
    fputs("</svg>\n", sheet->file);
    return ferror(sheet->file) ? crl_fail(diag, CRL_ERR_IO, "cannot write the picture: %s", strerror(errno)) : 0;
}

static void put_number(const struct crl_sheet *sheet, const char *name, double value)
{
    fprintf(sheet->file, " %s=\"", name);
    put(sheet->file, value);
    fputc('"', sheet->file);
}

void crl_sheet_text(const struct crl_sheet *sheet, const char *style, double x, double y, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(sheet->file, "<text %s", style);
    put_number(sheet, "x", x);
    put_number(sheet, "y", y);
    fputc('>', sheet->file);
    crl_draw_text(text, sheet->file);
    fputs("</text>\n", sheet->file);
}

// A shape that is four numbers at most; `names` of them, the last NULL.
static void put_shape(const struct crl_sheet *sheet, const char *shape, const char *style, const char *const *names,
                      const double *numbers)
{
    fprintf(sheet->file, "<%s %s", shape, style);
    for (; *names; names++, numbers++) put_number(sheet, *names, *numbers);
    fputs("/>\n", sheet->file);
}

void crl_sheet_line(const struct crl_sheet *sheet, const char *style, double ax, double ay, double bx, double by)
{
    put_shape(sheet, "line", style, (const char *const[]){"x1", "y1", "x2", "y2", NULL}, (double[]){ax, ay, bx, by});
}

void crl_sheet_circle(const struct crl_sheet *sheet, const char *style, double x, double y, double radius)
{
    put_shape(sheet, "circle", style, (const char *const[]){"cx", "cy", "r", NULL}, (double[]){x, y, radius});
}

void crl_sheet_box(const struct crl_sheet *sheet, const char *style, double x, double y, double width, double height)
{
    put_shape(sheet, "rect", style, (const char *const[]){"x", "y", "width", "height", NULL},
              (double[]){x, y, width, height});
}

static void put_point(FILE *file, char letter, double x, double y)
{
    fputc(letter, file);
    put(file, x);
    fputc(' ', file);
    put(file, y);
}

void crl_sheet_curve(const struct crl_sheet *sheet, const char *style, const double a[2], const double c[2],
                     const double b[2])
{
    fprintf(sheet->file, "<path %s d=\"", style);
    put_point(sheet->file, 'M', a[0], a[1]);
    put_point(sheet->file, 'Q', c[0], c[1]);
    put_point(sheet->file, ' ', b[0], b[1]);
    fputs("\"/>\n", sheet->file);
}

void crl_sheet_arrow(const struct crl_sheet *sheet, const char *style, double ax, double ay, double bx, double by,
                     double size)
{
    double angle = atan2(by - ay, bx - ax);
    fprintf(sheet->file, "<path %s d=\"", style);
    put_point(sheet->file, 'M', bx, by);
    put_point(sheet->file, 'L', bx - size * cos(angle - .4), by - size * sin(angle - .4));
    put_point(sheet->file, 'L', bx - size * cos(angle + .4), by - size * sin(angle + .4));
    fputs("Z\"/>\n", sheet->file);
}

// ---------------------------------------------------------------- schedules on links

void crl_figure_header(const struct crl_figure *figure, char title[160], char facts[200])
{
    const struct crl_schedule *s = figure->schedule;
    snprintf(title, 160, "%s on %s", crl_problem_title(figure->problem), crl_topology_name(s->topology));
    snprintf(facts, 200, "%s%s%s%u nodes, %u slots, %llu transmissions", figure->scheme ? "scheme " : "",
             figure->scheme ? figure->scheme : "", figure->scheme ? ", " : "", crl_topology_nodes(s->topology),
             crl_schedule_slots(s), (unsigned long long)crl_schedule_transmissions(s));
}

struct crl_range crl_figure_range(const struct crl_schedule *s)
{
    struct crl_range range = {UINT32_MAX, 0};
    for (size_t i = 0; i < s->count; i++) {
        uint32_t distance = crl_draw_distance(s, &s->moves[i]);
        if (distance < range.near) range.near = distance;
        if (distance > range.far) range.far = distance;
    }
    if (range.near > range.far) range.near = range.far;
    return range;
}

const char *crl_figure_bright(const struct crl_schedule *s)
{
    return crl_naming_is_pair(s->naming) ? "bright near where they go" : "bright near where they are from";
}

void crl_figure_colour(const struct crl_range *range, uint32_t distance, char colour[8])
{
    uint32_t span = range->far - range->near, count = crl_draw_colours(range->near, range->far), rgb[3];
    uint32_t from = distance < range->near ? 0 : distance > range->far ? span : distance - range->near;
    crl_draw_colour(count, span < count ? from : (uint32_t)((uint64_t)from * (count - 1) / span), rgb);
    snprintf(colour, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}
