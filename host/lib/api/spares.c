// SPDX-License-Identifier: Apache-2.0
#include "api/machine.h"

int carillon_spares(char **json, const struct crl_context *context, const char *algorithm, const char *topology,
                    const struct carillon_options *options, const char *directory, struct crl_diag *diag)
{
    struct carillon_options own;
    struct carillon_problem *problem = NULL;
    struct carillon_schedule *schedule = NULL;
    struct carillon_image *image = NULL;
    struct crl_diag unsaid;
    if (!diag) diag = &unsaid;
    *json = NULL;
    int error = crl_options_take(&own, options, diag);
    if (error) return error;
    const char *kinds = own.spare ? own.spare : "links";
    own.spare = NULL;
    error = carillon_problem_new(&problem, context, algorithm, topology, &own, diag);
    if (!error && !problem->machine->spares)
        error = crl_fail(diag, CRL_ERR_UNSUPPORTED, "--spare is for slot tables on networks of links");
    if (!error) error = carillon_plan(&schedule, problem, diag);
    if (!error) error = carillon_check(schedule, diag);
    if (!error) error = carillon_lower(&image, schedule, diag);
    if (!error) error = problem->machine->spares(json, schedule, image, kinds, directory, diag);
    carillon_image_free(image);
    carillon_schedule_free(schedule);
    carillon_problem_free(problem);
    return error;
}
