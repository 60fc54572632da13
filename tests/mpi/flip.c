// SPDX-License-Identifier: Apache-2.0
// To be preloaded: turns a bit of the first word that rank FLIP_RANK sends in its row FLIP_ROW.
#include <mpi.h>
#include <stdlib.h>

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    static long sends;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (rank == atoi(getenv("FLIP_RANK")) && sends++ == atol(getenv("FLIP_ROW"))) *(char *)(long)buf ^= 1;
    return PMPI_Isend(buf, count, type, dest, tag, comm, request);
}
