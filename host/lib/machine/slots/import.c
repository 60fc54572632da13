// SPDX-License-Identifier: Apache-2.0
// Plans of other tools as schedules on links: what a program says of its problem, and its parts laid out in slots.
#include "machine/slots/import.h"
#include "machine/slots/slots.h"
#include <string.h>

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
    if (!error) error = slots_parse(problem, "traffic", topology, diag);
    problem->traffic = NULL;
    if (!error) error = crl_import_set_tags(program, &tags, slots_said(problem), diag);
    return error;
}

static int parse_program(struct carillon_problem *problem, const char *algorithm, const char *topology,
                         struct crl_program *program, struct crl_diag *diag)
{
    const struct carillon_options *o = &problem->options;
    const bool traffic = program->by_packet && !strcmp(algorithm, "traffic");
    int error = fit_options(problem, &algorithm, program, diag);
    if (error) return error;
    return traffic && !o->demands && !o->matrix ? parse_traffic(problem, topology, program, diag)
                                                : slots_parse(problem, algorithm, topology, diag);
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
static int lay_out(struct carillon_schedule *schedule, const struct crl_program *program, struct crl_diag *diag)
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

static int write_demands(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    const struct crl_problem *p = slots_said(schedule->problem);
    return crl_problem_has_demands(p) ? crl_demands_write(p->demands, file, diag) : CRL_ERR_UNSUPPORTED;
}

const struct crl_importing slots_importing = {"traffic", parse_program, lay_out, write_demands};
