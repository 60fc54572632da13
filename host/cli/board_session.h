// SPDX-License-Identifier: Apache-2.0
// An open board with a progress bar, which an interrupt leaves usable.
#ifndef CRL_BOARD_SESSION_H
#define CRL_BOARD_SESSION_H

#include "cli.h"
#include "board/board.h"

struct board_session {
    struct crl_board *board;
    struct crl_board_watch watch;
    struct progress progress;
    const char *doing; // what the bar shows
};

// Opens the board that --serial names. Until board_session_close signals only end what the board is doing. The session
// must not move meanwhile.
int board_session_open(struct board_session *session, const struct options *options, struct crl_diag *diag);
// Returns `error`, or that the user wanted to stop.
int board_session_close(struct board_session *session, int error, struct crl_diag *diag);
// Adds which board it is.
void board_summary(const struct board_session *session, json_t *summary);
// The first fault the guards of a board reported; "" if there is none.
void board_fault_text(const struct crl_board_state *state, char *text, size_t size);

#endif
