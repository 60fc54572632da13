// SPDX-License-Identifier: Apache-2.0
// Single-port multinode broadcast on any network, where there is no Hamiltonian cycle to go round: in every slot as
// many nodes receive something new as can, a matching of senders and receivers in which those that lack most come
// first; each takes what is rarest. Lots from fixed seeds break ties, and the best of many tries is kept.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "base/context.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    WORD = 64,
    STEPS_A_SECOND = 100000000, // links looked at, each with a word of packets
    EFFORT = 2,                 // seconds, unless said,
    TRIES_MAX = 2000            // and schedules: on small networks these come to an end, or never
};

struct spread {
    const struct crl_problem *problem;
    uint32_t nodes, ports, packets, words, slot;
    uint32_t *before;      // [node · ports + port] who sends to the node through the port, or CRL_NONE
    uint64_t *has, *next;  // [node · words] a bit for each packet, at the beginning of the slot and at its end
    uint32_t *copies;      // [packet] nodes that have it
    uint32_t *missing;     // [node] packets that it lacks
    uint32_t *order, *key; // [node] in which they are served
    uint32_t *to;          // [sender] the node that it serves in this slot, or CRL_NONE
    uint32_t *seen, stamp; // [sender] of a search for a path
    uint64_t random, steps;
    struct crl_schedule now;
};

static uint32_t draw(struct spread *s, uint32_t n) { return (uint32_t)(((crl_random(&s->random) >> 32) * n) >> 32); }

bool crl_applies_slotwise_broadcast(const struct crl_problem *problem)
{
    return !crl_applies_hamilton_broadcast(problem);
}

static bool has_news(struct spread *s, uint32_t from, uint32_t node)
{
    const uint64_t *has = s->has + (size_t)from * s->words, *mine = s->has + (size_t)node * s->words;
    uint32_t w = 0;
    while (w < s->words && !(has[w] & ~mine[w])) w++;
    s->steps += w + 1;
    return w < s->words;
}

// Finds the node a sender, by an alternating path; nobody who is served goes without.
static bool serve(struct spread *s, uint32_t node)
{
    uint32_t turn = draw(s, s->ports);
    for (uint32_t i = 0; i < s->ports; i++) {
        uint32_t from = s->before[(size_t)node * s->ports + (turn + i) % s->ports];
        if (from == CRL_NONE || s->seen[from] == s->stamp || !has_news(s, from, node)) continue;
        s->seen[from] = s->stamp;
        if (s->to[from] != CRL_NONE && !serve(s, s->to[from])) continue;
        s->to[from] = node;
        return true;
    }
    return false;
}

// The rarest packet that `from` has and `node` lacks; of equal ones one by lot.
static uint32_t rarest(struct spread *s, uint32_t from, uint32_t node)
{
    const uint64_t *has = s->has + (size_t)from * s->words, *mine = s->has + (size_t)node * s->words;
    uint32_t best = CRL_NONE, least = UINT32_MAX;
    for (uint32_t w = 0; w < s->words; w++)
        for (uint64_t news = has[w] & ~mine[w]; news; news &= news - 1) {
            uint32_t packet = w * WORD + (uint32_t)__builtin_ctzll(news);
            uint32_t key = s->copies[packet] << 8 | (uint32_t)(crl_random(&s->random) & 0xff);
            if (key >= least) continue;
            least = key;
            best = packet;
        }
    return best;
}

static int play_slot(struct spread *s)
{
    int error = 0;
    uint32_t n = s->nodes;
    s->slot++;
    memset(s->to, 0xff, sizeof *s->to * n);
    for (uint32_t v = 0; v < n; v++) s->key[v] = s->missing[v] << 8 | draw(s, 256);
    for (uint32_t i = 1; i < n; i++) { // hardly changes from slot to slot
        uint32_t v = s->order[i], at = i;
        for (; at && s->key[s->order[at - 1]] < s->key[v]; at--) s->order[at] = s->order[at - 1];
        s->order[at] = v;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->stamp++;
        if (s->missing[s->order[i]]) serve(s, s->order[i]);
    }
    for (uint32_t from = 0; from < n && !error; from++) {
        uint32_t node = s->to[from];
        if (node == CRL_NONE) continue;
        uint32_t packet = rarest(s, from, node);
        s->next[(size_t)node * s->words + packet / WORD] |= UINT64_C(1) << packet % WORD;
        s->copies[packet]++;
        s->missing[node]--;
        struct crl_move move = {.slot = s->slot, .src = from, .dst = node};
        crl_problem_packet(s->problem, packet, &move.origin, &move.dest);
        error = crl_schedule_add(&s->now, move);
    }
    memcpy(s->has, s->next, sizeof *s->has * n * s->words);
    return error;
}

static uint32_t most_missing(const struct spread *s)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < s->nodes; v++)
        if (s->missing[v] > most) most = s->missing[v];
    return most;
}

// Gives up where it cannot come to fewer than `end` slots. *slots: what it came to, or `end`.
static int attempt(struct spread *s, uint64_t seed, uint32_t end, uint32_t *slots)
{
    int error = 0;
    s->random = seed;
    s->slot = 0;
    s->now.count = 0;
    memset(s->has, 0, sizeof *s->has * s->nodes * s->words);
    for (uint32_t v = 0; v < s->nodes; v++) {
        s->missing[v] = s->packets;
        s->order[v] = v;
    }
    for (uint32_t packet = 0; packet < s->packets; packet++) {
        uint32_t origin, part;
        crl_problem_packet(s->problem, packet, &origin, &part);
        s->has[(size_t)origin * s->words + packet / WORD] |= UINT64_C(1) << packet % WORD;
        s->copies[packet] = 1;
        s->missing[origin]--;
    }
    memcpy(s->next, s->has, sizeof *s->has * s->nodes * s->words);
    uint32_t most;
    while ((most = most_missing(s)) && s->slot + most < end && !error) error = play_slot(s);
    *slots = most ? end : s->slot;
    return error;
}

static int spread_new(struct spread *s, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    size_t n = crl_topology_nodes(t), ports = crl_topology_ports(t), packets = crl_problem_packets(problem);
    *s = (struct spread){.problem = problem, .nodes = (uint32_t)n, .ports = (uint32_t)ports};
    s->packets = (uint32_t)packets;
    s->words = s->packets / WORD + 1;
    crl_schedule_init(&s->now, t, crl_problem_naming(problem), false);
    s->before = malloc(sizeof *s->before * n * ports);
    s->has = malloc(sizeof *s->has * n * s->words);
    s->next = malloc(sizeof *s->next * n * s->words);
    s->copies = malloc(sizeof *s->copies * packets);
    s->missing = malloc(sizeof *s->missing * n);
    s->order = malloc(sizeof *s->order * n);
    s->key = malloc(sizeof *s->key * n);
    s->to = malloc(sizeof *s->to * n);
    s->seen = calloc(n, sizeof *s->seen);
    if (!s->before || !s->has || !s->next || !s->copies || !s->missing || !s->order || !s->key || !s->to || !s->seen)
        return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t p = 0; p < ports; p++) s->before[v * ports + p] = crl_topology_behind(t, v, p);
    return 0;
}

static void spread_done(struct spread *s)
{
    void *const arrays[] = {s->before, s->has, s->next, s->copies, s->missing, s->order, s->key, s->to, s->seen};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    crl_schedule_done(&s->now);
}

int crl_plan_slotwise_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct spread s;
    uint64_t bound = crl_problem_bound_slots(problem), steps = problem->effort ? problem->effort : EFFORT;
    uint32_t end = UINT32_MAX, slots;
    int error = spread_new(&s, problem);
    schedule->folded = false;
    for (uint64_t seed = 1; end > bound && seed <= TRIES_MAX && !error; seed++) {
        if (seed > 1 && (s.steps >= steps * STEPS_A_SECOND || crl_context_cancelled(problem->context))) break;
        error = attempt(&s, seed, end, &slots);
        if (error || slots >= end) continue;
        end = slots;
        struct crl_schedule swap = *schedule;
        *schedule = s.now;
        s.now = swap;
    }
    spread_done(&s);
    return error ? crl_fail_memory(diag) : 0;
}
