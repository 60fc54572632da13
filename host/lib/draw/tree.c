// SPDX-License-Identifier: Apache-2.0
// Trees: of the packets of one node, by the ways they take, or of those for it.
#include "base/base.h"
#include "draw/draw.h"
#include "draw/figure.h"
#include <stdlib.h>

enum { VERTICES_MAX = 4096, MOVES_MAX = 1 << 22, STEP = 46, LEVEL = 74, RADIUS = 15 };

// ---------------------------------------------------------------- drawing

// Columns: a leaf has one of its own, the others stand between their first and their last child. Vertices come after
// those above them, so that one pass backwards sees all children first; but leaves must be counted in depth-first
// order.
static double lay_out(struct crl_draw_tree *t, const uint32_t *first, const uint32_t *next, uint32_t at, double *leaves)
{
    struct crl_draw_vertex *v = &t->vertex[at];
    if (first[at] == CRL_NONE) return v->column = (*leaves)++;
    double low = 0, high = 0;
    for (uint32_t child = first[at]; child != CRL_NONE; child = next[child]) {
        t->vertex[child].level = v->level + 1;
        high = lay_out(t, first, next, child, leaves);
        if (child == first[at]) low = high;
    }
    return v->column = (low + high) / 2;
}

static int place(struct crl_draw_tree *t, double *columns, uint32_t *levels, struct crl_diag *diag)
{
    CRL_OWNED uint32_t *first = malloc(sizeof *first * 3 * (t->count + 1));
    if (!first) return crl_fail_memory(diag);
    uint32_t *next = first + t->count, *last = next + t->count;
    for (uint32_t i = 0; i < t->count; i++) first[i] = next[i] = last[i] = CRL_NONE;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t above = t->vertex[i].above;
        if (above == CRL_NONE) continue;
        if (first[above] == CRL_NONE) first[above] = i;
        else next[last[above]] = i;
        last[above] = i;
    }
    for (uint32_t i = 0; i < t->count; i++)
        if (t->vertex[i].above == CRL_NONE) t->vertex[i].level = 0, lay_out(t, first, next, i, columns);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->vertex[i].level > *levels) *levels = t->vertex[i].level;
    return 0;
}

int crl_draw_tree_write(struct crl_draw_tree *t, const struct carillon_view *view, const char *const lines[3],
                        FILE *file, struct crl_diag *diag)
{
    double columns = 0;
    uint32_t levels = 0;
    struct crl_sheet sheet;
    int error = place(t, &columns, &levels, diag);
    if (error) return error;
    crl_sheet_begin(&sheet, view, file, lines, columns * STEP + 30, (levels + 1.) * LEVEL);
    for (int pass = 0; pass < 2; pass++) // lines, then what lies above them
        for (uint32_t i = 0; i < t->count; i++) {
            const struct crl_draw_vertex *v = &t->vertex[i], *a = v->above == CRL_NONE ? v : &t->vertex[v->above];
            double x = DRAW_MARGIN + (v->column + .5) * STEP, ax = DRAW_MARGIN + (a->column + .5) * STEP;
            double y = sheet.top + 24 + LEVEL * (double)(t->upside_down ? levels - v->level : v->level);
            double ay = sheet.top + 24 + LEVEL * (double)(t->upside_down ? levels - a->level : a->level);
            if (!pass) {
                crl_sheet_line(&sheet, "class=\"link\" stroke-width=\"1.5\"", ax, ay, x, y);
                continue;
            }
            crl_sheet_circle(&sheet, "class=\"node\"", x, y, RADIUS);
            crl_sheet_text(&sheet, "class=\"mid bold\"", x, y + 4, "%s%u", t->prefix, v->number);
            if (v->beside != UINT64_MAX)
                crl_sheet_text(&sheet, "class=\"quiet small mid halo\"", x,
                               t->upside_down ? y + RADIUS + 11 : y - RADIUS - 4, "%llu",
                               (unsigned long long)v->beside);
        }
    return crl_sheet_end(&sheet, diag);
}

// ---------------------------------------------------------------- of a schedule on links

// The ways of packets from, or to, one node grow together as long as they are the same.
struct growth {
    struct crl_draw_tree tree;
    uint32_t *first, *next; // children
    uint32_t *here;         // [nodes] the vertex of the packet at hand at each node
    bool backwards;         // from where packets go to where they come from
};

static uint32_t child_of(struct growth *g, uint32_t above, uint32_t node, uint32_t slot)
{
    for (uint32_t i = g->first[above]; i != CRL_NONE; i = g->next[i])
        if (g->tree.vertex[i].number == node) {
            if (g->backwards ? slot > g->tree.vertex[i].beside : slot < g->tree.vertex[i].beside)
                g->tree.vertex[i].beside = slot;
            return i;
        }
    if (g->tree.count == VERTICES_MAX) return CRL_NONE;
    uint32_t made = g->tree.count++, *link = &g->first[above];
    while (*link != CRL_NONE) link = &g->next[*link];
    *link = made;
    g->first[made] = g->next[made] = CRL_NONE;
    g->tree.vertex[made] = (struct crl_draw_vertex){.above = above, .number = node, .beside = slot};
    return made;
}

// Moves of one packet, in order of slots; backwards from the last on.
static bool grow(struct growth *g, const struct crl_move *const *moves, size_t count, uint32_t nodes, uint32_t root)
{
    for (uint32_t v = 0; v < nodes; v++) g->here[v] = CRL_NONE;
    g->here[root] = 0;
    for (size_t i = 0; i < count; i++) {
        const struct crl_move *m = g->backwards ? moves[count - 1 - i] : moves[i];
        uint32_t from = g->backwards ? m->dst : m->src, to = g->backwards ? m->src : m->dst;
        if (g->here[from] == CRL_NONE || g->here[to] != CRL_NONE) continue; // another copy came first
        g->here[to] = child_of(g, g->here[from], to, m->slot);
        if (g->here[to] == CRL_NONE) return false;
    }
    return true;
}

static int by_packet(const void *x, const void *y)
{
    const struct crl_move *a = *(const struct crl_move *const *)x, *b = *(const struct crl_move *const *)y;
    return CRL_COMPARE({a->origin, b->origin}, {a->dest, b->dest}, {a->slot, b->slot});
}

// Of the moves of packets that are `of` a node, those of one packet after those of another.
static int grow_all(struct growth *g, const struct crl_schedule *s, uint32_t root, bool any, struct crl_diag *diag)
{
    CRL_OWNED const struct crl_move **mine = malloc(sizeof(*mine) * (s->count + 1));
    uint32_t nodes = crl_topology_nodes(s->topology);
    size_t count = 0;
    bool fits = true;
    if (!mine) return crl_fail_memory(diag);
    for (size_t i = 0; i < s->count; i++)
        if (any || (g->backwards ? crl_packet_dest(s->naming, s->moves[i].dest)
                                 : crl_schedule_source(s, &s->moves[i])) == root)
            mine[count++] = &s->moves[i];
    qsort(mine, count, sizeof(*mine), by_packet);
    for (size_t i = 0, end; i < count && fits; i = end) {
        for (end = i + 1; end < count && mine[end]->origin == mine[i]->origin && mine[end]->dest == mine[i]->dest;)
            end++;
        fits = grow(g, mine + i, end - i, nodes, root);
    }
    return fits ? 0 : crl_fail(diag, CRL_ERR_LIMIT, "a figure of a tree shows up to %d places in it", VERTICES_MAX);
}

static int draw_grown(struct growth *g, const struct crl_figure *figure, const struct crl_schedule *s, uint32_t root,
                      bool sum, FILE *file, struct crl_diag *diag)
{
    char title[160], facts[200], third[160];
    int error = grow_all(g, s, root, sum, diag);
    if (error) return error;
    crl_figure_header(figure, title, facts);
    snprintf(third, sizeof third, "%s node %u: the %s slot of each hop",
             g->backwards ? "what goes to" : "the packets of", root, g->backwards ? "last" : "first");
    return crl_draw_tree_write(&g->tree, figure->view, (const char *const[3]){title, facts, third}, file, diag);
}

// Where sums are made, and where one node gets everything, backwards from it.
int crl_draw_tree(const struct crl_figure *figure, FILE *file, struct crl_diag *diag)
{
    const struct crl_schedule *s = figure->schedule;
    const struct crl_problem *p = figure->problem;
    uint32_t nodes = crl_topology_nodes(s->topology), root = crl_problem_has_root(p) ? p->root : 0;
    bool sum = crl_problem_sums(p);
    if (sum && !crl_problem_has_root(p))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "of sums for all nodes there is no one tree; --view space-time shows them");
    if (s->naming == CRL_NAMING_RANGE)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "counting makes no tree; --view space-time shows it");
    if (crl_schedule_transmissions(s) > MOVES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "a figure of a tree is made from up to %d transmissions, not '%llu'",
                        MOVES_MAX, (unsigned long long)crl_schedule_transmissions(s));
    bool leaves = false;
    for (size_t i = 0; i < s->count && !leaves; i++) leaves = crl_schedule_source(s, &s->moves[i]) == root;
    CRL_ENDED(crl_schedule_done) struct crl_schedule full = {0};
    struct growth g = {.backwards = sum || (crl_problem_has_root(p) && !leaves)};
    int error = s->folded ? crl_schedule_expand(&full, s, diag) : 0;
    if (error) return error;
    if (s->folded) s = &full;
    g.tree = (struct crl_draw_tree){.count = 1, .upside_down = g.backwards, .prefix = ""};
    g.tree.vertex = malloc(sizeof *g.tree.vertex * VERTICES_MAX);
    g.first = malloc(sizeof *g.first * VERTICES_MAX);
    g.next = malloc(sizeof *g.next * VERTICES_MAX);
    g.here = malloc(sizeof *g.here * nodes);
    if (g.tree.vertex && g.first && g.next && g.here) {
        g.tree.vertex[0] = (struct crl_draw_vertex){.above = CRL_NONE, .number = root, .beside = UINT64_MAX};
        g.first[0] = g.next[0] = CRL_NONE;
        error = draw_grown(&g, figure, s, root, sum, file, diag);
    } else {
        error = crl_fail_memory(diag);
    }
    CRL_FREE(g.tree.vertex, g.first, g.next, g.here);
    return error;
}
