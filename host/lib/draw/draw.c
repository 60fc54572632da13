// SPDX-License-Identifier: Apache-2.0
// A still picture of a schedule.
#include "draw/draw.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int crl_draw_view(const struct crl_schedule *schedule, const struct crl_problem *problem, const char *scheme,
                  const struct carillon_view *view, FILE *file, struct crl_diag *diag)
{
    struct drawing drawing = {.schedule = schedule, .problem = problem, .view = view};
    int error = crl_draw_layout(&drawing, scheme, diag);
    if (!error) crl_draw_svg(&drawing, file);
    free(drawing.has_row);
    if (error) return error;
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "cannot write the picture: %s", strerror(errno)) : 0;
}
