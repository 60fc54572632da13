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

#endif
