// SPDX-License-Identifier: Apache-2.0
// Combining broadcast (K93 Sec. 4) for any P in B(P) steps. Everybody does the same, shifted: after step j a processor
// q has received the values of the n_j processors before it, n_j = n_(j-1) + n_(j-L) + ε_j. The message that arrives at
// j comes from q − n_(j-1) − ε_j and holds what that one had received when it sent, with its own value where ε_j = 1.
// An own value that arrives at j grows into f_(T-j) values by T, so the ε_j are the digits of P − 1 in the weights f_i.
#include "algorithm/logp.h"
#include "base/base.h"
#include <stdlib.h>

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

static int emit_all(struct crl_logp_schedule *schedule, const struct crl_logp *m, const struct crl_logp_steps *steps,
                    uint64_t T, const bool *own, uint64_t *n, struct crl_diag *diag)
{
    uint32_t P = m->P, L = steps->postal.L;
    int error = 0;
    for (uint64_t j = L; j <= T; j++) {
        uint64_t distance = n[j - 1] + own[j];
        n[j] = distance + n[j - L];
        if (n[j] == n[j - 1]) continue; // nothing to say
        for (uint32_t q = 0; q < P && !error; q++)
            error = crl_logp_emit(schedule, m, (j - L) * steps->step, q, (uint32_t)((q + distance) % P), !own[j], diag);
    }
    return error;
}

static int plan_postal(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p,
                       const struct crl_logp_steps *steps, struct crl_diag *diag)
{
    uint64_t L = steps->postal.L, T = crl_logp_broadcast_time(&steps->postal, p->machine.P);
    uint64_t *f = calloc(T + 1, sizeof *f), *n = calloc(T + 1, sizeof *n);
    bool *own = calloc(T + 1, sizeof *own);
    int error = f && n && own ? 0 : crl_fail_memory(diag);
    if (!error) {
        digits(p->machine.P, (uint32_t)L, T, f, own);
        error = emit_all(schedule, &p->machine, steps, T, own, n, diag);
    }
    free(f);
    free(n);
    free(own);
    return error;
}

int crl_plan_logp_combining(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    struct crl_logp_steps steps;
    if (crl_logp_steps(&steps, p, last_send) == UINT64_MAX) return crl_fail_memory(diag);
    return plan_postal(schedule, p, &steps, diag);
}
