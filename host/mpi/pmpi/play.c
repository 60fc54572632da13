// SPDX-License-Identifier: Apache-2.0
// Plays the program of a rank as messages between two ranks each. Slots are no barriers: a step waits for what it needs
// and for its link, and all messages of a slot are under way together.
#include "pmpi.h"
#include <stdlib.h>

struct player {
    const struct crl_program *program;
    const struct crl_packets *packets;
    const struct crl_comm *comm;
    struct crl_record *records;
    MPI_Request *request; // [steps] of those that are messages
    size_t *receive;      // [places] one more than the last step that received into a place; 0: none
    size_t *send;         // [places] the same of sends
    size_t *send_before;  // [steps] of sends from the same place
    size_t *from;         // [ranks] one more than the last receive from a rank; 0: none
    size_t *from_before;  // [steps] of receives from the same rank
    struct crl_pace pace;
    uint32_t slot; // that began last, at `begun`, by this rank's clock
    double begun;
};

uint64_t crl_packets_start(const struct crl_packets *packets, uint32_t chunk)
{
    return (uint64_t)((unsigned __int128)packets->total * chunk / packets->chunks);
}

static int elements(const struct crl_packets *packets, uint32_t first)
{
    if (packets->chunks == 1) return (int)packets->total;
    return (int)(crl_packets_start(packets, first + 1) - crl_packets_start(packets, first));
}

char *crl_packets_at(const struct crl_packets *packets, uint32_t place)
{
    return packets->place + place * packets->stride;
}

int crl_copy(void *to, const void *from, int count, MPI_Datatype type, const struct crl_comm *comm)
{
    int me = (int)comm->rank;
    return PMPI_Sendrecv(from, count, type, me, 0, to, count, type, me, 0, comm->own, MPI_STATUS_IGNORE);
}

// ---- waiting

static int wait_received(struct player *p, uint32_t place)
{
    size_t step = p->receive[place];
    MPI_Status status;
    if (!step) return MPI_SUCCESS;
    p->receive[place] = 0;
    int error = PMPI_Wait(&p->request[step - 1], &status);
    const struct crl_step *s = &p->program->step[step - 1];
    if (!error && p->records)
        *p->records++ = (struct crl_record){(uint32_t)status.MPI_TAG, (uint32_t)status.MPI_SOURCE, s->first, s->second};
    return error;
}

static int wait_sent(struct player *p, uint32_t place)
{
    int error = MPI_SUCCESS;
    for (size_t step = p->send[place]; step && !error; step = p->send_before[step - 1])
        error = PMPI_Wait(&p->request[step - 1], MPI_STATUS_IGNORE);
    p->send[place] = 0;
    return error;
}

// What should have come from a rank before `slot` has come.
static int wait_link(struct player *p, uint32_t peer, uint32_t slot)
{
    if (!p->pace.waits) return MPI_SUCCESS;
    size_t step = p->from[peer];
    while (step && p->program->step[step - 1].arrival >= slot) step = p->from_before[step - 1];
    uint32_t place = step ? p->program->step[step - 1].place : 0;
    return step && p->receive[place] == step ? wait_received(p, place) : MPI_SUCCESS;
}

// Nothing is under way to or from a place that is about to change.
static int wait_both(struct player *p, uint32_t place)
{
    int error = wait_received(p, place);
    return error ? error : wait_sent(p, place);
}

// Messages of a slot leave when those of the slot before have had their time. Two that are under way on a link then
// started at different times, and one uses the link while the other starts.
static void wait_slot(struct player *p, uint32_t slot)
{
    if (p->pace.slot <= 0 || slot <= p->slot) return;
    const double from = p->begun + p->pace.slot * (slot - p->slot);
    do p->begun = PMPI_Wtime();
    while (p->begun < from);
    p->slot = slot;
}

// ---- steps

static int receive(struct player *p, size_t i)
{
    const struct crl_step *s = &p->program->step[i];
    wait_slot(p, s->slot);
    int error = wait_link(p, s->peer, s->slot);
    if (!error) error = wait_both(p, s->place);
    if (error) return error;
    p->from_before[i] = p->from[s->peer];
    p->from[s->peer] = p->receive[s->place] = i + 1;
    return PMPI_Irecv(crl_packets_at(p->packets, s->place), elements(p->packets, s->first), p->packets->type,
                      (int)s->peer, (int)s->slot, p->comm->own, &p->request[i]);
}

static int send_step(struct player *p, size_t i)
{
    const struct crl_step *s = &p->program->step[i];
    wait_slot(p, s->slot);
    int error = wait_received(p, s->place);
    if (error) return error;
    p->send_before[i] = p->send[s->place];
    p->send[s->place] = i + 1;
    return PMPI_Isend(crl_packets_at(p->packets, s->place), elements(p->packets, s->first), p->packets->type,
                      (int)s->peer, (int)s->slot, p->comm->own, &p->request[i]);
}

static int combine(struct player *p, size_t i)
{
    const struct crl_step *s = &p->program->step[i];
    int count = elements(p->packets, s->first);
    void *from = crl_packets_at(p->packets, s->from), *place = crl_packets_at(p->packets, s->place);
    int error = wait_both(p, s->place);
    if (!error) error = wait_received(p, s->from);
    if (error || !count) return error;
    if (s->kind == CRL_COPY) return crl_copy(place, from, count, p->packets->type, p->comm);
    return PMPI_Reduce_local(from, place, count, p->packets->type, p->packets->op);
}

int crl_play(const struct crl_program *program, const struct crl_packets *packets, struct crl_pace pace,
             const struct crl_comm *comm, struct crl_record *records)
{
    static int (*const kinds[])(struct player * p, size_t i) = {
        [CRL_SEND] = send_step, [CRL_RECEIVE] = receive, [CRL_COMBINE] = combine, [CRL_COPY] = combine};
    struct player p = {.program = program, .packets = packets, .comm = comm, .records = records, .pace = pace};
    p.slot = 1;
    p.begun = PMPI_Wtime();
    p.request = malloc(sizeof *p.request * (program->count + 1));
    p.send_before = calloc(program->count + 1, sizeof *p.send_before);
    p.receive = calloc(program->places + 1, sizeof *p.receive);
    p.send = calloc(program->places + 1, sizeof *p.send);
    p.from_before = calloc(program->count + 1, sizeof *p.from_before);
    p.from = calloc(comm->size, sizeof *p.from);
    int error =
        p.request && p.send_before && p.receive && p.send && p.from_before && p.from ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (size_t i = 0; i < program->count && !error; i++) error = kinds[program->step[i].kind](&p, i);
    for (uint32_t i = 0; i < program->places && !error; i++) error = wait_both(&p, i);
    free(p.request);
    free(p.send_before);
    free(p.receive);
    free(p.send);
    free(p.from_before);
    free(p.from);
    return error;
}
