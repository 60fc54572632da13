// SPDX-License-Identifier: Apache-2.0
/* virtual-board: runs a program with virtual boards plugged in. */
#define _GNU_SOURCE
#include "testbed.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BOARDS_MAX = 8,
    EXIT_USAGE = 1,
    EXIT_NO_COMMAND = 127,
    EXIT_SIGNAL = 128,
};

struct options {
    const char *board, *flash, *report, *preload, *netlist, *tables;
    int boards;
    bool no_driver, no_gateware;
    uint64_t seed;
    struct crl_vfaults faults;
    char **command;
};

static volatile sig_atomic_t child;

static void usage(FILE *file)
{
    fprintf(
        file,
        "usage: scripts/virtual-board [OPTION...] [--] COMMAND [ARGUMENT...]\n\n"
        "Powers up virtual boards, plugs them in, runs COMMAND, which sees them as USB devices, and powers them down.\n"
        "The exit code is COMMAND's; 128 + N when signal N ended it.\n\n"
        "  --board KIND     icebreaker (default) or hx8k; hx8k_queue, hx8k_online: an hx8k with these designs\n"
        "  --boards N       how many; 0: none is plugged in\n"
        "  --flash FILE     the flash of the first board, kept in FILE; of the others in FILE.2, FILE.3, ...\n"
        "                   Made when it is not there: erased but for a stand-in for the bitstream\n"
        "  --fault FAULT    of the first board, see below; may be given again\n"
        "  --seed N         which bits faults hit\n"
        "  --report FILE    what happened, as JSON, written when COMMAND has ended\n"
        "  --preload LIB    a library that COMMAND needs first, as libasan.so does\n"
        "  --no-driver      the kernel's serial driver has not taken the interfaces\n"
        "  --no-gateware    the FPGA is configured and does nothing\n"
        "  --tables FILE    tables baked into the bitstream, in the form that scripts/bake takes\n"
        "  --netlist FILE   the FPGA is this Verilog netlist of the design\n\nFaults:\n%s",
        crl_vfaults_help());
}

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static void fail(const char *what, const char *subject)
{
    fprintf(stderr, "virtual-board: error: %s, '%s' (see --help)\n", what, subject);
    exit(EXIT_USAGE);
}

static void parse(int argc, char **argv, struct options *options)
{
    enum { BOARD = 256, BOARDS, FLASH, FAULT, SEED, REPORT, PRELOADED, NO_DRIVER, NO_GATEWARE, NETLIST, TABLES };
    static const struct option known[] = {
        {"board", required_argument, NULL, BOARD},
        {"boards", required_argument, NULL, BOARDS},
        {"flash", required_argument, NULL, FLASH},
        {"fault", required_argument, NULL, FAULT},
        {"seed", required_argument, NULL, SEED},
        {"report", required_argument, NULL, REPORT},
        {"preload", required_argument, NULL, PRELOADED},
        {"no-driver", no_argument, NULL, NO_DRIVER},
        {"no-gateware", no_argument, NULL, NO_GATEWARE},
        {"netlist", required_argument, NULL, NETLIST},
        {"tables", required_argument, NULL, TABLES},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    uint64_t n;
    int c;

    *options = (struct options){.board = "icebreaker", .boards = 1, .seed = 1};
    while ((c = getopt_long(argc, argv, "+h", known, NULL)) != -1) switch (c) {
        case BOARD: options->board = optarg; break;
        case BOARDS:
            if (!parse_number(optarg, &n) || n > BOARDS_MAX) fail("the number of boards is 0 to 8", optarg);
            options->boards = (int)n;
            break;
        case FLASH: options->flash = optarg; break;
        case FAULT:
            if (!crl_vfaults_add(&options->faults, optarg)) fail("no such fault", optarg);
            break;
        case SEED:
            if (!parse_number(optarg, &options->seed)) fail("not a number", optarg);
            break;
        case REPORT: options->report = optarg; break;
        case PRELOADED: options->preload = optarg; break;
        case NO_DRIVER: options->no_driver = true; break;
        case NO_GATEWARE: options->no_gateware = true; break;
        case NETLIST:
            if (!(options->netlist = realpath(optarg, NULL))) fail("the netlist cannot be read", optarg);
            break;
        case TABLES:
            if (access(optarg, R_OK)) fail("the tables cannot be read", optarg);
            options->tables = optarg;
            break;
        case 'h': usage(stdout); exit(0);
        default: exit(EXIT_USAGE);
        }
    if (options->netlist && options->tables) fail("a netlist has its own tables", options->tables);
    if (!crl_vboard_kind(options->board)) fail("no such board", options->board);
    options->command = argv + optind;
    if (optind == argc) {
        usage(stderr);
        exit(EXIT_USAGE);
    }
}

static void say(const char *text) { fprintf(stderr, "virtual-board: %s\n", text); }

static int run_child(const struct options *options)
{
    int status;

    child = fork();
    if (child < 0) fail("no new process", strerror(errno));
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* without this process there is no board, and nobody to answer */
        if (options->preload) {
            char *all = g_strdup_printf("%s:%s", options->preload, getenv("LD_PRELOAD"));

            setenv("LD_PRELOAD", all, 1);
        }
        /* Root may open anything; this takes that right from the program it will be. */
        if (options->faults.deny) prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        execvp(options->command[0], options->command);
        fprintf(stderr, "virtual-board: error: %s, '%s'\n", strerror(errno), options->command[0]);
        _exit(EXIT_NO_COMMAND);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return EXIT_NO_COMMAND;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNAL + WTERMSIG(status);
}

static void pass_on(int number)
{
    if (child > 0) kill(child, number);
}

static void report(const char *path, const struct crl_vboard *boards, const struct crl_vusb *usb, int n)
{
    FILE *file = fopen(path, "w");

    if (!file) fail("the report cannot be written", path);
    fprintf(file, "{\"boards\": [");
    for (int i = 0; i < n; i++) {
        const struct crl_vflash_counts flash = crl_vflash_counts(boards[i].flash);

        fprintf(file, "%s\n  {\"serial\": \"%s\", \"transfers\": %" PRIu64 ", \"flash_units\": %" PRIu64, i ? "," : "",
                boards[i].serial, usb[i].transfers, flash.units);
        fprintf(file, ", \"erased_sectors\": %" PRIu64 ", \"programmed_bytes\": %" PRIu64, flash.erased_sectors,
                flash.programmed_bytes);
        fprintf(file, ", \"clocks\": %" PRIu64 ", \"configurations\": %" PRIu64 ", \"contentions\": %" PRIu64,
                boards[i].counts.clocks, boards[i].counts.configurations, boards[i].counts.contentions);
        fprintf(file, ", \"framing_errors\": %" PRIu64, boards[i].counts.framing_errors);
        fprintf(file, ", \"drivers_detached\": %" PRIu64 ", \"drivers_attached\": %" PRIu64, usb[i].detached,
                usb[i].attached);
        fprintf(file, ", \"released\": %s, \"configured\": %s, \"present\": %s}",
                crl_vboard_released(&boards[i]) ? "true" : "false", boards[i].configured ? "true" : "false",
                usb[i].absent ? "false" : "true");
    }
    fprintf(file, "\n]}\n");
    if (fclose(file)) fail("the report cannot be written", path);
}

int main(int argc, char **argv)
{
    static struct crl_vboard boards[BOARDS_MAX];
    static struct crl_vusb usb[BOARDS_MAX];
    static const struct crl_vfaults none;
    const struct crl_vtop_ops *ops = NULL;
    struct crl_vtestbed *testbed;
    struct options options;
    char error[4096];
    int result, n = 0;

    parse(argc, argv, &options);
    if (crl_vtestbed_preload(argv)) fail("the program cannot be started again", strerror(errno));
    if (!options.no_gateware && !(ops = crl_vtop_load(options.board, options.netlist, say, error, sizeof error))) {
        fprintf(stderr, "virtual-board: error: %s\n", error);
        return EXIT_USAGE;
    }
    testbed = crl_vtestbed_new();
    for (; n < options.boards; n++) {
        const struct crl_vfaults *faults = n ? &none : &options.faults;
        char *path = !options.flash ? NULL
                     : n            ? g_strdup_printf("%s.%d", options.flash, n + 1)
                                    : g_strdup(options.flash);

        if (crl_vboard_open(&boards[n], crl_vboard_kind(options.board), n + 1, path, &faults->flash, ops,
                            options.tables, options.seed + (uint64_t)n)) {
            fprintf(stderr, "virtual-board: error: the flash cannot be opened: %s, '%s'\n", strerror(errno), path);
            g_free(path);
            result = EXIT_USAGE;
            goto out;
        }
        g_free(path);
        crl_vusb_init(&usb[n], &boards[n], faults, !options.no_driver);
        if (crl_vtestbed_plug(testbed, n, &usb[n], faults->deny)) {
            n++;
            result = EXIT_USAGE;
            goto out;
        }
    }
    signal(SIGINT, pass_on);
    signal(SIGTERM, pass_on);
    result = run_child(&options);
out:
    crl_vtestbed_free(testbed);
    if (options.report) report(options.report, boards, usb, n);
    while (n--) crl_vboard_close(&boards[n]);
    return result;
}
