// SPDX-License-Identifier: Apache-2.0
// What the row of LogP machines is made of.
#ifndef CRL_LOGP_LOGP_H
#define CRL_LOGP_LOGP_H

#include "machine/logp/plan.h"
#include "machine/logp/check.h"
#include "api/machine.h"
#include "machine/logp/image.h"

struct logp_problem {
    struct carillon_problem common;
    struct crl_logp_problem problem;
    char machine[CRL_LOGP_NAME]; // canonical spelling
};
struct logp_schedule {
    struct carillon_schedule common;
    struct crl_logp_schedule schedule;
    struct crl_logp_report report; // its common part is empty: that is the schedule's own
};
struct logp_image {
    struct carillon_image common;
    struct crl_logp_image image;
};

static inline struct logp_problem *logp_problem_of(struct carillon_problem *p) { return (struct logp_problem *)p; }
static inline const struct crl_logp_problem *logp_said(const struct carillon_problem *p)
{
    return &((const struct logp_problem *)p)->problem;
}
static inline const char *logp_machine_of(const struct carillon_problem *p)
{
    return ((const struct logp_problem *)p)->machine;
}
static inline struct logp_schedule *logp_schedule_of(struct carillon_schedule *s) { return (struct logp_schedule *)s; }
static inline const struct logp_schedule *logp_schedule_in(const struct carillon_schedule *s)
{
    return (const struct logp_schedule *)s;
}
static inline struct crl_logp_image *logp_image_of(struct carillon_image *image)
{
    return &((struct logp_image *)image)->image;
}
static inline const struct crl_logp_image *logp_image_in(const struct carillon_image *image)
{
    return &((const struct logp_image *)image)->image;
}

// The operator that a run was asked for.
enum crl_op logp_op(const struct carillon_schedule *schedule);
// The replay page, as struct crl_pictures has it.
int logp_page(const struct carillon_schedule *schedule, struct crl_page *page, FILE *file, struct crl_diag *diag);
extern const struct crl_pictures logp_pictures;
// Who plays them.
extern const struct crl_player_kind logp_players[];

#endif
