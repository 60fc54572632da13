// SPDX-License-Identifier: Apache-2.0
// carillon list: the table of algorithms.
#include "cli.h"
#include <string.h>

static const char *models(uint32_t port_models)
{
    static const char *const names[] = {"", "all", "single", "all,single"};
    return names[port_models & 3];
}

enum { COLUMNS = 7 };

static void fields(const struct crl_algorithm *a, const char *field[COLUMNS])
{
    field[0] = a->collective;
    field[1] = a->scheme;
    field[2] = a->topology;
    field[3] = models(a->port_models);
    field[4] = a->bound;
    field[5] = a->paper;
    field[6] = a->summary;
}

static const char *const names[COLUMNS] = {"algorithm", "scheme", "topology", "ports", "bound", "paper", "summary"};

static int list_json(const struct crl_algorithm *table, size_t count)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        const char *field[COLUMNS];
        json_t *row = json_object();
        fields(&table[i], field);
        for (int c = 0; c < COLUMNS; c++) json_object_set_new(row, names[c], json_string(field[c]));
        json_array_append_new(rows, row);
    }
    return print_summary(json_pack("{s:o}", "algorithms", rows), true);
}

static void print_line(const char *const field[COLUMNS], const int width[COLUMNS])
{
    for (int c = 0; c + 1 < COLUMNS; c++) printf("%-*s  ", width[c], field[c]);
    printf("%s\n", field[COLUMNS - 1]);
}

int command_list(const struct options *options)
{
    size_t count;
    const struct crl_algorithm *table = crl_algorithm_table(&count);
    if (options->json) return list_json(table, count);
    int width[COLUMNS];
    const char *field[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) width[c] = (int)strlen(names[c]);
    for (size_t i = 0; i < count; i++) {
        fields(&table[i], field);
        for (int c = 0; c < COLUMNS; c++)
            if ((int)strlen(field[c]) > width[c]) width[c] = (int)strlen(field[c]);
    }
    print_line(names, width);
    for (size_t i = 0; i < count; i++) {
        fields(&table[i], field);
        print_line(field, width);
    }
    return EXIT_FINE;
}
