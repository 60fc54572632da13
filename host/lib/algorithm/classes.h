// SPDX-License-Identifier: Apache-2.0
// Rotation classes of bit strings, on which the multinode broadcast and the scatter of Bertsekas et al. are built.
#ifndef CRL_CLASSES_H
#define CRL_CLASSES_H

#include "base/pool.h"

// The classes of the d-bit strings other than 0…0 and 1…1 under left rotation, ordered by weight and then by smallest
// member. The smallest string of weight k is 2^k − 1, so its class comes first among those of its weight, as the paper
// wants.
struct crl_classes {
    uint32_t bits, count;
    uint32_t *smallest; // [count]
    uint8_t *size;      // [count] members: a divisor of d
};

// In a pool, with whose memory they end. 0 or CRL_ERR_MEMORY.
int crl_classes_new(struct crl_classes *classes, struct crl_pool *pool, uint32_t bits);

// `x` rotated left by `by` as a string of `bits` bits.
uint32_t crl_rotate(uint32_t x, uint32_t by, uint32_t bits);

// Of the string numbered n ≥ 1: the paper's m(t), counted from 0, and the slot ⌈n/d⌉.
static inline uint32_t crl_class_position(uint32_t n, uint32_t bits) { return (n - 1) % bits; }
static inline uint32_t crl_class_slot(uint32_t n, uint32_t bits) { return (n + bits - 1) / bits; }

#endif
