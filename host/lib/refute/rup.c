// SPDX-License-Identifier: Apache-2.0
// The checker of proofs. A clause of two literals or more waits for one of its first two to become false, in the lists
// of these two; so while neither is, nobody looks at it.
#include "base/base.h"
#include "refute/refute.h"
#include <stdlib.h>
#include <string.h>

enum { SIZE, NEXT, LITERALS = NEXT + 2 }; // of a clause in the store; NEXT + k: the next one in the list of literal k

struct crl_rup {
    uint32_t variables;
    int8_t *value;        // [variables + 1] 1 true, −1 false, 0 open
    int32_t *trail;       // [variables] what is true, in the order in which it became so
    uint32_t known, done; // how many of these there are, and how many have been followed up
    uint32_t *head;       // [2·variables + 2] the first clause that waits for a literal; 0: none
    uint32_t *store;      // clauses
    size_t used, room;    // of the store
    int32_t *open;        // scratch
    size_t open_room;
    bool refuted;
};

struct crl_rup *crl_rup_new(uint32_t variables)
{
    struct crl_rup *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->variables = variables;
    r->used = 1;
    r->value = calloc(variables + UINT64_C(1), sizeof *r->value);
    r->trail = malloc(sizeof *r->trail * (variables + UINT64_C(1)));
    r->head = calloc(2 * (variables + UINT64_C(1)), sizeof *r->head);
    if (r->value && r->trail && r->head) return r;
    crl_rup_free(r);
    return NULL;
}

void crl_rup_free(struct crl_rup *r)
{
    if (!r) return;
    free(r->value);
    free(r->trail);
    free(r->head);
    free(r->store);
    free(r->open);
    free(r);
}

bool crl_rup_refuted(const struct crl_rup *r) { return r->refuted; }

static int value_of(const struct crl_rup *r, int32_t literal)
{
    return literal < 0 ? -r->value[-literal] : r->value[literal];
}

static uint32_t *head_of(struct crl_rup *r, int32_t literal)
{
    return &r->head[literal < 0 ? 2 * (uint32_t)-literal + 1 : 2 * (uint32_t)literal];
}

static void make_true(struct crl_rup *r, int32_t literal)
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
static bool contradicts(struct crl_rup *r)
{
    while (r->done < r->known) {
        int32_t false_now = -r->trail[r->done++];
        for (uint32_t *link = head_of(r, false_now); *link;) {
            uint32_t *clause = r->store + *link, k = 2;
            int32_t *l = second(clause, false_now);
            if (value_of(r, l[0]) > 0) k = clause[SIZE]; // true already
            else
                while (k < clause[SIZE] && value_of(r, l[k]) < 0) k++;
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
static bool follows(struct crl_rup *r, const int32_t *literals, size_t count)
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

// Leaves in r->open, once each, the literals that are open. Returns how many; SIZE_MAX: one is true.
static size_t open_literals(struct crl_rup *r, const int32_t *literals, size_t count)
{
    size_t open = 0;
    bool holds = false;
    for (size_t i = 0; i < count; i++) {
        if (!value_of(r, literals[i])) {
            r->open[open++] = literals[i];
            r->value[abs(literals[i])] = literals[i] < 0 ? 1 : -1; // so that it is not open again
        } else {
            holds |= value_of(r, literals[i]) > 0;
        }
    }
    for (size_t i = 0; i < open; i++) r->value[abs(r->open[i])] = 0;
    return holds ? SIZE_MAX : open;
}

static int keep(struct crl_rup *r, size_t count)
{
    while (r->room < r->used + LITERALS + count)
        if (crl_grow((void **)&r->store, &r->room, r->room, sizeof *r->store)) return CRL_ERR_MEMORY;
    if (r->used > UINT32_MAX - LITERALS - count) return CRL_ERR_MEMORY;
    uint32_t *clause = r->store + r->used;
    clause[SIZE] = (uint32_t)count;
    memcpy(clause + LITERALS, r->open, sizeof *r->open * count);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t *head = head_of(r, r->open[k]);
        clause[NEXT + k] = *head;
        *head = (uint32_t)r->used;
    }
    r->used += LITERALS + count;
    return 0;
}

int crl_rup_add(struct crl_rup *r, const int32_t *literals, size_t count, bool given)
{
    for (size_t i = 0; i < count; i++)
        if (!literals[i] || literals[i] == INT32_MIN || (uint32_t)abs(literals[i]) > r->variables) return CRL_ERR_RULE;
    if (r->refuted) return 0;
    if (!given && !follows(r, literals, count)) return CRL_ERR_RULE;
    while (r->open_room < count)
        if (crl_grow((void **)&r->open, &r->open_room, r->open_room, sizeof *r->open)) return CRL_ERR_MEMORY;
    size_t open = open_literals(r, literals, count);
    if (open == SIZE_MAX) return 0;
    if (open > 1) return keep(r, open);
    if (open) make_true(r, r->open[0]);
    r->refuted = !open || contradicts(r);
    return 0;
}
