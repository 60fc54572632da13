// SPDX-License-Identifier: Apache-2.0
#include "engine/kind.h"
#include "base/memory.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

int crl_rtl_open(struct crl_sim **sim, struct crl_sim_config *config, const struct crl_rtl_options *options,
                 struct crl_diag *diag)
{
    const char *suffix = options->wave ? strrchr(options->wave, '.') : NULL;
    config->params.flat = options->flat;
    config->threads = options->threads;
    config->wave_path = options->wave;
    config->wave = !options->wave                      ? CRL_SIM_WAVE_NONE
                   : suffix && !strcmp(suffix, ".vcd") ? CRL_SIM_WAVE_VCD
                                                       : CRL_SIM_WAVE_FST;
    return crl_sim_open(sim, config, options->context, diag);
}

void crl_rtl_free(struct crl_rtl *e)
{
    if (!e) return;
    crl_sim_close(e->sim);
    if (e->machine->done) e->machine->done(e);
    crl_rtl_share_done(e);
    CRL_FREE(e->table, e->memory, e);
}

void crl_rtl_fault(struct crl_rtl *e, const char *format, ...)
{
    va_list args;
    if (e->faults++) return;
    va_start(args, format);
    vsnprintf(e->fault_text, sizeof e->fault_text, format, args);
    va_end(args);
}

uint64_t crl_rtl_faults(const struct crl_rtl *e, char text[160])
{
    snprintf(text, 160, "%s", e->fault_text);
    return e->faults;
}

void crl_rtl_memory(void *engine, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                    uint64_t *words)
{
    struct crl_rtl *e = engine;
    assert(page >= e->first && page - e->first < e->count);
    memcpy(words, crl_rtl_word(e, node - e->node0, bank, page - e->first, addr), sizeof *words * count);
}

void crl_rtl_clock(struct crl_rtl *e)
{
    if (e->machine->clock) {
        e->machine->clock(e);
        return;
    }
    if (e->shared && !e->lost) e->lost = crl_rtl_share_take(e);
    crl_sim_step(e->sim);
    if (e->shared && !e->lost) e->lost = crl_rtl_share_send(e);
}

// ---- tables

static int load_tables(struct crl_rtl *e, uint32_t rows, const uint32_t *bits, struct crl_diag *diag)
{
    int error = crl_sim_load_tables(e->sim, bits, rows, e->row_words);
    return error ? crl_fail(diag, error, "the RTL does not take these tables") : 0;
}

static uint32_t *tables_new(const struct crl_rtl *e, uint32_t rows)
{
    return malloc(sizeof(uint32_t) * e->tables * rows * e->row_words);
}

int crl_rtl_load_image(struct crl_rtl *e, struct crl_diag *diag)
{
    CRL_OWNED uint32_t *bits = tables_new(e, e->rows);
    for (uint32_t t = 0; bits && t < e->tables; t++)
        crl_row_store_table(e->store, e->table ? e->table[t] : t, e->rows, bits + (size_t)t * e->rows * e->row_words);
    return bits ? load_tables(e, e->rows, bits, diag) : crl_fail_memory(diag);
}

// Tables whose rows only take in, or only send: row a takes in address a of the pass's banks; row a·passes + q sends
// address a of the banks of pass q.
static int load_memory_tables(struct crl_rtl *e, bool sends, uint32_t pass, struct crl_diag *diag)
{
    uint32_t rows = sends ? e->depth * e->passes : e->depth;
    uint32_t *bits = tables_new(e, rows), *at = bits;
    if (!bits) return crl_fail_memory(diag);
    for (uint32_t t = 0; t < e->tables; t++)
        for (uint32_t r = 0; r < rows; r++, at += e->row_words)
            e->machine->memory_row(e, sends, t, sends ? r % e->passes : pass, sends ? r / e->passes : r, at);
    int error = load_tables(e, rows, bits, diag);
    free(bits);
    return error;
}

// ---- memories, through the links. Row r takes in at edge r + 3, and what it sends is on the links after that edge.

static int start(struct crl_rtl *e, uint32_t rows, struct crl_diag *diag)
{
    int error = crl_sim_start(e->sim, rows - 1, e->count - 1);
    return error ? crl_fail(diag, error, "the RTL does not start") : 0;
}

// The words of one address of all nodes, from the first bank of a pass on.
static uint64_t *words_at(struct crl_rtl *e, uint64_t page_addr, uint32_t pass)
{
    return e->memory + (size_t)(page_addr * e->banks + pass * e->lanes) * e->stride;
}

static uint32_t banks_of(const struct crl_rtl *e, uint32_t pass) { return least(e->lanes, e->banks - pass * e->lanes); }

static int load_pass(struct crl_rtl *e, uint32_t pass, struct crl_diag *diag)
{
    const uint64_t rows = (uint64_t)e->depth * e->count;
    int error = load_memory_tables(e, false, pass, diag);
    if (!error) error = start(e, e->depth, diag);
    for (uint64_t edge = 0; edge < rows + 5 && !error; edge++) {
        if (edge >= 3 && edge - 3 < rows)
            crl_sim_inject_all(e->sim, words_at(e, edge - 3, pass), e->stride, banks_of(e, pass));
        crl_sim_step(e->sim);
    }
    return error ? error : crl_sim_status(e->sim, diag);
}

static void keep(struct crl_rtl *e, uint64_t *words, uint32_t banks)
{
    const uint64_t *data = crl_sim_data(e->sim);
    for (uint32_t v = 0; v < e->nodes; v++, data += e->ports)
        for (uint32_t j = 0; j < banks; j++) words[j * e->stride + v] = data[j];
}

static int read_back(struct crl_rtl *e, struct crl_diag *diag)
{
    const uint64_t rows = (uint64_t)e->depth * e->passes * e->count;
    int error = load_memory_tables(e, true, 0, diag);
    if (!error) error = start(e, e->depth * e->passes, diag);
    for (uint64_t edge = 0; edge <= rows + e->drain && !error; edge++) {
        crl_sim_drop_all(e->sim); // the words go to the neighbours, too, who expect none
        crl_sim_step(e->sim);
        if (edge < 3 || edge - 3 >= rows) continue;
        uint32_t pass = (uint32_t)((edge - 3) % e->passes);
        keep(e, words_at(e, (edge - 3) / e->passes, pass), banks_of(e, pass));
    }
    return error ? error : crl_sim_status(e->sim, diag);
}

// ---- groups of words

int crl_rtl_load(struct crl_rtl *e, struct crl_diag *diag)
{
    int error = 0;
    e->first += e->count;
    e->count = least(CRL_RTL_PAGES, e->words - e->first);
    // What was read back before is what else lies there: a table that reads what it must not is found out.
    e->machine->own(e, e->first, e->count);
    for (uint32_t pass = 0; pass < e->passes && !error; pass++) error = load_pass(e, pass, diag);
    return error ? error : crl_rtl_load_image(e, diag);
}

int crl_rtl_prepare(struct crl_rtl *e, struct crl_diag *diag)
{
    e->passes = (e->banks + e->lanes - 1) / e->lanes;
    e->cycles = (uint64_t)e->rows * e->words;
    e->stride = ((size_t)e->nodes | 7) + 9;
    const uint64_t places = (uint64_t)CRL_RTL_PAGES * e->depth * e->banks * e->stride;
    char what[64];
    snprintf(what, sizeof what, "what is read back from %u routers", e->nodes);
    int error = crl_memory_expect(places * sizeof *e->memory, what, diag);
    if (error) return error;
    e->memory = calloc(places, sizeof *e->memory);
    if (!e->memory) return crl_fail_memory(diag);
    e->machine->fill(e);
    return 0;
}

static int collect(struct crl_rtl *e, struct crl_diag *diag)
{
    int error = read_back(e, diag);
    if (!error && e->options.collected) e->options.collected(e->options.user, e, e->first, e->count);
    return error;
}

static int lost(const struct crl_rtl *e, struct crl_diag *diag)
{
    if (e->stuck && diag) *diag = e->why;
    return e->stuck  ? e->stuck
           : e->lost ? crl_fail(diag, e->lost, "the processes that share the run lost each other")
                     : 0;
}

// The last cycle has been played: nothing may come after it.
static void drain(struct crl_rtl *e)
{
    if (e->depth && crl_sim_busy(e->sim)) crl_rtl_fault(e, "the tables play on after their end");
    for (uint32_t i = 0; i < e->drain; i++) {
        crl_rtl_clock(e);
        for (uint32_t v = 0; v < e->nodes; v++)
            if (crl_sim_valid(e->sim)[v]) crl_rtl_fault(e, "node %u: sends after the end", e->node0 + v);
    }
    if (e->shared && !e->lost) e->lost = crl_rtl_share_forget(e);
}

// A step in which nothing comes from the neighbours. The last words of loading still stand in their registers, without
// being valid, and in idle routers that pass them on they could be the very words that the first row must send.
static void silent_step(struct crl_rtl *e)
{
    crl_sim_drop_all(e->sim);
    crl_sim_step(e->sim);
}

// The words of link cycle n are on the links after edge n + 2.
static int begin(struct crl_rtl *e, struct crl_diag *diag)
{
    int error = 0;
    if (e->started) {
        drain(e);
        error = lost(e, diag);
        if (!error) error = collect(e, diag);
        if (!error) error = crl_rtl_load(e, diag);
    } else {
        e->started = true;
        crl_sim_clear(e->sim);
        silent_step(e);
    }
    if (!error) error = start(e, e->rows, diag);
    for (int edge = 0; edge < 3 && !error; edge++) silent_step(e);
    return error;
}

// ---- the player

static void show(struct crl_rtl *e, const uint32_t **valid, const uint64_t **data)
{
    if (e->shared) {
        crl_rtl_share_show(e, valid, data);
        return;
    }
    if (e->machine->show) {
        e->machine->show(e, valid, data);
        return;
    }
    *valid = crl_sim_valid(e->sim);
    *data = crl_sim_data(e->sim);
}

int crl_rtl_step(struct crl_rtl *e, const uint32_t **valid, const uint64_t **data, struct crl_diag *diag)
{
    crl_rtl_clock(e);
    int error = crl_sim_status(e->sim, diag);
    if (!error) error = lost(e, diag);
    if (!error) show(e, valid, data);
    return error;
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_rtl *e = self;
    int error = 0;
    if (e->step == e->cycles) { // there may be none at all
        show(e, valid, data);
        return 1;
    }
    if (e->depth && e->step % ((uint64_t)e->rows * CRL_RTL_PAGES) == 0) error = begin(e, &e->why);
    if (!error) error = crl_rtl_step(e, valid, data, &e->why);
    return error ? error : ++e->step == e->cycles;
}

static void explain(void *self, struct crl_diag *diag)
{
    struct crl_rtl *e = self;
    if (diag) *diag = e->why;
}

struct crl_player crl_rtl_player(struct crl_rtl *engine)
{
    return (struct crl_player){.self = engine, .step = step, .explain = explain};
}

int crl_rtl_drain(struct crl_rtl *e, struct crl_diag *diag)
{
    drain(e);
    e->machine->note(e);
    int error = lost(e, diag);
    return error ? error : crl_sim_status(e->sim, diag);
}

int crl_rtl_finish(struct crl_rtl *e, struct crl_diag *diag)
{
    int error = crl_rtl_drain(e, diag);
    if (!error && e->depth) error = collect(e, diag);
    return error ? error : crl_sim_finish(e->sim, diag);
}
