// SPDX-License-Identifier: Apache-2.0
// Exchanges on ways that load the links evenly: judged by the checker, which knows nothing of it.
#include "algorithm/rerouting.h"
#include "topology/topology.h"
#include "unit.h"

enum { STEPS = 400000000 };

static void open_problem(struct unit *u, const char *collective, const char *topology, enum crl_ports ports)
{
    memset(u, 0, sizeof *u);
    if (crl_topology_parse(&u->topology, topology, &u->diag)) fail_msg("%s", u->diag.text);
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, 0, ports, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, CRL_NAMING_PAIR, false);
}

// Reroutes, lets the checker judge, and returns the slots.
static uint64_t slots_of(const char *collective, const char *topology, enum crl_ports ports, uint64_t steps)
{
    struct unit u;
    struct crl_report report;
    open_problem(&u, collective, topology, ports);
    uint32_t bound = (uint32_t)crl_problem_bound_slots(&u.problem);
    assert_int_equal(crl_reroute(&u.schedule, &u.problem, bound, &steps), 0);
    assert_int_equal(crl_schedule_sort(&u.schedule), 0);
    assert_int_equal(unit_check(&u, &report), 0);
    assert_int_equal(report.violations + report.warnings, 0);
    uint64_t slots = report.slots;
    crl_report_done(&report);
    unit_close(&u);
    return slots;
}

static void meets_the_bound_where_links_are_what_limits(void **state)
{
    (void)state;
    assert_int_equal(slots_of("total-exchange", "gen-kautz:4x32", CRL_PORTS_ALL, STEPS), 22);
    assert_int_equal(slots_of("total-exchange", "mesh:6x6", CRL_PORTS_ALL, STEPS), 54);
    assert_int_equal(slots_of("total-exchange", "hypercube:5", CRL_PORTS_ALL, STEPS), 16);
}

static void is_right_everywhere(void **state)
{
    (void)state;
    static const char *const topologies[] = {"path:2",     "ring:5",    "mesh:2x5",
                                             "complete:6", "torus:3x3", "ring:5*path:3"};
    static const char *const collectives[] = {"total-exchange", "scatter", "gather"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (size_t k = 0; k < sizeof collectives / sizeof *collectives; k++)
            for (int ports = 0; ports < 2; ports++) slots_of(collectives[k], topologies[i], ports, STEPS);
}

static void with_no_time_it_is_right_and_longer(void **state)
{
    (void)state;
    assert_true(slots_of("total-exchange", "gen-kautz:4x32", CRL_PORTS_ALL, 1) > 22);
}

static void a_moment_is_counted(void **state)
{
    (void)state;
    struct unit u;
    uint64_t steps = STEPS;
    open_problem(&u, "total-exchange", "mesh:3x3", CRL_PORTS_ALL);
    assert_int_equal(crl_reroute(&u.schedule, &u.problem, 6, &steps), 0);
    assert_true(steps < STEPS && steps > STEPS / 2);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_the_bound_where_links_are_what_limits),
        cmocka_unit_test(is_right_everywhere),
        cmocka_unit_test(with_no_time_it_is_right_and_longer),
        cmocka_unit_test(a_moment_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
