// SPDX-License-Identifier: Apache-2.0
// How long a collective takes, by the MPI library's clock: a line `bytes seconds` for each block size named after it.
// What the blocks hold is looked at, too, unless a `-` comes first: where large buffers of all ranks lie in the same
// memory there is nothing to see.
// usage: timing alltoall|allgather [-] BYTES...
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void play(int personal, char *own, char *got, int bytes)
{
    if (personal) MPI_Alltoall(own, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else MPI_Allgather(own, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static char byte_of(int from, int to, int k) { return (char)(from * 31 + to * 7 + k * 3); }

static void fill(int personal, char *own, int rank, int size, int bytes)
{
    for (int to = 0; to < (personal ? size : 1); to++)
        for (int k = 0; k < bytes; k++) own[to * bytes + k] = byte_of(rank, to, k);
}

static void look(int personal, const char *got, int rank, int size, int bytes)
{
    for (int from = 0; from < size; from++)
        for (int k = 0; k < bytes; k++)
            if (got[from * bytes + k] != byte_of(from, personal ? rank : 0, k)) {
                fprintf(stderr, "rank %d: byte %d of the block from %d is wrong\n", rank, k, from);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int personal = argc > 1 && !strcmp(argv[1], "alltoall"), seen = argc < 3 || strcmp(argv[2], "-") != 0;
    int first = seen ? 2 : 3;
    for (int i = first; i < argc; i++) {
        int bytes = atoi(argv[i]);
        char *own = malloc((size_t)bytes * (personal ? (size_t)size : 1)), *got = malloc((size_t)bytes * (size_t)size);
        if (!own || !got) MPI_Abort(MPI_COMM_WORLD, 1);
        if (seen) fill(personal, own, rank, size, bytes);
        if (i == first) play(personal, own, got, 1); // plans are made, and are the same for all sizes
        MPI_Barrier(MPI_COMM_WORLD);
        double before = MPI_Wtime(), mine, all;
        play(personal, own, got, bytes);
        mine = MPI_Wtime() - before;
        if (seen) look(personal, got, rank, size, bytes);
        MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (!rank) printf("%d %.9f\n", bytes, all);
        free(own);
        free(got);
    }
    MPI_Finalize();
    return 0;
}
