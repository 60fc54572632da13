// SPDX-License-Identifier: Apache-2.0
// Cables: a link takes as many packets as it is wide every `gap` slots, and links that share a cable one together.
#include "base/base.h"
#include "check/check.h"
#include <stdlib.h>

struct cables {
    const struct crl_schedule *schedule;
    uint32_t period; // 0: none
};

// The slot, of the period if there is one.
static uint64_t key_slot(const void *user, uint32_t i)
{
    const struct cables *c = user;
    uint32_t slot = c->schedule->moves[i].slot;
    return c->period ? (slot - 1) % c->period + 1 : slot;
}

// A cable that several links share, or the link.
static uint64_t key_cable(const void *user, uint32_t i)
{
    const struct crl_schedule *s = ((const struct cables *)user)->schedule;
    const struct crl_move *m = &s->moves[i];
    uint32_t cable = crl_topology_shared_cable(s->topology, m->src, m->dst);
    return cable == CRL_NONE ? (uint64_t)m->src << 32 | m->dst : (uint64_t)UINT32_MAX << 32 | cable;
}

// The moves over one cable, by slot; after the last the first comes again, a period later.
static void judge(struct crl_check *check, const struct cables *c, const uint32_t *order, uint32_t count)
{
    const struct crl_schedule *s = check->schedule;
    const struct crl_topology *t = s->topology;
    const struct crl_move *first = &s->moves[order[0]];
    bool shared = crl_topology_shared_cable(t, first->src, first->dst) != CRL_NONE;
    uint32_t room =
        shared || check->problem->ports == CRL_PORTS_SINGLE ? 1 : crl_topology_width(t, first->src, first->dst);
    uint32_t gap = crl_topology_gap(t, first->src, crl_topology_port_to(t, first->src, first->dst));
    char text[CRL_MOVE_TEXT];
    for (uint32_t k = 0; k < count; k++) {
        uint32_t next = k + room;
        if (next >= count && (!c->period || room > count)) break;
        const struct crl_move *m = &s->moves[order[k]], *n = &s->moves[order[next % count]];
        uint64_t slot = key_slot(c, order[next % count]) + (next >= count ? c->period : 0),
                 last = key_slot(c, order[k]);
        bool same = m->src == n->src && m->dst == n->dst && last == slot; // which another rule says
        if (slot < last + gap && !same)
            crl_find(&check->part[0], CRL_FINDING_CABLE_CONFLICT, order[next % count],
                     "%s, but the cable took another packet in slot %u, and takes one every %u slot%s",
                     crl_move_text(s, n, text), m->slot, gap, gap == 1 ? "" : "s");
    }
}

void crl_rule_cable(struct crl_check *check)
{
    const struct crl_schedule *s = check->schedule;
    struct cables c = {s, check->problem->demands ? check->problem->demands->modulo : 0};
    uint32_t count = 0;
    if (!crl_topology_is_cabled(s->topology)) return;
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (s->count + 1));
    for (size_t i = 0; i < s->count && order; i++)
        if (!(check->marks[i] & CRL_MOVE_BAD)) order[count++] = (uint32_t)i;
    bool good = order && !crl_sort_order(order, count, key_slot, &c, UINT32_MAX) &&
                !crl_sort_order(order, count, key_cable, &c, UINT64_MAX);
    check->part[0].sink.out_of_memory |= !good;
    for (uint32_t k = 0, end; k < count && good; k = end) {
        for (end = k; end < count && key_cable(&c, order[end]) == key_cable(&c, order[k]);) end++;
        judge(check, &c, order + k, end - k);
    }
}
