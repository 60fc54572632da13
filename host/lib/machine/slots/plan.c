// SPDX-License-Identifier: Apache-2.0
// Which of the algorithms plans: the one that was asked for, else the default or what betters it for the routers at
// hand.
#include "machine/slots/slots.h"
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
    if (o->banks == 1 && slots_few_banks(p, 1) && (*out = crl_algorithm_for_router(&p->problem, CRL_ROUTER_ONE_BANK)))
        return 0;
    return crl_algorithm_find(out, &p->problem, o->scheme, diag);
}

// Routers without a write crossbar are the cheapest, and cheaper still where no packet waits.
static uint32_t price(const struct crl_router_form *form) { return 2 * form->write_xbar + form->delay; }

// Whether the routers will be those for which some schemes are made, and nobody chose a scheme.
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

// What plans for such a router, and soon; NULL: nothing does.
static const struct crl_algorithm *made_for(const struct crl_problem *problem, enum crl_router router)
{
    const struct crl_algorithm *algorithm = crl_algorithm_for_router(problem, router);
    return algorithm && crl_plan_is_quick(algorithm, problem) ? algorithm : NULL;
}

// Takes what is made for a router instead of what was planned, if it plays on cheaper ones in as few slots.
static int try_router(struct slots_schedule *s, enum crl_router router, struct crl_router_form *form,
                      struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(s->common.problem);
    const struct crl_algorithm *algorithm = made_for(problem, router);
    struct crl_router_form other_form;
    CRL_ENDED(crl_schedule_done) struct crl_schedule other = {0};
    if (!algorithm) return 0;
    int error = crl_plan(&other, algorithm, problem, NULL); // which may find nothing
    bool good = !error && crl_schedule_slots(&other) <= crl_schedule_slots(&s->schedule);
    error = good ? crl_lower_form(&other_form, &other, problem, diag) : 0;
    if (good && !error && price(&other_form) < price(form)) {
        swap_for(s, &other, algorithm);
        *form = other_form;
    }
    return error;
}

// The first search that is tried where the default misses the bound; NULL: there is none.
static const struct crl_algorithm *search_for(const struct crl_problem *problem)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_for(rows, problem), i = 0;
    while (i < count && !crl_algorithm_is(rows[i], CRL_HANDLES_SEARCH)) i++;
    return i < count ? rows[i] : NULL;
}

// Takes what a search finds, where that needs fewer slots than a default that misses the bound. It is begun unasked
// where it ends soon.
static void choose_by_search(struct slots_schedule *s)
{
    const struct crl_problem *problem = slots_said(s->common.problem);
    CRL_ENDED(crl_schedule_done) struct crl_schedule other = {0};
    if (s->schedule.folded || crl_algorithm_is(s->algorithm, CRL_HANDLES_ONLINE)) return;
    const struct crl_algorithm *search = search_for(problem);
    if (!search || search == s->algorithm || (!problem->effort && !crl_plan_is_quick(search, problem)) ||
        crl_schedule_slots(&s->schedule) <= crl_problem_bound_slots(problem))
        return;
    s->tried = search;
    if (!crl_plan(&other, search, problem, NULL) && crl_schedule_slots(&other) < crl_schedule_slots(&s->schedule))
        swap_for(s, &other, search);
}

static int choose_for_routers(struct slots_schedule *s, struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(s->common.problem);
    struct crl_router_form form;
    if (!made_for(problem, CRL_ROUTER_NOWAIT) && !made_for(problem, CRL_ROUTER_BANKED)) return 0;
    int error = crl_lower_form(&form, &s->schedule, problem, diag);
    if (!error && price(&form)) error = try_router(s, CRL_ROUTER_NOWAIT, &form, diag);
    if (!error && form.write_xbar) error = try_router(s, CRL_ROUTER_BANKED, &form, diag);
    return error;
}

// Of the schemes whose rounds follow as closely, the one whose words come and leave soonest, if it is planned in no
// time, or searches for as long as it was told to.
static int choose_for_streams(struct slots_schedule *s, struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(s->common.problem);
    const struct carillon_options *o = &s->common.problem->options;
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_for(rows, problem);
    struct crl_stream_ends best, ends;
    if (crl_ends_measure(&best, &s->schedule, problem, o->streams, o->lanes)) return crl_fail_memory(diag);
    for (size_t i = 0; i < count; i++) {
        struct crl_schedule other = {0};
        bool searches = problem->effort && crl_algorithm_is(rows[i], CRL_HANDLES_EFFORT);
        if (rows[i] == s->algorithm || !(searches || crl_plan_is_quick(rows[i], problem))) continue;
        if (searches) s->tried = rows[i];
        bool good = !crl_plan(&other, rows[i], problem, NULL) &&
                    !crl_ends_measure(&ends, &other, problem, o->streams, o->lanes) && ends.period <= best.period &&
                    ends.slots < best.slots;
        if (good) {
            swap_for(s, &other, rows[i]);
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
                    crl_problem_title(p), s->algorithm->scheme, other ? "; there is one with --scheme " : "",
                    other ? other : "");
}

// Whether no schedule is better, also from end to end where words come and leave on streams.
static bool is_least(const struct slots_schedule *s, const struct crl_problem *p)
{
    struct slots_ends ends;
    if (!s->schedule.count || crl_schedule_slots(&s->schedule) > crl_problem_bound_slots(p)) return false;
    return crl_problem_sums(p) || !slots_ends(&ends, s) || ends.measured.slots == ends.bound ||
           ends.measured.slots == ends.bound_as_dense;
}

// Seconds that a search may take are for those who search.
static int refuse_effort(const struct slots_schedule *s, const struct crl_problem *p, struct crl_diag *diag)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_for(rows, p), i = 0;
    if (!is_least(s, p)) {
        while (i < count && !crl_algorithm_is(rows[i], CRL_HANDLES_EFFORT)) i++;
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--effort is for schemes that search, and '%s' does not%s%s",
                        s->algorithm->scheme, i < count ? "; there is --scheme " : "",
                        i < count ? rows[i]->scheme : "");
    }
    return crl_fail(diag, CRL_ERR_ARGUMENT, "--effort cannot help: scheme '%s' takes %u slots, the least there can be",
                    s->algorithm->scheme, crl_schedule_slots(&s->schedule));
}

// Whether what plans uses the effort that was asked for.
static bool makes_effort(const struct slots_schedule *s, const struct crl_problem *p)
{
    return !p->effort || crl_algorithm_is(s->algorithm, CRL_HANDLES_EFFORT) ||
           (s->tried && crl_algorithm_is(s->tried, CRL_HANDLES_EFFORT));
}

// For routers that add in stages: of floating-point numbers whatever it takes, of integers if it takes nothing.
static int space_sums(struct slots_schedule *s, uint32_t words, struct crl_diag *diag)
{
    const struct crl_problem *p = slots_said(s->common.problem);
    const uint32_t apart = crl_sum_apart(p, words);
    const bool floats = crl_op_floats(p->op);
    if (!apart || (s->schedule.folded && !floats)) return 0;
    const struct carillon_options *o = &s->common.problem->options;
    const uint32_t lanes = o->lanes ? o->lanes : crl_topology_ports(p->topology);
    return crl_sums_apart(&s->schedule, p, apart, floats, floats && o->streams ? lanes : 0) ? crl_fail_memory(diag) : 0;
}

const char *slots_advice(const struct slots_schedule *s, char text[200])
{
    const struct crl_problem *p = slots_said(s->common.problem);
    const struct crl_algorithm *done = s->tried ? s->tried : s->algorithm, *other = NULL;
    const struct slots_problem *of = slots_problem_of(s->common.problem);
    *text = 0;
    if (!done || s->common.report.slots <= s->common.report.bound_slots) return text;
    if (p->words_a_slot) return text;                                            // then the slots from end to end count
    if (of->least_period && of->period_bound == p->demands->modulo) return text; // which was the question
    bool online = crl_algorithm_is(done, CRL_HANDLES_ONLINE);
    if (online) other = crl_algorithm_planned(p);
    else if (!crl_algorithm_is(done, CRL_HANDLES_EFFORT)) other = search_for(p);
    if (other && other != done && !online && !crl_plan_is_quick(other, p)) {
        snprintf(text, 200, "scheme %s; --scheme %s, tried unasked up to %u nodes, may take fewer",
                 s->algorithm->scheme, other->scheme, other->cost.quick_nodes);
    } else if (other && other != done) {
        snprintf(text, 200, "scheme %s%s; --scheme %s may take fewer", s->algorithm->scheme,
                 online ? " is on line" : "", other->scheme);
    } else if (crl_algorithm_is(done, CRL_HANDLES_EFFORT)) {
        snprintf(text, 200, "scheme %s searched for up to %u s; --effort SECONDS lets it search for longer",
                 done->scheme, crl_plan_effort(done, p));
    }
    return text;
}

// Where nobody chose a scheme and the default, which may give up, finds nothing, the next that is planned for all
// nodes.
static int plan_another(struct slots_schedule *s, const struct slots_problem *p, int error, struct crl_diag *diag)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_for(rows, &p->problem);
    for (size_t i = 1; i < count && error == CRL_ERR_UNSUPPORTED; i++) {
        if (crl_algorithm_is(rows[i], CRL_HANDLES_ONLINE)) continue;
        crl_schedule_done(&s->schedule);
        error = crl_plan(&s->schedule, rows[i], &p->problem, diag);
        s->algorithm = rows[i];
    }
    return error;
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
    const struct carillon_options *o = &p->common.options;
    if (o->scheme && !makes_effort(s, &p->problem)) return refuse_effort(s, &p->problem, diag);
    error = crl_plan(&s->schedule, s->algorithm, &p->problem, diag);
    if (error && !o->scheme && !relative) error = plan_another(s, p, error, diag);
    schedule->scheme = s->schedule.scheme;
    if (!error && !o->scheme && !relative && !slots_few_banks(p, o->banks)) choose_by_search(s);
    if (!error && may_choose(p)) error = choose_for_routers(s, diag);
    if (!error && o->streams && !crl_problem_sums(&p->problem) && !o->scheme && !relative)
        error = choose_for_streams(s, diag);
    if (!error && crl_problem_sums(&p->problem) && !relative) error = space_sums(s, o->words ? o->words : 1, diag);
    if (!error && !makes_effort(s, &p->problem)) error = refuse_effort(s, &p->problem, diag);
    if (!error && relative && !s->schedule.folded) error = refuse_relative(s, &p->problem, diag);
    return error;
}
