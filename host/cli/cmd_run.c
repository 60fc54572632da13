// SPDX-License-Identifier: Apache-2.0
// carillon run: the whole flow. topology → algorithm → schedule → check → lower → { RTL | model | board } → compare →
// judge.
#include "cli.h"

int flow_run(struct flow *flow, const struct options *options)
{
    struct output trace = {0};
    struct carillon_run run;
    struct crl_diag diag;
    char *summary = NULL;
    int error = options->trace ? output_open(&trace, options->trace, &flow->diag) : 0;
    if (error) return error;
    int played = carillon_run(&run, flow->schedule, flow->image, trace.file, &flow->diag);
    bool judged = !played || played == CRL_ERR_MISMATCH;
    if (judged && carillon_run_summary(&run, flow->schedule, flow->image, &summary, &diag)) flow->diag = diag;
    progress_end(NULL);
    print_summary(summary, options->json);
    if (judged && run.mismatches) fputs(run.text, stderr);
    error = output_close(&trace, judged ? 0 : played, &flow->diag); // a trace that differs is wanted most
    return played ? played : error;
}

int command_run(struct options *options)
{
    struct flow flow = {0};
    if (options->trace && !is_file(options->trace)) return complain_usage("--trace needs the name of a file");
    options->flow.for_routers = true;
    int error = flow_schedule(&flow, options);
    if (!error && !flow.image && carillon_needs_image(flow.schedule))
        error = carillon_lower(&flow.image, flow.schedule, &flow.diag);
    if (!error) error = flow_run(&flow, options);
    return flow_end(&flow, error);
}
