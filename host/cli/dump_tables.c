// SPDX-License-Identifier: Apache-2.0
#include "dump_tables.h"
#include <stdlib.h>

int dump_table_open(struct dump_table *table, const struct crl_row_store *store, uint32_t number, uint32_t rows,
                    uint32_t row_bits, struct crl_diag *diag)
{
    *table = (struct dump_table){malloc(sizeof *table->bits * rows * store->row_words), rows, row_bits};
    if (!table->bits) return crl_fail_memory(diag);
    crl_row_store_table(store, number, rows, table->bits);
    return 0;
}

void dump_table_close(struct dump_table *table) { free(table->bits); }

void dump_table_hex(const struct dump_table *table, FILE *file)
{
    uint32_t words = (table->row_bits + 31) / 32;
    for (uint32_t r = 0; r < table->rows; r++) {
        const uint32_t *bits = table->bits + (size_t)r * words;
        for (uint32_t digit = (table->row_bits + 3) / 4; digit-- > 0;)
            fputc("0123456789abcdef"[bits[digit / 8] >> digit % 8 * 4 & 15], file);
        fputc('\n', file);
    }
}

void dump_table_c(const struct dump_table *table, uint32_t number, FILE *file)
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
