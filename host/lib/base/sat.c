// SPDX-License-Identifier: Apache-2.0
#include "base/sat.h"
#include <ccadical.h>
#include <stdlib.h>

struct crl_sat {
    CCaDiCaL *solver;
    int variables;
};

struct crl_sat *crl_sat_new(void)
{
    struct crl_sat *sat = calloc(1, sizeof *sat);
    if (!sat) return NULL;
    sat->solver = ccadical_init();
    ccadical_set_option(sat->solver, "quiet", 1); // the library never prints
    return sat;
}

void crl_sat_free(struct crl_sat *sat)
{
    if (!sat) return;
    ccadical_release(sat->solver);
    free(sat);
}

int crl_sat_variable(struct crl_sat *sat) { return ++sat->variables; }

void crl_sat_clause(struct crl_sat *sat, const int *literals, size_t count)
{
    for (size_t i = 0; i < count; i++) ccadical_add(sat->solver, literals[i]);
    ccadical_add(sat->solver, 0);
}

void crl_sat_clause2(struct crl_sat *sat, int a, int b) { crl_sat_clause(sat, (int[]){a, b}, 2); }

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
    if (conflicts > 0) ccadical_limit(sat->solver, "conflicts", conflicts);
    switch (ccadical_solve(sat->solver)) {
    case 10: return CRL_SAT_YES;
    case 20: return CRL_SAT_NO;
    default: return CRL_SAT_GAVE_UP;
    }
}

bool crl_sat_value(struct crl_sat *sat, int variable) { return ccadical_val(sat->solver, variable) > 0; }
