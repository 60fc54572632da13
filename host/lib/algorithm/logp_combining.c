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

// A broadcast in reversed time brings all values to processor 0, and a broadcast the result to everybody. At most half
// of a broadcast tree passes anything on, the half that comes first: the trees are laid so that those that pass values
// on in the one are leaves of the other. Then everybody passes on either what it received, or that and its own.
int crl_plan_logp_there_and_back(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p,
                                 struct crl_diag *diag)
{
    const struct crl_logp *m = &p->machine;
    uint32_t P = m->P;
    uint64_t *label = malloc(sizeof *label * P), flight = crl_logp_flight(m);
    uint32_t *parent = malloc(sizeof *parent * P);
    int error = label && parent && !crl_logp_tree(m, P, label, parent) ? 0 : crl_fail_memory(diag);
    for (uint32_t q = 1; q < P && !error; q++) {
        uint64_t half = label[P - 1];
        error = crl_logp_emit(schedule, m, half - label[q], (P - q) % P, (P - parent[q]) % P, 0, diag);
        if (!error) error = crl_logp_emit(schedule, m, half + label[q] - flight, parent[q], q, parent[q] != 0, diag);
    }
    free(label);
    free(parent);
    return error;
}

// Whether those that pass on are at most half: not where the gap is so long that trees become chains.
static bool halves(const struct crl_logp *m)
{
    uint64_t *label = malloc(sizeof *label * m->P);
    uint32_t *parent = malloc(sizeof *parent * m->P);
    bool good = label && parent && !crl_logp_tree(m, m->P, label, parent);
    for (uint32_t q = 1; q < m->P && good; q++) good = parent[q] * UINT64_C(2) < m->P;
    free(label);
    free(parent);
    return good;
}

bool crl_applies_logp_there_and_back(const struct crl_logp_problem *p)
{
    if (p->machine.P == 1 || !halves(&p->machine)) return false;
    struct crl_logp_steps steps;
    uint64_t at_once = crl_logp_steps(&steps, p, last_send), there = crl_logp_broadcast_time(&p->machine, p->machine.P);
    return at_once != UINT64_MAX && there != UINT64_MAX && 2 * there < at_once;
}
