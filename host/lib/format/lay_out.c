// SPDX-License-Identifier: Apache-2.0
// Lays a program of another tool out in slots by playing it: in each slot every thread goes as far as it can. A thread
// stops where a cell is still empty, a link is taken, or another thread has not come as far.
//
// Sums: what arrives at a node is at once part of what it holds, while the program may take it from its channel later.
// So a sum is sent when its receiver is ready for it, and ahead of that only if nothing else can go on, or if the
// caller wants it so.
#include "base/base.h"
#include "format/format.h"
#include "format/program.h"
#include <stdlib.h>

#define NEVER UINT32_MAX       // a slot
#define STAYS (UINT32_MAX - 1) // in a cell: what a rank has for itself

struct layout {
    const struct crl_program *program;
    const struct crl_problem *problem;
    struct crl_schedule *schedule;
    uint32_t nodes, ports, slot;
    size_t cells; // of a rank
    // In place the smaller buffer is the rank's part of the larger one; a stride of 0: they are the same.
    enum crl_buffer smaller;
    uint32_t stride, most; // most: chunks of the larger one
    uint32_t split, part;  // chunks that a packet is, and which of them is wanted
    uint32_t *cell;        // [nodes * cells] the number of the packet's chunk in it, CRL_NONE: empty
    size_t *at;            // [threads] the next step
    size_t *partner;       // [ops] of a send its reception, of a signal its wait, and the other way round
    uint32_t *over;        // [ops] the slot from which on it is over, NEVER: not yet
    uint32_t *packet;      // [ops] what a send has sent
    uint32_t *link;        // [nodes * ports] the last slot in which it was used
    uint32_t *out, *in;    // [nodes] likewise, where a node uses one link a slot
    size_t *flying;        // puts that are under way
    size_t flights, flight_room;
    bool sums, ahead, always_ahead;
    bool moved;    // something went on in this slot
    uint32_t next; // the first slot in which something else can
    struct crl_diag *diag;
};

// ---- cells

static size_t cell_index(const struct layout *l, struct crl_cell cell)
{
    const struct crl_program *p = l->program;
    size_t at = cell.at;
    if (p->in_place && cell.buffer == CRL_SCRATCH) at += l->most;
    else if (p->in_place && cell.buffer == l->smaller) at += (size_t)cell.rank * l->stride;
    else if (p->by_packet && l->cells == 1) at = 0; // whatever it is called
    else if (!p->in_place && cell.buffer == CRL_OUTPUT) at += p->chunks[CRL_INPUT];
    else if (!p->in_place && cell.buffer == CRL_SCRATCH) at += p->chunks[CRL_INPUT] + (size_t)p->chunks[CRL_OUTPUT];
    return cell.rank * l->cells + at;
}

static uint32_t *cell_of(const struct layout *l, struct crl_cell cell) { return &l->cell[cell_index(l, cell)]; }

static int set(struct layout *l, const struct crl_step *op, struct crl_cell cell, uint32_t packet, bool reduce)
{
    uint32_t *to = cell_of(l, cell);
    if (reduce && !l->sums)
        return crl_program_fail(l->program, op, l->diag, "this adds, and a %s does not", crl_problem_name(l->problem));
    if (reduce && *to == CRL_NONE)
        return crl_program_fail(l->program, op, l->diag, "this adds to a cell in which there is nothing yet");
    if (reduce && *to != packet)
        return crl_program_fail(l->program, op, l->diag, "this adds chunk '%u' to chunk '%u'", packet, *to);
    *to = packet;
    return 0;
}

static void fill_cells(struct layout *l)
{
    const struct crl_problem *p = l->problem;
    const uint32_t split = l->split;
    uint64_t packets = crl_problem_packets(p);
    for (size_t i = 0; i < l->nodes * l->cells; i++) l->cell[i] = CRL_NONE;
    for (uint64_t i = 0; i < packets * split; i++) {
        uint32_t origin, dest, k = (uint32_t)(i % split);
        crl_problem_packet(p, i / split, &origin, &dest);
        struct crl_cell cell = {l->program->by_packet ? CRL_PACKETS : CRL_INPUT, l->sums ? 0 : origin,
                                l->program->by_packet ? (uint32_t)i : crl_chunk_in(p, origin, dest) * split + k};
        for (; cell.rank < l->program->ranks; cell.rank++) {
            *cell_of(l, cell) = (uint32_t)i;
            if (!l->sums) break;
        }
    }
    uint32_t in, out;
    for (uint32_t v = 0; v < l->program->ranks && !l->program->by_packet; v++)
        for (uint32_t i = 0; crl_chunk_stays(p, v, &in, &out, i); i++)
            for (uint32_t k = 0; k < split; k++) {
                uint32_t *cell = cell_of(l, (struct crl_cell){CRL_INPUT, v, in * split + k});
                if (*cell == CRL_NONE) *cell = STAYS;
            }
}

// ---- steps

static bool takes(const struct crl_step *op) { return op->kind == CRL_STEP_RECV || op->kind == CRL_STEP_WAIT; }

static void wake(struct layout *l, uint32_t slot)
{
    if (slot > l->slot && slot < l->next) l->next = slot;
}

static bool is_over(struct layout *l, size_t op)
{
    if (l->over[op] == NEVER) return false;
    wake(l, l->over[op]);
    return l->over[op] <= l->slot;
}

static bool deps_over(struct layout *l, const struct crl_step *op)
{
    for (size_t i = 0; i < op->deps; i++)
        if (!is_over(l, l->program->dep[op->dep + i])) return false;
    return true;
}

static uint32_t *link_of(const struct layout *l, uint32_t from, uint32_t to)
{
    uint32_t port = crl_topology_port_to(l->problem->topology, from, to);
    return port == CRL_NONE ? NULL : &l->link[(size_t)from * l->ports + port]; // the checker finds what has no link
}

// Whether the receiver of a send stands before it.
static bool is_awaited(struct layout *l, size_t op)
{
    const struct crl_program *p = l->program;
    size_t low = 0, high = p->threads, other = l->partner[op];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p->thread[middle] <= other) low = middle;
        else high = middle;
    }
    return l->at[low] == other && deps_over(l, &p->op[other]);
}

static bool may_send(struct layout *l, size_t index, uint32_t from, uint32_t to)
{
    const struct crl_step *op = &l->program->op[index];
    if (op->slot) {
        if (op->slot > l->slot) wake(l, op->slot);
        return op->slot <= l->slot;
    }
    uint32_t *link = link_of(l, from, to);
    if (link && *link == l->slot) return false;
    if (l->problem->ports == CRL_PORTS_SINGLE && (l->out[from] == l->slot || l->in[to] == l->slot)) return false;
    return !l->sums || l->ahead || op->kind != CRL_STEP_SEND || is_awaited(l, index);
}

static int transfer(struct layout *l, size_t index, uint32_t from, uint32_t to, uint32_t packet)
{
    const struct crl_step *op = &l->program->op[index];
    uint32_t origin, dest, *link = link_of(l, from, to);
    if (op->slot && op->slot < l->slot)
        return crl_program_fail(l->program, op, l->diag,
                                "this cannot be sent in slot '%u': what it waits for is over in slot '%u'", op->slot,
                                l->slot - 1);
    if (packet == STAYS)
        return crl_program_fail(l->program, op, l->diag, "this sends what the rank that has it keeps for itself");
    crl_problem_packet(l->problem, packet / l->split, &origin, &dest);
    if (link) *link = l->slot;
    l->out[from] = l->in[to] = l->slot;
    l->packet[index] = packet;
    uint32_t arrival = crl_arrival_slot(l->problem->topology, l->slot, from, to);
    if (arrival >= UINT32_MAX - CRL_LATENCY_MAX - 2)
        return crl_program_fail(l->program, op, l->diag, "this arrives after slot 2^32");
    wake(l, arrival + 1);
    l->over[index] = op->kind == CRL_STEP_PUT ? arrival + 1 : l->slot;
    if (packet % l->split != l->part) return 0;
    return crl_schedule_add(l->schedule, (struct crl_move){l->slot, from, to, origin, dest}) ? crl_fail_memory(l->diag)
                                                                                             : 0;
}

static uint32_t arrives_after(const struct layout *l, size_t send)
{
    const struct crl_step *op = &l->program->op[send];
    return crl_arrival_slot(l->problem->topology, l->over[send], op->rank, op->peer);
}

static int put(struct layout *l, size_t index)
{
    const struct crl_step *op = &l->program->op[index];
    if (crl_grow((void **)&l->flying, &l->flight_room, l->flights, sizeof *l->flying)) return crl_fail_memory(l->diag);
    l->flying[l->flights++] = index;
    return transfer(l, index, op->src.rank, op->dst.rank, *cell_of(l, op->src));
}

// A signal follows what its thread has put before.
static uint32_t signal_time(const struct layout *l, size_t index)
{
    uint32_t time = l->slot;
    for (size_t i = 0; i < l->flights; i++) {
        const struct crl_step *put = &l->program->op[l->flying[i]], *op = &l->program->op[index];
        if (put->rank == op->rank && put->dst.rank == op->peer && l->over[l->flying[i]] > time)
            time = l->over[l->flying[i]];
    }
    return time;
}

// Does a step if it can be done in this slot: sets *did. Returns 0 or an error.
static int try_step(struct layout *l, size_t index, bool *did)
{
    const struct crl_step *op = &l->program->op[index];
    bool reads = op->kind == CRL_STEP_SEND || op->kind == CRL_STEP_PUT || op->kind == CRL_STEP_COPY;
    *did = false;
    if (op->waits && l->over[index] != NEVER) { // it is under way
        *did = is_over(l, index);
        return 0;
    }
    if (!deps_over(l, op) || (reads && *cell_of(l, op->src) == CRL_NONE)) return 0;
    if (op->kind == CRL_STEP_SEND && !may_send(l, index, op->rank, op->peer)) return 0;
    if (op->kind == CRL_STEP_PUT && !may_send(l, index, op->src.rank, op->dst.rank)) return 0;
    if (takes(op)) {
        size_t from = l->partner[index];
        if (l->over[from] == NEVER) return 0;
        uint32_t there = op->kind == CRL_STEP_WAIT ? l->over[from] : arrives_after(l, from) + 1;
        wake(l, there);
        if (there > l->slot) return 0;
    }
    *did = !op->waits;
    l->moved = true;
    l->over[index] = op->kind == CRL_STEP_SIGNAL ? signal_time(l, index) : l->slot;
    switch (op->kind) {
    case CRL_STEP_SEND: return transfer(l, index, op->rank, op->peer, *cell_of(l, op->src));
    case CRL_STEP_PUT: return put(l, index);
    case CRL_STEP_RECV: return set(l, op, op->dst, l->packet[l->partner[index]], op->reduce);
    case CRL_STEP_COPY: return set(l, op, op->dst, *cell_of(l, op->src), op->reduce);
    default: return 0;
    }
}

// Puts that have arrived are in their cells.
static int land(struct layout *l)
{
    size_t left = 0;
    int error = 0;
    for (size_t i = 0; i < l->flights && !error; i++) {
        size_t index = l->flying[i];
        const struct crl_step *op = &l->program->op[index];
        if (l->over[index] > l->slot) {
            wake(l, l->over[index]);
            l->flying[left++] = index;
        } else error = set(l, op, op->dst, l->packet[index], op->reduce);
    }
    l->flights = left;
    return error;
}

static size_t thread_end(const struct crl_program *p, size_t thread)
{
    return thread + 1 < p->threads ? p->thread[thread + 1] : p->ops;
}

// Every thread goes as far as it can in this slot. `left` lists those that are not over.
static int play_slot(struct layout *l, size_t *left, size_t *count)
{
    for (bool again = true; again;) {
        size_t kept = 0;
        again = false;
        for (size_t i = 0; i < *count; i++) {
            size_t thread = left[i], end = thread_end(l->program, thread);
            bool did = true;
            while (l->at[thread] < end && did) {
                int error = try_step(l, l->at[thread], &did);
                if (error) return error;
                l->at[thread] += did;
                again |= did;
            }
            if (l->at[thread] < end) left[kept++] = thread;
        }
        *count = kept;
    }
    return 0;
}

static int stuck(struct layout *l, size_t thread)
{
    const struct crl_step *op = &l->program->op[l->at[thread]];
    bool reads = op->kind == CRL_STEP_SEND || op->kind == CRL_STEP_PUT || op->kind == CRL_STEP_COPY;
    return crl_program_fail(l->program, op, l->diag, "this waits for ever%s, at rank %u",
                            !deps_over(l, op)                           ? " for what it depends on"
                            : reads && *cell_of(l, op->src) == CRL_NONE ? ": there is nothing in its cell"
                                                                        : "",
                            op->rank);
}

static int play(struct layout *l)
{
    const struct crl_program *p = l->program;
    size_t count = p->threads, *left = malloc(sizeof *left * (count + 1));
    int error = left ? 0 : crl_fail_memory(l->diag);
    for (size_t t = 0; t < count && !error; t++) {
        left[t] = t;
        l->at[t] = p->thread[t];
    }
    l->slot = 1;
    while (!error && (count || l->flights)) {
        l->next = NEVER;
        l->moved = false;
        error = land(l);
        if (!error) error = play_slot(l, left, &count);
        if (error || (!count && !l->flights)) break;
        bool can_wait = l->moved || l->next != NEVER;
        if (can_wait) {
            l->slot = l->moved ? l->slot + 1 : l->next;
            l->ahead = l->always_ahead;
        } else if (l->sums && !l->ahead) l->ahead = true; // in the same slot
        else error = stuck(l, left[0]);
    }
    free(left);
    return error;
}

// ---- all of it

static int prepare(struct layout *l)
{
    const struct crl_program *p = l->program;
    size_t ops = p->ops + 1, links = (size_t)l->nodes * l->ports;
    uint64_t packets = crl_problem_packets(l->problem);
    enum { CELLS_MAX = 1 << 28 };
    uint64_t cells = p->by_packet  ? packets
                     : p->in_place ? l->most + (uint64_t)p->chunks[CRL_SCRATCH]
                                   : (uint64_t)p->chunks[CRL_INPUT] + p->chunks[CRL_OUTPUT] + p->chunks[CRL_SCRATCH];
    if (packets * l->split >= STAYS || cells * l->nodes > CELLS_MAX)
        return crl_fail_at(l->diag, CRL_ERR_LIMIT, p->file, 1, 1, "more than %d cells", CELLS_MAX);
    l->cells = cells;
    l->cell = malloc(sizeof *l->cell * (l->nodes * l->cells + 1));
    l->at = malloc(sizeof *l->at * (p->threads + 1));
    l->partner = malloc(sizeof *l->partner * ops);
    l->over = malloc(sizeof *l->over * ops);
    l->packet = calloc(ops, sizeof *l->packet);
    l->link = calloc(links, sizeof *l->link);
    l->out = calloc(l->nodes, sizeof *l->out);
    l->in = calloc(l->nodes, sizeof *l->in);
    if (!l->cell || !l->at || !l->partner || !l->over || !l->packet || !l->link || !l->out || !l->in)
        return crl_fail_memory(l->diag);
    for (size_t i = 0; i < p->ops; i++) l->over[i] = NEVER;
    return 0;
}

static void done(struct layout *l)
{
    free(l->cell);
    free(l->at);
    free(l->partner);
    free(l->over);
    free(l->packet);
    free(l->link);
    free(l->out);
    free(l->in);
    free(l->flying);
}

static int too_small(const struct layout *l, const char *buffer, uint32_t has, uint32_t needs)
{
    return crl_fail_at(l->diag, CRL_ERR_PARSE, l->program->file, 1, 1,
                       "an %s of '%u' chunks is too small: that of a %s here has %u", buffer, has,
                       crl_problem_name(l->problem), needs);
}

static int check_cell(const struct layout *l, const struct crl_step *op, struct crl_cell cell)
{
    const struct crl_program *p = l->program;
    if (cell.rank >= l->nodes)
        return crl_program_fail(p, op, l->diag, "node '%u' of a network of %u", cell.rank, l->nodes);
    if (p->by_packet && l->cells > 1 && cell.at >= l->cells)
        return crl_program_fail(p, op, l->diag, "'%u' is no packet of a %s here: they are 0 to %zu", cell.at,
                                crl_problem_name(l->problem), l->cells - 1);
    if (p->in_place && l->stride && cell.buffer == l->smaller && cell.at >= l->stride)
        return crl_program_fail(p, op, l->diag, "place '%u' of the %s, which has %u in place", cell.at,
                                cell.buffer == CRL_INPUT ? "input" : "output", l->stride);
    return 0;
}

// What the problem has must have a place in the file's buffers, and the other way round.
static int check_sizes(struct layout *l)
{
    const struct crl_program *p = l->program;
    uint32_t in = crl_chunks_in(l->problem) * l->split, out = crl_chunks_out(l->problem) * l->split;
    uint32_t larger = in > out ? in : out;
    int error = 0;
    if (p->ranks > l->nodes || (!p->by_packet && p->ranks != l->nodes))
        return crl_fail_at(l->diag, CRL_ERR_PARSE, p->file, 1, 1, "this is for '%u' ranks, and %s has %u nodes",
                           p->ranks, crl_topology_name(l->problem->topology), l->nodes);
    if (!p->by_packet && !p->in_place && in > p->chunks[CRL_INPUT])
        return too_small(l, "input", p->chunks[CRL_INPUT], in);
    if (!p->by_packet && p->in_place && larger > l->most) return too_small(l, "output", l->most, larger);
    for (size_t i = 0; i < p->ops && !error; i++) {
        const struct crl_step *op = &p->op[i];
        bool reads = op->kind == CRL_STEP_SEND || op->kind == CRL_STEP_PUT || op->kind == CRL_STEP_COPY;
        bool writes = op->kind == CRL_STEP_RECV || op->kind == CRL_STEP_PUT || op->kind == CRL_STEP_COPY;
        if (reads) error = check_cell(l, op, op->src);
        if (writes && !error) error = check_cell(l, op, op->dst);
    }
    return error;
}

int crl_program_lay_out(struct crl_schedule *schedule, const struct crl_program *program,
                        const struct crl_problem *problem, uint32_t part, bool ahead, bool *slots_said,
                        struct crl_diag *diag)
{
    struct layout l = {.program = program,
                       .problem = problem,
                       .schedule = schedule,
                       .nodes = crl_topology_nodes(problem->topology),
                       .ports = crl_topology_ports(problem->topology),
                       .split = program->split ? program->split : 1,
                       .part = part,
                       .sums = crl_problem_sums(problem),
                       .ahead = ahead,
                       .always_ahead = ahead,
                       .diag = diag};
    uint32_t in = crl_chunks_in(problem) * l.split, out = crl_chunks_out(problem) * l.split;
    l.smaller = in < out ? CRL_INPUT : CRL_OUTPUT;
    l.stride = in == out ? 0 : in < out ? in : out;
    l.most = program->chunks[CRL_INPUT] > program->chunks[CRL_OUTPUT] ? program->chunks[CRL_INPUT]
                                                                      : program->chunks[CRL_OUTPUT];
    int error = prepare(&l);
    if (!error) error = check_sizes(&l);
    if (!error) fill_cells(&l);
    if (!error) error = crl_program_partners(program, l.partner, diag);
    if (!error) error = play(&l);
    if (!error && crl_schedule_sort(schedule)) error = crl_fail_memory(diag);
    *slots_said = true;
    for (size_t i = 0; i < program->ops; i++)
        if ((program->op[i].kind == CRL_STEP_SEND || program->op[i].kind == CRL_STEP_PUT) && !program->op[i].slot)
            *slots_said = false;
    done(&l);
    return error;
}
