// SPDX-License-Identifier: Apache-2.0
// The checker of proofs by reverse unit propagation: a clause follows if its negation leads to a contradiction by unit
// clauses alone; if the empty one follows there is no solution. A clause waits for one of its first two literals to
// become false, in the lists of these two; so while neither is, nobody looks at it.
#include "base/base.h"
#include "base/context.h"
#include "refute/refute.h"
#include <stdlib.h>

enum { SIZE, NEXT, LITERALS = NEXT + 2 }; // of a clause in the store; NEXT + k: the next one in the list of literal k

struct rup {
    uint32_t variables;
    int8_t *value;        // [variables + 1] 1 true, −1 false, 0 open
    int32_t *trail;       // [variables] what is true, in the order in which it became so
    uint32_t known, done; // how many of these there are, and how many have been followed up
    uint32_t *head;       // [2·variables + 2] the first clause that waits for a literal; 0: none
    uint32_t *store;      // clauses
    size_t used, room;    // of the store
    bool refuted;
};

static int value_of(const struct rup *r, int32_t literal)
{
    return literal < 0 ? -r->value[-literal] : r->value[literal];
}

static uint32_t *head_of(struct rup *r, int32_t literal)
{
    return &r->head[literal < 0 ? 2 * (uint32_t)-literal + 1 : 2 * (uint32_t)literal];
}

static void make_true(struct rup *r, int32_t literal)
{
    r->value[abs(literal)] = literal < 0 ? -1 : 1;
    r->trail[r->known++] = literal;
}

// Makes `literal` the second of a clause that waits for it, and returns the literals.
static int32_t *second(uint32_t *clause, int32_t literal)
{
    int32_t *l = (int32_t *)clause + LITERALS;
    if (l[0] != literal) return l;
    uint32_t next = clause[NEXT];
    clause[NEXT] = clause[NEXT + 1];
    clause[NEXT + 1] = next;
    l[0] = l[1];
    l[1] = literal;
    return l;
}

// Follows up what became true. Returns whether some clause is false then.
static bool contradicts(struct rup *r)
{
    while (r->done < r->known) {
        int32_t false_now = -r->trail[r->done++];
        for (uint32_t *link = head_of(r, false_now); *link;) {
            uint32_t *clause = r->store + *link, k = 2;
            int32_t *l = second(clause, false_now);
            if (value_of(r, l[0]) > 0) k = clause[SIZE]; // true already
            else
                while (k < clause[SIZE] && (value_of(r, l[k]) < 0 || l[k] == l[0])) k++;
            if (value_of(r, l[0]) <= 0 && k < clause[SIZE]) { // waits for another
                uint32_t here = *link, *other = head_of(r, l[k]);
                l[1] = l[k];
                l[k] = false_now;
                *link = clause[NEXT + 1];
                clause[NEXT + 1] = *other;
                *other = here;
                continue;
            }
            if (value_of(r, l[0]) < 0) return true;
            if (!value_of(r, l[0])) make_true(r, l[0]);
            link = &clause[NEXT + 1];
        }
    }
    return false;
}

// Whether the negation of a clause leads to a contradiction.
static bool follows(struct rup *r, const int32_t *literals, size_t count)
{
    uint32_t known = r->known;
    bool sure = false;
    for (size_t i = 0; i < count && !sure; i++) {
        if (!value_of(r, literals[i])) make_true(r, -literals[i]);
        else sure = value_of(r, literals[i]) > 0;
    }
    sure = sure || contradicts(r);
    while (r->known > known) r->value[abs(r->trail[--r->known])] = 0;
    r->done = known;
    return sure;
}

// Keeps a clause, with two different literals in front that are not false. Where there is but one, it is true from now
// on; where there is none, nothing is left that could be true.
static int keep(struct rup *r, const int32_t *literals, size_t count)
{
    while (r->room < r->used + LITERALS + count)
        if (crl_grow((void **)&r->store, &r->room, r->room, sizeof *r->store)) return CRL_ERR_MEMORY;
    if (r->used > UINT32_MAX - LITERALS - count) return CRL_ERR_MEMORY;
    uint32_t *clause = r->store + r->used, front = 0;
    int32_t *l = (int32_t *)clause + LITERALS;
    for (size_t i = 0; i < count; i++) {
        l[i] = literals[i];
        if (front > 1 || value_of(r, l[i]) < 0 || (front && l[i] == l[0])) continue;
        l[i] = l[front];
        l[front++] = literals[i];
    }
    if (front < 2) {
        if (front && !value_of(r, l[0])) make_true(r, l[0]);
        r->refuted = !front || contradicts(r);
        return 0;
    }
    clause[SIZE] = (uint32_t)count;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t *head = head_of(r, l[k]);
        clause[NEXT + k] = *head;
        *head = (uint32_t)r->used;
    }
    r->used += LITERALS + count;
    return 0;
}

static int take_given(void *user, const int32_t *literals, size_t count)
{
    struct rup *r = user;
    return r->refuted ? 0 : keep(r, literals, count);
}

static int take_proof(struct rup *r, const int32_t *literals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (literals[i] < -(int64_t)r->variables || literals[i] > (int64_t)r->variables) return CRL_ERR_RULE;
    if (r->refuted) return 0;
    return follows(r, literals, count) ? keep(r, literals, count) : CRL_ERR_RULE;
}

int crl_claim_refuted(const struct crl_claim *claim, const int32_t *literals, size_t count, uint64_t *wrong)
{
    struct rup r = {.used = 1};
    int error = crl_claim_formula(claim, &r.variables, NULL, NULL);
    if (error) return error;
    r.value = calloc(r.variables + UINT64_C(1), sizeof *r.value);
    r.trail = malloc(sizeof *r.trail * (r.variables + UINT64_C(1)));
    r.head = calloc(2 * (r.variables + UINT64_C(1)), sizeof *r.head);
    error = r.value && r.trail && r.head ? crl_claim_formula(claim, &r.variables, take_given, &r) : CRL_ERR_MEMORY;
    *wrong = 0;
    for (size_t i = 0, first = 0; i < count && !error; i++) {
        if (literals[i]) continue;
        ++*wrong;
        if (crl_context_cancelled(claim->context)) error = CRL_ERR_INTERRUPTED;
        else error = take_proof(&r, literals + first, i - first);
        first = i + 1;
    }
    if (!error) *wrong = 0;
    CRL_FREE(r.value, r.trail, r.head, r.store);
    return error || r.refuted ? error : CRL_ERR_RULE;
}
