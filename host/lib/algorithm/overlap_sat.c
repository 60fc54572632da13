// SPDX-License-Identifier: Apache-2.0
// All-reduce on small networks by a SAT solver, all-port, on links of latency 1. Of each chunk the partial sums come
// together over a tree, at one node or at the two ends of a link that swap theirs in one slot, and from there the sum
// spreads over another. Whatever the symmetry of the network, patterns are looked for that go with a group of it: of
// each orbit of links one is used once in a slot, and the images of a pattern are other chunks'. That makes the formula
// as many times smaller, and finds what no links may idle for.
#include "algorithm/overlap.h"
#include "base/base.h"
#include "base/sat.h"
#include <stdlib.h>

enum {
    NODES_MAX = 16,
    CELLS_MAX = 4000,
    GUESS_CONFLICTS = 100000,
    CONFLICTS = 200000,
    CONFLICTS_A_MS = 120, // of the effort of other searches,
    MS_MAX = 8000,        // up to so many
    GROUPS = 3,
    LITERALS = 4096
};

struct arc {
    uint32_t from, to, back, orbit; // back: the arc the other way, CRL_NONE where there is none
};

// Images of nodes under each element of a group that leaves no link where it is.
struct group {
    uint32_t order, *image; // [order][nodes], the identity first
};

struct search {
    const struct crl_topology *topology;
    uint32_t nodes, arcs, patterns, chunks;
    uint32_t slots;
    struct arc *arc;
    struct group group;
    bool guess;   // where partial sums meet
    int patience; // conflicts that may still be spent in vain
    struct crl_sat *sat;
    // Variables of a pattern, slots from 1: a partial sum leaves over an arc; the sum does; a node has sent its partial
    // sum in this slot or before; a node has the sum at its end; the ends of an arc (from < to) swap. 0 where there is
    // none.
    int *partial, *whole, *sent, *has, *swap;
    int *root; // [patterns][nodes]
};

static size_t arc_at(const struct search *s, uint32_t k, uint32_t a, uint32_t t)
{
    return ((size_t)k * s->arcs + a) * (s->slots + 1) + t;
}

static size_t node_at(const struct search *s, uint32_t k, uint32_t v, uint32_t t)
{
    return ((size_t)k * s->nodes + v) * (s->slots + 1) + t;
}

// ---------------------------------------------------------------- groups

static uint32_t digit(const struct crl_factor *f, uint32_t node) { return node / f->stride % f->size; }

// Rotations of an array: by quarters where it is square, else by a half.
static bool rotations(struct group *g, const struct crl_topology *t, bool quarters)
{
    const struct crl_factor *f = t->factor;
    if (t->factor_count == 0 || (quarters && (t->factor_count != 2 || f[0].size != f[1].size))) return false;
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (f[i].shape == CRL_GRAPH || f[i].shape == CRL_COMPLETE || (quarters && f[i].shape != f[0].shape))
            return false;
    g->order = quarters ? 4 : 2;
    for (uint32_t v = 0; v < t->nodes; v++) {
        g->image[v] = v;
        for (uint32_t k = 1; k < g->order; k++) {
            uint32_t at = g->image[(k - 1) * t->nodes + v], to = 0;
            if (quarters) to = digit(&f[1], at) * f[0].stride + (f[0].size - 1 - digit(&f[0], at)) * f[1].stride;
            for (uint32_t i = 0; i < t->factor_count && !quarters; i++)
                to += (f[i].size - 1 - digit(&f[i], at)) * f[i].stride;
            g->image[k * t->nodes + v] = to;
        }
    }
    return true;
}

// The `which`-th group, the largest first; the last is that of the identity alone.
static bool find_group(struct group *g, const struct crl_topology *t, uint32_t which)
{
    g->order = 0;
    if (which < 2) return rotations(g, t, which == 0);
    g->order = 1;
    for (uint32_t v = 0; v < t->nodes; v++) g->image[v] = v;
    return true;
}

static uint32_t find_arc(const struct search *s, uint32_t from, uint32_t to)
{
    uint32_t a = 0;
    while (a < s->arcs && (s->arc[a].from != from || s->arc[a].to != to)) a++;
    return a < s->arcs ? a : CRL_NONE;
}

// Numbers the orbits of arcs; false unless each has as many as the group, and chunks go round.
static bool find_orbits(struct search *s)
{
    const struct group *g = &s->group;
    for (uint32_t a = 0; a < s->arcs; a++) s->arc[a].orbit = CRL_NONE;
    for (uint32_t a = 0; a < s->arcs; a++)
        for (uint32_t k = 0; k < g->order && (k || s->arc[a].orbit == CRL_NONE); k++) {
            if (s->arc[a].orbit != CRL_NONE && s->arc[a].orbit != a) break; // of an earlier one
            const uint32_t *image = &g->image[k * s->nodes];
            uint32_t other = find_arc(s, image[s->arc[a].from], image[s->arc[a].to]);
            if (other == CRL_NONE || (k && other == a)) return false;
            s->arc[other].orbit = a;
        }
    s->patterns = s->chunks / g->order;
    return s->chunks % g->order == 0;
}

// ---------------------------------------------------------------- the formula

static void if_then(struct search *s, int a, int b) { crl_sat_clause2(s->sat, -a, b); }

static void make_variables(struct search *s, uint32_t k)
{
    for (uint32_t t = 1; t <= s->slots; t++) {
        for (uint32_t a = 0; a < s->arcs; a++) {
            s->partial[arc_at(s, k, a, t)] = crl_sat_variable(s->sat);
            s->whole[arc_at(s, k, a, t)] = crl_sat_variable(s->sat);
            if (s->arc[a].back != CRL_NONE && s->arc[a].from < s->arc[a].to)
                s->swap[arc_at(s, k, a, t)] = crl_sat_variable(s->sat);
        }
        for (uint32_t v = 0; v < s->nodes; v++) {
            s->sent[node_at(s, k, v, t)] = crl_sat_variable(s->sat);
            s->has[node_at(s, k, v, t)] = crl_sat_variable(s->sat);
        }
    }
    for (uint32_t v = 0; v < s->nodes; v++) s->root[k * s->nodes + v] = crl_sat_variable(s->sat);
}

// The variable for the ends of arc a swapping, or 0.
static int swap_of(const struct search *s, uint32_t k, uint32_t a, uint32_t t)
{
    const struct arc *arc = &s->arc[a];
    return arc->back == CRL_NONE ? 0 : s->swap[arc_at(s, k, arc->from < arc->to ? a : arc->back, t)];
}

// What node v sends in slot t.
static void constrain_sender(struct search *s, uint32_t k, uint32_t v, uint32_t t)
{
    int sent = s->sent[node_at(s, k, v, t)], before = t > 1 ? s->sent[node_at(s, k, v, t - 1)] : 0;
    int had = t > 1 ? s->has[node_at(s, k, v, t - 1)] : 0, out[CRL_PORTS_MAX + 2];
    size_t outs = 0;
    for (uint32_t a = 0; a < s->arcs; a++) {
        int partial = s->partial[arc_at(s, k, a, t)], whole = s->whole[arc_at(s, k, a, t)], swap = swap_of(s, k, a, t);
        if (s->arc[a].from != v) continue;
        out[outs++] = partial;
        if_then(s, partial, sent);
        if (before) if_then(s, partial, -before); // once
        if_then(s, whole, had ? had : -whole);
        if (swap) if_then(s, swap, partial);
    }
    crl_sat_at_most_one(s->sat, out, outs);
    if (before) if_then(s, before, sent);
    if (before) out[outs++] = before;
    out[outs++] = -sent;
    crl_sat_clause(s->sat, out, outs);
}

// What has arrived at node v at the end of slot t.
static void constrain_receiver(struct search *s, uint32_t k, uint32_t v, uint32_t t)
{
    int sent = s->sent[node_at(s, k, v, t)], in[CRL_PORTS_MAX], gets[2 * CRL_PORTS_MAX + 3];
    int has = s->has[node_at(s, k, v, t)], had = t > 1 ? s->has[node_at(s, k, v, t - 1)] : 0;
    size_t ins = 0, ways = 0;
    for (uint32_t a = 0; a < s->arcs; a++) {
        int partial = s->partial[arc_at(s, k, a, t)], whole = s->whole[arc_at(s, k, a, t)];
        int swap = swap_of(s, k, a, t);
        if (s->arc[a].from == v && swap) gets[ways++] = swap;
        if (s->arc[a].to != v) continue;
        in[ins++] = gets[ways++] = whole;
        if_then(s, whole, has);
        if (had) if_then(s, whole, -had);
        if (had) if_then(s, partial, -had);
        crl_sat_clause(s->sat, (int[]){-partial, -sent, swap}, swap ? 3 : 2); // v sends later, or has swapped
    }
    crl_sat_at_most_one(s->sat, in, ins);
    if (had) if_then(s, had, has);
    if (had) gets[ways++] = had;
    gets[ways++] = s->root[k * s->nodes + v];
    gets[ways++] = -has;
    crl_sat_clause(s->sat, gets, ways);
}

// One node at which partial sums meet, or one link in one slot.
static int constrain_meeting(struct search *s, uint32_t k)
{
    int *place = malloc(sizeof *place * (s->nodes + (size_t)s->arcs * s->slots));
    size_t places = 0;
    for (uint32_t v = 0; v < s->nodes && place; v++) {
        int root = s->root[k * s->nodes + v], sent = s->sent[node_at(s, k, v, s->slots)];
        place[places++] = root;
        crl_sat_clause2(s->sat, root, sent);
        crl_sat_clause2(s->sat, -root, -sent);
        crl_sat_clause(s->sat, &s->has[node_at(s, k, v, s->slots)], 1);
    }
    for (uint32_t a = 0; a < s->arcs && place; a++)
        for (uint32_t t = 1; t <= s->slots; t++)
            if (s->swap[arc_at(s, k, a, t)]) place[places++] = s->swap[arc_at(s, k, a, t)];
    if (place) crl_sat_exactly_one(s->sat, place, places);
    free(place);
    return place ? 0 : CRL_ERR_MEMORY;
}

// The greatest distance of a node from the nearer end of an arc.
static uint32_t reach(const struct search *s, const struct arc *arc)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < s->nodes; v++) {
        uint32_t a = crl_topology_distance(s->topology, arc->from, v),
                 b = crl_topology_distance(s->topology, arc->to, v);
        if ((a < b ? a : b) > most) most = a < b ? a : b;
    }
    return most;
}

// Where to meet, as a guess: all patterns over the link in the middle, one after the other. On arrays the links of the
// corners then have work in all slots in which they can.
static void guess_meetings(struct search *s)
{
    uint32_t middle = CRL_NONE, first, last;
    for (uint32_t a = 0; a < s->arcs; a++)
        if (s->arc[a].back != CRL_NONE && s->arc[a].orbit != s->arc[s->arc[a].back].orbit &&
            s->arc[a].from < s->arc[a].to && (middle == CRL_NONE || reach(s, &s->arc[a]) < reach(s, &s->arc[middle])))
            middle = a;
    if (middle == CRL_NONE || s->slots < 2 * reach(s, &s->arc[middle]) + 1) return;
    first = reach(s, &s->arc[middle]) + 1;
    last = s->slots + 1 - first;
    for (uint32_t k = 0; k < s->patterns; k++) {
        uint32_t slot = s->patterns > 1 ? first + k * (last - first) / (s->patterns - 1) : first;
        crl_sat_clause(s->sat, &s->swap[arc_at(s, k, middle, slot)], 1);
    }
}

// Of the arcs of an orbit one is used in a slot.
static void constrain_links(struct search *s)
{
    int uses[LITERALS];
    for (uint32_t t = 1; t <= s->slots; t++)
        for (uint32_t orbit = 0; orbit < s->arcs; orbit++) {
            size_t count = 0;
            for (uint32_t a = 0; a < s->arcs; a++)
                for (uint32_t k = 0; k < s->patterns && s->arc[a].orbit == orbit; k++) {
                    uses[count++] = s->partial[arc_at(s, k, a, t)];
                    uses[count++] = s->whole[arc_at(s, k, a, t)];
                }
            if (count) crl_sat_at_most_one(s->sat, uses, count);
        }
}

static int add_pattern(struct crl_schedule *schedule, const struct search *s, uint32_t k)
{
    int error = 0;
    for (uint32_t a = 0; a < s->arcs; a++)
        for (uint32_t t = 1; t <= s->slots; t++) {
            if (!crl_sat_value(s->sat, s->partial[arc_at(s, k, a, t)]) &&
                !crl_sat_value(s->sat, s->whole[arc_at(s, k, a, t)]))
                continue;
            for (uint32_t i = 0; i < s->group.order && !error; i++) {
                const uint32_t *image = &s->group.image[i * s->nodes];
                struct crl_move m = {t, image[s->arc[a].from], image[s->arc[a].to], k * s->group.order + i, 0};
                error = crl_schedule_add(schedule, m);
            }
        }
    return error;
}

// Looks for patterns of so many slots that go with the group. 0, CRL_ERR_UNSUPPORTED where there are none or the solver
// gave up, or CRL_ERR_MEMORY.
static int solve(struct crl_schedule *schedule, struct search *s)
{
    size_t arcs = (size_t)s->patterns * s->arcs * (s->slots + 1),
           nodes = (size_t)s->patterns * s->nodes * (s->slots + 1);
    int *variables = calloc(3 * arcs + 2 * nodes + (size_t)s->patterns * s->nodes, sizeof *variables);
    int error = variables && (s->sat = crl_sat_new()) ? 0 : CRL_ERR_MEMORY;
    s->partial = variables;
    s->whole = s->partial + arcs;
    s->swap = s->whole + arcs;
    s->sent = s->swap + arcs;
    s->has = s->sent + nodes;
    s->root = s->has + nodes;
    for (uint32_t k = 0; k < s->patterns && !error; k++) {
        make_variables(s, k);
        for (uint32_t v = 0; v < s->nodes; v++)
            for (uint32_t t = 1; t <= s->slots; t++) {
                constrain_sender(s, k, v, t);
                constrain_receiver(s, k, v, t);
            }
        error = constrain_meeting(s, k);
    }
    if (!error) constrain_links(s);
    if (!error && s->guess) guess_meetings(s);
    int conflicts = s->guess ? GUESS_CONFLICTS : CONFLICTS;
    enum crl_sat_answer answer = error ? CRL_SAT_NO : crl_sat_solve(s->sat, conflicts);
    if (answer == CRL_SAT_GAVE_UP) s->patience -= conflicts;
    if (!error && answer != CRL_SAT_YES) error = CRL_ERR_UNSUPPORTED;
    for (uint32_t k = 0; k < s->patterns && !error; k++) error = add_pattern(schedule, s, k);
    crl_sat_free(s->sat);
    s->sat = NULL;
    free(variables);
    return error;
}

// ---------------------------------------------------------------- the search

static int find_arcs(struct search *s)
{
    const struct crl_topology *t = s->topology;
    s->arc = malloc(sizeof *s->arc * crl_topology_links(t));
    s->group.image = malloc(sizeof *s->group.image * s->nodes * (s->nodes > 4 ? s->nodes : 4));
    if (!s->arc || !s->group.image) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < s->nodes; v++)
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to != CRL_NONE) s->arc[s->arcs++] = (struct arc){v, to, CRL_NONE, CRL_NONE};
        }
    for (uint32_t a = 0; a < s->arcs; a++) s->arc[a].back = find_arc(s, s->arc[a].to, s->arc[a].from);
    return 0;
}

// Links side by side would be arcs that cannot be told apart.
static bool has_wide_links(const struct search *s)
{
    for (uint32_t a = 0; a < s->arcs; a++)
        if (find_arc(s, s->arc[a].from, s->arc[a].to) != a) return true;
    return false;
}

static bool small_enough(const struct search *s)
{
    uint64_t cells = (uint64_t)s->patterns * s->arcs * s->slots;
    return cells <= CELLS_MAX && 2 * s->patterns * s->group.order <= LITERALS;
}

static void forget(struct search *s)
{
    free(s->arc);
    free(s->group.image);
}

int crl_overlap_solve(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t effort_ms,
                      uint32_t end)
{
    const struct crl_topology *t = problem->topology;
    struct search s = {.topology = t,
                       .nodes = t->nodes,
                       .chunks = problem->chunks,
                       .patience = (int)(CONFLICTS_A_MS * (effort_ms < MS_MAX ? effort_ms : MS_MAX))};
    if (s.nodes > NODES_MAX || t->ports > CRL_PORTS_MAX || problem->ports != CRL_PORTS_ALL) return CRL_ERR_UNSUPPORTED;
    if (crl_topology_latency_max(t) > 1) return CRL_ERR_UNSUPPORTED;
    int error = find_arcs(&s);
    if (!error) error = CRL_ERR_UNSUPPORTED;
    s.slots = (uint32_t)crl_problem_bound_slots(problem);
    for (; s.slots < end && error == CRL_ERR_UNSUPPORTED && !has_wide_links(&s); s.slots++)
        for (uint32_t way = 0; way < 2 * GROUPS && error == CRL_ERR_UNSUPPORTED && s.patience > 0; way++) {
            s.guess = way < GROUPS;
            if (find_group(&s.group, t, way % GROUPS) && find_orbits(&s) && small_enough(&s))
                error = solve(schedule, &s);
        }
    forget(&s);
    return error;
}
