// SPDX-License-Identifier: Apache-2.0
// Routers that play slot tables.
#include "engine/kind.h"
#include <stdlib.h>
#include <string.h>

struct slots {
    struct crl_rtl engine;
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint64_t *number; // of every own packet, its first word
};

static const struct slots *slots_of(const struct crl_rtl *e) { return (const struct slots *)e; }

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
    depth = crl_places_depth(image->before, image->place_sets, depth);
    return crl_places_depth(image->after, image->place_sets, depth);
}

static void memory_row(const struct crl_rtl *e, bool sends, uint32_t table, uint32_t pass, uint32_t addr,
                       uint32_t *bits)
{
    const struct crl_geometry *g = &slots_of(e)->image->geometry;
    struct crl_row row = {0};
    (void)table; // all alike
    for (uint32_t j = 0; j < g->lanes && pass * g->lanes + j < g->banks; j++) {
        uint32_t b = pass * g->lanes + j;
        if (sends) {
            row.lane[j].ov = 1;
            row.lane[j].osel = (uint8_t)crl_geometry_bank_select(g, b);
            row.bank[b].raddr = addr;
        } else {
            row.lane[j].exp = row.bank[b].wen = 1;
            if (g->write_xbar) row.bank[b].wsel = g->combine ? UINT32_C(1) << j : j;
            row.bank[b].set = g->combine > 0;
            if (g->waddr_field) row.bank[b].waddr = addr;
        }
    }
    crl_row_pack(g, &row, bits);
}

static void fill(struct crl_rtl *e)
{
    const struct crl_geometry *g = &slots_of(e)->image->geometry;
    struct crl_permutation garbage;
    const size_t page = (size_t)e->depth * e->banks * e->stride;
    crl_garbage_init(&garbage, g, e->options.seed);
    for (uint32_t a = 0; a < e->depth; a++)
        for (uint32_t b = 0; b < e->banks; b++)
            for (uint32_t v = 0; v < e->nodes; v++)
                *crl_rtl_word(e, v, b, 0, a) = crl_permutation_at(&garbage, crl_garbage_number(g, e->node0 + v, b, a));
    for (uint32_t p = 1; p < CRL_RTL_PAGES; p++) memcpy(e->memory + p * page, e->memory, page * sizeof *e->memory);
}

static uint32_t nodes_of_set(const struct slots *s) { return s->image->folded ? s->engine.nodes : 1; }

// Sets of places of the nodes that are played here: all nodes', or from set0 on one for each.
static uint32_t set0(const struct slots *s) { return s->image->folded ? 0 : s->engine.node0; }
static uint32_t sets_end(const struct slots *s) { return s->image->folded ? 1 : s->engine.node0 + s->engine.nodes; }

// The numbers that the payloads of own packets are made from: set by set, place by place, of all nodes that have it.
static int number_own(struct slots *s, struct crl_diag *diag)
{
    const struct crl_image *image = s->image;
    size_t count = 0;
    for (uint32_t set = set0(s); set < sets_end(s); set++) count += image->before[set].count;
    uint64_t *at = s->number = malloc(sizeof *at * (count * nodes_of_set(s) + 1));
    if (!at) return crl_fail_memory(diag);
    for (uint32_t set = set0(s); set < sets_end(s); set++)
        for (uint32_t i = 0; i < image->before[set].count; i++)
            for (uint32_t v = 0; v < nodes_of_set(s); v++) {
                uint32_t origin = image->before[set].place[i].origin, dest = image->before[set].place[i].dest;
                uint32_t node = image->folded ? s->engine.node0 + v : set;
                if (image->folded) crl_packet_shift(s->problem, node, &origin, &dest);
                *at++ = crl_payload_number(s->problem, node, origin, dest) * image->geometry.words;
            }
    return 0;
}

static void own(struct crl_rtl *e, uint32_t first, uint32_t count)
{
    const struct slots *s = slots_of(e);
    const struct crl_image *image = s->image;
    const uint64_t *number = s->number;
    const uint32_t nodes = nodes_of_set(s);
    struct crl_permutation payload;
    crl_payload_init(&payload, &image->geometry, e->options.seed);
    for (uint32_t set = set0(s); set < sets_end(s); set++) {
        const uint32_t node = set - set0(s);
        for (uint32_t b = 0; b < e->banks; b++) {
            uint32_t zero = crl_image_zero(image, set, b);
            for (uint32_t w = 0; w < count && zero < e->depth; w++)
                memset(crl_rtl_word(e, node, b, w, zero), 0, sizeof *e->memory * nodes);
        }
        for (uint32_t i = 0; i < image->before[set].count; i++, number += nodes) {
            const struct crl_place *p = &image->before[set].place[i];
            for (uint32_t w = 0; w < count; w++)
                crl_permutation_many(&payload, number, first + w, crl_rtl_word(e, node, p->bank, w, p->addr), nodes);
        }
    }
}

static void done(struct crl_rtl *e) { free(((struct slots *)e)->number); }

static void note(struct crl_rtl *e) { crl_rtl_note_network(e, slots_of(e)->image); }

static const struct crl_rtl_kind machine = {
    .memory_row = memory_row, .fill = fill, .own = own, .note = note, .done = done};

static int open_sim(struct slots *s, const uint32_t *node_table, struct crl_diag *diag)
{
    struct crl_rtl *e = &s->engine;
    const uint32_t rows = s->image->geometry.rows, deepest = e->depth * e->passes > rows ? e->depth * e->passes : rows;
    return crl_rtl_open_network(e, s->image, s->problem, node_table, deepest, NULL, diag);
}

int crl_rtl_slots_new(struct crl_rtl **out, const struct crl_image *image, const struct crl_problem *problem,
                      const struct crl_rtl_options *options, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    const uint32_t slot_cycles = crl_slot_cycles(g, image->port_model);
    struct slots *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) return crl_fail_memory(diag);
    s->image = image;
    s->problem = problem;
    s->engine = (struct crl_rtl){.machine = &machine,
                                 .options = *options,
                                 .nodes = image->nodes,
                                 .ports = g->ports,
                                 // The pipeline, and the words that are still on links.
                                 .drain = 4 + (crl_topology_latency_max(problem->topology) - 1) * slot_cycles,
                                 .store = &image->store,
                                 .tables = image->tables,
                                 .rows = g->rows,
                                 .row_words = image->store.row_words,
                                 .words = g->words,
                                 .lanes = g->lanes,
                                 .banks = g->banks,
                                 .depth = depth_of(image)};
    uint32_t *node_table = NULL;
    int error = crl_rtl_share(&s->engine, image, problem->context, &node_table);
    if (!error) error = crl_rtl_share_links(&s->engine, problem->topology, slot_cycles);
    if (error) crl_fail_memory(diag);
    if (!error) error = crl_rtl_prepare(&s->engine, diag);
    if (!error) error = number_own(s, diag);
    if (!error) error = open_sim(s, node_table ? node_table : image->node_table, diag);
    free(node_table);
    if (!error) error = crl_rtl_load(&s->engine, diag);
    if (error) crl_rtl_free(&s->engine);
    else *out = &s->engine;
    return error;
}
