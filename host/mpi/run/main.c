// SPDX-License-Identifier: Apache-2.0
// carillon-mpi: `carillon run` as ranks that share the nodes. All of them plan, check and lower the same; each plays
// its own nodes. Rank 0 speaks for all. And `farm`, whose ranks run a command line each.
#include "cli.h"
#include "farm.h"
#include <mpi.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SWAPS_MAX = 2048 }; // with each other rank, of each of two engines
struct ranks {
    MPI_Request request[2 * SWAPS_MAX];
    int requests;
    bool playing; // others wait for this one
};

static int done(int error) { return error ? CRL_ERR_IO : 0; }

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
static int join(void *user, struct carillon_run *run)
{
    uint64_t sums[] = {run->words, run->mismatches, run->faults, run->digest}, cycles = run->cycles;
    int rank, size, bad;
    int error = wait_all(user); // what was sent after the last row
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bad = run->result > CARILLON_OK ? rank : size;
    if (!error) error = MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (!error) error = MPI_Allreduce(&cycles, &run->cycles, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (!error) error = MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    run->words = sums[0];
    run->mismatches = sums[1];
    run->faults = sums[2];
    run->digest = sums[3];
    int result = (int)run->result;
    if (!error && bad < size) error = MPI_Bcast(&result, 1, MPI_INT, bad, MPI_COMM_WORLD);
    if (!error && bad < size) error = MPI_Bcast(run->text, sizeof run->text, MPI_CHAR, bad, MPI_COMM_WORLD);
    run->result = (enum carillon_result)result;
    ((struct ranks *)user)->playing = false;
    return done(error);
}

// What it took: of processors by all ranks together, of memory by the largest.
static void say_cost(int ranks)
{
    struct rusage usage;
    int rank;
    getrusage(RUSAGE_SELF, &usage);
    double seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6, all = 0;
    long most = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&seconds, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&usage.ru_maxrss, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (!rank)
        fprintf(stderr, "carillon-mpi: %d rank%s, %.2f s of processors, %.1f MiB of the largest rank\n", ranks,
                ranks == 1 ? "" : "s", all, (double)most / 1024);
}

static int shared(int argc, char **argv, const struct carillon_share *share)
{
    context_share(share);
    if (argc > 1 && strcmp(argv[1], "run") && *argv[1] != '-')
        return complain_usage("'%s' is not shared by ranks; 'run' is, and 'farm TASKS' runs many at once", argv[1]);
    return carillon_main(argc, argv);
}

int main(int argc, char **argv)
{
    static struct ranks ranks;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct carillon_share share = {(uint32_t)rank, (uint32_t)size, start, wait_all, agree, join, &ranks};
    // All come to the same, so one tells it.
    if (rank && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))) return EXIT_USAGE;
    int code = argc > 1 && !strcmp(argv[1], "farm") ? farm(argc - 2, argv + 2) : shared(argc, argv, &share);
    if (ranks.playing) MPI_Abort(MPI_COMM_WORLD, code); // others wait
    say_cost(size);
    MPI_Finalize();
    return rank ? EXIT_FINE : code;
}
