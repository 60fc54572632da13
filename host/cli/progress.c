// SPDX-License-Identifier: Apache-2.0
// What is being done, on one line of standard error where that is a terminal: drawn by a thread of its own, so that
// nothing which takes long is silent, whatever it is and whether or not it can say how far it is.
#include "cli.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 200, QUIET_MS = 600, WIDTH = 30 }; // quiet: what is over sooner is not worth a line

static struct {
    pthread_mutex_t lock;
    const char *what; // NULL: nothing is being done
    uint64_t done, total;
    double since, command; // when this, and when the command, began
    bool shown;
} now = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void wipe(void)
{
    if (now.shown) fputs("\r\033[K", stderr);
    now.shown = false;
}

// Seconds up to two minutes, then minutes.
static void put_time(double seconds)
{
    if (seconds < 120) fprintf(stderr, "%.0f s", seconds);
    else fprintf(stderr, "%.0f min", seconds / 60);
}

static void draw(void)
{
    double passed = clock_ms() - now.since;
    fprintf(stderr, "\r\033[K%s", now.what);
    if (now.total) {
        fputs(" [", stderr);
        for (uint64_t i = 0; i < WIDTH; i++) fputc(i * now.total < now.done * WIDTH ? '#' : ' ', stderr);
        fprintf(stderr, "] %3d%%", (int)(100. * (double)now.done / (double)now.total));
    }
    if (now.total && now.done && now.done <= now.total) {
        fputs(", ", stderr);
        put_time(passed / 1e3 * (double)(now.total - now.done) / (double)now.done);
        fputs(" left", stderr);
    } else {
        fputs(" … ", stderr);
        put_time((clock_ms() - now.command) / 1e3);
    }
    fflush(stderr);
    now.shown = true;
}

static void *tick(void *unused)
{
    (void)unused;
    while (true) {
        nanosleep(&(struct timespec){0, TICK_MS * 1000000L}, NULL);
        pthread_mutex_lock(&now.lock);
        if (now.what && (now.shown || clock_ms() - now.command > QUIET_MS)) draw();
        pthread_mutex_unlock(&now.lock);
    }
    return NULL;
}

void progress_start(const char *what)
{
    pthread_t thread;
    sigset_t all, before;
    now.command = clock_ms();
    if (!isatty(STDERR_FILENO)) return;
    sigfillset(&all); // signals are for the thread that works
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!pthread_create(&thread, NULL, tick, NULL)) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    progress_at(what, 0, 0);
}

void progress_at(const char *what, uint64_t done, uint64_t total)
{
    pthread_mutex_lock(&now.lock);
    if (!now.what || strcmp(now.what, what) || total != now.total) now.since = clock_ms();
    now.what = what;
    now.done = done;
    now.total = total;
    pthread_mutex_unlock(&now.lock);
}

void progress_end(void)
{
    pthread_mutex_lock(&now.lock);
    wipe();
    now.what = NULL;
    pthread_mutex_unlock(&now.lock);
}

void progress_say(const char *text)
{
    pthread_mutex_lock(&now.lock);
    wipe();
    fprintf(stderr, "carillon: %s\n", text);
    pthread_mutex_unlock(&now.lock);
}
