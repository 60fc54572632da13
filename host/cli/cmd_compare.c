// SPDX-License-Identifier: Apache-2.0
// carillon compare: schedules from files and our schemes, side by side.
#include "cli.h"
#include "table_text.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, VERDICT, SLOTS, BOUND, TRANSMISSIONS, BUFFERS, ROUTER, TIME, ALGBW, UNTIMED = TIME };

// Adds what a summary says under a key.
static void set_number(char cell[TABLE_CELL], const json_t *summary, const char *key)
{
    const json_t *value = json_object_get(summary, key);
    if (json_is_integer(value)) snprintf(cell, TABLE_CELL, "%lld", (long long)json_integer_value(value));
}

static void set_real(char cell[TABLE_CELL], const json_t *summary, const char *key)
{
    const json_t *value = json_object_get(summary, key);
    double real = json_real_value(value);
    if (json_is_real(value)) snprintf(cell, TABLE_CELL, real < 9999.5 ? "%.4g" : "%.0f", real);
}

// What makes a router large: lanes, banks, a write crossbar, the delay register, write addresses.
static void set_router(char cell[TABLE_CELL], const json_t *summary)
{
    static const struct {
        const char *key, *text;
    } parts[] = {
        {"write_xbar", ", write crossbar"}, {"delay", ", delay register"}, {"waddr_field", ", write addresses"}};
    if (!json_object_get(summary, "banks")) return;
    long long lanes = json_integer_value(json_object_get(summary, "lanes")),
              banks = json_integer_value(json_object_get(summary, "banks"));
    snprintf(cell, TABLE_CELL, "%lld lane%s, %lld bank%s", lanes, lanes == 1 ? "" : "s", banks, banks == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (json_is_true(json_object_get(summary, parts[i].key)))
            strncat(cell, parts[i].text, TABLE_CELL - 1 - strlen(cell));
}

static int fill(char cell[TABLE_COLUMNS][TABLE_CELL], struct flow *flow)
{
    struct carillon_verdict verdict = carillon_schedule_verdict(flow->schedule);
    struct crl_diag why; // some schedules have no tables, or none with these options
    char *text = NULL;
    bool lowered = !verdict.violations && !carillon_lower(&flow->image, flow->schedule, &why);
    int error = lowered ? carillon_image_summary(flow->image, flow->schedule, &text, &flow->diag)
                        : carillon_schedule_summary(flow->schedule, false, &text, &flow->diag);
    if (error) return error;
    json_t *summary = json_loads(text, 0, NULL);
    bool optimal = json_is_true(json_object_get(summary, "optimal"));
    if (verdict.violations)
        snprintf(cell[VERDICT], TABLE_CELL, "breaks %llu rule%s", (unsigned long long)verdict.violations,
                 verdict.violations == 1 ? "" : "s");
    else snprintf(cell[VERDICT], TABLE_CELL, "%s", optimal ? "optimal" : "valid");
    set_number(cell[SLOTS], summary, "slots");
    set_number(cell[BOUND], summary, "bound_slots");
    set_number(cell[TRANSMISSIONS], summary, "transmissions");
    set_number(cell[BUFFERS], summary, "buffer_packets");
    set_router(cell[ROUTER], summary);
    set_real(cell[TIME], summary, "time_us");
    set_real(cell[ALGBW], summary, "algbw");
    json_decref(summary);
    free(text);
    return 0;
}

// Adds a row for a schedule: from a file, or planned by the scheme of `options`.
static int add(struct table *table, const struct options *options, const char *from, struct crl_diag *diag)
{
    struct flow flow = {0};
    int error = flow_plan(&flow, options, options->algorithm, from), judged = 0;
    if (!error) judged = carillon_check(flow.schedule, &flow.diag);
    if (judged != CRL_ERR_RULE) error = error ? error : judged;
    if (judged) *diag = flow.diag;
    if (!error) {
        char(*cell)[TABLE_CELL] = table_add(table);
        error = cell ? 0 : fail(&flow.diag, CRL_ERR_MEMORY, "out of memory");
        if (cell) snprintf(cell[NAME], TABLE_CELL, "%s", from ? from : options->flow.scheme);
        if (cell) error = fill(cell, &flow);
    }
    if (error) *diag = flow.diag;
    carillon_image_free(flow.image);
    carillon_schedule_free(flow.schedule);
    carillon_problem_free(flow.problem);
    return error ? error : judged;
}

// Whether a scheme that should fit does not: of some it turns out only when they are tried.
static bool is_unfit(int error)
{
    return error == CRL_ERR_UNSUPPORTED || error == CRL_ERR_LIMIT || error == CRL_ERR_ARGUMENT;
}

// All that plan would take, the default first.
static int add_ours(struct table *table, const struct options *options, struct crl_diag *diag)
{
    struct options with = *options;
    struct flow flow = {0};
    int error = flow_problem(&flow, options, options->algorithm);
    if (error) *diag = flow.diag;
    for (size_t i = 0; !error && (with.flow.scheme = carillon_problem_scheme(flow.problem, i)); i++) {
        error = add(table, &with, NULL, diag);
        progress_end();
        if (!is_unfit(error)) continue;
        fprintf(stderr, "carillon: note: no '%s' here: %s\n", with.flow.scheme, diag->text);
        error = 0;
    }
    carillon_problem_free(flow.problem);
    return error;
}

int command_compare(struct options *options)
{
    static const char *const titles[TABLE_COLUMNS] = {
        "schedule", "verdict", "slots", "bound", "transmissions", "buffers", "router", "time (us)", "algbw (GB/s)"};
    struct crl_diag diag = {0}, broken = {0};
    struct output output = {0};
    struct table table = {.titles = titles, .columns = options->flow.word ? TABLE_COLUMNS : UNTIMED};
    int judged = 0;
    // The collective may also stand where other commands have it.
    if (!options->algorithm && options->operands && carillon_algorithm_known(options->operand[0])) {
        options->algorithm = options->operand[0];
        options->operands--;
        memmove(options->operand, options->operand + 1, options->operands * sizeof *options->operand);
    }
    if (!options->algorithm) return complain_usage("what must the schedules achieve? Say -a, as in -a all-to-all");
    if (refuse_format(options->format, table_format_at)) return EXIT_USAGE;
    int error = 0;
    for (int i = 0; i < options->operands && !error; i++) {
        error = add(&table, options, options->operand[i], &diag);
        if (error != CRL_ERR_RULE) continue;
        judged = error; // the others are compared all the same
        broken = diag;
        snprintf(broken.file, sizeof broken.file, "%s", options->operand[i]);
        error = 0;
    }
    if (!error) error = add_ours(&table, options, &diag);
    if (!error) error = output_open(&output, options->output, &diag);
    if (!error) table_write(&table, options->format, output.file);
    error = output_close(&output, error, &diag);
    table_done(&table);
    return error ? complain(error, &diag) : complain(judged, &broken);
}
