// SPDX-License-Identifier: Apache-2.0
// What an image holds and what it does not: rows once, idle ones never, nothing in fields that act on nothing.
#include "image/row.h"
#include "unit_image.h"
#include "unit_spread.h"

static char *written(const struct crl_image *image, size_t *count)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(crl_image_write(image, file, NULL), 0);
    char *bytes = unit_contents(file, count);
    fclose(file);
    return bytes;
}

static int read_bytes(struct crl_image *image, char *bytes, size_t count, struct crl_diag *diag)
{
    FILE *file = fmemopen(bytes, count, "rb");
    assert_non_null(file);
    int error = read_image(image, file, "test.img", diag);
    fclose(file);
    return error;
}

static void lower_with(struct unit *u, struct crl_image *image, uint32_t lanes)
{
    struct crl_lower_options options = {lanes, 0, 1, 32, 0, 0};
    assert_int_equal(crl_lower(image, &u->schedule, &u->problem, "test", &options, &u->diag), 0);
}

static void assert_refused(const struct crl_image *image, const char *why)
{
    struct crl_image back;
    struct crl_diag diag;
    size_t count;
    char *bytes = written(image, &count);
    assert_int_equal(read_bytes(&back, bytes, count, &diag), CRL_ERR_PARSE);
    if (!strstr(diag.text, why)) fail_msg("'%s' does not say '%s'", diag.text, why);
    free(bytes);
}

static void other_versions_are_refused_with_both_named(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image, back;
    size_t count;
    unit_plan(&u, unit_schemes[4], 2, 0);
    lower_with(&u, &image, 2);
    char *bytes = written(&image, &count);
    bytes[8] = 1; // the version
    mend(bytes, count);
    assert_int_equal(read_bytes(&back, bytes, count, &u.diag), CRL_ERR_PARSE);
    assert_non_null(strstr(u.diag.text, "version 1"));
    assert_non_null(strstr(u.diag.text, "version 2"));
    free(bytes);
    crl_image_done(&image);
    unit_close(&u);
}

static void rows_are_held_once_and_idle_rows_not_at_all(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t lanes = 1; lanes <= 4; lanes++) {
            struct unit u;
            struct crl_image image;
            unit_plan(&u, unit_schemes[k], 4, 5);
            lower_with(&u, &image, lanes);
            const struct crl_row_store *s = &image.store;
            size_t size = s->row_words * sizeof *s->bits;
            for (uint32_t i = 0; i < s->distinct; i++) {
                bool idle = true;
                for (uint32_t w = 0; w < s->row_words; w++) idle &= !s->bits[i * s->row_words + w];
                assert_false(idle);
                for (uint32_t j = 0; j < i; j++)
                    assert_memory_not_equal(s->bits + i * s->row_words, s->bits + j * s->row_words, size);
            }
            // One by one and all together they are the same, and there are no more than transmissions at both ends.
            uint32_t *dense = malloc(image.geometry.rows * size);
            size_t active = 0;
            for (uint32_t t = 0; t < image.tables; t++) {
                crl_row_store_table(s, t, image.geometry.rows, dense);
                for (uint32_t r = 0; r < image.geometry.rows; r++)
                    assert_memory_equal(crl_image_row(&image, t, r), dense + r * s->row_words, size);
                active += s->first[t + 1] - s->first[t];
            }
            assert_true(active <= 2 * u.schedule.count);
            free(dense);
            crl_image_done(&image);
            unit_close(&u);
        }
}

// A row's fields that act on nothing are zero; a reader does not take anything else.
static void fields_that_act_on_nothing_must_be_zero(void **state)
{
    (void)state;
    unsigned tried = 0;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t lanes = 1; lanes <= 3; lanes++) {
            struct unit u;
            struct crl_image image;
            unit_plan(&u, unit_schemes[k], 3, 0);
            lower_with(&u, &image, lanes);
            const struct crl_geometry g = image.geometry;
            uint32_t mask[CRL_ROW_WORDS_MAX], saved[CRL_ROW_WORDS_MAX], words = image.store.row_words;
            for (uint32_t i = 0; i < image.store.first[1]; i++) {
                struct crl_row row, next;
                uint32_t number = image.store.use[i].row, *bits = image.store.bits + image.store.use[i].bits * words;
                crl_row_unpack(&g, bits, &row);
                if (number + 1 < g.rows) crl_row_unpack(&g, crl_image_row(&image, 0, number + 1), &next);
                crl_row_used(&g, &row, number + 1 < g.rows ? &next : NULL, mask);
                for (uint32_t bit = 1; bit < crl_row_bits(&g); bit++) {
                    if (mask[bit / 32] >> bit % 32 & 1) continue;
                    memcpy(saved, bits, sizeof *bits * words);
                    bits[bit / 32] ^= UINT32_C(1) << bit % 32;
                    bits[0] ^= 1; // so the parity is right
                    assert_refused(&image, "in a field that it does not use");
                    memcpy(bits, saved, sizeof *bits * words);
                    tried++;
                }
            }
            crl_image_done(&image);
            unit_close(&u);
        }
    assert_true(tried > 500);
}

static void stores_that_lowering_would_not_make_are_refused(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    unit_plan(&u, unit_schemes[0], 3, 0);
    lower_with(&u, &image, 3);
    struct crl_row_store *s = &image.store;
    struct crl_row_use saved = s->use[1];

    s->use[1].row = s->use[0].row; // of a table of two rows or more
    assert_true(s->first[1] >= 2);
    assert_refused(&image, "out of order");
    s->use[1].row = image.geometry.rows;
    assert_refused(&image, "out of range");
    s->use[1] = saved;
    s->use[0].bits = 1;
    assert_refused(&image, "in the order of their use");
    s->use[0].bits = 0;
    for (size_t i = s->first[image.tables]; i-- > 0;)
        if (s->use[i].bits == s->distinct - 1) s->use[i].bits = 0;
    assert_refused(&image, "that no table uses");
    crl_image_done(&image);

    lower_with(&u, &image, 3);
    memcpy(s->bits + s->row_words, s->bits, s->row_words * sizeof *s->bits);
    assert_refused(&image, "held twice");
    memset(s->bits + s->row_words, 0, s->row_words * sizeof *s->bits);
    assert_refused(&image, "idle");
    crl_image_done(&image);

    lower_with(&u, &image, 3);
    image.geometry.rows++; // and nothing happens in the last
    image.link_cycles++;
    assert_refused(&image, "impossible counts");
    crl_image_done(&image);
    unit_close(&u);
}

// Twice the nodes are a bit more than twice the transmissions of a scatter, and so much is its image.
static void images_grow_with_transmissions(void **state)
{
    (void)state;
    double per_move[2];
    for (int i = 0; i < 2; i++) {
        struct unit u;
        struct crl_image image;
        size_t count;
        unit_plan(&u, unit_schemes[2], i ? 12 : 9, 0);
        lower_with(&u, &image, i ? 12 : 9);
        free(written(&image, &count));
        per_move[i] = (double)count / (double)u.schedule.count;
        crl_image_done(&image);
        unit_close(&u);
    }
    assert_true(per_move[1] < 40 && per_move[1] < 1.1 * per_move[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_versions_are_refused_with_both_named),
        cmocka_unit_test(rows_are_held_once_and_idle_rows_not_at_all),
        cmocka_unit_test(fields_that_act_on_nothing_must_be_zero),
        cmocka_unit_test(stores_that_lowering_would_not_make_are_refused),
        cmocka_unit_test(images_grow_with_transmissions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
