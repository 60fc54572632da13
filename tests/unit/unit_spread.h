// SPDX-License-Identifier: Apache-2.0
// Tables whose rows can be altered one by one: images hold equal rows once.
#ifndef UNIT_SPREAD_H
#define UNIT_SPREAD_H

#include "image/store.h"
#include <stdlib.h>

// Gives every row of every table bits of its own, idle or not: row r of table t is bits[(t * rows + r) * row_words …].
static inline void unit_spread(struct crl_row_store *store, uint32_t tables, uint32_t rows)
{
    size_t all = (size_t)tables * rows;
    uint32_t *bits = crl_row_store_all(store, tables, rows), row_words = store->row_words;
    crl_row_store_done(store);
    *store = (struct crl_row_store){row_words, (uint32_t)all, bits, malloc(sizeof *store->first * (tables + 1)),
                                    malloc(sizeof *store->use * all)};
    if (!bits || !store->first || !store->use) abort();
    for (uint32_t t = 0; t <= tables; t++) store->first[t] = (size_t)t * rows;
    for (size_t i = 0; i < all; i++) store->use[i] = (struct crl_row_use){(uint32_t)(i % rows), (uint32_t)i};
}

#endif
