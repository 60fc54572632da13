// SPDX-License-Identifier: Apache-2.0
// Nodes whose words come and leave on streams: orders, tables, model, judge.
#include "unit.h"
#include "unit_random.h"

static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather", "total-exchange"};

static void lower_streams(struct unit *u, struct crl_image *image, uint32_t lanes, uint32_t streams)
{
    struct crl_lower_options options = {.lanes = lanes, .words = 1, .data_width = 32, .streams = streams};
    int error = crl_lower(image, &u->schedule, &u->problem, "test", &options, &u->diag);
    if (error) fail_msg("%s", u->diag.text);
}

struct outcome {
    struct crl_compared compared;
    struct crl_faults faults;
    struct crl_oracle *oracle;
};

static void judge(void *user, struct crl_model *model, uint32_t first, uint32_t count)
{
    crl_oracle_words(((struct outcome *)user)->oracle, crl_model_memory, model, first, count);
}

// Plays so many rounds; returns the verdict.
static const char *play(const struct unit *u, const struct crl_image *image, uint32_t rounds, struct outcome *o)
{
    static const char *const names[] = {"expected", "model"};
    struct crl_expected *expected;
    struct crl_model *model;
    assert_int_equal(crl_expected_new(&expected, &u->schedule, &u->problem, &image->geometry, 5, NULL), 0);
    assert_int_equal(crl_model_new(&model, image, &u->problem, 5, NULL), 0);
    assert_int_equal(crl_oracle_new(&o->oracle, image, &u->problem, 5, NULL), 0);
    crl_expected_repeat(expected, rounds, crl_stream_period(image));
    crl_model_repeat(model, rounds);
    crl_model_hand_over(model, judge, o);
    struct crl_player players[] = {crl_expected_player(expected), crl_model_player(model)};
    assert_int_equal(
        crl_compare(&o->compared, players, names, 2, image->nodes, image->geometry.ports, NULL, NULL, NULL, NULL), 0);
    const uint32_t *valid;
    const uint64_t *data;
    while (!players[1].step(players[1].self, &valid, &data)) {
    }                                                                     // after a difference: to the end
    assert_int_equal(players[1].step(players[1].self, &valid, &data), 1); // and no further
    o->faults = crl_model_faults(model);
    const char *verdict = crl_oracle_verdict(o->oracle, rounds, NULL);
    crl_oracle_free(o->oracle);
    crl_model_free(model);
    crl_expected_free(expected);
    return verdict;
}

static uint64_t faults_of(const struct outcome *o)
{
    return o->faults.missing + o->faults.unexpected + o->faults.parity + o->faults.starved + o->faults.astray;
}

static void assert_plays(struct unit *u, uint32_t lanes, uint32_t streams, uint32_t rounds)
{
    struct crl_image image;
    struct crl_schedule raised;
    struct outcome o;
    lower_streams(u, &image, lanes, streams);
    assert_int_equal(image.geometry.rows, image.link_cycles ? image.link_cycles : 1);
    assert_int_equal(crl_image_validate(&image, "test", &u->diag), 0);
    assert_int_equal(crl_raise(&raised, &image, &u->problem, &u->diag), 0);
    unit_assert_same(&raised, &u->schedule);
    crl_schedule_done(&raised);
    assert_string_equal(play(u, &image, rounds, &o), "ok");
    if (o.compared.mismatches) fail_msg("%s", o.compared.text);
    assert_int_equal(o.compared.words, rounds * crl_schedule_transmissions(&u->schedule));
    assert_int_equal(faults_of(&o), 0);
    crl_image_done(&image);
}

static void every_algorithm_plays_at_every_number_of_lanes(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 4; d++)
            for (uint32_t lanes = 1; lanes <= d; lanes++) {
                struct unit u;
                unit_plan(&u, unit_schemes[k], d, (1u << d) - 1);
                for (uint32_t streams = 1; streams <= lanes; streams++) assert_plays(&u, lanes, streams, 6);
                unit_close(&u);
            }
}

// Packets that wait, that come twice, that are sent several times, in both port models.
static void random_schedules_play(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct unit u;
        uint32_t d = 2 + (uint32_t)(seed % 3);
        random_schedule(&u, collectives[seed % 5], d, seed / 5 % 3 ? CRL_PORTS_ALL : CRL_PORTS_SINGLE, seed % 7,
                        seed % 4 * 2, seed);
        uint32_t lanes = 1 + (uint32_t)(seed / 7 % d);
        assert_plays(&u, lanes, 1 + (uint32_t)(seed / 11 % lanes), 3);
        unit_close(&u);
    }
}

static void open_exchange(struct unit *u, struct crl_image *image)
{
    unit_plan(u, unit_schemes[UNIT_SCHEMES - 1], 3, 0);
    lower_streams(u, image, 3, 3);
}

// What is wrong with an image must show: in its check, in the tables read back, or in a fault.
static void a_stream_out_of_order_is_refused(void **state)
{
    struct unit u;
    struct crl_image image;
    (void)state;
    open_exchange(&u, &image);
    struct crl_place *place = image.before[0].place;
    assert_int_equal(crl_image_validate(&image, "test", &u.diag), 0);
    place[1].addr++;
    assert_int_equal(crl_image_validate(&image, "test", &u.diag), CRL_ERR_PARSE);
    place[1].addr--;
    place[0].bank = image.geometry.streams;
    assert_int_equal(crl_image_validate(&image, "test", &u.diag), CRL_ERR_PARSE);
    crl_image_done(&image);
    unit_close(&u);
}

static bool says_the_same(struct unit *u, const struct crl_image *image)
{
    struct crl_schedule raised;
    bool same = !crl_raise(&raised, image, &u->problem, &u->diag) && raised.count == u->schedule.count;
    for (size_t i = 0; same && i < raised.count; i++) same = !crl_move_compare(&raised.moves[i], &u->schedule.moves[i]);
    crl_schedule_done(&raised);
    return same;
}

// Another packet in an order, or one more or less, and the tables no longer fit.
static void orders_that_do_not_fit_the_tables_do_not_raise(void **state)
{
    (void)state;
    for (int after = 0; after < 2; after++)
        for (int less = 0; less < 2; less++) {
            struct unit u;
            struct crl_image image;
            open_exchange(&u, &image);
            struct crl_places *places = after ? image.after : image.before;
            if (less) places->count--;
            else places->place[0].dest = places->place[1].dest, places->place[0].origin = places->place[1].origin;
            assert_false(says_the_same(&u, &image));
            crl_image_done(&image);
            unit_close(&u);
        }
}

// A word that no row takes or shows, and rows after the last arrival.
static void words_and_rows_too_many_do_not_raise(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++) {
        struct unit u;
        struct crl_image image;
        if (what < 2) open_exchange(&u, &image);
        else { // in whose last cycle nothing arrives
            unit_plan(&u, unit_schemes[1], 3, 0);
            lower_streams(&u, &image, 1, 1);
        }
        struct crl_places *places = what ? image.after : image.before;
        if (what < 2) {
            struct crl_place last = places->place[places->count - 1];
            places->place = realloc(places->place, sizeof *places->place * (places->count + 1));
            last.addr++;
            places->place[places->count++] = last;
        } else {
            image.link_cycles += 3;
            image.geometry.rows += 3;
        }
        assert_int_equal(crl_image_validate(&image, "test", &u.diag), 0);
        assert_false(says_the_same(&u, &image));
        crl_image_done(&image);
        unit_close(&u);
    }
}

// Flips each bit of every row, parity with it: the trace, the judge or a fault must tell, unless the tables still say
// the same, as where something is written that nobody reads.
static void altered_tables_are_found_out(void **state)
{
    struct unit u;
    struct crl_image image;
    struct outcome o;
    uint32_t told = 0, starved = 0, astray = 0, silent = 0;
    (void)state;
    open_exchange(&u, &image);
    uint32_t bits = crl_row_bits(&image.geometry), words = image.store.row_words;
    for (uint32_t row = 0; row < image.store.distinct; row++)
        for (uint32_t bit = 1; bit < bits; bit++) {
            uint32_t *at = image.store.bits + (size_t)row * words;
            at[bit / 32] ^= UINT32_C(1) << bit % 32;
            at[0] ^= 1;
            bool means_another = !says_the_same(&u, &image);
            bool good = !strcmp(play(&u, &image, 2, &o), "ok") && !o.compared.mismatches && !faults_of(&o);
            told += !good;
            silent += good && means_another;
            starved += o.faults.starved > 0;
            astray += o.faults.astray > 0;
            at[bit / 32] ^= UINT32_C(1) << bit % 32;
            at[0] ^= 1;
        }
    assert_int_equal(silent, 0);
    assert_true(told && starved && astray);
    crl_image_done(&image);
    unit_close(&u);
}

// The same bytes come back, and everything that another program could say of lanes is refused.
static void an_image_of_few_streams_is_a_file(void **state)
{
    struct unit u;
    struct crl_image image, again;
    struct crl_container container;
    char *bytes[2];
    size_t sizes[2];
    (void)state;
    unit_plan(&u, unit_schemes[1], 3, 0);
    lower_streams(&u, &image, 3, 2);
    FILE *file = open_memstream(&bytes[0], &sizes[0]);
    assert_int_equal(crl_image_write(&image, file, &u.diag), 0);
    fclose(file);
    file = fmemopen(bytes[0], sizes[0], "rb");
    assert_int_equal(crl_container_read(&container, file, "test", &u.diag), 0);
    fclose(file);
    assert_int_equal(crl_image_parse(&again, &container, &u.diag), 0);
    crl_container_done(&container);
    file = open_memstream(&bytes[1], &sizes[1]);
    assert_int_equal(crl_image_write(&again, file, &u.diag), 0);
    fclose(file);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    assert_int_equal(crl_image_validate(&again, "test", &u.diag), 0);
    again.shown[0].place[0] = again.after[0].count;
    assert_int_equal(crl_image_validate(&again, "test", &u.diag), CRL_ERR_PARSE);
    again.shown[0].place[0] = 0;
    again.geometry.streams = 3;
    assert_int_equal(crl_image_validate(&again, "test", &u.diag), CRL_ERR_PARSE);
    crl_image_done(&again);
    crl_image_done(&image);
    free(bytes[0]);
    free(bytes[1]);
    unit_close(&u);
}

// The figures of the design: words taken by their deadlines, given in the order in which they arrive.
static void ends_are_counted(void **state)
{
    static const uint64_t slots[][2] = {{22, 15}, {11, 8}, {8, 8}}; // with 1, 2, 4 streams, and the period
    struct unit u;
    struct crl_stream_ends ends;
    (void)state;
    unit_plan(&u, unit_schemes[4], 4, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(crl_ends_measure(&ends, &u.schedule, &u.problem, 1u << i, 0), 0);
        assert_int_equal(ends.slots, slots[i][0]);
        assert_int_equal(ends.period, slots[i][1]);
        uint64_t bound;
        assert_int_equal(crl_problem_bound_ends(&bound, &u.problem, 1u << i, 0), 0);
        assert_true(bound <= ends.slots && bound >= crl_problem_bound_slots(&u.problem));
    }
    // Folded schedules count the same.
    assert_true(crl_schedule_fold(&u.schedule));
    assert_int_equal(crl_ends_measure(&ends, &u.schedule, &u.problem, 1, 0), 0);
    assert_int_equal(ends.slots, 22);
    unit_close(&u);
}

// Exchanges planned for few streams: slots end to end, in no more slots than a round takes for its links or its words.
static void exchanges_know_of_streams(void **state)
{
    static const struct {
        const char *topology;
        uint32_t streams, ends, period;
        const char *latency;
    } cases[] = {
        {"hypercube:3", 1, 8, 7, NULL},   {"hypercube:4", 1, 17, 15, NULL},      {"hypercube:4", 2, 10, 8, NULL},
        {"hypercube:5", 1, 33, 31, NULL}, {"torus:4x4", 1, 17, 15, NULL},        {"torus:4x4", 2, 10, 8, NULL},
        {"torus:3x5", 2, 9, 9, NULL},     {"ghc:3x4", 1, 12, 11, NULL},          {"mesh:3x3", 1, 10, 8, NULL},
        {"mesh:4x4", 1, 18, 16, NULL},    {"mesh:4x4", 2, 16, 16, NULL},         {"hypercube:6", 1, 66, 63, NULL},
        {"torus:8x8", 1, 70, 64, NULL},   {"hypercube:4", 1, 22, 15, "3"},       {"torus:4x4", 1, 19, 15, "2"},
        {"hypercube:3", 1, 12, 9, "3"},   {"hypercube:4", 1, 21, 15, "1,2,3,4"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unit u = {.topology = NULL};
        struct crl_stream_ends ends;
        struct crl_report report;
        const struct crl_algorithm *algorithm;
        uint64_t bound;
        assert_int_equal(crl_topology_parse(&u.topology, cases[i].topology, &u.diag), 0);
        if (cases[i].latency) assert_int_equal(crl_topology_set_latency(u.topology, cases[i].latency, &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, "total-exchange", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
        u.problem.words_a_slot = cases[i].streams;
        assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, "streamed", &u.diag), 0);
        if (crl_plan(&u.schedule, algorithm, &u.problem, &u.diag)) fail_msg("%s: %s", cases[i].topology, u.diag.text);
        assert_int_equal(unit_check(&u, &report), 0);
        assert_int_equal(report.violations + report.warnings, 0);
        crl_report_done(&report);
        assert_int_equal(crl_ends_measure(&ends, &u.schedule, &u.problem, cases[i].streams, 0), 0);
        if (ends.slots > cases[i].ends || ends.period > cases[i].period)
            fail_msg("%s, %u streams: %u slots, period %u", cases[i].topology, cases[i].streams, (unsigned)ends.slots,
                     (unsigned)ends.period);
        uint32_t slots = crl_schedule_slots(&u.schedule);
        assert_int_equal(crl_problem_bound_ends(&bound, &u.problem, cases[i].streams, slots), 0);
        assert_true(bound <= ends.slots);
        unit_close(&u);
    }
}

// Rounds that keep all links busy take words before the first slot of the links, and give them after the last.
static void dense_rounds_take_longer_from_end_to_end(void **state)
{
    static const struct {
        const char *topology;
        uint32_t streams, round, any, dense;
    } cases[] = {
        {"torus:4x4", 2, 8, 9, 10},     {"torus:8x8", 1, 64, 67, 70},   {"torus:4x4", 1, 15, 17, 17},
        {"hypercube:5", 2, 16, 18, 20}, {"hypercube:6", 2, 32, 34, 36}, {"torus:4x4x4", 2, 32, 34, 36},
        {"mesh:4x4", 2, 16, 16, 16},    {"torus:4x4", 4, 8, 8, 8},      {"mesh:3x3", 1, 8, 9, 10},
        {"mesh:4x4", 1, 16, 17, 18},    {"mesh:6x6", 1, 54, 54, 56},    {"mesh:4x6", 1, 36, 36, 36},
        {"path:6", 1, 9, 9, 9},         {"mesh:5x5", 2, 30, 30, 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unit u = {.topology = NULL};
        uint64_t round, any, dense;
        assert_int_equal(crl_topology_parse(&u.topology, cases[i].topology, &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, "total-exchange", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
        assert_int_equal(crl_problem_bound_round(&round, &u.problem, cases[i].streams), 0);
        assert_int_equal(crl_problem_bound_ends(&any, &u.problem, cases[i].streams, 0), 0);
        assert_int_equal(crl_problem_bound_ends(&dense, &u.problem, cases[i].streams, round), 0);
        assert_int_equal(round, cases[i].round);
        assert_int_equal(any, cases[i].any);
        assert_int_equal(dense, cases[i].dense);
        unit_close(&u);
    }
}

static void streams_must_be_as_many_as_lanes_at_most(void **state)
{
    struct unit u;
    struct crl_image image;
    struct crl_lower_options options = {.words = 1, .data_width = 32, .streams = 4};
    (void)state;
    unit_plan(&u, unit_schemes[0], 3, 0);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), CRL_ERR_ARGUMENT);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_plays_at_every_number_of_lanes),
        cmocka_unit_test(random_schedules_play),
        cmocka_unit_test(a_stream_out_of_order_is_refused),
        cmocka_unit_test(orders_that_do_not_fit_the_tables_do_not_raise),
        cmocka_unit_test(words_and_rows_too_many_do_not_raise),
        cmocka_unit_test(altered_tables_are_found_out),
        cmocka_unit_test(an_image_of_few_streams_is_a_file),
        cmocka_unit_test(ends_are_counted),
        cmocka_unit_test(exchanges_know_of_streams),
        cmocka_unit_test(dense_rounds_take_longer_from_end_to_end),
        cmocka_unit_test(streams_must_be_as_many_as_lanes_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
