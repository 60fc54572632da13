// SPDX-License-Identifier: Apache-2.0
// Still pictures beside the table of slots and links: the network, its loads, space and time, trees. All are SVG;
// lengths are in pixels.
#ifndef CRL_DRAW_FIGURE_H
#define CRL_DRAW_FIGURE_H

#include "schedule/schedule.h"

// What is drawn of a checked schedule. `scheme` may be NULL.
struct crl_figure {
    const struct crl_schedule *schedule;
    const struct crl_problem *problem;
    const char *scheme;
    const struct carillon_view *view;
};

// Writers, one a view. They fail with CRL_ERR_LIMIT on what would be too much to see, with CRL_ERR_UNSUPPORTED where
// there is no such picture, before anything is written.
int crl_draw_network(const struct crl_figure *figure, FILE *file, struct crl_diag *diag);
int crl_draw_heat(const struct crl_figure *figure, FILE *file, struct crl_diag *diag);
int crl_draw_space_time(const struct crl_figure *figure, FILE *file, struct crl_diag *diag);
int crl_draw_tree(const struct crl_figure *figure, FILE *file, struct crl_diag *diag);

// ---------------------------------------------------------------- what they are written with

// A header of up to three lines (NULL: none) above a picture of so many pixels, which begins at `top`.
struct crl_sheet {
    FILE *file;
    double width, height, top;
};
void crl_sheet_begin(struct crl_sheet *sheet, const struct carillon_view *view, FILE *file, const char *const lines[3],
                     double width, double height);
int crl_sheet_end(struct crl_sheet *sheet, struct crl_diag *diag);
// Text at a point; numbers have one decimal, in no locale.
void crl_sheet_text(const struct crl_sheet *sheet, const char *style, double x, double y, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void crl_sheet_line(const struct crl_sheet *sheet, const char *style, double ax, double ay, double bx, double by);
void crl_sheet_circle(const struct crl_sheet *sheet, const char *style, double x, double y, double radius);
void crl_sheet_box(const struct crl_sheet *sheet, const char *style, double x, double y, double width, double height);
// The curve from a to b whose control point is c, and the arrowhead of a line at its end b, coming from a.
void crl_sheet_curve(const struct crl_sheet *sheet, const char *style, const double a[2], const double c[2],
                     const double b[2]);
void crl_sheet_arrow(const struct crl_sheet *sheet, const char *style, double ax, double ay, double bx, double by,
                     double size);

// Two lines about a schedule on links: what it is, and what it takes.
void crl_figure_header(const struct crl_figure *figure, char title[160], char facts[200]);
// The range of crl_draw_distance over the moves, and of a distance in it the colour as "#rrggbb".
struct crl_range {
    uint32_t near, far;
};
struct crl_range crl_figure_range(const struct crl_schedule *schedule);
void crl_figure_colour(const struct crl_range *range, uint32_t distance, char colour[8]);
const char *crl_figure_bright(const struct crl_schedule *schedule); // in words, where "they" (packets) are bright

// Where the nodes of a network stand, by its kind: switches in layers above the hosts, dragonflies in groups, products
// as grids, what has no shape so that far apart in hops is far apart. The unit is the distance of neighbours; y grows
// downwards. A node's radius is at most CRL_LAYOUT_RADIUS of the distance of the two closest ones.
#define CRL_LAYOUT_RADIUS .22
struct crl_layout {
    const struct crl_topology *topology;
    double *x, *y;
    // [nodes][ports] How far the middle of a link's line lies off the straight one, to pass nodes between its ends: to
    // the right of the way from the lower number to the higher one.
    double *bow;
    double left, right, top, bottom; // of all nodes, and of the points that lines bend to
    double nearest;                  // distance of the two closest nodes
};
int crl_layout_new(struct crl_layout *places, const struct crl_topology *topology, struct crl_diag *diag);
void crl_layout_done(struct crl_layout *places);

// A tree: of each vertex the one above it (CRL_NONE: the root), which comes before it, a number to show, and one beside
// it. `upside_down`: the root is below.
struct crl_draw_vertex {
    uint32_t above, number;
    uint64_t beside;
    double column;
    uint32_t level;
};
struct crl_draw_tree {
    struct crl_draw_vertex *vertex;
    uint32_t count;
    bool upside_down;
    const char *prefix; // of the numbers in it
};
// Draws it under a header; releases nothing.
int crl_draw_tree_write(struct crl_draw_tree *tree, const struct carillon_view *view, const char *const lines[3],
                        FILE *file, struct crl_diag *diag);

#endif
