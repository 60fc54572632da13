// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the digits of a product's nodes, which paths have, too, though it moves none of their links.
#ifndef CRL_PRODUCT_H
#define CRL_PRODUCT_H

#include "topology/topology.h"

static inline uint32_t crl_digits_add(const struct crl_topology *t, uint32_t node, uint32_t by)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        sum += (node / f->stride + by / f->stride % f->size) % f->size * f->stride;
    }
    return sum;
}

static inline uint32_t crl_digits_subtract(const struct crl_topology *t, uint32_t node, uint32_t by)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        sum += (node / f->stride + f->size - by / f->stride % f->size) % f->size * f->stride;
    }
    return sum;
}

#endif
