// SPDX-License-Identifier: Apache-2.0
// Many runs of random broadcasts.
#ifndef CRL_SWEEP_H
#define CRL_SWEEP_H

#include "cli.h"

// What to run.
struct point {
    char scheme[32], topology[128];
    double rho;
};

// Points [count] are run on all cores; finished ones are kept in `FILE.part` until all are there.
int sweep(const struct point *points, size_t count, const struct options *options, struct crl_diag *diag);

#endif
