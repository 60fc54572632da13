// SPDX-License-Identifier: Apache-2.0
// A fabric of stream nodes as a directory that stands alone. docs/in-your-design.md is written for who takes it.
#include "machine/slots/emission.h"
#include "lower/lower.h"
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
    struct list list;
    list_begin(&list, 0);
    for (uint32_t p = 0; p < (e->spare ? 1 : e->parts); p++)
        list_put(&list, "%s%s (scheme %s)", p ? ", " : "", crl_collective_title(e->part[p].image->collective),
                 e->part[p].image->scheme);
    list_put(&list, " on %s", e->part->image->topology);
    if (e->spare) list_put(&list, " with %u spares for single failures of %s", e->parts - 1, e->spare);
    return list_end(&list);
}

// Lines of a table in the README: what each op is, its rows, slots and their bound, and cycles from end to end.
char *op_lines(const struct emission *e)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct crl_report *r = &e->part[p].schedule->report;
        list_text(&list, "| %u | %s%s%s | %s | %u | %llu | %llu | %llu |", p,
                  crl_collective_title(e->part[p].image->collective), e->part[p].without ? " without " : "",
                  e->part[p].without ? e->part[p].without : "", e->part[p].scheme, e->part[p].image->geometry.rows,
                  (unsigned long long)r->slots, (unsigned long long)r->bound_slots,
                  (unsigned long long)end_to_end(&e->part[p], e->axis));
    }
    return list_end(&list);
}

// A number of each part as one constant, the last first.
enum number { LAST_ROW, ROWS_AT, MAP_AT, ENDS };
static char *number_list(const struct emission *e, enum number number, uint32_t bits)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t p = e->parts; p-- > 0;) {
        const struct part *part = &e->part[p];
        uint32_t value = number == LAST_ROW  ? part->image->geometry.rows - 1
                         : number == ROWS_AT ? part->rows_at
                         : number == MAP_AT  ? part->map_at
                                             : (uint32_t)end_to_end(part, e->axis);
        list_put(&list, "%s%u'd%u%s", p + 1 == e->parts ? "{" : "", bits, value, p ? ", " : "}");
    }
    return list_end(&list);
}

char *with_tables(const struct emission *e, char *names)
{
    struct list list;
    if (!e->inlined || !names) return names;
    list_begin(&list, 0);
    list_put(&list, "%s %s_tables.svh", names, e->top);
    free(names);
    return list_end(&list);
}

char *file_lines(const struct emission *e, const char *names, const char *before)
{
    struct list list;
    list_begin(&list, 0);
    while (*names && !e->verilog) {
        size_t length = strcspn(names, " ");
        bool include = length > 4 && !strncmp(names + length - 4, ".svh", 4);
        if (*before)
            list_text(&list, "%s- rtl/%.*s%s", before, (int)length, names,
                      include ? ": {is_include_file: true, include_path: rtl}" : "");
        else if (!include) list_text(&list, "rtl/%.*s", (int)length, names);
        names += length + strspn(names + length, " ");
    }
    list_text(&list, "%s%s%s.%s", before, *before ? "- " : "", e->top, e->verilog ? "v" : "sv");
    return list_end(&list);
}

// Files that a FuseSoC core takes along, as far as they are read.
static char *table_lines(const struct emission *e)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t t = 0; t < sequencers(e) && !e->inlined && !e->asic; t++)
        list_text(&list, "      - tables/%05u.hex: {file_type: user, copyto: tables/%05u.hex}", t, t);
    for (uint32_t t = 0; t < sequencers(e) && !e->inlined && e->stored; t++)
        list_text(&list, "      - tables/list%05u.hex: {file_type: user, copyto: tables/list%05u.hex}", t, t);
    for (uint32_t i = 0; i < 2 * e->nodes * e->geometry.streams && !e->inlined && !e->asic && e->axis; i++) {
        const uint32_t v = i / 2 / e->geometry.streams, j = i / 2 % e->geometry.streams;
        const char *way = i % 2 ? "out" : "in";
        if (!e->lanes[!(i % 2)][i / 2]) continue;
        list_text(&list, "      - tables/%s%05u%02u.hex: {file_type: user, copyto: tables/%s%05u%02u.hex}", way, v, j,
                  way, v, j);
    }
    return list_end(&list);
}

// Whether a port of some node hears nobody.
static bool lacks_links(const struct emission *e)
{
    for (uint32_t i = 0; i < e->nodes * e->geometry.ports; i++)
        if (heard(e, i / e->geometry.ports, i % e->geometry.ports) == CRL_NONE) return true;
    return false;
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

void say_times(struct blanks *b, const struct emission *e)
{
    const struct times *t = &e->part->times;
    const struct crl_stream_path path = path_of(e->part, e->axis);
    bool waits = e->loaded;
    uint32_t pages = 2;
    for (uint32_t p = 0; p < e->parts; p++) {
        waits |= e->part[p].times.early;
        if (e->part[p].times.pages > pages) pages = e->part[p].times.pages;
    }
    SAY_NUMBERS(b, {"PAGES", pages}, {"WAITS", waits}, {"PERIOD", t->period},
                {"END_TO_END", end_to_end(e->part, e->axis)}, {"CYCLES_FIXED", crl_stream_path_cycles(&path)},
                {"ADAPTER_IN", path.adapter_in}, {"ROUTER", path.router}, {"ROW_STAGES", path.row_stages},
                {"STAGES", e->part->stages}, {"ADAPTER_OUT", path.adapter_out});
    say(b, "FIRST_IN", "%lld", (long long)t->first);
    say(b, "LAST_OUT", "%lld", (long long)t->last);
}

void say_numbers_of(struct blanks *b, const struct emission *e, uint32_t feed, uint32_t show)
{
    const struct crl_geometry *g = &e->geometry;
    const struct crl_report *r = &e->part->schedule->report;
    const uint32_t row_bits = e->table_rows > 1 ? crl_bits_for(e->table_rows) : 1,
                   map_bits = e->map_depth > 1 ? crl_bits_for(e->map_depth) : 1,
                   rounds = e->spare       ? e->parts + 12
                            : e->parts > 1 ? 24
                                           : 12;
    SAY_NUMBERS(b, {"OPS", e->parts}, {"OP_BITS", e->parts > 1 ? crl_bits_for(e->parts) : 1},
                {"TABLE_ROWS", e->table_rows}, {"STORED", e->stored},
                {"AT_BITS", row_bits + crl_bits_for(g->words)}, // with its cycle's number
                {"MAP_DEPTH", e->map_depth}, {"MAP_BITS", map_bits},
                {"WAY_BITS", g->streams > 1 ? crl_bits_for(g->streams) : 1}, {"ENTRY_WIDTH", entry_layout(e).bits},
                {"LOADS", e->loads}, {"NODE_BITS", e->nodes > 1 ? crl_bits_for(e->nodes) : 1},
                {"PADDING_HIGH", (uint32_t)(e->nodes * g->streams * (-g->data_width & 7) - 1)},
                {"PORT_WIDTH", e->named ? (g->data_width + 7) / 8 * 8 : g->data_width}, {"SLOTS", r->slots},
                {"BOUND", r->bound_slots}, {"ROUNDS", rounds}, {"FEED_MOST", feed}, {"SHOW_MOST", show},
                {"STALLS", e->axis}, {"MEMORY_BITS", e->memory}, {"MEMORY_BITS_ALONE", e->memory_alone},
                {"LIMIT", 1000 + 64ULL * rounds * (g->rows + feed + show) * g->words},
                {"SINGLE", e->part->late && !e->loaded && adds_one(e)}); // others may be loaded
    say(b, "ID", "%08x", e->id);
    own(b, "LAST_ROWS", number_list(e, LAST_ROW, row_bits));
    own(b, "BASES", number_list(e, ROWS_AT, row_bits));
    own(b, "MAP_BASES", number_list(e, MAP_AT, map_bits));
    own(b, "ENDS", number_list(e, ENDS, 32));
}

static void say_lists(struct blanks *b, struct emission *e, const char *names, uint32_t feed, uint32_t show)
{
    own(b, "FILES", file_lines(e, names, ""));
    own(b, "CORE_FILES", file_lines(e, names, "      "));
    own(b, "CORE_TABLES", table_lines(e));
    own(b, "OP_LINES", op_lines(e));
    own(b, "ADDS", adder_list(e));
    own(b, "DESTS", peer_list(e, true, feed));
    own(b, "ORIGINS", peer_list(e, false, show));
    own(b, "IN_USES", e->axis ? use_list(e, true) : strdup(""));
    own(b, "OUT_USES", e->axis ? use_list(e, false) : strdup(""));
    own(b, "KEEPS", e->axis ? keep_list(e) : strdup(""));
    own(b, "NAMED_PORTS", named_ports(e));
    own(b, "NAMED_WIRES", named_wires(e));
    own(b, "NAMED_BENCH", named_bench(e));
    own(b, "LOAD_WORDS", e->loaded ? load_words(e) : strdup(""));
}

// What streams, ports and files are called, and what is said of them.
static void set_words(struct blanks *b, const struct emission *e)
{
    const struct crl_geometry *g = &e->geometry;
    const bool packets = g->words > 1, several = g->streams > 1, named = e->named, loaded = e->loaded;
    const char *stream = several ? "nV_J" : "nV"; // J: its streams, from 0
    if (packets) say(b, "PACKETS_NOTE", "packets of %u words that follow each other, ", g->words);
    if (packets) say(b, "LINKS_NOTE", "links %u, ", g->words - 1);
    if (named) say(b, "WHERE_NOTE", "V is the node%s.", several ? ", J the stream, both from 0" : ", from 0");
    else if (several)
        say(b, "WHERE_NOTE", "Stream j of node v is at index v · %u + j of all stream ports.", g->streams);
    say(b, "OF", named ? "_%s" : "", stream);
    say(b, "WANTED", named ? "wanted_%s" : "s_axis_tdest_o", stream);
    // Of a packet's words the test bench counts the rounds on. What stands above is found first.
    SET_TEXTS(
        b, {"PACKETS_NOTE", ""}, {"LINKS_NOTE", ""},
        {"WHERE_NOTE", "That of node v is at index v of all stream ports."},
        {"ROUND_WORD", packets ? "round + (beat << 16)" : "round"},
        {"ROUND_AT", packets ? "(round * Words + beat)" : "round"},
        {"IN_ROUND_WORD", packets ? "in_round + (shown_beat << 16)" : "in_round"},
        {"IN_ROUND_AT", packets ? "(in_round * Words + shown_beat)" : "in_round"},
        {"FED_WORD", packets ? "fed_round + (fed_beat << 16)" : "fed_round"},
        {"IS_ABSENT", g->data_width > 1 ? "x[1:0] == 2'b00" : "x[0] == 1'b0"}, {"NAMED_STREAM", stream},
        {"STREAMS_NOTE", several ? "streams" : "stream"}, {"EACH", named ? "" : "a stream"},
        {"PADDING_NOTE", named && g->data_width % 8 ? "; the bits above a word's are ignored, those of outputs 0" : ""},
        {"CLK", named ? "aclk" : "clk_i"}, {"RST", named ? "aresetn" : "rst_ni"},
        {"I", named ? "" : "_i"}, // behind the names of ports
        {"O", named ? "" : "_o"}, {"ASIC_TARGET", e->asic && !e->verilog ? "synth-asic " : ""},
        {"NAMES_SETTLED", e->spare ? " && settled_q" : ""}, {"NAMES_KIND", "op_q"},
        {"NAMES_TAKEN", "own_valid[i] && own_ready[i]"}, {"NAMES_DEST", "own_dest"},
        {"NAMES_SHOWN", "data_valid[i] && data_ready[i]"}, {"NAMES_FROM", "show_from"}, {"NAMES_LAST", "show_last"},
        {"VERILOG_TARGET", e->verilog ? "" : "verilog "},
        {"FILE_TYPE", e->verilog ? "verilogSource" : "systemVerilogSource"},
        {"LINT", e->verilog ? "-Wno-lint " : ""}, // yosys leaves wires that nobody reads
        {"LINT_OPTION", e->verilog ? ", -Wno-lint" : ""}, {"LOAD_NOTE", loaded ? " And what load.hex says." : ""},
        {"COMMA", loaded ? "," : ""}, {"IF_INIT", loaded ? "(Init != 0) ? " : ""}, {"ELSE_ZERO", loaded ? " : 0" : ""},
        {"ELSE_NONE", loaded ? " : \"\"" : ""});
}

void set_choices(struct blanks *b, const struct emission *e)
{
    const struct crl_geometry *g = &e->geometry;
    const bool several = e->parts > 1, packets = g->words > 1, floats = adds_floats(e), axis = e->axis,
               loaded = e->loaded, inlined = e->inlined, demands = e->part->problem->demands, unlinked = lacks_links(e);
    SET_FLAGS(b, {"ABSENT", e->absent}, {"PRESENT", !e->absent}, {"PACKETS", packets}, {"WORD", !packets},
              {"AXIS_PACKETS", axis && packets}, {"STREAM_PACKETS", !axis && packets},
              {"FLOATS_WORD", floats && !packets}, {"FLOATS_PACKETS", floats && packets}, {"NAMED", e->named},
              {"PACKED", !e->named}, {"PACKED_ABSENT", !e->named && e->absent},
              {"PADDED", e->named && g->data_width % 8}, {"NONE", unlinked}, {"DEMANDS", demands}, {"IS_AXIS", axis},
              {"IS_STREAM", !axis}, {"IS_AXIS_ONE", axis && !several}, {"IS_AXIS_FIXED", axis && !loaded},
              {"BY_CYCLES", !axis && !several}, {"STAGED", e->part->late},
              {"ALIGNED", g->combine && !loaded && is_aligned(e)}, {"PEERS", !g->combine && !demands},
              {"VERILOG", e->verilog}, {"SYSTEM", !e->verilog}, {"LOADED", loaded}, {"INLINED", inlined},
              {"INLINED_SYSTEM", inlined && !e->verilog}, {"AXIS_INLINED", inlined && axis},
              {"FILES_READ", !inlined && !e->asic}, {"AXIS_FILES", !inlined && axis && !e->asic},
              {"BARE", inlined && !loaded}, {"PARAMETERS", (!inlined || loaded) && !e->asic}, {"FIXED", !loaded},
              {"LOADED_SYSTEM", loaded && !e->asic && !e->verilog}, {"LOADED_FPGA", loaded && !e->asic},
              {"ASIC", e->asic}, {"ASIC_SYSTEM", e->asic && !e->verilog}, {"LOADED_ONE", loaded && !several},
              {"LOADED_SEVERAL", loaded && several}, {"IS_AXIS_FIXED_ONE", axis && !loaded && !several},
              {"AXIS_SEVERAL", several && axis}, {"AXIS_SPARES", axis && e->spare}, {"BY_START", !several || !axis},
              {"FIXED_SEVERAL", !loaded && several && axis}, {"SEVERAL", several}, {"ONE", !several},
              {"SPARES", e->spare != NULL}, {"IS_STREAM_ONE", !axis && !e->spare},
              {"IS_STREAM_SPARES", !axis && e->spare}, {"FIXED_START", !loaded && (axis || !e->spare)},
              {"STORED_ONCE", e->stored}, {"STORED_INLINED", e->stored && inlined}, {"LISTED", several && !e->spare},
              {"DRAWN", !e->spare}, {"UNCLEARED", !loaded && !e->spare});
}

static int write_all(struct emission *e, const char *names, const char *numbers, uint32_t feed, uint32_t show)
{
    static const char *const files[][2] = {
        {"Makefile", "Makefile"},    {"README.md", "README.md"}, {"files.f", "files.f"},    {"%s_tb.sv", "tb.sv"},
        {"%s.core", "core"},         {"%s.sdc", "constraints"},  {"%s.xdc", "constraints"}, {"%s.tcl", "project.tcl"},
        {"%s_litex.py", "litex.py"}, {"%s.h", "driver"}};
    CRL_ENDED(blanks_done) struct blanks b = {0};
    say_fabric(&b, e);
    say_numbers_of(&b, e, feed, show);
    say_lists(&b, e, names, feed, show);
    set_words(&b, e);
    set_choices(&b, e);
    say_times(&b, e);
    say_ends(&b, e);
    say_words(&b, e);
    set(&b, "NUMBERS", numbers);
    int error = b.failed ? crl_fail_memory(e->diag) : check_name(e, &b);
    return error ? error : write_top(e, "top.sv", e->loaded ? 10 : 9, files, names, &b);
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
    if (e->parts > 1 && !e->axis && !e->spare)
        return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                        "'%u' schedules: words of several kinds of rounds are kept apart by adapters, which "
                        "'--protocol axis' has",
                        e->parts);
    return 0;
}

static int emit(const struct carillon_emitted *what, uint32_t count, const struct carillon_emission *how,
                struct crl_folder *folder, struct crl_diag *diag)
{
    CRL_OWNED struct part *parts = NULL;
    struct emission e = {.folder = folder,
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
    int error = emission_parts(&e, &parts, what, count, how->row_stages);
    if (error) return error;
    const bool boards = crl_topology_boards(parts->problem->topology);
    error = check_parts(&e);
    if (!error && boards) error = check_boards(&e);
    else if (!error && !strcmp(how->top_ports, "wires"))
        error =
            crl_fail(diag, CRL_ERR_ARGUMENT, "--top-ports wires: only cables between boards are wires, by --boards");
    for (uint32_t p = 0; p < e.parts && !error; p++) {
        error = find_times(&parts[p], e.axis, diag);
        if (e.loaded && geometry_adds_floats(&parts[p].image->geometry)) parts[p].late = 0; // others may be closer
        if (!error && parts[p].late != parts->late)
            error = crl_fail(diag, CRL_ERR_UNSUPPORTED,
                             "numbers of schedule %u and schedule 0: of one of them sums come too close for adders in "
                             "stages; emit them apart, or plan both with the same --link-latency",
                             p);
    }
    if (!error) error = share_geometry(&e, parts);
    for (uint32_t p = 0; p < e.parts && !error; p++) error = check_stages(&e, &parts[p]);
    if (!error && crl_context_data(what->image->problem->context, source, sizeof source - 4))
        error = crl_fail(diag, CRL_ERR_ARGUMENT, "the name of the folder of the RTL is too long");
    if (error) return error;
    e.source = strcat(source, "/rtl");
    if (boards) {
        if (e.axis) error = share_maps(&e, parts);
        if (!error && e.spare) error = find_memory(&e, parts);
        if (!error) error = write_boards(&e, !strcmp(how->top_ports, "wires"));
        CRL_FREE(e.lanes[0], e.lanes[1], e.keeps);
        return error;
    }
    {
        error = crl_emit_rtl(folder, source,
                             e.asic     ? "crl_axis_fabric crl_table_port crl_sram"
                             : e.loaded ? "crl_axis_fabric crl_table_port"
                             : e.axis   ? "crl_axis_fabric"
                             : e.spare  ? "crl_stream_fabric crl_stream_lists"
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
    if (!error && e.spare) error = find_memory(&e, parts);
    if (!error && e.loaded) e.id = fabric_id(&e);
    if (!error && e.loaded) error = write_load(&e);
    if (!error && e.loaded) put_load(&e, &bench);
    CRL_OWNED char *numbers = list_end(&bench);
    if (!error && !numbers) error = crl_fail_memory(diag);
    if (!error) error = write_all(&e, names, numbers, feed, show);
    CRL_FREE(names, e.load, e.lanes[0], e.lanes[1], e.keeps);
    return error;
}

const struct crl_emitting slots_emitting = {emit, slots_emit_summary};
