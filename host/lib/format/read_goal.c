// SPDX-License-Identifier: Apache-2.0
// GOAL text, as LogGOPSim's txt2bin reads it: operations of each rank and what each requires. Tags name packets; where
// there is one packet only, all are it. A comment 'slot N' on a line of its own says when the next send leaves.
#include "base/base.h"
#include "format/program.h"
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 4096, LABEL_MAX = 64 };

struct label { // of a rank
    char name[LABEL_MAX];
    size_t op;
};
struct pending {
    char name[LABEL_MAX];
    size_t op;
    uint64_t line, col;
};

struct reading {
    struct crl_program *program;
    struct crl_reader *reader;
    uint32_t rank, slot;
    struct label *label;
    size_t labels, label_room;
    struct pending *pending; // what operations require, until the rank ends
    size_t pendings, pending_room;
    struct crl_diag *diag;
};

static int fail(struct reading *r, const char *wanted)
{
    char here[16];
    return crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, r->reader->line, r->reader->col,
                       "expected %s, found %s", wanted, crl_reader_here(r->reader, here));
}

// ---- words

static bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static void skip_blanks(struct reading *r)
{
    while (r->reader->c == ' ' || r->reader->c == '\t' || r->reader->c == '\r') crl_reader_next(r->reader);
}

static int read_word(struct reading *r, char word[LABEL_MAX])
{
    size_t length = 0;
    skip_blanks(r);
    if (!is_letter(r->reader->c)) return fail(r, "a word");
    for (; is_letter(r->reader->c) || is_digit(r->reader->c); crl_reader_next(r->reader)) {
        if (length + 1 == LABEL_MAX) return fail(r, "a shorter word");
        word[length++] = (char)r->reader->c;
    }
    word[length] = 0;
    return 0;
}

static int read_number(struct reading *r, const char *what, uint32_t *number)
{
    skip_blanks(r);
    return crl_reader_number(r->reader, what, number, r->diag);
}

static int expect_word(struct reading *r, const char *wanted)
{
    char word[LABEL_MAX];
    uint64_t line = r->reader->line, col = r->reader->col;
    int error = read_word(r, word);
    if (!error && strcmp(word, wanted))
        error =
            crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, line, col, "expected '%s', found '%s'", wanted, word);
    return error;
}

static int expect_char(struct reading *r, char c)
{
    char text[16];
    skip_blanks(r);
    snprintf(text, sizeof text, "'%c'", c);
    if (r->reader->c != c) return fail(r, text);
    crl_reader_next(r->reader);
    return 0;
}

static int expect_end(struct reading *r)
{
    skip_blanks(r);
    if (r->reader->c == EOF) return 0;
    if (r->reader->c != '\n') return fail(r, "the end of the line");
    crl_reader_next(r->reader);
    return 0;
}

// A comment, of which only those that say a slot or a collective mean something.
static int read_comment(struct reading *r)
{
    char text[96] = "";
    size_t length = 0;
    crl_reader_next(r->reader);
    bool block = r->reader->c == '*';
    if (!block && r->reader->c != '/') return fail(r, "'//' or '/*'");
    crl_reader_next(r->reader);
    for (int before = 0; r->reader->c != EOF; crl_reader_next(r->reader)) {
        int c = r->reader->c;
        if (block ? before == '*' && c == '/' : c == '\n') break;
        if (length + 1 < sizeof text) text[length++] = (char)c;
        before = c;
    }
    text[length] = 0;
    if (block && r->reader->c == EOF) return fail(r, "'*/'");
    crl_reader_next(r->reader);
    unsigned slot;
    if (sscanf(text, " slot %9u", &slot) == 1) r->slot = slot;
    if (!block) sscanf(text, " collective %63[a-z-]", r->program->collective);
    if (!block) sscanf(text, " root %9u", &r->program->root);
    return 0;
}

// ---- operations

static int read_transfer(struct reading *r, bool sends, struct crl_step *op)
{
    char word[LABEL_MAX];
    uint32_t size, peer = 0, tag = 0, other;
    int error = read_number(r, "number of bytes", &size);
    if (!error) error = expect_char(r, 'b');
    if (!error) error = expect_word(r, sends ? "to" : "from");
    skip_blanks(r);
    uint64_t col = r->reader->col;
    if (!error) error = read_number(r, "number of a rank", &peer);
    if (!error && (peer >= r->program->ranks || peer == r->rank))
        error =
            crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, r->reader->line, col, "'%u' is no other rank", peer);
    for (skip_blanks(r); !error && is_letter(r->reader->c); skip_blanks(r)) {
        col = r->reader->col;
        error = read_word(r, word);
        bool is_tag = !error && !strcmp(word, "tag");
        if (!error && !is_tag && strcmp(word, "cpu") && strcmp(word, "nic"))
            error = crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, r->reader->line, col,
                                "expected 'tag', 'cpu' or 'nic', found '%s'", word);
        if (!error) error = read_number(r, word, is_tag ? &tag : &other);
    }
    op->kind = sends ? CRL_STEP_SEND : CRL_STEP_RECV;
    op->peer = peer;
    op->channel = tag;
    op->src = op->dst = (struct crl_cell){CRL_PACKETS, r->rank, tag};
    if (sends) {
        op->slot = r->slot;
        r->slot = 0;
    }
    return error;
}

static int read_operation(struct reading *r, const char *word, struct crl_step op)
{
    uint32_t length, cpu;
    int error = 0;
    if (!strcmp(word, "send")) error = read_transfer(r, true, &op);
    else if (!strcmp(word, "recv")) error = read_transfer(r, false, &op);
    else if (strcmp(word, "calc"))
        return crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, op.line, op.col,
                           "expected 'send', 'recv' or 'calc', found '%s'", word);
    else {
        error = read_number(r, "length of a calculation", &length);
        op.time = length;
        skip_blanks(r);
        if (!error && is_letter(r->reader->c)) {
            error = expect_word(r, "cpu");
            if (!error) error = read_number(r, "number of a processor", &cpu);
        }
    }
    if (!error) error = crl_program_thread(r->program, r->diag);
    return error ? error : crl_program_add(r->program, op, r->diag);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

// A line of a rank: an operation, with a label or without, or what one requires.
static int read_line(struct reading *r)
{
    char word[LABEL_MAX], more[LABEL_MAX];
    struct crl_step op = {.kind = CRL_STEP_NOP, .rank = r->rank, .line = r->reader->line, .col = r->reader->col};
    int error = read_word(r, word);
    skip_blanks(r);
    if (error) return error;
    if (r->reader->c == ':') {
        crl_reader_next(r->reader);
        error = read_word(r, more);
        if (!error) error = read_operation(r, more, op);
        if (!error && crl_grow((void **)&r->label, &r->label_room, r->labels, sizeof *r->label))
            error = crl_fail_memory(r->diag);
        if (error) return error;
        struct label *l = &r->label[r->labels++];
        memcpy(l->name, word, sizeof word);
        l->op = r->program->ops - 1;
        return expect_end(r);
    }
    if (!is_letter(r->reader->c)) {
        error = read_operation(r, word, op);
        return error ? error : expect_end(r);
    }
    error = read_word(r, more);
    if (!error && strcmp(more, "requires") && strcmp(more, "irequires")) error = fail(r, "'requires' before it");
    if (!error && crl_grow((void **)&r->pending, &r->pending_room, r->pendings + 1, sizeof *r->pending))
        error = crl_fail_memory(r->diag);
    if (error) return error;
    // Two entries: who requires, and what.
    struct pending *p = &r->pending[r->pendings];
    *p = (struct pending){.line = op.line, .col = op.col};
    memcpy(p->name, word, sizeof word);
    skip_blanks(r);
    p[1] = (struct pending){.line = r->reader->line, .col = r->reader->col};
    error = read_word(r, p[1].name);
    r->pendings += 2;
    return error ? error : expect_end(r);
}

static int find_label(struct reading *r, struct pending *p)
{
    struct label key, *found;
    memcpy(key.name, p->name, sizeof key.name);
    found = r->labels ? bsearch(&key, r->label, r->labels, sizeof key, by_name) : NULL;
    if (!found)
        return crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, p->line, p->col, "rank %u has no label '%s'",
                           r->rank, p->name);
    p->op = found->op;
    return 0;
}

static int by_op(const void *a, const void *b)
{
    size_t x = ((const struct pending *)a)->op, y = ((const struct pending *)b)->op;
    return x < y ? -1 : x > y;
}

// Pairs of who requires and what, at the end of a rank.
static int end_rank(struct reading *r)
{
    int error = 0;
    if (r->labels) qsort(r->label, r->labels, sizeof *r->label, by_name);
    for (size_t i = 0; i + 1 < r->labels; i++)
        if (!by_name(&r->label[i], &r->label[i + 1]))
            return crl_program_fail(r->program, &r->program->op[r->label[i + 1].op], r->diag,
                                    "label '%s' is there twice", r->label[i].name);
    for (size_t i = 0; i < r->pendings && !error; i++) error = find_label(r, &r->pending[i]);
    if (r->pendings && !error) qsort(r->pending, r->pendings / 2, 2 * sizeof *r->pending, by_op);
    for (size_t i = 0; i < r->pendings && !error; i += 2)
        error = crl_program_depend(r->program, r->pending[i].op, r->pending[i + 1].op, r->diag);
    r->labels = r->pendings = 0;
    return error;
}

// ---- the whole

static int read_rank(struct reading *r, bool *seen)
{
    uint64_t line = r->reader->line, col = r->reader->col;
    int error = read_number(r, "number of a rank", &r->rank);
    if (!error && (r->rank >= r->program->ranks || seen[r->rank]))
        error = crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, line, col, "rank '%u' is %s", r->rank,
                            r->rank >= r->program->ranks ? "not one of 'num_ranks'" : "there twice");
    if (!error) error = expect_char(r, '{');
    if (!error) seen[r->rank] = true;
    while (!error) {
        skip_blanks(r);
        if (r->reader->c == '}') break;
        if (r->reader->c == '\n') crl_reader_next(r->reader);
        else if (r->reader->c == '/') error = read_comment(r);
        else if (r->reader->c == EOF) error = fail(r, "'}'");
        else error = read_line(r);
    }
    if (error) return error;
    crl_reader_next(r->reader);
    return end_rank(r);
}

static int read_all(struct reading *r, bool *seen)
{
    int error = 0;
    while (!error && r->reader->c != EOF) {
        skip_blanks(r);
        if (r->reader->c == '\n') {
            crl_reader_next(r->reader);
        } else if (r->reader->c == '/') {
            error = read_comment(r);
        } else if (r->reader->c != EOF && !r->program->ranks) {
            error = expect_word(r, "num_ranks");
            uint64_t line = r->reader->line, col = r->reader->col;
            if (!error) error = read_number(r, "number of ranks", &r->program->ranks);
            if (!error && (!r->program->ranks || r->program->ranks > RANKS_MAX))
                error = crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, line, col, "'%u' ranks; 1 to %d are read",
                                    r->program->ranks, RANKS_MAX);
        } else if (r->reader->c != EOF) {
            error = expect_word(r, "rank");
            if (!error) error = read_rank(r, seen);
        }
    }
    if (!error && !r->program->ranks) error = fail(r, "'num_ranks'");
    return error;
}

int crl_read_goal(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag)
{
    CRL_OWNED struct crl_reader *reader = malloc(sizeof *reader);
    CRL_OWNED bool *seen = calloc(RANKS_MAX, sizeof *seen);
    struct reading r = {.program = program, .reader = reader, .diag = diag};
    program->by_packet = true;
    program->root = CRL_NONE;
    int error = reader && seen ? 0 : crl_fail_memory(diag);
    if (!error) {
        crl_reader_init_bytes(reader, text, length, program->file, 1);
        error = read_all(&r, seen);
    }
    CRL_FREE(r.label, r.pending);
    return error;
}
