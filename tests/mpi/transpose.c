// SPDX-License-Identifier: Apache-2.0
// A two-dimensional FFT: rows by each rank, a transpose, the other rows. Rank 0 deals out the input, gets the spectrum
// back and prints its bits. The order of all sums is that of the program, so MPI has no part in the result's bits.
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fft(double complex *x, int n, int stride, double complex *out)
{
    if (n % 2) { // sizes are a power of two times what is left: by definition
        for (int k = 0; k < n; k++) {
            out[k] = 0;
            for (int j = 0; j < n; j++)
                out[k] += x[(size_t)j * (size_t)stride] * cexp(-2 * 3.14159265358979323846 * I * (j * k % n) / n);
        }
        return;
    }
    fft(x, n / 2, 2 * stride, out);
    fft(x + stride, n / 2, 2 * stride, out + n / 2);
    for (int k = 0; k < n / 2; k++) {
        double complex even = out[k], odd = cexp(-2 * 3.14159265358979323846 * I * k / n) * out[k + n / 2];
        out[k] = even + odd;
        out[k + n / 2] = even - odd;
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = 4 * size, rows = 4;
    size_t mine = (size_t)rows * (size_t)n;
    double complex *all = malloc(sizeof *all * (size_t)n * (size_t)n), *part = malloc(sizeof *part * mine);
    double complex *turned = malloc(sizeof *turned * mine);
    MPI_Datatype number = MPI_C_DOUBLE_COMPLEX, column, columns, band, tile;
    for (int i = 0; i < n * n && !rank; i++) all[i] = sin(i * 0.37) + I * cos(i * i * 0.011);
    MPI_Scatter(all, (int)mine, number, part, (int)mine, number, 0, MPI_COMM_WORLD);
    for (int r = 0; r < rows; r++) {
        fft(part + r * n, n, 1, turned);
        memcpy(part + r * n, turned, sizeof *part * (size_t)n);
    }
    // A tile of rows × rows of the rows here, column by column: it arrives transposed, as rows of the other.
    MPI_Type_vector(rows, 1, n, number, &column);
    MPI_Type_create_resized(column, 0, sizeof *part, &columns);
    MPI_Type_commit(&columns);
    MPI_Type_vector(rows, rows, n, number, &band);
    MPI_Type_create_resized(band, 0, (MPI_Aint)sizeof *part * rows, &tile);
    MPI_Type_commit(&tile);
    MPI_Alltoall(part, rows, columns, turned, 1, tile, MPI_COMM_WORLD);
    for (int r = 0; r < rows; r++) fft(turned + r * n, n, 1, part + r * n);
    MPI_Gather(part, (int)mine, number, all, (int)mine, number, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n * n && !rank; i++) printf("%a %a\n", creal(all[i]), cimag(all[i]));
    MPI_Type_free(&column), MPI_Type_free(&columns), MPI_Type_free(&band), MPI_Type_free(&tile);
    MPI_Finalize();
    free(all);
    free(part);
    free(turned);
    return 0;
}
