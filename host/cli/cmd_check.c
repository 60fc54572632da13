// SPDX-License-Identifier: Apache-2.0
// carillon check: judges a schedule from anyone.
#include "cli.h"

static json_t *findings(const struct job *job)
{
    json_t *list = json_array();
    for (size_t i = 0; i < job->report.count; i++) {
        const struct crl_finding *f = &job->report.findings[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:s}", "id", f->kind->id, "severity",
                                        f->kind->severity == CRL_VIOLATION ? "error" : "warning", "row",
                                        f->row ? json_integer((json_int_t)f->row) : json_null(), "text", f->text));
    }
    return list;
}

int command_check(const struct options *options)
{
    struct job job = {0};
    if (!options->algorithm) return complain_usage("what must the schedule achieve? Say -a, as in -a total-exchange");
    int error = job_problem(&job, options, options->algorithm);
    struct options from = *options;
    from.from = options->operand[0];
    if (!error) error = job_plan(&job, &from);
    if (!error) error = job_check(&job);
    if (!error || error == CRL_ERR_RULE) {
        json_t *summary = job_summary(&job);
        json_object_set_new(summary, "findings", findings(&job));
        json_object_set_new(summary, "violations", json_integer((json_int_t)job.report.violations));
        json_object_set_new(summary, "warnings", json_integer((json_int_t)job.report.warnings));
        job_print_findings(&job, options->operand[0]);
        print_summary(summary, options->json);
    }
    int code = complain(error, &job.diag);
    job_done(&job);
    return code;
}
