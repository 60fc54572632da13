// SPDX-License-Identifier: Apache-2.0
// All-port total exchange on tori and arrays: valid, at the bound, and what the hardware's model plays.
#include "unit.h"
#include "unit_play.h"

struct expected {
    const char *topology;
    uint32_t slots;
    bool folded;
};

// Not relative are those with one ring of even size above two, the product of the other sizes odd: half of their nodes
// play the mirror image.
static const struct expected tori[] = {
    {"ring:3", 1, true},
    {"ring:4", 2, false},
    {"ring:6", 5, false},
    {"ring:8", 8, false},
    {"ring:9", 10, true},
    {"ring:10", 13, false},
    {"ring:12", 18, false},
    {"ring:32", 128, false},
    {"torus:3x3", 3, true},
    {"torus:4x4", 8, true},
    {"torus:5x5", 15, true},
    {"torus:6x6", 27, true},
    {"torus:7x7", 42, true},
    {"torus:2x3", 3, true},
    {"torus:2x4", 4, true},
    {"torus:2x7", 12, true},
    {"torus:3x4", 6, false},
    {"torus:4x5", 12, false},
    {"torus:3x6", 14, false},
    {"torus:5x6", 23, false},
    {"torus:6x7", 36, false},
    {"torus:7x8", 56, false},
    {"torus:8x3", 24, false},
    {"torus:3x3x3", 9, true},
    {"torus:4x4x4", 32, true},
    {"torus:4x3x2", 12, true},
    {"torus:4x3x3", 18, false},
    {"torus:5x3x6", 68, false},
    {"complete:7", 1, true},
    {"ghc:3x4", 4, true},
    {"ghc:4x4x3", 16, true},
    {"ghc:2x5", 5, true},
    {"torus:2x2x2", 4, true},
    {"torus:8x8", 64, true},
    {"torus:10x9", 113, false},
    {"torus:12x12", 216, true},
    {"ring:4*complete:3", 6, false},
    {"ring:5*complete:4", 12, true},
    {"ring:2*complete:3", 3, true},
};
static const struct expected arrays[] = {
    {"path:3", 2, false},
    {"path:6", 9, false},
    {"path:7", 12, false},
    {"mesh:3x3", 6, false},
    {"mesh:4x4", 16, false},
    {"mesh:5x5", 30, false},
    {"mesh:6x6", 54, false},
    {"mesh:7x7", 84, false},
    {"mesh:8x8", 128, false},
    {"mesh:2x3", 4, false},
    {"mesh:2x5", 12, false},
    {"mesh:2x8", 32, false},
    {"mesh:3x4", 12, false},
    {"mesh:3x8", 48, false},
    {"mesh:5x7", 60, false},
    {"mesh:7x8", 112, false},
    {"mesh:9x9", 180, false},
    {"mesh:3x3x3", 18, false},
    {"mesh:4x4x4", 64, false},
    {"mesh:2x3x4", 24, false},
    {"ring:4*path:3", 8, false},
    {"path:3*ring:6", 14, false},
    {"ring:4*ring:6*path:3", 54, false},
    {"path:5*complete:4", 24, false},
    {"mesh:3x3x3x3", 54, false},
};
enum { TORI = sizeof tori / sizeof *tori, ARRAYS = sizeof arrays / sizeof *arrays };

static void open_named(struct unit *u, const char *topology, const char *scheme)
{
    const struct crl_algorithm *algorithm;
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, topology, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, "total-exchange", u->topology, 0, CRL_PORTS_ALL, &u->diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0); // the default
    assert_string_equal(algorithm->scheme, scheme);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
}

// Checks u's schedule, which must meet the bounds; returns the packets to hold.
static uint64_t assert_best(struct unit *u)
{
    struct crl_report report;
    const char *name = crl_topology_name(u->topology);
    if (unit_check(u, &report)) fail_msg("%s: %s", name, report.count ? report.findings[0].text : "breaks a rule");
    if (report.count) fail_msg("%s: %s", name, report.findings[0].text);
    if (report.slots != report.bound_slots)
        fail_msg("%s: %d slots of %d", name, (int)report.slots, (int)report.bound_slots);
    assert_int_equal(report.transmissions, report.bound_transmissions);
    crl_report_done(&report);
    return report.buffer_packets;
}

static uint64_t assert_as_expected(struct unit *u, struct expected expected, const char *scheme)
{
    open_named(u, expected.topology, scheme);
    assert_int_equal(crl_schedule_slots(&u->schedule), expected.slots);
    assert_int_equal(u->schedule.folded, expected.folded);
    return assert_best(u);
}

static void tori_are_served_at_the_bound_in_either_form(void **state)
{
    (void)state;
    for (int i = 0; i < TORI; i++) {
        struct unit u;
        uint64_t held = assert_as_expected(&u, tori[i], "matching");
        if (tori[i].folded) {
            unit_expand(&u);
            assert_int_equal(assert_best(&u), held);
            assert_true(crl_schedule_fold(&u.schedule));
        }
        unit_close(&u);
    }
}

static void arrays_are_served_at_the_bound(void **state)
{
    (void)state;
    for (int i = 0; i < ARRAYS; i++) {
        struct unit u;
        assert_as_expected(&u, arrays[i], "greedy");
        unit_close(&u);
    }
}

static void large_tori_are_planned_for_one_node(void **state)
{
    (void)state;
    static const struct expected large[] = {
        {"torus:8x8x8", 512, true}, {"torus:32x32", 4096, true}, {"torus:4x4x4x4x4", 512, true}};
    for (int i = 0; i < 3; i++) {
        struct unit u;
        assert_as_expected(&u, large[i], "matching");
        assert_true(u.schedule.count < 20000);
        unit_close(&u);
    }
}

static void plans_are_the_same_every_time(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:4x5", "torus:4x4", "mesh:3x4"};
    for (int i = 0; i < 3; i++) {
        struct unit a, b;
        const char *scheme = *topologies[i] == 't' ? "matching" : "greedy";
        open_named(&a, topologies[i], scheme);
        open_named(&b, topologies[i], scheme);
        unit_assert_same(&a.schedule, &b.schedule);
        unit_close(&a);
        unit_close(&b);
    }
}

static void what_would_not_fit_is_refused(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:1024x1024", "torus:301x300", "mesh:80x90"};
    for (int i = 0; i < 3; i++) {
        struct unit u;
        const struct crl_algorithm *algorithm;
        memset(&u, 0, sizeof u);
        assert_int_equal(crl_topology_parse(&u.topology, topologies[i], &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, "total-exchange", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
        assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
        assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), CRL_ERR_LIMIT);
        assert_non_null(strstr(u.diag.text, topologies[i]));
        unit_close(&u);
    }
}

// ---- tables and model

static void tables_hold_the_schedule_and_play_it(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:3x3", "torus:4x4", "torus:4x3x2",  "torus:3x4",
                                             "mesh:3x3",  "mesh:2x5",  "ring:4*path:3"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        struct unit u;
        open_named(&u, topologies[i], strstr(topologies[i], "torus") ? "matching" : "greedy");
        uint32_t ports = crl_topology_ports(u.topology);
        for (uint32_t lanes = 1; lanes <= ports; lanes++) {
            struct crl_image image;
            struct crl_lower_options options = {lanes, 0, 1 + lanes % 2, 32, 0, 0};
            if (crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag))
                fail_msg("%s: %s", topologies[i], u.diag.text);
            unit_assert_raises(&u, &image);
            unit_assert_plays(&u, &image);
            crl_image_done(&image);
        }
        unit_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tori_are_served_at_the_bound_in_either_form),
        cmocka_unit_test(arrays_are_served_at_the_bound),
        cmocka_unit_test(large_tori_are_planned_for_one_node),
        cmocka_unit_test(plans_are_the_same_every_time),
        cmocka_unit_test(what_would_not_fit_is_refused),
        cmocka_unit_test(tables_hold_the_schedule_and_play_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
