// SPDX-License-Identifier: Apache-2.0
// carillon run for on-line routers, which have no tables.
#ifndef CRL_ONLINE_RUN_H
#define CRL_ONLINE_RUN_H

#include "cli.h"

// Whether what was planned is played by routers that decide for themselves: not where tables, or what only tables have,
// are asked for.
bool online_run_wanted(const struct job *job, const struct options *options);
// Plays, compares, judges and reports it.
int online_run(struct job *job, const struct options *options);

#endif
