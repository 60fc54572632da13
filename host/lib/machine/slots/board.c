// SPDX-License-Identifier: Apache-2.0
// Schedules on boards: one action a row.
#include "machine/slots/board_work.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_board(const struct board_work *w, json_t *summary)
{
    json_object_set_new(summary, "board", json_string(crl_board_session_name(w->session)));
    json_object_set_new(summary, "serial", json_string(crl_board_session_serial(w->session)));
}

// ---------------------------------------------------------------- list

static int list(struct board_work *w, json_t *summary)
{
    struct crl_board_found *found;
    size_t count, unknown = 0;
    json_t *boards = json_array();
    int error = crl_board_list(&found, &count, w->diag);
    for (size_t i = 0; i < count; i++) {
        const struct crl_board_kind *kind = found[i].kind;
        unknown += !kind;
        json_array_append_new(boards, json_pack("{s:s*, s:s, s:s, s:b, s:s}", "board", kind ? kind->name : NULL,
                                                "serial", found[i].serial, "place", found[i].place, "permitted",
                                                !found[i].denied, "title",
                                                kind              ? kind->title
                                                : found[i].denied ? "no permission"
                                                                  : "does not answer"));
    }
    if (!error) json_object_set(summary, "boards", boards);
    json_decref(boards);
    if (!error && !count) error = crl_board_none(w->diag);
    else if (!error && unknown == count) error = crl_board_unknown(&found[0], w->diag);
    free(found);
    return error;
}

// ---------------------------------------------------------------- flash, load, verify

static int open_board(struct board_work *w)
{
    return crl_board_session_open(&w->session, w->context, w->options, w->diag);
}

static int need_slots(struct board_work *w)
{
    return w->image->machine == &crl_machine_slots
               ? 0
               : crl_fail_at(w->diag, CRL_ERR_PARSE, w->name, 0, 0, "an image, but not one of slot tables");
}

// A file's bytes, which may come from a pipe and be there but once. The caller frees them.
static int read_file(struct board_work *w, uint8_t **bytes, size_t *count)
{
    enum { MOST = 1 << 20 }; // more than any bitstream, and any schedule that fits a board
    int error = 0;
    *bytes = malloc(MOST + 1);
    *count = *bytes ? fread(*bytes, 1, MOST + 1, w->file) : 0;
    if (!*bytes) error = crl_fail_memory(w->diag);
    else if (ferror(w->file)) error = crl_fail(w->diag, CRL_ERR_IO, "cannot read '%s': %s", w->name, strerror(errno));
    else if (*count > MOST)
        error = crl_fail_at(w->diag, CRL_ERR_PARSE, w->name, 0, 0,
                            "neither a schedule nor a bitstream of a board: these are shorter than 1 MiB");
    return error;
}

static int parse_image(struct board_work *w, uint8_t *bytes, size_t count)
{
    FILE *file = count ? fmemopen(bytes, count, "rb") : fopen("/dev/null", "rb");
    if (!file) return crl_fail_memory(w->diag);
    int error = carillon_image_read(&w->image, w->context, NULL, w->options, file, w->name, w->diag);
    fclose(file);
    return error ? error : need_slots(w);
}

int board_read_image(struct board_work *w)
{
    CRL_OWNED uint8_t *bytes = NULL;
    size_t count;
    int error = read_file(w, &bytes, &count);
    if (!error) error = parse_image(w, bytes, count);
    return error;
}

static int flash_schedule(struct board_work *w, json_t *summary)
{
    struct crl_board_stored stored = {0};
    int error = open_board(w);
    if (!error)
        error = crl_board_flash(w->session->board, image_of(w), problem_of(w), w->options->seed, &stored, w->diag);
    if (error) return error;
    crl_board_remember(w->context, image_of(w));
    add_board(w, summary);
    CRL_TELL(summary, {"bank", json_integer(stored.bank)}, {"sequence", json_integer(stored.sequence)},
             {"disturbed", json_boolean(!stored.in_place)});
    return 0;
}

static int flash_bitstream(struct board_work *w, const uint8_t *bytes, size_t count, json_t *summary)
{
    int error = open_board(w);
    if (!error) error = crl_board_flash_bitstream(w->session->board, bytes, count, w->diag);
    if (error) return error;
    add_board(w, summary);
    json_object_set_new(summary, "bytes", crl_json_number(count));
    return 0;
}

static int flash(struct board_work *w, json_t *summary)
{
    CRL_OWNED uint8_t *bytes = NULL;
    size_t count;
    int error = read_file(w, &bytes, &count);
    bool is_bitstream = !error && crl_board_is_bitstream(bytes, count);
    if (!error && !is_bitstream) error = parse_image(w, bytes, count);
    if (!error) error = is_bitstream ? flash_bitstream(w, bytes, count, summary) : flash_schedule(w, summary);
    return error;
}

static int load(struct board_work *w, json_t *summary)
{
    if (w->devices) return board_cluster_load(w, summary);
    int error = board_read_image(w);
    if (!error) error = open_board(w);
    if (!error) error = crl_board_load(w->session->board, image_of(w), problem_of(w), w->options->seed, w->diag);
    if (error) return error;
    crl_board_remember(w->context, image_of(w));
    add_board(w, summary);
    json_object_set_new(summary, "rows", json_integer(image_of(w)->geometry.rows));
    return 0;
}

static int verify(struct board_work *w, json_t *summary)
{
    struct crl_board_verified v;
    int error = board_read_image(w);
    if (!error) error = open_board(w);
    if (!error) error = crl_board_verify(w->session->board, image_of(w), problem_of(w), w->options->seed, &v, w->diag);
    if (error) return error;
    add_board(w, summary);
    CRL_TELL(summary, {"in_use", v.looked ? json_boolean(v.in_use) : json_null()},
             {"in_flash", json_boolean(v.in_flash)}, {"bank", v.bank < 0 ? json_null() : json_integer(v.bank)});
    if (v.in_use || v.in_flash) return 0;
    return crl_fail(w->diag, CRL_ERR_MISMATCH,
                    "the board has another schedule, neither in use nor in its flash is '%s'", w->name);
}

// ---------------------------------------------------------------- run, read, reset

static void add_state(json_t *summary, const struct crl_board_state *s)
{
    char gateware[16], identity[16], fault[160];
    snprintf(gateware, sizeof gateware, "%u.%u", s->gateware >> 8, s->gateware & 0xff);
    snprintf(identity, sizeof identity, "%08x", s->identity);
    crl_board_fault_text(s, fault, sizeof fault);
    CRL_TELL(summary, {"design", json_string(s->design)}, {"gateware", json_string(gateware)},
             {"schedule", s->ready ? json_string(identity) : json_null()},
             {"source", json_string(crl_board_source_text(s->source))}, {"sequence", json_integer(s->sequence)},
             {"rows", json_integer(s->rows)}, {"bank_0", json_string(crl_board_bank_text(s->bank[0]))},
             {"bank_1", json_string(crl_board_bank_text(s->bank[1]))},
             {"tables", json_string(crl_board_adopt_text(s->adopted))}, {"playing", json_boolean(s->playing)},
             {"rounds", json_integer(s->rounds)}, {"faults", json_integer(__builtin_popcount(s->fault_nodes))});
    if (*fault) json_object_set_new(summary, "fault", json_string(fault));
    json_object_set_new(summary, "link_errors", json_integer(s->link_errors));
}

static int report_state(struct board_work *w, json_t *summary)
{
    struct crl_board_state state;
    int error = crl_board_state(w->session->board, &state, w->diag);
    if (error) return error;
    add_board(w, summary);
    add_state(summary, &state);
    return 0;
}

int board_recall(struct board_work *w)
{
    struct crl_board_state state;
    int error = crl_board_state(w->session->board, &state, w->diag);
    if (error) return error;
    if (!state.ready)
        return crl_fail(w->diag, CRL_ERR_DEVICE,
                        "the board has no schedule to play; after 'carillon board flash', 'carillon board reset' "
                        "starts the one in its flash; 'carillon board load' gives it one now");
    FILE *file = crl_board_recall(w->context, state.identity);
    if (file) {
        error = carillon_image_read(&w->image, w->context, NULL, w->options, file, "the kept image", w->diag);
        fclose(file);
        uint32_t identity = 0;
        if (!error && w->image->machine == &crl_machine_slots)
            error = crl_board_identity(image_of(w), &identity, w->diag);
        if (!error && identity == state.identity) return 0;
    }
    return crl_fail(w->diag, CRL_ERR_DEVICE,
                    "the board has image %08x from %s, which was not given to it from here: say which file it is, as "
                    "in 'carillon board run IMAGE'",
                    state.identity, crl_board_source_text(state.source));
}

// Starts a play without end, of a file or of what the board has. Several boards play as many rounds as are asked for.
static int run_on(struct board_work *w, json_t *summary)
{
    if (w->devices) return board_cluster_run(w, summary);
    int error = w->file ? board_read_image(w) : 0;
    if (!error) error = open_board(w);
    if (!error && !w->file) error = board_recall(w);
    if (!error) error = crl_board_play(w->session->board, image_of(w), problem_of(w), w->options->seed, 0, w->diag);
    return error ? error : report_state(w, summary);
}

static int write_memories(struct board_work *w)
{
    uint16_t *words;
    uint32_t depth, nodes;
    int error = crl_board_read(w->session->board, &words, &nodes, &depth, w->diag);
    if (error) return error;
    for (uint32_t i = 0; i < nodes * depth; i++) fprintf(w->memories, "%u %u %x\n", i / depth, i % depth, words[i]);
    free(words);
    return 0;
}

static int read_board(struct board_work *w, json_t *summary)
{
    int error = open_board(w);
    if (!error) error = report_state(w, summary);
    return error || !w->memories ? error : write_memories(w);
}

static int reset(struct board_work *w, json_t *summary)
{
    int error = open_board(w);
    if (!error) error = crl_board_reset(w->session->board, w->diag);
    return error ? error : report_state(w, summary);
}

// ---------------------------------------------------------------- the table

static const struct action {
    struct carillon_board_action said;
    int (*run)(struct board_work *work, json_t *summary);
} actions[] = {
    {{"list", "", false, false}, list},
    {{"flash", "seed", true, true}, flash},
    {{"load", "boards seed", true, true}, load},
    {{"run", "boards output seed rounds trace quiet", false, true}, run_on},
    {{"status", "", false, false}, board_status},
    {{"read", "output", false, false}, read_board},
    {{"verify", "seed", true, true}, verify},
    {{"reset", "", false, false}, reset},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static bool action_at(size_t index, struct carillon_board_action *action)
{
    if (index >= ACTIONS) return false;
    *action = actions[index].said;
    return true;
}

static int act(const char *name, const struct crl_context *context, struct carillon_options *options, FILE *file,
               const char *file_name, FILE *memories, json_t *summary, struct crl_diag *diag)
{
    struct board_work w = {.context = context,
                           .options = options,
                           .devices = options->boards,
                           .file = file,
                           .memories = memories,
                           .name = file_name,
                           .diag = diag};
    options->boards = NULL; // images say of themselves which boards they are for
    if (w.devices && options->serial)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--serial names one board, and --boards several");
    for (size_t i = 0; i < ACTIONS; i++) {
        if (strcmp(actions[i].said.name, name)) continue;
        int error = actions[i].run(&w, summary);
        error = crl_board_session_close(&w.session, error, diag);
        carillon_image_free(w.image);
        return error;
    }
    return crl_fail(diag, CRL_ERR_ARGUMENT, "unknown action '%s'", name);
}

// ---------------------------------------------------------------- playing what a board has

static int image_on(struct carillon_image **out, const struct crl_context *context,
                    const struct carillon_options *options, FILE *file, const char *name, struct crl_diag *diag)
{
    struct board_work w = {.context = context, .options = options, .file = file, .name = name, .diag = diag};
    int error = file ? carillon_image_read(&w.image, context, NULL, options, file, name, diag) : 0;
    if (!error && file) error = need_slots(&w);
    if (!error) error = open_board(&w);
    if (!error && !file) error = board_recall(&w);
    if (error) {
        error = crl_board_session_close(&w.session, error, diag);
        carillon_image_free(w.image);
        return error;
    }
    slots_image_of(w.image)->session = w.session;
    *out = w.image;
    return 0;
}

const struct crl_boards_kind slots_attached = {action_at, act, image_on};
