// SPDX-License-Identifier: Apache-2.0
// The processors of a LogP machine and their crossbar.
#include "machine/logp/play.h"
#include "engine/kind.h"
#include "machine/logp/image.h"
#include <stdlib.h>
#include <string.h>

// One build serves every machine up to these; larger ones get one of their own.
enum { DEPTH_BUILT = 1024, LATENCY_BUILT = 16 };

struct logp {
    struct crl_rtl engine;
    const struct crl_logp_image *image;
    enum crl_op op;
    uint32_t *valid; // [P][⌈P/32⌉]
    uint64_t *data;  // [P][P]
};

static const struct logp *logp_of(const struct crl_rtl *e) { return (const struct logp *)e; }

uint64_t crl_rtl_logp_memory(void *engine, uint32_t processor, uint32_t page, uint32_t addr)
{
    uint64_t word;
    crl_rtl_memory(engine, processor, 1, 0, page, addr, &word);
    return word;
}

static uint32_t depth_of(const struct crl_logp_image *image)
{
    uint32_t depth = 1;
    struct crl_logp_row row;
    for (uint32_t v = 0; v < image->problem.machine.P; v++) {
        for (uint32_t r = 0; r < image->geometry.rows; r++) {
            crl_logp_row_unpack(&image->geometry, crl_logp_image_row(image, v, r), &row);
            if (row.raddr >= depth) depth = row.raddr + 1;
            if (row.waddr >= depth) depth = row.waddr + 1;
        }
        for (int k = 0; k < 2; k++) {
            const struct crl_logp_places *places = k ? &image->after[v] : &image->before[v];
            for (uint32_t i = 0; i < places->count; i++)
                if (places->place[i].addr >= depth) depth = places->place[i].addr + 1;
        }
    }
    return depth;
}

static void memory_row(const struct crl_rtl *e, bool sends, uint32_t table, uint32_t pass, uint32_t addr,
                       uint32_t *bits)
{
    // The accumulators are loaded, too: what they held before must not matter. What is sent comes back to the sender.
    struct crl_logp_row row = {.expect = 1, .store = 1, .waddr = addr, .part = CRL_LOGP_LOAD, .total = CRL_LOGP_LOAD};
    if (sends) row = (struct crl_logp_row){.send = 1, .what = CRL_LOGP_STORED, .raddr = addr, .dest = table};
    (void)pass; // there is one bank
    crl_logp_row_pack(&logp_of(e)->image->geometry, &row, bits);
}

static void fill(struct crl_rtl *e)
{
    for (uint32_t page = 0; page < CRL_RTL_PAGES; page++)
        for (uint32_t a = 0; a < e->depth; a++)
            for (uint32_t v = 0; v < e->nodes; v++)
                *crl_rtl_word(e, v, 0, page, a) = crl_logp_garbage(&logp_of(e)->image->geometry, v, a, e->options.seed);
}

static void own(struct crl_rtl *e, uint32_t first, uint32_t count)
{
    const struct crl_logp_image *image = logp_of(e)->image;
    for (uint32_t v = 0; v < e->nodes; v++)
        for (uint32_t i = 0; i < image->before[v].count; i++) {
            const struct crl_logp_place *p = &image->before[v].place[i];
            for (uint32_t w = 0; w < count; w++)
                *crl_rtl_word(e, v, 0, w, p->addr) =
                    crl_logp_payload(&image->geometry, p->item, first + w, e->options.seed);
        }
}

// A port a destination.
static void show(struct crl_rtl *e, const uint32_t **valid, const uint64_t **data)
{
    struct logp *m = (struct logp *)e;
    uint32_t P = e->nodes, masks = (P + 31) / 32;
    memset(m->valid, 0, sizeof *m->valid * P * masks);
    for (uint32_t v = 0; v < P; v++) {
        uint32_t dest = crl_sim_dest(e->sim)[v];
        if (!crl_sim_valid(e->sim)[v] || dest >= P) continue; // beyond P: the crossbar's fault bit tells
        m->valid[(size_t)v * masks + dest / 32] |= UINT32_C(1) << dest % 32;
        m->data[(size_t)v * P + dest] = crl_sim_data(e->sim)[v];
    }
    *valid = m->valid;
    *data = m->data;
}

static void note(struct crl_rtl *e)
{
    static const char *const names[] = {"a missing word",         "an unexpected word", "a word after the end",
                                        "no order in what waits", "two words at once",  "a word to nobody"};
    for (uint32_t v = 0; v < e->nodes; v++) {
        struct crl_sim_fault fault = crl_sim_node_fault(e->sim, v);
        struct crl_sim_table_fault table = crl_sim_table_fault(e->sim, v);
        if (table.parity) crl_rtl_fault(e, "table %u: bad parity in row %u", v, table.row);
        else if (fault.kinds)
            crl_rtl_fault(e, "processor %u: %s in row %u", v, names[__builtin_ctz(fault.kinds)], fault.row);
    }
}

static void done(struct crl_rtl *e) { CRL_FREE(logp_of(e)->valid, logp_of(e)->data); }

static const struct crl_rtl_kind machine = {
    .memory_row = memory_row, .fill = fill, .own = own, .show = show, .note = note, .done = done};

// The words that processors have before the run, by the number of their item, value or operand.
static bool own_word(const void *user, uint64_t index, uint64_t *word, char name[64])
{
    const struct logp *m = user;
    const struct crl_logp_geometry *g = &m->image->geometry;
    uint64_t place = index / g->words;
    uint32_t v = 0, part = (uint32_t)(index % g->words);
    while (v < m->engine.nodes && place >= m->image->before[v].count) place -= m->image->before[v++].count;
    if (v == m->engine.nodes) return false;
    uint32_t item = m->image->before[v].place[place].item;
    *word = crl_logp_payload(g, item, part, m->engine.options.seed);
    int used = snprintf(name, 64, "%u", item);
    if (g->words > 1) snprintf(name + used, 64 - (size_t)used, ":%u", part);
    return true;
}

static int view(const struct logp *m, uint32_t ports, struct crl_diag *diag)
{
    const struct crl_wave_signals signals = {.nodes = m->engine.nodes,
                                             .ports_out = 1,
                                             .ports_in = 2,
                                             .width = m->image->geometry.data_width,
                                             .dest_bits = crl_bits_for(ports),
                                             .fault_bits = 4};
    const struct crl_wave_names names = {.word = own_word, .user = m};
    return crl_rtl_view(m->engine.options.wave, &signals, &names, diag);
}

static int open_sim(struct logp *m, struct crl_diag *diag)
{
    const struct crl_logp_geometry *g = &m->image->geometry;
    uint32_t L = m->image->problem.machine.L, deepest = m->engine.depth > g->rows ? m->engine.depth : g->rows;
    struct crl_sim_config config = {
        .params = {.kind = CRL_SIM_LOGP,
                   .logp = {.ports = UINT32_C(1) << g->name_width,
                            .latency_max = L > LATENCY_BUILT ? CRL_LOGP_PLAY_L_MAX : LATENCY_BUILT,
                            .data_width = g->data_width,
                            .addr_width = g->addr_width,
                            .table_depth = deepest > DEPTH_BUILT ? deepest : DEPTH_BUILT,
                            .pages = CRL_RTL_PAGES}},
        .nodes = m->engine.nodes,
        .tables = m->engine.nodes,
        .latency = L,
        .op = m->op};
    int error = crl_rtl_open(&m->engine.sim, &config, &m->engine.options, diag);
    if (!error && m->engine.options.wave) error = view(m, config.params.logp.ports, diag);
    return error;
}

int crl_rtl_logp_new(struct crl_rtl **out, const struct crl_logp_image *image, enum crl_op op,
                     const struct crl_rtl_options *options, struct crl_diag *diag)
{
    const struct crl_logp_geometry *g = &image->geometry;
    uint32_t P = image->problem.machine.P;
    struct logp *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m) return crl_fail_memory(diag);
    m->image = image;
    m->op = op;
    m->engine = (struct crl_rtl){.machine = &machine,
                                 .options = *options,
                                 .nodes = P,
                                 .ports = 1,
                                 .drain = 4 + image->problem.machine.L, // what is under way arrives
                                 .tables = P,
                                 .rows = g->rows,
                                 .row_words = image->store.row_words,
                                 .store = &image->store,
                                 .words = g->words,
                                 .lanes = 1,
                                 .banks = 1,
                                 .depth = depth_of(image)};
    m->engine.options.threads = 1;
    m->valid = calloc((size_t)P * ((P + 31) / 32), sizeof *m->valid);
    m->data = calloc((size_t)P * P, sizeof *m->data);
    int error = m->valid && m->data ? crl_rtl_prepare(&m->engine, diag) : crl_fail_memory(diag);
    if (!error) error = open_sim(m, diag);
    if (!error) error = crl_rtl_load(&m->engine, diag);
    if (error) crl_rtl_free(&m->engine);
    else *out = &m->engine;
    return error;
}
