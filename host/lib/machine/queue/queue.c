// SPDX-License-Identifier: Apache-2.0
// The machine of queues: forwarding tables and gates instead of a schedule; random broadcasts.
#include "machine/board_session.h"
#include "machine/tables.h"
#include "machine/queue/queue.h"
#include <stdlib.h>

struct queues_problem {
    struct carillon_problem common;
    struct crl_topology *topology;
    const struct crl_scheme *scheme; // NULL: read from an image
};
// The tables stand for a schedule: they are what is planned and checked.
struct queues_schedule {
    struct carillon_schedule common;
    struct crl_queue_tables tables;
    double limit; // load that they carry
};
struct queues_image {
    struct carillon_image common;
    struct crl_queue_tables tables; // those of the schedule until they are written
};

static struct queues_problem *problem_of(struct carillon_problem *p) { return (struct queues_problem *)p; }
static struct queues_schedule *schedule_of(struct carillon_schedule *s) { return (struct queues_schedule *)s; }
static const struct queues_schedule *schedule_in(const struct carillon_schedule *s)
{
    return (const struct queues_schedule *)s;
}
static struct crl_queue_tables *tables_of(struct carillon_image *image)
{
    return &((struct queues_image *)image)->tables;
}
static const struct crl_queue_tables *tables_in(const struct carillon_image *image)
{
    return &((const struct queues_image *)image)->tables;
}

static bool knows(const char *algorithm)
{
    const struct crl_scheme *scheme;
    return !crl_scheme_find(&scheme, algorithm, NULL);
}

static bool claims(const char *algorithm, const char *topology)
{
    (void)topology;
    return knows(algorithm);
}

static bool algorithm_at(size_t index, struct carillon_algorithm *row)
{
    size_t count;
    const struct crl_scheme *table = crl_scheme_table(&count);
    if (index >= count) return false;
    const struct crl_scheme *q = &table[index];
    *row =
        (struct carillon_algorithm){"random-broadcasts", q->name, "hypercube", "all", q->limit, q->paper, q->summary};
    return true;
}

// ---------------------------------------------------------------- problem, tables, image

static int parse(struct carillon_problem *problem, const char *algorithm, const char *topology, struct crl_diag *diag)
{
    struct queues_problem *p = problem_of(problem);
    int error = crl_scheme_find(&p->scheme, algorithm, diag);
    return error ? error : crl_topology_parse(&p->topology, topology, diag);
}

static void problem_done(struct carillon_problem *problem) { crl_topology_free(problem_of(problem)->topology); }

static const char *takes(const struct carillon_problem *problem)
{
    (void)problem;
    return "blocking";
}

static const char *named(const struct carillon_problem *problem)
{
    (void)problem;
    return "random broadcasts";
}

static int plan(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    const struct queues_problem *p = problem_of(schedule->problem);
    schedule->scheme = p->scheme->name;
    return crl_queue_build(&schedule_of(schedule)->tables, p->scheme, p->topology, schedule->problem->options.blocking,
                           schedule->problem->context, diag);
}

static int check(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    struct queues_schedule *s = schedule_of(schedule);
    int error = crl_queue_check(&s->tables, &s->limit, diag);
    return error ? CRL_ERR_RULE : 0;
}

static void schedule_done(struct carillon_schedule *schedule) { crl_queue_tables_done(&schedule_of(schedule)->tables); }

static json_t *summary_of(const struct carillon_schedule *schedule)
{
    const struct crl_queue_tables *t = &schedule_in(schedule)->tables;
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:f}", "scheme", t->scheme, "topology", t->topology,
        "nodes", crl_json_number(t->nodes), "trees", crl_json_number(t->trees), "classes", crl_json_number(t->classes),
        "period", crl_json_number(t->period), "cycles", crl_json_number(t->cycles), "loops", (int)t->loops, "blocking",
        (int)t->blocking, "tables", crl_json_number(t->tables), "forward_rows",
        crl_json_number((uint64_t)t->tables * t->trees * (t->ports + 2)), "rho_limit", schedule_in(schedule)->limit);
}

static int lower(struct carillon_image *image, struct carillon_schedule *schedule, struct crl_diag *diag)
{
    return crl_queue_tables_copy(tables_of(image), &schedule_in(schedule)->tables, diag);
}

static int raise(struct carillon_schedule *schedule, const struct carillon_image *image, struct crl_diag *diag)
{
    schedule->scheme = tables_in(image)->scheme;
    return crl_queue_tables_copy(&schedule_of(schedule)->tables, tables_in(image), diag);
}

static int image_write(const struct carillon_image *image, FILE *file, struct crl_diag *diag)
{
    return crl_queue_image_write(tables_in(image), file, diag);
}

static int image_parse(struct carillon_image *image, const struct crl_container *container, struct crl_diag *diag)
{
    return crl_queue_image_parse(tables_of(image), container, diag);
}

// Where a packet goes that comes to a node, an object for each way in which one comes.
static json_t *forwarding(const struct carillon_image *image, uint32_t table)
{
    const struct crl_queue_tables *t = tables_in(image);
    json_t *rows = json_array();
    for (uint32_t i = 0; i < t->trees * (t->ports + 2); i++) {
        uint32_t tree = i / (t->ports + 2), from = i % (t->ports + 2);
        const struct crl_forward *f = &crl_queue_forward(t, table, tree)[from];
        if (!f->take) continue;
        json_t *to = json_array();
        for (uint32_t p = 0; p < t->ports; p++)
            if (f->ports >> p & 1) json_array_append_new(to, json_integer(p));
        json_t *row = json_pack("{s:i, s:b, s:b, s:i, s:o}", "tree", (int)tree, "keep", f->deliver, "loop", f->loop,
                                "class", f->class, "to", to);
        json_object_set_new(row, "from",
                            from < t->ports    ? json_integer(from)
                            : from == t->ports ? json_string("processor")
                                               : json_string("loop"));
        json_array_append_new(rows, row);
    }
    return rows;
}

static struct crl_tables tables(const struct carillon_image *image)
{
    const struct crl_queue_tables *t = tables_in(image);
    return (struct crl_tables){.topology = t->topology, .count = t->tables, .nodes = t->nodes, .json = forwarding};
}

static void image_done(struct carillon_image *image) { crl_queue_tables_done(tables_of(image)); }

// ---------------------------------------------------------------- text

static void print_ports(uint32_t mask, FILE *file)
{
    for (; mask; mask &= mask - 1) fprintf(file, " %d", __builtin_ctz(mask));
}

static void print_forward(const struct crl_queue_tables *t, uint32_t tree, const struct crl_forward *rows, FILE *file)
{
    for (uint32_t a = 0; a < t->ports + 2; a++) {
        const struct crl_forward *f = &rows[a];
        if (!f->take) continue;
        fprintf(file, "  tree %u, from ", tree);
        if (a < t->ports) fprintf(file, "port %u:", a);
        else fputs(a == t->ports ? "the processor:" : "the loop-back queue:", file);
        if (f->deliver) fputs(" keep", file);
        if (f->loop) fputs(" loop", file);
        if (f->ports) fprintf(file, " class %u to", f->class);
        print_ports(f->ports, file);
        fputc('\n', file);
    }
}

static void print_gates(const struct crl_queue_tables *t, uint32_t table, uint32_t row, FILE *file)
{
    static const char *const modes[] = {"closed", "order", "coin first", "coin second", "position"};
    fprintf(file, "  slot mod %u = %u%s:", t->period, row, t->loop_gate[row] ? ", loop" : "");
    for (uint32_t p = 0; p < t->ports; p++) {
        const struct crl_gate *g = &crl_queue_gate(t, table, row)[p];
        uint32_t accept = crl_queue_accept(t, table, row)[p];
        fprintf(file, "%s %u %s", p ? "," : "", p, modes[g->mode]);
        if (g->mode != CRL_GATE_CLOSED && g->mode != CRL_GATE_COIN_SECOND) fprintf(file, " %u", g->a);
        if (g->mode == CRL_GATE_COIN_FIRST || (g->mode == CRL_GATE_ORDER && g->b != CRL_GATE_NO_CLASS))
            fprintf(file, " %u", g->b);
        if (g->mode == CRL_GATE_POSITION) fprintf(file, " at %u", g->position);
        if (accept != CRL_GATE_NO_TREE) fprintf(file, " takes tree %u", accept);
    }
    fputc('\n', file);
}

static int dump_text(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                     FILE *file, struct crl_diag *diag)
{
    const struct crl_queue_tables *t = tables_in(image);
    (void)schedule, (void)diag;
    fprintf(file, "%s on %s%s\n%u trees, %u classes, period %u, %u cycles a slot\n", t->scheme, t->topology,
            t->blocking ? ", buffers that block" : "", t->trees, t->classes, t->period, t->cycles);
    for (uint32_t k = 0; k < t->trees; k++)
        if (t->root[k] != CRL_NONE) fprintf(file, "tree %u has its root at node %u\n", k, t->root[k]);
    for (uint32_t i = 0; i < t->tables; i++) {
        if (table != CRL_NONE && table != i) continue;
        fprintf(file, "table %u:\n", i);
        for (uint32_t k = 0; k < t->trees; k++) print_forward(t, k, crl_queue_forward(t, i, k), file);
        for (uint32_t row = 0; row < t->period; row++) print_gates(t, i, row, file);
    }
    return 0;
}

static const struct crl_dump dumps[] = {{"text", dump_text}, {"json", crl_dump_json}, {NULL, NULL}};

// ---------------------------------------------------------------- random broadcasts

enum {
    RTL_DEPTH = 1024, // packets a node stores in RTL, unless the options say otherwise
    RTL_DEPTH_MAX = 1 << 16,
    RTL_UNITS_MAX = 1 << 11, // of blocking mode: up to 10 trees of 3 classes in the largest store
    BLOCKING_DEPTH = 2,
};

static uint32_t traffic_depth(const struct carillon_options *options, uint32_t engines)
{
    if (engines & CRL_ENGINE_BOARD) return CRL_BOARD_QUEUE_DEPTH;
    return options->blocking ? BLOCKING_DEPTH : engines & CRL_ENGINE_RTL ? RTL_DEPTH : 0;
}

static int refuse(const struct crl_traffic_point *p, double *stall, struct crl_diag *diag)
{
    const struct carillon_options *o = p->options;
    char *end = NULL;
    *stall = o->stall ? strtod(o->stall, &end) : 0;
    if (o->stall && (end == o->stall || *end || !(*stall >= 0 && *stall <= 0.9)))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--stall needs a chance from 0 to 0.9, not '%s'", o->stall);
    if (o->stall && !o->blocking) return crl_fail(diag, CRL_ERR_ARGUMENT, "--stall needs --blocking");
    if ((p->engines & CRL_ENGINE_BOARD) && p->depth != CRL_BOARD_QUEUE_DEPTH)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "a node of the board stores %d packets, not '%u'",
                        CRL_BOARD_QUEUE_DEPTH, p->depth);
    uint32_t most = o->blocking ? RTL_UNITS_MAX : RTL_DEPTH_MAX;
    if ((p->engines & CRL_ENGINE_RTL) && (p->depth < 1 || p->depth > most))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the RTL stores 1 to %u packets a %s, not '%u'", most,
                        o->blocking ? "buffer" : "node", p->depth);
    return 0;
}

static void watch(void *recorder, uint64_t slot, const struct crl_traffic *t)
{
    struct crl_traffic_recorder *r = recorder;
    uint32_t ports = crl_topology_ports(r->topology);
    if (!crl_traffic_slot(r, slot, t->stored)) return;
    for (uint32_t v = 0; v < crl_topology_nodes(r->topology); v++)
        for (uint32_t p = 0; p < ports; p++) {
            if (!(t->sent[v] >> p & 1)) continue;
            uint32_t to = crl_topology_neighbor(r->topology, v, p), word = t->word[(size_t)v * ports + p];
            crl_traffic_move(r, v, to, crl_packet_origin(word), crl_packet_sequence(word), t->delivered[to] >> p & 1);
        }
    crl_traffic_slot_end(r);
}

static int play(struct crl_dynamic_result *result, const struct crl_queue_tables *tables,
                const struct crl_traffic_point *p, const struct crl_dynamic_options *options, struct crl_diag *diag)
{
    struct crl_board_session *session = NULL;
    struct crl_board_queue *board = NULL;
    struct crl_queue_model *model = NULL;
    struct crl_rtl_queue *rtl = NULL;
    struct crl_queue_engine engines[2];
    size_t count = 0;
    int error = 0;
    if (p->engines & CRL_ENGINE_BOARD) {
        error = crl_board_session_open(&session, p->context, p->options, diag);
        if (!error) error = crl_board_queue_new(&board, session->board, tables, diag);
        if (!error) engines[count++] = crl_board_queue_engine(board);
    }
    if (p->engines & CRL_ENGINE_RTL) {
        const struct crl_rtl_options how = {.context = p->context, .wave = p->options->wave};
        error = crl_rtl_queue_new(&rtl, tables, p->depth, &how, diag);
        if (!error) engines[count++] = crl_rtl_queue_engine(rtl);
    }
    // A board is compared with the model.
    if (!error && (p->engines & (CRL_ENGINE_MODEL | CRL_ENGINE_BOARD))) {
        error = crl_queue_model_new(&model, tables, p->depth, diag);
        if (!error) engines[count++] = crl_queue_model_engine(model);
    }
    if (!error) error = crl_dynamic_run(result, tables, options, engines, count, diag);
    if (!error && rtl) error = crl_rtl_queue_finish(rtl, diag);
    crl_queue_model_free(model);
    crl_rtl_queue_free(rtl);
    crl_board_queue_free(board);
    return crl_board_session_close(&session, error, diag);
}

// What the paper says of a scheme.
static struct crl_traffic_paper paper_of(const struct crl_traffic_point *p, const struct crl_scheme *scheme, uint32_t d,
                                         double limit)
{
    bool blocking = p->options->blocking;
    return (struct crl_traffic_paper){
        .rho = p->rho,
        .tp = NAN,
        .dims = d,
        .limit = limit,
        .delay = scheme->simulated ? scheme->simulated(d, p->rho) : NAN,
        .formula_delay = scheme->delay && !blocking ? scheme->delay(d, p->rho) : NAN,
        .formula_queue = scheme->queue && !blocking ? scheme->queue(d, p->rho) : NAN,
        .bound = crl_s93_bound(d, p->rho),
        .oblivious_bound = crl_s93_oblivious_bound(d, p->rho),
    };
}

static int traffic(struct carillon_traffic *t, const struct crl_traffic_point *point, struct crl_diag *diag)
{
    struct crl_topology *topology = NULL;
    CRL_ENDED(crl_queue_tables_done) struct crl_queue_tables tables = {0};
    const struct crl_scheme *scheme;
    struct crl_dynamic_result r;
    CRL_ENDED(crl_traffic_record_done) struct crl_traffic_recorder recorder = {0};
    double limit;
    struct crl_dynamic_options options = {.rho = point->rho,
                                          .slots = point->options->slots,
                                          .warmup = point->warmup,
                                          .seed = point->options->seed,
                                          .trace = point->trace,
                                          .progress = crl_traffic_progress,
                                          .user = (void *)point};
    int error = refuse(point, &options.stall, diag);
    if (!error) error = crl_scheme_find(&scheme, point->scheme, diag);
    if (!error) error = crl_topology_parse(&topology, point->topology, diag);
    if (!error) error = crl_queue_build(&tables, scheme, topology, point->options->blocking, point->context, diag);
    if (!error) error = crl_queue_check(&tables, &limit, diag);
    double nodes = tables.nodes;
    if (!error && !point->options->blocking)
        error = crl_traffic_fits(point, point->rho * tables.ports / (nodes - 1) * nodes, diag);
    if (!error && point->page) {
        error = crl_traffic_record(&recorder, topology, 0, diag);
        options.watch = watch;
        options.watcher = &recorder;
    }
    if (!error) error = play(&r, &tables, point, &options, diag);
    if (!error) {
        struct crl_traffic_paper paper = paper_of(point, scheme, tables.ports, limit);
        if (point->options->blocking) paper.rho = r.load; // sources are saturated
        r.faults += r.dropped;                            // an overflow is a fault
        error = crl_traffic_tell(t, point, &r, &paper, diag);
    }
    if (!error && point->page) error = crl_traffic_page(&recorder, t, point, diag);
    crl_topology_free(topology);
    return error;
}

static const struct crl_traffic_kind traffic_kind = {knows, traffic_depth, traffic};

const struct crl_machine crl_machine_queue = {
    .name = "queue",
    .claims = claims,
    .knows = knows,
    .algorithm = algorithm_at,
    .problem_size = sizeof(struct queues_problem),
    .parse = parse,
    .problem_done = problem_done,
    .takes = takes,
    .named = named,
    .schedule_size = sizeof(struct queues_schedule),
    .plan = plan,
    .check = check,
    .summary = summary_of,
    .schedule_done = schedule_done,
    .container = CRL_FORM_QUEUES,
    .image_size = sizeof(struct queues_image),
    .lower = lower,
    .raise = raise,
    .image_write = image_write,
    .image_parse = image_parse,
    .spelling = crl_topology_spelling,
    .dumps = dumps,
    .tables = tables,
    .fabric = "crl_queue_fabric",
    .image_done = image_done,
    .traffic = &traffic_kind,
};
