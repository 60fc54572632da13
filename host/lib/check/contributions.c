// SPDX-License-Identifier: Apache-2.0
#include "check/contributions.h"
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

static size_t words_of(uint32_t nodes) { return (nodes + UINT64_C(63)) / WORD; }

// Without bits it is the last node alone, or every node up to it.
static uint64_t word_at(const struct crl_contributions *a, size_t i)
{
    if (!a->count) return 0;
    if (a->bits) return a->bits[i];
    uint64_t top = UINT64_C(1) << a->last % WORD;
    if (a->count == 1) return i == a->last / WORD ? top : 0;
    return i < a->last / WORD ? UINT64_MAX : top | (top - 1);
}

static size_t shared_words(const struct crl_contributions *a, const struct crl_contributions *b)
{
    return (a->last < b->last ? a->last : b->last) / WORD + UINT64_C(1);
}

static uint32_t lowest(uint64_t word, size_t i) { return (uint32_t)(i * WORD) + (uint32_t)__builtin_ctzll(word); }

uint32_t crl_contributions_common(const struct crl_contributions *a, const struct crl_contributions *b)
{
    for (size_t i = 0; i < shared_words(a, b); i++)
        if (word_at(a, i) & word_at(b, i)) return lowest(word_at(a, i) & word_at(b, i), i);
    return CRL_NONE;
}

bool crl_contributions_within(const struct crl_contributions *a, const struct crl_contributions *b)
{
    if (a->last > b->last) return false;
    for (size_t i = 0; i <= a->last / WORD; i++)
        if (word_at(a, i) & ~word_at(b, i)) return false;
    return true;
}

uint32_t crl_contributions_lacks(const struct crl_contributions *a)
{
    for (size_t i = 0; i <= a->last / WORD; i++)
        if (word_at(a, i) != UINT64_MAX) return lowest(~word_at(a, i), i);
    return a->last + 1;
}

bool crl_contributions_has(const struct crl_contributions *a, uint32_t node)
{
    return node <= a->last && word_at(a, node / WORD) >> node % WORD & 1;
}

int crl_contributions_join(struct crl_contributions *sum, const struct crl_contributions *more, uint32_t nodes)
{
    size_t words = words_of(nodes);
    if (sum->count == nodes) return 0;
    uint32_t last = sum->count && sum->last > more->last ? sum->last : more->last, count = 0;
    if (!sum->bits) {
        uint64_t *bits = calloc(words, sizeof *bits);
        if (!bits) return CRL_ERR_MEMORY;
        if (sum->count) bits[sum->last / WORD] = UINT64_C(1) << sum->last % WORD;
        sum->bits = bits;
    }
    for (size_t i = 0; i <= more->last / WORD; i++) sum->bits[i] |= word_at(more, i);
    for (size_t i = 0; i < words; i++) count += (uint32_t)__builtin_popcountll(sum->bits[i]);
    sum->last = last;
    sum->count = count;
    if (count == nodes) crl_contributions_done(sum);
    return 0;
}

int crl_contributions_copy(struct crl_contributions *copy, const struct crl_contributions *of, uint32_t nodes)
{
    *copy = *of;
    if (!of->bits) return 0;
    copy->bits = malloc(sizeof *copy->bits * words_of(nodes));
    if (!copy->bits) return CRL_ERR_MEMORY;
    memcpy(copy->bits, of->bits, sizeof *copy->bits * words_of(nodes));
    return 0;
}

void crl_contributions_done(struct crl_contributions *sum)
{
    free(sum->bits);
    sum->bits = NULL;
}
