// SPDX-License-Identifier: Apache-2.0
// The tasks of a farm, and which of them an earlier one has done.
#define _GNU_SOURCE // getline
#include "cli.h"
#include "farm.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int out_of_memory(void) { return complain(CRL_ERR_MEMORY, &(struct crl_diag){.text = "out of memory"}); }

static int refuse(const char *path, const char *why)
{
    struct crl_diag diag;
    return complain(fail(&diag, CRL_ERR_IO, "cannot read '%.300s': %s", path, why), &diag);
}

static int add_task(struct farm_list *list, const char *line)
{
    if (!(list->count & (list->count - 1))) { // a power of two: full
        size_t room = list->count ? 2 * list->count : 1;
        char **lines = realloc(list->line, sizeof *lines * room);
        if (lines) list->line = lines;
        if (!lines) return CRL_ERR_MEMORY;
    }
    list->line[list->count] = strdup(line);
    return list->line[list->count++] ? 0 : CRL_ERR_MEMORY;
}

// Lines without the blanks around them; empty ones and comments are no tasks.
int farm_read_tasks(struct farm_list *list, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return refuse(path, strerror(errno));
    char *line = NULL;
    size_t room = 0;
    int error = 0;
    for (ssize_t length; !error && (length = getline(&line, &room, file)) >= 0;) {
        char *first = line + strspn(line, " \t");
        for (char *end = line + length; end > first && strchr(" \t\r\n", end[-1]);) *--end = 0;
        if (*first && *first != '#') error = add_task(list, first);
    }
    if (!error && ferror(file)) error = refuse(path, strerror(errno));
    free(line);
    fclose(file);
    list->done = calloc(list->count + 1, sizeof *list->done);
    return error || !list->done ? out_of_memory() : 0;
}

void farm_list_done(struct farm_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->line[i]);
    free(list->line);
    free(list->done);
}

// Exit codes from here on say that a task was stopped, not what came of it.
enum { STOPPED = 128 };

static void take_code(struct farm_list *list, size_t task, int code)
{
    list->done[task] = true;
    list->done_count++;
    list->failed += code != 0;
    if (code > list->worst) list->worst = code;
}

void farm_count(struct farm_list *list, size_t task, const char *result)
{
    json_t *object = json_loads(result, 0, NULL);
    take_code(list, task, (int)json_integer_value(json_object_get(object, "exit")));
    json_decref(object);
}

static int by_line(const void *a, const void *b)
{
    const char *const *x = *(const char *const *const *)a, *const *y = *(const char *const *const *)b;
    int order = strcmp(*x, *y);
    return order ? order : (x > y) - (x < y);
}

// The first task of that line that has no result yet; NULL: there is none.
static char **find_task(const struct farm_list *list, char ***sorted, const char *line)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(*sorted[middle], line) < 0) low = middle + 1;
        else high = middle;
    }
    for (; low < list->count && !strcmp(*sorted[low], line); low++)
        if (!list->done[sorted[low] - list->line]) return sorted[low];
    return NULL;
}

// False: it is not a result.
static bool take_result(struct farm_list *list, char ***sorted, const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    const char *task = json_string_value(json_object_get(object, "task"));
    const json_t *code = json_object_get(object, "exit");
    bool good = task && json_is_integer(code);
    char **found = good && json_integer_value(code) < STOPPED ? find_task(list, sorted, task) : NULL;
    if (found) take_code(list, (size_t)(found - list->line), (int)json_integer_value(code));
    json_decref(object);
    return good;
}

int farm_read_results(struct farm_list *list, const char *path)
{
    FILE *file = fopen(path, "r+");
    if (!file) return errno == ENOENT ? 0 : refuse(path, strerror(errno));
    char ***sorted = malloc(sizeof *sorted * (list->count + 1)), *line = NULL;
    size_t room = 0, number = 0;
    off_t whole = 0; // up to the last line that is complete
    bool good = true, cut = false;
    for (size_t i = 0; i < list->count && sorted; i++) sorted[i] = &list->line[i];
    if (sorted) qsort(sorted, list->count, sizeof *sorted, by_line);
    for (ssize_t length; sorted && good && !cut && (length = getline(&line, &room, file)) >= 0;) {
        number++;
        cut = line[length - 1] != '\n';
        if (!cut) good = take_result(list, sorted, line);
        if (!cut) whole += length;
    }
    free(line);
    bool enough = sorted;
    free(sorted);
    int error = cut && ftruncate(fileno(file), whole) ? errno : 0;
    fclose(file);
    if (!enough) return out_of_memory();
    if (error) return refuse(path, strerror(error));
    if (good) return 0;
    fprintf(stderr, "%s:%zu:1: error: this is no result of a farm; name another file\n", path, number);
    return EXIT_USAGE;
}
