// SPDX-License-Identifier: Apache-2.0
#include "online_run.h"
#include "engine/engine.h"
#include "outcome.h"
#include <string.h>

struct online_run {
    struct job *job;
    const struct options *options;
    struct crl_online *model;
    struct crl_engine *rtl;
    struct outcome outcome;
};

bool online_run_wanted(const struct job *job, const struct options *options)
{
    static const char *const of_tables[] = {"lanes", "banks", "words", "width", "wave"};
    return job->algorithm && crl_algorithm_is_online(job->algorithm) && crl_online_playable(&job->problem) &&
           strcmp(options->engine, "board") &&
           !options_first_given(options, of_tables, sizeof of_tables / sizeof *of_tables);
}

static int play(struct online_run *run)
{
    const struct options *o = run->options;
    struct job *job = run->job;
    struct crl_player players[2];
    const char *names[2];
    size_t count = 0;
    bool both = !strcmp(o->engine, "both");
    int error = crl_online_new(&run->model, &job->problem, o->depth, o->seed, &job->diag);
    if (!error && (both || !strcmp(o->engine, "rtl"))) {
        error = crl_engine_online_new(&run->rtl, run->model, &(struct crl_engine_options){0}, &job->diag);
        if (!error) error = crl_engine_online_start(run->rtl, run->model, &job->diag);
        names[count] = "rtl";
        if (!error) players[count++] = crl_engine_player(run->rtl);
    }
    if (error) return error;
    if (!run->rtl || both) {
        names[count] = "model";
        players[count++] = crl_online_player(run->model);
    }
    return outcome_play(&run->outcome, players, names, count, crl_topology_nodes(job->topology),
                        crl_topology_ports(job->topology), crl_online_slots(run->model), o, &job->diag);
}

static int judge(struct online_run *run)
{
    struct crl_diag where = {0};
    char text[160];
    uint32_t lost = crl_online_faults(run->model);
    if (run->outcome.compared.mismatches) return 0; // nothing more to judge: the run stopped there
    if (!run->rtl || !strcmp(run->options->engine, "both")) {
        snprintf(text, sizeof text, "%u packets found a queue full", lost);
        outcome_faults(&run->outcome, lost, "model", text);
        crl_fail(&where, 0, "%u packets were lost", lost);
        outcome_judged(&run->outcome, lost ? "missing" : "ok", &where); // the checker judged the rest
    }
    if (run->rtl) {
        int error = crl_engine_finish(run->rtl, &run->job->diag);
        if (error) return error;
        uint64_t faults = crl_engine_faults(run->rtl, text);
        struct crl_online_memory memory = crl_engine_online_memory(run->rtl);
        outcome_faults(&run->outcome, faults, "rtl", text);
        const char *verdict = crl_online_oracle(run->model, &memory, &where);
        outcome_judged(&run->outcome, verdict, &where);
    }
    return 0;
}

int online_run(struct job *job, const struct options *options)
{
    struct online_run run = {.job = job, .options = options};
    int error = play(&run);
    if (!error) error = judge(&run);
    if (!error) error = outcome_report(&run.outcome, job_summary(job), options, &job->diag);
    crl_engine_free(run.rtl);
    crl_online_free(run.model);
    return error;
}
