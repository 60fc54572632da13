// SPDX-License-Identifier: Apache-2.0
// carillon check: judges a schedule from anyone.
#include "cli.h"

int command_check(struct options *options)
{
    struct flow flow = {0};
    const char *file = options->operand[0];
    char *summary = NULL;
    if (!options->algorithm) return complain_usage("what must the schedule achieve? Say -a, as in -a all-to-all");
    int error = flow_plan(&flow, options, options->algorithm, file);
    if (!error) error = carillon_check(flow.schedule, &flow.diag);
    if (!error || error == CRL_ERR_RULE) {
        struct crl_diag diag;
        int bad = carillon_schedule_summary(flow.schedule, true, &summary, &diag);
        print_verdict(summary, options, OF_CHECK);
        print_findings(flow.schedule, file);
        print_summary(summary, options);
        if (bad) flow.diag = diag, error = bad;
        if (!error) error = flow_certificate(&flow, options);
    }
    return flow_end(&flow, error);
}
