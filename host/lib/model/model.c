// SPDX-License-Identifier: Apache-2.0
// The cycle model: executes the tables of an image. It knows nothing of schedules, and shares no code with the RTL.
#include "model/model.h"
#include "base/base.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "image/row.h"
#include "model/state.h"
#include "trace/busy.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- rows

static int read_rows(struct crl_model *m)
{
    const struct crl_row_store *s = &m->image->store;
    if (!CRL_NEW(&m->pool, m->odd, s->distinct)) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < s->distinct; i++)
        m->odd[i] = !crl_row_parity(&m->image->geometry, s->bits + (size_t)i * s->row_words);
    int error = crl_row_reader_init(&m->reader, m->image, &m->pool);
    return error ? error : crl_row_plays(&m->play, m->image, &m->pool);
}

// ---- nodes and links

static int group_nodes(struct crl_model *m)
{
    const struct crl_image *image = m->image;
    CRL_NEW(&m->pool, m->node, m->nodes);
    CRL_NEW(&m->pool, m->position, m->all);
    CRL_ZEROED(&m->pool, m->group, image->tables);
    if (crl_pool_error(&m->pool)) return CRL_ERR_MEMORY;
    for (uint32_t v = m->first; v < m->first + m->nodes; v++) m->group[image->node_table[v]].count++;
    for (uint32_t t = 1; t < image->tables; t++) m->group[t].first = m->group[t - 1].first + m->group[t - 1].count;
    for (uint32_t t = 0; t < image->tables; t++) m->group[t].count = 0;
    for (uint32_t v = m->first; v < m->first + m->nodes; v++) {
        struct crl_model_group *group = &m->group[image->node_table[v]];
        m->position[v] = group->first + group->count++;
        m->node[m->position[v]] = v;
    }
    return 0;
}

static int wire(struct crl_model *m, const struct crl_topology *t)
{
    const struct crl_image *image = m->image;
    size_t links = (size_t)m->all * image->geometry.ports;
    CRL_NEW(&m->pool, m->source, (size_t)m->nodes * image->geometry.ports);
    CRL_NUMBERS(&m->pool, m->all, &m->sent, &m->sending);
    CRL_NUMBERS(&m->pool, (size_t)image->tables * image->geometry.ports, &m->reach);
    CRL_ZEROED(&m->pool, m->data, links);
    CRL_ZEROED(&m->pool, m->leaving, links);
    CRL_ZEROED(&m->pool, m->busy, crl_busy_words(m->all));
    CRL_ZEROED(&m->pool, m->stirring, crl_busy_words(m->all));
    if (crl_pool_error(&m->pool)) return CRL_ERR_MEMORY;
    m->whole = image->tables == 1 && m->nodes == m->all && crl_topology_latency_by_port(t);
    for (uint32_t v = m->first; v < m->first + m->nodes; v++)
        for (uint32_t p = 0; p < image->geometry.ports; p++) {
            uint32_t from = crl_topology_behind(t, v, p);
            m->source[(size_t)p * m->nodes + m->position[v]] = from;
            if (from == CRL_NONE) m->whole = false;
            else m->reach[(size_t)image->node_table[from] * image->geometry.ports + p]++;
        }
    return 0;
}

// ---- memories

static const struct crl_places *places_of(const struct crl_model *m, const struct crl_places *sets, uint32_t node)
{
    return &sets[m->image->folded ? 0 : node];
}

static uint64_t *word_at(const struct crl_model *m, uint32_t node, uint32_t bank, uint32_t addr)
{
    uint32_t t = m->image->node_table[node];
    const struct crl_model_lane *lane = crl_model_lane(m, &m->group[t], bank);
    size_t cell = m->cell[lane->map + addr - lane->low];
    return m->memory + lane->base + cell * m->group[t].count + m->position[node] - m->group[t].first;
}

static int fail_size(struct crl_diag *diag)
{
    return crl_fail(diag, CRL_ERR_LIMIT, "the memories of this image are too large to model");
}

static int get_memories(struct crl_model *m, struct crl_diag *diag)
{
    const struct crl_geometry *g = &m->image->geometry;
    size_t pages = g->words < CRL_MODEL_PAGES && !g->streams ? g->words : CRL_MODEL_PAGES;
    if (!CRL_ZEROED(&m->pool, m->kept_first, m->nodes + UINT64_C(1))) return crl_fail_memory(diag);
    for (uint32_t i = 0; i < m->nodes; i++) {
        if (i % m->alike == 0 && !g->streams) m->own_count += places_of(m, m->image->before, m->node[i])->count;
        m->kept_first[i + 1] = m->kept_first[i] + places_of(m, m->image->after, m->node[i])->count;
    }
    if (m->words >> CRL_MODEL_WORDS_BITS || m->kept_first[m->nodes] >> CRL_MODEL_WORDS_BITS) return fail_size(diag);
    char what[64];
    snprintf(what, sizeof what, "playing %u nodes on the model", m->nodes);
    int error = crl_memory_expect(sizeof *m->memory * m->words + sizeof *m->kept * m->kept_first[m->nodes] * pages +
                                      sizeof *m->own_index * m->own_count * m->alike,
                                  what, diag);
    if (error) return error;
    CRL_NEW(&m->pool, m->memory, m->words);
    CRL_ZEROED(&m->pool, m->delayed, (size_t)g->banks * m->nodes);
    CRL_ZEROED(&m->pool, m->shadow, (size_t)g->banks * m->nodes);
    CRL_ZEROED(&m->pool, m->input, (size_t)g->lanes * m->nodes);
    CRL_ZEROED(&m->pool, m->value, m->nodes);
    CRL_NEW(&m->pool, m->own, m->own_count);
    CRL_NEW(&m->pool, m->own_index, m->own_count * m->alike);
    m->kept = calloc(m->kept_first[m->nodes] * pages + 1, sizeof *m->kept);
    if (!m->kept || crl_pool_error(&m->pool)) return crl_fail_memory(diag);
    return 0;
}

// Garbage. Cells that addresses share are written before they are read.
static void blank_page(struct crl_model *m, uint64_t seed)
{
    const struct crl_image *image = m->image;
    const struct crl_geometry *g = &image->geometry;
    struct crl_permutation garbage;
    crl_garbage_init(&garbage, g, seed);
    for (uint32_t t = 0; t < image->tables; t++)
        for (uint64_t banks = m->group[t].banks; banks; banks &= banks - 1) {
            const uint32_t b = (uint32_t)__builtin_ctzll(banks);
            const struct crl_model_lane *lane = crl_model_lane(m, &m->group[t], b);
            const uint32_t *node = m->node + m->group[t].first;
            for (uint32_t k = 0; k < lane->words; k++) {
                size_t cell = m->cell[lane->map + k];
                uint64_t *word = m->memory + lane->base + cell * m->group[t].count;
                for (uint32_t i = 0; i < m->group[t].count && cell < lane->alone; i++)
                    word[i] = crl_permutation_at(&garbage, crl_garbage_number(g, node[i], b, lane->low + k));
            }
        }
}

static void find_own(struct crl_model *m, const struct crl_problem *problem)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->nodes; i += m->alike) {
        const struct crl_places *before = places_of(m, m->image->before, m->node[i]);
        for (uint32_t k = 0; k < before->count; k++, n++) {
            const struct crl_place *p = &before->place[k];
            m->own[n] = (size_t)(word_at(m, m->node[i], p->bank, p->addr) - m->memory);
            for (uint32_t v = 0; v < m->alike; v++) {
                uint32_t origin = p->origin, dest = p->dest;
                if (m->image->folded) crl_packet_shift(problem, m->node[v], &origin, &dest);
                m->own_index[n * m->alike + v] =
                    crl_payload_number(problem, m->node[i + v], origin, dest) * m->image->geometry.words;
            }
        }
    }
}

// What the page before left is what else lies there: a table that reads what it must not is found out.
static void start_page(struct crl_model *m)
{
    const struct crl_image *image = m->image;
    // What the last row wrote lies in another page: this one's first row may read there.
    for (size_t i = 0; image->geometry.combine && i < m->lanes; i++) m->lane[i].shadow_step = 0;
    for (uint32_t i = 0; i < image->zeros; i++) {
        const struct crl_zero *z = &image->zero[i];
        for (uint32_t v = m->first; v < m->first + m->nodes; v++)
            if (image->folded || v == z->set) *word_at(m, v, z->bank, z->addr) = 0;
    }
    for (size_t i = 0; i < m->own_count; i++)
        crl_permutation_many(&m->payload, m->own_index + i * m->alike, m->page, m->memory + m->own[i], m->alike);
}

uint64_t *crl_model_kept(const struct crl_model *m, uint64_t page, uint32_t node, uint32_t k)
{
    uint32_t position = m->position[node];
    size_t at = m->image->folded ? (size_t)k * m->nodes + position : m->kept_first[position] + k;
    return m->kept + page % CRL_MODEL_PAGES * m->kept_first[m->nodes] + at;
}

static void keep_page(struct crl_model *m)
{
    for (uint32_t i = 0; i < m->nodes; i += m->alike) {
        const struct crl_places *after = places_of(m, m->image->after, m->node[i]);
        for (uint32_t k = 0; k < after->count; k++)
            memcpy(crl_model_kept(m, m->page, m->node[i], k),
                   word_at(m, m->node[i], after->place[k].bank, after->place[k].addr), sizeof *m->kept * m->alike);
    }
}

// Where the packet at an address of a bank is among a node's places; as many as it has: none lies there. Whoever judges
// goes through the places in order.
static uint32_t find_place(struct crl_model *m, const struct crl_places *after, uint32_t bank, uint32_t addr)
{
    for (uint32_t n = 0; n < after->count; n++) {
        uint32_t k = (m->hint + n) % after->count;
        if (after->place[k].bank == bank && after->place[k].addr == addr) return m->hint = k;
    }
    return after->count;
}

void crl_model_memory(void *model, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                      uint64_t *words)
{
    struct crl_model *m = model;
    assert(page + (m->kept ? CRL_MODEL_PAGES : 1) >= m->page);
    for (uint32_t i = 0, alike; i < count; i += alike) { // places of a folded image are all nodes'
        const struct crl_places *after = places_of(m, m->image->after, node + i);
        uint32_t k = find_place(m, after, bank, addr);
        alike = m->image->folded ? count : 1;
        const uint64_t *found = k == after->count ? NULL
                                : m->kept         ? crl_model_kept(m, page, node + i, k)
                                                  : word_at(m, node + i, bank, addr);
        if (found) memcpy(words + i, found, sizeof *words * alike);
        else memset(words + i, 0, sizeof *words * alike);
    }
}

void crl_model_hand_over(struct crl_model *m,
                         void (*collected)(void *user, struct crl_model *model, uint32_t first, uint32_t count),
                         void *user)
{
    m->collected = collected;
    m->user = user;
    if (m->streams) return;
    free(m->kept); // words are looked at where they lie
    m->kept = NULL;
}

// ---- the model

int crl_model_new(struct crl_model **out, const struct crl_image *image, const struct crl_problem *problem,
                  uint64_t seed, struct crl_diag *diag)
{
    struct crl_model *m = *out = calloc(1, sizeof *m);
    if (!m) return crl_fail_memory(diag);
    m->image = image;
    m->problem = problem;
    m->departs = m->arrives = true;
    m->all = image->nodes;
    m->nodes = crl_share_nodes(problem->context, m->all, &m->first);
    m->alike = image->folded ? m->nodes : 1;
    m->idle = crl_permute(1, image->geometry.data_width, ~seed);
    crl_payload_init(&m->payload, &image->geometry, seed);
    int error = read_rows(m);
    if (!error) error = group_nodes(m);
    if (!error) error = wire(m, problem->topology);
    if (!error) error = crl_model_links_new(&m->links, image, problem->topology);
    if (!error) error = crl_border_new(&m->border, problem->context, problem->topology, image->geometry.ports);
    if (!error) error = crl_model_lay_out(m);
    if (error == CRL_ERR_LIMIT) fail_size(diag);
    else if (error) crl_fail_memory(diag);
    if (!error) error = get_memories(m, diag);
    if (!error) {
        blank_page(m, seed);
        if (!image->geometry.streams) find_own(m, problem);
        start_page(m);
    }
    if (!error && image->geometry.streams && crl_model_streams_new(m, seed)) error = crl_fail_memory(diag);
    if (!error) return 0;
    crl_model_free(m);
    *out = NULL;
    return error;
}

void crl_model_free(struct crl_model *m)
{
    if (!m) return;
    CRL_FREE(m->cell, m->lane, m->kept);
    crl_pool_done(&m->pool);
    crl_model_links_free(m->links);
    crl_border_free(m->border);
    crl_model_streams_free(m->streams);
    free(m);
}

void crl_model_repeat(struct crl_model *m, uint32_t rounds)
{
    m->streams->plays = rounds * (uint64_t)m->image->geometry.words;
}

// Each step plays a row and shows the words it sent; the last row of a round sends none, it only takes in.
static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_model *m = self;
    if (!m->streams && m->page == m->image->geometry.words) return 1;
    if (m->streams && m->page == m->streams->plays) return 1;
    int error = m->border && m->step && !m->links ? crl_border_wait(m->border, m->sent, m->data) : 0;
    if (error) return error;
    if (m->streams) crl_model_streams_step(m);
    else crl_model_play_row(m);
    if (m->border) error = crl_border_start(m->border, m->sent, m->data);
    if (m->border && m->links && !error) error = crl_border_wait(m->border, m->sent, m->data);
    if (error) return error;
    *valid = m->sent;
    *data = m->data;
    if (m->links) m->under_way = crl_model_links_pass(m->links, m->sent, m->data, valid, data);
    if (m->streams) return m->page == m->streams->plays;
    if (++m->number < m->image->geometry.rows) return 0;
    if (m->kept) keep_page(m);
    m->number = 0;
    m->next = 0;
    m->page++;
    bool last = m->page == m->image->geometry.words;
    if (m->collected) m->collected(m->user, m, m->page - 1, 1);
    if (!last) start_page(m);
    return last;
}

// Words of other processes, and those that a link held up, come from anywhere.
static const uint64_t *busy(void *self)
{
    const struct crl_model *m = self;
    return m->links || m->border ? NULL : m->busy;
}

struct crl_player crl_model_player(struct crl_model *model)
{
    return (struct crl_player){.self = model, .step = step, .busy = busy};
}

struct crl_faults crl_model_faults(const struct crl_model *model) { return model->faults; }
