// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a certificate of a bound. None may be accepted that says more than a schedule needs.
#include "base/base.h"
#include <jansson.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *const networks[] = {"path:3", "ring:4", "hypercube:2", "complete:3"};
static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter",        "gather",
                                          "reduce",    "total-exchange",      "reduce-scatter", "all-reduce"};
enum { NETWORKS = sizeof networks / sizeof *networks, COLLECTIVES = sizeof collectives / sizeof *collectives };

static json_int_t slots_of(const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    json_t *value = json_object_get(object, "slots");
    if (!json_is_integer(value)) abort();
    json_int_t slots = json_integer_value(value);
    json_decref(object);
    return slots;
}

// Slots of a schedule of ours, planned once.
static json_int_t enough(struct carillon_problem *problem, json_int_t *kept)
{
    struct crl_diag diag;
    struct carillon_schedule *schedule;
    char *summary;
    if (*kept) return *kept;
    if (carillon_plan(&schedule, problem, &diag) || carillon_check(schedule, &diag) ||
        carillon_schedule_summary(schedule, false, &summary, &diag))
        abort();
    *kept = slots_of(summary);
    free(summary);
    carillon_schedule_free(schedule);
    return *kept;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct carillon_problem *problems[NETWORKS][COLLECTIVES][2];
    static json_int_t slots[NETWORKS][COLLECTIVES][2];
    if (size < 3) return 0;
    // Two bytes in front choose the problem.
    uint32_t network = bytes[0] % NETWORKS, collective = bytes[1] % COLLECTIVES, single = bytes[0] >> 4 & 1;
    struct carillon_problem **problem = &problems[network][collective][single];
    struct carillon_options options = carillon_defaults();
    struct crl_diag diag;
    char *proved = NULL;
    options.ports = single ? "single" : "all";
    if (!*problem && carillon_problem_new(problem, NULL, collectives[collective], networks[network], &options, &diag))
        abort();
    FILE *file = fmemopen((void *)(bytes + 2), size - 2, "rb");
    if (!file) abort();
    int error = carillon_certify(*problem, file, "fuzz", &proved, &diag);
    if (!error && slots_of(proved) > enough(*problem, &slots[network][collective][single])) abort();
    free(proved);
    fclose(file);
    return 0;
}
