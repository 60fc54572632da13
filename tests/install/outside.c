// SPDX-License-Identifier: Apache-2.0
// A program that knows Carillon only as installed: plans, checks, lowers, and plays in RTL beside the model.
// usage: outside [DATA]    (the folder that simulators are compiled from, where the library cannot know)
#include <carillon/carillon.h>
#include <stdio.h>
#include <string.h>

static void message(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "outside: %s\n", text);
}

int main(int argc, char **argv)
{
    struct crl_context context = {.data = argc > 1 ? argv[1] : NULL, .message = message};
    struct carillon_options options = carillon_defaults();
    struct carillon_problem *problem = NULL;
    struct carillon_schedule *schedule = NULL;
    struct carillon_image *image = NULL;
    struct carillon_run run = {0};
    struct crl_diag diag = {0};
    if (strcmp(carillon_version(), CARILLON_VERSION)) return 2;
    options.words = 6;
    int error = carillon_problem_new(&problem, &context, "all-to-all", "hypercube:2", &options, &diag);
    if (!error) error = carillon_plan(&schedule, problem, &diag);
    if (!error) error = carillon_check(schedule, &diag);
    if (!error) error = carillon_lower(&image, schedule, &diag);
    if (!error) error = carillon_run(&run, schedule, image, NULL, &diag);
    if (error) fprintf(stderr, "outside: error %d: %s\n", error, diag.text);
    else
        printf("%s: %llu words in %llu cycles\n", carillon_result_name(run.result), (unsigned long long)run.words,
               (unsigned long long)run.cycles);
    carillon_image_free(image);
    carillon_schedule_free(schedule);
    carillon_problem_free(problem);
    // An error carries its number and its text.
    error = carillon_problem_new(&problem, NULL, "all-to-all", "hypercube:x", NULL, &diag);
    return run.result == CARILLON_OK && error == CRL_ERR_PARSE && diag.text[0] ? 0 : 1;
}
