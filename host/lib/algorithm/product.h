// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the digits of a product's nodes, which paths have, too, though it moves none of their links.
#ifndef CRL_PRODUCT_H
#define CRL_PRODUCT_H

#include "topology/topology.h"

// A product's shift adds digit by digit whatever the factor is, also where that is no translation of the network.
static inline uint32_t crl_digits_add(const struct crl_topology *t, uint32_t node, uint32_t by)
{
    return t->kind->shift(t, node, by);
}

static inline uint32_t crl_digits_subtract(const struct crl_topology *t, uint32_t node, uint32_t by)
{
    return t->kind->unshift(t, node, by);
}

#endif
