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

// ---------------------------------------------------------------- random words, spelled out

enum { NODES = 4, PORTS_MAX = 70, MASKS_MAX = 3, CYCLES = 7, PLAYERS = 3 };

struct words {
    uint32_t ports, cycle;
    bool there[CYCLES][NODES][PORTS_MAX];
    uint64_t data[CYCLES][NODES][PORTS_MAX]; // of idle links too
    uint32_t valid[NODES * MASKS_MAX];
    uint64_t shown[NODES * PORTS_MAX];
};

static int show_words(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct words *w = self;
    uint32_t masks = (w->ports + 31) / 32;
    memset(w->valid, 0, sizeof w->valid);
    for (uint32_t v = 0; v < NODES; v++)
        for (uint32_t p = 0; p < w->ports; p++) {
            w->valid[v * masks + p / 32] |= (uint32_t)w->there[w->cycle][v][p] << p % 32;
            w->shown[v * w->ports + p] = w->data[w->cycle][v][p];
        }
    *valid = w->valid;
    *data = w->shown;
    return ++w->cycle == CYCLES;
}

// All players show the same words; every link of some nodes is busy at times.
static void draw_words(struct words *w, uint32_t ports, uint64_t *random)
{
    uint32_t dense = 1 + unit_below(random, 3);
    w[0] = (struct words){.ports = ports};
    for (uint32_t c = 0; c < CYCLES; c++)
        for (uint32_t v = 0; v < NODES; v++) {
            bool idle = !unit_below(random, 3);
            for (uint32_t p = 0; p < ports; p++) {
                w[0].there[c][v][p] = (c == 0 && v == 1 && p == 0) || (!idle && !unit_below(random, dense));
                w[0].data[c][v][p] = unit_random(random) >> unit_below(random, 64);
            }
        }
    for (int i = 1; i < PLAYERS; i++) {
        w[i] = w[0];
        for (uint32_t c = 0; c < CYCLES; c++)
            for (uint32_t v = 0; v < NODES; v++)
                for (uint32_t p = 0; p < ports; p++)
                    if (!w[0].there[c][v][p]) w[i].data[c][v][p] = unit_random(random);
    }
}

static bool alike(const struct words *a, const struct words *b, uint32_t c, uint32_t v, uint32_t p)
{
    return a->there[c][v][p] == b->there[c][v][p] && (!a->there[c][v][p] || a->data[c][v][p] == b->data[c][v][p]);
}

// What is said of the first difference of two players, at this cycle and node: three cycles before it, too.
static void describe(char *text, size_t size, const struct words *w, uint32_t cycle, uint32_t node, uint32_t port)
{
    static const char *const names[] = {"one", "two", "three"};
    size_t used = (size_t)snprintf(text, size, "first difference in cycle %u, node %u, port %u\n", cycle, node, port);
    for (uint32_t c = cycle < 3 ? 0 : cycle - 3; c <= cycle; c++)
        for (int i = 0; i < PLAYERS; i++) {
            used += (size_t)snprintf(text + used, size - used, "  cycle %-6u %-8s", c, names[i]);
            for (uint32_t p = 0; p < w->ports; p++)
                if (w[i].there[c][node][p])
                    used += (size_t)snprintf(text + used, size - used, " %u:%llx", p,
                                             (unsigned long long)w[i].data[c][node][p]);
                else if (w->ports <= 32) used += (size_t)snprintf(text + used, size - used, " %u:-", p);
            used += (size_t)snprintf(text + used, size - used, "\n");
        }
}

// What the library tells other processes that share the run, and what it hears of them.
struct others {
    uint32_t told, tell;
};

static int agree(void *user, uint32_t *bits)
{
    struct others *o = user;
    o->told |= *bits;
    *bits |= o->tell;
    return 0;
}

static bool step_of(void *user, uint64_t cycle)
{
    uint32_t *count = user;
    assert_int_equal(cycle, (*count)++);
    return true;
}

// Compares nodes [first, first + 2) of all, or all of them, and judges that itself.
static void compare_words(struct words *w, bool shared, uint32_t rank)
{
    static const char *const names[] = {"one", "two", "three"};
    struct others others = {0};
    const struct carillon_share share = {.rank = rank, .ranks = 2, .agree = agree, .user = &others};
    const struct crl_context context = {.share = shared ? &share : NULL};
    struct crl_player players[PLAYERS];
    struct crl_compared result;
    uint32_t first = shared ? 2 * rank : 0, end = shared ? first + 2 : NODES, steps = 0, cycles = CYCLES,
             begin = CYCLES;
    for (int i = 0; i < PLAYERS; i++) players[i] = (struct crl_player){.self = &w[i], .step = show_words};
    assert_int_equal(
        crl_compare_share(&result, players, names, PLAYERS, NODES, w->ports, &context, NULL, step_of, &steps, NULL), 0);
    uint64_t mismatches = 0, words = 0;
    uint32_t node = 0, port = 0, odd = 0, last = 0;
    for (uint32_t c = 0; c < CYCLES && !mismatches; c++) {
        for (uint32_t v = first; v < end; v++)
            for (uint32_t p = 0; p < w->ports; p++)
                for (int i = 0; i < PLAYERS; i++)
                    if (w[i].there[c][v][p] && c < begin) begin = c;
        for (int i = 1; i < PLAYERS && !mismatches; i++)
            for (uint32_t v = first; v < end; v++)
                for (uint32_t p = 0; p < w->ports; p++) {
                    if (alike(&w[0], &w[i], c, v, p)) continue;
                    if (!mismatches++) {
                        node = v;
                        port = p;
                        cycles = c;
                    }
                }
        for (uint32_t v = first; v < end && !mismatches; v++)
            for (uint32_t p = 0; p < w->ports; p++) {
                words += w[0].there[c][v][p];
                if (w[0].there[c][v][p]) last = c + 1;
            }
    }
    odd = mismatches > 0;
    assert_int_equal(result.mismatches, mismatches);
    assert_int_equal(result.stopped, odd);
    assert_int_equal(result.words, words);
    if (begin) return; // cycles count from the first word, which may come later in a part
    assert_int_equal(result.cycles, last);
    assert_int_equal(steps, cycles);
    if (shared) assert_int_equal(others.told, 1 | odd << 1);
    if (!odd) return;
    static char text[1 << 15]; // for more than there is room for
    describe(text, sizeof text, w, cycles, node, port);
    text[sizeof result.text - 1] = 0; // what does not fit is cut off
    assert_string_equal(result.text, text);
}

static void any_one_wrong_word_is_found_and_shown(void **state)
{
    (void)state;
    static const uint32_t ports[] = {2, 31, 32, 33, 64, 70};
    static struct words w[PLAYERS];
    uint64_t random = 51;
    for (int round = 0; round < 600; round++) {
        draw_words(w, ports[round % 6], &random);
        uint32_t c = unit_below(&random, CYCLES), v = unit_below(&random, NODES), p = unit_below(&random, w->ports);
        struct words *odd = &w[1 + unit_below(&random, PLAYERS - 1)];
        if (round % 4 == 0) odd->there[c][v][p] ^= 1;
        if (round % 4 == 1)
            odd->data[c][v][p] ^= UINT64_C(1) << unit_below(&random, 64); // of an idle link: no difference
        if (round % 4 == 2)
            for (uint32_t q = 0; q < w->ports; q++) odd->there[c][v][q] ^= unit_below(&random, 2);
        compare_words(w, round / 6 % 3, (uint32_t)(round / 6 % 3) - 1);
    }
}

// The digests of the parts of a shared run add up to one that any bit of any word changes.
static void digests_of_parts_add_up(void **state)
{
    (void)state;
    static struct words w[2];
    static const char *const names[] = {"one", "two"};
    uint64_t random = 52;
    for (uint32_t ports = 1; ports <= PORTS_MAX; ports += 23) {
        struct words *all = calloc(PLAYERS, sizeof *all);
        assert_non_null(all);
        draw_words(all, ports, &random);
        uint64_t whole[3];
        for (int round = 0; round < 3; round++) { // as it is, with one word changed, as it is but by one player more
            uint64_t digest[3];
            for (uint32_t rank = 0; rank < 3; rank++) { // parts 0 and 1, then all
                struct others others = {.tell = 1};
                const struct carillon_share share = {
                    .rank = rank % 2, .ranks = rank < 2 ? 2 : 1, .agree = agree, .user = &others};
                const struct crl_context context = {.share = &share};
                struct crl_compared result;
                for (int i = 0; i < 2; i++) w[i] = all[0];
                for (int i = 0; i < 2 && round == 1; i++) w[i].data[0][1][0] ^= 1;
                struct crl_player players[] = {{.self = &w[0], .step = show_words},
                                               {.self = &w[1], .step = show_words}};
                assert_int_equal(crl_compare_share(&result, players, names, 1 + (round == 2), NODES, ports, &context,
                                                   NULL, NULL, NULL, NULL),
                                 0);
                digest[rank] = result.digest;
            }
            assert_true(digest[0] + digest[1] == digest[2]);
            whole[round] = digest[2];
        }
        assert_true(whole[0] != whole[1] && whole[0] == whole[2] && whole[0]);
        free(all);
    }
}

// What another process finds ends the run here, too, and where nothing begins here it may begin there.
static void others_stop_the_run_and_begin_it(void **state)
{
    (void)state;
    static struct words w[2];
    static const char *const names[] = {"one", "two"};
    for (uint32_t tell = 0; tell < 4; tell++) {
        struct others others = {.tell = tell};
        const struct carillon_share share = {.rank = 0, .ranks = 1, .agree = agree, .user = &others};
        const struct crl_context context = {.share = &share};
        struct crl_compared result;
        uint32_t steps = 0;
        for (int i = 0; i < 2; i++) w[i] = (struct words){.ports = 3};
        struct crl_player players[] = {{.self = &w[0], .step = show_words}, {.self = &w[1], .step = show_words}};
        assert_int_equal(crl_compare_share(&result, players, names, 2, NODES, 3, &context, NULL, step_of, &steps, NULL),
                         0);
        assert_int_equal(result.stopped, tell >> 1);
        assert_int_equal(w[0].cycle, tell & 2 ? 1 : CYCLES);
        assert_int_equal(steps, tell == 1 ? CYCLES : 0);
        assert_int_equal(result.mismatches + result.words + result.cycles, 0);
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
        cmocka_unit_test(any_one_wrong_word_is_found_and_shown),
        cmocka_unit_test(digests_of_parts_add_up),
        cmocka_unit_test(others_stop_the_run_and_begin_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
