// SPDX-License-Identifier: Apache-2.0
// The trace a schedule must produce, from the schedule alone: slot s uses port p in link cycle (s−1)·⌈P/K⌉ + ⌊p/K⌋ + 1.
#include "trace/trace.h"
#include "base/base.h"
#include "base/parallel.h"
#include "trace/busy.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct crl_expected {
    const struct crl_schedule *schedule;
    const struct crl_problem *problem;
    struct crl_geometry geometry;
    uint64_t seed;
    struct crl_permutation payload;
    uint32_t nodes, cycles; // link cycles a round
    uint32_t first, mine;   // nodes that count
    uint64_t plays;         // rounds of all words
    uint32_t period;        // cycles from one to the next
    uint32_t cycle;         // next to play, from 1
    uint64_t play;          // of all words, round by round
    uint32_t word;          // of the packet
    size_t at;              // first move of the current slot
    uint32_t *valid;
    uint64_t *data;
    uint64_t *busy;                 // blocks of nodes
    struct crl_expected_sums *sums; // NULL: packets only pass

    // The first round is written down for the words that follow, if it is not too long. Packets are numbered in the
    // order in which they are first sent; one passes many links, but its word is made once.
    bool keeps;
    uint32_t *known;            // [packets of the problem] 1 + its number, 0: not met yet
    uint32_t packets;           // met
    size_t numbers, words;      // room for the two lists that follow
    uint64_t *number, *word_of; // of each packet met, its first word as payloads are numbered, and the word in play
    uint32_t *sent;             // [nodes][ports] packets on the links
    size_t count, capacity;
    uint32_t *list; // of every node that sends in a cycle: node, mask of ports, packet on each
    size_t *start;  // [cycles + 3] where each cycle begins in the list
};

static uint32_t cycles_per_slot(const struct crl_expected *e)
{
    if (e->problem->ports == CRL_PORTS_SINGLE) return 1;
    return (uint32_t)crl_ceil_div(e->geometry.ports, e->geometry.lanes);
}

int crl_expected_new(struct crl_expected **out, const struct crl_schedule *schedule, const struct crl_problem *problem,
                     const struct crl_geometry *geometry, uint64_t seed, struct crl_diag *diag)
{
    enum { KEPT_MAX = 1 << 23 };
    struct crl_expected *e = *out = calloc(1, sizeof *e);
    if (!e) return crl_fail_memory(diag);
    e->schedule = schedule;
    e->problem = problem;
    e->geometry = *geometry;
    e->nodes = crl_topology_nodes(problem->topology);
    e->mine = crl_share_nodes(problem->context, e->nodes, &e->first);
    e->cycles = crl_schedule_slots(schedule) * cycles_per_slot(e);
    if (geometry->streams && !e->cycles) e->cycles = 1;
    e->cycles += geometry->streams && geometry->combine; // the last arrivals have a row of their own
    e->cycle = 1;
    e->plays = geometry->words;
    e->period = geometry->streams ? e->cycles : e->cycles + 1;
    e->seed = seed;
    e->keeps = (geometry->words > 1 || geometry->streams) && !geometry->combine &&
               crl_schedule_transmissions(schedule) <= KEPT_MAX;
    crl_payload_init(&e->payload, geometry, seed);
    e->valid = calloc(e->nodes, sizeof *e->valid);
    e->data = calloc((size_t)e->nodes * geometry->ports, sizeof *e->data);
    e->busy = calloc(crl_busy_words(e->nodes), sizeof *e->busy);
    if (e->keeps) {
        e->known = calloc(crl_problem_packets(problem) + 1, sizeof *e->known);
        e->sent = malloc(sizeof *e->sent * e->nodes * geometry->ports);
        e->start = calloc(e->cycles + UINT64_C(3), sizeof *e->start);
    }
    int error = e->valid && e->data && e->busy && (!e->keeps || (e->known && e->sent && e->start)) ? 0 : CRL_ERR_MEMORY;
    if (error) crl_fail_memory(diag);
    else if (geometry->combine) error = crl_expected_sums_new(&e->sums, schedule, problem, &e->geometry, diag);
    if (!error) return 0;
    crl_expected_free(e);
    *out = NULL;
    return error;
}

void crl_expected_repeat(struct crl_expected *e, uint32_t rounds, uint32_t period)
{
    e->plays = (uint64_t)e->geometry.words * rounds;
    e->period = period;
}

void crl_expected_free(struct crl_expected *e)
{
    if (!e) return;
    void *const all[] = {e->valid, e->data, e->busy, e->known, e->number, e->word_of, e->sent, e->list, e->start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    crl_expected_sums_free(e->sums);
    free(e);
}

// ---- the first round, or one that is not kept

static int meet(struct crl_expected *e, uint64_t index)
{
    int error = crl_grow((void **)&e->number, &e->numbers, e->packets, sizeof *e->number);
    if (!error) error = crl_grow((void **)&e->word_of, &e->words, e->packets, sizeof *e->word_of);
    if (error) return error;
    e->number[e->packets] = index * e->geometry.words;
    e->known[index] = ++e->packets;
    return 0;
}

static int expect_move(struct crl_expected *e, const struct crl_move *m, uint32_t port, uint32_t by)
{
    uint32_t origin = m->origin, dest = m->dest;
    uint32_t node = e->schedule->folded ? by : m->src; // node 0 translated by a node is that node
    if (e->schedule->folded) crl_packet_shift(e->problem, by, &origin, &dest);
    uint64_t index = crl_problem_index(e->problem, origin, dest);
    size_t link = (size_t)node * e->geometry.ports + port;
    assert(index != UINT64_MAX); // the schedule was checked
    e->valid[node] |= UINT32_C(1) << port;
    crl_busy_set(e->busy, node);
    e->data[link] = crl_permutation_at(&e->payload, index * e->geometry.words + e->word);
    if (!e->keeps) return 0;
    int error = e->known[index] ? 0 : meet(e, index);
    e->sent[link] = e->known[index] - 1;
    return error;
}

// The transmissions of the current cycle.
static int send_all(struct crl_expected *e)
{
    const struct crl_schedule *s = e->schedule;
    uint32_t phases = cycles_per_slot(e), slot = (e->cycle - 1) / phases + 1, phase = (e->cycle - 1) % phases;
    int error = 0;
    if (e->sums) {
        if (!phase) crl_expected_sums_slot(e->sums, &e->payload, e->word, slot);
        crl_expected_sums_send(e->sums, phases > 1 ? phase : CRL_NONE, e->valid, e->data);
        return 0;
    }
    while (e->at < s->count && s->moves[e->at].slot < slot) e->at++;
    for (size_t i = e->at; i < s->count && s->moves[i].slot == slot; i++) {
        uint32_t port = crl_move_port(s, &s->moves[i]);
        if (phases > 1 && port / e->geometry.lanes != phase) continue;
        for (uint32_t v = 0; v < (s->folded ? e->mine : 1) && !error; v++)
            if (s->folded || s->moves[i].src - e->first < e->mine)
                error = expect_move(e, &s->moves[i], port, e->first + v);
    }
    return error;
}

static int list_one(struct crl_expected *e, uint32_t entry) { return CRL_PUSH(e->list, e->capacity, e->count, entry); }

static int write_down(struct crl_expected *e)
{
    int error = 0;
    const uint32_t words = crl_busy_words(e->nodes);
    for (uint32_t b = 0; !error && (b = crl_busy_next(e->busy, words, b)) < 64 * words; b++)
        for (uint32_t v = b * CRL_BUSY_NODES, end = v + crl_busy_count(e->nodes, b); v < end && !error; v++) {
            if (!e->valid[v]) continue;
            error = list_one(e, v);
            if (!error) error = list_one(e, e->valid[v]);
            for (uint32_t m = e->valid[v]; m && !error; m &= m - 1)
                error = list_one(e, e->sent[(size_t)v * e->geometry.ports + (uint32_t)__builtin_ctz(m)]);
        }
    e->start[e->cycle + 1] = e->count;
    return error;
}

// ---- the rounds that follow

static void send_again(struct crl_expected *e)
{
    const uint32_t *at = e->list + e->start[e->cycle], *end = e->list + e->start[e->cycle + 1];
    while (at < end) {
        uint32_t node = *at++, ports = e->valid[node] = *at++;
        crl_busy_set(e->busy, node);
        uint64_t *data = e->data + (size_t)node * e->geometry.ports;
        for (; ports; ports &= ports - 1) data[__builtin_ctz(ports)] = e->word_of[*at++];
    }
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_expected *e = self;
    int error = 0;
    if (e->play == e->plays) return 1;
    if (e->sums) memset(e->valid, 0, sizeof *e->valid * e->nodes);
    else crl_busy_clear(e->busy, e->nodes, e->valid);
    if (e->cycle > e->cycles) {
        // between rounds
    } else if (e->keeps && e->play) {
        send_again(e);
    } else {
        error = send_all(e);
        if (!error && e->keeps) error = write_down(e);
    }
    if (error) return error;
    *valid = e->valid;
    *data = e->data;
    // After the last round comes a last row, in which no link is used.
    if (e->cycle++ < (e->play + 1 == e->plays ? e->cycles + 1 : e->period)) return 0;
    e->cycle = 1;
    e->at = 0;
    if (++e->play == e->plays) return 1;
    e->word = (uint32_t)(e->play % e->geometry.words);
    if (!e->word) crl_payload_init(&e->payload, &e->geometry, e->seed + e->play / e->geometry.words);
    if (e->keeps) crl_permutation_many(&e->payload, e->number, e->word, e->word_of, e->packets);
    return 0;
}

static const uint64_t *busy(void *self)
{
    const struct crl_expected *e = self;
    return e->sums ? NULL : e->busy;
}

struct crl_player crl_expected_player(struct crl_expected *expected)
{
    return (struct crl_player){.self = expected, .step = step, .busy = busy};
}
