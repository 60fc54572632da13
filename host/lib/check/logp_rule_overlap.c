// SPDX-License-Identifier: Apache-2.0
// Unless processors are full-duplex, the overhead of a send and that of a reception do not overlap.
#include "check/logp_check.h"
#include "base/base.h"
#include <stdlib.h>

// Both as spans of one list: index 2i is send i at its sender, 2i + 1 at its receiver.
static uint64_t key_span(const void *sends, uint32_t i)
{
    const struct crl_logp_send *s = (const struct crl_logp_send *)sends + i / 2;
    return i & 1 ? (uint64_t)s->dst << 32 | s->rtime : (uint64_t)s->src << 32 | s->time;
}

void crl_logp_rule_overlap(struct crl_logp_check *check)
{
    uint32_t o = check->problem->machine.o, spans = 0;
    const struct crl_logp_schedule *schedule = check->schedule;
    if (!o || check->problem->full_duplex) return;
    uint32_t *order = malloc(sizeof *order * (2 * schedule->count + 1));
    for (size_t i = 0; order && i < schedule->count; i++)
        if (!check->bad[i]) {
            order[spans++] = (uint32_t)(2 * i);
            order[spans++] = (uint32_t)(2 * i + 1);
        }
    if (!order || crl_sort_order(order, spans, key_span, schedule->sends, UINT64_MAX)) {
        check->sink.out_of_memory = true;
        free(order);
        return;
    }
    char text[96];
    // Of each kind the last: one that begins before it ends too early to matter.
    uint64_t last[2] = {UINT64_MAX, UINT64_MAX};
    for (uint32_t i = 0; i < spans; i++) {
        uint64_t key = key_span(schedule->sends, order[i]), other = last[~order[i] & 1];
        last[order[i] & 1] = key;
        if (other == UINT64_MAX || other >> 32 != key >> 32 || key - other >= o) continue;
        crl_logp_find(check, CRL_FINDING_OVERLAP, order[i] / 2, "%s; processor %u is busy %s from %u then",
                      crl_logp_send_text(&schedule->sends[order[i] / 2], text), (uint32_t)(key >> 32),
                      order[i] & 1 ? "sending" : "receiving", (uint32_t)other);
    }
    free(order);
}
