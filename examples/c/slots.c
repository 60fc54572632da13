// SPDX-License-Identifier: Apache-2.0
// Plans a collective, checks it, counts the links that are busy in each slot, and plays it on the cycle model.
// usage: slots COLLECTIVE NETWORK [CSV]        (CSV: where the schedule is written)
#include <carillon/carillon.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS_MAX = 1000 };

static void count(void *user, const struct carillon_row *row)
{
    uint64_t *busy = user;
    if (row->slot <= SLOTS_MAX) busy[row->slot]++;
}

static int print_bound(const struct carillon_problem *problem, struct crl_diag *diag)
{
    char *json = NULL;
    int error = carillon_problem_bound(problem, &json, diag);
    if (!error) printf("bound: %s\n", json);
    free(json);
    return error;
}

static int print_busy_links(const struct carillon_schedule *schedule, struct crl_diag *diag)
{
    uint64_t busy[SLOTS_MAX + 1] = {0};
    int error = carillon_schedule_rows(schedule, false, count, busy, diag);
    for (int slot = 1; !error && slot <= SLOTS_MAX && busy[slot]; slot++)
        printf("slot %d: %" PRIu64 " links are busy\n", slot, busy[slot]);
    return error;
}

static int write_csv(const struct carillon_schedule *schedule, const char *path, struct crl_diag *diag)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        *diag = (struct crl_diag){0};
        snprintf(diag->text, sizeof diag->text, "cannot write '%s'", path);
        return CRL_ERR_IO;
    }
    int error = carillon_schedule_write(schedule, "csv", file, diag);
    if (fclose(file) && !error) error = CRL_ERR_IO;
    return error;
}

static int play(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    struct carillon_image *image = NULL;
    struct carillon_run run = {0};
    int error = carillon_lower(&image, schedule, diag);
    if (!error) error = carillon_run(&run, schedule, image, NULL, diag);
    if (!error)
        printf("played: %s, %" PRIu64 " words in %" PRIu64 " cycles\n", carillon_result_name(run.result), run.words,
               run.cycles);
    carillon_image_free(image);
    return error;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: slots COLLECTIVE NETWORK [CSV]\n");
        return 2;
    }
    struct carillon_options options = carillon_defaults();
    options.engine = "model";
    struct carillon_problem *problem = NULL;
    struct carillon_schedule *schedule = NULL;
    struct crl_diag diag = {0};

    int error = carillon_problem_new(&problem, NULL, argv[1], argv[2], &options, &diag);
    if (!error) error = print_bound(problem, &diag);
    if (!error) error = carillon_plan(&schedule, problem, &diag);
    if (!error) error = carillon_check(schedule, &diag);
    if (!error) error = print_busy_links(schedule, &diag);
    if (!error && argc > 3) error = write_csv(schedule, argv[3], &diag);
    if (!error) error = play(schedule, &diag);

    if (error && diag.col)
        fprintf(stderr, "slots: %s:%" PRIu64 ":%" PRIu64 ": error: %s\n", diag.file, diag.line, diag.col, diag.text);
    else if (error) fprintf(stderr, "slots: error: %s\n", diag.text);
    carillon_schedule_free(schedule);
    carillon_problem_free(problem);
    return error ? 1 : 0;
}
