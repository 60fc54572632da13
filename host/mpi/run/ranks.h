// SPDX-License-Identifier: Apache-2.0
// Ranks that share a run, or the points of a sweep.
#ifndef CRL_RANKS_H
#define CRL_RANKS_H

#include "sweep.h"
#include <mpi.h>

enum { SWAPS_MAX = 2048 }; // with each other rank, of each of two engines
struct ranks {
    int rank, size;
    MPI_Request request[2 * SWAPS_MAX];
    int requests;
    bool playing; // others wait for this one
    struct alone *alone;
    double before; // seconds of a processor that this rank had taken when it began
    double ratio;  // of what all took to what one process takes; 0: not compared
};

// The functions by which ranks share a run.
struct carillon_share ranks_share(struct ranks *ranks);

// As carillon_share.gather, and from wherever rank 0 is reached.
int ranks_gather(void *ranks, FILE *part, FILE *whole);

// Seconds of processors that this process has taken in the program itself, and its most memory in KiB.
double own_seconds(long *memory);
#define CLOCK_GRAIN 1e-3 // seconds, below which that says nothing

// ---- one process that plays the same alone, to be compared with

// Makes that process, which waits. It may take `limit` seconds of a processor. NULL: there is none.
struct alone *alone_new(int argc, char **argv, int limit);
// Has it play. Returns the seconds of a processor that it took, or 0 where it came to no end in its time. *digest is
// that of its trace.
double alone_play(struct alone *alone, uint64_t *digest);
void alone_free(struct alone *alone);

// ---- the points of a sweep

struct sweep_ranks ranks_sweep(struct ranks *ranks);

#endif
