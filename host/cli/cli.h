// SPDX-License-Identifier: Apache-2.0
// The program: a table of commands, a table of options, and what the commands share.
#ifndef CRL_CLI_H
#define CRL_CLI_H

#include "algorithm/algorithm.h"
#include "check/check.h"
#include "draw/draw.h"
#include "lower/lower.h"
#include "model/model.h"
#include "oracle/oracle.h"
#include <jansson.h>

// Exit codes, as documented in --help and the man page.
enum { EXIT_FINE = 0, EXIT_USAGE = 1, EXIT_DEVICE = 2, EXIT_MISMATCH = 3, EXIT_RULE = 4, EXIT_INTERRUPTED = 130 };

// What the command line says. Strings belong to argv.
struct options {
    const char *operand[3]; // words that are not options
    int operands;
    const char *topology, *output, *algorithm, *scheme, *format, *engine, *trace, *wave, *from, *op;
    const char *ports_name, *board, *serial, *active, *to, *counts;
    uint32_t dimension; // of a line broadcast, from 1
    uint32_t root, parts, lanes, banks, words, width, threads, table;
    uint32_t items, time; // of LogP machines
    uint64_t numbers;     // operands of a summation
    uint64_t seed;
    double tp; // of a step of on-line counting
    uint32_t rounds;
    bool full_duplex;
    const char *rho, *stall;
    uint64_t slots, warmup;
    uint32_t depth;
    bool blocking;
    bool relative, json, help;
    bool as_loaded; // --engine board: play what the board has instead of loading it (set by `board run` alone)
    uint64_t given; // bit i: row i of the table of options was on the command line
};

struct command {
    const char *name, *operands, *summary, *text;
    const char *options; // names of the options it takes, separated by spaces
    int operands_min, operands_max;
    int (*run)(const struct options *options);
};
const struct command *command_table(size_t *count);

struct exit_code {
    int code;
    const char *text;
};
const struct exit_code *exit_code_table(size_t *count);

enum option_kind { FLAG, TEXT, NUMBER, NUMBER64, REAL };

struct option {
    const char *name, *letter, *value, *help;
    enum option_kind kind;
    size_t offset; // in struct options
    uint64_t least, most;
};
const struct option *option_table(size_t *count);
bool command_takes(const struct command *command, const char *option);

// What the program is, in one sentence.
#define CLI_SUMMARY "Optimal collective communication as slot tables: planned, proved, played in hardware."
// Prints what the tables say as a man page ("man") or as a completion script ("bash"). Returns an exit code.
int print_docs(const char *form);

// Fills `options` from the words after the command's name. Returns 0 or EXIT_USAGE after saying why.
int options_parse(struct options *options, const struct command *command, int argc, char **argv);
bool options_given(const struct options *options, const char *name);
// The first of these options that was on the command line, or NULL.
const char *options_first_given(const struct options *options, const char *const *names, size_t count);
void options_help(const struct command *command, FILE *file);

// Says what went wrong on standard error, in the form file:line:col: error: text. Returns the exit code for `error`.
int complain(int error, const struct crl_diag *diag);
int complain_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Opens a file, or "-", for reading; NULL after saying why in *diag.
FILE *input_open(const char *path, struct crl_diag *diag);
void input_close(FILE *file);

// A file that appears only when it is complete: written under another name, synced, renamed. NULL or "-" is standard
// output.
struct output {
    FILE *file;
    const char *path;
    char temp[4096];
};
int output_open(struct output *output, const char *path, struct crl_diag *diag);
// Closes; keeps the file if `error` is 0. Returns the first error.
int output_close(struct output *output, int error, struct crl_diag *diag);
void output_remove_on_signals(void);
// Keeps the places of standard streams that are closed, so that no other file gets them and the output.
void output_hold_streams(void);
// Whether signals that would end the program are only noted, for signals_pending; a reader that goes away is an error
// of writing then.
void signals_defer(bool defer);
bool signals_pending(void);

// A progress bar on standard error, if that is a terminal.
struct progress {
    const char *what;
    uint64_t total;
    int shown; // last percentage
};
void progress_begin(struct progress *progress, const char *what, uint64_t total);
void progress_at(void *progress, uint64_t done); // as a callback
void progress_end(struct progress *progress);

// What a command works on: topology, problem, algorithm, schedule, report, image.
struct job {
    struct crl_topology *topology;
    struct crl_problem problem;
    uint32_t *active;                      // of a partial collective
    uint32_t *dests, *starts;              // of monotone routing; of a line broadcast
    const struct crl_algorithm *algorithm; // NULL where the schedule came from a file
    const char *scheme;
    double tp; // of a step of on-line counting; negative: as played
    struct crl_schedule schedule;
    struct crl_report report;
    struct crl_image image;
    struct crl_diag diag;
};
int job_problem(struct job *job, const struct options *options, const char *algorithm);
int job_plan(struct job *job, const struct options *options); // or reads --from
int job_check(struct job *job);
// What the first operand names, an algorithm or an image: plans or reads it, and checks. job->image.bits is set if it
// was an image.
int job_schedule(struct job *job, const struct options *options);
int job_lower(struct job *job, const struct options *options); // and reads the tables back
// Whether `path` is a sound image file with tables of that form. Standard input is not looked at.
bool image_has_form(const char *path, enum crl_image_form form);
int job_read_image(struct job *job, const struct options *options, const char *path);
int job_parse_image(struct job *job, const struct options *options, FILE *file, const char *path); // from an open file
void job_done(struct job *job);
// The fields every summary has.
json_t *job_summary(const struct job *job);
// These and the geometry of the image.
json_t *job_image_summary(const struct job *job);
// Prints the summary as JSON or as a short table, and releases it.
int print_summary(json_t *summary, bool as_json);

// Prints the checker's findings as messages about `file`.
void print_findings(const struct crl_report *report, const char *file);
// The same, and the summary with the findings in it, which it releases.
void print_verdict(json_t *summary, const struct crl_report *report, const char *file, bool as_json);
// Passes on what a check returned, with a sentence for CRL_ERR_RULE.
int complain_rules(int error, const struct crl_report *report, struct crl_diag *diag);

int command_list(const struct options *options);
int command_plan(const struct options *options);
int command_check(const struct options *options);
int command_build(const struct options *options);
int command_dump(const struct options *options);
int command_run(const struct options *options);
int command_diff(const struct options *options);
int command_explain(const struct options *options);
int command_draw(const struct options *options);
int command_board(const struct options *options);
int command_dynamic(const struct options *options);

#endif
