// SPDX-License-Identifier: Apache-2.0
#include "form/tables.h"
#include <stdlib.h>

int crl_table_open(struct crl_table *table, const struct crl_row_store *store, uint32_t number, uint32_t rows,
                   uint32_t row_bits, struct crl_diag *diag)
{
    *table = (struct crl_table){malloc(sizeof *table->bits * rows * store->row_words), rows, row_bits};
    if (!table->bits) return crl_fail_memory(diag);
    crl_row_store_table(store, number, rows, table->bits);
    return 0;
}

void crl_table_close(struct crl_table *table) { free(table->bits); }

void crl_table_hex(const struct crl_table *table, FILE *file)
{
    uint32_t words = (table->row_bits + 31) / 32;
    for (uint32_t r = 0; r < table->rows; r++) {
        const uint32_t *bits = table->bits + (size_t)r * words;
        for (uint32_t digit = (table->row_bits + 3) / 4; digit-- > 0;)
            fputc("0123456789abcdef"[bits[digit / 8] >> digit % 8 * 4 & 15], file);
        fputc('\n', file);
    }
}

void crl_table_c(const struct crl_table *table, uint32_t number, FILE *file)
{
    uint32_t words = (table->row_bits + 31) / 32;
    fprintf(file, "\nstatic const uint32_t crl_table_%u[CRL_ROWS][CRL_ROW_WORDS] = {\n", number);
    for (uint32_t r = 0; r < table->rows; r++) {
        const uint32_t *bits = table->bits + (size_t)r * words;
        fputs("    {", file);
        for (uint32_t w = 0; w < words; w++) fprintf(file, "%s0x%08xu", w ? ", " : "", bits[w]);
        fputs("},\n", file);
    }
    fputs("};\n", file);
}

int crl_dump_json(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                  FILE *file, struct crl_diag *diag)
{
    json_t *summary = image->form->summary(schedule);
    (void)table;
    image->form->image_summary(image, summary);
    int bad = json_dumpf(summary, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
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
