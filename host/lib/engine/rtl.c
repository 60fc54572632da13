// SPDX-License-Identifier: Apache-2.0
#include "engine/rtl.h"
#include <crl_sim.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct engine_rtl {
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint64_t seed;
    struct crl_sim *sim;
    uint32_t depth;  // words of each page of a bank that the tables or placements name
    uint32_t passes; // rows needed to reach every bank at one address: ⌈B/K⌉
    uint32_t pass;   // while loading: group of K banks
    bool started;
    uint64_t step;    // cycles played
    uint64_t *memory; // [nodes][banks][words][depth], loaded and read back
    uint64_t faults;
    char fault_text[160];
};

static uint64_t *word_at(struct engine_rtl *e, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr)
{
    const struct crl_geometry *g = &e->image->geometry;
    return &e->memory[(((size_t)node * g->banks + bank) * g->words + page) * e->depth + addr];
}

uint64_t engine_rtl_memory(void *engine, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr)
{
    return *word_at(engine, node, bank, page, addr);
}

static uint32_t depth_of(const struct crl_image *image)
{
    const struct crl_geometry *g = &image->geometry;
    uint32_t depth = 1;
    struct crl_row row;
    for (size_t i = 0; i < image->store.first[image->tables]; i++) {
        const struct crl_row_use *use = &image->store.use[i];
        crl_row_unpack(g, image->store.bits + (size_t)use->bits * image->store.row_words, &row);
        for (uint32_t b = 0; b < g->banks; b++) {
            uint32_t waddr = !row.bank[b].wen ? 0 : g->waddr_field ? row.bank[b].waddr : use->row;
            if (row.bank[b].raddr >= depth) depth = row.bank[b].raddr + 1;
            if (waddr >= depth) depth = waddr + 1;
        }
    }
    for (uint32_t i = 0; i < image->place_sets; i++)
        for (int k = 0; k < 2; k++) {
            const struct crl_places *places = k ? &image->after[i] : &image->before[i];
            for (uint32_t n = 0; n < places->count; n++)
                if (places->place[n].addr >= depth) depth = places->place[n].addr + 1;
        }
    return depth;
}

int engine_fail(int error, const char *text, struct crl_diag *diag)
{
    int code = error == CRL_SIM_ERR_MEMORY ? CRL_ERR_MEMORY : error == CRL_SIM_ERR_IO ? CRL_ERR_IO : CRL_ERR_TOOL;
    return crl_fail(diag, code, "the RTL simulation failed: %s", text && *text ? text : "no details");
}

// Plays the table at hand and calls `before` and `after` around every edge. Row r takes in at edge r + 3, and what it
// sends is on the links after that edge.
static void play_through(struct engine_rtl *e, uint32_t rows, void (*before)(struct engine_rtl *, uint64_t),
                         void (*after)(struct engine_rtl *, uint64_t))
{
    uint32_t words = e->image->geometry.words;
    crl_sim_start(e->sim, rows - 1, words - 1);
    uint64_t last = (uint64_t)rows * words + 4;
    for (uint64_t edge = 0; edge <= last; edge++) {
        if (before) before(e, edge);
        crl_sim_step(e->sim);
        if (after) after(e, edge);
    }
}

// ---- loading: a table that only takes in. Row r writes address r of every bank from its lane; with more banks than
// lanes, in passes.

static void inject(struct engine_rtl *e, uint64_t edge)
{
    const struct crl_geometry *g = &e->image->geometry;
    if (edge < 3 || edge - 3 >= (uint64_t)e->depth * g->words) return;
    uint32_t page = (uint32_t)((edge - 3) / e->depth), addr = (uint32_t)((edge - 3) % e->depth);
    for (uint32_t v = 0; v < e->image->nodes; v++)
        for (uint32_t j = 0; j < g->lanes && e->pass * g->lanes + j < g->banks; j++)
            crl_sim_inject(e->sim, v, j, *word_at(e, v, e->pass * g->lanes + j, page, addr));
}

static int load_tables(struct engine_rtl *e, const uint32_t *table, uint32_t rows)
{
    // The same rows for every table.
    size_t words = (size_t)rows * crl_row_words(&e->image->geometry);
    uint32_t *all = malloc(sizeof *all * words * e->image->tables);
    if (!all) return CRL_SIM_ERR_MEMORY;
    for (uint32_t t = 0; t < e->image->tables; t++) memcpy(all + t * words, table, words * sizeof *all);
    int error = crl_sim_load_tables(e->sim, all, rows, crl_row_words(&e->image->geometry));
    free(all);
    return error;
}

static int load_memories(struct engine_rtl *e)
{
    const struct crl_geometry *g = &e->image->geometry;
    uint32_t row_words = crl_row_words(g);
    uint32_t *table = malloc(sizeof *table * row_words * e->depth);
    int error = table ? 0 : CRL_SIM_ERR_MEMORY;
    for (e->pass = 0; e->pass < e->passes && !error; e->pass++) {
        for (uint32_t r = 0; r < e->depth; r++) {
            struct crl_row row = {0};
            for (uint32_t j = 0; j < g->lanes && e->pass * g->lanes + j < g->banks; j++) {
                uint32_t b = e->pass * g->lanes + j;
                row.lane[j].exp = row.bank[b].wen = 1;
                if (g->write_xbar) row.bank[b].wsel = (uint8_t)j;
                if (g->waddr_field) row.bank[b].waddr = r;
            }
            crl_row_pack(g, &row, table + (size_t)r * row_words);
        }
        error = load_tables(e, table, e->depth);
        if (!error) play_through(e, e->depth, inject, NULL);
    }
    free(table);
    return error;
}

// ---- reading: a table that only sends. Row a·passes + q sends address a of banks qK…, lane j on port j.

static void silence(struct engine_rtl *e, uint64_t edge)
{
    // The words go to the neighbours, too, who expect none.
    (void)edge;
    for (uint32_t v = 0; v < e->image->nodes; v++)
        for (uint32_t j = 0; j < e->image->geometry.lanes; j++) crl_sim_drop(e->sim, v, j);
}

static void collect(struct engine_rtl *e, uint64_t edge)
{
    const struct crl_geometry *g = &e->image->geometry;
    uint64_t rows = (uint64_t)e->depth * e->passes;
    if (edge < 3 || edge - 3 >= rows * g->words) return; // row r's words show after edge r + 3
    uint32_t page = (uint32_t)((edge - 3) / rows), row = (uint32_t)((edge - 3) % rows);
    const uint64_t *data = crl_sim_data(e->sim);
    for (uint32_t v = 0; v < e->image->nodes; v++)
        for (uint32_t j = 0; j < g->lanes && row % e->passes * g->lanes + j < g->banks; j++)
            *word_at(e, v, row % e->passes * g->lanes + j, page, row / e->passes) = data[(size_t)v * g->ports + j];
}

static int read_memories(struct engine_rtl *e)
{
    const struct crl_geometry *g = &e->image->geometry;
    uint32_t rows = e->depth * e->passes, row_words = crl_row_words(g);
    uint32_t *table = malloc(sizeof *table * row_words * rows);
    int error = table ? 0 : CRL_SIM_ERR_MEMORY;
    for (uint32_t r = 0; r < rows && !error; r++) {
        struct crl_row row = {0};
        for (uint32_t j = 0; j < g->lanes && r % e->passes * g->lanes + j < g->banks; j++) {
            uint32_t b = r % e->passes * g->lanes + j;
            row.lane[j].ov = 1;
            row.lane[j].osel = (uint8_t)crl_geometry_bank_select(g, b);
            row.bank[b].raddr = r / e->passes;
        }
        crl_row_pack(g, &row, table + (size_t)r * row_words);
    }
    if (!error) error = load_tables(e, table, rows);
    if (!error) play_through(e, rows, silence, collect);
    free(table);
    return error;
}

// ---- the run itself

static int load_image(struct engine_rtl *e)
{
    const struct crl_row_store *store = &e->image->store;
    uint32_t rows = e->image->geometry.rows, *all = crl_row_store_all(store, e->image->tables, rows);
    int error = all ? crl_sim_load_tables(e->sim, all, rows, store->row_words) : CRL_SIM_ERR_MEMORY;
    free(all);
    return error;
}

static void fill_own(struct engine_rtl *e)
{
    for (uint32_t v = 0; v < e->image->nodes; v++)
        crl_fill_memory(e->image, e->problem, e->seed, v, e->depth, word_at(e, v, 0, 0, 0));
}

// ---- the sources of the router

// Under `base`, `base_length` characters of a path. Whether they are there.
static bool sources_under(struct engine_sources *sources, const char *base, int base_length, const char *tail)
{
    char probe[4096 + 32];
    if (snprintf(sources->rtl, sizeof sources->rtl, "%.*s%s/rtl", base_length, base, tail) >=
            (int)sizeof sources->rtl ||
        snprintf(sources->sim, sizeof sources->sim, "%.*s%s/sim", base_length, base, tail) >= (int)sizeof sources->sim)
        return false;
    snprintf(probe, sizeof probe, "%s/slot/crl_router.sv", sources->rtl);
    return access(probe, R_OK) == 0;
}

bool engine_sources_find(struct engine_sources *sources)
{
    const char *data = getenv("CARILLON_DATA");
    if (data && *data) {
        sources_under(sources, data, (int)strlen(data), ""); // an error names them if they are not there
        return true;
    }
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    if (length <= 0 || length == sizeof program) return false;
    for (int cut = 0; cut < 2; cut++) do
            length--;
        while (length > 0 && program[length] != '/');
    return length >= 0 && sources_under(sources, program, (int)length, "/share/carillon");
}

enum crl_sim_wave engine_wave(const char *path)
{
    const char *suffix = path ? strrchr(path, '.') : NULL;
    return !suffix ? CRL_SIM_WAVE_NONE : strcmp(suffix, ".vcd") ? CRL_SIM_WAVE_FST : CRL_SIM_WAVE_VCD;
}

static int open_sim(struct engine_rtl *e, const struct engine_rtl_options *options, struct crl_diag *diag)
{
    const struct crl_image *image = e->image;
    const struct crl_geometry *g = &image->geometry;
    char text[512] = "";
    uint32_t deepest = e->depth * e->passes > g->rows ? e->depth * e->passes : g->rows;
    uint32_t *source = malloc(sizeof *source * image->nodes * g->ports);
    if (!source) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    struct engine_sources sources;
    bool found = engine_sources_find(&sources);
    for (uint32_t v = 0; v < image->nodes; v++)
        for (uint32_t p = 0; p < g->ports; p++)
            source[(size_t)v * g->ports + p] = crl_topology_behind(e->problem->topology, v, p);
    struct crl_sim_config config = {.params = {.ports = g->ports,
                                               .lanes = g->lanes,
                                               .banks = g->banks,
                                               .write_xbar = g->write_xbar,
                                               .delay = g->delay,
                                               .waddr_field = g->waddr_field,
                                               .data_width = g->data_width,
                                               .addr_width = g->addr_width,
                                               .table_depth = deepest,
                                               .words = g->words},
                                    .nodes = image->nodes,
                                    .tables = image->tables,
                                    .node_table = image->node_table,
                                    .source = source,
                                    .threads = options->threads,
                                    .wave = engine_wave(options->wave),
                                    .rtl_dir = found ? sources.rtl : NULL,
                                    .sim_dir = found ? sources.sim : NULL,
                                    .wave_path = options->wave,
                                    .error = text,
                                    .error_size = sizeof text};
    int error = crl_sim_open(&e->sim, &config);
    free(source);
    return error ? engine_fail(error, text, diag) : 0;
}

int engine_rtl_new(struct engine_rtl **out, const struct crl_image *image, const struct crl_problem *problem,
                   const struct engine_rtl_options *options, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    struct engine_rtl *e = *out = calloc(1, sizeof *e);
    if (!e) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    e->image = image;
    e->problem = problem;
    e->seed = options->seed;
    e->depth = depth_of(image);
    e->passes = (g->banks + g->lanes - 1) / g->lanes;
    e->memory = calloc((size_t)image->nodes * g->banks * g->words * e->depth, sizeof *e->memory);
    int error = e->memory ? open_sim(e, options, diag) : crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    if (!error) {
        fill_own(e);
        error = load_memories(e);
        if (!error) error = load_image(e);
        if (error) error = engine_fail(error, crl_sim_error(e->sim), diag);
    }
    if (error) {
        engine_rtl_free(e);
        *out = NULL;
    }
    return error;
}

void engine_rtl_free(struct engine_rtl *e)
{
    if (!e) return;
    crl_sim_close(e->sim);
    free(e->memory);
    free(e);
}

// The words of link cycle n are on the links after edge n + 2.
static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct engine_rtl *e = self;
    const struct crl_geometry *g = &e->image->geometry;
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
    *valid = crl_sim_valid(e->sim);
    *data = crl_sim_data(e->sim);
    return ++e->step == (uint64_t)g->rows * g->words;
}

struct crl_player engine_rtl_player(struct engine_rtl *engine) { return (struct crl_player){engine, step}; }

static void note_faults(struct engine_rtl *e)
{
    const struct crl_geometry *g = &e->image->geometry;
    uint32_t per_slot = e->image->port_model == CRL_PORTS_SINGLE ? 1 : (g->ports + g->lanes - 1) / g->lanes;
    for (uint32_t t = 0; t < e->image->tables; t++) {
        struct crl_sim_table_fault fault = crl_sim_table_fault(e->sim, t);
        if (fault.parity && !e->faults++)
            snprintf(e->fault_text, sizeof e->fault_text, "table %u: bad parity in row %u", t, fault.row);
    }
    for (uint32_t v = 0; v < e->image->nodes; v++) {
        struct crl_sim_fault fault = crl_sim_node_fault(e->sim, v);
        if (fault.kinds && !e->faults++)
            snprintf(e->fault_text, sizeof e->fault_text, "node %u: %s%s%s on port %d in slot %u", v,
                     fault.kinds & CRL_SIM_FAULT_MISSING ? "missing " : "",
                     fault.kinds & CRL_SIM_FAULT_UNEXPECTED ? "unexpected " : "",
                     fault.kinds & CRL_SIM_FAULT_OVERRUN ? "overrun " : "",
                     fault.ports ? __builtin_ctz(fault.ports) : -1, (fault.row + per_slot - 1) / per_slot);
    }
}

int engine_rtl_finish(struct engine_rtl *e, struct crl_diag *diag)
{
    for (int i = 0; i < 4; i++) crl_sim_step(e->sim);
    note_faults(e);
    int error = read_memories(e);
    if (!error) error = crl_sim_status(e->sim);
    return error ? engine_fail(error, crl_sim_error(e->sim), diag) : 0;
}

uint64_t engine_rtl_faults(const struct engine_rtl *e, char text[160])
{
    snprintf(text, 160, "%s", e->fault_text);
    return e->faults;
}
