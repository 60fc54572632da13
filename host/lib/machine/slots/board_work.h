// SPDX-License-Identifier: Apache-2.0
// What the actions on boards work on, and those on several boards at once.
#ifndef CRL_SLOTS_BOARD_WORK_H
#define CRL_SLOTS_BOARD_WORK_H

#include "machine/slots/slots.h"

struct board_work {
    const struct crl_context *context;
    const struct carillon_options *options;
    const char *devices; // --boards: which devices are the boards of the plan; NULL: there is one board
    FILE *file, *memories;
    const char *name; // of the file
    struct carillon_image *image;
    struct crl_board_session *session;
    struct crl_diag *diag;
};

static inline const struct crl_image *image_of(const struct board_work *w) { return &slots_image_in(w->image)->image; }
static inline const struct crl_problem *problem_of(const struct board_work *w) { return slots_said(w->image->problem); }

// Reads the file as an image of slot tables.
int board_read_image(struct board_work *work);
// The image that the open board has, from what this user gave to boards before.
int board_recall(struct board_work *work);

int board_cluster_load(struct board_work *work, json_t *summary);
int board_cluster_run(struct board_work *work, json_t *summary);
// Of each board that is attached.
int board_status(struct board_work *work, json_t *summary);

#endif
