// SPDX-License-Identifier: Apache-2.0
// What playing found out, whatever was played: compare, judge, report.
#ifndef CRL_OUTCOME_H
#define CRL_OUTCOME_H

#include "cli.h"

struct outcome {
    struct crl_compared compared;
    uint64_t faults;
    const char *result;    // NULL: not judged
    struct crl_diag where; // of a bad result
};

// Refuses --wave and --trace that make no sense. Returns 0 or EXIT_USAGE after saying why.
int refuse_outputs(const struct options *options);
// Plays the players side by side (crl_compare), with progress over `cycles`, and writes the trace that is asked for.
int outcome_play(struct outcome *outcome, const struct crl_player *players, const char *const *names, size_t count,
                 uint32_t nodes, uint32_t ports, uint64_t cycles, const struct options *options, struct crl_diag *diag);
// Counts an engine's faults, and says `text` of them if there are any.
void outcome_faults(struct outcome *outcome, uint64_t faults, const char *engine, const char *text);
// Keeps the oracle's verdict on an engine's memories: the first bad one stays.
void outcome_judged(struct outcome *outcome, const char *verdict, const struct crl_diag *where);
// Completes and prints the summary, which it releases. Returns 0 or CRL_ERR_MISMATCH.
int outcome_report(const struct outcome *outcome, json_t *summary, const struct options *options,
                   struct crl_diag *diag);

#endif
