// SPDX-License-Identifier: Apache-2.0
// A second writing of docs/formats/row.md, a node at a time and without any haste: what the cycle model is held
// against. Of all routers but those with streams.
#ifndef UNIT_REFERENCE_H
#define UNIT_REFERENCE_H

#include "base/base.h"
#include "image/row.h"
#include "model/model.h"
#include "unit.h"

// What a bank of a node has from the row before.
struct reference_bank {
    uint64_t delayed;
    uint32_t write_addr; // where the last row wrote, CRL_NONE: nowhere. Reads of this row do not see it yet
    uint64_t write_data;
    uint64_t written; // sums: the one that was written last
};

struct reference {
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint64_t seed;
    uint64_t *memory;            // [nodes][banks][words][2^addr_width]
    struct reference_bank *bank; // [nodes][banks]
    uint32_t *sent;              // [words · rows][nodes] what left in each row that was played
    uint64_t *word;              // [words · rows][nodes][ports]
    uint32_t *valid;             // [nodes] of the last row, and
    uint64_t *data;              // [nodes][ports]
    uint32_t row, page, played;
    uint64_t idle;
    struct crl_faults faults;
};

static inline uint64_t *reference_word(struct reference *m, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr)
{
    const struct crl_geometry *g = &m->image->geometry;
    return &m->memory[((((size_t)node * g->banks + bank) * g->words + page) << g->addr_width) + addr];
}

static inline struct reference_bank *reference_bank(struct reference *m, uint32_t node, uint32_t bank)
{
    return &m->bank[(size_t)node * m->image->geometry.banks + bank];
}

static inline struct reference reference_new(const struct crl_image *image, const struct crl_problem *problem,
                                             uint64_t seed)
{
    const struct crl_geometry *g = &image->geometry;
    size_t banks = (size_t)image->nodes * g->banks, rows = (size_t)g->rows * g->words * image->nodes;
    struct reference m = {.image = image, .problem = problem, .seed = seed};
    m.memory = calloc(banks * g->words << g->addr_width, sizeof *m.memory);
    m.bank = calloc(banks, sizeof *m.bank);
    m.sent = calloc(rows, sizeof *m.sent);
    m.word = calloc(rows * g->ports, sizeof *m.word);
    assert_true(m.memory && m.bank && m.sent && m.word);
    for (size_t i = 0; i < banks; i++) m.bank[i].write_addr = CRL_NONE;
    m.idle = crl_permute(1, g->data_width, ~seed);
    for (uint32_t v = 0; v < image->nodes; v++)
        crl_fill_memory(image, problem, seed, v, UINT32_C(1) << g->addr_width, reference_word(&m, v, 0, 0, 0));
    return m;
}

static inline void reference_done(struct reference *m)
{
    free(m->memory);
    free(m->bank);
    free(m->sent);
    free(m->word);
}

static inline void reference_note(struct reference *m, uint64_t *events, uint32_t node, uint32_t port)
{
    if (!m->faults.missing && !m->faults.unexpected && !m->faults.parity) {
        m->faults.node = node;
        m->faults.port = port;
        m->faults.slot = m->row;
    }
    ++*events;
}

// What arrives at a node by a port in this row: false, nothing.
static inline bool reference_arrival(const struct reference *m, uint32_t node, uint32_t port, uint64_t *word)
{
    const struct crl_topology *t = m->problem->topology;
    const struct crl_geometry *g = &m->image->geometry;
    uint32_t from = crl_topology_behind(t, node, port);
    if (from == CRL_NONE) return false;
    uint32_t slot = m->image->port_model == CRL_PORTS_SINGLE ? 1 : (g->ports + g->lanes - 1) / g->lanes;
    uint32_t ago = 1 + (crl_topology_latency(t, from, port) - 1) * slot;
    if (m->played < ago) return false;
    size_t at = (size_t)(m->played - ago) * m->image->nodes + from;
    *word = m->word[at * g->ports + port];
    return m->sent[at] >> port & 1;
}

// Compares the ports that words came in on with those the row names.
static inline void reference_guard(struct reference *m, uint32_t v, uint32_t arrived, const struct crl_row *row)
{
    const struct crl_geometry *g = &m->image->geometry;
    uint32_t expected = 0;
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].iport;
        if (!row->lane[j].exp) continue;
        if (port < g->ports) expected |= UINT32_C(1) << port;
        else reference_note(m, &m->faults.missing, v, port);
    }
    if (expected & ~arrived) reference_note(m, &m->faults.missing, v, (uint32_t)__builtin_ctz(expected & ~arrived));
    if (arrived & ~expected) reference_note(m, &m->faults.unexpected, v, (uint32_t)__builtin_ctz(arrived & ~expected));
}

// The word that an output sends: of a live input, or what a bank's lane shows; 0 if it names neither.
static inline uint64_t reference_selected(const struct crl_geometry *g, uint32_t osel, const uint64_t *input,
                                          const uint64_t *value)
{
    if (g->combine || g->banks >= g->lanes) return osel < g->banks ? value[osel] : 0;
    if (osel < g->lanes) return input[osel];
    return osel - g->lanes < g->banks ? value[osel - g->lanes] : 0;
}

static inline void reference_commit(struct reference *m, uint32_t node, uint32_t b)
{
    struct reference_bank *bank = reference_bank(m, node, b);
    if (bank->write_addr != CRL_NONE) *reference_word(m, node, b, 0, bank->write_addr) = bank->write_data;
    bank->write_addr = CRL_NONE;
}

// What a bank that keeps words shows, and what it keeps.
static inline uint64_t reference_keep(struct reference *m, uint32_t v, uint32_t b, const struct crl_row *row,
                                      const uint64_t *input)
{
    const struct crl_geometry *g = &m->image->geometry;
    struct reference_bank *bank = reference_bank(m, v, b);
    uint32_t j = g->write_xbar ? row->bank[b].wsel : b;
    uint64_t live = j < g->lanes ? input[j] : 0;
    uint64_t read = *reference_word(m, v, b, m->page, row->bank[b].raddr);
    uint64_t value = row->bank[b].byp ? live : read | bank->delayed;
    bank->delayed = row->bank[b].dly ? live : 0;
    reference_commit(m, v, b);
    uint32_t addr = g->waddr_field ? row->bank[b].waddr : m->row & ((UINT32_C(1) << g->addr_width) - 1);
    bank->write_addr = row->bank[b].wen ? m->page << g->addr_width | addr : CRL_NONE;
    bank->write_data = live;
    return value;
}

// A sum that lies in a bank. Of the word that the row before wrote it is not said what a read returns: as an idle link.
static inline uint64_t reference_sum(struct reference *m, uint32_t v, uint32_t b, uint32_t addr)
{
    bool fresh = reference_bank(m, v, b)->write_addr == addr;
    return fresh ? m->idle : *reference_word(m, v, b, m->page, addr);
}

// What a bank that adds up shows, and the sum that it writes.
static inline uint64_t reference_add(struct reference *m, uint32_t v, uint32_t b, const struct crl_row *row,
                                     const uint64_t *input)
{
    const struct crl_geometry *g = &m->image->geometry;
    struct reference_bank *bank = reference_bank(m, v, b);
    uint64_t before =
        row->bank[b].fwd ? bank->written : reference_sum(m, v, b, row->bank[b].waddr ^ (row->bank[b].flip ? 1 : 0));
    uint64_t sum = 0;
    bool any = false;
    for (uint32_t j = 0; j <= g->lanes; j++) { // what was there, then the lanes
        if (j == 0 ? row->bank[b].set : !(row->bank[b].wsel >> (j - 1) & 1)) continue;
        uint64_t term = j ? input[j - 1] : before;
        sum = any ? crl_op_apply(crl_geometry_op(g), g->data_width, sum, term) : term;
        any = true;
    }
    uint64_t value = row->bank[b].byp   ? sum
                     : row->bank[b].dly ? bank->written
                                        : reference_sum(m, v, b, row->bank[b].raddr);
    bank->write_addr = row->bank[b].wen ? row->bank[b].waddr : CRL_NONE;
    if (row->bank[b].wen) bank->written = *reference_word(m, v, b, m->page, row->bank[b].waddr) = sum;
    return value;
}

static inline void reference_node(struct reference *m, uint32_t v, const struct crl_row *row)
{
    const struct crl_geometry *g = &m->image->geometry;
    uint64_t value[CRL_BANKS_MAX], input[CRL_PORTS_MAX], came[CRL_PORTS_MAX];
    uint32_t arrived = 0;
    for (uint32_t p = 0; p < g->ports; p++) arrived |= (uint32_t)reference_arrival(m, v, p, &came[p]) << p;
    reference_guard(m, v, arrived, row);
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].iport;
        input[j] = port < g->ports && (arrived >> port & 1) ? came[port] : m->idle;
    }
    for (uint32_t b = 0; b < g->banks; b++)
        value[b] = g->combine ? reference_add(m, v, b, row, input) : reference_keep(m, v, b, row, input);
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].oport;
        if (!row->lane[j].ov || port >= g->ports) continue;
        m->valid[v] |= UINT32_C(1) << port;
        m->data[(size_t)v * g->ports + port] = reference_selected(g, row->lane[j].osel, input, value);
    }
}

// A page begins with what the one before left, but for zeros and own packets.
static inline void reference_turn(struct reference *m, uint32_t v)
{
    const struct crl_geometry *g = &m->image->geometry;
    const struct crl_places *before = &m->image->before[m->image->folded ? 0 : v];
    for (uint32_t b = 0; b < g->banks; b++) {
        uint64_t *page = reference_word(m, v, b, m->page, 0), size = UINT64_C(1) << g->addr_width;
        uint32_t zero = crl_image_zero(m->image, m->image->folded ? 0 : v, b);
        if (!g->combine) reference_commit(m, v, b);
        else reference_bank(m, v, b)->write_addr = CRL_NONE; // what the last row wrote lies in the other page
        memcpy(page, page - size, sizeof *page * size);
        if (zero < size) page[zero] = 0;
    }
    struct crl_permutation payload;
    crl_payload_init(&payload, g, m->seed);
    for (uint32_t i = 0; i < before->count; i++) {
        uint32_t origin = before->place[i].origin, dest = before->place[i].dest;
        if (m->image->folded) crl_packet_shift(m->problem, v, &origin, &dest);
        *reference_word(m, v, before->place[i].bank, m->page, before->place[i].addr) =
            crl_permutation_at(&payload, crl_payload_number(m->problem, v, origin, dest) * g->words + m->page);
    }
}

// As a crl_player's step.
static inline int reference_step(struct reference *m)
{
    const struct crl_image *image = m->image;
    struct crl_row row;
    m->valid = m->sent + (size_t)m->played * image->nodes;
    m->data = m->word + (size_t)m->played * image->nodes * image->geometry.ports;
    for (uint32_t t = 0; t < image->tables; t++)
        if (!crl_row_unpack(&image->geometry, crl_image_row(image, t, m->row), &row))
            reference_note(m, &m->faults.parity, t, 0);
    for (uint32_t v = 0; v < image->nodes; v++) {
        crl_row_unpack(&image->geometry, crl_image_row(image, image->node_table[v], m->row), &row);
        reference_node(m, v, &row);
    }
    m->played++;
    if (++m->row < image->geometry.rows) return 0;
    m->row = 0;
    bool last = ++m->page == image->geometry.words;
    for (uint32_t v = 0; v < image->nodes && !last; v++) reference_turn(m, v);
    for (uint32_t v = 0; v < image->nodes && last && !image->geometry.combine; v++)
        for (uint32_t b = 0; b < image->geometry.banks; b++) reference_commit(m, v, b);
    return last;
}

#endif
