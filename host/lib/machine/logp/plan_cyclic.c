// SPDX-License-Identifier: Apache-2.0
// Collectives in which everybody does the same, shifted.
//
// All-to-all broadcast and all-to-all personalized, K93 Sec. 4: in round j, at time[j], processor i sends to i + j + 1.
// With rounds max(g, o) apart that is optimal where no send overhead meets a reception's: unless processors are
// full-duplex, no difference of two rounds may lie strictly between L and L + 2o. Otherwise rounds are moved.
//
// Combining broadcast (K93 Sec. 4) for any P in B(P) steps: after step j a processor q has received the values of the
// n_j processors before it, n_j = n_(j-1) + n_(j-L) + ε_j. The message that arrives at j comes from q − n_(j-1) − ε_j
// and holds what that one had received when it sent, with its own value where ε_j = 1. An own value that arrives at j
// grows into f_(T-j) values by T, so the ε_j are the digits of P − 1 in the weights f_i.
#include "machine/logp/plan.h"
#include "base/pool.h"
#include <stdlib.h>

// Everybody sends to who is so far on; for combining: with its own value or without.
static void emit_round(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, uint64_t time,
                       uint64_t distance, bool own, struct crl_diag *diag)
{
    uint32_t P = p->machine.P;
    for (uint32_t q = 0; q < P; q++) {
        uint32_t to = (uint32_t)((q + distance) % P);
        uint32_t item = p->kind == CRL_LOGP_COMBINING              ? !own
                        : p->kind == CRL_LOGP_ALL_TO_ALL_BROADCAST ? q
                                                                   : q * P + to;
        crl_logp_emit(schedule, &p->machine, time, q, to, item, diag);
    }
}

// ---------------------------------------------------------------- all to all

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
    uint32_t rounds = p->machine.P - 1;
    uint64_t *time = malloc(sizeof *time * rounds);
    if (!time) return crl_fail_memory(diag);
    choose_rounds(p, time, rounds);
    for (uint32_t j = 0; j < rounds; j++) emit_round(schedule, p, time[j], j + UINT64_C(1), false, diag);
    free(time);
    return 0;
}

// ---------------------------------------------------------------- combining

static uint64_t last_send(const struct crl_logp *postal, uint32_t items)
{
    (void)items;
    uint64_t time = crl_logp_broadcast_time(postal, postal->P);
    return time == UINT64_MAX ? time : time - postal->L;
}

// f_i = 1 for i < L, f_(i-1) + f_(i-L) from there on; f_T is the first that is at least P.
static void digits(uint32_t P, uint32_t L, uint64_t T, uint64_t *f, bool *own)
{
    uint64_t rest = P - UINT64_C(1);
    for (uint64_t i = 0; i <= T; i++) f[i] = i < L ? 1 : f[i - 1] + f[i - L];
    for (uint64_t j = L; j <= T; j++) {
        own[j] = f[T - j] <= rest;
        if (own[j]) rest -= f[T - j];
    }
}

int crl_plan_logp_combining(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    struct crl_logp_steps steps;
    if (crl_logp_steps(&steps, p, last_send) == UINT64_MAX) return crl_fail_memory(diag);
    uint64_t L = steps.postal.L, T = crl_logp_broadcast_time(&steps.postal, p->machine.P);
    struct crl_pool pool = {0};
    uint64_t *f = CRL_ZEROED(&pool, f, T + 1), *n = CRL_ZEROED(&pool, n, T + 1);
    bool *own = CRL_ZEROED(&pool, own, T + 1);
    int error = pool.failed ? crl_fail_memory(diag) : 0;
    if (!error) digits(p->machine.P, (uint32_t)L, T, f, own);
    for (uint64_t j = L; !error && j <= T; j++) {
        n[j] = n[j - 1] + own[j] + n[j - L];
        if (n[j] > n[j - 1]) emit_round(schedule, p, (j - L) * steps.step, n[j - 1] + own[j], own[j], diag);
    }
    crl_pool_done(&pool);
    return error;
}
