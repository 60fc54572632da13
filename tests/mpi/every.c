// SPDX-License-Identifier: Apache-2.0
// Every collective that the library plays, in every form of its arguments, beside what the MPI library itself makes of
// the same (through the PMPI names). Ends with 1 and a line on standard error at the first that differ. Integers, so
// that all orders of adding up give the same bits.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MPICH_VERSION
#define LEFT_CRASHES 1
#else
#define LEFT_CRASHES 0
#endif

static int rank, size;
static MPI_Comm world;
static long long compared, left_out;

static void *room(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (!memory) MPI_Abort(MPI_COMM_WORLD, 2);
    return memory;
}

// The same at all ranks for the same seed, and different for others.
static void fill(void *memory, size_t bytes, unsigned seed)
{
    unsigned char *byte = memory;
    unsigned long long x = seed * 2654435761u + 12345u;
    for (size_t i = 0; i < bytes; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        byte[i] = (unsigned char)(x >> 33);
    }
}

static void same(const char *what, const char *how, int root, int count, const void *a, const void *b, size_t bytes)
{
    compared++;
    if (!memcmp(a, b, bytes)) return;
    fprintf(stderr, "every: %s of %d %s, root %d, differs at rank %d of %d\n", what, count, how, root, rank, size);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// Types: contiguous, with gaps, and one whose elements interleave.
struct kind {
    const char *name;
    MPI_Datatype type;
    size_t extent;
};

static void move(const struct kind *kind, int count, int root)
{
    size_t block = (size_t)count * kind->extent, all = block * (size_t)size, span = all + 256;
    char *in = room(span), *out = room(span), *expected = room(span);
    MPI_Datatype t = kind->type;
    fill(in, span, (unsigned)rank);
#define FRESH      (fill(out, span, 77), fill(expected, span, 77))
#define SAME(what) same(what, kind->name, root, count, out, expected, span)
    FRESH;
    MPI_Allgather(in, count, t, out, count, t, world);
    PMPI_Allgather(in, count, t, expected, count, t, world);
    SAME("allgather");
    memcpy(out, in, span), memcpy(expected, in, span);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, t, world);
    PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, expected, count, t, world);
    SAME("allgather in place");
    FRESH;
    MPI_Alltoall(in, count, t, out, count, t, world);
    PMPI_Alltoall(in, count, t, expected, count, t, world);
    SAME("alltoall");
    memcpy(out, in, span), memcpy(expected, in, span);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, t, world);
    PMPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, expected, count, t, world);
    SAME("alltoall in place");
    memcpy(out, in, span), memcpy(expected, in, span);
    MPI_Bcast(out, count, t, root, world);
    PMPI_Bcast(expected, count, t, root, world);
    SAME("bcast");
    FRESH;
    MPI_Scatter(in, count, t, out, count, t, root, world);
    PMPI_Scatter(in, count, t, expected, count, t, root, world);
    SAME("scatter");
    memcpy(out, in, span), memcpy(expected, in, span);
    MPI_Scatter(out, count, t, rank == root ? MPI_IN_PLACE : out, count, t, root, world);
    PMPI_Scatter(expected, count, t, rank == root ? MPI_IN_PLACE : expected, count, t, root, world);
    SAME("scatter in place");
    FRESH;
    MPI_Gather(in, count, t, rank == root ? out : NULL, count, t, root, world);
    PMPI_Gather(in, count, t, rank == root ? expected : NULL, count, t, root, world);
    SAME("gather");
    memcpy(out, in, span), memcpy(expected, in, span);
    MPI_Gather(rank == root ? MPI_IN_PLACE : out, count, t, out, count, t, root, world);
    PMPI_Gather(rank == root ? MPI_IN_PLACE : expected, count, t, expected, count, t, root, world);
    SAME("gather in place");
    free(in);
    free(out);
    free(expected);
}

// The two sides of a packet may have different types of the same contents.
static void two_types(int count)
{
    MPI_Datatype pair;
    size_t all = sizeof(int) * 2 * (size_t)count * (size_t)size;
    int *in = room(all), *out = room(all), *expected = room(all);
    MPI_Type_vector(2, 1, 1, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    fill(in, all, (unsigned)rank);
    MPI_Alltoall(in, 2 * count, MPI_INT, out, count, pair, world);
    PMPI_Alltoall(in, 2 * count, MPI_INT, expected, count, pair, world);
    same("alltoall", "of two types", 0, count, out, expected, all);
    memcpy(out, in, all), memcpy(expected, in, all);
    if (rank % 2) MPI_Bcast(out, count, pair, 0, world);
    else MPI_Bcast(out, 2 * count, MPI_INT, 0, world);
    PMPI_Bcast(expected, 2 * count, MPI_INT, 0, world);
    same("bcast", "of two types", 0, count, out, expected, all);
    MPI_Type_free(&pair);
    free(in);
    free(out);
    free(expected);
}

struct operation {
    const char *name;
    MPI_Op op;
    MPI_Datatype type;
    size_t extent;
    int commutes;
};

static void add(const struct operation *o, int count, int root)
{
    size_t block = (size_t)count * o->extent, all = block * (size_t)size + 256;
    char *in = room(all), *out = room(all), *expected = room(all);
    MPI_Datatype t = o->type;
    fill(in, all, 1000u + (unsigned)rank);
    if (t == MPI_2INT) // few values, so that many are alike and the lower index counts
        for (size_t i = 0; i < all / sizeof(int); i += 2) ((int *)(void *)in)[i] &= 3;
            // One collective, ours beside the library's own; in place the first `length` bytes count.
#define COMPARE(function, length)                                                                                      \
    fill(out, all, 77), fill(expected, all, 77);                                                                       \
    MPI_##function(in, out, count, t, o->op, world);                                                                   \
    PMPI_##function(in, expected, count, t, o->op, world);                                                             \
    same(#function, o->name, root, count, out, expected, all);                                                         \
    memcpy(out, in, all), memcpy(expected, in, all);                                                                   \
    MPI_##function(MPI_IN_PLACE, out, count, t, o->op, world);                                                         \
    PMPI_##function(MPI_IN_PLACE, expected, count, t, o->op, world);                                                   \
    same(#function " in place", o->name, root, count, out, expected, length)
    COMPARE(Allreduce, all);
    COMPARE(Scan, all);
    COMPARE(Reduce_scatter_block, block);
    fill(out, all, 77), fill(expected, all, 77);
    MPI_Reduce(in, rank == root ? out : NULL, count, t, o->op, root, world);
    PMPI_Reduce(in, rank == root ? expected : NULL, count, t, o->op, root, world);
    same("Reduce", o->name, root, count, out, expected, all);
    // In place MPICH 4.0 itself, to which this library leaves them, crashes where the root is not 0.
    if (o->commutes || !LEFT_CRASHES || !root) {
        memcpy(out, in, all), memcpy(expected, in, all);
        MPI_Reduce(rank == root ? MPI_IN_PLACE : out, out, count, t, o->op, root, world);
        PMPI_Reduce(in, expected, count, t, o->op, root, world);
        if (rank == root) same("Reduce in place", o->name, root, count, out, expected, all);
    } else left_out += rank == root;
    free(in);
    free(out);
    free(expected);
}

// x + y + xy of the first and third of three numbers: commutative, of a type with a gap.
static void mix(void *in, void *inout, int *count, MPI_Datatype *type)
{
    unsigned *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++, a += 3, b += 3) {
        b[0] = a[0] + b[0] + a[0] * b[0];
        b[2] = a[2] + b[2] + a[2] * b[2];
    }
}

// A function of a times x plus b, one after the other: not commutative.
static void after(void *in, void *inout, int *count, MPI_Datatype *type)
{
    unsigned *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++, a += 2, b += 2) {
        b[1] = b[0] * a[1] + b[1];
        b[0] = b[0] * a[0];
    }
}

static void round_of_all(const int *counts, int many)
{
    MPI_Datatype gapped, column, outer, pair;
    MPI_Op mixed, ordered;
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){0, 2}, MPI_INT, &gapped);
    MPI_Type_commit(&gapped);
    MPI_Type_vector(3, 1, size, MPI_SHORT, &outer);
    MPI_Type_create_resized(outer, 0, sizeof(short), &column); // a column of a matrix of `size`
    MPI_Type_commit(&column);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(mix, 1, &mixed);
    MPI_Op_create(after, 0, &ordered);
    const struct kind kinds[] = {{"bytes", MPI_CHAR, 1},
                                 {"doubles", MPI_DOUBLE, 8},
                                 {"gapped", gapped, 3 * sizeof(int)},
                                 {"interleaved", column, sizeof(short)}};
    const struct operation operations[] = {{"sums", MPI_SUM, MPI_INT, 4, 1},
                                           {"maxima", MPI_MAX, MPI_LONG_LONG, 8, 1},
                                           {"xors", MPI_BXOR, MPI_BYTE, 1, 1},
                                           {"least places", MPI_MINLOC, MPI_2INT, 8, 1},
                                           {"mixtures", mixed, gapped, 3 * sizeof(int), 1},
                                           {"functions", ordered, pair, 8, 0}};
    for (int c = 0; c < many; c++)
        for (int root = 0; root<size; root += size> 4 ? size / 2 + 1 : 1) {
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
                if (kinds[k].type != column || counts[c] < 2) move(&kinds[k], counts[c], root);
            for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) add(&operations[k], counts[c], root);
        }
    two_types(3);
    MPI_Op_free(&mixed);
    MPI_Op_free(&ordered);
    MPI_Type_free(&gapped);
    MPI_Type_free(&outer);
    MPI_Type_free(&column);
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    static const int counts[] = {0, 1, 5, 1000};
    int provided, place;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    // The world; a communicator of as many in reversed order, which then goes; and halves, which have another size.
    MPI_Comm_rank(MPI_COMM_WORLD, &place);
    for (int turn = 0; turn < 3; turn++) {
        if (turn) MPI_Comm_split(MPI_COMM_WORLD, turn == 2 ? place % 2 : 0, -place, &world);
        else world = MPI_COMM_WORLD;
        MPI_Comm_rank(world, &rank);
        MPI_Comm_size(world, &size);
        round_of_all(counts, turn ? 2 : 4);
        if (turn) MPI_Comm_free(&world);
    }
    if (!place) printf("every: %lld alike at rank 0, %lld left out\n", compared, left_out);
    MPI_Finalize();
    return 0;
}
