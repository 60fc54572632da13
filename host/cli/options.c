// SPDX-License-Identifier: Apache-2.0
// Options as data: one row each, from which parsing, help, man page and completion are made.
#include "cli.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct options, field)

static const struct option table[] = {
    {"topology", "t", "TOPOLOGY", "the network, as in hypercube:4", TEXT, AT(topology), 0, 0},
    {"algorithm", "a", "ALGORITHM", "the collective the schedule must achieve", TEXT, AT(algorithm), 0, 0},
    {"output", "o", "FILE", "write there; the file appears only when it is complete", TEXT, AT(output), 0, 0},
    {"scheme", NULL, "NAME", "one of several ways to solve it; 'carillon list' shows them", TEXT, AT(scheme), 0, 0},
    {"ports", NULL, "all|single",
     "a node uses all its links at once, or sends and receives one packet a slot (default all)", TEXT, AT(ports_name),
     0, 0},
    {"root", NULL, "N", "the node that has, or gets, everything (default 0)", NUMBER, AT(root), 0, UINT32_MAX - 1},
    {"items", NULL, "K", "items of a k-item or continuous broadcast on a LogP machine", NUMBER, AT(items), 1,
     UINT32_MAX - 1},
    {"time", NULL, "T", "when the sum must be there, on a LogP machine", NUMBER, AT(time), 1, UINT32_MAX / 2},
    {"operands", NULL, "N", "how many numbers a summation adds, on a LogP machine", NUMBER64, AT(numbers), 1,
     UINT32_MAX},
    {"full-duplex", NULL, NULL, "the processors of a LogP machine may send and receive at once", FLAG, AT(full_duplex),
     0, 0},
    {"active", NULL, "LIST|random:M",
     "nodes that take part in a partial collective, as in 0,3,8-11; or M of them, by --seed", TEXT, AT(active), 0, 0},
    {"to", NULL, "LIST|random", "nodes that packets of a monotone routing go to, in order, as many as are active", TEXT,
     AT(to), 0, 0},
    {"counts", NULL, "LIST|random:K",
     "packets of each node of a line broadcast, as in 3,0,2 of nodes 0 to 2; or K at random nodes, by --seed", TEXT,
     AT(counts), 0, 0},
    {"dimension", NULL, "D", "along which a line broadcast leads (default 1)", NUMBER, AT(dimension), 1,
     UINT32_MAX - 1},
    {"parts", NULL, "N", "mini packets that each packet of the schedule is split into (default 1)", NUMBER, AT(parts),
     1, 64},
    {"tp", NULL, "X", "slots that a step of on-line counting takes, for the time that is reported (default: as played)",
     REAL, AT(tp), 0, 0},
    {"relative", NULL, NULL, "rows of node 0 only, of a schedule that looks the same from every node", FLAG,
     AT(relative), 0, 0},
    {"from", NULL, "FILE", "take the schedule from a CSV file instead of planning one", TEXT, AT(from), 0, 0},
    {"lanes", NULL, "K", "ports served a clock cycle (default: all)", NUMBER, AT(lanes), 1, CRL_PORTS_MAX},
    {"banks", NULL, "B", "memories a node (default: the fewest that work)", NUMBER, AT(banks), 1, CRL_BANKS_MAX},
    {"op", NULL, "add|min|max|xor", "how a LogP machine combines (default add)", TEXT, AT(op), 0, 0},
    {"words", NULL, "M", "words a packet; the table is played once a word (default 1)", NUMBER, AT(words), 1, 65536},
    {"width", NULL, "W", "bits a word: 8, 16, 32 or 64 (default 32)", NUMBER, AT(width), 8, 64},
    {"engine", NULL, "rtl|model|both|board", "what plays (default both: RTL and model; of dynamic, model)", TEXT,
     AT(engine), 0, 0},
    {"seed", NULL, "S", "picks the payloads (default 1)", NUMBER64, AT(seed), 0, UINT64_MAX},
    {"threads", NULL, "N", "threads that share the routers (default 1)", NUMBER, AT(threads), 1, 64},
    {"trace", NULL, "FILE", "write every link word: cycle node port data", TEXT, AT(trace), 0, 0},
    {"wave", NULL, "FILE", "write waveforms of every node: .fst or .vcd", TEXT, AT(wave), 0, 0},
    {"format", NULL, "NAME", "form of what is written", TEXT, AT(format), 0, 0},
    {"table", NULL, "N", "the table to print (default: all)", NUMBER, AT(table), 0, UINT32_MAX - 1},
    {"serial", NULL, "S", "the board with this serial number, of several; 'carillon board list' shows them", TEXT,
     AT(serial), 0, 0},
    {"board", NULL, "KIND", "the board of this kind, icebreaker or hx8k, of several", TEXT, AT(board), 0, 0},
    {"rounds", NULL, "N",
     "times to play, each with the payloads of the next seed; 0: until 'carillon board reset' (default 1)", NUMBER,
     AT(rounds), 0, UINT32_MAX},
    {"rho", NULL, "R", "load factor λ(2^d − 1)/d above 0; a sweep: 0.1,0.2 or 0.05:0.50:0.05", TEXT, AT(rho), 0, 0},
    {"slots", NULL, "N", "slots that are measured (default 10000)", NUMBER64, AT(slots), 1, UINT64_C(1) << 40},
    {"warmup", NULL, "N", "slots before these (default: a tenth of them)", NUMBER64, AT(warmup), 0, UINT64_C(1) << 40},
    {"depth", NULL, "Q",
     "packets a node holds (default: any number); with --blocking, or in run, each buffer (default 2, or any)", NUMBER,
     AT(depth), 1, UINT32_C(1) << 20},
    {"blocking", NULL, NULL, "finite buffers that block instead of overflowing, and saturated sources", FLAG,
     AT(blocking), 0, 0},
    {"stall", NULL, "X", "chance that a node does nothing in a slot, with --blocking (default 0)", TEXT, AT(stall), 0,
     0},
    {"json", NULL, NULL, "print one JSON object for programs", FLAG, AT(json), 0, 0},
    {"help", "h", NULL, "this text", FLAG, AT(help), 0, 0},
};

const struct option *option_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

bool command_takes(const struct command *command, const char *name)
{
    size_t length = strlen(name);
    if (!strcmp(name, "help")) return true;
    for (const char *at = command->options; (at = strstr(at, name)); at += length)
        if ((at == command->options || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static const struct option *find(const struct command *command, const char *name, size_t length, bool is_letter)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *own = is_letter ? table[i].letter : table[i].name;
        if (own && strlen(own) == length && !strncmp(own, name, length) && command_takes(command, table[i].name))
            return &table[i];
    }
    return NULL;
}

static int set_number(const struct option *option, const char *value, void *field)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno || number < option->least || number > option->most)
        return complain_usage("--%s needs a whole number from %llu to %llu, not '%s'", option->name,
                              (unsigned long long)option->least, (unsigned long long)option->most, value);
    if (option->kind == NUMBER64) *(uint64_t *)field = number;
    else *(uint32_t *)field = (uint32_t)number;
    return 0;
}

static int set_real(const struct option *option, const char *value, double *field)
{
    char *end;
    *field = strtod(value, &end);
    if (end == value || *end || !isfinite(*field) || *field < 0)
        return complain_usage("--%s needs a number from 0 on, not '%s'", option->name, value);
    return 0;
}

static int set(struct options *options, const struct option *option, const char *value)
{
    void *field = (char *)options + option->offset;
    options->given |= UINT64_C(1) << (option - table);
    if (option->kind == FLAG) *(bool *)field = true;
    else if (option->kind == TEXT) *(const char **)field = value;
    else if (option->kind == REAL) return set_real(option, value, field);
    else return set_number(option, value, field);
    return 0;
}

bool options_given(const struct options *options, const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return options->given >> i & 1;
    return false;
}

const char *options_first_given(const struct options *options, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (options_given(options, names[i])) return names[i];
    return NULL;
}

static int parse_option(struct options *options, const struct command *command, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    bool is_letter = word[1] != '-';
    const char *name = word + (is_letter ? 1 : 2), *value = NULL;
    size_t length = is_letter ? 1 : strcspn(name, "=");
    const struct option *option = find(command, name, length, is_letter);
    if (!option) return complain_usage("unknown option '%s'; see 'carillon %s --help'", word, command->name);
    if (name[length]) value = name + length + !is_letter;
    if (option->kind == FLAG && value) return complain_usage("'--%s' takes no value", option->name);
    if (option->kind != FLAG && !value) {
        if (*at + 1 >= argc) return complain_usage("'%s' needs a value: %s", word, option->value);
        value = argv[++*at];
    }
    return set(options, option, value);
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv)
{
    *options = (struct options){.seed = 1,
                                .slots = 10000,
                                .words = 1,
                                .width = 32,
                                .engine = "both",
                                .ports_name = "all",
                                .threads = 1,
                                .rounds = 1,
                                .parts = 1,
                                .dimension = 1,
                                .tp = -1,
                                .table = CRL_NONE};
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        if (!only_operands && !strcmp(argv[i], "--")) {
            only_operands = true;
        } else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
            int error = parse_option(options, command, argc, argv, &i);
            if (error) return error;
        } else if (options->operands >= command->operands_max) {
            return complain_usage("unexpected '%s'; see 'carillon %s --help'", argv[i], command->name);
        } else {
            options->operand[options->operands++] = argv[i];
        }
    }
    if (options->help) return 0;
    if (options->operands < command->operands_min)
        return complain_usage("carillon %s needs %s; see 'carillon %s --help'", command->name, command->operands,
                              command->name);
    if (strcmp(options->ports_name, "all") && strcmp(options->ports_name, "single"))
        return complain_usage("--ports is all or single, not '%s'", options->ports_name);
    if (strcmp(options->engine, "rtl") && strcmp(options->engine, "model") && strcmp(options->engine, "both") &&
        strcmp(options->engine, "board"))
        return complain_usage("--engine is rtl, model, both or board, not '%s'", options->engine);
    if (options->width != 8 && options->width != 16 && options->width != 32 && options->width != 64)
        return complain_usage("--width is 8, 16, 32 or 64, not '%u'", options->width);
    return 0;
}

void options_help(const struct command *command, FILE *file)
{
    fprintf(file, "usage: carillon %s %s%s\n\n%s\n\n%s\n\noptions:\n", command->name, command->operands,
            *command->options ? " [options]" : "", command->summary, command->text);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct option *o = &table[i];
        if (!command_takes(command, o->name)) continue;
        char left[64];
        snprintf(left, sizeof left, "%s%s%s--%s%s%s", o->letter ? "-" : "", o->letter ? o->letter : "",
                 o->letter ? ", " : "    ", o->name, o->value ? " " : "", o->value ? o->value : "");
        fprintf(file, "  %-28s %s\n", left, o->help);
    }
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
