// SPDX-License-Identifier: Apache-2.0
// carillon: finds the command and runs it.
#include "cli.h"
#include <errno.h>
#include <string.h>

static const struct command table[] = {
    {"list", "", "What there is: algorithm × topology × port model, with bound and paper.",
     "Keys of papers: B91 is Bertsekas et al., Optimal Communication Algorithms for Hypercubes, JPDC 11 (1991);\n"
     "K93 is Karp et al., Optimal Broadcast and Summation in the LogP Model, SPAA 1993;\n"
     "S93 is Stamoulis and Tsitsiklis, IEEE Trans. Parallel Distrib. Syst. 4 (1993): 'carillon dynamic'; their bound "
     "is\n"
     "the load a scheme carries.",
     "json", 0, 0, command_list},
    {"plan", "ALGORITHM -t TOPOLOGY", "Plan a schedule.",
     "Without -o the schedule goes to standard output, and nothing else does. With --json only a summary does.\n"
     "On a LogP machine, --format goal writes the input of the simulator LogGOPSim.\n"
     "Examples: carillon plan total-exchange -t hypercube:3 -o te.csv\n"
     "          carillon plan k-item-broadcast -t logp:P=10,L=3 --items 8\n"
     "          carillon plan monotone-routing -t mesh:4x4 --active 3,9,15 --to 2,5-6\n"
     "          carillon plan line-broadcast -t torus:4x5 --dimension 2 --counts random:30 --scheme split",
     "topology output scheme ports link-latency root active to counts dimension seed tp items time operands "
     "full-duplex relative "
     "format json",
     1, 1, command_plan},
    {"check", "FILE -a ALGORITHM -t TOPOLOGY", "Judge a schedule, from anyone.",
     "FILE is CSV: a line 'slot,src,dst,packet', then a transmission a line. '-' is standard input.\n"
     "'carillon explain ID' says more about a finding.\nExample: carillon check te.csv -a total-exchange -t "
     "hypercube:3",
     "algorithm topology ports link-latency root active to counts dimension seed parts items time operands full-duplex "
     "relative "
     "json",
     1, 1, command_check},
    {"build", "ALGORITHM -t TOPOLOGY -o IMAGE", "Plan, check and lower: write the image that routers play.",
     "Without --scheme, --from or --banks: of the schemes that take as few slots as the default, one for routers "
     "without\n"
     "write crossbar, if such a one is found in a second or two.\n"
     "A scheme of 'carillon dynamic' gives the forwarding tables of its routers.\n"
     "Examples: carillon build total-exchange -t hypercube:3 -o te.img\n"
     "          carillon build direct -t hypercube:3 -o direct.img",
     "topology output scheme ports link-latency root active to counts dimension seed parts items time operands "
     "full-duplex from "
     "relative lanes banks "
     "words width blocking json",
     1, 1, command_build},
    {"dump", "IMAGE", "Print an image: its tables row by row, and where the packets lie.",
     "--format text, json, readmemh (a table for $readmemh, exact depth), c (a header) or board (the table memory of "
     "an\n"
     "FPGA board, for scripts/bake).",
     "output format table json", 1, 1, command_dump},
    {"run", "ALGORITHM|IMAGE -t TOPOLOGY", "Plan, check, lower, play in RTL, compare with the model, judge the result.",
     "The main job. Stops at the first link word that differs and shows both sides. IMAGE is a file made by build.\n"
     "Without --scheme it takes the scheme that build takes, for the cheapest routers.\n"
     "Example: carillon run total-exchange -t hypercube:4",
     "topology scheme ports link-latency root active to counts dimension parts tp items time operands full-duplex from "
     "relative "
     "lanes banks words width "
     "op engine "
     "board serial "
     "seed threads trace wave depth json",
     1, 1, command_run},
    {"diff", "TRACE TRACE", "Show the first difference between two traces.",
     "Traces are text, 'cycle node port data' a line, sorted; 'carillon run --trace' writes them.", "json", 2, 2,
     command_diff},
    {"draw", "ALGORITHM|IMAGE -t TOPOLOGY", "Draw a schedule: a column a slot, a row a link, the packets in the cells.",
     "An SVG picture, or a page for the browser if FILE ends in .html. Without -o the picture goes to standard "
     "output.\n"
     "Point at a cell to read who sends what where.\nExample: carillon draw total-exchange -t hypercube:4 -o te.html",
     "topology output scheme ports link-latency root active to counts dimension seed parts relative from", 1, 1,
     command_draw},
    {"board", "list|flash|load|run|read|verify|reset [IMAGE]", "Play on an FPGA board over USB.",
     "list            the boards that are attached\n"
     "flash IMAGE     write the flash bank that is not in use; it counts from the next power-up or reset on.\n"
     "                IMAGE is made by build --lanes 1 --width 16, or is a bitstream for the board\n"
     "load IMAGE      give it to the board until it loses its power\n"
     "run [IMAGE]     play what the board has, compare every link word with schedule and model, judge the result;\n"
     "                IMAGE may be left out if it was flashed or loaded from here\n"
     "read            what the board has, and why; -o FILE: its packet memories, 'node address data' a line\n"
     "verify IMAGE    whether it is in use on the board, or in its flash\n"
     "reset           restart the FPGA, as at power-up\n"
     "docs/board.md has more. Example:\n"
     "  carillon build total-exchange -t hypercube:3 --lanes 1 --width 16 -o te.img\n"
     "  carillon board flash te.img && carillon board reset && carillon board run",
     "output board serial seed rounds trace json", 1, 2, command_board},
    {"dynamic", "SCHEME -t hypercube:D --rho R",
     "Broadcasts that arrive at random: delay, queues and stability, measured.",
     "SCHEME: naive, periodic, direct, indirect, indirect-nonidling, balanced (Stamoulis and Tsitsiklis 1993).\n"
     "Every node generates packets in a Poisson stream; each goes to all others. D runs from generation to the end of\n"
     "the slot in which the last node has the packet; Q counts packets stored a node. Several schemes "
     "(direct,indirect),\n"
     "loads (0.05:0.50:0.05) or cubes (hypercube:5..8) are a sweep, which goes to a CSV file, on all cores; started\n"
     "again, it computes only what is not there yet.\n"
     "--blocking: queues of --depth packets that hold senders back when they are full, and sources that always have\n"
     "a packet; indirect and balanced, whose queues cannot deadlock. --engine both compares RTL and model in every "
     "slot.\n"
     "pmnb: on-line partial multinode broadcasts back to back on a torus or an array, beside the bound of Varvarigos\n"
     "and Bertsekas 1994, in slots of a whole packet, of which a step of counting takes --tp; --depth packets may wait "
     "at\n"
     "a node; several loads are a sweep. Its routers in RTL begin the next one by themselves; --engine both compares "
     "every link word with the "
     "model.\n"
     "Examples: carillon dynamic direct -t hypercube:8 --rho 0.3\n"
     "          carillon dynamic pmnb -t torus:8x8 --rho 0.3 --tp 0.1 --engine both\n"
     "          carillon dynamic indirect -t hypercube:4 --blocking --stall 0.1 --engine both",
     "topology rho tp slots warmup seed depth blocking stall engine threads trace output json", 1, 1, command_dynamic},
    {"explain", "FINDING", "Say what a finding of the checker means and what to do.",
     "Without FINDING: all of them, a line each.", "", 0, 1, command_explain},
};

const struct command *command_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

static const struct exit_code codes[] = {
    {EXIT_FINE, "fine"},         {EXIT_USAGE, "usage or unreadable file"}, {EXIT_DEVICE, "device"},
    {EXIT_MISMATCH, "mismatch"}, {EXIT_RULE, "a schedule breaks a rule"},  {EXIT_INTERRUPTED, "interrupted"},
};

const struct exit_code *exit_code_table(size_t *count)
{
    *count = sizeof codes / sizeof *codes;
    return codes;
}

static void help(FILE *file)
{
    fputs("usage: carillon COMMAND …\n\n" CLI_SUMMARY "\n\n", file);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        fprintf(file, "  %-9s %s\n", table[i].name, table[i].summary);
    fputs("\nA first look:\n"
          "  carillon run total-exchange -t hypercube:4\n"
          "  carillon plan multinode-broadcast -t hypercube:3\n\nexit codes: ",
          file);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        fprintf(file, "%s%d %s", i ? ", " : "", codes[i].code, codes[i].text);
    fputs("\n'carillon COMMAND --help' says more.\n", file);
}

// What was printed must have arrived.
static int printed(int code)
{
    if ((fflush(stdout) || ferror(stdout)) && !code)
        return complain_usage("cannot write to standard output: %s", strerror(errno));
    return code;
}

static int run(int argc, char **argv)
{
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help(stdout);
        return EXIT_FINE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("carillon %s\n", carillon_version());
        return EXIT_FINE;
    }
    if (!strcmp(argv[1], "--print")) return print_docs(argc == 3 ? argv[2] : ""); // for the build, so not in the help
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(argv[1], table[i].name)) continue;
        struct options options;
        int code = options_parse(&options, &table[i], argc - 2, argv + 2);
        if (code) return code;
        if (!options.help) return table[i].run(&options);
        options_help(&table[i], stdout);
        return EXIT_FINE;
    }
    return complain_usage("unknown command '%s'; 'carillon --help' lists them", argv[1]);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_USAGE;
    }
    output_hold_streams();
    output_remove_on_signals();
    return printed(run(argc, argv));
}
