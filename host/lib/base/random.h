// SPDX-License-Identifier: Apache-2.0
// Lots for searches, the same everywhere for the same seed (splitmix64).
#ifndef CRL_RANDOM_H
#define CRL_RANDOM_H

#include "base/base.h"

static inline uint64_t crl_random(uint64_t *state)
{
    uint64_t x = crl_mix(*state);
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return x;
}

// A number below another.
static inline uint32_t crl_draw(uint64_t *state, uint32_t below)
{
    return (uint32_t)(((crl_random(state) >> 32) * below) >> 32);
}

static inline void crl_shuffle(uint32_t *order, uint32_t count, uint64_t *state)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = (uint32_t)(crl_random(state) % i), swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
}

#endif
