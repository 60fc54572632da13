// SPDX-License-Identifier: Apache-2.0
// A sample sort: rank 0 deals out keys; samples pick splitters; everybody sends everybody its keys, padded to the most
// that anybody sends; rank 0 gets the places and the sorted keys and prints them.
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { KEYS = 500 };
    int rank, size, most = 0, kept = 0, before, first;
    MPI_Comm all = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    int *keys = malloc(sizeof *keys * (size_t)(KEYS * size)), *mine = malloc(sizeof *mine * KEYS);
    int *sample = malloc(sizeof *sample * (size_t)(size * size)), *splitter = malloc(sizeof *splitter * (size_t)size);
    unsigned x = 17;
    for (int i = 0; i < KEYS * size && !rank; i++) keys[i] = (int)((x = x * 1664525u + 1013904223u) >> 8) % 100000;
    MPI_Scatter(keys, KEYS, MPI_INT, mine, KEYS, MPI_INT, 0, all);
    qsort(mine, KEYS, sizeof *mine, ascending);
    for (int i = 0; i < size; i++) sample[rank * size + i] = mine[(2 * i + 1) * KEYS / (2 * size)];
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sample, size, MPI_INT, all);
    qsort(sample, (size_t)(size * size), sizeof *sample, ascending);
    for (int i = 0; i < size; i++) splitter[i] = i + 1 < size ? sample[(i + 1) * size] : INT_MAX;
    MPI_Bcast(splitter, size, MPI_INT, size - 1, all);
    int *count = calloc((size_t)size, sizeof *count);
    for (int i = 0, to = 0; i < KEYS; i++) {
        while (mine[i] >= splitter[to]) to++;
        count[to]++;
    }
    for (int i = 0; i < size; i++)
        if (count[i] > most) most = count[i];
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, all);
    int *out = malloc(sizeof *out * (size_t)(most * size)), *in = malloc(sizeof *in * (size_t)(most * size));
    for (int i = 0, from = 0; i < size; from += count[i++])
        for (int k = 0; k < most; k++) out[i * most + k] = k < count[i] ? mine[from + k] : INT_MAX;
    MPI_Alltoall(out, most, MPI_INT, in, most, MPI_INT, all);
    qsort(in, (size_t)(most * size), sizeof *in, ascending);
    while (kept < most * size && in[kept] != INT_MAX) kept++;
    MPI_Scan(&kept, &before, 1, MPI_INT, MPI_SUM, all);
    first = before - kept;
    int *place = calloc((size_t)(KEYS * size), sizeof *place);
    for (int i = 0; i < kept; i++) place[first + i] = in[i];
    // Whoever has no key for a place has 0 there.
    MPI_Reduce_scatter_block(place, mine, KEYS, MPI_INT, MPI_SUM, all);
    MPI_Gather(mine, KEYS, MPI_INT, keys, KEYS, MPI_INT, 0, all);
    for (int i = 0; i < KEYS * size && !rank; i++) printf("%d\n", keys[i]);
    MPI_Finalize();
    free(keys), free(mine), free(sample), free(splitter), free(count), free(out), free(in), free(place);
    return 0;
}
