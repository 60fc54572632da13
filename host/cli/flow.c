// SPDX-License-Identifier: Apache-2.0
// The stages of the flow, as the commands use them.
#include "cli.h"
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fail(struct crl_diag *diag, int error, const char *format, ...)
{
    va_list args;
    memset(diag, 0, sizeof *diag);
    va_start(args, format);
    vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    return error;
}

FILE *input_open(const char *path, struct crl_diag *diag)
{
    if (!strcmp(path, "-")) return stdin;
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file && !fstat(fileno(file), &status) && S_ISDIR(status.st_mode)) {
        fclose(file);
        file = NULL;
        errno = EISDIR;
    }
    if (!file) fail(diag, CRL_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    return file;
}

void input_close(FILE *file)
{
    if (file && file != stdin) fclose(file);
}

int refuse_format(const char *format, const char *(*at)(size_t index))
{
    char names[256] = "";
    for (size_t i = 0; at(i); i++) {
        if (!format || !strcmp(format, at(i))) return 0;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", !used ? "" : at(i + 1) ? ", " : " or ", at(i));
    }
    return complain_usage("--format is %s, not '%s'", names, format);
}

// Whether $CARILLON_DEBUG, names with commas between them, has the stage; what it made then goes to stderr.
static bool is_debugged(const char *stage)
{
    const char *at = getenv("CARILLON_DEBUG");
    for (size_t length = strlen(stage); at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, stage, length) && (!at[length] || at[length] == ',')) {
            progress_end();
            return fprintf(stderr, "carillon: debug: %s\n", stage) > 0;
        }
    return false;
}

int flow_problem(struct flow *flow, const struct options *options, const char *algorithm)
{
    return carillon_problem_new(&flow->problem, context(), algorithm, options->topology, &options->flow, &flow->diag);
}

int flow_plan(struct flow *flow, const struct options *options, const char *algorithm, const char *from)
{
    int error = flow->problem ? 0 : flow_problem(flow, options, algorithm);
    if (error) return error;
    progress_at(from ? "reading" : "planning", 0, 0);
    if (!from) {
        error = carillon_plan(&flow->schedule, flow->problem, &flow->diag);
        return error || !is_debugged("plan") ? error
                                             : carillon_schedule_write(flow->schedule, NULL, stderr, &flow->diag);
    }
    FILE *file = input_open(from, &flow->diag);
    if (!file) return CRL_ERR_IO;
    error = carillon_schedule_read(&flow->schedule, flow->problem, file, from, &flow->diag);
    input_close(file);
    return error;
}

int write_schedule(const struct carillon_schedule *schedule, const char *path, const char *format,
                   struct crl_diag *diag)
{
    struct output output;
    int error = output_open(&output, path, diag);
    if (!error) error = carillon_schedule_write(schedule, format, output.file, diag);
    return output_close(&output, error, diag);
}

int flow_check(struct flow *flow, const char *file)
{
    progress_at("checking", 0, 0);
    int error = carillon_check(flow->schedule, &flow->diag);
    progress_at("working", 0, 0);
    if (error == CRL_ERR_RULE) print_findings(flow->schedule, file);
    char *text = NULL;
    struct crl_diag unsaid;
    if ((!error || error == CRL_ERR_RULE) && is_debugged("check") &&
        !carillon_schedule_summary(flow->schedule, true, &text, &unsaid))
        fprintf(stderr, "%s\n", text);
    free(text);
    return error;
}

int flow_lower(struct flow *flow)
{
    int error = carillon_lower(&flow->image, flow->schedule, &flow->diag);
    return error || !is_debugged("lower")
               ? error
               : carillon_dump(flow->image, flow->schedule, NULL, UINT32_MAX, stderr, &flow->diag);
}

int flow_certificate(struct flow *flow, const struct options *options)
{
    struct output output;
    if (!options->certificate) return 0;
    int error = output_open(&output, options->certificate, &flow->diag);
    if (!error) error = carillon_problem_certificate(flow->problem, output.file, &flow->diag);
    return output_close(&output, error, &flow->diag);
}

int flow_image(struct flow *flow, const struct options *options, const char *path)
{
    FILE *file = input_open(path, &flow->diag);
    if (!file) return CRL_ERR_IO;
    progress_at("reading", 0, 0);
    int error =
        carillon_image_read(&flow->image, context(), options->topology, &options->flow, file, path, &flow->diag);
    input_close(file);
    return error ? error : carillon_raise(&flow->schedule, flow->image, &flow->diag);
}

// Whether a file begins as schedules in CSV do.
static bool is_schedule(const char *path)
{
    char start[8] = "";
    struct stat status;
    FILE *file = stat(path, &status) || !S_ISREG(status.st_mode) ? NULL : fopen(path, "rb"); // pipes are read once
    if (!file) return false;
    size_t got = fread(start, 1, 5, file);
    fclose(file);
    return got == 5 && (!strcmp(start, "slot,") || !strcmp(start, "time,"));
}

int flow_schedule(struct flow *flow, const struct options *options)
{
    const char *name = options->operand[0];
    int error;
    if (carillon_algorithm_known(name)) {
        error = flow_plan(flow, options, name, options->from);
        return error ? error : flow_check(flow, options->from ? options->from : "<plan>");
    }
    if (access(name, F_OK)) {
        struct carillon_nearest nearest = {.word = name};
        char hint[96];
        carillon_algorithm_nearest(&nearest);
        return fail(&flow->diag, CRL_ERR_ARGUMENT,
                    "'%.80s' is neither an algorithm ('carillon list' shows them) nor a file%s", name,
                    carillon_did_you_mean(&nearest, hint));
    }
    if (is_schedule(name))
        return fail(&flow->diag, CRL_ERR_ARGUMENT, "'%.80s' is a schedule: name the algorithm, and say --from %.80s",
                    name, name);
    if (options->from)
        return fail(&flow->diag, CRL_ERR_ARGUMENT,
                    "an image has its own '--from'; build another one, or name an algorithm");
    error = flow_image(flow, options, name);
    return error ? error : flow_check(flow, name);
}

int flow_end(struct flow *flow, int error)
{
    carillon_image_free(flow->image); // gives a board back
    carillon_schedule_free(flow->schedule);
    carillon_problem_free(flow->problem);
    return complain(error, &flow->diag);
}

void print_findings(const struct carillon_schedule *schedule, const char *file)
{
    struct carillon_verdict verdict = carillon_schedule_verdict(schedule);
    struct carillon_finding f;
    enum { FEW = 5 }; // of rows that do not fit: all of them make one mistake
    size_t printed = 0, misfits = 0;
    progress_end();
    if (*verdict.misfit) fprintf(stderr, "%s: note: %s\n", file, verdict.misfit);
    for (size_t i = 0; carillon_schedule_finding(schedule, i, &f); i++) misfits += f.is_misfit;
    for (size_t i = 0; carillon_schedule_finding(schedule, i, &f); i++) {
        if (*verdict.misfit && ((misfits && !f.is_misfit) || printed >= FEW)) continue;
        printed++;
        const char *severity = f.is_error ? "error" : "warning";
        if (f.row) fprintf(stderr, "%s:%llu:1: %s: %s [%s]\n", file, (unsigned long long)f.row, severity, f.text, f.id);
        else fprintf(stderr, "%s: %s: %s [%s]\n", file, severity, f.text, f.id);
    }
    uint64_t all = verdict.violations + verdict.warnings;
    if (all > printed) fprintf(stderr, "%s: … and %llu more\n", file, (unsigned long long)(all - printed));
}

// Four digits, and all before the point.
static void print_real(const char *key, double value)
{
    printf(value < 9999.5 ? "%-20s %.4g\n" : "%-20s %.0f\n", key, value);
}

static void print_value(const char *key, const json_t *value)
{
    if (json_is_string(value)) printf("%-20s %s\n", key, json_string_value(value));
    else if (json_is_integer(value)) printf("%-20s %lld\n", key, (long long)json_integer_value(value));
    else if (json_is_real(value)) print_real(key, json_real_value(value));
    else printf("%-20s %s\n", key, json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "unknown");
}

// With fewer streams than lanes a plan is for what takes longest from end to end, and not for the fewest slots; so
// people are told of that whether it is optimal.
static void say_optimal(json_t *object)
{
    const json_t *ends = json_object_get(object, "end_to_end_slots"), *what = json_object_get(object, "optimal_for");
    if (ends && !json_equal(ends, json_object_get(object, "slots")))
        json_object_set_new(object, "optimal",
                            what && json_is_string(what) ? json_sprintf("for %s", json_string_value(what))
                                                         : json_null());
    json_object_del(object, "optimal_for");
}

// For people, a collective is called as it is today.
static void say_title(json_t *object)
{
    json_t *name = json_object_get(object, "algorithm");
    if (json_is_string(name)) json_string_set(name, carillon_algorithm_title(json_string_value(name)));
}

void print_summary(char *summary, const struct options *options)
{
    json_t *object = summary ? json_loads(summary, 0, NULL) : NULL, *value, *result = json_object_get(object, "result");
    const char *key;
    // For people: where queues only grew it says little that every packet arrived in the end.
    bool unstable =
        json_is_false(json_object_get(object, "stable")) && result && !strcmp(json_string_value(result), "ok");
    if (unstable && !options->json) json_string_set(result, "ok, but unstable");
    progress_end();
    free(summary);
    if (!options->json) say_optimal(object), say_title(object);
    if (options->json && object) {
        json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
    } else if (!options->quiet) {
        json_object_foreach(object, key, value)
        {
            if (!json_is_array(value)) print_value(key, value); // lists are printed by themselves
        }
    }
    json_decref(object);
}
