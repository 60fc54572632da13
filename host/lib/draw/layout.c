// SPDX-License-Identifier: Apache-2.0
// Decides what of a schedule is shown, how large, and what the header says.
#include "base/base.h"
#include "draw/draw.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    LETTER = 7,         // width of a letter, a little more than it needs: the font is the reader's
    WIDTH_NAMED = 2400, // widest grid whose cells carry names
    AXIS_HEIGHT = 22,
};

uint32_t crl_draw_place(const struct drawing *d, uint32_t node)
{
    uint32_t low = 0, high = d->nodes_shown;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (d->node[middle] < node) low = middle + 1;
        else high = middle;
    }
    return low < d->nodes_shown && d->node[low] == node ? low : CRL_NONE;
}

static uint32_t digits(uint32_t number)
{
    uint32_t count = 1;
    while (number /= 10) count++;
    return count;
}

// One pass over all moves: how much each node sends, how busy each slot is. Refuses what the checker would have
// refused.
static int survey(struct drawing *d, uint32_t *sends, struct crl_diag *diag)
{
    const struct crl_schedule *s = d->schedule;
    uint32_t nodes = crl_topology_nodes(s->topology);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        bool two = crl_naming_is_pair(s->naming) || s->naming == CRL_NAMING_RANGE; // nodes in its name
        bool known = m->slot && m->src < nodes && (m->origin < nodes || crl_problem_sums(d->problem) || s->demands) &&
                     (!two || crl_packet_dest(s->naming, m->dest) < nodes);
        if (!known || crl_topology_port_to(s->topology, m->src, m->dst) == CRL_NONE)
            return crl_fail(diag, CRL_ERR_RULE, "only a schedule without violations can be drawn");
        sends[m->src]++;
        if (m->slot <= DRAW_SLOTS_MAX) d->busy[m->slot] += s->folded ? nodes : 1;
    }
    return 0;
}

// The first nodes that send anything, as long as the picture stays small.
static void choose_nodes(struct drawing *d, const uint32_t *sends)
{
    uint32_t nodes = d->schedule->folded ? 1 : crl_topology_nodes(d->schedule->topology);
    uint64_t cells = 0;
    bool full = false;
    for (uint32_t v = 0; v < nodes; v++) {
        d->nodes_idle += !sends[v];
        cells += sends[v];
        full |= d->nodes_shown == DRAW_NODES_MAX || (d->nodes_shown && cells > DRAW_CELLS_MAX);
        if (sends[v] && !full) d->node[d->nodes_shown++] = v;
    }
}

// One pass over the moves that are shown: the links they use, how far packets have to go.
static int survey_shown(struct drawing *d, struct crl_diag *diag)
{
    d->has_row = calloc((size_t)(d->nodes_shown ? d->nodes_shown : 1) * d->ports, sizeof *d->has_row);
    if (!d->has_row) return crl_fail_memory(diag);
    d->near = UINT32_MAX;
    for (size_t i = 0; i < d->schedule->count; i++) {
        const struct crl_move *m = &d->schedule->moves[i];
        uint32_t place = crl_draw_place(d, m->src);
        if (m->slot > d->slots_shown || place == CRL_NONE) continue;
        uint32_t distance = crl_draw_distance(d->schedule, m);
        if (distance < d->near) d->near = distance;
        if (distance > d->far) d->far = distance;
        d->has_row[place * d->ports + crl_move_port(d->schedule, m)] = true;
    }
    if (d->near > d->far) d->near = d->far;
    d->colours = crl_draw_colours(d->near, d->far);
    return 0;
}

// Idle links are left out: of a tree there would be little else. A node that stands for all keeps them.
static void choose_links(struct drawing *d)
{
    for (uint32_t i = 0; i < d->nodes_shown; i++)
        for (uint32_t p = 0; p < d->ports; p++) {
            bool *has_row = &d->has_row[i * d->ports + p];
            if (*has_row || crl_topology_neighbor(d->schedule->topology, d->node[i], p) == CRL_NONE) continue;
            *has_row = d->schedule->folded;
            d->links_idle += !*has_row;
        }
}

__attribute__((format(printf, 2, 3))) static void say(struct drawing *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(d->line[d->lines], sizeof d->line[0], format, args);
    d->lines++;
    va_end(args);
}

static void say_what_it_costs(struct drawing *d)
{
    unsigned long long transmissions = crl_schedule_transmissions(d->schedule),
                       bound = crl_problem_bound_slots(d->problem);
    unsigned long long room = d->busy_most * d->slots;
    unsigned permille = room ? (unsigned)((double)transmissions * 1000 / (double)room + 0.5) : 0;
    if (d->slots == bound) say(d, "%u slot%s, which is the lower bound: optimal", d->slots, d->slots == 1 ? "" : "s");
    else say(d, "%u slots; the lower bound is %llu", d->slots, bound);
    say(d, "%llu transmissions; %s are %u.%u %% busy", transmissions,
        d->problem->ports == CRL_PORTS_SINGLE ? "senders" : "links", permille / 10, permille % 10);
}

static void say_what_is_shown(struct drawing *d)
{
    uint32_t nodes = crl_topology_nodes(d->schedule->topology);
    if (d->schedule->folded) {
        say(d, "All nodes look the same, so this is node 0.");
        bool cube = d->schedule->topology->kind == &crl_topology_hypercube;
        say(d, cube ? "Node v does the same with every node number XOR v."
                    : "Node v does the same with v added to every node number, digit by digit.");
    } else if (d->nodes_shown + d->nodes_idle < nodes) {
        say(d, "Shown: the first %u of the %u nodes that send anything.", d->nodes_shown, nodes - d->nodes_idle);
    }
    if (d->nodes_idle || d->links_idle)
        say(d, "Not shown: idle nodes (%u), and idle links of the others (%u).", d->nodes_idle, d->links_idle);
    if (d->slots_shown < d->slots) say(d, "Shown: slots 1 to %u of %u.", d->slots_shown, d->slots);
}

static void write_header(struct drawing *d, const char *scheme)
{
    const struct crl_topology *t = d->schedule->topology;
    say(d, "%s on %s", crl_problem_title(d->problem), crl_topology_name(t));
    say(d, "%s%s%s, %u nodes, %llu links", scheme ? "scheme " : "", scheme ? scheme : "",
        d->problem->ports == CRL_PORTS_SINGLE ? ", a node sends and receives one packet a slot"
        : scheme                              ? ", all ports at once"
                                              : "all ports at once",
        crl_topology_nodes(t), (unsigned long long)crl_topology_links(t));
    say_what_it_costs(d);
    say_what_is_shown(d);
}

// Cells as wide as the longest name, if the whole then is not too wide; else as small as can be seen.
static void size_cells(struct drawing *d)
{
    uint32_t number = digits(crl_topology_nodes(d->schedule->topology) - 1);
    uint32_t letters = d->schedule->naming == CRL_NAMING_ORIGIN ? number : 2 * number + 1;
    for (size_t i = 0; d->schedule->demands && i < d->schedule->count; i++) {
        char name[CRL_PACKET_NAME];
        size_t length = strlen(crl_schedule_packet_name(d->schedule, &d->schedule->moves[i], name));
        if (length > letters) letters = (uint32_t)length;
    }
    if (d->schedule->naming == CRL_NAMING_SPLIT_PAIR) letters += 1 + digits(d->problem->parts - 1);
    uint32_t wide = letters * LETTER + 8 > 30 ? letters * LETTER + 8 : 30;
    d->named = wide * d->slots_shown <= WIDTH_NAMED;
    d->cell_width = d->named ? wide : d->slots_shown <= 128 ? 12 : d->slots_shown <= 256 ? 8 : 4;
    d->cell_height = d->named ? 22 : 14;
    static const uint32_t steps[] = {1, 2, 5, 10, 20, 50, 100};
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof *steps && steps[i] * d->cell_width < digits(d->slots) * LETTER + 6) i++;
    d->tick_slots = steps[i];
}

// Letters of the longest name of a node, with blank and brackets; 0: they have none.
static uint32_t letters_of_names(const struct crl_topology *t)
{
    const struct crl_names *names = crl_topology_names(t);
    size_t most = 0;
    for (uint32_t v = 0; names && v < names->count; v++)
        if (strlen(crl_names_at(names, v)) > most) most = strlen(crl_names_at(names, v));
    return most ? (uint32_t)most + 3 : 0;
}

static void place_parts(struct drawing *d)
{
    uint32_t number = digits(crl_topology_nodes(d->schedule->topology) - 1);
    uint32_t grid = d->slots_shown * d->cell_width, text = 360 + d->colours * DRAW_SWATCH; // the legend
    d->left = DRAW_MARGIN + (number + 6 + 5 + digits(d->ports - 1) + 3 + number) * LETTER + 10 +
              letters_of_names(d->schedule->topology) * LETTER;
    for (uint32_t i = 0; i < d->lines; i++)
        if (strlen(d->line[i]) * LETTER > text) text = (uint32_t)strlen(d->line[i]) * LETTER;
    d->width =
        2 * DRAW_MARGIN + text > d->left + grid + DRAW_MARGIN ? 2 * DRAW_MARGIN + text : d->left + grid + DRAW_MARGIN;
    d->legend_top = DRAW_MARGIN + d->lines * DRAW_LINE_HEIGHT + 12;
    d->strip_top = d->legend_top + 34;
    d->top = d->strip_top + DRAW_STRIP_HEIGHT + AXIS_HEIGHT;
    d->bottom = d->top;
    for (uint32_t i = 0; i < d->nodes_shown; i++) {
        d->node_top[i] = d->bottom + (i ? DRAW_GROUP_GAP : 0);
        d->bottom = d->node_top[i];
        for (uint32_t p = 0; p < d->ports; p++) d->bottom += d->has_row[i * d->ports + p] ? d->cell_height : 0;
    }
    d->height = d->bottom + DRAW_MARGIN;
}

int crl_draw_layout(struct drawing *d, const char *scheme, struct crl_diag *diag)
{
    const struct crl_topology *t = d->schedule->topology;
    uint32_t *sends = calloc(crl_topology_nodes(t), sizeof *sends);
    if (!sends) return crl_fail_memory(diag);
    d->ports = crl_topology_ports(t);
    d->slots = crl_schedule_slots(d->schedule);
    d->slots_shown = d->slots < DRAW_SLOTS_MAX ? d->slots : DRAW_SLOTS_MAX;
    d->busy_most = d->problem->ports == CRL_PORTS_SINGLE ? crl_topology_nodes(t) : crl_topology_links(t);
    int error = survey(d, sends, diag);
    if (!error) choose_nodes(d, sends);
    free(sends);
    if (!error) error = survey_shown(d, diag);
    if (error) return error;
    choose_links(d);
    write_header(d, scheme);
    snprintf(d->title, sizeof d->title, "%s", d->line[0]);
    if (d->view->caption) {
        d->lines = 0;
        if (*d->view->caption) say(d, "%s", d->view->caption);
    }
    size_cells(d);
    place_parts(d);
    return 0;
}
