// SPDX-License-Identifier: Apache-2.0
// Which lane each packet takes through a node. A lane takes in one packet and gives out one packet a cycle, whether it
// comes live, delayed or from the bank; several ports may send the one it gives out.
//
// A packet that is read in one cycle only is an edge between the cycle it arrives in and the cycle it leaves in; a
// bipartite multigraph of degree K has a proper edge colouring with K colours (König), so K lanes always do. A packet
// that is read in several cycles is a hyperedge: then the colouring is searched for.
#include "base/base.h"
#include "base/colouring.h"
#include "lower/lower.h"
#include <stdlib.h>
#include <string.h>

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
    struct crl_edge *edges = malloc(sizeof *edges * (plan->visits_count + 1));
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
    if (!error) error = crl_colour_edges(edges, count, counts[0] > counts[1] ? counts[0] : counts[1], g->banks);
    count = 0;
    for (uint32_t i = 0; i < plan->visits_count && !error; i++)
        if (is_transit(&plan->visits[i])) set_lane(plan, &plan->visits[i], edges[count++].colour);
    free(edges);
    return error ? error : 1;
}

// ---- packets read several times: search

// Tabu search: every packet has a colour; the move that lowers the number of clashes most is made, also when it raises
// it, and is not undone for a while. A clique is what arrives in one cycle, or what leaves in one; `load` counts its
// members that have a colour, so that a move costs no more than the packet has cycles.
struct search {
    const struct crl_node_plan *plan;
    uint32_t colours, cliques;
    uint32_t *load;            // [cliques][colours]
    uint32_t *own, *own_start; // cliques of each visit
    uint32_t *colour;          // [visits]
    uint32_t *tabu;            // [visits][colours] until which step
    uint64_t random;
};

static void number_clique(void *user, uint32_t visit, uint32_t *cell, bool leaves)
{
    struct search *s = user;
    (void)leaves;
    if (!*cell) *cell = ++s->cliques;
    s->own[s->own_start[visit + 1]++] = *cell - 1;
}

static uint32_t draw(struct search *s, uint32_t below)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((s->random >> 33) % below);
}

static uint32_t clashes(const struct search *s, uint32_t visit, uint32_t colour)
{
    uint32_t sum = 0;
    for (uint32_t i = s->own_start[visit]; i < s->own_start[visit + 1]; i++)
        sum += s->load[(size_t)s->own[i] * s->colours + colour];
    return sum;
}

static void recolour(struct search *s, uint32_t visit, uint32_t colour)
{
    for (uint32_t i = s->own_start[visit]; i < s->own_start[visit + 1]; i++) {
        s->load[s->own[i] * s->colours + s->colour[visit]]--;
        s->load[s->own[i] * s->colours + colour]++;
    }
    s->colour[visit] = colour;
}

static bool find_colours(struct search *s)
{
    enum { STEPS = 20000 };
    for (uint32_t step = 1; step <= STEPS; step++) {
        uint32_t clashing = 0, ties = 0, visit = 0, to = 0;
        int64_t best = INT64_MAX;
        for (uint32_t i = 0; i < s->plan->visits_count; i++) {
            if (!is_transit(&s->plan->visits[i])) continue;
            int64_t now =
                (int64_t)clashes(s, i, s->colour[i]) - (s->own_start[i + 1] - s->own_start[i]); // itself not counted
            if (!now) continue;
            clashing++;
            for (uint32_t c = 0; c < s->colours; c++) {
                if (c == s->colour[i] || s->tabu[i * s->colours + c] > step) continue;
                int64_t gain = (int64_t)clashes(s, i, c) - now;
                if (gain > best || (gain == best && draw(s, ++ties))) continue;
                if (gain < best) ties = 1;
                best = gain;
                visit = i;
                to = c;
            }
        }
        if (!clashing) return true;
        if (best == INT64_MAX) continue; // everything is tabu for now
        s->tabu[visit * s->colours + s->colour[visit]] = step + 7 + draw(s, 10) + clashing / 2;
        recolour(s, visit, to);
    }
    return false;
}

// The cliques of each visit, which are in as many as it has cycles.
static void collect_cliques(struct search *s, uint32_t *cells)
{
    const struct crl_node_plan *plan = s->plan;
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        s->own_start[i + 2] = s->own_start[i + 1] + (is_transit(visit) ? 1 + reads_of(plan, visit) : 0);
    }
    for_cells(plan, cells, number_clique, s); // moves each start to its end, which is the next one's start
    for_cells(plan, cells, clear_cell, NULL);
}

static void start_greedily(struct search *s)
{
    for (uint32_t i = 0; i < s->plan->visits_count; i++)
        for (uint32_t k = s->own_start[i]; k < s->own_start[i + 1]; k++) s->load[(size_t)s->own[k] * s->colours]++;
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
    struct search s = {.plan = plan, .colours = colours, .random = 1};
    s.own = malloc(sizeof *s.own * (visits + plan->departures_count + UINT64_C(1)));
    s.own_start = calloc(visits + UINT64_C(2), sizeof *s.own_start);
    s.colour = calloc(visits + UINT64_C(1), sizeof *s.colour);
    s.tabu = calloc((size_t)visits * colours + 1, sizeof *s.tabu);
    if (s.own && s.own_start && cells) collect_cliques(&s, cells);
    s.load = calloc((size_t)s.cliques * colours + 1, sizeof *s.load);
    int found = s.load && s.own && s.own_start && s.colour && s.tabu && cells ? 0 : CRL_ERR_MEMORY;
    if (!found) {
        start_greedily(&s);
        found = find_colours(&s);
        for (uint32_t i = 0; found && i < visits; i++)
            if (is_transit(&plan->visits[i])) set_lane(plan, &plan->visits[i], s.colour[i]);
    }
    free(s.load);
    free(s.own);
    free(s.own_start);
    free(s.colour);
    free(s.tabu);
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

// An own packet goes to one lane that is free whenever it leaves; if there is none, a copy is loaded into another lane
// for some of its cycles. There are at most K packets a cycle, so that always succeeds.
static void place_own(struct crl_node_plan *plan, struct crl_visit *visit, const struct crl_geometry *g, uint32_t *use)
{
    visit->lane = 0;
    if (!visit->count) return; // it only has to stay
    struct crl_departure *out = plan->departures + visit->first;
    uint32_t lane = 0;
    for (; lane < g->banks; lane++) {
        bool good = true;
        for (uint32_t i = 0; i < visit->count; i++) good &= !(use[(size_t)out[i].cycle * g->banks + lane] & READ);
        if (good) break;
    }
    for (uint32_t i = 0; i < visit->count; i++) {
        bool again = i && out[i].cycle == out[i - 1].cycle;
        out[i].lane = again             ? out[i - 1].lane
                      : lane < g->banks ? (uint8_t)lane
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
