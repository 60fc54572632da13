// SPDX-License-Identifier: Apache-2.0
// Plays all-reduces of floating-point numbers on the cycle model, with the payloads of many seeds. With an argument the
// model is one that was altered to add what arrives in a cycle in the order of falling ports (tests/CMakeLists.txt):
// the trace compare must tell, and the judge of the results, too.
#include "check/check.h"
#include "lower/lower.h"
#include "model/model.h"
#include "algorithm/algorithm.h"
#include "machine/slots/slots.h"
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 20, WORDS = 50 };

static void die(const char *what, const struct crl_diag *diag)
{
    fprintf(stderr, "%s: %s\n", what, diag->text);
    exit(1);
}

struct subject {
    struct crl_topology *topology;
    struct crl_problem problem;
    struct crl_schedule schedule;
    struct crl_image image;
    struct crl_orders orders;
};

static void prepare(struct subject *s, const char *topology)
{
    struct crl_diag diag = {0};
    const struct crl_algorithm *row;
    struct crl_report report;
    struct crl_lower_options options = {.words = WORDS, .data_width = 32};
    if (crl_topology_parse(&s->topology, topology, &diag) ||
        crl_problem_init(&s->problem, "all-reduce", s->topology, 0, CRL_PORTS_ALL, &diag))
        die(topology, &diag);
    s->problem.op = CRL_OP_FADD;
    if (crl_algorithm_find(&row, &s->problem, "twice", &diag) || crl_plan(&s->schedule, row, &s->problem, &diag) ||
        crl_check(&report, &s->schedule, &s->problem, &diag) ||
        crl_lower(&s->image, &s->schedule, &s->problem, row->scheme, &options, &diag) ||
        slots_orders(&s->orders, &s->schedule, &s->problem, &diag))
        die(topology, &diag);
    crl_report_done(&report);
}

static void collect(void *judge, struct crl_model *model, uint32_t first, uint32_t count)
{
    crl_oracle_words(judge, crl_model_memory, model, first, count);
}

// Plays with one seed. Returns whether the trace is as it should be, and the judge's word about the results.
static void play(const struct subject *s, uint64_t seed, bool *trace, const char **results)
{
    struct crl_diag diag = {0};
    struct crl_expected *expected;
    struct crl_model *model;
    struct crl_oracle *judge;
    struct crl_compared compared;
    const char *names[] = {"expected", "model"};
    if (crl_oracle_new(&judge, &s->image, &s->problem, seed, &diag) ||
        crl_expected_new(&expected, &s->schedule, &s->problem, &s->image.geometry, seed, &diag) ||
        crl_model_new(&model, &s->image, &s->problem, seed, &diag))
        die("engines", &diag);
    crl_oracle_order(judge, &s->orders);
    crl_model_hand_over(model, collect, judge);
    struct crl_player players[] = {crl_expected_player(expected), crl_model_player(model)};
    if (crl_compare(&compared, players, names, 2, s->image.nodes, s->image.geometry.ports, NULL, NULL, NULL, &diag))
        die("compare", &diag);
    const uint32_t *valid;
    const uint64_t *data;
    for (int more = compared.mismatches == 0; !more;) more = players[1].step(players[1].self, &valid, &data);
    *trace = compared.mismatches == 0;
    *results = crl_oracle_verdict(judge, 1, &diag);
    crl_expected_free(expected);
    crl_model_free(model);
    crl_oracle_free(judge);
}

int main(int argc, char **argv)
{
    static const char *const topologies[] = {"hypercube:4", "torus:4x4"};
    const bool altered = argc > 1;
    int failed = 0;
    (void)argv;
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++) {
        struct subject s = {0};
        unsigned traces = 0, results = 0;
        prepare(&s, topologies[t]);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            bool trace;
            const char *result;
            play(&s, seed, &trace, &result);
            traces += trace;
            results += strcmp(result, altered ? "wrong" : "ok") == 0;
        }
        printf("%-12s %u of %u traces alike, %u of %u results %s\n", topologies[t], traces, (unsigned)SEEDS, results,
               (unsigned)SEEDS, altered ? "wrong" : "right");
        failed |= traces != (altered ? 0 : SEEDS) || results != SEEDS;
        slots_orders_done(&s.orders);
        crl_image_done(&s.image);
        crl_schedule_done(&s.schedule);
        crl_topology_free(s.topology);
    }
    return failed;
}
