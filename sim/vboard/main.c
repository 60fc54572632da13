// SPDX-License-Identifier: Apache-2.0
/* virtual-board: runs a program with virtual boards plugged in. */
#define _GNU_SOURCE
#include "rack.h"
#include "testbed.h"

#include <errno.h>
#include <jansson.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BOARDS_MAX = 8, /* and one to replace another */
    EXIT_USAGE = 1,
    EXIT_NO_COMMAND = 127,
    EXIT_SIGNAL = 128,
};

struct options {
    char *board, *flash, *report, *preload, *netlist, *tables;
    int boards, ppm;
    gboolean no_driver, no_gateware;
    gint64 seed;
    struct crl_vfaults faults;
    struct crl_vrack rack;
    char **command;
};

static volatile sig_atomic_t child;

static void fail(const char *what, const char *subject)
{
    fprintf(stderr, "virtual-board: error: %s, '%s' (see --help)\n", what, subject);
    exit(EXIT_USAGE);
}

static gboolean add_fault(const char *option, const char *text, void *options, GError **error)
{
    (void)option;
    if (crl_vfaults_add(&((struct options *)options)->faults, text)) return TRUE;
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "no such fault, '%s'", text);
    return FALSE;
}

static gboolean add_cable(const char *option, const char *text, void *options, GError **error)
{
    (void)option;
    if (crl_vrack_add(&((struct options *)options)->rack, g_strdup(text))) return TRUE;
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "a cable is A.I-B.J or A.I-B.J:FILE, not '%s'", text);
    return FALSE;
}

static void parse(char **argv, struct options *o)
{
    *o = (struct options){.board = "icebreaker", .boards = 1, .seed = 1};
    const GOptionEntry known[] = {
        {"board", 0, 0, G_OPTION_ARG_STRING, &o->board,
         "icebreaker (default), hx8k; hx8k_sums, hx8k_queue, hx8k_online, hx8k_cube, hx8k_torus: an hx8k with these "
         "designs",
         "KIND"},
        {"boards", 0, 0, G_OPTION_ARG_INT, &o->boards, "how many; 0: none is plugged in", "N"},
        {"cable", 0, 0, G_OPTION_ARG_CALLBACK, (void *)add_cable,
         "joins cable I (from 0) of board A (from 1) to cable J of board B; while FILE is there it is pulled out; may "
         "be given again",
         "A.I-B.J[:FILE]"},
        {"ppm", 0, 0, G_OPTION_ARG_INT, &o->ppm,
         "with --cable: the clocks of the boards range evenly from P ppm slower to P ppm faster", "P"},
        {"flash", 0, 0, G_OPTION_ARG_FILENAME, &o->flash,
         "the flash of the first board, kept in FILE; of the others in FILE.2, FILE.3, ... Made when it is not there: "
         "erased but for a stand-in for the bitstream",
         "FILE"},
        {"fault", 0, 0, G_OPTION_ARG_CALLBACK, (void *)add_fault, "of the first board, see below; may be given again",
         "FAULT"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "which bits faults hit, and what registers hold at power-up", "N"},
        {"report", 0, 0, G_OPTION_ARG_FILENAME, &o->report, "what happened, as JSON, written when COMMAND has ended",
         "FILE"},
        {"preload", 0, 0, G_OPTION_ARG_FILENAME, &o->preload, "a library that COMMAND needs first, as libasan.so does",
         "LIB"},
        {"no-driver", 0, 0, G_OPTION_ARG_NONE, &o->no_driver, "the kernel's serial driver has not taken the interfaces",
         NULL},
        {"no-gateware", 0, 0, G_OPTION_ARG_NONE, &o->no_gateware, "the FPGA is configured and does nothing", NULL},
        {"tables", 0, 0, G_OPTION_ARG_FILENAME, &o->tables,
         "tables baked into the bitstream, in the form that scripts/bake takes", "FILE"},
        {"netlist", 0, 0, G_OPTION_ARG_FILENAME, &o->netlist, "the FPGA is this Verilog netlist of the design", "FILE"},
        {0},
    };
    GOptionContext *context = g_option_context_new("[--] COMMAND [ARGUMENT...]");
    GOptionGroup *group = g_option_group_new("virtual-board", "", "", o, NULL);
    char *faults = g_strconcat("Faults:\n", crl_vfaults_help(), NULL);
    GError *error = NULL;
    char **rest = g_strdupv(argv); /* argv itself is needed once more */

    g_set_prgname("scripts/virtual-board");
    g_option_group_add_entries(group, known);
    g_option_context_set_main_group(context, group);
    g_option_context_set_strict_posix(context, TRUE);
    g_option_context_set_summary(
        context, "Powers up virtual boards, plugs them in, runs COMMAND, which sees them as USB devices, and powers "
                 "them\ndown. The exit code is COMMAND's; 128 + N when signal N ended it.");
    g_option_context_set_description(context, faults);
    if (!g_option_context_parse_strv(context, &rest, &error)) fail("wrong options", error->message);
    g_option_context_free(context);
    g_free(faults);
    if (o->boards < 0 || o->boards > BOARDS_MAX) fail("the number of boards is 0 to 8", "--boards");
    if (o->netlist && !(o->netlist = realpath(o->netlist, NULL))) fail("the netlist cannot be read", "--netlist");
    if (o->tables && access(o->tables, R_OK)) fail("the tables cannot be read", o->tables);
    if (o->netlist && o->tables) fail("a netlist has its own tables", o->tables);
    if (!crl_vboard_kind(o->board)) fail("no such board", o->board);
    o->command = rest + 1 + (rest[1] && !strcmp(rest[1], "--"));
    if (!*o->command) fail("which program is to be run?", "COMMAND");
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
    json_t *list = json_array(), *all = json_pack("{so}", "boards", list);

    if (!file) fail("the report cannot be written", path);
    for (int i = 0; i < n; i++) {
        const struct crl_vflash_counts flash = crl_vflash_counts(boards[i].flash);
        const struct crl_vboard_counts *counts = &boards[i].counts;

        json_array_append_new(
            list,
            json_pack("{ss sI sI sI sI sI sI sI sI sI sI sb sb sb}", "serial", boards[i].serial, "transfers",
                      (json_int_t)usb[i].transfers, "flash_units", (json_int_t)flash.units, "erased_sectors",
                      (json_int_t)flash.erased_sectors, "programmed_bytes", (json_int_t)flash.programmed_bytes,
                      "clocks", (json_int_t)counts->clocks, "configurations", (json_int_t)counts->configurations,
                      "contentions", (json_int_t)counts->contentions, "framing_errors",
                      (json_int_t)counts->framing_errors, "drivers_detached", (json_int_t)usb[i].detached,
                      "drivers_attached", (json_int_t)usb[i].attached, "released", crl_vboard_released(&boards[i]),
                      "configured", boards[i].configured, "present", !usb[i].absent));
    }
    if (json_dumpf(all, file, 0)) fail("the report cannot be written", path);
    json_decref(all);
    fputc('\n', file);
    if (fclose(file)) fail("the report cannot be written", path);
}

int main(int argc, char **argv)
{
    static struct crl_vboard boards[BOARDS_MAX + 1];
    static struct crl_vusb usb[BOARDS_MAX + 1];
    static const struct crl_vfaults none;
    const struct crl_vtop_ops *ops = NULL;
    struct crl_vtestbed *testbed;
    struct options options;
    char error[4096];
    int result, n = 0;

    (void)argc;
    parse(argv, &options);
    if (crl_vtestbed_preload(argv)) fail("the program cannot be started again", strerror(errno));
    if (!options.no_gateware && !(ops = crl_vtop_load(options.board, options.netlist, say, error, sizeof error))) {
        fprintf(stderr, "virtual-board: error: %s\n", error);
        return EXIT_USAGE;
    }
    testbed = crl_vtestbed_new();
    for (; n < options.boards + options.faults.replace; n++) {
        const struct crl_vfaults *faults = n ? &none : &options.faults;
        char *path = !options.flash ? NULL
                     : n            ? g_strdup_printf("%s.%d", options.flash, n + 1)
                                    : g_strdup(options.flash);

        if (crl_vboard_open(&boards[n], crl_vboard_kind(options.board), n + 1, path, &faults->flash, ops,
                            options.tables, (uint64_t)options.seed + (uint64_t)n)) {
            fprintf(stderr, "virtual-board: error: the flash cannot be opened: %s, '%s'\n", strerror(errno), path);
            g_free(path);
            result = EXIT_USAGE;
            goto out;
        }
        g_free(path);
        crl_vusb_init(&usb[n], &boards[n], faults, !options.no_driver);
        if (n == options.boards) crl_vtestbed_spare(testbed, n, &usb[n]);
        else if (crl_vtestbed_plug(testbed, n, &usb[n], faults->deny)) {
            n++;
            result = EXIT_USAGE;
            goto out;
        }
    }
    if (options.rack.cables) {
        const char *wrong = crl_vrack_join(&options.rack, boards, n, options.ppm);

        if (wrong) {
            fprintf(stderr, "virtual-board: error: --cable: %s\n", wrong);
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
