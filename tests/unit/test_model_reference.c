// SPDX-License-Identifier: Apache-2.0
// The cycle model, which plays many nodes at once and only rows that do something, against a second writing of row.md:
// whatever the tables say, both send the same words, find the same faults and end with the same memories.
#include "unit_random.h"
#include "unit_reference.h"
#include "unit_spread.h"

struct tally {
    unsigned faulty, clean, many_tables;
};

static void assert_alike(const struct unit *u, const struct crl_image *image, struct tally *tally)
{
    struct reference reference = reference_new(image, &u->problem, 3);
    struct crl_model *model;
    assert_int_equal(crl_model_new(&model, image, &u->problem, 3, NULL), 0);
    struct crl_player player = crl_model_player(model);
    const uint32_t *valid;
    const uint64_t *data;
    uint32_t ports = image->geometry.ports;
    for (int last = 0; !last;) {
        last = player.step(player.self, &valid, &data);
        assert_int_equal(reference_step(&reference), last);
        assert_memory_equal(valid, reference.valid, sizeof *valid * image->nodes);
        for (uint32_t v = 0; v < image->nodes; v++)
            for (uint32_t p = 0; p < ports; p++)
                if (valid[v] >> p & 1) assert_true(data[v * ports + p] == reference.data[v * ports + p]);
    }
    struct crl_faults a = crl_model_faults(model), b = reference.faults;
    assert_true(a.missing == b.missing && a.unexpected == b.unexpected && a.parity == b.parity);
    assert_true(a.node == b.node && a.port == b.port && a.slot == b.slot);
    for (uint32_t v = 0; v < image->nodes; v++) {
        const struct crl_places *after = &image->after[image->folded ? 0 : v];
        for (uint32_t i = 0; i < after->count; i++)
            for (uint32_t w = 0; w < image->geometry.words; w++) {
                uint64_t word;
                crl_model_memory(model, v, 1, after->place[i].bank, w, after->place[i].addr, &word);
                assert_true(word == *reference_word(&reference, v, after->place[i].bank, w, after->place[i].addr));
            }
    }
    *(a.missing + a.unexpected + a.parity ? &tally->faulty : &tally->clean) += 1;
    tally->many_tables += image->tables > 1;
    crl_model_free(model);
    reference_done(&reference);
}

// Flips bits anywhere in the tables; half the time so that the parity stays right.
static void damage(struct crl_image *image, uint32_t flips, uint64_t *random)
{
    struct crl_row_store *s = &image->store;
    unit_spread(s, image->tables, image->geometry.rows);
    for (; flips; flips--) {
        uint32_t *bits = s->bits + (size_t)unit_below(random, s->distinct) * s->row_words;
        uint32_t bit = unit_below(random, crl_row_bits(&image->geometry));
        bits[bit / 32] ^= UINT32_C(1) << bit % 32;
        if (unit_below(random, 2)) bits[0] ^= 1;
    }
}

static void cubes_and_all_schemes(void **state)
{
    (void)state;
    uint64_t random = 21;
    struct tally tally = {0};
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 4; d++)
            for (uint32_t lanes = 1; lanes <= d; lanes++)
                for (uint32_t flips = 0; flips < 40; flips = flips * 3 + 1) {
                    struct unit u;
                    struct crl_image image;
                    struct crl_lower_options options = UNIT_LOWER(lanes, 0, 1 + unit_below(&random, 3), 32, 0);
                    unit_plan(&u, unit_schemes[k], d, 0);
                    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
                    if (flips) damage(&image, flips, &random);
                    assert_alike(&u, &image, &tally);
                    crl_image_done(&image);
                    unit_close(&u);
                }
    assert_true(tally.faulty > 50 && tally.clean > 50 && tally.many_tables > 50);
}

// Nodes have tables of their own, and many rows are idle.
static void random_schedules(void **state)
{
    (void)state;
    static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather",
                                              "total-exchange"};
    uint64_t random = 22;
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < 120; seed++) {
        struct unit u;
        struct crl_image image;
        uint32_t d = 2 + (uint32_t)(seed % 3);
        struct crl_lower_options options = {1 + (uint32_t)(seed / 3 % d), 0, 1 + (uint32_t)(seed % 2), 64, 0, 0};
        random_schedule(&u, collectives[seed % 5], d, seed / 5 % 3 ? CRL_PORTS_ALL : CRL_PORTS_SINGLE, seed % 7,
                        seed % 4, seed);
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
        if (seed % 3) damage(&image, 1 + unit_below(&random, 8), &random);
        assert_alike(&u, &image, &tally);
        crl_image_done(&image);
        unit_close(&u);
    }
    assert_true(tally.faulty > 30 && tally.clean > 30 && tally.many_tables > 80);
}

// A row may read what the row before it wrote: it still gets what was there before, in whatever order banks are served.
static void a_read_right_after_a_write_sees_the_old_word(void **state)
{
    (void)state;
    uint64_t random = 23;
    struct tally tally = {0};
    for (int round = 0; round < 200; round++) {
        struct unit u;
        struct crl_image image;
        struct crl_lower_options options = {2, 0, 2, 32, 0, 0};
        unit_plan(&u, unit_schemes[4], 4, 0);
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
        unit_spread(&image.store, image.tables, image.geometry.rows);
        assert_true(image.geometry.waddr_field);
        for (uint32_t r = 0; r < image.geometry.rows; r++) {
            struct crl_row row;
            uint32_t *bits = image.store.bits + r * image.store.row_words;
            crl_row_unpack(&image.geometry, bits, &row);
            for (uint32_t b = 0; b < image.geometry.banks; b++) { // a few addresses only
                row.bank[b].raddr = unit_below(&random, 3);
                row.bank[b].waddr = unit_below(&random, 3);
            }
            crl_row_pack(&image.geometry, &row, bits);
        }
        assert_alike(&u, &image, &tally);
        crl_image_done(&image);
        unit_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubes_and_all_schemes),
        cmocka_unit_test(random_schedules),
        cmocka_unit_test(a_read_right_after_a_write_sees_the_old_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
