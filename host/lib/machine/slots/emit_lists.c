// SPDX-License-Identifier: Apache-2.0
// Lists of numbers in an emitted top: concatenations, the last one first, in lines that can be read.
#include "machine/slots/emission.h"
#include <stdarg.h>

enum { COLUMNS = 116 };

void list_begin(struct list *list, uint32_t indent)
{
    *list = (struct list){.indent = indent, .text = NULL};
    list->file = open_memstream(&list->text, &list->size);
}

// What follows begins a new line.
static void break_line(struct list *list)
{
    if (list->open) fputc('\n', list->file);
    list->open = false;
    list->column = 0;
}

void list_item(struct list *list, bool last, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    uint32_t length = (uint32_t)vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (!list->file) return;
    if (!list->column || list->column + length + 2 > COLUMNS) break_line(list);
    fprintf(list->file, "%*s", list->column ? 1 : (int)list->indent, "");
    list->column += length + 2 + (list->column ? 0 : list->indent);
    va_start(arguments, format);
    vfprintf(list->file, format, arguments);
    va_end(arguments);
    if (!last) fputc(',', list->file);
    list->open = true;
}

void list_note(struct list *list, const char *format, ...)
{
    va_list arguments;
    if (!list->file) return;
    fprintf(list->file, " // ");
    va_start(arguments, format);
    vfprintf(list->file, format, arguments);
    va_end(arguments);
    list->column = 0;
}

void list_put(struct list *list, const char *format, ...)
{
    va_list arguments;
    if (!list->file) return;
    va_start(arguments, format);
    vfprintf(list->file, format, arguments);
    va_end(arguments);
}

void list_text(struct list *list, const char *format, ...)
{
    va_list arguments;
    if (!list->file) return;
    break_line(list);
    va_start(arguments, format);
    vfprintf(list->file, format, arguments);
    va_end(arguments);
    list->open = true;
}

char *list_end(struct list *list)
{
    if (!list->file) return NULL;
    if (!fclose(list->file) && !list->failed) return list->text;
    free(list->text);
    return NULL;
}

void list_open(struct list *list)
{
    list_begin(list, 4);
    list_text(list, "{");
}

char *list_close(struct list *list)
{
    list_text(list, "  }");
    return list_end(list);
}

// Begins a list with a number of each port of each node.
static void begin_ports(struct list *list, uint32_t ports)
{
    list_begin(list, 4);
    if (ports > 1) list_text(list, "{ // ports %u to 0 of each node", ports - 1);
    else list_text(list, "{");
}

uint32_t node_at(const struct emission *e, uint32_t node) { return e->node ? e->node[node] : node; }

uint32_t heard(const struct emission *e, uint32_t node, uint32_t port)
{
    const uint32_t from = crl_topology_behind(e->part->problem->topology, node_at(e, node), port);
    if (!e->node) return from;
    for (uint32_t v = 0; v < e->nodes; v++)
        if (node_at(e, v) == from) return v;
    return CRL_NONE;
}

uint32_t cycles_from(const struct emission *e, uint32_t node, uint32_t port)
{
    const uint32_t from = heard(e, node, port);
    if (from == CRL_NONE) return 1 + e->part->late; // no register is there, either
    const uint32_t slot = crl_slot_cycles(&e->geometry, e->part->image->port_model);
    return (crl_topology_latency(e->part->problem->topology, node_at(e, from), port) - 1) * slot + 1;
}

char *neighbour_list(const struct emission *e)
{
    const uint32_t ports = e->geometry.ports;
    struct list list;
    begin_ports(&list, ports);
    for (uint32_t v = e->nodes; v-- > 0;) {
        for (uint32_t p = ports; p-- > 0;)
            if (heard(e, v, p) == CRL_NONE) list_item(&list, !v && !p, "None");
            else list_item(&list, !v && !p, "16'd%u", heard(e, v, p));
        list_note(&list, "node %u", node_at(e, v));
    }
    return list_close(&list);
}

char *latency_list(const struct emission *e)
{
    const uint32_t ports = e->geometry.ports;
    bool same = true;
    for (uint32_t i = 0; i < e->nodes * ports && same; i++) same = cycles_from(e, i / ports, i % ports) == 1;
    struct list list;
    if (same) {
        list_begin(&list, 4);
        list_text(&list, "{(Nodes*Ports){16'd1}}");
        return list_end(&list);
    }
    begin_ports(&list, ports);
    for (uint32_t v = e->nodes; v-- > 0;) {
        for (uint32_t p = ports; p-- > 0;) list_item(&list, !v && !p, "16'd%u", cycles_from(e, v, p));
        list_note(&list, "node %u", node_at(e, v));
    }
    return list_close(&list);
}

static void note_stream(struct list *list, const struct emission *e, uint32_t node, uint32_t stream)
{
    if (e->geometry.streams > 1) list_note(list, "node %u, stream %u", node, stream);
    else list_note(list, "node %u", node);
}

char *peer_list(const struct emission *e, bool in, uint32_t most)
{
    const uint32_t bits = peer_bits(e);
    struct list list;
    list_open(&list);
    for (uint32_t v = e->nodes; v-- > 0;)
        for (uint32_t j = e->geometry.streams; j-- > 0;) {
            for (uint32_t p = e->parts; p-- > 0;) {
                struct lane lane = lane_of(&e->part[p], in, node_at(e, v), j);
                const bool last = !v && !j && !p;
                if (lane.count < most) list_item(&list, last && !lane.count, "%u'd0", (most - lane.count) * bits);
                for (uint32_t i = lane.count; i-- > 0;)
                    list_item(&list, last && !i, "%u'd%u", bits,
                              peer_of(&e->part[p], in, node_at(e, v), &lane.place[i]));
            }
            note_stream(&list, e, node_at(e, v), j);
        }
    return list_close(&list);
}

char *adder_list(const struct emission *e)
{
    struct list list;
    list_open(&list);
    for (uint32_t v = e->nodes; v-- > 0;) list_item(&list, !v, "1'b%d", crl_problem_is_host(e->part->problem, v));
    return list_close(&list);
}

char *count_list(const struct emission *e, bool in)
{
    const uint32_t streams = e->geometry.streams;
    struct list list;
    list_open(&list);
    for (uint32_t i = e->nodes * streams; i-- > 0;)
        for (uint32_t p = e->parts; p-- > 0;)
            list_item(&list, !i && !p, "16'd%u",
                      lane_of(&e->part[p], in, node_at(e, i / streams), i % streams).count & 0xffff);
    return list_close(&list);
}
