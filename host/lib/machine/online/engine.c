// SPDX-License-Identifier: Apache-2.0
// On-line routers.
#include "base/base.h"
#include "engine/kind.h"
#include "machine/online/online.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Registers of intervals (rtl/online/crl_online_node.sv): the mode, and how many packets a memory and the queue may
// hold.
enum { MODE = 0, MEMORY = 13, WAITING = 14 };
enum { REPEATED = 5 << 2, NO_MODE = ~(7 << 2) };

struct online {
    struct crl_rtl engine;
    const struct crl_online *online;
    uint32_t ports, topology_ports; // ports: of a router
    struct crl_problem problem;     // of intervals: nobody is active
    struct crl_online *nobody;
    uint32_t waiting; // packets that may wait for their interval; 0: single runs
    uint32_t *valid;
    uint64_t *data; // both by ports of the topology
};

static struct online *online_of(struct crl_rtl *e) { return (struct online *)e; }

// Payloads by name: packets of single runs, and the first ones of intervals.
static bool own_word(const void *user, uint64_t index, uint64_t *word, char name[64])
{
    enum { INTERVALS_MAX = 1 << 12 }; // numbers of packets times nodes
    const struct online *o = user;
    const struct crl_problem *problem = o->online->problem;
    uint32_t nodes = o->engine.nodes, dest;
    if (o->waiting) {
        uint32_t part = (uint32_t)(index % problem->parts), origin = (uint32_t)(index / problem->parts % nodes),
                 sequence = (uint32_t)(index / problem->parts / nodes);
        *word = crl_online_payload_of(problem, origin, part, sequence, o->engine.options.seed);
        snprintf(name, 64, "%" PRIu32 ".%" PRIu32, origin, sequence * problem->parts + part);
        return (uint64_t)sequence * nodes < INTERVALS_MAX;
    }
    if (index >= crl_problem_packets(problem)) return false;
    uint32_t origin;
    char packet[CRL_PACKET_NAME];
    crl_problem_packet(problem, index, &origin, &dest);
    *word = crl_online_payload(o->online, origin, dest);
    snprintf(name, 64, "%.60s", crl_problem_packet_name(problem, origin, dest, packet));
    return true;
}

static int view(const struct online *o, const struct crl_sim_online *built, struct crl_diag *diag)
{
    uint32_t width = crl_sim_online_link_bits(built), dims = o->ports / 2;
    bool exchanges = built->control == CRL_SIM_ONLINE_EXCHANGE;
    const struct crl_wave_signals signals = {
        .nodes = o->engine.nodes,
        .ports_out = o->ports,
        .ports_in = o->ports,
        .width = width,
        .fault_bits = 1,
        .field_count = 2,
        .field = {{"", 0, 32, CRL_WAVE_NAMED}, {"head", 32, width - 32, CRL_WAVE_HEX}},
        .more = {{"slot_i", 1}, {"phase_o", 2}, {"step_o", !exchanges && dims > 2 ? crl_bits_for(dims) : 0}}};
    return crl_rtl_view(o->engine.options.wave, &signals, &(struct crl_wave_names){.word = own_word, .user = o}, diag);
}

static int open_sim(struct online *o, struct crl_diag *diag)
{
    const uint32_t nodes = o->engine.nodes;
    uint32_t *source = malloc(sizeof *source * nodes * o->ports);
    if (!source) return crl_fail_memory(diag);
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t p = 0; p < o->ports; p++) source[v * o->ports + p] = crl_online_behind(o->online, v, p);
    struct crl_sim_config config = {
        .params = {.kind = CRL_SIM_ONLINE,
                   .online = {.control =
                                  crl_online_exchanges(o->online) ? CRL_SIM_ONLINE_EXCHANGE : CRL_SIM_ONLINE_BROADCAST,
                              .ports = o->ports,
                              .registers = crl_online_register_count(o->online),
                              .nodes = nodes,
                              .depth = o->waiting ? nodes : crl_online_depth(o->online),
                              .sides = crl_online_address_bits(o->online),
                              .wait = o->waiting ? o->waiting : 1}},
        .nodes = nodes,
        .tables = nodes,
        .source = source};
    int error = crl_rtl_open(&o->engine.sim, &config, &o->engine.options, diag);
    free(source);
    if (!error && o->engine.options.wave) error = view(o, &config.params.online, diag);
    return error;
}

static int open_engine(struct online *o, const struct crl_online *online, struct crl_diag *diag)
{
    o->online = online;
    o->engine.nodes = crl_online_nodes(online);
    o->ports = 2 * crl_online_dims(online);
    for (uint32_t p = 0; p < o->ports; p++)
        if (crl_online_topology_port(online, p) >= o->topology_ports)
            o->topology_ports = crl_online_topology_port(online, p) + 1;
    o->valid = calloc(o->engine.nodes, sizeof *o->valid);
    o->data = calloc((size_t)o->engine.nodes * o->topology_ports, sizeof *o->data);
    return o->valid && o->data ? open_sim(o, diag) : crl_fail_memory(diag);
}

static void show(struct crl_rtl *e, const uint32_t **valid, const uint64_t **data)
{
    struct online *o = online_of(e);
    bool any = false;
    memset(o->valid, 0, sizeof *o->valid * e->nodes);
    for (uint32_t v = 0; v < e->nodes; v++)
        for (uint32_t p = 0; p < o->ports; p++) {
            uint32_t port = crl_online_topology_port(o->online, p);
            if (!(crl_sim_valid(e->sim)[v] >> p & 1)) continue;
            any = true;
            o->valid[v] |= UINT32_C(1) << port;
            o->data[(size_t)v * o->topology_ports + port] = crl_sim_data(e->sim)[(size_t)v * o->ports + p];
        }
    if (any && !crl_sim_busy(e->sim)) crl_rtl_fault(e, "words on links, and no node is busy");
    *valid = o->valid;
    *data = o->data;
}

static void note(struct crl_rtl *e)
{
    for (uint32_t v = 0; v < e->nodes; v++)
        if (crl_sim_node_fault(e->sim, v).kinds) crl_rtl_fault(e, "node %u: a packet found no room, or was late", v);
    if (crl_sim_busy(e->sim)) crl_rtl_fault(e, "packets are left over");
}

static void done(struct crl_rtl *e)
{
    struct online *o = online_of(e);
    crl_online_free(o->nobody);
    CRL_FREE(o->valid, o->data);
}

static const struct crl_rtl_kind machine = {.show = show, .note = note, .done = done};

static struct online *online_new(const struct crl_rtl_options *options)
{
    struct online *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->engine = (struct crl_rtl){.machine = &machine, .options = *options, .drain = 2};
    o->engine.options.threads = 1;
    return o;
}

int crl_rtl_online_new(struct crl_rtl **out, const struct crl_online *online, const struct crl_rtl_options *options,
                       struct crl_diag *diag)
{
    struct online *o = online_new(options);
    *out = NULL;
    if (!o) return crl_fail_memory(diag);
    int error = open_engine(o, online, diag);
    if (error) crl_rtl_free(&o->engine);
    else *out = &o->engine;
    return error;
}

static uint32_t register_of(const struct online *o, uint32_t node, uint32_t address)
{
    if (o->waiting && address == MODE) return (crl_online_register(o->online, node, address) & NO_MODE) | REPEATED;
    if (o->waiting && address == MEMORY) return o->engine.nodes; // all may be active
    if (o->waiting && address == WAITING) return o->waiting;
    return crl_online_register(o->online, node, address);
}

int crl_rtl_online_start(struct crl_rtl *e, const struct crl_online *online, struct crl_diag *diag)
{
    struct online *o = online_of(e);
    uint32_t count = crl_online_register_count(online);
    uint32_t *rows = malloc(sizeof *rows * e->nodes * count);
    if (!rows) return crl_fail_memory(diag);
    o->online = online;
    e->step = e->faults = 0;
    e->cycles = crl_online_slots(online);
    for (uint32_t v = 0; v < e->nodes; v++)
        for (uint32_t a = 0; a < count; a++) rows[v * count + a] = register_of(o, v, a);
    int error = crl_sim_load_tables(e->sim, rows, count, 1);
    free(rows);
    if (!error) error = crl_sim_start(e->sim, 0, 0);
    if (error) return crl_fail(diag, error, "the RTL does not take these registers, or does not start");
    crl_sim_step(e->sim);
    return crl_sim_status(e->sim, diag);
}

static bool held(void *user, uint32_t node, uint32_t memory, uint32_t address, uint32_t *origin, uint32_t *payload)
{
    struct crl_rtl *e = user;
    uint64_t packet;
    if (!crl_sim_held(e->sim, node, memory, address, &packet)) return false;
    *origin = (uint32_t)(packet >> 32);
    *payload = (uint32_t)packet;
    return true;
}

struct crl_online_memory crl_rtl_online_memory(struct crl_rtl *engine)
{
    return (struct crl_online_memory){held, engine};
}

// ---- intervals

int crl_rtl_intervals_new(struct crl_rtl **out, const struct crl_topology *topology, uint32_t waiting,
                          const struct crl_rtl_options *options, struct crl_diag *diag)
{
    struct online *o = online_new(options);
    *out = NULL;
    if (!o) return crl_fail_memory(diag);
    o->waiting = waiting;
    int error = crl_problem_init(&o->problem, "partial-multinode-broadcast", topology, 0, CRL_PORTS_ALL, diag);
    if (!error) error = crl_problem_set_active(&o->problem, NULL, 0, crl_mini_packets(topology), diag);
    if (!error) error = crl_online_new(&o->nobody, &o->problem, false, 0, 0, diag);
    if (!error) error = open_engine(o, o->nobody, diag);
    if (!error) error = crl_rtl_online_start(&o->engine, o->nobody, diag);
    if (error) crl_rtl_free(&o->engine);
    else *out = &o->engine;
    return error;
}

static int step_interval(void *self, const struct crl_interval_packet *given, size_t count,
                         struct crl_interval_slot *slot, struct crl_diag *diag)
{
    struct crl_rtl *e = self;
    for (size_t i = 0; i < count; i++) {
        uint32_t words[32] = {0};
        memcpy(words, given[i].word, sizeof *words * online_of(e)->problem.parts);
        crl_sim_give(e->sim, given[i].node, words);
    }
    int error = crl_rtl_step(e, &slot->valid, &slot->data, diag);
    if (error) return error;
    struct crl_sim_interval interval = crl_sim_interval(e->sim);
    slot->begins = interval.begins;
    slot->counts = interval.counts;
    slot->faults = !interval.agree;
    for (uint32_t v = 0; v < e->nodes; v++) slot->faults += crl_sim_node_fault(e->sim, v).kinds != 0;
    return 0;
}

int crl_rtl_intervals_finish(struct crl_rtl *engine, struct crl_diag *diag)
{
    return crl_sim_finish(engine->sim, diag);
}

struct crl_intervals_engine crl_rtl_intervals_engine(struct crl_rtl *engine)
{
    return (struct crl_intervals_engine){"rtl", engine, step_interval, crl_rtl_online_memory(engine)};
}
