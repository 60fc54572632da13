// SPDX-License-Identifier: Apache-2.0
// carillon diff: the first difference between two traces, with the words before it.
#include "cli.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { AROUND = 4 };

struct side {
    const char *path;
    FILE *file;
    uint64_t line;
    bool has_word;
    struct crl_word word;
};

static int next(struct side *side, struct crl_diag *diag)
{
    struct crl_word before = side->word;
    bool first = side->line == 0;
    int got = crl_trace_read(side->file, side->path, &side->line, &side->word, diag);
    side->has_word = got > 0;
    const struct crl_word *w = &side->word;
    if (got > 0 && !first &&
        (w->cycle != before.cycle ? w->cycle < before.cycle
         : w->node != before.node ? w->node < before.node
                                  : w->port <= before.port))
        return crl_fail_at(diag, CRL_ERR_PARSE, side->path, side->line, 1, "not in order of cycle, node, port");
    return got < 0 ? got : 0;
}

static bool same(const struct side *a, const struct side *b)
{
    if (a->has_word != b->has_word) return false;
    return !a->has_word || (a->word.cycle == b->word.cycle && a->word.node == b->word.node &&
                            a->word.port == b->word.port && a->word.data == b->word.data);
}

static void print_side(const struct side *side, char mark)
{
    const struct crl_word *w = &side->word;
    if (side->has_word)
        printf("%c %s:%" PRIu64 ": %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIx64 "\n", mark, side->path, side->line,
               w->cycle, w->node, w->port, w->data);
    else printf("%c %s: ends here\n", mark, side->path);
}

static int compare(struct side side[2], const struct options *options, struct crl_diag *diag)
{
    struct crl_word past[AROUND];
    uint64_t words = 0;
    for (;; words++) {
        for (int i = 0; i < 2; i++) {
            int error = next(&side[i], diag);
            if (error) return error;
        }
        if (!same(&side[0], &side[1])) break;
        if (!side[0].has_word) {
            if (options->json)
                print_summary(json_pack("{s:I, s:I}", "words", (json_int_t)words, "mismatches", (json_int_t)0), true);
            return 0;
        }
        past[words % AROUND] = side[0].word;
    }
    if (options->json) {
        print_summary(
            json_pack("{s:I, s:I, s:I}", "words", (json_int_t)words, "mismatches", (json_int_t)1, "cycle",
                      (json_int_t)(side[0].has_word && (!side[1].has_word || side[0].word.cycle < side[1].word.cycle)
                                       ? side[0].word.cycle
                                       : side[1].word.cycle)),
            true);
    } else {
        for (uint64_t i = words > AROUND ? words - AROUND : 0; i < words; i++)
            printf("  %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIx64 "\n", past[i % AROUND].cycle, past[i % AROUND].node,
                   past[i % AROUND].port, past[i % AROUND].data);
        print_side(&side[0], '-');
        print_side(&side[1], '+');
    }
    return crl_fail(diag, CRL_ERR_MISMATCH, "the traces differ after %" PRIu64 " equal words", words);
}

int command_diff(const struct options *options)
{
    struct side side[2] = {{.path = options->operand[0]}, {.path = options->operand[1]}};
    struct crl_diag diag = {0};
    int error = 0;
    for (int i = 0; i < 2 && !error; i++) {
        side[i].file = fopen(side[i].path, "r");
        if (!side[i].file) error = crl_fail(&diag, CRL_ERR_IO, "cannot read '%s': %s", side[i].path, strerror(errno));
    }
    if (!error) error = compare(side, options, &diag);
    for (int i = 0; i < 2; i++)
        if (side[i].file) fclose(side[i].file);
    return complain(error, &diag);
}
