// SPDX-License-Identifier: Apache-2.0
// Single-port nodes send one packet and receive one packet a slot.
#include "base/base.h"
#include "check/check.h"
#include <stdlib.h>

static uint64_t key_slot_dst(const void *moves, uint32_t i)
{
    const struct crl_move *m = (const struct crl_move *)moves + i;
    return (uint64_t)m->slot << 32 | m->dst;
}

static void one_receive(struct crl_check *check)
{
    const struct crl_schedule *schedule = check->schedule;
    uint32_t count = (uint32_t)schedule->count, *order = malloc(sizeof *order * (count + 1));
    for (uint32_t i = 0; order && i < count; i++) order[i] = i;
    if (!order || crl_sort_order(order, count, key_slot_dst, schedule->moves, UINT64_MAX)) {
        check->sink.out_of_memory = true;
        free(order);
        return;
    }
    char text[96];
    const struct crl_move *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_move *m = &schedule->moves[order[i]];
        if (check->marks[order[i]] & CRL_MOVE_BAD) continue;
        if (last && last->slot == m->slot && last->dst == m->dst && last->src != m->src)
            crl_find(check, CRL_FINDING_RECEIVE_CONFLICT, order[i], "%s, which also receives from node %u",
                     crl_move_text(schedule, m, text), last->src);
        last = m;
    }
    free(order);
}

void crl_rule_port(struct crl_check *check)
{
    const struct crl_schedule *schedule = check->schedule;
    if (check->problem->ports != CRL_PORTS_SINGLE) return;
    char text[96];
    const struct crl_move *last = NULL;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct crl_move *m = &schedule->moves[i];
        if (check->marks[i] & CRL_MOVE_BAD) continue;
        if (last && last->slot == m->slot && last->src == m->src && last->dst != m->dst)
            crl_find(check, CRL_FINDING_SEND_CONFLICT, i, "%s, and also to node %u", crl_move_text(schedule, m, text),
                     last->dst);
        last = m;
    }
    // In a relative schedule every node receives as often as node 0 sends.
    if (!schedule->folded) one_receive(check);
}
