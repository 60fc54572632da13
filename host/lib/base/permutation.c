// SPDX-License-Identifier: Apache-2.0
// Bijections that look random. CMakeLists.txt has this file compiled with -O3, for the sake of the loop in map(): it is
// then done for several values at a time.
#include "base/base.h"

void crl_permutation_init(struct crl_permutation *p, uint32_t bits, uint64_t seed)
{
    p->mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    p->keep = UINT64_MAX;
    p->set = 0;
    p->rare = NULL;
    p->shift = bits / 2 + 1 < 64 ? bits / 2 + 1 : 63;
    for (uint64_t round = 0; round < 3; round++) {
        p->multiply[round] = crl_mix(seed * 6 + round * 2) | 1;
        p->add[round] = crl_mix(seed * 6 + round * 2 + 1);
    }
}

uint64_t crl_permute(uint64_t value, uint32_t bits, uint64_t seed)
{
    struct crl_permutation permutation;
    crl_permutation_init(&permutation, bits, seed);
    return crl_permutation_at(&permutation, value);
}

static inline __attribute__((always_inline)) void map(const struct crl_permutation *permutation,
                                                      const uint64_t *restrict numbers, uint64_t offset,
                                                      uint64_t *restrict values, size_t count)
{
    const struct crl_permutation p = *permutation; // which no store to `values` changes
    for (size_t i = 0; i < count; i++) values[i] = crl_permuted(&p, numbers[i] + offset);
    for (size_t i = 0; i < count && p.rare; i++) values[i] = crl_rare(&p, values[i]);
}

#if defined __x86_64__
__attribute__((target("avx2"))) static void map_wide(const struct crl_permutation *permutation, const uint64_t *numbers,
                                                     uint64_t offset, uint64_t *values, size_t count)
{
    map(permutation, numbers, offset, values, count);
}
#endif

void crl_permutation_many(const struct crl_permutation *permutation, const uint64_t *numbers, uint64_t offset,
                          uint64_t *values, size_t count)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        map_wide(permutation, numbers, offset, values, count);
        return;
    }
#endif
    map(permutation, numbers, offset, values, count);
}
