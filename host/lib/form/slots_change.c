// SPDX-License-Identifier: Apache-2.0
// A run in which something dies. The tables of the plan and of its spare lie side by side in the nodes. From a cycle of
// the round in which it dies no word comes over the dead links; that round's results are thrown away, whatever they
// are; and at its edge all nodes begin to play the spare. Words are compared up to the death, and from the change on.
#include "form/slots_spares.h"
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
                        uint32_t rounds, struct crl_diag *diag)
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
    return end[0] != CRL_NONE ? 0
                              : crl_fail(diag, CRL_ERR_ARGUMENT, "'%s' of --fail is neither a node nor a link of %s",
                                         c->fails, crl_topology_name(t));
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
                      : crl_topology_boards(slots_said(run->image->problem)->topology)
                          ? "is played by one clock: leave out --boards"
                          : NULL;
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
    error = read_failure(c, end, t, o->fail, o->rounds, run->diag);
    if (!error) error = slots_spare_new(&c->spare, run->schedule, c->fails, run->diag);
    if (!error && (list_inputs(c, end, t) || widen(&image->image, &slots_image_of(c->spare.image)->image)))
        error = crl_fail_memory(run->diag);
    if (error) return error;
    choose_cycle(c, &image->image, run->seed);
    slots_image_of(c->spare.image)->change = c;
    return 0;
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
    crl_say(run->schedule->problem->context,
            "note: %s died in round %u, cycle %u; guards: %s. The results of that round are thrown away, and all nodes "
            "change over to the spare plan, of %u slots",
            c->fails, c->round, c->cycle, c->after ? c->after_text : "nothing was missed",
            crl_schedule_slots(&slots_schedule_in(c->spare.schedule)->schedule));
    c->changed = true;
    run->schedule = c->spare.schedule;
    run->image = c->spare.image;
    run->seed += c->round;
    return true;
}

void slots_change_summary(const struct slots_change *c, uint32_t rounds, json_t *summary)
{
    const struct crl_report *r = &c->spare.schedule->report;
    CRL_TELL(summary, {"fails", json_string(c->fails)}, {"fails_in_round", json_integer(c->round)},
             {"fails_in_cycle", json_integer(c->cycle)}, {"guard_faults", crl_json_number(c->after)},
             {"rounds_thrown_away", json_integer(1)},
             {"rounds_of_spare", json_integer(c->changed ? rounds - c->round : 0)},
             {"spare_slots", crl_json_number(r->slots)}, {"spare_bound_slots", crl_json_number(r->bound_slots)});
}
