// SPDX-License-Identifier: Apache-2.0
// The way back: follows every packet by name through the tables, and so reads a schedule out of an image. What comes
// out must be what was lowered.
#include "base/base.h"
#include "lower/lower.h"
#include <stdlib.h>
#include <string.h>

// Names of words: packets as origin·2^32 + dest, and two that are none.
static const uint64_t nothing = UINT64_MAX, zeros = UINT64_MAX - 1;

struct write {
    uint64_t name;
    uint32_t addr;
};

struct raise {
    const struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_schedule *schedule;
    uint32_t nodes;       // played: 1 if relative
    uint64_t *memory;     // [nodes][banks][2^addr_width]
    uint64_t *delayed;    // [nodes][banks]
    struct write *writes; // [nodes][banks] of the last row: not in the memory yet
    uint64_t *in, *out;   // [nodes][ports] names on the links, this cycle and the next
};

static uint64_t *word_at(struct raise *r, uint32_t node, uint32_t bank, uint32_t addr)
{
    const struct crl_geometry *g = &r->image->geometry;
    return &r->memory[(((size_t)node * g->banks + bank) << g->addr_width) + addr];
}

static uint64_t shifted(const struct raise *r, uint64_t name, uint32_t by)
{
    const struct crl_topology *t = r->problem->topology;
    if (name >= zeros) return name;
    uint64_t origin = crl_topology_shift(t, (uint32_t)(name >> 32), by);
    uint32_t dest = (uint32_t)name;
    if (crl_problem_naming(r->problem) == CRL_NAMING_PAIR) dest = crl_topology_shift(t, dest, by);
    return origin << 32 | dest;
}

// What departed becomes what arrives.
static void exchange(struct raise *r)
{
    const struct crl_topology *t = r->problem->topology;
    uint32_t ports = r->image->geometry.ports;
    for (uint32_t v = 0; v < r->nodes; v++)
        for (uint32_t p = 0; p < ports; p++) {
            uint32_t from = crl_topology_behind(t, v, p);
            uint64_t *in = &r->in[(size_t)v * ports + p];
            if (from == CRL_NONE) *in = nothing;
            else *in = r->image->folded ? shifted(r, r->out[p], from) : r->out[(size_t)from * ports + p];
        }
    for (size_t i = 0; i < (size_t)r->nodes * ports; i++) r->out[i] = nothing;
}

// The name that an output sends: of a live input, or what a bank's lane shows.
static uint64_t selected(const struct crl_geometry *g, uint32_t osel, const uint64_t *input, const uint64_t *value)
{
    if (crl_geometry_is_direct(g) && osel < g->lanes) return input[osel];
    uint32_t bank = osel - crl_geometry_bank_select(g, 0);
    return bank < g->banks ? value[bank] : nothing;
}

static int play_row(struct raise *r, uint32_t v, uint32_t number, const struct crl_row *row)
{
    const struct crl_geometry *g = &r->image->geometry;
    const uint64_t *in = r->in + (size_t)v * g->ports;
    uint64_t *out = r->out + (size_t)v * g->ports, value[CRL_BANKS_MAX], input[CRL_BANKS_MAX];
    uint64_t live[CRL_PORTS_MAX];
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].iport;
        live[j] = port < g->ports ? in[port] : nothing;
    }
    for (uint32_t b = 0; b < g->banks; b++) {
        uint32_t j = g->write_xbar ? row->bank[b].wsel : b;
        input[b] = j < g->lanes ? live[j] : nothing;
        uint64_t read = *word_at(r, v, b, row->bank[b].raddr), *delayed = &r->delayed[(size_t)v * g->banks + b];
        value[b] = row->bank[b].byp ? input[b] : *delayed == nothing ? read : read == zeros ? *delayed : nothing;
        *delayed = row->bank[b].dly ? input[b] : nothing;
    }
    for (uint32_t b = 0; b < g->banks; b++) {
        struct write *write = &r->writes[(size_t)v * g->banks + b];
        if (write->addr != CRL_NONE) *word_at(r, v, b, write->addr) = write->name;
        write->name = input[b];
        write->addr = !row->bank[b].wen ? CRL_NONE : g->waddr_field ? row->bank[b].waddr : number;
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row->lane[j].oport;
        if (!row->lane[j].ov) continue;
        uint64_t name = port < g->ports ? selected(g, row->lane[j].osel, live, value) : nothing;
        uint32_t dst = port < g->ports ? crl_topology_neighbor(r->problem->topology, v, port) : CRL_NONE;
        if (name >= zeros || dst == CRL_NONE) return CRL_ERR_MISMATCH; // sends nothing, or into the void
        out[port] = name;
        struct crl_move move = {.slot = crl_link_slot(g, r->image->port_model, number + 1),
                                .src = v,
                                .dst = dst,
                                .origin = (uint32_t)(name >> 32),
                                .dest = (uint32_t)name};
        if (crl_schedule_add(r->schedule, move)) return CRL_ERR_MEMORY;
    }
    return 0;
}

static void load(struct raise *r)
{
    const struct crl_geometry *g = &r->image->geometry;
    size_t words = ((size_t)r->nodes * g->banks) << g->addr_width;
    for (size_t i = 0; i < words; i++) r->memory[i] = nothing;
    for (size_t i = 0; i < (size_t)r->nodes * g->banks; i++) {
        r->delayed[i] = nothing;
        r->writes[i].addr = CRL_NONE;
    }
    for (size_t i = 0; i < (size_t)r->nodes * g->ports; i++) r->out[i] = nothing;
    for (uint32_t v = 0; v < r->nodes; v++)
        for (uint32_t b = 0; b < g->banks; b++) {
            uint32_t zero = r->image->zero[(size_t)v * g->banks + b];
            if (zero != CRL_NONE) *word_at(r, v, b, zero) = zeros;
        }
    for (uint32_t v = 0; v < r->nodes; v++)
        for (uint32_t i = 0; i < r->image->before[v].count; i++) {
            const struct crl_place *p = &r->image->before[v].place[i];
            *word_at(r, v, p->bank, p->addr) = (uint64_t)p->origin << 32 | p->dest;
        }
}

static int play(struct raise *r)
{
    const struct crl_geometry *g = &r->image->geometry;
    struct crl_row row;
    int error = 0;
    for (uint32_t number = 0; number < g->rows && !error; number++) {
        exchange(r);
        for (uint32_t v = 0; v < r->nodes && !error; v++) {
            crl_row_unpack(g, crl_image_row(r->image, r->image->node_table[v], number), &row);
            error = play_row(r, v, number, &row);
        }
    }
    return error;
}

int crl_raise(struct crl_schedule *schedule, const struct crl_image *image, const struct crl_problem *problem,
              struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    struct raise r = {
        .image = image, .problem = problem, .schedule = schedule, .nodes = image->folded ? 1 : image->nodes};
    crl_schedule_init(schedule, problem->topology, crl_problem_naming(problem), image->folded);
    r.memory = malloc((sizeof *r.memory * r.nodes * g->banks) << g->addr_width);
    r.delayed = malloc(sizeof *r.delayed * r.nodes * g->banks);
    r.writes = malloc(sizeof *r.writes * r.nodes * g->banks);
    r.in = malloc(sizeof *r.in * r.nodes * g->ports);
    r.out = malloc(sizeof *r.out * r.nodes * g->ports);
    int error = r.memory && r.delayed && r.writes && r.in && r.out ? 0 : CRL_ERR_MEMORY;
    if (!error) {
        load(&r);
        error = play(&r);
    }
    if (!error) error = crl_schedule_sort(schedule);
    free(r.memory);
    free(r.delayed);
    free(r.writes);
    free(r.in);
    free(r.out);
    if (error == CRL_ERR_MISMATCH) return crl_fail(diag, error, "a table sends a word that is no packet");
    return error ? crl_fail_memory(diag) : 0;
}
