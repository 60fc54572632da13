// SPDX-License-Identifier: Apache-2.0
// Parallel prefix: nobody sends a sum that it cannot add up from what it has got, its own value included, and in the
// end everybody can add up what it must know. A sum a-b is added up from sums a-c, c+1-d, … and …-b, so that no value
// counts twice: a way from a to b + 1 along the sums that a node holds.
#include "base/base.h"
#include "check/check.h"
#include <stdlib.h>

struct sum {
    uint32_t first, end; // of the nodes, without the end
};

struct node {
    struct sum *held; // by first node
    size_t count, capacity;
};

struct prefix {
    struct crl_part *part;
    const struct crl_check *check;
    uint32_t nodes;
    struct node *node;
    uint32_t *reached; // [nodes + 1] last search that came here
    uint32_t search;
};

static bool adds_up(struct prefix *p, uint32_t v, uint32_t first, uint32_t end)
{
    const struct node *node = &p->node[v];
    bool own = false; // its value has been looked at
    p->reached[first] = ++p->search;
    for (size_t i = 0; i <= node->count; i++) {
        uint32_t at = i < node->count ? node->held[i].first : p->nodes;
        if (at > v && !own) {
            own = true;
            if (p->reached[v] == p->search) p->reached[v + 1] = p->search;
        }
        if (i < node->count && p->reached[at] == p->search) p->reached[node->held[i].end] = p->search;
    }
    return p->reached[end] == p->search;
}

static int keep(struct node *node, struct sum sum)
{
    if (crl_grow((void **)&node->held, &node->capacity, node->count, sizeof *node->held)) return CRL_ERR_MEMORY;
    size_t at = node->count++;
    for (; at > 0 && node->held[at - 1].first > sum.first; at--) node->held[at] = node->held[at - 1];
    node->held[at] = sum;
    return 0;
}

// Marks what is sent too early, to be told from what is never held when all is known.
static void send_range(struct prefix *p, size_t index)
{
    const struct crl_move *m = &p->check->schedule->moves[index];
    if (!adds_up(p, m->src, m->origin, m->dest + 1)) p->check->marks[index] |= CRL_MOVE_KEPT;
    if (m->origin != m->src || m->dest != m->src) p->part->report.buffer_packets = 1; // what it adds up
}

static void receive(struct prefix *p, size_t index)
{
    const struct crl_move *m = &p->check->schedule->moves[index];
    char text[CRL_MOVE_TEXT];
    if (adds_up(p, m->dst, m->origin, m->dest + 1))
        crl_find(p->part, CRL_FINDING_REDUNDANT, index, "%s, which already has it",
                 crl_move_text(p->check->schedule, m, text));
    else if (keep(&p->node[m->dst], (struct sum){m->origin, m->dest + 1})) p->part->sink.out_of_memory = true;
}

static void judge_senders(struct prefix *p)
{
    char text[CRL_MOVE_TEXT];
    for (size_t i = 0; i < p->check->schedule->count; i++) {
        const struct crl_move *m = &p->check->schedule->moves[i];
        if (!(p->check->marks[i] & CRL_MOVE_KEPT)) continue;
        crl_move_text(p->check->schedule, m, text);
        if (adds_up(p, m->src, m->origin, m->dest + 1))
            crl_find(p->part, CRL_FINDING_NOT_YET, i, "%s, but cannot add it up yet", text);
        else crl_find(p->part, CRL_FINDING_NEVER_HELD, i, "%s, but can never add it up", text);
    }
}

static void judge_results(struct prefix *p)
{
    for (uint32_t v = 0; v < p->nodes; v++) {
        if (!adds_up(p, v, 0, v + 1))
            crl_find(p->part, CRL_FINDING_MISSING, SIZE_MAX, "node %s cannot add up the sum 0-%u",
                     CRL_NODE(p->part->check->schedule->topology, v), v);
        if (v + 1 < p->nodes && !adds_up(p, v, 0, p->nodes))
            crl_find(p->part, CRL_FINDING_MISSING, SIZE_MAX, "node %s cannot add up the sum of all, 0-%u",
                     CRL_NODE(p->part->check->schedule->topology, v), p->nodes - 1);
    }
}

void crl_rule_prefix(struct crl_check *check)
{
    const struct crl_schedule *s = check->schedule;
    struct prefix p = {.part = &check->part[0], .check = check, .nodes = crl_topology_nodes(s->topology)};
    p.node = calloc(p.nodes, sizeof *p.node);
    p.reached = calloc(p.nodes + UINT64_C(1), sizeof *p.reached);
    bool good = p.node && p.reached;
    for (size_t at = 0, end; at < s->count && good; at = end) {
        for (end = at; end < s->count && s->moves[end].slot == s->moves[at].slot; end++)
            if (!(check->marks[end] & CRL_MOVE_BAD)) send_range(&p, end);
        for (size_t i = at; i < end; i++)
            if (!(check->marks[i] & CRL_MOVE_BAD)) receive(&p, i);
    }
    if (good) {
        judge_senders(&p);
        judge_results(&p);
    } else {
        p.part->sink.out_of_memory = true;
    }
    for (uint32_t v = 0; p.node && v < p.nodes; v++) free(p.node[v].held);
    CRL_FREE(p.node, p.reached);
}
