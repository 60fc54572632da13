// SPDX-License-Identifier: Apache-2.0
// A fabric of stream nodes as a directory that stands alone. docs/in-your-design.md is written for who takes it.
#include "form/slots_emission.h"
#include "form/tables.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// A list of links, as crl_links and crl_link_pipes take it, the last first.
static char *link_list(const struct emission *e, bool latency)
{
    const struct crl_topology *t = e->part->problem->topology;
    const uint32_t ports = e->geometry.ports, slot = crl_slot_cycles(&e->geometry, e->part->image->port_model);
    const size_t links = (size_t)e->nodes * ports;
    char *text = malloc(links * 6 + 32), *at = text;
    if (!text) return NULL;
    at += sprintf(at, "%zu'h", 16 * links);
    for (size_t i = links; i-- > 0;) {
        uint32_t v = (uint32_t)(i / ports), p = (uint32_t)(i % ports), from = crl_topology_behind(t, v, p);
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
    const uint32_t streams = e->geometry.streams;
    const uint64_t total = (uint64_t)e->nodes * streams * most * bits;
    char *text = malloc(total + 32), *at;
    if (!text) return NULL;
    at = text + sprintf(text, "%llu'b", (unsigned long long)total);
    for (uint32_t v = e->nodes; v-- > 0;)
        for (uint32_t j = streams; j-- > 0;) {
            struct lane lane = lane_of(e->part, in, v, j);
            for (uint32_t i = most; i-- > 0;) {
                uint32_t peer = i < lane.count ? peer_of(e->part, in, v, &lane.place[i]) : 0;
                for (uint32_t b = bits; b-- > 0;) *at++ = "01"[peer >> b & 1];
            }
        }
    *at = 0;
    return text;
}

// Words of a round of each stream of a direction, the last first.
static char *count_list(const struct emission *e, bool in)
{
    const uint32_t streams = e->geometry.streams;
    const size_t all = (size_t)e->nodes * streams;
    char *text = malloc(all * 4 + 32), *at;
    if (!text) return NULL;
    at = text + sprintf(text, "%zu'h", all * 16);
    for (size_t i = all; i-- > 0;)
        at +=
            sprintf(at, "%04x", lane_of(e->part, in, (uint32_t)(i / streams), (uint32_t)(i % streams)).count & 0xffff);
    return text;
}

// What the fabric plays, in words: "A (scheme a), B (scheme b) on T".
static char *what_list(const struct emission *e)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    for (uint32_t p = 0; p < e->parts; p++)
        fprintf(memory, "%s%s (scheme %s)", p ? ", " : "", e->part[p].image->collective, e->part[p].image->scheme);
    fprintf(memory, " on %s", e->part->image->topology);
    return fclose(memory) ? NULL : text;
}

// Lines of a table in the README: what each op is, its cycles, slots and their bound.
static char *op_lines(const struct emission *e)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct crl_report *r = &e->part[p].schedule->report;
        fprintf(memory, "%s| %u | %s | %s | %u | %llu | %llu |", p ? "\n" : "", p, e->part[p].image->collective,
                e->part[p].image->scheme, e->part[p].image->geometry.rows, (unsigned long long)r->slots,
                (unsigned long long)r->bound_slots);
    }
    return fclose(memory) ? NULL : text;
}

// A number of each part as one constant, the last first.
enum number { LAST_ROW, ROWS_AT, MAP_AT };
static char *number_list(const struct emission *e, enum number number, uint32_t bits)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    for (uint32_t p = e->parts; p-- > 0;) {
        const struct part *part = &e->part[p];
        uint32_t value = number == LAST_ROW  ? part->image->geometry.rows - 1
                         : number == ROWS_AT ? part->rows_at
                                             : part->map_at;
        fprintf(memory, "%s%u'd%u%s", p + 1 == e->parts ? "{" : "", bits, value, p ? ", " : "}");
    }
    return fclose(memory) ? NULL : text;
}

// Files, a line each, as files.f and a FuseSoC core want them.
static char *file_lines(const struct emission *e, const char *names, const char *before)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    while (*names && !e->verilog) {
        size_t length = strcspn(names, " ");
        bool include = length > 4 && !strncmp(names + length - 4, ".svh", 4);
        if (*before)
            fprintf(memory, "%s- rtl/%.*s%s\n", before, (int)length, names,
                    include ? ": {is_include_file: true, include_path: rtl}" : "");
        else if (!include) fprintf(memory, "rtl/%.*s\n", (int)length, names);
        names += length + strspn(names + length, " ");
    }
    fprintf(memory, "%s%s%s.%s", before, *before ? "- " : "", e->top, e->verilog ? "v" : "sv");
    return fclose(memory) ? NULL : text;
}

static char *table_lines(const struct emission *e)
{
    const uint32_t tables = e->verilog ? 0 : sequencers(e);
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    static const char *const bench[] = {"tb_feed", "tb_show", "tb_feeds", "tb_shows", "tb_terms", "tb_ends"};
    const size_t benches = sizeof bench / sizeof *bench - (e->terms ? 0 : 2);
    if (!memory) return NULL;
    for (uint32_t t = 0; t < tables; t++) fprintf(memory, "      - tables/%05u.hex: {copyto: tables/%05u.hex}\n", t, t);
    for (uint32_t v = 0; v < e->nodes && e->axis && !e->verilog; v++)
        for (uint32_t j = 0; j < e->geometry.streams; j++)
            for (int out = 0; out < 2; out++)
                fprintf(memory, "      - tables/%s%05u%02u.hex: {copyto: tables/%s%05u%02u.hex}\n", out ? "out" : "in",
                        v, j, out ? "out" : "in", v, j);
    for (size_t i = 0; i < benches; i++)
        fprintf(memory, "%s      - tables/%s.hex: {copyto: tables/%s.hex}", i ? "\n" : "", bench[i], bench[i]);
    if (e->loaded) fprintf(memory, "\n      - load.hex: {copyto: load.hex}");
    return fclose(memory) ? NULL : text;
}

// How the test bench adds a word to a sum; NULL: in the order of terms (write_terms).
static const char *const sum_texts[CRL_OPS] = {[CRL_OP_ADD] = "sum_of + word",
                                               [CRL_OP_MIN] = "(sum_of < word) ? sum_of : word",
                                               [CRL_OP_MAX] = "(sum_of < word) ? word : sum_of",
                                               [CRL_OP_XOR] = "sum_of ^ word",
                                               [CRL_OP_AND] = "sum_of & word",
                                               [CRL_OP_OR] = "sum_of | word"};

// A number for what tables and maps must fit, which the port tells: whoever loads others compares it.
static uint32_t fabric_id(const struct emission *e)
{
    const struct crl_geometry *g = &e->geometry;
    const uint32_t number[] = {e->nodes,   g->ports,       g->lanes, g->banks,      g->write_xbar,
                               g->delay,   g->waddr_field, g->rows,  !g->storeless, g->addr_width,
                               g->streams, sequencers(e),  e->parts, e->table_rows, e->map_depth};
    char *links[] = {link_list(e, false), link_list(e, true)};
    uLong crc = crc32_z(0, (const Bytef *)number, sizeof number);
    for (size_t i = 0; i < 2; i++) {
        if (links[i]) crc = crc32_z(crc, (const Bytef *)links[i], strlen(links[i]));
        free(links[i]);
    }
    return (uint32_t)crc;
}

enum { BLANKS = 104, BLANK_TEXT = 256 };
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

static int write_all(struct emission *e, const char *names, uint32_t feed, uint32_t show)
{
    const struct crl_geometry *g = &e->geometry;
    const struct crl_report *r = &e->part->schedule->report;
    const bool several = e->parts > 1, floats = g->combine && crl_geometry_op(g) == CRL_OP_FADD;
    const uint32_t row_bits = e->table_rows > 1 ? crl_bits_for(e->table_rows) : 1;
    const uint32_t map_bits = e->map_depth > 1 ? crl_bits_for(e->map_depth) : 1;
    const uint32_t node_bits = e->nodes > 1 ? crl_bits_for(e->nodes) : 1;
    struct blanks b = {0};
    char *long_text[] = {link_list(e, false),
                         link_list(e, true),
                         file_lines(e, names, ""),
                         file_lines(e, names, "      "),
                         table_lines(e),
                         what_list(e),
                         op_lines(e),
                         number_list(e, LAST_ROW, row_bits),
                         number_list(e, ROWS_AT, row_bits),
                         number_list(e, MAP_AT, map_bits),
                         count_list(e, true),
                         count_list(e, false),
                         peer_list(e, true, feed, peer_bits(e)),
                         peer_list(e, false, show, peer_bits(e))};
    static const char *const long_key[] = {"NEIGHBOURS", "LATENCIES", "FILES",     "CORE_FILES", "CORE_TABLES",
                                           "WHAT",       "OP_LINES",  "LAST_ROWS", "BASES",      "MAP_BASES",
                                           "FEEDS",      "SHOWS",     "DESTS",     "ORIGINS"};
    enum { LONG = sizeof long_text / sizeof *long_text };
    int error = 0;
    set(&b, "TOP", e->top);
    set(&b, "VERSION", CARILLON_VERSION);
    say(&b, "NODES", "%u", e->nodes);
    say(&b, "PORTS", "%u", g->ports);
    say(&b, "LANES", "%u", g->lanes);
    say(&b, "BANKS", "%u", g->banks);
    say(&b, "WRITE_XBAR", "%u", g->write_xbar);
    say(&b, "DELAY", "%u", g->delay);
    say(&b, "WADDR_FIELD", "%u", g->waddr_field);
    say(&b, "STORE", "%u", !g->storeless);
    say(&b, "WIDTH", "%u", g->data_width);
    say(&b, "ADDR_WIDTH", "%u", g->addr_width);
    say(&b, "OPS", "%u", e->parts);
    say(&b, "OP_BITS", "%u", several ? crl_bits_for(e->parts) : 1);
    say(&b, "ROWS", "%u", g->rows);
    say(&b, "TABLE_ROWS", "%u", e->table_rows);
    say(&b, "ROW_BITS", "%u", row_bits);
    say(&b, "ROW_WIDTH", "%u", crl_row_bits(g));
    say(&b, "TABLE_BITS", "%u", sequencers(e) > 1 ? crl_bits_for(sequencers(e)) : 1);
    say(&b, "MAP_DEPTH", "%u", e->map_depth);
    say(&b, "MAP_BITS", "%u", map_bits);
    say(&b, "WAY_BITS", "%u", g->streams > 1 ? crl_bits_for(g->streams) : 1);
    say(&b, "ENTRY_WIDTH", "%u", entry_layout(e).bits);
    say(&b, "ID", "%08x", e->id);
    say(&b, "LOADS", "%u", e->loads);
    say(&b, "TABLES", "%u", sequencers(e));
    say(&b, "STREAMS", "%u", g->streams);
    say(&b, "SHARED", "%u", sequencers(e) == 1);
    say(&b, "NODE_BITS", "%u", node_bits);
    const bool demands = e->part->problem->demands;
    say(&b, "FABRIC_WIDTH", "%u", g->data_width + e->absent);
    flag(&b, "ABSENT", e->absent);
    flag(&b, "PRESENT", !e->absent);
    set(&b, "OWN_DATA", e->absent ? "own_data" : "s_axis_tdata_i");
    set(&b, "SHOW_DATA", e->absent ? "show_data" : "m_axis_tdata_o");
    set(&b, "SHOW_VALID", e->absent ? "show_valid" : "m_axis_tvalid_o");
    set(&b, "SHOW_READY", e->absent ? "show_ready" : "m_axis_tready_i");
    say(&b, "PEER_BITS", "%u", peer_bits(e));
    set(&b, "DEST_NOTE", demands ? "demand" : "destination");
    set(&b, "ORIGIN_NOTE", demands ? "demand" : "origin");
    flag(&b, "DEMANDS", demands);
    say(&b, "SLOTS", "%llu", (unsigned long long)r->slots);
    say(&b, "BOUND", "%llu", (unsigned long long)r->bound_slots);
    say(&b, "PERIOD", "%u", g->rows);
    say(&b, "ROUNDS", "%u", several ? 24 : 8);
    say(&b, "FEED_MOST", "%u", feed);
    say(&b, "SHOW_MOST", "%u", show);
    say(&b, "STALLS", "%u", e->axis);
    say(&b, "LIMIT", "%llu", 1000 + 64ULL * (several ? 24 : 8) * (g->rows + feed + show));
    flag(&b, "IS_AXIS", e->axis);
    flag(&b, "IS_STREAM", !e->axis);
    flag(&b, "BY_CYCLES", !e->axis);
    const struct crl_problem *p = e->part->problem;
    say(&b, "COMBINE", "%u", g->combine);
    say(&b, "CHUNKS", "%u", p->chunks);
    set(&b, "SUM", g->combine && !floats ? sum_texts[crl_geometry_op(g)] : "");
    set(&b, "SUM_TO", crl_problem_sums(p) && crl_problem_scans(p) ? "node" : "Nodes - 1");
    say(&b, "SUM_NOTE", g->combine ? ", sums by `--op %s`" : "", g->combine ? crl_op_name(crl_geometry_op(g)) : "");
    say(&b, "TERMS", "%u", e->terms);
    flag(&b, "SUMS", g->combine);
    flag(&b, "FLOATS", floats);
    flag(&b, "BITS", !floats);
    flag(&b, "UNSIGNED", g->combine && !floats);
    flag(&b, "PLAIN", !g->combine);
    flag(&b, "PEERS", !g->combine && !demands);
    flag(&b, "VERILOG", e->verilog);
    flag(&b, "SYSTEM", !e->verilog);
    set(&b, "VERILOG_TARGET", e->verilog ? "" : "verilog ");
    set(&b, "FILE_TYPE", e->verilog ? "verilogSource" : "systemVerilogSource");
    set(&b, "LINT", e->verilog ? "-Wno-lint " : ""); // yosys leaves wires that nobody reads
    set(&b, "LINT_OPTION", e->verilog ? ", -Wno-lint" : "");
    flag(&b, "LOADED", e->loaded);
    flag(&b, "FIXED", !e->loaded);
    flag(&b, "LOADED_SYSTEM", e->loaded && !e->verilog);
    flag(&b, "SEVERAL", several);
    flag(&b, "ONE", !several);
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
    for (size_t i = 0; i < 3 && !error; i++) { // the top first
        char name[NAME_MAX];
        snprintf(name, sizeof name, named[i][0], e->top);
        error = crl_emit_template(e->folder, name, e->axis && !i ? axis_top : named[i][1], b.blank, e->diag);
        if (!error && !i && e->verilog) error = crl_emit_verilog(e->folder, e->top, e->diag);
    }
    for (size_t i = 0; i < LONG; i++) free(long_text[i]);
    return error;
}

// Whether a fabric can have such parts.
static int check_parts(const struct emission *e)
{
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct crl_geometry *g = &e->part[p].image->geometry;
        if (!g->streams)
            return crl_fail(e->diag, CRL_ERR_ARGUMENT,
                            "the image keeps its words in memories; build it with '--streams'");
        if (!e->axis && g->streams != g->lanes)
            return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                            "'%u' streams of nodes of %u lanes: such words wait in adapters, which '--protocol axis' "
                            "has",
                            g->streams, g->lanes);
        if (g->words > 1)
            return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                            "packets of '%u' words: fabrics are for packets of one word, played as often as is needed",
                            g->words);
    }
    if (e->absent && e->part->image->geometry.combine)
        return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                        "'--absent' is for words that pass: a sum needs all of its values");
    if (e->loaded && !e->axis)
        return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                        "tables that are loaded say what streams carry, too: that needs the adapters of "
                        "'--protocol axis'");
    if (e->parts > 1 && !e->axis)
        return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                        "'%u' schedules: words of several kinds of rounds are kept apart by adapters, which "
                        "'--protocol axis' has",
                        e->parts);
    return 0;
}

int slots_emit(const struct carillon_emitted *what, uint32_t count, const struct carillon_emission *how,
               struct crl_folder *folder, struct crl_diag *diag)
{
    struct part parts[CARILLON_EMITTED_MAX] = {0};
    struct emission e = {.folder = folder,
                         .part = parts,
                         .parts = count,
                         .top = how->top,
                         .axis = !strcmp(how->protocol, "axis"),
                         .verilog = !strcmp(how->language, "verilog"),
                         .absent = how->absent,
                         .loaded = !strcmp(how->tables, "axi-lite"),
                         .diag = diag};
    char source[PATH_MAX], *names = NULL;
    for (uint32_t p = 0; p < count; p++)
        parts[p] = (struct part){.schedule = what[p].schedule,
                                 .image = &slots_image_in(what[p].image)->image,
                                 .problem = slots_said(what[p].image->problem)};
    int error = check_parts(&e);
    if (!error) error = share_geometry(&e, parts);
    if (!error) {
        error = crl_context_data(what->image->problem->context, source, sizeof source - 4);
        if (error) return crl_fail(diag, error, "the name of the folder of the RTL is too long");
        strcat(source, "/rtl");
        error = crl_emit_rtl(folder, source,
                             e.loaded ? "crl_axis_fabric crl_table_port"
                             : e.axis ? "crl_axis_fabric"
                                      : "crl_stream_fabric crl_stream_names",
                             &names, diag);
    }
    const uint32_t feed = error ? 0 : most_of(&e, true), show = error ? 0 : most_of(&e, false);
    if (!error) error = write_tables(&e);
    if (!error) error = write_csv(&e);
    if (!error && e.part->problem->demands) error = write_demands(&e);
    if (!error) error = write_bench(&e, true, feed);
    if (!error) error = write_bench(&e, false, show);
    if (!error) error = write_terms(&e);
    if (!error && e.axis) error = share_maps(&e, parts);
    if (!error && e.axis) error = write_maps(&e);
    if (!error && e.loaded) e.id = fabric_id(&e);
    if (!error && e.loaded) error = write_load(&e);
    if (!error) error = write_all(&e, names, feed, show);
    free(names);
    return error;
}
