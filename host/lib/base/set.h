// SPDX-License-Identifier: Apache-2.0
// A set of numbers below a limit that can be drawn from and looked through: they stand in a list, in no order.
#ifndef CRL_SET_H
#define CRL_SET_H

#include "base/pool.h"
#include <string.h>

struct crl_set {
    uint32_t *list, *place; // [limit], of the pool; place: where a number stands in the list, or CRL_NONE
    uint32_t count;
};

// Makes it, which the pool ends. Whether there was memory the pool says; then it is to be emptied.
static inline void crl_set_init(struct crl_set *set, struct crl_pool *pool, size_t limit)
{
    CRL_NUMBERS(pool, limit, &set->list, &set->place);
}

static inline void crl_set_empty(struct crl_set *set, size_t limit)
{
    set->count = 0;
    memset(set->place, 0xff, sizeof *set->place * limit); // CRL_NONE
}

static inline bool crl_set_has(const struct crl_set *set, uint32_t number) { return set->place[number] != CRL_NONE; }

// Puts a number in, or takes it out, if that is not so already.
static inline void crl_set_put(struct crl_set *set, uint32_t number, bool in)
{
    uint32_t at = set->place[number];
    if ((at != CRL_NONE) == in) return;
    if (in) {
        set->list[set->place[number] = set->count++] = number;
        return;
    }
    uint32_t last = set->list[--set->count];
    set->list[set->place[last] = at] = last;
    set->place[number] = CRL_NONE;
}

#endif
