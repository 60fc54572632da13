// SPDX-License-Identifier: Apache-2.0
// Schedules as straight-line programs: what one rank sends, receives and adds up, in order.
#ifndef CRL_PMPI_PLAN_H
#define CRL_PMPI_PLAN_H

#include <carillon/carillon.h>

// The collectives that are played, and what their packets are.
enum crl_collective {
    CRL_ALLGATHER,
    CRL_ALLTOALL,
    CRL_BCAST,
    CRL_SCATTER,
    CRL_GATHER,
    CRL_REDUCE_SCATTER_BLOCK,
    CRL_ALLREDUCE,
    CRL_REDUCE,
    CRL_SCAN,
    CRL_COLLECTIVES,
};
struct crl_collective_row {
    const char *mpi, *algorithm; // their names
    bool rooted, sums;
};
extern const struct crl_collective_row crl_collective_table[CRL_COLLECTIVES];

// What a schedule is made for. Schedules of one communicator are told apart by it.
struct crl_want {
    enum crl_collective collective;
    uint32_t ranks, root, chunks; // chunks: of a sum, else 1
    uint32_t under_way;           // messages on a link at a time: 1, or 2, each of two slots
};

// What a node does with a sum that arrives.
enum crl_action {
    CRL_ADD = 1,       // held is held + arrived
    CRL_ADD_TO = 2,    // held is arrived + held; of two nodes that swap their sums one does this, and both get the same
    CRL_REPLACE = 4,   // held is arrived
    CRL_KEEP_ADD = 8,  // of a scan: kept is arrived + kept
    CRL_KEEP_COPY = 16 // of a scan: kept is arrived
};

// A transmission with what its receiver does with it. Of equal numbers, so that it travels as an array of them.
struct crl_move {
    uint32_t slot, src, dst, first, second, port, arrival, action;
};
enum { CRL_MOVE_NUMBERS = sizeof(struct crl_move) / sizeof(uint32_t) };

// Plans and checks a schedule: *moves, [*count] in order of slot, src, dst and packet, which the caller frees. Fails
// with what libcarillon fails, CRL_ERR_LIMIT where there are more slots than a message can be marked with.
int crl_plan(struct crl_move **moves, size_t *count, const char *topology, const struct crl_want *want,
             struct crl_diag *diag);
enum { CRL_SLOTS_MAX = 32767 }; // tags that every MPI has

// Says what the receivers do with each sum. Returns 0 or CRL_ERR_MEMORY.
int crl_sums_arrange(struct crl_move *moves, size_t count, const struct crl_want *want);

// A rank has `places`, each with room for a packet. Its own packets lie in the first of them when it starts, and packet
// i that it wants lies in place wanted[i] when all steps are done.
enum crl_step_kind { CRL_SEND, CRL_RECEIVE, CRL_COMBINE, CRL_COPY };
struct crl_step {
    enum crl_step_kind kind;
    uint32_t slot, arrival, peer, first, second; // of a message; first: the chunk, also of COMBINE and COPY
    uint32_t place;                              // sent, received into, changed
    uint32_t from;                               // COMBINE: place becomes from + place. COPY: place becomes from
};
struct crl_program {
    struct crl_step *step;
    size_t count, receives; // receives: of the steps
    uint32_t places, owns, wants;
    uint32_t *wanted; // [wants]
};
// The program of `rank` from the moves that it takes part in, in the order of slots. Waits and sends of a step concern
// only steps before it, so that ranks that play their programs in order never wait for each other in a circle. Returns
// 0 or CRL_ERR_MEMORY; ended with _done in both cases.
int crl_program_compile(struct crl_program *program, const struct crl_move *moves, size_t count,
                        const struct crl_want *want, uint32_t rank);
void crl_program_done(struct crl_program *program);

#endif
