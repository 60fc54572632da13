// SPDX-License-Identifier: Apache-2.0
// All-reduce on small networks by a SAT solver, all-port, on links of latency 1, for plans that go with a group. Of
// each chunk the partial sums come together over a tree, at one node or at the two ends of a link that swap theirs in
// one slot, and from there the sum spreads over another.
#include "algorithm/overlap.h"
#include "base/base.h"
#include "base/sat.h"

enum { NODES_MAX = 16, CELLS_MAX = 4000, GUESS_CONFLICTS = 100000, CONFLICTS = 200000, LITERALS = 4096 };

struct search {
    struct crl_pool pool; // of an attempt
    const struct crl_overlap *o;
    uint32_t nodes, arcs, patterns, slots;
    uint32_t *back; // [arcs] the arc the other way, CRL_NONE where there is none
    bool guess;     // where partial sums meet
    struct crl_sat *sat;
    // Variables of a pattern, slots from 1: a partial sum leaves over an arc; the sum does; a node has sent its partial
    // sum in this slot or before; a node has the sum at its end; the ends of an arc (from < to) swap. 0 where there is
    // none.
    int *partial, *whole, *sent, *has, *swap;
    int *root;  // [patterns][nodes]
    int *place; // scratch: where a pattern may meet
};

static size_t arc_at(const struct search *s, uint32_t k, uint32_t a, uint32_t t)
{
    return ((size_t)k * s->arcs + a) * (s->slots + 1) + t;
}

static size_t node_at(const struct search *s, uint32_t k, uint32_t v, uint32_t t)
{
    return ((size_t)k * s->nodes + v) * (s->slots + 1) + t;
}

// ---------------------------------------------------------------- the formula

static void if_then(struct search *s, int a, int b) { crl_sat_clause2(s->sat, -a, b); }

static void make_variables(struct search *s, uint32_t k)
{
    for (uint32_t t = 1; t <= s->slots; t++) {
        for (uint32_t a = 0; a < s->arcs; a++) {
            s->partial[arc_at(s, k, a, t)] = crl_sat_variable(s->sat);
            s->whole[arc_at(s, k, a, t)] = crl_sat_variable(s->sat);
            if (s->back[a] != CRL_NONE && s->o->arc[a].from < s->o->arc[a].to)
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
    const struct crl_overlap_arc *arc = &s->o->arc[a];
    return s->back[a] == CRL_NONE ? 0 : s->swap[arc_at(s, k, arc->from < arc->to ? a : s->back[a], t)];
}

// What node v sends in slot t.
static void constrain_sender(struct search *s, uint32_t k, uint32_t v, uint32_t t)
{
    int sent = s->sent[node_at(s, k, v, t)], before = t > 1 ? s->sent[node_at(s, k, v, t - 1)] : 0;
    int had = t > 1 ? s->has[node_at(s, k, v, t - 1)] : 0, out[CRL_PORTS_MAX + 2];
    size_t outs = 0;
    for (uint32_t a = 0; a < s->arcs; a++) {
        int partial = s->partial[arc_at(s, k, a, t)], whole = s->whole[arc_at(s, k, a, t)], swap = swap_of(s, k, a, t);
        if (s->o->arc[a].from != v) continue;
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
        if (s->o->arc[a].from == v && swap) gets[ways++] = swap;
        if (s->o->arc[a].to != v) continue;
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
static void constrain_meeting(struct search *s, uint32_t k)
{
    int *place = s->place;
    size_t places = 0;
    for (uint32_t v = 0; v < s->nodes; v++) {
        int root = s->root[k * s->nodes + v], sent = s->sent[node_at(s, k, v, s->slots)];
        place[places++] = root;
        crl_sat_clause2(s->sat, root, sent);
        crl_sat_clause2(s->sat, -root, -sent);
        crl_sat_clause(s->sat, &s->has[node_at(s, k, v, s->slots)], 1);
    }
    for (uint32_t a = 0; a < s->arcs; a++)
        for (uint32_t t = 1; t <= s->slots; t++)
            if (s->swap[arc_at(s, k, a, t)]) place[places++] = s->swap[arc_at(s, k, a, t)];
    crl_sat_exactly_one(s->sat, place, places);
}

// The greatest distance of a node from the nearer end of an arc.
static uint32_t reach(const struct search *s, uint32_t arc)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < s->nodes; v++) {
        uint32_t a = s->o->delay[s->o->arc[arc].from * s->nodes + v], b = s->o->delay[s->o->arc[arc].to * s->nodes + v];
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
        if (s->back[a] != CRL_NONE && s->o->arc[a].orbit != s->o->arc[s->back[a]].orbit &&
            s->o->arc[a].from < s->o->arc[a].to && (middle == CRL_NONE || reach(s, a) < reach(s, middle)))
            middle = a;
    if (middle == CRL_NONE || s->slots < 2 * reach(s, middle) + 1) return;
    first = reach(s, middle) + 1;
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
        for (uint32_t orbit = 0; orbit < s->o->orbits; orbit++) {
            size_t count = 0;
            for (uint32_t a = 0; a < s->arcs; a++)
                for (uint32_t k = 0; k < s->patterns && s->o->arc[a].orbit == orbit; k++) {
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
        for (uint32_t t = 1; t <= s->slots && !error; t++)
            if (crl_sat_value(s->sat, s->partial[arc_at(s, k, a, t)]) ||
                crl_sat_value(s->sat, s->whole[arc_at(s, k, a, t)]))
                error = crl_overlap_add(schedule, s->o, (struct crl_move){t, s->o->arc[a].from, s->o->arc[a].to, k, 0});
    return error;
}

// Looks for patterns of so many slots that go with the group. 0, CRL_ERR_UNSUPPORTED where there are none or the solver
// gave up, or CRL_ERR_MEMORY.
static int solve(struct crl_schedule *schedule, struct search *s, int *patience)
{
    size_t arcs = (size_t)s->patterns * s->arcs * (s->slots + 1),
           nodes = (size_t)s->patterns * s->nodes * (s->slots + 1);
    CRL_ZEROED(&s->pool, s->partial, arcs);
    CRL_ZEROED(&s->pool, s->whole, arcs);
    CRL_ZEROED(&s->pool, s->swap, arcs);
    CRL_ZEROED(&s->pool, s->sent, nodes);
    CRL_ZEROED(&s->pool, s->has, nodes);
    CRL_ZEROED(&s->pool, s->root, (size_t)s->patterns * s->nodes);
    CRL_NEW(&s->pool, s->place, s->nodes + (size_t)s->arcs * s->slots);
    s->sat = crl_sat_new(s->o->problem->context);
    int error = s->sat && !s->pool.failed ? 0 : CRL_ERR_MEMORY;
    for (uint32_t k = 0; k < s->patterns && !error; k++) {
        make_variables(s, k);
        for (uint32_t v = 0; v < s->nodes; v++)
            for (uint32_t t = 1; t <= s->slots; t++) {
                constrain_sender(s, k, v, t);
                constrain_receiver(s, k, v, t);
            }
        constrain_meeting(s, k);
    }
    if (!error) constrain_links(s);
    if (!error && s->guess) guess_meetings(s);
    int conflicts = s->guess ? GUESS_CONFLICTS : CONFLICTS;
    enum crl_sat_answer answer = error ? CRL_SAT_NO : crl_sat_solve(s->sat, conflicts);
    if (answer == CRL_SAT_GAVE_UP) *patience -= conflicts;
    if (!error && answer != CRL_SAT_YES) error = CRL_ERR_UNSUPPORTED;
    if (!error) crl_schedule_done(schedule);
    if (!error) crl_schedule_init_for(schedule, s->o->problem, false);
    for (uint32_t k = 0; k < s->patterns && !error; k++) error = add_pattern(schedule, s, k);
    crl_sat_free(s->sat);
    crl_pool_done(&s->pool);
    return error;
}

// ---------------------------------------------------------------- the search

// Finds the arcs the other way; false where links are side by side, which would be arcs that cannot be told apart.
static bool find_back(struct search *s)
{
    bool good = true;
    for (uint32_t a = 0; a < s->arcs; a++) {
        const struct crl_overlap_arc *arc = s->o->arc;
        s->back[a] = CRL_NONE;
        for (uint32_t b = 0; b < s->arcs; b++) {
            if (arc[b].from == arc[a].to && arc[b].to == arc[a].from) s->back[a] = b;
            good &= a == b || arc[b].from != arc[a].from || arc[b].to != arc[a].to;
        }
    }
    return good;
}

static bool small_enough(const struct search *s)
{
    uint64_t cells = (uint64_t)s->patterns * s->arcs * s->slots;
    return cells <= CELLS_MAX && 2 * s->patterns * s->o->order <= LITERALS;
}

int crl_overlap_solve(struct crl_schedule *schedule, const struct crl_overlap *o, int *patience, uint32_t end)
{
    const struct crl_topology *t = o->problem->topology;
    struct search s = {.o = o, .nodes = o->nodes, .arcs = o->arcs, .patterns = o->chunks};
    if (s.nodes > NODES_MAX || t->ports > CRL_PORTS_MAX || o->single || crl_topology_latency_max(t) > 1)
        return CRL_ERR_UNSUPPORTED;
    struct crl_pool pool = {0};
    int error = CRL_NEW(&pool, s.back, s.arcs) ? CRL_ERR_UNSUPPORTED : CRL_ERR_MEMORY;
    s.slots = (uint32_t)crl_problem_bound_slots(o->problem);
    for (bool good = s.back && find_back(&s); good && s.slots < end && error == CRL_ERR_UNSUPPORTED; s.slots++)
        for (int way = 0; way < 2 && error == CRL_ERR_UNSUPPORTED && *patience > 0 && small_enough(&s); way++) {
            s.guess = way == 0;
            error = solve(schedule, &s, patience);
        }
    crl_pool_done(&pool);
    return error;
}
