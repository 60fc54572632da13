// SPDX-License-Identifier: Apache-2.0
// What is known of each communicator: ranks, a communicator of our own, plans. It is freed with the communicator.
#include "pmpi.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

const char *crl_topology_wanted(void)
{
    const char *topology = getenv("CARILLON_TOPOLOGY");
    return topology && *topology ? topology : NULL;
}

// ---------------------------------------------------------------- attributes

static int keyval = MPI_KEYVAL_INVALID;
static pthread_once_t keyval_once = PTHREAD_ONCE_INIT;
static atomic_uint communicators; // whose rank 0 this process was

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    struct crl_comm *c = value;
    (void)comm, (void)key, (void)extra;
    for (struct crl_plan *p = c->plans, *next; p; p = next) {
        next = p->next;
        crl_program_done(&p->program);
        free(p);
    }
    int error = PMPI_Comm_free(&c->own);
    free(c);
    return error;
}

static void make_keyval(void) { PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL); }

// $CARILLON_START_BYTES: one number for all messages, or three.
static struct crl_start start_wanted(void)
{
    static const struct crl_start usual = {2048, 8192, 24576};
    const char *text = getenv("CARILLON_START_BYTES");
    struct crl_start start = usual;
    int end[2] = {0, 0};
    if (!text || !*text) return usual;
    int numbers = sscanf(text, "%" SCNu32 "%n,%" SCNu32 ",%" SCNu32 "%n", &start.bytes, &end[0], &start.longer,
                         &start.late, &end[1]);
    if (numbers == 3 && !text[end[1]]) return start;
    if (numbers == 1 && !text[end[0]]) return (struct crl_start){start.bytes, UINT32_MAX, start.bytes};
    crl_log(
        "CARILLON_START_BYTES: '%s' is not one number of bytes, or three with commas between; it is taken for %u,%u,%u",
        text, usual.bytes, usual.longer, usual.late);
    return usual;
}

// $CARILLON_LINK_RATE, or that nothing is known.
static struct crl_rate rate_wanted(void)
{
    const char *text = getenv("CARILLON_LINK_RATE");
    struct crl_rate rate = {0};
    int end = 0;
    if (!text || !*text) return rate;
    if (sscanf(text, "%" SCNu32 ",%" SCNu32 "%n", &rate.rate, &rate.least, &end) == 2 && end && !text[end]) return rate;
    crl_log("CARILLON_LINK_RATE: '%s' is not two numbers with a comma between, bytes in a microsecond and of the "
            "shortest such message; it is not used",
            text);
    return (struct crl_rate){0};
}

// Whether the network has as many hosts as there are ranks, and what the settings are, is for rank 0 to say.
static int ask_first(struct crl_comm *c)
{
    uint32_t answer[7] = {0};
    struct crl_diag diag;
    if (!c->rank) {
        uint32_t *hosts;
        if (carillon_topology_hosts(crl_topology_wanted(), &hosts, &answer[0], &diag))
            crl_log("CARILLON_TOPOLOGY: %s", diag.text);
        free(hosts);
        const char *trace = getenv("CARILLON_TRACE");
        answer[1] = trace && *trace;
        const struct crl_start start = start_wanted();
        answer[2] = start.bytes;
        answer[3] = start.longer;
        answer[4] = start.late;
        const struct crl_rate rate = rate_wanted();
        answer[5] = rate.rate;
        answer[6] = rate.least;
        c->number = atomic_fetch_add(&communicators, 1);
    }
    int error = PMPI_Bcast(answer, 7, MPI_UINT32_T, 0, c->own);
    c->hosts = answer[0];
    c->traced = answer[1];
    c->start = (struct crl_start){answer[2], answer[3], answer[4]};
    c->rate = (struct crl_rate){answer[5], answer[6]};
    return error;
}

int crl_comm_of(struct crl_comm **out, MPI_Comm comm)
{
    int found, rank, size;
    pthread_once(&keyval_once, make_keyval);
    int error = PMPI_Comm_get_attr(comm, keyval, out, &found);
    if (error || found) return error;
    struct crl_comm *c = *out = calloc(1, sizeof *c);
    if (!c) return MPI_ERR_NO_MEM;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    c->rank = (uint32_t)rank;
    c->size = (uint32_t)size;
    // A split, because a duplicate would call the program's functions that copy attributes.
    error = PMPI_Comm_split(comm, 0, rank, &c->own);
    if (!error) error = PMPI_Comm_set_errhandler(c->own, MPI_ERRORS_RETURN);
    if (!error) error = ask_first(c);
    if (!error) error = PMPI_Comm_set_attr(comm, keyval, c);
    return error;
}

CARILLON_PUBLIC int MPI_Finalize(void)
{
    int rank, found = 0;
    void *value;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank && getenv("CARILLON_VERBOSE")) crl_log_counts();
    if (keyval != MPI_KEYVAL_INVALID) PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found);
    if (found) PMPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    return PMPI_Finalize();
}

// ---------------------------------------------------------------- plans

// The moves that each rank takes part in, one rank after the other: share[v] of them are rank v's.
static int share_out(struct crl_move **out, int *share, const struct crl_move *moves, size_t count, uint32_t size)
{
    struct crl_move *list = *out = malloc(sizeof *list * (2 * count + 1));
    size_t *at = calloc(size + UINT64_C(1), sizeof *at);
    bool fits = list && at;
    for (size_t i = 0; i < count && fits; i++) {
        share[moves[i].src]++;
        share[moves[i].dst]++;
    }
    for (uint32_t v = 0; v < size && fits; v++) at[v + 1] = at[v] + (size_t)share[v];
    for (size_t i = 0; i < count && fits; i++) {
        list[at[moves[i].src]++] = moves[i];
        list[at[moves[i].dst]++] = moves[i];
    }
    free(at);
    return fits ? 0 : CRL_ERR_MEMORY;
}

// Rank 0's part: plans, and says how many slots there are and how many moves each rank has; share[…] are -1 where there
// is no plan.
static void plan_all(struct crl_move **list, int *share, uint32_t *slots, const struct crl_comm *comm,
                     const struct crl_want *want)
{
    struct crl_diag diag = {.text = "out of memory"};
    struct crl_move *moves;
    size_t count;
    int error = crl_plan(&moves, &count, crl_topology_wanted(), want, &diag);
    if (!error && count > INT32_MAX / 2) error = CRL_ERR_LIMIT;
    if (!error) error = share_out(list, share, moves, count, comm->size);
    if (!error && count) *slots = moves[count - 1].slot;
    for (uint32_t v = 0; v < comm->size && error; v++) share[v] = -1;
    if (error && want->under_way == 1) crl_log_left(want->collective, CRL_NO_PLAN, diag.text);
    free(moves);
}

// Hands every rank its moves.
static int hand_out(struct crl_move **mine, int *count, const struct crl_comm *comm, const struct crl_move *list,
                    const int *share)
{
    MPI_Datatype move;
    int *start = calloc(comm->size, sizeof *start);
    for (uint32_t v = 1; v < comm->size && start && list; v++) start[v] = start[v - 1] + share[v - 1];
    int error = PMPI_Scatter(share, 1, MPI_INT, count, 1, MPI_INT, 0, comm->own);
    *mine = malloc(sizeof **mine * (*count > 0 ? (size_t)*count : 1));
    if (!error && (!start || !*mine)) error = MPI_ERR_NO_MEM;
    if (!error && *count >= 0) {
        PMPI_Type_contiguous(CRL_MOVE_NUMBERS, MPI_UINT32_T, &move);
        PMPI_Type_commit(&move);
        error = PMPI_Scatterv(list, share, start, move, *mine, *count, move, 0, comm->own);
        PMPI_Type_free(&move);
    }
    free(start);
    return error;
}

static int make_plan(struct crl_plan *plan, const struct crl_comm *comm)
{
    struct crl_move *list = NULL, *mine = NULL;
    int count = 0, *share = calloc(comm->size, sizeof *share);
    int error = share ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    if (!error && !comm->rank) plan_all(&list, share, &plan->slots, comm, &plan->want);
    if (!error) error = PMPI_Bcast(&plan->slots, 1, MPI_UINT32_T, 0, comm->own);
    if (!error) error = hand_out(&mine, &count, comm, list, share);
    plan->playable = !error && count >= 0;
    if (plan->playable && crl_program_compile(&plan->program, mine, (size_t)count, &plan->want, comm->rank))
        error = MPI_ERR_NO_MEM;
    free(mine);
    free(list);
    free(share);
    return error;
}

int crl_comm_plan(const struct crl_plan **out, struct crl_comm *comm, const struct crl_want *want)
{
    struct crl_plan *p = comm->plans;
    while (p && (p->want.collective != want->collective || p->want.root != want->root ||
                 p->want.chunks != want->chunks || p->want.under_way != want->under_way))
        p = p->next;
    *out = p;
    if (p) return MPI_SUCCESS;
    *out = p = calloc(1, sizeof *p);
    if (!p) return MPI_ERR_NO_MEM;
    p->want = *want;
    p->next = comm->plans;
    comm->plans = p;
    return make_plan(p, comm);
}
