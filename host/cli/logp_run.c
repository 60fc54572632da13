// SPDX-License-Identifier: Apache-2.0
// carillon run on a LogP machine: plan → check → lower → { RTL | model } → compare → judge.
#include "engine/engine.h"
#include "logp_play.h"
#include "outcome.h"
#include <string.h>
#include <unistd.h>

struct run {
    struct logp_play play;
    const struct options *options;
    enum crl_logp_op op;
    struct crl_logp_expected *expected;
    struct crl_logp_model *model;
    struct crl_engine *rtl;
    struct outcome outcome;
};

// In the order of enum crl_logp_op.
static const char *const op_names[] = {"add", "min", "max", "xor"};

static int choose_op(struct run *run)
{
    const char *name = run->options->op;
    if (!name) return 0;
    if (!crl_logp_combines(&run->play.job.problem))
        return crl_fail(&run->play.job.diag, CRL_ERR_ARGUMENT, "'--op' is for collectives that combine, not for %s",
                        crl_logp_problem_name(&run->play.job.problem));
    for (size_t i = 0; i < sizeof op_names / sizeof *op_names; i++)
        if (!strcmp(name, op_names[i])) {
            run->op = (enum crl_logp_op)i;
            return 0;
        }
    return crl_fail(&run->play.job.diag, CRL_ERR_ARGUMENT, "--op is add, min, max or xor, not '%s'", name);
}

static int prepare(struct run *run)
{
    const struct options *options = run->options;
    const char *name = options->operand[0];
    if (crl_logp_collective_known(name)) return logp_play_build(&run->play, options);
    if (access(name, F_OK))
        return crl_fail(&run->play.job.diag, CRL_ERR_ARGUMENT,
                        "'%.80s' is neither an algorithm for LogP machines ('carillon list' shows them) nor a file",
                        name);
    int error = logp_play_read(&run->play, options, name);
    return error ? error : logp_play_check(&run->play, name);
}

// Words that the RTL played and that were read back: it holds a few at a time.
static void judge_words(void *user, struct crl_engine *engine, uint32_t first, uint32_t count)
{
    struct run *run = user;
    struct crl_diag where = {0};
    outcome_judged(&run->outcome,
                   crl_logp_oracle_words(&run->play.image, run->op, run->options->seed, crl_engine_logp_memory, engine,
                                         first, count, &where),
                   &where);
}

static int make_players(struct run *run)
{
    struct logp_job *job = &run->play.job;
    const struct crl_logp_image *image = &run->play.image;
    const struct options *o = run->options;
    struct crl_engine_options rtl = {.seed = o->seed, .wave = o->wave, .collected = judge_words, .user = run};
    bool in_rtl = !strcmp(o->engine, "rtl") || !strcmp(o->engine, "both");
    if (!in_rtl && strcmp(o->engine, "model"))
        return crl_fail(&job->diag, CRL_ERR_UNSUPPORTED, "LogP machines play in --engine rtl, model or both, not '%s'",
                        o->engine);
    if (!crl_logp_payload_fits(image))
        return crl_fail(
            &job->diag, CRL_ERR_ARGUMENT, "words of %u bits cannot %s; use a wider --width", image->geometry.data_width,
            crl_logp_combines(&job->problem) ? "show that every value was combined once" : "tell the items apart");
    int error = crl_logp_expected_new(&run->expected, &job->schedule, image, run->op, o->seed, &job->diag);
    if (!error && strcmp(o->engine, "rtl"))
        error = crl_logp_model_new(&run->model, image, run->op, o->seed, &job->diag);
    if (!error && in_rtl) error = crl_engine_logp_new(&run->rtl, image, run->op, &rtl, &job->diag);
    return error;
}

static int play(struct run *run)
{
    const struct crl_logp_image *image = &run->play.image;
    struct crl_player players[3] = {crl_logp_expected_player(run->expected)};
    const char *names[3] = {"expected"};
    size_t count = 1;
    if (run->rtl) {
        names[count] = "rtl";
        players[count++] = crl_engine_player(run->rtl);
    }
    if (run->model) {
        names[count] = "model";
        players[count++] = crl_logp_model_player(run->model);
    }
    uint32_t P = image->problem.machine.P; // a port a destination
    return outcome_play(&run->outcome, players, names, count, P, P,
                        (uint64_t)image->geometry.rows * image->geometry.words, run->options, &run->play.job.diag);
}

static void judge_memory(struct run *run, uint64_t (*memory)(void *, uint32_t, uint32_t, uint32_t), void *engine)
{
    struct crl_diag where = {0};
    const char *verdict = crl_logp_oracle(&run->play.image, run->op, run->options->seed, memory, engine, &where);
    outcome_judged(&run->outcome, verdict, &where);
}

static int judge(struct run *run)
{
    char text[160];
    if (run->outcome.compared.mismatches) return 0; // nothing more to judge: the run stopped there
    if (run->rtl) {
        int error = crl_engine_finish(run->rtl, &run->play.job.diag);
        if (error) return error;
        uint64_t faults = crl_engine_faults(run->rtl, text);
        outcome_faults(&run->outcome, faults, "rtl", text);
    }
    if (run->model) {
        struct crl_logp_faults f = crl_logp_model_faults(run->model);
        snprintf(text, sizeof text, "first at processor %u, row %u", f.processor, f.row);
        outcome_faults(&run->outcome, f.missing + f.unexpected + f.hold + f.conflict + f.outside + f.parity, "model",
                       text);
        judge_memory(run, crl_logp_model_memory, run->model);
    }
    return 0;
}

static int report(struct run *run)
{
    json_t *summary = logp_play_summary(&run->play);
    if (crl_logp_combines(&run->play.job.problem)) json_object_set_new(summary, "op", json_string(op_names[run->op]));
    return outcome_report(&run->outcome, summary, run->options, &run->play.job.diag);
}

int logp_command_run(const struct options *options)
{
    struct run run = {.options = options};
    int refused = refuse_outputs(options);
    if (refused) return refused;
    int error = prepare(&run);
    if (!error) error = choose_op(&run);
    if (!error) error = make_players(&run);
    if (!error) error = play(&run);
    if (!error) error = judge(&run);
    if (!error) error = report(&run);
    int code = complain(error, &run.play.job.diag);
    crl_logp_expected_free(run.expected);
    crl_logp_model_free(run.model);
    crl_engine_free(run.rtl);
    logp_play_done(&run.play);
    return code;
}
