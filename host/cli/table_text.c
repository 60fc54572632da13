// SPDX-License-Identifier: Apache-2.0
#include "table_text.h"
#include <stdlib.h>
#include <string.h>

char (*table_add(struct table *table))[TABLE_CELL]
{
    void *more = realloc(table->row, (table->rows + 1) * sizeof *table->row);
    if (!more) return NULL;
    table->row = more;
    memset(table->row[table->rows], 0, sizeof *table->row);
    return table->row[table->rows++];
}

void table_done(struct table *table) { free(table->row); }

// Row 0 are the titles. An empty cell is shown as what says that there is nothing.
static const char *cell_at(const struct table *t, size_t row, int column, const char *nothing)
{
    const char *text = row ? t->row[row - 1][column] : t->titles[column];
    return *text ? text : nothing;
}

static void write_text(const struct table *t, FILE *file)
{
    for (size_t r = 0; r <= t->rows; r++)
        for (int c = 0; c < t->columns; c++) {
            size_t wide = 0;
            for (size_t i = 0; i <= t->rows; i++)
                if (strlen(cell_at(t, i, c, "-")) > wide) wide = strlen(cell_at(t, i, c, "-"));
            if (c + 1 < t->columns) fprintf(file, "%-*s  ", (int)wide, cell_at(t, r, c, "-"));
            else fprintf(file, "%s\n", cell_at(t, r, c, "-"));
        }
}

static void write_csv(const struct table *t, FILE *file)
{
    for (size_t r = 0; r <= t->rows; r++)
        for (int c = 0; c < t->columns; c++) {
            const char *text = cell_at(t, r, c, "");
            const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
            fputs(quote, file);
            for (; *text; text++) fprintf(file, "%s%c", *text == '"' ? "\"" : "", *text);
            fprintf(file, "%s%c", quote, c + 1 < t->columns ? ',' : '\n');
        }
}

static void write_markdown(const struct table *t, FILE *file)
{
    for (size_t r = 0; r <= t->rows; r++) {
        for (int c = 0; c < t->columns; c++) {
            fputs("| ", file);
            for (const char *x = cell_at(t, r, c, "–"); *x; x++)
                fprintf(file, "%s%c", strchr("|\\`*_<[", *x) ? "\\" : "", *x);
            fputc(' ', file);
        }
        fputs("|\n", file);
        for (int c = 0; c < t->columns && !r; c++) fputs(c + 1 < t->columns ? "|---" : "|---|\n", file);
    }
}

static void write_latex(const struct table *t, FILE *file)
{
    fprintf(file, "\\begin{tabular}{%.*s}\n\\hline\n", t->columns, "llrrrrlrr");
    for (size_t r = 0; r <= t->rows; r++) {
        for (int c = 0; c < t->columns; c++) {
            for (const char *x = cell_at(t, r, c, "--"); *x; x++)
                if (*x == '\\') fputs("\\textbackslash{}", file);
                else if (*x == '~') fputs("\\textasciitilde{}", file);
                else if (*x == '^') fputs("\\textasciicircum{}", file);
                else fprintf(file, "%s%c", strchr("_&%$#{}", *x) ? "\\" : "", *x);
            fputs(c + 1 < t->columns ? " & " : " \\\\\n", file);
        }
        if (!r) fputs("\\hline\n", file);
    }
    fputs("\\hline\n\\end{tabular}\n", file);
}

static const struct {
    const char *name;
    void (*write)(const struct table *table, FILE *file);
} formats[] = {{"text", write_text}, {"csv", write_csv}, {"markdown", write_markdown}, {"latex", write_latex}};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *table_format_at(size_t index) { return index < FORMATS ? formats[index].name : NULL; }

void table_write(const struct table *table, const char *format, FILE *file)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (!format ? !i : !strcmp(format, formats[i].name)) formats[i].write(table, file);
}
