// SPDX-License-Identifier: Apache-2.0
#include "engine/online.h"
#include <stdlib.h>
#include <string.h>

// Registers of intervals (rtl/online/crl_online_node.sv): the mode, and how many packets a memory and the queue may hold.
enum { MODE = 0, MEMORY = 13, WAITING = 14 };
enum { REPEATED = 5 << 2, NO_MODE = ~(7 << 2) };

struct engine_online {
    const struct crl_online *online;
    struct crl_sim *sim;
    uint32_t nodes, ports, topology_ports; // ports: of a router
    uint32_t slot;
    struct crl_problem problem; // of intervals: nobody is active
    struct crl_online *nobody;
    uint32_t waiting; // packets that may wait for their interval; 0: single runs
    uint32_t *valid;
    uint64_t *data; // both by ports of the topology
};

static int open_sim(struct engine_online *e, const char *wave, struct crl_diag *diag)
{
    char text[512] = "";
    struct engine_sources sources;
    bool found = engine_sources_find(&sources);
    uint32_t *source = malloc(sizeof *source * e->nodes * e->ports);
    if (!source) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    for (uint32_t v = 0; v < e->nodes; v++)
        for (uint32_t p = 0; p < e->ports; p++) source[v * e->ports + p] = crl_online_behind(e->online, v, p);
    struct crl_sim_config config = {
        .params = {.ports = e->ports,
                   .lanes = 1,
                   .banks = 1,
                   .data_width = 64,
                   .addr_width = 1,
                   .table_depth = crl_online_register_count(e->online),
                   .words = 1,
                   .online = crl_online_exchanges(e->online) ? CRL_SIM_ONLINE_EXCHANGE : CRL_SIM_ONLINE_BROADCAST,
                   .online_nodes = e->nodes,
                   .online_depth = e->waiting ? e->nodes : crl_online_depth(e->online),
                   .online_sides = crl_online_address_bits(e->online),
                   .online_wait = e->waiting ? e->waiting : 1},
        .nodes = e->nodes,
        .tables = e->nodes,
        .source = source,
        .wave = engine_wave(wave),
        .wave_path = wave,
        .rtl_dir = found ? sources.rtl : NULL,
        .sim_dir = found ? sources.sim : NULL,
        .error = text,
        .error_size = sizeof text,
    };
    int error = crl_sim_open(&e->sim, &config);
    free(source);
    return error ? engine_fail(error, text, diag) : 0;
}

static int open_engine(struct engine_online *e, const struct crl_online *online, const char *wave,
                       struct crl_diag *diag)
{
    e->online = online;
    e->nodes = crl_online_nodes(online);
    e->ports = 2 * crl_online_dims(online);
    for (uint32_t p = 0; p < e->ports; p++)
        if (crl_online_topology_port(online, p) >= e->topology_ports)
            e->topology_ports = crl_online_topology_port(online, p) + 1;
    e->valid = calloc(e->nodes, sizeof *e->valid);
    e->data = calloc((size_t)e->nodes * e->topology_ports, sizeof *e->data);
    return e->valid && e->data ? open_sim(e, wave, diag) : crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
}

int engine_online_new(struct engine_online **out, const struct crl_online *online, const char *wave,
                      struct crl_diag *diag)
{
    struct engine_online *e = *out = calloc(1, sizeof *e);
    int error = e ? open_engine(e, online, wave, diag) : crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    if (error) {
        engine_online_free(e);
        *out = NULL;
    }
    return error;
}

void engine_online_free(struct engine_online *e)
{
    if (!e) return;
    crl_sim_close(e->sim);
    crl_online_free(e->nobody);
    free(e->valid);
    free(e->data);
    free(e);
}

static uint32_t register_of(const struct engine_online *e, uint32_t node, uint32_t address)
{
    if (e->waiting && address == MODE) return (crl_online_register(e->online, node, address) & NO_MODE) | REPEATED;
    if (e->waiting && address == MEMORY) return e->nodes; // all may be active
    if (e->waiting && address == WAITING) return e->waiting;
    return crl_online_register(e->online, node, address);
}

int engine_online_start(struct engine_online *e, const struct crl_online *online, struct crl_diag *diag)
{
    uint32_t count = crl_online_register_count(online);
    uint32_t *rows = malloc(sizeof *rows * e->nodes * count);
    if (!rows) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    e->online = online;
    e->slot = 0;
    for (uint32_t v = 0; v < e->nodes; v++)
        for (uint32_t a = 0; a < count; a++) rows[v * count + a] = register_of(e, v, a);
    int error = crl_sim_load_tables(e->sim, rows, count, 1);
    free(rows);
    if (!error) error = crl_sim_start(e->sim, 0, 0);
    if (!error) crl_sim_step(e->sim);
    return error ? engine_fail(error, crl_sim_error(e->sim), diag) : 0;
}

// Plays a slot: its words are on the links after its edge.
static int step_slot(struct engine_online *e, const uint32_t **valid, const uint64_t **data)
{
    crl_sim_step(e->sim);
    if (crl_sim_status(e->sim)) return CRL_ERR_TOOL;
    for (uint32_t v = 0; v < e->nodes; v++)
        for (uint32_t p = 0; p < e->ports; p++) {
            uint32_t port = crl_online_topology_port(e->online, p);
            if (!(crl_sim_valid(e->sim)[v] >> p & 1)) continue;
            e->valid[v] |= UINT32_C(1) << port;
            e->data[(size_t)v * e->topology_ports + port] = crl_sim_data(e->sim)[(size_t)v * e->ports + p];
        }
    *valid = e->valid;
    *data = e->data;
    return 0;
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct engine_online *e = self;
    memset(e->valid, 0, sizeof *e->valid * e->nodes);
    *valid = e->valid;
    *data = e->data;
    if (e->slot == crl_online_slots(e->online)) return 1; // there may be none at all
    e->slot++;
    int error = step_slot(e, valid, data);
    return error ? error : e->slot == crl_online_slots(e->online);
}

struct crl_player engine_online_player(struct engine_online *engine) { return (struct crl_player){engine, step}; }

uint64_t engine_online_finish(struct engine_online *e, char text[160])
{
    uint64_t faults = 0;
    crl_sim_step(e->sim);
    crl_sim_step(e->sim);
    snprintf(text, 160, "packets are left over");
    for (uint32_t v = 0; v < e->nodes; v++)
        if (crl_sim_node_fault(e->sim, v).kinds && !faults++)
            snprintf(text, 160, "node %u: a packet found no room, or was late", v);
    return faults + crl_sim_busy(e->sim);
}

static bool held(void *user, uint32_t node, uint32_t memory, uint32_t address, uint32_t *origin, uint32_t *payload)
{
    struct engine_online *e = user;
    uint64_t packet;
    if (!crl_sim_held(e->sim, node, memory, address, &packet)) return false;
    *origin = (uint32_t)(packet >> 32);
    *payload = (uint32_t)packet;
    return true;
}

struct crl_online_memory engine_online_memory(struct engine_online *engine)
{
    return (struct crl_online_memory){held, engine};
}

// ---- intervals

int engine_intervals_new(struct engine_online **out, const struct crl_topology *topology, uint32_t waiting,
                         struct crl_diag *diag)
{
    struct engine_online *e = *out = calloc(1, sizeof *e);
    if (!e) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    e->waiting = waiting;
    int error = crl_problem_init(&e->problem, "partial-multinode-broadcast", topology, 0, CRL_PORTS_ALL, diag);
    if (!error) error = crl_problem_set_active(&e->problem, NULL, 0, crl_mini_packets(topology), diag);
    if (!error) error = crl_online_new(&e->nobody, &e->problem, 0, 0, diag);
    if (!error) error = open_engine(e, e->nobody, NULL, diag);
    if (!error) error = engine_online_start(e, e->nobody, diag);
    if (error) {
        engine_online_free(e);
        *out = NULL;
    }
    return error;
}

static int step_interval(void *self, const struct crl_interval_packet *given, size_t count,
                         struct crl_interval_slot *slot, struct crl_diag *diag)
{
    struct engine_online *e = self;
    for (size_t i = 0; i < count; i++) {
        uint32_t words[32] = {0};
        memcpy(words, given[i].word, sizeof *words * e->problem.parts);
        crl_sim_give(e->sim, given[i].node, words);
    }
    memset(e->valid, 0, sizeof *e->valid * e->nodes);
    if (step_slot(e, &slot->valid, &slot->data))
        return engine_fail(crl_sim_status(e->sim), crl_sim_error(e->sim), diag);
    struct crl_sim_interval interval = crl_sim_interval(e->sim);
    slot->begins = interval.begins;
    slot->counts = interval.counts;
    slot->faults = !interval.agree;
    for (uint32_t v = 0; v < e->nodes; v++) slot->faults += crl_sim_node_fault(e->sim, v).kinds != 0;
    return 0;
}

struct crl_intervals_engine engine_intervals_engine(struct engine_online *engine)
{
    return (struct crl_intervals_engine){"rtl", engine, step_interval, engine_online_memory(engine)};
}
