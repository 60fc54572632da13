// SPDX-License-Identifier: Apache-2.0
// Which lane each packet takes through a node. A lane takes in one packet and gives out one packet a cycle, whether it
// comes live, delayed or from the bank; several ports may send the one it gives out.
//
// A packet that is read in one cycle only is an edge between the cycle it arrives in and the cycle it leaves in; a
// bipartite multigraph of degree K has a proper edge colouring with K colours (König), so K lanes always do. A packet
// that is read in several cycles is a hyperedge: then the colouring is searched for.
#include "base/pool.h"
#include "base/base.h"
#include "base/colouring.h"
#include "lower/lower.h"
#include <stdlib.h>

// Distinct cycles a visit is read in.
static uint32_t reads_of(const struct crl_node_plan *plan, const struct crl_visit *visit)
{
    uint32_t reads = 0;
    for (uint32_t i = 0; i < visit->count; i++)
        reads += i == 0 || plan->departures[visit->first + i].cycle != plan->departures[visit->first + i - 1].cycle;
    return reads;
}

static bool is_transit(const struct crl_visit *visit) { return visit->arrival && visit->count; }

static void set_lane(struct crl_node_plan *plan, struct crl_visit *visit, uint32_t lane)
{
    visit->lane = (uint8_t)lane;
    for (uint32_t i = 0; i < visit->count; i++) plan->departures[visit->first + i].lane = (uint8_t)lane;
}

// ---- the bank of the arrival port

int crl_lanes_by_input(struct crl_node_plan *plan, const struct crl_geometry *g, struct crl_scratch *scratch)
{
    // reader[cycle * lanes + lane]: 1 + the visit that is read there
    uint32_t *reader = crl_scratch_cells(scratch, (size_t)g->rows * g->lanes);
    int good = reader ? 1 : CRL_ERR_MEMORY;
    uint32_t visits = 0;
    for (; visits < plan->visits_count && good == 1; visits++) {
        struct crl_visit *visit = &plan->visits[visits];
        if (!is_transit(visit)) continue;
        set_lane(plan, visit, visit->in_port % g->lanes);
        for (uint32_t k = 0; k < visit->count; k++) {
            uint32_t *at = &reader[(size_t)plan->departures[visit->first + k].cycle * g->lanes + visit->lane];
            if (*at && *at != visits + 1) good = 0;
            *at = visits + 1;
        }
    }
    for (uint32_t i = 0; i < visits; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        for (uint32_t k = 0; is_transit(visit) && k < visit->count; k++)
            reader[(size_t)plan->departures[visit->first + k].cycle * g->lanes + visit->lane] = 0;
    }
    return good;
}

// ---- cycles in which something happens, numbered through

// Whom a cycle concerns: cell 2c is of what arrives in cycle c, cell 2c + 1 of what leaves. Each transit packet has one
// arrival and some departures; `each` is called for them in the order of packets, with the cell.
static void for_cells(const struct crl_node_plan *plan, uint32_t *cells,
                      void (*each)(void *user, uint32_t visit, uint32_t *cell, bool leaves), void *user)
{
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        if (!is_transit(visit)) continue;
        each(user, i, &cells[2 * (size_t)visit->arrival], false);
        for (uint32_t k = 0; k < visit->count; k++) {
            const struct crl_departure *out = &plan->departures[visit->first + k];
            if (!k || out->cycle != out[-1].cycle) each(user, i, &cells[2 * (size_t)out->cycle + 1], true);
        }
    }
}

static void number_cell(void *user, uint32_t visit, uint32_t *cell, bool leaves)
{
    uint32_t *counts = user;
    (void)visit;
    if (!*cell) *cell = ++counts[leaves];
}

static void clear_cell(void *user, uint32_t visit, uint32_t *cell, bool leaves)
{
    (void)user;
    (void)visit;
    (void)leaves;
    *cell = 0;
}

// ---- every packet read once: edge colouring

static int lanes_by_edges(struct crl_node_plan *plan, const struct crl_geometry *g, struct crl_scratch *scratch)
{
    uint32_t *cells = crl_scratch_cells(scratch, 2 * (size_t)g->rows), counts[2] = {0}, count = 0;
    CRL_OWNED struct crl_edge *edges = malloc(sizeof *edges * (plan->visits_count + 1));
    int error = edges && cells ? 0 : CRL_ERR_MEMORY;
    if (!error) for_cells(plan, cells, number_cell, counts);
    for (uint32_t i = 0; i < plan->visits_count && !error; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        if (!is_transit(visit)) continue;
        uint32_t leaves = plan->departures[visit->first].cycle;
        edges[count++] =
            (struct crl_edge){{cells[2 * (size_t)visit->arrival] - 1, cells[2 * (size_t)leaves + 1] - 1}, 0};
    }
    if (!error) for_cells(plan, cells, clear_cell, NULL);
    if (!error) error = crl_colour_edges(edges, count, counts[0] > counts[1] ? counts[0] : counts[1], g->banks, true);
    count = 0;
    for (uint32_t i = 0; i < plan->visits_count && !error; i++)
        if (is_transit(&plan->visits[i])) set_lane(plan, &plan->visits[i], edges[count++].colour);
    return error ? error : 1;
}

// ---- packets read several times: search

// Tabu search: every packet has a colour; the move that lowers the number of clashes most is made, also when it raises
// it, and is not undone for a while. A clique is what arrives in one cycle, or what leaves in one.
struct lane_search {
    struct crl_pool pool;
    const struct crl_node_plan *plan;
    uint32_t colours, cliques;
    uint32_t *clash; // [visits][colours] members of a visit's cliques that have a colour, itself too, once a clique
    uint32_t *own, *own_start;       // cliques of each visit
    uint32_t *member, *member_start; // visits of each clique
    uint64_t *clashing;              // a bit a visit: whether another in one of its cliques has its colour
    uint32_t *colour;                // [visits]
    uint32_t *tabu;                  // [visits][colours] until which step
    uint64_t random;
};

static void number_clique(void *user, uint32_t visit, uint32_t *cell, bool leaves)
{
    struct lane_search *s = user;
    (void)leaves;
    if (!*cell) *cell = ++s->cliques;
    s->own[s->own_start[visit + 1]++] = *cell - 1;
}

static uint32_t draw(struct lane_search *s, uint32_t below)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((s->random >> 33) % below);
}

static uint32_t clashes(const struct lane_search *s, uint32_t visit, uint32_t colour)
{
    return s->clash[(size_t)visit * s->colours + colour];
}

static void recolour(struct lane_search *s, uint32_t visit, uint32_t to)
{
    uint32_t from = s->colour[visit];
    for (uint32_t i = s->own_start[visit]; i < s->own_start[visit + 1]; i++)
        for (uint32_t k = s->member_start[s->own[i]]; k < s->member_start[s->own[i] + 1]; k++) {
            uint32_t *clash = s->clash + (size_t)s->member[k] * s->colours;
            clash[from]--;
            clash[to]++;
        }
    s->colour[visit] = to;
}

// Clashes of a visit as it is coloured, itself not counted.
static uint32_t clashes_now(const struct lane_search *s, uint32_t visit)
{
    return clashes(s, visit, s->colour[visit]) - (s->own_start[visit + 1] - s->own_start[visit]);
}

static void note_clash(struct lane_search *s, uint32_t visit)
{
    uint64_t bit = UINT64_C(1) << visit % 64;
    if (clashes_now(s, visit)) s->clashing[visit / 64] |= bit;
    else s->clashing[visit / 64] &= ~bit;
}

// A step of the search: the best change of a visit that clashes.
struct change {
    int64_t gain; // of clashes; INT64_MAX: everything is tabu for now
    uint32_t visit, to, ties, clashing;
};

static void try_colours(struct lane_search *s, uint32_t visit, uint32_t step, struct change *best)
{
    int64_t now = clashes_now(s, visit);
    best->clashing++;
    for (uint32_t c = 0; c < s->colours; c++) {
        if (c == s->colour[visit] || s->tabu[(size_t)visit * s->colours + c] > step) continue;
        int64_t gain = (int64_t)clashes(s, visit, c) - now;
        if (gain > best->gain || (gain == best->gain && draw(s, ++best->ties))) continue;
        if (gain < best->gain) best->ties = 1;
        best->gain = gain;
        best->visit = visit;
        best->to = c;
    }
}

static void make(struct lane_search *s, const struct change *change)
{
    uint32_t visit = change->visit, from = s->colour[visit];
    recolour(s, visit, change->to);
    // The visit itself is a member of its cliques.
    for (uint32_t i = s->own_start[visit]; i < s->own_start[visit + 1]; i++)
        for (uint32_t k = s->member_start[s->own[i]]; k < s->member_start[s->own[i] + 1]; k++) {
            uint32_t other = s->member[k];
            if (s->colour[other] == from || s->colour[other] == change->to) note_clash(s, other);
        }
}

static bool find_colours(struct lane_search *s)
{
    // With too few colours many visits clash at every step. Searches that came to an end looked at most 3 times at each
    // visit.
    enum { STEPS = 20000, LOOKS = 1 << 18, LOOKS_EACH = 64 };
    uint64_t looks = LOOKS + (uint64_t)LOOKS_EACH * s->plan->visits_count;
    for (uint32_t i = 0; i < s->plan->visits_count; i++)
        if (is_transit(&s->plan->visits[i])) note_clash(s, i);
    for (uint32_t step = 1; step <= STEPS; step++) {
        struct change best = {.gain = INT64_MAX};
        for (uint32_t word = 0; word <= s->plan->visits_count / 64; word++)
            for (uint64_t bits = s->clashing[word]; bits; bits &= bits - 1)
                try_colours(s, word * 64 + (uint32_t)__builtin_ctzll(bits), step, &best);
        if (!best.clashing) return true;
        if (best.clashing > looks) return false;
        looks -= best.clashing;
        if (best.gain == INT64_MAX) continue;
        s->tabu[(size_t)best.visit * s->colours + s->colour[best.visit]] = step + 7 + draw(s, 10) + best.clashing / 2;
        make(s, &best);
    }
    return false;
}

// The cliques of each visit, which are in as many as it has cycles.
static void collect_cliques(struct lane_search *s, uint32_t *cells)
{
    const struct crl_node_plan *plan = s->plan;
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        s->own_start[i + 2] = s->own_start[i + 1] + (is_transit(visit) ? 1 + reads_of(plan, visit) : 0);
    }
    for_cells(plan, cells, number_clique, s); // moves each start to its end, which is the next one's start
    for_cells(plan, cells, clear_cell, NULL);
}

static void collect_members(struct lane_search *s)
{
    uint32_t visits = s->plan->visits_count;
    for (uint32_t i = 0; i < s->own_start[visits]; i++) s->member_start[s->own[i] + 2]++;
    for (uint32_t k = 0; k < s->cliques; k++) s->member_start[k + 2] += s->member_start[k + 1];
    for (uint32_t v = 0; v < visits; v++)
        for (uint32_t i = s->own_start[v]; i < s->own_start[v + 1]; i++)
            s->member[s->member_start[s->own[i] + 1]++] = v;
}

static void start_greedily(struct lane_search *s)
{
    for (uint32_t v = 0; v < s->plan->visits_count; v++)
        for (uint32_t i = s->own_start[v]; i < s->own_start[v + 1]; i++)
            s->clash[(size_t)v * s->colours] += s->member_start[s->own[i] + 1] - s->member_start[s->own[i]];
    for (uint32_t i = 0; i < s->plan->visits_count; i++) {
        uint32_t best = 0;
        if (!is_transit(&s->plan->visits[i])) continue;
        for (uint32_t c = 1; c < s->colours; c++)
            if (clashes(s, i, c) < clashes(s, i, best) - (best ? 0 : s->own_start[i + 1] - s->own_start[i])) best = c;
        recolour(s, i, best);
    }
}

static int colour_by_search(struct crl_node_plan *plan, uint32_t colours, uint32_t *cells)
{
    uint32_t visits = plan->visits_count;
    struct lane_search s = {.plan = plan, .colours = colours, .random = 1};
    CRL_NEW(&s.pool, s.own, visits + plan->departures_count);
    CRL_NUMBERS(&s.pool, visits + UINT64_C(2), &s.own_start, &s.colour);
    CRL_NUMBERS(&s.pool, (size_t)visits * colours, &s.tabu, &s.clash);
    CRL_NEW(&s.pool, s.member, visits + plan->departures_count);
    CRL_ZEROED(&s.pool, s.clashing, visits / 64 + 1);
    if (!crl_pool_error(&s.pool) && cells) collect_cliques(&s, cells);
    CRL_NUMBERS(&s.pool, s.cliques + UINT64_C(2), &s.member_start);
    int found = cells ? crl_pool_error(&s.pool) : CRL_ERR_MEMORY;
    if (!found) {
        collect_members(&s);
        start_greedily(&s);
        found = find_colours(&s);
        for (uint32_t i = 0; found && i < visits; i++)
            if (is_transit(&plan->visits[i])) set_lane(plan, &plan->visits[i], s.colour[i]);
    }
    crl_pool_done(&s.pool);
    return found;
}

int crl_lanes_by_colour(struct crl_node_plan *plan, const struct crl_geometry *g, struct crl_scratch *scratch)
{
    bool once = true;
    for (uint32_t i = 0; i < plan->visits_count; i++)
        once &= !is_transit(&plan->visits[i]) || reads_of(plan, &plan->visits[i]) == 1;
    if (once) return lanes_by_edges(plan, g, scratch);
    return colour_by_search(plan, g->banks, crl_scratch_cells(scratch, 2 * (size_t)g->rows));
}

// ---- packets that leave the choice open

enum { WRITTEN = 1, READ = 2 };

// The lane that no other visit takes in this cycle for that.
static uint32_t first_free(const uint32_t *use, const struct crl_geometry *g, uint32_t cycle, uint32_t what)
{
    for (uint32_t lane = 0; lane < g->banks; lane++)
        if (!(use[(size_t)cycle * g->banks + lane] & what)) return lane;
    return CRL_NONE;
}

// The lanes that own packets may take: a stream feeds each of the first K, and no more than K packets leave in a cycle,
// so that of these lanes as many are free as there are own packets.
static uint32_t own_lanes(const struct crl_geometry *g) { return g->streams ? g->lanes : g->banks; }

// An own packet goes to one lane that is free whenever it leaves; if there is none, a copy is loaded into another lane
// for some of its cycles. There are at most K packets a cycle, so that always succeeds.
static void place_own(struct crl_node_plan *plan, struct crl_visit *visit, const struct crl_geometry *g, uint32_t *use)
{
    visit->lane = 0;
    if (!visit->count) return; // it only has to stay
    struct crl_departure *out = plan->departures + visit->first;
    uint32_t lane = 0;
    for (; lane < own_lanes(g); lane++) {
        bool good = true;
        for (uint32_t i = 0; i < visit->count; i++) good &= !(use[(size_t)out[i].cycle * g->banks + lane] & READ);
        if (good) break;
    }
    for (uint32_t i = 0; i < visit->count; i++) {
        bool again = i && out[i].cycle == out[i - 1].cycle;
        out[i].lane = again                 ? out[i - 1].lane
                      : lane < own_lanes(g) ? (uint8_t)lane
                                            : (uint8_t)first_free(use, g, out[i].cycle, READ);
    }
    for (uint32_t i = 0; i < visit->count; i++) use[(size_t)out[i].cycle * g->banks + out[i].lane] |= READ;
    visit->lane = out[0].lane;
}

int crl_lanes_fill(struct crl_node_plan *plan, const struct crl_geometry *g, struct crl_scratch *scratch)
{
    uint32_t *use = crl_scratch_cells(scratch, (size_t)g->rows * g->banks);
    if (!use) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        if (!is_transit(visit)) continue;
        use[(size_t)visit->arrival * g->banks + visit->lane] |= WRITTEN;
        for (uint32_t k = 0; k < visit->count; k++)
            use[(size_t)plan->departures[visit->first + k].cycle * g->banks + visit->lane] |= READ;
    }
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        struct crl_visit *visit = &plan->visits[i];
        if (is_transit(visit)) continue;
        if (!visit->arrival) {
            place_own(plan, visit, g, use);
        } else {
            visit->lane =
                (uint8_t)(g->write_xbar ? first_free(use, g, visit->arrival, WRITTEN) : visit->in_port % g->lanes);
            use[(size_t)visit->arrival * g->banks + visit->lane] |= WRITTEN;
        }
    }
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        if (visit->arrival) use[(size_t)visit->arrival * g->banks + visit->lane] = 0;
        for (uint32_t k = 0; k < visit->count; k++) {
            const struct crl_departure *out = &plan->departures[visit->first + k];
            use[(size_t)out->cycle * g->banks + out->lane] = 0;
        }
    }
    return 1;
}
