// SPDX-License-Identifier: Apache-2.0
// C++ because only the solver's C++ interface writes proofs.
#include <cadical.hpp>

extern "C" {
#include "base/context.h"
#include "base/sat.h"
}

#include <new>

struct crl_sat : CaDiCaL::Terminator {
    CaDiCaL::Solver solver;
    int variables = 0;
    const struct crl_context *context;
    explicit crl_sat(const struct crl_context *watched) : context(watched) { solver.connect_terminator(this); }
    bool terminate() override { return crl_context_cancelled(context); }
};

struct crl_sat *crl_sat_new(const struct crl_context *context)
{
    struct crl_sat *sat = new (std::nothrow) crl_sat(context);
    if (sat) sat->solver.set("quiet", 1); // the library never prints
    return sat;
}

void crl_sat_free(struct crl_sat *sat) { delete sat; }

bool crl_sat_prove(struct crl_sat *sat, FILE *file)
{
    return sat->solver.set("binary", 0) && sat->solver.trace_proof(file, "proof");
}

void crl_sat_end_proof(struct crl_sat *sat) { sat->solver.close_proof_trace(); }

int crl_sat_variable(struct crl_sat *sat) { return ++sat->variables; }

void crl_sat_clause(struct crl_sat *sat, const int *literals, size_t count)
{
    for (size_t i = 0; i < count; i++) sat->solver.add(literals[i]);
    sat->solver.add(0);
}

void crl_sat_clause2(struct crl_sat *sat, int a, int b)
{
    const int literals[] = {a, b};
    crl_sat_clause(sat, literals, 2);
}

void crl_sat_at_most_one(struct crl_sat *sat, const int *literals, size_t count)
{
    enum { PAIRWISE = 6 };
    if (count <= PAIRWISE) {
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++) crl_sat_clause2(sat, -literals[i], -literals[k]);
        return;
    }
    int before = 0; // "one of those up to here is true"
    for (size_t i = 0; i < count; i++) {
        int here = i + 1 < count ? crl_sat_variable(sat) : 0;
        if (before) crl_sat_clause2(sat, -literals[i], -before);
        if (here) crl_sat_clause2(sat, -literals[i], here);
        if (here && before) crl_sat_clause2(sat, -before, here);
        before = here;
    }
}

void crl_sat_exactly_one(struct crl_sat *sat, const int *literals, size_t count)
{
    crl_sat_clause(sat, literals, count);
    crl_sat_at_most_one(sat, literals, count);
}

enum crl_sat_answer crl_sat_solve(struct crl_sat *sat, int conflicts)
{
    if (conflicts > 0) sat->solver.limit("conflicts", conflicts);
    switch (sat->solver.solve()) {
    case 10: return CRL_SAT_YES;
    case 20: return CRL_SAT_NO;
    default: return CRL_SAT_GAVE_UP;
    }
}

bool crl_sat_value(struct crl_sat *sat, int variable) { return sat->solver.val(variable) > 0; }
