// SPDX-License-Identifier: Apache-2.0
// carillon: finds the command and runs it.
#include "cli.h"
#include <errno.h>
#include <string.h>

// Options that several commands take, beside NETWORK: those of a collective on it.
#define TRAFFIC " demands matrix group program period nowait"
#define PROBLEM NETWORK TRAFFIC " root active to counts dimension chunks items time operands full-duplex"

static const struct command table[] = {
    {"list", "[WORD]", "List collectives, networks and schemes, with their bounds and papers.",
     "With WORD, only the algorithms and schemes whose names begin with it; with -t, only those for that network.\n"
     "Topologies are spelled hypercube:4, torus:4x4x3, mesh:5x5, ring:5, path:6, complete:7, ghc:3x4, products of "
     "them\n"
     "as ring:5*path:3, graph:FILE (lines 'A B'), fat-tree:4, star:8, dragonfly:4, slim-fly:5, twisted-torus:8x4,\n"
     "gen-kautz:4x32, cayley:120,102 (permutations; docs/formats/graph.md), logp:P=8,L=6,o=2,g=4.\n"
     "In bounds, N is the number of nodes, d of dimensions, p of nodes along one dimension, M of active nodes; B(P) "
     "is\n"
     "the time of an optimal broadcast.\n"
     "Papers: B91 is Bertsekas et al., Optimal Communication Algorithms for Hypercubes, JPDC 11 (1991);\n"
     "K93 is Karp et al., Optimal Broadcast and Summation in the LogP Model, SPAA 1993;\n"
     "S93 is Stamoulis and Tsitsiklis, IEEE Trans. Parallel Distrib. Syst. 4 (1993), for 'carillon dynamic': the "
     "bound\n"
     "of these schemes is the load that they carry. V94 is Varvarigos and Bertsekas, Dynamic Broadcasting in Parallel\n"
     "Computing (1994).\n"
     "Examples: carillon list all-to-all\n"
     "          carillon list -t torus:4x4",
     "topology json", 0, 1, command_list},
    {"bound", "ALGORITHM -t TOPOLOGY", "Prove a lower bound on the number of slots.",
     "Prints the best lower bound that the program can prove for any schedule, and the reason, without planning one.\n"
     "--certificate FILE writes the proof, which 'carillon certify' judges.\n"
     "Example: carillon bound all-to-all -t torus:4x4",
     PROBLEM " certificate refute seed parts streams word link alpha quiet json", 1, 1, command_bound},
    {"plan", "ALGORITHM -t TOPOLOGY", "Plan a schedule.",
     "Without -o the schedule goes to standard output; with --json the summary goes there instead.\n"
     "--format writes it for MSCCL (msccl-xml), MSCCL++ (mscclpp-json), LogGOPSim (goal) or Chakra (chakra), as gate\n"
     "control lists of a network of switches (tsn-gcl), or as traffic for ns-3 and others (traffic-csv); with\n"
     "simgrid-platform it writes the network for SimGrid. With --spare, -o DIR has the plan and one for each failure.\n"
     "Examples: carillon plan all-to-all -t hypercube:3 -o te.csv\n"
     "          carillon plan k-item-broadcast -t logp:P=10,L=3 --items 8\n"
     "          carillon plan monotone-routing -t mesh:4x4 --active 3,9,15 --to 2,5-6",
     PROBLEM " spare keep slack output certificate refute scheme effort seed parts tp relative streams words op format "
             "latency bandwidth slot-ns word link alpha quiet json",
     1, 1, command_plan},
    {"check", "FILE -a ALGORITHM -t TOPOLOGY", "Judge a schedule from any source.",
     "FILE is CSV: a line 'slot,src,dst,packet', then one line for each transmission. '-' is standard input.\n"
     "'carillon explain ID' says more about a finding.\n"
     "Example: carillon check te.csv -a all-to-all -t hypercube:3",
     PROBLEM " algorithm certificate refute seed parts relative streams quiet json", 1, 1, command_check},
    {"import", "FILE -t TOPOLOGY", "Read the plan of another tool as a schedule, and judge it.",
     "FILE is a plan for MSCCL (XML) or MSCCL++ (JSON), GOAL text (also on LogP machines), a Chakra trace (JSON), a "
     "CSV\n"
     "of TACOS or the trees of ForestColl. The format is recognized by how the file begins; --format names it. If the\n"
     "file does not say what it achieves, -a does. Steps without a slot get the earliest that the rules allow, and "
     "the\n"
     "summary says so. -o writes the schedule as CSV, even if it breaks rules; docs/formats/plans.md has more.\n"
     "Messages for which nothing says what they achieve become a traffic; --write-demands FILE writes its demands, "
     "for\n"
     "'plan' and 'check'.\n"
     "Example: carillon import plan.xml -t complete:8 -o plan.csv",
     NETWORK TRAFFIC " algorithm output write-demands root active to counts dimension parts part chunks items time "
                     "operands full-duplex format quiet json",
     1, 1, command_import},
    {"certify", "FILE -a ALGORITHM -t TOPOLOGY", "Judge a certificate of a bound from any source.",
     "FILE is what --certificate of bound, plan and check writes; '-' is standard input. It is accepted (exit code 0)\n"
     "if it proves that no schedule takes fewer slots than it says. The checker computes with integers only and knows\n"
     "nothing about how bounds are found; scripts/certify is a second one.\n"
     "Example: carillon certify te.cert -a all-to-all -t mesh:4x4",
     NETWORK TRAFFIC " algorithm root parts chunks quiet json", 1, 1, command_certify},
    {"build", "ALGORITHM -t TOPOLOGY -o IMAGE", "Plan, check and lower a schedule: write the image that routers play.",
     "Without --scheme, --from and --banks it takes, among the schemes that need as few slots as the default, one for\n"
     "routers without a write crossbar, if it finds one within a second or two.\n"
     "The image of a scheme of 'carillon dynamic' has the forwarding tables of its routers.\n"
     "Examples: carillon build all-to-all -t hypercube:3 -o te.img\n"
     "          carillon build direct -t hypercube:3 -o direct.img",
     PROBLEM
     " keep slack output scheme effort seed parts from relative lanes banks streams words width op blocking quiet json",
     1, 1, command_build},
    {"emit", "ALGORITHM|IMAGE... -t TOPOLOGY -o DIRECTORY",
     "Write a self-contained fabric: RTL, tables and a test bench.",
     "In the directory, 'make lint sim-verilator sim-icarus synth-ice40' works by itself. The top has the words of a "
     "node\n"
     "as streams, --streams of them each way (default: as many as lanes); streams.csv says which packets they carry, "
     "in\n"
     "which order. IMAGE must have been built with --streams. With --protocol axis several of them make one fabric, "
     "and\n"
     "its input op_i says which one a round plays. With --boards there is a directory for each board, one with a test\n"
     "bench that plays all of them, and cables.csv. With --spare the fabric holds a spare plan for each single "
     "failure\n"
     "of a link or a node, too, and op_i says which plan a round plays.\n"
     "Example: carillon emit all-to-all -t torus:4x4 -o fabric && make -C fabric lint sim-icarus",
     NETWORK TRAFFIC " output top top-ports protocol language tables table-files target reset-banks row-stages absent "
                     "force scheme root active to counts dimension chunks seed parts from relative spare lanes banks "
                     "streams words width op quiet json",
     1, CARILLON_EMITTED_MAX, command_emit},
    {"dump", "IMAGE", "Print an image: its tables row by row, and where the packets lie.",
     "--format is text, json, readmemh (a table for $readmemh, with its exact depth), c (a header) or board (the "
     "table\n"
     "memory of an FPGA board, for scripts/bake).",
     "output format table json", 1, 1, command_dump},
    {"run", "ALGORITHM|IMAGE -t TOPOLOGY", "Plan, simulate in RTL and verify, in one step.",
     "Plans and checks the schedule, compiles it to tables, plays them in RTL and on a model, compares every word on\n"
     "every link with the schedule, and judges the result. It stops at the first word that differs and shows both "
     "sides.\n"
     "IMAGE is a file made by 'build'. Without --scheme it takes the same scheme as 'build', for the cheapest "
     "routers.\n"
     "Example: carillon run all-to-all -t hypercube:4",
     PROBLEM " keep slack scheme effort parts tp from relative lanes banks streams words width op engine board serial "
             "seed rounds fail spare ppm cable cable-errors unplug noise reboot other-plan threads trace replay wave "
             "depth quiet json",
     1, 1, command_run},
    {"diff", "TRACE TRACE", "Show the first difference between two traces.",
     "A trace is text, a line 'cycle node port data' for each word, sorted; 'carillon run --trace' writes it.", "json",
     2, 2, command_diff},
    {"draw", "ALGORITHM|IMAGE -t TOPOLOGY", "Draw a schedule: a page that plays it, or a still picture.",
     "FILE.html is a page for a browser: it shows the network with its packets, slot by slot, and views linked with "
     "it,\n"
     "and needs no other file. With --from it also shows a schedule that breaks rules, and where. With --beside FILE "
     "it\n"
     "shows two schedules side by side, and with --trace FILE of 'run --trace' (and the options of that run) what "
     "differs\n"
     "from the schedule.\n"
     "FILE.svg, FILE.png or FILE.pdf is a picture. --view says of what: table (a column for each slot, a row for each\n"
     "link, the packets in the cells), network (with --slot N its packets), space-time, tree (the paths of the packets "
     "of\n"
     "one node), heat (how often each link is used). Without -o the picture goes to standard output as SVG.\n"
     "Examples:\n"
     "  carillon draw all-to-all -t hypercube:4 -o te.html\n"
     "  carillon draw broadcast -t hypercube:4 --view tree -o tree.pdf",
     PROBLEM " keep slack output view slot caption columns scheme effort seed parts relative from beside lanes banks "
             "words width trace",
     1, 1, command_draw},
    {"compare", "[FILE...] -a ALGORITHM -t TOPOLOGY",
     "Compare schedules from files with those of Carillon, side by side.",
     "Prints one line for each schedule: the verdict, the slots and the best bound known, the transmissions, how many\n"
     "packets a node must hold, and what its router needs. Schemes that cannot plan the problem are left out, and a "
     "note\n"
     "says why. A file that breaks rules is shown, and the exit code is 4. --format is text, csv, markdown or latex.\n"
     "Examples: carillon compare all-to-all -t torus:4x4\n"
     "          carillon compare te.csv -a all-to-all -t torus:4x4 --format markdown",
     PROBLEM " algorithm output seed parts relative lanes banks words width word link alpha format", 0, OPERANDS_MAX,
     command_compare},
    {"front", "ALGORITHM -t TOPOLOGY", "Show the slots of a sum for each number of chunks, beside the bound.",
     "ALGORITHM is all-reduce, reduce or scan. Some numbers of chunks up to 256 are planned; any other number up to\n"
     "--chunks, at most 1000000, is covered by several of these plans, one after the other. -o FILE.svg draws it.\n"
     "Example: carillon front all-reduce -t mesh:4x4 --chunks 1000",
     PROBLEM " output scheme effort seed format json", 1, 1, command_front},
    {"board", "list|flash|load|run|status|read|verify|reset [IMAGE]", "Play on an FPGA board over USB.",
     "list            list the boards that are attached\n"
     "flash IMAGE     write the flash bank that is not in use; it is used from the next power-up or reset on.\n"
     "                IMAGE is made by build --lanes 1 --width 16, or is a bitstream for the board\n"
     "load IMAGE      load it into the board until the board loses its power\n"
     "run [IMAGE]     play what the board has, compare every link word with schedule and model, judge the result;\n"
     "                IMAGE may be left out if it was flashed or loaded from this computer\n"
     "status          say what each board does, and of several boards what their cables say\n"
     "read            show what the board has, and why; -o FILE writes its packet memories, lines 'node address data'\n"
     "verify IMAGE    say whether the board uses it, or has it in its flash\n"
     "reset           restart the FPGA, as at power-up\n"
     "With --boards all, or --boards SERIAL,SERIAL,..., load and run take an image of several boards (build --boards,\n"
     "with --streams 1) and all devices that are these boards, in this order or in that of their serial numbers;\n"
     "-o of run writes the own words of the last round and those that came, lines 'node,direction,index,packet,word'.\n"
     "docs/board.md has more. Example:\n"
     "  carillon build all-to-all -t hypercube:3 --lanes 1 --width 16 -o te.img\n"
     "  carillon board flash te.img && carillon board reset && carillon board run",
     "output board boards serial seed rounds trace quiet json", 1, 2, command_board},
    {"dynamic", "SCHEME -t hypercube:D --rho R",
     "Measure broadcasts that arrive at random: delay, queues and stability.",
     "SCHEME is naive, periodic, direct, indirect, indirect-nonidling or balanced (Stamoulis and Tsitsiklis 1993).\n"
     "Every node generates packets in a Poisson stream, and each packet goes to all other nodes. The delay D lasts "
     "from\n"
     "generation to the end of the slot in which the last node has the packet; Q is the mean number of packets stored "
     "at\n"
     "a node. Several schemes (direct,indirect), loads (0.05:0.50:0.05) or cubes (hypercube:5..8) are a sweep, which "
     "runs\n"
     "on all cores and writes a CSV file; when it is started again it computes only what the file does not have.\n"
     "--blocking: queues of --depth packets hold senders back when they are full, and every source always has a "
     "packet;\n"
     "for indirect and balanced, whose queues cannot deadlock. --engine both compares RTL and model in every slot.\n"
     "SCHEME pmnb: on-line partial all-gathers, one directly after the other, on a torus or an array, beside the bound "
     "of\n"
     "Varvarigos and Bertsekas 1994. Times are in slots of a whole packet, and a step of counting takes --tp of them; "
     "at\n"
     "most --depth packets wait at a node, and several loads are a sweep. In RTL its routers begin the next all-gather "
     "by\n"
     "themselves; --engine both compares every link word with the model.\n"
     "Examples: carillon dynamic direct -t hypercube:8 --rho 0.3\n"
     "          carillon dynamic pmnb -t torus:8x8 --rho 0.3 --tp 0.1 --engine both\n"
     "          carillon dynamic indirect -t hypercube:4 --blocking --stall 0.1 --engine both",
     "topology rho tp slots warmup seed depth blocking stall engine threads trace replay wave output quiet json", 1, 1,
     command_dynamic},
    {"explain", "FINDING", "Say what a finding of the checker means and what to do about it.",
     "Without FINDING it lists all of them, one a line.", "", 0, 1, command_explain},
    {"explain-sum", "ALGORITHM|IMAGE -t TOPOLOGY", "Say in which order the values of a sum are added.",
     "Prints one line for each sum: the nodes that end with it, and its expression, in which a number stands for the\n"
     "value of that node. The left operand of + is what a node held, the right one what arrived. docs/formats/sums.md "
     "says\n"
     "what the order depends on.\n"
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
    fputs("\nTo begin with:\n"
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
