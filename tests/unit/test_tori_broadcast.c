// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on tori, their relatives, and arrays. tests/long/tori_broadcast does many more networks.
#include "base/matching.h"
#include "unit.h"
#include "unit_play.h"

static void open_on(struct unit *u, const char *spec, const char *scheme)
{
    const struct crl_algorithm *algorithm;
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, spec, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, "multinode-broadcast", u->topology, 0, CRL_PORTS_ALL, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, CRL_NAMING_ORIGIN, false);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, scheme, &u->diag), 0);
    if (scheme) assert_string_equal(algorithm->scheme, scheme);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
}

// Checks u's schedule; returns how many slots it takes beyond the bound.
static uint64_t assert_clean(struct unit *u)
{
    struct crl_report report;
    assert_int_equal(unit_check(u, &report), 0);
    assert_int_equal(report.count, 0); // no warnings either
    assert_int_equal(report.transmissions, report.bound_transmissions);
    uint64_t beyond = report.slots - report.bound_slots;
    crl_report_done(&report);
    return beyond;
}

static void trees_meet_the_bound_where_there_are_translations(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:2x2",
                                        "torus:3x3",
                                        "torus:4x4",
                                        "torus:5x5",
                                        "torus:6x6",
                                        "torus:7x7",
                                        "torus:8x8",
                                        "torus:2x3",
                                        "torus:2x8",
                                        "torus:3x4",
                                        "torus:3x8",
                                        "torus:5x7",
                                        "torus:7x8",
                                        "torus:16x16",
                                        "ring:3",
                                        "ring:10",
                                        "torus:3x60",
                                        "torus:3x3x3",
                                        "torus:4x4x4",
                                        "torus:4x3x2",
                                        "torus:2x2x5",
                                        "complete:2",
                                        "complete:7",
                                        "complete:33",
                                        "ghc:3x4",
                                        "ghc:3x3x3",
                                        "ghc:16x16",
                                        "ring:5*hypercube:3",
                                        "ring:4*complete:5*ring:2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct unit u;
        open_on(&u, specs[i], "slotwise");
        assert_true(u.schedule.folded);
        if (assert_clean(&u)) fail_msg("%s misses its bound", specs[i]);
        unit_close(&u);
    }
}

// No two packets that came over the same port leave in the same slot, so that the router needs no write crossbar.
static void trees_need_no_write_crossbar(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:3x3", "torus:4x4", "torus:9x9", "torus:3x3x3", "torus:2x8", "ghc:3x4"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct unit u;
        struct crl_image image;
        struct crl_lower_options options = {0, 0, 1, 32, 0, 0};
        open_on(&u, specs[i], "slotwise");
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "slotwise", &options, &u.diag), 0);
        assert_int_equal(image.geometry.write_xbar, 0);
        crl_image_done(&image);
        unit_close(&u);
    }
}

// All nodes of a slot are rotations of each other about node 0.
static void assert_rotations(const struct crl_schedule *s, uint32_t p)
{
    uint32_t slots = crl_schedule_slots(s);
    int64_t x[1000] = {0}, y[1000] = {0};
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        uint32_t node = crl_topology_unshift(s->topology, m->dst, m->origin); // where the packet of node 0 goes
        if (m->slot == slots && p % 2 == 0) continue;
        int64_t here_x = node % p, here_y = node / p;
        bool one_of_four = !x[m->slot] && !y[m->slot];
        for (int turn = 0; turn < 4; turn++) {
            one_of_four |= x[m->slot] == here_x && y[m->slot] == here_y;
            int64_t old_x = here_x;
            here_x = (p - here_y) % p;
            here_y = old_x;
        }
        assert_true(one_of_four);
        x[m->slot] = here_x;
        y[m->slot] = here_y;
    }
}

static void orbits_meet_the_bound_on_square_tori(void **state)
{
    (void)state;
    for (uint32_t p = 3; p <= 32; p++) {
        struct unit u;
        char spec[32];
        snprintf(spec, sizeof spec, "torus:%ux%u", p, p);
        open_on(&u, spec, "orbit");
        assert_int_equal(assert_clean(&u), 0);
        assert_int_equal(crl_schedule_slots(&u.schedule), p * p / 4); // = (N − 1)/4 if p is odd
        assert_rotations(&u.schedule, p);
        unit_close(&u);
    }
}

static void relative_and_expanded_schedules_are_judged_alike(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:3x3", "torus:4x4", "torus:4x3x2", "torus:7x8", "ring:6", "ghc:3x4"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct unit u;
        open_on(&u, specs[i], "slotwise");
        assert_int_equal(assert_clean(&u), 0);
        unit_expand(&u);
        assert_int_equal(assert_clean(&u), 0);
        unit_close(&u);
    }
}

static void square_arrays_are_served_in_half_as_many_slots_as_nodes(void **state)
{
    (void)state;
    static const char *const schemes[] = {"slotwise", "fold"};
    for (int k = 0; k < 2; k++)
        for (uint32_t p = 3; p <= 8; p++) {
            struct unit u;
            char spec[32];
            snprintf(spec, sizeof spec, "mesh:%ux%u", p, p);
            open_on(&u, spec, schemes[k]);
            assert_int_equal(assert_clean(&u), 0);
            assert_int_equal(crl_schedule_slots(&u.schedule), p * p / 2);
            unit_close(&u);
        }
}

// The ring's hops, folded, never meet: the checker finds no two packets on a link.
static void paths_play_rings_of_up_to_64_nodes(void **state)
{
    (void)state;
    for (uint32_t p = 3; p <= 64; p++) {
        struct unit u;
        char spec[32];
        snprintf(spec, sizeof spec, "path:%u", p);
        open_on(&u, spec, "fold");
        assert_int_equal(assert_clean(&u), 0);
        assert_int_equal(crl_schedule_slots(&u.schedule), p - 1);
        unit_close(&u);
    }
}

static void arrays_meet_the_bound_by_search_and_come_near_it_by_folding(void **state)
{
    (void)state;
    static const char *const specs[] = {"path:3",
                                        "path:8",
                                        "mesh:3x4",
                                        "mesh:3x8",
                                        "mesh:5x6",
                                        "mesh:7x8",
                                        "mesh:3x3x3",
                                        "mesh:3x4x5",
                                        "path:3*ring:4",
                                        "mesh:2x5",
                                        "mesh:2x12",
                                        "mesh:2x2x3",
                                        "ring:5*path:3*complete:4"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct unit u;
        open_on(&u, specs[i], "slotwise");
        assert_int_equal(assert_clean(&u), 0);
        unit_close(&u);
        open_on(&u, specs[i], "fold"); // twice the torus at most; links of other factors idle half the time
        if (assert_clean(&u) > 2 && !strchr(specs[i], '*') && strncmp(specs[i], "mesh:2x", 7)) fail_msg("%s", specs[i]);
        unit_close(&u);
    }
}

static void plans_are_the_same_every_time(void **state)
{
    (void)state;
    static const char *const plans[][2] = {{"torus:4x5", "slotwise"}, {"mesh:4x3", "slotwise"}, {"mesh:4x4", "fold"}};
    for (int i = 0; i < 3; i++) {
        struct unit a, b;
        open_on(&a, plans[i][0], plans[i][1]);
        open_on(&b, plans[i][0], plans[i][1]);
        unit_assert_same(&a.schedule, &b.schedule);
        unit_close(&a);
        unit_close(&b);
    }
}

static void defaults_are_the_schemes_that_meet_the_bound(void **state)
{
    (void)state;
    static const char *const defaults[][2] = {{"torus:4x4", "slotwise"},
                                              {"ring:5", "slotwise"},
                                              {"mesh:4x4", "slotwise"},
                                              {"path:3*ring:3", "slotwise"},
                                              {"hypercube:4", "rotation"}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        struct unit u;
        const struct crl_algorithm *algorithm;
        open_on(&u, defaults[i][0], NULL);
        assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
        assert_string_equal(algorithm->scheme, defaults[i][1]);
        unit_close(&u);
    }
}

// ---- down to the tables

static void tables_play_the_schedule_at_every_number_of_lanes(void **state)
{
    (void)state;
    static const char *const plans[][2] = {
        {"torus:3x3", "slotwise"},   {"torus:3x3", "orbit"},  {"torus:4x4", "slotwise"}, {"torus:4x4", "orbit"},
        {"torus:4x3x2", "slotwise"}, {"ghc:3x4", "slotwise"}, {"mesh:3x3", "slotwise"},  {"mesh:3x3", "fold"},
        {"mesh:2x5", "slotwise"},    {"mesh:2x5", "fold"},    {"path:4", "slotwise"},    {"path:3*ring:4", "fold"}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct unit u;
        open_on(&u, plans[i][0], plans[i][1]);
        for (uint32_t lanes = 1; lanes <= crl_topology_ports(u.topology); lanes++)
            for (uint32_t words = 1; words <= 3; words += 2) {
                struct crl_image image;
                struct crl_lower_options options = {lanes, 0, words, 32, 0, 0};
                assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, plans[i][1], &options, &u.diag), 0);
                unit_assert_raises(&u, &image);
                unit_assert_plays(&u, &image);
                crl_image_done(&image);
            }
        unit_close(&u);
    }
}

// Of rows from `row` on, if the columns of `used` are taken: by trying everything.
static int64_t most_worth(const struct crl_matching *m, uint32_t row, uint32_t used)
{
    if (row == m->rows) return 0;
    int64_t best = most_worth(m, row + 1, used); // without a column
    for (uint32_t i = 0; i < m->row[row].count; i++) {
        uint32_t column = m->row[row].edge[i].column;
        if (used >> column & 1) continue;
        int64_t worth = m->row[row].edge[i].worth + most_worth(m, row + 1, used | UINT32_C(1) << column);
        if (worth > best) best = worth;
    }
    return best;
}

static void matchings_are_worth_most(void **state)
{
    (void)state;
    static struct crl_matching m;
    uint64_t random = 1;
    for (uint32_t round = 0; round < 3000; round++) {
        m.rows = 1 + unit_below(&random, 5);
        m.columns = 1 + unit_below(&random, 8);
        for (uint32_t r = 0; r < m.rows; r++) {
            struct crl_matching_row *row = &m.row[r];
            row->count = 0;
            for (uint32_t c = 0; c < m.columns; c++) {
                if (unit_below(&random, 3) == 0) continue;
                row->edge[row->count].column = c; // few values, so that there are ties
                row->edge[row->count++].worth = 1 + unit_below(&random, round % 2 ? 4 : 1000);
            }
        }
        crl_match(&m);
        int64_t sum = 0;
        uint32_t used = 0;
        for (uint32_t r = 0; r < m.rows; r++) {
            if (m.column_of[r] == CRL_NONE) continue;
            uint32_t i = 0;
            while (i < m.row[r].count && m.row[r].edge[i].column != m.column_of[r]) i++;
            assert_true(i < m.row[r].count);
            assert_false(used >> m.column_of[r] & 1);
            used |= UINT32_C(1) << m.column_of[r];
            sum += m.row[r].edge[i].worth;
        }
        assert_int_equal(sum, most_worth(&m, 0, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matchings_are_worth_most),
        cmocka_unit_test(trees_meet_the_bound_where_there_are_translations),
        cmocka_unit_test(trees_need_no_write_crossbar),
        cmocka_unit_test(orbits_meet_the_bound_on_square_tori),
        cmocka_unit_test(relative_and_expanded_schedules_are_judged_alike),
        cmocka_unit_test(square_arrays_are_served_in_half_as_many_slots_as_nodes),
        cmocka_unit_test(paths_play_rings_of_up_to_64_nodes),
        cmocka_unit_test(arrays_meet_the_bound_by_search_and_come_near_it_by_folding),
        cmocka_unit_test(plans_are_the_same_every_time),
        cmocka_unit_test(defaults_are_the_schemes_that_meet_the_bound),
        cmocka_unit_test(tables_play_the_schedule_at_every_number_of_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
