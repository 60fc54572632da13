// SPDX-License-Identifier: Apache-2.0
// Options as data: one row each, from which parsing, help, man page and completion are made. What the library is told
// has its rows in the library.
#include "cli.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct options, field)
#define ROW(kind, letter, name, field, value, least, most, help)                                                       \
    {                                                                                                                  \
        {name, value, help, CARILLON_##kind, AT(field), least, most}, letter                                           \
    }
#define FLAG(letter, name, field, help)                       ROW(FLAG, letter, name, field, NULL, 0, 0, help)
#define TEXT(letter, name, field, value, help)                ROW(TEXT, letter, name, field, value, 0, 0, help)
#define NUMBER(letter, name, field, value, least, most, help) ROW(NUMBER, letter, name, field, value, least, most, help)

static const struct option own[] = {
    TEXT("t", "topology", topology, "TOPOLOGY", "the network, as in hypercube:4"),
    TEXT("a", "algorithm", algorithm, "ALGORITHM", "the collective that the schedule must achieve"),
    TEXT("o", "output", output, "FILE", "write to this file, which appears only when it is complete"),
    TEXT(NULL, "from", from, "FILE", "take the schedule from a CSV file instead of planning one"),
    TEXT(NULL, "trace", trace, "FILE",
         "every word on every link, as lines 'cycle node port data': run writes it, draw reads it"),
    TEXT(NULL, "replay", replay, "FILE", "write a page (.html) that shows what the routers played"),
    TEXT(NULL, "beside", beside, "FILE", "draw a page of two schedules side by side; this CSV file is the second one"),
    TEXT(NULL, "view", view, "NAME", "what a picture shows: table (default), network, space-time, tree or heat"),
    NUMBER(NULL, "slot", slot, "N", 1, UINT32_MAX - 1,
           "with --view network: the slot whose packets are drawn (default: none)"),
    TEXT(NULL, "caption", caption, "TEXT|none", "caption above a picture (default: a description of it)"),
    NUMBER(NULL, "columns", columns, "1|2", 1, 2, "make a picture as wide as one or two columns of a paper"),
    TEXT(NULL, "certificate", certificate, "FILE", "write a proof of the bound, which 'carillon certify' judges"),
    TEXT(NULL, "write-demands", write_demands, "FILE", "write the demands of an imported traffic"),
    TEXT(NULL, "format", format, "NAME", "format of the output"),
    TEXT(NULL, "top", top, "NAME", "the top module (default carillon_fabric)"),
    TEXT(NULL, "protocol", protocol, "stream|axis", "words in fixed cycles (default), or AXI4-Stream"),
    TEXT(NULL, "language", language, "NAME",
         "systemverilog (default), or verilog: one file of Verilog-2005, made by yosys"),
    TEXT(NULL, "tables", tables, "fixed|axi-lite",
         "tables are constants (default), or with --protocol axis there is a port to load others"),
    TEXT(NULL, "table-files", table_files, "inline|hex",
         "tables are constants of the top (default), or the top reads them from tables/"),
    TEXT(NULL, "top-ports", top_ports, "packed|named|wires",
         "ports of all streams side by side (default), or AXI4-Streams of its own for each node; wires: with --boards, "
         "packed, and two wires for each cable"),
    NUMBER(NULL, "row-stages", row_stages, "N", 0, 8,
           "number of registers between the sequencer and each node: a higher clock rate, but words are later"),
    TEXT(NULL, "target", target, "fpga|asic",
         "memories are block RAMs (default), or with --tables axi-lite macros that start undefined"),
    FLAG(NULL, "reset-banks", reset_banks,
         "the zero that banks need is written by reset, not at power-up; always so with --target asic"),
    FLAG(NULL, "absent", absent,
         "a stream may say that a word is missing, so that a round has fewer packets than planned"),
    FLAG(NULL, "force", force, "replace a directory that emit wrote, if nothing in it but build/ was changed since"),
    NUMBER(NULL, "table", table, "N", 0, UINT32_MAX - 1, "number of the table to print (default: all)"),
    NUMBER(NULL, "chunk", chunk, "C", 0, UINT32_MAX - 1, "number of the chunk, from 0 (default 0)"),
    FLAG(NULL, "json", json, "print one JSON object for programs"),
    FLAG("q", "quiet", quiet, "print only the verdict, in one line"),
    FLAG("h", "help", help, "this text"),
};
enum { OWN = sizeof own / sizeof *own, FIRST = 3 }; // of which so many stand before the library's

bool option_at(size_t index, struct option *option)
{
    size_t count;
    const struct carillon_option *rows = carillon_option_table(&count);
    if (index >= OWN + count) return false;
    if (index < FIRST) {
        *option = own[index];
    } else if (index < FIRST + count) {
        *option = (struct option){rows[index - FIRST], NULL};
        option->row.offset += offsetof(struct options, flow);
    } else {
        *option = own[index - count];
    }
    return true;
}

bool word_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; length && (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

bool command_takes(const struct command *command, const char *name)
{
    return !strcmp(name, "help") || word_among(command->options, name);
}

static bool find(const struct command *command, const char *name, size_t length, bool is_letter, struct option *option)
{
    for (size_t i = 0; option_at(i, option); i++) {
        const char *is = is_letter ? option->letter : option->row.name;
        if (is && strlen(is) == length && !strncmp(is, name, length) && command_takes(command, option->row.name))
            return true;
    }
    return false;
}

// Appends a line to what was said before. The text lives as long as the program.
static int set_line(const char *value, const char **field)
{
    static char *lines;
    size_t used = *field ? strlen(*field) + 1 : 0;
    char *more = realloc(lines, used + strlen(value) + 1);
    if (!more) return complain_usage("out of memory");
    if (used) more[used - 1] = '\n';
    strcpy(more + used, value);
    *field = lines = more;
    return 0;
}

static int set(struct options *options, const struct carillon_option *option, const char *value)
{
    struct crl_diag diag;
    if (option->kind == CARILLON_LINES) return set_line(value, (const char **)((char *)options + option->offset));
    return complain(carillon_option_set(option, options, value, &diag), &diag);
}

// Says what was meant, or which commands take an option that this one does not.
static int refuse_option(const struct command *command, const char *word, const char *name, size_t length)
{
    char typed[64], hint[96] = "", takers[160] = "";
    struct carillon_nearest nearest = {.word = typed};
    struct option o;
    size_t count;
    const struct command *commands = command_table(&count);
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    bool exists = false;
    for (size_t i = 0; option_at(i, &o); i++) {
        exists |= !strcmp(o.row.name, typed);
        if (length > 1 && command_takes(command, o.row.name)) carillon_nearest_try(&nearest, o.row.name);
    }
    for (size_t i = 0; exists && i < count; i++)
        if (command_takes(&commands[i], typed)) {
            size_t used = strlen(takers);
            snprintf(takers + used, sizeof takers - used, "%s%s", used ? ", " : "; it is an option of ",
                     commands[i].name);
        }
    if (!exists && nearest.best) snprintf(hint, sizeof hint, "; did you mean '--%s'?", nearest.best);
    return complain_usage("unknown option '%s'; see 'carillon %s --help'%s%s", word, command->name, takers, hint);
}

static int parse_option(struct options *options, const struct command *command, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    bool is_letter = word[1] != '-';
    const char *name = word + (is_letter ? 1 : 2), *value = NULL;
    size_t length = is_letter ? 1 : strcspn(name, "=");
    struct option found;
    if (!find(command, name, length, is_letter, &found)) return refuse_option(command, word, name, length);
    const struct carillon_option *option = &found.row;
    if (name[length]) value = name + length + !is_letter;
    if (is_letter && value && *value == '=')
        return complain_usage("'%.80s': leave out the '=' after -%c, or say --%s%s", word, *name, option->name, value);
    if (option->kind != CARILLON_FLAG && !value) {
        if (*at + 1 >= argc) return complain_usage("'%s' needs a value: %s", word, option->value);
        value = argv[++*at];
    }
    return set(options, option, value);
}

// A word too many: most likely the network or the collective, for which -t or -a was forgotten.
static int refuse_operand(const struct options *options, const struct command *command, const char *word)
{
    if (!options->topology && strchr(word, ':') && command_takes(command, "topology"))
        return complain_usage("unexpected '%s'; if it is the network, say -t %s", word, word);
    if (!options->algorithm && carillon_algorithm_known(word) && command_takes(command, "algorithm"))
        return complain_usage("unexpected '%s'; if it is the collective, say -a %s", word, word);
    return complain_usage("unexpected '%s'; see 'carillon %s --help'", word, command->name);
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv)
{
    *options = (struct options){.flow = carillon_defaults(), .table = UINT32_MAX};
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        if (!only_operands && !strcmp(argv[i], "--")) {
            only_operands = true;
        } else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
            int error = parse_option(options, command, argc, argv, &i);
            if (error) return error;
        } else if (options->operands >= command->operands_max) {
            return refuse_operand(options, command, argv[i]);
        } else {
            options->operand[options->operands++] = argv[i];
        }
    }
    if (options->help) return 0;
    if (options->json && options->quiet) return complain_usage("--json and --quiet contradict each other");
    if (options->operands < command->operands_min)
        return complain_usage("carillon %s needs %s; see 'carillon %s --help'", command->name, command->operands,
                              command->name);
    return 0;
}

// What options are about. Those of few collectives are one line, unless they are what is asked about.
static const struct group {
    const char *title, *options, *collectives;
} groups[] = {
    {"network", "topology ports link-latency members without", NULL},
    {"problem", "algorithm root chunks parts op", NULL},
    {"your own traffic", "demands matrix group program period nowait keep slack", "traffic groups program"},
    {"several boards, and failures", "boards cable-latency cable-gap cable-each ppm cable cable-errors spare fail", ""},
    {"LogP machines", "items time operands full-duplex",
     "k-item-broadcast continuous-broadcast all-to-all-broadcast all-to-all-personalized combining-broadcast "
     "summation"},
    {"some nodes only, and what is decided on line", "switches active to counts dimension tp depth",
     "partial-multinode-broadcast partial-exchange partial-gather prefix packing monotone-routing line-broadcast"},
    {"schedule", "scheme effort refute seed from relative", NULL},
    {"routers", "lanes banks streams words width", NULL},
    {"times", "word link alpha latency bandwidth slot-ns", ""},
};
enum { GROUPS = sizeof groups / sizeof *groups };

static const struct group *group_of(const char *option)
{
    for (size_t i = 0; i < GROUPS; i++)
        if (word_among(groups[i].options, option)) return &groups[i];
    return NULL;
}

static void print_option(const struct option *o, FILE *file)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s--%s%s%s", o->letter ? "-" : "", o->letter ? o->letter : "",
             o->letter ? ", " : "    ", o->row.name, o->row.value ? " " : "", o->row.value ? o->row.value : "");
    int more = 0; // bytes that are no columns: of letters such as λ all but the first
    for (const char *c = left; *c; c++) more += (*c & 0xc0) == 0x80;
    fprintf(file, "  %-*s %s\n", 28 + more, left, o->row.help);
}

// The options of a group (NULL: those of none) that a command takes, if any: a line each, or together on one.
static bool print_group(const struct command *command, const struct group *group, bool together, FILE *file)
{
    struct option o;
    size_t printed = 0;
    for (size_t i = 0; option_at(i, &o); i++) {
        if (!command_takes(command, o.row.name) || group_of(o.row.name) != group) continue;
        if (!printed++) fprintf(file, together ? "\n%s:" : "\n%s:\n", group ? group->title : "output and more");
        if (together) fprintf(file, " --%s", o.row.name);
        else print_option(&o, file);
    }
    if (together && printed) fputc('\n', file);
    return printed;
}

void options_help(const struct command *command, const struct options *asked, FILE *file)
{
    const char *about = asked->operands ? carillon_algorithm_spelled(asked->operand[0], asked->topology) : "";
    const bool all = !strcmp(about, "all");
    bool short_of = false;
    fprintf(file, "usage: carillon %s %s%s\n\n%s\n\n%s\n", command->name, command->operands,
            *command->options ? " [options]" : "", command->summary, command->text);
    for (size_t i = 0; i < GROUPS; i++) {
        const bool few = groups[i].collectives && !word_among(groups[i].collectives, about);
        if (!few || all) print_group(command, &groups[i], false, file);
    }
    print_group(command, NULL, false, file);
    for (size_t i = 0; i < GROUPS && !all; i++)
        if (groups[i].collectives && !word_among(groups[i].collectives, about))
            short_of |= print_group(command, &groups[i], true, file);
    if (short_of)
        fprintf(file, "\n'carillon %s --help all' says what these are, '%s COLLECTIVE --help' those of a collective.\n",
                command->name, command->name);
}

int complain_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("carillon: error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_USAGE;
}

int complain(int error, const struct crl_diag *diag)
{
    progress_end();
    if (!error) return EXIT_FINE;
    if (*diag->file && diag->line && diag->col)
        fprintf(stderr, "%s:%llu:%llu: error: %s\n", diag->file, (unsigned long long)diag->line,
                (unsigned long long)diag->col, diag->text);
    else if (*diag->file && diag->line)
        fprintf(stderr, "%s:%llu: error: %s\n", diag->file, (unsigned long long)diag->line, diag->text);
    else if (*diag->file) fprintf(stderr, "%s: error: %s\n", diag->file, diag->text);
    else fprintf(stderr, "carillon: error: %s\n", diag->text);
    switch (error) {
    case CRL_ERR_RULE: return EXIT_RULE;
    case CRL_ERR_MISMATCH: return EXIT_MISMATCH;
    case CRL_ERR_DEVICE: return EXIT_DEVICE;
    case CRL_ERR_INTERRUPTED: return EXIT_INTERRUPTED;
    default: return EXIT_USAGE;
    }
}
