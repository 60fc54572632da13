// SPDX-License-Identifier: Apache-2.0
// k-item and continuous broadcast by block-cyclic schedules: K93 Sec. 3.3 and Theorem 3.7. Processor 0 sends every item
// once; P − 1 is the receive-only processor.
//
// For receivers with buffers (Theorem 3.8) the same by E(P − 1) without extra delay: where two messages reach a
// processor at once, the one that it must pass on is received first and the other waits.
#include "machine/logp/plan.h"
#include "base/base.h"
#include <stdlib.h>

enum { VARIANTS = 64 };

// When the last send without extra delay starts.
static uint64_t last_send(const struct crl_logp *postal, uint32_t items)
{
    uint64_t rest = crl_logp_broadcast_time(postal, postal->P - 1);
    return rest == UINT64_MAX ? rest : rest + items - 1;
}

// Who holds item i at a node that passes it on.
static uint32_t holder(const struct crl_logp_blocks *b, uint32_t node, uint32_t item)
{
    return b->base[node] + item % b->size[node];
}

static uint32_t receiver(const struct crl_logp_blocks *b, uint32_t node, uint32_t item)
{
    if (b->size[node]) return holder(b, node, item);
    if (b->to[node] == CRL_NONE) return b->nodes;
    uint32_t r = b->size[b->to[node]];
    return b->base[b->to[node]] + (item % r + r - b->turn[node]) % r;
}

// All messages, item by item and node by node of the tree.
static void emit(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, const struct crl_logp_blocks *b,
                 uint64_t step, struct crl_diag *diag)
{
    for (uint32_t i = 0; i < p->items; i++)
        for (uint32_t n = 0; n < b->nodes; n++) {
            uint64_t when = i + (b->size[n] ? b->label[n] : b->there[n]);
            uint32_t sender = n ? holder(b, b->parent[n], i) : 0;
            crl_logp_emit(schedule, &p->machine, when * step, sender, receiver(b, n, i), i, diag);
        }
}

// Items without end come every max(g, o), so steps must be as short.
bool crl_applies_logp_continuous(const struct crl_logp_problem *p)
{
    return crl_logp_step_is_clear(p, crl_logp_spacing(&p->machine));
}

int crl_plan_logp_block_cyclic(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p,
                               struct crl_diag *diag)
{
    uint32_t step = crl_logp_spacing(&p->machine), latency = (uint32_t)crl_ceil_div(crl_logp_flight(&p->machine), step);
    struct crl_logp_steps steps = {{p->machine.P, latency, 0, 1}, step};
    struct crl_logp_blocks blocks;
    if (p->kind != CRL_LOGP_CONTINUOUS && crl_logp_steps(&steps, p, last_send) == UINT64_MAX)
        return crl_fail_memory(diag);
    int error = crl_logp_blocks_find(&blocks, &steps.postal, true, 0, diag);
    if (!error) emit(schedule, p, &blocks, steps.step, diag);
    crl_logp_blocks_done(&blocks);
    return error;
}

// ---------------------------------------------------------------- receivers with buffers

struct reception {
    struct crl_logp_send *send;
    bool active; // to be passed on: received when it arrives
};

static int by_receiver(const void *x, const void *y)
{
    const struct reception *a = x, *b = y;
    if (a->send->dst != b->send->dst) return a->send->dst < b->send->dst ? -1 : 1;
    if (a->send->rtime != b->send->rtime) return a->send->rtime < b->send->rtime ? -1 : 1;
    return a->active != b->active ? (a->active ? -1 : 1) : 0;
}

// Receives what comes to one processor, one message a step, active ones first, then those that wait longest. Returns
// the most that wait, and the last time of reception in *last.
static size_t receive(struct reception *in, size_t count, uint32_t step, uint32_t *last)
{
    size_t most = 0, first = 0; // in[first…] are not received yet, but for active ones
    uint64_t now = 0;
    while (first < count) {
        uint64_t arrival = in[first].send->rtime;
        now = arrival > now ? arrival : now;
        size_t end = first, taken = first, waiting = 0;
        while (end < count && in[end].send->rtime <= now) end++;
        for (size_t i = first; i < end; i++)
            if (in[i].active && in[i].send->rtime == now) taken = i;
        struct reception got = in[taken];
        for (size_t i = taken; i > first; i--) in[i] = in[i - 1];
        got.send->rtime = (uint32_t)now;
        in[first++] = got;
        waiting = end - first;
        if (waiting > most) most = waiting;
        if (now > *last) *last = (uint32_t)now;
        now += step;
    }
    return most;
}

// Gives every message its time of reception. Returns 0, 1 where more than one message waits or the last comes late, or
// CRL_ERR_MEMORY.
static int receive_all(struct crl_logp_schedule *schedule, const struct crl_logp_blocks *b, uint32_t step)
{
    struct reception *in = malloc(sizeof *in * (schedule->count + 1));
    uint32_t on_time = 0, last = 0;
    size_t most = 0;
    if (!in) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < schedule->count; i++) {
        in[i] = (struct reception){&schedule->sends[i], b->children[i % b->nodes] > 0};
        if (in[i].send->rtime > on_time) on_time = in[i].send->rtime;
    }
    qsort(in, schedule->count, sizeof *in, by_receiver);
    for (size_t at = 0, end; at < schedule->count; at = end) {
        for (end = at; end < schedule->count && in[end].send->dst == in[at].send->dst;) end++;
        size_t waiting = receive(in + at, end - at, step, &last);
        if (waiting > most) most = waiting;
    }
    free(in);
    return most > 1 || last > on_time;
}

int crl_plan_logp_buffered(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    struct crl_logp_steps steps;
    if (crl_logp_steps(&steps, p, last_send) == UINT64_MAX) return crl_fail_memory(diag);
    schedule->buffered = true;
    for (uint64_t variant = 0; variant < VARIANTS; variant++) {
        struct crl_logp_blocks blocks;
        schedule->count = 0;
        int error = crl_logp_blocks_find(&blocks, &steps.postal, false, variant, diag), again = 0;
        if (!error) emit(schedule, p, &blocks, steps.step, diag);
        if (!error) error = schedule->error;
        if (!error) again = receive_all(schedule, &blocks, (uint32_t)steps.step);
        crl_logp_blocks_done(&blocks);
        if (error || !again) return error;
        if (again < 0) return crl_fail_memory(diag);
    }
    return crl_fail(diag, CRL_ERR_UNSUPPORTED, "found no schedule in which at most one message waits");
}
