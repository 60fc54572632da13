// SPDX-License-Identifier: Apache-2.0
// The collectives as programs call them. Each describes where packets come from and go to; what is played, what is left
// to the library, and how, is the same for all.
#include "pmpi.h"
#include <limits.h>
#include <stdlib.h>

// ---------------------------------------------------------------- whether a call is played

struct call {
    struct crl_want want;
    struct crl_comm *comm;
    const struct crl_plan *plan;
    struct crl_pace pace;
};

static void leave(const struct call *call, enum crl_reason reason, const char *text)
{
    if (call->comm && !call->comm->rank) crl_log_left(call->want.collective, reason, text);
}

// Reasons that do not hang on the call. Intercommunicators have no rank 0 that could speak for both sides.
static bool fits(struct call *call, MPI_Comm comm, int root, int *error)
{
    int between;
    char text[256];
    if (comm == MPI_COMM_NULL || !crl_topology_wanted()) return false;
    *error = PMPI_Comm_test_inter(comm, &between);
    if (*error) return false;
    if (between) {
        crl_log_left(call->want.collective, CRL_BETWEEN, "the communicator lies between two groups");
        return false;
    }
    *error = crl_comm_of(&call->comm, comm);
    if (*error || root < 0 || (uint32_t)root >= call->comm->size) return false;
    call->want.ranks = call->comm->size;
    call->want.root = (uint32_t)root;
    if (call->comm->hosts == call->comm->size) return true;
    snprintf(text, sizeof text, "the communicator has %u ranks, and %s has %u hosts", call->comm->size,
             crl_topology_wanted(), call->comm->hosts);
    leave(call, CRL_SIZE, text);
    return false;
}

// The bytes of `count` elements, or UINT64_MAX for what only the library can say what is wrong with it, or which has no
// size that messages can have.
static uint64_t bytes_of(uint64_t count, MPI_Datatype type)
{
    MPI_Count size;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) || size < 0) return UINT64_MAX;
    if (size && count > INT_MAX / (uint64_t)size) return UINT64_MAX;
    return count * (uint64_t)size;
}

// Messages that may be under way on a link at a time: two need a rate that is known, and nobody who is asked first.
static uint32_t most_under_way(const struct crl_comm *comm, double message)
{
    return comm->rate.rate && message >= comm->rate.least && message <= comm->start.longer ? 2 : 1;
}

// How long a slot is, in bytes that a link carries meanwhile, if so many messages of `message` bytes are under way on a
// link at a time: no more go over it than it carries.
static double slot_bytes(const struct crl_comm *comm, double message, uint32_t under_way)
{
    double whole = message + (message > comm->start.longer ? comm->start.late : comm->start.bytes);
    return whole / under_way > message ? whole / under_way : message;
}

// Of two messages on a link one can start while the other goes over it, if ranks know how long that takes. The plan for
// that has more slots, which are shorter: it is taken if it ends sooner.
static int choose_pace(struct call *call, double message)
{
    struct crl_comm *comm = call->comm;
    const struct crl_plan *two;
    // Of messages that take less than half as long on a link as to start, many may start at once.
    call->pace.waits = message * 2 >= comm->start.bytes;
    if (!call->pace.waits || most_under_way(comm, message) == 1) return MPI_SUCCESS;
    call->want.under_way = 2;
    int error = crl_comm_plan(&two, comm, &call->want);
    double slot = slot_bytes(comm, message, 2);
    if (!error && two->playable && two->slots * slot < call->plan->slots * slot_bytes(comm, message, 1)) {
        call->plan = two;
        call->pace.slot = slot / comm->rate.rate * 1e-6;
    } else call->want.under_way = 1;
    return error;
}

static bool plan(struct call *call, uint64_t bytes, int *error)
{
    if (bytes == UINT64_MAX) {
        leave(call, CRL_LONG, "a packet of 2 GiB and more, or of a datatype that does not lie forwards");
        return false;
    }
    *error = crl_comm_plan(&call->plan, call->comm, &call->want);
    if (*error || !call->plan->playable) return false;
    *error = choose_pace(call, (double)bytes);
    return !*error;
}

// Ends a call that was played: `error` so far. Errors go where the program wants those of its communicator.
static int finish(struct call *call, const struct crl_packets *packets, MPI_Comm comm, int error)
{
    const struct crl_program *program = &call->plan->program;
    bool traced = call->comm->traced;
    struct crl_record *records = traced ? malloc(sizeof *records * (program->receives + 1)) : NULL;
    if (traced && !records && !error) error = MPI_ERR_NO_MEM;
    if (!error) error = crl_play(program, packets, call->pace, call->comm, records);
    if (!error && traced) error = crl_trace_write(call->comm, &call->want, records, program->receives);
    free(records);
    call->comm->calls++;
    crl_count(call->want.collective, true);
    if (error) PMPI_Comm_call_errhandler(comm, error);
    return error;
}

// ---------------------------------------------------------------- packets that go from place to place

// Packets in the program's memory, one after the other: packet i of a rank lies in block first + i.
struct side {
    bool used; // else it means nothing at this rank
    void *buffer;
    int count;
    MPI_Datatype type;
    uint32_t first;
};

static char *block(const struct side *side, uint32_t i)
{
    MPI_Aint least, extent;
    PMPI_Type_get_extent(side->type, &least, &extent);
    return (char *)side->buffer + (MPI_Aint)(side->first + i) * side->count * extent;
}

static int pack(const struct call *call, struct crl_packets *packets, const struct side *own)
{
    const struct crl_program *program = &call->plan->program;
    int error = MPI_SUCCESS;
    for (uint32_t i = 0; i < program->owns && !error; i++) {
        int position = 0;
        error = PMPI_Pack(block(own, i), own->count, own->type, crl_packets_at(packets, i), (int)packets->total,
                          &position, call->comm->own);
    }
    return error;
}

static int unpack(const struct call *call, const struct crl_packets *packets, const struct side *wanted)
{
    const struct crl_program *program = &call->plan->program;
    int error = MPI_SUCCESS;
    for (uint32_t i = 0; i < program->wants && wanted->used && !error; i++) {
        int position = 0;
        error = PMPI_Unpack(crl_packets_at(packets, program->wanted[i]), (int)packets->total, &position,
                            block(wanted, i), wanted->count, wanted->type, call->comm->own);
    }
    return error;
}

// Returns whether the call was played, and *error of it.
static bool move(enum crl_collective collective, MPI_Comm comm, int root, const struct side *own,
                 const struct side *wanted, int *error)
{
    const struct side *said = own->used ? own : wanted;
    struct call call = {.want = {.collective = collective, .chunks = 1, .under_way = 1}};
    *error = MPI_SUCCESS;
    if (said->count < 0 || !fits(&call, comm, root, error)) goto left;
    uint64_t bytes = bytes_of((uint64_t)said->count, said->type);
    if (!plan(&call, bytes, error)) goto left;
    char *memory = malloc(bytes * call.plan->program.places + 1);
    struct crl_packets packets = {MPI_PACKED, MPI_OP_NULL, bytes, 1, bytes, memory};
    *error = memory ? pack(&call, &packets, own) : MPI_ERR_NO_MEM;
    *error = finish(&call, &packets, comm, *error);
    if (!*error) *error = unpack(&call, &packets, wanted);
    free(memory);
    return true;
left:
    crl_count(collective, false);
    return *error;
}

static void *of(const void *buffer) { return (void *)buffer; } // it is only read
static bool is_rank(MPI_Comm comm, int root)
{
    int rank = -1;
    if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
    return rank == root;
}
static uint32_t rank_in(MPI_Comm comm)
{
    int rank = 0;
    if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
    return (uint32_t)rank;
}

CARILLON_PUBLIC int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct side own = {true, of(sendbuf), sendcount, sendtype, 0};
    struct side wanted = {true, recvbuf, recvcount, recvtype, 0};
    int error;
    if (sendbuf == MPI_IN_PLACE) {
        own = wanted;
        own.first = rank_in(comm);
    }
    if (move(CRL_ALLGATHER, comm, 0, &own, &wanted, &error)) return error;
    return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

CARILLON_PUBLIC int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct side own = {true, of(sendbuf), sendcount, sendtype, 0};
    struct side wanted = {true, recvbuf, recvcount, recvtype, 0};
    int error;
    if (sendbuf == MPI_IN_PLACE) own = wanted;
    if (move(CRL_ALLTOALL, comm, 0, &own, &wanted, &error)) return error;
    return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

CARILLON_PUBLIC int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct side own = {true, buffer, count, datatype, 0}, wanted = own;
    int error;
    wanted.used = !is_rank(comm, root);
    if (move(CRL_BCAST, comm, root, &own, &wanted, &error)) return error;
    return PMPI_Bcast(buffer, count, datatype, root, comm);
}

CARILLON_PUBLIC int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                                MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct side own = {is_rank(comm, root), of(sendbuf), sendcount, sendtype, 0};
    struct side wanted = {recvbuf != MPI_IN_PLACE, recvbuf, recvcount, recvtype, 0};
    int error;
    if (move(CRL_SCATTER, comm, root, &own, &wanted, &error)) return error;
    return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

CARILLON_PUBLIC int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct side own = {true, of(sendbuf), sendcount, sendtype, 0};
    struct side wanted = {is_rank(comm, root), recvbuf, recvcount, recvtype, 0};
    int error;
    if (sendbuf == MPI_IN_PLACE) {
        own = wanted;
        own.first = rank_in(comm);
    }
    if (move(CRL_GATHER, comm, root, &own, &wanted, &error)) return error;
    return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

// ---------------------------------------------------------------- sums

// Bytes of a place for `count` elements, whose first lies *shift bytes behind the beginning. Any type can lie there as
// well aligned as in the program's memory. UINT64_MAX: its elements lie backwards.
static uint64_t room_for(uint64_t count, MPI_Datatype type, MPI_Aint *extent, size_t *shift)
{
    enum { ALIGN = _Alignof(max_align_t) };
    MPI_Aint least, first, span;
    PMPI_Type_get_extent(type, &least, extent);
    PMPI_Type_get_true_extent(type, &first, &span);
    if (*extent < 0) return UINT64_MAX;
    *shift = first < 0 ? ((size_t)-first + ALIGN - 1) / ALIGN * ALIGN : 0;
    uint64_t end = *shift + (uint64_t)(first + span) + (count ? count - 1 : 0) * (uint64_t)*extent;
    return (end + ALIGN - 1) / ALIGN * ALIGN;
}

// Copies a vector, chunk by chunk, into places 0 and on, or out of the places place[…], as one message: each takes time
// to start, even to oneself.
static int copy_vector(const struct crl_packets *packets, void *vector, const uint32_t *place, MPI_Aint extent,
                       const struct crl_comm *comm)
{
    const int me = (int)comm->rank, chunks = (int)packets->chunks;
    int *length = malloc(sizeof *length * packets->chunks);
    MPI_Aint *there = malloc(sizeof *there * packets->chunks), *here = malloc(sizeof *here * packets->chunks);
    MPI_Datatype in_vector, in_places;
    int error = length && there && here ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (uint32_t i = 0; i < packets->chunks && !error; i++) {
        uint64_t first = crl_packets_start(packets, i);
        length[i] = (int)(crl_packets_start(packets, i + 1) - first);
        there[i] = (MPI_Aint)first * extent;
        here[i] = (MPI_Aint)((place ? place[i] : i) * packets->stride);
    }
    if (!error) {
        PMPI_Type_create_hindexed(chunks, length, there, packets->type, &in_vector);
        PMPI_Type_create_hindexed(chunks, length, here, packets->type, &in_places);
        PMPI_Type_commit(&in_vector);
        PMPI_Type_commit(&in_places);
        error = place ? PMPI_Sendrecv(packets->place, 1, in_places, me, 0, vector, 1, in_vector, me, 0, comm->own,
                                      MPI_STATUS_IGNORE)
                      : PMPI_Sendrecv(vector, 1, in_vector, me, 0, packets->place, 1, in_places, me, 0, comm->own,
                                      MPI_STATUS_IGNORE);
        PMPI_Type_free(&in_vector);
        PMPI_Type_free(&in_places);
    }
    free(length);
    free(there);
    free(here);
    return error;
}

static int plan_chunks(const struct crl_plan **plan, struct call *call, uint32_t chunks)
{
    call->want.chunks = chunks;
    return crl_comm_plan(plan, call->comm, &call->want);
}

// So many chunks let an all-reduce of `total` elements end first. More chunks take more slots, of shorter messages. How
// many is taken to be on the straight lines through those of one chunk, one a rank, and two a rank; that is planned if
// messages of one a rank are longer than what takes as long as to start. Two messages on a link at a time take the
// slots of one chunk more.
static uint32_t best_chunks(struct call *call, uint64_t total, uint64_t bytes, int *error)
{
    enum { EACH = 16 }; // chunks a rank, at most
    const uint32_t ranks = call->want.ranks;
    const uint64_t most = total < (uint64_t)EACH * ranks ? total : (uint64_t)EACH * ranks;
    const struct crl_plan *one, *from, *to;
    uint64_t best = 1;
    double least = 0;
    *error = plan_chunks(&one, call, 1);
    if (*error || ranks < 2 || most < 2 || bytes == UINT64_MAX) return 1;
    *error = plan_chunks(&to, call, ranks);
    if (*error || !to->playable) return 1;
    from = one;
    for (uint64_t chunks = 1;; chunks = chunks < ranks && 2 * chunks > ranks ? ranks : 2 * chunks) {
        if (chunks > most) chunks = most;
        if (chunks > ranks && from == one) {
            if ((double)bytes / ranks < call->comm->start.bytes) return (uint32_t)best;
            from = to;
            *error = plan_chunks(&to, call, 2 * ranks);
            if (*error || !to->playable) return ranks;
        }
        double share = ((double)chunks - from->want.chunks) / (to->want.chunks - from->want.chunks);
        double slots = from->slots + ((double)to->slots - from->slots) * share;
        double message = (double)bytes / (double)chunks;
        for (uint32_t w = 1; w <= most_under_way(call->comm, message); w++) {
            double time = (slots + one->slots * (w - 1.0)) * slot_bytes(call->comm, message, w);
            if ((chunks == 1 && w == 1) || time < least) best = chunks, least = time;
        }
        if (chunks == most) return (uint32_t)best;
    }
}

// `total` elements, in so many chunks, come from `source`, and what this rank wants goes to `result`. Returns whether
// the call was played.
static bool add(enum crl_collective collective, MPI_Comm comm, int root, const void *source, void *result, int count,
                MPI_Datatype type, MPI_Op op, int *error)
{
    struct call call = {.want = {.collective = collective, .chunks = 1, .under_way = 1}};
    int commutes = 0;
    MPI_Aint extent = 0;
    size_t shift = 0;
    *error = MPI_SUCCESS;
    if (count < 0 || type == MPI_DATATYPE_NULL || op == MPI_OP_NULL || !fits(&call, comm, root, error)) goto left;
    uint64_t total = (uint64_t)count, longest = total;
    *error = PMPI_Op_commutative(op, &commutes);
    if (*error || !commutes) {
        leave(&call, CRL_ORDERED, "the operator is not commutative");
        goto left;
    }
    if (collective == CRL_ALLREDUCE) {
        call.want.chunks = best_chunks(&call, total, bytes_of(total, type), error);
        longest = (total + call.want.chunks - 1) / call.want.chunks;
        if (*error) goto left;
    } else if (collective == CRL_REDUCE_SCATTER_BLOCK) {
        call.want.chunks = call.want.ranks;
        total *= call.want.chunks;
    }
    uint64_t bytes = bytes_of(longest, type), stride = room_for(longest, type, &extent, &shift);
    if (!plan(&call, stride == UINT64_MAX ? stride : bytes, error)) goto left;
    const struct crl_program *program = &call.plan->program;
    char *memory = malloc(stride * program->places + 1);
    struct crl_packets packets = {type, op, total, call.want.chunks, stride, memory + shift};
    *error = memory ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    if (!*error) *error = copy_vector(&packets, of(source), NULL, extent, call.comm);
    *error = finish(&call, &packets, comm, *error);
    if (!*error && collective == CRL_ALLREDUCE)
        *error = copy_vector(&packets, result, program->wanted, extent, call.comm);
    else if (!*error && program->wants) // one chunk
        *error = crl_copy(result, crl_packets_at(&packets, program->wanted[0]), (int)longest, type, call.comm);
    free(memory);
    return true;
left:
    crl_count(collective, false);
    return *error;
}

CARILLON_PUBLIC int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
                                             MPI_Op op, MPI_Comm comm)
{
    const void *source = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    int error;
    if (add(CRL_REDUCE_SCATTER_BLOCK, comm, 0, source, recvbuf, recvcount, datatype, op, &error)) return error;
    return PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
}

CARILLON_PUBLIC int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm)
{
    const void *source = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    int error;
    if (add(CRL_ALLREDUCE, comm, 0, source, recvbuf, count, datatype, op, &error)) return error;
    return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

CARILLON_PUBLIC int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                               int root, MPI_Comm comm)
{
    const void *source = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    int error;
    if (add(CRL_REDUCE, comm, root, source, recvbuf, count, datatype, op, &error)) return error;
    return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
}

CARILLON_PUBLIC int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm)
{
    const void *source = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    int error;
    if (add(CRL_SCAN, comm, 0, source, recvbuf, count, datatype, op, &error)) return error;
    return PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm);
}
