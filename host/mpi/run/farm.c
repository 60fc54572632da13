// SPDX-License-Identifier: Apache-2.0
// Rank 0 hands out tasks, one at a time, and collects what comes of them.
#include "farm.h"
#include "cli.h"
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TO_WORKER, FROM_WORKER };
static const uint64_t NONE = UINT64_MAX; // no task: before the first, after the last

// ---- a worker: says what came of its task, gets the next

static void work(void)
{
    struct {
        uint64_t task;
        char text[];
    } *message = malloc(sizeof *message);
    size_t size = sizeof *message;
    if (message) message->task = NONE;
    while (message) {
        int length;
        MPI_Send(message, (int)size, MPI_BYTE, 0, FROM_WORKER, MPI_COMM_WORLD);
        uint64_t task;
        MPI_Status status;
        MPI_Probe(0, TO_WORKER, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &length);
        char *line = malloc((size_t)length), *result = NULL;
        if (!line) break;
        MPI_Recv(line, length, MPI_BYTE, 0, TO_WORKER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memcpy(&task, line, sizeof task);
        if (task != NONE) farm_task(line + sizeof task, &result);
        free(line);
        if (!result) break;
        size = sizeof *message + strlen(result) + 1;
        free(message);
        message = size > INT_MAX ? NULL : malloc(size);
        if (message) {
            message->task = task;
            memcpy(message->text, result, strlen(result) + 1);
        }
        free(result);
    }
    free(message);
}

// ---- rank 0

struct master {
    struct farm_list list;
    size_t next;
    FILE *results;
    const char *path;
    int error; // errno
};

// The next task without a result; NONE: there is none.
static uint64_t next_task(struct master *m)
{
    while (m->next < m->list.count && m->list.done[m->next]) m->next++;
    return m->next < m->list.count && !m->error ? m->next++ : NONE;
}

static void keep(struct master *m, uint64_t task, const char *result)
{
    if (fprintf(m->results, "%s\n", result) < 0 || fflush(m->results)) m->error = errno;
    else farm_count(&m->list, task, result);
}

static void hand_out(struct master *m, int rank, uint64_t task)
{
    const char *line = task == NONE ? "" : m->list.line[task];
    size_t size = sizeof task + strlen(line) + 1;
    char *message = malloc(size);
    if (!message) MPI_Abort(MPI_COMM_WORLD, EXIT_DEVICE);
    memcpy(message, &task, sizeof task);
    memcpy(message + sizeof task, line, strlen(line) + 1);
    MPI_Send(message, (int)size, MPI_BYTE, rank, TO_WORKER, MPI_COMM_WORLD);
    free(message);
}

// Waits without keeping a processor busy: the workers need them all.
static void answer_one(struct master *m, int *workers)
{
    MPI_Status status;
    int there = 0, size;
    for (; !there; nanosleep(&(struct timespec){.tv_nsec = there ? 0 : 1000000}, NULL))
        MPI_Iprobe(MPI_ANY_SOURCE, FROM_WORKER, MPI_COMM_WORLD, &there, &status);
    MPI_Get_count(&status, MPI_BYTE, &size);
    char *message = malloc((size_t)size);
    uint64_t task;
    if (!message) MPI_Abort(MPI_COMM_WORLD, EXIT_DEVICE);
    MPI_Recv(message, size, MPI_BYTE, status.MPI_SOURCE, FROM_WORKER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(&task, message, sizeof task);
    if (task != NONE) keep(m, task, message + sizeof task);
    free(message);
    task = next_task(m);
    *workers -= task == NONE;
    hand_out(m, status.MPI_SOURCE, task);
}

static void do_all(struct master *m, int ranks)
{
    int workers = ranks - 1;
    while (workers) answer_one(m, &workers);
    for (uint64_t task; ranks == 1 && (task = next_task(m)) != NONE;) {
        char *result;
        farm_task(m->list.line[task], &result);
        if (result) keep(m, task, result);
        else m->error = ENOMEM;
        free(result);
    }
}

static int direct(struct master *m, const char *tasks, int ranks)
{
    size_t before = 0;
    int code = farm_read_tasks(&m->list, tasks);
    if (!code) code = farm_read_results(&m->list, m->path);
    before = m->list.done_count;
    m->results = code ? NULL : fopen(m->path, "a");
    if (!code && !m->results) m->error = errno;
    if (code || m->error) m->next = m->list.count; // the workers go home
    do_all(m, ranks);
    if (m->results && (fsync(fileno(m->results)) | fclose(m->results)) && !m->error) m->error = errno;
    struct crl_diag diag;
    if (m->error)
        return complain(fail(&diag, CRL_ERR_IO, "cannot write '%.300s': %s", m->path, strerror(m->error)), &diag);
    if (code) return code;
    printf("{\n  \"tasks\": %zu,\n  \"done\": %zu,\n  \"found\": %zu,\n  \"failed\": %zu,\n  \"ranks\": %d\n}\n",
           m->list.count, m->list.done_count, before, m->list.failed, ranks);
    return m->list.worst;
}

int farm(int argc, char **argv)
{
    struct master m = {.path = argc == 3 && !strcmp(argv[1], "-o") ? argv[2] : NULL};
    const char *tasks = argc == 3 ? argv[0] : NULL;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!m.path) return complain_usage("a farm is 'carillon-mpi farm TASKS -o RESULTS', two files");
    int code = EXIT_FINE;
    if (rank) work();
    else code = direct(&m, tasks, ranks);
    farm_list_done(&m.list);
    return code;
}
