// SPDX-License-Identifier: Apache-2.0
// Lays messages out in times of a LogP machine: a message leaves as soon as what it depends on is over and both of its
// ends are free; of those that could, the one that is ready first, then the one that stands first in the file.
#include "base/base.h"
#include "format/program.h"
#include "machine/logp/schedule.h"
#include <stdlib.h>

struct layout {
    const struct crl_program *program;
    const struct crl_logp_problem *problem;
    struct crl_logp_schedule *schedule;
    size_t *partner, *start, *dependent; // dependent[start[i]…start[i + 1] − 1] wait for step i
    uint64_t *ready;                     // [ops] when all that came before is over
    size_t *waiting;                     // [ops] for so many
    size_t *pool, pooled;                // sends that are ready
    size_t *stack;
    size_t over;
    struct crl_diag *diag;
};

// The steps that wait for each step: those that say so, and the reception of a send.
static void list_dependents(struct layout *l)
{
    const struct crl_program *p = l->program;
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < p->ops; i++) {
            const struct crl_step *op = &p->op[i];
            for (size_t k = 0; k < op->deps; k++) {
                size_t on = p->dep[op->dep + k];
                if (fill) l->dependent[l->start[on + 1]++] = i;
                else l->start[on + 2]++;
            }
            if (op->kind != CRL_STEP_RECV) continue;
            if (fill) l->dependent[l->start[l->partner[i] + 1]++] = i;
            else l->start[l->partner[i] + 2]++;
            if (fill) l->waiting[i]++;
        }
        for (size_t i = 0; !fill && i < p->ops; i++) l->start[i + 2] += l->start[i + 1];
    }
    for (size_t i = 0; i < p->ops; i++) l->waiting[i] += p->op[i].deps;
}

// A step is over at `time`; those that only waited for it are, too, or go to the pool.
static void finish(struct layout *l, size_t first, uint64_t time)
{
    const struct crl_program *p = l->program;
    size_t depth = 0;
    l->ready[first] = time;
    l->stack[depth++] = first;
    while (depth) {
        size_t op = l->stack[--depth];
        l->over++;
        for (size_t i = l->start[op]; i < l->start[op + 1]; i++) {
            size_t next = l->dependent[i];
            if (l->ready[op] > l->ready[next]) l->ready[next] = l->ready[op];
            if (--l->waiting[next]) continue;
            l->ready[next] += p->op[next].time;
            if (p->op[next].kind == CRL_STEP_SEND) l->pool[l->pooled++] = next;
            else l->stack[depth++] = next;
        }
    }
}

// The first time from `t` on that is `apart` from another one, which is not.
static bool clash(uint64_t *t, uint64_t offset, uint64_t other, uint64_t apart)
{
    uint64_t at = *t + offset;
    if (at >= other + apart || other >= at + apart) return false;
    *t = other + apart - offset;
    return true;
}

static uint64_t earliest(const struct layout *l, const struct crl_step *op, uint64_t t)
{
    const struct crl_logp *m = &l->problem->machine;
    uint64_t apart = m->g > m->o ? m->g : m->o, way = (uint64_t)m->o + m->L;
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = 0; i < l->schedule->count; i++) {
            const struct crl_logp_send *s = &l->schedule->sends[i];
            if (s->src == op->rank) again |= clash(&t, 0, s->time, apart);
            if (s->dst == op->peer) again |= clash(&t, way, s->rtime, apart);
            if (l->problem->full_duplex) continue;
            if (s->dst == op->rank) again |= clash(&t, 0, s->rtime, m->o);
            if (s->src == op->peer) again |= clash(&t, way, s->time, m->o);
        }
    }
    return t;
}

// Sends the message that is ready first, or finds that it has to wait.
static int send_next(struct layout *l)
{
    const struct crl_logp *m = &l->problem->machine;
    size_t best = 0;
    for (size_t i = 1; i < l->pooled; i++) {
        uint64_t a = l->ready[l->pool[i]], b = l->ready[l->pool[best]];
        if (a < b || (a == b && l->pool[i] < l->pool[best])) best = i;
    }
    size_t index = l->pool[best];
    const struct crl_step *op = &l->program->op[index];
    uint64_t t = earliest(l, op, l->ready[index]), arrival = t + m->o + m->L;
    if (arrival + m->o >= UINT32_MAX) return crl_program_fail(l->program, op, l->diag, "this arrives after time 2^32");
    if (t > l->ready[index]) {
        l->ready[index] = t;
        return 0;
    }
    bool one = l->problem->kind == CRL_LOGP_BROADCAST || l->problem->kind == CRL_LOGP_SUMMATION;
    struct crl_logp_send send = {(uint32_t)t, op->rank, op->peer, one ? 0 : op->src.at, (uint32_t)arrival, 0};
    if (crl_logp_schedule_add(l->schedule, send)) return crl_fail_memory(l->diag);
    l->pool[best] = l->pool[--l->pooled];
    size_t taker = l->partner[index];
    uint64_t there = arrival + m->o + (l->problem->kind == CRL_LOGP_SUMMATION); // where it is added, too
    if (there > l->ready[taker]) l->ready[taker] = there;
    finish(l, index, t + m->o);
    return 0;
}

static int look_at(const struct layout *l)
{
    const struct crl_program *p = l->program;
    if (!p->by_packet)
        return crl_fail_at(l->diag, CRL_ERR_UNSUPPORTED, p->file, 1, 1, "only messages are laid out on a LogP machine");
    if (p->ranks > l->problem->machine.P)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, p->file, 1, 1, "this is for '%u' ranks, and the machine has %u",
                           p->ranks, l->problem->machine.P);
    for (size_t i = 0; i < p->ops; i++)
        if (p->op[i].kind == CRL_STEP_PUT)
            return crl_program_fail(p, &p->op[i], l->diag, "only messages are laid out on a LogP machine");
    return 0;
}

static int play(struct layout *l)
{
    const struct crl_program *p = l->program;
    int error = 0;
    for (size_t i = 0; i < p->ops; i++) {
        if (!l->waiting[i] && p->op[i].kind == CRL_STEP_SEND) l->pool[l->pooled++] = i;
    }
    // What waits for nothing: those first, as they may set others free.
    for (size_t i = 0; i < p->ops; i++)
        if (!p->op[i].deps && p->op[i].kind == CRL_STEP_NOP) finish(l, i, p->op[i].time);
    while (!error && l->pooled) error = send_next(l);
    if (error || l->over == p->ops) return error;
    for (size_t i = 0; i < p->ops; i++)
        if (l->waiting[i])
            return crl_program_fail(p, &p->op[i], l->diag, "this waits for ever for what it depends on, at rank %u",
                                    p->op[i].rank);
    return 0;
}

int crl_program_lay_out_logp(struct crl_logp_schedule *schedule, const struct crl_program *program,
                             const struct crl_logp_problem *problem, struct crl_diag *diag)
{
    struct layout l = {.program = program, .problem = problem, .schedule = schedule, .diag = diag};
    size_t ops = program->ops;
    l.partner = malloc(sizeof *l.partner * (ops + 1));
    l.start = calloc(ops + 3, sizeof *l.start);
    l.dependent = malloc(sizeof *l.dependent * (program->deps + ops + 1));
    l.ready = calloc(ops + 1, sizeof *l.ready);
    l.waiting = calloc(ops + 1, sizeof *l.waiting);
    l.pool = malloc(sizeof *l.pool * (ops + 1));
    l.stack = malloc(sizeof *l.stack * (ops + 1));
    bool room = l.partner && l.start && l.dependent && l.ready && l.waiting && l.pool && l.stack;
    int error = room ? look_at(&l) : crl_fail_memory(diag);
    if (!error) error = crl_program_partners(program, l.partner, diag);
    if (!error) list_dependents(&l);
    if (!error) error = play(&l);
    if (!error && crl_logp_schedule_sort(schedule)) error = crl_fail_memory(diag);
    CRL_FREE(l.partner, l.start, l.dependent, l.ready, l.waiting, l.pool, l.stack);
    return error;
}
