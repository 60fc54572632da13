// SPDX-License-Identifier: Apache-2.0
// carillon: finds the command and runs it.
#include "cli.h"
#include <string.h>

static const struct command table[] = {
    {"list", "", "What there is: algorithm × topology × port model, with bound and paper.",
     "Keys of papers: B91 is Bertsekas et al., Optimal Communication Algorithms for Hypercubes, JPDC 11 (1991).", "json", 0, 0,
     command_list},
    {"plan", "ALGORITHM -t TOPOLOGY", "Plan a schedule.",
     "Without -o the schedule goes to standard output, and nothing else does. With --json only a summary does.\n"
     "Example: carillon plan total-exchange -t hypercube:3 -o te.csv",
     "topology output scheme ports root relative format json", 1, 1, command_plan},
    {"check", "FILE -a ALGORITHM -t TOPOLOGY", "Judge a schedule, from anyone.",
     "FILE is CSV: a line 'slot,src,dst,packet', then a transmission a line. '-' is standard input.\n"
     "'carillon explain ID' says more about a finding.\nExample: carillon check te.csv -a total-exchange -t hypercube:3",
     "algorithm topology ports root relative json", 1, 1, command_check},
    {"build", "ALGORITHM -t TOPOLOGY -o IMAGE", "Plan, check and lower: write the image that routers play.",
     "Example: carillon build total-exchange -t hypercube:3 -o te.img",
     "topology output scheme ports root from lanes banks words width json", 1, 1, command_build},
    {"dump", "IMAGE", "Print an image: its tables row by row, and where the packets lie.",
     "--format text, json, readmemh (a table for $readmemh, exact depth) or c (a header).", "output format table json", 1, 1,
     command_dump},
    {"run", "ALGORITHM|IMAGE -t TOPOLOGY", "Plan, check, lower, play in RTL, compare with the model, judge the result.",
     "The main job. Stops at the first link word that differs and shows both sides. IMAGE is a file made by build.\n"
     "Example: carillon run total-exchange -t hypercube:4",
     "topology scheme ports root from lanes banks words width engine seed threads trace wave json", 1, 1, command_run},
    {"diff", "TRACE TRACE", "Show the first difference between two traces.",
     "Traces are text, 'cycle node port data' a line, sorted; 'carillon run --trace' writes them.", "json", 2, 2, command_diff},
    {"explain", "FINDING", "Say what a finding of the checker means and what to do.", "Without FINDING: all of them, a line each.",
     "", 0, 1, command_explain},
};

const struct command *command_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

static void help(FILE *file)
{
    fputs("usage: carillon COMMAND …\n\nOptimal collective communication as slot tables: planned, proved, played in hardware.\n\n", file);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) fprintf(file, "  %-9s %s\n", table[i].name, table[i].summary);
    fputs("\nA first look:\n"
          "  carillon run total-exchange -t hypercube:4\n"
          "  carillon plan multinode-broadcast -t hypercube:3\n\n"
          "exit codes: 0 fine, 1 usage or unreadable file, 2 device, 3 mismatch, 4 a schedule breaks a rule, 130 interrupted\n"
          "'carillon COMMAND --help' says more.\n", file);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help(stdout);
        return EXIT_FINE;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("carillon " CRL_VERSION);
        return EXIT_FINE;
    }
    output_remove_on_signals();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(argv[1], table[i].name)) continue;
        struct options options;
        int code = options_parse(&options, &table[i], argc - 2, argv + 2);
        if (code) return code;
        if (options.help) options_help(&table[i], stdout);
        else code = table[i].run(&options);
        if ((fflush(stdout) || ferror(stdout)) && !code) return complain_usage("cannot write to standard output");
        return code;
    }
    return complain_usage("unknown command '%s'; 'carillon --help' lists them", argv[1]);
}
