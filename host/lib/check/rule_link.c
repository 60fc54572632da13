// SPDX-License-Identifier: Apache-2.0
// Links exist, and each carries one packet a slot.
#include "check/check.h"

void crl_rule_link(struct crl_check *check)
{
    const struct crl_schedule *schedule = check->schedule;
    char text[96];
    const struct crl_move *last = NULL;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct crl_move *m = &schedule->moves[i];
        if (check->marks[i] & CRL_MOVE_BAD) continue;
        if (crl_topology_port_to(schedule->topology, m->src, m->dst) == CRL_NONE) {
            crl_find(check, CRL_FINDING_NO_LINK, i, "%s, but there is no such link", crl_move_text(schedule, m, text));
            check->marks[i] |= CRL_MOVE_BAD;
            continue;
        }
        // Canonical order puts users of one link in one slot next to each other.
        if (last && last->slot == m->slot && last->src == m->src && last->dst == m->dst) {
            bool same = last->origin == m->origin && last->dest == m->dest;
            crl_find(check, same ? CRL_FINDING_DUPLICATE_ROW : CRL_FINDING_LINK_CONFLICT, i, "%s, but %s",
                     crl_move_text(schedule, m, text),
                     same ? "an earlier row says so already" : "another packet uses that link");
        }
        last = m;
    }
}
