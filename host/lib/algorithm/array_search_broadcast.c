// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on arrays and graphs, and broadcasts of split packets, by search. No construction is known that
// meets the bound of every array: the corners have few links and must be served over each of them in nearly every slot.
// This met it on all arrays that were tried, and on most graphs.
//
// Slot by slot, each node takes over each of its links a packet that it does not have, all different; since a link has
// one receiver, the nodes do not hinder each other. What is rare in the whole network and around the node is taken
// first, so that neighbours soon have different things to offer. Next come packets that the sender got a short while
// ago, which need not be kept long, and that do not leave it together with others that came over the same link, which
// the router would have to tell apart. How much each counts is drawn by lot from fixed seeds, and the best of several
// schedules is kept.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    SEEDS_MAX = 4000,
    PACKETS_MAX = 1 << 13,      // in parts
    WORK_FOR_SLOTS = 400000000, // packets looked at, times links, before a schedule is taken that misses the bound
    WORK_FOR_BUFFERS = 80000000 // and one that meets it
};

struct links { // into a node
    uint32_t count, from[CRL_PORTS_MAX];
};

struct quality {
    uint32_t slots, conflicts, buffer; // in this order
};

struct search {
    const struct crl_problem *problem;
    uint32_t nodes, packets, words;
    struct links *into;   // [nodes]
    uint32_t *origin;     // [packets]
    uint64_t *has, *next; // [nodes][words] packets at the start of the slot, and at its end
    uint32_t *arrival;    // [nodes][packets] slot in which a node got a packet
    uint32_t *last;       // [nodes][packets] slot in which it sends it last
    uint8_t *lane;        // [nodes][packets] link it came over
    uint32_t *sending;    // [nodes][CRL_PORTS_MAX] packet that came over a link and leaves in this slot
    uint32_t *copies;     // [packets] nodes that have a packet
    uint32_t *missing;    // [nodes] packets that a node lacks
    uint32_t *order;      // [nodes] in which they take their packets
    uint32_t *held;       // [packets + nodes + 2] scratch, by slot
    uint64_t random, work;
    uint32_t near, rare, lot, clash, wait; // how much each counts
    uint32_t slot;
    struct quality quality;
    struct crl_schedule now;
    // Of the node looked at: the best packets over each link, and what it takes.
    uint32_t choices[CRL_PORTS_MAX], choice[CRL_PORTS_MAX][CRL_PORTS_MAX], taken[CRL_PORTS_MAX];
};

static uint32_t draw(struct search *s, uint32_t n) { return (uint32_t)(((crl_random(&s->random) >> 32) * n) >> 32); }

static bool has_bit(const struct search *s, const uint64_t *set, uint32_t node, uint32_t packet)
{
    return set[(size_t)node * s->words + packet / 64] >> packet % 64 & 1;
}

static void set_bit(const struct search *s, uint64_t *set, uint32_t node, uint32_t packet)
{
    set[(size_t)node * s->words + packet / 64] |= UINT64_C(1) << packet % 64;
}

// The other packet, if any, that came over the same link to `from` and leaves in this slot, too.
static uint32_t *sent_from_lane(const struct search *s, uint32_t from, uint32_t packet)
{
    return &s->sending[(size_t)from * CRL_PORTS_MAX + s->lane[(size_t)from * s->packets + packet]];
}

static bool clashes(const struct search *s, uint32_t from, uint32_t packet)
{
    if (s->origin[packet] == from) return false; // its own packet may lie anywhere
    uint32_t other = *sent_from_lane(s, from, packet);
    return other != CRL_NONE && other != packet;
}

// ---- a slot of a node

static uint32_t cost(struct search *s, uint32_t node, uint32_t from, uint32_t packet)
{
    uint32_t around = 0, wait = 0;
    if (s->origin[packet] != from) wait = s->slot - 1 - s->arrival[(size_t)from * s->packets + packet];
    for (uint32_t i = 0; i < s->into[node].count; i++) around += has_bit(s, s->next, s->into[node].from[i], packet);
    return s->near * around + s->rare * s->copies[packet] + s->wait * wait + s->clash * clashes(s, from, packet) +
           draw(s, s->lot);
}

// The best packets for `link` into `node`; as many as the node has links are enough.
static void choose(struct search *s, uint32_t node, uint32_t link)
{
    uint32_t costs[CRL_PORTS_MAX], *choice = s->choice[link], from = s->into[node].from[link], count = 0;
    const uint64_t *has = &s->has[(size_t)from * s->words], *mine = &s->has[(size_t)node * s->words];
    for (uint32_t w = 0; w < s->words; w++)
        for (uint64_t news = has[w] & ~mine[w]; news; news &= news - 1) {
            uint32_t packet = w * 64 + (uint32_t)__builtin_ctzll(news), c = cost(s, node, from, packet);
            s->work += s->into[node].count;
            if (count == s->into[node].count && c >= costs[count - 1]) continue;
            uint32_t at = count < s->into[node].count ? count++ : count - 1;
            for (; at > 0 && costs[at - 1] > c; at--) {
                costs[at] = costs[at - 1];
                choice[at] = choice[at - 1];
            }
            costs[at] = c;
            choice[at] = packet;
        }
    s->choices[link] = count;
}

// Finds a packet for `link`, moving other links to other packets where need be.
static bool augment(struct search *s, uint32_t links, uint32_t link, uint32_t *visited)
{
    for (uint32_t i = 0; i < s->choices[link]; i++) {
        uint32_t packet = s->choice[link][i], other = 0;
        while (other < links && s->taken[other] != packet) other++;
        if (other < links && (*visited >> other & 1)) continue;
        if (other < links) *visited |= UINT32_C(1) << other;
        if (other < links && !augment(s, links, other, visited)) continue;
        s->taken[link] = packet;
        return true;
    }
    return false;
}

static int take(struct search *s, uint32_t node, uint32_t link, uint32_t packet)
{
    uint32_t from = s->into[node].from[link];
    size_t here = (size_t)node * s->packets + packet;
    struct crl_move move = {.slot = s->slot, .src = from, .dst = node};
    s->quality.conflicts += clashes(s, from, packet);
    if (s->origin[packet] != from) *sent_from_lane(s, from, packet) = packet;
    s->last[(size_t)from * s->packets + packet] = s->slot;
    s->arrival[here] = s->slot;
    s->last[here] = 0;
    s->lane[here] = (uint8_t)link;
    s->copies[packet]++;
    s->missing[node]--;
    set_bit(s, s->next, node, packet);
    crl_problem_packet(s->problem, packet, &move.origin, &move.dest);
    return crl_schedule_add(&s->now, move);
}

static int serve(struct search *s, uint32_t node)
{
    uint32_t links = s->into[node].count, first = draw(s, links);
    int error = 0;
    if (!s->missing[node]) return 0;
    for (uint32_t i = 0; i < links; i++) {
        choose(s, node, i);
        s->taken[i] = CRL_NONE;
    }
    for (uint32_t i = 0; i < links; i++) {
        uint32_t link = (first + i) % links, visited = UINT32_C(1) << link;
        augment(s, links, link, &visited);
    }
    for (uint32_t i = 0; i < links && !error; i++)
        if (s->taken[i] != CRL_NONE) error = take(s, node, i, s->taken[i]);
    return error;
}

// ---- a schedule

static void begin(struct search *s, uint64_t seed)
{
    s->random = seed;
    s->near = 1 + (draw(s, 128) >> draw(s, 5));
    s->rare = draw(s, 128) >> draw(s, 7);
    s->lot = 1 + draw(s, 64);
    s->clash = seed % 4 ? 1 << 16 : draw(s, 256);
    s->wait = draw(s, 128) >> draw(s, 7);
    s->now.count = 0;
    s->quality = (struct quality){0};
    memset(s->has, 0, sizeof *s->has * s->nodes * s->words);
    for (uint32_t v = 0; v < s->nodes; v++) {
        s->missing[v] = s->packets;
        s->order[v] = v;
    }
    for (uint32_t packet = 0; packet < s->packets; packet++) {
        set_bit(s, s->has, s->origin[packet], packet);
        s->copies[packet] = 1;
        s->missing[s->origin[packet]]--;
    }
    memcpy(s->next, s->has, sizeof *s->has * s->nodes * s->words);
}

// Most packets that any node holds between slots to send them later.
static uint32_t packets_held(const struct search *s)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < s->nodes; v++) {
        uint32_t held = 0;
        memset(s->held, 0, sizeof *s->held * (s->quality.slots + 1));
        for (uint32_t packet = 0; packet < s->packets; packet++) {
            size_t here = (size_t)v * s->packets + packet;
            if (s->origin[packet] == v || !s->last[here]) continue;
            s->held[s->arrival[here]]++;
            s->held[s->last[here]]--;
        }
        for (uint32_t t = 1; t <= s->quality.slots; t++) {
            held += s->held[t];
            if (held > most) most = held;
        }
    }
    return most;
}

// Serves all nodes, in an order drawn by lot. Returns through *slots how many it takes at least.
static int serve_all(struct search *s, uint32_t *slots)
{
    int error = 0;
    *slots = s->slot;
    s->work += (uint64_t)s->nodes * CRL_PORTS_MAX;
    memset(s->sending, 0xff, sizeof *s->sending * s->nodes * CRL_PORTS_MAX);
    for (uint32_t i = 0; i < s->nodes && !error; i++) {
        uint32_t j = i + draw(s, s->nodes - i), node = s->order[j];
        s->order[j] = s->order[i];
        s->order[i] = node;
        error = serve(s, node);
        uint32_t needed = s->slot + (uint32_t)crl_ceil_div(s->missing[node], s->into[node].count);
        if (needed > *slots) *slots = needed;
    }
    memcpy(s->has, s->next, sizeof *s->has * s->nodes * s->words);
    return error;
}

// One schedule of at most `limit` slots; *found tells whether it came to that.
static int attempt(struct search *s, uint64_t seed, uint32_t limit, bool *found)
{
    int error = 0;
    uint32_t slots = 1;
    begin(s, seed);
    for (s->slot = 1; s->slot <= slots && slots <= limit && !error; s->slot++) error = serve_all(s, &slots);
    *found = !error && slots <= limit;
    s->quality.slots = slots;
    if (*found) s->quality.buffer = packets_held(s);
    return error;
}

static bool better(const struct quality *a, const struct quality *b)
{
    if (a->slots != b->slots) return a->slots < b->slots;
    if (!a->conflicts != !b->conflicts) return !a->conflicts; // a few cost the router as much as many
    return a->buffer < b->buffer;
}

// ---- planning

static int search_new(struct search *s, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint32_t nodes = crl_topology_nodes(t), packets = (uint32_t)crl_problem_packets(problem), part;
    uint32_t words = (packets + 63) / 64;
    size_t pairs = (size_t)nodes * packets;
    *s = (struct search){.problem = problem, .nodes = nodes, .packets = packets, .words = words};
    crl_schedule_init(&s->now, t, crl_problem_naming(problem), false);
    s->origin = calloc(packets, sizeof *s->origin);
    s->into = calloc(nodes, sizeof *s->into);
    s->has = calloc((size_t)nodes * words, sizeof *s->has);
    s->next = calloc((size_t)nodes * words, sizeof *s->next);
    s->arrival = calloc(pairs, sizeof *s->arrival);
    s->last = calloc(pairs, sizeof *s->last);
    s->lane = calloc(pairs, sizeof *s->lane);
    s->sending = calloc((size_t)nodes * CRL_PORTS_MAX, sizeof *s->sending);
    s->copies = calloc(packets, sizeof *s->copies);
    s->missing = calloc(nodes, sizeof *s->missing);
    s->order = calloc(nodes, sizeof *s->order);
    s->held = calloc(packets + nodes + 2, sizeof *s->held);
    if (!s->into || !s->origin || !s->has || !s->next || !s->arrival || !s->last || !s->lane || !s->sending ||
        !s->copies || !s->missing || !s->order || !s->held)
        return CRL_ERR_MEMORY;
    for (uint32_t packet = 0; packet < packets; packet++)
        crl_problem_packet(problem, packet, &s->origin[packet], &part);
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t from = crl_topology_behind(t, v, p);
            if (from != CRL_NONE) s->into[v].from[s->into[v].count++] = from;
        }
    return 0;
}

static void search_done(struct search *s)
{
    void *arrays[] = {s->into, s->origin,  s->has,    s->next,    s->arrival, s->last,
                      s->lane, s->sending, s->copies, s->missing, s->order,   s->held};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    crl_schedule_done(&s->now);
}

int crl_plan_array_search_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                    struct crl_diag *diag)
{
    struct search s;
    struct quality best = {.slots = UINT32_MAX};
    uint64_t bound = crl_problem_bound_slots(problem), work = WORK_FOR_SLOTS;
    int error = search_new(&s, problem);
    for (uint64_t seed = 1; seed <= SEEDS_MAX && !error && (!schedule->count || s.work < work); seed++) {
        bool found;
        error = attempt(&s, seed, best.slots, &found);
        if (error || !found || (schedule->count && !better(&s.quality, &best))) continue;
        best = s.quality;
        work = best.slots <= bound ? WORK_FOR_BUFFERS : WORK_FOR_SLOTS;
        struct crl_schedule swap = *schedule;
        *schedule = s.now;
        s.now = swap;
    }
    search_done(&s);
    return error ? crl_fail_memory(diag) : 0;
}

bool crl_applies_array_search_broadcast(const struct crl_problem *problem)
{
    bool few = problem->parts == 1 || crl_topology_nodes(problem->topology) <= PACKETS_MAX / problem->parts;
    return few && !crl_topology_is_symmetric(problem->topology);
}

bool crl_applies_search_parts(const struct crl_problem *problem)
{
    return problem->parts > 1 && crl_topology_nodes(problem->topology) <= PACKETS_MAX / problem->parts;
}
