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

// The next larger number with as many bits.
static uint64_t next_of_weight(uint64_t x)
{
    uint64_t lowest = x & -x, carried = x + lowest;
    return ((carried ^ x) >> 2) / lowest | carried;
}

int crl_classes_new(struct crl_classes *classes, struct crl_pool *pool, uint32_t bits)
{
    uint64_t strings = UINT64_C(1) << bits;
    *classes = (struct crl_classes){.bits = bits};
    CRL_NEW(pool, classes->smallest, strings / 2 + 1); // they are odd
    CRL_NEW(pool, classes->size, strings / 2 + 1);
    if (pool->failed) return CRL_ERR_MEMORY;
    for (uint32_t weight = 1; weight < bits; weight++)
        for (uint64_t x = (UINT64_C(1) << weight) - 1; x < strings; x = next_of_weight(x)) {
            uint8_t size = class_size((uint32_t)x, bits);
            if (!size) continue;
            classes->smallest[classes->count] = (uint32_t)x;
            classes->size[classes->count++] = size;
        }
    return 0;
}
