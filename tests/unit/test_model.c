// SPDX-License-Identifier: Apache-2.0
// The cycle model against the trace expected of the schedule. With --update it writes the golden traces.
#include "unit.h"
#include "unit_random.h"
#include "unit_spread.h"

static bool update;

static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather", "total-exchange"};

struct outcome {
    struct crl_compared compared;
    struct crl_faults faults;
    const char *verdict;
};

static void lower_with(struct unit *u, struct crl_image *image, uint32_t lanes, uint32_t words, uint32_t width)
{
    struct crl_lower_options options = {lanes, 0, words, width, 0, 0};
    assert_int_equal(crl_lower(image, &u->schedule, &u->problem, "test", &options, &u->diag), 0);
}

static struct outcome play(const struct unit *u, const struct crl_image *image, uint64_t seed, FILE *trace)
{
    static const char *const names[] = {"expected", "model"};
    struct outcome o;
    struct crl_expected *expected;
    struct crl_model *model;
    assert_int_equal(crl_expected_new(&expected, &u->schedule, &u->problem, &image->geometry, seed, NULL), 0);
    assert_int_equal(crl_model_new(&model, image, &u->problem, seed, NULL), 0);
    struct crl_player players[] = {crl_expected_player(expected), crl_model_player(model)};
    assert_int_equal(
        crl_compare(&o.compared, players, names, 2, image->nodes, image->geometry.ports, trace, NULL, NULL, NULL), 0);
    const uint32_t *valid;
    const uint64_t *data;
    while (!players[1].step(players[1].self, &valid, &data)) {
    } // after a difference: to the end, for what the memories hold then
    o.faults = crl_model_faults(model);
    o.verdict = crl_oracle(image, &u->problem, seed, crl_model_memory, model, NULL);
    crl_model_free(model);
    crl_expected_free(expected);
    return o;
}

static void assert_plays_well(struct unit *u, uint32_t lanes, uint32_t words, uint32_t width, uint64_t seed)
{
    struct crl_image image;
    lower_with(u, &image, lanes, words, width);
    if (crl_payload_fits(&u->problem, &image.geometry)) {
        struct outcome o = play(u, &image, seed, NULL);
        if (o.compared.mismatches) fail_msg("%s", o.compared.text);
        assert_int_equal(o.compared.words, crl_schedule_transmissions(&u->schedule) * words);
        assert_int_equal(o.faults.missing + o.faults.unexpected + o.faults.parity, 0);
        assert_string_equal(o.verdict, "ok");
    }
    crl_image_done(&image);
}

static void every_algorithm_plays_as_expected_at_every_number_of_lanes(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 5; d++)
            for (uint32_t lanes = 1; lanes <= d; lanes++) {
                struct unit u;
                unit_plan(&u, unit_schemes[k], d, (1u << d) - 1);
                for (uint32_t width = 8; width <= 64; width *= 2)
                    for (uint32_t words = 1; words <= 3; words += 2) assert_plays_well(&u, lanes, words, width, 1);
                unit_close(&u);
            }
}

static void random_schedules_play_as_expected(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct unit u;
        uint32_t d = 2 + (uint32_t)(seed % 3);
        random_schedule(&u, collectives[seed % 5], d, seed / 5 % 3 ? CRL_PORTS_ALL : CRL_PORTS_SINGLE, seed % 7,
                        seed % 4 * 2, seed);
        assert_plays_well(&u, 1 + (uint32_t)(seed / 3 % d), 1 + seed % 2, 32, seed);
        unit_close(&u);
    }
}

static void a_run_takes_the_cycles_of_all_rounds(void **state)
{
    (void)state;
    for (uint32_t words = 1; words <= 4; words++)
        for (uint32_t lanes = 1; lanes <= 3; lanes++) {
            struct unit u;
            struct crl_image image;
            struct crl_model *model;
            const uint32_t *valid;
            const uint64_t *data;
            unit_plan(&u, unit_schemes[4], 3, 0);
            lower_with(&u, &image, lanes, words, 32);
            uint32_t cycles = 4 * ((3 + lanes - 1) / lanes), steps = 1;
            struct outcome o = play(&u, &image, 2, NULL);
            assert_int_equal(image.link_cycles, cycles);
            assert_int_equal(o.compared.cycles,
                             words * (cycles + 1) - 1); // but for the one that only takes in, at the end
            assert_int_equal(crl_model_new(&model, &image, &u.problem, 2, NULL), 0);
            struct crl_player player = crl_model_player(model);
            while (!player.step(player.self, &valid, &data)) steps++;
            assert_int_equal(steps, words * (cycles + 1));
            assert_int_equal(player.step(player.self, &valid, &data), 1); // and no further
            crl_model_free(model);
            crl_image_done(&image);
            unit_close(&u);
        }
}

struct handed {
    struct crl_oracle *oracle;
    uint32_t next, calls;
};

static void take(void *user, struct crl_model *model, uint32_t first, uint32_t count)
{
    struct handed *h = user;
    assert_int_equal(first, h->next);
    assert_int_equal(count, 1);
    h->next += count;
    h->calls++;
    crl_oracle_words(h->oracle, crl_model_memory, model, first, count);
}

static void memories_are_handed_over_after_every_word(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t words = 1; words <= 9; words++)
            for (uint64_t other = 0; other < 2; other++) { // payloads of another seed are wrong
                struct unit u;
                struct crl_image image;
                struct crl_model *model;
                struct handed handed = {0};
                const uint32_t *valid;
                const uint64_t *data;
                unit_plan(&u, unit_schemes[k], 3, 0);
                lower_with(&u, &image, 3, words, 32);
                assert_int_equal(crl_oracle_new(&handed.oracle, &image, &u.problem, 2 + other, NULL), 0);
                assert_int_equal(crl_model_new(&model, &image, &u.problem, 2, NULL), 0);
                crl_model_hand_over(model, take, &handed);
                struct crl_player player = crl_model_player(model);
                while (!player.step(player.self, &valid, &data)) {
                }
                assert_int_equal(handed.next, words);
                assert_int_equal(handed.calls, words);
                assert_string_equal(crl_oracle_verdict(handed.oracle, 1, NULL), other ? "wrong" : "ok");
                if (!other) assert_string_equal(crl_oracle_verdict(handed.oracle, 2, NULL), "missing");
                crl_oracle_free(handed.oracle);
                crl_model_free(model);
                crl_image_done(&image);
                unit_close(&u);
            }
}

// ---- wrong tables

enum { RADDR, OSEL, BYP, OV, OPORT, DLY, WEN, EXP, FIELDS };

// Changes a field that matters in bank or lane `i` of the row; false if none there does.
static bool alter(const struct crl_geometry *g, struct crl_row *row, int field, uint32_t i)
{
    bool read = false;
    if (i >= (field == OSEL || field == OV || field == OPORT || field == EXP ? g->lanes : g->banks)) return false;
    for (uint32_t j = 0; j < g->lanes; j++) read |= row->lane[j].ov && row->lane[j].osel == i;
    switch (field) {
    case RADDR: row->bank[i].raddr ^= 0x40; return read && !row->bank[i].byp;
    case OSEL:
        row->lane[i].osel = (uint8_t)((row->lane[i].osel + 1u) % g->banks);
        return row->lane[i].ov && g->banks > 1;
    case BYP: row->bank[i].byp ^= 1; return read;
    case OV: row->lane[i].ov ^= 1; return true;
    case OPORT: row->lane[i].oport ^= 1; return row->lane[i].ov && g->lanes < g->ports;
    case DLY: row->bank[i].dly ^= 1; return !row->bank[i].dly;
    case WEN: row->bank[i].wen ^= 1; return !row->bank[i].wen;
    default: row->lane[i].exp ^= 1; return true;
    }
}

static void every_wrong_field_is_found_out(void **state)
{
    (void)state;
    int tried[FIELDS] = {0};
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t lanes = 1; lanes <= 3; lanes++) {
            struct unit u;
            struct crl_image image;
            unit_plan(&u, unit_schemes[k], 3, 0);
            lower_with(&u, &image, lanes, 1, 32);
            const struct crl_geometry *g = &image.geometry;
            unit_spread(&image.store, image.tables, g->rows);
            uint32_t words = crl_row_words(g), saved[16];
            for (uint32_t at = 0; at < image.tables * g->rows; at++)
                for (int field = 0; field < FIELDS; field++)
                    for (uint32_t i = 0; i < g->banks; i++) {
                        uint32_t *bits = image.store.bits + at * words;
                        struct crl_row row;
                        crl_row_unpack(g, bits, &row);
                        if (!alter(g, &row, field, i)) continue;
                        memcpy(saved, bits, sizeof *saved * words);
                        crl_row_pack(g, &row, bits);
                        struct outcome o = play(&u, &image, 1, NULL);
                        memcpy(bits, saved, sizeof *saved * words);
                        bool fault = o.faults.missing + o.faults.unexpected > 0, wrong = !strcmp(o.verdict, "wrong");
                        if (field == WEN || field == DLY) assert_true(o.compared.mismatches || wrong);
                        else if (field == EXP) assert_true(fault && !o.compared.mismatches);
                        else assert_true(o.compared.mismatches);
                        if ((field == OV || field == OPORT) && at % g->rows < g->rows - 1)
                            assert_true(fault); // but for a word nobody sees
                        if (o.compared.mismatches)
                            assert_non_null(strstr(o.compared.text, "first difference in cycle"));
                        tried[field]++;
                    }
            crl_image_done(&image);
            unit_close(&u);
        }
    for (int field = 0; field < FIELDS; field++) assert_true(tried[field] > 20);
}

// The one node and row of a scatter at which `what` is set in lane 0 for the first time.
static uint32_t *find_row(struct crl_image *image, bool out, uint32_t *node, uint32_t *number, struct crl_row *row)
{
    const struct crl_geometry *g = &image->geometry;
    for (uint32_t v = 0; v < image->nodes; v++)
        for (uint32_t r = 0; r < g->rows; r++) {
            crl_row_unpack(g, crl_image_row(image, image->node_table[v], r), row);
            if (!(out ? row->lane[0].ov : row->lane[0].exp)) continue;
            *node = v;
            *number = r;
            return image->store.bits + (image->node_table[v] * g->rows + r) * crl_row_words(g);
        }
    fail();
    return NULL;
}

static void faults_are_counted_and_the_first_is_located(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++)
        for (uint32_t words = 1; words <= 3; words++) {
            struct unit u;
            struct crl_image image;
            struct crl_row row;
            uint32_t node = 0, number = 0;
            random_schedule(&u, "scatter", 3, CRL_PORTS_ALL, 3, 0, 9); // irregular: each node has a table of its own
            lower_with(&u, &image, 3, words, 32);
            unit_spread(&image.store, image.tables, image.geometry.rows);
            uint32_t *bits = find_row(&image, what == 0, &node, &number, &row);
            if (what == 0) row.lane[0].ov = 0;
            if (what == 1) row.lane[0].exp = 0;
            crl_row_pack(&image.geometry, &row, bits);
            if (what == 2) *bits ^= 1;
            struct outcome o = play(&u, &image, 1, NULL);
            assert_int_equal(o.faults.missing, what == 0 ? words : 0); // once a round
            assert_int_equal(o.faults.unexpected, what == 1 ? words : 0);
            assert_int_equal(o.faults.parity, what == 2 ? words : 0);
            assert_int_equal(o.faults.slot, number + (what == 0)); // missed when it should come
            if (what == 0) assert_int_equal(o.faults.node, node ^ 1);
            if (what == 1) assert_int_equal(o.faults.node, node);
            if (what == 2) assert_int_equal(o.faults.node, image.node_table[node]);
            if (what != 2) assert_int_equal(o.faults.port, 0);
            crl_image_done(&image);
            unit_close(&u);
        }
}

static void memories_too_large_to_count_are_refused(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    struct crl_model *model;
    struct crl_lower_options options = {12, CRL_BANKS_MAX, 1, 32, 0, 0};
    unit_plan(&u, unit_schemes[1], 12, 0);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, NULL), 0);
    struct crl_geometry wide = image.geometry;
    wide.addr_width = 28;
    assert_int_equal(crl_image_widen(&image, &wide), 0);
    for (uint32_t i = 0; i < image.store.distinct; i++) { // reads name the last word of 2^28, writes the first ones
        uint32_t *bits = image.store.bits + (size_t)i * image.store.row_words;
        struct crl_row row;
        crl_row_unpack(&image.geometry, bits, &row);
        for (uint32_t b = 0; b < image.geometry.banks; b++) row.bank[b].raddr = (UINT32_C(1) << 28) - 1;
        crl_row_pack(&image.geometry, &row, bits);
    }
    assert_int_equal(crl_model_new(&model, &image, &u.problem, 1, &u.diag), CRL_ERR_LIMIT);
    assert_null(model);
    crl_image_done(&image);
    unit_close(&u);
}

static void golden_traces_pin_payloads_and_cycles(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t lanes = 1; lanes <= 3; lanes += 2) {
            struct unit u;
            struct crl_image image;
            char name[128];
            size_t count;
            FILE *trace = tmpfile();
            unit_plan(&u, unit_schemes[k], 3, 0);
            lower_with(&u, &image, lanes, 1, 32);
            struct outcome o = play(&u, &image, 1, trace);
            assert_int_equal(o.compared.mismatches, 0);
            char *text = unit_contents(trace, &count);
            snprintf(name, sizeof name, "traces/%s-k%u.trace", unit_schemes[k].collective, lanes);
            unit_golden(update, name, text, count);
            free(text);
            fclose(trace);
            crl_image_done(&image);
            unit_close(&u);
        }
}

int main(int argc, char **argv)
{
    update = unit_wants_update(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_plays_as_expected_at_every_number_of_lanes),
        cmocka_unit_test(random_schedules_play_as_expected),
        cmocka_unit_test(a_run_takes_the_cycles_of_all_rounds),
        cmocka_unit_test(memories_are_handed_over_after_every_word),
        cmocka_unit_test(every_wrong_field_is_found_out),
        cmocka_unit_test(faults_are_counted_and_the_first_is_located),
        cmocka_unit_test(memories_too_large_to_count_are_refused),
        cmocka_unit_test(golden_traces_pin_payloads_and_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
