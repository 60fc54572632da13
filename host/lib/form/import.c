// SPDX-License-Identifier: Apache-2.0
// Schedules from the plans of other tools: the file says the collective, unless the caller does, and what each rank
// does; slots are the file's or the earliest possible.
#include "form/import.h"
#include "form/slots.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

const char *carillon_import_format_at(size_t index)
{
    size_t i = 0;
    while (i < index && crl_readings[i].name) i++;
    return crl_readings[i].name;
}

// The whole file and a NUL behind it.
static int read_text(FILE *file, const char *name, char **text, size_t *length, struct crl_diag *diag)
{
    size_t room = 1 << 16, used = 0;
    char *bytes = malloc(room + 1);
    *text = NULL;
    while (bytes) {
        used += fread(bytes + used, 1, room - used, file);
        if (used < room) break;
        char *grown = realloc(bytes, 2 * room + 1);
        if (!grown) free(bytes);
        bytes = grown;
        room *= 2;
    }
    if (!bytes) return crl_fail_memory(diag);
    bytes[used] = 0;
    *text = bytes;
    *length = used;
    if (ferror(file)) return crl_fail_at(diag, CRL_ERR_IO, name, 0, 0, "cannot read on");
    const char *nul = memchr(bytes, 0, used);
    uint64_t line = 1, col = 1;
    for (const char *p = bytes; nul && p < nul; p++) {
        col++;
        if (*p == '\n') line++, col = 1;
    }
    return nul ? crl_fail_at(diag, CRL_ERR_PARSE, name, line, col, "a byte 0: this is not text")
               : crl_refuse_mark(bytes, used, name, diag);
}

static int find_reading(const struct crl_reading **out, const char *format, const char *text, size_t length,
                        const char *name, struct crl_diag *diag)
{
    for (*out = crl_readings; (*out)->name; ++*out)
        if (format ? !strcmp(format, (*out)->name) : (*out)->knows(text, length)) return 0;
    if (!format && !length) return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "the file is empty");
    if (!format && (!strncmp(text, "slot,", 5) || !strncmp(text, "time,", 5)))
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1,
                           "this is a schedule already: 'carillon check' judges it, and --from takes it");
    return format ? crl_fail(diag, CRL_ERR_ARGUMENT, "unknown format '%.40s'", format)
                  : crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1,
                                "this is not a plan of a known tool; if it is one, --format names its format");
}

// What a problem must be told so that it has the file's chunks.
static int fit_options(struct carillon_problem *problem, const char **algorithm, struct crl_program *program,
                       struct crl_diag *diag)
{
    struct carillon_options *o = &problem->options;
    uint32_t parts;
    if (!o->root && program->root != CRL_NONE) {
        snprintf(problem->root, sizeof problem->root, "%u", program->root);
        o->root = problem->root;
    }
    if (slots_is_of_demands(*algorithm)) return 0; // these say what each rank has
    int error = crl_program_parts(program, *algorithm, &parts, diag);
    if (error) return error;
    if (crl_word_among("all-reduce reduce scan", *algorithm)) {
        if (!o->chunks && !program->by_packet) o->chunks = parts;
        return 0;
    }
    if (parts == 1 || o->counts || (o->active && !crl_word_among("packing monotone-routing", *algorithm))) return 0;
    const char *whole = o->part ? "broadcast" : "broadcast scatter gather total-exchange reduce-scatter";
    if (crl_word_among(whole, *algorithm) && parts <= CRL_PARTS_MAX) {
        if (!o->parts) o->parts = parts;
        return 0;
    }
    if (strcmp(*algorithm, "multinode-broadcast")) { // each chunk is judged as if the others were not there
        program->split = parts;
        return 0;
    }
    // An all-gather of several chunks a node is the partial one in which all take part.
    *algorithm = "partial-multinode-broadcast";
    snprintf(problem->active, sizeof problem->active, "0-%u", program->ranks - 1);
    o->active = problem->active;
    o->parts = parts;
    return 0;
}

// A traffic whose demands nobody gives is what the messages are.
static int parse_traffic(struct carillon_problem *problem, const char *topology, struct crl_program *program,
                         struct crl_diag *diag)
{
    CRL_ENDED(crl_import_tags_done) struct crl_tags tags = {0};
    CRL_OWNED char *text = NULL;
    int error = crl_import_traffic(&tags, &text, program, diag);
    problem->traffic = text;
    if (!error) error = problem->form->parse(problem, "traffic", topology, diag);
    problem->traffic = NULL;
    if (!error) error = crl_import_set_tags(program, &tags, slots_said(problem), diag);
    return error;
}

static int make_problem(struct carillon_problem **out, const struct crl_form *form, const struct crl_context *context,
                        const char *algorithm, const char *topology, const struct carillon_options *options,
                        struct crl_program *program, struct crl_diag *diag)
{
    int error = crl_problem_make(out, form, context, options, diag);
    if (error) return error;
    const struct carillon_options *o = &(*out)->options;
    bool traffic = form == &crl_form_slots && program->by_packet && !strcmp(algorithm, "traffic");
    if (form == &crl_form_slots) error = fit_options(*out, &algorithm, program, diag);
    if (!error && traffic && !o->demands && !o->matrix) error = parse_traffic(*out, topology, program, diag);
    else if (!error) error = form->parse(*out, algorithm, topology, diag);
    return error ? error : crl_options_refuse(*out, diag);
}

// Sums that arrive ahead of time are good where they break no rule. A schedule that breaks none may still stand for a
// program whose ranks do not end with what they must have; that is an error.
static int lay_out_part(struct carillon_schedule *schedule, const struct crl_program *program, uint32_t part,
                        bool *good, struct crl_diag *diag)
{
    const struct crl_problem *p = slots_said(schedule->problem);
    struct slots_schedule *s = slots_schedule_of(schedule);
    struct crl_laid_out how = {0};
    int error = 0;
    *good = false;
    for (int ahead = crl_problem_sums(p); ahead >= 0 && !*good && !error; ahead--) {
        crl_schedule_done(&s->schedule);
        crl_schedule_init_for(&s->schedule, p, false);
        error = crl_program_lay_out(&s->schedule, program, p, part, ahead, &how, diag);
        s->schedule.first_line = 2; // of the CSV that is written of it
        *good = !error && !carillon_check(schedule, NULL);
    }
    if (*good && how.ends) {
        error = how.ends;
        if (diag) *diag = how.why;
    }
    schedule->layout = how.slots_said ? "slots of the file" : "as early as the rules allow";
    schedule->part = part + 1;
    return error;
}

// Of packets that are split the ways of one chunk are shown: the one that is asked for, else the first one's that
// breaks rules, else the first one's.
int slots_import(struct carillon_schedule *schedule, const struct crl_program *program, struct crl_diag *diag)
{
    const uint32_t parts = program->split ? program->split : 1, asked = schedule->problem->options.part;
    uint32_t shown = asked;
    bool good;
    int error = 0;
    if (asked > parts)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "chunk '%u' of packets that have %u in this plan", asked, parts);
    for (uint32_t part = 1; part <= parts && !error && (!shown || asked); part++) {
        error = lay_out_part(schedule, program, part - 1, &good, diag);
        uint32_t slots = crl_schedule_slots(&slots_schedule_of(schedule)->schedule);
        if (slots > schedule->part_slots) schedule->part_slots = slots;
        if (!good && !asked) shown = part;
    }
    if (!shown) shown = 1;
    if (!error && schedule->part != shown) error = lay_out_part(schedule, program, shown - 1, &good, diag);
    schedule->of_parts = parts;
    return error;
}

int carillon_import(struct carillon_schedule **out, const struct crl_context *context, const char *algorithm,
                    const char *topology, const struct carillon_options *options, const char *format, FILE *file,
                    const char *name, struct crl_diag *diag)
{
    struct crl_program program = {.file = name, .root = CRL_NONE};
    struct carillon_problem *problem = NULL;
    const struct crl_reading *reading;
    size_t length = 0;
    char *text;
    *out = NULL;
    if (!topology) return crl_fail(diag, CRL_ERR_ARGUMENT, "which network? Say -t, as in -t hypercube:4");
    const char *asked = algorithm ? crl_algorithm_spelled(algorithm, topology) : NULL;
    if (asked && strlen(asked) < sizeof program.collective) strcpy(program.collective, asked);
    int error = read_text(file, name, &text, &length, diag);
    if (!error) error = find_reading(&reading, format, text, length, name, diag);
    if (!error) error = reading->read(&program, text, length, diag);
    const struct crl_form *form = crl_topology_is_linkless(topology) ? &crl_form_logp : &crl_form_slots;
    const char *said = asked ? asked : crl_algorithm_spelled(program.collective, topology);
    if (!error && !*said && program.by_packet && form == &crl_form_slots) said = "traffic";
    if (!error && !*said)
        error = crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "the file does not say what it achieves: say -a");
    if (!error && !asked && form == &crl_form_slots && !form->claims(said, topology))
        error = crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "collective '%s' is not one of links; -a says another",
                            program.collective);
    program.owns_out = !asked || !strcmp(asked, crl_algorithm_spelled(program.collective, topology));
    if (!error) error = make_problem(&problem, form, context, said, topology, options, &program, diag);
    if (!error) error = crl_schedule_make(out, problem, diag);
    if (!error) {
        (*out)->scheme = "file";
        error = form->import(*out, &program, diag);
    }
    carillon_problem_free(problem); // the schedule keeps it
    crl_program_done(&program);
    free(text);
    if (error) {
        carillon_schedule_free(*out);
        *out = NULL;
    }
    return error;
}

int carillon_schedule_demands(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    const struct crl_problem *p = schedule->form == &crl_form_slots ? slots_said(schedule->problem) : NULL;
    if (!p || !crl_problem_has_demands(p))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s has no demands", crl_form_title(schedule->problem));
    return crl_demands_write(p->demands, file, diag);
}
