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
    visit->lane = lane;
    for (uint32_t i = 0; i < visit->count; i++) plan->departures[visit->first + i].lane = lane;
}

// ---- the bank of the arrival port

bool crl_lanes_by_input(struct crl_node_plan *plan, const struct crl_geometry *g, uint32_t cycles)
{
    // reader[cycle * banks + lane]: 1 + the visit that is read there
    uint32_t *reader = calloc((cycles + UINT64_C(1)) * g->banks, sizeof *reader);
    bool good = reader;
    for (size_t i = 0; i < plan->visits_count && good; i++) {
        struct crl_visit *visit = &plan->visits[i];
        if (!is_transit(visit)) continue;
        set_lane(plan, visit, visit->in_port % g->lanes);
        for (uint32_t k = 0; k < visit->count; k++) {
            uint32_t *at = &reader[plan->departures[visit->first + k].cycle * g->banks + visit->lane];
            if (*at && *at != i + 1) good = false;
            *at = (uint32_t)i + 1;
        }
    }
    free(reader);
    return good;
}

// ---- every packet read once: edge colouring

static int lanes_by_edges(struct crl_node_plan *plan, const struct crl_geometry *g, uint32_t cycles)
{
    struct crl_edge *edges = malloc(sizeof *edges * (plan->visits_count + 1));
    uint32_t count = 0;
    int error = edges ? 0 : CRL_ERR_MEMORY;
    for (size_t i = 0; i < plan->visits_count && !error; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        if (is_transit(visit))
            edges[count++] = (struct crl_edge){{visit->arrival, plan->departures[visit->first].cycle}, 0};
    }
    if (!error) error = crl_colour_edges(edges, count, cycles + 1, g->banks);
    count = 0;
    for (size_t i = 0; i < plan->visits_count && !error; i++)
        if (is_transit(&plan->visits[i])) set_lane(plan, &plan->visits[i], edges[count++].colour);
    free(edges);
    return error ? error : 1;
}

// ---- packets read several times: search

// Visits that take in or give out in one cycle, listed by cycle.
struct cliques {
    uint32_t count, *start, *member;
};

static int cliques_new(struct cliques *q, const struct crl_node_plan *plan, uint32_t cycles)
{
    // Clique 2c: those that arrive in cycle c. Clique 2c + 1: those that are read in cycle c.
    q->count = 2 * (cycles + 1);
    q->start = calloc(q->count + UINT64_C(2), sizeof *q->start);
    q->member = malloc(sizeof *q->member * (plan->visits_count + plan->departures_count + 1));
    if (!q->start || !q->member) return CRL_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < plan->visits_count; i++) {
            const struct crl_visit *v = &plan->visits[i];
            if (!is_transit(v)) continue;
            uint32_t *arrivals = &q->start[2 * v->arrival + 1];
            if (pass) q->member[(*arrivals)++] = i;
            else q->start[2 * v->arrival + 2]++;
            for (uint32_t k = 0; k < v->count; k++) {
                uint32_t cycle = plan->departures[v->first + k].cycle;
                if (k && cycle == plan->departures[v->first + k - 1].cycle) continue;
                if (pass) q->member[q->start[2 * cycle + 2]++] = i;
                else q->start[2 * cycle + 3]++;
            }
        }
        // Sizes become starts, shifted by one so that the second pass can count up in place.
        for (uint32_t c = 0; pass == 0 && c <= q->count; c++) q->start[c + 1] += q->start[c];
    }
    return 0;
}

// Tabu search: every packet has a colour; the move that lowers the number of clashes most is made, also when it raises
// it, and is not undone for a while. `load[clique][colour]` counts the members of a clique that have a colour, so that
// a move costs no more than the packet has cycles.
struct search {
    const struct crl_node_plan *plan;
    const struct cliques *q;
    uint32_t colours;
    uint32_t *load;            // [cliques][colours]
    uint32_t *own, *own_start; // cliques of each visit
    uint32_t *colour;          // [visits]
    uint32_t *tabu;            // [visits][colours] until which step
    uint64_t random;
};

static uint32_t draw(struct search *s, uint32_t below)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((s->random >> 33) % below);
}

static uint32_t clashes(const struct search *s, uint32_t visit, uint32_t colour)
{
    uint32_t sum = 0;
    for (uint32_t i = s->own_start[visit]; i < s->own_start[visit + 1]; i++)
        sum += s->load[s->own[i] * s->colours + colour];
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

static int colour_by_search(struct crl_node_plan *plan, const struct cliques *q, uint32_t colours)
{
    uint32_t visits = (uint32_t)plan->visits_count, members = q->start[q->count];
    struct search s = {.plan = plan, .q = q, .colours = colours, .random = 1};
    s.load = calloc((size_t)q->count * colours, sizeof *s.load);
    s.own = malloc(sizeof *s.own * (members + 1));
    s.own_start = calloc(visits + UINT64_C(2), sizeof *s.own_start);
    s.colour = calloc(visits + UINT64_C(1), sizeof *s.colour);
    s.tabu = calloc((size_t)visits * colours + 1, sizeof *s.tabu);
    int found = s.load && s.own && s.own_start && s.colour && s.tabu ? 0 : CRL_ERR_MEMORY;
    if (!found) {
        for (uint32_t m = 0; m < members; m++) s.own_start[q->member[m] + 2]++;
        for (uint32_t i = 0; i < visits; i++) s.own_start[i + 2] += s.own_start[i + 1];
        for (uint32_t k = 0; k < q->count; k++)
            for (uint32_t m = q->start[k]; m < q->start[k + 1]; m++) s.own[s.own_start[q->member[m] + 1]++] = k;
        for (uint32_t i = 0; i < visits; i++)
            for (uint32_t k = s.own_start[i]; k < s.own_start[i + 1]; k++) s.load[s.own[k] * colours]++;
        for (uint32_t i = 0; i < visits; i++) { // a greedy start
            uint32_t best = 0;
            if (!is_transit(&plan->visits[i])) continue;
            for (uint32_t c = 1; c < colours; c++)
                if (clashes(&s, i, c) < clashes(&s, i, best) - (best ? 0 : s.own_start[i + 1] - s.own_start[i]))
                    best = c;
            recolour(&s, i, best);
        }
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

int crl_lanes_by_colour(struct crl_node_plan *plan, const struct crl_geometry *g, uint32_t cycles)
{
    bool once = true;
    for (size_t i = 0; i < plan->visits_count; i++)
        once &= !is_transit(&plan->visits[i]) || reads_of(plan, &plan->visits[i]) == 1;
    if (once) return lanes_by_edges(plan, g, cycles);
    struct cliques q = {0};
    int error = cliques_new(&q, plan, cycles);
    if (!error) error = colour_by_search(plan, &q, g->banks);
    free(q.start);
    free(q.member);
    return error;
}

// ---- packets that leave the choice open

// The lane that no other visit takes in this cycle, on the side of arrivals (writes) or of departures (reads).
static uint32_t first_free(const uint8_t *taken, const struct crl_geometry *g, uint32_t cycle)
{
    for (uint32_t lane = 0; lane < g->banks; lane++)
        if (!taken[cycle * g->banks + lane]) return lane;
    return CRL_NONE;
}

// An own packet goes to one lane that is free whenever it leaves; if there is none, a copy is loaded into another lane
// for some of its cycles. There are at most K packets a cycle, so that always succeeds.
static void place_own(struct crl_node_plan *plan, struct crl_visit *visit, const struct crl_geometry *g, uint8_t *read)
{
    visit->lane = 0;
    if (!visit->count) return; // it only has to stay
    struct crl_departure *out = plan->departures + visit->first;
    uint32_t lane = 0;
    for (; lane < g->banks; lane++) {
        bool good = true;
        for (uint32_t i = 0; i < visit->count; i++) good &= !read[out[i].cycle * g->banks + lane];
        if (good) break;
    }
    for (uint32_t i = 0; i < visit->count; i++) {
        bool again = i && out[i].cycle == out[i - 1].cycle;
        out[i].lane = again ? out[i - 1].lane : lane < g->banks ? lane : first_free(read, g, out[i].cycle);
    }
    for (uint32_t i = 0; i < visit->count; i++) read[out[i].cycle * g->banks + out[i].lane] = 1;
    visit->lane = out[0].lane;
}

int crl_lanes_fill(struct crl_node_plan *plan, const struct crl_geometry *g, uint32_t cycles)
{
    size_t cells = (cycles + UINT64_C(1)) * g->banks;
    uint8_t *written = calloc(cells, 1), *read = calloc(cells, 1);
    if (!written || !read) {
        free(written);
        free(read);
        return CRL_ERR_MEMORY;
    }
    for (size_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        if (!is_transit(visit)) continue;
        written[visit->arrival * g->banks + visit->lane] = 1;
        for (uint32_t k = 0; k < visit->count; k++)
            read[plan->departures[visit->first + k].cycle * g->banks + visit->lane] = 1;
    }
    for (size_t i = 0; i < plan->visits_count; i++) {
        struct crl_visit *visit = &plan->visits[i];
        if (is_transit(visit)) continue;
        if (!visit->arrival) {
            place_own(plan, visit, g, read);
        } else {
            visit->lane = g->write_xbar ? first_free(written, g, visit->arrival) : visit->in_port % g->lanes;
            written[visit->arrival * g->banks + visit->lane] = 1;
        }
    }
    free(written);
    free(read);
    return 0;
}
