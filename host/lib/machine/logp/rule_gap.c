// SPDX-License-Identifier: Apache-2.0
// Sends of a processor start at least max(g, o) apart, and so do its receptions.
#include "machine/logp/check.h"

// Whether b, next after a at the same processor, comes too soon.
static bool too_soon(uint32_t processor_a, uint32_t processor_b, uint32_t a, uint32_t b, uint32_t least)
{
    return processor_a == processor_b && b - a < least;
}

void crl_logp_rule_gap(struct crl_logp_check *check)
{
    const struct crl_logp_send *sends = check->schedule->sends;
    uint32_t least = crl_logp_spacing(&check->problem->machine);
    char text[CRL_MOVE_TEXT];
    for (uint32_t i = 1; i < check->good; i++) {
        const struct crl_logp_send *a = &sends[check->sent[i - 1]], *b = &sends[check->sent[i]];
        if (too_soon(a->src, b->src, a->time, b->time, least))
            crl_logp_find(check, CRL_FINDING_SEND_GAP, check->sent[i], "%s, having sent only %u time units before",
                          crl_logp_send_text(b, text), b->time - a->time);
        a = &sends[check->received[i - 1]], b = &sends[check->received[i]];
        if (too_soon(a->dst, b->dst, a->rtime, b->rtime, least))
            crl_logp_find(check, CRL_FINDING_RECEIVE_GAP, check->received[i],
                          "%s, which received another only %u time units before", crl_logp_send_text(b, text),
                          b->rtime - a->rtime);
    }
}
