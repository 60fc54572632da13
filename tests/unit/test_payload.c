// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "unit.h"

static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather", "total-exchange"};

static void permute_is_a_bijection_of_8_to_16_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (uint32_t bits = 8; bits <= 16; bits++) {
            uint8_t *seen = calloc(1u << bits, 1);
            uint32_t fixed = 0;
            for (uint32_t x = 0; x < 1u << bits; x++) {
                uint64_t y = crl_permute(x, bits, seed);
                assert_true(y < 1u << bits);
                assert_int_equal(seen[y]++, 0);
                fixed += x == y;
            }
            assert_true(fixed < 20); // looks random: about one is expected
            free(seen);
        }
}

static void permute_looks_different_for_every_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        uint32_t same = 0;
        for (uint32_t x = 0; x < 256; x++) same += crl_permute(x, 16, seed) == crl_permute(x, 16, seed + 1);
        assert_true(same < 8);
    }
}

static void many_values_are_permuted_as_one_by_one(void **state)
{
    (void)state;
    enum { MOST = 37 };
    for (uint32_t bits = 1; bits <= 64; bits++)
        for (size_t count = 0; count <= MOST; count++) {
            struct crl_permutation permutation;
            uint64_t random = bits, numbers[MOST], values[MOST + 1], offset = unit_random(&random);
            crl_permutation_init(&permutation, bits, bits * 7);
            for (size_t i = 0; i < count; i++) numbers[i] = unit_random(&random) >> count;
            values[count] = 99;
            crl_permutation_many(&permutation, numbers, offset, values, count);
            for (size_t i = 0; i < count; i++)
                assert_true(values[i] == crl_permute(numbers[i] + offset, bits, bits * 7));
            assert_true(values[count] == 99);
        }
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void payloads_of_all_words_of_all_packets_are_distinct(void **state)
{
    (void)state;
    static const uint32_t widths[] = {8, 16, 32, 64}, words[] = {1, 3, 7};
    int tried = 0;
    for (int c = 0; c < 5; c++)
        for (uint32_t d = 1; d <= 6; d++)
            for (int w = 0; w < 12; w++) {
                struct unit u;
                struct crl_geometry g = {.data_width = widths[w % 4], .words = words[w / 4]};
                unit_open(&u, collectives[c], d, 1, CRL_PORTS_ALL);
                if (crl_payload_fits(&u.problem, &g)) {
                    uint64_t n = 0, packets = crl_problem_packets(&u.problem),
                             *data = malloc(sizeof *data * packets * g.words);
                    for (uint64_t k = 0; k < packets; k++) {
                        uint32_t origin, dest;
                        crl_problem_packet(&u.problem, k, &origin, &dest);
                        for (uint32_t i = 0; i < g.words; i++) {
                            data[n] = crl_payload(&u.problem, origin, dest, i, &g, 5);
                            if (g.data_width < 64) assert_true(data[n] >> g.data_width == 0);
                            n++;
                        }
                    }
                    qsort(data, n, sizeof *data, compare);
                    for (uint64_t i = 1; i < n; i++) assert_true(data[i - 1] != data[i]);
                    free(data);
                    tried++;
                }
                unit_close(&u);
            }
    assert_true(tried > 250);
}

static void payload_fits_up_to_the_last_number_of_the_word(void **state)
{
    (void)state;
    static const struct {
        const char *collective;
        uint32_t d, width, words;
        bool fits;
    } cases[] = {
        {"multinode-broadcast", 8, 8, 1, true}, // 256 packets
        {"multinode-broadcast", 9, 8, 1, false}, {"multinode-broadcast", 8, 8, 2, false},
        {"multinode-broadcast", 7, 8, 2, true},  {"multinode-broadcast", 6, 8, 4, true},
        {"multinode-broadcast", 6, 8, 5, false}, {"total-exchange", 4, 8, 1, true},   // 240
        {"total-exchange", 5, 8, 1, false},      {"total-exchange", 8, 16, 1, true},  // 65280
        {"total-exchange", 8, 16, 2, false},     {"total-exchange", 16, 32, 1, true}, // 2^32 − 2^16
        {"total-exchange", 16, 32, 2, false},    {"total-exchange", 20, 32, 1, false},
        {"total-exchange", 20, 64, 65536, true}, {"broadcast", 1, 8, 256, true}, // one packet
        {"broadcast", 1, 8, 257, false},         {"broadcast", 1, 16, 65536, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unit u;
        struct crl_geometry g = {.data_width = cases[i].width, .words = cases[i].words};
        unit_open(&u, cases[i].collective, cases[i].d, 0, CRL_PORTS_ALL);
        assert_int_equal(crl_payload_fits(&u.problem, &g), cases[i].fits);
        unit_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permute_is_a_bijection_of_8_to_16_bits),
        cmocka_unit_test(permute_looks_different_for_every_seed),
        cmocka_unit_test(many_values_are_permuted_as_one_by_one),
        cmocka_unit_test(payloads_of_all_words_of_all_packets_are_distinct),
        cmocka_unit_test(payload_fits_up_to_the_last_number_of_the_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
