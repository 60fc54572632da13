// SPDX-License-Identifier: Apache-2.0
// Summation: every partial sum goes on exactly once, processor 0 gets them all, and everybody has time to add (K93
// Sec. 5: a reception takes o, an addition one time unit, and nobody does two things at once).
#include "machine/logp/check.h"
#include <stdlib.h>

// When each processor sends its sum, UINT64_MAX for never; processor 0 "sends" when the sum is there.
static uint64_t *send_times(struct crl_logp_check *check)
{
    const struct crl_logp_schedule *schedule = check->schedule;
    uint64_t *when = malloc(sizeof *when * check->problem->machine.P);
    char text[CRL_MOVE_TEXT];
    for (uint32_t q = 0; when && q < check->problem->machine.P; q++) when[q] = UINT64_MAX;
    for (size_t i = 0; when && i < schedule->count; i++) {
        const struct crl_logp_send *s = &schedule->sends[i];
        if (check->bad[i]) continue;
        if (s->src == 0)
            crl_logp_find(check, CRL_FINDING_COMBINED_TWICE, i, "%s, but the sum is to stay there",
                          crl_logp_send_text(s, text));
        else if (when[s->src] != UINT64_MAX)
            crl_logp_find(check, CRL_FINDING_COMBINED_TWICE, i, "%s, but sent its sum before",
                          crl_logp_send_text(s, text));
        else when[s->src] = s->time;
    }
    if (!when) check->sink.out_of_memory = true;
    else when[0] = check->report->time;
    return when;
}

// The receptions order[0…count) of one processor, which sends at `when`.
static void one_processor(struct crl_logp_check *check, const uint32_t *order, uint32_t count, uint64_t when)
{
    char text[CRL_MOVE_TEXT];
    uint32_t o = check->problem->machine.o;
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_logp_send *s = &check->schedule->sends[order[i]];
        crl_logp_send_text(s, text);
        // From when it is in: the overheads of those after it, the additions of it and of those.
        uint64_t after = count - 1 - i, need = crl_logp_there(check, s) + after * o + after + 1;
        if (when == UINT64_MAX || crl_logp_there(check, s) > when)
            crl_logp_find(check, CRL_FINDING_NOT_COMBINED, order[i], "%s, which sends no sum after that", text);
        else if (need > when)
            crl_logp_find(check, s->dst ? CRL_FINDING_NO_TIME_TO_ADD : CRL_FINDING_SUM_LATE, order[i],
                          "%s, which could have added it by %llu, but must by %llu", text, (unsigned long long)need,
                          (unsigned long long)when);
    }
}

void crl_logp_chains(const struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem, uint64_t time,
                     uint64_t *chain)
{
    uint32_t P = problem->machine.P, o = problem->machine.o;
    for (uint32_t q = 0; q < P; q++) chain[q] = q ? 0 : time + 1;
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->sends[i].src < P && schedule->sends[i].src)
            chain[schedule->sends[i].src] = schedule->sends[i].time + UINT64_C(1);
    for (size_t i = 0; i < schedule->count; i++) {
        uint32_t q = schedule->sends[i].dst;
        if (q < P) chain[q] = chain[q] > o + UINT64_C(1) ? chain[q] - o - 1 : 0;
    }
}

static void enough(struct crl_logp_check *check)
{
    const struct crl_logp_problem *p = check->problem;
    struct crl_logp_report *report = check->report;
    uint64_t *chain = malloc(sizeof *chain * p->machine.P);
    if (!chain) {
        check->sink.out_of_memory = true;
        return;
    }
    crl_logp_chains(check->schedule, p, report->time, chain);
    for (uint32_t q = 0; q < p->machine.P; q++) report->operands += chain[q];
    free(chain);
    if (report->operands < p->operands)
        crl_logp_find(check, CRL_FINDING_FEW_OPERANDS, SIZE_MAX,
                      "there is time to add %llu operands, but there are %llu", (unsigned long long)report->operands,
                      (unsigned long long)p->operands);
}

void crl_logp_rule_summation(struct crl_logp_check *check)
{
    const struct crl_logp_schedule *schedule = check->schedule;
    const struct crl_logp_problem *p = check->problem;
    uint64_t last = crl_logp_schedule_slots(schedule, &p->machine);
    // Without a time it is the earliest: after the last addition, or, alone, after all of them.
    check->report->time = p->time ? p->time : schedule->count ? last + 1 : p->operands ? p->operands - 1 : 0;
    uint64_t *when = send_times(check);
    const uint32_t *order = check->received;
    for (uint32_t at = 0, end; when && at < check->good; at = end) {
        uint32_t processor = schedule->sends[order[at]].dst;
        for (end = at; end < check->good && schedule->sends[order[end]].dst == processor;) end++;
        one_processor(check, order + at, end - at, when[processor]);
    }
    free(when);
    enough(check);
}
