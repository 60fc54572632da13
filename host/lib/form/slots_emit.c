// SPDX-License-Identifier: Apache-2.0
// A fabric of stream nodes as a directory that stands alone. docs/in-your-design.md is written for who takes it.
#include "emit/emit.h"
#include "form/slots.h"
#include "form/tables.h"
#include "image/row.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// A stream of a node: its packets, in order.
struct lane {
    uint32_t count;
    const struct crl_place *place;
};

struct emission {
    struct crl_folder *folder;
    const struct carillon_image *handle;
    const struct carillon_schedule *schedule;
    const struct crl_image *image;
    const struct crl_problem *problem;
    const char *top;
    bool axis;
    struct crl_diag *diag;
};

static struct lane lane_of(const struct emission *e, bool in, uint32_t node, uint32_t stream)
{
    const uint32_t set = e->image->folded ? 0 : node;
    const struct crl_places *places = in ? &e->image->before[set] : &e->image->after[set];
    struct lane lane = {.place = crl_stream_place(places, stream, 0)};
    const struct crl_place *end = places->place + places->count;
    if (lane.place)
        while (lane.place + lane.count < end && lane.place[lane.count].bank == stream) lane.count++;
    return lane;
}

static void name_of(const struct emission *e, uint32_t node, const struct crl_place *place, uint32_t *origin,
                    uint32_t *dest)
{
    *origin = place->origin;
    *dest = place->dest;
    if (e->image->folded) crl_packet_shift(e->problem, node, origin, dest);
}

// ---------------------------------------------------------------- what streams carry

static int write_csv(struct emission *e)
{
    FILE *file = crl_folder_file(e->folder, "streams.csv", e->diag);
    char text[24];
    if (!file) return CRL_ERR_IO;
    fputs("node,stream,direction,index,packet\n", file);
    for (uint32_t v = 0; v < e->image->nodes; v++)
        for (uint32_t j = 0; j < e->image->geometry.streams; j++)
            for (int out = 0; out < 2; out++) {
                struct lane lane = lane_of(e, !out, v, j);
                for (uint32_t i = 0; i < lane.count; i++) {
                    uint32_t origin, dest;
                    name_of(e, v, &lane.place[i], &origin, &dest);
                    fprintf(file, "%u,%u,%s,%u,%s\n", v, j, out ? "out" : "in", i,
                            crl_packet_name(crl_problem_naming(e->problem), origin, dest, text));
                }
            }
    return 0;
}

// The longest stream of a direction.
static uint32_t most_of(const struct emission *e, bool in)
{
    uint32_t most = 1;
    for (uint32_t v = 0; v < e->image->nodes; v++)
        for (uint32_t j = 0; j < e->image->geometry.streams; j++) {
            struct lane lane = lane_of(e, in, v, j);
            if (lane.count > most) most = lane.count;
        }
    return most;
}

// What the test bench knows of a direction: packets as numbers, stream by stream, and how many.
static int write_bench(struct emission *e, bool in, uint32_t most)
{
    FILE *file = crl_folder_file(e->folder, in ? "tables/tb_feed.hex" : "tables/tb_show.hex", e->diag);
    if (!file) return CRL_ERR_IO;
    for (uint32_t v = 0; v < e->image->nodes; v++)
        for (uint32_t j = 0; j < e->image->geometry.streams; j++) {
            struct lane lane = lane_of(e, in, v, j);
            for (uint32_t i = 0; i < most; i++) {
                uint32_t origin = 0, dest = 0;
                if (i < lane.count) name_of(e, v, &lane.place[i], &origin, &dest);
                fprintf(file, "%08x\n", (uint32_t)crl_problem_index(e->problem, origin, dest));
            }
        }
    file = crl_folder_file(e->folder, in ? "tables/tb_feeds.hex" : "tables/tb_shows.hex", e->diag);
    if (!file) return CRL_ERR_IO;
    for (uint32_t v = 0; v < e->image->nodes; v++)
        for (uint32_t j = 0; j < e->image->geometry.streams; j++) fprintf(file, "%08x\n", lane_of(e, in, v, j).count);
    return 0;
}

// ---------------------------------------------------------------- tables

// One for all nodes where these play the same, else one each.
static uint32_t sequencers(const struct emission *e) { return e->image->tables == 1 ? 1 : e->image->nodes; }

static int write_tables(struct emission *e)
{
    int error = 0;
    for (uint32_t s = 0; s < sequencers(e) && !error; s++) {
        char name[64];
        snprintf(name, sizeof name, "tables/%05u.hex", s);
        FILE *file = crl_folder_file(e->folder, name, e->diag);
        error = file ? crl_dump_readmemh(e->handle, e->schedule, e->image->node_table[s], file, e->diag) : CRL_ERR_IO;
    }
    return error;
}

// ---------------------------------------------------------------- maps of the adapters

// A word of a stream, and where it is in the round: of input streams the lanes in which it leaves in that row.
struct use {
    uint32_t stream, index, row, lanes;
    const struct crl_place *place;
};
struct uses {
    struct use *list;
    size_t count, capacity;
};

static int by_use(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

// Words that are shown have one use each.
static int by_word(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

// What a node's table does with the words of its streams, in the order of streams, words and rows.
static int find_uses(const struct emission *e, bool in, uint32_t node, struct uses *uses)
{
    const struct crl_geometry *g = &e->image->geometry;
    const struct crl_row_layout layout = crl_row_layout(g);
    const uint32_t table = e->image->node_table[node];
    uint32_t count[CRL_PORTS_MAX] = {0};
    uses->count = 0;
    // Row 0 shows what arrives last, so behind all others.
    for (uint32_t i = 0; i < g->rows; i++) {
        const uint32_t row = in ? i : (i + 1) % g->rows;
        const uint32_t *bits = crl_image_row(e->image, table, row);
        for (uint32_t lane = 0; lane < g->lanes; lane++) {
            if (!crl_row_get(&layout, bits, in ? CRL_FIELD_OWN : CRL_FIELD_SHOW, lane)) continue;
            const struct crl_place *place = crl_stream_lane_word(e->image, in, node, lane, count[lane]++);
            if (!place) return CRL_ERR_MISMATCH; // the image was raised, so there is one
            if (crl_grow((void **)&uses->list, &uses->capacity, uses->count, sizeof *uses->list)) return CRL_ERR_MEMORY;
            uses->list[uses->count++] = (struct use){place->bank, place->addr, row, 1u << lane, place};
        }
    }
    // A word of several lanes in one row is one step.
    size_t kept = 0;
    if (in) qsort(uses->list, uses->count, sizeof *uses->list, by_use);
    for (size_t i = 0; i < uses->count && in; i++) {
        struct use *last = kept ? &uses->list[kept - 1] : NULL;
        if (last && !by_use(last, &uses->list[i])) last->lanes |= uses->list[i].lanes;
        else uses->list[kept++] = uses->list[i];
    }
    if (in) uses->count = kept;
    return 0;
}

// Bits of a map's entry, rtl/common/crl_stream_entry.svh.
struct entry_layout {
    uint32_t row_bits, peer_bits, lane_bits, in_bits, out_bits;
};

static struct entry_layout entry_layout(const struct emission *e)
{
    const struct crl_geometry *g = &e->image->geometry;
    struct entry_layout l = {.row_bits = g->rows > 1 ? crl_bits_for(g->rows) : 1,
                             .peer_bits = crl_bits_for(e->image->nodes),
                             .lane_bits = crl_bits_for(g->lanes)};
    if (!l.peer_bits) l.peer_bits = 1;
    l.in_bits = 4 + g->lanes + l.row_bits + l.peer_bits;
    l.out_bits = 3 + l.lane_bits + l.row_bits + l.peer_bits;
    return l;
}

static uint64_t entry_of(const struct emission *e, const struct entry_layout *l, bool in, uint32_t node,
                         const struct use *use, bool end, bool take)
{
    const uint32_t lanes = e->image->geometry.lanes;
    if (!use) return 1 | 1 << 1; // a round without words: end, and go or none
    uint32_t origin, dest;
    name_of(e, node, use->place, &origin, &dest);
    uint64_t peer = in && crl_problem_naming(e->problem) == CRL_NAMING_PAIR ? dest : origin;
    if (in)
        return (uint64_t)end | (uint64_t)end << 1 | 1 << 2 | (uint64_t)take << 3 | (uint64_t)use->lanes << 4 |
               (uint64_t)use->row << (4 + lanes) | peer << (4 + lanes + l->row_bits);
    uint32_t lane = (uint32_t)__builtin_ctz(use->lanes);
    return (uint64_t)end | 1 << 2 | (uint64_t)lane << 3 | (uint64_t)use->row << (3 + l->lane_bits) |
           peer << (3 + l->lane_bits + l->row_bits);
}

// The map of one stream: its steps, then the first one once more, then nothing up to the memory's depth.
static int write_map(struct emission *e, bool in, uint32_t node, uint32_t stream, const struct uses *uses,
                     uint32_t depth)
{
    const struct entry_layout l = entry_layout(e);
    size_t first = 0, count = 0;
    char name[64];
    while (first < uses->count && uses->list[first].stream != stream) first++;
    while (first + count < uses->count && uses->list[first + count].stream == stream) count++;
    snprintf(name, sizeof name, "tables/%s%05u%02u.hex", in ? "in" : "out", node, stream);
    FILE *file = crl_folder_file(e->folder, name, e->diag);
    if (!file) return CRL_ERR_IO;
    for (uint32_t i = 0; i < depth; i++) {
        const size_t steps = count ? count : 1, at = i % steps;
        const struct use *use = count ? &uses->list[first + at] : NULL;
        bool take = use && (at + 1 == count || use[1].index != use->index);
        uint64_t entry = i > steps ? 0 : entry_of(e, &l, in, node, use, at + 1 == steps, take);
        fprintf(file, "%0*llx\n", (int)((in ? l.in_bits : l.out_bits) + 3) / 4, (unsigned long long)entry);
    }
    return 0;
}

// All maps; `depth` is a memory that holds the longest and one entry more. With `write` false they are only measured.
static int write_maps(struct emission *e, uint32_t *depth, bool write)
{
    struct uses uses = {0};
    int error = 0;
    for (uint32_t v = 0; v < e->image->nodes && !error; v++)
        for (int out = 0; out < 2 && !error; out++) {
            error = find_uses(e, !out, v, &uses);
            if (error) error = crl_fail(e->diag, error, "the streams of node '%u' do not fit its table", v);
            if (!error && out) qsort(uses.list, uses.count, sizeof *uses.list, by_word);
            for (uint32_t j = 0; j < e->image->geometry.streams && !error; j++) {
                uint32_t steps = 0;
                for (size_t i = 0; i < uses.count; i++) steps += uses.list[i].stream == j;
                if (steps + 1 > *depth) *depth = steps + 1;
                if (write) error = write_map(e, !out, v, j, &uses, *depth);
            }
        }
    free(uses.list);
    return error;
}

// ---------------------------------------------------------------- the whole

// A list of links, as crl_links and crl_link_pipes take it, the last first.
static char *link_list(const struct emission *e, bool latency)
{
    const struct crl_topology *t = e->problem->topology;
    const uint32_t ports = e->image->geometry.ports;
    const size_t links = (size_t)e->image->nodes * ports;
    char *text = malloc(links * 6 + 32), *at = text;
    if (!text) return NULL;
    at += sprintf(at, "%zu'h", 16 * links);
    for (size_t i = links; i-- > 0;) {
        uint32_t v = (uint32_t)(i / ports), p = (uint32_t)(i % ports), from = crl_topology_behind(t, v, p);
        uint32_t slot = crl_slot_cycles(&e->image->geometry, e->image->port_model);
        uint32_t value = !latency           ? from & 0xffff
                         : from == CRL_NONE ? 1
                                            : (crl_topology_latency(t, from, p) - 1) * slot + 1;
        at += sprintf(at, "%04x%s", value & 0xffff, i % ports || !i ? "" : "_");
    }
    return text;
}

// The peers of a direction's words, the last one first, as one number of `bits` bits a word; `most` words a stream.
static char *peer_list(const struct emission *e, bool in, uint32_t most, uint32_t bits)
{
    const uint32_t streams = e->image->geometry.streams;
    const uint64_t total = (uint64_t)e->image->nodes * streams * most * bits;
    char *text = malloc(total + 32), *at;
    if (!text) return NULL;
    at = text + sprintf(text, "%llu'b", (unsigned long long)total);
    for (uint32_t v = e->image->nodes; v-- > 0;)
        for (uint32_t j = streams; j-- > 0;) {
            struct lane lane = lane_of(e, in, v, j);
            for (uint32_t i = most; i-- > 0;) {
                uint32_t origin = 0, dest = 0, peer;
                if (i < lane.count) name_of(e, v, &lane.place[i], &origin, &dest);
                // A packet of a broadcast is for many: it has no number but its origin's.
                peer = in && crl_problem_naming(e->problem) == CRL_NAMING_PAIR ? dest : origin;
                for (uint32_t b = bits; b-- > 0;) *at++ = "01"[peer >> b & 1];
            }
        }
    *at = 0;
    return text;
}

// Words of a round of each stream of a direction, the last first.
static char *count_list(const struct emission *e, bool in)
{
    const uint32_t streams = e->image->geometry.streams;
    const size_t all = (size_t)e->image->nodes * streams;
    char *text = malloc(all * 4 + 32), *at;
    if (!text) return NULL;
    at = text + sprintf(text, "%zu'h", all * 16);
    for (size_t i = all; i-- > 0;)
        at += sprintf(at, "%04x", lane_of(e, in, (uint32_t)(i / streams), (uint32_t)(i % streams)).count & 0xffff);
    return text;
}

// Files, a line each, as files.f and a FuseSoC core want them.
static char *file_lines(const char *names, const char *before, const char *top)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    while (*names) {
        size_t length = strcspn(names, " ");
        bool include = length > 4 && !strncmp(names + length - 4, ".svh", 4);
        if (*before)
            fprintf(memory, "%s- rtl/%.*s%s\n", before, (int)length, names,
                    include ? ": {is_include_file: true, include_path: rtl}" : "");
        else if (!include) fprintf(memory, "rtl/%.*s\n", (int)length, names);
        names += length + strspn(names + length, " ");
    }
    fprintf(memory, "%s%s%s.sv", before, *before ? "- " : "", top);
    return fclose(memory) ? NULL : text;
}

static char *table_lines(const struct emission *e)
{
    const uint32_t tables = sequencers(e);
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    static const char *const bench[] = {"tb_feed", "tb_show", "tb_feeds", "tb_shows"};
    if (!memory) return NULL;
    for (uint32_t t = 0; t < tables; t++) fprintf(memory, "      - tables/%05u.hex: {copyto: tables/%05u.hex}\n", t, t);
    for (uint32_t v = 0; v < e->image->nodes && e->axis; v++)
        for (uint32_t j = 0; j < e->image->geometry.streams; j++)
            for (int out = 0; out < 2; out++)
                fprintf(memory, "      - tables/%s%05u%02u.hex: {copyto: tables/%s%05u%02u.hex}\n", out ? "out" : "in",
                        v, j, out ? "out" : "in", v, j);
    for (size_t i = 0; i < sizeof bench / sizeof *bench; i++)
        fprintf(memory, "%s      - tables/%s.hex: {copyto: tables/%s.hex}", i ? "\n" : "", bench[i], bench[i]);
    return fclose(memory) ? NULL : text;
}

enum { BLANKS = 48, BLANK_TEXT = 256 };
struct blanks {
    struct crl_blank blank[BLANKS];
    char text[BLANKS][BLANK_TEXT];
    size_t count;
};

static void set(struct blanks *b, const char *key, const char *value)
{
    b->blank[b->count++] = (struct crl_blank){key, value};
}

__attribute__((format(printf, 3, 4))) static void say(struct blanks *b, const char *key, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(b->text[b->count], BLANK_TEXT, format, list);
    va_end(list);
    set(b, key, b->text[b->count]);
}

static void flag(struct blanks *b, const char *key, bool value) { set(b, key, value ? "1" : ""); }

static int write_all(struct emission *e, const char *names, uint32_t feed, uint32_t show, uint32_t map_depth)
{
    const struct entry_layout entry = entry_layout(e);
    const struct crl_geometry *g = &e->image->geometry;
    const struct crl_report *r = &e->schedule->report;
    struct blanks b = {0};
    uint32_t node_bits = crl_bits_for(e->image->nodes);
    if (!node_bits) node_bits = 1;
    char *long_text[] = {link_list(e, false),
                         link_list(e, true),
                         file_lines(names, "", e->top),
                         file_lines(names, "      ", e->top),
                         table_lines(e),
                         count_list(e, true),
                         count_list(e, false),
                         peer_list(e, true, feed, node_bits),
                         peer_list(e, false, show, node_bits)};
    static const char *const long_key[] = {"NEIGHBOURS", "LATENCIES", "FILES", "CORE_FILES", "CORE_TABLES",
                                           "FEEDS",      "SHOWS",     "DESTS", "ORIGINS"};
    enum { LONG = sizeof long_text / sizeof *long_text };
    int error = 0;
    set(&b, "TOP", e->top);
    set(&b, "VERSION", CARILLON_VERSION);
    say(&b, "WHAT", "%s on %s, scheme %s", e->image->collective, e->image->topology, e->image->scheme);
    say(&b, "NODES", "%u", e->image->nodes);
    say(&b, "PORTS", "%u", g->ports);
    say(&b, "LANES", "%u", g->lanes);
    say(&b, "BANKS", "%u", g->banks);
    say(&b, "WRITE_XBAR", "%u", g->write_xbar);
    say(&b, "DELAY", "%u", g->delay);
    say(&b, "WADDR_FIELD", "%u", g->waddr_field);
    say(&b, "STORE", "%u", !g->storeless);
    say(&b, "WIDTH", "%u", g->data_width);
    say(&b, "ADDR_WIDTH", "%u", g->addr_width);
    say(&b, "ROWS", "%u", g->rows);
    say(&b, "ROW_BITS", "%u", g->rows > 1 ? crl_bits_for(g->rows) : 1);
    say(&b, "ROW_WIDTH", "%u", crl_row_bits(g));
    say(&b, "TABLE_BITS", "%u", sequencers(e) > 1 ? crl_bits_for(sequencers(e)) : 1);
    say(&b, "MAP_DEPTH", "%u", map_depth);
    say(&b, "MAP_BITS", "%u", map_depth > 1 ? crl_bits_for(map_depth) : 1);
    say(&b, "WAY_BITS", "%u", g->streams > 1 ? crl_bits_for(g->streams) : 1);
    say(&b, "ENTRY_WIDTH", "%u", entry.in_bits > entry.out_bits ? entry.in_bits : entry.out_bits);
    say(&b, "LAST_ROW", "%u", g->rows - 1);
    say(&b, "TABLES", "%u", sequencers(e));
    say(&b, "STREAMS", "%u", g->streams);
    say(&b, "SHARED", "%u", sequencers(e) == 1);
    say(&b, "NODE_BITS", "%u", node_bits);
    say(&b, "SLOTS", "%llu", (unsigned long long)r->slots);
    say(&b, "BOUND", "%llu", (unsigned long long)r->bound_slots);
    say(&b, "PERIOD", "%u", g->rows);
    say(&b, "ROUNDS", "%u", 8);
    say(&b, "FEED_MOST", "%u", feed);
    say(&b, "SHOW_MOST", "%u", show);
    say(&b, "STALLS", "%u", e->axis);
    say(&b, "LIMIT", "%llu", 1000 + 64ULL * 8 * (g->rows + feed + show));
    flag(&b, "IS_AXIS", e->axis);
    flag(&b, "IS_STREAM", !e->axis);
    flag(&b, "BY_CYCLES", !e->axis);
    for (size_t i = 0; i < LONG; i++) {
        if (!long_text[i]) error = crl_fail_memory(e->diag);
        set(&b, long_key[i], long_text[i]);
    }
    set(&b, NULL, NULL);
    static const char *const plain[][2] = {
        {"Makefile", "Makefile"}, {"README.md", "README.md"}, {"files.f", "files.f"}};
    static const char *const named[][2] = {{"%s.sv", "top.sv"}, {"%s_tb.sv", "tb.sv"}, {"%s.core", "core"}};
    static const char axis_top[] = "top_axis.sv";
    for (size_t i = 0; i < 3 && !error; i++)
        error = crl_emit_template(e->folder, plain[i][0], plain[i][1], b.blank, e->diag);
    for (size_t i = 0; i < 3 && !error; i++) {
        char name[NAME_MAX];
        snprintf(name, sizeof name, named[i][0], e->top);
        error = crl_emit_template(e->folder, name, e->axis && !i ? axis_top : named[i][1], b.blank, e->diag);
    }
    for (size_t i = 0; i < LONG; i++) free(long_text[i]);
    return error;
}

int slots_emit(const struct carillon_image *image, const struct carillon_schedule *schedule,
               const struct carillon_emission *how, struct crl_folder *folder, struct crl_diag *diag)
{
    struct emission e = {.folder = folder,
                         .handle = image,
                         .schedule = schedule,
                         .image = &slots_image_in(image)->image,
                         .problem = slots_said(image->problem),
                         .top = how->top,
                         .axis = !strcmp(how->protocol, "axis"),
                         .diag = diag};
    char source[PATH_MAX], *names = NULL;
    if (!e.image->geometry.streams)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the image keeps its words in memories; build it with '--streams'");
    int error = crl_context_data(image->problem->context, source, sizeof source - 4);
    if (error) return crl_fail(diag, error, "the name of the folder of the RTL is too long");
    strcat(source, "/rtl");
    uint32_t feed = most_of(&e, true), show = most_of(&e, false), map_depth = 2;
    if (!e.axis && e.image->geometry.streams != e.image->geometry.lanes)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "'%u' streams of nodes of %u lanes: such words wait in adapters, which '--protocol axis' has",
                        e.image->geometry.streams, e.image->geometry.lanes);
    if (e.image->geometry.words > 1)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "packets of '%u' words: fabrics are for packets of one word, played as "
                        "often as is needed",
                        e.image->geometry.words);
    error =
        crl_emit_rtl(folder, source, e.axis ? "crl_axis_fabric" : "crl_stream_fabric crl_stream_names", &names, diag);
    if (!error) error = write_tables(&e);
    if (!error) error = write_csv(&e);
    if (!error) error = write_bench(&e, true, feed);
    if (!error) error = write_bench(&e, false, show);
    if (!error && e.axis) error = write_maps(&e, &map_depth, false);
    if (!error && e.axis) error = write_maps(&e, &map_depth, true);
    if (!error) error = write_all(&e, names, feed, show, map_depth);
    free(names);
    return error;
}
