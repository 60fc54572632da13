// SPDX-License-Identifier: Apache-2.0
// Schedules as text: what readers and writers share.
#include "schedule/csv.h"
#include <stdlib.h>
#include <string.h>

// ---- reading

static int bad_header(struct crl_reader *reader, const char *kind, const char *must, struct crl_diag *diag)
{
    uint64_t line = reader->line, col = reader->col;
    int c = reader->c;
    int error = col == 1 ? crl_refuse_mark(reader->bytes, reader->filled, reader->name, diag) : 0;
    if (error) return error;
    if (line == 1 && col == 1 && c == EOF)
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, 1, 1, "the file is empty: the first line must be %s",
                           must);
    if (col == 1 && c >= '0' && c <= '9')
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, line, col,
                           "the header is missing: the first line must be %s", must);
    if (c == ';' || c == '\t' || c == ' ')
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, line, col,
                           "%s in the header; commas alone must separate columns: %s",
                           c == ';'    ? "a semicolon"
                           : c == '\t' ? "a tab"
                                       : "a space",
                           must);
    return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, line, col, "not %s: the first line must be %s", kind, must);
}

int crl_csv_header(struct crl_reader *reader, const char *header, const char *kind, const char *must,
                   struct crl_diag *diag)
{
    for (const char *h = header; *h; h++, crl_reader_next(reader))
        if (reader->c != *h) return bad_header(reader, kind, must, diag);
    return 0;
}

int crl_csv_number(struct crl_reader *reader, const char *what, uint32_t *number, struct crl_diag *diag)
{
    if (reader->c == ' ' || reader->c == '\t')
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, reader->col,
                           "a %s before the %s; leave it out", reader->c == ' ' ? "space" : "tab", what);
    return crl_reader_number(reader, what, number, diag);
}

int crl_csv_expect(struct crl_reader *reader, char c, const char *after, struct crl_diag *diag)
{
    char here[16];
    if (reader->c != c)
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, reader->col,
                           "expected '%c' after the %s, found %s%s", c, after, crl_reader_here(reader, here),
                           c == ',' && reader->c == ';' ? "; columns are separated by commas" : "");
    crl_reader_next(reader);
    return 0;
}

int crl_csv_end_of_line(struct crl_reader *reader, const char *after, struct crl_diag *diag)
{
    char here[16];
    if (reader->c == '\r') crl_reader_next(reader);
    if (reader->c != '\n')
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, reader->col,
                           "expected the end of the line after the %s, found %s%s", after,
                           crl_reader_here(reader, here), reader->c == EOF ? "; the file is cut off" : "");
    crl_reader_next(reader);
    return 0;
}

// ---- writing

enum { DIGITS = 4, NUMBERS = 10000 };

int crl_csv_text_init(struct crl_csv_text *text, const struct crl_schedule *schedule)
{
    text->naming = schedule->naming;
    text->demands = schedule->demands;
    text->digits = malloc(sizeof *text->digits * NUMBERS);
    if (!text->digits) return CRL_ERR_MEMORY;
    for (uint32_t n = 0; n < NUMBERS; n++) {
        struct crl_csv_digits *d = &text->digits[n];
        uint32_t rest = n;
        for (int i = DIGITS; i-- > 0; rest /= 10) d->padded[i] = (char)('0' + rest % 10);
        d->length = (uint8_t)(n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : DIGITS);
    }
    return 0;
}

void crl_csv_text_done(struct crl_csv_text *text) { free(text->digits); }

static inline char *put_short(const struct crl_csv_digits *digits, char *out, uint32_t number)
{
    const struct crl_csv_digits *d = &digits[number];
    memcpy(out, d->padded + DIGITS - d->length, DIGITS); // and some more than the number has
    return out + d->length;
}

static char *put_long(const struct crl_csv_digits *digits, char *out, uint32_t number)
{
    if (number < NUMBERS) return put_short(digits, out, number);
    out = put_long(digits, out, number / NUMBERS);
    memcpy(out, digits[number % NUMBERS].padded, DIGITS);
    return out + DIGITS;
}

static inline char *put(const struct crl_csv_digits *digits, char *out, uint32_t number)
{
    return number < NUMBERS ? put_short(digits, out, number) : put_long(digits, out, number);
}

// A demand's name, and behind it the packet's number.
static char *put_demand(const struct crl_csv_text *text, char *out, const struct crl_move *m)
{
    crl_packet_name(text->naming, text->demands, m->origin, m->dest, out);
    return out + strlen(out);
}

char *crl_csv_rows(const struct crl_csv_text *text, char *out, const struct crl_move *moves, size_t count)
{
    const struct crl_csv_digits *digits = text->digits;
    char separator = crl_naming_separator(text->naming);
    for (const struct crl_move *m = moves; m < moves + count; m++) {
        out = put(digits, out, m->slot);
        *out++ = ',';
        out = put(digits, out, m->src);
        *out++ = ',';
        out = put(digits, out, m->dst);
        *out++ = ',';
        if (text->demands) out = put_demand(text, out, m);
        else out = put(digits, out, m->origin);
        if (separator && !text->demands) {
            *out++ = separator;
            out = put(digits, out, crl_packet_dest(text->naming, m->dest));
        }
        if (text->naming == CRL_NAMING_SPLIT_PAIR) {
            *out++ = '.';
            out = put(digits, out, m->dest & ((1u << CRL_PART_BITS) - 1));
        }
        *out++ = '\n';
    }
    return out;
}
