// SPDX-License-Identifier: Apache-2.0
// Memory that runs out: each allocation of a stage fails in its turn, and the stage says so and leaves nothing behind.
#include "unit_logp.h"
#include "machine/logp/image.h"
#include "machine/logp/play.h"
#include <limits.h>
#include <stdatomic.h>

// The linker puts these in the place of the library's allocations (tests/CMakeLists.txt).
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static atomic_long left = -1; // allocations until one fails; negative: none does
static atomic_bool failed;

static bool fails(void)
{
    if (atomic_load(&left) < 0 || atomic_fetch_sub(&left, 1)) return false;
    atomic_store(&failed, true);
    return true;
}

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes) { return fails() ? NULL : __real_calloc(count, bytes); }
void *__wrap_realloc(void *old, size_t bytes) { return fails() ? NULL : __real_realloc(old, bytes); }

static long count_of(int (*stage)(void *user), void *user)
{
    atomic_store(&left, LONG_MAX);
    stage(user);
    return LONG_MAX - atomic_exchange(&left, -1);
}

// Plays the stage with its first, second, … allocation failing, then with none, when it must end in `good`. It may do
// without some of the last `spare`.
static void sweep(int (*stage)(void *user), void *user, int good, long spare, const char *name)
{
    stage(user); // sorts what is not sorted yet
    long count = count_of(stage, user);
    assert_true(count > spare);
    for (long k = 0; k <= count; k++) {
        atomic_store(&failed, false);
        atomic_store(&left, k);
        int error = stage(user);
        atomic_store(&left, -1);
        assert_int_equal(failed, k < count);
        bool right = error == (failed ? CRL_ERR_MEMORY : good) || (k >= count - spare && error == good);
        if (!right) fail_msg("%s: allocation %ld of %ld: %d", name, k, count, error);
    }
}

struct subject {
    const char *collective, *topology, *scheme, *latency;
    enum crl_ports ports;
    struct crl_lower_options options;
    bool expand;
};
static const struct subject subjects[] = {
    {"broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_SINGLE, UNIT_LOWER(3, 0, 1, 32, 0), false},
    {"multinode-broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 2, 32, 0), true},
    {"total-exchange", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 2, 32, 0), false},
    {"total-exchange", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 1, 32, 1), true},
    {"total-exchange", "torus:3x3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(1, 0, 1, 32, 0), false},
    {"scatter", "mesh:2x3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 4, 1, 32, 2), false},
    {"multinode-broadcast", "mesh:2x3", NULL, "2,3", CRL_PORTS_ALL, UNIT_LOWER(0, 0, 1, 32, 0), false},
    {"multinode-broadcast", "torus:3x3", NULL, NULL, CRL_PORTS_SINGLE, UNIT_LOWER(4, 0, 1, 32, 0), false},
    {"all-reduce", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 2, 32, 0), false},
    {"all-reduce", "torus:3x3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 2, 32, 0), false},
    {"scan", "ring:5", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 1, 32, 0), false},
    {"all-reduce", "torus:3x3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(4, 0, 1, 32, 2), true},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, SEED = 3 };

struct job {
    struct unit u;
    const struct subject *subject;
    struct crl_image image;
    uint32_t threads;
};

static void open_job(struct job *j, const struct subject *s)
{
    const struct crl_algorithm *algorithm;
    struct unit *u = &j->u;
    *j = (struct job){.subject = s};
    assert_int_equal(crl_topology_parse(&u->topology, s->topology, &u->diag), 0);
    if (s->latency) assert_int_equal(crl_topology_set_latency(u->topology, s->latency, &u->diag), 0);
    if (crl_problem_init(&u->problem, s->collective, u->topology, 0, s->ports, &u->diag)) fail_msg("%s", u->diag.text);
    crl_schedule_init(&u->schedule, u->topology, crl_problem_naming(&u->problem), false);
    if (crl_algorithm_find(&algorithm, &u->problem, s->scheme, &u->diag)) fail_msg("%s", u->diag.text);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    if (s->expand && u->schedule.folded) unit_expand(u);
}

static int check(void *user)
{
    struct job *j = user;
    struct crl_report report;
    int error = crl_check_on(&report, &j->u.schedule, &j->u.problem, j->threads, &j->u.diag);
    crl_report_done(&report);
    return error;
}

// They are lower where there is no memory for what is better.
static int bounds(void *user)
{
    const struct job *j = user;
    crl_problem_bound_slots(&j->u.problem);
    crl_problem_bound_transmissions(&j->u.problem);
    return 0;
}

static int lower(void *user)
{
    struct job *j = user;
    int error = crl_lower(&j->image, &j->u.schedule, &j->u.problem, "test", &j->subject->options, &j->u.diag);
    if (!error) crl_image_done(&j->image);
    return error;
}

static int raise(void *user)
{
    struct job *j = user;
    struct crl_schedule raised;
    int error = crl_raise(&raised, &j->image, &j->u.problem, &j->u.diag);
    if (!error) unit_assert_same(&raised, &j->u.schedule);
    crl_schedule_done(&raised);
    return error;
}

// The schedule's trace beside the model's, then the result; all of it needs memory.
static int play(void *user)
{
    static const char *const names[] = {"expected", "model"};
    struct job *j = user;
    struct crl_compared compared = {.mismatches = 0};
    struct crl_expected *expected = NULL;
    struct crl_model *model = NULL;
    const char *verdict = "ok";
    int error = crl_expected_new(&expected, &j->u.schedule, &j->u.problem, &j->image.geometry, SEED, &j->u.diag);
    if (!error) error = crl_model_new(&model, &j->image, &j->u.problem, SEED, &j->u.diag);
    if (!error) {
        struct crl_player players[] = {crl_expected_player(expected), crl_model_player(model)};
        error = crl_compare(&compared, players, names, 2, j->image.nodes, j->image.geometry.ports, NULL, NULL, NULL,
                            &j->u.diag);
    }
    if (!error && !j->image.geometry.streams)
        verdict = crl_oracle(&j->image, &j->u.problem, SEED, crl_model_memory, model, &j->u.diag);
    crl_model_free(model);
    crl_expected_free(expected);
    if (error) return error;
    assert_int_equal(compared.mismatches, 0);
    if (failed && strcmp(verdict, "ok")) return CRL_ERR_MEMORY;
    assert_string_equal(verdict, "ok");
    return 0;
}

static void plans_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct job j;
        open_job(&j, &subjects[i]);
        long spare = count_of(bounds, &j);
        for (j.threads = 1; j.threads <= 3; j.threads += 2) sweep(check, &j, 0, spare, subjects[i].collective);
        j.u.schedule.moves[0].slot += 2; // too late for others
        j.u.schedule.moves[1].dst = 0;
        j.threads = 1;
        sweep(check, &j, CRL_ERR_RULE, spare + 1, subjects[i].collective);
        unit_close(&j.u);
    }
}

// What is only judged: sums that are lost, sums of prefixes, and nodes that receive twice in a slot.
static const struct {
    struct subject subject;
    struct crl_move moves[4];
} judged[] = {
    {{"prefix", "path:3", NULL, NULL, CRL_PORTS_ALL, {0}, false}, {{1, 0, 1, 0, 0}, {2, 1, 2, 0, 1}, {1, 2, 1, 2, 2}}},
    {{"reduce", "path:3", NULL, NULL, CRL_PORTS_ALL, {0}, false}, {{1, 2, 1, 0, 0}, {1, 1, 0, 0, 0}, {3, 1, 2, 0, 0}}},
    {{"gather", "star:3", NULL, NULL, CRL_PORTS_SINGLE, {0}, false},
     {{1, 1, 3, 1, 0}, {1, 2, 3, 2, 0}, {1, 0, 3, 0, 0}}},
    {{"gather", "mesh:2x2", NULL, NULL, CRL_PORTS_SINGLE, {0}, false}, {{1, 1, 0, 1, 0}, {1, 2, 0, 2, 0}}},
    {{"gather", "mesh:2x2", NULL, "1,2", CRL_PORTS_SINGLE, {0}, false}, {{1, 1, 0, 1, 0}, {2, 2, 0, 2, 0}}},
};

static void faults_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        const struct subject *s = &judged[i].subject;
        struct job j = {.subject = s};
        struct unit *u = &j.u;
        assert_int_equal(crl_topology_parse(&u->topology, s->topology, &u->diag), 0);
        if (s->latency) assert_int_equal(crl_topology_set_latency(u->topology, s->latency, &u->diag), 0);
        assert_int_equal(crl_problem_init(&u->problem, s->collective, u->topology, 0, s->ports, &u->diag), 0);
        crl_schedule_init(&u->schedule, u->topology, crl_problem_naming(&u->problem), false);
        for (const struct crl_move *m = judged[i].moves; m->slot; m++)
            assert_int_equal(crl_schedule_add(&u->schedule, *m), 0);
        for (j.threads = 1; j.threads <= 2; j.threads++)
            sweep(check, &j, CRL_ERR_RULE, count_of(bounds, &j) + 1, s->collective);
        unit_close(u);
    }
}

static void plans_are_lowered_raised_and_played(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct job j;
        open_job(&j, &subjects[i]);
        sweep(lower, &j, 0, 0, subjects[i].collective);
        assert_int_equal(crl_lower(&j.image, &j.u.schedule, &j.u.problem, "test", &subjects[i].options, &j.u.diag), 0);
        sweep(raise, &j, 0, 0, subjects[i].collective);
        sweep(play, &j, 0, 0, subjects[i].collective);
        crl_image_done(&j.image);
        unit_close(&j.u);
    }
}

static int form(void *user)
{
    struct job *j = user;
    struct crl_router_form form;
    return crl_lower_form(&form, &j->u.schedule, &j->u.problem, &j->u.diag);
}

// Each two of three packets leave node 0 together once: lanes are found by a search.
static void lanes_are_searched_for(void **state)
{
    (void)state;
    struct subject subject = {.options = {2, 3, 1, 32, 0}};
    struct job j = {.subject = &subject};
    unit_open(&j.u, "multinode-broadcast", 2, 0, CRL_PORTS_ALL);
    unit_add(&j.u, 1, 1, 0, 1, 0);
    unit_add(&j.u, 1, 2, 0, 2, 0);
    unit_add(&j.u, 1, 3, 1, 3, 0);
    unit_add(&j.u, 2, 1, 0, 3, 0);
    for (uint32_t i = 0; i < 3; i++) {
        unit_add(&j.u, 5 + i, 0, 1, 1 + i, 0);
        unit_add(&j.u, 5 + i, 0, 2, 1 + (i + 1) % 3, 0);
    }
    sweep(lower, &j, 0, 0, "lanes by search");
    sweep(form, &j, 0, 0, "form");
    unit_close(&j.u);
}

struct logp_subject {
    const char *machine, *problem, *scheme;
    uint32_t items, time;
};
static const struct logp_subject logp_subjects[] = {
    {"logp:P=8,L=6,o=2,g=4", "broadcast", NULL, 0, 0},      {"logp:P=10,L=3", "k-item-broadcast", "block-cyclic", 8, 0},
    {"logp:P=9,L=2", "k-item-broadcast", "buffered", 5, 0}, {"logp:P=9,L=3", "combining-broadcast", NULL, 0, 0},
    {"logp:P=8,L=5,o=2,g=4", "summation", NULL, 0, 28},
};
enum { LOGP_SUBJECTS = sizeof logp_subjects / sizeof *logp_subjects };

struct logp_job {
    struct unit_logp u;
    struct crl_logp_image image;
};

static int logp_check(void *user)
{
    struct logp_job *j = user;
    struct crl_logp_report report;
    int error = crl_logp_check(&report, &j->u.schedule, &j->u.problem, &j->u.diag);
    crl_report_done(&report.common);
    return error;
}

static int logp_bounds(void *user)
{
    const struct logp_job *j = user;
    struct crl_logp_problem asked = j->u.problem;
    if (!asked.time && !asked.operands) asked.operands = j->u.report.operands;
    crl_logp_bound_slots(&asked);
    if (asked.kind == CRL_LOGP_SUMMATION) crl_logp_operands_in(&asked.machine, j->u.report.time);
    return 0;
}

static int logp_lower(void *user)
{
    struct logp_job *j = user;
    int error = crl_logp_lower(&j->image, &j->u.schedule, &j->u.problem, j->u.report.time, "test", 2, 32, &j->u.diag);
    if (!error) crl_logp_image_done(&j->image);
    return error;
}

static int logp_raise(void *user)
{
    struct logp_job *j = user;
    struct crl_logp_schedule raised = {0};
    int error = crl_logp_raise(&raised, &j->image, &j->u.diag);
    crl_logp_schedule_done(&raised);
    return error;
}

static int logp_play(void *user)
{
    static const char *const names[] = {"expected", "model"};
    struct logp_job *j = user;
    const uint32_t P = j->image.problem.machine.P;
    struct crl_compared compared = {.mismatches = 0};
    struct crl_logp_expected *expected = NULL;
    struct crl_logp_model *model = NULL;
    const char *verdict = "ok";
    int error = crl_logp_expected_new(&expected, &j->u.schedule, &j->image, CRL_OP_ADD, SEED, &j->u.diag);
    if (!error) error = crl_logp_model_new(&model, &j->image, CRL_OP_ADD, SEED, &j->u.diag);
    if (!error) {
        struct crl_player players[] = {crl_logp_expected_player(expected), crl_logp_model_player(model)};
        error = crl_compare(&compared, players, names, 2, P, P, NULL, NULL, NULL, &j->u.diag);
    }
    if (!error) verdict = crl_logp_oracle(&j->image, CRL_OP_ADD, SEED, crl_logp_model_memory, model, &j->u.diag);
    crl_logp_model_free(model);
    crl_logp_expected_free(expected);
    if (error) return error;
    assert_int_equal(compared.mismatches, 0);
    if (failed && strcmp(verdict, "ok")) return CRL_ERR_MEMORY;
    assert_string_equal(verdict, "ok");
    return 0;
}

static void machines_are_judged_lowered_raised_and_played(void **state)
{
    (void)state;
    for (size_t i = 0; i < LOGP_SUBJECTS; i++) {
        const struct logp_subject *s = &logp_subjects[i];
        struct logp_job j = {.u.problem.items = 0};
        logp_open(&j.u, s->machine, s->problem);
        j.u.problem.items = s->items;
        j.u.problem.time = s->time;
        assert_int_equal(logp_plan(&j.u, s->scheme), 0);
        long spare = count_of(logp_bounds, &j);
        sweep(logp_check, &j, 0, spare, s->problem);
        sweep(logp_lower, &j, 0, 0, s->problem);
        assert_int_equal(
            crl_logp_lower(&j.image, &j.u.schedule, &j.u.problem, j.u.report.time, "test", 2, 32, &j.u.diag), 0);
        sweep(logp_raise, &j, 0, 0, s->problem);
        sweep(logp_play, &j, 0, 0, s->problem);
        crl_logp_image_done(&j.image);
        j.u.schedule.sends[0].rtime += 1;
        sweep(logp_check, &j, CRL_ERR_RULE, spare, s->problem);
        logp_close(&j.u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_judged),
        cmocka_unit_test(faults_are_judged),
        cmocka_unit_test(plans_are_lowered_raised_and_played),
        cmocka_unit_test(lanes_are_searched_for),
        cmocka_unit_test(machines_are_judged_lowered_raised_and_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
