// SPDX-License-Identifier: Apache-2.0
// Certificates as text: docs/formats/certificate.md.
#include "base/base.h"
#include "certify/certify.h"
#include <string.h>

static const char *const kinds[] = {"weights", "growth", "partition", "carrier", "sat"};

void crl_certificate_done(struct crl_certificate *c)
{
    CRL_FREE(c->price, c->to, c->member, c->named, c->ids, c->literal);
    *c = (struct crl_certificate){.parts = 1};
}

int crl_certificate_price(struct crl_certificate *c, struct crl_price price)
{
    return CRL_PUSH(c->price, c->price_room, c->prices, price);
}

int crl_certificate_to(struct crl_certificate *c, uint32_t node, uint64_t line)
{
    return CRL_PUSH(c->to, c->to_room, c->tos, (struct crl_member){node, 0, line});
}

int crl_certificate_member(struct crl_certificate *c, uint32_t node, uint32_t part, uint64_t line)
{
    return CRL_PUSH(c->member, c->member_room, c->members, (struct crl_member){node, part, line});
}

int crl_certificate_name(struct crl_certificate *c, const char *id, bool pack, uint32_t value, uint64_t line)
{
    struct crl_named named = {c->id_count, value, c->members, 0, pack, line};
    int error = CRL_APPEND(c->ids, c->id_room, c->id_count, id, strlen(id) + 1);
    return error ? error : CRL_PUSH(c->named, c->named_room, c->nameds, named);
}

int crl_certificate_set(struct crl_certificate *c, uint32_t node)
{
    c->named[c->nameds - 1].nodes++;
    return crl_certificate_member(c, node, 0, c->named[c->nameds - 1].line);
}

int crl_certificate_literal(struct crl_certificate *c, int32_t literal)
{
    return CRL_PUSH(c->literal, c->literal_room, c->literals, literal);
}

// ---------------------------------------------------------------- reading

struct reading {
    struct crl_reader r;
    struct crl_certificate *certificate;
    struct crl_diag *diag;
    uint32_t seen, part; // header lines that were there, as bits; `part` lines
};

static int fail(struct reading *in, uint64_t col, const char *what, const char *found)
{
    return crl_fail_at(in->diag, CRL_ERR_PARSE, in->r.name, in->r.line, col, "expected %s, found %.40s", what, found);
}

static void skip_blanks(struct reading *in)
{
    while (in->r.c == ' ' || in->r.c == '\t' || in->r.c == '\r') crl_reader_next(&in->r);
    if (in->r.c == '#')
        while (in->r.c != '\n' && in->r.c != EOF) crl_reader_next(&in->r);
}

static bool at_end(const struct reading *in) { return in->r.c == '\n' || in->r.c == EOF; }

// Reads what stands up to the next blank, or with `line` up to the end of the line.
static int read_text(struct reading *in, const char *what, char *text, size_t size, bool line)
{
    size_t used = 0;
    uint64_t col = in->r.col;
    while (!at_end(in) && in->r.c != '\r' && (line || (in->r.c != ' ' && in->r.c != '\t' && in->r.c != '#'))) {
        text[used++] = (char)in->r.c;
        crl_reader_next(&in->r);
        if (used == size)
            return crl_fail_at(in->diag, CRL_ERR_PARSE, in->r.name, in->r.line, col, "the %s is too long", what);
    }
    while (line && used && (text[used - 1] == ' ' || text[used - 1] == '\t')) used--;
    text[used] = 0;
    skip_blanks(in);
    return used ? 0 : fail(in, col, what, "end of line");
}

static int read_number(struct reading *in, const char *what, uint32_t *number, bool any)
{
    *number = CRL_NONE;
    int error = 0;
    if (any && in->r.c == '*') crl_reader_next(&in->r);
    else error = crl_reader_number(&in->r, what, number, in->diag);
    char here[16];
    uint64_t col = in->r.col;
    if (!error && !at_end(in) && !strchr(" \t\r#", in->r.c))
        return fail(in, col, "a blank", crl_reader_here(&in->r, here));
    if (!error) skip_blanks(in);
    return error;
}

// Which of `count` words it is.
static int read_word(struct reading *in, const char *what, const char *const *words, uint32_t count, uint32_t *which)
{
    char text[32];
    uint64_t col = in->r.col;
    int error = read_text(in, what, text, sizeof text, false);
    if (error) return error;
    for (*which = 0; *which < count; ++*which)
        if (!strcmp(text, words[*which])) return 0;
    char found[sizeof text + 2];
    snprintf(found, sizeof found, "'%s'", text);
    return fail(in, col, what, found);
}

static int read_price(struct reading *in, uint32_t payer)
{
    struct crl_price p = {payer, CRL_NONE, CRL_NONE, 0, 0, 0, in->r.line};
    int error = 0;
    if (payer != CRL_PAYS_RECV) error = read_number(in, "number of a node", &p.from, true);
    if (!error && payer != CRL_PAYS_SEND) error = read_number(in, "number of a node", &p.to, true);
    if (!error) error = read_number(in, "price", &p.price, false);
    if (!error && !at_end(in)) {
        error = read_number(in, "slots at the beginning", &p.after, false);
        if (!error) error = read_number(in, "slots at the end", &p.before, false);
    }
    return error ? error : crl_certificate_price(in->certificate, p);
}

static int read_nodes(struct reading *in, bool part)
{
    uint32_t node;
    do {
        int error = read_number(in, "number of a node", &node, false);
        if (!error && part) error = crl_certificate_member(in->certificate, node, in->part, in->r.line);
        if (!error && !part) error = crl_certificate_to(in->certificate, node, in->r.line);
        if (error) return error;
    } while (!at_end(in));
    in->part += part;
    return 0;
}

static bool is_of_demands(const struct reading *in) { return *in->certificate->demands; }

// The id of a demand, and what it pays.
static int read_named(struct reading *in, bool pack)
{
    struct crl_certificate *c = in->certificate;
    char id[CRL_DEMAND_ID_MAX + 1];
    uint32_t value, node;
    int error = read_text(in, "id of a demand", id, sizeof id, false);
    if (!error) error = read_number(in, pack ? "value" : "number of a node", &value, false);
    if (!error) error = crl_certificate_name(c, id, pack, value, in->r.line);
    while (!error && pack && (!at_end(in) || !c->named[c->nameds - 1].nodes)) {
        error = read_number(in, "number of a node", &node, false);
        if (!error) error = crl_certificate_set(c, node);
    }
    return error;
}

static int read_hash(struct reading *in)
{
    uint64_t col = in->r.col;
    char text[80];
    int error = read_text(in, "hash", text, sizeof text, false);
    if (error) return error;
    if (strlen(text) != 71 || strncmp(text, "sha256:", 7) != 0 || strspn(text + 7, "0123456789abcdef") != 64)
        return fail(in, col, "sha256: and 64 hexadecimal digits", text);
    memcpy(in->certificate->demands, text + 7, 65);
    return 0;
}

static int read_clause(struct reading *in)
{
    while (!at_end(in)) {
        bool negative = in->r.c == '-';
        uint64_t col = in->r.col;
        uint32_t variable;
        if (negative) crl_reader_next(&in->r);
        int error = read_number(in, "literal", &variable, false);
        if (!error && (!variable || variable > INT32_MAX))
            error = fail(in, col, "a variable from 1 to 2^31 - 1", "another");
        if (!error) error = crl_certificate_literal(in->certificate, negative ? -(int32_t)variable : (int32_t)variable);
        if (error) return error;
    }
    return crl_certificate_literal(in->certificate, 0);
}

enum {
    TOPOLOGY,
    COLLECTIVE,
    PORTS,
    SLOTS,
    KIND,
    ROOT,
    PARTS,
    CHUNKS,
    LATENCY,
    DEMANDS,
    PERIOD,
    FROM,
    TO,
    PART,
    PACK,
    CLAUSE,
    PRICES
};
static const char *const lines[] = {"topology", "collective",   "ports",   "slots",  "kind", "root", "parts",
                                    "chunks",   "link-latency", "demands", "period", "from", "to",   "part",
                                    "pack",     "clause",       "link",    "send",   "recv", "cable"};
enum {
    LINES = sizeof lines / sizeof *lines,
    NEEDED = (1 << TOPOLOGY) | (1 << COLLECTIVE) | (1 << PORTS) | (1 << SLOTS)
};

static int read_header(struct reading *in, uint32_t what)
{
    static const char *const ports[] = {"all", "single"};
    struct crl_certificate *c = in->certificate;
    uint32_t word = 0;
    int error = 0;
    switch (what) {
    case TOPOLOGY: return read_text(in, "topology", c->topology, sizeof c->topology, true);
    case COLLECTIVE: return read_text(in, "collective", c->collective, sizeof c->collective, false);
    case LATENCY: return read_text(in, "latencies", c->latency, sizeof c->latency, false);
    case SLOTS: return read_number(in, "number of slots", &c->slots, false);
    case ROOT: return read_number(in, "root", &c->root, false);
    case PARTS: return read_number(in, "number of parts", &c->parts, false);
    case CHUNKS: return read_number(in, "number of chunks", &c->chunks, false);
    case DEMANDS: return read_hash(in);
    case PERIOD: return read_number(in, "number of slots", &c->period, false);
    case FROM: return read_number(in, "number of a node", &c->from, false);
    case PORTS:
        error = read_word(in, "all or single", ports, 2, &word);
        c->single = word;
        return error;
    default:
        error = read_word(in, "weights, growth, partition, carrier or sat", kinds, sizeof kinds / sizeof *kinds, &word);
        c->kind = (enum crl_certificate_kind)word;
        return error;
    }
}

static int read_line(struct reading *in)
{
    uint32_t what;
    uint64_t col = in->r.col;
    int error = read_word(in, "a line of a certificate", lines, LINES, &what);
    if (error) return error;
    if (what < TO && in->seen & 1u << what)
        return crl_fail_at(in->diag, CRL_ERR_PARSE, in->r.name, in->r.line, col, "a second line '%s'", lines[what]);
    if (what == KIND && (in->seen & NEEDED) != NEEDED)
        return crl_fail_at(in->diag, CRL_ERR_PARSE, in->r.name, in->r.line, col,
                           "topology, collective, ports and slots must stand before the kind");
    if ((what >= FROM) != !!(in->seen & 1u << KIND))
        return crl_fail_at(in->diag, CRL_ERR_PARSE, in->r.name, in->r.line, col, "'%s' must stand %s the kind",
                           lines[what], what >= FROM ? "after" : "before");
    in->seen |= what < TO ? 1u << what : 0;
    error = what >= PRICES                                      ? read_price(in, what - PRICES)
            : what == CLAUSE                                    ? read_clause(in)
            : what == PACK || (what == TO && is_of_demands(in)) ? read_named(in, what == PACK)
            : what >= TO                                        ? read_nodes(in, what == PART)
                                                                : read_header(in, what);
    char here[16];
    if (!error && !at_end(in)) error = fail(in, in->r.col, "the end of the line", crl_reader_here(&in->r, here));
    return error;
}

int crl_certificate_read(struct crl_certificate *c, FILE *file, const char *name, struct crl_diag *diag)
{
    struct reading in = {.certificate = c, .diag = diag};
    *c = (struct crl_certificate){.parts = 1, .from = CRL_NONE};
    crl_reader_init(&in.r, file, name);
    int error = 0;
    for (skip_blanks(&in); !error && in.r.c != EOF; skip_blanks(&in)) {
        error = in.r.c == '\n' ? 0 : read_line(&in);
        if (!error && in.r.c == '\n') crl_reader_next(&in.r);
    }
    if (error) return error == CRL_ERR_MEMORY ? crl_fail_memory(diag) : error;
    if (ferror(file)) return crl_fail_at(diag, CRL_ERR_IO, name, in.r.line, 0, "cannot read on");
    if (!(in.seen & 1u << KIND))
        return crl_fail_at(diag, CRL_ERR_PARSE, name, in.r.line, in.r.col,
                           in.seen ? "the file ends before the kind" : "the file is empty");
    return 0;
}
