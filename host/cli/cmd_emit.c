// SPDX-License-Identifier: Apache-2.0
// carillon emit: a fabric as a directory that stands alone.
#include "cli.h"
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Whether players have words of so many bits; 0: they choose.
static bool is_played(uint32_t width) { return width < 65 && (width & (width - 1)) == 0 && (!width || width >= 8); }

// The image of operand `number` and its schedule, checked.
static int prepare(struct flow *flow, const struct options *options, int number)
{
    struct options one = *options;
    one.operand[0] = options->operand[number];
    one.flow.for_routers = true;
    if (!is_played(one.flow.width)) one.flow.width = 0;                // tables are the same for any
    if (!one.flow.streams && carillon_algorithm_known(one.operand[0])) // an image says it itself
        one.flow.streams = CARILLON_STREAMS_ALL;
    int error = flow_schedule(flow, &one);
    return error || flow->image ? error : flow_lower(flow);
}

// The summaries of several, with their numbers.
static int summarize(const struct carillon_emitted *what, uint32_t count, const struct carillon_emission *how,
                     const struct options *options, struct crl_diag *diag)
{
    json_t *list = json_array();
    int error = 0;
    for (uint32_t i = 0; i < count && !error; i++) {
        char *text = NULL;
        error = carillon_emission_summary(&what[i], how, &text, diag);
        json_t *summary = error ? NULL : json_loads(text, 0, NULL), *numbered = json_pack("{s:i}", "op", (int)i);
        json_object_update(numbered, summary);
        json_decref(summary);
        free(text);
        if (!options->json && !error) print_summary(json_dumps(numbered, 0), options);
        json_array_append_new(list, numbered);
    }
    json_t *all = json_pack("{s:o}", "schedules", list);
    if (options->json && !error) print_summary(json_dumps(all, 0), options);
    json_decref(all);
    return error;
}

// A name as a shell takes it.
static void print_word(const char *word)
{
    const bool plain =
        *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-")];
    if (!plain) putchar('\'');
    for (; *word; word++)
        if (*word == '\'') fputs("'\\''", stdout);
        else putchar(*word);
    if (!plain) putchar('\'');
}

// Where it is, and what to type next.
static void print_next(const char *directory)
{
    char bench[PATH_MAX];
    snprintf(bench, sizeof bench, "%s/bench", directory); // of several boards
    printf("%-20s %s\n%-20s make -C ", "directory", directory, "next");
    print_word(access(bench, F_OK) ? directory : bench);
    puts(" lint sim-icarus");
}

int command_emit(struct options *options)
{
    struct flow flows[CARILLON_EMITTED_MAX] = {0};
    struct carillon_emitted what[CARILLON_EMITTED_MAX];
    const int count = options->operands;
    int error = 0, last = 0;
    if (!is_file(options->output)) return complain_usage("where to? Say -o DIRECTORY");
    if (count > 1 && options->from) return complain_usage("--from is for one algorithm; build images, and emit these");
    for (; last < count && !error; last++) {
        error = prepare(&flows[last], options, last);
        what[last] = (struct carillon_emitted){flows[last].image, flows[last].schedule};
    }
    last--; // whose messages count
    const struct carillon_emission how = {.directory = options->output,
                                          .top = options->top,
                                          .protocol = options->protocol,
                                          .language = options->language,
                                          .tables = options->tables,
                                          .table_files = options->table_files,
                                          .top_ports = options->top_ports,
                                          .absent = options->absent,
                                          .target = options->target,
                                          .reset_banks = options->reset_banks,
                                          .row_stages = options->row_stages,
                                          .force = options->force,
                                          .width = options->flow.width};
    if (!error) error = carillon_emit(what, (uint32_t)count, &how, &flows[last].diag);
    if (!error && count > 1) error = summarize(what, (uint32_t)count, &how, options, &flows[last].diag);
    char *summary = NULL;
    if (!error && count == 1) error = carillon_emission_summary(what, &how, &summary, &flows->diag);
    print_summary(summary, options);
    if (!error && !options->json && !options->quiet) print_next(options->output);
    for (int i = 0; i < last; i++) flow_end(&flows[i], 0);
    return flow_end(&flows[last], error);
}
