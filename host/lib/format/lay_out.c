// SPDX-License-Identifier: Apache-2.0
// Lays a program of another tool out in slots by playing it: in each slot every thread goes as far as it can. A thread
// stops where a cell is still empty, a link is taken, or another thread has not come as far.
//
// Sums: what arrives at a node is at once part of what it holds, while the program may take it from its channel later.
// So a sum is sent when its receiver is ready for it; where nothing else can go on, when all that its receiver does
// before is to put what it holds; and ahead of that only if still nothing goes on, or if the caller wants it so.
#include "base/pool.h"
#include "base/base.h"
#include "format/cells.h"
#include <stdlib.h>

#define NEVER UINT32_MAX // a slot

struct layout {
    struct crl_pool pool;
    const struct crl_program *program;
    const struct crl_problem *problem;
    struct crl_schedule *schedule;
    uint32_t nodes, ports, slot;
    uint32_t part; // of each packet the chunk that is wanted
    struct crl_cells cells;
    size_t *at;               // [threads] the next step
    size_t *partner;          // [ops] of a send its reception, of a signal its wait, and the other way round
    uint32_t *over;           // [ops] the slot from which on it is over, NEVER: not yet
    uint32_t *turn, turns;    // [ops] the order in which they are done
    struct crl_content *sent; // [ops] by a send
    uint32_t *link;           // [nodes * ports] the last slot in which it was used
    uint32_t *out, *in;       // [nodes] likewise, where a node uses one link a slot
    size_t *flying;           // puts that are under way
    size_t flights, flight_room;
    bool sums, always_ahead;
    enum { READY, PUTTING, AHEAD } ahead; // when sums are sent
    bool moved;                           // something went on in this slot
    uint32_t next;                        // the first slot in which something else can
    struct crl_diag *diag;
};

static bool is_empty(const struct layout *l, struct crl_cell cell)
{
    return crl_cells_get(&l->cells, cell).packet == CRL_NONE;
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

// Whether the receiver of a send, or of the signal that follows a put, stands before it.
static bool is_awaited(struct layout *l, size_t op)
{
    const struct crl_program *p = l->program;
    uint32_t rank = p->op[op].kind == CRL_STEP_PUT ? p->op[op].dst.rank : p->op[op].peer;
    while (p->op[op].kind != CRL_STEP_SEND && (p->op[op].kind != CRL_STEP_SIGNAL || p->op[op].peer != rank))
        if (++op == p->ops) return true;
    size_t low = 0, high = p->threads, other = l->partner[op];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p->thread[middle] <= other) low = middle;
        else high = middle;
    }
    size_t at = l->at[low];
    while (l->ahead && at < other && (p->op[at].kind == CRL_STEP_PUT || p->op[at].kind == CRL_STEP_SIGNAL)) at++;
    return at == other && deps_over(l, &p->op[other]);
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
    return !l->sums || l->ahead == AHEAD || is_awaited(l, index);
}

static int transfer(struct layout *l, size_t index, uint32_t from, uint32_t to)
{
    const struct crl_step *op = &l->program->op[index];
    uint32_t origin, dest, *link = link_of(l, from, to);
    if (op->slot && op->slot < l->slot)
        return crl_program_fail(l->program, op, l->diag,
                                "this cannot be sent in slot '%u': what it waits for is over in slot '%u'", op->slot,
                                l->slot - 1);
    l->sent[index] = crl_cells_get(&l->cells, op->src);
    const uint32_t packet = l->sent[index].packet;
    if (packet >= l->cells.packets)
        return crl_program_fail(l->program, op, l->diag, "this sends what the rank that has it keeps for itself");
    crl_problem_packet(l->problem, packet / l->cells.split, &origin, &dest);
    if (link) *link = l->slot;
    l->out[from] = l->in[to] = l->slot;
    uint32_t arrival = crl_arrival_slot(l->problem->topology, l->slot, from, to);
    if (arrival >= UINT32_MAX - CRL_LATENCY_MAX - 2)
        return crl_program_fail(l->program, op, l->diag, "this arrives after slot 2^32");
    wake(l, arrival + 1);
    l->over[index] = op->kind == CRL_STEP_PUT ? arrival + 1 : l->slot;
    if (packet % l->cells.split != l->part) return 0;
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
    if (CRL_PUSH(l->flying, l->flight_room, l->flights, index)) return crl_fail_memory(l->diag);
    return transfer(l, index, op->src.rank, op->dst.rank);
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
    if (!deps_over(l, op) || (reads && is_empty(l, op->src))) return 0;
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
    l->turn[index] = l->turns++;
    l->over[index] = op->kind == CRL_STEP_SIGNAL ? signal_time(l, index) : l->slot;
    switch (op->kind) {
    case CRL_STEP_SEND: return transfer(l, index, op->rank, op->peer);
    case CRL_STEP_PUT: return put(l, index);
    case CRL_STEP_RECV: return crl_cells_set(&l->cells, op, op->dst, l->sent[l->partner[index]], l->diag);
    case CRL_STEP_COPY: return crl_cells_set(&l->cells, op, op->dst, crl_cells_get(&l->cells, op->src), l->diag);
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
        } else error = crl_cells_set(&l->cells, op, op->dst, l->sent[index], l->diag);
    }
    l->flights = left;
    return error;
}

// Every thread goes as far as it can in this slot. `left` lists those that are not over.
static int play_slot(struct layout *l, size_t *left, size_t *count)
{
    for (bool again = true; again;) {
        size_t kept = 0;
        again = false;
        for (size_t i = 0; i < *count; i++) {
            size_t thread = left[i], end = crl_program_thread_end(l->program, thread);
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
                            !deps_over(l, op)               ? " for what it depends on"
                            : reads && is_empty(l, op->src) ? ": there is nothing in its cell"
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
            l->ahead = l->always_ahead ? AHEAD : READY;
        } else if (l->sums && l->ahead < AHEAD) l->ahead++; // in the same slot
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
    CRL_NEW(&l->pool, l->at, p->threads + 1);
    CRL_NEW(&l->pool, l->partner, ops);
    CRL_NUMBERS(&l->pool, ops, &l->over, &l->turn);
    CRL_ZEROED(&l->pool, l->sent, ops);
    CRL_NUMBERS(&l->pool, links, &l->link);
    CRL_NUMBERS(&l->pool, l->nodes, &l->out, &l->in);
    if (crl_pool_error(&l->pool)) return crl_fail_memory(l->diag);
    for (size_t i = 0; i < p->ops; i++) l->over[i] = NEVER;
    return 0;
}

static void done(struct layout *l)
{
    crl_cells_done(&l->cells);
    free(l->flying);
    crl_pool_done(&l->pool);
}

int crl_program_lay_out(struct crl_schedule *schedule, const struct crl_program *program,
                        const struct crl_problem *problem, uint32_t part, bool ahead, struct crl_laid_out *how,
                        struct crl_diag *diag)
{
    CRL_ENDED(done)
    struct layout l = {.program = program,
                       .problem = problem,
                       .schedule = schedule,
                       .nodes = crl_topology_nodes(problem->topology),
                       .ports = crl_topology_ports(problem->topology),
                       .part = part,
                       .sums = crl_problem_sums(problem),
                       .ahead = ahead ? AHEAD : READY,
                       .always_ahead = ahead,
                       .diag = diag};
    int error = crl_cells_make(&l.cells, program, problem, diag);
    if (!error) error = prepare(&l);
    if (!error) error = crl_program_partners(program, l.partner, diag);
    if (!error) error = play(&l);
    if (!error && program->explicit) error = crl_program_races(program, &l.cells, l.partner, l.turn, diag);
    if (!error && crl_schedule_sort(schedule)) error = crl_fail_memory(diag);
    how->slots_said = true;
    for (size_t i = 0; i < program->ops; i++)
        if ((program->op[i].kind == CRL_STEP_SEND || program->op[i].kind == CRL_STEP_PUT) && !program->op[i].slot)
            how->slots_said = false;
    how->ends = error ? 0 : crl_cells_judge(&l.cells, part, &how->why);
    return error;
}
