// SPDX-License-Identifier: Apache-2.0
// carillon: finds the command and runs it.
#include "cli.h"
#include <errno.h>
#include <string.h>

// Options that several commands take, beside NETWORK: those of a collective on it.
#define TRAFFIC " demands matrix group program period nowait"
#define PROBLEM NETWORK TRAFFIC " root active to counts dimension chunks items time operands full-duplex"

static const struct command table[] = {
    {"list", "[WORD]", "What there is: algorithm × topology × port model, with bound and paper.",
     "WORD: only algorithms and schemes of that name, or that begin with it. -t: only what is for that network.\n"
     "Topologies are spelled hypercube:4, torus:4x4x3, mesh:5x5, ring:5, path:6, complete:7, ghc:3x4, products of "
     "them\n"
     "as ring:5*path:3, graph:FILE (lines 'A B'), fat-tree:4, star:8, dragonfly:4, slim-fly:5, twisted-torus:8x4,\n"
     "gen-kautz:4x32, cayley:120,102 (permutations; docs/formats/graph.md), logp:P=8,L=6,o=2,g=4.\n"
     "Bounds: N nodes, d dimensions, p nodes along one, M active nodes, B(P) the time of an optimal broadcast.\n"
     "Keys of papers: B91 is Bertsekas et al., Optimal Communication Algorithms for Hypercubes, JPDC 11 (1991);\n"
     "K93 is Karp et al., Optimal Broadcast and Summation in the LogP Model, SPAA 1993;\n"
     "S93 is Stamoulis and Tsitsiklis, IEEE Trans. Parallel Distrib. Syst. 4 (1993): 'carillon dynamic'; their bound "
     "is\n"
     "the load a scheme carries. V94 is Varvarigos and Bertsekas, Dynamic Broadcasting in Parallel Computing (1994).\n"
     "Examples: carillon list all-to-all\n"
     "          carillon list -t torus:4x4",
     "topology json", 0, 1, command_list},
    {"bound", "ALGORITHM -t TOPOLOGY", "How fast it can be at best, and why, without a plan.",
     "The best lower bound that the program can prove, for any schedule. --certificate FILE: the proof, for "
     "'certify'.\n"
     "Example: carillon bound all-to-all -t torus:4x4",
     PROBLEM " certificate refute seed parts streams word link alpha quiet json", 1, 1, command_bound},
    {"plan", "ALGORITHM -t TOPOLOGY", "Plan a schedule.",
     "Without -o the schedule goes to standard output, and nothing else does. With --json only a summary does.\n"
     "--format: for MSCCL (msccl-xml), MSCCL++ (mscclpp-json), LogGOPSim (goal) and Chakra (chakra), the gate control\n"
     "lists of a network of switches (tsn-gcl), traffic for ns-3 and its like (traffic-csv), and the network for\n"
     "SimGrid (simgrid-platform). With --spare -o DIR has it and a plan for each single failure.\n"
     "Examples: carillon plan all-to-all -t hypercube:3 -o te.csv\n"
     "          carillon plan k-item-broadcast -t logp:P=10,L=3 --items 8\n"
     "          carillon plan monotone-routing -t mesh:4x4 --active 3,9,15 --to 2,5-6",
     PROBLEM
     " spare keep slack output certificate refute scheme effort seed parts tp relative streams words op format latency "
     "bandwidth slot-ns word link alpha quiet json",
     1, 1, command_plan},
    {"check", "FILE -a ALGORITHM -t TOPOLOGY", "Judge a schedule, from anyone.",
     "FILE is CSV: a line 'slot,src,dst,packet', then a transmission a line. '-' is standard input.\n"
     "'carillon explain ID' says more about a finding.\nExample: carillon check te.csv -a all-to-all -t "
     "hypercube:3",
     PROBLEM " algorithm certificate refute seed parts relative streams quiet json", 1, 1, command_check},
    {"import", "FILE -t TOPOLOGY", "Read the plan of another tool as a schedule, and judge it.",
     "FILE is a plan for MSCCL (XML) or MSCCL++ (JSON), GOAL text (also on LogP machines), a Chakra trace (JSON), "
     "TACOS' CSV or ForestColl's "
     "trees;\n"
     "it is known by how it begins, or by --format. -a says what it achieves, where the file does not. Steps that have "
     "no\n"
     "slot get the earliest that the rules allow, and the summary says so. The schedule goes to -o, as CSV, also if it "
     "breaks\n"
     "rules; docs/formats/plans.md has more. Messages of which nothing says what they achieve are a traffic; "
     "--write-demands\n"
     "FILE: its demands, for 'plan' and 'check'.\nExample: carillon import plan.xml -t complete:8 -o plan.csv",
     NETWORK TRAFFIC " algorithm output write-demands root active to counts dimension parts part chunks items time "
                     "operands full-duplex format quiet "
                     "json",
     1, 1, command_import},
    {"certify", "FILE -a ALGORITHM -t TOPOLOGY", "Judge a certificate of a bound, from anyone.",
     "FILE is what --certificate of bound, plan and check writes; '-' is standard input. It is accepted (exit 0) if "
     "it\n"
     "proves that no schedule is faster than the slots in it. The checker computes with integers only and knows\n"
     "nothing of how bounds are found; scripts/certify is a second one.\n"
     "Example: carillon certify te.cert -a all-to-all -t mesh:4x4",
     NETWORK TRAFFIC " algorithm root parts chunks quiet json", 1, 1, command_certify},
    {"build", "ALGORITHM -t TOPOLOGY -o IMAGE", "Plan, check and lower: write the image that routers play.",
     "Without --scheme, --from or --banks: of the schemes that take as few slots as the default, one for routers "
     "without\n"
     "write crossbar, if such a one is found in a second or two.\n"
     "A scheme of 'carillon dynamic' has the forwarding tables of its routers.\n"
     "Examples: carillon build all-to-all -t hypercube:3 -o te.img\n"
     "          carillon build direct -t hypercube:3 -o direct.img",
     PROBLEM
     " keep slack output scheme effort seed parts from relative lanes banks streams words width op blocking quiet json",
     1, 1, command_build},
    {"emit", "ALGORITHM|IMAGE... -t TOPOLOGY -o DIRECTORY", "Write a fabric to take away: RTL, tables, test bench.",
     "The directory stands alone: 'make lint sim-verilator sim-icarus synth-ice40' in it. Its top has a node's words "
     "as\n"
     "streams, --streams of them each way (default: as many as lanes); streams.csv says which packets they carry, in\n"
     "which order. IMAGE is one that was built with --streams. Several of them are one fabric with --protocol axis:\n"
     "input op_i says which one a round plays. With --boards there is a directory for each board, one with a bench "
     "that\n"
     "plays all, and cables.csv.\n"
     "Example: carillon emit all-to-all -t torus:4x4 -o fabric && make -C fabric lint sim-icarus",
     NETWORK TRAFFIC
     " output top top-ports protocol language tables table-files target reset-banks row-stages absent force "
     "scheme root active to "
     "counts dimension chunks seed "
     "parts from relative "
     "lanes banks streams words width op quiet json",
     1, CARILLON_EMITTED_MAX, command_emit},
    {"dump", "IMAGE", "Print an image: its tables row by row, and where the packets lie.",
     "--format text, json, readmemh (a table for $readmemh, exact depth), c (a header) or board (the table memory of "
     "an\n"
     "FPGA board, for scripts/bake).",
     "output format table json", 1, 1, command_dump},
    {"run", "ALGORITHM|IMAGE -t TOPOLOGY", "Plan, check, lower, play in RTL, compare with the model, judge the result.",
     "The main job. Stops at the first link word that differs and shows both sides. IMAGE is a file made by build.\n"
     "Without --scheme it takes the scheme that build takes, for the cheapest routers.\n"
     "Example: carillon run all-to-all -t hypercube:4",
     PROBLEM " keep slack scheme effort parts tp from relative lanes banks streams words width op engine board serial "
             "seed rounds fail ppm cable cable-errors unplug noise reboot other-plan "
             "threads trace replay wave depth quiet json",
     1, 1, command_run},
    {"diff", "TRACE TRACE", "Show the first difference between two traces.",
     "Traces are text, 'cycle node port data' a line, sorted; 'carillon run --trace' writes them.", "json", 2, 2,
     command_diff},
    {"draw", "ALGORITHM|IMAGE -t TOPOLOGY", "Draw a schedule: a page that plays it, or a still picture.",
     "FILE.html is a page for the browser: the network with its packets, slot by slot, and views linked with it. It\n"
     "needs nothing else. With --from it also shows a schedule that breaks rules, and where; with --beside FILE two\n"
     "schedules side by side, slot by slot; with --trace FILE of 'run --trace' (and the options of that run) what\n"
     "differs from the schedule.\n"
     "FILE.svg, FILE.png or FILE.pdf is a picture. --view says of what: table (a column a slot, a row a link, the\n"
     "packets in the cells), network (with --slot N its packets), space-time, tree (the paths of the packets of one\n"
     "node), heat (how often each link is used). Without -o the picture goes to standard output as SVG.\n"
     "Examples:\n"
     "  carillon draw all-to-all -t hypercube:4 -o te.html\n"
     "  carillon draw broadcast -t hypercube:4 --view tree -o tree.pdf",
     PROBLEM " keep slack output view slot caption columns scheme effort seed parts relative from beside lanes banks "
             "words width trace",
     1, 1, command_draw},
    {"compare", "[FILE...] -a ALGORITHM -t TOPOLOGY", "Schedules from files and our schemes, side by side.",
     "A line each: what the checker says, slots and the best bound known, transmissions, the packets that a node must\n"
     "hold, and what its router needs. Schemes that cannot plan this are left out, with a note why. A file that "
     "breaks\n"
     "rules is shown, and exit is 4. --format text, csv, markdown or latex.\n"
     "Examples: carillon compare all-to-all -t torus:4x4\n"
     "          carillon compare te.csv -a all-to-all -t torus:4x4 --format markdown",
     PROBLEM " algorithm output seed parts relative lanes banks words width word link alpha format", 0, OPERANDS_MAX,
     command_compare},
    {"front", "ALGORITHM -t TOPOLOGY", "Slots of sums against the number of chunks, beside the bound.",
     "Of all-reduce, reduce and scan. Up to 256 chunks are planned, some numbers of them; any number up to --chunks, "
     "at\n"
     "most 1000000, is covered by plans one after the other. -o FILE.svg draws it.\n"
     "Example: carillon front all-reduce -t mesh:4x4 --chunks 1000",
     PROBLEM " output scheme effort seed format json", 1, 1, command_front},
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
     "  carillon build all-to-all -t hypercube:3 --lanes 1 --width 16 -o te.img\n"
     "  carillon board flash te.img && carillon board reset && carillon board run",
     "output board serial seed rounds trace quiet json", 1, 2, command_board},
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
     "pmnb: on-line partial all-gathers back to back on a torus or an array, beside the bound of Varvarigos\n"
     "and Bertsekas 1994, in slots of a whole packet, of which a step of counting takes --tp; --depth packets may wait "
     "at\n"
     "a node; several loads are a sweep. Its routers in RTL begin the next one by themselves; --engine both compares "
     "every link word with the "
     "model.\n"
     "Examples: carillon dynamic direct -t hypercube:8 --rho 0.3\n"
     "          carillon dynamic pmnb -t torus:8x8 --rho 0.3 --tp 0.1 --engine both\n"
     "          carillon dynamic indirect -t hypercube:4 --blocking --stall 0.1 --engine both",
     "topology rho tp slots warmup seed depth blocking stall engine threads trace replay wave output quiet json", 1, 1,
     command_dynamic},
    {"explain", "FINDING", "Say what a finding of the checker means and what to do.",
     "Without FINDING: all of them, a line each.", "", 0, 1, command_explain},
    {"explain-sum", "ALGORITHM|IMAGE -t TOPOLOGY", "Say in which order the values of a sum are added.",
     "A line a sum: the nodes that end with it, and how it comes about: what a node held, plus what came to it. "
     "Numbers\n"
     "are nodes, and stand for their own values. docs/formats/sums.md says what the order depends on, and what not.\n"
     "Example: carillon explain-sum all-reduce -t hypercube:3 --chunk 5",
     NETWORK " chunk scheme root chunks from relative json", 1, 1, command_explain_sum},
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
        fprintf(file, "  %-11s %s\n", table[i].name, table[i].summary);
    fputs("\nA first look:\n"
          "  carillon run all-to-all -t hypercube:4\n"
          "  carillon plan all-gather -t hypercube:3\n\nexit codes: ",
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

// What people may have meant by a word that is no command: a collective without what to do with it, or a misspelled
// command.
static int refuse_command(const char *word)
{
    struct carillon_nearest nearest = {.word = word};
    char hint[96];
    if (carillon_algorithm_known(word))
        return complain_usage(
            "'%s' is a collective, not a command: say 'carillon plan %s -t TOPOLOGY', or run, bound, draw, compare",
            word, word);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) carillon_nearest_try(&nearest, table[i].name);
    return complain_usage("unknown command '%s'; 'carillon --help' lists them%s", word,
                          carillon_did_you_mean(&nearest, hint));
}

static int run(int argc, char **argv)
{
    if (!strcmp(argv[1], "help") && argc > 2) {
        argv[1] = argv[2], argv[2] = "--help"; // 'help plan' is 'plan --help'
    } else if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help(stdout);
        return EXIT_FINE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
        printf("carillon %s\n", carillon_version());
        return EXIT_FINE;
    }
    if (!strcmp(argv[1], "--print")) return print_docs(argc == 3 ? argv[2] : ""); // for the build, so not in the help
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(argv[1], table[i].name)) continue;
        struct options options;
        int code = options_parse(&options, &table[i], argc - 2, argv + 2);
        if (code) return code;
        if (!options.help) {
            progress_start("working");
            code = table[i].run(&options);
            progress_end();
            return code;
        }
        options_help(&table[i], &options, stdout);
        return EXIT_FINE;
    }
    return refuse_command(argv[1]);
}

int carillon_main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_USAGE;
    }
    output_hold_streams();
    output_remove_on_signals();
    return printed(run(argc, argv));
}
