// SPDX-License-Identifier: Apache-2.0
// Tables and maps of an emitted fabric as constants of its top.
#include "machine/slots/emission.h"
#include <stdlib.h>
#include <string.h>

// A constant of as many entries as a text has lines, the last one first.
static int put_constant(struct list *list, const char *name, uint32_t bits, const char *lines)
{
    size_t count = 0;
    for (const char *c = lines; *c; c++) count += *c == '\n';
    CRL_OWNED const char **line = malloc(sizeof *line * (count + 1));
    if (!line) return CRL_ERR_MEMORY;
    line[0] = lines;
    for (size_t i = 1; i <= count; i++) line[i] = strchr(line[i - 1], '\n') + 1;
    list_text(list, "localparam logic [%zu*%u-1:0] %s = {", count, bits, name);
    for (size_t i = count; i-- > 0;) {
        const int digits = (int)(line[i + 1] - line[i]) - 1;
        list_item(list, !i, "%u'h%.*s", bits, digits, line[i]);
    }
    list_text(list, "};");
    return 0;
}

// What stands in a constant.
struct what {
    enum { TABLE, LIST, MAP_IN, MAP_OUT } kind;
    uint32_t part, stream; // the sequencer, or the node
};

static int put(struct emission *e, const struct what *what, struct list *list)
{
    static const char *const names[] = {"Rows", "List", "InMap", "OutMap"};
    const struct entry_layout l = entry_layout(e);
    const uint32_t bits[] = {crl_row_bits(&e->geometry), place_bits(e), l.in_bits, l.out_bits};
    char name[64], *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return crl_fail_memory(e->diag);
    int error = what->kind == TABLE ? write_table(e, what->part, AS_NUMBER, memory)
                : what->kind == LIST
                    ? write_list(e, what->part, AS_NUMBER, memory)
                    : write_map(e, what->kind == MAP_IN, node_at(e, what->part), what->stream, AS_NUMBER, memory);
    if (fclose(memory) && !error) error = CRL_ERR_MEMORY;
    if (what->kind <= LIST || e->geometry.streams == 1)
        snprintf(name, sizeof name, "%s%u", names[what->kind], what->part);
    else snprintf(name, sizeof name, "%s%u_%u", names[what->kind], what->part, what->stream);
    if (!error) error = put_constant(list, name, bits[what->kind], text);
    free(text);
    return error == CRL_ERR_MEMORY ? crl_fail_memory(e->diag) : error;
}

// All constants of a kind as one, the last one first.
static void put_together(const char *all, const char *each, uint32_t parts, uint32_t streams, uint32_t bits,
                         struct list *list)
{
    list_text(list, "localparam logic [%u*%u-1:0] %s = {", parts * streams, bits, all);
    for (uint32_t i = parts * streams; i-- > 0;)
        if (streams == 1) list_item(list, !i, "%s%u", each, i);
        else list_item(list, !i, "%s%u_%u", each, i / streams, i % streams);
    list_text(list, "};");
}

char *constant_list(struct emission *e)
{
    const uint32_t streams = e->geometry.streams;
    const struct entry_layout l = entry_layout(e);
    struct list list;
    int error = 0;
    list_begin(&list, 2);
    for (uint32_t s = 0; s < sequencers(e) && !error; s++) error = put(e, &(struct what){TABLE, s, 0}, &list);
    put_together("AllRows", "Rows", sequencers(e), 1,
                 (e->stored ? e->stored : e->table_rows) * crl_row_bits(&e->geometry), &list);
    for (uint32_t s = 0; s < sequencers(e) && !error && e->stored; s++)
        error = put(e, &(struct what){LIST, s, 0}, &list);
    if (e->stored) put_together("AllLists", "List", sequencers(e), 1, e->table_rows * place_bits(e), &list);
    for (uint32_t i = 0; i < e->nodes * streams && !error && e->axis; i++) {
        error = put(e, &(struct what){MAP_IN, i / streams, i % streams}, &list);
        if (!error) error = put(e, &(struct what){MAP_OUT, i / streams, i % streams}, &list);
    }
    if (e->axis) {
        put_together("AllInMaps", "InMap", e->nodes, streams, e->map_depth * l.in_bits, &list);
        put_together("AllOutMaps", "OutMap", e->nodes, streams, e->map_depth * l.out_bits, &list);
    }
    char *text = list_end(&list);
    if (!error) return text;
    free(text);
    return NULL;
}
