// SPDX-License-Identifier: Apache-2.0
// How long a collective takes, by the MPI library's clock: a line `bytes seconds` for each block size named after it.
// What the blocks hold is looked at, too, unless a `-` comes first: where large buffers of all ranks lie in the same
// memory there is nothing to see.
// Of an all-reduce a block is the whole vector, of unsigned integers.
// usage: timing alltoall|allgather|allreduce [-] BYTES...
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum collective { ALLTOALL, ALLGATHER, ALLREDUCE };

static void play(enum collective collective, char *own, char *got, int bytes)
{
    if (collective == ALLTOALL) MPI_Alltoall(own, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (collective == ALLGATHER) MPI_Allgather(own, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else MPI_Allreduce(own, got, bytes / (int)sizeof(unsigned), MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
}

static char byte_of(int from, int to, int k) { return (char)(from * 31 + to * 7 + k * 3); }

static void fill(enum collective collective, char *own, int rank, int size, int bytes)
{
    for (int to = 0; to < (collective == ALLTOALL ? size : 1); to++)
        for (int k = 0; k < bytes; k++) own[to * bytes + k] = byte_of(rank, to, k);
}

static void expect(int right, int rank, int k, int from)
{
    if (right) return;
    fprintf(stderr, "rank %d: number %d of the block from %d is wrong\n", rank, k, from);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void look(enum collective collective, const char *got, int rank, int size, int bytes)
{
    if (collective != ALLREDUCE) {
        for (int from = 0; from < size; from++)
            for (int k = 0; k < bytes; k++)
                expect(got[from * bytes + k] == byte_of(from, collective == ALLTOALL ? rank : 0, k), rank, k, from);
        return;
    }
    for (int k = 0; k < bytes / (int)sizeof(unsigned); k++) {
        unsigned sum = 0, is;
        for (int from = 0; from < size; from++) {
            char one[sizeof(unsigned)];
            for (int i = 0; i < (int)sizeof one; i++) one[i] = byte_of(from, 0, k * (int)sizeof one + i);
            memcpy(&is, one, sizeof is);
            sum += is;
        }
        memcpy(&is, got + (size_t)k * sizeof is, sizeof is);
        expect(is == sum, rank, k, 0);
    }
}

// All ranks leave a barrier at the same time, though its last message reaches some later than others. Returns the time.
static double together(void)
{
    double now, last;
    MPI_Barrier(MPI_COMM_WORLD);
    now = MPI_Wtime();
    PMPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    usleep((useconds_t)((last + 1e-3 - MPI_Wtime()) * 1e6));
    while ((now = MPI_Wtime()) < last + 1e-3) {
    }
    return now;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *name = argc > 1 ? argv[1] : "";
    enum collective collective = !strcmp(name, "alltoall")    ? ALLTOALL
                                 : !strcmp(name, "allgather") ? ALLGATHER
                                                              : ALLREDUCE;
    int seen = argc < 3 || strcmp(argv[2], "-") != 0;
    int first = seen ? 2 : 3;
    for (int i = first; i < argc; i++) {
        int bytes = atoi(argv[i]);
        char *own = malloc((size_t)bytes * (collective == ALLTOALL ? (size_t)size : 1));
        char *got = malloc((size_t)bytes * (collective == ALLREDUCE ? 1 : (size_t)size));
        if (!own || !got) MPI_Abort(MPI_COMM_WORLD, 1);
        if (seen) fill(collective, own, rank, size, bytes);
        play(collective, own, got, bytes); // plans are made, which are not the same for all sizes
        double before = together(), mine, all;
        play(collective, own, got, bytes);
        mine = MPI_Wtime() - before;
        if (seen) look(collective, got, rank, size, bytes);
        MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (!rank) printf("%d %.9f\n", bytes, all);
        free(own);
        free(got);
    }
    MPI_Finalize();
    return 0;
}
