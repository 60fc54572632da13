// SPDX-License-Identifier: Apache-2.0
// Spare plans: one for each single failure of a link, a cable or a node.
//
// Where the network has translations, failures that these take to each other are one class: only the first is planned,
// and the schedules and tables of the others are its, translated.
#include "machine/slots/spares.h"
#include "base/context.h"
#include "emit/emit.h"
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- one spare

// What can be kept of the moves: those of packets that there still are.
static int keep(struct slots_problem *p, const struct crl_schedule *from, struct crl_diag *diag)
{
    const bool *dead = p->topology->graph->dead;
    struct crl_schedule all;
    int error = crl_schedule_expand(&all, from, diag);
    if (error) return error;
    crl_schedule_init_for(&p->kept, &p->problem, false);
    for (size_t i = 0; i < all.count && !error; i++) {
        const struct crl_move *m = &all.moves[i];
        bool gone = dead && (dead[m->origin] || (all.naming == CRL_NAMING_PAIR && dead[m->dest]));
        if (!gone) error = crl_schedule_add(&p->kept, *m);
    }
    if (!error) error = crl_schedule_sort(&p->kept);
    p->problem.keep = &p->kept;
    crl_schedule_done(&all);
    return error ? crl_fail_memory(diag) : 0;
}

static uint32_t slots_of(const struct carillon_schedule *s)
{
    return crl_schedule_slots(&slots_schedule_in(s)->schedule);
}

// Plans keeping what was planned, where a scheme can, and anew where that misses the bound.
static int plan(struct carillon_schedule **out, struct carillon_problem *problem, const struct carillon_schedule *from,
                struct crl_diag *diag)
{
    struct slots_problem *p = slots_problem_of(problem);
    struct carillon_schedule *kept = NULL;
    const struct crl_schedule *moves = &slots_schedule_in(from)->schedule;
    bool keeps = moves->naming == CRL_NAMING_ORIGIN || moves->naming == CRL_NAMING_PAIR;
    int error = keeps ? keep(p, moves, diag) : 0;
    if (!error && keeps && !carillon_plan(&kept, problem, NULL) &&
        slots_of(kept) <= crl_problem_bound_slots(&p->problem)) {
        *out = kept;
        return 0;
    }
    p->problem.keep = NULL;
    if (!error) error = carillon_plan(out, problem, diag);
    if (kept && (error || slots_of(kept) <= slots_of(*out))) {
        carillon_schedule_free(*out);
        *out = kept;
        return 0;
    }
    carillon_schedule_free(kept);
    return error;
}

// The same problem where something has failed.
static int problem_without(struct carillon_problem **problem, const struct carillon_schedule *schedule,
                           const char *fails, struct crl_diag *diag)
{
    const struct crl_problem *p = slots_said(schedule->problem);
    struct carillon_options o = schedule->problem->options;
    char topology[400];
    *problem = NULL;
    // The network's name says these.
    o.without = o.members = o.boards = o.scheme = o.keep = o.spare = o.fail = NULL;
    o.cable_latency = o.cable_gap = o.slack = 0;
    o.cable_each = o.relative = false;
    if ((size_t)snprintf(topology, sizeof topology, "%s without %s", crl_topology_name(p->topology), fails) >=
        sizeof topology)
        return crl_fail(diag, CRL_ERR_LIMIT, "the topology and its lists are too long");
    return carillon_problem_new(problem, schedule->problem->context, crl_problem_name(p), topology, &o, diag);
}

int slots_spare_new(struct slots_spare *spare, const struct carillon_schedule *schedule, const char *fails,
                    struct crl_diag *diag)
{
    struct carillon_problem *problem;
    *spare = (struct slots_spare){0};
    int error = problem_without(&problem, schedule, fails, diag);
    if (!error) error = plan(&spare->schedule, problem, schedule, diag);
    if (!error) error = carillon_check(spare->schedule, diag);
    if (!error) error = carillon_lower(&spare->image, spare->schedule, diag);
    carillon_problem_free(problem);
    return error;
}

void slots_spare_done(struct slots_spare *spare)
{
    carillon_image_free(spare->image);
    carillon_schedule_free(spare->schedule);
    *spare = (struct slots_spare){0};
}

// ---------------------------------------------------------------- what can fail

struct failure {
    char *text;               // as --without has it; owned
    char name[80];            // as it is called
    uint32_t first, by;       // the one of its class that is planned, and the translation that takes that here
    struct slots_spare spare; // of the first of a class; no schedule: there is none
    char why[200];            // and why
    uint32_t changed;         // rows that differ from the plan's own, of the node with the most
};

struct spares {
    const struct carillon_schedule *schedule;
    const struct carillon_image *image;
    const struct crl_topology *t;
    bool translates;
    struct failure *failure;
    size_t count, capacity;
    uint32_t spare_rows, distinct; // of all tables of a node; of these and its own, each once
    struct crl_diag *diag;
};

// Translations keep the ports, so that tables stay what they are.
static bool translates(const struct carillon_schedule *schedule)
{
    const struct crl_problem *p = slots_said(schedule->problem);
    return crl_schedule_may_fold(&slots_schedule_in(schedule)->schedule) && !crl_problem_has_root(p) &&
           !crl_problem_is_partial(p) && !p->demands && !crl_problem_has_lines(p) &&
           crl_topology_latency_by_port(p->topology);
}

// Offset: what stays the same under translations; CRL_NONE: nothing is known of it.
static int add(struct spares *s, char *text, const char *name, uint32_t offset, uint32_t by)
{
    if (!text || crl_grow((void **)&s->failure, &s->capacity, s->count, sizeof *s->failure)) {
        free(text);
        return crl_fail_memory(s->diag);
    }
    struct failure *f = &s->failure[s->count];
    *f = (struct failure){.text = text, .first = (uint32_t)s->count, .by = 0};
    snprintf(f->name, sizeof f->name, "%s", name);
    for (size_t i = 0; i < s->count && s->translates; i++)
        if (s->failure[i].first == i && s->failure[i].by == offset) {
            f->first = (uint32_t)i;
            f->by = by;
        }
    if (f->first == s->count) f->by = offset; // until all are listed
    s->count++;
    return 0;
}

static bool has_link(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    return crl_topology_port_to(t, a, b) != CRL_NONE || crl_topology_port_to(t, b, a) != CRL_NONE;
}

static int add_link(struct spares *s, uint32_t a, uint32_t b)
{
    char text[32];
    uint32_t offset = 0, by = a;
    snprintf(text, sizeof text, "%u-%u", a, b);
    if (s->translates) {
        uint32_t there = crl_topology_unshift(s->t, b, a), back = crl_topology_unshift(s->t, a, b);
        offset = there < back ? there : back;
        by = there < back ? a : b;
    }
    return add(s, strdup(text), text, offset, by);
}

static int list_links(struct spares *s)
{
    int error = 0;
    for (uint32_t a = 0; a < s->t->nodes; a++)
        for (uint32_t b = a + 1; b < s->t->nodes && !error; b++)
            if (has_link(s->t, a, b)) error = add_link(s, a, b);
    return error;
}

static int list_nodes(struct spares *s)
{
    int error = 0;
    for (uint32_t v = 0; v < s->t->nodes && !error; v++) {
        char text[16];
        snprintf(text, sizeof text, "%u", v);
        if (!s->t->graph || !s->t->graph->dead || !s->t->graph->dead[v]) error = add(s, strdup(text), text, 0, v);
    }
    return error;
}

char *slots_cable_links(const struct crl_topology *t, uint32_t x, uint32_t y)
{
    const struct crl_boards *boards = crl_topology_boards(t);
    const char *comma = "";
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    for (uint32_t i = 0; i < t->nodes * t->nodes; i++) {
        uint32_t a = i / t->nodes, b = i % t->nodes;
        if (boards->of[a] != x || boards->of[b] != y || !has_link(t, a, b)) continue;
        fprintf(memory, "%s%u-%u", comma, a, b);
        comma = ",";
    }
    if (!fclose(memory)) return text;
    free(text);
    return NULL;
}

static int list_links_between(struct spares *s, uint32_t x, uint32_t y)
{
    const uint32_t *of = crl_topology_boards(s->t)->of;
    int error = 0;
    for (uint32_t i = 0; i < s->t->nodes * s->t->nodes && !error; i++) {
        uint32_t a = i / s->t->nodes, b = i % s->t->nodes;
        if (of[a] == x && of[b] == y && has_link(s->t, a, b)) error = add_link(s, a, b);
    }
    return error;
}

// All links between two boards are one cable, unless each is one of its own.
static int list_cables(struct spares *s)
{
    const struct crl_boards *boards = crl_topology_boards(s->t);
    int error = 0;
    if (!boards) return crl_fail(s->diag, CRL_ERR_ARGUMENT, "--spare cables needs boards: say --boards");
    for (uint32_t x = 0; x < boards->count; x++)
        for (uint32_t y = x + 1; y < boards->count && !error; y++) {
            if (boards->each) {
                error = list_links_between(s, x, y);
                continue;
            }
            char *text = slots_cable_links(s->t, x, y), name[80];
            if (!text) return crl_fail_memory(s->diag);
            snprintf(name, sizeof name, "%s-%s", crl_names_text(&boards->names, x, (char[CRL_NODE_TEXT]){0}),
                     crl_names_text(&boards->names, y, (char[CRL_NODE_TEXT]){0}));
            if (*text) error = add(s, text, name, 0, 0);
            else free(text);
        }
    return error;
}

static int list_failures(struct spares *s, const char *kinds)
{
    static const struct {
        const char *name;
        int (*list)(struct spares *s);
    } kind[] = {{"links", list_links}, {"nodes", list_nodes}, {"cables", list_cables}};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (!strcmp(kinds, kind[i].name)) {
            int error = kind[i].list(s);
            for (size_t k = 0; k < s->count; k++)
                if (s->failure[k].first == k) s->failure[k].by = 0;
            return error;
        }
    return crl_fail(s->diag, CRL_ERR_ARGUMENT, "--spare is links, cables or nodes, not '%s'", kinds);
}

// ---------------------------------------------------------------- planning

// That there is no plan is something to tell of one failure; what else goes wrong ends it all.
static bool is_no_plan(int error)
{
    return error == CRL_ERR_ARGUMENT || error == CRL_ERR_PARSE || error == CRL_ERR_RULE ||
           error == CRL_ERR_UNSUPPORTED || error == CRL_ERR_LIMIT;
}

static int plan_all(struct spares *s)
{
    const struct crl_context *context = s->schedule->problem->context;
    int error = 0;
    for (size_t i = 0; i < s->count && !error; i++) {
        struct failure *f = &s->failure[i];
        struct crl_diag why = {0};
        if (f->first != i) continue;
        if (context && context->progress) context->progress(context->user, "planning spares", i, s->count);
        if (crl_context_cancelled(context)) return crl_fail(s->diag, CRL_ERR_INTERRUPTED, "interrupted");
        error = slots_spare_new(&f->spare, s->schedule, f->text, &why);
        if (!error) continue;
        if (!is_no_plan(error)) {
            *s->diag = why;
            return error;
        }
        slots_spare_done(&f->spare);
        snprintf(f->why, sizeof f->why, "%.199s", why.text);
        crl_say(context, "note: no plan without %s: %s", f->name, f->why);
        error = 0;
    }
    return error;
}

// ---------------------------------------------------------------- memory

static struct crl_image *image_in(const struct carillon_image *image) { return &((struct slots_image *)image)->image; }

// Routers that play all of them.
static int widen_all(struct spares *s)
{
    struct crl_geometry all = image_in(s->image)->geometry;
    int error = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->failure[i].spare.image) crl_geometry_join(&all, &image_in(s->failure[i].spare.image)->geometry);
    error = crl_image_widen(image_in(s->image), &all);
    for (size_t i = 0; i < s->count && !error; i++)
        if (s->failure[i].spare.image) error = crl_image_widen(image_in(s->failure[i].spare.image), &all);
    return error ? crl_fail_memory(s->diag) : 0;
}

static const struct crl_image *image_of(const struct spares *s, const struct failure *f)
{
    const struct carillon_image *image = s->failure[f->first].spare.image;
    return image ? image_in(image) : NULL;
}

// The table that a node plays after a failure.
static uint32_t table_of(const struct spares *s, const struct failure *f, uint32_t node)
{
    return image_of(s, f)->node_table[f->by ? crl_topology_unshift(s->t, node, f->by) : node];
}

static uint32_t changed_rows(const struct spares *s, const struct failure *f, uint32_t node)
{
    const struct crl_image *own = image_in(s->image), *spare = image_of(s, f);
    const uint32_t rows = spare->geometry.rows, table = table_of(s, f, node);
    uint32_t changed = 0;
    for (uint32_t r = 0; r < rows; r++)
        changed += r >= own->geometry.rows ||
                   memcmp(crl_image_row(own, own->node_table[node], r), crl_image_row(spare, table, r),
                          sizeof(uint32_t) * own->store.row_words) != 0;
    return changed;
}

static void store(struct crl_row_builder *builder, const struct crl_image *image, uint32_t table, uint32_t *number,
                  uint32_t *bits)
{
    for (uint32_t r = 0; r < image->geometry.rows; r++) number[r] = r;
    crl_row_store_table(&image->store, table, image->geometry.rows, bits);
    crl_row_builder_add(builder, number, bits, image->geometry.rows, true);
}

// The rows of all tables of a node, stored once, and one more for the idle ones.
static int count_distinct(struct spares *s, uint32_t node, uint32_t *number, uint32_t *bits)
{
    const struct crl_image *own = image_in(s->image);
    struct crl_row_builder *builder;
    struct crl_row_store all;
    uint32_t tables;
    int error = crl_row_builder_new(&builder, own->store.row_words);
    if (error) return error;
    store(builder, own, own->node_table[node], number, bits);
    for (size_t i = 0; i < s->count; i++)
        if (image_of(s, &s->failure[i]))
            store(builder, image_of(s, &s->failure[i]), table_of(s, &s->failure[i], node), number, bits);
    error = crl_row_builder_end(builder, &all, &tables);
    if (error) return error;
    if (all.distinct + 1 > s->distinct) s->distinct = all.distinct + 1;
    crl_row_store_done(&all);
    return 0;
}

static int count_rows(struct spares *s)
{
    uint32_t most = image_in(s->image)->geometry.rows;
    for (size_t i = 0; i < s->count; i++) {
        struct failure *f = &s->failure[i];
        const struct crl_image *image = image_of(s, f);
        if (!image) continue;
        if (image->geometry.rows > most) most = image->geometry.rows;
        s->spare_rows += image->geometry.rows;
        for (uint32_t v = 0; v < s->t->nodes; v++) {
            uint32_t changed = changed_rows(s, f, v);
            if (changed > f->changed) f->changed = changed;
        }
    }
    CRL_OWNED uint32_t *number = malloc(sizeof *number * most);
    CRL_OWNED uint32_t *bits = malloc(sizeof *bits * most * image_in(s->image)->store.row_words);
    int error = number && bits ? 0 : CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < s->t->nodes && !error; v++) error = count_distinct(s, v, number, bits);
    return error ? crl_fail_memory(s->diag) : 0;
}

// ---------------------------------------------------------------- what is told

static json_t *tell_one(const struct spares *s, const struct failure *f)
{
    const struct failure *first = &s->failure[f->first];
    json_t *one = json_pack("{s:s}", "fails", f->name);
    if (!first->spare.schedule) {
        json_object_set_new(one, "slots", json_null());
        json_object_set_new(one, "why", json_string(first->why));
        return one;
    }
    const struct crl_report *r = &first->spare.schedule->report;
    CRL_TELL(one, {"scheme", json_string(first->spare.schedule->scheme)}, {"slots", crl_json_number(r->slots)},
             {"bound_slots", crl_json_number(r->bound_slots)},
             {"optimal", r->slots == r->bound_slots ? json_true() : json_null()},
             {"rows", json_integer(image_of(s, f)->geometry.rows)}, {"changed_rows", json_integer(f->changed)});
    return one;
}

static json_t *tell(const struct spares *s, const char *kinds)
{
    json_t *summary = s->schedule->machine->summary(s->schedule), *list = json_array();
    uint64_t planned = 0, optimal = 0, worst = 0, sum = 0, most = 0;
    const struct crl_geometry *g = &image_in(s->image)->geometry;
    for (size_t i = 0; i < s->count; i++) {
        const struct carillon_schedule *of = s->failure[s->failure[i].first].spare.schedule;
        json_array_append_new(list, tell_one(s, &s->failure[i]));
        if (!of) continue;
        planned++;
        optimal += of->report.slots == of->report.bound_slots;
        sum += of->report.slots;
        if (of->report.slots > worst) worst = of->report.slots;
        if (s->failure[i].changed > most) most = s->failure[i].changed;
    }
    const uint64_t row_bits = crl_row_bits(g), all_rows = (uint64_t)g->rows + s->spare_rows;
    CRL_TELL(summary, {"spare", json_string(kinds)}, {"failures", crl_json_number(s->count)},
             {"spares_planned", crl_json_number(planned)}, {"spares_optimal", crl_json_number(optimal)},
             {"spare_slots_worst", planned ? crl_json_number(worst) : json_null()},
             {"spare_slots_mean", planned ? json_real((double)sum / (double)planned) : json_null()},
             {"row_bits", crl_json_number(row_bits)}, {"rows", json_integer(g->rows)},
             {"changed_rows_worst", crl_json_number(most)}, {"spare_rows", json_integer(s->spare_rows)},
             {"distinct_rows", json_integer(s->distinct)}, {"own_bits", crl_json_number(g->rows * row_bits)},
             {"whole_bits", crl_json_number(all_rows * row_bits)});
    json_object_set_new(summary, "shared_bits",
                        crl_json_number(s->distinct * row_bits + all_rows * crl_bits_for(s->distinct)));
    json_object_set_new(summary, "spares", list);
    return summary;
}

// ---------------------------------------------------------------- files

// The schedule of a failure, translated to where it is.
static int write_one(const struct spares *s, const struct failure *f, FILE *file)
{
    const struct crl_schedule *of = &slots_schedule_in(s->failure[f->first].spare.schedule)->schedule;
    struct crl_schedule own, at = *of;
    int error = 0;
    if (!f->by) return crl_schedule_write_csv(of, file, false, s->diag);
    at.topology = s->t; // which has the translations
    crl_schedule_init(&own, of->topology, of->naming, false);
    for (size_t i = 0; i < of->count && !error; i++)
        error = crl_schedule_add(&own, crl_move_translate(&at, of->moves[i], f->by));
    if (!error) error = crl_schedule_sort(&own);
    error = error ? crl_fail_memory(s->diag) : crl_schedule_write_csv(&own, file, false, s->diag);
    crl_schedule_done(&own);
    return error;
}

static int write_all(struct spares *s, const char *directory)
{
    struct crl_folder folder;
    int error = crl_folder_open(&folder, directory, false, s->diag);
    FILE *file = error ? NULL : crl_folder_file(&folder, "plan.csv", s->diag);
    if (!error) error = file ? carillon_schedule_write(s->schedule, NULL, file, s->diag) : CRL_ERR_IO;
    for (size_t i = 0; i < s->count && !error; i++) {
        char name[128];
        if (!s->failure[s->failure[i].first].spare.schedule) continue;
        snprintf(name, sizeof name, "without-%s.csv", s->failure[i].name);
        file = crl_folder_file(&folder, name, s->diag);
        error = file ? write_one(s, &s->failure[i], file) : CRL_ERR_IO;
    }
    return crl_folder_close(&folder, error, s->diag);
}

// ---------------------------------------------------------------- tables of their own

// The spare of a failure where it is, not where the first of its class is.
static int translate(struct slots_spare *out, struct spares *s, const struct failure *f)
{
    struct carillon_problem *problem;
    CRL_OWNED char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    int error = file ? write_one(s, f, file) : CRL_ERR_MEMORY;
    if (file && fclose(file)) error = CRL_ERR_MEMORY;
    if (error) return crl_fail_memory(s->diag);
    error = problem_without(&problem, s->schedule, f->text, s->diag);
    file = error ? NULL : fmemopen(text, size, "r");
    if (file) error = carillon_schedule_read(&out->schedule, problem, file, f->name, s->diag);
    else if (!error) error = crl_fail_memory(s->diag);
    if (file) fclose(file);
    if (!error) error = carillon_check(out->schedule, s->diag);
    if (!error) error = carillon_lower(&out->image, out->schedule, s->diag);
    carillon_problem_free(problem);
    return error;
}

static void end_all(struct spares *s)
{
    for (size_t i = 0; i < s->count; i++) {
        slots_spare_done(&s->failure[i].spare);
        free(s->failure[i].text);
    }
    free(s->failure);
}

// The list takes over the spares of classes.
static int list_all(struct slots_spares *list, struct spares *s)
{
    int error = 0;
    size_t listed = 0;
    list->failures = s->count;
    list->list = calloc(s->count + 1, sizeof *list->list);
    if (!list->list) return crl_fail_memory(s->diag);
    for (; listed < s->count && !error; listed++) {
        const struct failure *f = &s->failure[listed];
        const struct carillon_schedule *first = s->failure[f->first].spare.schedule;
        if (!first) continue;
        struct slots_failure *one = &list->list[list->count++];
        snprintf(one->name, sizeof one->name, "%s", f->name);
        snprintf(one->scheme, sizeof one->scheme, "%s", first->scheme);
        if (f->by) error = translate(&one->spare, s, f);
        else one->spare = f->spare;
    }
    for (size_t i = 0; i < listed; i++)
        if (!s->failure[i].by) s->failure[i].spare = (struct slots_spare){0};
    return error;
}

int slots_spares_new(struct slots_spares **out, const struct carillon_schedule *schedule, const char *kinds,
                     struct crl_diag *diag)
{
    struct spares s = {.schedule = schedule, .diag = diag, .t = slots_said(schedule->problem)->topology};
    struct slots_spares *list = *out = calloc(1, sizeof *list);
    if (!list) return crl_fail_memory(diag);
    s.translates = translates(schedule);
    int error = list_failures(&s, kinds);
    if (!error) error = plan_all(&s);
    if (!error) error = list_all(list, &s);
    end_all(&s);
    return error;
}

void slots_spares_free(struct slots_spares *spares)
{
    if (!spares) return;
    for (size_t i = 0; i < spares->count; i++) slots_spare_done(&spares->list[i].spare);
    CRL_FREE(spares->list, spares);
}

// ---------------------------------------------------------------- all of it

int slots_plan_spares(char **json, struct carillon_schedule *schedule, struct carillon_image *image, const char *kinds,
                      const char *directory, struct crl_diag *diag)
{
    struct spares s = {.schedule = schedule, .image = image, .diag = diag};
    s.t = slots_said(schedule->problem)->topology;
    s.translates = translates(schedule);
    int error = list_failures(&s, kinds);
    if (!error) error = plan_all(&s);
    if (!error) error = widen_all(&s);
    if (!error) error = count_rows(&s);
    if (!error && directory) error = write_all(&s, directory);
    if (!error) error = crl_json_text(tell(&s, kinds), json, diag);
    end_all(&s);
    return error;
}
