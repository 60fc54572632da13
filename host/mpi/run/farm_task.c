// SPDX-License-Identifier: Apache-2.0
// One task of a farm: a command line, in a process of its own, so that nothing it does is left behind.
#include "cli.h"
#include "farm.h"
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 256, KEPT_MAX = 1 << 20 }; // bytes of each stream that a result keeps

// In the child. The words are parts of `line`.
static int run(char *line)
{
    char *words[WORDS_MAX + 2] = {(char[]){"carillon"}}, *rest = NULL;
    int count = 1;
    for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (count > WORDS_MAX) return complain_usage("a task has at most %d words", WORDS_MAX);
        words[count++] = word;
    }
    return carillon_main(count, words);
}

static void become(const char *line, FILE *out, FILE *err)
{
    int nothing = open("/dev/null", O_RDONLY);
    char *own = strdup(line);
    if (nothing < 0 || !own || dup2(nothing, 0) < 0 || dup2(fileno(out), 1) < 0 || dup2(fileno(err), 2) < 0)
        _exit(EXIT_DEVICE);
    int code = run(own);
    fflush(NULL);
    _exit(code); // the parent's MPI is not the child's to end
}

// What a stream holds: a JSON value where it is one, else text; null where it is too long to be kept.
static json_t *value_of(FILE *file)
{
    char *text = malloc(KEPT_MAX + 1);
    rewind(file);
    size_t length = text ? fread(text, 1, KEPT_MAX, file) : 0;
    json_t *value = !text || getc(file) != EOF ? json_null() : json_loadb(text, length, 0, NULL);
    if (!value) value = json_stringn(text, length); // NULL where it is no UTF-8
    free(text);
    return value ? value : json_null();
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void farm_task(const char *line, char **result)
{
    FILE *out = tmpfile(), *err = tmpfile();
    int status = 0, code = EXIT_DEVICE;
    double before = now();
    fflush(NULL);
    pid_t child = out && err ? fork() : -1;
    if (!child) become(line, out, err);
    if (child > 0 && waitpid(child, &status, 0) == child)
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    json_t *object =
        json_pack("{s:s, s:i, s:f, s:o, s:o}", "task", line, "exit", code, "seconds", now() - before, "stdout",
                  out ? value_of(out) : json_null(), "stderr", err ? value_of(err) : json_null());
    *result = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (out) fclose(out);
    if (err) fclose(err);
}
