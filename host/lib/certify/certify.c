// SPDX-License-Identifier: Apache-2.0
// The checker of certificates: what each kind of them proves, of which collectives.
#include "base/base.h"
#include "certify/proof.h"
#include <stdlib.h>
#include <string.h>

static const struct crl_goal goals[] = {
    {"broadcast", CRL_SPREAD, true, false, false},      {"multinode-broadcast", CRL_SPREAD, false, false, false},
    {"scatter", CRL_PAIRS, true, false, false},         {"gather", CRL_PAIRS, false, true, false},
    {"total-exchange", CRL_PAIRS, false, false, false}, {"reduce", CRL_SPREAD, true, false, true},
    {"reduce-scatter", CRL_SPREAD, false, false, true}, {"traffic", CRL_DEMANDS, false, false, false},
    {"groups", CRL_DEMANDS, false, false, false},       {"program", CRL_DEMANDS, false, false, false},
    {"all-reduce", CRL_ALL_SUM, false, false, false},   {"scan", CRL_SCAN, false, false, false},
};

static const struct crl_goal *goal_of(const char *collective)
{
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
        if (!strcmp(goals[i].name, collective)) return &goals[i];
    return NULL;
}

bool crl_certificate_knows(const char *collective) { return goal_of(collective); }

// ---------------------------------------------------------------- kinds

static bool starts_at(const struct crl_proof *p, uint32_t v)
{
    return p->goal->from_root ? v == p->c->root : !p->forwards[v];
}

// The cheapest way of the last hop to a node.
static uint64_t cheapest_link_to(const struct crl_proof *p, uint32_t node)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < p->links; i++)
        if (p->link[i].to == node && p->fixed[i] < least) least = p->fixed[i];
    return least;
}

// What every packet, or chunk, pays to enter each of the nodes that are listed.
static int entering(struct crl_proof *p)
{
    uint64_t due = 0;
    if (p->windows) return crl_proof_refuse(p, 0, "several nodes exclude windows");
    for (size_t i = 0; i < p->c->tos; i++) {
        uint64_t packets = p->chunks;
        if (p->goal->what == CRL_SCAN && !p->c->to[i].node) packets = 0; // it wants its own value alone
        if (p->goal->what == CRL_SPREAD)
            packets = (p->goal->from_root ? 1 : p->hosts) - UINT64_C(1) * starts_at(p, p->c->to[i].node);
        due = crl_plus(due, crl_times(crl_times(packets, p->c->parts), cheapest_link_to(p, p->c->to[i].node)));
    }
    return crl_proof_judge(p, due);
}

static int weights(struct crl_proof *p)
{
    if (p->goal->what == CRL_DEMANDS) return crl_proof_demands(p);
    bool pairs = p->goal->what == CRL_PAIRS;
    uint64_t due = 0;
    if (pairs == (p->c->tos > 0))
        return crl_proof_refuse(p, 0,
                                pairs ? "every packet has its own destination: no 'to'" : "a line 'to' is missing");
    if (!pairs && (p->c->tos > 1 || p->goal->what != CRL_SPREAD)) return entering(p);
    for (uint32_t v = 0; v < p->nodes; v++) {
        if (pairs ? p->forwards[v] || (p->goal->to_root && v != p->c->root) : v != p->c->to->node) continue;
        crl_proof_ways(p, v, 1, p->T);
        for (uint32_t u = 0; u < p->nodes; u++)
            if (u != v && starts_at(p, u)) due = crl_plus(due, crl_times(p->cost[u], p->c->parts));
    }
    return crl_proof_judge(p, due);
}

// Each chunk of what one node contributes must reach one that wants it.
static int carrier(struct crl_proof *p)
{
    bool sums = p->goal->what == CRL_ALL_SUM || p->goal->what == CRL_SCAN;
    if (!sums || p->c->tos != 1 || p->c->from >= p->nodes)
        return crl_proof_refuse(p, 0, "a carrier is of sums, from one node to one");
    if (p->c->from == p->c->to->node || (p->goal->what == CRL_SCAN && p->c->from > p->c->to->node))
        return crl_proof_refuse(p, p->c->to->line, "the node does not want what the other contributes");
    if (p->goal->what == CRL_SCAN) p->below = p->c->to->node; // higher ones would add their values
    crl_proof_ways(p, p->c->to->node, 1, p->T);
    return crl_proof_judge(p, crl_times(p->cost[p->c->from], p->chunks));
}

// How many slots pass before a value of another part can leave over a link into a part.
static uint64_t comes_after(struct crl_proof *p, const struct crl_proof_link *link)
{
    uint64_t least = UINT64_MAX;
    if (!p->forwards[link->from]) return 0;
    crl_proof_cheapest(p, link->from, true);
    for (uint32_t v = 0; v < p->nodes; v++)
        if (!p->forwards[v] && p->part[v] != p->part[link->to] && p->cost[v] < least) least = p->cost[v];
    return least;
}

// What links between parts take, set in p->now, less what those take that share a cable with another: only the one
// that takes the most counts.
static uint64_t count_between(const struct crl_proof *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->links; i++) {
        bool counts = true;
        for (uint32_t k = 0; k < p->links && p->link[i].cable != CRL_NONE && counts; k++)
            counts =
                p->link[k].cable != p->link[i].cable || p->now[k] < p->now[i] || (p->now[k] == p->now[i] && k >= i);
        if (counts) sum = crl_plus(sum, p->now[i]);
    }
    return sum;
}

// Parties that all end with a sum need two transmissions a chunk for each but one.
static int partition(struct crl_proof *p)
{
    uint32_t parts = 0, *part = p->part;
    uint64_t least = UINT64_MAX;
    if (p->goal->what != CRL_ALL_SUM || p->windows)
        return crl_proof_refuse(p, 0, "a partition is of an all-reduce, without windows");
    if (crl_topology_switches_add(p->topology)) return crl_proof_refuse(p, 0, "switches that add are in parts, too");
    for (uint32_t v = 0; v < p->nodes; v++) part[v] = CRL_NONE;
    for (size_t i = 0; i < p->c->members; i++) {
        const struct crl_member *m = &p->c->member[i];
        if (m->node >= p->nodes || part[m->node] != CRL_NONE)
            return crl_proof_refuse(p, m->line, "a node that is not there, or in two parts");
        if (p->forwards[m->node]) return crl_proof_refuse(p, m->line, "a node that only forwards is in no part");
        if (!i || m->part != m[-1].part) parts++;
        part[m->node] = parts - 1;
    }
    for (uint32_t v = 0; v < p->nodes; v++)
        if (part[v] == CRL_NONE && !p->forwards[v]) part[v] = parts++;
    for (uint32_t i = 0; i < p->links; i++) {
        const struct crl_proof_link *l = &p->link[i];
        p->now[i] = 0;
        if (part[l->from] == part[l->to] || p->forwards[l->to]) continue;
        p->now[i] = crl_proof_takes(p, l, crl_less(p->T, crl_plus(comes_after(p, l), l->quickest - 1)));
        if (p->fixed[i] < least) least = p->fixed[i];
    }
    if (!p->c->prices) p->capacity = count_between(p), least = 1;
    return crl_proof_judge(p, crl_times(crl_times(crl_times(2, p->chunks), parts - UINT64_C(1)), least));
}

// Single-port. A node that knows tells one other a slot, so of those that are d hops or more away, and within reach,
// as many have been told by slot s as before, and one more for each that is d − 1 hops or more away and had been told a
// latency earlier. (Of a scan the same in reversed time, from the last node, which wants all.) Of a packet in parts the
// root sends the last in slot `parts` at the earliest, which is then told like any other.
static int growth(struct crl_proof *p, const struct crl_topology *t)
{
    bool spread = p->goal->what == CRL_SPREAD && p->goal->from_root, all = p->nodes == 1;
    uint32_t latency = crl_topology_latency_min(t), layers = latency + 1, far = 0;
    uint64_t last = crl_less(p->T, p->c->parts - 1);
    if (!p->c->single || (!spread && p->goal->what != CRL_SCAN) || p->c->prices)
        return crl_proof_refuse(p, 0, "growth is of a single-port broadcast, reduce or scan, without prices");
    if (spread) crl_proof_load(p, t, !p->goal->turned); // so that ways are those from the root
    for (uint32_t i = 0; i < p->links; i++) p->fixed[i] = 1;
    crl_proof_cheapest(p, spread ? p->c->root : p->nodes - 1, false);
    for (uint32_t v = 0; v < p->nodes; v++)
        if (p->cost[v] > far) far = p->cost[v] < p->nodes ? (uint32_t)p->cost[v] : p->nodes;
    uint64_t *beyond = calloc((far + UINT64_C(2)) * (layers + 1), sizeof *beyond), *told = beyond + far + 2;
    if (!beyond) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < p->nodes; v++)
        for (uint32_t d = 0; d <= far && d <= p->cost[v]; d++) beyond[d]++;
    for (uint32_t k = 0; k < layers; k++) told[k * (far + UINT64_C(2))] = 1;
    for (uint64_t s = 1; s + latency - 1 <= last && !all; s++) {
        uint64_t *now = told + s % layers * (far + 2), reach = (s + latency - 1) / latency;
        const uint64_t *before = told + (s - 1) % layers * (far + 2), *senders = told + (s + 1) % layers * (far + 2);
        all = true;
        for (uint32_t d = 0; d <= far; d++) {
            uint64_t most = d > reach ? 0 : beyond[d] - (reach < far ? beyond[reach + 1] : 0);
            uint64_t grown = crl_plus(before[d], senders[d ? d - 1 : 0]);
            now[d] = grown < most ? grown : most;
            all &= now[d] == beyond[d];
        }
    }
    free(beyond);
    return all ? crl_proof_refuse(p, 0, "in fewer slots all can be told") : 0;
}

int crl_certificate_claim(struct crl_claim *claim, const struct crl_certificate *c, const struct crl_topology *t)
{
    const struct crl_goal *g = goal_of(c->collective);
    if (!g || g->what >= CRL_DEMANDS || c->parts > 1 || !c->slots) return CRL_ERR_UNSUPPORTED;
    *claim = (struct crl_claim){t,       g->what == CRL_PAIRS, g->from_root, g->to_root, g->turned, c->single,
                                c->root, c->slots - 1,         NULL};
    return 0;
}

static int sat(const struct crl_proof *p, const struct crl_topology *t)
{
    struct crl_claim claim;
    uint64_t wrong;
    if (crl_certificate_claim(&claim, p->c, t))
        return crl_proof_refuse(p, 0, "a refutation is of packets that are not split");
    if (p->c->prices) return crl_proof_refuse(p, p->c->price->line, "a refutation has no prices");
    claim.context = p->context;
    int error = crl_claim_refuted(&claim, p->c->literal, p->c->literals, &wrong);
    if (error == CRL_ERR_UNSUPPORTED) return crl_proof_refuse(p, 0, "too large a formula, or latencies of links");
    if (error == CRL_ERR_RULE && wrong)
        return crl_fail_at(p->diag, CRL_ERR_RULE, p->name, 0, 0, "clause %llu does not follow from those before it",
                           (unsigned long long)wrong);
    return error == CRL_ERR_RULE ? crl_proof_refuse(p, 0, "what the clauses say is no contradiction") : error;
}

// What lines there may be.
static int check_lines(struct crl_proof *p)
{
    const struct crl_certificate *c = p->c;
    bool sums = p->goal->what >= CRL_ALL_SUM;
    for (size_t i = 0; i < c->tos; i++) {
        const struct crl_member *to = &c->to[i];
        if (to->node >= p->nodes) return crl_proof_refuse(p, to->line, "the network has no such node");
        if (p->forwards[to->node]) return crl_proof_refuse(p, to->line, "a node that wants nothing");
        if (p->listed[to->node]) return crl_proof_refuse(p, to->line, "a node that is listed twice");
        p->listed[to->node] = true;
    }
    if (c->kind != CRL_PARTITION && p->goal->what != CRL_DEMANDS && c->members)
        return crl_proof_refuse(p, c->member->line, "'part' is of a partition");
    if (c->kind != CRL_CARRIER && c->from != CRL_NONE) return crl_proof_refuse(p, 0, "'from' is of a carrier");
    if (c->kind != CRL_CARRIER && c->kind != CRL_WEIGHTS && c->tos)
        return crl_proof_refuse(p, c->to->line, "'to' is of weights and carriers");
    if (c->kind != CRL_SAT && c->literals) return crl_proof_refuse(p, 0, "'clause' is of a refutation");
    bool parts = p->goal->what == CRL_ALL_SUM && !c->prices && c->kind == CRL_PARTITION;
    bool carried = p->goal->what == CRL_ALL_SUM && c->kind == CRL_CARRIER;
    if (p->hosts < p->nodes && (c->kind != CRL_WEIGHTS || sums) && !parts && !carried)
        return crl_proof_refuse(p, 0,
                                "where some nodes only forward: only weights, and of all-reduce only partitions "
                                "without prices and carriers");
    if (c->kind == CRL_CARRIER && c->from < p->nodes && p->forwards[c->from])
        return crl_proof_refuse(p, 0, "a node that has nothing");
    bool rooted = p->goal->from_root || p->goal->to_root;
    return rooted && p->forwards[c->root] ? crl_proof_refuse(p, 0, "the root only forwards") : 0;
}

// Whether it is about these demands.
static int check_demands(struct crl_proof *p)
{
    const struct crl_certificate *c = p->c;
    char hex[65];
    if ((p->goal->what == CRL_DEMANDS) != (*c->demands != 0) || (c->period && !*c->demands))
        return crl_proof_refuse(p, 0, "traffic has demands, and nothing else has");
    if (!*c->demands) return 0;
    if (!p->demands) return crl_proof_refuse(p, 0, "which demands it is about must be said");
    if (crl_demands_hash(p->demands, hex)) return CRL_ERR_MEMORY;
    if (strcmp(hex, c->demands) != 0) return crl_proof_refuse(p, 0, "the certificate is of other demands");
    if (p->demands->modulo && p->demands->modulo != c->period)
        return crl_proof_refuse(p, 0, "the certificate is of another period");
    if (c->kind != CRL_WEIGHTS || p->demands->sums)
        return crl_proof_refuse(p, 0, "of demands there are only weights, and none of sums");
    p->endless = c->period && p->T > c->period;
    return 0;
}

static int check(struct crl_proof *p, const struct crl_topology *t)
{
    int error = check_demands(p);
    for (size_t i = 0; i < p->c->prices && !error; i++) error = crl_proof_add(p, &p->c->price[i]);
    if (!error) error = check_lines(p);
    if (error) return error;
    if (p->endless && p->windows) return crl_proof_refuse(p, 0, "more slots than a period has exclude windows");
    if (p->c->kind == CRL_SAT) return sat(p, t);
    if (p->c->kind == CRL_CARRIER) return carrier(p);
    if (p->c->kind == CRL_PARTITION) return partition(p);
    return p->c->kind == CRL_GROWTH ? growth(p, t) : weights(p);
}

int crl_certificate_check(const struct crl_certificate *c, const struct crl_topology *t,
                          const struct crl_demands *demands, const struct crl_context *context, const char *name,
                          struct crl_diag *diag)
{
    enum { SLOTS_MAX = 1 << 20 }; // where every slot is looked at
    struct crl_proof p = {.c = c,
                          .goal = goal_of(c->collective),
                          .topology = t,
                          .context = context,
                          .name = name,
                          .diag = diag,
                          .below = CRL_NONE};
    bool windows = false;
    p.demands = demands;
    if (!p.goal) return crl_fail_at(diag, CRL_ERR_RULE, name, 0, 0, "no certificates of '%.32s'", c->collective);
    for (size_t i = 0; i < c->prices; i++) windows |= c->price[i].after || c->price[i].before;
    if (c->root >= crl_topology_nodes(t)) return crl_proof_refuse(&p, 0, "the root is not a node of the network");
    if (!c->slots) return crl_proof_refuse(&p, 0, "0 slots are no claim");
    if (!c->parts || (c->parts > 1 && p.goal->what >= CRL_DEMANDS))
        return crl_proof_refuse(&p, 0, "a number of parts that there cannot be");
    if (c->chunks && p.goal->what < CRL_ALL_SUM)
        return crl_proof_refuse(&p, 0, "only an all-reduce and a scan have chunks");
    if (windows && c->slots > SLOTS_MAX) return crl_proof_refuse(&p, 0, "too many slots for windows");
    p.T = c->slots - UINT64_C(1);
    int error = crl_proof_init(&p, t);
    p.chunks = c->chunks ? c->chunks : p.goal->what == CRL_ALL_SUM ? p.hosts : 1;
    if (!error) error = check(&p, t);
    crl_proof_done(&p);
    if (crl_proof_stopped(&p) || error == CRL_ERR_INTERRUPTED)
        return crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted");
    return error == CRL_ERR_MEMORY ? crl_fail_memory(diag) : error;
}
