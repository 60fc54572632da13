// SPDX-License-Identifier: Apache-2.0
// The machine of slot tables on link topologies: problem, schedule, image.
#include "machine/slots/spares.h"
#include "lower/lower.h"
#include "schedule/cables.h"
#include "schedule/narrow.h"
#include "topology/topology.h"
#include <string.h>

static bool claims(const char *algorithm, const char *topology)
{
    return crl_collective_known(algorithm) && !crl_topology_is_linkless(topology);
}

static const char *port_models(uint32_t models)
{
    static const char *const names[] = {"all,single", "all", "single"};
    return names[models];
}

// A line of the list: a row and a collective that it serves. Collective by collective. Lines are asked for in turn, and
// looking goes on where the last one was.
static const struct crl_algorithm *line_at(size_t index, const char **collective)
{
    static _Thread_local struct {
        size_t collective, row, lines; // lines: those before
    } at;
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_all(rows);
    if (index < at.lines) memset(&at, 0, sizeof at);
    for (; (*collective = crl_collective_at(at.collective)); at.collective++, at.row = 0)
        for (; at.row < count; at.row++)
            if (crl_algorithm_serves(rows[at.row], *collective)) {
                if (at.lines == index) return rows[at.row];
                at.lines++;
            }
    return NULL;
}

static int fit(const char *topology, bool *fits, struct crl_diag *diag)
{
    struct crl_topology *t;
    const char *collective;
    const struct crl_algorithm *a;
    int error = crl_topology_is_linkless(topology) ? CRL_ERR_UNSUPPORTED : crl_topology_parse(&t, topology, diag);
    for (size_t i = 0; !error && (a = line_at(i, &collective)); i++) fits[i] = crl_algorithm_fits(a, collective, t);
    if (!error) crl_topology_free(t);
    return error == CRL_ERR_UNSUPPORTED ? 0 : error;
}

// What a row says of a collective that is one of its own in reversed time.
static const char *reversed_summary(const char *collective)
{
    static const char *const texts[][2] = {{"gather", "scatter in reversed time"},
                                           {"partial-gather", "partial exchange in reversed time"},
                                           {"reduce", "broadcast in reversed time"},
                                           {"reduce-scatter", "all-gather in reversed time"}};
    size_t i = 0;
    while (strcmp(texts[i][0], collective)) i++;
    return texts[i][1];
}

static bool algorithm_at(size_t index, struct carillon_algorithm *row)
{
    const char *collective;
    const struct crl_algorithm *a = line_at(index, &collective);
    if (!a) return false;
    *row = (struct carillon_algorithm){collective,
                                       a->scheme,
                                       a->networks,
                                       port_models(a->ports),
                                       a->guarantee ? a->guarantee : "none claimed",
                                       a->paper ? a->paper : "none",
                                       crl_algorithm_names(a, collective) ? a->summary : reversed_summary(collective)};
    return true;
}

// ---------------------------------------------------------------- problem

#define NETWORK                                                                                                        \
    SLOTS_ALWAYS                                                                                                       \
    "link-latency members switches without boards cable-latency cable-gap cable-each ppm cable cable-errors unplug "   \
    "noise reboot other-plan spare fail relative"

static const char *takes(const struct carillon_problem *problem)
{
    const struct crl_problem *p = slots_said(problem);
    bool root = crl_problem_has_root(p);
    if (crl_problem_has_demands(p)) return slots_demands_take(p);
    if (crl_problem_has_lines(p))
        return SLOTS_ALWAYS "relative counts dimension parts tp lanes banks streams words width";
    if (crl_problem_routes(p)) return SLOTS_ALWAYS "relative active to tp lanes banks streams words width";
    if (crl_problem_is_partial(p))
        return root ? NETWORK " nowait keep slack root active parts tp lanes banks streams words width"
                    : NETWORK " nowait keep slack active parts tp lanes banks streams words width";
    if (crl_problem_sums(p))
        return root                          ? NETWORK " refute root chunks lanes banks streams op words width"
               : crl_problem_takes_chunks(p) ? NETWORK " chunks parts lanes banks streams op words width"
                                             : NETWORK " refute parts lanes banks streams op words width";
    if (!crl_problem_has_tables(p)) return SLOTS_ALWAYS "relative tp";
    return root ? NETWORK " nowait keep slack refute root parts lanes banks streams words width"
                : NETWORK " nowait keep slack refute parts lanes banks streams words width";
}

// The schemes that solve it, each once; of those that split packets themselves also where nobody said how.
static size_t list_schemes(const char *schemes[2 * CRL_ALGORITHMS_MAX], const struct carillon_problem *problem)
{
    const struct crl_algorithm *rows[2 * CRL_ALGORITHMS_MAX];
    struct crl_problem split = *slots_said(problem);
    size_t count = crl_algorithms_for(rows, &split), listed = 0;
    split.parts = problem->options.parts ? split.parts : crl_mini_packets(split.topology);
    if (crl_problem_is_partial(&split) && split.parts > 1) count += crl_algorithms_for(rows + count, &split);
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (before < listed && strcmp(schemes[before], rows[i]->scheme)) before++;
        if (before == listed) schemes[listed++] = rows[i]->scheme;
    }
    return listed;
}

static const char *scheme_at(const struct carillon_problem *problem, size_t index)
{
    const char *schemes[2 * CRL_ALGORITHMS_MAX];
    return index < list_schemes(schemes, problem) ? schemes[index] : NULL;
}

static const char *named(const struct carillon_problem *problem) { return crl_problem_name(slots_said(problem)); }

// ---------------------------------------------------------------- schedule

static int read(struct carillon_schedule *schedule, FILE *file, const char *name, struct crl_diag *diag)
{
    struct slots_schedule *s = slots_schedule_of(schedule);
    struct slots_problem *p = slots_problem_of(schedule->problem);
    crl_schedule_init_for(&s->schedule, &p->problem, schedule->problem->options.relative);
    // What summaries tell of streams and of plans that are kept is found among moves.
    const bool judged = !s->schedule.folded && !schedule->problem->options.streams && !p->problem.keep;
    if (judged && crl_narrow_fits(&p->problem)) s->schedule.judged = &p->problem;
    return crl_schedule_read_csv(&s->schedule, file, name, diag);
}

static int check(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    return crl_check(&schedule->report, &slots_schedule_of(schedule)->schedule, slots_said(schedule->problem), diag);
}

static void schedule_done(struct carillon_schedule *schedule)
{
    crl_schedule_done(&slots_schedule_of(schedule)->schedule);
}

// Latencies of links, where they are not 1: of all, of each dimension, or the least and the largest of a file.
static void add_latency(json_t *summary, const struct crl_topology *t)
{
    uint32_t latency[CRL_FACTORS_MAX], count = crl_topology_latencies(t, latency);
    if (crl_topology_latency_max(t) == 1) return;
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) json_array_append_new(list, json_integer(latency[i]));
    if (count == 1) json_object_set_new(summary, "link_latency", json_integer(latency[0]));
    else if (count) json_object_set(summary, "link_latency", list);
    else
        json_object_set_new(summary, "link_latency",
                            json_sprintf("%u to %u", crl_topology_latency_min(t), crl_topology_latency_max(t)));
    json_decref(list);
}

// What an on-line algorithm takes, in slots of a whole packet, beside the bound that is proved for it.
static void add_time(json_t *summary, const struct slots_schedule *s)
{
    const struct crl_problem *p = slots_said(s->common.problem);
    double said = s->common.problem->options.tp, tp = said < 0 ? 1.0 / p->parts : said, bound;
    uint32_t count;
    if (!s->algorithm || !crl_online_timing(s->algorithm, &s->schedule, p, tp, &count, &bound)) return;
    uint64_t slots = s->common.report.slots;
    CRL_TELL(summary, {"count_slots", json_integer(count)}, {"tp", json_real(tp)},
             {"time", json_real(count * tp + (double)(slots - count) / p->parts)},
             {"bound_time", crl_json_real(bound)});
}

// Whether its scheme is for routers of one bank, also where it came from an image.
static bool is_for_one_bank(const struct carillon_schedule *schedule)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    const char *collective = crl_problem_name(slots_said(schedule->problem));
    for (size_t i = crl_algorithms_all(rows); i-- > 0;)
        if (rows[i]->router == CRL_ROUTER_ONE_BANK && !strcmp(rows[i]->scheme, schedule->scheme))
            return crl_algorithm_names(rows[i], collective);
    return false;
}

// Boards and cables, and what cables must hold.
static void add_cables(json_t *summary, const struct crl_boards *boards, const struct slots_schedule *s, bool broken)
{
    CRL_OWNED struct crl_cable *cables = NULL;
    uint32_t count, words = 0, depth = 0;
    json_object_set_new(summary, "boards", json_integer(boards->count));
    json_object_set_new(summary, "cables", json_integer(crl_topology_cables(s->schedule.topology)));
    const bool overlap = s->schedule.demands && s->schedule.demands->modulo; // rounds, which are looked at one by one
    if (!broken && !overlap && !crl_cables_list(&cables, &count, &s->schedule)) {
        for (uint32_t i = 0; i < count; i++) {
            if (cables[i].most > words) words = cables[i].most;
            if (cables[i].depth > depth) depth = cables[i].depth;
        }
        json_object_set_new(summary, "cable_words", words == CRL_NONE ? json_null() : json_integer(words));
        json_object_set_new(summary, "cable_depth", json_integer(depth));
    }
}

static json_t *summary_of(const struct carillon_schedule *schedule)
{
    const struct crl_report *r = &schedule->report;
    const struct crl_problem *p = slots_said(schedule->problem);
    json_t *optimal = !r->violations && r->slots == r->bound_slots ? json_true() : json_null();
    json_t *summary = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o}", "algorithm", crl_problem_name(p), "scheme",
        schedule->scheme, "topology", crl_topology_name(p->topology), "ports",
        p->ports == CRL_PORTS_SINGLE ? "single" : "all", "nodes", crl_json_number(crl_topology_nodes(p->topology)),
        "slots", crl_json_number(r->slots), "bound_slots", crl_json_number(r->bound_slots), "transmissions",
        crl_json_number(r->transmissions), "bound_transmissions", crl_json_number(r->bound_transmissions),
        "utilization", r->utilization, "optimal", optimal, "buffer_packets", crl_json_number(r->buffer_packets));
    add_latency(summary, p->topology);
    const struct crl_boards *boards = crl_topology_boards(p->topology);
    if (boards) add_cables(summary, boards, slots_schedule_in(schedule), r->violations);
    if (p->hosts) json_object_set_new(summary, "hosts", json_integer(p->host_count));
    if (is_for_one_bank(schedule))
        json_object_set_new(summary, "bound_one_bank", crl_json_number(crl_problem_bound_one_bank(p)));
    if (crl_problem_is_partial(p)) {
        json_object_set_new(summary, "active", json_integer(p->active_count));
    }
    if (crl_problem_has_lines(p)) {
        CRL_TELL(summary, {"packets", crl_json_number(crl_problem_packets(p) / p->parts)},
                 {"line_packets", json_integer(crl_problem_line_packets(p))}, {"dimension", json_integer(p->dim + 1)});
    }
    if (p->parts > 1 || crl_problem_is_partial(p) || crl_problem_has_lines(p))
        json_object_set_new(summary, "parts", json_integer(p->parts));
    if (crl_problem_sums(p)) {
        json_object_set_new(summary, "chunks", json_integer(p->chunks));
        slots_sum_order(summary, schedule);
    }
    if (p->demands) slots_add_demands(summary, slots_problem_of(schedule->problem));
    slots_add_kept(summary, slots_schedule_in(schedule));
    char advice[200];
    if (!r->violations && *slots_advice(slots_schedule_in(schedule), advice))
        json_object_set_new(summary, "advice", json_string(advice));
    add_time(summary, slots_schedule_in(schedule));
    slots_add_ends(summary, slots_schedule_in(schedule));
    slots_add_time(summary, schedule->problem, r->violations ? UINT64_MAX : r->slots, r->bound_slots);
    return summary;
}

// ---------------------------------------------------------------- image

// With so few banks only a scheme made for one bank plays, which takes more slots: nobody gets these without a word.
static int say_cost(const struct carillon_schedule *schedule, uint32_t banks, struct crl_diag *diag)
{
    const struct slots_problem *p = slots_problem_of(schedule->problem);
    const struct crl_algorithm *algorithm = crl_algorithm_for_router(&p->problem, CRL_ROUTER_ONE_BANK);
    CRL_ENDED(crl_schedule_done) struct crl_schedule other = {0};
    if (!algorithm) return CRL_ERR_UNSUPPORTED;
    int error = crl_plan(&other, algorithm, &p->problem, NULL);
    uint32_t slots = crl_schedule_slots(&other);
    return error ? CRL_ERR_UNSUPPORTED
                 : crl_fail(diag, CRL_ERR_UNSUPPORTED,
                            "'%u' banks are too few for scheme '%s', which takes %llu slots with as many banks as "
                            "lanes (leave out --banks); with '--scheme %s' it takes %u",
                            banks, schedule->scheme, (unsigned long long)schedule->report.slots, algorithm->scheme,
                            slots);
}

static int lower(struct carillon_image *image, struct carillon_schedule *schedule, struct crl_diag *diag)
{
    const struct carillon_options *o = &schedule->problem->options;
    bool board = o->engine && !strcmp(o->engine, "board"); // whose routers have one lane and words of 16 bits
    struct crl_lower_options how = {.lanes = o->lanes ? o->lanes
                                             : board  ? 1
                                                      : 0,
                                    .banks = o->banks,
                                    .streams = o->streams,
                                    .words = o->words ? o->words : 1,
                                    .data_width = o->width ? o->width
                                                  : board  ? 16
                                                           : 32};
    struct slots_problem *p = slots_problem_of(schedule->problem);
    how.apart = crl_sum_apart(&p->problem, how.words);
    int error = crl_lower(&slots_image_of(image)->image, &slots_schedule_in(schedule)->schedule, &p->problem,
                          schedule->scheme, &how, diag);
    if (!error && p->problem.demands)
        error = slots_put_demands(&slots_image_of(image)->image, p->problem.demands, diag);
    if (error == CRL_ERR_UNSUPPORTED && how.banks > 1 && slots_few_banks(p, how.banks))
        error = say_cost(schedule, how.banks, diag);
    return error;
}

static int raise(struct carillon_schedule *schedule, const struct carillon_image *image, struct crl_diag *diag)
{
    schedule->scheme = slots_image_in(image)->image.scheme;
    return crl_raise(&slots_schedule_of(schedule)->schedule, &slots_image_in(image)->image, slots_said(image->problem),
                     diag);
}

static bool same(const struct carillon_schedule *a, const struct carillon_schedule *b)
{
    const struct crl_schedule *x = &slots_schedule_in(a)->schedule, *y = &slots_schedule_in(b)->schedule;
    bool equal = x->count == y->count && x->folded == y->folded;
    for (size_t i = 0; equal && i < x->count; i++) equal = !crl_move_compare(&x->moves[i], &y->moves[i]);
    return equal;
}

static int image_write(const struct carillon_image *image, FILE *file, struct crl_diag *diag)
{
    return crl_image_write(&slots_image_in(image)->image, file, diag);
}

static int image_parse(struct carillon_image *image, const struct crl_container *container, struct crl_diag *diag)
{
    struct slots_problem *p = slots_problem_of(image->problem);
    struct crl_image *i = &slots_image_of(image)->image;
    int error = crl_image_parse(i, container, diag);
    image->problem->options.streams = i->geometry.streams;
    if (i->geometry.streams) image->problem->options.lanes = i->geometry.lanes;
    if (!error) error = crl_topology_parse(&p->topology, i->topology, diag);
    if (!error && !crl_topology_adopt_latency(p->topology, i->latency, i->latencies))
        error = crl_fail_at(diag, CRL_ERR_PARSE, container->name, 0, 0,
                            "the image was built for %s with other latencies of links", crl_topology_name(p->topology));
    if (!error)
        error = crl_problem_init(&p->problem, i->collective, p->topology, i->root, (enum crl_ports)i->port_model, diag);
    p->problem.priced = &p->priced;
    if (!error && crl_problem_has_demands(&p->problem)) error = slots_get_demands(p, i, container->name, diag);
    if (!error && crl_problem_takes_chunks(&p->problem) && i->chunks)
        error = crl_problem_set_chunks(&p->problem, i->chunks, diag);
    if (i->geometry.combine) p->problem.op = crl_geometry_op(&i->geometry);
    bool partial = !error && crl_problem_is_partial(&p->problem);
    if (partial && i->parts) error = crl_problem_set_active(&p->problem, i->active, i->active_count, i->parts, diag);
    if (!error && !partial && i->parts) error = crl_problem_set_parts(&p->problem, i->parts, diag);
    if (!error &&
        (!crl_problem_has_tables(&p->problem) || (partial ? !i->parts : i->parts == 1 || i->active_count) ||
         i->chunks != (crl_problem_sums(&p->problem) ? p->problem.chunks : 0) ||
         i->nodes != crl_topology_nodes(p->topology) || i->geometry.ports != crl_topology_ports(p->topology) ||
         (i->folded && !crl_problem_is_symmetric(&p->problem))))
        error = crl_fail_at(diag, CRL_ERR_PARSE, container->name, 0, 0, "the image contradicts itself");
    return error;
}

static struct crl_tables tables(const struct carillon_image *image)
{
    const struct crl_image *i = &slots_image_in(image)->image;
    return (struct crl_tables){
        .collective = i->collective,
        .scheme = i->scheme,
        .topology = i->topology,
        .count = i->tables,
        .nodes = i->nodes,
        .rows = i->geometry.rows,
        .row_bits = crl_row_bits(&i->geometry),
        .store = &i->store,
        .node_table = i->node_table,
    };
}

static json_t *image_summary(const struct carillon_image *image)
{
    const struct crl_image *i = &slots_image_in(image)->image;
    const struct crl_geometry *g = &i->geometry;
    json_t *summary = json_pack("{s:o, s:o, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "lanes",
                                crl_json_number(g->lanes), "banks", crl_json_number(g->banks), "write_xbar",
                                (int)g->write_xbar, "delay", (int)g->delay, "waddr_field", (int)g->waddr_field, "words",
                                crl_json_number(g->words), "data_width", crl_json_number(g->data_width), "addr_width",
                                crl_json_number(g->addr_width), "rows", crl_json_number(g->rows), "row_bits",
                                crl_json_number(crl_row_bits(g)), "tables", crl_json_number(i->tables));
    if (g->combine) json_object_set_new(summary, "op", json_string(crl_op_name(crl_geometry_op(g))));
    return summary;
}

static void image_done(struct carillon_image *image)
{
    struct slots_image *i = slots_image_of(image);
    crl_board_session_close(&i->session, 0, NULL);
    if (i->change && i->change->spare.image != image) slots_change_free(i->change);
    slots_spares_free(i->spares);
    crl_image_done(&i->image);
}

const struct crl_machine crl_machine_slots = {
    .name = "link",
    .claims = claims,
    .knows = crl_collective_known,
    .algorithm = algorithm_at,
    .fit = fit,
    .problem_size = sizeof(struct slots_problem),
    .parse = slots_parse,
    .problem_done = slots_problem_done,
    .takes = takes,
    .named = named,
    .scheme = scheme_at,
    .bound = slots_bound,
    .schedule_size = sizeof(struct slots_schedule),
    .plan = slots_plan_anew,
    .read = read,
    .formats = slots_formats,
    .check = check,
    .summary = summary_of,
    .schedule_done = schedule_done,
    .container = CRL_FORM_SLOTS,
    .image_size = sizeof(struct slots_image),
    .lower = lower,
    .raise = raise,
    .same = same,
    .image_write = image_write,
    .image_parse = image_parse,
    .spelling = crl_topology_spelling,
    .dumps = slots_dumps,
    .tables = tables,
    .image_summary = image_summary,
    .image_done = image_done,
    .rows = &slots_rows,
    .evidence = &slots_evidence,
    .importing = &slots_importing,
    .pictures = &slots_pictures,
    .emitting = &slots_emitting,
    .playing = &slots_playing,
    .boards = &slots_attached,
    .spares = slots_plan_spares,
};
