// SPDX-License-Identifier: Apache-2.0
// A fault at every transfer of a command on the virtual board. The board is powered up once; each case gets a copy of
// it by fork(), runs the command with a fault at one transfer, judges exit code, message and what is left behind, and
// then runs the next command, which must succeed: on the same board, or, where it was unplugged, after a power cycle.
//
// usage: fault_sweep [OPTION...] FLASH COMMAND... -- NEXT...
#include "testbed.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CODES = 256,
    HANG = -1,
    JOBS_MAX = 64,
    OUTPUT_MAX = 4096,
};

// What happens at a transfer, how the command may end then, and what it must say if it does not end well.
static const struct kind {
    const char *name;
    enum crl_vfault_kind fault;
    bool signal;
    const char *codes; // besides 0, which is right where the fault came too late to matter
    bool harmless;     // the command may do it again, and end well
    const char *words[3];
} kinds[] = {
    {"unplug", CRL_VFAULT_UNPLUG, false, " 2 ", false, {"the board is gone", "no board found"}},
    {"error", CRL_VFAULT_ERROR, false, " 2 ", false, {"USB error", "does not answer"}},
    {"stall", CRL_VFAULT_STALL, false, " 2 ", false, {"refused a USB transfer", "does not answer"}},
    {"short", CRL_VFAULT_SHORT, false, " 2 3 ", true, {""}},
    {"nak", CRL_VFAULT_NAK, false, " 2 ", true, {"does not answer"}},
    {"corrupt", CRL_VFAULT_CORRUPT, false, " 2 3 ", true, {""}},
    {"signal", CRL_VFAULT_NONE, true, " 130 ", true, {"interrupted"}}, // or SIGTERM
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct {
    const char *board, *chosen, *flash;
    bool no_gateware;
    long stride, jobs, seconds;
    char **command, **next;
    const struct crl_vtop_ops *design;
} options = {
    .board = "icebreaker", .chosen = "unplug,error,stall,short,nak,signal", .stride = 1, .jobs = 2, .seconds = 60};

struct result {
    int code;
    uint64_t transfers;
    char wrong[OUTPUT_MAX + 256]; // "": nothing
};

static struct crl_vboard board;

static _Noreturn void die(const char *what, const char *subject)
{
    fprintf(stderr, "fault_sweep: %s: %s\n", what, subject);
    exit(1);
}

static void pause_us(long us) { nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL); }

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// ---- one command on a board

static struct crl_vtestbed *plug(struct crl_vusb *usb, const struct crl_vfaults *faults)
{
    struct crl_vtestbed *testbed = crl_vtestbed_new();
    crl_vusb_init(usb, &board, faults, true);
    if (crl_vtestbed_plug(testbed, 0, usb, false)) _exit(1);
    return testbed;
}

static pid_t start(char **command, int output)
{
    pid_t pid = fork();
    if (pid) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(*command, command);
    _exit(127);
}

// Runs a command to its end; HANG if there is none. With a signal, that is sent at transfer `at`.
static int run(char **command, const struct crl_vusb *usb, int signal, uint64_t at, char *output)
{
    const volatile uint64_t *transfers = &usb->transfers;
    FILE *file = tmpfile();
    if (!file) _exit(1);
    pid_t pid = start(command, fileno(file));
    double deadline = seconds() + (double)options.seconds;
    int status, code = HANG;
    while (pid > 0 && seconds() < deadline) {
        if (waitpid(pid, &status, WNOHANG) == pid) {
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            break;
        }
        if (signal && *transfers >= at) {
            kill(pid, signal);
            signal = 0;
        }
        pause_us(signal ? 50 : 1000);
    }
    if (code == HANG && pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    rewind(file);
    output[fread(output, 1, OUTPUT_MAX - 1, file)] = 0;
    fclose(file);
    return code;
}

// What the command must have given back. umockdev's thread learns of its end a little later.
static const char *left_behind(const struct crl_vusb *usb)
{
    const volatile struct crl_vusb *now = usb;
    if (usb->absent) return NULL;
    for (int i = 0; i < 1000 && (now->owner[0] || now->owner[1]); i++) pause_us(1000);
    if (now->owner[0] || now->owner[1]) return "an interface is still claimed";
    if (!now->driver[0] || !now->driver[1]) return "the serial driver was not put back";
    if (!crl_vboard_released(&board)) return "pins were not given back";
    if (board.counts.contentions) return "two drove one pin";
    return NULL;
}

static void wrong(struct result *result, const char *what, int code, const char *output)
{
    if (!*result->wrong) snprintf(result->wrong, sizeof result->wrong, "%s (exit %d): %s", what, code, output);
}

static void judge(struct result *result, const struct kind *kind, uint64_t at, const struct crl_vusb *usb,
                  const char *output)
{
    char code[16];
    // A poll of an interface that has nothing to say, and is not asked any more, may fail unnoticed.
    bool matters = usb->transfers >= at && !(usb->struck & 0x80), said = false;
    snprintf(code, sizeof code, " %d ", result->code);
    if (result->code == HANG) wrong(result, "no end", HANG, output);
    else if (result->code && !strstr(kind->codes, code)) wrong(result, "wrong exit code", result->code, output);
    else if (!result->code && matters && !kind->harmless) wrong(result, "unnoticed", 0, output);
    for (int i = 0; i < 3 && kind->words[i]; i++) said |= strstr(output, kind->words[i]) != NULL;
    if (result->code && (!said || !strstr(output, "error: "))) wrong(result, "unclear", result->code, output);
    const char *left = left_behind(usb);
    if (left) wrong(result, left, result->code, output);
}

// Powers the board up from a copy of what its flash holds.
static void power_cycle(void)
{
    static const struct crl_vflash_faults none;
    char path[] = "sweep.XXXXXX";
    size_t size;
    const uint8_t *bytes = crl_vflash_bytes(board.flash, &size);
    int file = mkstemp(path);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || close(file)) _exit(1);
    crl_vboard_close(&board);
    if (crl_vboard_open(&board, crl_vboard_kind(options.board), 1, path, &none, options.design, NULL, 1)) _exit(1);
    unlink(path);
}

// A case, in a process of its own; with no kind the command is run as it is.
static void run_case(struct result *result, const struct kind *kind, uint64_t at)
{
    static struct crl_vfaults faults;
    static struct crl_vusb usb;
    char output[OUTPUT_MAX];
    if (kind && kind->fault) faults = (struct crl_vfaults){.transfer = {{kind->fault, at, at}}, .transfers = 1};
    struct crl_vtestbed *testbed = plug(&usb, &faults);
    const int signal = !kind || !kind->signal ? 0 : at % 2 ? SIGINT : SIGTERM;
    result->code = run(options.command, &usb, signal, at, output);
    result->transfers = usb.transfers;
    if (kind) judge(result, kind, at, &usb, output);
    else if (result->code) wrong(result, "without a fault", result->code, output);
    faults.transfers = 0;
    if (usb.absent) {
        crl_vtestbed_free(testbed);
        power_cycle();
        testbed = plug(&usb, NULL);
    }
    int code = run(options.next, &usb, 0, 0, output);
    if (code) wrong(result, "the next run", code, output);
    crl_vtestbed_free(testbed);
}

// ---- all of them

struct cases {
    struct result *results; // shared with the processes of the cases
    const struct kind **kind;
    uint64_t *at;
    size_t count;
    double began;
};

static pid_t begin_case(const struct cases *cases, size_t i)
{
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) die("no new process", strerror(errno));
    if (pid) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whoever ends the sweep ends all of it
    if (getppid() != parent) _exit(1);
    run_case(&cases->results[i], cases->kind[i], cases->at[i]);
    _exit(0);
}

static void run_cases(const struct cases *cases)
{
    long running = 0;
    int status;
    for (size_t i = 0; i < cases->count || running; running--) {
        for (; running < options.jobs && i < cases->count; i++, running++) begin_case(cases, i);
        if (wait(&status) > 0 && (!WIFEXITED(status) || WEXITSTATUS(status))) die("a case", "did not end well");
    }
}

static struct result *share(size_t count)
{
    void *all = mmap(NULL, count * sizeof(struct result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) die("no memory", strerror(errno));
    return all;
}

// How many transfers the command takes when nothing goes wrong.
static uint64_t count_transfers(void)
{
    const struct kind *none = NULL;
    struct cases one = {share(1), &none, &(uint64_t){0}, 1, 0};
    run_cases(&one);
    if (*one.results->wrong) die("the command fails", one.results->wrong);
    return one.results->transfers;
}

static bool is_chosen(const struct kind *kind)
{
    const size_t length = strlen(kind->name);
    const char *at = options.chosen;
    while ((at = strstr(at, kind->name)) && at[length] && at[length] != ',') at++;
    return at && (at == options.chosen || at[-1] == ',');
}

// Says what came of the cases of a kind; returns how many went wrong.
static size_t report(const struct cases *cases, const struct kind *kind)
{
    size_t all = 0, bad = 0, codes[CODES] = {0};
    for (size_t i = 0; i < cases->count; i++) {
        const struct result *r = &cases->results[i];
        if (cases->kind[i] != kind) continue;
        all++;
        if (r->code >= 0) codes[r->code]++;
        if (*r->wrong) bad++;
        if (*r->wrong) printf("%s@%llu: %s\n", kind->name, (unsigned long long)cases->at[i], r->wrong);
    }
    printf("  %-8s %5zu cases:", kind->name, all);
    for (int c = 0; c < CODES; c++)
        if (codes[c]) printf(" exit %d %zu times,", c, codes[c]);
    printf(" wrong %zu\n", bad);
    return bad;
}

static int sweep(void)
{
    uint64_t transfers = count_transfers();
    const size_t most = KINDS * (size_t)transfers;
    struct cases cases = {share(most), calloc(most, sizeof *cases.kind), calloc(most, sizeof *cases.at), 0, seconds()};
    size_t bad = 0;
    if (!cases.kind || !cases.at) die("no memory", "cases");
    for (size_t k = 0; k < KINDS; k++)
        for (uint64_t at = 1 + k * (uint64_t)options.stride / KINDS; is_chosen(&kinds[k]) && at <= transfers;
             at += (uint64_t)options.stride) {
            cases.kind[cases.count] = &kinds[k];
            cases.at[cases.count++] = at;
        }
    run_cases(&cases);
    printf("%llu transfers, %zu cases, %.0f s\n", (unsigned long long)transfers, cases.count, seconds() - cases.began);
    for (size_t k = 0; k < KINDS; k++)
        if (is_chosen(&kinds[k])) bad += report(&cases, &kinds[k]);
    free(cases.kind);
    free(cases.at);
    return bad != 0;
}

// ---- the board

static void say(const char *text) { fprintf(stderr, "fault_sweep: %s\n", text); }

// From here on the flash is this process's own, and each of its children has a copy.
static void keep_flash(void)
{
    size_t size;
    uint8_t *bytes = crl_vflash_bytes(board.flash, &size);
    int file = open(options.flash, O_RDONLY | O_CLOEXEC);
    if (file < 0 || mmap(bytes, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
        die(options.flash, strerror(errno));
    close(file);
}

static void power_up(void)
{
    static const struct crl_vflash_faults none;
    char error[4096];
    if (!crl_vboard_kind(options.board)) die("no such board", options.board);
    if (!options.no_gateware && !(options.design = crl_vtop_load(options.board, NULL, say, error, sizeof error)))
        die("the design", error);
    if (access(options.flash, R_OK) ||
        crl_vboard_open(&board, crl_vboard_kind(options.board), 1, options.flash, &none, options.design, NULL, 1))
        die(options.flash, strerror(errno));
    keep_flash();
}

static long number(const char *text, long most)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || n < 1 || n > most) die("not a number in range", text);
    return n;
}

static void parse(int argc, char **argv)
{
    static const struct option known[] = {
        {"board", required_argument, NULL, 'b'},
        {"no-gateware", no_argument, NULL, 'g'},
        {"kinds", required_argument, NULL, 'k'},
        {"stride", required_argument, NULL, 's'},
        {"jobs", required_argument, NULL, 'j'},
        {"seconds", required_argument, NULL, 't'},
        {0},
    };
    for (int c; (c = getopt_long(argc, argv, "+", known, NULL)) != -1;) switch (c) {
        case 'b': options.board = optarg; break;
        case 'g': options.no_gateware = true; break;
        case 'k': options.chosen = optarg; break;
        case 's': options.stride = number(optarg, 1000000); break;
        case 'j': options.jobs = number(optarg, JOBS_MAX); break;
        case 't': options.seconds = number(optarg, 3600); break; // patience with one command
        default: exit(1);
        }
    options.flash = argv[optind];
    options.command = options.next = argv + optind + (optind < argc);
    while (*options.next && strcmp(*options.next, "--")) options.next++;
    if (options.next == options.command || !*options.next || !options.next[1]) die("usage", "see the source");
    *options.next++ = NULL;
}

int main(int argc, char **argv)
{
    if (crl_vtestbed_preload(argv)) die("it cannot be started again", strerror(errno));
    parse(argc, argv);
    power_up();
    int result = sweep();
    crl_vboard_close(&board);
    return result;
}
