// SPDX-License-Identifier: Apache-2.0
// Pictures of what a LogP machine plays.
#ifndef CRL_LOGP_DRAW_H
#define CRL_LOGP_DRAW_H

#include "draw/page.h"
#include "machine/logp/schedule.h"

// As struct crl_figure.
struct crl_logp_figure {
    const struct crl_logp_schedule *schedule;
    const struct crl_logp_problem *problem;
    const char *scheme;
    const struct carillon_view *view;
};

// Writers, as those of draw/figure.h and draw/page.h.
int crl_draw_logp_space_time(const struct crl_logp_figure *figure, FILE *file, struct crl_diag *diag);
int crl_draw_logp_tree(const struct crl_logp_figure *figure, FILE *file, struct crl_diag *diag);
int crl_draw_logp_page(const struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem,
                       const struct crl_page *page, FILE *file, struct crl_diag *diag);

#endif
