// SPDX-License-Identifier: Apache-2.0
// Direct schemes: every node broadcasts its packets itself, along completely unbalanced trees. Tree c crosses the
// dimensions c, c+1, … cyclically; a packet that came through one goes on through all later ones (S93 Sec. II-B, IV).
#include "machine/queue/queue.h"

// The dimensions tree c crosses after its `count` first ones.
static uint16_t after(uint32_t d, uint32_t c, uint32_t count)
{
    uint16_t ports = 0;
    for (uint32_t i = count; i < d; i++) ports |= (uint16_t)(1u << (c + i) % d);
    return ports;
}

// The rows every direct scheme has; own packets leave at once.
static int start(struct crl_queue_tables *t, uint32_t trees, uint32_t classes, uint32_t period, struct crl_diag *diag)
{
    uint32_t d = t->ports;
    t->trees = trees;
    t->classes = classes;
    t->period = period;
    t->tables = 1;
    int error = crl_queue_tables_alloc(t, diag);
    for (uint32_t c = 0; c < trees && !error; c++) {
        struct crl_forward *forward = crl_queue_forward(t, 0, c);
        for (uint32_t i = 0; i < d; i++)
            forward[(c + i) % d] = (struct crl_forward){.take = 1, .deliver = 1, .ports = after(d, c, i + 1)};
        forward[d] = (struct crl_forward){.take = 1, .ports = after(d, c, 0)};
    }
    return error;
}

static int as_soon_as_possible(struct crl_queue_tables *t, uint32_t trees, struct crl_diag *diag)
{
    int error = start(t, trees, 1, 1, diag);
    for (uint32_t p = 0; p < t->ports && !error; p++)
        t->gate[p] = (struct crl_gate){.mode = CRL_GATE_ORDER, .b = CRL_GATE_NO_CLASS};
    return error;
}

int crl_scheme_naive(struct crl_queue_tables *t, const struct crl_context *context, struct crl_diag *diag)
{
    (void)context;
    return as_soon_as_possible(t, 1, diag);
}

int crl_scheme_direct(struct crl_queue_tables *t, const struct crl_context *context, struct crl_diag *diag)
{
    (void)context;
    return as_soon_as_possible(t, t->ports, diag);
}

// A period has 2^d − 1 slots: stage s takes 2^s, and in it port m carries tree m − s, one packet from each of the 2^s
// nodes that differ in dimensions already crossed, in their order; where one is missing the slot stays empty. A class a
// tree. Own packets leave by the tree's first port as stage 0 begins, and from the loop-back queue join the other
// ports.
int crl_scheme_periodic(struct crl_queue_tables *t, const struct crl_context *context, struct crl_diag *diag)
{
    uint32_t d = t->ports, period = t->nodes - 1;
    int error = start(t, d, d, period, diag);
    (void)context;
    if (error) return error;
    t->loops = d > 1;
    for (uint32_t c = 0; c < d; c++) {
        struct crl_forward *forward = crl_queue_forward(t, 0, c);
        for (uint32_t p = 0; p <= d; p++) forward[p].class = forward[p].ports ? (uint8_t)c : 0;
        forward[d].ports = (uint16_t)(1u << c);
        forward[d].loop = d > 1;
        if (d > 1) forward[d + 1] = (struct crl_forward){.take = 1, .ports = after(d, c, 1), .class = (uint8_t)c};
    }
    for (uint32_t s = 0; s < d; s++)
        for (uint32_t i = 0; i < 1u << s; i++) {
            uint32_t row = ((1u << s) + i) % period; // slot 1 is the first of stage 0
            for (uint32_t m = 0; m < d; m++)
                crl_queue_gate(t, 0, row)[m] = (struct crl_gate){.mode = CRL_GATE_POSITION,
                                                                 .a = (uint8_t)((m + d - s) % d),
                                                                 .b = CRL_GATE_NO_CLASS,
                                                                 .position = (uint16_t)i};
        }
    if (d > 1) t->loop_gate[1 % period] = 1;
    return 0;
}
