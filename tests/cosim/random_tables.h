// SPDX-License-Identifier: Apache-2.0
// What the makers of random tables share: lots, and a store in which every row has bits of its own.
#ifndef CRL_RANDOM_TABLES_H
#define CRL_RANDOM_TABLES_H

#include "base/base.h"
#include "image/store.h"
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;
static uint64_t sent, faulty; // departures, and runs in which a guard saw something

static inline uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static inline void die(const char *what, const struct crl_diag *diag)
{
    fprintf(stderr, "%s: %s\n", what, diag->text);
    exit(1);
}

// Replaces a store by one of as many tables of `rows` rows, all bits 0.
static inline void own_rows(struct crl_row_store *store, uint32_t tables, uint32_t rows)
{
    const uint32_t row_words = store->row_words;
    const size_t all = (size_t)tables * rows;
    crl_row_store_done(store);
    *store = (struct crl_row_store){row_words, (uint32_t)all, calloc(all * row_words, sizeof(uint32_t)),
                                    malloc(sizeof *store->first * (tables + 1)), malloc(sizeof *store->use * all)};
    if (!store->bits || !store->first || !store->use) abort();
    for (uint32_t t = 0; t <= tables; t++) store->first[t] = (size_t)t * rows;
    for (size_t i = 0; i < all; i++) store->use[i] = (struct crl_row_use){(uint32_t)(i % rows), (uint32_t)i};
}

#endif
