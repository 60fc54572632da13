// SPDX-License-Identifier: Apache-2.0
// A trace beside what had to be played, for replay pages.
#ifndef CRL_MACHINE_REPLAY_H
#define CRL_MACHINE_REPLAY_H

#include "draw/page.h"
#include "trace/trace.h"

struct crl_replay {
    struct crl_player player; // what had to be played
    uint32_t nodes, ports;
    // Sets where a word of a step belongs in the page: mark->slot, and mark->dst (CRL_NONE: nobody; src is set).
    void (*place)(const void *user, uint64_t step, uint32_t port, struct crl_mark *mark);
    const void *user;
    const char *unit; // "slot", or "time", which counts from 0
};
// Adds a mark to the page for every word of the trace that is missing, different or too many, up to a hundred, and
// fails with CRL_ERR_MISMATCH if there are any. `stopped`: the trace ends at the first difference.
int crl_replay_compare(const struct crl_replay *replay, FILE *trace, const char *name, bool stopped,
                       struct crl_page *page, struct crl_diag *diag);

#endif
