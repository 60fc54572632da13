// SPDX-License-Identifier: Apache-2.0
// Single-port nodes send one packet and receive one packet a slot.
#include "base/base.h"
#include "check/check.h"
#include "schedule/narrow.h"
#include <stdlib.h>
#include <string.h>

static uint64_t key_dst(const void *moves, uint32_t i) { return ((const struct crl_move *)moves)[i].dst; }

// Says which nodes receive twice, in the order of nodes.
static void explain_receive(struct crl_part *part, size_t first, size_t end)
{
    const struct crl_schedule *schedule = part->check->schedule;
    const struct crl_move *moves = &schedule->moves[first], *last = NULL;
    uint32_t count = (uint32_t)(end - first), *order = malloc(sizeof *order * count);
    char text[CRL_MOVE_TEXT];
    for (uint32_t i = 0; order && i < count; i++) order[i] = i;
    if (!order || crl_sort_order(order, count, key_dst, moves, UINT32_MAX)) {
        part->sink.out_of_memory = true;
        free(order);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_move *m = &moves[order[i]];
        if (part->check->marks[first + order[i]] & CRL_MOVE_BAD) continue;
        if (last && last->dst == m->dst && last->src != m->src)
            crl_find(part, CRL_FINDING_RECEIVE_CONFLICT, first + order[i], "%s, which also receives from node %s",
                     crl_move_text(schedule, m, text), CRL_NODE(schedule->topology, last->src));
        last = m;
    }
    free(order);
}

static void make_senders(struct crl_part *part)
{
    size_t bytes = sizeof *part->sender * part->check->nodes;
    if (part->sender) return;
    part->sender = malloc(bytes);
    if (part->sender) memset(part->sender, 0xff, bytes);
    else part->sink.out_of_memory = true;
}

static void one_receive(struct crl_part *part, size_t first, size_t end)
{
    const struct crl_schedule *schedule = part->check->schedule;
    make_senders(part);
    bool twice = false;
    for (size_t i = first; part->sender && i < end; i++) {
        const struct crl_move *m = &schedule->moves[i];
        if (part->check->marks[i] & CRL_MOVE_BAD) continue;
        uint32_t *sender = &part->sender[m->dst];
        twice |= *sender != CRL_NONE && *sender != m->src;
        *sender = m->src;
    }
    for (size_t i = first; part->sender && i < end; i++)
        if (!(part->check->marks[i] & CRL_MOVE_BAD)) part->sender[schedule->moves[i].dst] = CRL_NONE;
    if (twice) explain_receive(part, first, end);
}

void crl_rule_port(struct crl_part *part, size_t first, size_t end)
{
    const struct crl_check *check = part->check;
    const struct crl_schedule *schedule = check->schedule;
    if (check->problem->ports != CRL_PORTS_SINGLE) return;
    char text[CRL_MOVE_TEXT];
    const struct crl_move *last = NULL;
    for (size_t i = first; i < end; i++) {
        const struct crl_move *m = &schedule->moves[i];
        if (check->marks[i] & CRL_MOVE_BAD) continue;
        if (last && last->src == m->src && last->dst != m->dst)
            crl_find(part, CRL_FINDING_SEND_CONFLICT, i, "%s, and also to node %s", crl_move_text(schedule, m, text),
                     CRL_NODE(schedule->topology, last->dst));
        last = m;
    }
    // In a folded schedule every node receives as often as node 0 sends.
    if (!schedule->folded && !check->apart) one_receive(part, first, end);
}

void crl_rule_port_narrow(struct crl_part *part, size_t first, size_t end)
{
    const struct crl_schedule *s = part->check->schedule;
    const struct crl_narrow *n = s->narrow;
    if (part->check->problem->ports != CRL_PORTS_SINGLE) return;
    make_senders(part);
    for (size_t k = first; k < end && part->sender; k++)
        for (uint32_t i = s->slot_start[k]; i < s->slot_start[k + 1]; i++) {
            // The slot in which a node received last stands for who sent then.
            uint32_t *last = &part->sender[crl_narrow_dst(n, n->row[i])];
            bool sends = i > s->slot_start[k] && crl_narrow_src(n, n->row[i - 1]) == crl_narrow_src(n, n->row[i]);
            part->unclear |= sends || *last == n->slot[k];
            *last = n->slot[k];
        }
}
