// SPDX-License-Identifier: Apache-2.0
// Exchanges by negotiated congestion: judged by the checker, which knows nothing of it.
#include "algorithm/negotiation.h"
#include "topology/topology.h"
#include "unit.h"
#include <unistd.h>

enum { STEPS = 400000000 };

static char petersen[64];

static int write_petersen(void **state)
{
    (void)state;
    char path[] = "/tmp/test_negotiation_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    for (int v = 0; file && v < 5; v++)
        fprintf(file, "%d %d\n%d %d\n%d %d\n", v, (v + 1) % 5, v, v + 5, v + 5, (v + 2) % 5 + 5);
    snprintf(petersen, sizeof petersen, "graph:%s", path);
    return file ? fclose(file) : 1;
}

static int remove_petersen(void **state)
{
    (void)state;
    return unlink(petersen + strlen("graph:"));
}

static void open_problem(struct unit *u, const char *collective, const char *topology, enum crl_ports ports)
{
    memset(u, 0, sizeof *u);
    if (crl_topology_parse(&u->topology, topology, &u->diag)) fail_msg("%s", u->diag.text);
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, 0, ports, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, CRL_NAMING_PAIR, false);
}

static int negotiate(struct unit *u, uint32_t slots, uint32_t detour, uint64_t seed)
{
    struct crl_negotiation *n;
    struct crl_negotiate how = {.slots = slots, .detour = detour, .patience = 4, .seed = seed};
    uint64_t steps = STEPS;
    assert_int_equal(crl_negotiation_new(&n, &u->problem, 0), 0);
    int error = crl_negotiate(n, &how, &steps, &u->schedule);
    assert_true(steps < STEPS);
    crl_negotiation_free(n);
    assert_int_equal(crl_schedule_sort(&u->schedule), 0);
    return error;
}

static const struct {
    const char *collective, *topology;
    enum crl_ports ports;
    uint32_t slots, detour; // as few as are known, on most of these the bound
} least[] = {
    {"total-exchange", "mesh:2x5", CRL_PORTS_SINGLE, 25, 0},
    {"total-exchange", "mesh:4x4", CRL_PORTS_SINGLE, 43, 0},
    {"total-exchange", "mesh:3x3x3", CRL_PORTS_SINGLE, 75, 0},
    {"total-exchange", "ring:5*path:3", CRL_PORTS_SINGLE, 32, 3},
    {"total-exchange", "mesh:4x4", CRL_PORTS_ALL, 16, 3},
    {"total-exchange", "torus:3x3", CRL_PORTS_ALL, 3, 0},
    {"total-exchange", petersen, CRL_PORTS_ALL, 5, 0},
    {"scatter", "mesh:3x3", CRL_PORTS_SINGLE, 8, 0},
    {"gather", petersen, CRL_PORTS_ALL, 3, 0},
};
enum { LEAST = sizeof least / sizeof *least };

static void meets_the_least(void **state)
{
    (void)state;
    for (size_t i = 0; i < LEAST; i++) {
        struct unit u;
        struct crl_report report;
        open_problem(&u, least[i].collective, least[i].topology, least[i].ports);
        assert_int_equal(negotiate(&u, least[i].slots, least[i].detour, 1), 0);
        assert_int_equal(unit_check(&u, &report), 0);
        assert_int_equal(report.violations + report.warnings, 0);
        assert_true(report.slots <= least[i].slots);
        crl_report_done(&report);
        unit_close(&u);
    }
}

static void finds_nothing_below_the_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct unit u;
        open_problem(&u, least[i].collective, least[i].topology, least[i].ports);
        assert_int_equal(negotiate(&u, (uint32_t)crl_problem_bound_slots(&u.problem) - 1, 3, 1), CRL_ERR_UNSUPPORTED);
        assert_int_equal(u.schedule.count, 0);
        unit_close(&u);
    }
}

static void a_seed_says_the_schedule(void **state)
{
    (void)state;
    struct unit u[3];
    const uint64_t seeds[] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        open_problem(&u[i], "total-exchange", "mesh:3x3", CRL_PORTS_SINGLE);
        assert_int_equal(negotiate(&u[i], 18, 0, seeds[i]), 0);
    }
    size_t bytes = sizeof *u->schedule.moves * u->schedule.count;
    assert_int_equal(u[0].schedule.count, u[1].schedule.count);
    assert_memory_equal(u[0].schedule.moves, u[1].schedule.moves, bytes);
    assert_memory_not_equal(u[0].schedule.moves, u[2].schedule.moves, bytes);
    for (int i = 0; i < 3; i++) unit_close(&u[i]);
}

// What the cache gives back is taken exactly where the checker takes it: of schedules with one number changed.
static void accepts_what_the_checker_accepts(void **state)
{
    (void)state;
    enum { FIELDS = 5, TRIES = 4000 };
    struct unit u;
    struct crl_negotiation *n;
    uint64_t random = 5;
    int good = 0, bad = 0;
    open_problem(&u, "total-exchange", "mesh:2x3", CRL_PORTS_SINGLE);
    assert_int_equal(negotiate(&u, 12, 3, 1), 0);
    assert_int_equal(crl_negotiation_new(&n, &u.problem, 0), 0);
    assert_true(crl_negotiation_accepts(n, &u.schedule));
    for (int i = 0; i < TRIES; i++) {
        struct crl_report report;
        struct unit other = u;
        crl_schedule_init(&other.schedule, u.topology, CRL_NAMING_PAIR, false);
        for (size_t k = 0; k < u.schedule.count; k++)
            assert_int_equal(crl_schedule_add(&other.schedule, u.schedule.moves[k]), 0);
        struct crl_move *m = &other.schedule.moves[unit_below(&random, (uint32_t)u.schedule.count)];
        uint32_t *const fields[FIELDS] = {&m->slot, &m->src, &m->dst, &m->origin, &m->dest};
        uint32_t field = unit_below(&random, FIELDS);
        *fields[field] = field ? unit_below(&random, 7) : 1 + unit_below(&random, 14);
        assert_int_equal(crl_schedule_sort(&other.schedule), 0);
        bool accepted = crl_negotiation_accepts(n, &other.schedule);
        bool right = !unit_check(&other, &report) && !report.warnings;
        assert_int_equal(accepted, right);
        good += right;
        bad += !right;
        crl_report_done(&report);
        crl_schedule_done(&other.schedule);
    }
    assert_true(good > 100 && bad > 100);
    crl_negotiation_free(n);
    unit_close(&u);
}

// ---------------------------------------------------------------- the scheme

static bool stop(void *user)
{
    ++*(uint32_t *)user;
    return true;
}

static void interrupted_it_keeps_the_best_so_far(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    const struct crl_algorithm *algorithm;
    uint32_t asked = 0;
    char cache[] = "/tmp/test_negotiation_cache_XXXXXX";
    assert_non_null(mkdtemp(cache));
    struct crl_context context = {.cancelled = stop, .user = &asked, .cache = cache};
    open_problem(&u, "total-exchange", "mesh:3x3x3", CRL_PORTS_SINGLE);
    u.problem.context = &context;
    u.problem.effort = 1;
    assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, "negotiated", &u.diag), 0);
    assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
    assert_true(asked > 0);
    assert_int_equal(unit_check(&u, &report), 0);
    assert_true(report.slots > 75);
    crl_report_done(&report);
    assert_int_equal(rmdir(cache), 0); // what was broken off is not kept
    unit_close(&u);
}

static void effort_finds_what_is_kept(void **state)
{
    (void)state;
    char cache[] = "/tmp/test_negotiation_cache_XXXXXX", command[128];
    assert_non_null(mkdtemp(cache));
    struct crl_context context = {.cache = cache};
    struct unit u[2];
    for (int i = 0; i < 2; i++) {
        struct crl_report report;
        const struct crl_algorithm *algorithm;
        open_problem(&u[i], "total-exchange", "mesh:3x3", CRL_PORTS_SINGLE);
        u[i].problem.context = &context;
        u[i].problem.effort = 1;
        assert_int_equal(crl_algorithm_find(&algorithm, &u[i].problem, "negotiated", &u[i].diag), 0);
        assert_int_equal(crl_plan(&u[i].schedule, algorithm, &u[i].problem, &u[i].diag), 0);
        assert_int_equal(unit_check(&u[i], &report), 0);
        assert_int_equal(report.slots, 18);
        crl_report_done(&report);
    }
    assert_int_equal(u[0].schedule.count, u[1].schedule.count);
    assert_memory_equal(u[0].schedule.moves, u[1].schedule.moves, sizeof *u->schedule.moves * u->schedule.count);
    for (int i = 0; i < 2; i++) unit_close(&u[i]);
    snprintf(command, sizeof command, "test $(ls %s | wc -l) = 1 && rm -r %s", cache, cache);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_the_least),
        cmocka_unit_test(finds_nothing_below_the_bound),
        cmocka_unit_test(a_seed_says_the_schedule),
        cmocka_unit_test(accepts_what_the_checker_accepts),
        cmocka_unit_test(interrupted_it_keeps_the_best_so_far),
        cmocka_unit_test(effort_finds_what_is_kept),
    };
    return cmocka_run_group_tests(tests, write_petersen, remove_petersen);
}
