// SPDX-License-Identifier: Apache-2.0
// Tables and maps of an emitted fabric as its AXI4-Lite port takes them: registers and values in their order.
#include "machine/slots/emission.h"
#include "machine/tables.h"
#include <stdlib.h>
#include <string.h>

// Registers of rtl/stream/crl_table_port.sv by their addresses, and what SELECT names.
enum { SELECT = 0x0c, ENTRY = 0x10, DATA = 0x14 };
enum kind { TABLES, MAPS_IN, MAPS_OUT, NUMBERS };

static void write_register(uint32_t address, uint32_t value, FILE *file)
{
    fprintf(file, "%02x_%08x\n", address, value);
}

void write_entry(const uint32_t *bits, uint32_t width, enum entry_form form, FILE *file)
{
    uint32_t marked[CRL_ROW_WORDS_MAX + 1] = {0};
    switch (form) {
    case AS_NUMBER: crl_row_spell(bits, width, file); break;
    case AS_MARKED:
        memcpy(marked, bits, sizeof *bits * ((width + 31) / 32));
        marked[width / 32] |= UINT32_C(1) << width % 32;
        crl_row_spell(marked, width + 1, file);
        break;
    case AS_WORDS:
        for (uint32_t i = 0; i * 32 < width; i++) write_register(DATA, bits[i], file);
        break;
    }
}

// From entry 0 on.
static void write_select(enum kind kind, uint32_t part, uint32_t stream, FILE *file)
{
    write_register(SELECT, (uint32_t)kind << 24 | stream << 16 | part, file);
    write_register(ENTRY, 0, file);
}

// All registers and values in their order.
static int write_words(struct emission *e, FILE *file)
{
    int error = 0;
    write_select(NUMBERS, 0, 0, file);
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct part *part = &e->part[p];
        const uint32_t numbers[] = {part->image->geometry.rows - 1, part->rows_at, part->map_at};
        write_entry(numbers, 96, AS_WORDS, file);
    }
    for (uint32_t s = 0; s < sequencers(e) && !error; s++) {
        write_select(TABLES, s, 0, file);
        error = write_table(e, s, AS_WORDS, file);
    }
    for (uint32_t v = 0; v < e->nodes && !error; v++)
        for (int out = 0; out < 2 && !error; out++)
            for (uint32_t j = 0; j < e->geometry.streams && !error; j++) {
                write_select(out ? MAPS_OUT : MAPS_IN, v, j, file);
                error = write_map(e, !out, v, j, AS_WORDS, file);
            }
    return error;
}

char *load_words(const struct emission *e)
{
    struct list list;
    list_begin(&list, 0);
    for (const char *line = e->load; *line; line += strlen("00_00000000\n"))
        list_text(&list, "    {0x%.2s, 0x%.8s},", line, line + 3);
    return list_end(&list);
}

int write_load(struct emission *e)
{
    size_t size;
    FILE *memory = open_memstream(&e->load, &size);
    int error = memory ? write_words(e, memory) : 0;
    if (!memory || fclose(memory)) error = crl_fail_memory(e->diag);
    FILE *file = error ? NULL : crl_folder_file(e->folder, "load.hex", e->diag);
    if (!file) return error ? error : CRL_ERR_IO;
    fprintf(file, "// ADDRESS_VALUE, in this order, while STATUS says held; ID must read as %08x.\n%s", e->id, e->load);
    return 0;
}

void put_load(struct emission *e, struct list *list)
{
    struct numbers load;
    numbers_begin(&load, "load", 40);
    for (const char *line = e->load; *line; line = strchr(line, '\n') + 1)
        number_add(&load, strtoull(line, NULL, 16) << 32 | strtoull(line + 3, NULL, 16));
    e->loads = load.count;
    numbers_end(&load, list);
}
