// SPDX-License-Identifier: Apache-2.0
// carillon certify: whether a certificate, from anyone, proves a bound.
#include "cli.h"

int command_certify(struct options *options)
{
    struct flow flow = {0};
    const char *name = options->operand[0];
    char *proved = NULL;
    if (!options->algorithm) return complain_usage("what is the bound of? Say -a, as in -a all-to-all");
    int error = flow_problem(&flow, options, options->algorithm);
    FILE *file = error ? NULL : input_open(name, &flow.diag);
    if (!error && !file) error = CRL_ERR_IO;
    if (!error) error = carillon_certify(flow.problem, file, name, &proved, &flow.diag);
    input_close(file);
    print_summary(proved, options);
    return flow_end(&flow, error);
}
