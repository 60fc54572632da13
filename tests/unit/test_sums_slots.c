// SPDX-License-Identifier: Apache-2.0
// Sums: plans are valid and take no more slots than is known.
#include "unit.h"

static void plan(struct unit *u, struct crl_report *report)
{
    const struct crl_algorithm *algorithm;
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    assert_int_equal(unit_check(u, report), 0);
    assert_int_equal(report->violations, 0);
}

static void reductions_take_the_slots_of_what_they_are_in_reversed_time(void **state)
{
    (void)state;
    static const char *const topologies[] = {"hypercube:1", "hypercube:5", "torus:3x5", "mesh:4x4",
                                             "ring:8",      "ghc:3x4",     "path:5",    "torus:4x3x2"};
    static const char *const pairs[][2] = {{"reduce", "broadcast"}, {"reduce-scatter", "all-gather"}};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (int k = 0; k < 4; k++) {
            struct unit u = {0};
            struct crl_report report[2];
            assert_int_equal(crl_topology_parse(&u.topology, topologies[i], &u.diag), 0);
            for (int back = 0; back < 2; back++) {
                enum crl_ports ports = k / 2 ? CRL_PORTS_SINGLE : CRL_PORTS_ALL;
                assert_int_equal(crl_problem_init(&u.problem, pairs[k % 2][back], u.topology, 1, ports, &u.diag), 0);
                plan(&u, &report[back]);
                assert_int_equal(report[back].count, 0);
                crl_schedule_done(&u.schedule);
            }
            assert_int_equal(report[0].slots, report[1].slots);
            assert_int_equal(report[0].bound_slots, report[1].bound_slots);
            assert_int_equal(report[0].transmissions, report[1].transmissions);
            crl_topology_free(u.topology);
        }
}

static void all_reduce_takes_no_more_slots_than_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        uint32_t slots;
    } known[] = {
        {"hypercube:2", 3},  {"hypercube:3", 5},    {"hypercube:4", 8}, {"hypercube:5", 13}, {"hypercube:6", 21},
        {"hypercube:7", 37}, {"hypercube:10", 205}, {"ring:4", 3},      {"ring:8", 7},       {"ring:32", 31},
        {"torus:3x4", 6},    {"torus:3x5", 8},      {"ghc:3x4", 5},     {"torus:3x6", 9},    {"torus:5x6", 15},
        {"torus:3x3x3", 9},  {"torus:4x4x4", 21},   {"mesh:2x2", 3},    {"mesh:2x3", 5},     {"mesh:2x4", 7},
        {"mesh:3x3", 8},     {"mesh:4x4", 13},      {"complete:7", 2},  {"path:8", 14},      {"torus:8x8", 32},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct unit u = {0};
        struct crl_report report;
        assert_int_equal(crl_topology_parse(&u.topology, known[i].topology, &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, "all-reduce", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
        plan(&u, &report);
        assert_int_equal(report.count, 0);
        if (report.slots != known[i].slots || report.bound_slots != known[i].slots)
            fail_msg("%s: %d slots, bound %d", known[i].topology, (int)report.slots, (int)report.bound_slots);
        unit_close(&u);
    }
}

// Other numbers of chunks, late links, single-port.
static void sums_take_no_more_slots_than_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *collective, *topology, *latency, *scheme; // latency NULL: as the topology says
        uint32_t chunks;
        enum crl_ports ports;
        uint32_t slots, bound;
    } known[] = {
        {"all-reduce", "hypercube:4", "4", "doubling", 16, CRL_PORTS_ALL, 19, 19},
        {"all-reduce", "hypercube:3", "3,4,5", "doubling", 8, CRL_PORTS_ALL, 14, 14},
        {"all-reduce", "hypercube:3", "8", "doubling", 8, CRL_PORTS_SINGLE, 31, 31},
        {"all-reduce", "hypercube:4", "1", "doubling", 4, CRL_PORTS_ALL, 4, 4},
        {"all-reduce", "path:2", "3", "doubling", 7, CRL_PORTS_ALL, 9, 9},
        {"all-reduce", "hypercube:4", "2", "overlap", 16, CRL_PORTS_ALL, 14, 11},
        {"all-reduce", "ring:6", "1", "overlap", 5, CRL_PORTS_ALL, 5, 5},
        {"all-reduce", "hypercube:3", "1", "overlap", 24, CRL_PORTS_ALL, 14, 14},
        {"all-reduce", "hypercube:3", "1", "blocks", 16, CRL_PORTS_ALL, 10, 10},
        {"all-reduce", "torus:3x5", "1", "twice", 15, CRL_PORTS_ALL, 8, 8},
        {"all-reduce", "torus:3x5", "1", "twice", 15, CRL_PORTS_SINGLE, 28, 28},
        {"reduce", "hypercube:4", "1", "slotwise", 8, CRL_PORTS_ALL, 5, 5},
        {"reduce", "hypercube:4", "3", "slotwise", 8, CRL_PORTS_ALL, 13, 13},
        {"reduce", "path:5", "1", "slotwise", 4, CRL_PORTS_SINGLE, 7, 7},
        {"scan", "hypercube:4", "3", "lines", 1, CRL_PORTS_ALL, 12, 12},
        {"scan", "path:5", "2", "lines", 3, CRL_PORTS_ALL, 10, 10},
        {"scan", "mesh:8x8", "1", "lines", 1, CRL_PORTS_ALL, 18, 14},
        {"scan", "torus:8x8", "1", "lines", 1, CRL_PORTS_ALL, 16, 10},
        {"scan", "mesh:8x8", "1", "lines", 4, CRL_PORTS_ALL, 21, 17},
        {"scan", "mesh:3x5", "1", "lines", 2, CRL_PORTS_ALL, 7, 7},
        {"scan", "torus:5x3", "2", "lines", 5, CRL_PORTS_ALL, 18, 10},
        {"scan", "graph:" CRL_GOLDEN_DIR "/../unit/sums.graph", "2", "walk", 1, CRL_PORTS_ALL, 10, 6},
        {"all-reduce", "path:5", "1", "overlap", 5, CRL_PORTS_SINGLE, 13, 10},
        {"all-reduce", "mesh:3x3", "1", "overlap", 9, CRL_PORTS_SINGLE, 18, 18},
        {"all-reduce", "mesh:2x5", "1", "overlap", 10, CRL_PORTS_ALL, 9, 9},
        {"all-reduce", "mesh:8x8", "1", "overlap", 1, CRL_PORTS_ALL, 14, 14},
        {"all-reduce", "mesh:5x8", "1", "overlap", 1, CRL_PORTS_ALL, 11, 11},
        {"all-reduce", "hypercube:3", "1", "overlap", 48, CRL_PORTS_ALL, 28, 28},
        {"all-reduce", "graph:" CRL_GOLDEN_DIR "/../unit/wide.graph", "1", "overlap", 6, CRL_PORTS_ALL, 4, 4},
        {"all-reduce", "hypercube:3 boards 2 cable 20", NULL, "put-off", 8, CRL_PORTS_ALL, 31, 24},
        {"all-reduce", "hypercube:3 boards 2 cable 20,3", NULL, "put-off", 8, CRL_PORTS_ALL, 45, 24},
        {"scan", "hypercube:3 boards 2x2 cable 20", NULL, "put-off", 1, CRL_PORTS_ALL, 42, 41},
        {"scan", "mesh:2x4 boards 1x2 cable 20,3", NULL, "put-off", 2, CRL_PORTS_ALL, 32, 24},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct unit u = {0};
        struct crl_report report;
        assert_int_equal(crl_topology_parse(&u.topology, known[i].topology, &u.diag), 0);
        if (known[i].latency) assert_int_equal(crl_topology_set_latency(u.topology, known[i].latency, &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, known[i].collective, u.topology, 0, known[i].ports, &u.diag), 0);
        assert_int_equal(crl_problem_set_chunks(&u.problem, known[i].chunks, &u.diag), 0);
        plan(&u, &report);
        assert_false(report.bits_differ);
        if (report.slots != known[i].slots || report.bound_slots != known[i].bound ||
            strcmp(u.schedule.scheme, known[i].scheme))
            fail_msg("%s on %s: %d slots, bound %d, by %s", known[i].collective, known[i].topology, (int)report.slots,
                     (int)report.bound_slots, u.schedule.scheme);
        crl_report_done(&report);
        unit_close(&u);
    }
}

// A node's own value is in all that it sends.
static void there_is_no_scan_over_higher_nodes_alone(void **state)
{
    (void)state;
    struct unit u = {0};
    const struct crl_algorithm *algorithm;
    assert_int_equal(crl_topology_parse(&u.topology, "graph:" CRL_GOLDEN_DIR "/../unit/sums_none.graph", &u.diag), 0);
    assert_int_equal(crl_problem_init(&u.problem, "scan", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
    assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), CRL_ERR_UNSUPPORTED);
    unit_close(&u);
}

static void scans_are_valid_and_optimal_on_cubes_and_complete_graphs(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        uint32_t chunks, slots; // slots 0: however many
    } jobs[] = {{"hypercube:1", 1, 1},
                {"hypercube:6", 1, 6},
                {"path:7", 5, 10},
                {"ghc:3x4x2", 1, 3},
                {"mesh:3x4", 3, 0},
                {"torus:4x3x2", 2, 0},
                {"ring:5*path:3*complete:4", 4, 0}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        for (int single = 0; single < 2; single++) {
            struct unit u = {0};
            struct crl_report report;
            enum crl_ports ports = single ? CRL_PORTS_SINGLE : CRL_PORTS_ALL;
            assert_int_equal(crl_topology_parse(&u.topology, jobs[i].topology, &u.diag), 0);
            assert_int_equal(crl_problem_init(&u.problem, "scan", u.topology, 0, ports, &u.diag), 0);
            assert_int_equal(crl_problem_set_chunks(&u.problem, jobs[i].chunks, &u.diag), 0);
            plan(&u, &report);
            if (jobs[i].slots && !single) assert_int_equal(report.slots, jobs[i].slots);
            crl_report_done(&report);
            unit_close(&u);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_reduce_takes_no_more_slots_than_is_known),
        cmocka_unit_test(scans_are_valid_and_optimal_on_cubes_and_complete_graphs),
        cmocka_unit_test(sums_take_no_more_slots_than_is_known),
        cmocka_unit_test(there_is_no_scan_over_higher_nodes_alone),
        cmocka_unit_test(reductions_take_the_slots_of_what_they_are_in_reversed_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
