// SPDX-License-Identifier: Apache-2.0
// Which of the algorithms plans: the one that was asked for, else the default or what betters it for the routers at
// hand.
#include "form/slots.h"
#include "lower/lower.h"
#include <string.h>

bool slots_few_banks(const struct slots_problem *p, uint32_t banks)
{
    uint32_t lanes = p->common.options.lanes ? p->common.options.lanes : crl_topology_ports(p->topology);
    return banks && banks < lanes && !p->common.options.scheme;
}

// A router of one bank plays few schedules: take those made for it where there are any.
static int find_algorithm(const struct crl_algorithm **out, const struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    if (o->banks == 1 && slots_few_banks(p, 1) && !crl_algorithm_find(out, &p->problem, "one-bank", NULL)) return 0;
    return crl_algorithm_find(out, &p->problem, o->scheme, diag);
}

// Routers without a write crossbar are the cheapest, and cheaper still where no packet waits.
static uint32_t price(const struct crl_router_form *form) { return 2 * form->write_xbar + form->delay; }

// Whether the routers will be those for which "nowait" and "banked" are made, and nobody chose a scheme.
static bool may_choose(const struct slots_problem *p)
{
    const struct carillon_options *o = &p->common.options;
    bool board = o->engine && !strcmp(o->engine, "board"); // whose routers have one lane
    return o->for_routers && !o->scheme && !o->banks && !board && p->problem.ports == CRL_PORTS_ALL &&
           (!o->lanes || o->lanes == crl_topology_ports(p->topology)) && crl_problem_has_tables(&p->problem) &&
           !crl_problem_sums(&p->problem);
}

static void swap_for(struct slots_schedule *s, struct crl_schedule *other, const struct crl_algorithm *algorithm)
{
    struct crl_schedule swap = s->schedule;
    s->schedule = *other;
    *other = swap;
    s->algorithm = algorithm;
    s->common.scheme = s->schedule.scheme;
}

// Takes `scheme` instead of what was planned, if it plays on cheaper routers in as few slots.
static int try_scheme(struct slots_schedule *s, const char *scheme, struct crl_router_form *form, struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(s->common.problem);
    const struct crl_algorithm *algorithm;
    struct crl_router_form other_form;
    struct crl_schedule other = {0};
    if (crl_algorithm_find(&algorithm, problem, scheme, NULL) || !crl_plan_is_quick(algorithm, problem)) return 0;
    int error = crl_plan(&other, algorithm, problem, NULL); // which may find nothing
    bool good = !error && crl_schedule_slots(&other) <= crl_schedule_slots(&s->schedule);
    error = good ? crl_lower_form(&other_form, &other, problem, diag) : 0;
    if (good && !error && price(&other_form) < price(form)) {
        swap_for(s, &other, algorithm);
        *form = other_form;
    }
    crl_schedule_done(&other);
    return error;
}

// Takes what a search finds, where that needs fewer slots than a default that misses the bound.
static void choose_by_search(struct slots_schedule *s)
{
    const struct crl_problem *problem = slots_said(s->common.problem);
    const struct crl_algorithm *algorithm;
    struct crl_schedule other = {0};
    if (s->schedule.folded || crl_algorithm_is_online(s->algorithm) ||
        crl_algorithm_find(&algorithm, problem, crl_problem_has_root(problem) ? "flow" : "negotiated", NULL) ||
        !crl_plan_is_quick(algorithm, problem) || crl_schedule_slots(&s->schedule) <= crl_problem_bound_slots(problem))
        return;
    if (!crl_plan(&other, algorithm, problem, NULL) && crl_schedule_slots(&other) < crl_schedule_slots(&s->schedule))
        swap_for(s, &other, algorithm);
    crl_schedule_done(&other);
}

static int choose_for_routers(struct slots_schedule *s, struct crl_diag *diag)
{
    struct crl_router_form form;
    int error = crl_lower_form(&form, &s->schedule, slots_said(s->common.problem), diag);
    if (!error && price(&form)) error = try_scheme(s, "nowait", &form, diag);
    if (!error && form.write_xbar) error = try_scheme(s, "banked", &form, diag);
    return error;
}

// Of the schemes whose rounds follow as closely, the one whose words come and leave soonest, if it is planned in no
// time.
static int choose_for_streams(struct slots_schedule *s, struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(s->common.problem);
    const struct carillon_options *o = &s->common.problem->options;
    struct crl_stream_ends best, ends;
    size_t count;
    const struct crl_algorithm *table = crl_algorithm_table(&count), *algorithm;
    if (crl_ends_measure(&best, &s->schedule, problem, o->streams, o->lanes)) return crl_fail_memory(diag);
    for (size_t i = 0; i < count; i++) {
        struct crl_schedule other = {0};
        if (strcmp(table[i].collective, crl_problem_name(problem)) || &table[i] == s->algorithm ||
            crl_algorithm_find(&algorithm, problem, table[i].scheme, NULL) || algorithm != &table[i] ||
            !crl_plan_is_quick(algorithm, problem))
            continue;
        bool good = !crl_plan(&other, algorithm, problem, NULL) &&
                    !crl_ends_measure(&ends, &other, problem, o->streams, o->lanes) && ends.period <= best.period &&
                    ends.slots < best.slots;
        if (good) {
            swap_for(s, &other, algorithm);
            best = ends;
        }
        crl_schedule_done(&other);
    }
    return 0;
}

static int refuse_relative(const struct slots_schedule *s, const struct crl_problem *p, struct crl_diag *diag)
{
    const char *other = crl_plan_folds_with(p);
    return crl_fail(diag, CRL_ERR_ARGUMENT,
                    "%s by scheme %s does not look the same from every node, so it has no relative form%s%s",
                    crl_problem_name(p), s->algorithm->scheme, other ? "; there is one with --scheme " : "",
                    other ? other : "");
}

int slots_plan(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    struct slots_schedule *s = slots_schedule_of(schedule);
    struct slots_problem *p = slots_problem_of(schedule->problem);
    crl_schedule_init_for(&s->schedule, &p->problem, false);
    int error = find_algorithm(&s->algorithm, p, diag);
    if (error) return error;
    bool relative = schedule->problem->options.relative;
    if (relative && !crl_plan_folds(s->algorithm, &p->problem)) return refuse_relative(s, &p->problem, diag);
    error = crl_plan(&s->schedule, s->algorithm, &p->problem, diag);
    schedule->scheme = s->schedule.scheme;
    const struct carillon_options *o = &p->common.options;
    if (!error && !o->scheme && !relative && !slots_few_banks(p, o->banks)) choose_by_search(s);
    if (!error && may_choose(p)) error = choose_for_routers(s, diag);
    if (!error && o->streams && !crl_problem_sums(&p->problem) && !o->scheme && !relative)
        error = choose_for_streams(s, diag);
    if (!error && relative && !s->schedule.folded) error = refuse_relative(s, &p->problem, diag);
    return error;
}
