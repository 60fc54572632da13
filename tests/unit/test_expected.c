// SPDX-License-Identifier: Apache-2.0
// The player of a schedule's own trace: its words one by one, its share of a run, and its end.
#include "unit.h"
#include "unit_play.h"
#include "base/parallel.h"

enum { SEED = 8 };

static int agree(void *user, uint32_t *bits)
{
    (void)user;
    (void)bits;
    return 0;
}

static void all_nodes_of_a_share_and_no_others_send(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < UNIT_SCHEMES * 2; round++)
        for (uint32_t ranks = 1; ranks <= 3; ranks++)
            for (uint32_t rank = 0; rank < ranks; rank++) {
                struct carillon_share share = {.rank = rank, .ranks = ranks, .agree = agree};
                struct crl_context context = {.share = &share};
                struct crl_geometry geometry = {.ports = 3, .lanes = 1 + round % 3, .words = 2, .data_width = 32};
                struct crl_expected *expected[2];
                struct unit u;
                unit_plan(&u, unit_schemes[round % UNIT_SCHEMES], 3, 5);
                if (round / UNIT_SCHEMES) unit_expand(&u);
                struct crl_problem part = u.problem;
                part.context = &context;
                for (int i = 0; i < 2; i++)
                    assert_int_equal(
                        crl_expected_new(&expected[i], &u.schedule, i ? &part : &u.problem, &geometry, SEED, NULL), 0);
                struct crl_player all = crl_expected_player(expected[0]), own = crl_expected_player(expected[1]);
                uint32_t first = (uint32_t)crl_share_first(8, rank, ranks),
                         end = (uint32_t)crl_share_first(8, rank + 1, ranks);
                for (int ended = 0; !ended;) {
                    const uint32_t *valid[2];
                    const uint64_t *data[2];
                    ended = all.step(all.self, &valid[0], &data[0]);
                    assert_int_equal(own.step(own.self, &valid[1], &data[1]), ended);
                    for (uint32_t v = 0; v < 8; v++) {
                        assert_int_equal(valid[1][v], v >= first && v < end ? valid[0][v] : 0);
                        for (uint32_t p = 0; p < 3; p++)
                            if (valid[1][v] >> p & 1) assert_true(data[0][v * 3 + p] == data[1][v * 3 + p]);
                    }
                }
                for (int i = 0; i < 2; i++) crl_expected_free(expected[i]);
                unit_close(&u);
            }
}

static void after_the_last_cycle_nothing_is_played(void **state)
{
    (void)state;
    for (uint32_t words = 1; words <= 3; words++)
        for (uint32_t streams = 0; streams <= 1; streams++) {
            struct crl_geometry geometry = {
                .ports = 3, .lanes = 3, .words = streams ? 1 : words, .streams = streams, .data_width = 32};
            struct crl_expected *expected;
            const uint32_t *valid;
            const uint64_t *data;
            struct unit u;
            unit_plan(&u, unit_schemes[1], 3, 0);
            assert_int_equal(crl_expected_new(&expected, &u.schedule, &u.problem, &geometry, SEED, NULL), 0);
            uint32_t slots = crl_schedule_slots(&u.schedule), steps = 0;
            if (streams) crl_expected_repeat(expected, words, slots + 2);
            struct crl_player player = crl_expected_player(expected);
            while (!player.step(player.self, &valid, &data)) steps++;
            assert_int_equal(++steps, streams ? words * (slots + 2) - 1 : words * (slots + 1));
            uint64_t last[8 * 3];
            memcpy(last, data, sizeof last);
            for (int more = 0; more < 4; more++) {
                assert_int_equal(player.step(player.self, &valid, &data), 1);
                assert_memory_equal(data, last, sizeof last);
            }
            crl_expected_free(expected);
            unit_close(&u);
        }
}

static void a_round_of_nothing_takes_a_row(void **state)
{
    (void)state;
    for (uint32_t streams = 0; streams <= 1; streams++) {
        struct crl_geometry geometry = {.ports = 3, .lanes = 3, .words = 1, .streams = streams, .data_width = 32};
        struct crl_expected *expected;
        const uint32_t *valid;
        const uint64_t *data;
        struct unit u;
        uint32_t steps = 1;
        unit_open(&u, "multinode-broadcast", 3, 0, CRL_PORTS_ALL);
        assert_int_equal(crl_schedule_sort(&u.schedule), 0);
        assert_int_equal(crl_expected_new(&expected, &u.schedule, &u.problem, &geometry, SEED, NULL), 0);
        struct crl_player player = crl_expected_player(expected);
        while (!player.step(player.self, &valid, &data)) steps++;
        assert_int_equal(steps, 1 + streams);
        crl_expected_free(expected);
        unit_close(&u);
    }
}

// Single-port a slot is a cycle, whatever the ports of the lanes.
static void sums_of_single_port_nodes_leave_on_any_port(void **state)
{
    (void)state;
    static const char *const collectives[] = {"reduce", "reduce-scatter", "scan"};
    for (uint32_t lanes = 1; lanes <= 3; lanes++)
        for (int k = 0; k < 3; k++) {
            const struct crl_algorithm *algorithm;
            struct crl_lower_options options = {lanes, 0, 1, 32, 0, 0};
            struct crl_image image;
            struct unit u;
            unit_open(&u, collectives[k], 3, 0, CRL_PORTS_SINGLE);
            assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
            assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
            if (crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag)) fail_msg("%s", u.diag.text);
            unit_assert_raises(&u, &image);
            unit_assert_plays(&u, &image);
            crl_image_done(&image);
            unit_close(&u);
        }
}

// More transmissions than are written down, of which one node of very many plays its share.
static void a_round_too_long_to_write_down_has_all_its_words(void **state)
{
    (void)state;
    enum { D = 16, ROWS = 160, WORDS = 3, NODE = 1234 };
    struct carillon_share share = {.rank = NODE, .ranks = 1 << D, .agree = agree};
    struct crl_context context = {.share = &share};
    struct crl_geometry geometry = {.ports = D, .lanes = D, .words = WORDS, .data_width = 64};
    struct crl_expected *expected;
    struct unit u;
    unit_open(&u, "multinode-broadcast", D, 0, CRL_PORTS_ALL);
    u.schedule.folded = true;
    u.problem.context = &context;
    for (uint32_t i = 0; i < ROWS; i++) unit_add(&u, 1 + i / D, 0, 1u << i % D, 3 * i, 0);
    assert_int_equal(crl_schedule_sort(&u.schedule), 0);
    assert_true(crl_schedule_transmissions(&u.schedule) > 1 << 23);
    assert_int_equal(crl_expected_new(&expected, &u.schedule, &u.problem, &geometry, SEED, NULL), 0);
    struct crl_player player = crl_expected_player(expected);
    for (uint32_t step = 0; step < WORDS * (ROWS / D + 1); step++) {
        const uint32_t *valid;
        const uint64_t *data;
        uint32_t slot = step % (ROWS / D + 1), word = step / (ROWS / D + 1);
        player.step(player.self, &valid, &data);
        assert_int_equal(valid[NODE], slot < ROWS / D ? (1u << D) - 1 : 0);
        for (uint32_t p = 0; p < D && slot < ROWS / D; p++)
            assert_true(data[NODE * D + p] ==
                        crl_payload(&u.problem, NODE ^ 3 * (slot * D + p), 0, word, &geometry, SEED));
    }
    crl_expected_free(expected);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_nodes_of_a_share_and_no_others_send),
        cmocka_unit_test(after_the_last_cycle_nothing_is_played),
        cmocka_unit_test(a_round_of_nothing_takes_a_row),
        cmocka_unit_test(sums_of_single_port_nodes_leave_on_any_port),
        cmocka_unit_test(a_round_too_long_to_write_down_has_all_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
