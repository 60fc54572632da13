// SPDX-License-Identifier: Apache-2.0
// The row of LogP machines: a processor a node, a table each, times instead of slots.
#include "machine/logp/logp.h"
#include "machine/replay.h"
#include "format/program.h"
#include "machine/tables.h"
#include "machine/logp/play.h"
#include <stdarg.h>

static bool claims(const char *algorithm, const char *topology)
{
    (void)algorithm;
    return crl_topology_is_linkless(topology);
}

static bool algorithm_at(size_t index, struct carillon_algorithm *row)
{
    size_t count;
    const struct crl_logp_algorithm *table = crl_logp_algorithm_table(&count);
    if (index >= count) return false;
    const struct crl_logp_algorithm *a = &table[index];
    *row = (struct carillon_algorithm){a->collective, a->scheme, "logp", "single", a->bound, a->paper, a->summary};
    return true;
}

// ---------------------------------------------------------------- problem

static int parse(struct carillon_problem *problem, const char *algorithm, const char *topology, struct crl_diag *diag)
{
    struct crl_logp_problem *p = &logp_problem_of(problem)->problem;
    const struct carillon_options *o = &problem->options;
    struct crl_logp machine;
    int error = crl_logp_parse(&machine, topology, diag);
    if (!error) error = crl_logp_problem_init(p, algorithm, &machine, diag);
    if (error) return error;
    crl_logp_name(&p->machine, logp_problem_of(problem)->machine);
    p->context = problem->context;
    p->items = o->items;
    p->time = o->time;
    p->operands = o->operands;
    p->full_duplex = o->full_duplex;
    return crl_logp_problem_ready(p, diag);
}

static const char *takes(const struct carillon_problem *problem)
{
    const struct crl_logp_problem *p = logp_said(problem);
    if (p->kind == CRL_LOGP_SUMMATION) return "time operands full-duplex op words width";
    if (crl_logp_combines(p)) return "full-duplex op words width";
    return p->items ? "items full-duplex words width" : "full-duplex words width";
}

static const char *named(const struct carillon_problem *problem) { return crl_logp_problem_name(logp_said(problem)); }

static const char *scheme_at(const struct carillon_problem *problem, size_t index)
{
    const struct crl_logp_problem *p = logp_said(problem);
    size_t count;
    const struct crl_logp_algorithm *table = crl_logp_algorithm_table(&count);
    for (size_t i = 0; i < count; i++)
        if (table[i].kind == p->kind && (!table[i].applies || table[i].applies(p)) && !index--) return table[i].scheme;
    return NULL;
}

// ---------------------------------------------------------------- schedule

static int plan(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    const struct crl_logp_algorithm *algorithm;
    int error =
        crl_logp_algorithm_find(&algorithm, logp_said(schedule->problem), schedule->problem->options.scheme, diag);
    if (error) return error;
    schedule->scheme = algorithm->scheme;
    return crl_logp_plan(&logp_schedule_of(schedule)->schedule, algorithm, logp_said(schedule->problem), diag);
}

static int read(struct carillon_schedule *schedule, FILE *file, const char *name, struct crl_diag *diag)
{
    return crl_logp_read_csv(&logp_schedule_of(schedule)->schedule, &logp_said(schedule->problem)->machine, file, name,
                             diag);
}

static uint64_t row_count(const struct carillon_schedule *schedule)
{
    return logp_schedule_in(schedule)->schedule.count;
}

static int columns(const struct carillon_schedule *schedule, const struct carillon_columns *c, uint64_t room,
                   struct crl_diag *diag)
{
    return crl_logp_columns(&logp_schedule_in(schedule)->schedule, c, room, diag);
}

static int take_columns(struct carillon_schedule *schedule, const struct carillon_columns *c, uint64_t count,
                        const char *name, struct crl_diag *diag)
{
    return crl_logp_take_columns(&logp_schedule_of(schedule)->schedule, &logp_said(schedule->problem)->machine, c,
                                 count, name, diag);
}

static int import(struct carillon_schedule *schedule, const struct crl_program *program, struct crl_diag *diag)
{
    schedule->layout = "as early as the rules allow";
    return crl_program_lay_out_logp(&logp_schedule_of(schedule)->schedule, program, logp_said(schedule->problem), diag);
}

static int check(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    struct logp_schedule *s = logp_schedule_of(schedule);
    int error = crl_logp_check(&s->report, &s->schedule, logp_said(schedule->problem), diag);
    schedule->report = s->report.common;
    s->report.common = (struct crl_report){0};
    return error;
}

static void schedule_done(struct carillon_schedule *schedule)
{
    crl_logp_schedule_done(&logp_schedule_of(schedule)->schedule);
}

static json_t *is_optimal(const struct logp_schedule *s)
{
    const struct crl_report *r = &s->common.report;
    const struct crl_logp_problem *p = logp_said(s->common.problem);
    if (r->violations) return json_null();
    if (p->kind == CRL_LOGP_SUMMATION)
        return json_boolean(p->operands ? s->report.time == crl_logp_time_for(&p->machine, p->operands)
                                        : s->report.operands == crl_logp_operands_in(&p->machine, s->report.time));
    if (p->kind == CRL_LOGP_CONTINUOUS && s->report.delay == crl_logp_bound_delay(p)) return json_true();
    return r->slots == r->bound_slots ? json_true() : json_null();
}

static json_t *summary_of(const struct carillon_schedule *schedule)
{
    const struct crl_logp_problem *p = logp_said(schedule->problem);
    const struct logp_schedule *l = logp_schedule_in(schedule);
    const struct crl_report *c = &schedule->report;
    json_t *s = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o}", "algorithm", crl_logp_problem_name(p), "scheme",
        schedule->scheme, "topology", logp_machine_of(schedule->problem), "ports", "single", "nodes",
        crl_json_number(p->machine.P), "slots", crl_json_number(c->slots), "bound_slots",
        crl_json_number(c->bound_slots), "transmissions", crl_json_number(c->transmissions), "bound_transmissions",
        c->bound_transmissions == CRL_LOGP_UNBOUNDED ? json_null() : crl_json_number(c->bound_transmissions),
        "utilization", c->utilization, "optimal", is_optimal(l), "buffer_packets", crl_json_number(c->buffer_packets));
    if (p->items) {
        json_object_set_new(s, "items", crl_json_number(p->items));
        json_object_set_new(s, "bound_single_sending", crl_json_number(crl_logp_bound_single_sending(p)));
    }
    if (p->kind == CRL_LOGP_CONTINUOUS) {
        json_object_set_new(s, "delay", crl_json_number(l->report.delay));
        json_object_set_new(s, "bound_delay", crl_json_number(crl_logp_bound_delay(p)));
    }
    if (p->kind == CRL_LOGP_SUMMATION) {
        CRL_TELL(s, {"time", crl_json_number(l->report.time)},
                 {"operands", crl_json_number(p->operands ? p->operands : l->report.operands)},
                 {"bound_operands", crl_json_number(crl_logp_operands_in(&p->machine, l->report.time))});
    }
    if (l->schedule.buffered) json_object_set_new(s, "waiting", crl_json_number(l->report.waiting));
    return s;
}

static int write_csv(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    return crl_logp_write_csv(&logp_schedule_in(schedule)->schedule, file, diag);
}

static int write_goal(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    return crl_logp_write_goal(&logp_schedule_in(schedule)->schedule, logp_said(schedule->problem), file, diag);
}

static int write_json(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    const struct crl_logp_schedule *s = &logp_schedule_in(schedule)->schedule;
    (void)diag;
    crl_json_head(
        named(schedule->problem), logp_machine_of(schedule->problem),
        s->buffered ? "\"time\", \"src\", \"dst\", \"item\", \"rtime\"" : "\"time\", \"src\", \"dst\", \"item\"", file);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_logp_send *m = &s->sends[i];
        fprintf(file, "%s\n    [%u, %u, %u, %u", i ? "," : "", m->time, m->src, m->dst, m->item);
        if (s->buffered) fprintf(file, ", %u", m->rtime);
        fputc(']', file);
    }
    fputs("\n  ]\n}\n", file);
    return 0;
}

static const struct crl_format formats[] = {
    {"csv", write_csv, NULL}, {"json", write_json, NULL}, {"goal", write_goal, NULL}, {NULL, NULL, NULL}};

static json_t *bound(const struct carillon_problem *problem)
{
    const struct crl_logp_problem *p = logp_said(problem);
    const uint64_t transmissions = crl_logp_bound_transmissions(p);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:[s]}", "algorithm", crl_logp_problem_name(p), "topology",
                     logp_machine_of(problem), "ports", "single", "nodes", crl_json_number(p->machine.P), "bound_slots",
                     crl_json_number(crl_logp_bound_slots(p)), "bound_transmissions",
                     transmissions == CRL_LOGP_UNBOUNDED ? json_null() : crl_json_number(transmissions), "why",
                     "Karp et al. 1993, whatever the schedule: 'carillon list -t logp:P=2,L=1' has the sections");
}

// ---------------------------------------------------------------- image

static int lower(struct carillon_image *image, struct carillon_schedule *schedule, struct crl_diag *diag)
{
    const struct carillon_options *o = &schedule->problem->options;
    const struct logp_schedule *s = logp_schedule_in(schedule);
    return crl_logp_lower(logp_image_of(image), &s->schedule, logp_said(schedule->problem), s->report.time,
                          schedule->scheme, o->words ? o->words : 1, o->width ? o->width : 32, diag);
}

static int raise(struct carillon_schedule *schedule, const struct carillon_image *image, struct crl_diag *diag)
{
    schedule->scheme = logp_image_in(image)->scheme;
    return crl_logp_raise(&logp_schedule_of(schedule)->schedule, logp_image_in(image), diag);
}

static bool same(const struct carillon_schedule *a, const struct carillon_schedule *b)
{
    const struct crl_logp_schedule *s = &logp_schedule_in(a)->schedule, *t = &logp_schedule_in(b)->schedule;
    bool equal = s->count == t->count;
    for (size_t i = 0; equal && i < s->count; i++) {
        const struct crl_logp_send *x = &s->sends[i], *y = &t->sends[i];
        equal =
            x->time == y->time && x->src == y->src && x->dst == y->dst && x->item == y->item && x->rtime == y->rtime;
    }
    return equal;
}

static int image_write(const struct carillon_image *image, FILE *file, struct crl_diag *diag)
{
    return crl_logp_image_write(logp_image_in(image), file, diag);
}

static int image_parse(struct carillon_image *image, const struct crl_container *container, struct crl_diag *diag)
{
    int error = crl_logp_image_parse(logp_image_of(image), container, diag);
    if (error) return error;
    struct logp_problem *p = logp_problem_of(image->problem);
    p->problem = logp_image_of(image)->problem;
    crl_logp_name(&p->problem.machine, p->machine);
    return 0;
}

static int spelling(const char *text, char name[128], struct crl_diag *diag)
{
    struct crl_logp machine;
    int error = crl_logp_parse(&machine, text, diag);
    if (!error) crl_logp_name(&machine, name);
    return error;
}

static struct crl_tables tables(const struct carillon_image *image)
{
    const struct crl_logp_image *i = logp_image_in(image);
    uint32_t P = i->problem.machine.P;
    return (struct crl_tables){
        .collective = named(image->problem),
        .scheme = i->scheme,
        .topology = logp_machine_of(image->problem),
        .count = P,
        .nodes = P,
        .rows = i->geometry.rows,
        .row_bits = crl_logp_row_bits(&i->geometry),
        .store = &i->store,
    };
}

static json_t *image_summary(const struct carillon_image *image)
{
    const struct crl_logp_geometry *g = &logp_image_in(image)->geometry;
    return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "lanes", 1, "banks", 1, "words",
                     crl_json_number(g->words), "data_width", crl_json_number(g->data_width), "addr_width",
                     crl_json_number(g->addr_width), "rows", crl_json_number(g->rows), "row_bits",
                     crl_json_number(crl_logp_row_bits(g)), "tables",
                     crl_json_number(logp_image_in(image)->problem.machine.P));
}

static void image_done(struct carillon_image *image) { crl_logp_image_done(logp_image_of(image)); }

// ---------------------------------------------------------------- image as text

// What a row takes in, as a list.
static void print_item(const char **gap, FILE *file, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void print_item(const char **gap, FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs(*gap, file);
    vfprintf(file, format, args);
    va_end(args);
    *gap = ", ";
}

static void print_row(uint32_t number, const struct crl_logp_row *row, FILE *file)
{
    static const char *const from[8] = {NULL, "taken", "last", "last", "part", "total", "part", "total"};
    char stored[24];
    const char *gap = " ", *operand = row->operand ? stored : "taken";
    snprintf(stored, sizeof stored, "bank@%u", row->raddr);
    fprintf(file, "  %5u", number);
    if (row->send) fprintf(file, " send %u <- %s", row->dest, row->what ? from[row->what & 7] : stored);
    fputs(" |", file);
    if (row->expect) print_item(&gap, file, row->expect & 2 ? "get two" : "get");
    if (row->swap) print_item(&gap, file, "take second");
    if (row->hold) print_item(&gap, file, "hold");
    if (row->held) print_item(&gap, file, "take held");
    if (row->part & 1) print_item(&gap, file, "%s %s part", operand, row->part & 2 ? "into" : "->");
    if (row->total & 1) print_item(&gap, file, "%s %s total", operand, row->total & 2 ? "into" : "->");
    if (row->store) print_item(&gap, file, "%s -> bank@%u", row->store_total ? "total" : "taken", row->waddr);
    fputc('\n', file);
}

static void print_places(const char *title, uint32_t processor, const struct crl_logp_places *places, FILE *file)
{
    fprintf(file, "%s processor %u:\n", title, processor);
    for (uint32_t i = 0; i < places->count; i++)
        fprintf(file, "  %u bank@%u\n", places->place[i].item, places->place[i].addr);
}

static int dump_text(const struct carillon_image *dumped, const struct carillon_schedule *schedule, uint32_t table,
                     FILE *file, struct crl_diag *diag)
{
    const struct crl_logp_image *image = logp_image_in(dumped);
    const struct crl_logp_geometry *g = &image->geometry;
    uint32_t P = image->problem.machine.P;
    struct crl_logp_row row;
    (void)schedule, (void)diag;
    fprintf(file, "%s (%s) on %s\n", named(dumped->problem), image->scheme, logp_machine_of(dumped->problem));
    fprintf(file, "%u-bit words, %u an item, addresses of %u bits, names of %u bits, rows of %u bits\n", g->data_width,
            g->words, g->addr_width, g->name_width, crl_logp_row_bits(g));
    fprintf(file, "%u table%s of %u rows\n", P, P == 1 ? "" : "s", g->rows);
    for (uint32_t v = 0; v < P; v++) {
        if (!crl_table_chosen(table, v)) continue;
        fprintf(file, "processor %u:\n", v);
        for (uint32_t r = 0; r < g->rows; r++) {
            crl_logp_row_unpack(g, crl_logp_image_row(image, v, r), &row);
            print_row(r, &row, file);
        }
    }
    for (uint32_t v = 0; v < P; v++)
        if (crl_table_chosen(table, v)) print_places("before", v, &image->before[v], file);
    for (uint32_t v = 0; v < P; v++)
        if (crl_table_chosen(table, v)) print_places("after", v, &image->after[v], file);
    return 0;
}

static const struct crl_dump dumps[] = {
    {"text", dump_text}, {"json", crl_dump_json}, {"readmemh", crl_dump_readmemh}, {"c", crl_dump_c}, {NULL, NULL}};

// ---------------------------------------------------------------- run

static int ready(struct crl_run *run)
{
    const struct crl_logp_image *image = logp_image_in(run->image);
    const struct crl_logp_problem *p = &image->problem;
    const char *op = run->schedule->problem->options.op;
    char hint[96];
    if (op && !crl_logp_combines(p))
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "'--op' is for collectives that combine, not for %s",
                        crl_logp_problem_name(p));
    if (logp_op(run->schedule) > CRL_OP_XOR)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--op is add, min, max or xor, not '%s'%s", op,
                        crl_op_meant(op, CRL_OP_XOR + 1, hint));
    if (run->engines & CRL_ENGINE_BOARD)
        return crl_fail(run->diag, CRL_ERR_UNSUPPORTED, "LogP machines play in --engine rtl, model or both, not '%s'",
                        crl_engines_name(run->engines));
    if (!crl_logp_payload_fits(image))
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "words of %u bits cannot %s; use a wider --width",
                        image->geometry.data_width,
                        crl_logp_combines(p) ? "show that every value was combined once" : "tell the items apart");
    return 0;
}

static struct crl_extent extent(const struct crl_run *run)
{
    const struct crl_logp_image *image = logp_image_in(run->image);
    uint32_t P = image->problem.machine.P; // a port a destination
    return (struct crl_extent){P, P, (uint64_t)image->geometry.rows * image->geometry.words};
}

static void run_summary(const struct carillon_schedule *schedule, const struct carillon_image *image, uint32_t engines,
                        json_t *summary)
{
    (void)image, (void)engines;
    if (crl_logp_combines(logp_said(schedule->problem)))
        json_object_set_new(summary, "op", json_string(crl_op_name(logp_op(schedule))));
}

// ---------------------------------------------------------------- traces for replay pages

static void place(const void *user, uint64_t step, uint32_t port, struct crl_mark *mark)
{
    const struct crl_logp_image *image = user;
    uint64_t row = step % image->geometry.rows, o = image->problem.machine.o;
    mark->slot = (uint32_t)(row < o ? 0 : row - o) + 1; // a page counts times from 1 there
    if (mark->src < image->problem.machine.P && port < image->problem.machine.P) mark->dst = port;
}

static int trace_of(const struct carillon_schedule *schedule, const struct carillon_image *image, FILE *trace,
                    const char *name, bool stopped, struct crl_page *page, struct crl_diag *diag)
{
    struct crl_logp_expected *expected;
    uint32_t P = logp_said(schedule->problem)->machine.P;
    int error = crl_logp_expected_new(&expected, &logp_schedule_in(schedule)->schedule, logp_image_in(image),
                                      logp_op(schedule), schedule->problem->options.seed, diag);
    if (error) return error;
    const struct crl_replay replay = {.player = crl_logp_expected_player(expected),
                                      .nodes = P,
                                      .ports = P,
                                      .place = place,
                                      .user = logp_image_in(image),
                                      .unit = "time"};
    error = crl_replay_compare(&replay, trace, name, stopped, page, diag);
    crl_logp_expected_free(expected);
    return error;
}

static const struct crl_machine_rows rows = {.count = row_count, .columns = columns, .take_columns = take_columns};
static const struct crl_importing importing = {.lay_out = import};
static const struct crl_playing playing = {
    .needs_image = true,
    .players = logp_players,
    .ready = ready,
    .extent = extent,
    .summary = run_summary,
    .trace = trace_of,
};

const struct crl_machine crl_machine_logp = {
    .name = "LogP",
    .linkless = true,
    .claims = claims,
    .knows = crl_logp_collective_known,
    .algorithm = algorithm_at,
    .problem_size = sizeof(struct logp_problem),
    .parse = parse,
    .takes = takes,
    .named = named,
    .scheme = scheme_at,
    .bound = bound,
    .schedule_size = sizeof(struct logp_schedule),
    .plan = plan,
    .read = read,
    .formats = formats,
    .check = check,
    .summary = summary_of,
    .schedule_done = schedule_done,
    .container = CRL_FORM_LOGP,
    .image_size = sizeof(struct logp_image),
    .lower = lower,
    .raise = raise,
    .same = same,
    .image_write = image_write,
    .image_parse = image_parse,
    .spelling = spelling,
    .dumps = dumps,
    .tables = tables,
    .image_summary = image_summary,
    .fabric = "crl_logp_fabric",
    .image_done = image_done,
    .rows = &rows,
    .importing = &importing,
    .pictures = &logp_pictures,
    .playing = &playing,
};
