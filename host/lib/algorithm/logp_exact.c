// SPDX-License-Identifier: Apache-2.0
// k-item broadcast in the least time there is, by SAT, for small cases of the postal model: from the lower bound up,
// until there is a schedule or the block-cyclic one is reached. Who sends to whom is left open: at each step at least
// as many send an item as receive it L later, and then any pairing will do, for who still receives an item cannot be
// sending it.
#include "algorithm/logp.h"
#include "base/pool.h"
#include "base/context.h"
#include "base/sat.h"

enum { CONFLICTS = 300000, CELLS_MOST = 6000 };

// Variables, [P][k][T + 1]: processor q receives item i at t; has it by t; sends it at t.
struct exact {
    const struct crl_context *context;
    struct crl_sat *sat;
    uint32_t P, L, k, T;
    int *comes, *has, *goes, *list; // list: scratch for clauses
};

static size_t cell(const struct exact *x, uint32_t q, uint32_t i, uint32_t t)
{
    return ((size_t)q * x->k + i) * (x->T + 1) + t;
}

static void is_not(struct exact *x, int variable) { crl_sat_clause(x->sat, (int[]){-variable}, 1); }

static void at_most_one_item(struct exact *x, const int *variables, uint32_t q, uint32_t t)
{
    for (uint32_t i = 0; i < x->k; i++) x->list[i] = variables[cell(x, q, i, t)];
    crl_sat_at_most_one(x->sat, x->list, x->k);
}

static void processor(struct exact *x, uint32_t q)
{
    for (uint32_t i = 0; i < x->k; i++) {
        for (uint32_t t = 0; t <= x->T; t++) {
            int comes = x->comes[cell(x, q, i, t)], has = x->has[cell(x, q, i, t)], goes = x->goes[cell(x, q, i, t)];
            int had = t ? x->has[cell(x, q, i, t - 1)] : 0;
            if (q == 0 || t < x->L) is_not(x, comes);
            if (t + x->L > x->T) is_not(x, goes);
            if (q) crl_sat_clause2(x->sat, -goes, has);
            if (had) crl_sat_clause2(x->sat, -had, has);
            crl_sat_clause2(x->sat, -comes, has);
            if (had) crl_sat_clause(x->sat, (int[]){-has, had, comes}, 3);
            else crl_sat_clause2(x->sat, -has, comes);
            x->list[t] = comes;
        }
        if (q) crl_sat_exactly_one(x->sat, x->list, x->T + 1);
    }
    for (uint32_t t = 0; t <= x->T; t++) {
        at_most_one_item(x, x->comes, q, t);
        at_most_one_item(x, x->goes, q, t);
    }
}

// Literals that count: of the result, the n-th (from 0) is implied by n + 1 of `variables` (up), or implies that many.
static void count(struct exact *x, const int *variables, uint32_t n, bool up, int *result)
{
    // row[c]: at least c + 1 of those so far
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t c = v + 1; c-- > 0;) {
            int now = crl_sat_variable(x->sat), before = c < v ? result[c] : 0, less = c ? result[c - 1] : 0;
            if (up) {
                if (before) crl_sat_clause2(x->sat, -before, now);
                if (c) crl_sat_clause(x->sat, (int[]){-less, -variables[v], now}, 3);
                else crl_sat_clause2(x->sat, -variables[v], now);
            } else {
                if (before) crl_sat_clause(x->sat, (int[]){-now, before, variables[v]}, 3);
                else crl_sat_clause2(x->sat, -now, variables[v]);
                if (c && before) crl_sat_clause(x->sat, (int[]){-now, before, less}, 3);
                else if (c) crl_sat_clause2(x->sat, -now, less);
            }
            result[c] = now;
        }
}

// At least as many send item i at t as receive it at t + L.
static void enough_senders(struct exact *x, uint32_t i, uint32_t t)
{
    int *receivers = x->list, *senders = receivers + x->P, *in = senders + x->P, *out = in + x->P;
    for (uint32_t q = 0; q < x->P; q++) {
        receivers[q] = x->comes[cell(x, q, i, t + x->L)];
        senders[q] = x->goes[cell(x, q, i, t)];
    }
    count(x, receivers, x->P, true, in);
    count(x, senders, x->P, false, out);
    for (uint32_t c = 0; c < x->P; c++) crl_sat_clause2(x->sat, -in[c], out[c]);
}

// All processors but the source are alike, and so are items: they are numbered by when the first item, or the first
// processor, gets them.
static void break_symmetry(struct exact *x)
{
    for (uint32_t t = 0; t <= x->T; t++) {
        for (uint32_t q = 1; q + 1 < x->P; q++)
            crl_sat_clause2(x->sat, -x->has[cell(x, q + 1, 0, t)], x->has[cell(x, q, 0, t)]);
        for (uint32_t i = 1; i + 1 < x->k; i++)
            crl_sat_clause2(x->sat, -x->has[cell(x, 1, i + 1, t)], x->has[cell(x, 1, i, t)]);
    }
}

static void emit(const struct exact *x, struct crl_logp_schedule *schedule, const struct crl_logp *m,
                 struct crl_diag *diag)
{
    for (uint32_t i = 0; i < x->k; i++)
        for (uint32_t t = 0; t + x->L <= x->T; t++)
            for (uint32_t to = 1, from = 0; to < x->P; to++) {
                if (!crl_sat_value(x->sat, x->comes[cell(x, to, i, t + x->L)])) continue;
                while (!crl_sat_value(x->sat, x->goes[cell(x, from, i, t)])) from++;
                crl_logp_emit(schedule, m, t, from++, to, i, diag);
            }
}

// Asks for a schedule that ends by x->T. On YES it is added to `schedule`.
static int ask(struct exact *x, enum crl_sat_answer *answer, struct crl_logp_schedule *schedule,
               const struct crl_logp *m, struct crl_diag *diag)
{
    size_t cells = (size_t)x->P * x->k * (x->T + 1), longest = 4 * (size_t)x->P + x->k + x->T + 1;
    struct crl_pool pool = {0};
    x->sat = crl_sat_new(x->context);
    x->comes = crl_pool_new(&pool, 3 * cells + longest, sizeof *x->comes, false);
    int error = x->sat && x->comes ? 0 : crl_fail_memory(diag);
    if (error) goto done;
    x->has = x->comes + cells;
    x->goes = x->has + cells;
    x->list = x->goes + cells;
    for (size_t c = 0; c < 3 * cells; c++) x->comes[c] = crl_sat_variable(x->sat);
    for (uint32_t q = 0; q < x->P; q++) processor(x, q);
    for (uint32_t i = 0; i < x->k; i++)
        for (uint32_t t = 0; t + x->L <= x->T; t++) enough_senders(x, i, t);
    break_symmetry(x);
    *answer = crl_sat_solve(x->sat, CONFLICTS);
    if (*answer == CRL_SAT_YES) emit(x, schedule, m, diag);
done:
    crl_sat_free(x->sat);
    crl_pool_done(&pool);
    return error;
}

bool crl_applies_logp_exact(const struct crl_logp_problem *p)
{
    const struct crl_logp *m = &p->machine;
    if (m->o || m->g != 1 || m->P > CELLS_MOST || p->items > CELLS_MOST) return false;
    return m->P * (uint64_t)p->items * (crl_logp_bound_single_sending(p) + 1) <= CELLS_MOST;
}

int crl_plan_logp_exact(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    const struct crl_logp *m = &p->machine;
    struct crl_logp_schedule known = {0};
    int error = crl_plan_logp_block_cyclic(&known, p, diag);
    if (!error) error = known.error;
    uint64_t bound = crl_logp_bound_slots(p), end = crl_logp_schedule_slots(&known, m);
    bool all_refuted = true;
    for (uint64_t T = bound; !error && T < end && !crl_context_cancelled(p->context); T++) {
        struct exact x = {.context = p->context, .P = m->P, .L = m->L, .k = p->items, .T = (uint32_t)T};
        enum crl_sat_answer answer = CRL_SAT_NO;
        error = ask(&x, &answer, schedule, m, diag);
        if (answer == CRL_SAT_YES) break;
        all_refuted &= answer == CRL_SAT_NO;
    }
    if (!error && !schedule->count) {
        *schedule = known;
        known = (struct crl_logp_schedule){0};
    }
    schedule->proved_optimal = all_refuted && !error && !crl_context_cancelled(p->context);
    crl_logp_schedule_done(&known);
    return error;
}
