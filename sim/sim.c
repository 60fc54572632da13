// SPDX-License-Identifier: Apache-2.0
/* The C API: checks what the caller gives, loads the compiled simulator, and hands it whole steps. */
#define _GNU_SOURCE
#include "build.h"
#include "crl_sim.h"
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NODES_MAX = 1 << 20,
    THREADS_MAX = 64,
    FLAT_NODES_MAX = 64,
    RESET_STEPS = 4,
};

struct crl_sim {
    struct crl_sim_params params;
    struct crl_shape shape;
    uint32_t nodes, tables;
    const struct crl_context *context;
    struct crl_library library;
    const struct crl_shim_ops *ops;
    struct crl_shim *shim;

    struct crl_shim_drive drive; /* of the next step */
    int64_t edge;
    uint64_t steps;

    uint64_t *data; /* [nodes][ports], of the step numbered data_step */
    uint64_t data_step;
    const void **rows; /* [tables], for the load port */

    char *wave, *wave_temp; /* names of the file of waves, and until it is complete; NULL: none */
};

int crl_sim_row_bits(const struct crl_sim_params *params)
{
    const struct crl_kind *const kind = crl_kind(params);

    return kind && kind->valid(params) ? (int)kind->shape(params).row_bits : CRL_ERR_ARGUMENT;
}

static const char *refuse_flat(const struct crl_sim_config *config, const struct crl_kind *kind)
{
    if (!kind->flat->top) return "there is no flat fabric of these";
    if (!config->source) return "the sources of the inputs are missing";
    if (config->threads > 1) return "a flat fabric runs on one thread";
    if (config->lag && config->params.kind != CRL_SIM_NETWORK) return "links of this flat fabric take one clock";
    if (config->nodes < 2 || config->nodes > FLAT_NODES_MAX) return "a flat fabric has 2 to 64 nodes";
    return NULL;
}

/* NULL, or what is wrong with a configuration. */
static const char *refuse(const struct crl_sim_config *config)
{
    const struct crl_kind *const kind = crl_kind(&config->params);
    const char *wrong;

    if (!kind || !kind->valid(&config->params)) return "the parameters of the RTL are out of their range";
    if (config->nodes < 1 || config->nodes > NODES_MAX) return "nodes must be 1 to 2^20";
    if (config->tables < 1 || config->tables > config->nodes) return "tables must be 1 to nodes";
    if (config->threads > THREADS_MAX) return "threads must be at most 64";
    if (config->wave > CRL_SIM_WAVE_VCD || (config->wave != CRL_SIM_WAVE_NONE && !config->wave_path))
        return "waves need a known kind and a path";
    for (uint32_t n = 0; config->node_table && n < config->nodes; n++)
        if (config->node_table[n] >= config->tables) return "a node's table is not one of the tables";
    const size_t inputs = (size_t)config->nodes * kind->shape(&config->params).ports;
    for (size_t i = 0; config->source && i < inputs; i++)
        if (config->source[i] >= config->nodes && config->source[i] != CRL_SIM_NONE)
            return "the source of an input is not one of the nodes";
    if (config->params.flat && (wrong = refuse_flat(config, kind))) return wrong;
    return kind->refuse(config);
}

static int load_library(struct crl_sim *sim, const struct crl_sim_config *config, struct crl_diag *diag)
{
    const struct crl_shim_ops *(*enter)(void);
    const int error = crl_build_simulator(&sim->library, config, sim->context, diag);
    void *const symbol = error ? NULL : dlsym(sim->library.handle, CRL_SHIM_ENTRY);

    if (error) return error;
    if (!symbol) return crl_fail(diag, CRL_ERR_LOAD, "the compiled simulator has no %s", CRL_SHIM_ENTRY);
    memcpy(&enter, &symbol, sizeof enter); /* ISO C has no conversion from object to function pointers */
    sim->ops = enter();
    return 0;
}

/* ---- waves: a temporary file that takes its name when it is complete ---- */

static int fail_wave(const char *path, int number, struct crl_diag *diag)
{
    return crl_fail(diag, CRL_ERR_IO, "cannot write '%.300s': %s", path, strerror(number));
}

static int open_wave(struct crl_sim *sim, const struct crl_sim_config *config, struct crl_diag *diag)
{
    mode_t mask;
    int file;

    if (config->wave == CRL_SIM_WAVE_NONE) return 0;
    sim->wave = crl_text_new("%s", config->wave_path);
    sim->wave_temp = crl_text_new("%s.XXXXXX", config->wave_path);
    if (!sim->wave || !sim->wave_temp) return crl_fail_memory(diag);
    file = mkstemp(sim->wave_temp);
    if (file < 0) {
        free(sim->wave_temp); /* it is not there to be removed */
        sim->wave_temp = NULL;
        return fail_wave(sim->wave, errno, diag);
    }
    mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
    close(file);
    return 0;
}

static int publish_wave(const struct crl_sim *sim)
{
    const int file = open(sim->wave_temp, O_RDONLY | O_CLOEXEC);
    int number = 0;

    if (file < 0 || fsync(file) || rename(sim->wave_temp, sim->wave)) number = errno;
    if (file >= 0) close(file);
    return number;
}

int crl_sim_finish(struct crl_sim *sim, struct crl_diag *diag)
{
    int number;

    if (!sim->wave_temp) return 0;
    number = sim->shim ? sim->ops->finish(sim->shim) : ECANCELED;
    if (!number) number = publish_wave(sim);
    if (number) unlink(sim->wave_temp);
    free(sim->wave_temp);
    sim->wave_temp = NULL;
    return number ? fail_wave(sim->wave, number, diag) : 0;
}

/* ---- opening and closing ---- */

static void print(void *user, const char *text) { crl_context_say(user, "%s", text); }

static int create(struct crl_sim *sim, const struct crl_sim_config *config, struct crl_diag *diag)
{
    const size_t inputs = (size_t)config->nodes * sim->shape.ports;
    uint32_t *node_table = calloc(config->nodes, sizeof *node_table);
    uint32_t *source = calloc(inputs, sizeof *source);

    if (node_table && source) {
        const struct crl_sim_queue *const queue =
            config->params.kind == CRL_SIM_QUEUE ? &config->params.queue : &(const struct crl_sim_queue){0};
        const struct crl_shim_setup setup = {
            .nodes = config->nodes,
            .tables = config->tables,
            .threads = config->threads ? config->threads : 1,
            .node_table = node_table,
            .source = source,
            .lag = config->lag,
            .latency = config->latency,
            .period = queue->period,
            .limit = queue->units ? queue->units : queue->depth,
            .op = config->op,
            .wave_path = sim->wave_temp,
            .boards = config->boards,
            .message = print,
            .user = (void *)sim->context,
        };

        if (config->node_table) memcpy(node_table, config->node_table, config->nodes * sizeof *node_table);
        for (size_t i = 0; config->source && i < inputs; i++)
            source[i] = config->source[i] == CRL_SIM_NONE ? config->nodes : config->source[i];
        sim->shim = sim->ops->create(&setup);
    }
    CRL_FREE(node_table, source);
    if (!sim->shim) return crl_fail_memory(diag);
    crl_sim_reset(sim);
    return crl_sim_status(sim, diag);
}

int crl_sim_open(struct crl_sim **out, const struct crl_sim_config *config, const struct crl_context *context,
                 struct crl_diag *diag)
{
    const char *const wrong = refuse(config);
    struct crl_sim *sim;
    int error;

    *out = NULL;
    if (wrong) return crl_fail(diag, CRL_ERR_ARGUMENT, "%s", wrong);
    sim = calloc(1, sizeof *sim);
    if (!sim) return crl_fail_memory(diag);
    sim->params = config->params;
    sim->shape = crl_kind(&config->params)->shape(&config->params);
    sim->nodes = config->nodes;
    sim->tables = config->tables;
    sim->context = context;
    sim->edge = -1;
    sim->data_step = UINT64_MAX;
    sim->data = calloc((size_t)config->nodes * sim->shape.ports, sizeof *sim->data);
    sim->rows = calloc(config->tables, sizeof *sim->rows);
    error = sim->data && sim->rows ? open_wave(sim, config, diag) : crl_fail_memory(diag);
    if (!error) error = load_library(sim, config, diag);
    if (!error) error = create(sim, config, diag);
    if (error) {
        if (sim->wave_temp) unlink(sim->wave_temp); /* of no use */
        free(sim->wave_temp);
        sim->wave_temp = NULL;
        crl_sim_close(sim);
        return error;
    }
    *out = sim;
    return 0;
}

void crl_sim_close(struct crl_sim *sim)
{
    struct crl_diag diag;

    if (!sim) return;
    if (crl_sim_finish(sim, &diag)) crl_context_say(sim->context, "%s", diag.text);
    if (sim->shim) sim->ops->destroy(sim->shim);
    crl_library_close(&sim->library);
    CRL_FREE(sim->data, sim->rows, sim->wave, sim);
}

int crl_sim_load_tables(struct crl_sim *sim, const uint32_t *rows, uint32_t n_rows, uint32_t row_words)
{
    const uint32_t row_bits = sim->shape.row_bits;
    const size_t table_words = (size_t)n_rows * row_words;

    if (n_rows > sim->shape.table_depth || row_words != (row_bits + 31) / 32) return CRL_ERR_ARGUMENT;
    for (size_t i = 0; row_bits % 32 && i < (size_t)n_rows * sim->tables; i++)
        if (rows[(i + 1) * row_words - 1] >> row_bits % 32) return CRL_ERR_ARGUMENT;
    if (crl_sim_busy(sim)) return CRL_ERR_BUSY;
    for (uint32_t r = 0; r < n_rows; r++) {
        for (uint32_t t = 0; t < sim->tables; t++) sim->rows[t] = rows + t * table_words + (size_t)r * row_words;
        sim->ops->load(sim->shim, r, sim->rows);
    }
    return 0;
}

int crl_sim_queue_load(struct crl_sim *sim, bool gate, uint32_t address, const uint32_t *rows)
{
    if (sim->params.kind != CRL_SIM_QUEUE || address >> 31) return CRL_ERR_ARGUMENT;
    for (uint32_t t = 0; t < sim->tables; t++) sim->rows[t] = rows + t;
    sim->ops->load(sim->shim, address | (uint32_t)gate << 31, sim->rows);
    return 0;
}

int crl_sim_queue_slot(struct crl_sim *sim, struct crl_sim_slot *slot, struct crl_diag *diag)
{
    struct crl_shim_slot own = {.own_node = slot->own_node,
                                .own_word = slot->own_word,
                                .own = slot->own,
                                .stalled = slot->stalled,
                                .taken = slot->taken,
                                .sent = slot->sent,
                                .delivered = slot->delivered,
                                .word = slot->word,
                                .stored = slot->stored};

    if (sim->params.kind != CRL_SIM_QUEUE) return CRL_ERR_ARGUMENT;
    for (size_t i = 0; i < slot->own; i++)
        if (slot->own_node[i] >= sim->nodes) return CRL_ERR_ARGUMENT;
    sim->ops->slot(sim->shim, &own);
    sim->steps += own.cycles;
    slot->dropped = own.dropped;
    slot->strange = own.strange;
    slot->cycles = own.cycles;
    return crl_sim_status(sim, diag);
}

int crl_sim_start(struct crl_sim *sim, uint32_t last_row, uint32_t last_page)
{
    if (last_row >= sim->shape.table_depth || last_page >= sim->shape.pages) return CRL_ERR_ARGUMENT;
    if (crl_sim_busy(sim)) return CRL_ERR_BUSY;
    sim->drive.start = true;
    sim->drive.last_row = last_row;
    sim->drive.last_page = last_page;
    return 0;
}

void crl_sim_inject(struct crl_sim *sim, uint32_t node, uint32_t port, uint64_t word)
{
    sim->ops->force(sim->shim, node, port, true, word);
}

void crl_sim_drop(struct crl_sim *sim, uint32_t node, uint32_t port)
{
    sim->ops->force(sim->shim, node, port, false, 0);
}

void crl_sim_inject_all(struct crl_sim *sim, const uint64_t *words, size_t stride, uint32_t count)
{
    sim->ops->force_all(sim->shim, words, stride, count);
}

void crl_sim_drop_all(struct crl_sim *sim) { sim->ops->force_all(sim->shim, NULL, 0, sim->shape.ports); }

void crl_sim_clear(struct crl_sim *sim) { sim->drive.clear = true; }

void crl_sim_step(struct crl_sim *sim)
{
    if (sim->drive.start) sim->edge = 0;
    else if (sim->edge >= 0) sim->edge++;
    sim->ops->step(sim->shim, &sim->drive);
    sim->drive.start = false;
    sim->drive.clear = false;
    sim->steps++;
}

const uint32_t *crl_sim_valid(struct crl_sim *sim) { return sim->ops->valid(sim->shim); }

const uint64_t *crl_sim_data(struct crl_sim *sim)
{
    /* Widened only when asked for: a benchmark or a preload never looks. */
    if (sim->data_step != sim->steps) {
        sim->ops->data(sim->shim, sim->data);
        sim->data_step = sim->steps;
    }
    return sim->data;
}

const uint32_t *crl_sim_dest(struct crl_sim *sim) { return sim->ops->dest(sim->shim); }

bool crl_sim_held(struct crl_sim *sim, uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet)
{
    return sim->ops->held(sim->shim, node, memory, address, packet);
}

void crl_sim_give(struct crl_sim *sim, uint32_t node, const uint32_t *packet)
{
    sim->ops->give(sim->shim, node, packet);
}

bool crl_sim_streams(struct crl_sim *sim, struct crl_sim_streams *streams)
{
    const struct crl_shim_streams *const s = sim->ops->streams(sim->shim);

    if (s) *streams = (struct crl_sim_streams){s->lanes, s->offered, s->own, s->taken, s->shown, s->word};
    return s;
}

const struct crl_shim_boards *crl_sim_boards(const struct crl_sim *sim) { return sim->ops->boards(sim->shim); }

void crl_sim_pace(struct crl_sim *sim, uint32_t clocks) { sim->drive.pace = clocks; }

void crl_sim_base(struct crl_sim *sim, uint32_t row) { sim->drive.base = row; }

void crl_sim_reset(struct crl_sim *sim)
{
    sim->drive.reset = true;
    for (int i = 0; i < RESET_STEPS; i++) sim->ops->step(sim->shim, &sim->drive);
    sim->drive.reset = false;
}

struct crl_sim_interval crl_sim_interval(const struct crl_sim *sim)
{
    const struct crl_shim_interval i = sim->ops->interval(sim->shim);

    return (struct crl_sim_interval){.begins = i.begins, .counts = i.counts, .agree = i.agree};
}

bool crl_sim_busy(const struct crl_sim *sim) { return sim->ops->busy(sim->shim); }

struct crl_sim_fault crl_sim_node_fault(const struct crl_sim *sim, uint32_t node)
{
    const struct crl_shim_fault fault = sim->ops->node_fault(sim->shim, node);

    return (struct crl_sim_fault){.kinds = fault.kinds, .ports = fault.ports, .row = fault.row};
}

struct crl_sim_table_fault crl_sim_table_fault(const struct crl_sim *sim, uint32_t table)
{
    const struct crl_shim_fault fault = sim->ops->table_fault(sim->shim, table);

    return (struct crl_sim_table_fault){.parity = fault.kinds != 0, .row = fault.row};
}

bool crl_sim_any_fault(const struct crl_sim *sim)
{
    for (uint32_t t = 0; t < sim->tables; t++)
        if (sim->ops->table_fault(sim->shim, t).kinds) return true;
    for (uint32_t n = 0; n < sim->nodes; n++)
        if (sim->ops->node_fault(sim->shim, n).kinds) return true;
    return false;
}

const char *crl_sim_printed(const struct crl_sim *sim)
{
    const char *text = sim->ops->failure(sim->shim);

    return text ? text : "";
}

int crl_sim_status(const struct crl_sim *sim, struct crl_diag *diag)
{
    const char *const failure = sim->ops->failure(sim->shim);
    const int number = sim->ops->wave_error(sim->shim);

    if (failure) return crl_fail(diag, CRL_ERR_ASSERT, "the RTL stopped: %.*s", (int)strcspn(failure, "\n"), failure);
    return number ? fail_wave(sim->wave, number, diag) : 0;
}

int64_t crl_sim_edge(const struct crl_sim *sim) { return sim->edge; }

uint64_t crl_sim_steps(const struct crl_sim *sim) { return sim->steps; }

uint64_t crl_sim_node_cycles(const struct crl_sim *sim) { return sim->steps * sim->nodes; }
