// SPDX-License-Identifier: Apache-2.0
// carillon list: the table of algorithms.
#include "cli.h"
#include "dynamic/dynamic.h"
#include "algorithm/logp.h"
#include "check/logp_check.h"
#include <string.h>

static const char *models(uint32_t port_models)
{
    static const char *const names[] = {"", "all", "single", "all,single"};
    return names[port_models & 3];
}

enum { COLUMNS = 7 };

// Row i of the tables, then those of LogP machines, then those of random broadcasts; false when there is none.
static bool fields(size_t i, const char *field[COLUMNS])
{
    size_t count, logp_count, queue_count;
    const struct crl_algorithm *table = crl_algorithm_table(&count);
    const struct crl_logp_algorithm *logp = crl_logp_algorithm_table(&logp_count);
    const struct crl_scheme *queue = crl_scheme_table(&queue_count);
    if (i < count) {
        const struct crl_algorithm *a = &table[i];
        const char *row[COLUMNS] = {a->collective, a->scheme, a->topology, models(a->port_models),
                                    a->bound,      a->paper,  a->summary};
        memcpy(field, row, sizeof row);
    } else if (i - count < logp_count) {
        const struct crl_logp_algorithm *a = &logp[i - count];
        const char *row[COLUMNS] = {a->collective, a->scheme, "logp",    models(1u << CRL_PORTS_SINGLE),
                                    a->bound,      a->paper,  a->summary};
        memcpy(field, row, sizeof row);
    } else if (i - count - logp_count < queue_count) {
        const struct crl_scheme *q = &queue[i - count - logp_count];
        const char *row[COLUMNS] = {
            "random-broadcasts", q->name, "hypercube", models(1u << CRL_PORTS_ALL), q->limit, q->paper, q->summary};
        memcpy(field, row, sizeof row);
    } else {
        return false;
    }
    return true;
}

static const char *const names[COLUMNS] = {"algorithm", "scheme", "topology", "ports", "bound", "paper", "summary"};

static int list_json(void)
{
    json_t *rows = json_array();
    const char *field[COLUMNS];
    for (size_t i = 0; fields(i, field); i++) {
        json_t *row = json_object();
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
