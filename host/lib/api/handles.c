// SPDX-License-Identifier: Apache-2.0
// Handles, and the flow through the row of a machine: problem → schedule → check → image.
#include "api/machine.h"
#include <stdlib.h>
#include <string.h>

const char *carillon_version(void) { return CARILLON_VERSION; }

// ---------------------------------------------------------------- handles

static struct carillon_problem *problem_hold(struct carillon_problem *problem)
{
    problem->references++;
    return problem;
}

int crl_problem_make(struct carillon_problem **out, const struct crl_machine *machine,
                     const struct crl_context *context, const struct carillon_options *options, struct crl_diag *diag)
{
    struct carillon_options own;
    *out = NULL;
    int error = crl_options_take(&own, options, diag);
    if (error) return error;
    struct carillon_problem *p = *out = calloc(1, machine->problem_size);
    if (!p) return crl_fail_memory(diag);
    *p = (struct carillon_problem){.machine = machine, .references = 1, .context = context, .options = own};
    // What every link takes unless something else is said means the same for all machines.
    if (p->options.link_latency && !strcmp(p->options.link_latency, "1")) p->options.link_latency = NULL;
    return 0;
}

int crl_schedule_make(struct carillon_schedule **out, struct carillon_problem *problem, struct crl_diag *diag)
{
    struct carillon_schedule *s = *out = calloc(1, problem->machine->schedule_size);
    if (!s) return crl_fail_memory(diag);
    s->machine = problem->machine;
    s->problem = problem_hold(problem);
    return 0;
}

static int image_make(struct carillon_image **out, const struct crl_machine *machine, struct carillon_problem *problem,
                      struct crl_diag *diag)
{
    struct carillon_image *image = *out = calloc(1, machine->image_size);
    if (!image) return crl_fail_memory(diag);
    image->machine = machine;
    image->problem = problem_hold(problem);
    return 0;
}

void carillon_problem_free(struct carillon_problem *problem)
{
    if (!problem || --problem->references) return;
    if (problem->machine->problem_done) problem->machine->problem_done(problem);
    free(problem);
}

void carillon_schedule_free(struct carillon_schedule *schedule)
{
    if (!schedule) return;
    schedule->machine->schedule_done(schedule);
    crl_report_done(&schedule->report);
    carillon_problem_free(schedule->problem);
    free(schedule);
}

void carillon_image_free(struct carillon_image *image)
{
    if (!image) return;
    image->machine->image_done(image);
    carillon_problem_free(image->problem);
    free(image);
}

// ---------------------------------------------------------------- what there is

bool carillon_algorithm_at(size_t index, struct carillon_algorithm *row)
{
    for (const struct crl_machine *const *f = crl_machines; *f; f++) {
        size_t count = 0;
        if (!(*f)->algorithm) continue;
        if ((*f)->algorithm(index, row)) return true;
        while ((*f)->algorithm(count, row)) count++;
        index -= count;
    }
    return false;
}

bool carillon_finding_kind_at(size_t index, struct carillon_finding_kind *kind)
{
    size_t count;
    const struct crl_finding_kind *kinds = crl_finding_kinds(&count);
    if (index >= count) return false;
    const struct crl_finding_kind *k = &kinds[index];
    *kind = (struct carillon_finding_kind){k->id, k->summary, k->advice, k->severity == CRL_VIOLATION};
    return true;
}

// ---------------------------------------------------------------- problem

int carillon_problem_new(struct carillon_problem **out, const struct crl_context *context, const char *algorithm,
                         const char *topology, const struct carillon_options *options, struct crl_diag *diag)
{
    *out = NULL;
    if (!topology) return crl_fail(diag, CRL_ERR_ARGUMENT, "which network? Say -t, as in -t hypercube:4");
    algorithm = carillon_algorithm_spelled(algorithm, topology);
    const struct crl_machine *machine = crl_machines[0];
    for (const struct crl_machine *const *f = crl_machines; *f; f++)
        if ((*f)->claims && (*f)->claims(algorithm, topology)) {
            machine = *f;
            break;
        }
    struct carillon_problem *p;
    int error = crl_problem_make(&p, machine, context, options, diag);
    if (error) return error;
    error = machine->parse(p, algorithm, topology, diag);
    if (!error) error = crl_options_refuse(p, diag);
    if (error) carillon_problem_free(p);
    else *out = p;
    return error;
}

const char *carillon_problem_scheme(const struct carillon_problem *problem, size_t index)
{
    return problem->machine->scheme ? problem->machine->scheme(problem, index) : NULL;
}

int carillon_problem_bound(const struct carillon_problem *problem, char **json, struct crl_diag *diag)
{
    *json = NULL;
    if (!problem->machine->bound)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no bound is computed for %s", crl_title_of(problem));
    return crl_json_text(problem->machine->bound(problem), json, diag);
}

int carillon_problem_certificate(const struct carillon_problem *problem, FILE *file, struct crl_diag *diag)
{
    if (!problem->machine->evidence)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "there are no certificates of %s", crl_title_of(problem));
    return problem->machine->evidence->certificate(problem, file, diag);
}

int carillon_certify(const struct carillon_problem *problem, FILE *file, const char *name, char **json,
                     struct crl_diag *diag)
{
    json_t *proved = NULL;
    *json = NULL;
    if (!problem->machine->evidence)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "there are no certificates of %s", crl_title_of(problem));
    int error = problem->machine->evidence->certify(problem, file, name, &proved, diag);
    return error ? error : crl_json_text(proved, json, diag);
}

struct carillon_problem *carillon_schedule_problem(const struct carillon_schedule *schedule)
{
    return schedule->problem;
}

const char *carillon_problem_name(const struct carillon_problem *problem) { return problem->machine->named(problem); }

int carillon_problem_set(struct carillon_problem *problem, const char *option, const char *value, struct crl_diag *diag)
{
    size_t count;
    const struct carillon_option *rows = carillon_option_table(&count);
    for (size_t i = 0; i < count && crl_word_among("engine seed threads wave", option); i++)
        if (!strcmp(rows[i].name, option)) {
            if (value) return carillon_option_set(&rows[i], &problem->options, value, diag);
            crl_option_unset(&rows[i], &problem->options);
            return 0;
        }
    return crl_fail(diag, CRL_ERR_ARGUMENT, "'--%s' is said when a problem is made", option);
}

// ---------------------------------------------------------------- schedule

static int schedule_with(struct carillon_schedule **out, struct carillon_problem *problem, FILE *file, const char *name,
                         struct crl_diag *diag)
{
    struct carillon_schedule *s;
    *out = NULL;
    int error = crl_schedule_make(&s, problem, diag);
    if (error) return error;
    if (file) s->scheme = "file";
    error = file ? problem->machine->read(s, file, name, diag) : problem->machine->plan(s, diag);
    if (error) carillon_schedule_free(s);
    else *out = s;
    return error;
}

int carillon_plan(struct carillon_schedule **out, struct carillon_problem *problem, struct crl_diag *diag)
{
    return schedule_with(out, problem, NULL, NULL, diag);
}

int carillon_schedule_read(struct carillon_schedule **out, struct carillon_problem *problem, FILE *file,
                           const char *name, struct crl_diag *diag)
{
    if (!problem->machine->read)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "schedules of this kind are not read from files");
    return schedule_with(out, problem, file, name, diag);
}

int crl_schedule_open(const struct carillon_schedule *schedule, struct crl_diag *diag)
{
    const struct crl_machine_rows *rows = schedule->machine->rows;
    return rows && rows->open ? rows->open((struct carillon_schedule *)schedule, diag) : 0;
}

static const char *format_name(const struct crl_machine *machine, size_t i)
{
    return machine->formats ? machine->formats[i].name : NULL;
}
static const char *dump_name(const struct crl_machine *machine, size_t i)
{
    return machine->dumps ? machine->dumps[i].name : NULL;
}

static int refuse_format(const struct crl_machine *machine,
                         const char *(*name)(const struct crl_machine *machine, size_t i), const char *format,
                         struct crl_diag *diag)
{
    char names[256] = "";
    for (size_t i = 0, used = 0; name(machine, i); i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i ? name(machine, i + 1) ? ", " : " or " : "", name(machine, i));
    return crl_fail(diag, CRL_ERR_ARGUMENT, "--format is %s, not '%s'", names, format);
}

static int find_format(const struct crl_format **out, const struct carillon_problem *problem, const char *format,
                       struct crl_diag *diag)
{
    if (!problem->machine->formats)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s have tables but no schedule: 'carillon build' writes these",
                        crl_title_of(problem));
    for (*out = problem->machine->formats; (*out)->name; ++*out)
        if (!format || !strcmp(format, (*out)->name)) return 0;
    return refuse_format(problem->machine, format_name, format, diag);
}

int carillon_schedule_write(const struct carillon_schedule *schedule, const char *format, FILE *file,
                            struct crl_diag *diag)
{
    const struct crl_format *f;
    int error = find_format(&f, schedule->problem, format, diag);
    if (!error) error = crl_schedule_open(schedule, diag);
    return error ? error : f->write(schedule, file, diag);
}

static int refuse_rows(struct crl_diag *diag)
{
    return crl_fail(diag, CRL_ERR_UNSUPPORTED, "a schedule of this kind has no rows of links");
}

int carillon_schedule_rows(const struct carillon_schedule *schedule, bool between_hosts,
                           void (*take)(void *user, const struct carillon_row *row), void *user, struct crl_diag *diag)
{
    const struct crl_machine_rows *rows = schedule->machine->rows;
    if (!rows || !rows->each) return refuse_rows(diag);
    int error = crl_schedule_open(schedule, diag);
    return error ? error : rows->each(schedule, between_hosts, take, user, diag);
}

uint32_t carillon_packet_numbers(const struct carillon_problem *problem)
{
    const struct crl_machine_rows *rows = problem->machine->rows;
    return rows && rows->packet_numbers ? rows->packet_numbers(problem) : 0;
}

int carillon_packet_text(const struct carillon_problem *problem, const uint32_t numbers[CARILLON_PACKET_NUMBERS],
                         char text[CARILLON_PACKET_TEXT], struct crl_diag *diag)
{
    const struct crl_machine_rows *rows = problem->machine->rows;
    return rows && rows->packet_text ? rows->packet_text(problem, numbers, text, diag) : refuse_rows(diag);
}

uint64_t carillon_schedule_row_count(const struct carillon_schedule *schedule)
{
    return schedule->machine->rows ? schedule->machine->rows->count(schedule) : 0;
}

int carillon_schedule_columns(const struct carillon_schedule *schedule, const struct carillon_columns *columns,
                              uint64_t room, struct crl_diag *diag)
{
    if (!schedule->machine->rows) return refuse_rows(diag);
    int error = crl_schedule_open(schedule, diag);
    return error ? error : schedule->machine->rows->columns(schedule, columns, room, diag);
}

int carillon_schedule_from_columns(struct carillon_schedule **out, struct carillon_problem *problem,
                                   const struct carillon_columns *columns, uint64_t count, const char *name,
                                   struct crl_diag *diag)
{
    struct carillon_schedule *s;
    *out = NULL;
    if (!problem->machine->rows) return refuse_rows(diag);
    int error = crl_schedule_make(&s, problem, diag);
    if (error) return error;
    s->scheme = "file";
    error = problem->machine->rows->take_columns(s, columns, count, name, diag);
    if (error) carillon_schedule_free(s);
    else *out = s;
    return error;
}

int carillon_problem_writable(const struct carillon_problem *problem, const char *format, struct crl_diag *diag)
{
    const struct crl_format *f;
    int error = find_format(&f, problem, format, diag);
    return error || !f->fits ? error : f->fits(problem, diag);
}

// Name `index` of all that stand in the machines' lists, each once.
static const char *name_at(size_t index, const char *(*name)(const struct crl_machine *machine, size_t i))
{
    for (const struct crl_machine *const *f = crl_machines; *f; f++)
        for (size_t i = 0; name(*f, i); i++) {
            bool seen = false;
            for (const struct crl_machine *const *g = crl_machines; g < f && !seen; g++)
                for (size_t k = 0; name(*g, k) && !seen; k++) seen = !strcmp(name(*g, k), name(*f, i));
            if (!seen && !index--) return name(*f, i);
        }
    return NULL;
}

const char *carillon_format_at(size_t index) { return name_at(index, format_name); }
const char *carillon_dump_format_at(size_t index) { return name_at(index, dump_name); }

int carillon_check(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    crl_report_done(&schedule->report);
    int error = schedule->machine->check(schedule, diag);
    uint64_t violations = schedule->report.violations;
    if (error == CRL_ERR_RULE && violations)
        crl_fail(diag, error, "the schedule breaks %llu rule%s", (unsigned long long)violations,
                 violations == 1 ? "" : "s");
    return error;
}

struct carillon_verdict carillon_schedule_verdict(const struct carillon_schedule *schedule)
{
    const struct crl_report *r = &schedule->report;
    return (struct carillon_verdict){r->violations, r->warnings, r->count, r->misfit};
}

bool carillon_schedule_finding(const struct carillon_schedule *schedule, size_t index, struct carillon_finding *finding)
{
    const struct crl_report *r = &schedule->report;
    if (index >= r->count) return false;
    const struct crl_finding *f = &r->findings[index];
    size_t count;
    const struct crl_finding_kind *kinds = crl_finding_kinds(&count);
    bool misfit = f->kind == &kinds[CRL_FINDING_RANGE_NODE] || f->kind == &kinds[CRL_FINDING_NO_LINK] ||
                  f->kind == &kinds[CRL_FINDING_RANGE_SLOT];
    *finding = (struct carillon_finding){f->kind->id, f->text, f->kind->severity == CRL_VIOLATION, misfit, f->row};
    return true;
}

static json_t *findings_of(const struct carillon_schedule *schedule)
{
    json_t *list = json_array();
    struct carillon_finding f;
    for (size_t i = 0; carillon_schedule_finding(schedule, i, &f); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s}", "id", f.id, "severity",
                                              f.is_error ? "error" : "warning", "row",
                                              f.row ? json_integer((json_int_t)f.row) : json_null(), "text", f.text));
    return list;
}

int carillon_schedule_summary(const struct carillon_schedule *schedule, bool findings, char **json,
                              struct crl_diag *diag)
{
    json_t *summary = schedule->machine->summary(schedule);
    if (schedule->layout) json_object_set_new(summary, "layout", json_string(schedule->layout));
    if (schedule->of_parts > 1) {
        CRL_TELL(summary, {"plan_parts", crl_json_number(schedule->of_parts)},
                 {"plan_part", crl_json_number(schedule->part)}, {"plan_slots", crl_json_number(schedule->part_slots)});
    }
    if (findings) {
        CRL_TELL(summary, {"findings", findings_of(schedule)},
                 {"violations", crl_json_number(schedule->report.violations)},
                 {"warnings", crl_json_number(schedule->report.warnings)});
    }
    return crl_json_text(summary, json, diag);
}

int carillon_explain_sum(const struct carillon_schedule *schedule, uint32_t chunk, char **json, struct crl_diag *diag)
{
    const struct crl_machine *machine = schedule->machine;
    *json = NULL;
    if (!machine->evidence)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "of a %s on %s machines no order of sums is told",
                        crl_title_of(schedule->problem), machine->name);
    if (schedule->report.violations) return crl_fail(diag, CRL_ERR_RULE, "the schedule breaks a rule");
    json_t *sums;
    int error = machine->evidence->sums(&sums, schedule, chunk, diag);
    return error ? error : crl_json_text(sums, json, diag);
}

// ---------------------------------------------------------------- image

int carillon_lower(struct carillon_image **out, struct carillon_schedule *schedule, struct crl_diag *diag)
{
    const struct crl_machine *machine = schedule->machine;
    struct carillon_image *image;
    struct carillon_schedule *raised = NULL;
    *out = NULL;
    int error = crl_schedule_open(schedule, diag);
    if (!error) error = image_make(&image, machine, schedule->problem, diag);
    if (error) return error;
    error = machine->lower(image, schedule, diag);
    if (!error && machine->same) error = carillon_raise(&raised, image, diag);
    if (!error && raised && !machine->same(raised, schedule))
        error =
            crl_fail(diag, CRL_ERR_MISMATCH, "the tables do not say what the schedule says: please report this bug");
    carillon_schedule_free(raised);
    if (error) carillon_image_free(image);
    else *out = image;
    return error;
}

int carillon_image_write(const struct carillon_image *image, FILE *file, struct crl_diag *diag)
{
    return image->machine->image_write(image, file, diag);
}

// What an image already says.
static int refuse_with_image(const struct carillon_options *options, struct crl_diag *diag)
{
    const char *name =
        crl_option_given(options, "scheme ports link-latency members switches without boards cable-latency cable-gap "
                                  "cable-each root active parts to counts dimension items time operands "
                                  "full-duplex relative lanes banks streams words width blocking");
    return name ? crl_fail(diag, CRL_ERR_ARGUMENT,
                           "an image has its own '--%s'; build another one, or name an algorithm", name)
                : 0;
}

// Whether `topology`, in any spelling, is that of the image.
static int built_for(const struct carillon_image *image, const char *topology, const char *name, struct crl_diag *diag)
{
    char same[128];
    if (!topology) return 0;
    const char *own = image->machine->tables(image).topology;
    int error = image->machine->spelling(topology, same, diag);
    if (!error && strcmp(own, same))
        error = crl_fail(diag, CRL_ERR_ARGUMENT, "'%s' was built for %s, not for %s", name, own, topology);
    return error;
}

int carillon_image_read(struct carillon_image **out, const struct crl_context *context, const char *topology,
                        const struct carillon_options *options, FILE *file, const char *name, struct crl_diag *diag)
{
    struct crl_container container = {0};
    struct carillon_problem *problem = NULL;
    struct carillon_image *image = NULL;
    struct carillon_options own;
    *out = NULL;
    int error = crl_options_take(&own, options, diag);
    if (!error) error = refuse_with_image(&own, diag);
    if (!error) error = crl_container_read(&container, file, name, diag);
    if (error) return error;
    const struct crl_machine *const *f = crl_machines;
    while (*f && !((*f)->image_parse && (*f)->container == container.form)) f++;
    if (!*f) error = crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "an image of an unknown form");
    if (!error) error = crl_problem_make(&problem, *f, context, options, diag);
    if (!error) error = image_make(&image, *f, problem, diag);
    if (!error) error = (*f)->image_parse(image, &container, diag);
    if (!error) error = built_for(image, topology, name, diag);
    crl_container_done(&container);
    carillon_problem_free(problem); // the image keeps it
    if (error) carillon_image_free(image);
    else *out = image;
    return error;
}

int carillon_raise(struct carillon_schedule **out, const struct carillon_image *image, struct crl_diag *diag)
{
    struct carillon_schedule *s;
    *out = NULL;
    int error = crl_schedule_make(&s, image->problem, diag);
    if (error) return error;
    error = image->machine->raise(s, image, diag);
    if (error) carillon_schedule_free(s);
    else *out = s;
    return error;
}

json_t *crl_summary(const struct carillon_schedule *schedule, const struct carillon_image *image)
{
    json_t *summary = schedule->machine->summary(schedule);
    if (image && image->machine->image_summary) json_object_update_new(summary, image->machine->image_summary(image));
    return summary;
}

int carillon_image_summary(const struct carillon_image *image, const struct carillon_schedule *schedule, char **json,
                           struct crl_diag *diag)
{
    return crl_json_text(crl_summary(schedule, image), json, diag);
}

int carillon_dump(const struct carillon_image *image, const struct carillon_schedule *schedule, const char *format,
                  uint32_t table, FILE *file, struct crl_diag *diag)
{
    uint32_t tables = image->machine->tables(image).count;
    if (table != CRL_NONE && table >= tables)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "table '%u'; the image has %u", table, tables);
    int error = schedule ? crl_schedule_open(schedule, diag) : 0;
    if (error) return error;
    for (const struct crl_dump *d = image->machine->dumps; d->name; d++)
        if (!format || !strcmp(format, d->name)) return d->write(image, schedule, table, file, diag);
    return refuse_format(image->machine, dump_name, format, diag);
}

// ---------------------------------------------------------------- small things

enum carillon_result crl_result_named(const char *word)
{
    for (enum carillon_result r = CARILLON_OK; r <= CARILLON_STUCK; r++)
        if (!strcmp(word, carillon_result_name(r))) return r;
    return CARILLON_NOT_JUDGED;
}

const char *carillon_result_name(enum carillon_result result)
{
    static const char *const names[] = {"unknown", "ok", "missing", "extra", "overlap", "wrong", "mismatch", "stuck"};
    return (size_t)result < sizeof names / sizeof *names ? names[result] : names[0];
}

int crl_json_text(json_t *object, char **text, struct crl_diag *diag)
{
    *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return *text ? 0 : crl_fail_memory(diag);
}

void crl_json_tell(json_t *object, const struct crl_json_member *members)
{
    for (; members->key; members++) json_object_set_new(object, members->key, members->value);
}

json_t *crl_json_number(uint64_t value) { return json_integer((json_int_t)value); }

json_t *crl_json_real(double value)
{
    json_t *real = json_real(value); // NULL unless finite
    return real ? real : json_null();
}
