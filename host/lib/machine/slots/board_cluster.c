// SPDX-License-Identifier: Apache-2.0
// Plans on several boards at once, and what boards say of themselves and of their cables.
#include "machine/slots/board_work.h"
#include "base/context.h"
#include "board/cluster.h"
#include "oracle/oracle.h"
#include <stdlib.h>
#include <string.h>

// Open boards that tell the context what they do.
struct cluster_session {
    struct crl_cluster *cluster;
    struct crl_board_watch watch;
};

static void watch_with(struct crl_board_watch *watch, const struct crl_context *context)
{
    if (context) *watch = (struct crl_board_watch){context->progress, context->cancelled, context->user};
    crl_context_hold(context, true);
}

static int end_watch(const struct board_work *w, int error)
{
    const struct crl_context *context = w->context;
    const bool stopped = context && context->cancelled && context->cancelled(context->user);
    crl_context_hold(context, false);
    return stopped && !error ? crl_fail(w->diag, CRL_ERR_INTERRUPTED, "interrupted when all was done") : error;
}

static int open_cluster(struct board_work *w, struct cluster_session *s)
{
    watch_with(&s->watch, w->context);
    return crl_cluster_open(&s->cluster, problem_of(w)->topology, w->options->board, w->devices, &s->watch, w->diag);
}

static int close_cluster(struct board_work *w, struct cluster_session *s, int error)
{
    crl_cluster_close(s->cluster);
    return end_watch(w, error);
}

// ---------------------------------------------------------------- what a board says

static json_t *cables_of(const struct crl_board_state *s)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->cables; i++) {
        const struct crl_board_cable *c = &s->cable[i];
        json_array_append_new(list, json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:I, s:I}", "up", c->up, "silent",
                                              c->silent, "other_plan", c->other, "reset_alone", c->reset, "waited_for",
                                              c->waits, "held", c->held, "repetitions", (json_int_t)c->repeats,
                                              "damaged", (json_int_t)c->damaged));
    }
    return list;
}

// In a line.
static void describe(const struct crl_board_state *s, char *text, size_t size)
{
    char part[96], fault[160];
    size_t used = (size_t)snprintf(text, size, "%s: ", s->design);
    if (!s->ready) used += (size_t)snprintf(text + used, size - used, "no schedule");
    else
        used += (size_t)snprintf(text + used, size - used, "schedule %08x, %s, %u rounds", s->identity,
                                 s->playing ? "plays" : "rests", s->rounds);
    for (uint32_t i = 0; i < s->cables && s->ready && used < size; i++) {
        crl_cluster_cable_text(s, i, part, sizeof part);
        used += (size_t)snprintf(text + used, size - used, "; %s", part);
    }
    crl_cluster_wait_text(s, part, sizeof part);
    if (*part && used < size) used += (size_t)snprintf(text + used, size - used, "; %s", part);
    crl_board_fault_text(s, fault, sizeof fault);
    if (*fault && used < size) snprintf(text + used, size - used, "; %s", fault);
}

static void add_board(json_t *boards, const char *name, const struct crl_board *board, const struct crl_board_state *s)
{
    const struct crl_board_found *found = crl_board_which(board);
    char identity[16], text[512], title[600];
    snprintf(identity, sizeof identity, "%08x", s->identity);
    describe(s, text, sizeof text);
    snprintf(title, sizeof title, "%s%s%s", name ? name : "", name ? ", " : "", text);
    json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:I}", "serial", found->serial, "place", found->place,
                            "title", title, "design", s->design, "playing", s->playing, "rounds", (json_int_t)s->rounds,
                            "row", (json_int_t)s->row, "faults", (json_int_t)__builtin_popcount(s->fault_nodes));
    if (name) json_object_set_new(row, "name", json_string(name));
    json_object_set_new(row, "schedule", s->ready ? json_string(identity) : json_null());
    json_object_set_new(row, "cables", cables_of(s));
    json_array_append_new(boards, row);
}

// What the boards of a plan did together, and in `repeats`, if somebody asks, how often words were sent again.
static int add_boards(struct board_work *w, struct cluster_session *s, json_t *summary, uint64_t *repeats)
{
    const struct crl_boards *of = s->cluster->of;
    json_t *boards = json_array();
    int error = 0;
    for (uint32_t i = 0; i < of->count && !error; i++) {
        struct crl_board_state state;
        error = crl_board_state(s->cluster->board[i], &state, w->diag);
        if (error) break;
        add_board(boards, crl_names_at(&of->names, i), s->cluster->board[i], &state);
        for (uint32_t c = 0; repeats && c < state.cables; c++) *repeats += state.cable[c].repeats;
    }
    json_object_set_new(summary, "boards", boards);
    return error;
}

static int status_of(struct board_work *w, const struct crl_board_found *found, json_t *boards)
{
    struct crl_board_watch watch = {0};
    struct crl_board *board = NULL;
    struct crl_board_state state;
    struct crl_diag why = {0};
    watch_with(&watch, w->context);
    int error = crl_board_open(&board, NULL, found->place, &watch, &why);
    if (!error) error = crl_board_state(board, &state, &why);
    if (!error) add_board(boards, NULL, board, &state);
    if (error == CRL_ERR_DEVICE) { // told, and the others are asked
        json_array_append_new(
            boards, json_pack("{s:s, s:s, s:s}", "serial", found->serial, "place", found->place, "title", why.text));
        error = 0;
    } else if (error) error = crl_fail(w->diag, error, "%s", why.text);
    crl_board_close(board);
    return end_watch(w, error);
}

int board_status(struct board_work *w, json_t *summary)
{
    CRL_OWNED struct crl_board_found *found = NULL;
    size_t count;
    int error = crl_board_list(&found, &count, w->diag);
    if (error) return error;
    if (!count) return crl_board_none(w->diag);
    json_t *boards = json_array();
    for (size_t i = 0; i < count && !error; i++) {
        const bool named = !w->options->serial || !strcmp(w->options->serial, found[i].serial) ||
                           !strcmp(w->options->serial, found[i].place);
        if (found[i].kind && named && (!w->options->board || !strcmp(w->options->board, found[i].kind->name)))
            error = status_of(w, &found[i], boards);
    }
    json_object_set_new(summary, "boards", boards);
    if (!error && !json_array_size(boards)) error = crl_board_unknown(&found[0], w->diag);
    return error;
}

// ---------------------------------------------------------------- load, run

int board_cluster_load(struct board_work *w, json_t *summary)
{
    struct cluster_session s = {0};
    int error = board_read_image(w);
    if (error) return error;
    error = open_cluster(w, &s);
    if (!error) error = crl_cluster_load(s.cluster, image_of(w), w->diag);
    if (!error) crl_board_remember(w->context, image_of(w));
    if (!error) error = add_boards(w, &s, summary, NULL);
    if (!error) json_object_set_new(summary, "rows", json_integer(image_of(w)->geometry.rows));
    return close_cluster(w, &s, error);
}

// What the first of the devices has.
static int recall(struct board_work *w)
{
    struct carillon_options options = *w->options;
    const struct carillon_options *given = w->options;
    CRL_OWNED struct crl_board_found *found = NULL;
    size_t count = 0;
    char name[64];
    const bool all = !strcmp(w->devices, "all");
    int error = all ? crl_board_list(&found, &count, w->diag) : 0;
    if (!error && all && !count) error = crl_board_none(w->diag);
    if (error) return error;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(w->devices, ","), all ? found[0].place : w->devices);
    if (all) snprintf(name, sizeof name, "%s", found[0].place);
    options.serial = name;
    w->options = &options;
    error = crl_board_session_open(&w->session, w->context, w->options, w->diag);
    if (!error) error = board_recall(w);
    error = crl_board_session_close(&w->session, error, w->diag);
    w->options = given;
    return error;
}

static int play_round(struct board_work *w, struct cluster_session *s, uint32_t round)
{
    const uint64_t seed = w->options->seed + round;
    struct crl_diag where = {0};
    int error = crl_cluster_play(s->cluster, image_of(w), problem_of(w), seed, 1, w->diag);
    if (error) return error;
    const char *verdict = crl_oracle(image_of(w), problem_of(w), seed, crl_cluster_memory, s->cluster, &where);
    if (!strcmp(verdict, "ok")) return 0;
    return crl_fail(w->diag, CRL_ERR_MISMATCH, "the result of round %u is %s: %s", round + 1, verdict, where.text);
}

// Own words and those that came, in their order on the streams, as streams.csv of `emit` lists them, and what they are.
static void write_words(const struct board_work *w, const struct crl_cluster *c, const struct crl_places *places,
                        bool in, uint32_t node, const uint64_t *own)
{
    for (uint32_t i = 0; i < places->count; i++) {
        char text[CRL_PACKET_NAME];
        uint32_t origin = places->place[i].origin, dest = places->place[i].dest;
        if (image_of(w)->folded) crl_packet_shift(problem_of(w), node, &origin, &dest);
        fprintf(w->memories, "%u,%s,%u,%s,%04x\n", node, in ? "in" : "out", i,
                crl_problem_packet_name(problem_of(w), origin, dest, text),
                (unsigned)(in ? own[i] : c->came[node * CRL_BOARD_ADDRS + i]));
    }
}

static void write_all(const struct board_work *w, const struct crl_cluster *c, uint64_t seed)
{
    const struct crl_image *image = image_of(w);
    uint64_t own[CRL_BOARD_ADDRS];
    fprintf(w->memories, "node,direction,index,packet,word\n");
    for (uint32_t v = 0; v < image->nodes; v++) {
        crl_fill_memory(image, problem_of(w), seed, v, CRL_BOARD_ADDRS, own);
        write_words(w, c, &image->before[image->folded ? 0 : v], true, v, own);
        write_words(w, c, &image->after[image->folded ? 0 : v], false, v, own);
    }
}

int board_cluster_run(struct board_work *w, json_t *summary)
{
    struct cluster_session s = {0};
    uint64_t repeats = 0;
    int error = w->file ? board_read_image(w) : recall(w);
    if (error) return error;
    error = open_cluster(w, &s);
    if (!error) error = crl_cluster_begin(s.cluster, image_of(w), w->diag);
    const uint32_t rounds = w->options->rounds;
    if (!error && !rounds)
        error = crl_cluster_play(s.cluster, image_of(w), problem_of(w), w->options->seed, 0, w->diag);
    for (uint32_t r = 0; r < rounds && !error; r++) error = play_round(w, &s, r);
    if (!error && rounds && w->memories) write_all(w, s.cluster, w->options->seed + rounds - 1);
    if (!error) error = add_boards(w, &s, summary, &repeats);
    if (!error && rounds)
        CRL_TELL(summary, {"rounds", crl_json_number(rounds)}, {"repetitions", crl_json_number(repeats)},
                 {"result", json_string("ok")});
    return close_cluster(w, &s, error);
}
