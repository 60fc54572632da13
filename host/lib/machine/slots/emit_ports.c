// SPDX-License-Identifier: Apache-2.0
// The streams of an emitted top where each has ports of its own, named as AMBA names them.
#include "machine/slots/emission.h"

// Bytes are what AXI4-Streams are made of: bits of a stream's data, and how many of them are no word's.
static uint32_t padded(const struct emission *e) { return (e->geometry.data_width + 7) / 8 * 8; }
static uint32_t padding(const struct emission *e) { return padded(e) - e->geometry.data_width; }

// One port of each stream.
struct port {
    const char *before, *after; // its name: before, n5 or n5_1, after
    bool input, data, vector;   // data: padded to whole bytes
    uint32_t bits;              // without what is padded
    const char *signal, *bench; // in the top and in its bench: those of all streams side by side
    const char *note;           // or NULL
};
enum { PORTS_MAX = 10 };

static size_t ports_of(const struct emission *e, struct port *port)
{
    const uint32_t word = e->geometry.data_width, peer = peer_bits(e);
    size_t count = 0;
    port[count++] = (struct port){"s_axis_", "_tdata", true, true, true, word, "own_word", "s_tdata", NULL};
    port[count++] = (struct port){"s_axis_", "_tvalid", true, false, false, 1, "own_valid", "s_tvalid", NULL};
    port[count++] = (struct port){"s_axis_", "_tready", false, false, false, 1, "own_ready", "s_tready", NULL};
    if (e->absent)
        port[count++] = (struct port){
            "s_axis_", "_tuser", true, false, false, 1, "own_absent", "s_tuser", "1: there is no word this time"};
    port[count++] = (struct port){
        "wanted_", "", false, false, true, peer, "own_dest", "s_tdest", "what the word that is taken next is for"};
    port[count++] = (struct port){"m_axis_", "_tdata", false, true, true, word, "show_word", "m_tdata", NULL};
    port[count++] = (struct port){"m_axis_", "_tvalid", false, false, false, 1, "show_valid", "m_tvalid", NULL};
    port[count++] = (struct port){"m_axis_", "_tready", true, false, false, 1, "show_ready", "m_tready", NULL};
    port[count++] = (struct port){"m_axis_", "_tlast", false, false, false, 1, "show_last", "m_tlast", NULL};
    port[count++] = (struct port){"m_axis_", "_tid", false, false, true, peer, "show_from", "m_tid", NULL};
    return count;
}

// The name of a port of stream i of all streams of all nodes.
static const char *name_at(const struct emission *e, const struct port *port, uint32_t i, char text[64])
{
    const uint32_t streams = e->geometry.streams;
    if (streams == 1) snprintf(text, 64, "%sn%u%s", port->before, i, port->after);
    else snprintf(text, 64, "%sn%u_%u%s", port->before, i / streams, i % streams, port->after);
    return text;
}

char *named_ports(const struct emission *e)
{
    const uint32_t all = e->nodes * e->geometry.streams;
    struct port ports[PORTS_MAX];
    const size_t count = ports_of(e, ports);
    struct list list;
    list_begin(&list, 2);
    for (uint32_t i = 0; i < all; i++)
        for (size_t k = 0; k < count; k++) {
            const struct port *port = &ports[k];
            char range[32] = "", name[64];
            if (port->vector) snprintf(range, sizeof range, "[%u:0]", (port->data ? padded(e) : port->bits) - 1);
            list_text(&list, "%s  %s logic %-7s %s,%s%s", i && !k ? "\n" : "", port->input ? "input " : "output", range,
                      name_at(e, port, i, name), port->note && !i ? " // " : "", port->note && !i ? port->note : "");
        }
    return list_end(&list);
}

// A port of all streams, the last one first: of data what is a word's, or what is padded.
static void put_all(const struct emission *e, const struct port *port, bool word, struct list *list)
{
    char name[64];
    for (uint32_t i = e->nodes * e->geometry.streams; i-- > 0;) {
        name_at(e, port, i, name);
        if (!port->data || !padding(e)) list_item(list, !i, "%s", name);
        else if (word) list_item(list, !i, "%s[%u:0]", name, port->bits - 1);
        else list_item(list, !i, "%s[%u:%u]", name, padded(e) - 1, port->bits);
    }
}

char *named_wires(const struct emission *e)
{
    struct port ports[PORTS_MAX];
    const size_t count = ports_of(e, ports);
    struct list list;
    list_begin(&list, 4);
    if (padding(e)) list_text(&list, "  logic unused_padding;");
    for (size_t k = 0; k < count; k++) {
        const struct port *port = &ports[k];
        list_text(&list, port->input ? "  assign %s = {" : "  assign {", port->signal);
        put_all(e, port, true, &list);
        list_text(&list, port->input ? "  };" : "  } = %s;", port->signal);
        if (!port->data || !padding(e)) continue;
        list_text(&list, port->input ? "  assign unused_padding = &{1'b0," : "  assign {");
        put_all(e, port, false, &list);
        list_text(&list, port->input ? "  };" : "  } = '0;");
    }
    return list_end(&list);
}

char *named_bench(const struct emission *e)
{
    const uint32_t all = e->nodes * e->geometry.streams, pad = padding(e);
    struct port ports[PORTS_MAX];
    const size_t count = ports_of(e, ports);
    struct list list;
    list_begin(&list, 4);
    for (uint32_t i = 0; i < all; i++)
        for (size_t k = 0; k < count; k++) {
            const struct port *port = &ports[k];
            char name[64], signal[64], unused[64];
            name_at(e, port, i, name);
            snprintf(signal, sizeof signal, "%s[%u +: %u]", port->bench, i * port->bits, port->bits);
            if (port->input) snprintf(unused, sizeof unused, "{%u{1'bx}}", pad);
            else snprintf(unused, sizeof unused, "m_padding[%u +: %u]", i * pad, pad);
            if (port->data && pad) list_text(&list, "    .%s({%s, %s}),", name, unused, signal);
            else list_text(&list, "    .%s(%s),", name, signal);
        }
    return list_end(&list);
}
