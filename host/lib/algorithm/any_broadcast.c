// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast, whole or partial, on any network, both port models, by list scheduling: slot by slot every link
// takes, of the packets that its end lacks, the one that fewest nodes have. Nothing is promised about the number of
// slots; the summary shows the gap to the bound.
//
// What neighbours lack of each other grows like the front of a wave, the root of the nodes in a square, and how many
// have a packet changes all the time, so no queue would keep its order. In a large network a link looks at a few of the
// packets only, and the work grows like the rows.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { WORD = 64, LARGE = 512, FEW = 16 }; // a network of more than LARGE nodes is large

struct spread {
    const struct crl_topology *topology;
    bool single;
    uint32_t nodes, ports, packets, words, slot;
    uint32_t *before;          // [link] who sends through the port to the node, or CRL_NONE; link: node · ports + port
    uint64_t *has;             // [node · words] a bit for each packet that it had before this slot
    uint64_t *lacks;           // [node · words] and for each that it has not even got in this slot
    uint32_t *holders;         // [packet] how many nodes have it
    uint32_t *taken;           // [sender · ports + port] the packet that it sent in this slot, or CRL_NONE
    uint32_t *sent, *received; // [node] last slot in which it did
    uint64_t missing;
};

// The rarest packet that `from` has and `node` lacks, of those that it looks at: from its own number on, round and
// round. Of equal ones the first.
static uint32_t rarest(const struct spread *s, uint32_t from, uint32_t node)
{
    const uint64_t *has = s->has + (size_t)from * s->words, *lacks = s->lacks + (size_t)node * s->words;
    uint32_t best = CRL_NONE, first = node % s->packets, least = UINT32_MAX;
    uint32_t looks = s->nodes > LARGE ? FEW : UINT32_MAX;
    for (uint32_t i = 0; i <= s->words && looks; i++) {
        uint32_t word = (first / WORD + i) % s->words;
        uint64_t some = has[word] & lacks[word], low = (UINT64_C(1) << first % WORD) - 1;
        if (!i) some &= ~low; // the word in the middle of which it begins comes first and last
        if (i == s->words) some &= low;
        for (; some && looks; some &= some - 1, looks--) {
            uint32_t packet = word * WORD + (uint32_t)__builtin_ctzll(some);
            if (s->holders[packet] >= least) continue;
            least = s->holders[packet];
            best = packet;
        }
    }
    return best;
}

static void fetch(struct spread *s, uint32_t node, uint32_t port)
{
    size_t link = (size_t)node * s->ports + port;
    uint32_t from = s->before[link];
    if (from == CRL_NONE || (s->single && (s->sent[from] == s->slot || s->received[node] == s->slot))) return;
    uint32_t best = rarest(s, from, node);
    if (best == CRL_NONE) return;
    s->lacks[(size_t)node * s->words + best / WORD] &= ~(UINT64_C(1) << best % WORD);
    s->holders[best]++;
    s->missing--;
    s->taken[(size_t)from * s->ports + port] = best;
    s->sent[from] = s->received[node] = s->slot;
}

static int play_slot(struct spread *s, const struct crl_problem *problem, struct crl_schedule *schedule)
{
    int error = 0;
    s->slot++;
    memset(s->taken, 0xff, sizeof *s->taken * s->nodes * s->ports);
    // Ports in the outer loop: nobody takes all its packets before others had a choice.
    for (uint32_t i = 0; i < s->ports; i++)
        for (uint32_t v = 0; v < s->nodes; v++) fetch(s, (v + s->slot) % s->nodes, (i + s->slot) % s->ports);
    for (uint32_t link = 0; link < s->nodes * s->ports && !error; link++) {
        uint32_t packet = s->taken[link], from = link / s->ports;
        if (packet == CRL_NONE) continue;
        uint32_t node = crl_topology_neighbor(s->topology, from, link % s->ports);
        struct crl_move move = {.slot = s->slot, .src = from, .dst = node};
        s->has[(size_t)node * s->words + packet / WORD] |= UINT64_C(1) << packet % WORD;
        crl_problem_packet(problem, packet, &move.origin, &move.dest);
        error = crl_schedule_add(schedule, move);
    }
    return error;
}

static void start(struct spread *s, const struct crl_problem *problem)
{
    for (uint32_t v = 0; v < s->nodes; v++)
        for (uint32_t port = 0; port < s->ports; port++)
            s->before[(size_t)v * s->ports + port] = crl_topology_behind(s->topology, v, port);
    for (size_t i = 0; i < (size_t)s->nodes * s->words; i++) s->lacks[i] = UINT64_MAX;
    for (uint32_t p = 0; p < s->packets; p++) {
        uint32_t origin, part;
        crl_problem_packet(problem, p, &origin, &part);
        s->has[(size_t)origin * s->words + p / WORD] |= UINT64_C(1) << p % WORD;
        s->lacks[(size_t)origin * s->words + p / WORD] &= ~(UINT64_C(1) << p % WORD);
        s->holders[p] = 1;
    }
}

static int spread_new(struct spread *s, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    size_t n = t->nodes, links = n * t->ports;
    *s = (struct spread){.topology = t, .nodes = t->nodes, .ports = t->ports};
    s->single = problem->ports == CRL_PORTS_SINGLE;
    s->packets = (uint32_t)crl_problem_packets(problem);
    s->words = s->packets / WORD + 1;
    s->missing = s->packets * (n - 1);
    s->before = malloc(sizeof *s->before * (links + 1));
    s->taken = malloc(sizeof *s->taken * (links + 1));
    s->has = calloc(n * s->words, sizeof *s->has);
    s->lacks = malloc(sizeof *s->lacks * n * s->words);
    s->holders = malloc(sizeof *s->holders * (s->packets + UINT64_C(1)));
    s->sent = calloc(n, sizeof *s->sent);
    s->received = calloc(n, sizeof *s->received);
    if (!s->before || !s->taken || !s->has || !s->lacks || !s->holders || !s->sent || !s->received)
        return CRL_ERR_MEMORY;
    start(s, problem);
    return 0;
}

static void spread_done(struct spread *s)
{
    uint32_t *arrays[] = {s->before, s->taken, s->holders, s->sent, s->received};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(s->has);
    free(s->lacks);
}

int crl_plan_any_multinode_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                     struct crl_diag *diag)
{
    struct spread s;
    int error = spread_new(&s, problem);
    schedule->folded = false; // every node decides for itself
    while (s.missing && !error) error = play_slot(&s, problem, schedule);
    spread_done(&s);
    return error ? crl_fail_memory(diag) : 0;
}
