// SPDX-License-Identifier: Apache-2.0
// How fast the engines play a total exchange at K = P: prints one JSON object with node-cycles per second of RTL and
// model. Loading memories is not counted: the RTL plays packets of as many words as it holds at once, so that starting
// counts little, and the model, which loads a word's memory before the word is played, packets of one.
// usage: engine_bench TOPOLOGY [THREADS]
#include "algorithm/algorithm.h"
#include "check/check.h"
#include "engine/engine.h"
#include "lower/lower.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

// On one thread the processor's time, which others on the machine do not make longer.
static double now(bool alone)
{
    struct timespec t;
    clock_gettime(alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const struct crl_diag *diag)
{
    fprintf(stderr, "engine_bench: %s\n", diag->text);
    exit(1);
}

static double play(struct crl_player player, bool alone, uint64_t *cycles)
{
    const uint32_t *valid;
    const uint64_t *data;
    int more = 0;
    double start = now(alone);
    for (; !more; ++*cycles) more = player.step(player.self, &valid, &data);
    return now(alone) - start;
}

// Plays until half a second has been spent in the engine alone.
static double rate(const struct crl_image *image, const struct crl_problem *problem, bool rtl, uint32_t threads)
{
    struct crl_rtl_options options = {.seed = 1, .threads = threads};
    struct crl_diag diag;
    double spent = 0;
    uint64_t cycles = 0;
    while (spent < 0.5) {
        struct crl_model *model = NULL;
        struct crl_rtl *engine = NULL;
        if (rtl ? crl_rtl_slots_new(&engine, image, problem, &options, &diag)
                : crl_model_new(&model, image, problem, 1, &diag))
            die(&diag);
        spent += play(rtl ? crl_rtl_player(engine) : crl_model_player(model), threads == 1, &cycles);
        crl_rtl_free(engine);
        crl_model_free(model);
    }
    return (double)cycles * image->nodes / spent;
}

int main(int argc, char **argv)
{
    struct crl_topology *topology;
    struct crl_problem problem;
    struct crl_schedule schedule;
    struct crl_image image;
    struct crl_diag diag;
    const struct crl_algorithm *algorithm;
    struct crl_lower_options options = {.words = 1, .data_width = 32};
    if (argc < 2) return 1;
    uint32_t threads = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    if (crl_topology_parse(&topology, argv[1], &diag) ||
        crl_problem_init(&problem, "total-exchange", topology, 0, CRL_PORTS_ALL, &diag) ||
        crl_algorithm_find(&algorithm, &problem, NULL, &diag) || crl_plan(&schedule, algorithm, &problem, &diag) ||
        crl_lower(&image, &schedule, &problem, algorithm->scheme, &options, &diag))
        die(&diag);
    options.words = CRL_RTL_PAGES;
    crl_image_done(&image);
    if (crl_lower(&image, &schedule, &problem, algorithm->scheme, &options, &diag)) die(&diag);
    double rtl = rate(&image, &problem, true, threads);
    image.geometry.words = 1;
    printf("{\"ports\": %u, \"nodes\": %u, \"threads\": %u, \"rtl\": %.0f, \"model\": %.0f}\n", image.geometry.ports,
           image.nodes, threads, rtl, rate(&image, &problem, false, 1));
    return 0;
}
