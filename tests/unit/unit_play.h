// SPDX-License-Identifier: Apache-2.0
// From a lowered schedule to its result, for tests of algorithms.
#ifndef CRL_UNIT_PLAY_H
#define CRL_UNIT_PLAY_H

#include "unit.h"

// The tables say what the schedule says.
static void unit_assert_raises(struct unit *u, const struct crl_image *image)
{
    struct crl_schedule raised;
    assert_int_equal(crl_raise(&raised, image, &u->problem, &u->diag), 0);
    unit_assert_same(&raised, &u->schedule);
    crl_schedule_done(&raised);
}

// The model plays what the schedule says, with no fault, and every node ends with what it must have.
static void unit_assert_plays(struct unit *u, const struct crl_image *image)
{
    static const char *const names[] = {"expected", "model"};
    struct crl_compared compared;
    struct crl_expected *expected;
    struct crl_model *model;
    assert_int_equal(crl_expected_new(&expected, &u->schedule, &u->problem, &image->geometry, 1, NULL), 0);
    assert_int_equal(crl_model_new(&model, image, &u->problem, 1, NULL), 0);
    struct crl_player players[] = {crl_expected_player(expected), crl_model_player(model)};
    assert_int_equal(
        crl_compare(&compared, players, names, 2, image->nodes, image->geometry.ports, NULL, NULL, NULL, NULL), 0);
    if (compared.mismatches) fail_msg("%s", compared.text);
    assert_int_equal(compared.words, crl_schedule_transmissions(&u->schedule) * image->geometry.words);
    struct crl_faults faults = crl_model_faults(model);
    assert_int_equal(faults.missing + faults.unexpected + faults.parity, 0);
    assert_string_equal(crl_oracle(image, &u->problem, 1, crl_model_memory, model, NULL), "ok");
    crl_model_free(model);
    crl_expected_free(expected);
}

#endif
