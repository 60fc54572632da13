// SPDX-License-Identifier: Apache-2.0
#include "board/watch.h"
#include <time.h>

int crl_board_step(const struct crl_board_watch *watch, const char *doing, uint64_t done, uint64_t total,
                   struct crl_diag *diag)
{
    if (!watch) return 0;
    if (watch->progress) watch->progress(watch->user, doing, done, total);
    if (!watch->interrupted || !watch->interrupted(watch->user)) return 0;
    return crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted while %s", doing);
}

uint64_t crl_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
