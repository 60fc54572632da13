// SPDX-License-Identifier: Apache-2.0
// carillon check: judges a schedule from anyone.
#include "cli.h"
#include "logp_cli.h"

int command_check(const struct options *options)
{
    struct job job = {0};
    if (!options->algorithm) return complain_usage("what must the schedule achieve? Say -a, as in -a total-exchange");
    if (logp_wanted(options)) return logp_command_check(options);
    int error = job_problem(&job, options, options->algorithm);
    struct options from = *options;
    from.from = options->operand[0];
    if (!error) error = job_plan(&job, &from);
    if (!error) error = job_check(&job);
    if (!error || error == CRL_ERR_RULE)
        print_verdict(job_summary(&job), &job.report, options->operand[0], options->json);
    int code = complain(error, &job.diag);
    job_done(&job);
    return code;
}
