// SPDX-License-Identifier: Apache-2.0
// The cycle model: what docs/formats/row.md says, in C. It knows the tables of an image and nothing of schedules.
#include "model/model.h"
#include "base/base.h"
#include "image/row.h"
#include <stdlib.h>
#include <string.h>

// Rows that are kept unpacked: about a kilobyte each.
enum { KEPT_MAX = 1 << 15 };

struct crl_model {
    const struct crl_image *image;
    uint32_t *behind;             // [nodes][ports]
    struct crl_row *rows;         // [kept][tables] unpacked rows
    uint32_t kept;                // rows of a table that are kept unpacked: all if they are few, else the current one
    uint64_t *memory;             // [nodes][banks][words][2^addr_width]
    uint64_t *delayed;            // [nodes][banks]
    uint64_t *write_data;         // [nodes][banks] written by the last row: reads of this row do not see it yet
    uint32_t *write_addr;         // [nodes][banks] CRL_NONE: none
    uint32_t *valid, *next_valid; // [nodes]
    uint64_t *data, *next_data;   // [nodes][ports]
    uint32_t row, page, last_page;
    uint64_t idle; // what an idle link shows: nothing a table may count on
    struct crl_faults faults;
};

static uint64_t *word_at(struct crl_model *m, uint32_t node, uint32_t bank, uint32_t addr)
{
    const struct crl_geometry *g = &m->image->geometry;
    return &m->memory[(((size_t)node * g->banks + bank) * g->words << g->addr_width) + addr];
}

uint64_t crl_model_memory(void *model, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr)
{
    struct crl_model *m = model;
    return *word_at(m, node, bank, page << m->image->geometry.addr_width | addr);
}

static void load(struct crl_model *m, const struct crl_problem *problem, uint64_t seed)
{
    for (uint32_t v = 0; v < m->image->nodes; v++)
        crl_fill_memory(m->image, problem, seed, v, UINT32_C(1) << m->image->geometry.addr_width, word_at(m, v, 0, 0));
}

int crl_model_new(struct crl_model **out, const struct crl_image *image, const struct crl_problem *problem,
                  uint64_t seed, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    size_t memory;
    *out = NULL;
    if (__builtin_mul_overflow((size_t)image->nodes * g->banks, (size_t)g->words << g->addr_width, &memory) ||
        (uint64_t)g->words << g->addr_width > UINT32_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "the memories of this image are too large to model");
    struct crl_model *m = *out = calloc(1, sizeof *m);
    if (!m) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    size_t nodes = image->nodes, lanes = nodes * g->banks, links = nodes * g->ports;
    m->image = image;
    m->behind = malloc(sizeof *m->behind * links);
    m->kept = (uint64_t)image->tables * g->rows <= KEPT_MAX ? g->rows : 1;
    m->rows = calloc((size_t)image->tables * m->kept, sizeof *m->rows);
    m->memory = calloc(memory, sizeof *m->memory);
    m->delayed = calloc(lanes, sizeof *m->delayed);
    m->write_data = calloc(lanes, sizeof *m->write_data);
    m->write_addr = malloc(sizeof *m->write_addr * lanes);
    m->valid = calloc(nodes, sizeof *m->valid);
    m->next_valid = calloc(nodes, sizeof *m->next_valid);
    m->data = calloc(links, sizeof *m->data);
    m->next_data = calloc(links, sizeof *m->next_data);
    if (!m->behind || !m->rows || !m->memory || !m->delayed || !m->write_data || !m->write_addr || !m->valid ||
        !m->next_valid || !m->data || !m->next_data) {
        crl_model_free(m);
        *out = NULL;
        return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < lanes; i++) m->write_addr[i] = CRL_NONE;
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t p = 0; p < g->ports; p++)
            m->behind[(size_t)v * g->ports + p] = crl_topology_behind(problem->topology, v, p);
    m->last_page = g->words - 1;
    m->idle = crl_permute(1, g->data_width, ~seed);
    load(m, problem, seed);
    return 0;
}

void crl_model_free(struct crl_model *m)
{
    if (!m) return;
    free(m->behind);
    free(m->rows);
    free(m->memory);
    free(m->delayed);
    free(m->write_data);
    free(m->write_addr);
    free(m->valid);
    free(m->next_valid);
    free(m->data);
    free(m->next_data);
    free(m);
}

static void note(struct crl_model *m, uint64_t *events, uint32_t node, uint32_t port)
{
    if (!m->faults.missing && !m->faults.unexpected && !m->faults.parity) {
        m->faults.node = node;
        m->faults.port = port;
        m->faults.slot = m->row;
    }
    ++*events;
}

// Compares the ports that words came in on with those the row names.
static void guard(struct crl_model *m, uint32_t v, uint32_t arrived, const struct crl_row *row)
{
    const struct crl_geometry *g = &m->image->geometry;
    uint32_t expected = 0;
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].iport;
        if (!row->lane[j].exp) continue;
        if (port < g->ports) expected |= UINT32_C(1) << port;
        else note(m, &m->faults.missing, v, port);
    }
    if (expected & ~arrived) note(m, &m->faults.missing, v, (uint32_t)__builtin_ctz(expected & ~arrived));
    if (arrived & ~expected) note(m, &m->faults.unexpected, v, (uint32_t)__builtin_ctz(arrived & ~expected));
}

// The word that an output sends: of a live input, or what a bank's lane shows; 0 if it names neither.
static uint64_t selected(const struct crl_geometry *g, uint32_t osel, const uint64_t *input, const uint64_t *value)
{
    if (g->banks >= g->lanes) return osel < g->banks ? value[osel] : 0;
    if (osel < g->lanes) return input[osel];
    return osel - g->lanes < g->banks ? value[osel - g->lanes] : 0;
}

static void play_node(struct crl_model *m, uint32_t v, const struct crl_row *row)
{
    const struct crl_geometry *g = &m->image->geometry;
    uint64_t value[CRL_BANKS_MAX], input[CRL_PORTS_MAX];
    const uint32_t *behind = m->behind + (size_t)v * g->ports;
    uint32_t arrived = 0;
    for (uint32_t p = 0; p < g->ports; p++)
        if (behind[p] != CRL_NONE && (m->valid[behind[p]] >> p & 1)) arrived |= UINT32_C(1) << p;
    guard(m, v, arrived, row);
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].iport;
        bool word = port < g->ports && (arrived >> port & 1);
        input[j] = word ? m->data[(size_t)behind[port] * g->ports + port] : m->idle;
    }
    for (uint32_t b = 0; b < g->banks; b++) {
        size_t lane = (size_t)v * g->banks + b;
        uint32_t j = g->write_xbar ? row->bank[b].wsel : b;
        uint64_t live = j < g->lanes ? input[j] : 0;
        uint64_t read = *word_at(m, v, b, m->page << g->addr_width | row->bank[b].raddr);
        value[b] = row->bank[b].byp ? live : read | m->delayed[lane];
        m->delayed[lane] = row->bank[b].dly ? live : 0;
        if (m->write_addr[lane] != CRL_NONE) *word_at(m, v, b, m->write_addr[lane]) = m->write_data[lane];
        uint32_t addr = g->waddr_field ? row->bank[b].waddr : m->row & ((UINT32_C(1) << g->addr_width) - 1);
        m->write_addr[lane] = row->bank[b].wen ? m->page << g->addr_width | addr : CRL_NONE;
        m->write_data[lane] = live;
    }
    uint32_t sent = 0;
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].oport;
        if (!row->lane[j].ov || port >= g->ports) continue;
        sent |= UINT32_C(1) << port;
        m->next_data[(size_t)v * g->ports + port] = selected(g, row->lane[j].osel, input, value);
    }
    m->next_valid[v] = sent;
}

static void play_row(struct crl_model *m)
{
    const struct crl_image *image = m->image;
    struct crl_row *rows = m->rows + (size_t)(m->row % m->kept) * image->tables;
    bool unpacked = m->kept > 1 && m->page; // by the first round
    for (uint32_t t = 0; t < image->tables; t++) {
        const uint32_t *bits = crl_image_row(image, t, m->row);
        bool good =
            unpacked ? crl_row_parity(&image->geometry, bits) : crl_row_unpack(&image->geometry, bits, &rows[t]);
        if (!good) note(m, &m->faults.parity, t, 0);
    }
    for (uint32_t v = 0; v < image->nodes; v++) play_node(m, v, &rows[image->node_table[v]]);
    uint32_t *valid = m->valid;
    uint64_t *data = m->data;
    m->valid = m->next_valid;
    m->data = m->next_data;
    m->next_valid = valid;
    m->next_data = data;
}

// After the last row its writes still have to reach the banks.
static void settle(struct crl_model *m)
{
    const struct crl_geometry *g = &m->image->geometry;
    for (uint32_t v = 0; v < m->image->nodes; v++)
        for (uint32_t b = 0; b < g->banks; b++) {
            size_t lane = (size_t)v * g->banks + b;
            if (m->write_addr[lane] != CRL_NONE) *word_at(m, v, b, m->write_addr[lane]) = m->write_data[lane];
            m->write_addr[lane] = CRL_NONE;
        }
}

// Each step plays a row and shows the words it sent; the last row of a round sends none, it only takes in.
static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_model *m = self;
    if (m->page > m->last_page) return 1;
    play_row(m);
    *valid = m->valid;
    *data = m->data;
    if (++m->row < m->image->geometry.rows) return 0;
    m->row = 0;
    if (m->page++ < m->last_page) return 0;
    settle(m);
    return 1;
}

struct crl_player crl_model_player(struct crl_model *model) { return (struct crl_player){.self = model, .step = step}; }

struct crl_faults crl_model_faults(const struct crl_model *model) { return model->faults; }
