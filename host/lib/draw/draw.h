// SPDX-License-Identifier: Apache-2.0
// A space-time diagram of a schedule: a column a slot, a row a link, the links grouped by the node that sends.
#ifndef CRL_DRAW_H
#define CRL_DRAW_H

#include "schedule/schedule.h"

// Draws a checked schedule: a column a slot, a row a link, in every busy cell the packet. Of a relative schedule node 0
// is shown, which stands for all; of a large one the first nodes and slots, and the header says so. `scheme` (may be
// NULL) is for the header. Fails with CRL_ERR_RULE on slots, nodes or links that there are not, before anything is
// written.
int crl_draw_view(const struct crl_schedule *schedule, const struct crl_problem *problem, const char *scheme,
                  const struct carillon_view *view, FILE *file, struct crl_diag *diag);

// Limits that keep the file small: the picture is for people, who see no more at once.
enum {
    DRAW_NODES_MAX = 64,
    DRAW_SLOTS_MAX = 512,
    DRAW_CELLS_MAX = 24576, // busy ones: the total exchange of an 8×8 mesh; always enough for a node
    DRAW_COLOURS_MAX = 12,
    DRAW_LINES_MAX = 8,
};

// Lengths that layout and writer share, in pixels.
enum {
    DRAW_MARGIN = 20,
    DRAW_SWATCH = 26, // width of a colour in the legend, with the gap after it
    DRAW_LINE_HEIGHT = 20,
    DRAW_STRIP_HEIGHT = 28,
    DRAW_GROUP_GAP = 8
};

// What is shown, and where. Lengths are in pixels.
struct drawing {
    const struct crl_schedule *schedule;
    const struct crl_problem *problem;
    const struct carillon_view *view;
    char title[160];

    uint32_t slots, slots_shown;
    uint32_t ports, nodes_shown, nodes_idle, links_idle;
    uint32_t node[DRAW_NODES_MAX];     // ascending
    bool *has_row;                     // [nodes_shown][ports]
    uint64_t busy[DRAW_SLOTS_MAX + 1]; // transmissions of the whole network, by slot
    uint64_t busy_most;                // transmissions that fit into a slot
    uint32_t near, far;                // range of crl_draw_distance
    uint32_t colours;

    char line[DRAW_LINES_MAX][160]; // the header; the first is the title
    uint32_t lines;

    bool named; // packets' names fit into the cells
    uint32_t cell_width, cell_height, tick_slots;
    uint32_t node_top[DRAW_NODES_MAX];
    uint32_t left, legend_top, strip_top, top, bottom, width, height;
};

// Fills `drawing` from its schedule and problem. `scheme` may be NULL. The caller frees has_row, also after an error.
int crl_draw_layout(struct drawing *drawing, const char *scheme, struct crl_diag *diag);
void crl_draw_svg(const struct drawing *drawing, FILE *file);
// The element that a picture of so many units is in.
void crl_draw_begin(const struct carillon_view *view, uint32_t width, uint32_t height, FILE *file);
void crl_draw_text(const char *text, FILE *file); // escaped

// What the colour shows: hops to the destination, or from the origin where everybody is one.
uint32_t crl_draw_distance(const struct crl_schedule *schedule, const struct crl_move *move);
// How many colours a range of distances gets, and each of them.
uint32_t crl_draw_colours(uint32_t near, uint32_t far);
void crl_draw_colour(uint32_t colours, uint32_t index, uint32_t rgb[3]);

// Place of a node in the picture, or CRL_NONE if it is not shown.
uint32_t crl_draw_place(const struct drawing *drawing, uint32_t node);

#endif
