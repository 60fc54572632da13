// SPDX-License-Identifier: Apache-2.0
// What the module adds to carillon.h: a watch over a call, which asks Python now and then whether to go on.
#include <carillon/carillon.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// Those are Python's; cffi defines them behind this.
static void carillon_python_poll(void *handle);
static void carillon_python_progress(void *handle, const char *doing, uint64_t done, uint64_t total);
static void carillon_python_say(void *handle, bool warning, const char *text);

struct carillon_watch {
    void *handle;          // of the object in Python
    bool stop;             // whether the call is to end; set with the interpreter's lock held, and only to true
    bool listens;          // somebody wants to see progress
    bool main;             // the call was made by the thread that gets signals, which is
    pthread_t thread;      // this one
    double polled, showed; // when Python was last asked, and told
};

// Python is asked ten times a second: a call back costs more than what lies between two of them.
static bool carillon_watch_due(double *last)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    double seconds = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    if (seconds - *last < 0.1) return false;
    *last = seconds;
    return true;
}

static void carillon_watch_poll(struct carillon_watch *watch)
{
    if (watch->main && pthread_equal(watch->thread, pthread_self()) && carillon_watch_due(&watch->polled))
        carillon_python_poll(watch->handle); // there signals that came meanwhile become exceptions
}

static bool carillon_watch_cancelled(void *user)
{
    struct carillon_watch *watch = user;
    if (!__atomic_load_n(&watch->stop, __ATOMIC_RELAXED)) carillon_watch_poll(watch);
    return __atomic_load_n(&watch->stop, __ATOMIC_RELAXED);
}

static void carillon_watch_progress(void *user, const char *doing, uint64_t done, uint64_t total)
{
    struct carillon_watch *watch = user;
    if (watch->listens && pthread_equal(watch->thread, pthread_self()) && carillon_watch_due(&watch->showed))
        carillon_python_progress(watch->handle, doing, done, total);
}

static void carillon_watch_message(void *user, const char *text)
{
    carillon_python_say(((struct carillon_watch *)user)->handle, false, text);
}

static void carillon_watch_warning(void *user, const char *text)
{
    carillon_python_say(((struct carillon_watch *)user)->handle, true, text);
}

// Before a call, by the thread that makes it.
static void carillon_watch_start(struct carillon_watch *watch, bool main, bool listens)
{
    watch->stop = false;
    watch->main = main;
    watch->listens = listens;
    watch->thread = pthread_self();
    watch->polled = watch->showed = 0;
    carillon_watch_due(&watch->polled);
}

static void carillon_watch_context(struct carillon_watch *watch, struct crl_context *context)
{
    context->progress = carillon_watch_progress;
    context->cancelled = carillon_watch_cancelled;
    context->message = carillon_watch_message;
    context->warning = carillon_watch_warning;
    context->user = watch;
}
