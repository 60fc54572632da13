// SPDX-License-Identifier: Apache-2.0
// carillon diff: the first difference between two traces, with the words before it.
#include "cli.h"
#include <errno.h>
#include <string.h>

int command_diff(struct options *options)
{
    FILE *files[2] = {NULL, NULL};
    struct crl_diag diag = {0};
    struct carillon_difference d;
    int error = 0;
    for (int i = 0; i < 2 && !error; i++) {
        files[i] = fopen(options->operand[i], "r");
        if (!files[i]) error = fail(&diag, CRL_ERR_IO, "cannot read '%s': %s", options->operand[i], strerror(errno));
    }
    if (!error) {
        error = carillon_trace_diff(&d, files, options->operand, &diag);
        if (options->json && !error)
            printf("{\n  \"words\": %llu,\n  \"mismatches\": 0\n}\n", (unsigned long long)d.words);
        else if (options->json && error == CRL_ERR_MISMATCH)
            printf("{\n  \"words\": %llu,\n  \"mismatches\": 1,\n  \"cycle\": %llu\n}\n", (unsigned long long)d.words,
                   (unsigned long long)d.cycle);
        else if (error == CRL_ERR_MISMATCH) fputs(d.text, stdout);
    }
    for (int i = 0; i < 2; i++) input_close(files[i]);
    return complain(error, &diag);
}
