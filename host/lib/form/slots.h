// SPDX-License-Identifier: Apache-2.0
// What the form of slot tables is made of. On-line routers solve the same problems by the same schedules.
#ifndef CRL_FORM_SLOTS_H
#define CRL_FORM_SLOTS_H

#include "algorithm/algorithm.h"
#include "form/board_session.h"
#include "form/form.h"

struct slots_problem {
    struct carillon_problem common;
    struct crl_topology *topology;
    struct crl_problem problem;
    uint32_t *active, *dests, *starts; // that `problem` points to
};
struct slots_schedule {
    struct carillon_schedule common;
    struct crl_schedule schedule;
    const struct crl_algorithm *algorithm; // NULL where it came from a file or an image
};
struct slots_image {
    struct carillon_image common;
    struct crl_image image;
    struct crl_board_session *session; // on the board that has it; NULL: none
    char board[32], serial[64];        // the board that played it
};

static inline struct slots_problem *slots_problem_of(struct carillon_problem *p) { return (struct slots_problem *)p; }
static inline struct slots_schedule *slots_schedule_of(struct carillon_schedule *s)
{
    return (struct slots_schedule *)s;
}
static inline const struct slots_schedule *slots_schedule_in(const struct carillon_schedule *s)
{
    return (const struct slots_schedule *)s;
}
static inline struct slots_image *slots_image_of(struct carillon_image *image) { return (struct slots_image *)image; }
static inline const struct slots_image *slots_image_in(const struct carillon_image *image)
{
    return (const struct slots_image *)image;
}
// The problem of a schedule or an image.
static inline const struct crl_problem *slots_said(const struct carillon_problem *p)
{
    return &((const struct slots_problem *)p)->problem;
}

// Slot tables as text and numbers.
extern const struct crl_dump slots_dumps[];
extern const struct crl_format slots_formats[];
// Who plays them.
extern const struct crl_player_kind slots_players[];
int slots_ready(struct crl_run *run);
int slots_after(struct crl_run *run, int error);
void slots_run_summary(const struct carillon_schedule *schedule, const struct carillon_image *image, uint32_t engines,
                       json_t *summary);
struct crl_extent slots_extent(const struct crl_run *run);

#endif
