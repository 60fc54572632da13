// SPDX-License-Identifier: Apache-2.0
// Streams of the cycle model: own words come in the order of the image, words that are shown are kept in the order in
// which they leave. Rounds follow each other without a gap: row 0 has the last arrivals of the round before.
#include "model/state.h"
#include <stdlib.h>

static const struct crl_places *places_of(const struct crl_model *m, const struct crl_places *sets, uint32_t node)
{
    return &sets[m->image->folded ? 0 : node];
}

static size_t cell(const struct crl_model *m, uint32_t table, uint32_t lane)
{
    return (size_t)table * m->image->geometry.lanes + lane;
}

static int number_own(struct crl_model *m)
{
    struct crl_model_streams *s = m->streams;
    s->first = calloc(m->nodes + UINT64_C(1), sizeof *s->first);
    if (!s->first) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < m->nodes; i++)
        s->first[i + 1] = s->first[i] + places_of(m, m->image->before, m->node[i])->count;
    uint64_t *at = s->number = malloc(sizeof *at * (s->first[m->nodes] + 1));
    if (!at) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct crl_places *before = places_of(m, m->image->before, m->node[i]);
        for (uint32_t k = 0; k < before->count; k++) {
            uint32_t origin = before->place[k].origin, dest = before->place[k].dest;
            if (m->image->folded) crl_packet_shift(m->problem, m->node[i], &origin, &dest);
            *at++ = crl_payload_number(m->problem, m->node[i], origin, dest) * m->image->geometry.words;
        }
    }
    return 0;
}

int crl_model_streams_new(struct crl_model *m, uint64_t seed)
{
    const struct crl_geometry *g = &m->image->geometry;
    struct crl_model_streams *s = m->streams = calloc(1, sizeof *s);
    if (!s) return CRL_ERR_MEMORY;
    s->plays = g->words;
    s->period = crl_stream_period(m->image);
    s->seed = seed;
    s->taken = calloc((size_t)m->image->tables * g->lanes, sizeof *s->taken);
    s->shown = calloc((size_t)m->image->tables * g->lanes, sizeof *s->shown);
    s->own = calloc((size_t)g->banks * m->nodes, sizeof *s->own);
    return s->taken && s->shown && s->own ? number_own(m) : CRL_ERR_MEMORY;
}

void crl_model_streams_free(struct crl_model_streams *s)
{
    if (!s) return;
    CRL_FREE(s->first, s->number, s->taken, s->shown, s->own, s);
}

void crl_model_streams_take(struct crl_model *m, uint32_t table, uint32_t bank)
{
    struct crl_model_streams *s = m->streams;
    const struct crl_model_group *group = &m->group[table];
    uint32_t word = (uint32_t)((s->begun - 1) % m->image->geometry.words);
    uint32_t index = bank < m->image->geometry.lanes ? s->taken[cell(m, table, bank)]++ : CRL_NONE;
    for (uint32_t p = group->first; p < group->first + group->count; p++) {
        const struct crl_places *before = places_of(m, m->image->before, m->node[p]);
        const struct crl_place *place =
            index == CRL_NONE ? NULL : crl_stream_lane_word(m->image, true, m->node[p], bank, index);
        uint64_t *own = &s->own[(size_t)bank * m->nodes + p];
        if (place)
            *own = crl_permutation_at(&s->coming, s->number[s->first[p] + (size_t)(place - before->place)] + word);
        else {
            *own = m->idle;
            crl_model_note(m, &m->faults.starved, m->node[p], bank);
        }
    }
}

void crl_model_streams_show(struct crl_model *m, uint32_t table, uint32_t lane, const uint64_t *words)
{
    const struct crl_model_group *group = &m->group[table];
    uint32_t index = m->streams->shown[cell(m, table, lane)]++;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t node = m->node[group->first + i];
        const struct crl_places *after = places_of(m, m->image->after, node);
        const struct crl_place *place = crl_stream_lane_word(m->image, false, node, lane, index);
        if (place)
            *crl_model_kept(m, m->page, node, (uint32_t)(place - after->place)) =
                crl_word_on_stream(&m->image->geometry, words[i]);
        else crl_model_note(m, &m->faults.astray, node, lane);
    }
}

// Whether the streams of a round came, or left, as often as they must.
static void end_round(struct crl_model *m, uint32_t *counts, bool own)
{
    for (uint32_t t = 0; t < m->image->tables; t++)
        for (uint32_t j = 0; j < m->image->geometry.lanes; j++) {
            for (uint32_t i = 0; i < m->group[t].count; i++) {
                uint32_t node = m->node[m->group[t].first + i];
                if (crl_stream_lane_word(m->image, own, node, j, counts[cell(m, t, j)]))
                    crl_model_note(m, &m->faults.astray, node, j);
            }
            counts[cell(m, t, j)] = 0;
        }
}

static void begin_round(struct crl_model *m)
{
    struct crl_model_streams *s = m->streams;
    uint32_t words = m->image->geometry.words;
    if (m->departs && s->begun % words == 0)
        crl_payload_init(&s->coming, &m->image->geometry, s->seed + s->begun / words);
    s->begun += m->departs;
    m->next = 0;
}

// The words of a round have all left.
static void hand_over(struct crl_model *m)
{
    end_round(m, m->streams->shown, false);
    m->page++;
    uint32_t count = (m->page - 1) % CRL_MODEL_PAGES + 1;
    bool last = m->page == m->streams->plays;
    if (m->collected && (last || count == CRL_MODEL_PAGES)) m->collected(m->user, m, m->page - count, count);
}

// Where a round is followed by another one at once, row 0 has its last arrivals beside the departures of that one; else
// it plays for these alone, and then nothing does until the next round.
void crl_model_streams_step(struct crl_model *m)
{
    struct crl_model_streams *s = m->streams;
    const uint32_t rows = m->image->geometry.rows;
    bool first = s->cycle == 0, ends = s->cycle == rows % s->period;
    m->departs = s->cycle < rows && s->begun < s->plays + !first;
    m->arrives = first ? s->begun && s->period == rows : s->cycle <= rows;
    m->number = s->cycle % rows;
    const bool left = m->arrives;
    if (ends && s->begun) end_round(m, s->taken, true);
    if (first) begin_round(m);
    if (s->cycle == rows) m->next = 0;
    if (s->cycle > rows) m->next = m->image->store.first[m->image->tables];
    if (m->image->geometry.combine) m->arrives = m->departs; // no words of two rounds in a row
    if (!m->departs && !m->arrives) m->next = m->image->store.first[m->image->tables];
    crl_model_play_row(m);
    if (ends && left) hand_over(m);
    if (++s->cycle == s->period) s->cycle = 0;
}
