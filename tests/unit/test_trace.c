// SPDX-License-Identifier: Apache-2.0
// Traces as text, and the comparison of players.
#include "unit.h"

static void words_come_back_as_they_were_written(void **state)
{
    (void)state;
    uint64_t random = 1, line = 0;
    FILE *file = tmpfile();
    struct crl_word words[300], back;
    for (int i = 0; i < 300; i++) {
        words[i] = (struct crl_word){unit_random(&random) >> (12 + unit_below(&random, 50)),
                                     unit_below(&random, UINT32_MAX), unit_below(&random, CRL_TRACE_PORTS_MAX),
                                     unit_random(&random) >> unit_below(&random, 64)};
        assert_int_equal(crl_trace_write(file, &words[i]), 0);
    }
    rewind(file);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(crl_trace_read(file, "x", &line, &back, NULL), 1);
        assert_int_equal(line, i + 1);
        assert_true(back.cycle == words[i].cycle && back.node == words[i].node && back.port == words[i].port &&
                    back.data == words[i].data);
    }
    assert_int_equal(crl_trace_read(file, "x", &line, &back, NULL), 0);
    fclose(file);
}

static void bad_lines_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t col;
    } bad[] = {
        {"x 0 0 0\n", 1},
        {"1 x 0 0\n", 3},
        {"1 2 x 0\n", 5},
        {"1 2 3 x\n", 7},
        {"1 2 3\n", 6},
        {"1 2 3 4 5\n", 8},
        {"1 2 3 4", 8},
        {"\n", 1},
        {" 1 2 3 4\n", 1},
        {"1  2 3 4\n", 3},
        {"1 2 3 0x4\n", 7},
        {"1 2 3 AB\n", 7},
        {"a 2 3 4\n", 1},
        {"-1 2 3 4\n", 1},
        {"1 2 1024 4\n", 1},
        {"1 4294967295 3 4\n", 1},
        {"1x 2 3 4\n", 2},
        {"1 2 3 12345678901234567\n", 7},
        {"12345678901234567 2 3 4\n", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t line = 0;
        struct crl_word word;
        struct crl_diag diag;
        char text[128];
        snprintf(text, sizeof text, "1 2 3 4\n%s", bad[i].text);
        FILE *file = unit_file(text, strlen(text));
        assert_int_equal(crl_trace_read(file, "x", &line, &word, &diag), 1);
        assert_int_equal(crl_trace_read(file, "x", &line, &word, &diag), CRL_ERR_PARSE);
        assert_string_equal(diag.file, "x");
        assert_int_equal(diag.line, 2);
        if (diag.col != bad[i].col) fail_msg("'%s': column %d", bad[i].text, (int)diag.col);
        fclose(file);
    }
}

// Plays `cycles` cycles after `silent` empty ones on two nodes of two ports; word 1000·cycle + 10·node + port each, but
// for one.
struct script {
    uint32_t cycles, silent, at, odd_cycle, idle, valid[2]; // idle: what a link shows that has no word
    uint64_t data[4];
};

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct script *s = self;
    bool on = s->at >= s->silent;
    for (uint32_t v = 0; v < 2; v++) {
        s->valid[v] = on ? v + 2 : 0; // node 0 port 1, node 1 both
        for (uint32_t p = 0; p < 2; p++) s->data[2 * v + p] = 1000 * (s->at - s->silent) + 10 * v + p;
    }
    s->data[0] = s->idle;
    if (s->at == s->odd_cycle) s->data[2]++;
    *valid = s->valid;
    *data = s->data;
    return ++s->at == s->cycles + s->silent;
}

static int compare(struct crl_compared *result, struct script *scripts, size_t count, FILE *trace)
{
    static const char *const names[] = {"one", "two", "three", "four"};
    struct crl_player players[4];
    for (size_t i = 0; i < count; i++) players[i] = (struct crl_player){.self = &scripts[i], .step = step};
    return crl_compare(result, players, names, count, 2, 2, trace, NULL, NULL, NULL);
}

static void like_players_agree_and_cycles_count_from_the_first_word(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 4; count++) {
        struct crl_compared result;
        struct script scripts[4];
        size_t bytes;
        FILE *trace = tmpfile();
        for (int i = 0; i < 4; i++) scripts[i] = (struct script){.cycles = 3, .silent = 2, .odd_cycle = CRL_NONE};
        assert_int_equal(compare(&result, scripts, count, trace), 0);
        assert_int_equal(result.mismatches, 0);
        assert_int_equal(result.words, 9);
        assert_int_equal(result.cycles, 3);
        char *text = unit_contents(trace, &bytes);
        assert_string_equal(
            text, "0 0 1 1\n0 1 0 a\n0 1 1 b\n1 0 1 3e9\n1 1 0 3f2\n1 1 1 3f3\n2 0 1 7d1\n2 1 0 7da\n2 1 1 7db\n");
        free(text);
        fclose(trace);
    }
}

static void the_first_difference_is_shown_with_what_went_before(void **state)
{
    (void)state;
    for (size_t odd = 1; odd < 3; odd++) { // whoever differs, it is from the first player
        struct crl_compared result;
        struct script scripts[3];
        for (int i = 0; i < 3; i++) scripts[i] = (struct script){.cycles = 9, .silent = 1, .odd_cycle = CRL_NONE};
        scripts[odd].odd_cycle = 6;
        assert_int_equal(compare(&result, scripts, 3, NULL), 0);
        assert_int_equal(result.mismatches, 1);
        assert_int_equal(result.cycle, 5);
        assert_int_equal(scripts[0].at, 7); // stopped there
        assert_non_null(strstr(result.text, "cycle 5, node 1, port 0"));
        assert_non_null(strstr(result.text, "0:1392")); // 5010, and
        assert_non_null(strstr(result.text, "0:1393"));
        assert_non_null(strstr(result.text, "cycle 2 ")); // three before it
        assert_null(strstr(result.text, "cycle 1 "));
        assert_non_null(strstr(result.text, "three"));
    }
}

static void what_idle_links_show_is_no_difference(void **state)
{
    (void)state;
    for (uint32_t odd_cycle = 1; odd_cycle < 4; odd_cycle++) { // and hides none
        struct crl_compared result;
        struct script scripts[2] = {{.cycles = 3, .odd_cycle = CRL_NONE, .idle = 1},
                                    {.cycles = 3, .odd_cycle = odd_cycle, .idle = 2}};
        assert_int_equal(compare(&result, scripts, 2, NULL), 0);
        assert_int_equal(result.mismatches, odd_cycle < 3);
        if (odd_cycle < 3) assert_int_equal(result.cycle, odd_cycle);
        if (odd_cycle < 3) assert_non_null(strstr(result.text, "node 1, port 0"));
    }
}

static void a_word_only_one_side_sends_is_a_difference(void **state)
{
    (void)state;
    struct crl_compared result;
    struct script scripts[2] = {{.cycles = 3, .odd_cycle = CRL_NONE},
                                {.cycles = 3, .silent = 1, .odd_cycle = CRL_NONE}};
    assert_int_equal(compare(&result, scripts, 2, NULL), 0);
    assert_int_equal(result.mismatches, 3); // in the first cycle, the three words of the earlier
    assert_int_equal(result.cycle, 0);
}

static void a_player_that_ends_late_or_early_differs(void **state)
{
    (void)state;
    for (uint32_t cycles = 2; cycles <= 4; cycles += 2) { // the second; the first has 3
        struct crl_compared result;
        struct script scripts[2] = {{.cycles = 3, .odd_cycle = CRL_NONE}, {.cycles = cycles, .odd_cycle = CRL_NONE}};
        assert_int_equal(compare(&result, scripts, 2, NULL), 0);
        assert_int_equal(result.mismatches, 1);
        assert_int_equal(result.cycle, cycles < 3 ? 1 : 2);
        assert_non_null(strstr(result.text, cycles < 3 ? "two ends after cycle 1, but one plays on"
                                                       : "one ends after cycle 2, but two plays on"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_back_as_they_were_written),
        cmocka_unit_test(bad_lines_are_refused_with_their_place),
        cmocka_unit_test(like_players_agree_and_cycles_count_from_the_first_word),
        cmocka_unit_test(the_first_difference_is_shown_with_what_went_before),
        cmocka_unit_test(what_idle_links_show_is_no_difference),
        cmocka_unit_test(a_word_only_one_side_sends_is_a_difference),
        cmocka_unit_test(a_player_that_ends_late_or_early_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
