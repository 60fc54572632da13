// SPDX-License-Identifier: Apache-2.0
// carillon dump: an image for people, for programs, for $readmemh and for C.
#include "cli.h"
#include "dump_tables.h"
#include "logp_play.h"
#include "queue_image.h"
#include "board/board.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
        else if (b < g->banks && row->bank[b].byp) fprintf(file, "live %u", b);
        else fprintf(file, "bank %u@%u", b, b < g->banks ? row->bank[b].raddr : 0);
        gap = ", ";
    }
    fputs(*gap ? " |" : "|", file);
    gap = " ";
    for (uint32_t j = 0; j < g->lanes; j++)
        if (row->lane[j].exp) {
            fprintf(file, "%sget %u", gap, row->lane[j].iport * g->lanes + j);
            gap = ", ";
        }
    for (uint32_t b = 0; b < g->banks; b++) {
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
                         enum crl_naming naming, FILE *file)
{
    for (uint32_t i = 0; i < image->place_sets; i++) {
        fprintf(file, "%s%s", title, image->folded ? "" : " ");
        if (!image->folded) fprintf(file, "node %u", i);
        fputs(":\n", file);
        for (uint32_t k = 0; k < sets[i].count; k++) {
            const struct crl_place *p = &sets[i].place[k];
            char name[24];
            fprintf(file, "  %s bank %u@%u\n", crl_packet_name(naming, p->origin, p->dest, name), p->bank, p->addr);
        }
    }
}

static bool chosen(const struct options *options, uint32_t table)
{
    return options->table == CRL_NONE || options->table == table;
}

static void dump_text(const struct job *job, const struct options *options, FILE *file)
{
    const struct crl_image *image = &job->image;
    const struct crl_geometry *g = &image->geometry;
    enum crl_naming naming = crl_problem_naming(&job->problem);
    fprintf(file, "%s (%s) on %s, %s ports, root %u\n", image->collective, image->scheme, image->topology,
            image->port_model == CRL_PORTS_SINGLE ? "single" : "all", image->root);
    fprintf(file, "P=%u K=%u B=%u %s%s%s, %u-bit words, %u a packet, addresses of %u bits, rows of %u bits\n", g->ports,
            g->lanes, g->banks, g->write_xbar ? "write crossbar" : "banks by input", g->delay ? ", delay" : "",
            g->waddr_field ? ", write addresses" : "", g->data_width, g->words, g->addr_width, crl_row_bits(g));
    fprintf(file, "%u table%s of %u rows for %u nodes%s\n", image->tables, image->tables == 1 ? "" : "s", g->rows,
            image->nodes, image->folded ? ", names as at node 0" : "");
    for (uint32_t t = 0; t < image->tables; t++) {
        if (!chosen(options, t)) continue;
        fprintf(file, "table %u:\n", t);
        print_table(image, t, file);
    }
    if (image->tables > 1)
        for (uint32_t v = 0; v < image->nodes; v++)
            if (chosen(options, image->node_table[v]))
                fprintf(file, "node %u plays table %u\n", v, image->node_table[v]);
    if (options->table != CRL_NONE) return;
    print_places(image, "before", image->before, naming, file);
    print_places(image, "after", image->after, naming, file);
}

static int open_table(struct dump_table *rows, const struct crl_image *image, uint32_t table, struct crl_diag *diag)
{
    return dump_table_open(rows, &image->store, table, image->geometry.rows, crl_row_bits(&image->geometry), diag);
}

static int dump_readmemh(struct job *job, const struct options *options, FILE *file)
{
    uint32_t table = options->table == CRL_NONE ? 0 : options->table;
    if (options->table == CRL_NONE && job->image.tables > 1)
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT,
                        "the image has %u tables; say which with --table", job->image.tables);
    struct dump_table rows;
    int error = open_table(&rows, &job->image, table, &job->diag);
    if (!error) dump_table_hex(&rows, file);
    dump_table_close(&rows);
    return error;
}

static int dump_c(struct job *job, const struct options *options, FILE *file)
{
    const struct crl_image *image = &job->image;
    uint32_t words = crl_row_words(&image->geometry);
    fprintf(file,
            "// %s (%s) on %s\n#include <stdint.h>\n\nenum { CRL_ROWS = %u, CRL_ROW_WORDS = %u, CRL_ROW_BITS = %u, "
            "CRL_NODES = %u };\n",
            image->collective, image->scheme, image->topology, image->geometry.rows, words,
            crl_row_bits(&image->geometry), image->nodes);
    for (uint32_t t = 0; t < image->tables; t++) {
        struct dump_table table;
        if (!chosen(options, t)) continue;
        int error = open_table(&table, image, t, &job->diag);
        if (!error) dump_table_c(&table, t, file);
        dump_table_close(&table);
        if (error) return error;
    }
    fputs("\nstatic const uint32_t crl_node_table[CRL_NODES] = {", file);
    for (uint32_t v = 0; v < image->nodes; v++)
        fprintf(file, "%s%u", v % 16 ? ", " : v ? ",\n    " : "\n    ", image->node_table[v]);
    fputs("\n};\n", file);
    return 0;
}

static int dump(struct job *job, const struct options *options, FILE *file)
{
    const char *format = options->json ? "json" : options->format ? options->format : "text";
    if (options->table != CRL_NONE && options->table >= job->image.tables)
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT, "table '%u'; the image has %u", options->table,
                        job->image.tables);
    if (!strcmp(format, "text")) dump_text(job, options, file);
    else if (!strcmp(format, "readmemh")) return dump_readmemh(job, options, file);
    else if (!strcmp(format, "board")) return crl_board_tables(&job->image, file, &job->diag);
    else if (!strcmp(format, "c")) return dump_c(job, options, file);
    else {
        json_t *summary = job_image_summary(job);
        json_dumpf(summary, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        fputc('\n', file);
        json_decref(summary);
    }
    return 0;
}

int command_dump(const struct options *options)
{
    struct job job = {0};
    struct output output = {0};
    static const char *const formats[] = {"text", "json", "readmemh", "c", "board"};
    bool known = !options->format;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        known |= options->format && !strcmp(options->format, formats[i]);
    if (options->json && options->format && strcmp(options->format, "json"))
        return complain_usage("--json and --format %s contradict each other", options->format);
    if (!known) return complain_usage("--format is text, json, readmemh, c or board, not '%s'", options->format);
    if (logp_is_image(options->operand[0])) return logp_command_dump(options);
    if (queue_is_image(options->operand[0])) return queue_command_dump(options);
    int error = job_read_image(&job, options, options->operand[0]);
    if (!error) error = crl_raise(&job.schedule, &job.image, &job.problem, &job.diag);
    if (!error) error = job_check(&job);
    if (error == CRL_ERR_RULE) { // dump shows it all the same; run and check judge
        fprintf(stderr, "%s: warning: %s\n", options->operand[0], job.diag.text);
        error = 0;
    }
    if (!error) error = output_open(&output, options->output, &job.diag);
    if (!error) error = dump(&job, options, output.file);
    error = output_close(&output, error, &job.diag);
    int code = complain(error, &job.diag);
    job_done(&job);
    return code;
}
