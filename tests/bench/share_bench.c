// SPDX-License-Identifier: Apache-2.0
// Where the time of a run goes: prints one JSON object with the seconds of a whole total exchange in this process, from
// planning to judging, those of the steps of the RTL, and those of the rows of the cycle model. What is left loads
// memories and reads them, says what every link must show, compares and judges. Both are called through the linker's
// --wrap, so that the clock is here and not in the product. It is the one that is read without the kernel: asking for
// the CPU time takes 1 us, a tenth of what it measures here. What other processes take of the core they take of each
// part alike.
// usage: share_bench TOPOLOGY WORDS rtl|both
#include <carillon/carillon.h>
#include <stdlib.h>
#include <time.h>

struct crl_sim;
struct crl_model;
void __real_crl_sim_step(struct crl_sim *sim);
void __wrap_crl_sim_step(struct crl_sim *sim);
void __real_crl_model_play_row(struct crl_model *model);
void __wrap_crl_model_play_row(struct crl_model *model);

static double steps, rows;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void __wrap_crl_sim_step(struct crl_sim *sim)
{
    double start = now();
    __real_crl_sim_step(sim);
    steps += now() - start;
}

void __wrap_crl_model_play_row(struct crl_model *model)
{
    double start = now();
    __real_crl_model_play_row(model);
    rows += now() - start;
}

static int play(const char *topology, const struct carillon_options *options, struct crl_diag *diag)
{
    struct carillon_problem *problem = NULL;
    struct carillon_schedule *schedule = NULL;
    struct carillon_image *image = NULL;
    struct carillon_run run;
    int error = carillon_problem_new(&problem, NULL, "total-exchange", topology, options, diag);
    if (!error) error = carillon_plan(&schedule, problem, diag);
    if (!error) error = carillon_check(schedule, diag);
    if (!error) error = carillon_lower(&image, schedule, diag);
    if (!error) error = carillon_run(&run, schedule, image, NULL, diag);
    carillon_image_free(image);
    carillon_schedule_free(schedule);
    carillon_problem_free(problem);
    return error;
}

int main(int argc, char **argv)
{
    struct carillon_options options = carillon_defaults();
    struct crl_diag diag = {0};
    double start = now();
    if (argc != 4) return 1;
    options.words = (uint32_t)atoi(argv[2]);
    options.engine = argv[3];
    if (play(argv[1], &options, &diag)) {
        fprintf(stderr, "share_bench: %s\n", diag.text);
        return 1;
    }
    printf("{\"all\": %.6f, \"rtl\": %.6f, \"model\": %.6f}\n", now() - start, steps, rows);
    return 0;
}
