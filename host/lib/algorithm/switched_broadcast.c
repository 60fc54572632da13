// SPDX-License-Identifier: Apache-2.0
// Broadcast and multinode broadcast, whole or partial, where some nodes only forward, both port models: at first every
// node takes what is rare, in every slot as many packets as its links bring; when all hosts have everything, what has
// brought no host anything is taken out. Lots from fixed seeds break ties, and the best of many tries is kept.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "base/context.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    WORD = 64,
    STEPS_A_SECOND = 100000000, // words of packets looked at
    EFFORT = 2,                 // seconds, unless said,
    TRIES_MAX = 2000            // and schedules
};

struct spread {
    const struct crl_problem *problem;
    uint32_t nodes, ports, packets, words, slot;
    bool single;
    uint32_t *before;          // [node · ports + port] who sends to the node through the port, or CRL_NONE
    uint32_t *latency;         // the same of the link
    uint64_t *has, *lacks;     // [node · words] a bit for each packet: it is there; it is not there and not on its way
    uint32_t *copies;          // [packet] nodes that have it, or will
    uint64_t *order;           // [node · ports + port] in which links are served: a lot, and the link
    uint32_t *sent, *received; // [node] last slot in which it did, single-port
    uint64_t missing, random, steps;
    struct crl_schedule now;
};

bool crl_applies_switched(const struct crl_problem *problem) { return problem->hosts; }

static bool has(const uint64_t *bits, const struct spread *s, uint32_t node, uint32_t packet)
{
    return bits[(size_t)node * s->words + packet / WORD] >> packet % WORD & 1;
}

static void flip(uint64_t *bits, const struct spread *s, uint32_t node, uint32_t packet)
{
    bits[(size_t)node * s->words + packet / WORD] ^= UINT64_C(1) << packet % WORD;
}

// The rarest packet that `from` has and `node` lacks; of equal ones one by lot.
static uint32_t rarest(struct spread *s, uint32_t from, uint32_t node)
{
    const uint64_t *there = s->has + (size_t)from * s->words, *lacks = s->lacks + (size_t)node * s->words;
    uint32_t best = CRL_NONE, least = UINT32_MAX;
    s->steps += s->words;
    for (uint32_t w = 0; w < s->words; w++)
        for (uint64_t some = there[w] & lacks[w]; some; some &= some - 1) {
            uint32_t packet = w * WORD + (uint32_t)__builtin_ctzll(some);
            uint32_t key = s->copies[packet] << 8 | (uint32_t)(crl_random(&s->random) & 0xff);
            if (key >= least) continue;
            least = key;
            best = packet;
        }
    return best;
}

static int fetch(struct spread *s, uint32_t link)
{
    uint32_t node = link / s->ports, from = s->before[link], arrival = s->slot + s->latency[link] - 1;
    if (from == CRL_NONE || (s->single && (s->sent[from] == s->slot || s->received[node] >= arrival))) return 0;
    uint32_t packet = rarest(s, from, node);
    if (packet == CRL_NONE) return 0;
    struct crl_move move = {.slot = s->slot, .src = from, .dst = node};
    flip(s->lacks, s, node, packet);
    s->copies[packet]++;
    s->missing -= crl_problem_is_host(s->problem, node);
    s->sent[from] = s->slot;
    s->received[node] = arrival;
    crl_problem_packet(s->problem, packet, &move.origin, &move.dest);
    return crl_schedule_add(&s->now, move);
}

// What arrives at the end of the slot.
static void arrive(struct spread *s)
{
    const struct crl_topology *t = s->problem->topology;
    size_t first = s->now.count;
    uint32_t longest = crl_topology_latency_max(t);
    while (first && s->now.moves[first - 1].slot + longest > s->slot) first--;
    for (; first < s->now.count; first++) {
        const struct crl_move *m = &s->now.moves[first];
        uint32_t packet = (uint32_t)crl_problem_index(s->problem, m->origin, m->dest);
        if (crl_arrival_slot(t, m->slot, m->src, m->dst) == s->slot) flip(s->has, s, m->dst, packet);
    }
}

static int by_lot(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int play_slot(struct spread *s)
{
    uint32_t links = s->nodes * s->ports;
    int error = 0;
    s->slot++;
    for (uint32_t link = 0; link < links; link++) s->order[link] = crl_random(&s->random) >> 32 << 32 | link;
    qsort(s->order, links, sizeof *s->order, by_lot);
    for (uint32_t i = 0; i < links && !error; i++) error = fetch(s, (uint32_t)s->order[i]);
    arrive(s);
    return error;
}

static int attempt(struct spread *s, uint64_t seed, uint32_t end)
{
    int error = 0;
    s->random = seed;
    s->slot = 0;
    s->now.count = 0;
    s->missing = s->packets * (s->problem->host_count - UINT64_C(1));
    memset(s->has, 0, sizeof *s->has * s->nodes * s->words);
    memset(s->lacks, 0xff, sizeof *s->lacks * s->nodes * s->words);
    memset(s->sent, 0, sizeof *s->sent * s->nodes);
    memset(s->received, 0, sizeof *s->received * s->nodes);
    for (uint32_t p = 0; p < s->packets; p++) {
        uint32_t origin, part;
        crl_problem_packet(s->problem, p, &origin, &part);
        flip(s->has, s, origin, p);
        flip(s->lacks, s, origin, p);
        s->copies[p] = 1;
    }
    while (s->missing && s->slot + 1 < end && !error) error = play_slot(s);
    return error;
}

// Takes out, from the last on, what brings no host anything: the moves are then trees whose leaves are hosts.
static void prune(struct spread *s)
{
    struct crl_move *moves = s->now.moves;
    size_t kept = s->now.count;
    memset(s->has, 0, sizeof *s->has * s->nodes * s->words); // now: who passes it on
    for (size_t i = s->now.count; i-- > 0;) {
        uint32_t packet = (uint32_t)crl_problem_index(s->problem, moves[i].origin, moves[i].dest);
        if (!crl_problem_is_host(s->problem, moves[i].dst) && !has(s->has, s, moves[i].dst, packet)) continue;
        if (!has(s->has, s, moves[i].src, packet)) flip(s->has, s, moves[i].src, packet);
        moves[--kept] = moves[i];
    }
    s->now.count -= kept;
    memmove(moves, moves + kept, sizeof *moves * s->now.count);
}

static int spread_new(struct spread *s, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    size_t n = crl_topology_nodes(t), ports = crl_topology_ports(t), links = n * ports;
    *s = (struct spread){.problem = problem, .nodes = (uint32_t)n, .ports = (uint32_t)ports};
    s->single = problem->ports == CRL_PORTS_SINGLE;
    s->packets = (uint32_t)crl_problem_packets(problem);
    s->words = s->packets / WORD + 1;
    crl_schedule_init(&s->now, t, crl_problem_naming(problem), false);
    s->before = malloc(sizeof *s->before * links);
    s->latency = malloc(sizeof *s->latency * links);
    s->has = malloc(sizeof *s->has * n * s->words);
    s->lacks = malloc(sizeof *s->lacks * n * s->words);
    s->copies = malloc(sizeof *s->copies * (s->packets + UINT64_C(1)));
    s->order = malloc(sizeof *s->order * links);
    s->sent = malloc(sizeof *s->sent * n);
    s->received = malloc(sizeof *s->received * n);
    if (!s->before || !s->latency || !s->has || !s->lacks || !s->copies || !s->order || !s->sent || !s->received)
        return CRL_ERR_MEMORY;
    for (uint32_t link = 0; link < links; link++) {
        uint32_t node = link / s->ports, port = link % s->ports, from = crl_topology_behind(t, node, port);
        s->before[link] = from;
        s->latency[link] = from == CRL_NONE ? 1 : crl_topology_latency(t, from, port);
    }
    return 0;
}

static void spread_done(struct spread *s)
{
    void *const arrays[] = {s->before, s->latency, s->has, s->lacks, s->copies, s->order, s->sent, s->received};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    crl_schedule_done(&s->now);
}

int crl_plan_switched_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct spread s;
    uint64_t bound = crl_problem_bound_slots(problem), steps = problem->effort ? problem->effort : EFFORT;
    uint32_t end = UINT32_MAX;
    int error = spread_new(&s, problem);
    schedule->folded = false;
    for (uint64_t seed = 1; end > bound && seed <= TRIES_MAX && !error; seed++) {
        if (seed > 1 && (s.steps >= steps * STEPS_A_SECOND || crl_context_cancelled(problem->context))) break;
        error = attempt(&s, seed, end);
        if (error || s.missing) continue;
        prune(&s);
        uint32_t slots = crl_schedule_slots(&s.now);
        if (slots >= end) continue;
        end = slots;
        struct crl_schedule swap = *schedule;
        *schedule = s.now;
        s.now = swap;
    }
    spread_done(&s);
    return error ? crl_fail_memory(diag) : 0;
}
