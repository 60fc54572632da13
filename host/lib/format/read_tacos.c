// SPDX-License-Identifier: Apache-2.0
// TACOS' CSV of an all-gather: a line a link with the chunks that it carries, one after another. Chunk c is part c / N
// of NPU c mod N. A chunk may be followed by a colon and a time, which is left out of account.
#include "base/base.h"
#include "format/program.h"
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 4096, CHUNKS_MAX = 1 << 20, FIELD_MAX = 64 };

struct field {
    char text[FIELD_MAX];
    uint64_t line, col;
};

struct reading {
    struct crl_program *program;
    struct crl_reader *reader;
    uint32_t chunks;
    struct crl_diag *diag;
};

// Reads up to the comma or the end of the line, which stays.
static int read_field(struct reading *r, struct field *f)
{
    struct crl_reader *in = r->reader;
    size_t length = 0;
    f->line = in->line;
    f->col = in->col;
    for (; in->c != ',' && in->c != '\n' && in->c != EOF; crl_reader_next(in)) {
        if (length + 1 == FIELD_MAX)
            return crl_fail_at(r->diag, CRL_ERR_PARSE, in->name, f->line, f->col, "a field of more than %d characters",
                               FIELD_MAX - 1);
        if (in->c != '\r') f->text[length++] = (char)in->c;
    }
    f->text[length] = 0;
    return 0;
}

static int expect(struct reading *r, char c)
{
    char here[16];
    if (r->reader->c != c)
        return crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, r->reader->line, r->reader->col,
                           "expected %s, found %s", c == ',' ? "a comma" : "the end of the line",
                           crl_reader_here(r->reader, here));
    crl_reader_next(r->reader);
    return 0;
}

static int to_number(struct reading *r, const struct field *f, const char *what, uint32_t most, uint32_t *number)
{
    size_t digits = strspn(f->text, "0123456789");
    unsigned long value = strtoul(f->text, NULL, 10);
    bool good = digits && digits < 10 && (!f->text[digits] || f->text[digits] == ':') && value <= most;
    if (!good)
        return crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, f->line, f->col, "%s is 0 to %u, not '%s'", what,
                           most, f->text);
    *number = (uint32_t)value;
    return 0;
}

static int read_number(struct reading *r, const char *what, uint32_t most, uint32_t *number)
{
    struct field f;
    int error = read_field(r, &f);
    return error ? error : to_number(r, &f, what, most, number);
}

// Lines of a name and a value, up to the titles of the columns.
static int read_head(struct reading *r)
{
    struct field f;
    int error = 0;
    while (!error) {
        error = read_field(r, &f);
        bool titles = !error && !strcmp(f.text, "SrcID");
        if (!error) error = expect(r, ',');
        if (!error && !strcmp(f.text, "NPUs Count"))
            error = read_number(r, "the number of NPUs", RANKS_MAX, &r->program->ranks);
        else if (!error && !strcmp(f.text, "Chunks Count"))
            error = read_number(r, "the number of chunks", CHUNKS_MAX, &r->chunks);
        while (!error && r->reader->c != '\n' && r->reader->c != EOF) crl_reader_next(r->reader);
        if (!error) error = expect(r, '\n');
        if (titles) break;
    }
    if (!error && (!r->program->ranks || !r->chunks || r->chunks % r->program->ranks))
        error = crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, f.line, f.col,
                            "'%u' chunks of '%u' NPUs; both must stand above, and come out even", r->chunks,
                            r->program->ranks);
    if (!error) r->program->parts = r->chunks / r->program->ranks;
    return error;
}

static int read_chunk(struct reading *r, uint32_t src, uint32_t dst)
{
    struct crl_program *p = r->program;
    struct field f;
    uint32_t chunk = 0;
    int error = read_field(r, &f);
    if (!error && !strcmp(f.text, "None")) return 0;
    if (!error) error = to_number(r, &f, "a chunk", r->chunks - 1, &chunk);
    if (error) return error;
    uint32_t packet = chunk % p->ranks * p->parts + chunk / p->ranks;
    return crl_program_put(p, src, dst, packet, f.line, f.col, r->diag);
}

static int read_link(struct reading *r)
{
    struct field skipped;
    uint32_t src = 0, dst = 0, most = r->program->ranks - 1;
    uint64_t line = r->reader->line;
    int error = read_number(r, "a source", most, &src);
    if (!error) error = expect(r, ',');
    if (!error) error = read_number(r, "a destination", most, &dst);
    for (int i = 0; i < 2 && !error; i++) { // latency and bandwidth
        error = expect(r, ',');
        if (!error) error = read_field(r, &skipped);
    }
    if (!error && src == dst)
        error = crl_fail_at(r->diag, CRL_ERR_PARSE, r->reader->name, line, 1, "a link from '%u' to itself", src);
    if (!error) error = crl_program_thread(r->program, r->diag);
    while (!error && r->reader->c == ',') {
        crl_reader_next(r->reader);
        error = read_chunk(r, src, dst);
    }
    return error ? error : expect(r, '\n');
}

int crl_read_tacos(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag)
{
    CRL_OWNED struct crl_reader *reader = malloc(sizeof *reader);
    struct reading r = {.program = program, .reader = reader, .diag = diag};
    if (!reader) return crl_fail_memory(diag);
    program->by_packet = true;
    program->root = CRL_NONE;
    strcpy(program->collective, "multinode-broadcast");
    crl_reader_init_bytes(reader, text, length, program->file, 1);
    int error = read_head(&r);
    while (!error && reader->c != EOF) error = read_link(&r);
    return error;
}
