// SPDX-License-Identifier: Apache-2.0
// The checker on a LogP machine: judges a schedule from anyone, knowing nothing of how it was made.
#include "machine/logp/check.h"
#include "base/base.h"
#include <stdlib.h>

void crl_logp_find(struct crl_logp_check *check, enum crl_finding_id id, size_t index, const char *format, ...)
{
    uint64_t row = 0;
    if (index != SIZE_MAX) {
        uint32_t line = check->schedule->sends[index].line;
        row = line ? line : index + 1;
    }
    va_list args;
    va_start(args, format);
    crl_sink_find(&check->sink, id, row, format, args);
    va_end(args);
}

const char *crl_logp_send_text(const struct crl_logp_send *s, char text[CRL_MOVE_TEXT])
{
    snprintf(text, CRL_MOVE_TEXT, "time %u: processor %u sends item %u to %u", s->time, s->src, s->item, s->dst);
    return text;
}

uint64_t crl_logp_there(const struct crl_logp_check *check, const struct crl_logp_send *send)
{
    return (uint64_t)send->rtime + check->problem->machine.o;
}

uint32_t *crl_logp_order(struct crl_logp_check *check, crl_logp_key_fn *key, uint64_t max_key, uint32_t *count)
{
    uint32_t all = (uint32_t)check->schedule->count, *order = malloc(sizeof *order * (all + UINT64_C(1)));
    *count = 0;
    for (uint32_t i = 0; order && i < all; i++)
        if (!check->bad[i]) order[(*count)++] = i;
    if (!order || crl_sort_order(order, *count, key, check->schedule->sends, max_key)) {
        check->sink.out_of_memory = true;
        free(order);
        return NULL;
    }
    return order;
}

static uint64_t key_src(const void *sends, uint32_t i) { return ((const struct crl_logp_send *)sends)[i].src; }
static uint64_t key_dst(const void *sends, uint32_t i) { return ((const struct crl_logp_send *)sends)[i].dst; }

static uint64_t key_reception(const void *sends, uint32_t i)
{
    const struct crl_logp_send *s = (const struct crl_logp_send *)sends + i;
    return (uint64_t)s->dst << 32 | s->rtime;
}

// The list is in order of time, and all messages fly equally long.
static bool put_in_order(struct crl_logp_check *check)
{
    check->sent = crl_logp_order(check, key_src, CRL_LOGP_P_MAX, &check->good);
    check->arrived = crl_logp_order(check, key_dst, CRL_LOGP_P_MAX, &check->good);
    check->received = check->arrived;
    if (check->schedule->buffered) check->received = crl_logp_order(check, key_reception, UINT64_MAX, &check->good);
    return check->sent && check->arrived && check->received;
}

static void end_order(struct crl_logp_check *check)
{
    if (check->received != check->arrived) free(check->received);
    CRL_FREE(check->sent, check->arrived, check->bad);
}

static void rules(struct crl_logp_check *check)
{
    crl_logp_rule_latency(check);
    crl_logp_rule_gap(check);
    crl_logp_rule_overlap(check);
    crl_logp_rule_capacity(check);
    crl_logp_rule_waiting(check);
    if (check->problem->kind == CRL_LOGP_COMBINING) crl_logp_rule_combining(check);
    else if (check->problem->kind == CRL_LOGP_SUMMATION) crl_logp_rule_summation(check);
    else crl_logp_rule_items(check);
    crl_logp_measure_buffers(check);
}

static void measure(struct crl_logp_check *check)
{
    struct crl_logp_report *report = check->report;
    const struct crl_logp_problem *p = check->problem;
    report->common.slots = crl_logp_schedule_slots(check->schedule, &p->machine);
    report->common.transmissions = check->schedule->count;
    report->common.bound_transmissions = crl_logp_bound_transmissions(p);
    struct crl_logp_problem asked = *p;
    if (!asked.time && !asked.operands) asked.operands = report->operands;
    report->common.bound_slots = crl_logp_bound_slots(&asked);
    if (report->common.bound_slots == UINT64_MAX) check->sink.out_of_memory = true;
    double room = (double)p->machine.P * (double)report->common.slots;
    report->common.utilization = room > 0 ? (double)check->schedule->count / room : 0;
}

// Summation has its own measures: what it adds by when.
static bool below_bound(const struct crl_logp_check *check)
{
    const struct crl_logp_report *r = check->report;
    if (check->problem->kind == CRL_LOGP_SUMMATION)
        return r->operands > crl_logp_operands_in(&check->problem->machine, r->time);
    return r->common.slots < r->common.bound_slots || (r->common.bound_transmissions != CRL_LOGP_UNBOUNDED &&
                                                       r->common.transmissions < r->common.bound_transmissions);
}

int crl_logp_check(struct crl_logp_report *report, struct crl_logp_schedule *schedule,
                   const struct crl_logp_problem *problem, struct crl_diag *diag)
{
    *report = (struct crl_logp_report){0};
    struct crl_logp_check check = {
        .schedule = schedule, .problem = problem, .report = report, .sink.report = &report->common};
    if (crl_logp_schedule_sort(schedule)) return crl_fail_memory(diag);
    check.bad = calloc(schedule->count + 1, sizeof *check.bad);
    if (!check.bad) return crl_fail_memory(diag);
    crl_logp_rule_range(&check);
    if (put_in_order(&check)) rules(&check);
    measure(&check);
    if (!report->common.violations && !check.sink.out_of_memory && below_bound(&check))
        crl_logp_find(&check, CRL_FINDING_BELOW_BOUND, SIZE_MAX, "%llu slots and %llu messages are too few",
                      (unsigned long long)report->common.slots, (unsigned long long)report->common.transmissions);
    end_order(&check);
    return crl_sink_close(&check.sink, diag);
}
