// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for a shifted Laplacian of a square, rows shared out: the vector by all-gather, dot products by
// all-reduce. Prints the solution's bits, the norm of the residual and the sum of the solution by way of a
// reduce-scatter and a reduce.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double dot(const double *a, const double *b, int n)
{
    double sum = 0, all;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    int rank, size, steps = 25;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int rows = 24, n = rows * size, side = 12, first = rank * rows;
    double *x = calloc((size_t)rows, sizeof *x), *r = calloc((size_t)rows, sizeof *r);
    double *p = calloc((size_t)rows, sizeof *p), *q = calloc((size_t)rows, sizeof *q);
    double *all = calloc((size_t)n, sizeof *all), *part = calloc((size_t)n, sizeof *part), sum = 0, total = 0;
    for (int i = 0; i < rows; i++) p[i] = r[i] = sin(0.1 * (first + i)) + 1e-3 * (first + i);
    double rr = dot(r, r, rows);
    for (int step = 0; step < steps; step++) {
        MPI_Allgather(p, rows, MPI_DOUBLE, all, rows, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int i = 0; i < rows; i++) {
            int v = first + i;
            q[i] = 5.5 * all[v];
            if (v % side) q[i] -= all[v - 1];
            if (v % side < side - 1) q[i] -= all[v + 1];
            if (v >= side) q[i] -= all[v - side];
            if (v + side < n) q[i] -= all[v + side];
        }
        double alpha = rr / dot(p, q, rows), before = rr;
        for (int i = 0; i < rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(r, r, rows);
        for (int i = 0; i < rows; i++) p[i] = r[i] + rr / before * p[i];
    }
    MPI_Gather(x, rows, MPI_DOUBLE, all, rows, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n && !rank; i++) printf("%a\n", all[i]);
    // Everybody's guess of everything, off by a little that hangs on the rank: as long a vector, and no exact sums.
    for (int i = 0; i < n; i++) part[i] = (1.0 + 0.1 * rank) * sin(i + rank);
    MPI_Allreduce(MPI_IN_PLACE, part, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n && !rank; i++) printf("%a\n", part[i]);
    for (int i = 0; i < n; i++) part[i] = (1.0 + 0.1 * rank) * cos(i + rank);
    MPI_Reduce_scatter_block(part, q, rows, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < rows; i++) sum += x[i] * q[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, size / 2, MPI_COMM_WORLD);
    MPI_Bcast(&total, 1, MPI_DOUBLE, size / 2, MPI_COMM_WORLD);
    MPI_Scan(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(&total, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size && !rank; i++) printf("%a\n", all[i]);
    MPI_Finalize();
    free(x), free(r), free(p), free(q), free(all), free(part);
    return 0;
}
