// SPDX-License-Identifier: Apache-2.0
// Slot tables as text: schedules as CSV and JSON; images for people, for programs, for $readmemh and for C.
#include "base/memory.h"
#include "board/board.h"
#include "format/format.h"
#include "machine/slots/slots.h"
#include "machine/tables.h"

// ---------------------------------------------------------------- schedules

static int write_csv(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    return crl_schedule_write_csv(&slots_schedule_in(schedule)->schedule, file, schedule->problem->options.relative,
                                  diag);
}

static int write_json(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    const struct crl_schedule *s = &slots_schedule_in(schedule)->schedule;
    const struct crl_problem *p = slots_said(schedule->problem);
    bool relative = schedule->problem->options.relative;
    CRL_ENDED(crl_schedule_done) struct crl_schedule full = {0};
    if (relative && !s->folded)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "this schedule does not look the same from every node, so it has no relative form");
    if (s->folded && !relative) {
        int error = crl_schedule_expand(&full, s, diag);
        if (error) return error;
        s = &full;
    }
    crl_json_head(crl_problem_name(p), crl_topology_name(p->topology), "\"slot\", \"src\", \"dst\", \"packet\"", file);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        char name[CRL_PACKET_NAME];
        fprintf(file, "%s\n    [%u, %u, %u, \"%s\"]", i ? "," : "", m->slot, m->src, m->dst,
                crl_schedule_packet_name(s, m, name));
    }
    fputs("\n  ]\n}\n", file);
    return 0;
}

// Formats of other tools are written from the list of all moves; those that know no network from what goes between
// hosts.
static int write_plan(const struct carillon_schedule *schedule, bool ranks, FILE *file, struct crl_diag *diag,
                      int (*write)(const struct crl_plan *plan, FILE *file, struct crl_diag *diag))
{
    const struct carillon_options *o = &schedule->problem->options;
    const struct crl_schedule *s = &slots_schedule_in(schedule)->schedule;
    CRL_ENDED(crl_schedule_done) struct crl_schedule full = {0};
    enum { FRAME_NS = 12336 }; // 1518 bytes, preamble and gap at 1 Gbit/s
    if (o->relative)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "a format of other tools lists all nodes: leave out --relative");
    int error = s->folded ? crl_schedule_expand(&full, s, diag) : 0;
    struct crl_plan plan = {.schedule = s->folded ? &full : s,
                            .problem = slots_said(schedule->problem),
                            .scheme = schedule->scheme,
                            .latency = o->latency,
                            .bandwidth = o->bandwidth,
                            .slot_ns = o->slot_ns ? o->slot_ns : FRAME_NS,
                            .slots = crl_schedule_slots(s)};
    CRL_ENDED(crl_plan_between_done) struct crl_between between = {.plan = plan};
    if (!error && ranks) error = crl_plan_between(&between, &plan, diag);
    if (!error) error = write(&between.plan, file, diag);
    return error;
}

#define WRITES_PLAN(name, ranks)                                                                                       \
    static int name(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)                       \
    {                                                                                                                  \
        return write_plan(schedule, ranks, file, diag, crl_##name);                                                    \
    }
WRITES_PLAN(write_msccl_xml, true)
WRITES_PLAN(write_mscclpp_json, true)
WRITES_PLAN(write_goal, true)
WRITES_PLAN(write_chakra, true)
WRITES_PLAN(write_gates, false)
WRITES_PLAN(write_traffic, false)
WRITES_PLAN(write_platform, false)

// Refuses a full list of more than `most` rows.
static int rows_fit(const struct carillon_problem *problem, uint64_t most, struct crl_diag *diag)
{
    const struct crl_problem *p = slots_said(problem);
    uint64_t rows = crl_problem_bound_transmissions(p) * crl_problem_parts_a_count(p);
    if (problem->options.relative || rows <= most) return 0;
    return crl_fail(
        diag, CRL_ERR_LIMIT, "%s on %s is too large: '%llu' rows, and at most '%llu' are written; %s",
        crl_problem_title(p), crl_topology_name(p->topology), (unsigned long long)rows, (unsigned long long)most,
        crl_problem_is_symmetric(p) ? "with --relative it is those of node 0" : "a smaller network would do");
}

static int csv_fits(const struct carillon_problem *problem, struct crl_diag *diag)
{
    return rows_fit(problem, CRL_CSV_ROWS_MAX, diag);
}

// JSON is written from the full list.
static int json_fits(const struct carillon_problem *problem, struct crl_diag *diag)
{
    uint64_t room = crl_memory_available() / sizeof(struct crl_move);
    return rows_fit(problem, room < UINT32_MAX - 1 ? room : UINT32_MAX - 1, diag);
}

const struct crl_format slots_formats[] = {{"csv", write_csv, csv_fits},
                                           {"json", write_json, json_fits},
                                           {"msccl-xml", write_msccl_xml, json_fits},
                                           {"mscclpp-json", write_mscclpp_json, json_fits},
                                           {"goal", write_goal, json_fits},
                                           {"chakra", write_chakra, json_fits},
                                           {"tsn-gcl", write_gates, json_fits},
                                           {"traffic-csv", write_traffic, json_fits},
                                           {"simgrid-platform", write_platform, json_fits},
                                           {NULL, NULL, NULL}};

// ---------------------------------------------------------------- images

// What a bank shows that adds up, and what it adds, as in "bank 1@4 + lanes 0 2 -> 5".
static void print_shown_sum(const struct crl_row *row, uint32_t bank, FILE *file)
{
    if (row->bank[bank].byp) fprintf(file, "sum %u", bank);
    else if (row->bank[bank].dly) fprintf(file, "last sum %u", bank);
    else fprintf(file, "bank %u@%u", bank, row->bank[bank].raddr);
}

static void print_sum(const struct crl_geometry *g, const struct crl_row *row, uint32_t bank, FILE *file)
{
    uint32_t to = row->bank[bank].waddr;
    const char *gap = "";
    fputs(", ", file);
    if (!row->bank[bank].set) {
        if (row->bank[bank].fwd) fprintf(file, "last sum %u", bank);
        else fprintf(file, "bank %u@%u", bank, to ^ row->bank[bank].flip);
        gap = " + ";
    }
    for (uint32_t lanes = row->bank[bank].wsel; lanes; lanes &= lanes - 1, gap = " + ") {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        fprintf(file, "%s%s %u", gap, lane < g->lanes ? "lane" : "own", lane % g->lanes);
    }
    fprintf(file, " -> bank %u@%u", bank, to);
}

static void print_row(const struct crl_geometry *g, uint32_t number, const struct crl_row *row, FILE *file)
{
    fprintf(file, "  %5u ", number);
    const char *gap = "";
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t source = row->lane[j].osel, b = source - crl_geometry_bank_select(g, 0);
        bool live = crl_geometry_is_direct(g) && source < g->lanes;
        if (!row->lane[j].ov) continue;
        fprintf(file, "%ssend %u <- ", gap, row->lane[j].oport * g->lanes + j);
        if (live) fprintf(file, "live %u", source);
        else if (g->combine && b < g->banks) print_shown_sum(row, b, file);
        else if (b < g->banks && row->bank[b].byp) fprintf(file, "live %u", b);
        else if (b < g->banks && row->bank[b].own) fprintf(file, "own %u", b);
        else fprintf(file, "bank %u@%u", b, b < g->banks ? row->bank[b].raddr : 0);
        gap = ", ";
    }
    fputs(*gap ? " |" : "|", file);
    gap = " ";
    for (uint32_t j = 0; j < g->lanes; j++)
        if (row->lane[j].exp) {
            fprintf(file, "%sget %u%s", gap, row->lane[j].iport * g->lanes + j,
                    row->lane[j].show && !g->combine ? " for here" : "");
            gap = ", ";
        }
    for (uint32_t j = 0; j < g->lanes; j++)
        if (g->combine && row->lane[j].show) {
            fprintf(file, "%sshow ", gap);
            print_shown_sum(row, row->lane[j].ssel, file);
            gap = ", ";
        }
    for (uint32_t b = 0; b < g->banks; b++) {
        if (g->combine && row->bank[b].wen) print_sum(g, row, b, file);
        if (g->combine) continue;
        uint32_t from = g->write_xbar ? row->bank[b].wsel : b;
        if (row->bank[b].wen)
            fprintf(file, ", lane %u -> bank %u@%u", from, b, g->waddr_field ? row->bank[b].waddr : number);
        if (row->bank[b].dly) fprintf(file, ", lane %u -> delay %u", from, b);
    }
    fputc('\n', file);
}

// Idle rows that follow each other share a line.
static void print_idle(uint32_t first, uint32_t end, FILE *file)
{
    if (end - first == 1) fprintf(file, "  %5u |\n", first);
    else if (end > first) fprintf(file, "  %5u to %u |\n", first, end - 1);
}

static void print_table(const struct crl_image *image, uint32_t table, FILE *file)
{
    const struct crl_row_store *s = &image->store;
    uint32_t next = 0;
    struct crl_row row;
    for (size_t i = s->first[table]; i < s->first[table + 1]; next = s->use[i++].row + 1) {
        print_idle(next, s->use[i].row, file);
        crl_row_unpack(&image->geometry, s->bits + (size_t)s->use[i].bits * s->row_words, &row);
        print_row(&image->geometry, s->use[i].row, &row, file);
    }
    print_idle(next, image->geometry.rows, file);
}

static void print_places(const struct crl_image *image, const char *title, const struct crl_places *sets,
                         const struct crl_problem *problem, FILE *file)
{
    for (uint32_t i = 0; i < image->place_sets; i++) {
        fprintf(file, "%s%s", title, image->folded ? "" : " ");
        if (!image->folded) fprintf(file, "node %u", i);
        fputs(":\n", file);
        for (uint32_t k = 0; k < sets[i].count; k++) {
            const struct crl_place *p = &sets[i].place[k];
            char name[CRL_PACKET_NAME];
            fprintf(file, "  %s %s %u@%u\n", crl_problem_packet_name(problem, p->origin, p->dest, name),
                    image->geometry.streams ? "stream" : "bank", p->bank, p->addr);
        }
    }
}

static int dump_text(const struct carillon_image *dumped, const struct carillon_schedule *schedule, uint32_t table,
                     FILE *file, struct crl_diag *diag)
{
    const struct crl_image *image = &slots_image_in(dumped)->image;
    const struct crl_geometry *g = &image->geometry;
    const struct crl_problem *problem = slots_said(dumped->problem);
    (void)schedule, (void)diag;
    fprintf(file, "%s (%s) on %s, %s ports, root %u\n", crl_collective_title(image->collective), image->scheme,
            image->topology, image->port_model == CRL_PORTS_SINGLE ? "single" : "all", image->root);
    fprintf(file, "P=%u K=%u B=%u %s%s%s, %u-bit words, %u a packet, addresses of %u bits, rows of %u bits\n", g->ports,
            g->lanes, g->banks, g->write_xbar ? "write crossbar" : "banks by input", g->delay ? ", delay" : "",
            g->waddr_field ? ", write addresses" : "", g->data_width, g->words, g->addr_width, crl_row_bits(g));
    if (g->combine) fprintf(file, "banks add up: %s\n", crl_op_name(crl_geometry_op(g)));
    if (g->streams)
        fprintf(file, "%u stream%s in and out a node%s\n", g->streams, g->streams == 1 ? "" : "s",
                g->storeless ? ", no banks" : "");
    fprintf(file, "%u table%s of %u rows for %u nodes%s\n", image->tables, image->tables == 1 ? "" : "s", g->rows,
            image->nodes, image->folded ? ", names as at node 0" : "");
    for (uint32_t t = 0; t < image->tables; t++) {
        if (!crl_table_chosen(table, t)) continue;
        fprintf(file, "table %u:\n", t);
        print_table(image, t, file);
    }
    if (image->tables > 1)
        for (uint32_t v = 0; v < image->nodes; v++)
            if (crl_table_chosen(table, image->node_table[v]))
                fprintf(file, "node %u plays table %u\n", v, image->node_table[v]);
    if (table != CRL_NONE) return 0;
    print_places(image, "before", image->before, problem, file);
    print_places(image, "after", image->after, problem, file);
    return 0;
}

static int dump_board(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                      FILE *file, struct crl_diag *diag)
{
    (void)schedule, (void)table;
    return crl_board_tables(&slots_image_in(image)->image, file, diag);
}

const struct crl_dump slots_dumps[] = {{"text", dump_text}, {"json", crl_dump_json}, {"readmemh", crl_dump_readmemh},
                                       {"c", crl_dump_c},   {"board", dump_board},   {NULL, NULL}};
