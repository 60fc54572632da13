// SPDX-License-Identifier: Apache-2.0
// Several threads use the library at once, each with problems of its own, from the plan to the run, whose routers
// threads share, too. usage: several THREADS
#include <carillon/carillon.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 16 };

static const struct {
    const char *collective, *network;
} works[] = {
    {"total-exchange", "hypercube:4"}, {"all-gather", "torus:4x4"},   {"all-reduce", "mesh:3x3"},
    {"scatter", "ring:7*path:2"},      {"broadcast", "logp:P=9,L=3"}, {"all-gather", "dragonfly:4x1"},
    {"total-exchange", "mesh:3x4"},    {"scan", "torus:3x3"},
};
enum { WORKS = sizeof works / sizeof *works };

static int bound(const struct carillon_problem *problem, struct crl_diag *diag)
{
    char *json = NULL;
    int error = carillon_problem_bound(problem, &json, diag);
    free(json);
    return error;
}

static int play(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    struct carillon_image *image = NULL;
    struct carillon_run run = {0};
    int error = carillon_lower(&image, schedule, diag);
    if (!error) error = carillon_run(&run, schedule, image, NULL, diag);
    carillon_image_free(image);
    return error;
}

static int work(const char *collective, const char *network, struct crl_diag *diag)
{
    struct carillon_options options = carillon_defaults();
    options.engine = "model";
    options.threads = 2;
    struct carillon_problem *problem = NULL;
    struct carillon_schedule *schedule = NULL;
    int error = carillon_problem_new(&problem, NULL, collective, network, &options, diag);
    if (!error) error = bound(problem, diag);
    if (!error) error = carillon_plan(&schedule, problem, diag);
    if (!error) error = carillon_check(schedule, diag);
    if (!error) error = play(schedule, diag);
    carillon_schedule_free(schedule);
    carillon_problem_free(problem);
    return error;
}

static void *all(void *first)
{
    for (size_t i = 0; i < WORKS; i++) {
        size_t at = (*(size_t *)first + i) % WORKS;
        struct crl_diag diag = {0};
        if (work(works[at].collective, works[at].network, &diag)) {
            fprintf(stderr, "several: %s on %s: %s\n", works[at].collective, works[at].network, diag.text);
            exit(1);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    size_t threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, first[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    if (!threads || threads > THREADS_MAX) return fprintf(stderr, "usage: several THREADS, 1 to %d\n", THREADS_MAX), 2;
    for (size_t i = 0; i < threads; i++) {
        first[i] = i; // so that all work at the same thing at first, and at others later
        if (pthread_create(&thread[i], NULL, all, &first[i])) return perror("several"), 1;
    }
    for (size_t i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    printf("%zu threads, %d problems each\n", threads, WORKS);
    return 0;
}
