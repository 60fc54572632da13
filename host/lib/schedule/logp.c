// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "schedule/logp.h"
#include <stdlib.h>

int crl_logp_schedule_add(struct crl_logp_schedule *schedule, struct crl_logp_send send)
{
    if (schedule->count >= UINT32_MAX - 1) return CRL_ERR_LIMIT;
    int error = crl_grow((void **)&schedule->sends, &schedule->capacity, schedule->count, sizeof send);
    if (!error) schedule->sends[schedule->count++] = send;
    return error;
}

void crl_logp_schedule_done(struct crl_logp_schedule *schedule)
{
    free(schedule->sends);
    schedule->sends = NULL;
    schedule->count = schedule->capacity = 0;
}

static int compare(const void *a, const void *b)
{
    const struct crl_logp_send *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->src != y->src) return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst) return x->dst < y->dst ? -1 : 1;
    if (x->item != y->item) return x->item < y->item ? -1 : 1;
    if (x->rtime != y->rtime) return x->rtime < y->rtime ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

int crl_logp_schedule_sort(struct crl_logp_schedule *schedule)
{
    size_t i = 1;
    while (i < schedule->count && compare(&schedule->sends[i - 1], &schedule->sends[i]) <= 0) i++;
    if (i < schedule->count) qsort(schedule->sends, schedule->count, sizeof *schedule->sends, compare);
    return 0;
}

uint64_t crl_logp_schedule_slots(const struct crl_logp_schedule *schedule, const struct crl_logp *machine)
{
    uint64_t last = 0;
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->sends[i].rtime + (uint64_t)machine->o > last) last = schedule->sends[i].rtime + machine->o;
    return last;
}
