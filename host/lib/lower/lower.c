// SPDX-License-Identifier: Apache-2.0
// Lowering: a checked schedule becomes tables and placements.
//
// First the form: banks fed straight by their ports if in no node two packets from one port leave at once, else a write
// crossbar with as few banks as a colouring needs. Then, node by node: lanes, addresses, rows; equal tables are kept
// once.
#include "lower/lower.h"
#include "base/base.h"
#include "base/parallel.h"
#include <stdlib.h>
#include <string.h>

typedef int lanes_fn(struct crl_node_plan *plan, const struct crl_geometry *geometry, struct crl_scratch *scratch);

struct lowering {
    struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_moves_by_node *moves;
    struct crl_node_plan *plans; // [planned_nodes]
    uint32_t planned_nodes;      // 1 if folded, else all
    uint32_t shares;             // of the nodes, each on a thread of its own
    struct crl_scratch *scratch; // [shares]
    lanes_fn *lanes;             // the way that is tried
    struct crl_diag *diag;
};

// ---- what is done for every node, in shares

// Gives 1 to go on, 0 to stop because there is no way, or a negative error.
typedef int node_fn(struct lowering *lowering, struct crl_node_plan *plan, struct crl_scratch *scratch);

struct pass {
    struct lowering *lowering;
    node_fn *work;
    uint32_t *stopped; // [shares] the node at which a share stopped, or CRL_NONE
};

static int do_share(void *user, uint32_t share)
{
    const struct pass *pass = user;
    struct lowering *l = pass->lowering;
    uint32_t v = (uint32_t)crl_share_first(l->planned_nodes, share, l->shares);
    uint32_t end = (uint32_t)crl_share_first(l->planned_nodes, share + 1, l->shares);
    int good = 1;
    for (; v < end && good == 1; v++) good = pass->work(l, &l->plans[v], &l->scratch[share]);
    pass->stopped[share] = good == 1 ? CRL_NONE : v - 1;
    return good < 0 ? good : 0;
}

// 1 if there was a way for every node; 0 if not for some, the lowest of which is *stopped (may be NULL); or a negative
// error, not yet reported.
static int for_all(struct lowering *l, node_fn *work, uint32_t *stopped)
{
    CRL_OWNED uint32_t *where = malloc(sizeof *where * l->shares);
    struct pass pass = {l, work, where};
    int good = where ? crl_parallel(l->shares, do_share, &pass) : CRL_ERR_MEMORY;
    if (!good) good = 1;
    for (uint32_t i = l->shares; i-- > 0 && good >= 0;)
        if (where[i] != CRL_NONE) {
            good = 0;
            if (stopped) *stopped = where[i];
        }
    return good;
}

static int fail(const struct lowering *l, int error)
{
    if (error == CRL_ERR_LIMIT) return crl_fail(l->diag, error, "too many transmissions for the table of one node");
    return crl_fail_memory(l->diag);
}

// ---- lanes

static int collect(struct lowering *l, struct crl_node_plan *plan, struct crl_scratch *scratch)
{
    (void)scratch;
    int error = crl_node_plan_collect(plan, l->moves, l->problem, &l->image->geometry, (uint32_t)(plan - l->plans));
    return error ? error : 1;
}

// The ways to choose lanes.
static int choose(struct lowering *l, struct crl_node_plan *plan, struct crl_scratch *scratch)
{
    return l->lanes(plan, &l->image->geometry, scratch);
}

static int choose_for_all(struct lowering *l, lanes_fn *lanes, uint32_t *stopped)
{
    l->lanes = lanes;
    return for_all(l, choose, stopped);
}

// Fewer banks than lanes.
static int choose_direct(struct lowering *l, uint32_t banks)
{
    struct crl_geometry *g = &l->image->geometry;
    g->banks = banks;
    g->write_xbar = 1;
    uint32_t node = 0;
    int good = choose_for_all(l, crl_lanes_direct, &node);
    if (good < 0) return fail(l, good);
    if (!good)
        return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                        "'%u' banks for %u lanes: at node %u packets wait, or more of them enter or leave in a cycle "
                        "than the banks can read or write. '--scheme one-bank' plans all-to-alls for one bank; other "
                        "schedules need as many banks as lanes: leave out --banks",
                        banks, g->lanes, node);
    return 0;
}

// Chooses the form and the lanes; sets banks, write_xbar.
static int choose_lanes(struct lowering *l, uint32_t wanted)
{
    struct crl_geometry *g = &l->image->geometry;
    g->banks = g->lanes;
    if (wanted > CRL_BANKS_MAX)
        return crl_fail(l->diag, CRL_ERR_UNSUPPORTED, "'%u' banks; a router has at most %d", wanted, CRL_BANKS_MAX);
    if (wanted && wanted < g->lanes && g->streams)
        return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                        "'%u' banks for %u lanes: routers with streams need as many banks as lanes", wanted, g->lanes);
    if (wanted && wanted < g->lanes) return choose_direct(l, wanted);
    int good = !wanted || wanted == g->lanes ? choose_for_all(l, crl_lanes_by_input, NULL) : 0;
    if (!good) {
        g->write_xbar = 1;
        for (g->banks = wanted ? wanted : g->lanes; !good && g->banks <= CRL_BANKS_MAX; g->banks++) {
            good = choose_for_all(l, crl_lanes_by_colour, NULL);
            if (good || wanted) break;
        }
    }
    if (good < 0) return fail(l, good);
    if (!good)
        return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                        "no way found to share out the packets among %u banks; leave out --banks",
                        wanted ? wanted : CRL_BANKS_MAX);
    good = choose_for_all(l, crl_lanes_fill, NULL);
    return good < 0 ? fail(l, good) : 0;
}

// ---- addresses

static bool has_waits(const struct crl_node_plan *plan)
{
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        for (uint32_t k = 0; visit->arrival && k < visit->count; k++)
            if (plan->departures[visit->first + k].cycle > visit->arrival + 1) return true;
    }
    return false;
}

static int find_addresses(struct lowering *l, struct crl_node_plan *plan, struct crl_scratch *scratch)
{
    const struct crl_geometry *g = &l->image->geometry;
    int error = g->waddr_field ? crl_addresses_by_reuse(plan, g, scratch) : crl_addresses_by_counter(plan, g, scratch);
    return error ? error : 1;
}

static int choose_addresses(struct lowering *l)
{
    struct crl_geometry *g = &l->image->geometry;
    uint32_t depth = 0;
    // With all ports served at once, addresses by row number cost nothing and waste little; with fewer lanes a store of
    // as many words as there are cycles would be mostly empty, and the wider row fits the same block RAMs.
    g->waddr_field = g->lanes < g->ports;
    int good = for_all(l, find_addresses, NULL);
    if (good < 0) return fail(l, good);
    for (uint32_t v = 0; v < l->planned_nodes; v++) {
        if (l->plans[v].depth > depth) depth = l->plans[v].depth;
        g->delay |= !crl_geometry_is_direct(g) && has_waits(&l->plans[v]);
    }
    g->rows = crl_rows_of(g, l->image->link_cycles);
    g->storeless = g->streams && !g->delay;
    if (g->storeless) g->waddr_field = depth = 0;
    if (!g->waddr_field && depth < g->rows) depth = g->rows; // the row number is the address
    enum { SMALLEST = 8 }; // a block RAM of the iCE40 holds 256 words: fewer save nothing
    g->addr_width = crl_bits_for(depth) > SMALLEST ? crl_bits_for(depth) : SMALLEST;
    return 0;
}

// ---- tables

// The nodes whose rows are written side by side before they are gathered.
enum { EMITTED = 4096 };

struct emission {
    struct lowering *lowering;
    uint32_t first, count;
    struct crl_node_rows *rows; // [EMITTED]
};

static int emit_share(void *user, uint32_t share)
{
    const struct emission *e = user;
    struct lowering *l = e->lowering;
    uint32_t end = (uint32_t)crl_share_first(e->count, share + 1, l->shares);
    int error = 0;
    for (uint32_t i = (uint32_t)crl_share_first(e->count, share, l->shares); i < end && !error; i++)
        error = crl_rows_emit(&l->plans[e->first + i], &l->image->geometry, &l->scratch[share], &e->rows[i]);
    return error;
}

static int emit_tables(struct lowering *l)
{
    struct crl_image *image = l->image;
    struct crl_row_builder *builder = NULL;
    struct emission e = {.lowering = l, .rows = calloc(EMITTED, sizeof *e.rows)};
    int error = e.rows ? crl_row_builder_new(&builder, crl_row_words(&image->geometry)) : CRL_ERR_MEMORY;
    for (; e.first < l->planned_nodes && !error; e.first += EMITTED) {
        e.count = l->planned_nodes - e.first < EMITTED ? l->planned_nodes - e.first : EMITTED;
        error = crl_parallel(l->shares, emit_share, &e);
        for (uint32_t i = 0; i < e.count; i++) {
            struct crl_node_rows *rows = &e.rows[i];
            if (!error)
                image->node_table[e.first + i] =
                    crl_row_builder_add(builder, rows->number, rows->bits, rows->count, true);
            CRL_FREE(rows->number, rows->bits);
            *rows = (struct crl_node_rows){0};
        }
    }
    free(e.rows);
    int ended = crl_row_builder_end(builder, &image->store, &image->tables);
    return error || ended ? crl_fail_memory(l->diag) : 0;
}

// ---- placements

// Most nodes have few places, so there is little room at first.
static int add_place(struct crl_places *places, uint32_t *room, struct crl_place place)
{
    if (places->count == *room) {
        uint32_t more = *room ? *room * 2 : 4;
        if (CRL_RESIZE(more, {&places->place, sizeof place})) return CRL_ERR_MEMORY;
        *room = more;
    }
    places->place[places->count++] = place;
    return 0;
}

static int place_set(struct lowering *l, struct crl_node_plan *plan, struct crl_scratch *scratch)
{
    struct crl_places *before = &l->image->before[plan - l->plans], *after = &l->image->after[plan - l->plans];
    if (l->image->geometry.streams) {
        struct crl_image *image = l->image;
        uint32_t set = (uint32_t)(plan - l->plans);
        int failed = crl_streams_order(plan, &image->geometry, true, before, image->own ? &image->own[set] : NULL);
        if (!failed)
            failed = crl_streams_order(plan, &image->geometry, false, after, image->shown ? &image->shown[set] : NULL);
        return failed ? failed : 1;
    }
    uint32_t before_room = 0, after_room = 0;
    int error = 0;
    (void)scratch;
    for (uint32_t i = 0; i < plan->visits_count && !error; i++) {
        const struct crl_visit *v = &plan->visits[i];
        struct crl_place place = {v->origin, v->dest, v->lane, v->addr};
        uint64_t lanes = UINT64_C(1) << v->lane; // that hold a copy
        if (v->keep) error = add_place(after, &after_room, place);
        if (v->arrival || error) continue;
        error = add_place(before, &before_room, place);
        for (uint32_t k = 0; k < v->count && !error; k++) {
            const struct crl_departure *out = &plan->departures[v->first + k];
            if (lanes >> out->lane & 1) continue;
            lanes |= UINT64_C(1) << out->lane;
            error = add_place(before, &before_room, (struct crl_place){v->origin, v->dest, out->lane, out->addr});
        }
    }
    return error ? error : 1;
}

static int place_zeros(struct lowering *l)
{
    struct crl_image *image = l->image;
    size_t capacity = 0;
    int error = crl_grow((void **)&image->zero, &capacity, 0, sizeof *image->zero);
    for (uint32_t v = 0; v < l->planned_nodes; v++)
        for (uint32_t b = 0; l->plans[v].zero && b < image->geometry.banks && !error; b++) {
            if (l->plans[v].zero[b] == CRL_NONE) continue;
            error = CRL_PUSH(image->zero, capacity, image->zeros, (struct crl_zero){v, b, l->plans[v].zero[b]});
        }
    return error;
}

static int place_all(struct lowering *l)
{
    struct crl_image *image = l->image;
    image->before = calloc(l->planned_nodes, sizeof *image->before);
    image->after = calloc(l->planned_nodes, sizeof *image->after);
    image->place_sets = l->planned_nodes;
    bool fewer = image->geometry.streams && image->geometry.streams < image->geometry.lanes;
    image->own = fewer ? calloc(l->planned_nodes, sizeof *image->own) : NULL;
    image->shown = fewer ? calloc(l->planned_nodes, sizeof *image->shown) : NULL;
    if (!image->before || !image->after || (fewer && (!image->own || !image->shown)) ||
        for_all(l, place_set, NULL) < 0 || (!image->geometry.storeless && place_zeros(l)))
        return crl_fail_memory(l->diag);
    return 0;
}

// Collects what passes through each node.
static int begin(struct lowering *l, const struct crl_schedule *schedule)
{
    enum { WORTH = 1 << 14 }; // moves that are worth a thread
    l->planned_nodes = schedule->folded ? 1 : l->image->nodes;
    l->shares = schedule->folded || schedule->count < WORTH ? 1 : crl_threads();
    l->scratch = calloc(l->shares, sizeof *l->scratch);
    l->plans = calloc(l->planned_nodes, sizeof *l->plans);
    if (!l->scratch || !l->plans || crl_moves_by_node_new(&l->moves, schedule)) return crl_fail_memory(l->diag);
    int good = for_all(l, collect, NULL);
    return good < 0 ? fail(l, good) : 0;
}

static void end(struct lowering *l)
{
    for (uint32_t v = 0; l->plans && v < l->planned_nodes; v++) crl_node_plan_done(&l->plans[v]);
    for (uint32_t i = 0; l->scratch && i < l->shares; i++) crl_scratch_done(&l->scratch[i]);
    CRL_FREE(l->plans, l->scratch);
    crl_moves_by_node_free(l->moves);
}

static int lower(struct lowering *l, const struct crl_schedule *schedule, const struct crl_lower_options *options)
{
    l->image->node_table = calloc(l->image->nodes, sizeof *l->image->node_table);
    if (!l->image->node_table) return crl_fail_memory(l->diag);
    int error = begin(l, schedule);
    if (!error) error = choose_lanes(l, options->banks);
    if (!error) error = choose_addresses(l);
    if (!error) error = emit_tables(l);
    if (!error) error = place_all(l);
    return error;
}

// Routers have so many ports, and no more.
static int refuse_ports(const struct crl_topology *t, struct crl_diag *diag)
{
    uint32_t most = 0, node = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(t) && crl_topology_ports(t) > CRL_PORTS_MAX; v++) {
        uint32_t links = 0;
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) links += crl_topology_neighbor(t, v, p) != CRL_NONE;
        if (links > most) most = links, node = v;
    }
    return crl_topology_ports(t) <= CRL_PORTS_MAX
               ? 0
               : crl_fail(diag, CRL_ERR_UNSUPPORTED,
                          "node %s of %s has '%u' links, and routers have at most %d ports: it can be planned, "
                          "checked, drawn and exported, but not played",
                          CRL_NODE(t, node), crl_topology_name(t), most, CRL_PORTS_MAX);
}

int crl_lower_form(struct crl_router_form *form, const struct crl_schedule *schedule, const struct crl_problem *problem,
                   struct crl_diag *diag)
{
    uint32_t ports = crl_topology_ports(problem->topology);
    struct crl_image image = {.nodes = crl_topology_nodes(problem->topology),
                              .geometry = {.ports = ports, .lanes = ports, .banks = ports}};
    struct lowering l = {.image = &image, .problem = problem, .diag = diag};
    image.geometry.rows = crl_schedule_slots(schedule) + 1;
    *form = (struct crl_router_form){0};
    int error = refuse_ports(problem->topology, diag);
    if (error) return error;
    error = begin(&l, schedule);
    int good = error ? 0 : choose_for_all(&l, crl_lanes_by_input, NULL);
    if (!error && good < 0) error = fail(&l, good);
    form->write_xbar = !error && !good;
    for (uint32_t v = 0; v < l.planned_nodes && !error; v++) form->delay |= has_waits(&l.plans[v]);
    end(&l);
    return error;
}

int crl_lower(struct crl_image *image, const struct crl_schedule *schedule, const struct crl_problem *problem,
              const char *scheme, const struct crl_lower_options *options, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct crl_geometry *g = &image->geometry;
    memset(image, 0, sizeof *image);
    if (!crl_problem_has_tables(problem))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "%s is for on-line routers, without slot tables: 'carillon run' plays it on up to 4096 nodes, "
                        "as long as no option asks for tables",
                        crl_problem_title(problem));
    int refused = refuse_ports(t, diag);
    if (refused) return refused;
    g->ports = crl_topology_ports(t);
    g->lanes = options->lanes ? options->lanes : g->ports;
    g->data_width = options->data_width;
    g->words = options->words;
    g->streams = options->streams;
    if (g->lanes > g->ports)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' lanes; a node of %s has %u ports, so 1 to %u lanes make sense",
                        g->lanes, crl_topology_name(t), g->ports, g->ports);
    if (g->streams > g->lanes)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' streams; a node of %u lanes has 1 to %u each way", g->streams,
                        g->lanes, g->lanes);
    if (!g->words || g->words > 65536)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' words a packet; must be 1 to 65536", g->words);
    if (!crl_is_data_width(g->data_width))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "words of '%u' bits; must be 8, 16, 32 or 64", g->data_width);
    if (crl_problem_sums(problem) && !crl_op_fits(problem->op, g->data_width))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--op %s adds words of 32 bits, not of '%u'; say --width 32",
                        crl_op_name(problem->op), g->data_width);
    if (crl_problem_sums(problem)) {
        g->combine = 1 + problem->op;
        image->chunks = problem->chunks;
    }
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

    if (crl_problem_is_partial(problem) || problem->parts > 1) {
        image->parts = problem->parts;
        image->active_count = problem->active_count;
        image->active = malloc(sizeof *image->active * (problem->active_count + UINT64_C(1)));
        if (!image->active) return crl_fail_memory(diag);
        if (problem->active_count)
            memcpy(image->active, problem->active, sizeof *image->active * problem->active_count);
    }

    image->latencies = (uint32_t)crl_topology_list_latency(t, NULL);
    image->latency = malloc(sizeof *image->latency * (image->latencies + UINT64_C(1)));
    if (!image->latency) {
        crl_image_done(image);
        return crl_fail_memory(diag);
    }
    crl_topology_list_latency(t, image->latency);

    struct lowering l = {.image = image, .problem = problem, .diag = diag};
    int error = crl_problem_sums(problem) ? crl_lower_sums(image, schedule, problem, options, diag)
                                          : lower(&l, schedule, options);
    end(&l);
    if (error) crl_image_done(image);
    return error;
}
