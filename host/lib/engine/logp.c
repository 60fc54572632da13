// SPDX-License-Identifier: Apache-2.0
#include "engine/logp.h"
#include "engine/rtl.h"
#include <stdlib.h>
#include <string.h>

// One build serves every machine up to these; larger ones get one of their own.
enum { DEPTH_BUILT = 1024, LATENCY_BUILT = 16 };

struct engine_logp {
    const struct crl_logp_image *image;
    enum crl_logp_op op;
    uint64_t seed;
    struct crl_sim *sim;
    uint32_t depth; // words of each page of a bank that the tables or placements name
    bool started;
    uint64_t step;    // cycles played
    uint64_t *memory; // [P][words][depth], loaded and read back
    uint32_t *valid;  // [P][⌈P/32⌉]
    uint64_t *data;   // [P][P]
    uint64_t faults;
    char fault_text[160];
};

static uint32_t processors(const struct engine_logp *e) { return e->image->problem.machine.P; }

static uint64_t *word_at(struct engine_logp *e, uint32_t v, uint32_t page, uint32_t addr)
{
    return &e->memory[((size_t)v * e->image->geometry.words + page) * e->depth + addr];
}

uint64_t engine_logp_memory(void *engine, uint32_t processor, uint32_t page, uint32_t addr)
{
    return *word_at(engine, processor, page, addr);
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

// Loads `depth` rows into every table: rows that only take in, or rows that only send.
static int load_table(struct engine_logp *e, bool sends)
{
    const struct crl_logp_geometry *g = &e->image->geometry;
    uint32_t words = crl_logp_row_words(g), *rows = malloc(sizeof *rows * processors(e) * e->depth * words);
    if (!rows) return CRL_SIM_ERR_MEMORY;
    for (uint32_t v = 0; v < processors(e); v++)
        for (uint32_t r = 0; r < e->depth; r++) {
            // The accumulators are loaded, too: what they held before must not matter.
            struct crl_logp_row row = {
                .expect = 1, .store = 1, .waddr = r, .part = CRL_LOGP_LOAD, .total = CRL_LOGP_LOAD};
            if (sends) row = (struct crl_logp_row){.send = 1, .what = CRL_LOGP_STORED, .raddr = r, .dest = v};
            crl_logp_row_pack(g, &row, rows + ((size_t)v * e->depth + r) * words);
        }
    int error = crl_sim_load_tables(e->sim, rows, e->depth, words);
    free(rows);
    return error;
}

// Plays a table of `depth` rows. Row r takes in at edge r + 3, and what it sends is on the links after that edge.
static int play_through(struct engine_logp *e, bool sends)
{
    uint32_t words = e->image->geometry.words;
    uint64_t rows = (uint64_t)e->depth * words;
    int error = load_table(e, sends);
    if (!error) error = crl_sim_start(e->sim, e->depth - 1, words - 1);
    for (uint64_t edge = 0; edge < rows + 5 && !error; edge++) {
        bool acts = edge >= 3 && edge - 3 < rows;
        uint32_t page = acts ? (uint32_t)((edge - 3) / e->depth) : 0,
                 addr = acts ? (uint32_t)((edge - 3) % e->depth) : 0;
        for (uint32_t v = 0; v < processors(e); v++) {
            if (sends) crl_sim_drop(e->sim, v, 0); // what is sent comes back to the sender, who expects nothing
            else if (acts) crl_sim_inject(e->sim, v, 0, *word_at(e, v, page, addr));
        }
        crl_sim_step(e->sim);
        for (uint32_t v = 0; sends && acts && v < processors(e); v++)
            *word_at(e, v, page, addr) = crl_sim_data(e->sim)[v];
    }
    return error;
}

static void fill_own(struct engine_logp *e)
{
    const struct crl_logp_geometry *g = &e->image->geometry;
    for (uint32_t v = 0; v < processors(e); v++)
        for (uint32_t w = 0; w < g->words; w++) {
            const struct crl_logp_places *places = &e->image->before[v];
            for (uint32_t a = 0; a < e->depth; a++) *word_at(e, v, w, a) = crl_logp_garbage(g, v, a, e->seed);
            for (uint32_t i = 0; i < places->count; i++)
                *word_at(e, v, w, places->place[i].addr) = crl_logp_payload(g, places->place[i].item, w, e->seed);
        }
}

static int load_image(struct engine_logp *e)
{
    const struct crl_row_store *store = &e->image->store;
    uint32_t rows = e->image->geometry.rows, *all = crl_row_store_all(store, processors(e), rows);
    int error = all ? crl_sim_load_tables(e->sim, all, rows, store->row_words) : CRL_SIM_ERR_MEMORY;
    free(all);
    return error;
}

static int open_sim(struct engine_logp *e, const char *wave, struct crl_diag *diag)
{
    const struct crl_logp_geometry *g = &e->image->geometry;
    const struct crl_logp *machine = &e->image->problem.machine;
    char text[512] = "";
    struct engine_sources sources;
    bool found = engine_sources_find(&sources);
    uint32_t deepest = e->depth > g->rows ? e->depth : g->rows;
    struct crl_sim_config config = {
        .params = {.ports = 1,
                   .lanes = 1,
                   .banks = 1,
                   .data_width = g->data_width,
                   .addr_width = g->addr_width,
                   .table_depth = deepest > DEPTH_BUILT ? deepest : DEPTH_BUILT,
                   .words = g->words,
                   .crossbar = UINT32_C(1) << g->name_width,
                   .latency_max = machine->L > LATENCY_BUILT ? CRL_LOGP_PLAY_L_MAX : LATENCY_BUILT},
        .nodes = machine->P,
        .tables = machine->P,
        .latency = machine->L,
        .op = e->op,
        .wave = engine_wave(wave),
        .wave_path = wave,
        .rtl_dir = found ? sources.rtl : NULL,
        .sim_dir = found ? sources.sim : NULL,
        .error = text,
        .error_size = sizeof text,
    };
    int error = crl_sim_open(&e->sim, &config);
    return error ? engine_fail(error, text, diag) : 0;
}

int engine_logp_new(struct engine_logp **out, const struct crl_logp_image *image, enum crl_logp_op op, uint64_t seed,
                    const char *wave, struct crl_diag *diag)
{
    const struct crl_logp_geometry *g = &image->geometry;
    size_t P = image->problem.machine.P;
    struct engine_logp *e = *out = calloc(1, sizeof *e);
    if (!e) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    e->image = image;
    e->op = op;
    e->seed = seed;
    e->depth = depth_of(image);
    e->memory = calloc(P * g->words * e->depth, sizeof *e->memory);
    e->valid = calloc(P * ((P + 31) / 32), sizeof *e->valid);
    e->data = calloc(P * P, sizeof *e->data);
    bool room = e->memory && e->valid && e->data;
    int error = room ? open_sim(e, wave, diag) : crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    if (!error) {
        fill_own(e);
        error = play_through(e, false);
        if (!error) error = load_image(e);
        if (error) error = engine_fail(error, crl_sim_error(e->sim), diag);
    }
    if (error) {
        engine_logp_free(e);
        *out = NULL;
    }
    return error;
}

void engine_logp_free(struct engine_logp *e)
{
    if (!e) return;
    crl_sim_close(e->sim);
    free(e->memory);
    free(e->valid);
    free(e->data);
    free(e);
}

// The words of row n are on the links after edge n + 3.
static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct engine_logp *e = self;
    const struct crl_logp_geometry *g = &e->image->geometry;
    uint32_t P = processors(e), masks = (P + 31) / 32;
    if (e->step == (uint64_t)g->rows * g->words) return 1;
    if (!e->started) {
        e->started = true;
        crl_sim_clear(e->sim);
        crl_sim_step(e->sim);
        if (crl_sim_start(e->sim, g->rows - 1, g->words - 1)) return CRL_ERR_TOOL;
        for (int edge = 0; edge < 3; edge++) crl_sim_step(e->sim);
    }
    crl_sim_step(e->sim);
    if (crl_sim_status(e->sim)) return CRL_ERR_TOOL;
    memset(e->valid, 0, sizeof *e->valid * P * masks);
    for (uint32_t v = 0; v < P; v++) {
        uint32_t dest = crl_sim_dest(e->sim)[v];
        if (!crl_sim_valid(e->sim)[v] || dest >= P) continue; // beyond P: the crossbar's fault bit tells
        e->valid[(size_t)v * masks + dest / 32] |= UINT32_C(1) << dest % 32;
        e->data[(size_t)v * P + dest] = crl_sim_data(e->sim)[v];
    }
    *valid = e->valid;
    *data = e->data;
    return ++e->step == (uint64_t)g->rows * g->words;
}

struct crl_player engine_logp_player(struct engine_logp *engine) { return (struct crl_player){engine, step}; }

static void note_faults(struct engine_logp *e)
{
    static const char *const names[] = {"a missing word",         "an unexpected word", "a word after the end",
                                        "no order in what waits", "two words at once",  "a word to nobody"};
    for (uint32_t v = 0; v < processors(e); v++) {
        struct crl_sim_fault fault = crl_sim_node_fault(e->sim, v);
        struct crl_sim_table_fault table = crl_sim_table_fault(e->sim, v);
        if ((!fault.kinds && !table.parity) || e->faults++) continue;
        if (table.parity) snprintf(e->fault_text, sizeof e->fault_text, "table %u: bad parity in row %u", v, table.row);
        else
            snprintf(e->fault_text, sizeof e->fault_text, "processor %u: %s in row %u", v,
                     names[__builtin_ctz(fault.kinds)], fault.row);
    }
}

int engine_logp_finish(struct engine_logp *e, struct crl_diag *diag)
{
    // What is under way arrives.
    for (uint32_t i = 0; i < 4 + e->image->problem.machine.L; i++) crl_sim_step(e->sim);
    note_faults(e);
    int error = play_through(e, true);
    if (!error) error = crl_sim_status(e->sim);
    return error ? engine_fail(error, crl_sim_error(e->sim), diag) : 0;
}

uint64_t engine_logp_faults(const struct engine_logp *e, char text[160])
{
    snprintf(text, 160, "%s", e->fault_text);
    return e->faults;
}
