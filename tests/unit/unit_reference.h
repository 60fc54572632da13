// SPDX-License-Identifier: Apache-2.0
// A second writing of docs/formats/row.md, a node at a time and without any haste: what the cycle model is held
// against.
#ifndef UNIT_REFERENCE_H
#define UNIT_REFERENCE_H

#include "image/row.h"
#include "model/model.h"
#include "unit.h"

struct reference {
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint64_t seed;
    uint64_t *memory;             // [nodes][banks][words][2^addr_width]
    uint64_t *delayed;            // [nodes][banks]
    uint64_t *write_data;         // [nodes][banks] written by the last row: reads of this row do not see it yet
    uint32_t *write_addr;         // [nodes][banks] CRL_NONE: none
    uint32_t *valid, *next_valid; // [nodes]
    uint64_t *data, *next_data;   // [nodes][ports]
    uint32_t row, page;
    uint64_t idle;
    struct crl_faults faults;
};

static inline uint64_t *reference_word(struct reference *m, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr)
{
    const struct crl_geometry *g = &m->image->geometry;
    return &m->memory[((((size_t)node * g->banks + bank) * g->words + page) << g->addr_width) + addr];
}

static inline struct reference reference_new(const struct crl_image *image, const struct crl_problem *problem,
                                             uint64_t seed)
{
    const struct crl_geometry *g = &image->geometry;
    size_t lanes = (size_t)image->nodes * g->banks, links = (size_t)image->nodes * g->ports;
    struct reference m = {.image = image, .problem = problem, .seed = seed};
    m.memory = calloc(lanes * g->words << g->addr_width, sizeof *m.memory);
    m.delayed = calloc(lanes, sizeof *m.delayed);
    m.write_data = calloc(lanes, sizeof *m.write_data);
    m.write_addr = malloc(sizeof *m.write_addr * lanes);
    m.valid = calloc(image->nodes, sizeof *m.valid);
    m.next_valid = calloc(image->nodes, sizeof *m.next_valid);
    m.data = calloc(links, sizeof *m.data);
    m.next_data = calloc(links, sizeof *m.next_data);
    assert_true(m.memory && m.delayed && m.write_data && m.write_addr && m.valid && m.next_valid && m.data &&
                m.next_data);
    for (size_t i = 0; i < lanes; i++) m.write_addr[i] = CRL_NONE;
    m.idle = crl_permute(1, g->data_width, ~seed);
    for (uint32_t v = 0; v < image->nodes; v++)
        crl_fill_memory(image, problem, seed, v, UINT32_C(1) << g->addr_width, reference_word(&m, v, 0, 0, 0));
    return m;
}

static inline void reference_done(struct reference *m)
{
    free(m->memory);
    free(m->delayed);
    free(m->write_data);
    free(m->write_addr);
    free(m->valid);
    free(m->next_valid);
    free(m->data);
    free(m->next_data);
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
    if (g->banks >= g->lanes) return osel < g->banks ? value[osel] : 0;
    if (osel < g->lanes) return input[osel];
    return osel - g->lanes < g->banks ? value[osel - g->lanes] : 0;
}

static inline void reference_commit(struct reference *m, uint32_t node, uint32_t bank)
{
    const struct crl_geometry *g = &m->image->geometry;
    size_t lane = (size_t)node * g->banks + bank;
    if (m->write_addr[lane] != CRL_NONE) *reference_word(m, node, bank, 0, m->write_addr[lane]) = m->write_data[lane];
    m->write_addr[lane] = CRL_NONE;
}

static inline void reference_node(struct reference *m, uint32_t v, const struct crl_row *row)
{
    const struct crl_geometry *g = &m->image->geometry;
    uint64_t value[CRL_BANKS_MAX], input[CRL_PORTS_MAX];
    uint32_t behind[CRL_PORTS_MAX];
    uint32_t arrived = 0;
    for (uint32_t p = 0; p < g->ports; p++) {
        behind[p] = crl_topology_behind(m->problem->topology, v, p);
        if (behind[p] != CRL_NONE && (m->valid[behind[p]] >> p & 1)) arrived |= UINT32_C(1) << p;
    }
    reference_guard(m, v, arrived, row);
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].iport;
        bool word = port < g->ports && (arrived >> port & 1);
        input[j] = word ? m->data[(size_t)behind[port] * g->ports + port] : m->idle;
    }
    for (uint32_t b = 0; b < g->banks; b++) {
        size_t lane = (size_t)v * g->banks + b;
        uint32_t j = g->write_xbar ? row->bank[b].wsel : b;
        uint64_t live = j < g->lanes ? input[j] : 0;
        uint64_t read = *reference_word(m, v, b, m->page, row->bank[b].raddr);
        value[b] = row->bank[b].byp ? live : read | m->delayed[lane];
        m->delayed[lane] = row->bank[b].dly ? live : 0;
        reference_commit(m, v, b);
        uint32_t addr = g->waddr_field ? row->bank[b].waddr : m->row & ((UINT32_C(1) << g->addr_width) - 1);
        m->write_addr[lane] = row->bank[b].wen ? m->page << g->addr_width | addr : CRL_NONE;
        m->write_data[lane] = live;
    }
    uint32_t sent = 0;
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].oport;
        if (!row->lane[j].ov || port >= g->ports) continue;
        sent |= UINT32_C(1) << port;
        m->next_data[(size_t)v * g->ports + port] = reference_selected(g, row->lane[j].osel, input, value);
    }
    m->next_valid[v] = sent;
}

// A page begins with what the one before left, but for zeros and own packets.
static inline void reference_turn(struct reference *m, uint32_t v)
{
    const struct crl_geometry *g = &m->image->geometry;
    const struct crl_places *before = &m->image->before[m->image->folded ? 0 : v];
    for (uint32_t b = 0; b < g->banks; b++) {
        uint64_t *page = reference_word(m, v, b, m->page, 0), size = UINT64_C(1) << g->addr_width;
        uint32_t zero = crl_image_zero(m->image, m->image->folded ? 0 : v, b);
        reference_commit(m, v, b);
        memcpy(page, page - size, sizeof *page * size);
        if (zero < size) page[zero] = 0;
    }
    for (uint32_t i = 0; i < before->count; i++) {
        uint32_t origin = before->place[i].origin, dest = before->place[i].dest;
        if (m->image->folded) crl_packet_shift(m->problem, v, &origin, &dest);
        *reference_word(m, v, before->place[i].bank, m->page, before->place[i].addr) =
            crl_payload(m->problem, origin, dest, m->page, g, m->seed);
    }
}

// As a crl_player's step.
static inline int reference_step(struct reference *m)
{
    const struct crl_image *image = m->image;
    struct crl_row row;
    for (uint32_t t = 0; t < image->tables; t++)
        if (!crl_row_unpack(&image->geometry, crl_image_row(image, t, m->row), &row))
            reference_note(m, &m->faults.parity, t, 0);
    for (uint32_t v = 0; v < image->nodes; v++) {
        crl_row_unpack(&image->geometry, crl_image_row(image, image->node_table[v], m->row), &row);
        reference_node(m, v, &row);
    }
    uint32_t *valid = m->valid;
    uint64_t *data = m->data;
    m->valid = m->next_valid;
    m->data = m->next_data;
    m->next_valid = valid;
    m->next_data = data;
    if (++m->row < image->geometry.rows) return 0;
    m->row = 0;
    bool last = ++m->page == image->geometry.words;
    for (uint32_t v = 0; v < image->nodes && !last; v++) reference_turn(m, v);
    for (uint32_t v = 0; v < image->nodes && last; v++)
        for (uint32_t b = 0; b < image->geometry.banks; b++) reference_commit(m, v, b);
    return last;
}

#endif
