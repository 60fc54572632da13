// SPDX-License-Identifier: Apache-2.0
// Total exchange for nodes of one memory: one injection and one ejection a slot, no waiting, as few slots as can be.
#include "unit.h"
#include "unit_play.h"
#include <stdlib.h>
#include <string.h>

static void open_one_bank(struct unit *u, const char *topology)
{
    const struct crl_algorithm *algorithm;
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, topology, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, "total-exchange", u->topology, 0, CRL_PORTS_ALL, &u->diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, "one-bank", &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    assert_int_equal(u->schedule.folded, crl_topology_is_symmetric(u->topology));
}

// Slot in which each packet leaves each node, [origin][dest][src]; 0: never.
static uint32_t *departures(const struct crl_schedule *full, size_t n)
{
    uint32_t *slot = calloc(n * n * n, sizeof *slot);
    for (size_t i = 0; i < full->count; i++) {
        const struct crl_move *m = &full->moves[i];
        slot[(m->origin * n + m->dest) * n + m->src] = m->slot;
    }
    return slot;
}

// Counts what breaks the rules of one-bank nodes, at every node and for every packet of the expanded schedule.
static unsigned broken(struct unit *u)
{
    struct crl_schedule full;
    unsigned count = 0;
    assert_int_equal(crl_schedule_expand(&full, &u->schedule, &u->diag), 0);
    size_t slots = crl_schedule_slots(&full), n = crl_topology_nodes(u->topology);
    uint32_t *starts = calloc((slots + 1) * n, 4), *stops = calloc((slots + 1) * n, 4), *leaves = departures(&full, n);
    for (size_t i = 0; i < full.count; i++) {
        const struct crl_move *m = &full.moves[i];
        if (m->src == m->origin) count += starts[m->slot * n + m->src]++ > 0;
        if (m->dst == m->dest) count += stops[m->slot * n + m->dst]++ > 0;
        else count += leaves[(m->origin * n + m->dest) * n + m->dst] != m->slot + 1;
    }
    free(starts);
    free(stops);
    free(leaves);
    crl_schedule_done(&full);
    return count;
}

static void nodes_start_one_take_one_and_none_waits(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:3x3", "torus:4x4", "torus:5x3",   "hypercube:4",
                                             "ghc:3x4",   "ring:7",    "torus:4x3x2", "mesh:3x3",
                                             "mesh:4x4",  "mesh:2x5",  "path:5",      "ring:4*path:3"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        struct unit u;
        struct crl_report report;
        open_one_bank(&u, topologies[i]);
        assert_int_equal(crl_check(&report, &u.schedule, &u.problem, &u.diag), 0);
        assert_int_equal(report.warnings, 0);
        assert_int_equal(report.transmissions, report.bound_transmissions);
        assert_int_equal(broken(&u), 0);
        crl_report_done(&report);
        unit_close(&u);
    }
}

static void a_packet_that_waits_is_noticed(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:4x4", "mesh:3x3"};
    for (size_t k = 0; k < 2; k++) {
        struct unit u;
        open_one_bank(&u, topologies[k]);
        for (size_t i = 0; i < u.schedule.count; i++)
            if (u.schedule.moves[i].origin != u.schedule.moves[i].src && broken(&u) == 0)
                u.schedule.moves[i].slot += 100;
        assert_int_not_equal(broken(&u), 0);
        unit_close(&u);
    }
}

// No more than one slot off what is proved, and not below it.
static void small_arrays_nearly_meet_the_bound(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        uint64_t bound;
    } cases[] = {{"mesh:3x3", 9}, {"mesh:4x4", 17}, {"mesh:2x5", 12}, {"path:5", 6}, {"torus:4x4", 17}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unit u;
        open_one_bank(&u, cases[i].topology);
        assert_int_equal(crl_problem_bound_one_bank(&u.problem), cases[i].bound);
        assert_in_range(crl_schedule_slots(&u.schedule), cases[i].bound, cases[i].bound + 1);
        unit_close(&u);
    }
}

// The published tables of S4NOC, the state of the art for such a router, take 10, 19, 27, 42, 58, 87, 113 and 157
// slots.
static void square_tori_take_fewer_slots_than_s4noc(void **state)
{
    (void)state;
    static const uint32_t s4noc[] = {10, 19, 27, 42, 58, 87, 113, 157}, bound[] = {9, 17, 26, 38};
    for (uint32_t n = 3; n <= 10; n++) {
        struct unit u;
        char name[32];
        snprintf(name, sizeof name, "torus:%ux%u", n, n);
        open_one_bank(&u, name);
        assert_true(crl_schedule_slots(&u.schedule) < s4noc[n - 3]);
        if (n <= 6) assert_int_equal(crl_schedule_slots(&u.schedule), bound[n - 3]);
        unit_close(&u);
    }
}

// Steps of slots double until a packing is found, and then halve: 559 slots when they grew one by one.
static void large_tori_are_packed_as_densely(void **state)
{
    (void)state;
    struct unit u;
    open_one_bank(&u, "torus:16x16");
    assert_in_range(crl_schedule_slots(&u.schedule), 512, 558);
    unit_close(&u);
}

static void it_needs_neither_crossbar_nor_delay(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    struct crl_lower_options options = {.words = 1, .data_width = 32};
    open_one_bank(&u, "torus:4x4");
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "one-bank", &options, &u.diag), 0);
    assert_int_equal(image.geometry.write_xbar + image.geometry.delay, 0);
    unit_assert_raises(&u, &image);
    unit_assert_plays(&u, &image);
    crl_image_done(&image);
    unit_close(&u);
}

static const struct crl_lower_options one_bank = {.banks = 1, .words = 1, .data_width = 32};

static void a_router_of_one_bank_plays_it(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:3x3", "torus:4x4", "torus:5x3", "hypercube:4", "ghc:3x4",
                                             "ring:7",    "mesh:3x3",  "mesh:4x4",  "mesh:2x5"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        struct unit u;
        struct crl_image image;
        open_one_bank(&u, topologies[i]);
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "one-bank", &one_bank, &u.diag), 0);
        assert_int_equal(image.geometry.banks, 1);
        assert_int_equal(image.geometry.lanes, crl_topology_ports(u.topology));
        unit_assert_raises(&u, &image);
        unit_assert_plays(&u, &image);
        crl_image_done(&image);
        unit_close(&u);
    }
}

// Lowers what other schemes plan to fewer banks than lanes; returns the error.
static int lower_to(uint32_t banks, const char *collective, const char *scheme, const char *topology)
{
    struct unit u = {0};
    struct crl_image image;
    const struct crl_algorithm *algorithm;
    struct crl_lower_options options = {.banks = banks, .words = 1, .data_width = 32};
    assert_int_equal(crl_topology_parse(&u.topology, topology, &u.diag), 0);
    assert_int_equal(crl_problem_init(&u.problem, collective, u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, scheme, &u.diag), 0);
    assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
    int error = crl_lower(&image, &u.schedule, &u.problem, algorithm->scheme, &options, &u.diag);
    if (!error) {
        unit_assert_raises(&u, &image);
        unit_assert_plays(&u, &image);
        crl_image_done(&image);
    } else {
        assert_non_null(strstr(u.diag.text, "--scheme one-bank"));
    }
    unit_close(&u);
    return error;
}

static void other_schedules_fit_or_are_refused(void **state)
{
    (void)state;
    // All neighbours of the origin get the packet at once, which is one read; nobody waits in a ring.
    assert_int_equal(lower_to(1, "broadcast", NULL, "ring:7"), 0);
    assert_int_equal(lower_to(1, "total-exchange", NULL, "hypercube:4"), CRL_ERR_UNSUPPORTED);
    assert_int_equal(lower_to(1, "total-exchange", "nowait", "hypercube:4"), CRL_ERR_UNSUPPORTED);
    assert_int_equal(lower_to(3, "total-exchange", "one-bank", "hypercube:4"), 0);
    assert_int_equal(lower_to(1, "scatter", NULL, "torus:4x4"), CRL_ERR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_start_one_take_one_and_none_waits),
        cmocka_unit_test(a_packet_that_waits_is_noticed),
        cmocka_unit_test(small_arrays_nearly_meet_the_bound),
        cmocka_unit_test(square_tori_take_fewer_slots_than_s4noc),
        cmocka_unit_test(large_tori_are_packed_as_densely),
        cmocka_unit_test(it_needs_neither_crossbar_nor_delay),
        cmocka_unit_test(a_router_of_one_bank_plays_it),
        cmocka_unit_test(other_schedules_fit_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
