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

// Ranks that share the points of sweeps from now on: the first hands them out, the others run them.
struct point_done {
    uint64_t point; // UINT64_MAX: none yet
    int error;
    struct crl_diag diag;
    char line[1024];
};
struct sweep_ranks {
    uint32_t rank, ranks;
    uint32_t (*await)(void *user, struct point_done *done);      // rank 0: waits for any other, and returns which
    void (*give)(void *user, uint32_t rank, uint64_t point);     // rank 0: to one that waits; UINT64_MAX: no more
    uint64_t (*next)(void *user, const struct point_done *last); // another: hands in a point, and gets the next
    void *user;
};
void sweep_share(const struct sweep_ranks *ranks);
bool sweep_shared(void);

// Points [count] are run on all cores; finished ones are kept in `FILE.part` until all are there.
int sweep(const struct point *points, size_t count, const struct options *options, struct crl_diag *diag);

#endif
