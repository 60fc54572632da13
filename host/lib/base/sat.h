// SPDX-License-Identifier: Apache-2.0
// A thin layer over the SAT solver: literals are ±variable, variables count from 1.
#ifndef CRL_SAT_H
#define CRL_SAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct crl_sat;
enum crl_sat_answer { CRL_SAT_YES, CRL_SAT_NO, CRL_SAT_GAVE_UP };

struct crl_context;
// Gives up, too, once the context's caller wants to stop; it must live as long.
struct crl_sat *crl_sat_new(const struct crl_context *context);
void crl_sat_free(struct crl_sat *sat);
// Has a proof written, in text, if the answer is no: lines of clauses that follow, each ended by 0 (those that begin
// with d only say what is no longer needed). Call it before the first clause, _end_proof after solving; the caller
// closes the file. Returns whether that works.
bool crl_sat_prove(struct crl_sat *sat, FILE *file);
void crl_sat_end_proof(struct crl_sat *sat);
int crl_sat_variable(struct crl_sat *sat); // a new one
// The disjunction of `count` literals; _clause2 for two.
void crl_sat_clause(struct crl_sat *sat, const int *literals, size_t count);
void crl_sat_clause2(struct crl_sat *sat, int a, int b);
// At most one of the literals: pairwise when they are few, else with a chain of helper variables.
void crl_sat_at_most_one(struct crl_sat *sat, const int *literals, size_t count);
void crl_sat_exactly_one(struct crl_sat *sat, const int *literals, size_t count);
// Gives up after `conflicts` conflicts; 0 means never.
enum crl_sat_answer crl_sat_solve(struct crl_sat *sat, int conflicts);
bool crl_sat_value(struct crl_sat *sat, int variable); // after CRL_SAT_YES

#endif
