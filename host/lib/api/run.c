// SPDX-License-Identifier: Apache-2.0
// Playing, whatever is played: what the schedule says and the engines side by side, every word compared, then faults
// and results judged.
#include "api/machine.h"
#include "base/context.h"
#include <errno.h>
#include <string.h>

enum { PLAYERS_MAX = 4 };

struct player {
    const struct crl_player_kind *kind;
    void *self;
};

struct play {
    struct crl_run run;
    struct carillon_run *result;
    const struct crl_playing *kind;
    struct player players[PLAYERS_MAX];
    size_t count;
    bool stopped; // at a difference
};

static bool on_cycle(void *user, uint64_t cycle)
{
    struct play *play = user;
    const struct crl_context *context = play->run.schedule->problem->context;
    if (context && context->progress)
        context->progress(context->user, "playing", cycle, play->kind->extent(&play->run).cycles);
    return context && context->share ? true : !crl_context_cancelled(context); // the others would wait for this one
}

static int open_players(struct play *play)
{
    int error = 0;
    for (const struct crl_player_kind *k = play->kind->players; k->name && !error; k++) {
        if (k->engine && !(k->engine & play->run.engines)) continue;
        struct player *p = &play->players[play->count++];
        *p = (struct player){k, NULL};
        error = k->open(&p->self, &play->run);
    }
    return error;
}

static void close_players(struct play *play)
{
    for (; play->count; play->count--) {
        struct player *p = &play->players[play->count - 1];
        if (p->self) p->kind->close(p->self);
    }
}

static int compare(struct play *play, FILE *trace)
{
    struct crl_player players[PLAYERS_MAX];
    const char *names[PLAYERS_MAX];
    struct crl_compared compared;
    struct crl_extent extent = play->kind->extent(&play->run);
    for (size_t i = 0; i < play->count; i++) {
        players[i] = play->players[i].kind->player(play->players[i].self);
        names[i] = play->players[i].kind->name;
    }
    int error = crl_compare_share(&compared, players, names, play->count, extent.nodes, extent.ports,
                                  play->run.schedule->problem->context, trace, on_cycle, play, play->run.diag);
    if (error == CRL_ERR_MISMATCH && play->run.diag) { // a player that cannot go on, and says why
        play->result->result = CARILLON_STUCK;
        snprintf(play->result->text, sizeof play->result->text, "%s", play->run.diag->text);
    } else if (error) return error;
    play->result->cycles = compared.cycles;
    play->result->words = compared.words;
    play->result->mismatches = compared.mismatches;
    play->result->digest = compared.digest;
    play->stopped = compared.stopped || error;
    if (compared.mismatches) {
        play->result->result = CARILLON_MISMATCH;
        memcpy(play->result->text, compared.text, sizeof compared.text);
    }
    return 0;
}

// The first bad verdict stays.
static int judge(struct play *play)
{
    struct carillon_run *result = play->result;
    char text[160];
    for (size_t i = 0; i < play->count; i++) {
        const struct player *p = &play->players[i];
        struct crl_diag where = {0};
        int error = p->kind->finish ? p->kind->finish(p->self, &play->run) : 0;
        if (error) return error;
        uint64_t faults = p->kind->faults ? p->kind->faults(p->self, text) : 0;
        if (faults) crl_say(play->run.schedule->problem->context, "fault: %s: %s", p->kind->name, text);
        result->faults += faults;
        if (!p->kind->judge) continue;
        enum carillon_result verdict = p->kind->judge(p->self, &play->run, &where);
        if (result->result > CARILLON_OK) continue;
        result->result = verdict;
        snprintf(result->text, sizeof result->text, "%s", where.text);
    }
    return 0;
}

// No process that shares the run plays where another one cannot, and all keep their words if one wants them.
static int agree(struct play *play, int error, bool *traced)
{
    enum { FAILED = 1, TRACED = 2 };
    const struct crl_context *context = play->run.schedule->problem->context;
    uint32_t bits = (error ? FAILED : 0) | (*traced ? TRACED : 0);
    if (!context || !context->share) return error;
    int lost = context->share->agree(context->share->user, &bits);
    if (error) return error;
    if (lost) return crl_fail(play->run.diag, lost, "the processes that share the run lost each other");
    *traced = bits & TRACED;
    return bits & FAILED ? crl_fail(play->run.diag, CRL_ERR_MEMORY, "another process that shares the run cannot play")
                         : 0;
}

static int play_and_judge(struct play *play, FILE *trace)
{
    int error = compare(play, trace);
    if (!error && !play->stopped) error = judge(play); // else there is nothing more to judge
    close_players(play);
    return error;
}

// What each process has of the result and of the trace becomes one.
static int join(struct play *play, FILE *part, FILE *trace)
{
    const struct carillon_share *share = play->run.schedule->problem->context->share;
    int error = share->join(share->user, play->result);
    if (error) return crl_fail(play->run.diag, error, "the processes that share the run lost each other");
    if (part) error = share->gather(share->user, part, trace);
    return error ? crl_fail(play->run.diag, error, "cannot bring the parts of the trace together") : 0;
}

static int play_round(struct play *play, FILE *trace)
{
    const struct crl_context *context = play->run.schedule->problem->context;
    bool traced = trace != NULL;
    *play->result = (struct carillon_run){0};
    int error = agree(play, open_players(play), &traced);
    if (error || !context || !context->share) {
        if (!error) error = play_and_judge(play, trace);
        close_players(play);
        return error;
    }
    FILE *part = traced ? tmpfile() : NULL;
    if (traced && !part) error = crl_fail(play->run.diag, CRL_ERR_IO, "cannot keep the trace: %s", strerror(errno));
    if (!error) error = play_and_judge(play, part);
    if (!error) error = join(play, part, trace);
    close_players(play);
    if (part) fclose(part);
    return error;
}

static int verdict(const struct carillon_run *run, struct crl_diag *diag)
{
    if (run->mismatches) return crl_fail(diag, CRL_ERR_MISMATCH, "the engines do not play what the schedule says");
    if (run->result != CARILLON_OK)
        return crl_fail(diag, CRL_ERR_MISMATCH, "the result is %s: %s", carillon_result_name(run->result), run->text);
    return run->faults ? crl_fail(diag, CRL_ERR_MISMATCH, "the guard reported faults") : 0;
}

const struct crl_machine *crl_player_of(const struct carillon_schedule *schedule)
{
    for (const struct crl_machine *const *m = crl_machines; *m; m++)
        if ((*m)->playing && (*m)->playing->takes_over && (*m)->playing->takes_over(schedule)) return *m;
    return schedule->machine->playing ? schedule->machine : NULL;
}

bool carillon_needs_image(const struct carillon_schedule *schedule)
{
    const struct crl_machine *player = crl_player_of(schedule);
    return !player || player->playing->needs_image;
}

int crl_refuse_wave(const struct carillon_options *o, uint32_t engines, struct crl_diag *diag)
{
    size_t length = o->wave ? strlen(o->wave) : 0;
    if (o->wave && (length < 4 || (strcmp(o->wave + length - 4, ".fst") && strcmp(o->wave + length - 4, ".vcd"))))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--wave needs a name that ends in .fst or .vcd, not '%s'", o->wave);
    if (o->wave && !(engines & CRL_ENGINE_RTL))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--wave needs the RTL: --engine rtl or both");
    return 0;
}

static int refuse_options(const struct crl_playing *kind, const struct carillon_options *o, uint32_t engines,
                          struct crl_diag *diag)
{
    int error = crl_refuse_wave(o, engines, diag);
    if (error) return error;
    if (!o->rounds)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "'0' rounds play on and on, so nothing is judged: 'carillon board run --rounds 0' does that");
    if (o->rounds != 1 && !kind->rounds && !(engines & CRL_ENGINE_BOARD))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--rounds is for boards and for nodes with --streams");
    if ((o->serial || o->board) && !(engines & CRL_ENGINE_BOARD))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--%s names a board: it needs --engine board",
                        o->serial ? "serial" : "board");
    return 0;
}

// As many rounds as asked for, each with payloads of its own, up to one that is wrong: the seed is that round's then.
int carillon_run(struct carillon_run *run, struct carillon_schedule *schedule, struct carillon_image *image,
                 FILE *trace, struct crl_diag *diag)
{
    struct carillon_options *o = &schedule->problem->options;
    *run = (struct carillon_run){0};
    if (!crl_player_of(schedule))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s are played by 'carillon dynamic'",
                        crl_title_of(schedule->problem));
    struct play play = {.run = {.schedule = schedule, .image = image, .seed = o->seed, .diag = diag},
                        .result = run,
                        .kind = (image ? image->machine : crl_player_of(schedule))->playing};
    play.run.engines = crl_engines_named(o->engine, CRL_ENGINE_RTL | CRL_ENGINE_MODEL, diag);
    int error = play.run.engines ? refuse_options(play.kind, o, play.run.engines, diag) : CRL_ERR_ARGUMENT;
    if (!error) error = crl_schedule_open(schedule, diag);
    if (!error && play.kind->ready) error = play.kind->ready(&play.run);
    const struct crl_context *context = schedule->problem->context;
    if (!error && context && context->share && context->share->ranks > 1 &&
        (!play.kind->shares || play.run.engines & CRL_ENGINE_BOARD ||
         (o->streams && play.run.engines & CRL_ENGINE_RTL)))
        error = crl_fail(
            diag, CRL_ERR_UNSUPPORTED,
            "processes share runs of slot tables by the model and in RTL alone, with --streams by the model alone");
    if (!error && context && context->share && play.run.engines & CRL_ENGINE_RTL &&
        context->share->ranks > play.kind->extent(&play.run).nodes)
        error = crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' processes are more than there are nodes", context->share->ranks);
    bool good = !error;
    for (uint32_t left = play.run.engines & CRL_ENGINE_BOARD ? o->rounds : 1; good && left; left--, play.run.seed++) {
        error = play_round(&play, trace);
        good = !error && !(error = verdict(run, diag));
        run->seed = good ? o->seed : play.run.seed;
    }
    while (good && play.kind->again && play.kind->again(&play.run)) {
        struct carillon_run before = *run;
        error = play_round(&play, trace);
        good = !error && !(error = verdict(run, diag));
        run->seed = good ? o->seed : play.run.seed;
        run->words += before.words;
        run->cycles += before.cycles;
    }
    return play.kind->after ? play.kind->after(&play.run, error) : error;
}

int carillon_run_summary(const struct carillon_run *run, const struct carillon_schedule *schedule,
                         const struct carillon_image *image, char **json, struct crl_diag *diag)
{
    const struct carillon_options *o = &schedule->problem->options;
    const struct crl_playing *playing = (image ? image->machine : crl_player_of(schedule))->playing;
    json_t *summary = crl_summary(schedule, image);
    uint32_t engines = crl_engines_named(o->engine, CRL_ENGINE_RTL | CRL_ENGINE_MODEL, NULL);
    if (playing->summary) playing->summary(schedule, image, engines, summary);
    CRL_TELL(summary, {"seed", crl_json_number(run->seed)}, {"engine", json_string(crl_engines_name(engines))},
             {"cycles", crl_json_number(run->cycles)}, {"mismatches", crl_json_number(run->mismatches)},
             {"faults", crl_json_number(run->faults)}, {"result", json_string(carillon_result_name(run->result))});
    const struct crl_context *context = schedule->problem->context;
    if (context && context->share) {
        char digest[17];
        snprintf(digest, sizeof digest, "%016llx", (unsigned long long)run->digest);
        json_object_set_new(summary, "ranks", crl_json_number(context->share->ranks));
        json_object_set_new(summary, "trace_digest", json_string(digest));
        if (run->cpu_seconds > 0) json_object_set_new(summary, "cpu_seconds", json_real(run->cpu_seconds));
        if (run->cpu_ratio > 0) json_object_set_new(summary, "cpu_ratio", json_real(run->cpu_ratio));
    }
    return crl_json_text(summary, json, diag);
}
