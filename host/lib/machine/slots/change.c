// SPDX-License-Identifier: Apache-2.0
// A run in which something dies. The tables of the plan and of its spare lie side by side in the nodes. From a cycle of
// the round in which it dies no word comes over the dead links; that round's results are thrown away, whatever they
// are; and at its edge all nodes begin to play the spare. Words are compared up to the death, and from the change on.
#include "machine/slots/spares.h"
#include "base/context.h"
#include "schedule/cables.h"
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- players that end before their end

static int step_until(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct slots_until *u = self;
    int ended = u->player.step(u->player.self, valid, data);
    return ended ? ended : !--u->left;
}

static void explain_until(void *self, struct crl_diag *diag)
{
    const struct slots_until *u = self;
    if (u->player.explain) u->player.explain(u->player.self, diag);
}

struct crl_player slots_player_until(struct slots_until *until, struct crl_player player)
{
    if (!until->cycles) return player;
    until->player = player;
    until->left = until->cycles;
    return (struct crl_player){.self = until, .step = step_until, .explain = explain_until};
}

int slots_player_end(struct crl_player player, struct crl_diag *diag)
{
    const uint32_t *valid;
    const uint64_t *data;
    int ended = 0;
    while (!ended) ended = player.step(player.self, &valid, &data);
    if (ended < 0 && player.explain) player.explain(player.self, diag);
    return ended < 0 ? ended : 0;
}

// ---------------------------------------------------------------- what dies

// "0-1@500" or "5@500", by numbers or names. The ends of the link, or the node twice.
static int read_failure(struct slots_change *c, uint32_t end[2], const struct crl_topology *t, const char *text,
                        uint32_t rounds, bool cabled, struct crl_diag *diag)
{
    const char *at = strrchr(text, '@'), *after = at ? at + 1 : text, *dash = NULL;
    size_t length = at ? (size_t)(at - text) : 0;
    if (!at || !length || length >= sizeof c->fails || !crl_topology_number(&after, &c->round) || *after || !c->round ||
        c->round >= rounds)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "--fail needs a link or a node, and one of %u rounds but the last, as in 0-1@%u, not '%.60s'",
                        rounds, rounds > 2 ? rounds / 2 : 1, text);
    snprintf(c->fails, sizeof c->fails, "%.*s", (int)length, text);
    end[0] = end[1] = crl_topology_node_named(t, text, length);
    for (const char *p = text; end[0] == CRL_NONE && p < at; p++) {
        if (*p != '-') continue;
        dash = p;
        end[0] = crl_topology_node_named(t, text, (size_t)(dash - text));
        end[1] = crl_topology_node_named(t, dash + 1, (size_t)(at - dash - 1));
        if (end[1] == CRL_NONE) end[0] = CRL_NONE;
    }
    return end[0] != CRL_NONE || cabled
               ? 0
               : crl_fail(diag, CRL_ERR_ARGUMENT, "'%s' of --fail is neither a node nor a link of %s", c->fails,
                          crl_topology_name(t));
}

// The inputs that hear nothing any more, and when that begins.
static int list_inputs(struct slots_change *c, const uint32_t end[2], const struct crl_topology *t)
{
    c->inputs = malloc(sizeof *c->inputs * t->nodes * t->ports);
    for (uint32_t i = 0; c->inputs && i < t->nodes * t->ports; i++) {
        uint32_t v = i / t->ports, from = crl_topology_behind(t, v, i % t->ports);
        if (from == CRL_NONE) continue;
        if (end[0] == end[1] ? v == end[0] || from == end[0]
                             : (v == end[0] && from == end[1]) || (v == end[1] && from == end[0]))
            c->inputs[c->dead++] = i;
    }
    return c->inputs ? 0 : CRL_ERR_MEMORY;
}

static void choose_cycle(struct slots_change *c, const struct crl_image *image, uint64_t seed)
{
    const uint64_t round = (uint64_t)crl_stream_period(image) * image->geometry.words;
    seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    c->cycle = 1 + (round > 1 ? (uint32_t)((seed >> 33) % (round - 1)) : 0);
    c->cycles = (c->round - 1) * round + c->cycle;
}

// ---------------------------------------------------------------- cables between boards

enum {
    WAITS_TOLD = 100,    // cycles in which no board steps, of a cable that is known to be dead
    WAITS_SILENT = 1000, // and if nobody knows more than that a cable is silent
    IN_ROUND = 100,      // cycles of a round in which it dies, at most
};

// The cable that is named by its boards, as "b0-b1", or by the link that has it alone. The links that it carries.
static int find_cable(struct slots_change *c, char **links, const uint32_t end[2], const struct crl_run *run)
{
    const struct crl_topology *t = slots_said(run->image->problem)->topology;
    const struct crl_boards *boards = crl_topology_boards(t);
    uint32_t x = CRL_NONE, y = CRL_NONE, count;
    for (const char *dash = strchr(c->fails, '-'); dash && y == CRL_NONE; dash = strchr(dash + 1, '-')) {
        x = crl_names_find(&boards->names, c->fails, (size_t)(dash - c->fails));
        y = x == CRL_NONE ? x : crl_names_find(&boards->names, dash + 1, strlen(dash + 1));
    }
    const bool by_boards = y != CRL_NONE && !boards->each;
    if (!by_boards && end[0] != CRL_NONE && boards->of[end[0]] != boards->of[end[1]]) {
        x = boards->of[end[0]];
        y = boards->of[end[1]];
    } else if (!by_boards) x = y = CRL_NONE;
    *links = NULL;
    if (x != CRL_NONE && x != y)
        *links = boards->each ? strdup(c->fails) : slots_cable_links(t, x < y ? x : y, x < y ? y : x);
    if (!*links || !**links || (!by_boards && strchr(*links, ',')))
        return crl_fail(
            run->diag, CRL_ERR_ARGUMENT,
            "with --boards '%s' of --fail must be a cable: two boards, as in %s-%s, or the only link of one", c->fails,
            crl_names_text(&boards->names, 0, (char[CRL_NODE_TEXT]){0}),
            crl_names_text(&boards->names, 1, (char[CRL_NODE_TEXT]){0}));
    CRL_OWNED struct crl_cable *cables = NULL;
    if (crl_cables_list(&cables, &count, &slots_schedule_in(run->schedule)->schedule))
        return crl_fail_memory(run->diag);
    c->cable = CRL_NONE;
    for (uint32_t i = 0, number = 0; i < count; i++) {
        const uint32_t other = crl_cables_back(cables, count, i);
        if (other != CRL_NONE && other < i) continue;
        const bool is = boards->each
                            ? (cables[i].src == end[0] && cables[i].dst == end[1]) ||
                                  (cables[i].src == end[1] && cables[i].dst == end[0])
                            : (cables[i].from == x && cables[i].to == y) || (cables[i].from == y && cables[i].to == x);
        if (is) c->cable = number;
        number++;
    }
    if (c->cable != CRL_NONE) return 0;
    return crl_fail(run->diag, CRL_ERR_ARGUMENT, "no words go over '%s' of --fail", c->fails);
}

static int deepest(struct slots_change *c, struct crl_diag *diag)
{
    CRL_OWNED struct crl_cable *cables = NULL;
    uint32_t count;
    if (crl_cables_list(&cables, &count, &slots_schedule_in(c->spare.schedule)->schedule)) return crl_fail_memory(diag);
    for (uint32_t i = 0; i < count; i++)
        if (cables[i].depth > c->depth) c->depth = cables[i].depth;
    return 0;
}

void slots_change_tell(const struct slots_change *c, struct crl_rtl_options *how)
{
    how->then = &slots_image_in(c->spare.image)->image;
    how->then_depth = c->depth;
    how->judged = UINT32_MAX; // what all boards have ended
    how->dies = true;
    how->by_silence = c->automatic;
    how->patience = c->automatic ? WAITS_SILENT : WAITS_TOLD;
    how->outage[0] = (struct crl_cable_outage){.cable = c->cable, .round = c->round, .after = c->cycle};
}

// How many cycles all boards play until they stop: the same run as will be compared, by itself.
static int find_cycles(struct slots_change *c, const struct crl_run *run)
{
    const struct crl_image *image = &slots_image_in(run->image)->image;
    const struct crl_context *context = run->schedule->problem->context;
    struct crl_context quiet = context ? *context : (struct crl_context){0};
    quiet.warning = NULL; // the run that is compared says it
    struct crl_rtl_options how = {
        .context = context ? &quiet : NULL, .seed = run->seed, .rounds = run->schedule->problem->options.rounds};
    CRL_OWNED struct crl_cable *cables = NULL;
    const uint32_t *valid;
    const uint64_t *data;
    struct crl_rtl *engine = NULL;
    int error = slots_boards_read(&how, &cables, run), ended = 0;
    if (error) return error;
    slots_change_tell(c, &how);
    error = crl_rtl_streams_new(&engine, image, slots_said(run->image->problem), &how, run->diag);
    if (error) return error;
    const struct crl_player player = crl_rtl_player(engine);
    while (!(ended = player.step(player.self, &valid, &data))) c->cycles++;
    error = crl_rtl_streams_stop(engine, &c->stopped, run->diag);
    crl_rtl_free(engine);
    if (error) return error;
    if (ended > 0 || !c->cycles || c->stopped.begun >= how.rounds)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT,
                        "--fail %s@%u: the rounds are over before it is missed; say more --rounds", c->fails, c->round);
    c->right = c->stopped.complete;
    c->over = c->stopped.begun;
    return 0;
}

// ---------------------------------------------------------------- both

// Routers that play both.
static int widen(struct crl_image *one, struct crl_image *two)
{
    struct crl_geometry all = one->geometry;
    crl_geometry_join(&all, &two->geometry);
    int error = crl_image_widen(one, &all);
    return error ? error : crl_image_widen(two, &all);
}

static int refuse(const struct crl_run *run)
{
    const char *why = !slots_image_in(run->image)->image.geometry.streams ? "needs nodes with --streams"
                      : !(run->engines & CRL_ENGINE_RTL)                  ? "is played in RTL: --engine rtl or both"
                                                                          : NULL;
    if (!why && run->schedule->problem->options.unplug && slots_own_clocks(run))
        why = "is what --unplug does for good: leave that out";
    return why ? crl_fail(run->diag, CRL_ERR_UNSUPPORTED, "--fail %s", why) : 0;
}

int slots_change_new(struct crl_run *run)
{
    const struct carillon_options *o = &run->schedule->problem->options;
    const struct crl_topology *t = slots_said(run->image->problem)->topology;
    struct slots_image *image = slots_image_of(run->image);
    uint32_t end[2] = {CRL_NONE, CRL_NONE};
    int error = refuse(run);
    if (error || image->change) return error;
    struct slots_change *c = image->change = calloc(1, sizeof *c);
    if (!c) return crl_fail_memory(run->diag);
    CRL_OWNED char *links = NULL;
    c->cabled = slots_own_clocks(run);
    c->automatic = o->spare && !strcmp(o->spare, "auto");
    if (o->spare && !(c->automatic && c->cabled))
        return crl_fail(run->diag, CRL_ERR_ARGUMENT,
                        "--spare of a run is auto, with --fail and --boards: they change over when a cable is silent");
    error = read_failure(c, end, t, o->fail, o->rounds, c->cabled, run->diag);
    if (!error && c->cabled) error = find_cable(c, &links, end, run);
    if (!error) error = slots_spare_new(&c->spare, run->schedule, links ? links : c->fails, run->diag);
    if (!error && c->cabled) error = deepest(c, run->diag);
    if (!error && (list_inputs(c, end, t) || widen(&image->image, &slots_image_of(c->spare.image)->image)))
        error = crl_fail_memory(run->diag);
    if (error) return error;
    choose_cycle(c, &image->image, run->seed);
    slots_image_of(c->spare.image)->change = c;
    c->right = c->round - 1;
    c->over = c->round;
    if (c->cabled) {
        c->cycle %= IN_ROUND;
        c->cycles = 0;
        error = find_cycles(c, run);
    }
    return error;
}

void slots_change_free(struct slots_change *c)
{
    if (!c) return;
    crl_rtl_free(c->engine);
    slots_spare_done(&c->spare);
    CRL_FREE(c->inputs, c);
}

// ---------------------------------------------------------------- the two parts

uint64_t slots_change_cycles(const struct slots_change *c) { return c && !c->changed ? c->cycles : 0; }

int slots_change_die(struct slots_change *c, struct crl_rtl *engine, struct crl_diag *diag)
{
    if (c->cabled) {
        int error = crl_rtl_streams_stop(engine, &c->stopped, diag);
        if (!error) c->before = crl_rtl_faults(engine, c->before_text);
        if (!error && c->automatic && c->stopped.silent != c->cable)
            error = crl_fail(diag, CRL_ERR_MISMATCH, "cable %u is silent, not %u", c->stopped.silent, c->cable);
        return error;
    }
    crl_rtl_streams_cut(engine, c->inputs, c->dead);
    c->before = crl_rtl_faults(engine, c->before_text);
    int error = slots_player_end(crl_rtl_player(engine), diag);
    if (!error) error = crl_rtl_streams_end(engine, diag);
    c->after = crl_rtl_faults(engine, c->after_text);
    return error;
}

bool slots_change_again(struct crl_run *run)
{
    struct slots_change *c = slots_image_of(run->image)->change;
    if (!c || c->changed) return false;
    if (c->cabled)
        crl_say(run->schedule->problem->context,
                "note: %s died in round %u, cycle %u; %u cycles later %s: %s. %u of the rounds are thrown away, and "
                "all boards are reset and begin the spare plan, of %u slots",
                c->fails, c->round, c->cycle, (uint32_t)c->stopped.cycles,
                c->automatic ? "a cable has been silent for long" : "the host says so", c->stopped.why,
                c->over - c->right, crl_schedule_slots(&slots_schedule_in(c->spare.schedule)->schedule));
    else
        crl_say(run->schedule->problem->context,
                "note: %s died in round %u, cycle %u; guards: %s. The results of that round are thrown away, and all "
                "nodes change over to the spare plan, of %u slots",
                c->fails, c->round, c->cycle, c->after ? c->after_text : "nothing was missed",
                crl_schedule_slots(&slots_schedule_in(c->spare.schedule)->schedule));
    c->changed = true;
    run->schedule = c->spare.schedule;
    run->image = c->spare.image;
    run->seed += c->over;
    return true;
}

void slots_change_summary(const struct slots_change *c, uint32_t rounds, json_t *summary)
{
    const struct crl_report *r = &c->spare.schedule->report;
    CRL_TELL(summary, {"fails", json_string(c->fails)}, {"fails_in_round", json_integer(c->round)},
             {"fails_in_cycle", json_integer(c->cycle)}, {"guard_faults", crl_json_number(c->after)},
             {"rounds_thrown_away", json_integer(c->over - c->right)},
             {"rounds_of_spare", json_integer(c->changed ? rounds - c->over : 0)},
             {"spare_slots", crl_json_number(r->slots)}, {"spare_bound_slots", crl_json_number(r->bound_slots)});
    if (!c->cabled) return;
    const double cycles = slots_image_in(c->spare.image)->boards.cycles_a_round;
    CRL_TELL(summary, {"change_after_cycles", crl_json_number(c->stopped.cycles)},
             {"spare_cycles_a_round", cycles > 0 ? json_real(cycles) : json_null()});
}
