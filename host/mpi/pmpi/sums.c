// SPDX-License-Identifier: Apache-2.0
// What a node does with each sum that arrives, by which nodes' values are in it: decision 0027.
// Nothing of that depends on the values, so it is settled once for all calls.
#include "plan.h"
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

struct replay {
    uint32_t ranks, words; // words of a set of ranks
    bool scan;
    uint64_t *held, *kept; // [ranks][words] whose values are in what a rank sends, and in what it keeps
    uint64_t *sent;        // [count][words] whose are in each move
    struct crl_move **departure, **arrival;
};

static uint64_t *set_of(const struct replay *r, uint64_t *sets, size_t i) { return sets + i * r->words; }

static bool apart(const struct replay *r, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < r->words; i++)
        if (a[i] & b[i]) return false;
    return true;
}

static bool within(const struct replay *r, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < r->words; i++)
        if (a[i] & ~b[i]) return false;
    return true;
}

static void join(const struct replay *r, uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < r->words; i++) a[i] |= b[i];
}

static uint32_t lowest(const struct replay *r, const uint64_t *a)
{
    uint32_t i = 0;
    while (i + 1 < r->words && !a[i]) i++;
    return i * WORD + (a[i] ? (uint32_t)__builtin_ctzll(a[i]) : WORD);
}

// Whether exactly the nodes 0…last are in it.
static bool all_to(const struct replay *r, const uint64_t *a, uint32_t last)
{
    for (uint32_t i = 0; i < r->words; i++) {
        uint64_t want = i < last / WORD ? UINT64_MAX : i > last / WORD ? 0 : UINT64_MAX >> (WORD - 1 - last % WORD);
        if (a[i] != want) return false;
    }
    return true;
}

static bool none_above(const struct replay *r, const uint64_t *a, uint32_t last)
{
    for (uint32_t v = last + 1; v < r->ranks; v++)
        if (a[v / WORD] >> v % WORD & 1) return false;
    return true;
}

static void take_value(const struct replay *r, struct crl_move *m, const uint64_t *sum)
{
    uint64_t *held = set_of(r, r->held, m->dst);
    if (r->scan) {
        uint64_t *kept = set_of(r, r->kept, m->dst);
        bool all = all_to(r, sum, m->dst);
        if (all) m->action |= CRL_KEEP_COPY;
        else if (none_above(r, sum, m->dst) && apart(r, kept, sum)) m->action |= CRL_KEEP_ADD;
        if (m->action) join(r, kept, sum);
    }
    if (apart(r, held, sum)) m->action |= lowest(r, held) < lowest(r, sum) ? CRL_ADD : CRL_ADD_TO;
    else if (within(r, held, sum) && !within(r, sum, held)) m->action |= CRL_REPLACE;
    else return;
    join(r, held, sum);
}

static int by_departure(const void *a, const void *b)
{
    const struct crl_move *x = *(struct crl_move *const *)a, *y = *(struct crl_move *const *)b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int by_arrival(const void *a, const void *b)
{
    const struct crl_move *x = *(struct crl_move *const *)a, *y = *(struct crl_move *const *)b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->arrival != y->arrival) return x->arrival < y->arrival ? -1 : 1;
    if (x->port != y->port) return x->port < y->port ? -1 : 1;
    return x < y ? -1 : x > y;
}

// The moves from `begin` on of one chunk; returns their end. What arrives in a slot is sent on in a later one.
static size_t chunk(const struct replay *r, const struct crl_move *moves, size_t begin, size_t count)
{
    size_t end = begin, out = begin;
    memset(r->held, 0, sizeof *r->held * r->words * r->ranks);
    for (uint32_t v = 0; v < r->ranks; v++) set_of(r, r->held, v)[v / WORD] = UINT64_C(1) << v % WORD;
    memcpy(r->kept, r->held, sizeof *r->held * r->words * r->ranks);
    while (end < count && r->arrival[end]->first == r->arrival[begin]->first) end++;
    for (size_t in = begin; in < end; in++) {
        for (; out < end && r->departure[out]->slot <= r->arrival[in]->arrival; out++)
            memcpy(set_of(r, r->sent, (size_t)(r->departure[out] - moves)), set_of(r, r->held, r->departure[out]->src),
                   sizeof *r->sent * r->words);
        take_value(r, r->arrival[in], set_of(r, r->sent, (size_t)(r->arrival[in] - moves)));
    }
    return end;
}

int crl_sums_arrange(struct crl_move *moves, size_t count, const struct crl_want *want)
{
    struct replay r = {
        .ranks = want->ranks, .words = (want->ranks + WORD - 1) / WORD, .scan = want->collective == CRL_SCAN};
    r.held = calloc((size_t)r.ranks * r.words, sizeof *r.held);
    r.kept = calloc((size_t)r.ranks * r.words, sizeof *r.kept);
    r.sent = calloc((count + 1) * r.words, sizeof *r.sent);
    r.departure = malloc(sizeof *r.departure * (count + 1));
    r.arrival = malloc(sizeof *r.arrival * (count + 1));
    bool fits = r.held && r.kept && r.sent && r.departure && r.arrival;
    for (size_t i = 0; i < count && fits; i++) r.departure[i] = r.arrival[i] = &moves[i];
    if (fits) {
        qsort(r.departure, count, sizeof *r.departure, by_departure);
        qsort(r.arrival, count, sizeof *r.arrival, by_arrival);
        for (size_t i = 0; i < count;) i = chunk(&r, moves, i, count);
    }
    free(r.held);
    free(r.kept);
    free(r.sent);
    free(r.departure);
    free(r.arrival);
    return fits ? 0 : CRL_ERR_MEMORY;
}
