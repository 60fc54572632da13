// SPDX-License-Identifier: Apache-2.0
// Whether a program's steps are in order by more than luck. Where nothing waits for data as such, two steps that use a
// place, at least one of which writes it, must follow each other by what the program says: the order of a thread, what
// a step depends on, and that what is sent comes before it is received. Lamport, "Time, Clocks and the Ordering of
// Events in a Distributed System", 1978.
#include "base/base.h"
#include "base/pool.h"
#include "format/cells.h"
#include <stdlib.h>

struct use { // a step that has read a place since it was written; they are a list
    uint32_t op, next;
};

struct races {
    struct crl_pool pool;
    const struct crl_program *program;
    const struct crl_cells *cells;
    const size_t *partner;  // [ops]
    const uint32_t *turn;   // [ops] the order in which they were played
    uint32_t *order;        // [ops] the same, the other way round
    uint32_t *thread;       // [ops]
    uint32_t *write, *read; // [cells] the last step that wrote a place; its uses since then
    struct use *use;
    size_t uses, use_room;
    uint32_t *seen, *todo; // [ops] in which search a step was reached; those still to be looked at
    uint32_t search;
    struct crl_diag *diag;
};

static void reach(struct races *r, size_t op, size_t *count, uint32_t from)
{
    if (r->seen[op] == r->search || r->turn[op] < r->turn[from]) return;
    r->seen[op] = r->search;
    r->todo[(*count)++] = (uint32_t)op;
}

// Whether the program says that `a` comes before `b`. What was played before `a` cannot lead back to it.
static bool is_before(struct races *r, uint32_t a, uint32_t b)
{
    size_t count = 0;
    r->search++;
    for (reach(r, b, &count, a); count;) {
        uint32_t at = r->todo[--count];
        const struct crl_step *op = &r->program->op[at];
        if (r->thread[at] == r->thread[a] && at >= a) return true;
        if (at && r->thread[at - 1] == r->thread[at]) reach(r, at - 1, &count, a);
        if (op->kind == CRL_STEP_RECV) reach(r, r->partner[at], &count, a);
        for (size_t i = 0; i < op->deps; i++) reach(r, r->program->dep[op->dep + i], &count, a);
    }
    return false;
}

static int race(const struct races *r, uint32_t a, uint32_t b, const char *what)
{
    return crl_program_fail(r->program, &r->program->op[b], r->diag,
                            "this %s what the step in line '%llu' %s, and nothing says which comes first", what,
                            (unsigned long long)r->program->op[a].line, what[0] == 'r' ? "writes" : "reads or writes");
}

static int reads(struct races *r, uint32_t op, struct crl_cell cell)
{
    size_t at = crl_cells_index(r->cells, cell);
    if (r->write[at] != CRL_NONE && !is_before(r, r->write[at], op)) return race(r, r->write[at], op, "reads");
    if (crl_grow((void **)&r->use, &r->use_room, r->uses, sizeof *r->use)) return crl_fail_memory(r->diag);
    r->use[r->uses] = (struct use){op, r->read[at]};
    r->read[at] = (uint32_t)r->uses++;
    return 0;
}

static int writes(struct races *r, uint32_t op, struct crl_cell cell)
{
    size_t at = crl_cells_index(r->cells, cell);
    if (r->write[at] != CRL_NONE && !is_before(r, r->write[at], op)) return race(r, r->write[at], op, "writes");
    for (uint32_t i = r->read[at]; i != CRL_NONE; i = r->use[i].next)
        if (r->use[i].op != op && !is_before(r, r->use[i].op, op)) return race(r, r->use[i].op, op, "writes");
    r->write[at] = op;
    r->read[at] = CRL_NONE;
    return 0;
}

static int step(struct races *r, uint32_t index)
{
    const struct crl_step *op = &r->program->op[index];
    int error = 0;
    if (op->kind == CRL_STEP_SEND || op->kind == CRL_STEP_COPY) error = reads(r, index, op->src);
    if (!error && (op->kind == CRL_STEP_RECV || op->kind == CRL_STEP_COPY)) error = writes(r, index, op->dst);
    return error;
}

static int prepare(struct races *r, size_t places)
{
    size_t ops = r->program->ops + 1;
    CRL_NUMBERS(&r->pool, ops, &r->order, &r->thread, &r->seen, &r->todo);
    CRL_NUMBERS(&r->pool, places, &r->write, &r->read);
    if (crl_pool_error(&r->pool)) return crl_fail_memory(r->diag);
    for (uint32_t i = 0; i < r->program->ops; i++) r->order[r->turn[i]] = i;
    for (size_t i = 0; i < places; i++) r->write[i] = r->read[i] = CRL_NONE;
    for (size_t t = 0, i = 0; t < r->program->threads; t++)
        for (size_t end = crl_program_thread_end(r->program, t); i < end; i++) r->thread[i] = (uint32_t)t;
    return 0;
}

int crl_program_races(const struct crl_program *program, const struct crl_cells *cells, const size_t *partner,
                      const uint32_t *turn, struct crl_diag *diag)
{
    struct races r = {.program = program, .cells = cells, .partner = partner, .turn = turn, .diag = diag};
    int error = prepare(&r, cells->nodes * cells->cells + program->threads);
    for (size_t i = 0; i < program->ops && !error; i++) error = step(&r, r.order[i]);
    free(r.use);
    crl_pool_done(&r.pool);
    return error;
}
