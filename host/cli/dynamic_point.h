// SPDX-License-Identifier: Apache-2.0
// One run of random broadcasts, as the command and its sweeps need it.
#ifndef CRL_DYNAMIC_POINT_H
#define CRL_DYNAMIC_POINT_H

#include "cli.h"
#include "dynamic/dynamic.h"

// What to run, and what came of it.
struct point {
    const struct crl_scheme *scheme;
    char topology[32];
    double rho;
    uint32_t d;
    double limit; // of the scheme
    struct crl_dynamic_result result;
};

// Runs a point with the slots, warm-up, seed, depth and engine of the options. Writes the trace that is asked for if
// `trace` is not NULL. `progress` (may be NULL) follows it.
int point_run(struct point *point, const struct options *options, FILE *trace, struct progress *progress,
              struct crl_diag *diag);
// The summary's fields.
json_t *point_summary(const struct point *point, const struct options *options);
// Complains of a bad result. Returns 0 or CRL_ERR_MISMATCH.
int point_judge(const struct point *point, struct crl_diag *diag);

// Reads load factors as 0.3, or 0.1,0.2,0.3, or 0.05:0.50:0.05. Returns how many, or 0 after saying why.
size_t loads_of(const char *text, double *load, size_t most);
// The first line of a sweep's file.
extern const char sweep_header[];

// carillon dynamic pmnb: partial multinode broadcasts one after the other.
int command_dynamic_intervals(const struct options *options);

// Many points: `points` [count] are run on all cores; finished ones are kept in `FILE.part` until all are there.
int sweep(struct point *points, size_t count, const struct options *options, struct crl_diag *diag);

#endif
