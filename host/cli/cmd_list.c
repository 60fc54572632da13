// SPDX-License-Identifier: Apache-2.0
// carillon list: the table of algorithms.
#include "cli.h"

static const char *models(uint32_t port_models)
{
    static const char *const names[] = {"", "all", "single", "all,single"};
    return names[port_models & 3];
}

int command_list(const struct options *options)
{
    size_t count;
    const struct crl_algorithm *table = crl_algorithm_table(&count);
    json_t *rows = json_array();
    if (!options->json)
        printf("%-21s %-11s %-11s %-11s %-16s %-11s %s\n", "algorithm", "scheme", "topology", "ports", "slots", "paper", "summary");
    for (size_t i = 0; i < count; i++) {
        const struct crl_algorithm *a = &table[i];
        if (options->json)
            json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "algorithm", a->collective, "scheme",
                                                  a->scheme, "topology", a->topology, "ports", models(a->port_models), "bound",
                                                  a->bound, "paper", a->paper, "summary", a->summary));
        else
            printf("%-21s %-11s %-11s %-11s %-16s %-11s %s\n", a->collective, a->scheme, a->topology, models(a->port_models),
                   a->bound, a->paper, a->summary);
    }
    if (options->json) return print_summary(json_pack("{s:o}", "algorithms", rows), true);
    json_decref(rows);
    return EXIT_FINE;
}
