// SPDX-License-Identifier: Apache-2.0
// carillon plan: a schedule, checked before it is written.
#include "cli.h"

// Plans for single failures, too, as files in a directory.
static int plan_spares(const struct options *options)
{
    struct crl_diag diag = {0};
    char *summary = NULL;
    if (options->certificate) return complain_usage("--certificate is of one plan: leave out --spare");
    if (options->format) return complain_usage("with --spare schedules are CSV: leave out --format");
    progress_at("planning", 0, 0);
    int error = carillon_spares(&summary, context(), options->operand[0], options->topology, &options->flow,
                                options->output, &diag);
    if (options->quiet) print_verdict(summary, options, OF_PLAN);
    print_summary(summary, options);
    return complain(error, &diag);
}

int command_plan(struct options *options)
{
    if (options->flow.spare) return plan_spares(options);
    struct flow flow = {0};
    char *summary = NULL;
    if (!options->format && ends_in(options->output, ".json")) options->format = "json";
    if (refuse_format(options->format, carillon_format_at)) return EXIT_USAGE;
    bool to_file = is_file(options->output),
         writes = to_file || !options->json; // standard output is for one thing only
    int error = flow_problem(&flow, options, options->operand[0]);
    if (!error && writes) error = carillon_problem_writable(flow.problem, options->format, &flow.diag);
    if (!error) error = flow_plan(&flow, options, options->operand[0], NULL);
    if (!error) error = flow_check(&flow, "<plan>");
    if (!error) error = flow_certificate(&flow, options);
    if (!error && writes) error = write_schedule(flow.schedule, options->output, options->format, &flow.diag);
    if (!error && (to_file || options->json))
        error = carillon_schedule_summary(flow.schedule, false, &summary, &flow.diag);
    if (options->quiet) print_verdict(summary, options, OF_PLAN);
    print_summary(summary, options);
    return flow_end(&flow, error);
}
