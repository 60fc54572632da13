// SPDX-License-Identifier: Apache-2.0
// carillon run: the whole flow. topology → algorithm → schedule → check → lower → { RTL | model | board } → compare →
// judge.
#include "board_session.h"
#include "engine/engine.h"
#include "logp_play.h"
#include "online_run.h"
#include "outcome.h"
#include <string.h>

struct run {
    struct job job;
    const struct options *options;
    struct crl_expected *expected;
    struct crl_model *model;
    struct crl_engine *rtl;
    bool online;                  // by routers without tables
    struct board_session session; // its board is NULL where none plays
    struct outcome outcome;
};

// The image that the board has, from what this user gave to boards before.
static int recall(struct run *run)
{
    struct job *job = &run->job;
    struct crl_board_state state;
    int error = crl_board_state(run->session.board, &state, &job->diag);
    if (error) return error;
    if (!state.ready)
        return crl_fail(&job->diag, CRL_ERR_DEVICE, "the board has no schedule to play; see 'carillon board read'");
    FILE *file = crl_board_recall(state.identity);
    if (file) {
        error = job_parse_image(job, run->options, file, "the kept image");
        fclose(file);
        uint32_t identity = 0;
        if (!error) error = crl_board_identity(&job->image, &identity, &job->diag);
        if (!error && identity == state.identity) return 0;
    }
    return crl_fail(
        &job->diag, CRL_ERR_DEVICE,
        "the board has image %08x from %s, which was not given to it from here: say which file it is, as in "
        "'carillon board run IMAGE'",
        state.identity, crl_board_source_text(state.source));
}

// Schedule and image, planned or read; both checked.
static int prepare(struct run *run)
{
    struct job *job = &run->job;
    int error;
    if (run->options->as_loaded) {
        bool named = run->options->operands;
        error = named ? job_read_image(job, run->options, run->options->operand[0]) : 0;
        if (!error) error = board_session_open(&run->session, run->options, &job->diag);
        if (!error && !named) error = recall(run);
        if (!error) error = crl_raise(&job->schedule, &job->image, &job->problem, &job->diag);
        return error ? error : job_check(job);
    }
    error = job_schedule(job, run->options);
    if (!error && run->options->depth && !online_run_wanted(job, run->options))
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT, "--depth is for on-line routers: tables need no queues");
    run->online = !error && online_run_wanted(job, run->options);
    return error || job->image.bits || run->online ? error : job_lower(job, run->options);
}

// The board plays at once; its player shows what it did.
static int play_on_board(struct run *run)
{
    struct job *job = &run->job;
    int error = 0;
    if (!run->session.board) {
        error = board_session_open(&run->session, run->options, &job->diag);
        if (!error)
            error = crl_board_load(run->session.board, &job->image, &job->problem, run->options->seed, &job->diag);
        if (!error) crl_board_remember(&job->image);
    }
    return error ? error
                 : crl_board_play(run->session.board, &job->image, &job->problem, run->options->seed, 1, &job->diag);
}

// Words that the RTL played and that were read back: it holds a few at a time.
static void judge_words(void *user, struct crl_engine *engine, uint32_t first, uint32_t count)
{
    struct run *run = user;
    struct crl_diag where = {0};
    outcome_judged(&run->outcome,
                   crl_oracle_words(&run->job.image, &run->job.problem, run->options->seed, crl_engine_memory, engine,
                                    first, count, &where),
                   &where);
}

static int make_players(struct run *run)
{
    struct job *job = &run->job;
    const struct options *o = run->options;
    struct crl_engine_options rtl = {
        .seed = o->seed, .threads = o->threads, .wave = o->wave, .collected = judge_words, .user = run};
    if (!crl_payload_fits(&job->problem, &job->image.geometry))
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT,
                        "words of %u bits cannot tell the packets apart; use a wider --width",
                        job->image.geometry.data_width);
    int error =
        crl_expected_new(&run->expected, &job->schedule, &job->problem, &job->image.geometry, o->seed, &job->diag);
    if (!error && strcmp(o->engine, "rtl"))
        error = crl_model_new(&run->model, &job->image, &job->problem, o->seed, &job->diag);
    if (!error && (!strcmp(o->engine, "rtl") || !strcmp(o->engine, "both")))
        error = crl_engine_slots_new(&run->rtl, &job->image, &job->problem, &rtl, &job->diag);
    if (!error && !strcmp(o->engine, "board")) error = play_on_board(run);
    return error;
}

static int play(struct run *run)
{
    struct job *job = &run->job;
    struct crl_player players[4] = {crl_expected_player(run->expected)};
    const char *names[4] = {"expected"};
    size_t count = 1;
    if (run->rtl) {
        names[count] = "rtl";
        players[count++] = crl_engine_player(run->rtl);
    }
    if (run->session.board) {
        names[count] = "board";
        players[count++] = crl_board_player(run->session.board);
    }
    if (run->model) {
        names[count] = "model";
        players[count++] = crl_model_player(run->model);
    }
    return outcome_play(&run->outcome, players, names, count, job->image.nodes, job->image.geometry.ports,
                        (uint64_t)job->image.geometry.rows * job->image.geometry.words, run->options, &job->diag);
}

static void judge_memory(struct run *run, uint64_t (*memory)(void *, uint32_t, uint32_t, uint32_t, uint32_t),
                         void *engine)
{
    struct crl_diag where = {0};
    const char *verdict = crl_oracle(&run->job.image, &run->job.problem, run->options->seed, memory, engine, &where);
    outcome_judged(&run->outcome, verdict, &where);
}

static int judge_board(struct run *run)
{
    struct crl_board_state state;
    int error = crl_board_state(run->session.board, &state, &run->job.diag);
    if (error) return error;
    char text[160];
    board_fault_text(&state, text, sizeof text);
    outcome_faults(&run->outcome, (uint64_t)__builtin_popcount(state.fault_nodes), "board", text);
    judge_memory(run, crl_board_memory, run->session.board);
    return 0;
}

static int judge(struct run *run)
{
    if (run->outcome.compared.mismatches) return 0; // nothing more to judge: the run stopped there
    char text[160];
    if (run->rtl) {
        int error = crl_engine_finish(run->rtl, &run->job.diag);
        if (error) return error;
        uint64_t faults = crl_engine_faults(run->rtl, text);
        outcome_faults(&run->outcome, faults, "rtl", text);
    }
    if (run->session.board) {
        int error = judge_board(run);
        if (error) return error;
    }
    if (run->model) {
        struct crl_faults f = crl_model_faults(run->model);
        snprintf(text, sizeof text, "%s, first at node %u, port %u, row %u",
                 f.parity    ? "bad parity"
                 : f.missing ? "missing"
                             : "unexpected",
                 f.node, f.port, f.slot);
        outcome_faults(&run->outcome, f.missing + f.unexpected + f.parity, "model", text);
        judge_memory(run, crl_model_memory, run->model);
    }
    return 0;
}

static int report(struct run *run)
{
    json_t *summary = job_image_summary(&run->job);
    if (run->session.board) {
        board_summary(&run->session, summary);
        json_object_set_new(summary, "rounds", json_integer(run->options->rounds));
    }
    return outcome_report(&run->outcome, summary, run->options, &run->job.diag);
}

static void drop_players(struct run *run)
{
    crl_expected_free(run->expected);
    crl_model_free(run->model);
    crl_engine_free(run->rtl);
    run->expected = NULL;
    run->model = NULL;
    run->rtl = NULL;
}

// As many rounds as asked for, each with payloads of its own, up to one that is wrong: the seed is that round's then.
static int play_tables(struct run *run, uint64_t *seed)
{
    const uint64_t first = *seed;
    int error = 0;
    bool good = true;
    for (uint32_t left = run->options->rounds; good && left; left--) {
        drop_players(run);
        error = make_players(run);
        if (!error) error = play(run);
        if (!error) error = judge(run);
        good =
            !error && !run->outcome.compared.mismatches && !run->outcome.faults && !strcmp(run->outcome.result, "ok");
        if (good && left > 1) ++*seed;
    }
    if (!error && good) *seed = first;
    return error ? error : report(run);
}

int command_run(const struct options *said)
{
    struct options choices = *said, *options = &choices;
    struct run run = {.options = options};
    bool on_board = !strcmp(options->engine, "board");
    if (on_board && !options_given(said, "lanes")) options->lanes = 1; // what the boards' routers have
    if (on_board && !options_given(said, "width")) options->width = 16;
    if (!on_board && (options->serial || options->board))
        return complain_usage("--%s names a board: it needs --engine board", options->serial ? "serial" : "board");
    if (logp_wanted(said) || (said->operands && logp_is_image(said->operand[0]))) return logp_command_run(said);
    int refused = refuse_outputs(options);
    if (refused) return refused;
    int error = prepare(&run);
    if (!error) error = run.online ? online_run(&run.job, options) : play_tables(&run, &choices.seed);
    error = board_session_close(&run.session, error, &run.job.diag);
    int code = complain(error, &run.job.diag);
    drop_players(&run);
    job_done(&run.job);
    return code;
}
