// SPDX-License-Identifier: Apache-2.0
// A link that takes one cycle longer than the tables were made for: the guards of both engines see it, whichever link
// it is.
#include "algorithm/algorithm.h"
#include "engine/engine.h"
#include "lower/lower.h"
#include "model/model.h"
#include <stdlib.h>

// Plays to the end; returns the faults, or a negative error.
static int64_t play_rtl(const struct crl_image *image, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct crl_rtl_options options = {.seed = 1};
    struct crl_rtl *engine;
    const uint32_t *valid;
    const uint64_t *data;
    char text[160];
    int error = crl_rtl_slots_new(&engine, image, problem, &options, diag);
    if (error) return error;
    struct crl_player player = crl_rtl_player(engine);
    do error = player.step(player.self, &valid, &data);
    while (!error);
    if (error > 0) error = crl_rtl_finish(engine, diag);
    int64_t faults = error ? error : (int64_t)crl_rtl_faults(engine, text);
    crl_rtl_free(engine);
    return faults;
}

static int64_t play_model(const struct crl_image *image, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct crl_model *model;
    const uint32_t *valid;
    const uint64_t *data;
    int error = crl_model_new(&model, image, problem, 1, diag);
    if (error) return error;
    struct crl_player player = crl_model_player(model);
    do error = player.step(player.self, &valid, &data);
    while (!error);
    struct crl_faults f = crl_model_faults(model);
    crl_model_free(model);
    return error < 0 ? error : (int64_t)(f.missing + f.unexpected);
}

int main(int argc, char **argv)
{
    struct crl_diag diag = {0};
    struct crl_topology *t;
    struct crl_problem problem;
    struct crl_schedule schedule = {0};
    struct crl_image image;
    const struct crl_algorithm *algorithm;
    const struct crl_lower_options how = {.words = 1, .data_width = 32};
    if (argc != 2) return 1;
    int error = crl_topology_parse(&t, argv[1], &diag);
    if (!error) error = crl_problem_init(&problem, "multinode-broadcast", t, 0, CRL_PORTS_ALL, &diag);
    if (!error) error = crl_algorithm_find(&algorithm, &problem, NULL, &diag);
    if (!error) error = crl_plan(&schedule, algorithm, &problem, &diag);
    if (!error) error = crl_lower(&image, &schedule, &problem, algorithm->scheme, &how, &diag);
    if (error || play_rtl(&image, &problem, &diag) || play_model(&image, &problem, &diag)) {
        fprintf(stderr, "links as they were said do not play: %s\n", diag.text);
        return 1;
    }
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = 0; p < t->ports; p++) {
            if (crl_topology_neighbor(t, v, p) == CRL_NONE) continue;
            uint32_t most = t->graph->latency_max, *latency = &t->graph->latency[(size_t)v * t->ports + p];
            ++*latency;
            if (*latency > most) t->graph->latency_max = *latency;
            int64_t rtl = play_rtl(&image, &problem, &diag), model = play_model(&image, &problem, &diag);
            if (rtl <= 0 || model <= 0) {
                fprintf(stderr, "node %u, port %u: nobody sees that the link is late: %s\n", v, p, diag.text);
                return 1;
            }
            --*latency;
            t->graph->latency_max = most;
        }
    crl_image_done(&image);
    crl_schedule_done(&schedule);
    crl_topology_free(t);
    return 0;
}
