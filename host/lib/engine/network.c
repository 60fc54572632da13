// SPDX-License-Identifier: Apache-2.0
// Routers on links, whatever their own words come from.
#include "engine/kind.h"
#include "base/base.h"
#include "base/memory.h"
#include "trace/trace.h"
#include <inttypes.h>
#include <stdlib.h>

// Clocks more than one that the words of each input take, and what feeds it.
static void wire(const struct crl_rtl *e, const struct crl_image *image, const struct crl_topology *t, uint32_t *source,
                 uint32_t *lag)
{
    uint32_t slot = crl_slot_cycles(&image->geometry, image->port_model), ports = image->geometry.ports;
    for (uint32_t v = 0; v < e->nodes; v++)
        for (uint32_t p = 0; p < ports; p++) {
            uint32_t from = crl_topology_behind(t, e->node0 + v, p);
            bool here = from != CRL_NONE && from - e->node0 < e->nodes;
            source[(size_t)v * ports + p] = here ? from - e->node0 : CRL_NONE;
            lag[(size_t)v * ports + p] = here ? (crl_topology_latency(t, from, p) - 1) * slot : 0;
        }
}

// The own words of nodes by name: those of packets, and of sums each node's part of a chunk.
struct own_words {
    const struct crl_problem *problem;
    struct crl_permutation payload;
    uint32_t words;
};

static bool own_word(const void *user, uint64_t index, uint64_t *word, char name[64])
{
    const struct own_words *own = user;
    uint64_t packet = index / own->words, packets = crl_problem_packets(own->problem);
    uint32_t origin, dest, node = (uint32_t)(packet / packets), part = (uint32_t)(index % own->words);
    bool sums = crl_problem_sums(own->problem);
    if (packet >= packets * (sums ? crl_topology_nodes(own->problem->topology) : 1)) return false;
    crl_problem_packet(own->problem, packet % packets, &origin, &dest);
    *word = crl_permutation_at(&own->payload, crl_payload_number(own->problem, node, origin, dest) * own->words + part);
    char text[CRL_PACKET_NAME];
    int used = snprintf(name, 64, "%.30s", crl_problem_packet_name(own->problem, origin, dest, text));
    if (sums) used += snprintf(name + used, 64 - (size_t)used, "_of_node_%" PRIu32, node);
    if (own->words > 1) snprintf(name + used, 64 - (size_t)used, ":%" PRIu32, part);
    return true;
}

static int view(const struct crl_rtl *e, const struct crl_image *image, const struct crl_problem *problem,
                uint32_t rows, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    struct own_words own = {.problem = problem, .words = g->words};
    crl_payload_init(&own.payload, g, e->options.seed);
    const struct crl_wave_signals signals = {.nodes = e->nodes,
                                             .node0 = e->node0,
                                             .ports_out = g->ports,
                                             .ports_in = g->ports,
                                             .width = g->data_width,
                                             .fault_bits = 3,
                                             .sequencers = e->tables,
                                             .row_bits = crl_bits_for(crl_built_depth(rows))};
    const struct crl_wave_names names = {own_word, &own, g->rows - 1, crl_slot_cycles(g, image->port_model)};
    return crl_rtl_view(e->options.wave, &signals, &names, diag);
}

// What is read back has a place in memory, and a word of a bank one in the simulator.
static int expect_memory(const struct crl_rtl *e, const struct crl_geometry *g, struct crl_diag *diag)
{
    const uint64_t banks = (uint64_t)CRL_RTL_PAGES * g->banks * e->nodes, word = g->data_width > 32 ? sizeof(uint64_t)
                                                                                 : g->data_width > 16
                                                                                     ? sizeof(uint32_t)
                                                                                     : sizeof(uint16_t);
    char what[96];
    snprintf(what, sizeof what, "playing %u nodes in RTL (--engine model is smaller)", e->nodes);
    return crl_memory_expect(banks * (e->depth * sizeof *e->memory + (word << g->addr_width)), what, diag);
}

int crl_rtl_open_network(struct crl_rtl *e, const struct crl_image *image, const struct crl_problem *problem,
                         const uint32_t *node_table, uint32_t rows, const struct crl_rtl_boards *boards,
                         struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    const struct crl_topology *topology = problem->topology;
    bool late = crl_topology_latency_max(topology) > 1;
    int error = expect_memory(e, g, diag);
    if (error) return error;
    uint32_t *source = malloc(sizeof *source * 2 * e->nodes * g->ports), *lag = source + (size_t)e->nodes * g->ports;
    if (!source) return crl_fail_memory(diag);
    wire(e, image, topology, source, lag);
    struct crl_sim_config config = {.params = {.kind = CRL_SIM_NETWORK,
                                               .network = {.ports = g->ports,
                                                           .lanes = g->lanes,
                                                           .banks = g->banks,
                                                           .write_xbar = g->write_xbar,
                                                           .delay = g->delay,
                                                           .waddr_field = g->waddr_field,
                                                           .data_width = g->data_width,
                                                           .addr_width = g->addr_width,
                                                           .table_depth = rows,
                                                           .pages = CRL_RTL_PAGES,
                                                           .streams = g->streams > 0,
                                                           .storeless = g->storeless,
                                                           .based = e->options.then != NULL,
                                                           .cables = boards ? boards->depth : 0,
                                                           .combine = g->combine}},
                                    .nodes = e->nodes,
                                    .tables = e->tables,
                                    .node_table = node_table,
                                    .source = source,
                                    .lag = late ? lag : NULL,
                                    .boards = boards ? &boards->sim : NULL};
    error = crl_rtl_open(&e->sim, &config, &e->options, diag);
    free(source);
    if (!error && e->options.wave) error = view(e, image, problem, rows, diag);
    return error;
}

void crl_rtl_note_network(struct crl_rtl *e, const struct crl_image *image)
{
    uint32_t per_slot = crl_slot_cycles(&image->geometry, image->port_model);
    for (uint32_t t = 0; t < e->tables; t++) {
        struct crl_sim_table_fault fault = crl_sim_table_fault(e->sim, t);
        uint32_t table = e->table ? e->table[t] : t;
        if (fault.parity && crl_rtl_speaks_for(e, image, table))
            crl_rtl_fault(e, "table %u: bad parity in row %u", table, fault.row);
    }
    for (uint32_t v = 0; v < e->nodes; v++) {
        struct crl_sim_fault fault = crl_sim_node_fault(e->sim, v);
        if (fault.kinds & CRL_SIM_FAULT_STARVED)
            crl_rtl_fault(e, "node %u: starved: an own word was not there", e->node0 + v);
        if (fault.kinds & ~(uint32_t)CRL_SIM_FAULT_STARVED)
            crl_rtl_fault(e, "node %u: %s%s%son port %d in slot %u", e->node0 + v,
                          fault.kinds & CRL_SIM_FAULT_MISSING ? "missing " : "",
                          fault.kinds & CRL_SIM_FAULT_UNEXPECTED ? "unexpected " : "",
                          fault.kinds & CRL_SIM_FAULT_OVERRUN ? "overrun " : "",
                          fault.ports ? __builtin_ctz(fault.ports) : -1, (fault.row + per_slot - 1) / per_slot);
    }
}
