// SPDX-License-Identifier: Apache-2.0
// The USB layer against devices that exist in usbfs only: what is attached, who may use it, and what a transfer that
// fails leaves behind: every transfer of a flash, of a load and of a run, in every way.
//
// usage: usb_seam [STRIDE NEVER]   under umockdev-wrapper. Every STRIDEth transfer fails in each way, the next way one
// transfer further on; every NEVERth is never answered, which costs seconds.
#include "usb_device.h"
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

static struct unit u;
static struct crl_image image;

static struct device *plug(int number, const char *product, const char *serial)
{
    return attach(number, product, serial, &image, &u.problem);
}

// ---- which boards there are

static void expect_open(const char *kind, const char *serial, const char *chosen, const char *words)
{
    struct crl_board *board;
    struct crl_diag diag = {0};
    int error = crl_board_open(&board, kind, serial, NULL, &diag);
    assert_int_equal(error, chosen ? 0 : CRL_ERR_DEVICE);
    if (chosen) assert_string_equal(crl_board_which(board)->serial, chosen);
    else if (!strstr(diag.text, words)) fail_msg("no '%s' in: %s", words, diag.text);
    crl_board_close(board);
}

static void test_choice(void **state)
{
    (void)state;
    struct crl_board_found *found;
    size_t count;
    expect_open(NULL, NULL, NULL, "no board found");
    struct device *cable = plug(2, "Dual RS232-HS", "xyz"); // the same bridge chip, but no board
    expect_open(NULL, NULL, NULL, "no board found");
    struct device *one = plug(3, "iCEBreaker V1.0e", "ib1");
    expect_open(NULL, NULL, "ib1", NULL);
    expect_open(NULL, "ib1", "ib1", NULL);
    expect_open(NULL, "ib2", NULL, "no board is called 'ib2'; attached: ib1 (icebreaker)");
    struct device *two = plug(4, "Lattice FTUSB Interface Cable", "");
    expect_open(NULL, NULL, NULL, "2 boards are attached; say which with --serial: ib1 (icebreaker), 001:004 (hx8k)");
    expect_open(NULL, "001:004", "", NULL);
    expect_open("hx8k", NULL, "", NULL);
    expect_open("icebreaker", NULL, "ib1", NULL);
    expect_open("hx8k", "ib1", NULL, "no hx8k is called 'ib1'; attached: ib1 (icebreaker), 001:004 (hx8k)");
    struct device *three = plug(5, "iCEBreaker V1.0e", "ib1");
    expect_open(NULL, "ib1", NULL, "2 boards have the serial number 'ib1'");
    expect_open(NULL, "001:005", "ib1", NULL);
    assert_int_equal(crl_board_list(&found, &count, NULL), 0);
    assert_int_equal(count, 3);
    free(found);
    detach(cable, 2);
    detach(one, 3);
    detach(two, 4);
    detach(three, 5);
}

// ---- transfers

static const struct crl_board_watch *watch;

static int with_board(struct device *d, int (*work)(struct crl_board *, struct crl_diag *), struct crl_diag *diag)
{
    struct crl_board *board;
    *diag = (struct crl_diag){0};
    d->transfers = 0;
    d->silent = -1;
    int error = crl_board_open(&board, NULL, NULL, watch, diag);
    if (!error) error = work(board, diag);
    crl_board_close(board);
    return error;
}

static int do_flash(struct crl_board *board, struct crl_diag *diag)
{
    struct crl_board_stored stored;
    return crl_board_flash(board, &image, &u.problem, 1, &stored, diag);
}

static int do_load(struct crl_board *board, struct crl_diag *diag)
{
    return crl_board_load(board, &image, &u.problem, 1, diag);
}

static void test_drivers(void **state)
{
    (void)state;
    struct crl_diag diag;
    struct device *d = plug(2, "iCEBreaker V1.0e", "ib1");
    d->driver[0] = d->driver[1] = true;
    if (with_board(d, do_flash, &diag)) fail_msg("%s", diag.text);
    assert_int_equal(d->detached, 2);
    assert_int_equal(d->attached, 2);
    assert_left_as_found(d, true);
    d->busy = true;
    assert_int_equal(with_board(d, do_load, &diag), CRL_ERR_DEVICE);
    assert_non_null(strstr(diag.text, "another program uses the board"));
    assert_left_as_found(d, true);
    detach(d, 2);
}

// A program that was killed never read these answers: the next one must not take them for its own.
static void test_leftovers(void **state)
{
    static const uint8_t synchronized[] = {0xfa, 0xaa}, zeros[3 * PACKET];
    static const struct {
        const uint8_t *bytes;
        size_t count;
    } left[] = {{synchronized, sizeof synchronized}, {zeros, 1}, {zeros, sizeof zeros}};
    (void)state;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        struct crl_diag diag;
        struct device *d = plug(2, "iCEBreaker V1.0e", "ib1");
        memcpy(d->flash.reply, left[i].bytes, left[i].count);
        d->flash.filled = left[i].count;
        if (with_board(d, do_flash, &diag)) fail_msg("%zu bytes left: %s", left[i].count, diag.text);
        detach(d, 2);
    }
}

// Fills, plays, and reads back; what came back is right.
static int do_run(struct crl_board *board, struct crl_diag *diag)
{
    int error = crl_board_play(board, &image, &u.problem, 1, 1, diag);
    if (error) return error;
    assert_int_equal(design_mismatches(board, &u, &image), 0);
    assert_string_equal(design_verdict(board, &u, &image), "ok");
    return 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const struct work {
    const char *name;
    int (*run)(struct crl_board *, struct crl_diag *);
    bool loaded; // the board must have the schedule
} works[] = {{"flash", do_flash, false}, {"load", do_load, false}, {"run", do_run, true}};
enum { WORKS = sizeof works / sizeof *works, SHARES = 8 };

// The faults are shared by processes, as most of their time is waiting for what does not come. What they count:
static struct count {
    long transfers, cases[FAULTS], failed[FAULTS]; // the others were got over
} * counts;                                        // [WORKS], in shared memory
static long share, stride = 1, never_stride = 1;

// One run with a fault at transfer `at`, and one without afterwards.
static void run_with_fault(struct device *d, const struct work *work, enum fault fault, long at)
{
    static const char *const words[FAULTS] = {"", "gone", "refused a USB transfer", "USB error", "", "does not answer"};
    struct crl_diag diag;
    double begin = seconds();
    d->fault = fault;
    d->fail_at = at;
    int error = with_board(d, work->run, &diag);
    // What gets lost on the serial link is asked for again; on the other interface it is an error.
    if (error != CRL_ERR_DEVICE && (error || (fault != SHORT && fault != NEVER)))
        fail_msg("%s, fault %d at %ld: %d: %s", work->name, (int)fault, at, error, diag.text);
    if (error && fault != SHORT && !strstr(diag.text, words[fault]))
        fail_msg("%s, fault %d at %ld: %s", work->name, (int)fault, at, diag.text);
    assert_true(seconds() - begin < 15);
    assert_int_equal(d->count, 0);
    if (fault == UNPLUG) {
        d->gone = d->claimed[0] = d->claimed[1] = false;
        d->driver[0] = d->driver[1] = true;
        d->flash.mode = d->flash.outputs = 0;
    }
    d->fail_at = -1;
    assert_left_as_found(d, true);
    if (with_board(d, work->run, &diag))
        fail_msg("%s, after fault %d at %ld: %s", work->name, (int)fault, at, diag.text);
    assert_left_as_found(d, true);
    __atomic_add_fetch(&counts[work - works].cases[fault], 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&counts[work - works].failed[fault], error != 0, __ATOMIC_SEQ_CST);
}

static void faults_everywhere(const struct work *work)
{
    struct crl_diag diag;
    struct device *d = plug(2, "iCEBreaker V1.0e", "ib1");
    d->driver[0] = d->driver[1] = true;
    if (work->loaded && with_board(d, do_load, &diag)) fail_msg("%s", diag.text);
    if (with_board(d, work->run, &diag)) fail_msg("%s: %s", work->name, diag.text);
    long transfers = counts[work - works].transfers = d->transfers;
    assert_true(transfers > 20);
    for (int fault = UNPLUG; fault <= SHORT; fault++)
        for (long at = share * stride + fault % stride; at < transfers; at += SHARES * stride)
            run_with_fault(d, work, (enum fault)fault, at);
    for (long at = share * never_stride; at < transfers; at += SHARES * never_stride)
        run_with_fault(d, work, NEVER, at);
    detach(d, 2);
}

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKS; i++) faults_everywhere(&works[i]);
}

// Runs the shares; false if one fails.
static bool run_shares(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};
    pid_t parent = getpid(), pids[SHARES];
    bool good = true;
    counts = mmap(NULL, sizeof *counts * WORKS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED) return false;
    for (share = 0; share < SHARES; share++) {
        pids[share] = fork();
        if (pids[share]) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) exit(1);
        testbed = umockdev_testbed_new();
        int failed = cmocka_run_group_tests(tests, NULL, NULL);
        g_object_unref(testbed);
        crl_image_done(&image);
        unit_close(&u);
        exit(failed != 0);
    }
    for (int i = 0; i < SHARES; i++) {
        int status;
        good &= pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i] && WIFEXITED(status) && !WEXITSTATUS(status);
    }
    return good;
}

static void report_shares(void)
{
    static const char *const names[FAULTS] = {"", "unplug", "stall", "error", "short", "never"};
    for (size_t i = 0; i < WORKS; i++) {
        printf("%s: %ld transfers", works[i].name, counts[i].transfers);
        for (int f = UNPLUG; f < FAULTS; f++)
            printf("%s %s: %ld cases, %ld errors", f == UNPLUG ? ";" : ",", names[f], counts[i].cases[f],
                   counts[i].failed[f]);
        putchar('\n');
    }
}

// ---- interruption

static bool stop_at(void *user)
{
    int *steps = user;
    return (*steps)-- == 0;
}

static void interrupt_everywhere(const struct work *work, int least)
{
    struct crl_diag diag;
    struct device *d = plug(2, "iCEBreaker V1.0e", "ib1");
    int stops = 0, error;
    d->driver[0] = d->driver[1] = true;
    if (work->loaded && with_board(d, do_load, &diag)) fail_msg("%s", diag.text);
    do {
        int steps = stops;
        watch = &(struct crl_board_watch){.interrupted = stop_at, .user = &steps};
        error = with_board(d, work->run, &diag);
        assert_true(!error || error == CRL_ERR_INTERRUPTED);
        assert_left_as_found(d, true);
        watch = NULL;
        stops += error != 0;
    } while (error);
    if (stops < least) fail_msg("only %d stops", stops);
    detach(d, 2);
}

static void test_interrupt(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKS; i++) interrupt_everywhere(&works[i], 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_drivers),
        cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_interrupt),
    };
    const char *preload = getenv("LD_PRELOAD");
    if (!preload || !strstr(preload, "umockdev")) return fputs("usb_seam: run it under umockdev-wrapper\n", stderr), 1;
    if (argc > 2) stride = atol(argv[1]), never_stride = atol(argv[2]);
    unit_plan(&u, unit_schemes[0], 3, 0);
    struct crl_lower_options how = {1, 1, 1, 16, 0, 0};
    if (crl_lower(&image, &u.schedule, &u.problem, "binomial", &how, &u.diag)) return 1;
    bool good = run_shares(); // before there are threads
    testbed = umockdev_testbed_new();
    good &= !cmocka_run_group_tests(tests, NULL, NULL);
    report_shares();
    crl_image_done(&image);
    unit_close(&u);
    g_object_unref(testbed);
    return !good;
}
