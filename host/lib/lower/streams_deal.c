// SPDX-License-Identifier: Apache-2.0
// Deals the own words of a node to fewer streams than it has lanes. Each stream brings a word a cycle, and a lane's
// memory takes one: words that come at a time must be for different lanes, else one of them waits.
#include "lower/lower.h"
#include <stdlib.h>

// Words in the order of rows, listed by their lanes; a word of several lanes stands with the lowest.
struct deal {
    const struct crl_own_word *word;
    uint32_t count, lanes, streams;
    uint32_t *list;  // [count] words of lane 0, of lane 1 …
    uint32_t *first; // [lanes + 1] where a lane's words begin
    uint32_t *next;  // [lanes] how far a lane has come
    int64_t *latest; // [count] the time by which a word should come
};

static uint32_t home(const struct crl_own_word *word) { return (uint32_t)__builtin_ctz(word->lanes); }

static void list_lanes(struct deal *d)
{
    for (uint32_t j = 0; j <= d->lanes; j++) d->first[j] = 0;
    for (uint32_t i = 0; i < d->count; i++) d->first[home(&d->word[i]) + 1]++;
    for (uint32_t j = 0; j < d->lanes; j++) d->first[j + 1] += d->first[j];
    for (uint32_t j = 0; j < d->lanes; j++) d->next[j] = d->first[j];
    for (uint32_t i = 0; i < d->count; i++) d->list[d->next[home(&d->word[i])]++] = i;
}

// The latest time of each word: from the last row on downwards, the lanes in which most words wait go first, which
// keeps them even, so that as seldom as can be fewer lanes have words than there are streams.
static void find_latest(struct deal *d)
{
    uint32_t left = d->count, waits[CRL_PORTS_MAX] = {0}, listed = d->count;
    for (uint32_t j = 0; j < d->lanes; j++) d->next[j] = d->first[j + 1];
    for (int64_t now = d->count ? d->word[d->count - 1].row : 0; left; now--) {
        while (listed && d->word[listed - 1].row >= now) waits[home(&d->word[--listed])]++;
        for (uint32_t n = 0, taken = 0; n < d->streams; n++) {
            uint32_t best = CRL_NONE;
            for (uint32_t j = 0; j < d->lanes; j++) {
                if (!waits[j] || (d->word[d->list[d->next[j] - 1]].lanes & taken)) continue;
                if (best == CRL_NONE || waits[j] > waits[best]) best = j;
            }
            if (best == CRL_NONE) break;
            uint32_t i = d->list[--d->next[best]];
            taken |= d->word[i].lanes;
            d->latest[i] = now;
            waits[best]--;
            left--;
        }
    }
}

// The words of the next time: the most urgent ones that are for different lanes.
static uint32_t choose(struct deal *d, uint32_t *chosen)
{
    uint32_t count = 0, taken = 0;
    while (count < d->streams) {
        uint32_t best = CRL_NONE, most = 0;
        for (uint32_t j = 0; j < d->lanes; j++) {
            if (d->next[j] == d->first[j + 1] || (d->word[d->list[d->next[j]]].lanes & taken)) continue;
            uint32_t left = d->first[j + 1] - d->next[j];
            int64_t now = d->latest[d->list[d->next[j]]],
                    than = best == CRL_NONE ? 0 : d->latest[d->list[d->next[best]]];
            if (best != CRL_NONE && (now > than || (now == than && left <= most))) continue;
            best = j;
            most = left;
        }
        if (best == CRL_NONE) break;
        uint32_t i = d->list[d->next[best]++], at = count++;
        taken |= d->word[i].lanes;
        for (; at && d->word[chosen[at - 1]].row > d->word[i].row; at--) chosen[at] = chosen[at - 1];
        chosen[at] = i;
    }
    return count;
}

// Gives words to streams time by time, so that each stream's stay in the order of rows as far as they can: the earliest
// one to the stream whose last one was the earliest. Returns by how many cycles the words must come before their rows.
static int64_t give(struct deal *d, struct crl_stream_seat *seat)
{
    uint32_t chosen[CRL_PORTS_MAX], index[CRL_PORTS_MAX] = {0}, stream[CRL_PORTS_MAX], count;
    int64_t last[CRL_PORTS_MAX], lead = INT64_MIN;
    for (uint32_t j = 0; j < d->streams; j++) {
        stream[j] = j;
        last[j] = -1;
    }
    for (uint32_t j = 0; j < d->lanes; j++) d->next[j] = d->first[j];
    for (uint32_t given = 0; given < d->count; given += count) {
        count = choose(d, chosen);
        for (uint32_t n = 0; n < count; n++) stream[n] = n;
        for (uint32_t n = 1; n < count; n++) // streams by their last rows
            for (uint32_t at = n; at && last[stream[at - 1]] > last[stream[at]]; at--) {
                uint32_t other = stream[at];
                stream[at] = stream[at - 1];
                stream[at - 1] = other;
            }
        for (uint32_t n = 0; n < count; n++) {
            const uint32_t i = chosen[n], j = stream[n];
            // A word behind one of a later row must be there when the round begins.
            int64_t early = (int64_t)index[j] - (d->word[i].row < last[j] ? 0 : d->word[i].row);
            seat[i] = (struct crl_stream_seat){j, index[j]++};
            if (d->word[i].row > last[j]) last[j] = d->word[i].row;
            if (early > lead) lead = early;
        }
    }
    return lead;
}

int crl_streams_seat(const struct crl_own_word *word, uint32_t count, const struct crl_geometry *g,
                     struct crl_stream_seat *seat)
{
    struct deal d = {.word = word, .count = count, .lanes = g->lanes, .streams = g->streams};
    CRL_OWNED struct crl_stream_seat *other = malloc(sizeof *other * (count + UINT64_C(1)));
    d.list = malloc(sizeof *d.list * (count + UINT64_C(1)));
    d.first = malloc(sizeof *d.first * (g->lanes + UINT64_C(1)));
    d.next = malloc(sizeof *d.next * (g->lanes + UINT64_C(1)));
    d.latest = malloc(sizeof *d.latest * (count + UINT64_C(1)));
    int error = other && d.list && d.first && d.next && d.latest ? 0 : CRL_ERR_MEMORY;
    if (!error) {
        // By rows, unless lanes that are kept even are better.
        list_lanes(&d);
        for (uint32_t i = 0; i < count; i++) d.latest[i] = word[i].row;
        int64_t lead = give(&d, seat);
        find_latest(&d);
        bool better = g->streams > 1 && give(&d, other) < lead;
        for (uint32_t i = 0; i < count && better; i++) seat[i] = other[i];
    }
    CRL_FREE(d.list, d.first, d.next, d.latest);
    return error;
}
