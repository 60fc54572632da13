// SPDX-License-Identifier: Apache-2.0
// Single-port nodes receive one packet a slot, where links of different latencies make packets that were sent in
// different slots arrive in one.
#include "base/base.h"
#include "check/check.h"
#include <stdlib.h>

static uint64_t key_arrival(const void *user, uint32_t i)
{
    const struct crl_schedule *s = user;
    const struct crl_move *m = &s->moves[i];
    return crl_arrival_slot(s->topology, m->slot, m->src, m->dst);
}

static uint64_t key_dst(const void *user, uint32_t i)
{
    const struct crl_schedule *s = user;
    return s->folded ? 0 : s->moves[i].dst; // what node 0 sends arrives, translated, at node 0
}

void crl_rule_arrivals(struct crl_check *check)
{
    const struct crl_schedule *s = check->schedule;
    struct crl_part *part = &check->part[0];
    uint32_t count = (uint32_t)s->count, *order = malloc(sizeof *order * (count + UINT64_C(1))), last = CRL_NONE;
    char text[CRL_MOVE_TEXT];
    if (check->problem->ports == CRL_PORTS_SINGLE && order) {
        for (uint32_t i = 0; i < count; i++) order[i] = i;
        if (crl_sort_order(order, count, key_dst, s, UINT32_MAX) ||
            crl_sort_order(order, count, key_arrival, s, UINT32_MAX))
            part->sink.out_of_memory = true;
        for (uint32_t k = 0; k < count && !part->sink.out_of_memory; k++) {
            uint32_t i = order[k];
            const struct crl_move *m = &s->moves[i];
            if (check->marks[i] & CRL_MOVE_BAD) continue;
            // What the link has carried twice is found by another rule.
            if (last != CRL_NONE && key_arrival(s, last) == key_arrival(s, i) && key_dst(s, last) == key_dst(s, i) &&
                (s->moves[last].src != m->src || s->moves[last].dst != m->dst))
                crl_find(part, CRL_FINDING_RECEIVE_CONFLICT, i,
                         "%s, which also receives from node %s when that arrives, in slot %llu",
                         crl_move_text(s, m, text), CRL_NODE(s->topology, s->moves[last].src),
                         (unsigned long long)key_arrival(s, i));
            last = i;
        }
    } else if (!order) {
        part->sink.out_of_memory = true;
    }
    free(order);
}
