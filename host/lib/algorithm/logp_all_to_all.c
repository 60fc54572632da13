// SPDX-License-Identifier: Apache-2.0
// All-to-all broadcast and all-to-all personalized, K93 Sec. 4: in round j, at time[j], processor i sends to i + j + 1.
// With rounds max(g, o) apart that is optimal where no send overhead meets a reception's: unless processors are
// full-duplex, no difference of two rounds may lie strictly between L and L + 2o. Otherwise rounds are moved.
#include "algorithm/logp.h"
#include "base/base.h"
#include <stdlib.h>

static bool meets(const struct crl_logp *m, uint64_t difference)
{
    return difference > m->L && difference < (uint64_t)m->L + 2 * m->o;
}

// Whether rounds a constant `step` apart keep overheads apart, too.
static bool steady(const struct crl_logp *m, uint64_t step, uint64_t rounds)
{
    uint64_t n = m->L / step + 1; // the first multiple of step beyond L is the only one that can meet
    for (; n < rounds && n * step < (uint64_t)m->L + 2 * m->o; n++)
        if (meets(m, n * step)) return false;
    return true;
}

// Each round as early as those before it allow. Differences within L are no danger, so the scan starts where they end.
static void greedy(const struct crl_logp *m, uint64_t *time, uint32_t rounds)
{
    uint64_t step = crl_logp_spacing(m);
    for (uint32_t j = 1, first = 0; j < rounds; j++) {
        time[j] = time[j - 1] + step;
        while (time[j] - time[first] >= (uint64_t)m->L + 2 * m->o && first < j) first++;
        for (uint32_t a = first; a < j; a++)
            if (meets(m, time[j] - time[a])) time[j] = time[a] + m->L + 2 * m->o;
    }
}

static void choose_rounds(const struct crl_logp_problem *p, uint64_t *time, uint32_t rounds)
{
    const struct crl_logp *m = &p->machine;
    uint64_t step = crl_logp_spacing(m);
    for (uint32_t j = 0; j < rounds; j++) time[j] = 0;
    if (!p->full_duplex) {
        greedy(m, time, rounds);
        while (!steady(m, step, rounds)) step++; // at the latest when it is L + 2o
        if (time[rounds - 1] <= step * (rounds - 1)) return;
    }
    for (uint32_t j = 0; j < rounds; j++) time[j] = j * step;
}

int crl_plan_logp_all_to_all(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p,
                             struct crl_diag *diag)
{
    const struct crl_logp *m = &p->machine;
    uint32_t P = m->P, rounds = P - 1;
    uint64_t *time = malloc(sizeof *time * rounds);
    if (!time) return crl_fail_memory(diag);
    choose_rounds(p, time, rounds);
    int error = 0;
    for (uint32_t j = 0; j < rounds; j++)
        for (uint32_t i = 0; i < P && !error; i++) {
            uint32_t to = (uint32_t)(((uint64_t)i + j + 1) % P);
            uint32_t item = p->kind == CRL_LOGP_ALL_TO_ALL_BROADCAST ? i : i * P + to;
            error = crl_logp_emit(schedule, m, time[j], i, to, item, diag);
        }
    free(time);
    return error;
}
