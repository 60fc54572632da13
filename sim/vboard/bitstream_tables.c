// SPDX-License-Identifier: Apache-2.0
#include "bitstream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 256,
    WORD_BITS = 16,
    WORDS_MAX = 32,
    DIGITS = WORD_BITS / 4,
};

#define MARK   "carillon "
#define TABLES " tables"

/* The text of the comment that begins with MARK; NULL when there is none. It ends within the comment. */
static const char *mark(const struct crl_vbitstream *bitstream)
{
    const char *at = (const char *)bitstream->comment, *end = at + bitstream->comment_size, *text_end;

    for (; at < end && (text_end = memchr(at, 0, (size_t)(end - at))); at = text_end + 1)
        if (!strncmp(at, MARK, sizeof MARK - 1)) return at;
    return NULL;
}

bool crl_vbitstream_is_ours(const struct crl_vbitstream *bitstream) { return mark(bitstream) != NULL; }

static bool bit_of(const struct crl_vbitstream *bitstream, unsigned bank, unsigned column, unsigned row, bool *bit)
{
    for (size_t i = 0; i < bitstream->pieces; i++) {
        const unsigned width = bitstream->ram[i].width, first = bitstream->ram[i].first_row;
        size_t at;

        if (bitstream->ram[i].bank != bank || row < first || row - first >= bitstream->ram[i].rows || column >= width)
            continue;
        at = (size_t)(row - first) * width + column;
        *bit = bitstream->ram[i].bits[at / 8] >> (7 - at % 8) & 1;
        return true;
    }
    return false;
}

/*
 * Column of a bit of a word within its block RAM. Columns run from the RAM's bit 15 to its bit 0, and yosys gives bit i
 * of a memory 16 bits wide the RAM's bit of i read backwards (brams_map.v), so that narrow memories use few wires.
 */
static unsigned column_of(unsigned bit)
{
    const unsigned backwards = (bit & 1) << 3 | (bit & 2) << 1 | (bit & 4) >> 1 | (bit & 8) >> 3;

    return WORD_BITS - 1 - backwards;
}

static bool word_of(const struct crl_vbitstream *bitstream, unsigned bank, unsigned column, unsigned row,
                    unsigned *word)
{
    bool bit;

    *word = 0;
    for (unsigned i = 0; i < WORD_BITS; i++) {
        if (!bit_of(bitstream, bank, column + column_of(i), row, &bit)) return false;
        *word |= (unsigned)bit << i;
    }
    return true;
}

char *crl_vbitstream_tables(const struct crl_vbitstream *bitstream)
{
    const char *at = mark(bitstream);
    unsigned bank[WORDS_MAX], column[WORDS_MAX], word;
    int words = 0, length;
    char *text, *out;

    if (!at || !(at = strstr(at, TABLES))) return NULL;
    at += sizeof TABLES - 1;
    while (words < WORDS_MAX && sscanf(at, " %u.%u%n", &bank[words], &column[words], &length) == 2) {
        words++;
        at += length;
    }
    if (!words || *at || !(text = malloc(LINES * (size_t)(words * DIGITS + 1) + 1))) return NULL;
    out = text;
    for (unsigned row = 0; row < LINES; row++) {
        for (int i = words; i--; out += DIGITS) {
            if (!word_of(bitstream, bank[i], column[i], row, &word)) {
                free(text);
                return NULL;
            }
            sprintf(out, "%0*x", DIGITS, word);
        }
        *out++ = '\n';
    }
    *out = 0;
    return text;
}
