// SPDX-License-Identifier: Apache-2.0
// A fabric of stream nodes as a directory that stands alone. docs/in-your-design.md is written for who takes it.
#include "form/slots_emission.h"
#include "lower/lower.h"
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char *unused_modules(const struct emission *e)
{
#define UNUSED(names)                                                                                                  \
    {                                                                                                                  \
        names " crl_ring", names                                                                                       \
    }
#define HALVES " crl_float_widen crl_float_narrow"
    static const char *const names[][2] = {
        UNUSED("crl_sum_staged crl_sum_floats crl_sum_float crl_sum_lane crl_sum" HALVES),
        UNUSED("crl_sum_staged crl_sum_floats crl_sum_float" HALVES),
        UNUSED("crl_sum_lane crl_sum_floats crl_sum_float" HALVES),
        UNUSED("crl_sum_staged crl_sum_floats" HALVES),
        UNUSED("crl_sum_staged crl_sum_lane crl_sum" HALVES),
        UNUSED("crl_sum_staged crl_sum_floats"),
        UNUSED("crl_sum_staged crl_sum_lane crl_sum"),
    };
    const uint32_t first = !e->geometry.combine ? 0 : adds_halves(e) ? 5 : adds_floats(e) ? 3 : 1;
    return names[first + (e->geometry.combine && e->part->late)][e->geometry.words > 1];
}

char *what_list(const struct emission *e)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    for (uint32_t p = 0; p < e->parts; p++)
        fprintf(memory, "%s%s (scheme %s)", p ? ", " : "", crl_collective_title(e->part[p].image->collective),
                e->part[p].image->scheme);
    fprintf(memory, " on %s", e->part->image->topology);
    return fclose(memory) ? NULL : text;
}

// Lines of a table in the README: what each op is, its rows, slots and their bound, and cycles from end to end.
static char *op_lines(const struct emission *e)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct crl_report *r = &e->part[p].schedule->report;
        fprintf(memory, "%s| %u | %s | %s | %u | %llu | %llu | %llu |", p ? "\n" : "", p,
                crl_collective_title(e->part[p].image->collective), e->part[p].image->scheme,
                e->part[p].image->geometry.rows, (unsigned long long)r->slots, (unsigned long long)r->bound_slots,
                (unsigned long long)end_to_end(&e->part[p], e->axis));
    }
    return fclose(memory) ? NULL : text;
}

// A number of each part as one constant, the last first.
enum number { LAST_ROW, ROWS_AT, MAP_AT, ENDS };
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
                         : number == MAP_AT  ? part->map_at
                                             : (uint32_t)end_to_end(part, e->axis);
        fprintf(memory, "%s%u'd%u%s", p + 1 == e->parts ? "{" : "", bits, value, p ? ", " : "}");
    }
    return fclose(memory) ? NULL : text;
}

char *with_tables(const struct emission *e, char *names)
{
    char *text = NULL;
    size_t size;
    if (!e->inlined || !names) return names;
    FILE *memory = open_memstream(&text, &size);
    if (memory) fprintf(memory, "%s %s_tables.svh", names, e->top);
    free(names);
    return memory && !fclose(memory) ? text : NULL;
}

char *file_lines(const struct emission *e, const char *names, const char *before)
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

// Files that a FuseSoC core takes along, as far as they are read.
static char *table_lines(const struct emission *e)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t t = 0; t < sequencers(e) && !e->inlined && !e->asic; t++)
        list_text(&list, "      - tables/%05u.hex: {file_type: user, copyto: tables/%05u.hex}", t, t);
    for (uint32_t i = 0; i < 2 * e->nodes * e->geometry.streams && !e->inlined && !e->asic && e->axis; i++) {
        const uint32_t v = i / 2 / e->geometry.streams, j = i / 2 % e->geometry.streams;
        const char *way = i % 2 ? "out" : "in";
        if (!e->lanes[!(i % 2)][i / 2]) continue;
        list_text(&list, "      - tables/%s%05u%02u.hex: {file_type: user, copyto: tables/%s%05u%02u.hex}", way, v, j,
                  way, v, j);
    }
    return list_end(&list);
}

// A number for what tables and maps must fit, which the port tells: whoever loads others compares it.
static uint32_t fabric_id(const struct emission *e)
{
    const struct crl_geometry *g = &e->geometry;
    const uint32_t number[] = {e->nodes,      g->ports,      g->lanes,       g->banks,
                               g->write_xbar, g->delay,      g->waddr_field, g->rows,
                               !g->storeless, g->addr_width, g->streams,     sequencers(e),
                               e->parts,      e->table_rows, e->map_depth,   g->words};
    const size_t size = sizeof number - (g->words > 1 ? 0 : sizeof *number); // one word is not told
    uLong crc = crc32_z(0, (const Bytef *)number, size);
    for (uint32_t i = 0; i < e->nodes * g->ports; i++) {
        const uint32_t link[] = {heard(e, i / g->ports, i % g->ports), cycles_from(e, i / g->ports, i % g->ports)};
        crc = crc32_z(crc, (const Bytef *)link, sizeof link);
    }
    return (uint32_t)crc;
}

void set(struct blanks *b, const char *key, const char *value)
{
    assert(b->count < BLANKS);
    b->blank[b->count++] = (struct crl_blank){key, value};
}

void say(struct blanks *b, const char *key, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(b->text[b->count], BLANK_TEXT, format, list);
    va_end(list);
    set(b, key, b->text[b->count]);
}

void flag(struct blanks *b, const char *key, bool value) { set(b, key, value ? "1" : ""); }

// Refuses a top's name that something in it, or in its test bench, has, too: tools take one for the other.
static int check_name(struct emission *e, struct blanks *b)
{
    static const char *const files[] = {"top.sv", "tb.sv", "tables.svh"};
    bool has = false;
    int error = 0;
    b->blank[0].value = ""; // TOP
    for (size_t i = 0; i < 3 && !error && !has; i++)
        error = crl_emit_template_has(files[i], b->blank, e->top, &has, e->diag);
    b->blank[0].value = e->top;
    if (!error && has)
        return crl_fail(e->diag, CRL_ERR_ARGUMENT,
                        "'%s' is no name for the top: it or its test bench has something else of that name", e->top);
    return error;
}

// What of the plan is proved minimal, where that is not the number of slots.
static void say_ends(struct blanks *b, const struct emission *e)
{
    char text[SLOTS_ENDS_TEXT];
    struct slots_ends ends;
    const bool known = slots_ends(&ends, slots_schedule_in(e->part->schedule)) && ends.measured.slots != ends.slots;
    if (known && slots_ends_optimal(&ends, text, sizeof text))
        say(b, "ENDS_NOTE", " From end to end it takes %llu slots, optimal for %s.",
            (unsigned long long)ends.measured.slots, text);
    else if (known)
        say(b, "ENDS_NOTE",
            " From end to end it takes %llu slots, and none with as many streams takes fewer than %llu.",
            (unsigned long long)ends.measured.slots, (unsigned long long)ends.bound);
    else set(b, "ENDS_NOTE", "");
}

static void say_times(struct blanks *b, const struct emission *e)
{
    const struct times *t = &e->part->times;
    const struct crl_stream_path path = crl_stream_path(e->axis, e->part->stages, e->geometry.words, e->part->late);
    bool waits = e->loaded;
    uint32_t pages = 2;
    for (uint32_t p = 0; p < e->parts; p++) {
        waits |= e->part[p].times.early;
        if (e->part[p].times.pages > pages) pages = e->part[p].times.pages;
    }
    say(b, "PAGES", "%u", pages);
    say(b, "WAITS", "%u", waits);
    say(b, "PERIOD", "%u", t->period);
    say(b, "END_TO_END", "%llu", (unsigned long long)end_to_end(e->part, e->axis));
    say(b, "FIRST_IN", "%lld", (long long)t->first);
    say(b, "LAST_OUT", "%lld", (long long)t->last);
    say(b, "CYCLES_FIXED", "%u", crl_stream_path_cycles(&path));
    say(b, "ADAPTER_IN", "%u", path.adapter_in);
    say(b, "ROUTER", "%u", path.router);
    say(b, "ROW_STAGES", "%u", path.row_stages);
    say(b, "STAGES", "%u", e->part->stages);
    say(b, "ADAPTER_OUT", "%u", path.adapter_out);
}

int write_file(const struct emission *e, const char *const file[2], const struct crl_blank *blanks)
{
    char name[NAME_MAX];
    snprintf(name, sizeof name, file[0], e->top);
    return crl_emit_template(e->folder, name, file[1], blanks, e->diag);
}

static int write_all(struct emission *e, const char *names, const char *numbers, uint32_t feed, uint32_t show)
{
    const struct crl_geometry *g = &e->geometry;
    const struct crl_report *r = &e->part->schedule->report;
    const bool several = e->parts > 1, floats = adds_floats(e);
    const uint32_t row_bits = e->table_rows > 1 ? crl_bits_for(e->table_rows) : 1;
    const uint32_t map_bits = e->map_depth > 1 ? crl_bits_for(e->map_depth) : 1;
    const uint32_t node_bits = e->nodes > 1 ? crl_bits_for(e->nodes) : 1;
    struct blanks b = {0};
    const struct {
        const char *key;
        char *text;
    } long_text[] = {{"WHAT", what_list(e)},
                     {"NEIGHBOURS", neighbour_list(e)},
                     {"LATENCIES", latency_list(e)},
                     {"FILES", file_lines(e, names, "")},
                     {"CORE_FILES", file_lines(e, names, "      ")},
                     {"CORE_TABLES", table_lines(e)},
                     {"OP_LINES", op_lines(e)},
                     {"LAST_ROWS", number_list(e, LAST_ROW, row_bits)},
                     {"BASES", number_list(e, ROWS_AT, row_bits)},
                     {"MAP_BASES", number_list(e, MAP_AT, map_bits)},
                     {"ENDS", number_list(e, ENDS, 32)},
                     {"FEEDS", count_list(e, true)},
                     {"SHOWS", count_list(e, false)},
                     {"ADDS", adder_list(e)},
                     {"DESTS", peer_list(e, true, feed)},
                     {"ORIGINS", peer_list(e, false, show)},
                     {"IN_USES", e->axis ? use_list(e, true) : strdup("")},
                     {"OUT_USES", e->axis ? use_list(e, false) : strdup("")},
                     {"KEEPS", e->axis ? keep_list(e) : strdup("")},
                     {"CONSTANTS", e->inlined ? constant_list(e) : strdup("")},
                     {"NAMED_PORTS", named_ports(e)},
                     {"NAMED_WIRES", named_wires(e)},
                     {"NAMED_BENCH", named_bench(e)},
                     {"LOAD_WORDS", e->loaded ? load_words(e) : strdup("")}};
    enum { LONG = sizeof long_text / sizeof *long_text };
    const char *what = long_text[0].text, *neighbours = long_text[1].text;
    int error = 0;
    set(&b, "TOP", e->top);
    say(&b, "NODES", "%u", e->nodes);
    say(&b, "PORTS", "%u", g->ports);
    say(&b, "LANES", "%u", g->lanes);
    say(&b, "BANKS", "%u", g->banks);
    say(&b, "WRITE_XBAR", "%u", g->write_xbar);
    say(&b, "DELAY", "%u", g->delay);
    say(&b, "WADDR_FIELD", "%u", g->waddr_field);
    say(&b, "STORE", "%u", !g->storeless);
    say(&b, "RESET_BANKS", "%u", e->reset_banks);
    set(&b, "IS_ABSENT", g->data_width > 1 ? "x[1:0] == 2'b00" : "x[0] == 1'b0");
    say(&b, "ADDR_WIDTH", "%u", g->addr_width);
    say(&b, "OPS", "%u", e->parts);
    say(&b, "OP_BITS", "%u", several ? crl_bits_for(e->parts) : 1);
    say(&b, "ROWS", "%u", g->rows);
    say(&b, "TABLE_ROWS", "%u", e->table_rows);
    say(&b, "ROW_BITS", "%u", row_bits);
    say(&b, "AT_BITS", "%u", row_bits + crl_bits_for(g->words)); // with the number of its cycle
    say(&b, "ROW_WIDTH", "%u", crl_row_bits(g));
    say(&b, "TABLE_BITS", "%u", sequencers(e) > 1 ? crl_bits_for(sequencers(e)) : 1);
    say(&b, "MAP_DEPTH", "%u", e->map_depth);
    say(&b, "MAP_BITS", "%u", map_bits);
    say(&b, "WAY_BITS", "%u", g->streams > 1 ? crl_bits_for(g->streams) : 1);
    say(&b, "ENTRY_WIDTH", "%u", entry_layout(e).bits);
    say(&b, "ID", "%08x", e->id);
    say(&b, "LOADS", "%u", e->loads);
    say(&b, "TABLES", "%u", sequencers(e));
    say(&b, "SHARED", "%u", sequencers(e) == 1);
    say(&b, "NODE_BITS", "%u", node_bits);
    const bool demands = e->part->problem->demands;
    flag(&b, "ABSENT", e->absent);
    say(&b, "WORDS", "%u", g->words);
    flag(&b, "PACKETS", g->words > 1);
    flag(&b, "AXIS_PACKETS", e->axis && g->words > 1);
    flag(&b, "STREAM_PACKETS", !e->axis && g->words > 1);
    flag(&b, "WORD", g->words == 1);
    if (g->words > 1) say(&b, "PACKETS_NOTE", "packets of %u words that follow each other, ", g->words);
    else set(&b, "PACKETS_NOTE", "");
    if (g->words > 1) say(&b, "LINKS_NOTE", "links %u, ", g->words - 1);
    else set(&b, "LINKS_NOTE", "");
    flag(&b, "FLOATS_WORD", floats && g->words == 1);
    flag(&b, "FLOATS_PACKETS", floats && g->words > 1);
    // Of a packet's words the test bench counts the rounds on.
    set(&b, "ROUND_WORD", g->words > 1 ? "round + (beat << 16)" : "round");
    set(&b, "ROUND_AT", g->words > 1 ? "(round * Words + beat)" : "round");
    set(&b, "IN_ROUND_WORD", g->words > 1 ? "in_round + (shown_beat << 16)" : "in_round");
    set(&b, "IN_ROUND_AT", g->words > 1 ? "(in_round * Words + shown_beat)" : "in_round");
    set(&b, "FED_WORD", g->words > 1 ? "fed_round + (fed_beat << 16)" : "fed_round");
    flag(&b, "PRESENT", !e->absent);
    const uint32_t all = e->nodes * g->streams;
    say(&b, "ALL", "%u", all);
    say(&b, "ALL_HIGH", "%u", all - 1);
    say(&b, "DATA_HIGH", "%u", all * g->data_width - 1);
    say(&b, "PEER_HIGH", "%u", all * peer_bits(e) - 1);
    flag(&b, "NAMED", e->named);
    flag(&b, "PACKED", !e->named);
    flag(&b, "PACKED_ABSENT", !e->named && e->absent);
    flag(&b, "PADDED", e->named && g->data_width % 8);
    say(&b, "PADDING_HIGH", "%u", all * (-g->data_width & 7) - 1);
    set(&b, "NAMED_STREAM", g->streams > 1 ? "nV_J" : "nV"); // J: its streams, from 0
    if (g->streams > 1) say(&b, "STREAM_AT", "j of node v is at index v * %u + j", g->streams);
    else set(&b, "STREAM_AT", "of node v is at index v");
    flag(&b, "NONE", strstr(neighbours ? neighbours : "", "None") != NULL);
    set(&b, "STREAMS_NOTE", g->streams > 1 ? "streams" : "stream");
    if (e->named)
        say(&b, "WHERE_NOTE", "V is the node%s.", g->streams > 1 ? ", J the stream, both from 0" : ", from 0");
    else if (g->streams == 1) set(&b, "WHERE_NOTE", "That of node v is at index v of all stream ports.");
    else say(&b, "WHERE_NOTE", "Stream j of node v is at index v · %u + j of all stream ports.", g->streams);
    say(&b, "OF", e->named ? "_%s" : "", g->streams > 1 ? "nV_J" : "nV");
    say(&b, "WANTED", e->named ? "wanted_%s" : "s_axis_tdest_o", g->streams > 1 ? "nV_J" : "nV");
    set(&b, "EACH", e->named ? "" : "a stream");
    say(&b, "PORT_WIDTH", "%u", e->named ? (g->data_width + 7) / 8 * 8 : g->data_width);
    set(&b, "PADDING_NOTE",
        e->named && g->data_width % 8 ? "; the bits above a word's are ignored, those of outputs 0" : "");
    set(&b, "CLK", e->named ? "aclk" : "clk_i");
    set(&b, "RST", e->named ? "aresetn" : "rst_ni");
    set(&b, "I", e->named ? "" : "_i"); // behind the names of ports
    set(&b, "O", e->named ? "" : "_o");
    flag(&b, "DEMANDS", demands);
    say(&b, "SLOTS", "%llu", (unsigned long long)r->slots);
    say(&b, "BOUND", "%llu", (unsigned long long)r->bound_slots);
    say_times(&b, e);
    say_ends(&b, e);
    say(&b, "ROUNDS", "%u", several ? 24 : 12);
    say(&b, "FEED_MOST", "%u", feed);
    say(&b, "SHOW_MOST", "%u", show);
    say(&b, "STALLS", "%u", e->axis);
    say(&b, "LIMIT", "%llu", 1000 + 64ULL * (several ? 24 : 12) * (g->rows + feed + show) * g->words);
    flag(&b, "IS_AXIS", e->axis);
    flag(&b, "IS_STREAM", !e->axis);
    flag(&b, "IS_AXIS_ONE", e->axis && !several);
    flag(&b, "IS_AXIS_FIXED", e->axis && !e->loaded);
    flag(&b, "BY_CYCLES", !e->axis);
    say_words(&b, e);
    flag(&b, "STAGED", e->part->late);
    say(&b, "SINGLE", "%u", e->part->late && !e->loaded && adds_one(e)); // others may be loaded
    flag(&b, "PEERS", !e->geometry.combine && !demands);
    flag(&b, "VERILOG", e->verilog);
    flag(&b, "SYSTEM", !e->verilog);
    set(&b, "ASIC_TARGET", e->asic && !e->verilog ? "synth-asic " : "");
    set(&b, "VERILOG_TARGET", e->verilog ? "" : "verilog ");
    set(&b, "FILE_TYPE", e->verilog ? "verilogSource" : "systemVerilogSource");
    set(&b, "LINT", e->verilog ? "-Wno-lint " : ""); // yosys leaves wires that nobody reads
    set(&b, "LINT_OPTION", e->verilog ? ", -Wno-lint" : "");
    flag(&b, "LOADED", e->loaded);
    set(&b, "LOAD_NOTE", e->loaded ? " And what load.hex says." : "");
    flag(&b, "INLINED", e->inlined);
    flag(&b, "INLINED_SYSTEM", e->inlined && !e->verilog);
    flag(&b, "AXIS_INLINED", e->inlined && e->axis);
    flag(&b, "FILES_READ", !e->inlined && !e->asic);
    flag(&b, "AXIS_FILES", !e->inlined && e->axis && !e->asic);
    flag(&b, "BARE", e->inlined && !e->loaded);
    flag(&b, "PARAMETERS", (!e->inlined || e->loaded) && !e->asic);
    set(&b, "COMMA", e->loaded ? "," : "");
    set(&b, "IF_INIT", e->loaded ? "(Init != 0) ? " : "");
    set(&b, "ELSE_ZERO", e->loaded ? " : 0" : "");
    set(&b, "ELSE_NONE", e->loaded ? " : \"\"" : "");
    flag(&b, "FIXED", !e->loaded);
    flag(&b, "LOADED_SYSTEM", e->loaded && !e->asic && !e->verilog);
    flag(&b, "LOADED_FPGA", e->loaded && !e->asic);
    flag(&b, "ASIC", e->asic);
    flag(&b, "ASIC_SYSTEM", e->asic && !e->verilog);
    flag(&b, "LOADED_ONE", e->loaded && !several);
    flag(&b, "LOADED_SEVERAL", e->loaded && several);
    flag(&b, "IS_AXIS_FIXED_ONE", e->axis && !e->loaded && !several);
    flag(&b, "FIXED_SEVERAL", !e->loaded && several);
    flag(&b, "SEVERAL", several);
    flag(&b, "ONE", !several);
    for (size_t i = 0; i < LONG; i++) {
        if (!long_text[i].text) error = crl_fail_memory(e->diag);
        set(&b, long_text[i].key, long_text[i].text);
    }
    set(&b, "NUMBERS", numbers);
    set(&b, "INSTANCE", NULL); // known when there is a top
    set(&b, NULL, NULL);
    if (!error) error = check_name(e, &b);
    static const char *const before[][2] = {{"rtl/%s_tables.svh", "tables.svh"}, {"%s.sv", "top.sv"}};
    static const char *const after[][2] = {
        {"Makefile", "Makefile"},    {"README.md", "README.md"}, {"files.f", "files.f"},    {"%s_tb.sv", "tb.sv"},
        {"%s.core", "core"},         {"%s.sdc", "constraints"},  {"%s.xdc", "constraints"}, {"%s.tcl", "project.tcl"},
        {"%s_litex.py", "litex.py"}, {"%s.h", "driver"}};
    char *instance = NULL;
    for (size_t i = e->inlined ? 0 : 1; i < 2 && !error; i++) error = write_file(e, before[i], b.blank);
    if (!error) error = crl_emit_instance(&instance, e->folder, e->top, e->diag);
    b.blank[b.count - 2].value = instance;
    for (size_t i = 0; i < (e->loaded ? 10 : 9) && !error; i++) error = write_file(e, after[i], b.blank);
    if (!error)
        error = e->verilog ? crl_emit_verilog(e->folder, e->top, e->diag)
                           : crl_emit_ipxact(e->folder, e->top, names, what, e->diag);
    free(instance);
    for (size_t i = 0; i < LONG; i++) free(long_text[i].text);
    return error;
}

enum { WORDS_MAX = 4096, WIDTH_MAX = 1024 }; // words of a packet, bits of a word

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
        if (g->words > WORDS_MAX)
            return crl_fail(e->diag, CRL_ERR_UNSUPPORTED, "packets of '%u' words; a fabric's have up to %d", g->words,
                            WORDS_MAX);
        if (g->words > 1 && e->reset_banks && !g->storeless)
            return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                            "packets of '%u' words need more zeros in banks than reset writes: they are there at "
                            "power-up, without '--reset-banks'",
                            g->words);
    }
    const struct crl_geometry *g = &e->part->image->geometry;
    if (e->width > WIDTH_MAX)
        return crl_fail(e->diag, CRL_ERR_ARGUMENT, "words of '%u' bits; a fabric's have 1 to %d", e->width, WIDTH_MAX);
    if (e->width && g->combine && !crl_op_fits(crl_geometry_op(g), e->width))
        return crl_fail(e->diag, CRL_ERR_ARGUMENT, "--op %s adds words of 32 bits, not of '%u'; say --width 32",
                        crl_op_name(crl_geometry_op(g)), e->width);
    if (e->absent && g->combine)
        return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                        "'--absent' is for words that pass: a sum needs all of its values");
    if (e->loaded && !e->axis)
        return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                        "tables that are loaded say what streams carry, too: that needs the adapters of "
                        "'--protocol axis'");
    if (e->asic && !e->loaded)
        return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                        "memories of an ASIC start undefined: with '--target asic' tables are loaded by "
                        "'--tables axi-lite'");
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
                         .asic = !strcmp(how->target, "asic"),
                         .width = how->width,
                         .reset_banks = how->reset_banks || !strcmp(how->target, "asic"),
                         .inlined = !strcmp(how->table_files, "inline") && strcmp(how->target, "asic"),
                         .named = !strcmp(how->top_ports, "named"),
                         .loaded = !strcmp(how->tables, "axi-lite"),
                         .diag = diag};
    char source[PATH_MAX], *names = NULL;
    for (uint32_t p = 0; p < count; p++)
        parts[p] = (struct part){.schedule = what[p].schedule,
                                 .image = &slots_image_in(what[p].image)->image,
                                 .problem = slots_said(what[p].image->problem),
                                 .stages = how->row_stages};
    const bool boards = crl_topology_boards(parts->problem->topology);
    int error = check_parts(&e);
    if (!error && boards) error = check_boards(&e);
    else if (!error && !strcmp(how->top_ports, "wires"))
        error =
            crl_fail(diag, CRL_ERR_ARGUMENT, "--top-ports wires: only cables between boards are wires, by --boards");
    for (uint32_t p = 0; p < count && !error; p++) {
        error = find_times(&parts[p], e.axis, diag);
        if (e.loaded && geometry_adds_floats(&parts[p].image->geometry)) parts[p].late = 0; // others may be closer
        if (!error && parts[p].late != parts->late)
            error = crl_fail(diag, CRL_ERR_UNSUPPORTED,
                             "numbers of schedule %u and schedule 0: of one of them sums come too close for adders in "
                             "stages; emit them apart, or plan both with the same --link-latency",
                             p);
    }
    if (!error) error = share_geometry(&e, parts);
    for (uint32_t p = 0; p < count && !error; p++) error = check_stages(&e, &parts[p]);
    if (!error && crl_context_data(what->image->problem->context, source, sizeof source - 4))
        error = crl_fail(diag, CRL_ERR_ARGUMENT, "the name of the folder of the RTL is too long");
    if (error) return error;
    e.source = strcat(source, "/rtl");
    if (boards) return write_boards(&e, !strcmp(how->top_ports, "wires"));
    {
        error = crl_emit_rtl(folder, source,
                             e.asic     ? "crl_axis_fabric crl_table_port crl_sram"
                             : e.loaded ? "crl_axis_fabric crl_table_port"
                             : e.axis   ? "crl_axis_fabric"
                                        : "crl_stream_fabric crl_stream_names",
                             unused_modules(&e), &names, diag);
        names = with_tables(&e, names);
        if (!error && !names) error = crl_fail_memory(diag);
    }
    if (!error && e.asic)
        error = crl_emit_template(folder, "rtl/crl_ram.sv", "ram_asic.sv", &(struct crl_blank){0}, diag);
    const uint32_t feed = error ? 0 : most_of(&e, true), show = error ? 0 : most_of(&e, false);
    if (!error) error = write_tables(&e);
    if (!error) error = write_csv(&e);
    if (!error && e.part->problem->demands) error = write_demands(&e);
    struct list bench;
    list_begin(&bench, 2);
    if (!error) put_bench(&e, true, feed, &bench);
    if (!error) put_bench(&e, false, show, &bench);
    if (!error) error = put_terms(&e, &bench);
    if (!error && e.axis) error = share_maps(&e, parts);
    if (!error && e.axis) error = write_maps(&e);
    if (!error && e.loaded) e.id = fabric_id(&e);
    if (!error && e.loaded) error = write_load(&e);
    if (!error && e.loaded) put_load(&e, &bench);
    CRL_OWNED char *numbers = list_end(&bench);
    if (!error && !numbers) error = crl_fail_memory(diag);
    if (!error) error = write_all(&e, names, numbers, feed, show);
    CRL_FREE(names, e.load, e.lanes[0], e.lanes[1], e.keeps);
    return error;
}
