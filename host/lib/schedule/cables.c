// SPDX-License-Identifier: Apache-2.0
#include "schedule/cables.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { ENDS = 16 }; // slots that the ends of a cable take for a word and its acknowledgement, beside its latency
enum { FIXED = 5, FLITS = 3 }; // cycles that both ends take, and those between flits: until one is sent, and its check

// A word over a cable in a round: its rows, from 0.
struct word {
    uint32_t cable, sent, taken;
};

struct words {
    struct word *word; // by the row in which it is sent
    uint32_t count, rows;
};

static bool is_of(const struct crl_cable *c, const struct crl_boards *b, uint32_t v, uint32_t u)
{
    return b->of[v] == c->from && b->of[u] == c->to && (c->src == CRL_NONE || (c->src == v && c->dst == u));
}

uint32_t crl_cables_find(const struct crl_cable *cables, uint32_t count, const struct crl_boards *b, uint32_t v,
                         uint32_t u)
{
    uint32_t i = 0;
    while (i < count && !is_of(&cables[i], b, v, u)) i++;
    return i;
}

uint32_t crl_cable_delay(const struct crl_cable *c, uint32_t slot, uint32_t words)
{
    const uint32_t planned = ((c->latency - 1) * slot + 1) * words,
                   ends = FIXED + FLITS * c->gap * slot + (c->gap * slot - 1) * (words - 1);
    return planned > ends ? planned - ends : 0;
}

uint32_t crl_cables_back(const struct crl_cable *cables, uint32_t count, uint32_t cable)
{
    const struct crl_cable *c = &cables[cable];
    for (uint32_t j = 0; j < count; j++) {
        const struct crl_cable *d = &cables[j];
        if (d->from == c->to && d->to == c->from && d->src == c->dst && d->dst == c->src) return j;
    }
    return CRL_NONE;
}

// All links that lead from board to board.
static uint32_t list_links(struct crl_cable *cables, const struct crl_topology *t)
{
    const struct crl_boards *b = crl_topology_boards(t);
    uint32_t count = 0;
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = 0; p < t->ports; p++) {
            uint32_t u = crl_topology_neighbor(t, v, p);
            if (u == CRL_NONE || b->of[v] == b->of[u]) continue;
            uint32_t i = crl_cables_find(cables, count, b, v, u), latency = crl_topology_latency(t, v, p);
            if (i == count)
                cables[count++] = (struct crl_cable){.from = b->of[v],
                                                     .to = b->of[u],
                                                     .src = b->each ? v : CRL_NONE,
                                                     .dst = b->each ? u : CRL_NONE,
                                                     .latency = latency,
                                                     .gap = 1};
            struct crl_cable *c = &cables[i];
            c->links++;
            if (latency < c->latency) c->latency = latency;
            if (crl_topology_gap(t, v, p) > c->gap) c->gap = crl_topology_gap(t, v, p);
        }
    return count;
}

static int list_words(struct words *w, const struct crl_schedule *s, const struct crl_cable *cables, uint32_t count)
{
    const struct crl_boards *b = crl_topology_boards(s->topology);
    *w = (struct words){.word = malloc(sizeof *w->word * (s->count + 1)), .rows = crl_schedule_slots(s)};
    for (size_t i = 0; i < s->count && w->word; i++) {
        const struct crl_move *m = &s->moves[i];
        uint32_t cable = crl_cables_find(cables, count, b, m->src, m->dst);
        if (cable == count) continue;
        uint32_t taken = crl_arrival_slot(s->topology, m->slot, m->src, m->dst) - 1;
        w->word[w->count++] = (struct word){cable, m->slot - 1, taken};
    }
    return w->word ? 0 : CRL_ERR_MEMORY;
}

// Words of a cable that have been sent, or taken, when rows below `row` of all rounds have been played.
static uint32_t passed(const struct words *w, uint32_t cable, uint32_t row, bool taken)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t at = taken ? w->word[i].taken : w->word[i].sent;
        if (w->word[i].cable == cable) sum += row / w->rows + (at < row % w->rows);
    }
    return sum;
}

// ---------------------------------------------------------------- what is needed, and what is enough

// need[(row · boards + x) · boards + y]: how many rows board y has played for certain when x has played `row`. A word
// that x takes proves the row in which it was sent, and what that one proves.
static void prove(uint32_t *need, uint32_t boards, uint32_t rows, const struct words *w, const struct crl_cable *cables)
{
    memset(need, 0, sizeof *need * boards * boards * rows);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t x = 0; x < boards; x++) {
            uint32_t *mine = &need[((size_t)row * boards + x) * boards];
            if (row) memcpy(mine, mine - (size_t)boards * boards, sizeof *mine * boards);
            mine[x] = row + 1;
            for (uint32_t i = 0; i < w->count; i++) {
                const struct crl_cable *c = &cables[w->word[i].cable];
                if (c->to != x || w->word[i].taken != row % w->rows) continue;
                uint32_t sent = row - (w->word[i].taken - w->word[i].sent);
                const uint32_t *other = &need[((size_t)sent * boards + c->from) * boards];
                for (uint32_t y = 0; y < boards; y++)
                    if (other[y] > mine[y] && y != x) mine[y] = other[y];
            }
        }
}

// The most that can be in a cable while its sender plays the rows of a round.
static uint32_t most_in(const uint32_t *need, uint32_t boards, uint32_t round, const struct words *w,
                        const struct crl_cable *cables, uint32_t cable)
{
    uint32_t most = 0;
    for (uint32_t row = round * w->rows; row < (round + 1) * w->rows; row++) {
        uint32_t played = need[((size_t)row * boards + cables[cable].from) * boards + cables[cable].to];
        uint32_t in = passed(w, cable, row + 1, false) - passed(w, cable, played, true);
        if (in > most) most = in;
    }
    return most;
}

static void set_depth(struct crl_cable *c, uint32_t cable, const struct words *w)
{
    uint32_t holds = c->most, way = 2 * c->latency + ENDS;
    if (holds == CRL_NONE)
        for (uint32_t row = holds = 0; row < w->rows; row++) {
            uint32_t in = passed(w, cable, row + way, false) - passed(w, cable, row, false);
            if (in > holds) holds = in;
        }
    c->depth = 4; // the least with which flits carry words twice
    while (c->depth < holds + 1) c->depth *= 2;
}

// What boards prove of each other spreads by one cable a round, so that after as many rounds as boards nothing new
// comes, unless it goes on for ever.
static int measure(struct crl_cable *cables, uint32_t count, const struct words *w, uint32_t boards)
{
    uint32_t rounds = 2 * boards + 2, rows = rounds * w->rows;
    CRL_OWNED uint32_t *need = malloc(sizeof *need * ((size_t)boards * boards * rows + 1));
    if (!need) return CRL_ERR_MEMORY;
    prove(need, boards, rows, w, cables);
    for (uint32_t i = 0; i < count; i++) {
        struct crl_cable *c = &cables[i];
        for (uint32_t row = 0; row < 2 * w->rows; row++) {
            uint32_t in = passed(w, i, row + 1, false) - passed(w, i, row, true);
            if (in > c->under_way) c->under_way = in;
        }
        c->words = passed(w, i, w->rows, false);
        uint32_t before = most_in(need, boards, rounds - 2, w, cables, i);
        c->most = most_in(need, boards, rounds - 1, w, cables, i);
        if (c->most > before) c->most = CRL_NONE;
        set_depth(c, i, w);
    }
    return 0;
}

int crl_cables_list(struct crl_cable **out, uint32_t *count, const struct crl_schedule *s)
{
    const struct crl_topology *t = s->topology;
    const struct crl_boards *b = crl_topology_boards(t);
    struct words w;
    *count = 0;
    *out = NULL;
    if (!b) return CRL_ERR_UNSUPPORTED;
    struct crl_cable *cables = *out = calloc(crl_topology_links(t) + 1, sizeof *cables);
    if (!cables) return CRL_ERR_MEMORY;
    *count = list_links(cables, t);
    int error = list_words(&w, s, cables, *count);
    if (!error && w.rows) error = measure(cables, *count, &w, b->count);
    free(w.word);
    return error;
}
