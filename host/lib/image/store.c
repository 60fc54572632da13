// SPDX-License-Identifier: Apache-2.0
#include "image/store.h"
#include <stdlib.h>
#include <string.h>

static const uint32_t idle[CRL_ROW_WORDS_MAX];

void crl_row_store_done(struct crl_row_store *store)
{
    CRL_FREE(store->bits, store->first, store->use);
    *store = (struct crl_row_store){0};
}

static const uint32_t *bits_at(const struct crl_row_store *store, uint32_t at)
{
    return store->bits + (size_t)at * store->row_words;
}

const uint32_t *crl_row_store_row(const struct crl_row_store *store, uint32_t table, uint32_t row)
{
    size_t least = store->first[table], most = store->first[table + 1];
    while (least < most) {
        size_t middle = least + (most - least) / 2;
        if (store->use[middle].row < row) least = middle + 1;
        else most = middle;
    }
    bool found = least < store->first[table + 1] && store->use[least].row == row;
    return found ? bits_at(store, store->use[least].bits) : idle;
}

void crl_row_store_table(const struct crl_row_store *store, uint32_t table, uint32_t rows, uint32_t *bits)
{
    memset(bits, 0, sizeof *bits * rows * store->row_words);
    for (size_t i = store->first[table]; i < store->first[table + 1]; i++)
        memcpy(bits + (size_t)store->use[i].row * store->row_words, bits_at(store, store->use[i].bits),
               sizeof *bits * store->row_words);
}

uint32_t *crl_row_store_all(const struct crl_row_store *store, uint32_t tables, uint32_t rows)
{
    size_t words = (size_t)rows * store->row_words;
    uint32_t *bits = malloc(sizeof *bits * words * tables + 1);
    for (uint32_t t = 0; bits && t < tables; t++) crl_row_store_table(store, t, rows, bits + t * words);
    return bits;
}

// ---- equal rows and tables are found by hashing

// Numbers 0…count−1 of things that are compared elsewhere, in a table of twice as many cells or more.
struct index {
    uint32_t *cell; // 1 + number; 0: free
    uint64_t *hash; // of each number
    size_t cells, capacity;
};

static uint64_t hash_words(const uint32_t *words, size_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < count; i++) hash = ((hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15)) ^ hash >> 29;
    return hash ^ hash >> 32;
}

static bool index_grow(struct index *index, uint32_t count)
{
    if (crl_grow((void **)&index->hash, &index->capacity, count, sizeof *index->hash)) return false;
    if (count < index->cells / 2) return true;
    size_t cells = index->cells ? index->cells * 4 : 1024;
    uint32_t *cell = calloc(cells, sizeof *cell);
    if (!cell) return false;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = index->hash[i] & (cells - 1);
        while (cell[at]) at = (at + 1) & (cells - 1);
        cell[at] = i + 1;
    }
    free(index->cell);
    index->cell = cell;
    index->cells = cells;
    return true;
}

// The number of what is equal, or `count` after making it one more; CRL_NONE when memory runs out.
static uint32_t index_find(struct index *index, uint32_t count, uint64_t hash,
                           bool (*equal)(const void *user, uint32_t number), const void *user)
{
    if (!index_grow(index, count)) return CRL_NONE;
    size_t at = hash & (index->cells - 1);
    for (; index->cell[at]; at = (at + 1) & (index->cells - 1))
        if (index->hash[index->cell[at] - 1] == hash && equal(user, index->cell[at] - 1)) return index->cell[at] - 1;
    index->cell[at] = count + 1;
    index->hash[count] = hash;
    return count;
}

static void index_done(struct index *index) { CRL_FREE(index->cell, index->hash); }

// ---- making a store

struct crl_row_builder {
    struct crl_row_store store;
    uint32_t tables;
    size_t bits_capacity, first_capacity, use_capacity;
    struct index rows, shared;
    bool failed;
};

int crl_row_builder_new(struct crl_row_builder **out, uint32_t row_words)
{
    struct crl_row_builder *b = *out = calloc(1, sizeof *b);
    if (!b) return CRL_ERR_MEMORY;
    b->store.row_words = row_words;
    b->failed = crl_grow((void **)&b->store.first, &b->first_capacity, 0, sizeof *b->store.first);
    if (!b->failed) b->store.first[0] = 0;
    return 0;
}

struct candidate {
    const struct crl_row_store *store;
    const uint32_t *bits; // a row
    size_t first, count;  // the rows of a table, in use[first…]
};

static bool equal_row(const void *user, uint32_t number)
{
    const struct candidate *c = user;
    return !memcmp(bits_at(c->store, number), c->bits, sizeof *c->bits * c->store->row_words);
}

static bool equal_table(const void *user, uint32_t number)
{
    const struct candidate *c = user;
    size_t first = c->store->first[number];
    if (c->store->first[number + 1] - first != c->count) return false;
    return !c->count || // there may be no rows at all
           !memcmp(c->store->use + first, c->store->use + c->first, sizeof *c->store->use * c->count);
}

static uint32_t keep_row(struct crl_row_builder *b, const uint32_t *bits)
{
    struct crl_row_store *s = &b->store;
    struct candidate candidate = {.store = s, .bits = bits};
    size_t size = sizeof *bits * s->row_words;
    uint32_t at = index_find(&b->rows, s->distinct, hash_words(bits, s->row_words), equal_row, &candidate);
    b->failed |= at == CRL_NONE;
    if (at != s->distinct || b->failed) return at;
    b->failed |= crl_grow((void **)&s->bits, &b->bits_capacity, s->distinct, size) != 0;
    if (!b->failed) memcpy(s->bits + (size_t)s->distinct++ * s->row_words, bits, size);
    return at;
}

uint32_t crl_row_builder_add(struct crl_row_builder *b, const uint32_t *numbers, const uint32_t *bits, size_t count,
                             bool share)
{
    struct crl_row_store *s = &b->store;
    size_t first = b->failed ? 0 : s->first[b->tables], end = first;
    for (size_t i = 0; i < count && !b->failed; i++) {
        const uint32_t *row = bits + i * s->row_words;
        if (!memcmp(row, idle, sizeof *row * s->row_words)) continue;
        b->failed |= crl_grow((void **)&s->use, &b->use_capacity, end, sizeof *s->use) != 0;
        if (!b->failed) s->use[end++] = (struct crl_row_use){numbers[i], keep_row(b, row)};
    }
    if (b->failed) return 0;
    if (share) {
        struct candidate candidate = {.store = s, .first = first, .count = end - first};
        uint64_t hash = hash_words((const uint32_t *)(s->use + first), (end - first) * 2);
        uint32_t same = index_find(&b->shared, b->tables, hash, equal_table, &candidate);
        b->failed |= same == CRL_NONE;
        if (same != b->tables || b->failed) return same;
    }
    b->failed |= crl_grow((void **)&s->first, &b->first_capacity, b->tables + 1, sizeof *s->first) != 0;
    if (!b->failed) s->first[b->tables + 1] = end;
    return b->tables++;
}

int crl_row_builder_end(struct crl_row_builder *b, struct crl_row_store *store, uint32_t *tables)
{
    if (!b) return 0;
    int error = b->failed ? CRL_ERR_MEMORY : 0;
    // Arrays of nothing are arrays all the same.
    if (!error && crl_grow((void **)&b->store.bits, &b->bits_capacity, 0, sizeof(uint32_t))) error = CRL_ERR_MEMORY;
    if (!error && crl_grow((void **)&b->store.use, &b->use_capacity, 0, sizeof *b->store.use)) error = CRL_ERR_MEMORY;
    *tables = b->tables;
    if (error) crl_row_store_done(&b->store);
    *store = b->store;
    index_done(&b->rows);
    index_done(&b->shared);
    free(b);
    return error;
}

// ---- files

void crl_put_rows(struct crl_bytes *file, struct crl_bytes *body, uint32_t id, const struct crl_row_store *store,
                  uint32_t tables)
{
    crl_put_words(body, store->bits, (size_t)store->distinct * store->row_words);
    crl_put_section(file, id, body);
    for (uint32_t t = 0; t < tables; t++) {
        size_t count = store->first[t + 1] - store->first[t];
        crl_put(body, (uint32_t)count);
        crl_put_words(body, (const uint32_t *)(store->use + store->first[t]), count * 2); // row, bits
    }
    crl_put_section(file, id + 1, body);
}

static void get_bits(struct crl_cursor *c, uint32_t id, struct crl_row_store *store)
{
    struct crl_cursor body = crl_get_section(c, id);
    struct index rows = {0};
    size_t size = sizeof(uint32_t) * store->row_words, count = body.count / size;
    store->bits = crl_get_array(&body, count, size, size);
    if (store->bits) crl_get_words(&body, store->bits, count * store->row_words);
    for (uint32_t i = 0; i < count && !body.error; i++) {
        struct candidate candidate = {.store = store, .bits = bits_at(store, i)};
        uint32_t at = index_find(&rows, i, hash_words(candidate.bits, store->row_words), equal_row, &candidate);
        if (at == CRL_NONE) body.error = crl_fail_memory(body.diag);
        else if (at != i) crl_bad(&body, "a row is held twice");
        else if (!memcmp(candidate.bits, idle, size)) crl_bad(&body, "an idle row is held");
    }
    store->distinct = (uint32_t)count;
    index_done(&rows);
    crl_end_section(c, &body);
}

// The rows of one table, into use[first…]; *seen rows of the store were used before.
static size_t get_table(struct crl_cursor *body, struct crl_row_store *store, size_t first, uint32_t rows,
                        uint32_t *seen)
{
    uint32_t count = crl_get(body);
    if (!body->error && count > (body->count - body->used) / 8) crl_bad(body, "the image is cut off");
    for (uint32_t i = 0; i < count && !body->error; i++) {
        struct crl_row_use use;
        use.row = crl_get(body);
        use.bits = crl_get(body);
        if (use.row >= rows || (i && use.row <= store->use[first + i - 1].row))
            crl_bad(body, "the rows of a table are out of range or out of order");
        else if (use.bits > *seen || use.bits >= store->distinct)
            crl_bad(body, "rows are not in the order of their use");
        *seen += use.bits == *seen;
        store->use[first + i] = use;
    }
    return first + count;
}

void crl_get_rows(struct crl_cursor *c, uint32_t id, struct crl_row_store *store, uint32_t row_words, uint32_t tables,
                  uint32_t rows)
{
    store->row_words = row_words;
    get_bits(c, id, store);
    if (c->error) return;
    struct crl_cursor body = crl_get_section(c, id + 1);
    uint32_t seen = 0;
    if (!body.error && tables > body.count / 4) crl_bad(&body, "the image is cut off");
    store->first = crl_get_array(&body, tables + UINT64_C(1), sizeof *store->first, 1);
    store->use = crl_get_array(&body, body.count / 8, sizeof *store->use, 8);
    for (uint32_t t = 0; t < tables && !body.error; t++)
        store->first[t + 1] = get_table(&body, store, store->first[t], rows, &seen);
    if (!body.error && seen != store->distinct) crl_bad(&body, "a row is held that no table uses");
    crl_end_section(c, &body);
}
