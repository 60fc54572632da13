// SPDX-License-Identifier: Apache-2.0
// carillon board: what is attached, and schedules on it.
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static bool find_action(const char *name, struct carillon_board_action *action)
{
    for (size_t i = 0; carillon_board_action_at(i, action); i++)
        if (!strcmp(action->name, name)) return true;
    return false;
}

// An option that means nothing to an action.
static int refuse_options(const struct carillon_board_action *action, const struct options *o)
{
    const struct {
        const char *name;
        bool given;
    } some[] = {{"output", o->output},
                {"seed", o->flow.seed != carillon_defaults().seed},
                {"rounds", o->flow.rounds != carillon_defaults().rounds},
                {"boards", o->flow.boards},
                {"trace", o->trace},
                {"quiet", o->quiet}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i].given && !word_among(action->options, some[i].name))
            return complain_usage("'carillon board %s' takes no --%s", action->name, some[i].name);
    return 0;
}

// Plays what the board has, as `carillon run` plays what it loads.
static int play(const struct options *options, FILE *file, const char *name)
{
    struct flow flow = {0};
    struct carillon_options flow_options = options->flow;
    flow_options.engine = "board";
    int error = carillon_board_image(&flow.image, context(), &flow_options, file, name, &flow.diag);
    if (!error) error = carillon_raise(&flow.schedule, flow.image, &flow.diag);
    if (!error) error = carillon_check(flow.schedule, &flow.diag);
    if (!error) error = flow_run(&flow, options);
    return flow_end(&flow, error);
}

// What is attached, a line each.
static void print_boards(const char *summary)
{
    json_t *object = json_loads(summary, 0, NULL), *board;
    size_t i;
    json_array_foreach(json_object_get(object, "boards"), i, board)
    {
        const char *serial = json_string_value(json_object_get(board, "serial"));
        printf("%-20s %-8s %s\n", *serial ? serial : "-", json_string_value(json_object_get(board, "place")),
               json_string_value(json_object_get(board, "title")));
    }
    json_decref(object);
}

static int perform(const struct carillon_board_action *action, const struct options *options, FILE *file)
{
    struct crl_diag diag = {0};
    struct output memories = {0};
    char *summary = NULL;
    int error = options->output ? output_open(&memories, options->output, &diag) : 0;
    if (!error)
        error = carillon_board(action->name, context(), &options->flow, file, options->operand[1], memories.file,
                               &summary, &diag);
    progress_end();
    int work = error;
    error = output_close(&memories, error, &diag);
    bool print_it = !options->output || is_file(options->output);
    if (summary && print_it && (!work || work == CRL_ERR_MISMATCH || options->json)) {
        if (!options->json) print_boards(summary);
        print_summary(summary, options);
    } else {
        free(summary);
    }
    return complain(error, &diag);
}

// Whether it plays: what else takes an image needs it.
static bool image_runs(const struct carillon_board_action *action)
{
    return action->may_have_image && !action->wants_image;
}

int command_board(struct options *options)
{
    struct carillon_board_action action;
    const char *name = options->operand[0], *image = options->operand[1];
    if (!find_action(name, &action)) {
        struct carillon_nearest nearest = {.word = name};
        char hint[96];
        for (size_t i = 0; carillon_board_action_at(i, &action); i++) carillon_nearest_try(&nearest, action.name);
        return complain_usage("unknown action '%s'; see 'carillon board --help'%s", name,
                              carillon_did_you_mean(&nearest, hint));
    }
    int refused = refuse_options(&action, options);
    if (refused) return refused;
    if (action.wants_image && !image) return complain_usage("carillon board %s needs IMAGE", name);
    if (image && !action.may_have_image) return complain_usage("unexpected '%s' after '%s'", image, name);
    if (options->trace && options->flow.rounds != 1) return complain_usage("--trace is of one round, not of several");
    if (options->output && image_runs(&action) && !options->flow.boards)
        return complain_usage("-o of 'board run' is of several boards, with --boards; 'board read -o' reads one");
    if (options->trace && options->flow.boards)
        return complain_usage("boards with cables keep no trace: --boards has no --trace");
    struct crl_diag diag = {0};
    FILE *file = image ? input_open(image, &diag) : NULL;
    if (image && !file) return complain(CRL_ERR_IO, &diag);
    bool judged = image_runs(&action) && options->flow.rounds; // else it plays on and on
    if (options->flow.boards) judged = false; // several are judged by the library, which has no traces of them
    int code = judged ? play(options, file, image) : perform(&action, options, file);
    input_close(file);
    return code;
}
