// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "machine/logp/schedule.h"
#include <stdlib.h>
#include <string.h>

int crl_logp_schedule_add(struct crl_logp_schedule *schedule, struct crl_logp_send send)
{
    if (schedule->count >= UINT32_MAX - 1) return CRL_ERR_LIMIT;
    return CRL_PUSH(schedule->sends, schedule->capacity, schedule->count, send);
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
    return CRL_COMPARE({x->time, y->time}, {x->src, y->src}, {x->dst, y->dst}, {x->item, y->item}, {x->rtime, y->rtime},
                       {x->line, y->line});
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

// ---- as columns of numbers: the fields of a send, in the order in which a file has them

enum { FIELDS = 5 };
static void columns_of(const struct carillon_columns *c, uint32_t *column[FIELDS])
{
    uint32_t *const all[FIELDS] = {c->slot, c->src, c->dst, c->packet[0], c->packet[1]};
    memcpy(column, all, sizeof all);
}

int crl_logp_columns(const struct crl_logp_schedule *schedule, const struct carillon_columns *columns, uint64_t room,
                     struct crl_diag *diag)
{
    uint32_t *column[FIELDS];
    columns_of(columns, column);
    if (schedule->count > room)
        return crl_fail(diag, CRL_ERR_LIMIT, "%zu rows have no room in %llu", schedule->count,
                        (unsigned long long)room);
    for (size_t i = 0; i < schedule->count; i++) {
        const struct crl_logp_send *s = &schedule->sends[i];
        const uint32_t value[FIELDS] = {s->time, s->src, s->dst, s->item, s->rtime};
        for (size_t k = 0; k < FIELDS; k++)
            if (column[k]) column[k][i * (columns->stride / sizeof(uint32_t))] = value[k];
    }
    return 0;
}

int crl_logp_take_columns(struct crl_logp_schedule *schedule, const struct crl_logp *machine,
                          const struct carillon_columns *columns, uint64_t count, const char *name,
                          struct crl_diag *diag)
{
    uint32_t *column[FIELDS];
    columns_of(columns, column);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value[FIELDS] = {0};
        for (size_t k = 0; k < FIELDS; k++)
            if (column[k]) value[k] = column[k][i * (columns->stride / sizeof(uint32_t))];
        const uint64_t soonest = (uint64_t)value[0] + machine->o + machine->L;
        if (soonest + machine->o >= UINT32_MAX)
            return crl_fail_at(diag, CRL_ERR_LIMIT, name, i + 2, 0, "the message arrives after time 2^32");
        if (!column[FIELDS - 1]) value[FIELDS - 1] = (uint32_t)soonest;
        schedule->buffered |= value[FIELDS - 1] != soonest;
        const struct crl_logp_send send = {value[0], value[1], value[2], value[3], value[4], (uint32_t)i + 2};
        const int error = crl_logp_schedule_add(schedule, send);
        if (error == CRL_ERR_LIMIT) return crl_fail(diag, error, "%s: more than 2^32 rows", name);
        if (error) return crl_fail_memory(diag);
    }
    return crl_logp_schedule_sort(schedule);
}
