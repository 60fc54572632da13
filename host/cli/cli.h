// SPDX-License-Identifier: Apache-2.0
// The program: a table of commands, a table of options, and what the commands share.
#ifndef CRL_CLI_H
#define CRL_CLI_H

#include <carillon/carillon.h>

// Exit codes, as documented in --help and the man page.
enum { EXIT_FINE = 0, EXIT_USAGE = 1, EXIT_DEVICE = 2, EXIT_MISMATCH = 3, EXIT_RULE = 4, EXIT_INTERRUPTED = 130 };

enum { OPERANDS_MAX = 16 };

// What the command line says. Strings belong to argv.
struct options {
    struct carillon_options flow;      // what the library is told
    const char *operand[OPERANDS_MAX]; // words that are not options
    int operands;
    const char *topology, *output, *algorithm, *format, *trace, *from, *replay, *beside, *view, *top, *protocol,
        *language, *tables, *table_files, *top_ports, *target, *certificate, *write_demands, *caption;
    uint32_t table; // UINT32_MAX: all
    uint32_t chunk, slot, row_stages, columns;
    bool json, quiet, help, absent, reset_banks, force;
};

// Options that say what the network is.
#define NETWORK "topology ports link-latency members switches without boards cable-latency cable-gap cable-each"

struct command {
    const char *name, *operands, *summary, *text;
    const char *options; // names of the options it takes, separated by spaces
    int operands_min, operands_max;
    int (*run)(struct options *options);
};
const struct command *command_table(size_t *count);

struct exit_code {
    int code;
    const char *text;
};
const struct exit_code *exit_code_table(size_t *count);

// Row `index` of the table of options: the program's own, then the library's. False when there is none.
struct option {
    struct carillon_option row; // offset: in struct options
    const char *letter;         // or NULL
};
bool option_at(size_t index, struct option *option);
bool command_takes(const struct command *command, const char *option);

// What the program is, in one sentence.
#define CLI_SUMMARY "Optimal collective communication as slot tables: planned, proved, played in hardware."
// Prints what the tables say as a man page ("man") or as a completion script. Returns an exit code.
int print_docs(const char *form);
// Prints the script for "bash", "zsh" or "fish"; false for other shells.
bool print_completion(const char *shell);

// Fills `options` from the words after the command's name. Returns 0 or EXIT_USAGE after saying why.
int options_parse(struct options *options, const struct command *command, int argc, char **argv);
void options_help(const struct command *command, const struct options *asked, FILE *file);
// Whether `name` is one of the words in `names`.
bool word_among(const char *names, const char *name);

// Says what went wrong on standard error, in the form file:line:col: error: text. Returns the exit code for `error`.
int complain(int error, const struct crl_diag *diag);
int complain_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Describes a failure in *diag and returns `error`.
int fail(struct crl_diag *diag, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Refuses a format that no form of machine has. Returns 0 or EXIT_USAGE after saying which there are.
int refuse_format(const char *format, const char *(*at)(size_t index));

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
// Whether a path is a file rather than standard output.
bool is_file(const char *path);
bool ends_in(const char *text, const char *suffix); // also of NULL: no

// What is being done, on a line of standard error if that is a terminal: how much of it (total 0: nobody knows) and for
// how long. Start once, with what comes first; it stays until something else comes, or the end, after which others may
// print. `what` must live until then. Say prints a line above it.
void progress_start(const char *what);
void progress_at(const char *what, uint64_t done, uint64_t total);
void progress_end(void);
void progress_say(const char *text);
// How the library reaches people: progress, messages and warnings on standard error; while a device is held, signals
// are only noted, and a reader that goes away is an error of writing.
const struct crl_context *context(void);
void context_share(const struct carillon_share *share); // runs are shared by several processes from now on

// The end of a name that asks for a picture as pixels or pages, ".png" or ".pdf", or NULL. raster_refuse() complains,
// and returns an exit code, where the library for it is not there; else it returns 0, and raster_write() writes one
// from SVG.
const char *raster_kind(const char *path);
int raster_refuse(const char *kind);
int raster_write(const char *svg, size_t length, const char *kind, FILE *file, struct crl_diag *diag);

// A flow in the making.
struct flow {
    struct carillon_problem *problem;
    struct carillon_schedule *schedule;
    struct carillon_image *image;
    struct crl_diag diag;
};
int flow_problem(struct flow *flow, const struct options *options, const char *algorithm);
// Problem, if it is not there yet, and schedule of an algorithm: planned, or read from `from` (NULL: planned), not yet
// checked.
int flow_plan(struct flow *flow, const struct options *options, const char *algorithm, const char *from);
// Writes a schedule in a format (NULL: CSV) to a file that appears when it is complete; NULL: to standard output.
int write_schedule(const struct carillon_schedule *schedule, const char *path, const char *format,
                   struct crl_diag *diag);
// Checks the schedule, and prints what is found if a rule is broken, as messages about `file`.
int flow_check(struct flow *flow, const char *file);
// Makes the image of the schedule.
int flow_lower(struct flow *flow);
// Writes the certificate of the bound where --certificate asks for it.
int flow_certificate(struct flow *flow, const struct options *options);
// What the first operand names, an algorithm or an image file: its schedule, checked.
int flow_schedule(struct flow *flow, const struct options *options);
int flow_image(struct flow *flow, const struct options *options, const char *path); // reads it
// Frees it and says what went wrong, if anything did. Returns the exit code for `error`.
int flow_end(struct flow *flow, int error);
// Plays what the flow has, and prints what came of it, also when that is bad.
int flow_run(struct flow *flow, const struct options *options);
void print_findings(const struct carillon_schedule *schedule, const char *file);

// Prints a summary, a JSON object as text, as the options say: as JSON, as a short table, or with --quiet not at all;
// and frees it. NULL: nothing.
void print_summary(char *summary, const struct options *options);
// Prints what came of it on one line, before the table; nothing with --json.
enum verdict_of { OF_RUN, OF_CHECK, OF_TRAFFIC, OF_PLAN, OF_BOUND };
void print_verdict(const char *summary, const struct options *options, enum verdict_of of);

// The program: parses a command line and does it. Returns an exit code.
int carillon_main(int argc, char **argv);

int command_list(struct options *options);
int command_bound(struct options *options);
int command_certify(struct options *options);
int command_compare(struct options *options);
int command_front(struct options *options);
int command_plan(struct options *options);
int command_check(struct options *options);
int command_import(struct options *options);
int command_build(struct options *options);
int command_emit(struct options *options);
int command_dump(struct options *options);
int command_run(struct options *options);
int command_diff(struct options *options);
int command_explain(struct options *options);
int command_explain_sum(struct options *options);
int command_draw(struct options *options);
int command_board(struct options *options);
int command_dynamic(struct options *options);

#endif
