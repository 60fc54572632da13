// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

// Stands before each array.
struct crl_pool_block {
    alignas(max_align_t) struct crl_pool_block *next;
    struct crl_pool_block **at; // what points to it
};

static void *take_in(struct crl_pool *pool, struct crl_pool_block *block)
{
    pool->failed |= !block;
    if (!block) return NULL;
    block->next = pool->first;
    block->at = &pool->first;
    if (block->next) block->next->at = &block->next;
    pool->first = block;
    return block + 1;
}

static bool fits(size_t count, size_t size) { return count <= (SIZE_MAX - sizeof(struct crl_pool_block)) / size; }

void *crl_pool_new(struct crl_pool *pool, size_t count, size_t size, bool zeroed)
{
    size_t bytes = fits(count, size) ? sizeof(struct crl_pool_block) + count * size : 0;
    return take_in(pool, !bytes ? NULL : zeroed ? calloc(1, bytes) : malloc(bytes));
}

void crl_pool_numbers(struct crl_pool *pool, size_t count, uint32_t **const *arrays)
{
    for (; *arrays; arrays++) **arrays = crl_pool_new(pool, count, sizeof ***arrays, true);
}

void *crl_pool_resize(struct crl_pool *pool, void *array, size_t count, size_t size)
{
    if (!array) return crl_pool_new(pool, count, size, false);
    struct crl_pool_block *old = (struct crl_pool_block *)array - 1;
    struct crl_pool_block *block = fits(count, size) ? realloc(old, sizeof *old + count * size) : NULL;
    pool->failed |= !block;
    if (!block) return NULL;
    *block->at = block;
    if (block->next) block->next->at = &block->next;
    return block + 1;
}

int crl_pool_grow(struct crl_pool *pool, void **array, size_t *capacity, size_t count, size_t size)
{
    enum { LEAST = 64 };
    if (count < *capacity) return 0;
    size_t wanted = *capacity < LEAST ? LEAST : *capacity + *capacity / 2;
    void *grown = crl_pool_resize(pool, *array, wanted, size);
    if (!grown) return CRL_ERR_MEMORY;
    *array = grown;
    *capacity = wanted;
    return 0;
}

int crl_pool_error(const struct crl_pool *pool) { return pool->failed ? CRL_ERR_MEMORY : 0; }

void crl_pool_done(struct crl_pool *pool)
{
    for (struct crl_pool_block *block = pool->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *pool = (struct crl_pool){0};
}
