// SPDX-License-Identifier: Apache-2.0
// carillon board: what is attached, and schedules on it.
#include "board_session.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// What an action works on.
struct context {
    const struct options *options;
    const char *image;
    struct job job;
    struct board_session session;
};

struct action {
    const char *name;
    bool wants_image;
    const char *options; // beside --serial and --json
    int (*run)(struct context *context, json_t *summary);
};

// ---- list

static int list(struct context *c, json_t *summary)
{
    struct crl_board_found *found;
    size_t count, unknown = 0;
    json_t *boards = json_array();
    int error = crl_board_list(&found, &count, &c->job.diag);
    for (size_t i = 0; i < count; i++) {
        const struct crl_board_kind *kind = found[i].kind;
        unknown += !kind;
        json_array_append_new(boards,
                              json_pack("{s:s*, s:s, s:s, s:b}", "board", kind ? kind->name : NULL, "serial",
                                        found[i].serial, "place", found[i].place, "permitted", !found[i].denied));
        if (!c->options->json)
            printf("%-20s %-8s %s\n", *found[i].serial ? found[i].serial : "-", found[i].place,
                   kind              ? kind->title
                   : found[i].denied ? "no permission"
                                     : "does not answer");
    }
    if (!error && c->options->json) json_object_set(summary, "boards", boards);
    json_decref(boards);
    if (!error && !count) error = crl_board_none(&c->job.diag);
    else if (!error && unknown == count) error = crl_board_unknown(&found[0], &c->job.diag);
    free(found);
    return error;
}

// ---- flash, load, verify

static int open_board(struct context *c) { return board_session_open(&c->session, c->options, &c->job.diag); }

// A file's bytes, which may come from a pipe and be there but once. The caller frees them.
static int read_file(struct context *c, uint8_t **bytes, size_t *count)
{
    enum { MOST = 1 << 20 }; // more than any bitstream, and any schedule that fits a board
    FILE *file = input_open(c->image, &c->job.diag);
    if (!file) return CRL_ERR_IO;
    int error = 0;
    *bytes = malloc(MOST + 1);
    *count = *bytes ? fread(*bytes, 1, MOST + 1, file) : 0;
    if (!*bytes) error = crl_fail(&c->job.diag, CRL_ERR_MEMORY, "out of memory");
    else if (ferror(file))
        error = crl_fail(&c->job.diag, CRL_ERR_IO, "cannot read '%s': %s", c->image, strerror(errno));
    else if (*count > MOST)
        error = crl_fail_at(&c->job.diag, CRL_ERR_PARSE, c->image, 0, 0,
                            "neither a schedule nor a bitstream of a board: these are shorter than 1 MiB");
    input_close(file);
    return error;
}

static int parse_image(struct context *c, uint8_t *bytes, size_t count)
{
    FILE *file = count ? fmemopen(bytes, count, "rb") : fopen("/dev/null", "rb");
    if (!file) return crl_fail(&c->job.diag, CRL_ERR_MEMORY, "out of memory");
    int error = job_parse_image(&c->job, c->options, file, c->image);
    fclose(file);
    return error;
}

static int read_image(struct context *c)
{
    uint8_t *bytes = NULL;
    size_t count;
    int error = read_file(c, &bytes, &count);
    if (!error) error = parse_image(c, bytes, count);
    free(bytes);
    return error;
}

static int flash_schedule(struct context *c, json_t *summary)
{
    struct crl_board_stored stored = {0};
    int error = open_board(c);
    if (!error)
        error =
            crl_board_flash(c->session.board, &c->job.image, &c->job.problem, c->options->seed, &stored, &c->job.diag);
    if (error) return error;
    crl_board_remember(&c->job.image);
    board_summary(&c->session, summary);
    json_object_set_new(summary, "bank", json_integer(stored.bank));
    json_object_set_new(summary, "sequence", json_integer(stored.sequence));
    json_object_set_new(summary, "disturbed", json_boolean(!stored.in_place));
    return 0;
}

static int flash_bitstream(struct context *c, const uint8_t *bytes, size_t count, json_t *summary)
{
    int error = open_board(c);
    if (!error) error = crl_board_flash_bitstream(c->session.board, bytes, count, &c->job.diag);
    if (error) return error;
    board_summary(&c->session, summary);
    json_object_set_new(summary, "bytes", json_integer((json_int_t)count));
    return 0;
}

static int flash(struct context *c, json_t *summary)
{
    uint8_t *bytes = NULL;
    size_t count;
    int error = read_file(c, &bytes, &count);
    bool is_bitstream = !error && crl_board_is_bitstream(bytes, count);
    if (!error && !is_bitstream) error = parse_image(c, bytes, count);
    if (!error) error = is_bitstream ? flash_bitstream(c, bytes, count, summary) : flash_schedule(c, summary);
    free(bytes);
    return error;
}

static int load(struct context *c, json_t *summary)
{
    int error = read_image(c);
    if (!error) error = open_board(c);
    if (!error)
        error = crl_board_load(c->session.board, &c->job.image, &c->job.problem, c->options->seed, &c->job.diag);
    if (error) return error;
    crl_board_remember(&c->job.image);
    board_summary(&c->session, summary);
    json_object_set_new(summary, "rows", json_integer(c->job.image.geometry.rows));
    return 0;
}

static int verify(struct context *c, json_t *summary)
{
    struct crl_board_verified v;
    int error = read_image(c);
    if (!error) error = open_board(c);
    if (!error)
        error = crl_board_verify(c->session.board, &c->job.image, &c->job.problem, c->options->seed, &v, &c->job.diag);
    if (error) return error;
    board_summary(&c->session, summary);
    json_object_set_new(summary, "in_use", v.looked ? json_boolean(v.in_use) : json_null());
    json_object_set_new(summary, "in_flash", json_boolean(v.in_flash));
    json_object_set_new(summary, "bank", v.bank < 0 ? json_null() : json_integer(v.bank));
    if (v.in_use || v.in_flash) return 0;
    return crl_fail(&c->job.diag, CRL_ERR_MISMATCH,
                    "the board has another schedule, neither in use nor in its flash is '%s'", c->image);
}

// ---- run, read, reset

static void add_state(json_t *summary, const struct crl_board_state *s)
{
    char gateware[16], identity[16], fault[160];
    snprintf(gateware, sizeof gateware, "%u.%u", s->gateware >> 8, s->gateware & 0xff);
    snprintf(identity, sizeof identity, "%08x", s->identity);
    board_fault_text(s, fault, sizeof fault);
    json_object_set_new(summary, "gateware", json_string(gateware));
    json_object_set_new(summary, "schedule", s->ready ? json_string(identity) : json_null());
    json_object_set_new(summary, "source", json_string(crl_board_source_text(s->source)));
    json_object_set_new(summary, "sequence", json_integer(s->sequence));
    json_object_set_new(summary, "rows", json_integer(s->rows));
    json_object_set_new(summary, "bank_0", json_string(crl_board_bank_text(s->bank[0])));
    json_object_set_new(summary, "bank_1", json_string(crl_board_bank_text(s->bank[1])));
    json_object_set_new(summary, "tables", json_string(crl_board_adopt_text(s->adopted)));
    json_object_set_new(summary, "playing", json_boolean(s->playing));
    json_object_set_new(summary, "rounds", json_integer(s->rounds));
    json_object_set_new(summary, "faults", json_integer(__builtin_popcount(s->fault_nodes)));
    if (*fault) json_object_set_new(summary, "fault", json_string(fault));
    json_object_set_new(summary, "link_errors", json_integer(s->link_errors));
}

static int report_state(struct context *c, json_t *summary)
{
    struct crl_board_state state;
    int error = crl_board_state(c->session.board, &state, &c->job.diag);
    if (error) return error;
    board_summary(&c->session, summary);
    add_state(summary, &state);
    return 0;
}

// Starts a play without end. (A play of one round is command_run's.)
static int run_on(struct context *c, json_t *summary)
{
    if (!c->image) return crl_fail(&c->job.diag, CRL_ERR_ARGUMENT, "--rounds 0 needs IMAGE");
    int error = read_image(c);
    if (!error) error = open_board(c);
    if (!error)
        error = crl_board_play(c->session.board, &c->job.image, &c->job.problem, c->options->seed, 0, &c->job.diag);
    return error ? error : report_state(c, summary);
}

static int write_memories(struct context *c)
{
    struct output output;
    uint16_t *words;
    uint32_t depth, nodes = crl_board_which(c->session.board)->kind->nodes;
    int error = crl_board_read(c->session.board, &words, &depth, &c->job.diag);
    if (error) return error;
    error = output_open(&output, c->options->output, &c->job.diag);
    for (uint32_t i = 0; !error && i < nodes * depth; i++)
        fprintf(output.file, "%u %u %x\n", i / depth, i % depth, words[i]);
    free(words);
    return output_close(&output, error, &c->job.diag);
}

static int read_board(struct context *c, json_t *summary)
{
    int error = open_board(c);
    if (!error) error = report_state(c, summary);
    return error || !c->options->output ? error : write_memories(c);
}

static int reset(struct context *c, json_t *summary)
{
    int error = open_board(c);
    if (!error) error = crl_board_reset(c->session.board, &c->job.diag);
    return error ? error : report_state(c, summary);
}

// ---- the command

static const struct action actions[] = {
    {"list", false, "", list},
    {"flash", true, "seed", flash},
    {"load", true, "seed", load},
    {"run", false, "seed rounds trace", run_on},
    {"read", false, "output", read_board},
    {"verify", true, "seed", verify},
    {"reset", false, "", reset},
};

// An option that means nothing to an action.
static int refuse_options(const struct action *action, const struct options *options)
{
    static const char *const some[] = {"output", "seed", "rounds", "trace"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (options_given(options, some[i]) && !strstr(action->options, some[i]))
            return complain_usage("'carillon board %s' takes no --%s", action->name, some[i]);
    return 0;
}

static int perform(const struct action *action, struct context *c)
{
    json_t *summary = json_object();
    bool print_it = !c->options->output || strcmp(c->options->output, "-");
    int work = action->run(c, summary), error = board_session_close(&c->session, work, &c->job.diag);
    if ((!work || work == CRL_ERR_MISMATCH || (c->options->json && json_object_size(summary))) && print_it)
        print_summary(summary, c->options->json);
    else json_decref(summary);
    int code = complain(error, &c->job.diag);
    job_done(&c->job);
    return code;
}

int command_board(const struct options *options)
{
    const struct action *action = NULL;
    const char *name = options->operand[0], *image = options->operand[1];
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(actions[i].name, name)) action = &actions[i];
    if (!action) return complain_usage("unknown action '%s'; see 'carillon board --help'", name);
    int refused = refuse_options(action, options);
    if (refused) return refused;
    if (action->wants_image && !image) return complain_usage("carillon board %s needs IMAGE", name);
    bool is_run = !strcmp(name, "run");
    if (image && !action->wants_image && !is_run) return complain_usage("unexpected '%s' after '%s'", image, name);
    if (options->trace && options->rounds != 1) return complain_usage("--trace is of one round, not of several");
    if (is_run && options->rounds) {
        struct options inner = *options;
        inner.operand[0] = image;
        inner.operands = image != NULL;
        inner.engine = "board";
        inner.as_loaded = true;
        return command_run(&inner);
    }
    struct context context = {.options = options, .image = image};
    return perform(action, &context);
}
