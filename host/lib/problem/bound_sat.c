// SPDX-License-Identifier: Apache-2.0
// Bounds by refutation: the formula of the checker of certificates, a SAT solver, and its proof.
#include "base/base.h"
#include "base/sat.h"
#include "problem/bound.h"
#include "problem/bound_prices.h"

static int put_clause(void *sat, const int32_t *literals, size_t count)
{
    crl_sat_clause(sat, literals, count);
    return 0;
}

// Reads what the solver wrote, without what it says is no longer needed: more clauses do no harm.
static int read_proof(FILE *file, struct crl_priced *f)
{
    int word;
    f->literals = 0;
    rewind(file);
    while ((word = getc(file)) != EOF) {
        bool dropped = word == 'd';
        if (!dropped) ungetc(word, file);
        for (int literal = 1; literal && fscanf(file, "%d ", &literal) == 1;) {
            if (dropped) continue;
            if (CRL_PUSH(f->proof, f->proof_room, f->literals, literal)) return CRL_ERR_MEMORY;
        }
    }
    return ferror(file) ? CRL_ERR_MEMORY : 0;
}

// Whether there is no schedule as claimed; then *f keeps why.
static int refute(const struct crl_claim *claim, const struct crl_context *context, uint32_t conflicts,
                  struct crl_priced *f, bool *refuted)
{
    struct crl_sat *sat = crl_sat_new(context);
    FILE *file = tmpfile();
    uint32_t variables;
    int error = sat && file && crl_sat_prove(sat, file) ? 0 : CRL_ERR_MEMORY;
    *refuted = false;
    if (!error) error = crl_claim_formula(claim, &variables, put_clause, sat);
    if (!error) *refuted = crl_sat_solve(sat, (int)conflicts) == CRL_SAT_NO;
    if (sat) crl_sat_end_proof(sat);
    crl_sat_free(sat);
    if (!error && *refuted) error = read_proof(file, f);
    if (file) fclose(file);
    return error;
}

int crl_bound_refute(const struct crl_problem *p, uint32_t conflicts, struct crl_diag *diag)
{
    struct crl_certificate c;
    bool refuted = true;
    int error = 0;
    if (p->hosts) return 0; // the formula has packets of all nodes
    while (refuted && !error) {
        struct crl_claim claim;
        if (crl_bound_header(&c, p, NULL)) return 0;
        c.slots++; // refutes as many slots as the bound says
        if (crl_certificate_claim(&claim, &c, p->topology)) return 0;
        error = refute(&claim, p->context, conflicts, p->priced, &refuted);
        if (!error && refuted) p->priced->refuted = c.slots;
    }
    return error && error != CRL_ERR_UNSUPPORTED ? crl_fail_memory(diag) : 0;
}

bool crl_argue_refuted(struct crl_argument *w, const struct crl_problem *p)
{
    const struct crl_priced *f = p->priced;
    if (!f || f->refuted != w->certificate->slots) return false;
    for (size_t i = 0; i < f->literals && !w->error; i++)
        w->error = crl_certificate_literal(w->certificate, f->proof[i]);
    return crl_argue(w, CRL_SAT);
}
