// SPDX-License-Identifier: Apache-2.0
/* The C API: checks what the caller gives, loads the compiled simulator, and hands it whole steps. */
#include "build.h"
#include "crl_sim.h"
#include "shim.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NODES_MAX = 1 << 20,
    TABLE_DEPTH_MAX = 1 << 20,
    WORDS_MAX = 1 << 16,
    BANKS_MAX = 64,
    ADDR_WIDTH_MAX = 24,
    FLAT_NODES_MAX = 64,
    THREADS_MAX = 64,
    CROSSBAR_MAX = 1024,
    LATENCY_MAX = 64,
    RESET_STEPS = 4,
    QUEUE_PORTS_MAX = 10,
    QUEUE_TREES_MAX = 15,
    QUEUE_SIZE_MAX = 1 << 16,
    ONLINE_NODES_MAX = 4096,
    ONLINE_DEPTH_MAX = 1 << 20,
    ONLINE_DIMS_MAX = 8,
    ONLINE_WAIT_MAX = 1 << 16,
    ONLINE_ADDRESS_BITS_MAX = 15,
};

struct crl_sim {
    struct crl_sim_params params;
    uint32_t nodes, tables;
    void *library;
    const struct crl_shim_ops *ops;
    struct crl_shim *shim;

    struct crl_shim_drive drive; /* of the next step */
    int64_t edge;
    uint64_t steps;

    uint64_t *data; /* [nodes][ports], of the step numbered data_step */
    uint64_t data_step;
    const void **rows; /* [tables], for the load port */
};

/* Smallest number of bits that tells n things apart. */
static uint32_t bits_for(uint32_t n)
{
    uint32_t bits = 0;

    while (bits < 32 && (UINT64_C(1) << bits) < n) bits++;
    return bits;
}

static bool is_machine(const struct crl_sim_params *p)
{
    return p->crossbar >= 2 && p->crossbar <= CROSSBAR_MAX && !(p->crossbar & (p->crossbar - 1)) &&
           p->latency_max >= 1 && p->latency_max <= LATENCY_MAX && p->ports == 1 && !p->write_xbar && !p->delay &&
           !p->waddr_field && !p->flat;
}

static bool is_queue(const struct crl_sim_params *p)
{
    const struct crl_sim_queue *q = &p->queue;

    return p->ports <= QUEUE_PORTS_MAX && q->trees <= QUEUE_TREES_MAX && q->classes >= 1 &&
           q->classes <= QUEUE_PORTS_MAX && q->loops <= 1 && q->position <= 1 && q->depth >= 1 &&
           q->depth <= QUEUE_SIZE_MAX && (!q->units || (!q->loops && q->units <= q->depth / q->trees / q->classes)) &&
           q->period >= 1 && q->period <= QUEUE_SIZE_MAX && p->lanes == 1 && p->data_width == 32 && !p->write_xbar &&
           !p->delay && !p->waddr_field && !p->flat && !p->crossbar;
}

/* Bits of addresses of nodes, 4 bits a dimension: each has some, and together 15 at most. */
static bool are_sides(uint32_t sides, uint32_t dims)
{
    uint32_t sum = 0;

    for (uint32_t k = 0; k < dims; k++) {
        if (!(sides >> 4 * k & 15)) return false;
        sum += sides >> 4 * k & 15;
    }
    return sum <= ONLINE_ADDRESS_BITS_MAX;
}

static bool is_online(const struct crl_sim_params *p)
{
    return p->online <= CRL_SIM_ONLINE_EXCHANGE && p->ports % 2 == 0 && p->ports <= 2 * ONLINE_DIMS_MAX &&
           p->online_nodes >= 1 && p->online_nodes <= ONLINE_NODES_MAX && p->online_depth >= 1 &&
           p->online_depth <= ONLINE_DEPTH_MAX &&
           (p->online != CRL_SIM_ONLINE_BROADCAST || (p->online_wait >= 1 && p->online_wait <= ONLINE_WAIT_MAX)) &&
           (p->online != CRL_SIM_ONLINE_EXCHANGE || are_sides(p->online_sides, p->ports / 2)) && p->lanes == 1 &&
           p->data_width == 64 && !p->write_xbar && !p->delay && !p->waddr_field && !p->flat && !p->crossbar;
}

int crl_sim_row_bits(const struct crl_sim_params *p)
{
    const int direct = p->banks < p->lanes; /* outputs select live inputs themselves */
    uint32_t group_bits, send_bits, bank_bits;

    if (p->ports < 1 || p->ports > 32 || p->lanes < 1 || p->lanes > p->ports || p->banks < 1 || p->banks > BANKS_MAX ||
        (p->delay && p->banks < p->lanes) || p->write_xbar > 1 || (!p->write_xbar && p->banks != p->lanes) ||
        p->delay > 1 || p->waddr_field > 1 || p->data_width < 8 || p->data_width > CRL_SIM_DATA_WIDTH_MAX ||
        p->data_width % 8 || p->addr_width < 1 || p->addr_width > ADDR_WIDTH_MAX || p->table_depth < 1 ||
        p->table_depth > TABLE_DEPTH_MAX || p->words < 1 || p->words > WORDS_MAX || p->flat > FLAT_NODES_MAX ||
        (p->crossbar && !is_machine(p)) || (p->queue.trees && !is_queue(p)) || (p->online && !is_online(p)))
        return CRL_SIM_ERR_ARGUMENT;
    if (p->online) return 32;
    if (p->queue.trees) return (int)(11 + p->ports + (p->queue.units ? 4 : 0));
    if (p->crossbar) return (int)(17 + bits_for(p->crossbar) + 2 * p->addr_width);
    group_bits = bits_for((p->ports + p->lanes - 1) / p->lanes);
    send_bits = bits_for(direct ? p->lanes + p->banks : p->banks);
    bank_bits = p->addr_width + (direct ? 1 : 2) + p->delay + (p->write_xbar ? bits_for(p->lanes) : 0) +
                (p->waddr_field ? p->addr_width : 0);
    return (int)(1 + p->banks * bank_bits + p->lanes * (2 + send_bits + 2 * group_bits));
}

static int refuse(const struct crl_sim_config *config, const char *what)
{
    crl_build_error(config, "%s", what);
    return CRL_SIM_ERR_ARGUMENT;
}

static int check(const struct crl_sim_config *config)
{
    const uint32_t ports = config->params.ports;

    if (crl_sim_row_bits(&config->params) < 0) return refuse(config, "the router parameters are out of their range");
    if (config->nodes < 1 || config->nodes > NODES_MAX) return refuse(config, "nodes must be 1 to 2^20");
    if (config->tables < 1 || config->tables > config->nodes) return refuse(config, "tables must be 1 to nodes");
    if (config->threads > THREADS_MAX) return refuse(config, "threads must be at most 64");
    if (config->wave > CRL_SIM_WAVE_VCD || (config->wave != CRL_SIM_WAVE_NONE && !config->wave_path))
        return refuse(config, "waves need a known kind and a path");
    if (config->threads > 1 && (config->wave != CRL_SIM_WAVE_NONE || config->params.flat || config->params.crossbar))
        return refuse(config, "waves, flat fabrics and LogP machines run on one thread");
    if (config->params.online &&
        (config->threads > 1 || config->wave != CRL_SIM_WAVE_NONE || config->tables != config->nodes ||
         config->node_table || config->nodes > config->params.online_nodes))
        return refuse(config, "on-line routers run on one thread, without waves, with registers of their own");
    for (uint32_t n = 0; config->node_table && n < config->nodes; n++)
        if (config->node_table[n] >= config->tables) return refuse(config, "a node's table is not one of the tables");
    if (config->params.queue.trees && (config->wave != CRL_SIM_WAVE_NONE || config->threads > 1))
        return refuse(config, "queue control runs on one thread and without waves");
    if (config->params.crossbar) {
        if (config->nodes > config->params.crossbar || config->tables != config->nodes)
            return refuse(config, "a LogP machine has a table a processor, and no more of them than ports");
        if (config->latency < 1 || config->latency > config->params.latency_max || config->op > 3)
            return refuse(config, "the latency or the operator is out of its range");
        if (config->source || config->node_table) return refuse(config, "a LogP machine is wired by its crossbar");
    } else if (!config->source) {
        return refuse(config, "the sources of the inputs are missing");
    } else if (config->params.flat) {
        if (config->nodes != config->params.flat || config->nodes < 2)
            return refuse(config, "a flat fabric is built for the nodes it has, two at least");
        if (config->tables != 1 && config->tables != config->nodes)
            return refuse(config, "a flat fabric has one table, or one a node");
        for (uint32_t n = 0; config->node_table && config->tables > 1 && n < config->nodes; n++)
            if (config->node_table[n] != n) return refuse(config, "table n of a flat fabric is that of node n");
    }
    for (size_t i = 0; config->source && i < (size_t)config->nodes * ports; i++) {
        if (config->source[i] >= config->nodes && config->source[i] != CRL_SIM_NONE)
            return refuse(config, "the source of an input is not one of the nodes");
    }
    return CRL_SIM_OK;
}

/* Loads the compiled simulator; one that cannot be loaded is built once more. */
static int load_library(struct crl_sim *sim, const struct crl_sim_config *config)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        const struct crl_shim_ops *(*enter)(void);
        const char *why;
        char *path;
        void *symbol;
        const int result = crl_build_simulator(config, attempt > 0, &path);

        if (result) return result;
        sim->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        why = sim->library ? NULL : dlerror();
        symbol = sim->library ? dlsym(sim->library, CRL_SHIM_ENTRY) : NULL;
        if (symbol) {
            memcpy(&enter, &symbol, sizeof enter); /* ISO C has no conversion from object to function pointers */
            sim->ops = enter();
            if (sim->ops->abi == CRL_SHIM_ABI) {
                free(path);
                return CRL_SIM_OK;
            }
        }
        crl_build_error(config, "the compiled simulator cannot be loaded: %s, '%s'", why ? why : "not a simulator",
                        path);
        free(path);
        if (sim->library) dlclose(sim->library);
        sim->library = NULL;
    }
    return CRL_SIM_ERR_LOAD;
}

static int create(struct crl_sim *sim, const struct crl_sim_config *config)
{
    const uint32_t ports = config->params.ports;
    const size_t inputs = (size_t)config->nodes * ports;
    uint32_t *node_table = calloc(config->nodes, sizeof *node_table);
    uint32_t *source = calloc(inputs, sizeof *source);
    int result = CRL_SIM_ERR_MEMORY;

    if (node_table && source) {
        const struct crl_shim_setup setup = {
            .nodes = config->nodes,
            .tables = config->tables,
            .threads = config->threads ? config->threads : 1,
            .node_table = node_table,
            .source = source,
            .latency = config->latency,
            .period = config->params.queue.period,
            .limit = config->params.queue.units ? config->params.queue.units : config->params.queue.depth,
            .op = config->op,
            .wave_path = config->wave_path,
            .message = config->message,
            .user = config->user,
        };

        if (config->node_table) memcpy(node_table, config->node_table, config->nodes * sizeof *node_table);
        for (size_t i = 0; config->source && i < inputs; i++)
            source[i] = config->source[i] == CRL_SIM_NONE ? config->nodes : config->source[i];
        sim->shim = sim->ops->create(&setup);
        if (sim->shim) {
            result = CRL_SIM_OK;
        } else if (config->wave != CRL_SIM_WAVE_NONE) {
            crl_build_error(config, "the instances cannot be created, or the wave file not written, '%s'",
                            config->wave_path);
            result = CRL_SIM_ERR_IO;
        }
    }
    free(node_table);
    free(source);
    return result;
}

int crl_sim_open(struct crl_sim **out, const struct crl_sim_config *config)
{
    struct crl_sim *sim;
    int result;

    *out = NULL;
    result = check(config);
    if (result) return result;
    sim = calloc(1, sizeof *sim);
    if (!sim) return CRL_SIM_ERR_MEMORY;
    sim->params = config->params;
    sim->nodes = config->nodes;
    sim->tables = config->tables;
    sim->data = calloc((size_t)config->nodes * config->params.ports, sizeof *sim->data);
    sim->rows = calloc(config->tables, sizeof *sim->rows);
    result = sim->data && sim->rows ? load_library(sim, config) : CRL_SIM_ERR_MEMORY;
    if (!result) result = create(sim, config);
    if (result) {
        if (result == CRL_SIM_ERR_MEMORY) crl_build_error(config, "out of memory");
        crl_sim_close(sim);
        return result;
    }
    sim->drive.reset = true;
    for (int i = 0; i < RESET_STEPS; i++) sim->ops->step(sim->shim, &sim->drive);
    sim->drive.reset = false;
    sim->edge = -1;
    sim->data_step = UINT64_MAX;
    *out = sim;
    return CRL_SIM_OK;
}

void crl_sim_close(struct crl_sim *sim)
{
    if (!sim) return;
    if (sim->shim) sim->ops->destroy(sim->shim);
    if (sim->library) dlclose(sim->library);
    free(sim->data);
    free(sim->rows);
    free(sim);
}

int crl_sim_load_tables(struct crl_sim *sim, const uint32_t *rows, uint32_t n_rows, uint32_t row_words)
{
    const uint32_t row_bits = (uint32_t)crl_sim_row_bits(&sim->params);
    const size_t table_words = (size_t)n_rows * row_words;

    if (n_rows > sim->params.table_depth || row_words != (row_bits + 31) / 32) return CRL_SIM_ERR_ARGUMENT;
    for (size_t i = 0; row_bits % 32 && i < (size_t)n_rows * sim->tables; i++)
        if (rows[(i + 1) * row_words - 1] >> row_bits % 32) return CRL_SIM_ERR_ARGUMENT;
    if (crl_sim_busy(sim)) return CRL_SIM_ERR_BUSY;
    for (uint32_t r = 0; r < n_rows; r++) {
        for (uint32_t t = 0; t < sim->tables; t++) sim->rows[t] = rows + t * table_words + (size_t)r * row_words;
        sim->ops->load(sim->shim, r, sim->rows);
    }
    return CRL_SIM_OK;
}

int crl_sim_queue_load(struct crl_sim *sim, bool gate, uint32_t address, const uint32_t *rows)
{
    if (!sim->params.queue.trees || address >> 31) return CRL_SIM_ERR_ARGUMENT;
    for (uint32_t t = 0; t < sim->tables; t++) sim->rows[t] = rows + t;
    sim->ops->load(sim->shim, address | (uint32_t)gate << 31, sim->rows);
    return CRL_SIM_OK;
}

int crl_sim_queue_slot(struct crl_sim *sim, struct crl_sim_slot *slot)
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

    if (!sim->params.queue.trees) return CRL_SIM_ERR_ARGUMENT;
    for (size_t i = 0; i < slot->own; i++)
        if (slot->own_node[i] >= sim->nodes) return CRL_SIM_ERR_ARGUMENT;
    sim->ops->slot(sim->shim, &own);
    sim->steps += own.cycles;
    slot->dropped = own.dropped;
    slot->strange = own.strange;
    slot->cycles = own.cycles;
    return crl_sim_status(sim);
}

int crl_sim_start(struct crl_sim *sim, uint32_t last_row, uint32_t last_page)
{
    if (last_row >= sim->params.table_depth || last_page >= sim->params.words) return CRL_SIM_ERR_ARGUMENT;
    if (crl_sim_busy(sim)) return CRL_SIM_ERR_BUSY;
    sim->drive.start = true;
    sim->drive.last_row = last_row;
    sim->drive.last_page = last_page;
    return CRL_SIM_OK;
}

void crl_sim_inject(struct crl_sim *sim, uint32_t node, uint32_t port, uint64_t word)
{
    sim->ops->force(sim->shim, node, port, true, word);
}

void crl_sim_drop(struct crl_sim *sim, uint32_t node, uint32_t port)
{
    sim->ops->force(sim->shim, node, port, false, 0);
}

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

int crl_sim_status(const struct crl_sim *sim) { return sim->ops->failure(sim->shim) ? CRL_SIM_ERR_ASSERT : CRL_SIM_OK; }

const char *crl_sim_error(const struct crl_sim *sim)
{
    const char *text = sim->ops->failure(sim->shim);

    return text ? text : "";
}

int64_t crl_sim_edge(const struct crl_sim *sim) { return sim->edge; }

uint64_t crl_sim_steps(const struct crl_sim *sim) { return sim->steps; }

uint64_t crl_sim_node_cycles(const struct crl_sim *sim) { return sim->steps * sim->nodes; }
