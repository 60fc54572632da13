// SPDX-License-Identifier: Apache-2.0
#include "machine/replay.h"
#include "base/base.h"
#include <inttypes.h>
#include <string.h>

enum { LISTED_MAX = 100 };

struct reading {
    const struct crl_replay *replay;
    struct crl_page *page;
    size_t capacity;
    uint64_t wrong; // words, also those beyond the list
    FILE *file;
    const char *name;
    uint64_t line;
    struct crl_word word; // read, and not used yet
    bool has_word;
};

static int next_word(struct reading *r, struct crl_diag *diag)
{
    int got = crl_trace_read(r->file, r->name, &r->line, &r->word, diag);
    r->has_word = got > 0;
    return got < 0 ? got : 0;
}

// Notes a word that is not as it must be; NULL: none was expected, or none is there.
static int note(struct reading *r, uint64_t step, uint64_t cycle, uint32_t node, uint32_t port,
                const uint64_t *expected, const uint64_t *found)
{
    char must[40] = "no word", is[40] = "none";
    if (r->wrong++ >= LISTED_MAX) return 0;
    int error = crl_grow((void **)&r->page->marks, &r->capacity, r->page->mark_count, sizeof *r->page->marks);
    if (error) return error;
    struct crl_mark *mark = &r->page->marks[r->page->mark_count++];
    *mark = (struct crl_mark){.src = node, .dst = CRL_NONE};
    r->replay->place(r->replay->user, step, port, mark);
    if (expected) snprintf(must, sizeof must, "%" PRIx64, *expected);
    if (found) snprintf(is, sizeof is, "%" PRIx64, *found);
    snprintf(mark->text, sizeof mark->text,
             "%s %" PRIu32 " (cycle %" PRIu64 "): node %" PRIu32 " port %" PRIu32
             ": the schedule says %s, the trace has %s",
             r->replay->unit, mark->slot - !strcmp(r->replay->unit, "time"), cycle, node, port, must, is);
    if (mark->dst == CRL_NONE) mark->slot = 0; // nothing to draw
    return 0;
}

static bool is_before(const struct crl_word *w, uint64_t cycle, uint32_t node, uint32_t port)
{
    if (w->cycle != cycle) return w->cycle < cycle;
    return w->node != node ? w->node < node : w->port < port;
}

// The words of the trace that come before a place: nobody expected them.
static int skip_to(struct reading *r, uint64_t step, uint64_t cycle, uint32_t node, uint32_t port,
                   struct crl_diag *diag)
{
    int error = 0;
    while (!error && r->has_word && is_before(&r->word, cycle, node, port)) {
        error = note(r, step - (cycle - r->word.cycle), r->word.cycle, r->word.node, r->word.port, NULL, &r->word.data);
        if (!error) error = next_word(r, diag);
    }
    return error;
}

static int compare_cycle(struct reading *r, uint64_t step, uint64_t cycle, const uint32_t *valid, const uint64_t *data,
                         struct crl_diag *diag)
{
    uint32_t ports = r->replay->ports, masks = (uint32_t)crl_ceil_div(ports, 32);
    int error = 0;
    for (uint32_t v = 0; v < r->replay->nodes && !error; v++)
        for (uint32_t p = 0; p < ports && !error; p++) {
            if (!(valid[(size_t)v * masks + p / 32] >> p % 32 & 1)) continue;
            const uint64_t *must = &data[(size_t)v * ports + p];
            error = skip_to(r, step, cycle, v, p, diag);
            bool there = r->has_word && r->word.cycle == cycle && r->word.node == v && r->word.port == p;
            if (!error && (!there || r->word.data != *must))
                error = note(r, step, cycle, v, p, must, there ? &r->word.data : NULL);
            if (!error && there) error = next_word(r, diag);
        }
    return error;
}

static bool is_silent(const struct crl_replay *replay, const uint32_t *valid)
{
    size_t masks = replay->nodes * crl_ceil_div(replay->ports, 32);
    for (size_t i = 0; i < masks; i++)
        if (valid[i]) return false;
    return true;
}

int crl_replay_compare(const struct crl_replay *replay, FILE *trace, const char *name, bool stopped,
                       struct crl_page *page, struct crl_diag *diag)
{
    struct reading r = {.replay = replay, .page = page, .file = trace, .name = name};
    const uint32_t *valid = NULL;
    const uint64_t *data = NULL;
    int error = next_word(&r, diag);
    uint64_t step = 0, first = 0, more = 0; // first: the step of cycle 0, from 1; 0: not yet
    // A run that stopped at a difference has no words after it.
    for (; !error && !more && (!stopped || r.has_word); step++) {
        int played = replay->player.step(replay->player.self, &valid, &data);
        if (played < 0) error = played;
        more = played > 0;
        if (error || !valid || is_silent(replay, valid)) continue;
        if (!first) first = step + 1;
        error = compare_cycle(&r, step, step - (first - 1), valid, data, diag);
    }
    while (!error && r.has_word) {
        error = note(&r, r.word.cycle + (first ? first - 1 : 0), r.word.cycle, r.word.node, r.word.port, NULL,
                     &r.word.data);
        if (!error) error = next_word(&r, diag);
    }
    if (error) return error;
    return r.wrong
               ? crl_fail(diag, CRL_ERR_MISMATCH, "the trace differs from the schedule in %" PRIu64 " words", r.wrong)
               : 0;
}
