// SPDX-License-Identifier: Apache-2.0
// One process that plays what the ranks share. It is made before anything is played, and waits to be told.
#include "ranks.h"
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct alone {
    pid_t child;
    int go;    // a byte there starts it, the end of the pipe ends it
    FILE *out; // what it prints
};

static int nothing(void *user) { return user ? CRL_ERR_IO : 0; }
static int agree(void *user, uint32_t *bits)
{
    (void)bits;
    return nothing(user);
}
static int join(void *user, struct carillon_run *run)
{
    (void)run;
    return nothing(user);
}

// In the child. It writes no files, and never comes back: the parent's MPI is not the child's to end.
static void become(int argc, char **argv, int go, FILE *out, int limit)
{
    static const struct carillon_share one = {.ranks = 1, .wait = nothing, .agree = agree, .join = join};
    char byte, **words = malloc(sizeof *words * ((size_t)argc + 2));
    int to = open("/dev/null", O_RDWR), count = 0;
    if (!words || to < 0 || read(go, &byte, 1) != 1) _exit(EXIT_DEVICE);
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)limit, (rlim_t)limit});
    if (dup2(to, 0) < 0 || dup2(fileno(out), 1) < 0 || dup2(to, 2) < 0) _exit(EXIT_DEVICE);
    for (int i = 0; i < argc; i++) words[count++] = argv[i];
    words[count++] = (char[]){"--json"};
    words[count] = NULL;
    context_share(&one);
    int code = carillon_main(count, words);
    fflush(NULL);
    _exit(code);
}

struct alone *alone_new(int argc, char **argv, int limit)
{
    int pipes[2];
    struct alone *a = malloc(sizeof *a);
    FILE *out = tmpfile();
    if (!a || !out || pipe(pipes)) {
        if (out) fclose(out);
        free(a);
        return NULL;
    }
    fflush(NULL);
    *a = (struct alone){fork(), pipes[1], out};
    if (!a->child) {
        close(pipes[1]);
        become(argc, argv, pipes[0], out, limit);
    }
    close(pipes[0]);
    return a;
}

static bool digest_of(FILE *out, uint64_t *digest)
{
    rewind(out);
    json_t *summary = json_loadf(out, 0, NULL);
    const char *text = json_string_value(json_object_get(summary, "trace_digest"));
    if (text) *digest = strtoull(text, NULL, 16);
    bool there = text;
    json_decref(summary);
    return there;
}

static double seconds_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

double alone_play(struct alone *a, uint64_t *digest)
{
    int status;
    double before = seconds_of_children();
    if (a->child < 0 || write(a->go, "", 1) != 1 || waitpid(a->child, &status, 0) != a->child) return 0;
    a->child = -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) || !digest_of(a->out, digest)) return 0;
    double seconds = seconds_of_children() - before;
    return seconds > CLOCK_GRAIN ? seconds : CLOCK_GRAIN;
}

void alone_free(struct alone *a)
{
    if (!a) return;
    close(a->go);
    if (a->child > 0) waitpid(a->child, NULL, 0);
    fclose(a->out);
    free(a);
}
