// SPDX-License-Identifier: Apache-2.0
// How ranks share a run: words over the border are swapped, and what each has of the result becomes what all have.
#include "ranks.h"
#include <sys/resource.h>
#include <time.h>

static int done(int error) { return error ? CRL_ERR_IO : 0; }

double own_seconds(long *memory)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *memory = usage.ru_maxrss;
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

// Engines that play side by side swap in the same order at all ranks, so messages of one need not be told from those of
// the other.
static int start(void *user, const struct carillon_swap *swaps, size_t count)
{
    struct ranks *r = user;
    int error = (size_t)r->requests + 2 * count > 2 * SWAPS_MAX;
    for (size_t i = 0; i < count && !error; i++) {
        const struct carillon_swap *s = &swaps[i];
        error =
            MPI_Irecv(s->in, (int)s->bytes_in, MPI_BYTE, (int)s->rank, 0, MPI_COMM_WORLD, &r->request[r->requests++]);
        if (!error)
            error = MPI_Isend(s->out, (int)s->bytes_out, MPI_BYTE, (int)s->rank, 0, MPI_COMM_WORLD,
                              &r->request[r->requests++]);
    }
    return done(error);
}

static int wait_all(void *user)
{
    struct ranks *r = user;
    int error = MPI_Waitall(r->requests, r->request, MPI_STATUSES_IGNORE);
    r->requests = 0;
    return done(error);
}

static int agree(void *user, uint32_t *bits)
{
    ((struct ranks *)user)->playing = true;
    return done(MPI_Allreduce(MPI_IN_PLACE, bits, 1, MPI_UINT32_T, MPI_BOR, MPI_COMM_WORLD));
}

// The result of a run with a difference is that of the lowest rank that saw it, and so is a bad result.
static int join_results(struct ranks *r, struct carillon_run *run)
{
    uint64_t sums[] = {run->words, run->mismatches, run->faults, run->digest}, cycles = run->cycles;
    int bad = run->result > CARILLON_OK ? r->rank : r->size;
    int error = wait_all(r); // what was sent after the last row
    if (!error) error = MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (!error) error = MPI_Allreduce(&cycles, &run->cycles, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (!error) error = MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    run->words = sums[0];
    run->mismatches = sums[1];
    run->faults = sums[2];
    run->digest = sums[3];
    int result = (int)run->result;
    if (!error && bad < r->size) error = MPI_Bcast(&result, 1, MPI_INT, bad, MPI_COMM_WORLD);
    if (!error && bad < r->size) error = MPI_Bcast(run->text, sizeof run->text, MPI_CHAR, bad, MPI_COMM_WORLD);
    run->result = (enum carillon_result)result;
    return error;
}

// Waits for what rank 0 says without keeping a processor busy, which the process that plays alone needs.
static int hear(struct ranks *r, double *numbers, int count)
{
    MPI_Request request;
    int there = 0, error = MPI_Ibcast(numbers, count, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    for (; !error && !there; nanosleep(&(struct timespec){.tv_nsec = there || !r->rank ? 0 : 5000000}, NULL))
        error = MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    return error;
}

// What it took, also beside one process. That has to come to the same trace.
static int join_costs(struct ranks *r, struct carillon_run *run)
{
    long memory;
    double seconds = own_seconds(&memory) - r->before, heard[2] = {0, 0};
    int error = MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (!error && r->alone && run->result == CARILLON_OK && !run->mismatches && !run->faults) {
        uint64_t digest = 0;
        heard[0] = alone_play(r->alone, &digest);
        heard[1] = heard[0] > 0 && digest != run->digest;
    }
    if (!error) error = hear(r, heard, 2);
    if (error) return error;
    if (seconds < CLOCK_GRAIN) seconds = CLOCK_GRAIN;
    run->cpu_seconds = seconds;
    run->cpu_ratio = r->ratio = heard[0] > 0 ? seconds / heard[0] : 0;
    if (heard[1] <= 0) return 0;
    run->result = CARILLON_WRONG;
    snprintf(run->text, sizeof run->text, "one process comes to another trace than %d ranks", r->size);
    return 0;
}

static int join(void *user, struct carillon_run *run)
{
    struct ranks *r = user;
    int error = join_results(r, run);
    if (!error) error = join_costs(r, run);
    r->playing = false;
    return done(error);
}

struct carillon_share ranks_share(struct ranks *r)
{
    return (struct carillon_share){(uint32_t)r->rank, (uint32_t)r->size, start, wait_all, agree, join, ranks_gather, r};
}
