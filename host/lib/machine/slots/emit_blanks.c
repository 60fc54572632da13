// SPDX-License-Identifier: Apache-2.0
// What stands for the keys of an emitted fabric's templates, and the files that are written from these.
#include "machine/slots/emission.h"
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void set(struct blanks *b, const char *key, const char *value)
{
    assert(b->count < BLANKS);
    b->blank[b->count++] = (struct crl_blank){key, value};
}

void own(struct blanks *b, const char *key, char *text)
{
    b->failed |= !text;
    b->owned[b->count] = text;
    set(b, key, text);
}

void say(struct blanks *b, const char *key, const char *format, ...)
{
    struct list text;
    va_list arguments;
    list_begin(&text, 0);
    va_start(arguments, format);
    if (text.file) vfprintf(text.file, format, arguments);
    va_end(arguments);
    own(b, key, list_end(&text));
}

void set_texts(struct blanks *b, const struct crl_blank *texts)
{
    for (; texts->key; texts++) set(b, texts->key, texts->value);
}

void say_numbers(struct blanks *b, const struct blank_number *numbers)
{
    for (; numbers->key; numbers++) say(b, numbers->key, "%llu", (unsigned long long)numbers->value);
}

void set_flags(struct blanks *b, const struct blank_number *flags)
{
    for (; flags->key; flags++) set(b, flags->key, flags->value ? "1" : "");
}

void blanks_done(struct blanks *b)
{
    for (size_t i = 0; i < b->count; i++) free(b->owned[i]);
}

void say_fabric(struct blanks *b, struct emission *e)
{
    const struct crl_geometry *g = &e->geometry;
    const uint32_t all = e->nodes * g->streams, tables = sequencers(e),
                   row_bits = e->table_rows > 1 ? crl_bits_for(e->table_rows) : 1;
    set(b, "TOP", e->top);
    SAY_NUMBERS(b, {"NODES", e->nodes}, {"PORTS", g->ports}, {"LANES", g->lanes}, {"BANKS", g->banks},
                {"WRITE_XBAR", g->write_xbar}, {"DELAY", g->delay}, {"WADDR_FIELD", g->waddr_field},
                {"STORE", !g->storeless}, {"RESET_BANKS", e->reset_banks}, {"ADDR_WIDTH", g->addr_width},
                {"WORDS", g->words}, {"ROWS", g->rows}, {"LAST_ROW", g->rows - 1}, {"ROW_BITS", row_bits},
                {"ROW_HIGH", row_bits - 1}, {"ROW_WIDTH", crl_row_bits(g)}, {"TABLES", tables},
                {"TABLE_BITS", tables > 1 ? crl_bits_for(tables) : 1}, {"SHARED", tables == 1}, {"ALL", all},
                {"ALL_HIGH", all - 1}, {"DATA_HIGH", all * g->data_width - 1}, {"PEER_HIGH", all * peer_bits(e) - 1});
    if (g->streams > 1) say(b, "STREAM_AT", "j of node v is at index v * %u + j", g->streams);
    else set(b, "STREAM_AT", "of node v is at index v");
    own(b, "WHAT", what_list(e));
    own(b, "NEIGHBOURS", neighbour_list(e));
    own(b, "LATENCIES", latency_list(e));
    own(b, "FEEDS", count_list(e, true));
    own(b, "SHOWS", count_list(e, false));
    own(b, "CONSTANTS", e->inlined ? constant_list(e) : strdup(""));
}

int write_files(const struct emission *e, size_t count, const char *const files[][2], const struct blanks *b)
{
    int error = b->failed ? crl_fail_memory(e->diag) : 0;
    for (size_t i = 0; i < count && !error; i++) {
        char name[NAME_MAX];
        snprintf(name, sizeof name, files[i][0], e->top);
        error = crl_emit_template(e->folder, name, files[i][1], b->blank, e->diag);
    }
    return error;
}

int write_top(const struct emission *e, const char *from, size_t count, const char *const files[][2], const char *names,
              struct blanks *b)
{
    const char *const top[][2] = {{"rtl/%s_tables.svh", "tables.svh"}, {"%s.sv", from}};
    CRL_OWNED char *what = what_list(e);
    char *instance = NULL;
    int error = what ? write_files(e, e->inlined ? 2 : 1, top + !e->inlined, b) : crl_fail_memory(e->diag);
    if (!error) error = crl_emit_instance(&instance, e->folder, e->top, e->diag);
    if (!error) own(b, "INSTANCE", instance);
    if (!error) error = write_files(e, count, files, b);
    if (error) return error;
    return e->verilog ? crl_emit_verilog(e->folder, e->top, e->diag)
                      : crl_emit_ipxact(e->folder, e->top, names, what, e->diag);
}
