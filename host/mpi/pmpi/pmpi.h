// SPDX-License-Identifier: Apache-2.0
// Carillon under an MPI program: what its parts share.
#ifndef CRL_PMPI_H
#define CRL_PMPI_H

#include "plan.h"
#include <mpi.h>

// ---------------------------------------------------------------- communicators

// A schedule of a communicator, made when it was first needed.
struct crl_plan {
    struct crl_want want;
    bool playable;
    uint32_t slots;
    struct crl_program program;
    struct crl_plan *next;
};
// How many bytes a link carries while a message starts, and while one starts that is longer than `longer`.
struct crl_start {
    uint32_t bytes, longer, late;
};
// Messages of `least` bytes and more go over a link at `rate` bytes a microsecond, once they have started; 0: not
// known.
struct crl_rate {
    uint32_t rate, least;
};
// What is known of a communicator; it lives as an attribute of it.
struct crl_comm {
    MPI_Comm own; // of the same ranks, for messages that no receive of the program can take
    uint32_t rank, size, hosts;
    bool traced;
    struct crl_start start;
    struct crl_rate rate;
    uint32_t number; // at rank 0: how many communicators it was first of before
    uint32_t calls;  // that were played
    struct crl_plan *plans;
};
// Everybody in `comm` must call it together. Returns an error of MPI.
int crl_comm_of(struct crl_comm **out, MPI_Comm comm);
// The plan for `want`, which everybody must call for together; playable or not, alike at all ranks.
int crl_comm_plan(const struct crl_plan **out, struct crl_comm *comm, const struct crl_want *want);
const char *crl_topology_wanted(void); // $CARILLON_TOPOLOGY, or NULL

// ---------------------------------------------------------------- playing

// A message as it came.
struct crl_record {
    uint32_t slot, src, first, second;
};
// Where the packets of a call lie, and what they are made of. A packet is `total` elements, or of a sum a chunk of so
// many that come to `total` together.
struct crl_packets {
    MPI_Datatype type;
    MPI_Op op;
    uint64_t total;
    uint32_t chunks;
    size_t stride; // bytes from place to place
    char *place;   // where the first element of the first place is
};
// Elements before chunk `chunk`.
uint64_t crl_packets_start(const struct crl_packets *packets, uint32_t chunk);
char *crl_packets_at(const struct crl_packets *packets, uint32_t place);
// When messages of a call are sent.
struct crl_pace {
    bool waits;  // until so many are under way on a link as the plan says; else they may start sooner
    double slot; // seconds from slot to slot, at least
};
// Plays a program. `records` takes the messages that came, as many as it has receives; NULL: not kept. Returns an error
// of MPI.
int crl_play(const struct crl_program *program, const struct crl_packets *packets, struct crl_pace pace,
             const struct crl_comm *comm, struct crl_record *records);
// Copies elements between places that do not overlap.
int crl_copy(void *to, const void *from, int count, MPI_Datatype type, const struct crl_comm *comm);

// Everybody hands in what came to it; rank 0 writes the file of this call. Returns an error of MPI.
int crl_trace_write(const struct crl_comm *comm, const struct crl_want *want, const struct crl_record *records,
                    size_t count);

// ---------------------------------------------------------------- the log

// Says, once a process, why a collective is left to the library's own. Only rank 0 of the communicator is to call it.
enum crl_reason { CRL_SIZE, CRL_BETWEEN, CRL_ORDERED, CRL_LONG, CRL_NO_PLAN, CRL_REASONS };
void crl_log_left(enum crl_collective collective, enum crl_reason reason, const char *text);
void crl_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
void crl_count(enum crl_collective collective, bool played);
void crl_log_counts(void); // of all collectives that were called

#endif
