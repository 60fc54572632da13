// SPDX-License-Identifier: Apache-2.0
// A network on several boards as directories: for each its part of the network, and one with a bench that plays all.
#include "machine/slots/emit_boards.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *cannot(const struct emission *e)
{
    bool overlap = false;
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct crl_schedule *s = &slots_schedule_in(e->part[p].schedule)->schedule;
        overlap |= s->demands && s->demands->modulo;
    }
    return e->verilog             ? "'--language verilog'"
           : e->asic || e->loaded ? "'--target asic' and '--tables axi-lite'"
           : e->named             ? "'--top-ports named'"
           : e->absent            ? "'--absent'"
           : e->part->stages      ? "'--row-stages'"
           : overlap              ? "rounds that overlap"
                                  : NULL;
}

int check_boards(const struct emission *e)
{
    const struct crl_boards *b = crl_topology_boards(e->part->problem->topology);
    const char *what = cannot(e);
    if (what)
        return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                        "%s: fabrics on boards with clocks of their own do not have that yet; without '--boards' the "
                        "network is that of one board",
                        what);
    for (uint32_t i = 0; i < b->count; i++) {
        const char *name = crl_names_at(&b->names, i), *c = name;
        while (isalnum((unsigned char)*c) || *c == '_') c++;
        if (*c || !strcmp(name, "bench"))
            return crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                            "board '%s' would be a directory and a part of a module's name: letters, digits and '_', "
                            "and not 'bench'",
                            name);
    }
    return 0;
}

// ---------------------------------------------------------------- lists of a board, and of the bench

// The cables of a board's ports: into which one each sends, or which one it hears.
static char *port_list(const struct boards *b, const struct emission *mine, bool hears)
{
    const struct crl_topology *t = network_of(b);
    const uint32_t ports = mine->geometry.ports;
    struct list list;
    list_open(&list);
    for (uint32_t i = mine->nodes * ports; i-- > 0;) {
        const uint32_t v = node_at(mine, i / ports), p = i % ports,
                       u = hears ? crl_topology_behind(t, v, p) : crl_topology_neighbor(t, v, p);
        if (u == CRL_NONE || b->of->of[u] == b->of->of[v]) list_item(&list, !i, "None");
        else {
            const uint32_t way = crl_cables_find(b->way, b->ways, b->of, hears ? u : v, hears ? v : u);
            list_item(&list, !i, "16'd%u", boards_index_of(b, b->end_of[way] ^ hears));
        }
        if (!p) list_note(&list, "node %u", v);
    }
    return list_close(&list);
}

// Numbers of 16 bits, the last one first.
enum number { BOARD_OF, BOARD_AT, DELAYS, GAPS };
static char *number_list(const struct boards *b, enum number what)
{
    struct list list;
    list_open(&list);
    for (uint32_t i = what == BOARD_OF ? b->e->nodes : 2 * b->cables; i-- > 0;) {
        list_item(&list, !i, "16'd%u",
                  what == BOARD_OF   ? b->of->of[i]
                  : what == BOARD_AT ? b->board[i]
                  : what == DELAYS   ? boards_delay_at(b, i)
                                     : boards_way_at(b, i)->gap * boards_slot_of(b));
    }
    return list_close(&list);
}

// What a board's ends are called and which they are: identities, ends, lines of the README, or names in a comment.
enum told { IDENTITIES, ENDS, LINES, CABLES };
static char *end_list(const struct boards *b, uint32_t board, enum told what)
{
    struct list list;
    uint32_t index = 0;
    list_begin(&list, 0);
    for (uint32_t i = 0; i < 2 * b->cables; i++) {
        const uint32_t end = what == LINES || what == CABLES ? i : 2 * b->cables - 1 - i;
        const char *other = name_at(b, b->board[end ^ 1]), *before = index ? ", " : what == CABLES ? "" : "{";
        if (b->board[end] != board) continue;
        if (what == IDENTITIES) list_put(&list, "%s32'h%08x", before, boards_identity(b, end / 2));
        else if (what == ENDS) list_put(&list, "%s1'b%u", before, end % 2);
        else if (what == CABLES) list_put(&list, "%scable %u to %s", before, end / 2, other);
        else list_text(&list, "| %u | %u | %s | %u |", index, end / 2, other, end % 2);
        index++;
    }
    if (what == IDENTITIES || what == ENDS) list_put(&list, "}");
    return list_end(&list);
}

static char *member_list(const struct emission *mine)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t v = 0; v < mine->nodes; v++) list_put(&list, "%s%u", v ? ", " : "", node_at(mine, v));
    return list_end(&list);
}

// ---------------------------------------------------------------- a board

// The network as it is seen on a board, in a folder of its own.
static struct emission part_on(const struct boards *b, uint32_t board, char top[2 * NAME_MAX])
{
    struct emission mine = *b->e;
    mine.node = b->member;
    for (uint32_t i = 0; i < board; i++)
        for (uint32_t v = 0; v < b->e->nodes; v++) mine.node += b->of->of[v] == i;
    mine.nodes = 0;
    for (uint32_t v = 0; v < b->e->nodes; v++) mine.nodes += b->of->of[v] == board;
    snprintf(top, (size_t)2 * NAME_MAX, "%s_%s", b->e->top, name_at(b, board));
    mine.top = top;
    return mine;
}

// What boards and the bench have in common.
static void say_all(struct blanks *k, const struct boards *b)
{
    const struct emission *e = b->e;
    say_words(k, e);
    SAY_NUMBERS(k, {"BOARDS", b->of->count}, {"WORDS", e->geometry.words}, {"PERIOD", e->part->times.period},
                {"FEED_MOST", most_of(e, true)}, {"SHOW_MOST", most_of(e, false)}, {"FLIT_BITS", b->flit_bits});
    SET_FLAGS(k, {"WIRES", b->wires}, {"FLITS", !b->wires}, {"INLINED", e->inlined}, {"FILED", !e->inlined});
}

static int write_system(const struct boards *b, struct emission *mine, uint32_t board, const char *names)
{
    static const char *const files[][2] = {{"Makefile", "board_Makefile"},
                                           {"README.md", "board_README.md"},
                                           {"files.f", "files.f"},
                                           {"%s.sdc", "constraints"},
                                           {"%s.xdc", "constraints"}};
    const uint32_t cables = boards_ends_on(b, board);
    CRL_ENDED(blanks_done) struct blanks k = {0};
    say_all(&k, b);
    say_fabric(&k, mine);
    say_numbers_of(&k, mine, most_of(b->e, true), most_of(b->e, false));
    say_times(&k, mine);
    set_choices(&k, mine);
    SET_TEXTS(&k, {"BOARD", name_at(b, board)}, {"SYSTEM", "1"}, {"CLK", "clk_i"}, {"RST", "rst_ni"},
              {"NAMES_SETTLED", ""}, {"NAMES_KIND", "plan_q"},
              {"NAMES_TAKEN", "s_axis_tvalid_i[i] && s_axis_tready_o[i]"}, {"NAMES_DEST", "s_axis_tdest_o"},
              {"NAMES_SHOWN", "m_axis_tvalid_o[i] && m_axis_tready_i[i]"}, {"NAMES_FROM", "m_axis_tid_o"},
              {"NAMES_LAST", "m_axis_tlast_o"});
    SAY_NUMBERS(&k, {"CABLES", cables}, {"CABLES_HIGH", cables - 1}, {"FLITS_HIGH", cables * b->flit_bits - 1},
                {"WIRED", b->wires}, {"TWICE", !b->wires}, {"DEPTH", b->depth},
                {"SILENCE", b->wires ? WIRED_SILENCE : SILENCE});
    own(&k, "SENDERS", port_list(b, mine, false));
    own(&k, "HEARERS", port_list(b, mine, true));
    own(&k, "FILES", file_lines(mine, names, ""));
    own(&k, "DESTS", peer_list(mine, true, most_of(b->e, true)));
    own(&k, "ORIGINS", peer_list(mine, false, most_of(b->e, false)));
    own(&k, "OP_LINES", op_lines(mine));
    own(&k, "IN_USES", mine->axis ? use_list(mine, true) : strdup(""));
    own(&k, "OUT_USES", mine->axis ? use_list(mine, false) : strdup(""));
    own(&k, "KEEPS", mine->axis ? keep_list(mine) : strdup(""));
    own(&k, "IDENTITIES", end_list(b, board, IDENTITIES));
    own(&k, "CABLE_ENDS", end_list(b, board, ENDS));
    own(&k, "CABLE_LINES", end_list(b, board, LINES));
    own(&k, "CABLE_NAMES", end_list(b, board, CABLES));
    own(&k, "MEMBERS", member_list(mine));
    return write_top(mine, "board_top.sv", sizeof files / sizeof *files, files, names, &k);
}

static int write_board(const struct boards *b, uint32_t board, char **modules)
{
    char top[2 * NAME_MAX], without[256], *names = NULL;
    struct crl_folder folder;
    struct emission mine = part_on(b, board, top);
    mine.folder = &folder;
    snprintf(without, sizeof without, "%s%s", unused_modules(&mine), b->wires ? "" : " crl_wire_tx crl_wire_rx");
    int error = crl_folder_open_sub(&folder, b->e->folder, name_at(b, board), mine.diag);
    if (!error)
        error = crl_emit_rtl(&folder, mine.source,
                             b->e->axis    ? "crl_cabled_board crl_board_streams"
                             : b->e->spare ? "crl_cabled_board crl_stream_lists"
                                           : "crl_cabled_board crl_stream_names",
                             without, &names, mine.diag);
    if (!error && !*modules && !(*modules = strdup(names))) error = crl_fail_memory(mine.diag);
    names = with_tables(&mine, names);
    if (!error && !names) error = crl_fail_memory(mine.diag);
    if (!error) error = write_tables(&mine);
    if (!error && mine.axis) error = write_maps(&mine);
    if (!error) error = write_csv(&mine);
    if (!error && mine.part->problem->demands) error = write_demands(&mine);
    if (!error) error = write_system(b, &mine, board, names);
    free(names);
    return crl_folder_close_sub(&folder, error, mine.diag);
}

// ---------------------------------------------------------------- the bench

// A port as items of the nodes, or the ends, of the board side by side, the last one first.
static void put_nodes(struct list *list, const struct emission *mine, const char *port, const char *wire, uint32_t bits)
{
    bits *= mine->geometry.streams;
    list_text(list, "    .%s({", port);
    for (uint32_t v = mine->nodes; v-- > 0;) list_item(list, !v, "%s[%u +: %u]", wire, node_at(mine, v) * bits, bits);
    list_text(list, "    }),");
}

static void put_ends(struct list *list, const struct boards *b, uint32_t board, const char *port, uint32_t bits)
{
    uint32_t left = boards_ends_on(b, board);
    list_text(list, "    .%s({", port);
    static const char *const wire[][2] = {
        {"tx_valid_o", "flit_valid"},  {"tx_flit_o", "flit"},        {"tx_take_i", "flit_take"},
        {"rx_valid_i", "heard_valid"}, {"rx_flit_i", "heard"},       {"tx_wire_o", "wire_out"},
        {"rx_wire_i", "wire_in"},      {"waits_for_o", "waits_for"}, {"held_by_o", "held_by"},
        {"repeats_o", "repeats"},      {"silent_o", "silent"}};
    size_t w = 0;
    while (strcmp(wire[w][0], port)) w++;
    for (uint32_t end = 2 * b->cables; end-- > 0;)
        if (b->board[end] == board) list_item(list, !--left, "%s[%u +: %u]", wire[w][1], end * bits, bits);
    list_text(list, "    }),");
}

static void put_instance(const struct boards *b, uint32_t board, struct list *list)
{
    static const char *const flits[] = {"tx_valid_o",  "tx_take_i", "rx_valid_i",
                                        "waits_for_o", "held_by_o", "repeats_o"},
                             *const wires[] = {"rx_wire_i", "tx_wire_o", "waits_for_o", "held_by_o", "repeats_o"};
    char top[2 * NAME_MAX];
    const struct emission mine = part_on(b, board, top);
    const uint32_t width = mine.geometry.data_width, op_bits = b->e->parts > 1 ? crl_bits_for(b->e->parts) : 0;
    list_text(list, mine.inlined ? "  %s u_%s (" : "  %s #(.TablesDir(\"../%s/tables\")) u_%s (", top,
              name_at(b, board), name_at(b, board));
    list_text(list, "    .clk_i(gen_clock[%u].tick), .rst_ni(rst_n[%u]), .start_i(start[%u]), .begins_o(begins[%u]),",
              board, board, board, board);
    list_text(list, "    .busy_o(busy[%u]), .step_o(steps[%u]), .fault_o(fault[%u]), .row_o(),", board, board, board);
    if (mine.spare) list_text(list, "    .plan_i(plan),");
    if (mine.spare && mine.axis) list_text(list, "    .op_ready_o(op_ready[%u]),", board);
    if (op_bits && !mine.spare)
        list_text(list, "    .op_i(op[%u +: %u]), .op_ready_o(op_ready[%u]),", board * op_bits, op_bits, board);
    put_nodes(list, &mine, "s_axis_tvalid_i", "s_tvalid", 1);
    put_nodes(list, &mine, "s_axis_tdata_i", "s_tdata", width);
    put_nodes(list, &mine, "s_axis_tready_o", "s_tready", 1);
    put_nodes(list, &mine, "s_axis_tdest_o", "s_tdest", peer_bits(b->e));
    put_nodes(list, &mine, "m_axis_tdata_o", "m_tdata", width);
    put_nodes(list, &mine, "m_axis_tvalid_o", "m_tvalid", 1);
    put_nodes(list, &mine, "m_axis_tready_i", "m_tready", 1);
    put_nodes(list, &mine, "m_axis_tlast_o", "m_tlast", 1);
    put_nodes(list, &mine, "m_axis_tid_o", "m_tid", peer_bits(b->e));
    for (size_t i = 0; i < (b->wires ? 5 : 6); i++) put_ends(list, b, board, b->wires ? wires[i] : flits[i], 1);
    if (!b->wires) put_ends(list, b, board, "tx_flit_o", b->flit_bits);
    if (!b->wires) put_ends(list, b, board, "rx_flit_i", b->flit_bits);
    if (mine.spare) put_ends(list, b, board, "silent_o", 1);
    list_text(list, "    .up_o(),%s .fault_other_o(), .fault_reset_o(), .damaged_o()",
              mine.spare ? "" : " .silent_o(),");
    list_text(list, "  );");
}

static void put_peers(const struct emission *e, bool in, struct list *list)
{
    const uint32_t streams = e->geometry.streams, most = most_of(e, in);
    struct numbers numbers;
    numbers_begin(&numbers, in ? "feed_peer" : "show_peer", 32);
    for (uint32_t s = 0; s < e->parts * e->nodes * streams; s++) {
        const struct part *part = &e->part[s / (e->nodes * streams)];
        const uint32_t node = s / streams % e->nodes;
        const struct lane lane = lane_of(part, in, node, s % streams);
        for (uint32_t i = 0; i < most; i++)
            number_add(&numbers, i < lane.count ? peer_of(part, in, node, &lane.place[i]) : 0);
    }
    numbers_end(&numbers, list);
}

// And how sums of floating-point numbers come about, with `terms` of a chunk.
static char *bench_numbers(const struct boards *b, uint32_t *terms)
{
    struct emission whole = *b->e, *e = &whole;
    struct list list;
    list_begin(&list, 2);
    list.failed |= put_terms(e, &list) != 0;
    *terms = e->terms;
    for (int in = 2; in-- > 0;) {
        put_bench(e, in, most_of(e, in), &list);
        put_peers(e, in, &list);
    }
    return list_end(&list);
}

static char *instances(const struct boards *b)
{
    struct list list;
    list_begin(&list, 6);
    for (uint32_t i = 0; i < b->of->count; i++) put_instance(b, i, &list);
    return list_end(&list);
}

// The files of all boards: modules, which all have, of the first one, includes of each.
static char *bench_files(const struct boards *b, const char *modules)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t i = 0; i < b->of->count; i++) list_text(&list, "+incdir+../%s/rtl", name_at(b, i));
    for (size_t length; (length = strcspn(modules, " ")); modules += length + strspn(modules + length, " "))
        if (strncmp(modules + length - 4, ".svh", 4))
            list_text(&list, "../%s/rtl/%.*s", name_at(b, 0), (int)length, modules);
    for (uint32_t i = 0; i < b->of->count; i++)
        list_text(&list, "../%s/%s_%s.sv", name_at(b, i), b->e->top, name_at(b, i));
    return list_end(&list);
}

// Lines of the README, or names with blanks between.
static char *board_lines(const struct boards *b, bool names)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t i = 0; i < b->of->count; i++) {
        char top[2 * NAME_MAX];
        const struct emission mine = part_on(b, i, top);
        char *members = names ? NULL : member_list(&mine);
        if (names) list_text(&list, "%s", name_at(b, i));
        else
            list_text(&list, "| `%s/` | board %s: nodes %s, the top `%s` and all that it needs |", name_at(b, i),
                      name_at(b, i), members ? members : "", top);
        free(members);
    }
    char *text = list_end(&list);
    for (char *c = text; names && c && (c = strchr(c, '\n'));) *c = ' ';
    return text;
}

// The steps of a round of each schedule, the last first.
static char *period_list(const struct emission *e)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t p = e->parts; p-- > 0;)
        list_put(&list, "%s32'd%u%s", p + 1 == e->parts ? "{" : "", e->part[p].times.period, p ? ", " : "}");
    return list_end(&list);
}

static uint32_t longest_period(const struct emission *e)
{
    uint32_t most = 0;
    for (uint32_t p = 0; p < e->parts; p++)
        if (e->part[p].times.period > most) most = e->part[p].times.period;
    return most;
}

// Whether the plan says how long rounds take: of one schedule it does if its cables are as long as planned; if several
// follow each other in any order, only where streams have a round's words in less time than the shortest round.
static bool says_times(const struct boards *b)
{
    enum { ORDER = 8 }; // cycles from an order until its words come, and from the last one until the round begins
    const struct emission *e = b->e;
    const uint32_t words = e->geometry.words, feed = most_of(e, true) * words, show = most_of(e, false) * words;
    bool says = !b->wires; // of which a plan knows nothing
    for (uint32_t i = 0; i < b->ways; i++) says &= crl_cable_delay(&b->way[i], boards_slot_of(b), words) > 0;
    for (uint32_t p = 0; p < e->parts && e->parts > 1; p++) {
        const uint32_t rows = e->part[p].image->geometry.rows * words;
        says &= feed + ORDER <= rows && show + ORDER <= rows;
    }
    return says;
}

// The cable that each plan is without, the last first; all ones: it is without something else.
static char *lost_list(const struct boards *b)
{
    struct list list;
    list_begin(&list, 0);
    for (uint32_t p = b->e->parts; p-- > 0;) {
        CRL_OWNED struct crl_cable *left = NULL;
        uint32_t count, lost = CRL_NONE;
        list.failed |= crl_cables_list(&left, &count, &slots_schedule_in(b->e->part[p].schedule)->schedule) != 0;
        for (uint32_t end = 0; left && end < 2 * b->cables; end++) {
            const struct crl_cable *way = boards_way_at(b, end);
            uint32_t i = 0;
            while (i < count && (left[i].from != way->from || left[i].to != way->to || left[i].src != way->src ||
                                 left[i].dst != way->dst))
                i++;
            if (i == count) lost = end / 2;
        }
        list_put(&list, "%s32'h%x%s", p + 1 == b->e->parts ? "{" : "", lost, p ? ", " : "}");
    }
    return list_end(&list);
}

static int write_bench(const struct boards *b, const char *modules)
{
    static const char *const files[][2] = {{"README.md", "boards_README.md"},
                                           {"bench/Makefile", "boards_Makefile"},
                                           {"bench/files.f", "boards_files.f"},
                                           {"bench/%s_tb.sv", "boards_tb.sv"}};
    const struct emission *e = b->e;
    const struct crl_report *r = &e->part->schedule->report;
    CRL_ENDED(blanks_done) struct blanks k = {0};
    uint32_t terms;
    own(&k, "NUMBERS", bench_numbers(b, &terms));
    SAY_NUMBERS(&k, {"TERMS", terms});
    say_all(&k, b);
    set_choices(&k, e);
    SET_TEXTS(&k, {"TOP", e->top}, {"JUDGED", says_times(b) ? "" : " && 0"});
    SAY_NUMBERS(&k, {"NODES", e->nodes}, {"ENDS", 2 * b->cables}, {"LIMIT", b->wires ? 1000000 : 100000},
                {"SLOTS", r->slots}, {"BOUND", r->bound_slots}, {"OPS", e->parts}, {"PERIOD_MOST", longest_period(e)},
                {"OP_BITS", e->parts > 1 ? crl_bits_for(e->parts) : 1},
                {"WIRE_CYCLES", WIRE_SAMPLES * (b->flit_bits + 1)});
    own(&k, "WHAT", what_list(e));
    own(&k, "PERIODS", period_list(e));
    own(&k, "CABLE_OF", lost_list(b));
    SET_TEXTS(&k, {"SPARE", e->spare ? e->spare : ""},
              {"UNPLUGGED", e->spare ? "(unplug < 0 || fail > 0)" : "unplug < 0"},
              {"FIRST", e->spare ? " - first" : ""}, {"FOR_GOOD", e->spare ? "(fail > 0 || " : ""},
              {"CLOSED", e->spare ? ")" : ""});
    SAY_NUMBERS(&k, {"SPARES_COUNT", e->parts - 1}, {"MEMORY_BITS", e->memory}, {"MEMORY_BITS_ALONE", e->memory_alone});
    own(&k, "BOARD_OF", number_list(b, BOARD_OF));
    own(&k, "BOARD_AT", number_list(b, BOARD_AT));
    own(&k, "DELAYS", number_list(b, DELAYS));
    own(&k, "GAPS", number_list(b, GAPS));
    own(&k, "INSTANCES", instances(b));
    own(&k, "FILES", bench_files(b, modules));
    own(&k, "BOARD_LINES", board_lines(b, false));
    own(&k, "ADDS", adder_list(e));
    own(&k, "NAMES", board_lines(b, true));
    return write_files(e, sizeof files / sizeof *files, files, &k);
}

static int prepare(struct boards *b)
{
    const struct emission *e = b->e;
    const uint32_t nodes = e->nodes;
    uint32_t bits = 0, count = 0;
    int error = boards_list_ways(b);
    if (error) return error;
    b->end_of = malloc(sizeof *b->end_of * (b->ways + 1));
    b->board = malloc(sizeof *b->board * (2 * (size_t)b->ways + 1));
    b->way_of = malloc(sizeof *b->way_of * (2 * (size_t)b->ways + 1));
    b->member = malloc(sizeof *b->member * (nodes + 1));
    if (!b->end_of || !b->board || !b->way_of || !b->member) return crl_fail_memory(e->diag);
    for (uint32_t i = 0; i < b->of->count; i++)
        for (uint32_t v = 0; v < nodes; v++)
            if (b->of->of[v] == i) b->member[count++] = v;
    boards_number_cables(b);
    b->depth = boards_deeper(b->depth, e->geometry.words);
    while (1u << bits < b->depth) bits++;
    const uint32_t width = e->geometry.data_width;
    b->flit_bits = 1 + 2 * bits + (width > bits + 4 ? width : bits + 4) + (b->wires ? 0 : width) + 16;
    error = boards_check_cables(b);
    for (uint32_t i = 0; i < b->of->count && !error; i++)
        if (!boards_ends_on(b, i))
            error = crl_fail(e->diag, CRL_ERR_UNSUPPORTED, "board '%s' has no cable: it is a network of its own",
                             name_at(b, i));
    return error ? error : boards_name_plan(b);
}

int write_boards(const struct emission *e, bool wires)
{
    struct boards b = {.e = e, .of = crl_topology_boards(e->part->problem->topology), .wires = wires};
    char *modules = NULL;
    int error = prepare(&b);
    if (!error) error = boards_write_cables(&b);
    for (uint32_t i = 0; i < b.of->count && !error; i++) error = write_board(&b, i, &modules);
    if (!error) error = write_bench(&b, modules);
    CRL_FREE(modules, b.way, b.end_of, b.board, b.way_of, b.member);
    return error;
}

void slots_add_files(json_t *summary, const struct crl_boards *boards, const char *top)
{
    json_t *files = boards ? json_pack("[s, o]", "cables.csv", json_sprintf("bench/%s_tb.sv", top)) : NULL;
    for (uint32_t i = 0; boards && i < boards->count; i++) {
        const char *name = crl_names_at(&boards->names, i);
        json_array_append_new(files, json_sprintf("%s/%s_%s.sv", name, top, name));
    }
    if (files) json_object_set_new(summary, "files", files);
}
