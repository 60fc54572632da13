// SPDX-License-Identifier: Apache-2.0
#include "algorithm/classes.h"
#include "algorithm/algorithm.h"

uint32_t crl_rotate(uint32_t x, uint32_t by, uint32_t bits)
{
    by %= bits;
    if (!by) return x;
    return (x << by | x >> (bits - by)) & ((UINT32_C(1) << bits) - 1);
}

// Size of the class of `x`, or 0 if `x` is not its smallest member.
static uint8_t class_size(uint32_t x, uint32_t bits)
{
    for (uint32_t r = 1; r <= bits; r++) {
        uint32_t y = crl_rotate(x, r, bits);
        if (y < x) return 0;
        if (y == x) return (uint8_t)r;
    }
    return 0;
}

int crl_classes_new(struct crl_classes *classes, struct crl_pool *pool, uint32_t bits)
{
    uint64_t strings = UINT64_C(1) << bits;
    *classes = (struct crl_classes){.bits = bits};
    CRL_NEW(pool, classes->smallest, strings / 2 + 1); // they are odd
    CRL_NEW(pool, classes->size, strings / 2 + 1);
    if (pool->failed) return CRL_ERR_MEMORY;
    for (uint32_t weight = 1; weight < bits; weight++)
        for (uint32_t x = 1; x < strings; x += 2) {
            uint8_t size = (uint32_t)__builtin_popcount(x) == weight ? class_size(x, bits) : 0;
            if (!size) continue;
            classes->smallest[classes->count] = x;
            classes->size[classes->count++] = size;
        }
    return 0;
}
