// SPDX-License-Identifier: Apache-2.0
// What was sent in a call, as its receivers saw it, as a file that `carillon check` reads.
#include "pmpi.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct row {
    uint32_t slot, src, dst, first, second;
};

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    for (size_t i = 0; i < sizeof(struct row) / sizeof *x; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

// "0.1-3-broadcast-root2.csv": rank in the world of the communicator's rank 0, which of its communicators, call, and
// what `check` must be told.
static void name_file(char *path, size_t size, const struct crl_comm *comm, const struct crl_want *want)
{
    const struct crl_collective_row *row = &crl_collective_table[want->collective];
    char option[32] = "", late[24] = "";
    int world;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    if (row->rooted) snprintf(option, sizeof option, "-root%u", want->root);
    if (want->collective == CRL_ALLREDUCE) snprintf(option, sizeof option, "-chunks%u", want->chunks);
    if (want->under_way > 1) snprintf(late, sizeof late, "-latency%u", want->under_way);
    snprintf(path, size, "%s/%d.%u-%u-%s%s%s.csv", getenv("CARILLON_TRACE"), world, comm->number, comm->calls,
             row->algorithm, option, late);
}

static bool names_pairs(const struct crl_want *want)
{
    return want->collective == CRL_ALLTOALL || want->collective == CRL_SCATTER || want->collective == CRL_GATHER;
}

static void write_file(const struct crl_comm *comm, const struct crl_want *want, struct row *rows, size_t count)
{
    char path[4096], part[4104];
    name_file(path, sizeof path, comm, want);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "w");
    if (file) fputs("slot,src,dst,packet\n", file);
    qsort(rows, count, sizeof *rows, compare);
    for (const struct row *r = rows; file && r < rows + count; r++) {
        fprintf(file, "%u,%u,%u,%u", r->slot, r->src, r->dst, r->first);
        fprintf(file, names_pairs(want) ? ">%u\n" : "\n", r->second);
    }
    bool failed = !file || ferror(file);
    if (file && fclose(file)) failed = true;
    if (!failed && rename(part, path)) failed = true;
    if (failed) crl_log("cannot write '%s': %s", path, strerror(errno));
}

int crl_trace_write(const struct crl_comm *comm, const struct crl_want *want, const struct crl_record *records,
                    size_t count)
{
    enum { NUMBERS = sizeof(struct row) / sizeof(uint32_t) };
    MPI_Datatype type;
    size_t total = 0;
    int mine = (int)count, *share = calloc(comm->size, sizeof *share), *start = calloc(comm->size, sizeof *start);
    struct row *own = malloc(sizeof *own * (count + 1)), *all = NULL;
    int error = share && start && own ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (size_t i = 0; i < count && !error; i++)
        own[i] = (struct row){records[i].slot, records[i].src, comm->rank, records[i].first, records[i].second};
    if (!error) error = PMPI_Gather(&mine, 1, MPI_INT, share, 1, MPI_INT, 0, comm->own);
    for (uint32_t v = 0; v < comm->size && !error; total += (size_t)share[v++]) start[v] = (int)total;
    if (!error && !(all = malloc(sizeof *all * (total + 1)))) error = MPI_ERR_NO_MEM;
    PMPI_Type_contiguous(NUMBERS, MPI_UINT32_T, &type);
    PMPI_Type_commit(&type);
    if (!error) error = PMPI_Gatherv(own, mine, type, all, share, start, type, 0, comm->own);
    PMPI_Type_free(&type);
    if (!error && !comm->rank) write_file(comm, want, all, total);
    free(all);
    free(own);
    free(start);
    free(share);
    return error;
}
