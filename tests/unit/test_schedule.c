// SPDX-License-Identifier: Apache-2.0
#include "schedule/translates.h"
#include "unit.h"

static char *written(const struct crl_schedule *schedule, bool relative, size_t *count)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(crl_schedule_write_csv(schedule, file, relative, NULL), 0);
    char *text = unit_contents(file, count);
    fclose(file);
    return text;
}

static int read_text(struct crl_schedule *schedule, const char *text, size_t count, struct crl_diag *diag)
{
    FILE *file = unit_file(text, count);
    int error = crl_schedule_read_csv(schedule, file, "test.csv", diag);
    fclose(file);
    return error;
}

static bool is_sorted(const struct crl_schedule *s)
{
    for (size_t i = 1; i < s->count; i++) {
        const struct crl_move *a = &s->moves[i - 1], *b = &s->moves[i];
        uint32_t x[] = {a->slot, a->src, a->dst, a->origin, a->dest},
                 y[] = {b->slot, b->src, b->dst, b->origin, b->dest};
        for (int k = 0; k < 5; k++) {
            if (x[k] > y[k]) return false;
            if (x[k] < y[k]) break;
        }
    }
    return true;
}

static void csv_comes_back_as_it_was_written(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 5; d++) {
            struct unit u;
            struct crl_schedule back;
            unit_plan(&u, unit_schemes[k], d, 1);
            bool symmetric = u.schedule.folded;
            for (int full = 0; full < 2; full++) {
                size_t count;
                char *text = written(&u.schedule, u.schedule.folded, &count);
                crl_schedule_init(&back, u.topology, u.schedule.naming, u.schedule.folded);
                assert_int_equal(read_text(&back, text, count, NULL), 0);
                assert_int_equal(back.folded, symmetric); // found out where it was not said
                assert_int_equal(back.listed, symmetric && full);
                assert_int_equal(crl_schedule_unfold(&back, NULL), 0);
                unit_expand(&u); // for the second time round, too
                unit_assert_same(&back, &u.schedule);
                for (size_t i = 0; i < back.count && full; i++) assert_int_equal(crl_schedule_line(&back, i), i + 2);
                crl_schedule_done(&back);
                free(text);
            }
            unit_close(&u);
        }
}

static void the_csv_of_a_relative_schedule_is_that_of_its_expansion(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 6; d++) {
            struct unit u;
            size_t streamed_count, full_count;
            unit_plan(&u, unit_schemes[k], d, 0);
            char *streamed = written(&u.schedule, false, &streamed_count);
            unit_expand(&u);
            char *full = written(&u.schedule, false, &full_count);
            assert_int_equal(streamed_count, full_count);
            assert_memory_equal(streamed, full, full_count);
            free(streamed);
            free(full);
            unit_close(&u);
        }
}

static void csv_is_spelled_as_documented(void **state)
{
    (void)state;
    struct unit u;
    size_t count;
    unit_open(&u, "scatter", 2, 0, CRL_PORTS_ALL);
    unit_add(&u, 1, 0, 2, 0, 3);
    unit_add(&u, 4294967294u, 2, 3, 0, 3);
    char *text = written(&u.schedule, false, &count);
    assert_string_equal(text, "slot,src,dst,packet\n1,0,2,0>3\n4294967294,2,3,0>3\n");
    free(text);
    unit_close(&u);
    unit_open(&u, "broadcast", 2, 3, CRL_PORTS_ALL);
    unit_add(&u, 1, 3, 2, 3, 0);
    text = written(&u.schedule, false, &count);
    assert_string_equal(text, "slot,src,dst,packet\n1,3,2,3\n");
    free(text);
    unit_close(&u);
}

static void a_schedule_that_is_not_symmetric_has_no_relative_csv(void **state)
{
    (void)state;
    struct unit u;
    FILE *file = tmpfile();
    unit_plan(&u, unit_schemes[0], 3, 0);
    assert_int_equal(crl_schedule_write_csv(&u.schedule, file, true, &u.diag), CRL_ERR_ARGUMENT);
    fclose(file);
    unit_close(&u);
}

static void csv_errors_name_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t line, col;
        enum crl_naming naming;
    } bad[] = {
        {"", 1, 1, CRL_NAMING_PAIR},
        {"slot,src,dst,packets\n", 1, 20, CRL_NAMING_PAIR},
        {"slot;src,dst,packet\n", 1, 5, CRL_NAMING_PAIR},
        {"slot,src,dst,packet", 1, 20, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n\n", 2, 1, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n1,0,1\n", 2, 6, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n1,0,1,0\n", 2, 8, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n1,0,1,0>1", 2, 10, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n1,0,1,0>1\n1,0,2,0>\n", 3, 9, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n1,0,1,0>1\n 1,0,2,0>1\n", 3, 1, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n1,0,1,0>1 \n", 2, 10, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n-1,0,1,0>1\n", 2, 1, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n1,4294967295,1,0>1\n", 2, 3, CRL_NAMING_PAIR},
        {"slot,src,dst,packet\n1,0,1,0>1\n", 2, 8, CRL_NAMING_ORIGIN},
    };
    struct crl_topology *t;
    assert_int_equal(crl_topology_parse(&t, "hypercube:3", NULL), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct crl_schedule s;
        struct crl_diag diag;
        crl_schedule_init(&s, t, bad[i].naming, false);
        assert_int_equal(read_text(&s, bad[i].text, strlen(bad[i].text), &diag), CRL_ERR_PARSE);
        assert_string_equal(diag.file, "test.csv");
        assert_int_equal(diag.line, bad[i].line);
        assert_int_equal(diag.col, bad[i].col);
        crl_schedule_done(&s);
    }
    crl_topology_free(t);
}

static void csv_with_dos_line_ends_and_senseless_numbers_parses(void **state)
{
    (void)state;
    struct unit u;
    const char text[] = "slot,src,dst,packet\r\n0,99,4294967294,7>7\r\n";
    unit_open(&u, "scatter", 2, 0, CRL_PORTS_ALL);
    assert_int_equal(read_text(&u.schedule, text, sizeof text - 1, &u.diag), 0);
    assert_int_equal(u.schedule.count, 1);
    struct crl_move right = {0, 99, 4294967294u, 7, 7};
    assert_true(unit_same_move(&u.schedule.moves[0], &right));
    unit_close(&u);
}

static void sorting_orders_by_slot_src_dst_packet(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 50; round++) {
        struct unit u;
        uint64_t sum = 0, sorted_sum = 0;
        unit_open(&u, "total-exchange", 3, 0, CRL_PORTS_ALL);
        for (uint32_t i = 0; i < 300;
             i++) { // small numbers, so that all keys decide now and then; sometimes large ones
            uint32_t scale = unit_below(&random, 50) ? 1 : 0x12345678;
            unit_add(&u, unit_below(&random, 3) * scale, unit_below(&random, 3) * scale, unit_below(&random, 3) * scale,
                     unit_below(&random, 3) * scale, unit_below(&random, 3) * scale);
        }
        for (size_t i = 0; i < 300; i++) {
            const struct crl_move *m = &u.schedule.moves[i];
            sum += (((m->slot * 31 + m->src) * 31 + m->dst) * 31 + m->origin) * UINT64_C(31) + m->dest;
        }
        assert_int_equal(crl_schedule_sort(&u.schedule), 0);
        assert_int_equal(u.schedule.count, 300);
        for (size_t i = 0; i < 300; i++) {
            const struct crl_move *m = &u.schedule.moves[i];
            sorted_sum += (((m->slot * 31 + m->src) * 31 + m->dst) * 31 + m->origin) * UINT64_C(31) + m->dest;
        }
        assert_true(is_sorted(&u.schedule));
        assert_true(sum == sorted_sum);
        unit_close(&u);
    }
}

static void expanding_writes_out_every_translate_once(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 5; d++) {
            struct unit u;
            struct crl_schedule full;
            unit_plan(&u, unit_schemes[k], d, 0);
            assert_int_equal(crl_schedule_expand(&full, &u.schedule, NULL), 0);
            uint32_t copies = u.schedule.folded ? 1u << d : 1;
            assert_false(full.folded);
            assert_int_equal(full.count, u.schedule.count * copies);
            assert_int_equal(crl_schedule_transmissions(&u.schedule), full.count);
            assert_int_equal(crl_schedule_transmissions(&full), full.count);
            assert_int_equal(crl_schedule_slots(&full), crl_schedule_slots(&u.schedule));
            assert_true(is_sorted(&full));
            // Each is the translate of one of node 0's, by its source; as they are all different, none is missing.
            for (size_t i = 0; i < full.count && u.schedule.folded; i++) {
                struct crl_move m = full.moves[i];
                bool found = false, pair = full.naming == CRL_NAMING_PAIR;
                struct crl_move own = {m.slot, 0, m.dst ^ m.src, m.origin ^ m.src, pair ? m.dest ^ m.src : 0};
                for (size_t j = 0; j < u.schedule.count; j++) found |= unit_same_move(&u.schedule.moves[j], &own);
                assert_true(found);
                if (i) assert_false(unit_same_move(&full.moves[i - 1], &m));
            }
            crl_schedule_done(&full);
            unit_close(&u);
        }
}

static int compare(const void *a, const void *b) { return crl_move_compare(a, b); }

static void translates_are_those_of_the_topology(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "hypercube:4", "hypercube:13", "torus:3x4x5", "torus:80x70",  "ring:5*complete:4*ring:2",
        "ring:4999",   "ghc:3x3x3",    "complete:7",  "torus:2x61x67"};
    enum { MOVES = 70 }; // more than are sorted one by one
    uint64_t random = 4;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int round = 0; round < 4; round++) {
            struct crl_translates translates;
            struct crl_schedule s;
            struct crl_topology *t;
            struct crl_move moves[MOVES], right[MOVES];
            assert_int_equal(crl_topology_parse(&t, specs[i], NULL), 0);
            uint32_t nodes = crl_topology_nodes(t), count = round == 3 ? MOVES : 1 + unit_below(&random, 20);
            crl_schedule_init(&s, t, round & 1 ? CRL_NAMING_PAIR : CRL_NAMING_ORIGIN, true);
            for (uint32_t k = 0; k < count; k++)
                moves[k] = (struct crl_move){7, 0, unit_below(&random, nodes), unit_below(&random, nodes),
                                             round & 1 ? unit_below(&random, nodes) : 0};
            crl_translates_init(&translates, &s);
            assert_int_equal(crl_translates_slot(&translates, moves, count), 0);
            for (uint32_t v = 0; v < nodes; v++) {
                for (uint32_t k = 0; k < count; k++) right[k] = crl_move_translate(&s, moves[k], v);
                qsort(right, count, sizeof *right, compare);
                assert_memory_equal(crl_translates_at(&translates, v), right, sizeof *right * count);
            }
            crl_translates_done(&translates);
            crl_topology_free(t);
        }
}

static void folding_undoes_expanding(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 6; d++) {
            struct unit u;
            struct crl_schedule full;
            unit_plan(&u, unit_schemes[k], d, 0);
            assert_int_equal(crl_schedule_expand(&full, &u.schedule, NULL), 0);
            assert_int_equal(crl_schedule_fold(&full), u.schedule.folded);
            unit_assert_same(&full, &u.schedule);
            crl_schedule_done(&full);
            unit_close(&u);
        }
}

static void folding_refuses_one_altered_translate(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct unit u;
        unit_plan(&u, unit_schemes[k], 3, 0);
        bool symmetric = u.schedule.folded, pair = u.schedule.naming == CRL_NAMING_PAIR;
        unit_expand(&u);
        for (size_t i = 0; i < u.schedule.count && symmetric; i++)
            for (int field = 0; field < (pair ? 5 : 4); field++) {
                struct crl_schedule s;
                assert_int_equal(crl_schedule_expand(&s, &u.schedule, NULL), 0); // a copy
                struct crl_move *m = &s.moves[i];
                if (field == 0) m->slot += 100;
                if (field == 1) m->src ^= 1;
                if (field == 2) m->dst ^= 1;
                if (field == 3) m->origin ^= 1;
                if (field == 4) m->dest ^= 1;
                assert_int_equal(crl_schedule_sort(&s), 0);
                size_t count = s.count;
                assert_false(crl_schedule_fold(&s));
                assert_false(s.folded);
                assert_int_equal(s.count, count);
                crl_schedule_done(&s);
            }
        unit_close(&u);
    }
}

static void folding_refuses_a_row_too_few_or_twice(void **state)
{
    (void)state;
    struct unit u;
    unit_plan(&u, unit_schemes[4], 3, 0);
    unit_expand(&u);
    for (size_t i = 0; i < u.schedule.count; i++)
        for (int twice = 0; twice < 2; twice++) {
            struct crl_schedule s;
            assert_int_equal(crl_schedule_expand(&s, &u.schedule, NULL), 0);
            if (twice) s.moves[i] = s.moves[i ? i - 1 : 1]; // one there twice, one missing
            else s.moves[i] = s.moves[--s.count];
            assert_int_equal(crl_schedule_sort(&s), 0);
            assert_false(crl_schedule_fold(&s));
            crl_schedule_done(&s);
        }
    unit_close(&u);
}

static void an_empty_schedule_has_no_slots(void **state)
{
    (void)state;
    struct unit u;
    unit_open(&u, "scatter", 2, 0, CRL_PORTS_ALL);
    assert_int_equal(crl_schedule_slots(&u.schedule), 0);
    assert_int_equal(crl_schedule_transmissions(&u.schedule), 0);
    assert_int_equal(crl_schedule_sort(&u.schedule), 0);
    assert_false(crl_schedule_fold(&u.schedule));
    unit_expand(&u);
    assert_int_equal(u.schedule.count, 0);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_comes_back_as_it_was_written),
        cmocka_unit_test(the_csv_of_a_relative_schedule_is_that_of_its_expansion),
        cmocka_unit_test(csv_is_spelled_as_documented),
        cmocka_unit_test(a_schedule_that_is_not_symmetric_has_no_relative_csv),
        cmocka_unit_test(csv_errors_name_line_and_column),
        cmocka_unit_test(csv_with_dos_line_ends_and_senseless_numbers_parses),
        cmocka_unit_test(sorting_orders_by_slot_src_dst_packet),
        cmocka_unit_test(expanding_writes_out_every_translate_once),
        cmocka_unit_test(translates_are_those_of_the_topology),
        cmocka_unit_test(folding_undoes_expanding),
        cmocka_unit_test(folding_refuses_one_altered_translate),
        cmocka_unit_test(folding_refuses_a_row_too_few_or_twice),
        cmocka_unit_test(an_empty_schedule_has_no_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
