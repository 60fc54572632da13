// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // CPU_COUNT
#include "base/parallel.h"
#include <pthread.h>
#include <sched.h>

enum { THREADS_MAX = 64 };

uint32_t crl_threads(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return 1;
    int count = CPU_COUNT(&allowed);
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (uint32_t)count;
}

struct job {
    int (*work)(void *user, uint32_t share);
    void *user;
    uint32_t share;
    int result;
};

static void *run(void *job)
{
    struct job *j = job;
    j->result = j->work(j->user, j->share);
    return NULL;
}

int crl_parallel(uint32_t shares, int (*work)(void *user, uint32_t share), void *user)
{
    struct job jobs[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    bool started[THREADS_MAX];
    int error = 0;
    for (uint32_t base = 0; base < shares && !error; base += THREADS_MAX) {
        uint32_t count = shares - base < THREADS_MAX ? shares - base : THREADS_MAX;
        for (uint32_t i = 0; i < count; i++) {
            jobs[i] = (struct job){work, user, base + i, 0};
            started[i] = i + 1 < count && !pthread_create(&thread[i], NULL, run, &jobs[i]);
        }
        for (uint32_t i = 0; i < count; i++)
            if (!started[i]) run(&jobs[i]);
        for (uint32_t i = 0; i < count; i++) {
            if (started[i]) pthread_join(thread[i], NULL);
            if (!error) error = jobs[i].result;
        }
    }
    return error;
}

uint64_t crl_share_first(uint64_t count, uint32_t share, uint32_t shares)
{
    return count / shares * share + count % shares * share / shares;
}

uint32_t crl_share_nodes(const struct crl_context *context, uint32_t nodes, uint32_t *first)
{
    const struct carillon_share *s = context ? context->share : NULL;
    *first = s ? (uint32_t)crl_share_first(nodes, s->rank, s->ranks) : 0;
    return s ? (uint32_t)crl_share_first(nodes, s->rank + 1, s->ranks) - *first : nodes;
}
