// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "base/pool.h"
#include "unit.h"

struct keyed {
    uint64_t key;
    uint32_t index;
};

static uint64_t key_of(const void *user, uint32_t i) { return ((const struct keyed *)user)[i].key; }

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index; // stable
}

static void sort_order_is_a_stable_sort_by_any_64_bit_key(void **state)
{
    (void)state;
    static const uint64_t limits[] = {1,         2, 3, 2047, 2048, 2049, 4000, 1 << 22, UINT32_MAX, UINT64_C(1) << 33,
                                      UINT64_MAX};
    static const uint32_t counts[] = {0, 1, 2, 17, 3000};
    uint64_t random = 1;
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            uint32_t n = counts[c], *order = malloc(sizeof *order * (n + 1));
            struct keyed *sorted = malloc(sizeof *sorted * (n + 1)), *keys = malloc(sizeof *keys * (n + 1));
            for (uint32_t i = 0; i < n; i++) {
                sorted[i] = keys[i] = (struct keyed){unit_random(&random) % limits[l], i};
                order[i] = i;
            }
            qsort(sorted, n, sizeof *sorted, compare);
            assert_int_equal(crl_sort_order(order, n, key_of, keys, limits[l] - 1), 0);
            for (uint32_t i = 0; i < n; i++) assert_int_equal(order[i], sorted[i].index);
            free(order);
            free(sorted);
            free(keys);
        }
}

static void sort_order_keeps_the_order_it_is_given_among_equal_keys(void **state)
{
    (void)state;
    struct keyed keys[100];
    uint32_t order[100];
    for (uint32_t i = 0; i < 100; i++) {
        keys[i].key = i % 3 * 5000;
        order[i] = 99 - i;
    }
    assert_int_equal(crl_sort_order(order, 100, key_of, keys, 10000), 0);
    for (uint32_t i = 1; i < 100; i++)
        assert_true(keys[order[i - 1]].key < keys[order[i]].key ||
                    (keys[order[i - 1]].key == keys[order[i]].key && order[i - 1] > order[i]));
}

static void keys_that_differ_in_few_bits_only_are_sorted(void **state)
{
    (void)state;
    for (uint32_t shift = 0; shift < 64; shift++) {
        struct keyed keys[2] = {{UINT64_C(1) << shift, 0}, {0, 1}};
        uint32_t order[2] = {0, 1};
        assert_int_equal(crl_sort_order(order, 2, key_of, keys, UINT64_C(1) << shift), 0);
        assert_int_equal(order[0], 1);
        assert_int_equal(order[1], 0);
    }
}

static void bits_for_holds_all_values_below(void **state)
{
    (void)state;
    static const struct {
        uint64_t count;
        uint32_t bits;
    } cases[] = {{0, 0},
                 {1, 0},
                 {2, 1},
                 {3, 2},
                 {4, 2},
                 {5, 3},
                 {256, 8},
                 {257, 9},
                 {UINT64_C(1) << 32, 32},
                 {(UINT64_C(1) << 32) + 1, 33}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(crl_bits_for(cases[i].count), cases[i].bits);
}

static void ceil_div_rounds_up_without_overflow(void **state)
{
    (void)state;
    assert_int_equal(crl_ceil_div(0, 3), 0);
    assert_int_equal(crl_ceil_div(6, 3), 2);
    assert_int_equal(crl_ceil_div(7, 3), 3);
    assert_true(crl_ceil_div(UINT64_MAX, 2) == UINT64_C(1) << 63);
    assert_true(crl_ceil_div(UINT64_MAX, 1) == UINT64_MAX);
}

static void grow_keeps_what_is_there(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(crl_grow((void **)&array, &capacity, i, sizeof *array), 0);
        assert_true(capacity > i);
        array[i] = i;
    }
    for (uint32_t i = 0; i < 5000; i++) assert_int_equal(array[i], i);
    free(array);
    array = NULL;
    capacity = 0;
    assert_int_equal(crl_grow((void **)&array, &capacity, 0, SIZE_MAX / 2), CRL_ERR_MEMORY);
    assert_null(array);
    assert_int_equal(capacity, 0);
}

static void a_pool_keeps_its_arrays_as_they_move_and_remembers_what_failed(void **state)
{
    (void)state;
    struct crl_pool pool = {0};
    uint32_t *array = NULL, *zero, *other;
    size_t capacity = 0;
    CRL_ZEROED(&pool, zero, 3);
    for (uint32_t i = 0; i < 5000; i++) { // others are made before it, after it, and in between
        assert_int_equal(crl_pool_grow(&pool, (void **)&array, &capacity, i, sizeof *array), 0);
        array[i] = i;
        CRL_NEW(&pool, other, 1);
        *other = i;
    }
    zero = crl_pool_resize(&pool, zero, 100, sizeof *zero);
    for (uint32_t i = 0; i < 5000; i++) assert_int_equal(array[i], i);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(zero[i], 0);
    assert_int_equal(crl_pool_error(&pool), 0);
    assert_null(crl_pool_resize(&pool, zero, SIZE_MAX / 4, sizeof *zero));
    assert_int_equal(zero[2], 0);
    assert_int_equal(crl_pool_error(&pool), CRL_ERR_MEMORY);
    CRL_NEW(&pool, other, 1);
    assert_int_equal(crl_pool_error(&pool), CRL_ERR_MEMORY);
    crl_pool_done(&pool);
    assert_int_equal(crl_pool_error(&pool), 0);
    assert_null(CRL_ZEROED(&pool, other, SIZE_MAX / 2));
    assert_int_equal(crl_pool_error(&pool), CRL_ERR_MEMORY);
    crl_pool_done(&pool);
}

static void numbers_are_read_up_to_2_32_minus_2(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int error;
        uint32_t value;
        int next; // character after it
    } cases[] = {
        {"0", 0, 0, EOF},
        {"007,", 0, 7, ','},
        {"4294967294\n", 0, 4294967294u, '\n'},
        {"4294967295", CRL_ERR_PARSE, 0, 0},
        {"4294967296", CRL_ERR_PARSE, 0, 0},
        {"18446744073709551616", CRL_ERR_PARSE, 0, 0}, // 20 digits, 2^64
        {"99999999999999999999", CRL_ERR_PARSE, 0, 0},
        {"00000000000000000000000012", 0, 12, EOF},
        {"", CRL_ERR_PARSE, 0, 0},
        {"x", CRL_ERR_PARSE, 0, 0},
        {"-1", CRL_ERR_PARSE, 0, 0},
        {"+1", CRL_ERR_PARSE, 0, 0},
        {" 1", CRL_ERR_PARSE, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct crl_reader reader;
        struct crl_diag diag;
        uint32_t value = 0;
        FILE *file = unit_file(cases[i].text, strlen(cases[i].text));
        crl_reader_init(&reader, file, "name");
        int error = crl_reader_number(&reader, "thing", &value, &diag);
        assert_int_equal(error, cases[i].error);
        if (error) {
            assert_string_equal(diag.file, "name");
            assert_int_equal(diag.line, 1);
            assert_int_equal(diag.col, 1);
            assert_non_null(strstr(diag.text, "thing"));
        } else {
            assert_int_equal(value, cases[i].value);
            assert_int_equal(reader.c, cases[i].next);
        }
        fclose(file);
    }
}

static void the_reader_counts_lines_and_columns_across_its_buffer(void **state)
{
    (void)state;
    static struct crl_reader reader;
    size_t n = 200000;
    char *text = malloc(n);
    uint64_t random = 2, line = 1, col = 0;
    for (size_t i = 0; i < n; i++) text[i] = unit_below(&random, 1000) ? (char)('a' + unit_below(&random, 26)) : '\n';
    FILE *file = unit_file(text, n);
    crl_reader_init(&reader, file, "name");
    for (size_t i = 0; i < n; i++, crl_reader_next(&reader)) {
        col++;
        assert_int_equal(reader.c, text[i]);
        assert_int_equal(reader.line, line);
        assert_int_equal(reader.col, col);
        if (text[i] != '\n') continue;
        line++;
        col = 0;
    }
    for (int again = 0; again < 3; again++, crl_reader_next(&reader)) assert_int_equal(reader.c, EOF);
    fclose(file);
    free(text);
}

static void the_writer_writes_what_printf_would(void **state)
{
    (void)state;
    static struct crl_writer writer;
    FILE *ours = tmpfile(), *theirs = tmpfile();
    uint64_t random = 3;
    crl_writer_init(&writer, ours);
    for (int i = 0; i < 30000; i++) { // several buffers full
        uint64_t number = i == 0 ? 0 : i == 1 ? UINT64_MAX : unit_random(&random) >> unit_below(&random, 64);
        crl_writer_number(&writer, number);
        crl_writer_char(&writer, i % 7 ? ',' : '\n');
        fprintf(theirs, "%llu%c", (unsigned long long)number, i % 7 ? ',' : '\n');
    }
    assert_int_equal(crl_writer_flush(&writer), 0);
    size_t our_count, their_count;
    char *our = unit_contents(ours, &our_count), *their = unit_contents(theirs, &their_count);
    assert_true(our_count > 3 * sizeof writer.buffer);
    assert_int_equal(our_count, their_count);
    assert_memory_equal(our, their, our_count);
    free(our);
    free(their);
    fclose(ours);
    fclose(theirs);
}

static void write_errors_are_remembered(void **state)
{
    (void)state;
    static struct crl_writer writer;
    FILE *full = fopen("/dev/full", "w");
    if (!full) skip(); // not a Linux machine
    crl_writer_init(&writer, full);
    for (int i = 0; i < 100000; i++) crl_writer_number(&writer, 12345);
    assert_int_equal(crl_writer_flush(&writer), CRL_ERR_IO);
    assert_int_equal(crl_writer_flush(&writer), CRL_ERR_IO);
    fclose(full);
}

static void diagnostics_hold_place_and_text_and_may_be_left_out(void **state)
{
    (void)state;
    struct crl_diag diag;
    memset(&diag, 0xff, sizeof diag);
    assert_int_equal(crl_fail_at(&diag, CRL_ERR_RULE, "file", 7, 9, "%s %d", "text", 5), CRL_ERR_RULE);
    assert_string_equal(diag.file, "file");
    assert_string_equal(diag.text, "text 5");
    assert_int_equal(diag.line, 7);
    assert_int_equal(diag.col, 9);
    assert_int_equal(crl_fail(&diag, CRL_ERR_IO, "other"), CRL_ERR_IO);
    assert_string_equal(diag.file, "");
    assert_string_equal(diag.text, "other");
    assert_int_equal(diag.line, 0);
    assert_int_equal(crl_fail(NULL, CRL_ERR_IO, "other"), CRL_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sort_order_is_a_stable_sort_by_any_64_bit_key),
        cmocka_unit_test(sort_order_keeps_the_order_it_is_given_among_equal_keys),
        cmocka_unit_test(keys_that_differ_in_few_bits_only_are_sorted),
        cmocka_unit_test(a_pool_keeps_its_arrays_as_they_move_and_remembers_what_failed),
        cmocka_unit_test(bits_for_holds_all_values_below),
        cmocka_unit_test(ceil_div_rounds_up_without_overflow),
        cmocka_unit_test(grow_keeps_what_is_there),
        cmocka_unit_test(numbers_are_read_up_to_2_32_minus_2),
        cmocka_unit_test(the_reader_counts_lines_and_columns_across_its_buffer),
        cmocka_unit_test(the_writer_writes_what_printf_would),
        cmocka_unit_test(write_errors_are_remembered),
        cmocka_unit_test(diagnostics_hold_place_and_text_and_may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
