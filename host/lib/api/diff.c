// SPDX-License-Identifier: Apache-2.0
// The first difference between two traces, with the words before it.
#include "trace/trace.h"
#include <inttypes.h>
#include <string.h>

enum { AROUND = 4 };

struct side {
    const char *name;
    FILE *file;
    uint64_t line;
    bool has_word;
    struct crl_word word;
};

static int next(struct side *side, struct crl_diag *diag)
{
    struct crl_word before = side->word;
    bool first = side->line == 0;
    int got = crl_trace_read(side->file, side->name, &side->line, &side->word, diag);
    side->has_word = got > 0;
    const struct crl_word *w = &side->word;
    if (got > 0 && !first &&
        (w->cycle != before.cycle ? w->cycle < before.cycle
         : w->node != before.node ? w->node < before.node
                                  : w->port <= before.port))
        return crl_fail_at(diag, CRL_ERR_PARSE, side->name, side->line, 1, "not in order of cycle, node, port");
    return got < 0 ? got : 0;
}

static bool same(const struct side *a, const struct side *b)
{
    if (a->has_word != b->has_word) return false;
    return !a->has_word || (a->word.cycle == b->word.cycle && a->word.node == b->word.node &&
                            a->word.port == b->word.port && a->word.data == b->word.data);
}

static void add_word(char *text, size_t size, const char *mark, const struct crl_word *w)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIx64 "\n", mark, w->cycle, w->node,
             w->port, w->data);
}

static void describe(struct carillon_difference *d, const struct crl_word *past, const struct side side[2])
{
    char mark[300];
    for (uint64_t i = d->words > AROUND ? d->words - AROUND : 0; i < d->words; i++)
        add_word(d->text, sizeof d->text, "  ", &past[i % AROUND]);
    for (int i = 0; i < 2; i++) {
        snprintf(mark, sizeof mark, "%c %.256s:%" PRIu64 ": ", i ? '+' : '-', side[i].name, side[i].line);
        size_t used = strlen(d->text);
        if (side[i].has_word) add_word(d->text, sizeof d->text, mark, &side[i].word);
        else snprintf(d->text + used, sizeof d->text - used, "%c %.256s: ends here\n", i ? '+' : '-', side[i].name);
    }
}

int carillon_trace_diff(struct carillon_difference *d, FILE *const files[2], const char *const names[2],
                        struct crl_diag *diag)
{
    struct side side[2] = {{.name = names[0], .file = files[0]}, {.name = names[1], .file = files[1]}};
    struct crl_word past[AROUND];
    *d = (struct carillon_difference){0};
    for (;; d->words++) {
        for (int i = 0; i < 2; i++) {
            int error = next(&side[i], diag);
            if (error) return error;
        }
        if (!same(&side[0], &side[1])) break;
        if (!side[0].has_word) return 0;
        past[d->words % AROUND] = side[0].word;
    }
    bool first = side[0].has_word && (!side[1].has_word || side[0].word.cycle < side[1].word.cycle);
    d->cycle = side[first ? 0 : 1].word.cycle;
    describe(d, past, side);
    return crl_fail(diag, CRL_ERR_MISMATCH, "the traces differ after %" PRIu64 " equal words", d->words);
}
