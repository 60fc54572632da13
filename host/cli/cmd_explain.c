// SPDX-License-Identifier: Apache-2.0
// carillon explain: what a finding means and what to do.
#include "cli.h"
#include <string.h>

int command_explain(struct options *options)
{
    struct carillon_finding_kind kind;
    struct carillon_nearest nearest = {.word = options->operand[0]};
    char hint[96];
    for (size_t i = 0; carillon_finding_kind_at(i, &kind); i++) {
        if (!options->operands) {
            printf("%-17s %s\n", kind.id, kind.summary);
        } else if (!strcmp(options->operand[0], kind.id)) {
            printf("%s (%s): %s.\n%s\n", kind.id, kind.is_error ? "error" : "warning", kind.summary, kind.advice);
            return EXIT_FINE;
        } else {
            carillon_nearest_try(&nearest, kind.id);
        }
    }
    if (!options->operands) return EXIT_FINE;
    return complain_usage("no finding '%s'; 'carillon explain' lists them%s", options->operand[0],
                          carillon_did_you_mean(&nearest, hint));
}
