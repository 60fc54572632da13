// SPDX-License-Identifier: Apache-2.0
// Arrays that end together. Memory that ran out is remembered, so whoever makes several arrays asks once, when all are
// made and before any is used.
#ifndef CRL_POOL_H
#define CRL_POOL_H

#include "base/base.h"

struct crl_pool { // begins as {0}
    struct crl_pool_block *first;
    bool failed; // some array could not be made, or be made longer
};

// `array` becomes `count` elements of its type, as they are or zero, or NULL.
#define CRL_NEW(pool, array, count)    ((array) = crl_pool_new(pool, count, sizeof *(array), false))
#define CRL_ZEROED(pool, array, count) ((array) = crl_pool_new(pool, count, sizeof *(array), true))
// Several arrays of numbers (&a, &b, …), each of `count` zeros, or NULL.
#define CRL_NUMBERS(pool, count, ...) crl_pool_numbers(pool, count, (uint32_t * *const[]){__VA_ARGS__, NULL})

// Memory for so many elements of `size` bytes, aligned for any type; it is the pool's. NULL: there is none.
void *crl_pool_new(struct crl_pool *pool, size_t count, size_t size, bool zeroed);
void crl_pool_numbers(struct crl_pool *pool, size_t count, uint32_t **const *arrays);
// An array of the pool, or NULL, made so long; it may move, and the new part holds anything. NULL: there is no memory,
// and the array is as it was.
void *crl_pool_resize(struct crl_pool *pool, void *array, size_t count, size_t size);
// As crl_grow, for an array of the pool.
int crl_pool_grow(struct crl_pool *pool, void **array, size_t *capacity, size_t count, size_t size);
// CRL_ERR_MEMORY if anything was missing, or 0.
int crl_pool_error(const struct crl_pool *pool);
// Ends all its arrays; it can be used again.
void crl_pool_done(struct crl_pool *pool);

#endif
