// SPDX-License-Identifier: Apache-2.0
// What nodes generate. Poisson streams of all nodes are drawn as one of 2^d times the rate whose packets fall on a node
// each at random, which is the same thing.
#include "machine/queue/queue.h"
#include "base/random.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>

struct crl_source {
    const struct crl_queue_tables *tables;
    double rate, next; // packets a slot in the whole network; when the next one is generated
    double stall;
    uint64_t state, stall_state, slot;
    uint32_t *sequence;  // [nodes] of the next packet
    uint8_t *handed;     // [nodes] packets handed over in this slot
    uint8_t *stalled;    // [nodes]
    struct crl_own *own; // those of this slot, then …
    size_t handed_over;
    struct crl_own *held;   // … those that wait
    size_t holds, capacity; // of held; own has the same
};

// Uniform in (0, 1].
static double uniform(uint64_t *state) { return (double)((crl_random(state) >> 11) + 1) * 0x1p-53; }

int crl_source_new(struct crl_source **out, const struct crl_queue_tables *t, double rho, double stall, uint64_t seed,
                   struct crl_diag *diag)
{
    struct crl_source *s = *out = calloc(1, sizeof *s);
    if (!s) return crl_fail_memory(diag);
    s->tables = t;
    s->rate = t->blocking ? 0 : rho * t->ports / (t->nodes - 1) * t->nodes;
    s->stall = stall;
    s->state = seed;
    s->stall_state = ~seed;
    s->next = t->blocking ? INFINITY : -log(uniform(&s->state)) / s->rate;
    s->capacity = t->nodes + 64;
    s->sequence = calloc(t->nodes, sizeof *s->sequence);
    s->handed = calloc(t->nodes, 1);
    s->stalled = calloc(t->nodes, 1);
    s->own = calloc(s->capacity, sizeof *s->own);
    s->held = calloc(s->capacity, sizeof *s->held);
    if (!s->sequence || !s->handed || !s->stalled || !s->own || !s->held) return crl_fail_memory(diag);
    return 0;
}

void crl_source_free(struct crl_source *s)
{
    if (!s) return;
    CRL_FREE(s->sequence, s->handed, s->stalled, s->own, s->held, s);
}

static int hold(struct crl_source *s, struct crl_own own)
{
    if (s->holds == s->capacity) {
        size_t capacity = 2 * s->capacity;
        if (CRL_RESIZE(capacity, {&s->held, sizeof *s->held}, {&s->own, sizeof *s->own})) return CRL_ERR_MEMORY;
        s->capacity = capacity;
    }
    s->held[s->holds++] = own;
    return 0;
}

// The packets generated until the end of this slot join those that wait.
static int generate(struct crl_source *s)
{
    const struct crl_queue_tables *t = s->tables;
    int error = 0;
    while (s->next < (double)s->slot && !error) {
        uint64_t x = crl_random(&s->state);
        uint32_t node = (uint32_t)x & (t->nodes - 1), coin = x >> CRL_QUEUE_PORTS_MAX & 1;
        uint32_t tree = (uint32_t)((x >> 32) * t->trees >> 32);
        error = hold(s, (struct crl_own){node, crl_packet_word(tree, coin, node, s->sequence[node]++), s->next});
        s->next -= log(uniform(&s->state)) / s->rate;
    }
    return error;
}

static void offer(struct crl_source *s, bool more)
{
    const struct crl_queue_tables *t = s->tables;
    s->handed_over = 0;
    for (uint32_t v = 0; v < t->nodes; v++) {
        s->stalled[v] = s->stall > 0 && uniform(&s->stall_state) <= s->stall;
        if (!more) continue;
        uint32_t tree = (uint32_t)((s->slot + v) % t->trees);
        s->own[s->handed_over++] =
            (struct crl_own){v, crl_packet_word(tree, 0, v, s->sequence[v]), (double)s->slot - 0.5};
    }
}

int crl_source_slot(struct crl_source *s, bool more, struct crl_stimulus *stimulus)
{
    s->slot++;
    if (s->tables->blocking) {
        offer(s, more);
        *stimulus = (struct crl_stimulus){s->own, s->handed_over, s->stall > 0 ? s->stalled : NULL};
        return 0;
    }
    int error = more ? generate(s) : 0;
    size_t rest = 0;
    s->handed_over = 0;
    for (size_t i = 0; i < s->holds; i++) {
        if (s->handed[s->held[i].node] < CRL_QUEUE_OWN_MAX) {
            s->handed[s->held[i].node]++;
            s->own[s->handed_over++] = s->held[i];
        } else {
            s->held[rest++] = s->held[i];
        }
    }
    s->holds = rest;
    for (size_t i = 0; i < s->handed_over; i++) s->handed[s->own[i].node] = 0;
    *stimulus = (struct crl_stimulus){s->own, s->handed_over, NULL};
    return error;
}

void crl_source_taken(struct crl_source *s, const struct crl_stimulus *stimulus, const uint8_t *taken)
{
    for (size_t i = 0; i < stimulus->count; i++) s->sequence[stimulus->own[i].node] += taken[i];
}

bool crl_source_holds(const struct crl_source *s) { return s->holds; }
