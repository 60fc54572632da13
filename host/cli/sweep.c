// SPDX-License-Identifier: Apache-2.0
// Many points on all cores. Each finished point is a line of FILE.part at once; when all are there they go to FILE in
// order. A sweep that is started again takes from both what it finds there, so an interrupted one goes on.
#include "sweep.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sweep {
    const struct point *points;
    const struct options *options;
    size_t count, next, done;
    char **line; // [count] NULL: to be computed
    FILE *part;
    pthread_mutex_t lock;
    int error;
    struct crl_diag diag;
};

static int key_of(const struct sweep *s, size_t i, char *key, size_t size, struct crl_diag *diag)
{
    const struct point *p = &s->points[i];
    return carillon_traffic_key(key, size, p->scheme, p->topology, p->rho, &s->options->flow, diag);
}

// Takes whole lines of points of this sweep from an earlier file, if it is there.
static void take_from(struct sweep *s, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[2048], key[512];
    while (file && fgets(line, sizeof line, file)) {
        size_t length = strlen(line);
        if (!length || line[length - 1] != '\n') continue; // cut off
        line[length - 1] = 0;
        for (size_t i = 0; i < s->count; i++) {
            if (s->line[i] || key_of(s, i, key, sizeof key, NULL) || strncmp(line, key, strlen(key))) continue;
            s->line[i] = strdup(line);
            s->done += s->line[i] != NULL;
        }
    }
    if (file) fclose(file);
}

static int run_point(const struct sweep *s, size_t i, char **line, struct crl_diag *diag)
{
    const struct point *p = &s->points[i];
    struct carillon_traffic traffic;
    int error =
        carillon_traffic_run(&traffic, NULL, p->scheme, p->topology, p->rho, &s->options->flow, NULL, NULL, diag);
    if (error) return error;
    free(traffic.json);
    *line = strdup(traffic.line);
    return *line ? 0 : fail(diag, CRL_ERR_MEMORY, "out of memory");
}

// The next point that is to be run; s->count: there is none.
static size_t next_point(struct sweep *s)
{
    while (s->next < s->count && s->line[s->next]) s->next++;
    return s->error || s->next == s->count ? s->count : s->next++;
}

static void keep(struct sweep *s, size_t i, char *line, int error, struct crl_diag *diag)
{
    s->line[i] = line;
    if (!error && (fprintf(s->part, "%s\n", line) < 0 || fflush(s->part) || fsync(fileno(s->part))))
        error = fail(diag, CRL_ERR_IO, "cannot write '%s.part': %s", s->options->output, strerror(errno));
    if (error && !s->error) {
        s->error = error;
        s->diag = *diag;
    }
    progress_at("points", ++s->done, s->count);
}

static void *work(void *user)
{
    struct sweep *s = user;
    pthread_mutex_lock(&s->lock);
    for (size_t i; (i = next_point(s)) < s->count;) {
        char *line = NULL;
        struct crl_diag diag = {0};
        pthread_mutex_unlock(&s->lock);
        int error = run_point(s, i, &line, &diag);
        pthread_mutex_lock(&s->lock);
        keep(s, i, line, error, &diag);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

// ---- on ranks

static struct {
    struct sweep_ranks ranks;
    bool shared;
} sharing;

void sweep_share(const struct sweep_ranks *ranks)
{
    sharing.ranks = *ranks;
    sharing.shared = ranks->ranks > 1;
}

bool sweep_shared(void) { return sharing.shared; }

static void hand_out(struct sweep *s)
{
    const struct sweep_ranks *r = &sharing.ranks;
    for (uint32_t workers = r->ranks - 1; workers;) {
        struct point_done done;
        uint32_t rank = r->await(r->user, &done);
        if (done.point != UINT64_MAX) {
            char *line = done.error ? NULL : strdup(done.line);
            if (!line && !done.error) done.error = fail(&done.diag, CRL_ERR_MEMORY, "out of memory");
            keep(s, done.point, line, done.error, &done.diag);
        }
        size_t i = next_point(s);
        workers -= i == s->count;
        r->give(r->user, rank, i == s->count ? UINT64_MAX : i);
    }
}

// Nothing is said here: rank 0 says what went wrong with a point.
static void run_handed_out(const struct sweep *s)
{
    const struct sweep_ranks *r = &sharing.ranks;
    struct point_done done = {.point = UINT64_MAX};
    while ((done.point = r->next(r->user, &done)) != UINT64_MAX) {
        char *line = NULL;
        done.error = run_point(s, done.point, &line, &done.diag);
        snprintf(done.line, sizeof done.line, "%s", line ? line : "");
        free(line);
    }
}

static void run_threads(struct sweep *s)
{
    enum { THREADS_MAX = 64 };
    pthread_t threads[THREADS_MAX];
    long cores = s->options->flow.threads ? (long)s->options->flow.threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (s->options->flow.engine && !strcmp(s->options->flow.engine, "board")) cores = 1; // there is one board
    size_t want = cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (size_t)cores, started = 0;
    while (started + 1 < want && !pthread_create(&threads[started], NULL, work, s)) started++;
    work(s);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

// A line's dropped and result columns, wherever the line comes from.
static bool is_good(const char *line)
{
    enum { DROPPED = 14 };
    for (int column = 0; line && column < DROPPED; column++) {
        line = strchr(line, ',');
        line += line != NULL;
    }
    return line && !strncmp(line, "0,ok,", 5);
}

// Complains of points that went wrong. The file is complete all the same: it says which.
static int judge(const struct sweep *s, struct crl_diag *diag)
{
    size_t bad = 0, first = 0;
    for (size_t i = s->count; i-- > 0;)
        if (!is_good(s->line[i])) {
            bad++;
            first = i;
        }
    if (!bad) return 0;
    return fail(diag, CRL_ERR_MISMATCH,
                "%zu of %zu points lost packets or have a bad result; the first is %s on %s at ρ = %g", bad, s->count,
                s->points[first].scheme, s->points[first].topology, s->points[first].rho);
}

static int finish(struct sweep *s, const char *part, struct crl_diag *diag)
{
    struct output output;
    int error = output_open(&output, s->options->output, diag);
    if (!error) {
        fprintf(output.file, "%s\n", carillon_traffic_columns());
        for (size_t i = 0; i < s->count; i++) fprintf(output.file, "%s\n", s->line[i]);
    }
    error = output_close(&output, error, diag);
    if (!error) unlink(part);
    return error;
}

static int run_all(struct sweep *s, const char *part, struct crl_diag *diag)
{
    take_from(s, part);
    take_from(s, s->options->output);
    s->part = fopen(part, "a");
    if (!s->part) {
        s->error = fail(diag, CRL_ERR_IO, "cannot write '%s': %s", part, strerror(errno));
        if (sharing.shared) hand_out(s); // nothing: the others go home
        return s->error;
    }
    if (ftell(s->part) > 0) fputc('\n', s->part); // ends a line that was cut off
    progress_at("points", 0, s->count);
    if (sharing.shared) hand_out(s);
    else if (s->done < s->count) run_threads(s);
    progress_end();
    fclose(s->part);
    if (s->error) *diag = s->diag;
    return s->error;
}

int sweep(const struct point *points, size_t count, const struct options *options, struct crl_diag *diag)
{
    struct sweep s = {.points = points, .options = options, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
    char part[4096], key[512];
    if (snprintf(part, sizeof part, "%s.part", options->output) >= (int)sizeof part)
        return fail(diag, CRL_ERR_ARGUMENT, "the name '%.60s…' is too long", options->output);
    for (size_t i = 0; i < count; i++) { // before anything is begun
        int error = key_of(&s, i, key, sizeof key, diag);
        if (error) return error;
    }
    if (sharing.shared && sharing.ranks.rank) {
        run_handed_out(&s);
        return 0;
    }
    s.line = calloc(count, sizeof *s.line);
    int error = s.line ? run_all(&s, part, diag) : fail(diag, CRL_ERR_MEMORY, "out of memory");
    if (!error) error = finish(&s, part, diag);
    if (!error) error = judge(&s, diag);
    for (size_t i = 0; s.line && i < count; i++) free(s.line[i]);
    free(s.line);
    return error;
}
