// SPDX-License-Identifier: Apache-2.0
// Sends of a processor start at least max(g, o) apart, and so do its receptions.
#include "check/logp_check.h"
#include <stdlib.h>

static uint64_t key_send(const void *sends, uint32_t i)
{
    const struct crl_logp_send *s = (const struct crl_logp_send *)sends + i;
    return (uint64_t)s->src << 32 | s->time;
}

static uint64_t key_reception(const void *sends, uint32_t i)
{
    const struct crl_logp_send *s = (const struct crl_logp_send *)sends + i;
    return (uint64_t)s->dst << 32 | s->rtime;
}

static void look(struct crl_logp_check *check, crl_logp_key_fn *key, enum crl_finding_id id, const char *what)
{
    uint32_t count, *order = crl_logp_order(check, key, UINT64_MAX, &count),
                    least = crl_logp_spacing(&check->problem->machine);
    const struct crl_logp_send *sends = check->schedule->sends;
    char text[96];
    for (uint32_t i = 1; order && i < count; i++) {
        uint64_t before = key(sends, order[i - 1]), now = key(sends, order[i]);
        if (before >> 32 == now >> 32 && now - before < least)
            crl_logp_find(check, id, order[i], "%s, %s only %llu time units before",
                          crl_logp_send_text(&sends[order[i]], text), what, (unsigned long long)(now - before));
    }
    free(order);
}

void crl_logp_rule_gap(struct crl_logp_check *check)
{
    look(check, key_send, CRL_FINDING_SEND_GAP, "which sent");
    look(check, key_reception, CRL_FINDING_RECEIVE_GAP, "which received");
}
