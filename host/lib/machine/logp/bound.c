// SPDX-License-Identifier: Apache-2.0
// Lower bounds on the LogP machine.
#include "base/base.h"
#include "machine/logp/problem.h"
#include <stdlib.h>

// Most messages that can start by time j in a broadcast of any number of items from one processor: after x at most one
// a receiver and spacing, up to x what the informed processors can send, the n-th of which knows something at label[n]
// at the earliest. Every x gives a bound; those around the time when senders become as many as receivers are best.
static uint64_t sends_up_to(uint64_t j, uint32_t P, uint64_t spacing, const uint64_t *label)
{
    uint64_t best = (P - 1) * (j / spacing + 1), candidates[] = {j, j};
    if (label[P - 2] && label[P - 2] - 1 < j) candidates[1] = label[P - 2] - 1;
    for (int c = 0; c < 2; c++) {
        uint64_t x = candidates[c], sum = (P - 1) * crl_ceil_div(j - x, spacing);
        for (uint32_t n = 0; n < P && label[n] <= x; n++) sum += (x - label[n]) / spacing + 1;
        if (sum < best) best = sum;
    }
    return best;
}

// K93 Sec. 3.1 by counting messages instead of from k*, which is wrong for few items: every one of P − 1 processors
// receives every item.
static uint64_t bound_items(const struct crl_logp *m, uint64_t items)
{
    uint32_t P = m->P;
    uint64_t spacing = crl_logp_spacing(m), flight = crl_logp_flight(m), *label = malloc(sizeof *label * P);
    uint64_t high = 0, low = 0;
    if (!label || crl_logp_tree(m, P, label, NULL)) {
        free(label);
        return UINT64_MAX;
    }
    while (sends_up_to(high, P, spacing, label) < items * (P - 1)) high = 2 * high + 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sends_up_to(middle, P, spacing, label) < items * (P - 1)) low = middle + 1;
        else high = middle;
    }
    uint64_t bound = flight + low > label[P - 1] ? flight + low : label[P - 1];
    free(label);
    return bound;
}

// Until everybody has an item that processor 0 sends only once.
static uint64_t single_sending(const struct crl_logp *m)
{
    if (m->P == 1) return 0;
    uint64_t rest = crl_logp_broadcast_time(m, m->P - 1);
    return rest == UINT64_MAX ? rest : crl_logp_flight(m) + rest;
}

// An item that processor 0 sends only once takes as long as that. If it sends all of them twice or more, it sends 2k
// messages, of which the last must start, as all of its item, within the delay: (k − 1)g + delay − flight ≥ (2k − 1)g.
uint64_t crl_logp_bound_delay(const struct crl_logp_problem *p)
{
    const struct crl_logp *m = &p->machine;
    uint64_t once = single_sending(m), alone = crl_logp_broadcast_time(m, m->P);
    uint64_t often = crl_logp_flight(m) + (uint64_t)p->items * crl_logp_spacing(m);
    if (once == UINT64_MAX || alone == UINT64_MAX) return UINT64_MAX;
    if (often < alone) often = alone;
    return often < once ? often : once;
}

uint64_t crl_logp_bound_single_sending(const struct crl_logp_problem *p)
{
    uint64_t delay = single_sending(&p->machine);
    if (p->machine.P == 1 || delay == UINT64_MAX) return delay;
    return delay + (uint64_t)(p->items - 1) * crl_logp_spacing(&p->machine);
}

// Everybody receives P − 1 messages, and none can come before the first has flown; each is also busy sending as many,
// which matters where it cannot do both at once.
static uint64_t bound_all_to_all(const struct crl_logp_problem *p)
{
    const struct crl_logp *m = &p->machine;
    if (m->P == 1) return 0;
    uint64_t others = m->P - 1, flow = crl_logp_flight(m) + (others - 1) * crl_logp_spacing(m);
    uint64_t busy = p->full_duplex ? 0 : 2 * others * m->o;
    return flow > busy ? flow : busy;
}

uint64_t crl_logp_bound_slots(const struct crl_logp_problem *p)
{
    const struct crl_logp *m = &p->machine;
    uint64_t one = crl_logp_broadcast_time(m, m->P);
    if (m->P == 1 || one == UINT64_MAX) return m->P == 1 ? 0 : one;
    switch (p->kind) {
    case CRL_LOGP_K_ITEM: return bound_items(m, p->items);
    case CRL_LOGP_CONTINUOUS: {
        uint64_t all = bound_items(m, p->items), last = one + (uint64_t)(p->items - 1) * crl_logp_spacing(m);
        return all > last || all == UINT64_MAX ? all : last;
    }
    case CRL_LOGP_ALL_TO_ALL_BROADCAST:
    case CRL_LOGP_ALL_TO_ALL_PERSONALIZED: return bound_all_to_all(p);
    case CRL_LOGP_SUMMATION: { // the last message must still be added, if it pays to send one
        if (!p->operands && p->time <= UINT64_C(1) + m->L + 3 * (uint64_t)m->o) return 0;
        uint64_t time = p->operands ? crl_logp_time_for(m, p->operands) : p->time;
        uint64_t alone = time == UINT64_MAX ? 0 : time + 1;
        return p->operands && p->operands <= alone ? 0 : time - (time != UINT64_MAX && time);
    }
    default: return one;
    }
}

uint64_t crl_logp_bound_transmissions(const struct crl_logp_problem *p)
{
    uint64_t others = p->machine.P - 1;
    switch (p->kind) {
    case CRL_LOGP_BROADCAST: return others;
    case CRL_LOGP_K_ITEM:
    case CRL_LOGP_CONTINUOUS: return others * p->items;
    case CRL_LOGP_ALL_TO_ALL_BROADCAST:
    case CRL_LOGP_ALL_TO_ALL_PERSONALIZED: return others * p->machine.P;
    default: return CRL_LOGP_UNBOUNDED;
    }
}

// A processor that must have its sum at time S adds S + 1 operands of its own, less o + 1 for every message that it
// receives. The messages are a broadcast tree in reversed time on a machine that needs one unit more for the addition.
static struct crl_logp adding(const struct crl_logp *m)
{
    return (struct crl_logp){m->P, m->L + 1, m->o, m->g > m->o ? m->g : m->o + 1};
}

static uint64_t operands_in(const struct crl_logp *m, uint64_t time, const uint64_t *label)
{
    uint64_t sum = time + 1;
    for (uint32_t n = 1; n < m->P && label[n] + m->o < time; n++) sum += time - label[n] - m->o;
    return sum;
}

uint64_t crl_logp_operands_in(const struct crl_logp *m, uint64_t time)
{
    struct crl_logp reversed = adding(m);
    uint64_t *label = malloc(sizeof *label * m->P), sum = UINT64_MAX;
    if (label && !crl_logp_tree(&reversed, m->P, label, NULL)) sum = operands_in(m, time, label);
    free(label);
    return sum;
}

uint64_t crl_logp_time_for(const struct crl_logp *m, uint64_t operands)
{
    struct crl_logp reversed = adding(m);
    uint64_t *label = malloc(sizeof *label * m->P), low = 0, high = operands ? operands - 1 : 0;
    if (!label || crl_logp_tree(&reversed, m->P, label, NULL)) {
        free(label);
        return UINT64_MAX;
    }
    while (low < high) { // alone, processor 0 needs operands − 1
        uint64_t middle = low + (high - low) / 2;
        if (operands_in(m, middle, label) < operands) low = middle + 1;
        else high = middle;
    }
    free(label);
    return low;
}
