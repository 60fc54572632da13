// SPDX-License-Identifier: Apache-2.0
// Lowering: a checked schedule becomes tables and placements.
//
// First the form: banks fed straight by their ports if in no node two packets from one port leave at once, else a write
// crossbar with as few banks as a colouring needs. Then, node by node: lanes, addresses, rows; equal tables are kept
// once.
#include "lower/lower.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

struct lowering {
    struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_traffic *traffic;
    struct crl_node_plan *plans; // [planned_nodes]
    uint32_t planned_nodes;      // 1 if relative, else all
    uint32_t cycles;
    struct crl_diag *diag;
};

static int collect(struct lowering *l)
{
    int error = 0;
    for (uint32_t v = 0; v < l->planned_nodes && !error; v++)
        error = crl_node_plan_collect(&l->plans[v], l->traffic, l->problem, &l->image->geometry, v);
    return error ? crl_fail_memory(l->diag) : 0;
}

static bool all_by_input(struct lowering *l)
{
    for (uint32_t v = 0; v < l->planned_nodes; v++)
        if (!crl_lanes_by_input(&l->plans[v], &l->image->geometry, l->cycles)) return false;
    return true;
}

static int all_by_colour(struct lowering *l)
{
    int good = 1;
    for (uint32_t v = 0; v < l->planned_nodes && good == 1; v++)
        good = crl_lanes_by_colour(&l->plans[v], &l->image->geometry, l->cycles);
    return good;
}

// Fewer banks than lanes.
static int choose_direct(struct lowering *l, uint32_t banks)
{
    struct crl_geometry *g = &l->image->geometry;
    g->banks = banks;
    g->write_xbar = 1;
    int good = 1;
    uint32_t v = 0;
    for (; v < l->planned_nodes && good == 1; v++) good = crl_lanes_direct(&l->plans[v], g, l->cycles);
    if (good < 0) return crl_fail_memory(l->diag);
    if (!good)
        return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                        "'%u' banks for %u lanes: at node %u packets wait, or more of them enter or leave in a cycle "
                        "than the banks can read or write. '--scheme one-bank' plans total exchanges for one bank; "
                        "other schedules need as many banks as lanes: leave out --banks",
                        banks, g->lanes, v - 1);
    return 0;
}

// Chooses the form and the lanes; sets banks, write_xbar.
static int choose_lanes(struct lowering *l, uint32_t wanted)
{
    struct crl_geometry *g = &l->image->geometry;
    g->banks = g->lanes;
    if (wanted > CRL_BANKS_MAX)
        return crl_fail(l->diag, CRL_ERR_UNSUPPORTED, "'%u' banks; a router has at most %d", wanted, CRL_BANKS_MAX);
    if (wanted && wanted < g->lanes) return choose_direct(l, wanted);
    int good = (!wanted || wanted == g->lanes) && all_by_input(l);
    if (!good) {
        g->write_xbar = 1;
        for (g->banks = wanted ? wanted : g->lanes; !good && g->banks <= CRL_BANKS_MAX; g->banks++) {
            good = all_by_colour(l);
            if (good || wanted) break;
        }
    }
    if (good < 0) return crl_fail_memory(l->diag);
    if (!good)
        return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                        "no way found to share out the packets among %u banks; leave out --banks",
                        wanted ? wanted : CRL_BANKS_MAX);
    for (uint32_t v = 0; v < l->planned_nodes; v++)
        if (crl_lanes_fill(&l->plans[v], g, l->cycles)) return crl_fail_memory(l->diag);
    return 0;
}

static bool has_waits(const struct crl_node_plan *plan)
{
    for (size_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        for (uint32_t k = 0; visit->arrival && k < visit->count; k++)
            if (plan->departures[visit->first + k].cycle > visit->arrival + 1) return true;
    }
    return false;
}

static int choose_addresses(struct lowering *l)
{
    struct crl_geometry *g = &l->image->geometry;
    uint32_t depth = 0;
    int error = 0;
    // With all ports served at once, addresses by row number cost nothing and waste little; with fewer lanes a store of
    // as many words as there are cycles would be mostly empty, and the wider row fits the same block RAMs.
    g->waddr_field = g->lanes < g->ports;
    for (uint32_t v = 0; v < l->planned_nodes && !error; v++) {
        struct crl_node_plan *plan = &l->plans[v];
        error =
            g->waddr_field ? crl_addresses_by_reuse(plan, g, l->cycles) : crl_addresses_by_counter(plan, g, l->cycles);
        if (plan->depth > depth) depth = plan->depth;
        g->delay |= !crl_geometry_is_direct(g) && has_waits(plan);
    }
    if (error) return crl_fail_memory(l->diag);
    if (!g->waddr_field && depth < l->cycles + 1) depth = l->cycles + 1; // the row number is the address
    enum { SMALLEST = 8 }; // a block RAM of the iCE40 holds 256 words: fewer save nothing
    g->addr_width = crl_bits_for(depth) > SMALLEST ? crl_bits_for(depth) : SMALLEST;
    return 0;
}

// Appends `table` unless an equal one is there; hash chains find it.
static int keep_table(struct crl_image *image, size_t table_words, const uint32_t *table, uint32_t *chain,
                      uint32_t *heads, uint32_t heads_count, size_t *capacity, uint32_t *index)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < table_words; i++) hash = (hash ^ table[i]) * UINT64_C(1099511628211);
    uint32_t *head = &heads[(hash ^ hash >> 32) % heads_count];
    for (uint32_t t = *head; t; t = chain[t - 1])
        if (!memcmp(image->bits + (t - 1) * table_words, table, table_words * sizeof *table)) {
            *index = t - 1;
            return 0;
        }
    int error = crl_grow((void **)&image->bits, capacity, image->tables, table_words * sizeof *table);
    if (error) return error;
    memcpy(image->bits + image->tables * table_words, table, table_words * sizeof *table);
    chain[image->tables] = *head;
    *index = image->tables++;
    *head = image->tables;
    return 0;
}

static int emit_tables(struct lowering *l)
{
    struct crl_image *image = l->image;
    const struct crl_geometry *g = &image->geometry;
    size_t table_words = (size_t)g->rows * crl_row_words(g), capacity = 0;
    uint32_t heads_count = l->planned_nodes * 2 + 1;
    struct crl_row *rows = malloc(sizeof *rows * g->rows);
    uint32_t *table = malloc(sizeof *table * table_words), *heads = calloc(heads_count, sizeof *heads);
    uint32_t *chain = malloc(sizeof *chain * l->planned_nodes);
    int error = rows && table && heads && chain ? 0 : CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < l->planned_nodes && !error; v++) {
        crl_rows_emit(&l->plans[v], g, table, rows);
        error = keep_table(image, table_words, table, chain, heads, heads_count, &capacity, &image->node_table[v]);
    }
    free(rows);
    free(table);
    free(heads);
    free(chain);
    return error ? crl_fail_memory(l->diag) : 0;
}

static int place_set(const struct crl_node_plan *plan, struct crl_places *before, struct crl_places *after)
{
    size_t before_capacity = 0, after_capacity = 0;
    int error = 0;
    for (size_t i = 0; i < plan->visits_count && !error; i++) {
        const struct crl_visit *v = &plan->visits[i];
        struct crl_place place = {v->origin, v->dest, v->lane, v->addr};
        if (v->keep) {
            error = crl_grow((void **)&after->place, &after_capacity, after->count, sizeof place);
            if (!error) after->place[after->count++] = place;
        }
        if (v->arrival || error) continue;
        error = crl_grow((void **)&before->place, &before_capacity, before->count, sizeof place);
        if (!error) before->place[before->count++] = place;
        for (uint32_t k = 0; k < v->count && !error; k++) { // copies in other lanes
            const struct crl_departure *out = &plan->departures[v->first + k];
            bool known = out->lane == v->lane;
            for (uint32_t m = 0; m < k; m++) known |= plan->departures[v->first + m].lane == out->lane;
            if (known) continue;
            error = crl_grow((void **)&before->place, &before_capacity, before->count, sizeof place);
            if (!error) before->place[before->count++] = (struct crl_place){v->origin, v->dest, out->lane, out->addr};
        }
    }
    return error;
}

static int place_all(struct lowering *l)
{
    struct crl_image *image = l->image;
    image->before = calloc(l->planned_nodes, sizeof *image->before);
    image->after = calloc(l->planned_nodes, sizeof *image->after);
    image->zero = malloc(sizeof *image->zero * l->planned_nodes * image->geometry.banks);
    if (!image->before || !image->after || !image->zero) return crl_fail_memory(l->diag);
    image->place_sets = l->planned_nodes;
    for (uint32_t v = 0; v < l->planned_nodes; v++)
        memcpy(image->zero + (size_t)v * image->geometry.banks, l->plans[v].zero,
               sizeof *image->zero * image->geometry.banks);
    for (uint32_t v = 0; v < l->planned_nodes; v++)
        if (place_set(&l->plans[v], &image->before[v], &image->after[v])) return crl_fail_memory(l->diag);
    return 0;
}

static int lower(struct lowering *l, const struct crl_schedule *schedule, const struct crl_lower_options *options)
{
    l->planned_nodes = schedule->folded ? 1 : l->image->nodes;
    l->plans = calloc(l->planned_nodes, sizeof *l->plans);
    l->image->node_table = calloc(l->image->nodes, sizeof *l->image->node_table);
    if (!l->plans || !l->image->node_table || crl_traffic_new(&l->traffic, schedule)) return crl_fail_memory(l->diag);
    int error = collect(l);
    if (!error) error = choose_lanes(l, options->banks);
    if (!error) error = choose_addresses(l);
    if (!error) error = emit_tables(l);
    if (!error) error = place_all(l);
    return error;
}

int crl_lower(struct crl_image *image, const struct crl_schedule *schedule, const struct crl_problem *problem,
              const char *scheme, const struct crl_lower_options *options, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct crl_geometry *g = &image->geometry;
    memset(image, 0, sizeof *image);
    if (!crl_problem_has_tables(problem))
        return crl_fail(
            diag, CRL_ERR_UNSUPPORTED,
            "a %s is for on-line routers, without slot tables: 'carillon run' plays it on up to 4096 nodes, as long as "
            "no option asks for tables",
            crl_problem_name(problem));
    g->ports = crl_topology_ports(t);
    g->lanes = options->lanes ? options->lanes : g->ports;
    g->data_width = options->data_width;
    g->words = options->words;
    if (g->lanes > g->ports)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' lanes; a node of %s has %u ports, so 1 to %u lanes make sense",
                        g->lanes, crl_topology_name(t), g->ports, g->ports);
    if (!g->words || g->words > 65536)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' words a packet; must be 1 to 65536", g->words);
    if (g->data_width != 8 && g->data_width != 16 && g->data_width != 32 && g->data_width != 64)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "words of '%u' bits; must be 8, 16, 32 or 64", g->data_width);
    uint32_t last = crl_schedule_slots(schedule);
    uint64_t cycles = last ? crl_link_cycle(g, problem->ports, last, g->ports - 1) : 0; // nobody may be active
    if (last > UINT32_C(1) << 24 || cycles > UINT32_C(1) << 28)
        return crl_fail(diag, CRL_ERR_LIMIT, "too many slots for a table");
    image->nodes = crl_topology_nodes(t);
    image->root = problem->root;
    image->port_model = problem->ports;
    image->link_cycles = (uint32_t)cycles;
    g->rows = (uint32_t)cycles + 1;
    image->folded = schedule->folded;
    snprintf(image->topology, sizeof image->topology, "%s", crl_topology_name(t));
    snprintf(image->collective, sizeof image->collective, "%s", crl_problem_name(problem));
    snprintf(image->scheme, sizeof image->scheme, "%s", scheme);

    if (crl_problem_is_partial(problem)) {
        image->parts = problem->parts;
        image->active_count = problem->active_count;
        image->active = malloc(sizeof *image->active * (problem->active_count + UINT64_C(1)));
        if (!image->active) return crl_fail_memory(diag);
        if (problem->active_count)
            memcpy(image->active, problem->active, sizeof *image->active * problem->active_count);
    }

    struct lowering l = {.image = image, .problem = problem, .cycles = image->link_cycles, .diag = diag};
    int error = lower(&l, schedule, options);
    for (uint32_t v = 0; l.plans && v < l.planned_nodes; v++) crl_node_plan_done(&l.plans[v]);
    free(l.plans);
    crl_traffic_free(l.traffic);
    if (error) crl_image_done(image);
    return error;
}
