// SPDX-License-Identifier: Apache-2.0
// The network of a proof, what prices it has, and what ways cost.
#include "certify/proof.h"
#include "base/base.h"
#include "base/context.h"
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- the network

static void least(uint32_t *a, uint32_t *b) { *a = *b = *a < *b ? *a : *b; }

// What the last link and those before it that share its cable have in common.
static void share(struct crl_proof *p, struct crl_proof_link *last)
{
    for (struct crl_proof_link *l = p->link; l < last && last->cable != CRL_NONE; l++) {
        if (l->cable != last->cable) continue;
        least(&l->gap, &last->gap);
        least(&l->quickest, &last->quickest);
    }
}

void crl_proof_load(struct crl_proof *p, const struct crl_topology *t, bool turned)
{
    p->links = 0;
    for (uint32_t v = 0; v < p->nodes; v++)
        for (uint32_t port = 0; port < crl_topology_ports(t); port++) {
            uint32_t u = crl_topology_neighbor(t, v, port);
            if (u == CRL_NONE || p->links == crl_topology_links(t)) continue;
            struct crl_proof_link *l = &p->link[p->links++];
            *l = (struct crl_proof_link){turned ? u : v,
                                         turned ? v : u,
                                         crl_topology_latency(t, v, port),
                                         crl_topology_shared_cable(t, v, u),
                                         crl_topology_gap(t, v, crl_topology_port_to(t, v, u)),
                                         crl_topology_latency(t, v, port),
                                         crl_topology_width(t, v, u)};
            share(p, l);
            if (l->latency > p->most_latency) p->most_latency = l->latency;
        }
}

int crl_proof_init(struct crl_proof *p, const struct crl_topology *t)
{
    uint64_t links = crl_topology_links(t) + 1, nodes = p->nodes = crl_topology_nodes(t);
    p->link = malloc(sizeof *p->link * links);
    p->fixed = calloc(links, sizeof *p->fixed);
    p->part = malloc(sizeof *p->part * nodes);
    p->now = malloc(sizeof *p->now * links);
    p->cost = malloc(sizeof *p->cost * nodes);
    p->listed = calloc(nodes, sizeof *p->listed);
    p->forwards = calloc(nodes, sizeof *p->forwards);
    if (!p->forwards || !p->link || !p->fixed || !p->now || !p->part || !p->cost || !p->listed) return CRL_ERR_MEMORY;
    const uint32_t *host = crl_topology_hosts(t, &p->hosts);
    if (host) memset(p->forwards, true, sizeof *p->forwards * nodes);
    else p->hosts = p->nodes;
    for (uint32_t i = 0; host && i < p->hosts; i++) p->forwards[host[i]] = false;
    crl_proof_load(p, t, p->goal->turned);
    p->later = malloc(sizeof *p->later * nodes * (p->most_latency + UINT64_C(1)));
    return p->later ? 0 : CRL_ERR_MEMORY;
}

void crl_proof_done(struct crl_proof *p)
{
    CRL_FREE(p->link, p->rule, p->fixed, p->now, p->part, p->cost, p->later, p->listed, p->forwards);
}

// ---------------------------------------------------------------- prices and what they can take

uint64_t crl_proof_takes(const struct crl_proof *p, const struct crl_proof_link *l, uint64_t slots)
{
    // Round a period as many slots lie between the last packet and the first. Of links side by side each packet and the
    // one as many later do, so that together they may take a packet more.
    bool round = p->endless && (l->beside == 1 || l->cable != CRL_NONE);
    return round ? slots / l->gap : crl_ceil_div(slots, l->gap);
}

// Slots after+1 … T−before in which something can be sent over a link of that latency and arrive by slot T.
static uint64_t room(const struct crl_proof *p, const struct crl_price *price, uint64_t latency)
{
    if (p->endless) return p->c->period; // by whatever slot
    uint64_t end = price->before > latency - 1 ? price->before : latency - 1;
    return crl_less(p->T, crl_plus(end, price->after));
}

// What single-port nodes that a line is about can take: one packet a slot each. In the slots of a window no more can be
// sent to a node than arrive from the window's beginning, over the quickest link, to its end, over the slowest.
static uint64_t single_room(const struct crl_proof *p, const struct crl_price *price, uint32_t node, bool receives)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < p->links; i++) {
        if ((receives ? p->link[i].to : p->link[i].from) != node) continue;
        if (p->link[i].latency < least) least = p->link[i].latency;
        if (p->link[i].latency > most) most = p->link[i].latency;
    }
    if (!most) return 0;
    if (p->endless) return p->c->period;
    return receives ? crl_less(p->T, crl_plus(crl_less(price->before, most - 1), price->after + least - 1))
                    : room(p, price, least);
}

// The cable of the link that a line names; CRL_NONE: it shares none.
static uint32_t cable_of(const struct crl_proof *p, const struct crl_price *price)
{
    uint32_t i = 0;
    while (i < p->links && (p->link[i].from != price->from || p->link[i].to != price->to)) i++;
    return i < p->links ? p->link[i].cable : CRL_NONE;
}

static bool is_about(const struct crl_price *price, uint32_t cable, const struct crl_proof_link *l)
{
    if (price->payer == CRL_PAYS_CABLE) return l->cable == cable && cable != CRL_NONE;
    return (price->from == CRL_NONE || price->from == l->from) && (price->to == CRL_NONE || price->to == l->to);
}

int crl_proof_add(struct crl_proof *p, const struct crl_price *price)
{
    bool shared = price->payer == CRL_PAYS_CABLE, receives = price->payer == CRL_PAYS_RECV, any = false;
    bool nodes = p->c->single && price->payer != CRL_PAYS_LINK && !shared;
    uint32_t cable = shared ? cable_of(p, price) : CRL_NONE;
    uint64_t slots = 0;
    if ((price->from != CRL_NONE && price->from >= p->nodes) || (price->to != CRL_NONE && price->to >= p->nodes))
        return crl_proof_refuse(p, price->line, "the network has no such node");
    for (uint32_t i = 0; i < p->links; i++) {
        const struct crl_proof_link *l = &p->link[i];
        if (!is_about(price, cable, l)) continue;
        any = true;
        uint64_t takes = nodes ? 0 : crl_proof_takes(p, l, room(p, price, shared ? l->quickest : l->latency));
        if (!shared) slots = crl_plus(slots, takes);
        else slots = takes; // as every other of them
        if (!price->after && !price->before) p->fixed[i] = crl_plus(p->fixed[i], price->price);
        else if (CRL_PUSH(p->rule, p->rule_room, p->rules,
                          (struct crl_proof_rule){i, price->price, price->after, price->before}))
            return CRL_ERR_MEMORY;
    }
    if (!any)
        return crl_proof_refuse(p, price->line,
                                shared ? "no link that shares a cable" : "the network has no such link");
    uint32_t node = receives ? price->to : price->from;
    for (uint32_t v = 0; v < p->nodes && nodes; v++)
        if (node == CRL_NONE || node == v) slots = crl_plus(slots, single_room(p, price, v, receives));
    p->windows |= price->after || price->before;
    p->capacity = crl_plus(p->capacity, crl_times(price->price, slots));
    return 0;
}

// ---------------------------------------------------------------- the cheapest way to a node

bool crl_proof_stopped(struct crl_proof *p)
{
    p->stopped = p->stopped || crl_context_cancelled(p->context);
    return p->stopped;
}

// Links are looked at in both orders in turn, until no cost comes down.
static bool is_above(const struct crl_proof *p, const struct crl_proof_link *l)
{
    return l->from > p->below || l->to > p->below;
}

void crl_proof_cheapest(struct crl_proof *p, uint32_t target, bool delays)
{
    bool fell = true;
    for (uint32_t v = 0; v < p->nodes; v++) p->cost[v] = v == target ? 0 : UINT64_MAX;
    for (uint32_t sweep = 0; fell && !crl_proof_stopped(p); sweep++) {
        fell = false;
        for (uint32_t k = 0; k < p->links; k++) {
            uint32_t i = sweep % 2 ? p->links - 1 - k : k;
            if (is_above(p, &p->link[i])) continue;
            uint64_t cost = crl_plus(p->cost[p->link[i].to], delays ? p->link[i].latency : p->fixed[i]);
            if (cost >= p->cost[p->link[i].from]) continue;
            p->cost[p->link[i].from] = cost;
            fell = true;
        }
    }
}

// What links cost in slot t.
static void price_slot(struct crl_proof *p, uint64_t t)
{
    memcpy(p->now, p->fixed, sizeof *p->now * p->links);
    for (size_t i = 0; i < p->rules; i++) {
        const struct crl_proof_rule *r = &p->rule[i];
        if (t > r->after && t <= crl_less(p->T, r->before)) p->now[r->link] = crl_plus(p->now[r->link], r->price);
    }
}

// With windows: slot by slot from the end, waiting free. cost[v] is that of the way from v at the beginning of slot t.
static void cheapest_in_time(struct crl_proof *p, uint32_t target, uint64_t from, uint64_t last)
{
    uint64_t layers = p->most_latency + UINT64_C(1);
    for (uint32_t v = 0; v < p->nodes; v++) p->cost[v] = v == target ? 0 : UINT64_MAX;
    for (uint64_t k = 0; k < layers; k++) memcpy(p->later + k * p->nodes, p->cost, sizeof *p->cost * p->nodes);
    for (uint64_t t = last; t >= from && !crl_proof_stopped(p); t--) {
        price_slot(p, t);
        for (uint32_t i = 0; i < p->links; i++) {
            const struct crl_proof_link *l = &p->link[i];
            if (t + l->latency > last + 1 || is_above(p, l)) continue;
            uint64_t cost = crl_plus(p->later[(t + l->latency) % layers * p->nodes + l->to], p->now[i]);
            if (cost < p->cost[l->from]) p->cost[l->from] = cost;
        }
        memcpy(p->later + t % layers * p->nodes, p->cost, sizeof *p->cost * p->nodes);
    }
}

void crl_proof_ways(struct crl_proof *p, uint32_t target, uint64_t from, uint64_t last)
{
    if (p->windows) {
        cheapest_in_time(p, target, from, last);
        return;
    }
    crl_proof_cheapest(p, target, !p->c->prices);
    for (uint32_t v = 0; v < p->nodes && !p->c->prices; v++)
        p->cost[v] = p->cost[v] > crl_less(last + 1, from) ? UINT64_MAX : 0;
}

// ---------------------------------------------------------------- what is said of it

int crl_proof_refuse(const struct crl_proof *p, uint64_t line, const char *why)
{
    return crl_fail_at(p->diag, CRL_ERR_RULE, p->name, line, line ? 1 : 0, "%s", why);
}

int crl_proof_judge(const struct crl_proof *p, uint64_t due)
{
    if (due > p->capacity) return 0;
    return crl_fail_at(p->diag, CRL_ERR_RULE, p->name, 0, 0,
                       "%llu are due and %llu can be paid in %llu slots: that does not prove %u",
                       (unsigned long long)due, (unsigned long long)p->capacity, (unsigned long long)p->T, p->c->slots);
}
