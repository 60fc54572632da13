// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as the tasks of a farm and, behind the first 0, as the results that an earlier one left. A
// second look at the results must find what the first one did: all that was cut off is gone.
#include "farm.h"
#include "cli.h"
#include "memory_file.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// As the program's, but silent.
int complain(int error, const struct crl_diag *diag)
{
    (void)error, (void)diag;
    return EXIT_USAGE;
}

int fail(struct crl_diag *diag, int error, const char *format, ...)
{
    (void)format;
    *diag = (struct crl_diag){0};
    return error;
}

static int look(struct farm_list *list, const char *tasks, const char *results)
{
    *list = (struct farm_list){0};
    int code = farm_read_tasks(list, tasks);
    if (!code) code = farm_read_results(list, results);
    size_t done = 0;
    for (size_t i = 0; i < list->count && !code; i++) done += list->done[i] != 0;
    if (!code && (done != list->done_count || list->failed > done)) abort();
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint8_t nothing[1];
    const uint8_t *end = size ? memchr(bytes, 0, size) : NULL;
    size_t first = end ? (size_t)(end - bytes) : size, second = end ? size - first - 1 : 0;
    struct memory_file tasks = memory_file(first ? bytes : nothing, first);
    struct memory_file results = memory_file(second ? end + 1 : nothing, second);
    struct farm_list list, again;
    int code = look(&list, tasks.path, results.path), other = look(&again, tasks.path, results.path);
    if (code != other ||
        (!code && (list.done_count != again.done_count || list.failed != again.failed || list.worst != again.worst)))
        abort();
    farm_list_done(&list);
    farm_list_done(&again);
    memory_file_close(&tasks);
    memory_file_close(&results);
    return 0;
}
