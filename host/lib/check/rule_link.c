// SPDX-License-Identifier: Apache-2.0
// Links exist, and each carries as many packets a slot as it is wide; of single-port nodes one.
#include "check/check.h"

// Whether there is a link for a move. Canonical order lets `at` go once through the neighbours of each node: it is
// where the search for the move before has ended.
static bool is_link(const struct crl_check *check, const struct crl_move *m, const struct crl_move *before,
                    uint32_t *at)
{
    const struct crl_topology *t = check->schedule->topology;
    uint32_t ports = crl_topology_ports(t);
    if (!check->neighbors) return crl_topology_port_to(t, m->src, m->dst) != CRL_NONE;
    const uint32_t *neighbor = &check->neighbors[(size_t)m->src * ports];
    if (!before || before->src != m->src) *at = 0;
    while (*at < ports && neighbor[*at] < m->dst) ++*at;
    return *at < ports && neighbor[*at] == m->dst;
}

// Packets that a link carries in a slot.
static uint32_t room(const struct crl_check *check, const struct crl_move *m)
{
    bool single = check->problem->ports == CRL_PORTS_SINGLE;
    return single ? 1 : crl_topology_width(check->schedule->topology, m->src, m->dst);
}

void crl_rule_link(struct crl_part *part, size_t first, size_t end)
{
    const struct crl_check *check = part->check;
    const struct crl_schedule *schedule = check->schedule;
    char text[CRL_MOVE_TEXT];
    uint32_t at = 0;
    const struct crl_move *before = NULL, *last = NULL; // that was looked for; that has a link
    uint32_t users = 0;                                 // of the link of `last`
    for (size_t i = first; i < end; i++) {
        const struct crl_move *m = &schedule->moves[i];
        if (check->marks[i] & CRL_MOVE_BAD) continue;
        bool there = is_link(check, m, before, &at);
        before = m;
        if (!there) {
            crl_find(part, CRL_FINDING_NO_LINK, i, "%s, but there is no such link", crl_move_text(schedule, m, text));
            check->marks[i] |= CRL_MOVE_BAD;
            continue;
        }
        // Canonical order puts users of one link in one slot next to each other.
        bool shares = last && last->src == m->src && last->dst == m->dst;
        bool same = shares && last->origin == m->origin && last->dest == m->dest;
        users = shares ? users + !same : 1;
        if (same)
            crl_find(part, CRL_FINDING_DUPLICATE_ROW, i, "%s, but an earlier row says so already",
                     crl_move_text(schedule, m, text));
        else if (users > 1 && users > room(check, m))
            crl_find(part, CRL_FINDING_LINK_CONFLICT, i, "%s, but %s", crl_move_text(schedule, m, text),
                     room(check, m) > 1 ? "as many packets as it is wide use that link already"
                                        : "another packet uses that link");
        last = m;
    }
}
