// SPDX-License-Identifier: Apache-2.0
// Queue control: tables of the schemes, and the model by cases worked by hand.
#include "unit.h"
#include "unit_queue.h"

// ---- tables

static void every_scheme_hands_each_node_each_packet_once(void **state)
{
    (void)state;
    size_t count;
    const struct crl_scheme *table = crl_scheme_table(&count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t d = table[i].dimensions_min; d <= 7 && d <= table[i].dimensions_max; d++)
            for (int blocking = 0; blocking <= table[i].blocking; blocking++) {
                struct crl_queue_tables tables = tables_of(table[i].name, d, blocking);
                assert_int_equal(tables.blocking, blocking);
                assert_int_equal(crl_queue_check(&tables, NULL, NULL), 0);
                crl_queue_tables_done(&tables);
            }
}

static void limits_are_those_of_the_paper(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 8; d++) {
        double n = 1u << d;
        assert_limit("naive", d, d == 1 ? 1 : 2.0 / d * (1 - 1 / n));                      // S93 Sec. IV-A
        assert_limit("direct", d, 1);                                                      // Sec. IV-C
        assert_limit("periodic", d, 1);                                                    // Sec. IV-B
        assert_limit("indirect", d, 2.0 / 3 * (1 - 1 / n));                                // (13)
        if (d > 1) assert_limit("indirect-nonidling", d, 2.0 / 3 * (1 - 1 / (3 * n - 2))); // (20)
    }
}

static void balanced_trees_pass_two_thirds(void **state)
{
    (void)state;
    assert_limit("balanced", 4, 0.75); // 15/(4·5) from the largest subtree; 15/16 · 4/5 from the root
    struct crl_queue_tables tables = tables_of("balanced", 5, false);
    double limit;
    assert_int_equal(crl_queue_check(&tables, &limit, NULL), 0);
    assert_true(limit > 0.70);
    crl_queue_tables_done(&tables);
}

static void a_damaged_table_is_found_out(void **state)
{
    (void)state;
    struct crl_queue_tables tables = tables_of("direct", 3, false);
    struct crl_diag diag;
    crl_queue_forward(&tables, 0, 0)[0].ports ^= 4; // one branch too few
    assert_int_equal(crl_queue_check(&tables, NULL, &diag), CRL_ERR_RULE);
    assert_non_null(strstr(diag.text, "never"));
    crl_queue_forward(&tables, 0, 0)[0].ports ^= 4;
    crl_queue_forward(&tables, 0, 1)[0].ports |= 4; // one too many
    assert_int_equal(crl_queue_check(&tables, NULL, &diag), CRL_ERR_RULE);
    crl_queue_tables_done(&tables);
}

// ---- the model

static void a_lone_packet_crosses_one_dimension_a_slot(void **state)
{
    (void)state;
    struct bench b = bench_new("direct", 3, false, 0);
    bench_own(&b, 0, crl_packet_word(1, 0, 0, 0)); // crosses 1, 2, 0
    assert_string_equal(bench_step(&b), "");       // generated in slot 1, sent from slot 2 on
    assert_string_equal(bench_step(&b), "0:0 0:1 0:2");
    assert_string_equal(bench_step(&b), "2:0 2:2 4:0");
    assert_string_equal(bench_step(&b), "6:0");
    assert_string_equal(bench_step(&b), "");
    bench_done(&b);
}

static void arrivals_join_highest_port_first_and_own_last(void **state)
{
    (void)state;
    struct bench b = bench_new("direct", 3, false, 0);
    // In slot 2 packets from 1 (by port 0) and 2 (by port 1) come to node 0, both to go on by port 2; own in slot 2.
    bench_own(&b, 1, crl_packet_word(0, 0, 1, 0));
    bench_own(&b, 2, crl_packet_word(1, 0, 2, 0));
    bench_step(&b);
    bench_own(&b, 0, crl_packet_word(0, 0, 0, 0));
    bench_step(&b);
    uint32_t origins[3];
    for (int i = 0; i < 3; i++) {
        bench_step(&b);
        assert_true(b.traffic.sent[0] >> 2 & 1);
        origins[i] = crl_packet_origin(b.traffic.word[2]);
    }
    assert_int_equal(origins[0], 2);
    assert_int_equal(origins[1], 1);
    assert_int_equal(origins[2], 0);
    bench_done(&b);
}

static void a_packet_is_stored_once_and_counts_in_the_slot_it_leaves(void **state)
{
    (void)state;
    struct bench b = bench_new("direct", 3, false, 0);
    bench_own(&b, 0, crl_packet_word(0, 0, 0, 0));
    bench_step(&b);
    assert_int_equal(b.traffic.stored[0], 0);
    bench_step(&b);
    assert_int_equal(b.traffic.stored[0], 1); // waits for three ports
    bench_step(&b);
    assert_int_equal(b.traffic.stored[0], 0);
    bench_done(&b);
}

static void a_full_store_drops_what_comes_last(void **state)
{
    (void)state;
    struct bench b = bench_new("direct", 3, false, 2);
    for (uint32_t i = 0; i < 3; i++) bench_own(&b, 0, crl_packet_word(0, 0, 0, i));
    bench_step(&b);
    assert_int_equal(b.traffic.dropped, 1);
    // The entry that leaves in slot 2 is free from slot 3 on.
    bench_own(&b, 0, crl_packet_word(0, 0, 0, 3));
    bench_step(&b);
    assert_int_equal(b.traffic.dropped, 2);
    bench_own(&b, 0, crl_packet_word(0, 0, 0, 4));
    bench_step(&b);
    assert_int_equal(b.traffic.dropped, 2);
    assert_int_equal(crl_packet_sequence(b.traffic.word[0]), 1);
    bench_step(&b);
    assert_int_equal(crl_packet_sequence(b.traffic.word[0]), 4);
    bench_done(&b);
}

static void periodic_keeps_the_slot_of_an_absent_packet_empty(void **state)
{
    (void)state;
    struct bench b = bench_new("periodic", 2, false, 0); // period 3: slots 1, 4, … are stage 0
    bench_own(&b, 0, crl_packet_word(0, 0, 0, 0));
    for (int i = 1; i <= 3; i++) assert_string_equal(bench_step(&b), "");
    assert_string_equal(bench_step(&b), "0:0"); // slot 4: stage 0, tree 0 by port 0
    assert_string_equal(bench_step(&b), "0:1"); // stage 1, position 0
    assert_string_equal(bench_step(&b), "1:1"); // position 1
    assert_string_equal(bench_step(&b), "");
    bench_done(&b);
}

static void indirect_climbs_in_slots_divisible_by_three(void **state)
{
    (void)state;
    struct bench b = bench_new("indirect", 2, false, 0); // tree 0: root 1, crosses 1 then 0
    // Node 0 hangs from node 1 by port 0 and is a leaf. No virtual arc; a heads (1) waits for the second slot.
    bench_own(&b, 0, crl_packet_word(0, 1, 0, 0));
    const char *wanted[] = {"", "", "0:0", "", "1:0 1:1", "", "3:0", ""};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) assert_string_equal(bench_step(&b), wanted[i]);
    bench_done(&b);
    b = bench_new("indirect", 2, false, 0);
    bench_own(&b, 3, crl_packet_word(0, 0, 3, 0)); // not a leaf: virtual arc in slot 3, climbs in slot 6
    const char *wanted_inner[] = {"", "", "", "", "", "3:1", "1:0 1:1", "3:0", ""};
    for (size_t i = 0; i < sizeof wanted_inner / sizeof *wanted_inner; i++)
        assert_string_equal(bench_step(&b), wanted_inner[i]);
    bench_done(&b);
}

static void the_coin_orders_the_two_buffers_of_a_root(void **state)
{
    (void)state;
    for (uint32_t coin = 0; coin < 2; coin++) {
        struct bench b = bench_new("indirect", 2, false, 0);
        // Node 2 climbs by 3 to root 1: B1. Node 0 is in the other subtree: B2. Both are leaves.
        bench_own(&b, 2, crl_packet_word(0, coin, 2, 0));
        for (int i = 1; i <= 3; i++) bench_step(&b);
        bench_own(&b, 0, crl_packet_word(0, 0, 0, 0));
        for (int i = 4; i <= 6; i++) bench_step(&b);
        uint32_t first, second;
        bench_step(&b);
        first = crl_packet_origin(b.traffic.word[1 * 2]);
        bench_step(&b);
        second = crl_packet_origin(b.traffic.word[1 * 2]);
        assert_int_equal(first, coin ? 0 : 2);
        assert_int_equal(second, coin ? 2 : 0);
        bench_done(&b);
    }
}

static void a_full_buffer_blocks_its_neighbour(void **state)
{
    (void)state;
    struct bench b = bench_new("indirect", 2, true, 1);
    uint8_t stalled[4] = {0, 1, 0, 0}; // the root of tree 0 accepts nothing and sends nothing
    b.stimulus.stalled = stalled;
    bench_own(&b, 0, crl_packet_word(0, 0, 0, 0));
    bench_step(&b);
    assert_int_equal(b.traffic.taken[0], 1);
    bench_own(&b, 0, crl_packet_word(0, 0, 0, 1));
    bench_step(&b);
    assert_int_equal(b.traffic.taken[0], 0); // its buffer holds the first
    assert_string_equal(bench_step(&b), "");
    b.stimulus.stalled = NULL;
    for (int i = 4; i <= 5; i++) assert_string_equal(bench_step(&b), "");
    assert_string_equal(bench_step(&b), "0:0");
    assert_string_equal(bench_step(&b), "1:0 1:1");
    bench_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_hands_each_node_each_packet_once),
        cmocka_unit_test(limits_are_those_of_the_paper),
        cmocka_unit_test(balanced_trees_pass_two_thirds),
        cmocka_unit_test(a_damaged_table_is_found_out),
        cmocka_unit_test(a_lone_packet_crosses_one_dimension_a_slot),
        cmocka_unit_test(arrivals_join_highest_port_first_and_own_last),
        cmocka_unit_test(a_packet_is_stored_once_and_counts_in_the_slot_it_leaves),
        cmocka_unit_test(a_full_store_drops_what_comes_last),
        cmocka_unit_test(periodic_keeps_the_slot_of_an_absent_packet_empty),
        cmocka_unit_test(indirect_climbs_in_slots_divisible_by_three),
        cmocka_unit_test(the_coin_orders_the_two_buffers_of_a_root),
        cmocka_unit_test(a_full_buffer_blocks_its_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
