// SPDX-License-Identifier: Apache-2.0
// Plays several players side by side and stops at the first link cycle in which one differs from the first of them.
#include "base/base.h"
#include "base/parallel.h"
#include "trace/busy.h"
#include "trace/trace.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    AROUND = 3,     // cycles shown before the difference
    LISTED_MAX = 32 // ports of a node that are listed also when they are idle
};

// What happened lately. Which node will be in question is not known before, so everything of the last few cycles is
// kept; it was the same for all players. Words lie one after the other, so that what is idle costs nothing.
struct history {
    uint32_t *valid;
    uint64_t *data;
    uint64_t *busy;
};

struct comparison {
    const struct crl_player *players;
    const char *const *names;
    size_t count;
    uint32_t nodes, ports, masks; // masks: words of a node's mask of ports
    uint32_t first;               // node of those compared here
    const struct carillon_share *share;
    uint64_t *busy; // blocks of masks in which anything may have been sent, as for nodes with one mask each
    struct history ring[AROUND];
    struct crl_compared *result;
};

static struct history *past(struct comparison *c, uint64_t cycle) { return &c->ring[cycle % AROUND]; }

// Where the words of a mask begin.
static size_t words_of(const struct comparison *c, size_t mask)
{
    return mask / c->masks * c->ports + mask % c->masks * 32;
}

static uint64_t past_word(struct comparison *c, uint64_t cycle, uint32_t node, uint32_t port)
{
    const struct history *h = past(c, cycle);
    const size_t mask = (size_t)node * c->masks + port / 32;
    size_t at = 0;
    for (size_t i = 0; i < mask; i++) at += (size_t)__builtin_popcount(h->valid[i]);
    return h->data[at + (size_t)__builtin_popcount(h->valid[mask] & ((UINT32_C(1) << port % 32) - 1))];
}

static void describe(struct comparison *c, uint32_t node, uint32_t port, const uint32_t **valid, const uint64_t **data)
{
    char *text = c->result->text;
    size_t size = sizeof c->result->text, used = 0;
    uint64_t last = c->result->cycle;
#define SAY(...)                                                                                                       \
    used += (size_t)snprintf(text + (used < size ? used : size), used < size ? size - used : 0, __VA_ARGS__)
    SAY("first difference in cycle %" PRIu64 ", node %" PRIu32 ", port %" PRIu32 "\n", last, c->first + node, port);
    for (uint64_t cycle = last > AROUND ? last - AROUND : 0; cycle <= last; cycle++)
        for (size_t i = 0; i < c->count; i++) {
            const uint32_t *v = cycle == last ? valid[i] : past(c, cycle)->valid;
            SAY("  cycle %-6" PRIu64 " %-8s", cycle, c->names[i]);
            for (uint32_t p = 0; p < c->ports; p++) {
                if (v[(size_t)node * c->masks + p / 32] >> p % 32 & 1)
                    SAY(" %u:%" PRIx64, p,
                        cycle == last ? data[i][(size_t)node * c->ports + p] : past_word(c, cycle, node, p));
                else if (c->ports <= LISTED_MAX) SAY(" %u:-", p);
            }
            SAY("\n");
        }
#undef SAY
}

// The ports, of those that the mask names, on which two players send different words from a node.
static uint32_t odd_ports(const uint64_t *a, const uint64_t *b, uint32_t mask)
{
    uint32_t odd = 0;
    for (; mask; mask &= mask - 1) {
        uint32_t p = (uint32_t)__builtin_ctz(mask);
        if (a[p] != b[p]) odd |= UINT32_C(1) << p;
    }
    return odd;
}

// One behind the masks, from `first` on, that are alike on both sides and not empty. Their words lie side by side.
static size_t run_end(const struct comparison *c, const uint32_t *one, const uint32_t *two, size_t first)
{
    size_t end = first;
    while (end < (size_t)c->nodes * c->masks && one[end] && one[end] == two[end]) end++;
    return end;
}

static uint32_t all_masks(const struct comparison *c) { return c->nodes * c->masks; }

// The first mask, from `first` on, that is not empty on both sides.
static size_t next_sent(const struct comparison *c, const uint32_t *one, const uint32_t *two, size_t first)
{
    const uint32_t words = crl_busy_words(all_masks(c));
    uint32_t b = (uint32_t)(first / CRL_BUSY_NODES);
    for (size_t i = first; (b = crl_busy_next(c->busy, words, b)) < 64 * words; i = 0, b++) {
        size_t at = (size_t)b * CRL_BUSY_NODES, end = at + crl_busy_count(all_masks(c), b);
        for (i = i > at ? i : at; i < end; i++)
            if (one[i] | two[i]) return i;
    }
    return all_masks(c);
}

static uint64_t differences_in(const struct comparison *c, const uint32_t **valid, const uint64_t **data, size_t other,
                               size_t mask, uint32_t *node, uint32_t *port)
{
    uint32_t one = valid[0][mask], two = valid[other][mask];
    size_t at = words_of(c, mask);
    uint32_t odd = (one ^ two) | odd_ports(data[0] + at, data[other] + at, one & two);
    if (odd && *node == CRL_NONE) {
        *node = (uint32_t)(mask / c->masks);
        *port = (uint32_t)(mask % c->masks * 32) + (uint32_t)__builtin_ctz(odd);
    }
    return (uint64_t)__builtin_popcount(odd);
}

// How many words differ; the first of them is at *node, *port, or *node is CRL_NONE.
static uint64_t differences(const struct comparison *c, const uint32_t **valid, const uint64_t **data, size_t other,
                            uint32_t *node, uint32_t *port)
{
    uint64_t found = 0;
    *node = CRL_NONE;
    for (size_t end = 0, i; (i = next_sent(c, valid[0], valid[other], end)) < all_masks(c);) {
        end = run_end(c, valid[0], valid[other], i);
        size_t at = words_of(c, i);
        // Of many nodes mostly all are alike, those of idle links included, which do not matter.
        if (end > i + 1 && !memcmp(data[0] + at, data[other] + at, sizeof **data * (words_of(c, end) - at))) continue;
        if (end == i) end++;
        for (; i < end; i++) found += differences_in(c, valid, data, other, i, node, port);
    }
    return found;
}

static int write_words(const struct comparison *c, uint64_t cycle, const uint32_t *valid, const uint64_t *data,
                       FILE *trace)
{
    for (size_t i = 0; (i = next_sent(c, valid, valid, i)) < all_masks(c); i++)
        for (uint32_t m = valid[i]; m; m &= m - 1) {
            uint32_t v = (uint32_t)(i / c->masks), p = i % c->masks * 32 + (uint32_t)__builtin_ctz(m);
            struct crl_word word = {cycle, c->first + v, p, data[(size_t)v * c->ports + p]};
            if (crl_trace_write(trace, &word)) return CRL_ERR_IO;
        }
    return 0;
}

// A number that changes with every bit of a word's line in the trace.
static uint64_t digest_of(uint64_t cycle, uint64_t link, uint64_t data)
{
    const uint64_t part[] = {cycle, link, data};
    uint64_t x = 0;
    for (size_t i = 0; i < 3; i++) {
        x = (x ^ part[i]) * UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
        x ^= x >> 32;
    }
    return x;
}

static uint64_t digest_words(const struct comparison *c, uint64_t cycle, const uint32_t *valid, const uint64_t *data)
{
    uint64_t sum = 0;
    for (size_t i = 0; (i = next_sent(c, valid, valid, i)) < all_masks(c); i++)
        for (uint32_t m = valid[i]; m; m &= m - 1) {
            size_t at = words_of(c, i) + (uint32_t)__builtin_ctz(m);
            sum += digest_of(cycle, (uint64_t)c->first * c->ports + at, data[at]);
        }
    return sum;
}

// Of what is so here, what is so at any process that shares the run.
enum { BEGUN = 1, DIFFERS = 2 };
static int agree(const struct comparison *c, bool *begun, bool *differs)
{
    uint32_t bits = (*begun ? BEGUN : 0) | (*differs ? DIFFERS : 0);
    int error = c->share ? c->share->agree(c->share->user, &bits) : 0;
    *begun = bits & BEGUN;
    *differs = bits & DIFFERS;
    return error;
}

static void remember(struct comparison *c, uint64_t cycle, const uint32_t *valid, const uint64_t *data)
{
    struct history *h = past(c, cycle);
    crl_busy_clear(h->busy, all_masks(c), h->valid);
    memcpy(h->busy, c->busy, sizeof *h->busy * crl_busy_words(all_masks(c)));
    uint64_t *to = h->data;
    for (size_t i = 0; (i = next_sent(c, valid, valid, i)) < all_masks(c); i++) {
        const uint64_t *words = data + words_of(c, i);
        uint32_t mask = h->valid[i] = valid[i];
        for (; mask & 1; mask >>= 1) *to++ = *words++; // mostly all
        for (; mask; mask &= mask - 1) *to++ = words[__builtin_ctz(mask)];
    }
}

static void count_words(struct comparison *c, uint64_t cycle, const uint32_t *valid)
{
    uint32_t mask = 0;
    uint64_t ones = 0;
    for (size_t i = 0; (i = next_sent(c, valid, valid, i)) < all_masks(c); i++) {
        if (valid[i] != mask) ones = (uint64_t)__builtin_popcount(mask = valid[i]); // mostly that of the node before
        c->result->words += ones;
        c->result->cycles = cycle + 1;
    }
}

// Where any of the players may have sent.
static void note_busy(struct comparison *c)
{
    const uint32_t words = crl_busy_words(all_masks(c));
    memset(c->busy, 0, sizeof *c->busy * words);
    for (size_t i = 0; i < c->count; i++) {
        const struct crl_player *p = &c->players[i];
        const uint64_t *of = p->busy && c->masks == 1 && !c->share ? p->busy(p->self) : NULL;
        for (uint32_t k = 0; k < words && of; k++) c->busy[k] |= of[k];
        if (of) continue;
        uint32_t blocks = (uint32_t)crl_ceil_div(all_masks(c), CRL_BUSY_NODES);
        memset(c->busy, 0xff, sizeof *c->busy * (blocks / 64));
        if (blocks % 64) c->busy[blocks / 64] = (UINT64_C(1) << blocks % 64) - 1;
        return;
    }
}

static int play(struct comparison *c, FILE *trace, bool (*progress)(void *user, uint64_t cycle), void *user,
                struct crl_diag *diag)
{
    enum { PLAYERS_MAX = 4 };
    const uint32_t *valid[PLAYERS_MAX];
    const uint64_t *data[PLAYERS_MAX];
    bool begun = false;
    for (uint64_t cycle = 0;;) {
        int ended[PLAYERS_MAX];
        for (size_t i = 0; i < c->count; i++) {
            ended[i] = c->players[i].step(c->players[i].self, &valid[i], &data[i]);
            if (ended[i] < 0) {
                if (c->players[i].explain) c->players[i].explain(c->players[i].self, diag);
                else crl_fail(diag, ended[i], "%s cannot go on", c->names[i]);
                return ended[i];
            }
            valid[i] += (size_t)c->first * c->masks;
            data[i] += (size_t)c->first * c->ports;
        }
        note_busy(c);
        // Cycle 0 is that of the first word anywhere.
        for (size_t i = 0; i < c->count && !begun; i++) begun = next_sent(c, valid[i], valid[i], 0) < all_masks(c);
        c->result->cycle = cycle;
        for (size_t i = 1; i < c->count && !c->result->mismatches; i++) {
            uint32_t node = 0, port = 0;
            c->result->mismatches += differences(c, valid, data, i, &node, &port);
            if (c->result->mismatches) describe(c, node, port, valid, data);
        }
        for (size_t i = 1; i < c->count && !c->result->mismatches; i++) {
            if (ended[i] == ended[0]) continue;
            c->result->mismatches = 1;
            snprintf(c->result->text, sizeof c->result->text, "%s ends after cycle %" PRIu64 ", but %s plays on\n",
                     c->names[ended[0] ? 0 : i], cycle, c->names[ended[0] ? i : 0]);
        }
        bool differs = c->result->mismatches;
        int error = agree(c, &begun, &differs);
        if (error) return crl_fail(diag, error, "the processes that share the run lost each other");
        c->result->stopped = differs;
        if (differs) return 0;
        if (begun) {
            count_words(c, cycle, valid[0]);
            if (trace && write_words(c, cycle, valid[c->count > 1], data[c->count > 1], trace))
                return crl_fail(diag, CRL_ERR_IO, "cannot write the trace: %s", strerror(errno));
            if (c->share) c->result->digest += digest_words(c, cycle, valid[c->count > 1], data[c->count > 1]);
            remember(c, cycle, valid[0], data[0]);
            if (progress && !progress(user, cycle)) return crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted");
            cycle++;
        }
        if (ended[0]) return 0;
    }
}

int crl_compare(struct crl_compared *result, const struct crl_player *players, const char *const *names, size_t count,
                uint32_t nodes, uint32_t ports, FILE *trace, bool (*progress)(void *user, uint64_t cycle), void *user,
                struct crl_diag *diag)
{
    return crl_compare_share(result, players, names, count, nodes, ports, NULL, trace, progress, user, diag);
}

int crl_compare_share(struct crl_compared *result, const struct crl_player *players, const char *const *names,
                      size_t count, uint32_t nodes, uint32_t ports, const struct crl_context *context, FILE *trace,
                      bool (*progress)(void *user, uint64_t cycle), void *user, struct crl_diag *diag)
{
    uint32_t first;
    nodes = crl_share_nodes(context, nodes, &first);
    *result = (struct crl_compared){0};
    uint32_t masks = (uint32_t)crl_ceil_div(ports, 32);
    struct comparison c = {.players = players,
                           .names = names,
                           .count = count,
                           .nodes = nodes,
                           .ports = ports,
                           .masks = masks,
                           .first = first,
                           .share = context ? context->share : NULL,
                           .result = result};
    const size_t busy = crl_busy_words(all_masks(&c));
    int error = (c.busy = malloc(sizeof *c.busy * busy)) ? 0 : CRL_ERR_MEMORY;
    for (size_t i = 0; i < AROUND && !error; i++) {
        c.ring[i].valid = calloc(all_masks(&c), sizeof(uint32_t));
        c.ring[i].data = malloc(sizeof(uint64_t) * nodes * ports);
        c.ring[i].busy = calloc(busy, sizeof(uint64_t));
        if (!c.ring[i].valid || !c.ring[i].data || !c.ring[i].busy) error = CRL_ERR_MEMORY;
    }
    if (error) crl_fail(diag, error, "out of memory");
    else error = play(&c, trace, progress, user, diag);
    for (size_t i = 0; i < AROUND; i++) CRL_FREE(c.ring[i].valid, c.ring[i].data, c.ring[i].busy);
    free(c.busy);
    return error;
}
