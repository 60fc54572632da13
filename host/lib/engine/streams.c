// SPDX-License-Identifier: Apache-2.0
// Routers that play slot tables, and whose own words come and leave on streams: feeds these, and keeps what leaves.
//
// With the step that starts called edge 0, own words of link cycle c are taken in time c, and words that arrive in it
// are shown in time c + 2 (docs/formats/row.md). A step shows what happened in the time before its edge.
#include "base/context.h"
#include "engine/kind.h"
#include <stdlib.h>
#include <string.h>

// A board, or all nodes where they have one clock: its rounds.
struct of_board {
    uint64_t edge;                        // of its next step
    uint64_t taking, ended, shown_rounds; // rounds whose own words are offered, have all come, have all left
    struct crl_permutation coming;        // payloads of the round that is offered
};

enum { KEPT_ROUNDS = 16, TOLD_MAX = 10 }; // rounds of which some board may be; waits that are told

struct streams {
    struct crl_rtl engine;
    const struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_sim_streams ports;
    bool started;
    uint32_t period; // cycles from a round to the next
    uint64_t plays;  // rounds of all words
    struct crl_rtl_boards cabled;
    uint32_t boards;
    struct of_board *board;
    const uint32_t *board_of; // NULL: all are of one
    uint64_t clocks, handed;  // steps that all boards were asked for; rounds that were handed over
    uint64_t idle, dead;      // edges since a board stepped, and since a cable died
    uint32_t waits_told;
    uint64_t ring;                      // steps of links that are kept for boards that are behind
    uint32_t *valid;                    // [ring][nodes]
    uint64_t *data;                     // [ring][nodes][ports]
    uint32_t *taken, *shown;            // [nodes][lanes] words in their round
    size_t *before_first, *after_first; // [nodes + 1] where a node's places begin in the lists
    uint64_t *number;                   // own words: of each, the first word of its packet as payloads are numbered
    uint64_t *kept;                     // [KEPT_ROUNDS][places after] what was shown
    struct crl_stream_times times;
    uint32_t cuts, *cut; // [cuts] inputs on which nothing comes any more: node · ports + port
    bool dying;          // they die in the round that is played
    uint64_t noise;
};

static struct streams *streams_of(struct crl_rtl *e) { return (struct streams *)e; }

static const struct crl_places *places_of(const struct streams *s, const struct crl_places *sets, uint32_t node)
{
    return &sets[s->image->folded ? 0 : node];
}

static size_t cell(const struct streams *s, uint32_t node, uint32_t lane)
{
    return (size_t)node * s->image->geometry.lanes + lane;
}

static bool is_on(const struct streams *s, uint32_t node, uint32_t board)
{
    return !s->board_of || s->board_of[node] == board;
}

// ---- own words

static void offer(struct streams *s, const struct of_board *b, uint32_t node, uint32_t lane)
{
    const struct crl_places *before = places_of(s, s->image->before, node);
    const struct crl_place *place = crl_stream_lane_word(s->image, true, node, lane, s->taken[cell(s, node, lane)]);
    uint32_t bit = UINT32_C(1) << lane, word = (uint32_t)((b->taking - 1) % s->image->geometry.words);
    s->ports.offered[node] &= ~bit;
    s->ports.own[cell(s, node, lane)] = 0;
    if (!place) return;
    s->ports.offered[node] |= bit;
    s->ports.own[cell(s, node, lane)] = crl_word_on_stream(
        &s->image->geometry,
        crl_permutation_at(&b->coming, s->number[s->before_first[node] + (size_t)(place - before->place)] + word));
}

// Whether all words of a round came, or left.
static void end_round(struct streams *s, uint32_t board, uint32_t *counts, bool own)
{
    for (uint32_t v = 0; v < s->engine.nodes; v++)
        for (uint32_t j = 0; j < s->image->geometry.lanes && is_on(s, v, board); j++) {
            if (crl_stream_lane_word(s->image, own, v, j, counts[cell(s, v, j)]))
                crl_rtl_fault(&s->engine, "node %u: lane %u %s fewer words than it must", v, j,
                              own ? "takes" : "shows");
            counts[cell(s, v, j)] = 0;
        }
}

static void begin_round(struct streams *s, uint32_t board)
{
    const struct crl_geometry *g = &s->image->geometry;
    struct of_board *b = &s->board[board];
    if (b->taking % g->words == 0) crl_payload_init(&b->coming, g, s->engine.options.seed + b->taking / g->words);
    b->taking++;
    for (uint32_t v = 0; v < s->engine.nodes; v++)
        for (uint32_t j = 0; j < g->lanes && is_on(s, v, board); j++) offer(s, b, v, j);
}

// The next step shows what happens in time edge − 1, in which words of that link cycle are taken.
static void before(struct streams *s, uint32_t board)
{
    struct of_board *b = &s->board[board];
    if (b->edge < 2) return;
    uint64_t cycle = (b->edge - 2) % s->period; // of the round, from 0
    if (cycle == s->engine.rows % s->period && b->ended < b->taking) {
        end_round(s, board, s->taken, true);
        b->ended++;
        for (uint32_t v = 0; v < s->engine.nodes; v++)
            if (is_on(s, v, board)) s->ports.offered[v] = 0;
    }
    if (cycle == 0 && b->taking < s->plays) begin_round(s, board);
}

// ---- what happened

static void keep(struct streams *s, const struct of_board *b, uint32_t node, uint32_t lane)
{
    const struct crl_places *after = places_of(s, s->image->after, node);
    const struct crl_place *place = crl_stream_lane_word(s->image, false, node, lane, s->shown[cell(s, node, lane)]++);
    size_t page = s->after_first[s->engine.nodes] * (b->shown_rounds % KEPT_ROUNDS);
    if (place)
        s->kept[page + s->after_first[node] + (size_t)(place - after->place)] = s->ports.word[cell(s, node, lane)];
    else crl_rtl_fault(&s->engine, "node %u: lane %u shows more words than it must", node, lane);
}

// Rounds that all boards have shown are judged, a few at a time.
static void hand_over(struct streams *s, uint32_t board)
{
    struct crl_rtl *e = &s->engine;
    end_round(s, board, s->shown, false);
    uint64_t all = ++s->board[board].shown_rounds;
    for (uint32_t i = 0; i < s->boards; i++)
        if (s->board[i].shown_rounds < all) all = s->board[i].shown_rounds;
    if (all == s->handed || (all < s->plays && all < s->handed + CRL_RTL_PAGES)) return;
    uint64_t judged = e->options.then && all > e->options.judged ? e->options.judged : all;
    if (e->options.collected && judged > s->handed)
        e->options.collected(e->options.user, e, (uint32_t)s->handed, (uint32_t)(judged - s->handed));
    s->handed = all;
}

static void after(struct streams *s, uint32_t board)
{
    struct crl_rtl *e = &s->engine;
    struct of_board *b = &s->board[board];
    if (!b->edge++) return;
    uint64_t time = b->edge - 2; // that of the step's inputs
    for (uint32_t v = 0; v < e->nodes; v++) {
        if (!is_on(s, v, board)) continue;
        for (uint32_t taken = s->ports.taken[v]; taken; taken &= taken - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(taken);
            if (lane >= s->image->geometry.lanes) continue; // nothing feeds it: the node says that it starved
            s->taken[cell(s, v, lane)]++;
            offer(s, b, v, lane);
            if (s->times.first_in == UINT64_MAX) s->times.first_in = time - 1;
        }
        for (uint32_t shown = s->ports.shown[v]; shown; shown &= shown - 1) {
            keep(s, b, v, (uint32_t)__builtin_ctz(shown));
            s->times.last_out = time - 1;
        }
    }
    // Time c + 2 shows link cycle c.
    if (time > 2 && (time - 2) % s->period == e->rows % s->period && b->shown_rounds < s->plays) hand_over(s, board);
}

// ---- steps

// The links of a board after its step, until all boards have done as many.
static void keep_links(struct streams *s, uint32_t board)
{
    const uint32_t *valid = crl_sim_valid(s->engine.sim), ports = s->engine.ports;
    const uint64_t *data = crl_sim_data(s->engine.sim);
    const uint64_t at = (s->board[board].edge - 1) % s->ring * s->engine.nodes;
    for (uint32_t v = 0; v < s->engine.nodes; v++)
        if (is_on(s, v, board)) {
            s->valid[at + v] = valid[v];
            memcpy(&s->data[(at + v) * ports], &data[(size_t)v * ports], sizeof *data * ports);
        }
}

static bool all_have(const struct streams *s, uint64_t edges)
{
    bool have = true;
    for (uint32_t i = 0; i < s->boards; i++) have &= s->board[i].edge >= edges;
    return have;
}

// Whether who plays the boards stops them, as a cable is dead.
static bool is_given_up(const struct streams *s, const struct crl_shim_boards *did)
{
    bool silent = false;
    for (uint32_t e = 0; e < s->cabled.sim.ends; e++) silent |= (did->fault[e] & CRL_SHIM_SILENT) != 0;
    return s->dead && s->idle > s->engine.options.patience * s->boards && (silent || !s->engine.options.by_silence);
}

// A board that waits long is told of, and one that waits too long ends the run.
static void watch(struct streams *s, const struct crl_shim_boards *did)
{
    struct crl_rtl *e = &s->engine;
    const struct crl_shim_wait *wait = &did->now[did->clocked];
    s->idle = did->stepped == CRL_SIM_NONE && !did->mends ? s->idle + 1 : 0;
    s->dead += did->dead;
    if (s->idle > s->cabled.limit * s->boards || (e->options.dies && is_given_up(s, did)))
        e->stuck = crl_rtl_boards_stuck(&s->cabled, did, &e->why);
    if (!e->stuck) e->stuck = crl_sim_status(e->sim, &e->why);
    if (wait->cycles != s->cabled.patience || s->waits_told == TOLD_MAX) return;
    const struct crl_board_wait w = crl_rtl_board_wait(&s->cabled, wait, did->clocked);
    if (w.round == 1) return; // cables come up
    s->waits_told++;
    crl_say(e->options.context, "note: %s waits for cable %u in row %u of round %u",
            crl_names_at(s->cabled.names, w.board), w.cable, w.row, w.round);
}

// What comes in next over dead links: nothing, or, as long as the round lasts in which they die, maybe noise.
static void cut(struct streams *s)
{
    const uint32_t ports = s->engine.ports;
    for (uint32_t i = 0; i < s->cuts; i++) {
        s->noise = s->noise * UINT64_C(6364136223846793005) + 1;
        if (s->dying && s->noise >> 63)
            crl_sim_inject(s->engine.sim, s->cut[i] / ports, s->cut[i] % ports, s->noise >> 20);
        else crl_sim_drop(s->engine.sim, s->cut[i] / ports, s->cut[i] % ports);
    }
}

static void clock(struct crl_rtl *e)
{
    struct streams *s = (struct streams *)e;
    if (!s->started) crl_sim_step(e->sim);
    else s->clocks++;
    while (s->started && !e->stuck && !all_have(s, s->clocks)) {
        const struct crl_shim_boards *boards;
        cut(s);
        crl_sim_step(e->sim);
        boards = crl_sim_boards(e->sim);
        uint32_t board = boards ? boards->stepped : 0;
        if (boards) watch(s, boards);
        if (board == CRL_SIM_NONE) continue;
        after(s, board);
        if (boards) keep_links(s, board);
        before(s, board);
    }
}

static void show(struct crl_rtl *e, const uint32_t **valid, const uint64_t **data)
{
    const struct streams *s = (const struct streams *)e;
    const uint64_t at = (s->clocks - 1) % s->ring * e->nodes;
    *valid = &s->valid[at];
    *data = &s->data[at * e->ports];
}

static void note(struct crl_rtl *e)
{
    if (crl_sim_busy(e->sim)) crl_rtl_fault(e, "the tables play on after their end");
    crl_rtl_note_network(e, streams_of(e)->image);
}

// What is of one image.
static void release(struct streams *s)
{
    CRL_FREE(s->taken, s->shown, s->before_first, s->after_first, s->number, s->kept, s->board, s->valid, s->data);
    s->valid = NULL;
    s->data = NULL;
    s->taken = s->shown = NULL;
    s->before_first = s->after_first = NULL;
    s->number = s->kept = NULL;
    s->board = NULL;
}

static void done(struct crl_rtl *e)
{
    struct streams *s = streams_of(e);
    release(s);
    CRL_FREE(s->cabled.memory, s->cut);
}

static const struct crl_rtl_kind machine = {.clock = clock, .note = note, .done = done};
static const struct crl_rtl_kind machine_of_boards = {.clock = clock, .show = show, .note = note, .done = done};

void crl_rtl_streams_memory(void *engine, uint32_t node, uint32_t count, uint32_t stream, uint32_t page, uint32_t index,
                            uint64_t *words)
{
    const struct streams *s = engine;
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_places *after = places_of(s, s->image->after, node + i);
        const struct crl_place *place = crl_stream_place(after, stream, index);
        size_t at = s->after_first[s->engine.nodes] * (page % KEPT_ROUNDS) + s->after_first[node + i];
        words[i] = place ? s->kept[at + (size_t)(place - after->place)] : 0;
    }
}

struct crl_stream_times crl_rtl_streams_times(const struct crl_rtl *engine)
{
    return ((const struct streams *)engine)->times;
}

struct crl_board_times crl_rtl_streams_boards(const struct crl_rtl *engine)
{
    const struct streams *s = (const struct streams *)engine;
    const struct crl_shim_boards *b = crl_sim_boards(engine->sim);
    struct crl_board_wait longest = {0};
    for (uint32_t i = 0; i < s->boards; i++)
        if (b->longest[i].cycles > longest.cycles) longest = crl_rtl_board_wait(&s->cabled, &b->longest[i], i);
    return (struct crl_board_times){
        true, b->stalls, b->repetitions, b->peak, b->cycles_a_round * s->image->geometry.words, longest};
}

// ---- the engine

static int prepare(struct streams *s)
{
    const struct crl_image *image = s->image;
    const uint32_t nodes = image->nodes, lanes = image->geometry.lanes;
    s->before_first = calloc(nodes + UINT64_C(1), sizeof *s->before_first);
    s->after_first = calloc(nodes + UINT64_C(1), sizeof *s->after_first);
    s->board = calloc(s->boards, sizeof *s->board);
    if (s->board_of) s->valid = malloc(sizeof *s->valid * s->ring * nodes);
    if (s->board_of) s->data = malloc(sizeof *s->data * s->ring * nodes * s->engine.ports);
    if (!s->board || (s->board_of && (!s->valid || !s->data))) return CRL_ERR_MEMORY;
    s->taken = calloc((size_t)nodes * lanes, sizeof *s->taken);
    s->shown = calloc((size_t)nodes * lanes, sizeof *s->shown);
    if (!s->before_first || !s->after_first || !s->taken || !s->shown) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < nodes; v++) {
        s->before_first[v + 1] = s->before_first[v] + places_of(s, image->before, v)->count;
        s->after_first[v + 1] = s->after_first[v] + places_of(s, image->after, v)->count;
    }
    uint64_t *at = s->number = malloc(sizeof *at * (s->before_first[nodes] + 1));
    s->kept = calloc(KEPT_ROUNDS * s->after_first[nodes] + 1, sizeof *s->kept);
    if (!at || !s->kept) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t i = 0; i < places_of(s, image->before, v)->count; i++) {
            const struct crl_place *place = &places_of(s, image->before, v)->place[i];
            uint32_t origin = place->origin, dest = place->dest;
            if (image->folded) crl_packet_shift(s->problem, v, &origin, &dest);
            *at++ = crl_payload_number(s->problem, v, origin, dest) * image->geometry.words;
        }
    return 0;
}

// The words of link cycle n are on the links after edge n + 2.
static int start(struct streams *s, struct crl_diag *diag)
{
    struct crl_rtl *e = &s->engine;
    crl_sim_clear(e->sim);
    crl_rtl_clock(e);
    crl_sim_pace(e->sim, s->period);
    int error = crl_sim_start(e->sim, e->rows - 1, (uint32_t)s->plays - 1);
    if (error) return crl_fail(diag, error, "the RTL does not start");
    s->started = true;
    for (int edge = 0; edge < 3; edge++) crl_rtl_clock(e);
    return crl_sim_status(e->sim, diag);
}

// Tables of both images, each node's one behind the other.
static int load_both(struct streams *s, struct crl_diag *diag)
{
    const struct crl_image *image[] = {s->image, s->engine.options.then};
    const uint32_t rows[] = {image[0]->geometry.rows, image[1]->geometry.rows}, words = s->engine.row_words;
    uint32_t *bits = malloc(sizeof *bits * s->engine.nodes * (rows[0] + rows[1]) * words), *at = bits;
    if (!bits) return crl_fail_memory(diag);
    for (uint32_t i = 0; i < 2 * s->engine.nodes; at += rows[i++ % 2] * words)
        crl_row_store_table(&image[i % 2]->store, image[i % 2]->node_table[i / 2], rows[i % 2], at);
    int error = crl_sim_load_tables(s->engine.sim, bits, rows[0] + rows[1], words);
    free(bits);
    return error ? crl_fail(diag, error, "the RTL refuses the tables") : 0;
}

// The image that is played, from the first cycle on.
static void set_image(struct streams *s, const struct crl_image *image, const struct crl_problem *problem)
{
    const uint32_t rounds = s->engine.options.rounds;
    s->image = image;
    s->problem = problem;
    s->plays = (uint64_t)image->geometry.words * (rounds ? rounds : 1);
    s->period = crl_stream_period(image);
    s->times = (struct crl_stream_times){UINT64_MAX, UINT64_MAX};
    s->clocks = s->handed = 0;
    s->started = false;
    s->engine.rows = image->geometry.rows;
    s->engine.cycles = s->period * (s->plays - 1) + image->geometry.rows + 1;
    s->engine.step = 0;
}

void crl_rtl_streams_cut(struct crl_rtl *engine, const uint32_t *inputs, uint32_t count)
{
    struct streams *s = streams_of(engine);
    crl_rtl_note_network(engine, s->image);
    s->cut = malloc(sizeof *inputs * count);
    s->cuts = s->cut ? count : 0;
    if (s->cut) memcpy(s->cut, inputs, sizeof *inputs * count);
    s->dying = true;
    s->noise = engine->options.seed;
}

int crl_rtl_streams_end(struct crl_rtl *engine, struct crl_diag *diag)
{
    streams_of(engine)->dying = false;
    engine->faults = 0;
    return crl_rtl_drain(engine, diag);
}

int crl_rtl_streams_stop(struct crl_rtl *engine, struct crl_boards_stopped *stopped, struct crl_diag *diag)
{
    struct streams *s = streams_of(engine);
    const uint32_t words = s->image->geometry.words;
    while (!engine->stuck) crl_rtl_clock(engine);
    if (!s->dead) return crl_fail(diag, engine->stuck, "%s", engine->why.text);
    *stopped = (struct crl_boards_stopped){.complete = UINT32_MAX, .cycles = s->dead / s->boards};
    snprintf(stopped->why, sizeof stopped->why, "%.239s", engine->why.text);
    for (uint32_t i = 0; i < s->boards; i++) {
        const uint32_t shown = (uint32_t)s->board[i].shown_rounds / words,
                       begun = (uint32_t)((s->board[i].taking + words - 1) / words);
        if (shown < stopped->complete) stopped->complete = shown;
        if (begun > stopped->begun) stopped->begun = begun;
    }
    const struct crl_shim_boards *did = crl_sim_boards(engine->sim);
    stopped->silent = CRL_NONE;
    for (uint32_t e = 0; e < s->cabled.sim.ends; e++)
        if (did->fault[e] & CRL_SHIM_SILENT) stopped->silent = e / 2;
    const uint64_t all = (uint64_t)stopped->complete * words;
    if (engine->options.collected && all > s->handed)
        engine->options.collected(engine->options.user, engine, (uint32_t)s->handed, (uint32_t)(all - s->handed));
    engine->stuck = 0;
    engine->faults = 0;
    crl_rtl_note_network(engine, s->image);
    return 0;
}

int crl_rtl_streams_change(struct crl_rtl *engine, const struct crl_problem *problem,
                           const struct crl_rtl_options *options, struct crl_diag *diag)
{
    struct streams *s = streams_of(engine);
    const struct crl_image *then = engine->options.then;
    crl_sim_base(engine->sim, s->image->geometry.rows);
    if (s->board_of) crl_sim_reset(engine->sim); // they wait in the middle of a round
    engine->options = *options;
    engine->faults = 0;
    release(s);
    set_image(s, then, problem);
    s->cabled.period = s->period;
    s->idle = s->dead = 0;
    return prepare(s) ? crl_fail_memory(diag) : start(s, diag);
}

int crl_rtl_streams_new(struct crl_rtl **out, const struct crl_image *image, const struct crl_problem *problem,
                        const struct crl_rtl_options *options, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    struct streams *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) return crl_fail_memory(diag);
    s->engine = (struct crl_rtl){.machine = &machine,
                                 .options = *options,
                                 .nodes = image->nodes,
                                 .ports = g->ports,
                                 .drain = 4,
                                 .store = &image->store,
                                 .tables = options->then ? image->nodes : image->tables,
                                 .row_words = image->store.row_words,
                                 .words = g->words,
                                 .lanes = g->lanes,
                                 .banks = g->banks};
    set_image(s, image, problem);
    s->boards = 1;
    int error = options->cables ? crl_rtl_boards_make(&s->cabled, image, problem, options, diag) : 0;
    if (!error && options->cables) {
        s->engine.machine = &machine_of_boards;
        s->boards = s->cabled.sim.boards;
        s->board_of = s->cabled.sim.board;
        s->ring = s->cabled.sim.ahead +
                  (options->then && crl_stream_period(options->then) > s->period ? crl_stream_period(options->then)
                                                                                 : s->period) +
                  8;
    }
    uint32_t *own_tables = options->then ? malloc(sizeof *own_tables * image->nodes) : NULL;
    for (uint32_t v = 0; own_tables && v < image->nodes; v++) own_tables[v] = v;
    if (!error)
        error = s->plays >= UINT32_MAX ? crl_fail(diag, CRL_ERR_LIMIT, "too many rounds")
                : prepare(s) || (options->then && !own_tables)
                    ? crl_fail_memory(diag)
                    : crl_rtl_open_network(&s->engine, image, problem, options->then ? own_tables : image->node_table,
                                           g->rows + (options->then ? options->then->geometry.rows : 0),
                                           options->cables ? &s->cabled : NULL, diag);
    free(own_tables);
    if (!error && !crl_sim_streams(s->engine.sim, &s->ports))
        error = crl_fail(diag, CRL_ERR_LOAD, "the simulator has no streams");
    if (!error) error = options->then ? load_both(s, diag) : crl_rtl_load_image(&s->engine, diag);
    if (!error) error = start(s, diag);
    if (error) crl_rtl_free(&s->engine);
    else *out = &s->engine;
    return error;
}
