// SPDX-License-Identifier: Apache-2.0
// Random broadcasts: the source, the statistics, the judge, and short runs against formulas and the paper's tables.
#include "unit_queue.h"
#include "machine/traffic.h"
#include "machine/queue/plan_trees.h"
#include <math.h>
#include <unistd.h>

static struct crl_dynamic_result run(const char *scheme, uint32_t d, double rho, uint64_t slots, uint64_t seed)
{
    struct crl_queue_tables tables = tables_of(scheme, d, false);
    struct crl_dynamic_options options = {.rho = rho, .slots = slots, .warmup = slots / 10, .seed = seed};
    struct crl_dynamic_result result;
    struct crl_queue_model *model;
    assert_int_equal(crl_queue_model_new(&model, &tables, 0, NULL), 0);
    struct crl_queue_engine engine = crl_queue_model_engine(model);
    assert_int_equal(crl_dynamic_run(&result, &tables, &options, &engine, 1, NULL), 0);
    crl_queue_model_free(model);
    crl_queue_tables_done(&tables);
    return result;
}

static void assert_near(double is, double wanted, double relative)
{
    if (!(fabs(is - wanted) <= relative * wanted)) fail_msg("%f, not %f within %f%%", is, wanted, 100 * relative);
}

static void packets_come_in_a_poisson_stream(void **state)
{
    (void)state;
    struct crl_queue_tables tables = tables_of("direct", 4, false);
    struct crl_source *source;
    struct crl_stimulus stimulus;
    double sum = 0, squares = 0, trees[4] = {0}, heads = 0, last = 0;
    enum { SLOTS = 20000 };
    double mean = 0.3 * 4 / 15 * 16; // packets of all nodes in a slot
    assert_int_equal(crl_source_new(&source, &tables, 0.3, 0, 7, NULL), 0);
    for (int i = 1; i <= SLOTS; i++) {
        assert_int_equal(crl_source_slot(source, true, &stimulus), 0);
        sum += (double)stimulus.count;
        squares += (double)(stimulus.count * stimulus.count);
        for (size_t k = 0; k < stimulus.count; k++) {
            assert_true(stimulus.own[k].time > i - 2 && stimulus.own[k].time <= i && stimulus.own[k].time >= last - 1);
            last = stimulus.own[k].time;
            trees[crl_packet_tree(stimulus.own[k].word)]++;
            heads += crl_packet_coin(stimulus.own[k].word);
        }
    }
    assert_near(sum / SLOTS, mean, 0.02);
    assert_near(squares / SLOTS - sum * sum / SLOTS / SLOTS, mean, 0.05); // variance = mean
    for (int k = 0; k < 4; k++) assert_near(trees[k], sum / 4, 0.05);
    assert_near(heads, sum / 2, 0.05);
    crl_source_free(source);
    crl_queue_tables_done(&tables);
}

static void intervals_cover_and_trends_are_seen(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int outside = 0, alarms = 0, seen = 0;
    enum { TRIALS = 1000 };
    for (int i = 0; i < TRIALS; i++) {
        double flat[CRL_BATCHES], rising[CRL_BATCHES], x = 0;
        for (int k = 0; k < CRL_BATCHES; k++) {
            double noise = 0;
            for (int j = 0; j < 12; j++) noise += (double)(unit_random(&seed) >> 11) * 0x1p-53 - 0.5;
            flat[k] = 10 + noise;
            x = 0.5 * x + noise; // neighbours depend on each other
            rising[k] = 10 + x + 0.5 * k;
            alarms += k == CRL_BATCHES - 1 && crl_series_grows(flat, CRL_BATCHES);
        }
        struct crl_estimate e = crl_batch_means(flat, CRL_BATCHES);
        outside += fabs(e.mean - 10) > e.ci95;
        seen += crl_series_grows(rising, CRL_BATCHES);
    }
    assert_in_range(outside, 25, 80); // 5%
    assert_in_range(alarms, 0, 5);
    assert_int_equal(seen, TRIALS);
}

static void short_runs_agree_with_the_paper(void **state)
{
    (void)state;
    assert_near(run("direct", 8, 0.1, 3000, 1).delay.mean, 8.763, 0.012);  // Table I
    assert_near(run("direct", 5, 0.2, 20000, 1).delay.mean, 5.894, 0.012); // Table II
    for (uint32_t d = 3; d <= 5; d++)
        assert_near(run("periodic", d, 0.3, 40000, 1).delay.mean, crl_s93_periodic_delay(d, 0.3), 0.02);
    struct crl_dynamic_result r = run("indirect", 4, 0.3, 60000, 1);
    assert_near(r.delay.mean, crl_s93_indirect_delay(4, 0.3), 0.01);               // Proposition 6
    assert_near(r.queue.mean, crl_s93_indirect_queue(4, 0.3), 0.02);               // Proposition 7
    assert_near(run("indirect-nonidling", 6, 0.01, 20000, 1).delay.mean, 9, 0.03); // lim D = 3d/2
    assert_near(crl_s93_approximation(8, 0.3), 9.652, 0.0001);                     // (11), as Table I prints it
}

static void stability_shows_on_both_sides_of_the_limit(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        uint32_t d;
        double below, above;
    } cases[] = {{"naive", 4, 0.40, 0.55},
                 {"direct", 4, 0.85, 1.1},
                 {"periodic", 3, 0.85, 1.1},
                 {"indirect", 4, 0.55, 0.70},
                 {"indirect-nonidling", 4, 0.55, 0.75},
                 {"balanced", 4, 0.70, 0.80}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct crl_dynamic_result below = run(cases[i].scheme, cases[i].d, cases[i].below, 10000, 3);
        struct crl_dynamic_result above = run(cases[i].scheme, cases[i].d, cases[i].above, 10000, 3);
        if (!below.stable || above.stable) fail_msg("%s: %d, %d", cases[i].scheme, below.stable, above.stable);
        assert_string_equal(below.result, "ok");
        assert_string_equal(above.result, "ok"); // it drains
        assert_true(isnan(above.delay.mean));
    }
}

static void finite_buffers_lose_nothing(void **state)
{
    (void)state;
    for (uint32_t depth = 1; depth <= 2; depth++) {
        struct crl_queue_tables tables = tables_of("indirect", 4, true);
        struct crl_dynamic_options options = {.stall = 0.1, .slots = 5000, .warmup = 500, .seed = 1};
        struct crl_dynamic_result result;
        struct crl_queue_model *model;
        assert_int_equal(crl_queue_model_new(&model, &tables, depth, NULL), 0);
        struct crl_queue_engine engine = crl_queue_model_engine(model);
        assert_int_equal(crl_dynamic_run(&result, &tables, &options, &engine, 1, NULL), 0);
        assert_string_equal(result.result, "ok");
        assert_int_equal(result.dropped, 0);
        assert_true(result.load > 0.15);
        crl_queue_model_free(model);
        crl_queue_tables_done(&tables);
    }
}

// An engine that damages what the model did.
struct liar {
    struct crl_queue_engine model;
    int kind;
    uint64_t slot;
    uint32_t delivered[16];
};

static int lie(void *self, const struct crl_stimulus *stimulus, struct crl_traffic *traffic)
{
    struct liar *liar = self;
    int error = liar->model.step(liar->model.self, stimulus, traffic);
    memcpy(liar->delivered, traffic->delivered, sizeof liar->delivered);
    if (++liar->slot >= 100 && liar->kind)
        for (uint32_t v = 0; v < 16 && liar->kind; v++) {
            if (!liar->delivered[v]) continue;
            if (liar->kind == 1) liar->delivered[v] &= liar->delivered[v] - 1;
            else traffic->stored = liar->delivered;
            liar->kind = 0;
        }
    traffic->delivered = liar->delivered;
    return error;
}

static void a_lost_delivery_and_a_difference_are_found(void **state)
{
    (void)state;
    struct crl_queue_tables tables = tables_of("direct", 4, false);
    struct crl_dynamic_options options = {.rho = 0.3, .slots = 500, .seed = 1};
    struct crl_dynamic_result result;
    for (int kind = 1; kind <= 2; kind++) {
        struct crl_queue_model *model[2];
        for (int i = 0; i < 2; i++) assert_int_equal(crl_queue_model_new(&model[i], &tables, 0, NULL), 0);
        struct liar liar = {.model = crl_queue_model_engine(model[0]), .kind = kind};
        struct crl_queue_engine engines[2] = {{.self = &liar, .step = lie}, crl_queue_model_engine(model[1])};
        assert_int_equal(crl_dynamic_run(&result, &tables, &options, engines, (size_t)kind, NULL), 0);
        assert_string_equal(result.result, kind == 1 ? "missing" : "mismatch");
        for (int i = 0; i < 2; i++) crl_queue_model_free(model[i]);
    }
    crl_queue_tables_done(&tables);
}

// Tables with each gate row twice mean the same, but are beyond the list model.
static void the_list_model_does_what_the_general_one_does(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        uint32_t d, depth;
        double rho;
    } runs[] = {{"naive", 4, 0, .4},  {"direct", 5, 0, .5}, {"direct", 4, 0, 1.2},           {"naive", 5, 0, .8},
                {"direct", 5, 2, .9}, {"direct", 1, 0, .5}, {"indirect-nonidling", 5, 0, .6}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct crl_queue_tables once = tables_of(runs[i].scheme, runs[i].d, false), twice = once;
        size_t rows = (size_t)once.tables * once.ports;
        struct crl_gate *gate = calloc(2 * rows, sizeof *gate);
        uint8_t loop_gate[2] = {0};
        for (uint32_t k = 0; k < once.tables; k++)
            for (uint32_t row = 0; row < 2; row++)
                memcpy(gate + ((size_t)2 * k + row) * once.ports, crl_queue_gate(&once, k, 0),
                       once.ports * sizeof *gate);
        twice.period = 2;
        twice.gate = gate;
        twice.loop_gate = loop_gate;
        struct crl_queue_model *models[2];
        assert_int_equal(crl_queue_model_new(&models[0], &once, runs[i].depth, NULL), 0);
        assert_int_equal(crl_queue_model_new(&models[1], &twice, runs[i].depth, NULL), 0);
        struct crl_queue_engine engines[2] = {crl_queue_model_engine(models[0]), crl_queue_model_engine(models[1])};
        assert_true(engines[0].step != engines[1].step);
        struct crl_dynamic_options options = {.rho = runs[i].rho, .slots = 3000, .seed = 7};
        struct crl_dynamic_result result;
        assert_int_equal(crl_dynamic_run(&result, &once, &options, engines, 2, NULL), 0);
        if (result.mismatches) fail_msg("%s, d = %u: %s", runs[i].scheme, runs[i].d, result.text);
        assert_true(result.packets > 1000);
        assert_int_equal(result.dropped > 0, runs[i].depth > 0);
        crl_queue_model_free(models[0]);
        crl_queue_model_free(models[1]);
        free(gate);
        crl_queue_tables_done(&once);
    }
}

// What is found is kept where the context says, and taken from there.
static void found_trees_are_kept_where_the_context_says(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_dynamic_XXXXXX", path[64];
    struct crl_context context = {.cache = mkdtemp(folder)};
    struct crl_trees trees, again;
    assert_non_null(context.cache);
    snprintf(path, sizeof path, "%s/balanced-trees-4", folder);
    assert_int_equal(crl_trees_balanced(&trees, 4, &context, NULL), 0);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(crl_trees_balanced(&again, 4, &context, NULL), 0);
    assert_memory_equal(again.parent, trees.parent, 4 * 16);
    crl_trees_done(&again);
    crl_trees_done(&trees);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_model_does_what_the_general_one_does),
        cmocka_unit_test(packets_come_in_a_poisson_stream),
        cmocka_unit_test(intervals_cover_and_trends_are_seen),
        cmocka_unit_test(short_runs_agree_with_the_paper),
        cmocka_unit_test(stability_shows_on_both_sides_of_the_limit),
        cmocka_unit_test(finite_buffers_lose_nothing),
        cmocka_unit_test(found_trees_are_kept_where_the_context_says),
        cmocka_unit_test(a_lost_delivery_and_a_difference_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
