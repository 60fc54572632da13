// SPDX-License-Identifier: Apache-2.0
// From the moves of a rank to its program. A slot has three phases: receives are posted; packets that came in earlier
// slots are sent; sums that arrived are added. A step waits only for steps of earlier phases, here and at neighbours.
#include "plan.h"
#include <stdlib.h>

#define NONE UINT32_MAX

struct packet {
    uint64_t key;        // first and second
    uint32_t place;      // that has it, or what is held of a sum; NONE: not here
    uint32_t kept;       // of a scan
    uint32_t departures; // still to come
    bool wanted;
};

struct event {
    uint32_t slot, phase, order; // order: as the moves stand, or the port
    const struct crl_move *move;
};

struct compiler {
    struct crl_program *program;
    const struct crl_move *moves;
    const struct crl_want *want;
    uint32_t rank;
    bool sums;
    struct packet *packet; // in ascending order of keys
    size_t packets;
    uint32_t *arrived; // [count] place of the sum of each move
    uint32_t *spare;   // a queue of places that are free again: the longest free comes first
    size_t spare_first, spare_end;
};

static uint64_t key_of(uint32_t first, uint32_t second) { return (uint64_t)first << 32 | second; }

// ---- which packets there are

static uint32_t own_count(const struct crl_want *want, uint32_t rank)
{
    switch (want->collective) {
    case CRL_BCAST: return rank == want->root;
    case CRL_SCATTER: return rank == want->root ? want->ranks : 0;
    case CRL_ALLTOALL: return want->ranks;
    case CRL_ALLGATHER:
    case CRL_GATHER: return 1;
    default: return want->chunks;
    }
}

static uint64_t own_key(const struct crl_want *want, uint32_t rank, uint32_t i)
{
    switch (want->collective) {
    case CRL_BCAST:
    case CRL_ALLGATHER: return key_of(rank, 0);
    case CRL_SCATTER:
    case CRL_ALLTOALL: return key_of(rank, i);
    case CRL_GATHER: return key_of(rank, want->root);
    default: return key_of(i, 0);
    }
}

static uint32_t wanted_count(const struct crl_want *want, uint32_t rank)
{
    switch (want->collective) {
    case CRL_ALLGATHER:
    case CRL_ALLTOALL: return want->ranks;
    case CRL_GATHER: return rank == want->root ? want->ranks : 0;
    case CRL_REDUCE: return rank == want->root;
    case CRL_ALLREDUCE: return want->chunks;
    default: return 1;
    }
}

static uint64_t wanted_key(const struct crl_want *want, uint32_t rank, uint32_t i)
{
    switch (want->collective) {
    case CRL_BCAST: return key_of(want->root, 0);
    case CRL_ALLGATHER: return key_of(i, 0);
    case CRL_SCATTER: return key_of(want->root, rank);
    case CRL_GATHER: return key_of(i, want->root);
    case CRL_ALLTOALL: return key_of(i, rank);
    case CRL_REDUCE_SCATTER_BLOCK: return key_of(rank, 0);
    default: return key_of(i, 0);
    }
}

static int by_key(const void *a, const void *b)
{
    const struct packet *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static struct packet *packet_of(const struct compiler *c, uint64_t key)
{
    return bsearch(&(struct packet){.key = key}, c->packet, c->packets, sizeof *c->packet, by_key);
}

static int list_packets(struct compiler *c, size_t count)
{
    uint32_t owns = c->program->owns, wants = c->program->wants;
    c->packet = malloc(sizeof *c->packet * (owns + wants + count + 1));
    if (!c->packet) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < owns; i++) c->packet[c->packets++].key = own_key(c->want, c->rank, i);
    for (uint32_t i = 0; i < wants; i++) c->packet[c->packets++].key = wanted_key(c->want, c->rank, i);
    for (size_t i = 0; i < count; i++) c->packet[c->packets++].key = key_of(c->moves[i].first, c->moves[i].second);
    qsort(c->packet, c->packets, sizeof *c->packet, by_key);
    size_t kept = 0;
    for (size_t i = 0; i < c->packets; i++)
        if (!i || c->packet[i].key != c->packet[i - 1].key)
            c->packet[kept++] = (struct packet){c->packet[i].key, NONE, NONE, 0, false};
    c->packets = kept;
    for (uint32_t i = 0; i < owns; i++) packet_of(c, own_key(c->want, c->rank, i))->place = i;
    for (uint32_t i = 0; i < wants; i++) packet_of(c, wanted_key(c->want, c->rank, i))->wanted = true;
    for (size_t i = 0; i < count; i++)
        if (c->moves[i].src == c->rank) packet_of(c, key_of(c->moves[i].first, c->moves[i].second))->departures++;
    return 0;
}

// ---- steps

static uint32_t place_new(struct compiler *c)
{
    return c->spare_first < c->spare_end ? c->spare[c->spare_first++] : c->program->places++;
}

static void place_free(struct compiler *c, uint32_t place) { c->spare[c->spare_end++] = place; }

static void add_step(struct compiler *c, enum crl_step_kind kind, const struct crl_move *m, uint32_t place,
                     uint32_t from)
{
    if (kind == CRL_RECEIVE) c->program->receives++;
    uint32_t peer = kind == CRL_SEND ? m->dst : m->src;
    c->program->step[c->program->count++] =
        (struct crl_step){kind, m->slot, m->arrival, peer, m->first, m->second, place, from};
}

static void receive(struct compiler *c, const struct crl_move *m)
{
    struct packet *p = packet_of(c, key_of(m->first, m->second));
    uint32_t place = place_new(c);
    add_step(c, CRL_RECEIVE, m, place, NONE);
    if (c->sums) c->arrived[m - c->moves] = place;
    else if (p->place == NONE && (p->wanted || p->departures)) p->place = place;
    else place_free(c, place); // it has it already, or has no use for it
}

static void compile_send(struct compiler *c, const struct crl_move *m)
{
    struct packet *p = packet_of(c, key_of(m->first, m->second));
    add_step(c, CRL_SEND, m, p->place, NONE);
    if (!--p->departures && !p->wanted && !c->sums) place_free(c, p->place);
}

static void combine(struct compiler *c, const struct crl_move *m)
{
    struct packet *p = packet_of(c, key_of(m->first, m->second));
    uint32_t arrived = c->arrived[m - c->moves], old = p->place;
    if (m->action & (CRL_KEEP_ADD | CRL_KEEP_COPY))
        add_step(c, m->action & CRL_KEEP_ADD ? CRL_COMBINE : CRL_COPY, m, p->kept, arrived);
    if (m->action & CRL_ADD) add_step(c, CRL_COMBINE, m, arrived, old);
    if (m->action & CRL_ADD_TO) add_step(c, CRL_COMBINE, m, old, arrived);
    bool taken = m->action & (CRL_ADD | CRL_REPLACE);
    if (taken) p->place = arrived;
    place_free(c, taken ? old : arrived);
}

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    if (x->phase != y->phase) return x->phase < y->phase ? -1 : 1;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return x->move < y->move ? -1 : x->move > y->move;
}

static size_t list_events(const struct compiler *c, struct event *event, size_t count)
{
    size_t events = 0;
    for (size_t i = 0; i < count; i++) {
        const struct crl_move *m = &c->moves[i];
        event[events++] = (struct event){m->slot, m->src == c->rank, (uint32_t)i, m};
        if (c->sums && m->dst == c->rank) event[events++] = (struct event){m->arrival, 2, m->port, m};
    }
    qsort(event, events, sizeof *event, by_time);
    return events;
}

int crl_program_compile(struct crl_program *program, const struct crl_move *moves, size_t count,
                        const struct crl_want *want, uint32_t rank)
{
    static void (*const phase[])(struct compiler * c, const struct crl_move *m) = {receive, compile_send, combine};
    struct compiler c = {.program = program,
                         .moves = moves,
                         .want = want,
                         .rank = rank,
                         .sums = crl_collective_table[want->collective].sums};
    bool scan = want->collective == CRL_SCAN;
    *program = (struct crl_program){.owns = own_count(want, rank), .wants = wanted_count(want, rank)};
    program->places = program->owns;
    program->step = malloc(sizeof *program->step * (3 * count + want->chunks + 1));
    program->wanted = malloc(sizeof *program->wanted * (program->wants + 1));
    c.arrived = malloc(sizeof *c.arrived * (count + 1));
    c.spare = malloc(sizeof *c.spare * (2 * count + 1));
    struct event *event = malloc(sizeof *event * (2 * count + 1));
    bool fits = program->step && program->wanted && c.arrived && c.spare && event && !list_packets(&c, count);
    for (uint32_t i = 0; i < want->chunks && fits && scan; i++) {
        struct packet *p = packet_of(&c, key_of(i, 0));
        p->kept = place_new(&c);
        add_step(&c, CRL_COPY, &(struct crl_move){.first = i}, p->kept, p->place);
    }
    size_t events = fits ? list_events(&c, event, count) : 0;
    for (size_t i = 0; i < events; i++) phase[event[i].phase](&c, event[i].move);
    for (uint32_t i = 0; i < program->wants && fits; i++) {
        const struct packet *p = packet_of(&c, wanted_key(want, rank, i));
        program->wanted[i] = scan ? p->kept : p->place;
    }
    free(event);
    free(c.spare);
    free(c.arrived);
    free(c.packet);
    return fits ? 0 : CRL_ERR_MEMORY;
}

void crl_program_done(struct crl_program *program)
{
    free(program->step);
    free(program->wanted);
    *program = (struct crl_program){0};
}
