// SPDX-License-Identifier: Apache-2.0
// Partial multinode broadcasts back to back: delay below Eq. (11), limit as Eq. (14) of Varvarigos & Bertsekas 1994,
// both written down here once more, and growth without end where the load is more than the links carry.
#include "unit.h"
#include "machine/online/online.h"
#include <math.h>

// What an engine that is not the model's does otherwise.
enum lie { NO_LIE, A_WORD, A_MEMORY };

struct liar {
    struct crl_intervals_engine model;
    enum lie lie;
    uint64_t slot;
};

static int lying_step(void *self, const struct crl_interval_packet *given, size_t count, struct crl_interval_slot *slot,
                      struct crl_diag *diag)
{
    static uint64_t data[64 * 4];
    struct liar *liar = self;
    int error = liar->model.step(liar->model.self, given, count, slot, diag);
    if (error || liar->lie != A_WORD || ++liar->slot < 2000) return error;
    memcpy(data, slot->data, sizeof data);
    for (size_t i = 0; i < 64 * 4; i++) data[i] ^= 1;
    slot->data = data;
    return 0;
}

static bool lying_held(void *self, uint32_t node, uint32_t memory, uint32_t address, uint32_t *origin,
                       uint32_t *payload)
{
    struct liar *liar = self;
    const struct crl_online_memory *true_memory = &liar->model.memory;
    if (liar->lie == A_MEMORY && node == 5 && memory == 1 && address == 0) return false;
    return true_memory->held(true_memory->user, node, memory, address, origin, payload);
}

static struct crl_dynamic_result play_with(const char *spec, double rho, double tp, uint32_t depth, enum lie lie)
{
    struct crl_topology *topology;
    struct crl_diag diag = {0};
    struct crl_intervals_options options = {
        .rho = rho, .tp = tp, .slots = 10000, .warmup = 1000, .seed = 7, .depth = depth};
    struct crl_intervals_model *model[2];
    struct crl_dynamic_result result;
    assert_int_equal(crl_topology_parse(&topology, spec, &diag), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(crl_intervals_model_new(&model[i], topology, depth, 7, &diag), 0);
    struct liar liar = {crl_intervals_model_engine(model[1]), lie, 0};
    struct crl_intervals_engine engines[] = {crl_intervals_model_engine(model[0]),
                                             {"liar", &liar, lying_step, {lying_held, &liar}}};
    assert_int_equal(crl_intervals_run(&result, topology, &options, engines, lie ? 2 : 1, &diag), 0);
    for (int i = 0; i < 2; i++) crl_intervals_model_free(model[i]);
    crl_topology_free(topology);
    return result;
}

static struct crl_dynamic_result play(const char *spec, double rho, double tp)
{
    struct crl_dynamic_result result = play_with(spec, rho, tp, 0, NO_LIE);
    assert_string_equal(result.result, "ok");
    assert_int_equal(result.faults + result.dropped + result.mismatches, 0);
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
        struct crl_dynamic_result r = play(spec, rho, tp);
        print_message("%s at %.1f of the limit %.3f: delay %.2f ± %.2f, bound %.2f\n", spec, part[i], limit,
                      r.delay.mean, r.delay.ci95, bound);
        assert_true(fabs(r.limit - limit) < 1e-9);
        assert_true(fabs(r.bound - bound) < 1e-6);
        assert_true(r.delay.mean + r.delay.ci95 < bound);
        assert_true(r.stable);
        assert_true(r.packets > 0);
        assert_true(fabs(r.queue.mean / (lambda * r.delay.mean) - 1) < 0.03); // Little
        // A packet takes N − 1 transmissions, and what packing takes.
        double transmissions = r.utilization_all * d * 2 * (gamma == 2 ? 64 : 56) / (lambda * N);
        assert_true(transmissions > 0.97 * (N - 1) && transmissions < 1.15 * (N - 1));
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
    assert_true(play("path:5", 0.2, 0.1).delay.mean > 0); // whole packets
    assert_true(play("mesh:5x3", 0.1, 0).delay.mean > 0); // counting for nothing: time must not stand still
}

static void test_bad_engines(void **state)
{
    (void)state;
    struct crl_dynamic_result r = play_with("torus:8x8", 0.3, 0.1, 0, A_WORD);
    assert_int_equal(r.mismatches, 1);
    assert_string_equal(r.result, "mismatch");
    assert_non_null(strstr(r.text, "model sends"));
    r = play_with("torus:8x8", 0.3, 0.1, 0, A_MEMORY);
    assert_string_equal(r.result, "missing");
    assert_non_null(strstr(r.text, "liar, interval"));
}

static void test_no_room_to_wait(void **state)
{
    (void)state;
    struct crl_dynamic_result r = play_with("mesh:4x4", 0.8, 0.1, 1, NO_LIE);
    assert_true(r.dropped > 0);
    assert_int_equal(r.faults, r.dropped);
    assert_string_equal(r.result, "missing");
    assert_int_equal(play_with("mesh:4x4", 0.05, 0.1, 50, NO_LIE).dropped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torus),       cmocka_unit_test(test_array),           cmocka_unit_test(test_other),
        cmocka_unit_test(test_bad_engines), cmocka_unit_test(test_no_room_to_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
