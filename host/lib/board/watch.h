// SPDX-License-Identifier: Apache-2.0
// Progress and interruption of what takes long on a board, and the clock for its limits.
#ifndef CRL_BOARD_WATCH_H
#define CRL_BOARD_WATCH_H

#include "board/kinds.h"

// Tells the watch (may be NULL) how far `doing` is. CRL_ERR_INTERRUPTED if it wants to stop.
int crl_board_step(const struct crl_board_watch *watch, const char *doing, uint64_t done, uint64_t total,
                   struct crl_diag *diag);

uint64_t crl_now_ms(void); // of a clock that only goes forward

#endif
