// SPDX-License-Identifier: Apache-2.0
// Points of a sweep go from rank 0 to whichever rank is free, and their lines come back.
#include "ranks.h"
#include <time.h>

enum { POINT = 3, DONE = 4 };

static uint32_t await(void *user, struct point_done *done)
{
    (void)user;
    MPI_Status status;
    int there = 0;
    // The ranks that work need all processors.
    for (; !there; nanosleep(&(struct timespec){.tv_nsec = there ? 0 : 1000000}, NULL))
        MPI_Iprobe(MPI_ANY_SOURCE, DONE, MPI_COMM_WORLD, &there, &status);
    MPI_Recv(done, sizeof *done, MPI_BYTE, status.MPI_SOURCE, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (uint32_t)status.MPI_SOURCE;
}

static void give(void *user, uint32_t rank, uint64_t point)
{
    (void)user;
    MPI_Send(&point, 1, MPI_UINT64_T, (int)rank, POINT, MPI_COMM_WORLD);
}

static uint64_t next(void *user, const struct point_done *done)
{
    (void)user;
    uint64_t point;
    MPI_Send(done, sizeof *done, MPI_BYTE, 0, DONE, MPI_COMM_WORLD);
    MPI_Recv(&point, 1, MPI_UINT64_T, 0, POINT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return point;
}

struct sweep_ranks ranks_sweep(struct ranks *r)
{
    return (struct sweep_ranks){(uint32_t)r->rank, (uint32_t)r->size, await, give, next, r};
}
