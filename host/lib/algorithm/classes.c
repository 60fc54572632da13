// SPDX-License-Identifier: Apache-2.0
#include "algorithm/classes.h"
#include "algorithm/algorithm.h"
#include <stdlib.h>

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

int crl_classes_new(struct crl_classes *classes, uint32_t bits)
{
    uint32_t strings = UINT32_C(1) << bits, start[33] = {0};
    *classes = (struct crl_classes){.bits = bits};
    uint8_t *size = calloc(strings, 1);
    if (!size) return CRL_ERR_MEMORY;
    for (uint32_t x = 1; x + 1 < strings; x++) {
        size[x] = class_size(x, bits);
        if (size[x]) start[__builtin_popcount(x) + 1]++;
    }
    for (uint32_t k = 1; k <= 32; k++) start[k] += start[k - 1];
    classes->count = start[32];
    classes->smallest = malloc(sizeof *classes->smallest * (classes->count + 1));
    classes->size = malloc(classes->count + 1);
    if (!classes->smallest || !classes->size) {
        free(size);
        crl_classes_done(classes);
        return CRL_ERR_MEMORY;
    }
    for (uint32_t x = 1; x + 1 < strings; x++) { // ascending within each weight
        if (!size[x]) continue;
        uint32_t at = start[__builtin_popcount(x)]++;
        classes->smallest[at] = x;
        classes->size[at] = size[x];
    }
    free(size);
    return 0;
}

void crl_classes_done(struct crl_classes *classes)
{
    free(classes->smallest);
    free(classes->size);
    classes->smallest = NULL;
    classes->size = NULL;
}
