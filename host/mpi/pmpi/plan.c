// SPDX-License-Identifier: Apache-2.0
// From a collective and a topology to a list of moves, by libcarillon.
#include "plan.h"
#include <stdlib.h>

const struct crl_collective_row crl_collective_table[CRL_COLLECTIVES] = {
    [CRL_ALLGATHER] = {"MPI_Allgather", "multinode-broadcast", false, false},
    [CRL_ALLTOALL] = {"MPI_Alltoall", "total-exchange", false, false},
    [CRL_BCAST] = {"MPI_Bcast", "broadcast", true, false},
    [CRL_SCATTER] = {"MPI_Scatter", "scatter", true, false},
    [CRL_GATHER] = {"MPI_Gather", "gather", true, false},
    [CRL_REDUCE_SCATTER_BLOCK] = {"MPI_Reduce_scatter_block", "reduce-scatter", false, true},
    [CRL_ALLREDUCE] = {"MPI_Allreduce", "all-reduce", false, true},
    [CRL_REDUCE] = {"MPI_Reduce", "reduce", true, true},
    [CRL_SCAN] = {"MPI_Scan", "scan", false, true},
};

struct list {
    struct crl_move *moves;
    size_t count, capacity;
    bool too_late, out_of_memory;
};

static void take_row(void *user, const struct carillon_row *row)
{
    struct list *l = user;
    if (l->count == l->capacity && !l->out_of_memory) {
        size_t capacity = l->capacity ? 2 * l->capacity : 64;
        struct crl_move *moves = realloc(l->moves, sizeof *moves * capacity);
        if (moves) {
            l->moves = moves;
            l->capacity = capacity;
        } else l->out_of_memory = true;
    }
    if (l->out_of_memory) return;
    if (row->arrival > CRL_SLOTS_MAX) l->too_late = true;
    l->moves[l->count++] =
        (struct crl_move){row->slot, row->src, row->dst, row->first, row->second, row->port, row->arrival, 0};
}

static int fail(struct crl_diag *diag, int error, const char *text)
{
    snprintf(diag->text, sizeof diag->text, "%s", text);
    return error;
}

int crl_plan(struct crl_move **moves, size_t *count, const char *topology, const struct crl_want *want,
             struct crl_diag *diag)
{
    const struct crl_collective_row *row = &crl_collective_table[want->collective];
    struct carillon_options options = carillon_defaults();
    struct carillon_problem *problem = NULL;
    struct carillon_schedule *schedule = NULL;
    struct list list = {0};
    char root[12] = "";
    uint32_t *hosts, ranks;
    int error = carillon_topology_hosts(topology, &hosts, &ranks, diag);
    if (!error) snprintf(root, sizeof root, "%u", hosts[want->root]);
    free(hosts);
    if (row->rooted) options.root = root;
    if (want->collective == CRL_ALLREDUCE) options.chunks = want->chunks;
    if (want->under_way == 2) options.link_latency = "2";
    if (!error) error = carillon_problem_new(&problem, NULL, row->algorithm, topology, &options, diag);
    if (!error) error = carillon_plan(&schedule, problem, diag);
    if (!error) error = carillon_check(schedule, diag);
    if (!error) error = carillon_schedule_rows(schedule, true, take_row, &list, diag);
    carillon_schedule_free(schedule);
    carillon_problem_free(problem);
    if (!error && list.too_late) error = fail(diag, CRL_ERR_LIMIT, "the schedule has too many slots");
    if (!error && row->sums && !list.out_of_memory && crl_sums_arrange(list.moves, list.count, want))
        list.out_of_memory = true;
    if (!error && list.out_of_memory) error = fail(diag, CRL_ERR_MEMORY, "out of memory");
    if (error) free(list.moves);
    *moves = error ? NULL : list.moves;
    *count = error ? 0 : list.count;
    return error;
}
