// SPDX-License-Identifier: Apache-2.0
// Links that take longer than a slot: topology, bounds, checker, planners.
#include "problem/problem.h"
#include "unit.h"
#include <unistd.h>

static void open_problem(struct unit *u, const char *collective, const char *topology, const char *latency,
                         enum crl_ports ports)
{
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, topology, &u->diag), 0);
    if (latency) assert_int_equal(crl_topology_set_latency(u->topology, latency, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, 0, ports, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, crl_problem_naming(&u->problem), false);
}

static void plan(struct unit *u)
{
    const struct crl_algorithm *algorithm;
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
}

// ---------------------------------------------------------------- topology

static void latencies_are_those_that_were_said(void **state)
{
    struct unit u;
    (void)state;
    open_problem(&u, "broadcast", "torus:4x3", "2,5", CRL_PORTS_ALL);
    assert_int_equal(crl_topology_latency(u.topology, 7, 1), 2);
    assert_int_equal(crl_topology_latency(u.topology, 7, 2), 5);
    assert_int_equal(crl_topology_delay(u.topology, 0, 6), 2 * 2 + 5);
    assert_true(crl_topology_latency_by_port(u.topology));
    unit_close(&u);
    open_problem(&u, "broadcast", "hypercube:3", "7", CRL_PORTS_ALL);
    assert_int_equal(crl_topology_delay(u.topology, 1, 6), 21);
    static const char *const bad[] = {"", "0", "1001", "x", "1,", "1,2", "1,2,3,4", "3 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_not_equal(crl_topology_set_latency(u.topology, bad[i], &u.diag), 0);
    assert_int_equal(crl_topology_delay(u.topology, 1, 6), 21);
    unit_close(&u);
}

// A network from a text.
static void open_graph(struct unit *u, const char *collective, const char *text, enum crl_ports ports)
{
    char path[] = "/tmp/carillon-graph-XXXXXX", name[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    snprintf(name, sizeof name, "graph:%s", path);
    open_problem(u, collective, name, NULL, ports);
    unlink(path);
}

static void a_file_says_the_latency_of_each_link(void **state)
{
    struct unit u;
    (void)state;
    open_graph(&u, "broadcast", "0 1 1 9\n1 2 1 2\n0 > 2 1 4 # one way\n2 > 0\n0 3\n", CRL_PORTS_ALL);
    const struct crl_topology *t = u.topology;
    assert_int_equal(crl_topology_link_latency(t, 0, 2), 4);
    assert_int_equal(crl_topology_link_latency(t, 2, 0), 1);
    assert_int_equal(crl_topology_link_latency(t, 3, 0), 1);
    assert_int_equal(crl_topology_delay(t, 0, 1), 6); // by way of 2
    assert_int_equal(crl_topology_delay(t, 1, 0), 3);
    assert_int_equal(crl_topology_distance(t, 0, 1), 1);
    assert_int_equal(crl_topology_latency_max(t), 9);
    assert_int_not_equal(crl_topology_set_latency(u.topology, "3", &u.diag), 0);
    unit_close(&u);
}

// ---------------------------------------------------------------- bounds

static const char *const networks[] = {"hypercube:1", "hypercube:4",   "torus:4x4",        "torus:3x5", "torus:3x4",
                                       "mesh:3x3",    "mesh:4x2x3",    "complete:5",       "ghc:3x4",   "ring:5",
                                       "path:6",      "ring:5*path:3", "complete:3*path:4"};
enum { NETWORKS = sizeof networks / sizeof *networks };

static void bounds_without_latency_are_as_ever(void **state)
{
    static const uint32_t active[] = {0, 1};
    static const char *const collectives[] = {
        "broadcast",      "multinode-broadcast", "scatter",        "gather",
        "total-exchange", "partial-exchange",    "partial-gather", "partial-multinode-broadcast"};
    (void)state;
    for (size_t c = 0; c < sizeof collectives / sizeof *collectives; c++)
        for (size_t i = 0; i < NETWORKS; i++)
            for (enum crl_ports ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
                struct unit u;
                open_problem(&u, collectives[c], networks[i], "1", ports);
                if (crl_problem_is_partial(&u.problem))
                    assert_int_equal(crl_problem_set_active(&u.problem, active, 2, 1, &u.diag), 0);
                uint64_t before = u.problem.collective->bound_slots(&u.problem);
                assert_int_equal(crl_problem_bound_slots(&u.problem), before);
                assert_int_equal(crl_bound_latency(&u.problem), before);
                unit_close(&u);
            }
}

static void bounds_are_those_worked_out_by_hand(void **state)
{
    static const struct {
        const char *collective, *topology, *latency;
        uint64_t slots;
    } known[] = {
        {"multinode-broadcast", "hypercube:5", "3", 15},
        {"total-exchange", "hypercube:5", "3", 18},
        {"multinode-broadcast", "hypercube:6", "3", 18},
        {"total-exchange", "hypercube:6", "3", 34},
        {"multinode-broadcast", "hypercube:8", "3", 36},
        {"total-exchange", "hypercube:8", "3", 130},
        {"multinode-broadcast", "torus:8x8", "3", 24},
        {"total-exchange", "torus:8x8", "3", 66},
        {"multinode-broadcast", "hypercube:5", "10", 50},
        {"total-exchange", "hypercube:8", "10", 137},
        {"total-exchange", "torus:8x8", "10", 80},
        {"broadcast", "mesh:3x3", "2,5", 14},
        // 15 packets by 4 ports, 8 of them along the second dimension, the last 2 slots before the end.
        {"total-exchange", "torus:4x4", "1,3", 10},
        {"scatter", "hypercube:3", "4", 12},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct unit u;
        open_problem(&u, known[i].collective, known[i].topology, known[i].latency, CRL_PORTS_ALL);
        assert_int_equal(crl_problem_bound_slots(&u.problem), known[i].slots);
        unit_close(&u);
    }
}

// A node that tells one neighbour after the other: 1, 2, 3 at λ = 3 in slots 3, 4, 5; these go on at once.
static void a_single_port_broadcast_grows_by_its_latency(void **state)
{
    static const uint64_t slots[] = {3, 4, 5, 6, 6, 7, 7, 7, 8}; // of 2, 3, … nodes
    char name[16];
    (void)state;
    for (uint32_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        struct unit u;
        snprintf(name, sizeof name, "complete:%u", i + 2);
        open_problem(&u, "broadcast", name, "3", CRL_PORTS_SINGLE);
        assert_int_equal(crl_problem_bound_slots(&u.problem), slots[i]);
        plan(&u);
        assert_int_equal(crl_schedule_slots(&u.schedule), slots[i]);
        unit_close(&u);
    }
}

// ---------------------------------------------------------------- checker

static void only_finding_is(struct unit *u, const char *id)
{
    struct crl_report report;
    int error = unit_check(u, &report);
    if (!id) {
        assert_int_equal(error, 0);
        assert_int_equal(report.count, 0);
    } else {
        assert_int_equal(report.count, 1);
        assert_string_equal(report.findings[0].kind->id, id);
    }
    crl_report_done(&report);
}

static void a_packet_goes_on_when_it_has_arrived(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 3; late++) {
        struct unit u;
        open_problem(&u, "broadcast", "path:3", "4", CRL_PORTS_ALL);
        unit_add(&u, 1, 0, 1, 0, 0);
        unit_add(&u, 5 - late, 1, 2, 0, 0); // arrives in slot 4, so 5 is the first
        only_finding_is(&u, late == 0 ? NULL : late == 1 ? "same-slot" : "not-yet");
        unit_close(&u);
    }
}

static void a_node_may_get_first_what_was_sent_last(void **state)
{
    struct unit u;
    (void)state;
    open_graph(&u, "broadcast", "0 1 1 9\n0 2\n2 1\n", CRL_PORTS_ALL);
    unit_add(&u, 1, 0, 1, 0, 0); // arrives in slot 9
    unit_add(&u, 1, 0, 2, 0, 0);
    unit_add(&u, 2, 2, 1, 0, 0); // in slot 2
    only_finding_is(&u, "redundant");
    unit_close(&u);
}

static void single_port_receptions_count_when_they_arrive(void **state)
{
    (void)state;
    for (uint32_t slot = 1; slot <= 4; slot++) {
        struct unit u;
        open_graph(&u, "gather", "0 1 1 4\n0 2 1 2\n1 2\n", CRL_PORTS_SINGLE);
        unit_add(&u, 1, 1, 0, 1, 0); // arrives in slot 4
        unit_add(&u, slot, 2, 0, 2, 0);
        only_finding_is(&u, slot == 3 ? "receive-conflict" : NULL);
        unit_close(&u);
    }
}

static void the_end_is_that_of_the_last_arrival(void **state)
{
    struct crl_report report;
    struct unit u;
    (void)state;
    open_graph(&u, "broadcast", "0 1 1 9\n0 2 1 2\n", CRL_PORTS_ALL);
    unit_add(&u, 1, 0, 1, 0, 0);
    unit_add(&u, 3, 0, 2, 0, 0);
    assert_int_equal(unit_check(&u, &report), 0);
    assert_int_equal(report.slots, 9);
    assert_int_equal(report.bound_slots, 9);
    crl_report_done(&report);
    unit_close(&u);
}

// Node 1 gets packets in slots 3 and 4 and sends both on from slot 5 on; they count from arrival to sending.
static void packets_under_way_are_not_held(void **state)
{
    struct crl_report report;
    struct unit u;
    (void)state;
    open_problem(&u, "scatter", "path:3", "3", CRL_PORTS_ALL);
    unit_add(&u, 1, 0, 1, 0, 2);
    unit_add(&u, 2, 0, 1, 0, 1);
    unit_add(&u, 4, 1, 2, 0, 2);
    assert_int_equal(unit_check(&u, &report), 0);
    assert_int_equal(report.buffer_packets, 1);
    crl_report_done(&report);
    unit_close(&u);
}

// Node 1 gets a packet in slot 3 and one in slot 4, and sends each on in the slot after: it never holds two.
static void packets_are_held_from_their_arrival_on(void **state)
{
    struct crl_report report;
    struct unit u;
    (void)state;
    open_problem(&u, "scatter", "path:4", "3", CRL_PORTS_ALL);
    unit_add(&u, 1, 0, 1, 0, 3);
    unit_add(&u, 2, 0, 1, 0, 2);
    unit_add(&u, 3, 0, 1, 0, 1);
    unit_add(&u, 4, 1, 2, 0, 3);
    unit_add(&u, 5, 1, 2, 0, 2);
    unit_add(&u, 7, 2, 3, 0, 3);
    assert_int_equal(unit_check(&u, &report), 0);
    assert_int_equal(report.buffer_packets, 1);
    crl_report_done(&report);
    unit_close(&u);
}

// A packet of any plan that leaves a slot before it has arrived.
static void a_plan_with_a_hop_too_early_is_found_out(void **state)
{
    static const char *const collectives[] = {"multinode-broadcast", "total-exchange", "scatter", "gather"};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct unit u;
        struct crl_report report;
        open_problem(&u, collectives[i], "torus:3x3", "2,3", CRL_PORTS_ALL);
        plan(&u);
        assert_int_equal(unit_check(&u, &report), 0);
        crl_report_done(&report);
        if (u.schedule.folded) unit_expand(&u);
        struct crl_move *m = NULL;
        for (size_t k = 0; k < u.schedule.count && !m; k++)
            if (u.schedule.moves[k].origin != u.schedule.moves[k].src) m = &u.schedule.moves[k];
        assert_non_null(m);
        uint32_t arrival = 0; // of the packet at the node that sends it
        for (size_t k = 0; k < u.schedule.count; k++) {
            const struct crl_move *in = &u.schedule.moves[k];
            if (in->dst == m->src && in->origin == m->origin && in->dest == m->dest)
                arrival = crl_arrival_slot(u.topology, in->slot, in->src, in->dst);
        }
        m->slot = arrival;
        assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
        bool found = false;
        for (size_t k = 0; k < report.count; k++) found |= !strcmp(report.findings[k].kind->id, "same-slot");
        assert_true(found);
        crl_report_done(&report);
        unit_close(&u);
    }
}

// ---------------------------------------------------------------- planners

static void plan_is_good(const char *collective, const char *topology, const char *latency, enum crl_ports ports,
                         bool optimal)
{
    struct unit u;
    struct crl_report report;
    open_problem(&u, collective, topology, latency, ports);
    plan(&u);
    assert_int_equal(unit_check(&u, &report), 0);
    assert_int_equal(report.warnings, 0);
    if (optimal) assert_int_equal(report.slots, report.bound_slots);
    crl_report_done(&report);
    unit_close(&u);
}

static void symmetric_plans_meet_the_bounds(void **state)
{
    static const char *const topologies[] = {"hypercube:3", "hypercube:4", "hypercube:5", "hypercube:6",
                                             "torus:4x4",   "torus:8x8",   "torus:3x5",   "torus:5x5"};
    static const char *const latencies[] = {"2", "3", "5", "10", "50"};
    (void)state;
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (size_t k = 0; k < sizeof latencies / sizeof *latencies; k++) {
            plan_is_good("multinode-broadcast", topologies[i], latencies[k], CRL_PORTS_ALL, true);
            plan_is_good("total-exchange", topologies[i], latencies[k], CRL_PORTS_ALL, true);
        }
    for (size_t i = 4; i < sizeof topologies / sizeof *topologies; i++) {
        plan_is_good("multinode-broadcast", topologies[i], "1,3", CRL_PORTS_ALL, true);
        plan_is_good("total-exchange", topologies[i], "1,3", CRL_PORTS_ALL, true);
    }
    plan_is_good("total-exchange", "hypercube:4", "1,3,1,3", CRL_PORTS_ALL, true);
    plan_is_good("multinode-broadcast", "hypercube:5", "1,2,3,4,5", CRL_PORTS_ALL, true);
}

static void plans_are_valid_everywhere(void **state)
{
    static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather",
                                              "total-exchange"};
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++)
        for (size_t c = 0; c < sizeof collectives / sizeof *collectives; c++)
            for (enum crl_ports ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
                bool rooted = c == 2 || c == 3 || (!c && ports == CRL_PORTS_ALL);
                plan_is_good(collectives[c], networks[i], "4", ports, rooted && ports == CRL_PORTS_SINGLE);
            }
    plan_is_good("total-exchange", "mesh:3x3", "1,3", CRL_PORTS_SINGLE, false);
    plan_is_good("total-exchange", "torus:3x3", "1,3", CRL_PORTS_SINGLE, false);
}

static void other_schemes_are_not_for_slow_links(void **state)
{
    const struct crl_algorithm *algorithm;
    struct unit u;
    (void)state;
    open_problem(&u, "total-exchange", "hypercube:3", "2", CRL_PORTS_ALL);
    assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, "recursive", &u.diag), CRL_ERR_ARGUMENT);
    unit_close(&u);
    open_problem(&u, "total-exchange", "hypercube:3", "1", CRL_PORTS_ALL);
    assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
    assert_string_equal(algorithm->scheme, "recursive");
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_those_that_were_said),
        cmocka_unit_test(a_file_says_the_latency_of_each_link),
        cmocka_unit_test(bounds_without_latency_are_as_ever),
        cmocka_unit_test(bounds_are_those_worked_out_by_hand),
        cmocka_unit_test(a_single_port_broadcast_grows_by_its_latency),
        cmocka_unit_test(a_packet_goes_on_when_it_has_arrived),
        cmocka_unit_test(a_node_may_get_first_what_was_sent_last),
        cmocka_unit_test(single_port_receptions_count_when_they_arrive),
        cmocka_unit_test(the_end_is_that_of_the_last_arrival),
        cmocka_unit_test(packets_under_way_are_not_held),
        cmocka_unit_test(packets_are_held_from_their_arrival_on),
        cmocka_unit_test(a_plan_with_a_hop_too_early_is_found_out),
        cmocka_unit_test(symmetric_plans_meet_the_bounds),
        cmocka_unit_test(plans_are_valid_everywhere),
        cmocka_unit_test(other_schemes_are_not_for_slow_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
