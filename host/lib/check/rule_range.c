// SPDX-License-Identifier: Apache-2.0
// Numbers must be of the topology and of the problem.
#include "check/check.h"

static bool in_range(struct crl_part *part, size_t i)
{
    const struct crl_check *check = part->check;
    const struct crl_schedule *schedule = check->schedule;
    const struct crl_move *m = &schedule->moves[i];
    uint32_t nodes = crl_topology_nodes(schedule->topology);
    char text[CRL_MOVE_TEXT];
    bool good = true;
    crl_move_text(schedule, m, text);
    if (m->slot == 0) {
        crl_find(part, CRL_FINDING_RANGE_SLOT, i, "%s, but slots count from 1", text);
        good = false;
    }
    if (m->src >= nodes || m->dst >= nodes) {
        if (m->src > part->highest_node) part->highest_node = m->src;
        if (m->dst > part->highest_node) part->highest_node = m->dst;
        crl_find(part, CRL_FINDING_RANGE_NODE, i, "%s, but nodes are 0 to %u", text, nodes - 1);
        good = false;
    }
    if (crl_problem_index(check->problem, m->origin, m->dest) == UINT64_MAX) {
        crl_find(part, CRL_FINDING_RANGE_PACKET, i, "%s, but there is no such packet", text);
        good = false;
    }
    if (good && schedule->folded && m->src != 0) {
        crl_find(part, CRL_FINDING_RELATIVE_SRC, i, "%s, but a relative schedule lists node 0 only", text);
        good = false;
    }
    return good;
}

void crl_rule_range(struct crl_part *part, size_t first, size_t end)
{
    const struct crl_check *check = part->check;
    const struct crl_schedule *schedule = check->schedule;
    uint32_t nodes = check->nodes;
    for (size_t i = first; i < end; i++) {
        const struct crl_move *m = &schedule->moves[i];
        // The common case first, without building a text.
        if (m->slot && m->src < nodes && m->dst < nodes && !(schedule->folded && m->src) &&
            crl_check_packet(check, m->origin, m->dest) != UINT64_MAX)
            continue;
        if (!in_range(part, i)) check->marks[i] |= CRL_MOVE_BAD;
    }
}
