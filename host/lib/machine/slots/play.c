// SPDX-License-Identifier: Apache-2.0
// Who plays slot tables: RTL, cycle model, boards.
#include "base/context.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "machine/slots/spares.h"
#include "model/model.h"
#include "oracle/oracle.h"
#include <stdlib.h>

static const struct crl_image *image_of(const struct crl_run *run) { return &slots_image_in(run->image)->image; }
static const struct crl_problem *problem_of(const struct crl_run *run) { return slots_said(run->image->problem); }
static struct slots_change *change_of(const struct crl_run *run) { return slots_image_of(run->image)->change; }

// Whether something dies in what is played.
static bool fails(const struct crl_run *run) { return change_of(run) && !change_of(run)->changed; }

// That follow each other within the run.
static uint32_t rounds_of(const struct crl_run *run)
{
    const struct slots_change *c = change_of(run);
    const uint32_t rounds = run->schedule->problem->options.rounds;
    if (c) return c->changed ? rounds - c->over : c->cabled ? rounds : c->over;
    return image_of(run)->geometry.streams ? rounds : 1;
}

// A judge, and what it knows of the order of sums.
struct judge {
    struct crl_oracle *oracle;
    struct crl_orders orders;
};

static int open_judge(struct judge *judge, const struct crl_run *run)
{
    const struct crl_problem *p = problem_of(run);
    int error = crl_oracle_new(&judge->oracle, image_of(run), p, run->seed, run->diag);
    if (error || !crl_problem_sums(p) || !crl_op_floats(p->op)) return error;
    error = slots_orders(&judge->orders, &slots_schedule_in(run->schedule)->schedule, p, run->diag);
    if (!error) crl_oracle_order(judge->oracle, &judge->orders);
    return error;
}

static void close_judge(struct judge *judge)
{
    crl_oracle_free(judge->oracle);
    slots_orders_done(&judge->orders);
}

// ---------------------------------------------------------------- what the schedule says

// A player, and of a run in which something dies the same up to there.
struct expected {
    struct crl_expected *expected;
    struct slots_until until;
};

static int open_expected(void **self, struct crl_run *run)
{
    struct expected *e = *self = calloc(1, sizeof *e);
    if (!e) return crl_fail_memory(run->diag);
    e->until.cycles = slots_change_cycles(change_of(run));
    int error = crl_expected_new(&e->expected, &slots_schedule_in(run->schedule)->schedule, problem_of(run),
                                 &image_of(run)->geometry, run->seed, run->diag);
    if (!error && image_of(run)->geometry.streams)
        crl_expected_repeat(e->expected, rounds_of(run), crl_stream_period(image_of(run)));
    return error;
}

static struct crl_player expected_player(void *self)
{
    struct expected *e = self;
    return slots_player_until(&e->until, crl_expected_player(e->expected));
}

static void close_expected(void *self)
{
    crl_expected_free(((struct expected *)self)->expected);
    free(self);
}

// ---------------------------------------------------------------- RTL

// Words are judged as they are read back: the RTL holds a few at a time.
struct rtl {
    struct crl_rtl *engine;
    struct crl_cable *cables;     // of boards with clocks of their own, and what
    struct crl_board_times *told; // these did
    struct judge judge;
    struct slots_until until;
    struct slots_change *change; // of a run in which something dies
};

static void judge_rtl_words(void *self, struct crl_rtl *engine, uint32_t first, uint32_t count)
{
    crl_oracle_words(((struct rtl *)self)->judge.oracle, crl_rtl_memory, engine, first, count);
}

static void judge_rtl_streams(void *self, struct crl_rtl *engine, uint32_t first, uint32_t count)
{
    crl_oracle_words(((struct rtl *)self)->judge.oracle, crl_rtl_streams_memory, engine, first, count);
}

static int open_rtl(void **self, struct crl_run *run)
{
    const struct carillon_options *o = &run->schedule->problem->options;
    struct rtl *rtl = *self = calloc(1, sizeof *rtl);
    if (!rtl) return crl_fail_memory(run->diag);
    rtl->change = change_of(run);
    rtl->until.cycles = slots_change_cycles(rtl->change);
    int error = open_judge(&rtl->judge, run);
    if (error) return error;
    if (crl_topology_boards(problem_of(run)->topology) && !slots_own_clocks(run))
        crl_say(problem_of(run)->context,
                "note: with memories all boards are played by one clock, cables as links that take longer");
    struct crl_rtl_options how = {.context = run->schedule->problem->context,
                                  .seed = run->seed,
                                  .threads = o->threads,
                                  .wave = o->wave,
                                  .rounds = rounds_of(run),
                                  .collected = judge_rtl_words,
                                  .user = rtl};
    if (!image_of(run)->geometry.streams)
        return crl_rtl_slots_new(&rtl->engine, image_of(run), problem_of(run), &how, run->diag);
    how.collected = judge_rtl_streams;
    error = slots_boards_read(&how, &rtl->cables, run);
    if (error) return error;
    if (how.cables) rtl->told = &slots_image_of(run->image)->boards;
    if (rtl->change && rtl->change->changed) {
        rtl->engine = rtl->change->engine;
        rtl->change->engine = NULL;
        return crl_rtl_streams_change(rtl->engine, problem_of(run), &how, run->diag);
    }
    if (rtl->change && rtl->change->cabled) slots_change_tell(rtl->change, &how);
    else if (rtl->change) {
        how.then = &slots_image_in(rtl->change->spare.image)->image;
        how.judged = (rtl->change->round - 1) * image_of(run)->geometry.words;
    }
    return crl_rtl_streams_new(&rtl->engine, image_of(run), problem_of(run), &how, run->diag);
}

static struct crl_player rtl_player(void *self)
{
    struct rtl *rtl = self;
    return slots_player_until(&rtl->until, crl_rtl_player(rtl->engine));
}

static int finish_rtl(void *self, struct crl_run *run)
{
    struct crl_rtl *engine = ((struct rtl *)self)->engine;
    if (fails(run)) return slots_change_die(change_of(run), engine, run->diag);
    int error = crl_rtl_finish(engine, run->diag);
    if (image_of(run)->geometry.streams) slots_image_of(run->image)->times = crl_rtl_streams_times(engine);
    return error;
}
static uint64_t rtl_faults(void *self, char text[160])
{
    const struct rtl *rtl = self;
    if (!rtl->until.cycles) return crl_rtl_faults(rtl->engine, text);
    snprintf(text, 160, "%s", rtl->change->before_text);
    return rtl->change->before;
}

static void close_rtl(void *self)
{
    CRL_OWNED struct rtl *rtl = self;
    if (rtl->told && rtl->engine) *rtl->told = crl_rtl_streams_boards(rtl->engine);
    if (rtl->until.cycles && rtl->engine) rtl->change->engine = rtl->engine; // which goes on
    else crl_rtl_free(rtl->engine);
    free(rtl->cables);
    close_judge(&rtl->judge);
}

static enum carillon_result judge_rtl(void *self, struct crl_run *run, struct crl_diag *where)
{
    const uint32_t rounds = fails(run) ? change_of(run)->right : rounds_of(run);
    return rounds ? crl_result_named(crl_oracle_verdict(((struct rtl *)self)->judge.oracle, rounds, where))
                  : CARILLON_OK;
}

// ---------------------------------------------------------------- model

struct model {
    struct crl_model *engine;
    struct judge judge;
    struct slots_until until;
};

static void judge_model_words(void *self, struct crl_model *engine, uint32_t first, uint32_t count)
{
    crl_oracle_words(((struct model *)self)->judge.oracle, crl_model_memory, engine, first, count);
}

static int open_model(void **self, struct crl_run *run)
{
    struct model *model = *self = calloc(1, sizeof *model);
    if (!model) return crl_fail_memory(run->diag);
    model->until.cycles = slots_change_cycles(change_of(run));
    int error = crl_model_new(&model->engine, image_of(run), problem_of(run), run->seed, run->diag);
    if (!error) crl_model_hand_over(model->engine, judge_model_words, model);
    if (!error) error = open_judge(&model->judge, run);
    if (!error && image_of(run)->geometry.streams) crl_model_repeat(model->engine, rounds_of(run));
    return error;
}

static struct crl_player model_player(void *self)
{
    struct model *model = self;
    return slots_player_until(&model->until, crl_model_player(model->engine));
}

// Nothing dies in a model, which plays on to the end of its rounds.
static int finish_model(void *self, struct crl_run *run)
{
    (void)run;
    return slots_player_end(crl_model_player(((struct model *)self)->engine), run->diag);
}

static void close_model(void *self)
{
    CRL_OWNED struct model *model = self;
    crl_model_free(model->engine);
    close_judge(&model->judge);
}

static uint64_t model_faults(void *self, char text[160])
{
    struct crl_faults f = crl_model_faults(((struct model *)self)->engine);
    snprintf(text, 160, "%s, first at node %u, port %u, row %u",
             f.parity    ? "bad parity"
             : f.missing ? "missing"
             : f.starved ? "starved"
             : f.astray  ? "words of streams too many or too few"
                         : "unexpected",
             f.node, f.port, f.slot);
    return f.missing + f.unexpected + f.parity + f.starved + f.astray;
}

static enum carillon_result judge_model(void *self, struct crl_run *run, struct crl_diag *where)
{
    return crl_result_named(crl_oracle_verdict(((struct model *)self)->judge.oracle, rounds_of(run), where));
}

// ---------------------------------------------------------------- board

struct board_player {
    struct crl_board *board;
    struct crl_board_state state; // after the play
};

// The board plays at once; its player shows what it did. What it was not given before is loaded.
static int open_board(void **self, struct crl_run *run)
{
    struct slots_image *image = slots_image_of(run->image);
    struct board_player *p = *self = calloc(1, sizeof *p);
    int error = p ? 0 : crl_fail_memory(run->diag);
    if (!error && !image->session) {
        const struct carillon_problem *problem = run->schedule->problem;
        error = crl_board_session_open(&image->session, problem->context, &problem->options, run->diag);
        if (!error) error = crl_board_load(image->session->board, &image->image, problem_of(run), run->seed, run->diag);
        if (!error) crl_board_remember(problem->context, &image->image);
    }
    if (error) return error;
    p->board = image->session->board;
    return crl_board_play(p->board, &image->image, problem_of(run), run->seed, 1, run->diag);
}

static struct crl_player board_player(void *self) { return crl_board_player(((struct board_player *)self)->board); }
static void close_board(void *self) { free(self); } // the session goes on

static int finish_board(void *self, struct crl_run *run)
{
    struct board_player *p = self;
    return crl_board_state(p->board, &p->state, run->diag);
}

static uint64_t board_faults(void *self, char text[160])
{
    const struct board_player *p = self;
    crl_board_fault_text(&p->state, text, 160);
    return (uint64_t)__builtin_popcount(p->state.fault_nodes);
}

static enum carillon_result judge_board(void *self, struct crl_run *run, struct crl_diag *where)
{
    return crl_result_named(crl_oracle(image_of(run), problem_of(run), run->seed, crl_board_memory,
                                       ((struct board_player *)self)->board, where));
}

static const struct crl_player_kind players[] = {
    {0, "expected", open_expected, expected_player, NULL, NULL, NULL, close_expected},
    {CRL_ENGINE_RTL, "rtl", open_rtl, rtl_player, finish_rtl, rtl_faults, judge_rtl, close_rtl},
    {CRL_ENGINE_BOARD, "board", open_board, board_player, finish_board, board_faults, judge_board, close_board},
    {CRL_ENGINE_MODEL, "model", open_model, model_player, finish_model, model_faults, judge_model, close_model},
    {0, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

// ---------------------------------------------------------------- a run

// A word for each packet as it lies in the end or the start, whichever are more, one that says what it must be in the
// end, and in the model one that says what it is made from at the start. Engines may need more, and say so themselves.
static int expect_memory(const struct crl_run *run)
{
    const struct crl_image *image = image_of(run);
    const struct crl_problem *p = problem_of(run);
    const struct carillon_share *share = p->context ? p->context->share : NULL;
    uint64_t before = 0, after = 0;
    if (share && share->ranks > 1) return 0; // they agree whether all have room once they have asked for it
    for (uint32_t v = 0; v < image->nodes; v++) {
        before += image->before[image->folded ? 0 : v].count;
        after += image->after[image->folded ? 0 : v].count;
    }
    uint64_t words = after + (before > after ? before : after);
    if (run->engines & CRL_ENGINE_MODEL && !image->geometry.streams) words += before;
    char what[160];
    snprintf(what, sizeof what, "playing %s on %.100s", crl_problem_title(p), crl_topology_name(p->topology));
    return crl_memory_expect(words * sizeof(uint64_t), what, run->diag);
}

static int ready(struct crl_run *run)
{
    if (run->schedule->problem->options.depth)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--depth is for on-line routers: tables need no queues");
    if (run->schedule->problem->options.spare && !run->schedule->problem->options.fail)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--spare of a run is auto, with --fail and --boards");
    bool board = run->engines & CRL_ENGINE_BOARD;
    if (!image_of(run)->geometry.streams && !board && run->schedule->problem->options.rounds != 1)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--rounds is for boards and for nodes with --streams");
    int error = 0;
    const char *op = run->schedule->problem->options.op;
    if (op && crl_op_named(op) != problem_of(run)->op)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "the image was built with --op %s, not '%s'",
                        crl_op_name(problem_of(run)->op), op);
    if (image_of(run)->geometry.streams && board)
        return crl_fail(run->diag, CRL_ERR_UNSUPPORTED, "the nodes of boards have memories, not streams");
    if (!board) error = expect_memory(run);
    if (error) return error;
    if (!crl_payload_fits(problem_of(run), &image_of(run)->geometry))
        return crl_fail(run->diag, CRL_ERR_ARGUMENT,
                        "words of %u bits cannot tell the packets apart; use a wider --width",
                        image_of(run)->geometry.data_width);
    if (image_of(run)->geometry.streams && run->engines & CRL_ENGINE_RTL && run->schedule->problem->options.threads > 1)
        return crl_fail(run->diag, CRL_ERR_UNSUPPORTED,
                        "--threads share nodes with memories; those with streams, as of --boards, are played by one");
    CRL_OWNED struct crl_cable *cables = NULL;
    error = slots_boards_read(&(struct crl_rtl_options){0}, &cables, run);
    return error || !run->schedule->problem->options.fail ? error : slots_change_new(run);
}

static struct crl_extent extent(const struct crl_run *run)
{
    const struct crl_image *image = image_of(run);
    uint64_t cycles = image->geometry.streams ? crl_stream_period(image) : image->geometry.rows;
    return (struct crl_extent){image->nodes, image->geometry.ports, cycles * image->geometry.words * rounds_of(run)};
}

static int after(struct crl_run *run, int error)
{
    struct slots_image *image = slots_image_of(run->image);
    if (!image->session) return error;
    snprintf(image->board, sizeof image->board, "%s", crl_board_session_name(image->session));
    snprintf(image->serial, sizeof image->serial, "%s", crl_board_session_serial(image->session));
    return crl_board_session_close(&image->session, error, run->diag);
}

static json_t *cycle(uint64_t number) { return number == UINT64_MAX ? json_null() : crl_json_number(number); }

static void summary_of(const struct carillon_schedule *schedule, const struct carillon_image *image, uint32_t engines,
                       json_t *summary)
{
    bool streams = slots_image_in(image)->image.geometry.streams;
    if (streams) json_object_set_new(summary, "rounds", crl_json_number(schedule->problem->options.rounds));
    if (slots_image_in(image)->change)
        slots_change_summary(slots_image_in(image)->change, schedule->problem->options.rounds, summary);
    else if (streams && (engines & CRL_ENGINE_RTL)) {
        json_object_set_new(summary, "first_in", cycle(slots_image_in(image)->times.first_in));
        json_object_set_new(summary, "last_out", cycle(slots_image_in(image)->times.last_out));
    }
    slots_boards_summary(summary, image);
    if (!(engines & CRL_ENGINE_BOARD)) return;
    CRL_TELL(summary, {"board", json_string(slots_image_in(image)->board)},
             {"serial", json_string(slots_image_in(image)->serial)},
             {"rounds", crl_json_number(schedule->problem->options.rounds)});
}

const struct crl_playing slots_playing = {
    .needs_image = true,
    .rounds = true,
    .shares = true,
    .players = players,
    .ready = ready,
    .extent = extent,
    .again = slots_change_again,
    .after = after,
    .summary = summary_of,
    .trace = slots_trace,
};
