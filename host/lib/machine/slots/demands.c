// SPDX-License-Identifier: Apache-2.0
// Traffic, groups and programs: the demands that a problem is made of, from what the options say.
#include "base/base.h"
#include "machine/slots/slots.h"
#include "problem/groups.h"
#include <errno.h>
#include <string.h>

// Opens a file that an option names.
static int open_named(FILE **file, const char *path, struct crl_diag *diag)
{
    *file = crl_open(path);
    return *file ? 0 : crl_fail(diag, CRL_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
}

static int read_traffic(struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    const char *path = o->demands ? o->demands : o->matrix;
    FILE *file;
    const char *text = p->common.traffic;
    if (text) return crl_demands_read_bytes(&p->demands, p->topology, text, strlen(text), "<plan>", diag);
    if (!o->demands == !o->matrix)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        path ? "--demands and --matrix both say what the traffic is: leave out one"
                             : "what is the traffic? Say --demands FILE, lines 'id,src,dst,packets', or --matrix FILE");
    int error = open_named(&file, path, diag);
    if (error) return error;
    error = (o->matrix ? crl_demands_read_matrix : crl_demands_read_csv)(&p->demands, p->topology, file, path, diag);
    fclose(file);
    return error;
}

static int read_groups(struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    if (!o->group)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "which groups are there? Say --group, as in --group all-gather@rows, once or several times");
    return crl_groups_read(&p->demands, p->topology, o->group, o->seed, diag);
}

static int read_program(struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    FILE *file;
    if (!o->program)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "what is the program? Say --program FILE, lines 'COLLECTIVE@SET'");
    int error = open_named(&file, o->program, diag);
    if (error) return error;
    error = crl_program_read(&p->demands, p->topology, file, o->program, o->seed, diag);
    fclose(file);
    return error;
}

#define EACH                                                                                                           \
    SLOTS_ALWAYS                                                                                                       \
    "op link-latency members switches without boards cable-latency cable-gap cable-each ppm cable cable-errors "       \
    "unplug "                                                                                                          \
    "noise reboot other-plan period nowait keep slack lanes banks streams words width "
static const struct source {
    const char *collective;
    int (*read)(struct slots_problem *p, struct crl_diag *diag);
    const char *takes; // options
} sources[] = {{"traffic", read_traffic, EACH "demands matrix"},
               {"groups", read_groups, EACH "group"},
               {"program", read_program, EACH "program"}};

static const struct source *source_of(const char *collective)
{
    for (const struct source *s = sources; s < sources + sizeof sources / sizeof *sources; s++)
        if (!strcmp(s->collective, collective)) return s;
    return NULL;
}

bool slots_is_of_demands(const char *collective) { return source_of(collective); }
const char *slots_demands_take(const struct crl_problem *p) { return source_of(crl_problem_name(p))->takes; }

// "least" leaves the period open: whoever plans finds it.
static int parse_period(struct slots_problem *p, const char *text, struct crl_diag *diag)
{
    uint32_t period;
    const char *at = text;
    p->least_period = !strcmp(text, "least");
    bool number = crl_topology_number(&at, &period) && !*at && period && period <= CRL_DEMAND_HYPERPERIOD_MAX;
    if (!p->least_period && !number)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--period is least or a number of slots from 1 to %d, not '%s'",
                        CRL_DEMAND_HYPERPERIOD_MAX, text);
    return crl_demands_set_period(&p->demands, p->least_period ? 0 : period, diag);
}

// A schedule of before, whose paths are kept where they still lead. It may use links that are dead now.
static int read_kept(struct slots_problem *p, const char *path, struct crl_diag *diag)
{
    FILE *file;
    int error = open_named(&file, path, diag);
    if (error) return error;
    crl_schedule_init_for(&p->kept, &p->problem, false);
    error = crl_schedule_read_csv(&p->kept, file, path, diag);
    fclose(file);
    if (!error && p->kept.folded) error = crl_schedule_unfold(&p->kept, diag);
    p->problem.keep = &p->kept;
    return error;
}

// Of steps that follow each other, and of sums, there is no plan that comes anew, and none in which no packet waits.
static int refuse_flow(const struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    bool stages = false;
    for (uint32_t i = 0; i < p->demands.count; i++) stages |= p->demands.demand[i].stage > 0;
    if ((!o->period && !o->nowait) || (!stages && !p->demands.sums)) return 0;
    return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s: leave out --%s",
                    stages ? "steps that follow each other are planned once, and their packets may wait"
                           : "what is added up is planned once, and waits for what it is added to",
                    o->period ? "period" : "nowait");
}

int slots_parse_demands(struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    p->problem.nowait = o->nowait;
    p->problem.slack = o->slack;
    int error = 0;
    if (crl_problem_has_demands(&p->problem)) {
        error = source_of(crl_problem_name(&p->problem))->read(p, diag);
        if (!error) error = refuse_flow(p, diag);
        if (!error && o->period) error = parse_period(p, o->period, diag);
        if (!error) error = crl_problem_set_demands(&p->problem, &p->demands, diag);
        if (!error) error = crl_problem_feasible(&p->problem, diag);
    }
    if (!error && o->slack && !o->keep)
        error =
            crl_fail(diag, CRL_ERR_ARGUMENT, "--slack says how much later a schedule may end that is kept: say --keep");
    if (!error && o->keep) error = read_kept(p, o->keep, diag);
    return error;
}

// The least period: from its bound upward the first for which there is a plan.
int slots_plan_anew(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    struct slots_problem *p = slots_problem_of(schedule->problem);
    if (!p->least_period) return slots_plan(schedule, diag);
    int error = CRL_ERR_UNSUPPORTED;
    p->period_bound = crl_problem_bound_period(&p->problem);
    for (uint64_t period = p->period_bound; error == CRL_ERR_UNSUPPORTED && period <= CRL_DEMAND_HYPERPERIOD_MAX;
         period++) {
        crl_schedule_done(&slots_schedule_of(schedule)->schedule);
        crl_priced_done(&p->priced); // what it knows is of another period
        p->demands.modulo = (uint32_t)period;
        error = slots_plan(schedule, diag);
    }
    return error;
}

void slots_add_demands(json_t *summary, const struct slots_problem *of)
{
    const struct crl_demands *d = of->problem.demands;
    uint64_t deliveries = 0;
    for (uint32_t i = 0; i < d->count; i++) deliveries += (uint64_t)d->demand[i].dst_count * d->demand[i].packets;
    CRL_TELL(summary, {"demands", crl_json_number(d->count)}, {"packets", crl_json_number(crl_demands_packets(d))},
             {"deliveries", crl_json_number(deliveries)});
    if (d->modulo) json_object_set_new(summary, "traffic_period", crl_json_number(d->modulo));
    if (of->least_period) json_object_set_new(summary, "bound_traffic_period", crl_json_number(of->period_bound));
}

// How many rows are those of the schedule that was to be kept. Both are in canonical order.
void slots_add_kept(json_t *summary, const struct slots_schedule *s)
{
    const struct crl_schedule *a = &s->schedule, *b = slots_said(s->common.problem)->keep;
    size_t kept = 0;
    for (size_t i = 0, k = 0; b && i < a->count && k < b->count;) {
        int order = crl_move_compare(&a->moves[i], &b->moves[k]);
        kept += !order;
        i += order <= 0;
        k += order >= 0;
    }
    if (b) json_object_set_new(summary, "kept_rows", crl_json_number(kept));
}

// As images hold them: whether each packet has its demand's name alone, the period for all, then the canonical form.
int slots_put_demands(struct crl_image *image, const struct crl_demands *d, struct crl_diag *diag)
{
    FILE *file = open_memstream(&image->demands, &image->demands_bytes);
    bool own = false;
    for (uint32_t i = 0; i < d->count; i++) own |= d->demand[i].period;
    if (!file) return crl_fail_memory(diag);
    fprintf(file, "%c %u\n", d->unnumbered ? 'u' : 'n', own ? 0 : d->modulo);
    int error = crl_demands_write(d, file, diag);
    for (long bytes = ftell(file); bytes % 4; bytes++) fputc('\n', file); // sections are whole words
    return fclose(file) ? crl_fail_memory(diag) : error;
}

int slots_get_demands(struct slots_problem *p, const struct crl_image *image, const char *name, struct crl_diag *diag)
{
    const char *end = image->demands ? memchr(image->demands, '\n', image->demands_bytes) : NULL, *at = image->demands;
    uint32_t period = 0;
    bool good = end && (*at == 'u' || *at == 'n') && at[1] == ' ';
    at += 2;
    if (!good || !crl_topology_number(&at, &period) || at != end || period > CRL_DEMAND_HYPERPERIOD_MAX)
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "the image says no demands");
    int error = crl_demands_read_bytes(&p->demands, p->topology, end + 1,
                                       image->demands_bytes - (size_t)(end + 1 - image->demands), name, diag);
    p->demands.unnumbered = *image->demands == 'u';
    if (!error && period) error = crl_demands_set_period(&p->demands, period, diag);
    for (uint32_t i = 0; i < image->place_sets && !error; i++)
        for (int after = 0; after < 2; after++) {
            const struct crl_places *places = &(after ? image->after : image->before)[i];
            for (uint32_t k = 0; k < places->count && !error; k++)
                if (places->place[k].origin >= p->demands.count)
                    error = crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "a placement is out of range");
        }
    return error ? error : crl_problem_set_demands(&p->problem, &p->demands, diag);
}
