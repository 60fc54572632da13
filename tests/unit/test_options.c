// SPDX-License-Identifier: Apache-2.0
// Options of programs that were compiled for another version: shorter ones count, longer ones and those without a size
// are refused.
#include "unit.h"
#include <carillon/carillon.h>
#include <stddef.h>
#include <string.h>

// The fields before this one are those of an earlier version; what lies behind them is not the library's to touch.
enum { EARLIER = offsetof(struct carillon_options, effort) };

static int bound_of(const struct carillon_options *options, struct crl_diag *diag)
{
    struct carillon_problem *problem;
    int error = carillon_problem_new(&problem, NULL, "all-reduce", "ring:4", options, diag);
    carillon_problem_free(problem);
    return error;
}

static void an_earlier_program_has_its_options_and_defaults_for_the_rest(void **state)
{
    (void)state;
    struct crl_diag diag = {0};
    struct carillon_options options, before;
    memset(&options, 0xa5, sizeof options);
    before = options;
    carillon_options_init(&options, EARLIER);
    assert_memory_equal((char *)&options + EARLIER, (char *)&before + EARLIER, sizeof options - EARLIER);
    assert_int_equal(options.size, EARLIER);
    assert_int_equal(options.seed, 1);
    assert_int_equal(bound_of(&options, &diag), 0);
    options.ports = "twofold";
    assert_int_equal(bound_of(&options, &diag), CRL_ERR_ARGUMENT);

    // Nor does it read them where they are.
    struct carillon_options full = carillon_defaults();
    full.size = EARLIER;
    full.rho = "x"; // means nothing for a collective
    assert_int_equal(bound_of(&full, &diag), 0);
    full.size = sizeof full;
    assert_int_equal(bound_of(&full, &diag), CRL_ERR_ARGUMENT);
}

static void an_earlier_program_cannot_set_what_it_does_not_know(void **state)
{
    (void)state;
    struct crl_diag diag = {0};
    struct carillon_options options = carillon_defaults();
    size_t count, refused = 0;
    const struct carillon_option *rows = carillon_option_table(&count);
    options.size = EARLIER;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].kind != CARILLON_NUMBER) continue;
        struct carillon_options before = options;
        int error = carillon_option_set(&rows[i], &options, "16", &diag);
        if (rows[i].offset < EARLIER) continue;
        assert_int_equal(error, CRL_ERR_ARGUMENT);
        assert_non_null(strstr(diag.text, "not among the options"));
        assert_memory_equal(&before, &options, sizeof options);
        refused++;
    }
    assert_true(refused > 0);
}

static void a_later_program_and_one_that_set_nothing_are_refused(void **state)
{
    (void)state;
    struct crl_diag diag = {0};
    struct {
        struct carillon_options options;
        uint64_t later;
    } two;
    carillon_options_init(&two.options, sizeof two);
    assert_int_equal(two.later, 0);
    assert_int_equal(bound_of(&two.options, &diag), CRL_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "compiled for a later one"));
    char *json;
    assert_int_equal(carillon_front(&json, NULL, "all-reduce", "ring:4", &two.options, &diag), CRL_ERR_ARGUMENT);
    assert_int_equal(carillon_board("list", NULL, &two.options, NULL, NULL, NULL, &json, &diag), CRL_ERR_ARGUMENT);
    struct carillon_image *image;
    assert_int_equal(carillon_board_image(&image, NULL, &two.options, NULL, NULL, &diag), CRL_ERR_ARGUMENT);
    assert_int_equal(carillon_image_read(&image, NULL, NULL, &two.options, stdin, "-", &diag), CRL_ERR_ARGUMENT);
    char key[256];
    assert_int_equal(carillon_traffic_key(key, sizeof key, "indirect", "hypercube:3", 0.1, &two.options, &diag),
                     CRL_ERR_ARGUMENT);
    assert_int_equal(bound_of(&(struct carillon_options){0}, &diag), CRL_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "carillon_defaults()"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_earlier_program_has_its_options_and_defaults_for_the_rest),
        cmocka_unit_test(an_earlier_program_cannot_set_what_it_does_not_know),
        cmocka_unit_test(a_later_program_and_one_that_set_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
