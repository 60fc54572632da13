// SPDX-License-Identifier: Apache-2.0
// carillon explain: what a finding means and what to do.
#include "cli.h"
#include <string.h>

int command_explain(const struct options *options)
{
    size_t count;
    const struct crl_finding_kind *kinds = crl_finding_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        if (!options->operands) {
            printf("%-17s %s\n", kinds[i].id, kinds[i].summary);
        } else if (!strcmp(options->operand[0], kinds[i].id)) {
            printf("%s (%s): %s.\n%s\n", kinds[i].id, kinds[i].severity == CRL_VIOLATION ? "error" : "warning",
                   kinds[i].summary, kinds[i].advice);
            return EXIT_FINE;
        }
    }
    return options->operands ? complain_usage("no finding '%s'; 'carillon explain' lists them", options->operand[0])
                             : EXIT_FINE;
}
