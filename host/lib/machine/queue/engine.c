// SPDX-License-Identifier: Apache-2.0
// Nodes of queue control.
#include "base/base.h"
#include "engine/kind.h"
#include "machine/queue/queue.h"
#include <stdlib.h>

struct crl_rtl_queue {
    struct crl_sim *sim;
    uint32_t nodes;
    bool blocking;
    uint32_t *own_node, *own_word; // [room]
    uint8_t *taken;                // [room]
    size_t room;
    uint32_t *sent, *delivered, *stored, *word;
    struct crl_diag why; // why a step failed
};

static uint32_t gate_row(const struct crl_queue_tables *t, const struct crl_gate *g, uint8_t accept)
{
    return (uint32_t)g->mode | (uint32_t)g->a << 3 | (uint32_t)g->b << 7 | (uint32_t)g->position << 11 |
           (t->blocking ? (uint32_t)accept << (11 + t->ports) : 0);
}

static void load(struct crl_rtl_queue *e, const struct crl_queue_tables *t, uint32_t *rows)
{
    uint32_t bits = 0;
    while (1u << bits < t->ports + 2) bits++;
    for (uint32_t k = 0; k < t->trees; k++)
        for (uint32_t a = 0; a < t->ports + 2; a++) {
            for (uint32_t i = 0; i < t->tables; i++) rows[i] = crl_forward_row(t, crl_queue_forward(t, i, k) + a);
            crl_sim_queue_load(e->sim, false, k << bits | a, rows);
        }
    for (uint32_t r = 0; r < t->period; r++)
        for (uint32_t p = 0; p <= t->ports; p++) {
            for (uint32_t i = 0; i < t->tables; i++)
                rows[i] = p < t->ports ? gate_row(t, crl_queue_gate(t, i, r) + p, crl_queue_accept(t, i, r)[p])
                                       : t->loop_gate[r];
            crl_sim_queue_load(e->sim, true, r << bits | p, rows);
        }
}

static bool asks_position(const struct crl_queue_tables *t)
{
    for (size_t i = 0; i < (size_t)t->tables * t->period * t->ports; i++)
        if (t->gate[i].mode == CRL_GATE_POSITION) return true;
    return false;
}

static int step(void *self, const struct crl_stimulus *stimulus, struct crl_traffic *traffic)
{
    struct crl_rtl_queue *e = self;
    if (stimulus->count > e->room) {
        if (CRL_RESIZE(2 * stimulus->count, {&e->own_node, sizeof *e->own_node}, {&e->own_word, sizeof *e->own_word},
                       {&e->taken, 1}))
            return crl_fail_memory(&e->why);
        e->room = 2 * stimulus->count;
    }
    for (size_t i = 0; i < stimulus->count; i++) {
        e->own_node[i] = stimulus->own[i].node;
        e->own_word[i] = stimulus->own[i].word;
    }
    struct crl_sim_slot slot = {.own_node = e->own_node,
                                .own_word = e->own_word,
                                .own = stimulus->count,
                                .stalled = stimulus->stalled,
                                .taken = e->taken,
                                .sent = e->sent,
                                .delivered = e->delivered,
                                .word = e->word,
                                .stored = e->stored};
    int error = crl_sim_queue_slot(e->sim, &slot, &e->why);
    if (error) return error;
    *traffic = (struct crl_traffic){.sent = e->sent,
                                    .word = e->word,
                                    .delivered = e->delivered,
                                    .stored = e->stored,
                                    .taken = e->blocking ? e->taken : NULL,
                                    .dropped = slot.dropped,
                                    .faults = slot.strange};
    return 0;
}

static void explain(void *self, struct crl_diag *diag)
{
    struct crl_rtl_queue *e = self;
    if (diag) *diag = e->why;
}

// Words say themselves who sent them, and the how manieth packet of it they are.
static int view(const struct crl_queue_tables *t, const struct crl_sim_queue *built, const char *wave,
                struct crl_diag *diag)
{
    const struct crl_wave_signals signals = {
        .nodes = t->nodes,
        .ports_out = t->ports,
        .ports_in = t->ports,
        .width = 32,
        .fault_bits = 3,
        .field_count = 2,
        .field = {{"origin", 17, 10, CRL_WAVE_DECIMAL}, {"number", 0, 17, CRL_WAVE_DECIMAL}},
        .more = {{"slot_i", 1},
                 {"stored_o", crl_bits_for(crl_built_places(built->depth)) + 1},
                 {"inject_valid_i", 1},
                 {"deliver_valid_o", 1}}};
    return crl_rtl_view(wave, &signals, &(struct crl_wave_names){0}, diag);
}

int crl_rtl_queue_finish(struct crl_rtl_queue *e, struct crl_diag *diag) { return crl_sim_finish(e->sim, diag); }

int crl_rtl_queue_new(struct crl_rtl_queue **out, const struct crl_queue_tables *t, uint32_t depth,
                      const struct crl_rtl_options *options, struct crl_diag *diag)
{
    struct crl_rtl_queue *e = *out = calloc(1, sizeof *e);
    size_t links = (size_t)t->nodes * t->ports;
    CRL_OWNED uint32_t *source = calloc(links, sizeof *source), *rows = calloc(t->tables, sizeof *rows);
    int error = 0;
    if (e) {
        e->nodes = t->nodes;
        e->blocking = t->blocking;
        e->sent = calloc(t->nodes, sizeof *e->sent);
        e->delivered = calloc(t->nodes, sizeof *e->delivered);
        e->stored = calloc(t->nodes, sizeof *e->stored);
        e->word = calloc(links, sizeof *e->word);
    }
    if (!e || !source || !rows || !e->sent || !e->delivered || !e->stored || !e->word) error = crl_fail_memory(diag);
    for (size_t i = 0; !error && i < links; i++) source[i] = (uint32_t)(i / t->ports) ^ 1u << i % t->ports;
    if (!error) {
        struct crl_sim_config config = {
            .params = {.kind = CRL_SIM_QUEUE,
                       .queue = {.ports = t->ports,
                                 .trees = t->trees,
                                 .classes = t->classes,
                                 .loops = t->loops,
                                 .position = asks_position(t),
                                 .depth = t->blocking ? depth * t->trees * t->classes : depth,
                                 .units = t->blocking ? depth : 0,
                                 .period = t->period}},
            .nodes = t->nodes,
            .tables = t->tables,
            .node_table = t->node_table,
            .source = source};
        error = crl_rtl_open(&e->sim, &config, options, diag);
        if (!error && options->wave) error = view(t, &config.params.queue, options->wave, diag);
    }
    if (!error) load(e, t, rows);
    return error;
}

void crl_rtl_queue_free(struct crl_rtl_queue *e)
{
    if (!e) return;
    crl_sim_close(e->sim);
    void *arrays[] = {e->own_node, e->own_word, e->taken, e->sent, e->delivered, e->stored, e->word};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(e);
}

struct crl_queue_engine crl_rtl_queue_engine(struct crl_rtl_queue *engine)
{
    return (struct crl_queue_engine){.self = engine, .step = step, .explain = explain};
}
