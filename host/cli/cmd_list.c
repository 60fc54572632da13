// SPDX-License-Identifier: Apache-2.0
// carillon list: the table of algorithms.
#include "cli.h"
#include <jansson.h>
#include <string.h>

enum { COLUMNS = 7 };
static const char *const names[COLUMNS] = {"algorithm", "scheme", "topology", "ports", "bound", "paper", "summary"};

static bool fields(size_t i, const char *field[COLUMNS])
{
    struct carillon_algorithm a;
    if (!carillon_algorithm_at(i, &a)) return false;
    const char *row[COLUMNS] = {a.algorithm, a.scheme, a.topology, a.ports, a.bound, a.paper, a.summary};
    memcpy(field, row, sizeof row);
    return true;
}

static int list_json(void)
{
    json_t *rows = json_array(), *list = json_object();
    const char *field[COLUMNS];
    for (size_t i = 0; fields(i, field); i++) {
        json_t *row = json_object();
        for (int c = 0; c < COLUMNS; c++) json_object_set_new(row, names[c], json_string(field[c]));
        json_array_append_new(rows, row);
    }
    json_object_set_new(list, "algorithms", rows);
    print_summary(json_dumps(list, 0), true);
    json_decref(list);
    return EXIT_FINE;
}

static void print_line(const char *const field[COLUMNS], const int width[COLUMNS])
{
    for (int c = 0; c + 1 < COLUMNS; c++) printf("%-*s  ", width[c], field[c]);
    printf("%s\n", field[COLUMNS - 1]);
}

int command_list(struct options *options)
{
    if (options->json) return list_json();
    int width[COLUMNS];
    const char *field[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) width[c] = (int)strlen(names[c]);
    for (size_t i = 0; fields(i, field); i++)
        for (int c = 0; c < COLUMNS; c++)
            if ((int)strlen(field[c]) > width[c]) width[c] = (int)strlen(field[c]);
    print_line(names, width);
    for (size_t i = 0; fields(i, field); i++) print_line(field, width);
    return EXIT_FINE;
}
