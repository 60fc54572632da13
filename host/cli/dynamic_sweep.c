// SPDX-License-Identifier: Apache-2.0
// Many points on all cores. Each finished point is a line of FILE.part at once; when all are there they go to FILE in
// order. A sweep that is started again takes from both what it finds there, so an interrupted one goes on.
#include "dynamic_point.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char sweep_header[] =
    "scheme,topology,rho,slots,warmup,seed,depth,delay,delay_ci95,queue,queue_ci95,queue_max,utilization,stable,"
    "dropped,result,rho_limit,paper_delay,formula_delay,formula_queue,bound,oblivious_bound";

struct sweep {
    struct point *points;
    const struct options *options;
    size_t count, next, done;
    char **line; // [count] NULL: to be computed
    FILE *part;
    pthread_mutex_t lock;
    struct progress progress;
    int error;
    struct crl_diag diag;
};

// What tells a point from others: the first columns of its line.
static void key_of(const struct point *p, const struct options *o, char *text, size_t size)
{
    snprintf(text, size, "%s%s,%s,%.10g,%llu,%llu,%llu,%u,", p->scheme->name, o->blocking ? " blocking" : "",
             p->topology, p->rho, (unsigned long long)o->slots, (unsigned long long)o->warmup,
             (unsigned long long)o->seed, o->depth);
}

// A number, or nothing where there is none.
static void put(char *line, size_t size, double x)
{
    size_t used = strlen(line);
    if (isfinite(x)) snprintf(line + used, size - used, "%.6g", x);
    used = strlen(line);
    snprintf(line + used, size - used, ",");
}

static char *line_of(const struct point *p, const struct options *o)
{
    const struct crl_dynamic_result *r = &p->result;
    char line[1024], word[64];
    bool indirect = !strcmp(p->scheme->name, "indirect") && !o->blocking, direct = !strcmp(p->scheme->name, "direct");
    key_of(p, o, line, sizeof line);
    put(line, sizeof line, r->delay.mean);
    put(line, sizeof line, r->delay.ci95);
    put(line, sizeof line, r->queue.mean);
    put(line, sizeof line, r->queue.ci95);
    put(line, sizeof line, (double)r->queue_max);
    put(line, sizeof line, r->utilization_all);
    snprintf(word, sizeof word, "%s,%llu,%s,", r->stable ? "true" : "false", (unsigned long long)r->dropped, r->result);
    strncat(line, word, sizeof line - strlen(line) - 1);
    put(line, sizeof line, p->limit);
    put(line, sizeof line, direct ? crl_s93_simulated(p->d, p->rho) : NAN);
    put(line, sizeof line,
        indirect                               ? crl_s93_indirect_delay(p->d, p->rho)
        : direct                               ? crl_s93_approximation(p->d, p->rho)
        : !strcmp(p->scheme->name, "periodic") ? crl_s93_periodic_delay(p->d, p->rho)
                                               : NAN);
    put(line, sizeof line, indirect ? crl_s93_indirect_queue(p->d, p->rho) : NAN);
    put(line, sizeof line, crl_s93_bound(p->d, p->rho));
    put(line, sizeof line, crl_s93_oblivious_bound(p->d, p->rho));
    line[strlen(line) - 1] = 0;
    return strdup(line);
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
            key_of(&s->points[i], s->options, key, sizeof key);
            if (s->line[i] || strncmp(line, key, strlen(key))) continue;
            s->line[i] = strdup(line);
            s->done += s->line[i] != NULL;
        }
    }
    if (file) fclose(file);
}

static void *work(void *user)
{
    struct sweep *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->error) {
        while (s->next < s->count && s->line[s->next]) s->next++;
        if (s->next == s->count) break;
        struct point *point = &s->points[s->next];
        char **line = &s->line[s->next++];
        struct crl_diag diag = {0};
        pthread_mutex_unlock(&s->lock);
        int error = point_run(point, s->options, NULL, NULL, &diag);
        pthread_mutex_lock(&s->lock);
        if (!error && !(*line = line_of(point, s->options))) error = crl_fail(&diag, CRL_ERR_MEMORY, "out of memory");
        if (!error && (fprintf(s->part, "%s\n", *line) < 0 || fflush(s->part) || fsync(fileno(s->part))))
            error = crl_fail(&diag, CRL_ERR_IO, "cannot write '%s.part'", s->options->output);
        if (error && !s->error) {
            s->error = error;
            s->diag = diag;
        }
        progress_at(&s->progress, ++s->done);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void run_threads(struct sweep *s)
{
    enum { THREADS_MAX = 64 };
    pthread_t threads[THREADS_MAX];
    long cores = options_given(s->options, "threads") ? (long)s->options->threads : sysconf(_SC_NPROCESSORS_ONLN);
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
    return crl_fail(diag, CRL_ERR_MISMATCH,
                    "%zu of %zu points lost packets or have a bad result; the first is %s on %s at ρ = %g", bad,
                    s->count, s->points[first].scheme->name, s->points[first].topology, s->points[first].rho);
}

static int finish(struct sweep *s, const char *part, struct crl_diag *diag)
{
    struct output output;
    int error = output_open(&output, s->options->output, diag);
    if (!error) {
        fprintf(output.file, "%s\n", sweep_header);
        for (size_t i = 0; i < s->count; i++) fprintf(output.file, "%s\n", s->line[i]);
    }
    error = output_close(&output, error, diag);
    if (!error) unlink(part);
    return error;
}

int sweep(struct point *points, size_t count, const struct options *options, struct crl_diag *diag)
{
    struct sweep s = {.points = points, .options = options, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
    char part[4096];
    if (snprintf(part, sizeof part, "%s.part", options->output) >= (int)sizeof part)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the name '%.60s…' is too long", options->output);
    s.line = calloc(count, sizeof *s.line);
    if (!s.line) return crl_fail(diag, CRL_ERR_MEMORY, "out of memory");
    take_from(&s, part);
    take_from(&s, options->output);
    s.part = fopen(part, "a");
    if (!s.part) {
        free(s.line);
        return crl_fail_at(diag, CRL_ERR_IO, part, 0, 0, "%s", strerror(errno));
    }
    if (ftell(s.part) > 0) fputc('\n', s.part); // ends a line that was cut off
    progress_begin(&s.progress, "points", count);
    if (s.done < count) run_threads(&s);
    progress_end(&s.progress);
    fclose(s.part);
    int error = s.error;
    if (error && diag) *diag = s.diag;
    if (!error) error = finish(&s, part, diag);
    if (!error) error = judge(&s, diag);
    for (size_t i = 0; i < count; i++) free(s.line[i]);
    free(s.line);
    return error;
}
