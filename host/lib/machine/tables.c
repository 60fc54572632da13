// SPDX-License-Identifier: Apache-2.0
#include "machine/tables.h"
#include <stdlib.h>

// All rows of a table, [rows][row_words], the idle ones too. The caller frees.
static int rows_of(uint32_t **bits, const struct crl_tables *t, uint32_t table, struct crl_diag *diag)
{
    *bits = malloc(sizeof **bits * t->rows * t->store->row_words);
    if (!*bits) return crl_fail_memory(diag);
    crl_row_store_table(t->store, table, t->rows, *bits);
    return 0;
}

enum { SPELLED = CRL_ROW_WORDS_MAX * 8 + 1 };

static void spell(const uint32_t *bits, uint32_t row_bits, char text[SPELLED])
{
    uint32_t digits = (row_bits + 3) / 4;
    for (uint32_t i = 0; i < digits; i++) {
        uint32_t digit = digits - 1 - i;
        text[i] = "0123456789abcdef"[bits[digit / 8] >> digit % 8 * 4 & 15];
    }
    text[digits] = 0;
}

void crl_row_spell(const uint32_t *bits, uint32_t row_bits, FILE *file)
{
    char text[SPELLED];
    spell(bits, row_bits, text);
    fprintf(file, "%s\n", text);
}

int crl_dump_readmemh(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                      FILE *file, struct crl_diag *diag)
{
    struct crl_tables t = image->machine->tables(image);
    CRL_OWNED uint32_t *rows = NULL;
    (void)schedule;
    if (table == CRL_NONE && t.count > 1)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the image has %u tables; say which with --table", t.count);
    int error = rows_of(&rows, &t, table == CRL_NONE ? 0 : table, diag);
    for (uint32_t r = 0; r < t.rows && !error; r++)
        crl_row_spell(rows + (size_t)r * t.store->row_words, t.row_bits, file);
    return error;
}

static int print_c(const struct crl_tables *t, uint32_t table, FILE *file, struct crl_diag *diag)
{
    CRL_OWNED uint32_t *rows = NULL;
    int error = rows_of(&rows, t, table, diag);
    if (error) return error;
    fprintf(file, "\nstatic const uint32_t crl_table_%u[CRL_ROWS][CRL_ROW_WORDS] = {\n", table);
    for (uint32_t r = 0; r < t->rows; r++) {
        const uint32_t *bits = rows + (size_t)r * t->store->row_words;
        fputs("    {", file);
        for (uint32_t w = 0; w < t->store->row_words; w++) fprintf(file, "%s0x%08xu", w ? ", " : "", bits[w]);
        fputs("},\n", file);
    }
    fputs("};\n", file);
    return 0;
}

int crl_dump_c(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table, FILE *file,
               struct crl_diag *diag)
{
    struct crl_tables t = image->machine->tables(image);
    int error = 0;
    (void)schedule;
    fprintf(file,
            "// %s (%s) on %s\n#include <stdint.h>\n\nenum { CRL_ROWS = %u, CRL_ROW_WORDS = %u, CRL_ROW_BITS = %u, "
            "CRL_NODES = %u };\n",
            t.collective, t.scheme, t.topology, t.rows, t.store->row_words, t.row_bits, t.nodes);
    for (uint32_t i = 0; i < t.count && !error; i++)
        if (crl_table_chosen(table, i)) error = print_c(&t, i, file, diag);
    if (error || !t.node_table) return error;
    fputs("\nstatic const uint32_t crl_node_table[CRL_NODES] = {", file);
    for (uint32_t v = 0; v < t.nodes; v++)
        fprintf(file, "%s%u", v % 16 ? ", " : v ? ",\n    " : "\n    ", t.node_table[v]);
    fputs("\n};\n", file);
    return 0;
}

// The rows of a table as an array of what $readmemh takes. NULL: out of memory.
static json_t *rows_json(const struct crl_tables *t, uint32_t table)
{
    char text[SPELLED];
    CRL_OWNED uint32_t *rows = NULL;
    if (rows_of(&rows, t, table, NULL)) return NULL;
    json_t *list = json_array();
    for (uint32_t r = 0; r < t->rows; r++) {
        spell(rows + (size_t)r * t->store->row_words, t->row_bits, text);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

int crl_dump_json(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                  FILE *file, struct crl_diag *diag)
{
    struct crl_tables t = image->machine->tables(image);
    json_t *summary = crl_summary(schedule, image), *contents = json_array(), *plays = json_array();
    int bad = 0;
    for (uint32_t i = 0; i < t.count && !bad; i++)
        if (crl_table_chosen(table, i))
            bad = json_array_append_new(contents, json_pack("{s:i, s:o}", "table", (int)i, "rows",
                                                            t.json ? t.json(image, i) : rows_json(&t, i)));
    for (uint32_t v = 0; v < t.nodes; v++)
        json_array_append_new(plays, json_integer(t.node_table ? t.node_table[v] : v));
    if (!bad) bad = json_object_set(summary, "contents", contents) || json_object_set(summary, "node_table", plays);
    json_decref(contents);
    json_decref(plays);
    if (!bad) bad = json_dumpf(summary, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(summary);
    fputc('\n', file);
    return bad ? crl_fail_memory(diag) : 0;
}

// A string as JSON has it.
static void print_string(const char *text, FILE *file)
{
    json_t *string = json_string(text);
    if (json_dumpf(string, file, JSON_ENCODE_ANY)) fputs("null", file);
    json_decref(string);
}

void crl_json_head(const char *algorithm, const char *topology, const char *columns, FILE *file)
{
    fputs("{\n  \"algorithm\": ", file);
    print_string(algorithm, file);
    fputs(",\n  \"topology\": ", file);
    print_string(topology, file);
    fprintf(file, ",\n  \"columns\": [%s],\n  \"rows\": [", columns);
}
