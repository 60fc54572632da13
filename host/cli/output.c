// SPDX-License-Identifier: Apache-2.0
// Files that are whole or not there, signals, and what the library says.
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Temporary names of the files being written, for the signal handler: at most an image or schedule and a trace at once.
enum { OPEN_MAX_FILES = 4 };
static struct output *volatile open_files[OPEN_MAX_FILES];

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING_COUNT = sizeof ending / sizeof *ending };

// While a device is held it must be left usable: a signal is then only noted. It may not even break off a system call,
// since half a USB transfer looks like a fault of the board. Another thread may still be the one that is told.
static volatile sig_atomic_t deferring, noted;

static void hold_signals(bool held)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < ENDING_COUNT; i++) sigaddset(&set, ending[i]);
    if (!held) // whoever held the device has seen them
        while (sigtimedwait(&set, NULL, &(struct timespec){0}) > 0) noted = 1;
    pthread_sigmask(held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static void on_holding(void *user, bool held)
{
    (void)user;
    if (held) noted = 0;
    deferring = held;
    hold_signals(held);
    signal(SIGPIPE, held ? SIG_IGN : SIG_DFL);
}

// Whether the clock of the kernel has ticked since somebody asked: searches ask so often that calls of the system would
// take a third of their time.
static bool has_ticked(void)
{
    static _Atomic long last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return atomic_exchange(&last, now.tv_nsec) != now.tv_nsec;
}

static bool is_cancelled(void *user)
{
    (void)user;
    sigset_t set;
    if (deferring && has_ticked() && !sigpending(&set))
        for (int i = 0; i < ENDING_COUNT; i++)
            if (sigismember(&set, ending[i]) > 0) noted = 1;
    return noted;
}

static void on_signal(int number)
{
    if (deferring) {
        noted = 1;
        return;
    }
    for (int i = 0; i < OPEN_MAX_FILES; i++)
        if (open_files[i] && open_files[i]->temp[0]) unlink(open_files[i]->temp);
    _exit(128 + number);
}

void output_hold_streams(void)
{
    while (true) {
        int descriptor = open("/dev/null", O_RDONLY); // writing there fails, as it must
        if (descriptor < 0 || descriptor > STDERR_FILENO) {
            if (descriptor >= 0) close(descriptor);
            return;
        }
    }
}

void output_remove_on_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    signal(SIGXFSZ, SIG_IGN); // then writing fails, with the reason, and the half of a file goes
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < ENDING_COUNT; i++) {
        struct sigaction before;
        if (!sigaction(ending[i], NULL, &before) &&
            (ending[i] != SIGHUP || before.sa_handler != SIG_IGN)) // nohup must keep working
            sigaction(ending[i], &action, NULL);
    }
}

static void remember(struct output *output, bool open)
{
    for (int i = 0; i < OPEN_MAX_FILES; i++)
        if (open ? !open_files[i] : open_files[i] == output) {
            open_files[i] = open ? output : NULL;
            return;
        }
}

int output_open(struct output *output, const char *path, struct crl_diag *diag)
{
    struct stat status;
    *output = (struct output){.path = path};
    if (!path || !strcmp(path, "-")) {
        progress_end(); // it may be the same terminal
        output->path = NULL;
        output->file = stdout;
        return 0;
    }
    if (!stat(path, &status) && !S_ISREG(status.st_mode)) { // a pipe or device cannot be replaced
        output->file = fopen(path, "wb");
        if (!output->file) return fail(diag, CRL_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
        return 0;
    }
    if (snprintf(output->temp, sizeof output->temp, "%s.XXXXXX", path) >= (int)sizeof output->temp)
        return fail(diag, CRL_ERR_IO, "the name '%.80s…' is too long", path);
    remember(output, true);
    int descriptor = mkstemp(output->temp);
    if (descriptor < 0) {
        output->temp[0] = 0;
        remember(output, false);
        return fail(diag, CRL_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    output->file = fdopen(descriptor, "wb");
    return output->file ? 0 : fail(diag, CRL_ERR_MEMORY, "out of memory");
}

int output_close(struct output *output, int error, struct crl_diag *diag)
{
    if (!output->file) return error;
    int reason = errno; // of a write that failed just now
    bool bad = ferror(output->file);
    if (!bad && (fflush(output->file) || (output->temp[0] && fsync(fileno(output->file))))) {
        bad = true;
        reason = errno;
    }
    if (output->file != stdout && fclose(output->file) && !bad) {
        bad = true;
        reason = errno;
    }
    if (bad && (!error || error == CRL_ERR_IO)) // the library knows neither the file's name nor the reason
        error = output->path ? fail(diag, CRL_ERR_IO, "cannot write '%s': %s", output->path, strerror(reason))
                             : fail(diag, CRL_ERR_IO, "cannot write to standard output: %s", strerror(reason));
    if (output->temp[0]) {
        if (!error && rename(output->temp, output->path))
            error = fail(diag, CRL_ERR_IO, "cannot write '%s': %s", output->path, strerror(errno));
        if (error) unlink(output->temp);
    }
    remember(output, false);
    output->file = NULL;
    return error;
}

bool ends_in(const char *text, const char *suffix)
{
    size_t length = text ? strlen(text) : 0, tail = strlen(suffix);
    return length > tail && !strcmp(text + length - tail, suffix);
}

bool is_file(const char *path) { return path && strcmp(path, "-"); }

// ---------------------------------------------------------------- what the library says

static void on_progress(void *user, const char *doing, uint64_t done, uint64_t total)
{
    (void)user;
    progress_at(doing, done, total);
}

static void on_message(void *user, const char *text)
{
    (void)user;
    if (isatty(STDERR_FILENO)) progress_say(text);
}

static void on_warning(void *user, const char *text)
{
    (void)user;
    progress_say(text);
}

static struct crl_context reporting = {.message = on_message,
                                       .progress = on_progress,
                                       .cancelled = is_cancelled,
                                       .holding = on_holding,
                                       .warning = on_warning};

const struct crl_context *context(void) { return &reporting; }
void context_share(const struct carillon_share *share) { reporting.share = share; }
