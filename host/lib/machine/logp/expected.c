// SPDX-License-Identifier: Apache-2.0
// The trace a LogP schedule must produce, from the schedule alone: what is sent at t is on the link in time unit t + o.
#include "machine/logp/check.h"
#include "base/base.h"
#include "machine/logp/play.h"
#include <stdlib.h>
#include <string.h>

struct crl_logp_expected {
    const struct crl_logp_schedule *schedule;
    struct crl_logp_problem problem;
    struct crl_logp_geometry geometry;
    enum crl_op op;
    uint64_t seed;
    uint32_t row, word; // next to play
    size_t at;          // next send
    uint64_t *value;    // [sends] what each carries, in this word
    uint32_t *received; // [sends] in order of the time at which each counts at its receiver
    uint64_t *chain;    // [P] own operands; summation
    uint64_t *part;     // [P] combination of what was received
    uint64_t *total;    // [P] that with the processor's own
    bool *has;          // [P] something was received
    uint32_t *valid;    // [P][⌈P/32⌉]
    uint64_t *data;     // [P][P]
};

// From when on a message counts at its receiver.
static uint64_t counts_at(const struct crl_logp_expected *e, uint32_t send)
{
    return (uint64_t)e->schedule->sends[send].rtime + e->problem.machine.o + (e->problem.kind == CRL_LOGP_SUMMATION);
}

static uint64_t key(const void *user, uint32_t index) { return counts_at(user, index); }

static uint64_t apply(const struct crl_logp_expected *e, uint64_t a, uint64_t b)
{
    return crl_op_apply(e->op, e->geometry.data_width, a, b);
}

static uint64_t payload(const struct crl_logp_expected *e, uint32_t item)
{
    return crl_logp_payload(&e->geometry, item, e->word, e->seed);
}

// Each processor's own value, or the combination of its own operands.
static void start_totals(struct crl_logp_expected *e)
{
    uint32_t number = 0;
    for (uint32_t v = 0; v < e->problem.machine.P; v++) {
        e->has[v] = false;
        e->total[v] = 0;
        if (e->problem.kind == CRL_LOGP_COMBINING) e->total[v] = payload(e, v);
        for (uint64_t k = 0; e->problem.kind == CRL_LOGP_SUMMATION && k < e->chain[v]; k++, number++)
            e->total[v] = k ? apply(e, e->total[v], payload(e, number)) : payload(e, number);
    }
}

static void count(struct crl_logp_expected *e, uint32_t send)
{
    uint32_t v = e->schedule->sends[send].dst;
    e->part[v] = e->has[v] ? apply(e, e->part[v], e->value[send]) : e->value[send];
    e->total[v] = apply(e, e->total[v], e->value[send]);
    e->has[v] = true;
}

// What every send of this round carries.
static void fill_values(struct crl_logp_expected *e)
{
    const struct crl_logp_schedule *s = e->schedule;
    size_t next = 0;
    if (!crl_logp_combines(&e->problem)) {
        for (size_t i = 0; i < s->count; i++) e->value[i] = payload(e, s->sends[i].item);
        return;
    }
    start_totals(e);
    for (size_t i = 0; i < s->count; i++) {
        while (next < s->count && counts_at(e, e->received[next]) <= s->sends[i].time) count(e, e->received[next++]);
        e->value[i] = s->sends[i].item ? e->part[s->sends[i].src] : e->total[s->sends[i].src];
    }
}

int crl_logp_expected_new(struct crl_logp_expected **out, const struct crl_logp_schedule *schedule,
                          const struct crl_logp_image *image, enum crl_op op, uint64_t seed, struct crl_diag *diag)
{
    struct crl_logp_expected *e = *out = calloc(1, sizeof *e);
    if (!e) return crl_fail_memory(diag);
    size_t P = image->problem.machine.P;
    uint64_t last = 0;
    e->schedule = schedule;
    e->problem = image->problem;
    e->geometry = image->geometry;
    e->op = op;
    e->seed = seed;
    e->value = calloc(schedule->count + 1, sizeof *e->value);
    e->received = calloc(schedule->count + 1, sizeof *e->received);
    e->chain = calloc(P, sizeof *e->chain);
    e->part = calloc(P, sizeof *e->part);
    e->total = calloc(P, sizeof *e->total);
    e->has = calloc(P, sizeof *e->has);
    e->valid = calloc(P * crl_ceil_div(P, 32), sizeof *e->valid);
    e->data = calloc(P * P, sizeof *e->data);
    int error = e->value && e->received && e->chain && e->part && e->total && e->has && e->valid && e->data
                    ? 0
                    : CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < schedule->count && !error; i++) {
        e->received[i] = i;
        if (counts_at(e, i) > last) last = counts_at(e, i);
    }
    if (!error) error = crl_sort_order(e->received, (uint32_t)schedule->count, key, e, last);
    if (!error) {
        if (e->problem.kind == CRL_LOGP_SUMMATION) crl_logp_chains(schedule, &e->problem, e->problem.time, e->chain);
        fill_values(e);
        return 0;
    }
    crl_logp_expected_free(e);
    *out = NULL;
    return crl_fail_memory(diag);
}

void crl_logp_expected_free(struct crl_logp_expected *e)
{
    if (!e) return;
    CRL_FREE(e->value, e->received, e->chain, e->part, e->total, e->has, e->valid, e->data, e);
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_logp_expected *e = self;
    const struct crl_logp_schedule *s = e->schedule;
    uint32_t P = e->problem.machine.P, masks = (uint32_t)crl_ceil_div(P, 32);
    if (e->word == e->geometry.words) return 1;
    memset(e->valid, 0, sizeof *e->valid * P * masks);
    for (; e->at < s->count && s->sends[e->at].time + e->problem.machine.o == e->row; e->at++) {
        const struct crl_logp_send *m = &s->sends[e->at];
        e->valid[(size_t)m->src * masks + m->dst / 32] |= UINT32_C(1) << m->dst % 32;
        e->data[(size_t)m->src * P + m->dst] = e->value[e->at];
    }
    *valid = e->valid;
    *data = e->data;
    if (++e->row < e->geometry.rows) return 0;
    e->row = 0;
    e->at = 0;
    if (++e->word == e->geometry.words) return 1;
    fill_values(e);
    return 0;
}

struct crl_player crl_logp_expected_player(struct crl_logp_expected *expected)
{
    return (struct crl_player){.self = expected, .step = step};
}
