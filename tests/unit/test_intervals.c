// SPDX-License-Identifier: Apache-2.0
// Partial multinode broadcasts back to back: delay below Eq. (11), limit as Eq. (14) of Varvarigos & Bertsekas 1994,
// both written down here once more, and growth without end where the load is more than the links carry.
#include "unit.h"
#include <carillon/online.h>
#include <math.h>

static struct crl_intervals_result play(const char *spec, double rho, double tp)
{
    struct crl_topology *topology;
    struct crl_diag diag = {0};
    struct crl_intervals_options options = {.rho = rho, .tp = tp, .slots = 10000, .warmup = 1000, .seed = 7};
    struct crl_intervals_result result;
    assert_int_equal(crl_topology_parse(&topology, spec, &diag), 0);
    assert_int_equal(crl_intervals_run(&result, topology, &options, &diag), 0);
    crl_topology_free(topology);
    return result;
}

static void check_network(const char *spec, double gamma)
{
    static const double part[] = {0.2, 0.4, 0.6, 0.9};
    const double tp = 0.1, p = 8, d = 2, N = 64;
    double V = 2 * d * (p - 1) * tp + (1 + 1 / gamma) * (p - 1), X = (N - 1) / N / (gamma * d);
    double limit = 1 / (1 + d * gamma * V / (N - 1));
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        double rho = part[i] * limit, lambda = rho / (N * X), left = 1 - rho - lambda * V;
        double bound = (1 + rho) * (rho * X / 2 + (1 - rho) * V / 2 + (1 - lambda * V) * V) / left + X;
        struct crl_intervals_result r = play(spec, rho, tp);
        print_message("%s at %.1f of the limit %.3f: delay %.2f ± %.2f, bound %.2f\n", spec, part[i], limit,
                      r.delay.mean, r.delay.ci95, bound);
        assert_true(fabs(r.limit - limit) < 1e-9);
        assert_true(fabs(r.bound - bound) < 1e-6);
        assert_true(r.delay.mean + r.delay.ci95 < bound);
        assert_true(r.stable);
        assert_true(r.packets > 0);
    }
    assert_false(play(spec, 1.2, tp).stable);
}

static void test_torus(void **state)
{
    (void)state;
    check_network("torus:8x8", 2);
}

static void test_array(void **state)
{
    (void)state;
    check_network("mesh:8x8", 1);
}

static void test_other(void **state)
{
    (void)state;
    assert_true(isnan(play("torus:4x4", 1.1, 1).bound));
    assert_true(play("mesh:5x3", 0.1, 0).delay.mean > 0); // counting for nothing: time must not stand still
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
