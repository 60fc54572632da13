// SPDX-License-Identifier: Apache-2.0
// Single-port all-gather where there is no Hamiltonian cycle, judged by the checker.
#include "topology/topology.h"
#include "unit.h"

static const struct {
    const char *collective, *topology;
    uint32_t slots; // the bound; but on the path a slot more, which a SAT solver has shown to be needed
} least[] = {
    {"multinode-broadcast", "mesh:3x3", 10},   {"multinode-broadcast", "mesh:3x5", 16},
    {"multinode-broadcast", "mesh:3x3x3", 28}, {"multinode-broadcast", "path:5", 7},
    {"reduce-scatter", "mesh:3x3", 10},
};

static void meets_the_least(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        struct crl_topology *t;
        struct crl_diag diag;
        struct unit u[2];
        const struct crl_algorithm *algorithm;
        struct crl_report report;
        assert_int_equal(crl_topology_parse(&t, least[i].topology, &diag), 0);
        for (int again = 0; again < 2; again++) {
            u[again].topology = t;
            assert_int_equal(crl_problem_init(&u[again].problem, least[i].collective, t, 0, CRL_PORTS_SINGLE, &diag),
                             0);
            assert_int_equal(crl_algorithm_find(&algorithm, &u[again].problem, NULL, &diag), 0);
            assert_string_equal(algorithm->scheme, "slotwise");
            assert_int_equal(crl_plan(&u[again].schedule, algorithm, &u[again].problem, &diag), 0);
            assert_int_equal(unit_check(&u[again], &report), 0);
            assert_int_equal(report.violations + report.warnings, 0);
            assert_int_equal(report.slots, least[i].slots);
            crl_report_done(&report);
        }
        assert_int_equal(u[0].schedule.count, u[1].schedule.count);
        assert_memory_equal(u[0].schedule.moves, u[1].schedule.moves, sizeof *u->schedule.moves * u[0].schedule.count);
        crl_schedule_done(&u[0].schedule);
        crl_schedule_done(&u[1].schedule);
        crl_topology_free(t);
    }
}

static void cycles_are_left_to_others(void **state)
{
    (void)state;
    struct crl_topology *t;
    struct crl_problem problem;
    assert_int_equal(crl_topology_parse(&t, "mesh:3x4", NULL), 0);
    assert_int_equal(crl_problem_init(&problem, "multinode-broadcast", t, 0, CRL_PORTS_SINGLE, NULL), 0);
    assert_false(crl_applies_slotwise_broadcast(&problem));
    crl_topology_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_the_least),
        cmocka_unit_test(cycles_are_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
