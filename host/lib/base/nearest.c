// SPDX-License-Identifier: Apache-2.0
// What a misspelt word was most likely meant to be.
#include "base/base.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS_MAX = 48 };

// Small letters without what joins words. Returns the length, at most LETTERS_MAX.
static size_t squeeze(const char *word, char text[LETTERS_MAX])
{
    size_t length = 0;
    for (; *word && length < LETTERS_MAX; word++)
        if (!strchr("-_ ", *word)) text[length++] = (char)tolower((unsigned char)*word);
    return length;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

// Letters that must be added, left out, changed, or swapped with their neighbour (restricted Damerau–Levenshtein).
static unsigned distance(const char *a, size_t m, const char *b, size_t n)
{
    unsigned row[LETTERS_MAX + 1][LETTERS_MAX + 1];
    for (size_t i = 0; i <= m; i++) row[i][0] = (unsigned)i;
    for (size_t j = 0; j <= n; j++) row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            unsigned change = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            row[i][j] = least(change, 1 + least(row[i - 1][j], row[i][j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[i][j] = least(row[i][j], row[i - 2][j - 2] + 1);
        }
    return row[m][n];
}

void crl_nearest_try(struct carillon_nearest *nearest, const char *candidate)
{
    char typed[LETTERS_MAX], known[LETTERS_MAX];
    size_t length = squeeze(nearest->word, typed);
    size_t other = squeeze(candidate, known);
    unsigned cost = distance(typed, length, known, other);
    unsigned most = length < 3 ? 1 : (unsigned)(length + 1) / 3;
    if (cost > most || (nearest->best && cost >= nearest->cost)) return;
    nearest->best = candidate;
    nearest->cost = cost;
}

const char *crl_did_you_mean(const struct carillon_nearest *nearest, char text[96])
{
    if (nearest->best) snprintf(text, 96, "; did you mean '%.60s'?", nearest->best);
    else *text = 0;
    return text;
}
