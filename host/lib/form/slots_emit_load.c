// SPDX-License-Identifier: Apache-2.0
// Tables and maps of an emitted fabric as its AXI4-Lite port takes them: registers and values in their order.
#include "form/slots_emission.h"
#include "form/tables.h"
#include <string.h>

// Registers of rtl/stream/crl_table_port.sv by their addresses, and what SELECT names.
enum { SELECT = 0x0c, ENTRY = 0x10, DATA = 0x14 };
enum kind { TABLES, MAPS_IN, MAPS_OUT, NUMBERS };

static uint32_t write_register(uint32_t address, uint32_t value, FILE *file)
{
    fprintf(file, "%02x_%08x\n", address, value);
    return 1;
}

uint32_t write_entry(const uint32_t *bits, uint32_t width, bool load, FILE *file)
{
    uint32_t lines = 0;
    if (!load) crl_row_spell(bits, width, file);
    else
        for (; lines * 32 < width; lines++) write_register(DATA, bits[lines], file);
    return lines;
}

// From entry 0 on.
static void write_select(struct emission *e, enum kind kind, uint32_t part, uint32_t stream, FILE *file)
{
    e->loads += write_register(SELECT, (uint32_t)kind << 24 | stream << 16 | part, file);
    e->loads += write_register(ENTRY, 0, file);
}

// The lines of load.hex.
static int write_lines(struct emission *e, FILE *file)
{
    int error = 0;
    write_select(e, NUMBERS, 0, 0, file);
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct part *part = &e->part[p];
        const uint32_t numbers[] = {part->image->geometry.rows - 1, part->rows_at, part->map_at};
        e->loads += write_entry(numbers, 96, true, file);
    }
    for (uint32_t s = 0; s < sequencers(e) && !error; s++) {
        write_select(e, TABLES, s, 0, file);
        error = write_table(e, s, true, file);
    }
    for (uint32_t v = 0; v < e->nodes && !error; v++)
        for (int out = 0; out < 2 && !error; out++)
            for (uint32_t j = 0; j < e->geometry.streams && !error; j++) {
                write_select(e, out ? MAPS_OUT : MAPS_IN, v, j, file);
                error = write_map(e, !out, v, j, true, file);
            }
    return error;
}

char *load_words(const struct emission *e)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    for (const char *line = e->load; *line; line += strlen("00_00000000\n"))
        fprintf(memory, "%s    {0x%.2s, 0x%.8s},", line == e->load ? "" : "\n", line, line + 3);
    return fclose(memory) ? NULL : text;
}

int write_load(struct emission *e)
{
    size_t size;
    FILE *memory = open_memstream(&e->load, &size);
    int error = memory ? write_lines(e, memory) : 0;
    if (!memory || fclose(memory)) error = crl_fail_memory(e->diag);
    FILE *file = error ? NULL : crl_folder_file(e->folder, "load.hex", e->diag);
    if (!file) return error ? error : CRL_ERR_IO;
    fprintf(file, "// ADDRESS_VALUE, in this order, while STATUS says held; ID must read as %08x.\n%s", e->id, e->load);
    return 0;
}
