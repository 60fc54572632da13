// SPDX-License-Identifier: Apache-2.0
// carillon dump of a LogP machine's image.
#include "dump_tables.h"
#include "logp_play.h"
#include <stdarg.h>
#include <string.h>

// What a row takes in, as a list.
static void print_item(const char **gap, FILE *file, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void print_item(const char **gap, FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs(*gap, file);
    vfprintf(file, format, args);
    va_end(args);
    *gap = ", ";
}

static void print_row(uint32_t number, const struct crl_logp_row *row, FILE *file)
{
    static const char *const from[8] = {NULL, "taken", "last", "last", "part", "total", "part", "total"};
    char stored[24];
    const char *gap = " ", *operand = row->operand ? stored : "taken";
    snprintf(stored, sizeof stored, "bank@%u", row->raddr);
    fprintf(file, "  %5u", number);
    if (row->send) fprintf(file, " send %u <- %s", row->dest, row->what ? from[row->what & 7] : stored);
    fputs(" |", file);
    if (row->expect) print_item(&gap, file, row->expect & 2 ? "get two" : "get");
    if (row->swap) print_item(&gap, file, "take second");
    if (row->hold) print_item(&gap, file, "hold");
    if (row->held) print_item(&gap, file, "take held");
    if (row->part & 1) print_item(&gap, file, "%s %s part", operand, row->part & 2 ? "into" : "->");
    if (row->total & 1) print_item(&gap, file, "%s %s total", operand, row->total & 2 ? "into" : "->");
    if (row->store) print_item(&gap, file, "%s -> bank@%u", row->store_total ? "total" : "taken", row->waddr);
    fputc('\n', file);
}

static void print_places(const char *title, uint32_t processor, const struct crl_logp_places *places, FILE *file)
{
    fprintf(file, "%s processor %u:\n", title, processor);
    for (uint32_t i = 0; i < places->count; i++)
        fprintf(file, "  %u bank@%u\n", places->place[i].item, places->place[i].addr);
}

static bool chosen(const struct options *options, uint32_t table)
{
    return options->table == CRL_NONE || options->table == table;
}

static void dump_text(const struct logp_play *play, const struct options *options, FILE *file)
{
    const struct crl_logp_image *image = &play->image;
    const struct crl_logp_geometry *g = &image->geometry;
    uint32_t P = image->problem.machine.P;
    char machine[CRL_LOGP_NAME];
    struct crl_logp_row row;
    crl_logp_name(&image->problem.machine, machine);
    fprintf(file, "%s (%s) on %s\n", crl_logp_problem_name(&image->problem), image->scheme, machine);
    fprintf(file, "%u-bit words, %u an item, addresses of %u bits, names of %u bits, rows of %u bits\n", g->data_width,
            g->words, g->addr_width, g->name_width, crl_logp_row_bits(g));
    fprintf(file, "%u table%s of %u rows\n", P, P == 1 ? "" : "s", g->rows);
    for (uint32_t v = 0; v < P; v++) {
        if (!chosen(options, v)) continue;
        fprintf(file, "processor %u:\n", v);
        for (uint32_t r = 0; r < g->rows; r++) {
            crl_logp_row_unpack(g, crl_logp_image_row(image, v, r), &row);
            print_row(r, &row, file);
        }
    }
    for (uint32_t v = 0; v < P; v++)
        if (chosen(options, v)) print_places("before", v, &image->before[v], file);
    for (uint32_t v = 0; v < P; v++)
        if (chosen(options, v)) print_places("after", v, &image->after[v], file);
}

static int open_table(struct dump_table *table, struct logp_play *play, uint32_t processor)
{
    const struct crl_logp_image *image = &play->image;
    return dump_table_open(table, &image->store, processor, image->geometry.rows, crl_logp_row_bits(&image->geometry),
                           &play->job.diag);
}

static int dump_hex(struct logp_play *play, uint32_t processor, FILE *file)
{
    struct dump_table table;
    int error = open_table(&table, play, processor);
    if (!error) dump_table_hex(&table, file);
    dump_table_close(&table);
    return error;
}

static int dump_c(struct logp_play *play, const struct options *options, FILE *file)
{
    const struct crl_logp_image *image = &play->image;
    char machine[CRL_LOGP_NAME];
    crl_logp_name(&image->problem.machine, machine);
    fprintf(file,
            "// %s (%s) on %s\n#include <stdint.h>\n\nenum { CRL_ROWS = %u, CRL_ROW_WORDS = %u, CRL_ROW_BITS = %u, "
            "CRL_NODES = %u };\n",
            crl_logp_problem_name(&image->problem), image->scheme, machine, image->geometry.rows,
            crl_logp_row_words(&image->geometry), crl_logp_row_bits(&image->geometry), image->problem.machine.P);
    for (uint32_t v = 0; v < image->problem.machine.P; v++) {
        struct dump_table table;
        if (!chosen(options, v)) continue;
        int error = open_table(&table, play, v);
        if (!error) dump_table_c(&table, v, file);
        dump_table_close(&table);
        if (error) return error;
    }
    return 0;
}

static int dump(struct logp_play *play, const struct options *options, FILE *file)
{
    const char *format = options->json ? "json" : options->format ? options->format : "text";
    uint32_t P = play->image.problem.machine.P;
    if (options->table != CRL_NONE && options->table >= P)
        return crl_fail(&play->job.diag, CRL_ERR_ARGUMENT, "table '%u'; the image has %u", options->table, P);
    if (!strcmp(format, "readmemh") && options->table == CRL_NONE && P > 1)
        return crl_fail(&play->job.diag, CRL_ERR_ARGUMENT, "the image has %u tables; say which with --table", P);
    if (!strcmp(format, "board"))
        return crl_fail(&play->job.diag, CRL_ERR_UNSUPPORTED, "the image is for a LogP machine, and no board is one");
    if (!strcmp(format, "readmemh")) return dump_hex(play, options->table == CRL_NONE ? 0 : options->table, file);
    if (!strcmp(format, "c")) return dump_c(play, options, file);
    if (!strcmp(format, "text")) dump_text(play, options, file);
    else {
        json_t *summary = logp_play_summary(play);
        json_dumpf(summary, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        fputc('\n', file);
        json_decref(summary);
    }
    return 0;
}

int logp_command_dump(const struct options *options)
{
    struct logp_play play = {0};
    struct crl_diag *diag = &play.job.diag;
    struct output output = {0};
    int error = logp_play_read(&play, options, options->operand[0]);
    if (!error) error = logp_job_check(&play.job);
    if (error == CRL_ERR_RULE) { // dump shows it all the same; run and check judge
        fprintf(stderr, "%s: warning: %s\n", options->operand[0], diag->text);
        error = 0;
    }
    if (!error) error = output_open(&output, options->output, diag);
    if (!error) error = dump(&play, options, output.file);
    error = output_close(&output, error, diag);
    int code = complain(error, diag);
    logp_play_done(&play);
    return code;
}
