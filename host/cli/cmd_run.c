// SPDX-License-Identifier: Apache-2.0
// carillon run: the whole flow. topology → algorithm → schedule → check → lower → { RTL | model | board } → compare →
// judge.
#include "cli.h"
#include <errno.h>
#include <string.h>

// The page of what was played. The verdict is the run's.
static int replay(struct flow *flow, const struct options *options, FILE *kept, bool stopped)
{
    struct output page = {0};
    struct crl_diag diag = {0};
    FILE *trace = kept ? kept : input_open(options->trace, &diag);
    if (!trace) {
        flow->diag = diag;
        return CRL_ERR_IO;
    }
    rewind(trace);
    int error = output_open(&page, options->replay, &diag);
    if (!error) error = carillon_draw_trace(flow->schedule, flow->image, trace, "the trace", stopped, page.file, &diag);
    if (error == CRL_ERR_MISMATCH) error = 0; // the run has said so
    error = output_close(&page, error, &diag);
    if (trace != kept) input_close(trace);
    if (error) flow->diag = diag;
    return error;
}

int flow_run(struct flow *flow, const struct options *options)
{
    const struct carillon_share *share = context()->share;
    const bool writes = !share || (!share->rank && share->gather); // of processes that share the run one writes files
    const bool replays = options->replay && writes;
    struct output trace = {0};
    struct carillon_run run;
    struct crl_diag diag;
    char *summary = NULL;
    FILE *kept = replays && !options->trace ? tmpfile() : NULL; // the words, for the page
    int error = options->trace && writes ? output_open(&trace, options->trace, &flow->diag) : 0;
    if (!error && replays && !options->trace && !kept)
        error = fail(&flow->diag, CRL_ERR_IO, "cannot keep the trace: %s", strerror(errno));
    if (error) return error;
    int played = carillon_run(&run, flow->schedule, flow->image, kept ? kept : trace.file, &flow->diag);
    // A board that has another schedule is a mismatch before anything is played.
    bool judged = !played || (played == CRL_ERR_MISMATCH && (run.mismatches || run.result != CARILLON_NOT_JUDGED));
    if (judged && carillon_run_summary(&run, flow->schedule, flow->image, &summary, &diag)) flow->diag = diag;
    progress_end();
    print_verdict(summary, options, OF_RUN);
    print_summary(summary, options);
    if (judged && run.mismatches) fputs(run.text, stderr);
    error = output_close(&trace, judged ? 0 : played, &flow->diag); // a trace that differs is wanted most
    if (judged && !error && replays) error = replay(flow, options, kept, run.mismatches);
    if (kept) fclose(kept);
    return played ? played : error;
}

int command_run(struct options *options)
{
    struct flow flow = {0};
    if (options->trace && !is_file(options->trace)) return complain_usage("--trace needs the name of a file");
    options->flow.for_routers = true;
    if ((options->flow.boards || options->flow.fail) && !options->flow.streams)
        options->flow.streams = CARILLON_STREAMS_ALL;
    int error = flow_schedule(&flow, options);
    if (!error && options->replay && !carillon_replays(flow.schedule))
        error = fail(&flow.diag, CRL_ERR_UNSUPPORTED,
                     "runs are replayed of slot tables only; 'carillon draw' shows the plan");
    if (!error && !flow.image && carillon_needs_image(flow.schedule)) error = flow_lower(&flow);
    if (!error) error = flow_run(&flow, options);
    return flow_end(&flow, error);
}
