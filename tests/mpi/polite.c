// SPDX-License-Identifier: Apache-2.0
// To be preloaded under MPICH, whose ranks never give their processor away while they wait: where there are fewer
// processors than ranks, each message then costs a time slice.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *worker);
    if (!progress) *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned done = progress(worker);
    if (!done) sched_yield();
    return done;
}
