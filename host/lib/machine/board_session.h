// SPDX-License-Identifier: Apache-2.0
// An open board that tells the context what it does, and is left in order when the context wants to stop.
#ifndef CRL_BOARD_SESSION_H
#define CRL_BOARD_SESSION_H

#include "board/board.h"
#include <jansson.h>

struct crl_board_session {
    struct crl_board *board;
    struct crl_board_watch watch;
    const struct crl_context *context;
};

// Opens the board that the options name.
int crl_board_session_open(struct crl_board_session **out, const struct crl_context *context,
                           const struct carillon_options *options, struct crl_diag *diag);
// Closes it (NULL: nothing) and forgets it. Returns `error`, or that the context wanted to stop.
int crl_board_session_close(struct crl_board_session **session, int error, struct crl_diag *diag);
// Its name and serial number, or its place where it has none.
const char *crl_board_session_name(const struct crl_board_session *session);
const char *crl_board_session_serial(const struct crl_board_session *session);
// The first fault the guards of a board reported; "" if there is none.
void crl_board_fault_text(const struct crl_board_state *state, char *text, size_t size);

#endif
