// SPDX-License-Identifier: Apache-2.0
// The checker of certificates. It assumes that there is a schedule of T = slots − 1 slots and shows that what its
// packets must pay is more than all that its links and nodes could take. All sums saturate: a sum of prices that does
// not fit is larger than any that does, and a capacity that does not fit is never exceeded.
#include "certify/certify.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static uint64_t times(uint64_t a, uint64_t b) { return a && b > UINT64_MAX / a ? UINT64_MAX : a * b; }
static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// ---------------------------------------------------------------- what must be done

// What a collective asks for. Turned: in reversed time it is `what` on the network with all links turned round.
enum what { PAIRS, SPREAD, ALL_SUM, SCAN };
struct goal {
    const char *name;
    enum what what;
    bool from_root, to_root, turned;
};
static const struct goal goals[] = {
    {"broadcast", SPREAD, true, false, false},
    {"multinode-broadcast", SPREAD, false, false, false},
    {"scatter", PAIRS, true, false, false},
    {"gather", PAIRS, false, true, false},
    {"total-exchange", PAIRS, false, false, false},
    {"reduce", SPREAD, true, false, true},
    {"reduce-scatter", SPREAD, false, false, true},
    {"all-reduce", ALL_SUM, false, false, false},
    {"scan", SCAN, false, false, false},
};

static const struct goal *goal_of(const char *collective)
{
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
        if (!strcmp(goals[i].name, collective)) return &goals[i];
    return NULL;
}

bool crl_certificate_knows(const char *collective) { return goal_of(collective); }

struct link {
    uint32_t from, to, latency;
};
// A price on one link.
struct rule {
    uint32_t link, price, after, before;
};
struct proof {
    const struct crl_certificate *c;
    const struct goal *goal;
    const char *name;
    struct crl_diag *diag;
    uint64_t T; // that is refuted
    uint32_t nodes, links, most_latency, hosts;
    bool *forwards; // [nodes] who has and wants no packets
    struct link *link;
    struct rule *rule;
    size_t rules, rule_room;
    uint64_t *fixed; // [links] what a link costs in every slot
    bool windows;
    uint64_t chunks, capacity; // capacity: what all lines together can take in T slots
    uint64_t *cost;            // [nodes] of the cheapest way to the target; UINT64_MAX: none in time
    uint64_t *later;           // [(most_latency + 1) · nodes] of the same in the slots that follow
    uint32_t *part;            // [nodes] of a partition
    bool *listed;              // [nodes] behind 'to'
};

static int refuse(const struct proof *p, uint64_t line, const char *why)
{
    return crl_fail_at(p->diag, CRL_ERR_RULE, p->name, line, line ? 1 : 0, "%s", why);
}

// ---------------------------------------------------------------- the network

static void load(struct proof *p, const struct crl_topology *t, bool turned)
{
    p->links = 0;
    for (uint32_t v = 0; v < p->nodes; v++)
        for (uint32_t port = 0; port < crl_topology_ports(t); port++) {
            uint32_t u = crl_topology_neighbor(t, v, port);
            if (u == CRL_NONE || p->links == crl_topology_links(t)) continue;
            struct link *l = &p->link[p->links++];
            *l = (struct link){turned ? u : v, turned ? v : u, crl_topology_latency(t, v, port)};
            if (l->latency > p->most_latency) p->most_latency = l->latency;
        }
}

static int proof_init(struct proof *p, const struct crl_topology *t)
{
    uint64_t links = crl_topology_links(t) + 1, nodes = p->nodes = crl_topology_nodes(t);
    p->link = malloc(sizeof *p->link * links);
    p->fixed = calloc(links, sizeof *p->fixed);
    p->part = malloc(sizeof *p->part * nodes);
    p->cost = malloc(sizeof *p->cost * nodes);
    p->listed = calloc(nodes, sizeof *p->listed);
    p->forwards = calloc(nodes, sizeof *p->forwards);
    if (!p->forwards || !p->link || !p->fixed || !p->part || !p->cost || !p->listed) return CRL_ERR_MEMORY;
    const uint32_t *host = crl_topology_hosts(t, &p->hosts);
    if (host) memset(p->forwards, true, sizeof *p->forwards * nodes);
    else p->hosts = p->nodes;
    for (uint32_t i = 0; host && i < p->hosts; i++) p->forwards[host[i]] = false;
    load(p, t, p->goal->turned);
    p->later = malloc(sizeof *p->later * nodes * (p->most_latency + UINT64_C(1)));
    return p->later ? 0 : CRL_ERR_MEMORY;
}

static void proof_done(struct proof *p)
{
    free(p->link);
    free(p->rule);
    free(p->fixed);
    free(p->part);
    free(p->cost);
    free(p->later);
    free(p->listed);
    free(p->forwards);
}

// ---------------------------------------------------------------- prices and what they can take

// Slots after+1 … T−before in which something can be sent over a link of that latency and arrive by slot T.
static uint64_t room(const struct proof *p, const struct crl_price *price, uint64_t latency)
{
    uint64_t end = price->before > latency - 1 ? price->before : latency - 1;
    return less(p->T, plus(end, price->after));
}

// What single-port nodes that a line is about can take: one packet a slot each. In the slots of a window no more can be
// sent to a node than arrive from the window's beginning, over the quickest link, to its end, over the slowest.
static uint64_t single_room(const struct proof *p, const struct crl_price *price, uint32_t node, bool receives)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < p->links; i++) {
        if ((receives ? p->link[i].to : p->link[i].from) != node) continue;
        if (p->link[i].latency < least) least = p->link[i].latency;
        if (p->link[i].latency > most) most = p->link[i].latency;
    }
    if (!most) return 0;
    return receives ? less(p->T, plus(less(price->before, most - 1), price->after + least - 1)) : room(p, price, least);
}

// Adds a line to the prices of the links that it is about, and to the capacity what these can take.
static int add_price(struct proof *p, const struct crl_price *price)
{
    bool nodes = p->c->single && price->payer != CRL_PAYS_LINK, receives = price->payer == CRL_PAYS_RECV, any = false;
    uint64_t slots = 0;
    if ((price->from != CRL_NONE && price->from >= p->nodes) || (price->to != CRL_NONE && price->to >= p->nodes))
        return refuse(p, price->line, "the network has no such node");
    for (uint32_t i = 0; i < p->links; i++) {
        const struct link *l = &p->link[i];
        if ((price->from != CRL_NONE && price->from != l->from) || (price->to != CRL_NONE && price->to != l->to))
            continue;
        any = true;
        if (!nodes) slots = plus(slots, room(p, price, l->latency));
        if (!price->after && !price->before) p->fixed[i] = plus(p->fixed[i], price->price);
        else if (crl_grow((void **)&p->rule, &p->rule_room, p->rules, sizeof *p->rule)) return CRL_ERR_MEMORY;
        else p->rule[p->rules++] = (struct rule){i, price->price, price->after, price->before};
    }
    if (!any) return refuse(p, price->line, "the network has no such link");
    uint32_t node = receives ? price->to : price->from;
    for (uint32_t v = 0; v < p->nodes && nodes; v++)
        if (node == CRL_NONE || node == v) slots = plus(slots, single_room(p, price, v, receives));
    p->windows |= price->after || price->before;
    p->capacity = plus(p->capacity, times(price->price, slots));
    return 0;
}

// ---------------------------------------------------------------- the cheapest way to a node

// Without windows: at whatever time. Links are looked at in both orders in turn, until no cost comes down.
static void cheapest(struct proof *p, uint32_t target, bool delays)
{
    bool fell = true;
    for (uint32_t v = 0; v < p->nodes; v++) p->cost[v] = v == target ? 0 : UINT64_MAX;
    for (uint32_t sweep = 0; fell; sweep++) {
        fell = false;
        for (uint32_t k = 0; k < p->links; k++) {
            uint32_t i = sweep % 2 ? p->links - 1 - k : k;
            uint64_t cost = plus(p->cost[p->link[i].to], delays ? p->link[i].latency : p->fixed[i]);
            if (cost >= p->cost[p->link[i].from]) continue;
            p->cost[p->link[i].from] = cost;
            fell = true;
        }
    }
}

// With windows: slot by slot from the end, waiting free. cost[v] is that of the way from v at the beginning of slot t.
static void cheapest_in_time(struct proof *p, uint32_t target)
{
    uint64_t layers = p->most_latency + UINT64_C(1);
    for (uint32_t v = 0; v < p->nodes; v++) p->cost[v] = v == target ? 0 : UINT64_MAX;
    for (uint64_t k = 0; k < layers; k++) memcpy(p->later + k * p->nodes, p->cost, sizeof *p->cost * p->nodes);
    for (uint64_t t = p->T; t > 0; t--) {
        for (size_t i = 0; i < p->rules; i++) {
            const struct rule *r = &p->rule[i];
            uint64_t last = less(p->T, r->before);
            if (last <= r->after) continue; // no slot at all
            if (t == last) p->fixed[r->link] = plus(p->fixed[r->link], r->price);
            if (t == r->after) p->fixed[r->link] -= r->price;
        }
        for (uint32_t i = 0; i < p->links; i++) {
            const struct link *l = &p->link[i];
            if (t + l->latency > p->T + 1) continue;
            uint64_t cost = plus(p->later[(t + l->latency) % layers * p->nodes + l->to], p->fixed[i]);
            if (cost < p->cost[l->from]) p->cost[l->from] = cost;
        }
        memcpy(p->later + t % layers * p->nodes, p->cost, sizeof *p->cost * p->nodes);
    }
    for (size_t i = 0; i < p->rules; i++) // those that last from slot 1 on
        if (!p->rule[i].after && p->T > p->rule[i].before) p->fixed[p->rule[i].link] -= p->rule[i].price;
}

// Sets cost[v] to what a packet from v pays at least on its way to the target; UINT64_MAX where it comes too late.
static void ways_to(struct proof *p, uint32_t target)
{
    if (p->windows) {
        cheapest_in_time(p, target);
        return;
    }
    cheapest(p, target, !p->c->prices);
    for (uint32_t v = 0; v < p->nodes && !p->c->prices; v++) p->cost[v] = p->cost[v] > p->T ? UINT64_MAX : 0;
}

// ---------------------------------------------------------------- kinds

static int judge(const struct proof *p, uint64_t due)
{
    if (due > p->capacity) return 0;
    return crl_fail_at(p->diag, CRL_ERR_RULE, p->name, 0, 0,
                       "%llu are due and %llu can be paid in %llu slots: that does not prove %u",
                       (unsigned long long)due, (unsigned long long)p->capacity, (unsigned long long)p->T, p->c->slots);
}

static bool starts_at(const struct proof *p, uint32_t v)
{
    return p->goal->from_root ? v == p->c->root : !p->forwards[v];
}

// The cheapest way of the last hop to a node.
static uint64_t cheapest_link_to(const struct proof *p, uint32_t node)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < p->links; i++)
        if (p->link[i].to == node && p->fixed[i] < least) least = p->fixed[i];
    return least;
}

// What every packet, or chunk, pays to enter each of the nodes that are listed.
static int entering(struct proof *p)
{
    uint64_t due = 0;
    if (p->windows) return refuse(p, 0, "several nodes exclude windows");
    for (size_t i = 0; i < p->c->tos; i++) {
        uint64_t packets = p->chunks;
        if (p->goal->what == SCAN && !p->c->to[i].node) packets = 0; // it wants its own value alone
        if (p->goal->what == SPREAD)
            packets = (p->goal->from_root ? 1 : p->hosts) - UINT64_C(1) * starts_at(p, p->c->to[i].node);
        due = plus(due, times(times(packets, p->c->parts), cheapest_link_to(p, p->c->to[i].node)));
    }
    return judge(p, due);
}

static int weights(struct proof *p)
{
    bool pairs = p->goal->what == PAIRS;
    uint64_t due = 0;
    if (pairs == (p->c->tos > 0))
        return refuse(p, 0, pairs ? "every packet has its own destination: no 'to'" : "a line 'to' is missing");
    if (!pairs && (p->c->tos > 1 || p->goal->what != SPREAD)) return entering(p);
    for (uint32_t v = 0; v < p->nodes; v++) {
        if (pairs ? p->forwards[v] || (p->goal->to_root && v != p->c->root) : v != p->c->to->node) continue;
        ways_to(p, v);
        for (uint32_t u = 0; u < p->nodes; u++)
            if (u != v && starts_at(p, u)) due = plus(due, times(p->cost[u], p->c->parts));
    }
    return judge(p, due);
}

// Each chunk of what one node contributes must reach one that wants it.
static int carrier(struct proof *p)
{
    bool sums = p->goal->what == ALL_SUM || p->goal->what == SCAN;
    if (!sums || p->c->tos != 1 || p->c->from >= p->nodes)
        return refuse(p, 0, "a carrier is of sums, from one node to one");
    if (p->c->from == p->c->to->node || (p->goal->what == SCAN && p->c->from > p->c->to->node))
        return refuse(p, p->c->to->line, "the node does not want what the other contributes");
    ways_to(p, p->c->to->node);
    return judge(p, times(p->cost[p->c->from], p->chunks));
}

// Parties that all end with a sum need two transmissions a chunk for each but one.
static int partition(struct proof *p)
{
    uint32_t parts = 0, *part = p->part;
    uint64_t least = UINT64_MAX, slots = 0;
    if (p->goal->what != ALL_SUM || p->windows) return refuse(p, 0, "a partition is of an all-reduce, without windows");
    for (uint32_t v = 0; v < p->nodes; v++) part[v] = CRL_NONE;
    for (size_t i = 0; i < p->c->members; i++) {
        const struct crl_member *m = &p->c->member[i];
        if (m->node >= p->nodes || part[m->node] != CRL_NONE)
            return refuse(p, m->line, "a node that is not there, or in two parts");
        if (!i || m->part != m[-1].part) parts++;
        part[m->node] = parts - 1;
    }
    for (uint32_t v = 0; v < p->nodes; v++)
        if (part[v] == CRL_NONE) part[v] = parts++;
    for (uint32_t i = 0; i < p->links; i++) {
        if (part[p->link[i].from] == part[p->link[i].to]) continue;
        slots = plus(slots, less(p->T, p->link[i].latency - 1));
        if (p->fixed[i] < least) least = p->fixed[i];
    }
    if (!p->c->prices) p->capacity = slots, least = 1;
    return judge(p, times(times(times(2, p->chunks), parts - UINT64_C(1)), least));
}

// Single-port. A node that knows tells one other a slot, so of those that are d hops or more away, and within reach,
// as many have been told by slot s as before, and one more for each that is d − 1 hops or more away and had been told a
// latency earlier. (Of a scan the same in reversed time, from the last node, which wants all.)
static int growth(struct proof *p, const struct crl_topology *t)
{
    bool spread = p->goal->what == SPREAD && p->goal->from_root, all = false;
    uint32_t latency = crl_topology_latency_min(t), layers = latency + 1, far = 0;
    if (!p->c->single || (!spread && p->goal->what != SCAN) || p->c->prices)
        return refuse(p, 0, "growth is of a single-port broadcast, reduce or scan, without prices");
    if (spread) load(p, t, !p->goal->turned); // so that ways are those from the root
    for (uint32_t i = 0; i < p->links; i++) p->fixed[i] = 1;
    cheapest(p, spread ? p->c->root : p->nodes - 1, false);
    for (uint32_t v = 0; v < p->nodes; v++)
        if (p->cost[v] > far) far = p->cost[v] < p->nodes ? (uint32_t)p->cost[v] : p->nodes;
    uint64_t *beyond = calloc((far + UINT64_C(2)) * (layers + 1), sizeof *beyond), *told = beyond + far + 2;
    if (!beyond) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < p->nodes; v++)
        for (uint32_t d = 0; d <= far && d <= p->cost[v]; d++) beyond[d]++;
    for (uint32_t k = 0; k < layers; k++) told[k * (far + UINT64_C(2))] = 1;
    for (uint64_t s = 1; s + latency - 1 <= p->T && !all; s++) {
        uint64_t *now = told + s % layers * (far + 2), reach = (s + latency - 1) / latency;
        const uint64_t *before = told + (s - 1) % layers * (far + 2), *senders = told + (s + 1) % layers * (far + 2);
        all = true;
        for (uint32_t d = 0; d <= far; d++) {
            uint64_t most = d > reach ? 0 : beyond[d] - (reach < far ? beyond[reach + 1] : 0);
            uint64_t grown = plus(before[d], senders[d ? d - 1 : 0]);
            now[d] = grown < most ? grown : most;
            all &= now[d] == beyond[d];
        }
    }
    free(beyond);
    return all ? refuse(p, 0, "in fewer slots all can be told") : 0;
}

int crl_certificate_claim(struct crl_claim *claim, const struct crl_certificate *c, const struct crl_topology *t)
{
    const struct goal *g = goal_of(c->collective);
    if (!g || g->what >= ALL_SUM || c->parts > 1 || !c->slots) return CRL_ERR_UNSUPPORTED;
    *claim =
        (struct crl_claim){t, g->what == PAIRS, g->from_root, g->to_root, g->turned, c->single, c->root, c->slots - 1};
    return 0;
}

static int sat(const struct proof *p, const struct crl_topology *t)
{
    struct crl_claim claim;
    uint64_t wrong;
    if (crl_certificate_claim(&claim, p->c, t)) return refuse(p, 0, "a refutation is of packets that are not split");
    if (p->c->prices) return refuse(p, p->c->price->line, "a refutation has no prices");
    int error = crl_claim_refuted(&claim, p->c->literal, p->c->literals, &wrong);
    if (error == CRL_ERR_UNSUPPORTED) return refuse(p, 0, "too large a formula, or latencies of links");
    if (error == CRL_ERR_RULE && wrong)
        return crl_fail_at(p->diag, CRL_ERR_RULE, p->name, 0, 0, "clause %llu does not follow from those before it",
                           (unsigned long long)wrong);
    return error == CRL_ERR_RULE ? refuse(p, 0, "what the clauses say is no contradiction") : error;
}

static int check(struct proof *p, const struct crl_topology *t)
{
    int error = 0;
    for (size_t i = 0; i < p->c->prices && !error; i++) error = add_price(p, &p->c->price[i]);
    if (error) return error;
    for (size_t i = 0; i < p->c->tos; i++) {
        if (p->c->to[i].node >= p->nodes) return refuse(p, p->c->to[i].line, "the network has no such node");
        if (p->forwards[p->c->to[i].node]) return refuse(p, p->c->to[i].line, "a node that wants nothing");
        if (p->listed[p->c->to[i].node]) return refuse(p, p->c->to[i].line, "a node that is listed twice");
        p->listed[p->c->to[i].node] = true;
    }
    if (p->c->kind != CRL_PARTITION && p->c->members) return refuse(p, p->c->member->line, "'part' is of a partition");
    if (p->c->kind != CRL_CARRIER && p->c->from != CRL_NONE) return refuse(p, 0, "'from' is of a carrier");
    if (p->c->kind != CRL_CARRIER && p->c->kind != CRL_WEIGHTS && p->c->tos)
        return refuse(p, p->c->to->line, "'to' is of weights and carriers");
    if (p->c->kind != CRL_SAT && p->c->literals) return refuse(p, 0, "'clause' is of a refutation");
    if (p->hosts < p->nodes && (p->c->kind != CRL_WEIGHTS || p->goal->what >= ALL_SUM))
        return refuse(p, 0,
                      "where some nodes only forward: only weights, and of no sums but reduce and reduce-scatter");
    if (p->forwards[p->c->root]) return refuse(p, 0, "the root only forwards");
    if (p->c->kind == CRL_SAT) return sat(p, t);
    if (p->c->kind == CRL_CARRIER) return carrier(p);
    if (p->c->kind == CRL_PARTITION) return partition(p);
    return p->c->kind == CRL_GROWTH ? growth(p, t) : weights(p);
}

int crl_certificate_check(const struct crl_certificate *c, const struct crl_topology *t, const char *name,
                          struct crl_diag *diag)
{
    enum { SLOTS_MAX = 1 << 20 }; // where every slot is looked at
    struct proof p = {.c = c, .goal = goal_of(c->collective), .name = name, .diag = diag};
    bool windows = false;
    if (!p.goal) return crl_fail_at(diag, CRL_ERR_RULE, name, 0, 0, "no certificates of '%.32s'", c->collective);
    for (size_t i = 0; i < c->prices; i++) windows |= c->price[i].after || c->price[i].before;
    if (c->root >= crl_topology_nodes(t)) return refuse(&p, 0, "the root is not a node of the network");
    if (!c->slots) return refuse(&p, 0, "0 slots are no claim");
    if (!c->parts || (c->parts > 1 && p.goal->what >= ALL_SUM))
        return refuse(&p, 0, "a number of parts that there cannot be");
    if (c->chunks && p.goal->what < ALL_SUM) return refuse(&p, 0, "only an all-reduce and a scan have chunks");
    if (windows && c->slots > SLOTS_MAX) return refuse(&p, 0, "too many slots for windows");
    p.T = c->slots - UINT64_C(1);
    p.chunks = c->chunks ? c->chunks : p.goal->what == ALL_SUM ? crl_topology_nodes(t) : 1;
    int error = proof_init(&p, t);
    if (!error) error = check(&p, t);
    proof_done(&p);
    return error == CRL_ERR_MEMORY ? crl_fail_memory(diag) : error;
}
