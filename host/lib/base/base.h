// SPDX-License-Identifier: Apache-2.0
// Small helpers that every stage uses.
#ifndef CRL_BASE_H
#define CRL_BASE_H

#include <carillon/carillon.h>

#define CRL_NONE UINT32_MAX // no node, port, address …

// Fills *diag (if any) and returns `code`, so that callers can write `return crl_fail(…)`.
int crl_fail(struct crl_diag *diag, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int crl_fail_at(struct crl_diag *diag, int code, const char *file, uint64_t line, uint64_t col, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
// Reports that memory ran out and returns CRL_ERR_MEMORY.
int crl_fail_memory(struct crl_diag *diag);

// What ends with the block in which it is declared, whichever way that is left: memory of malloc or NULL, and what has
// a function that ends it.
#define CRL_OWNED      __attribute__((cleanup(crl_free_owned)))
#define CRL_ENDED(end) __attribute__((cleanup(end)))
void crl_free_owned(const void *pointer); // the address of the pointer
// Frees several; all are read before the first is freed.
#define CRL_FREE(...) crl_free_all((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void crl_free_all(void *const *list, size_t count);

// Number of bits that hold the values 0…count−1; 0 for count ≤ 1.
uint32_t crl_bits_for(uint64_t count);
uint64_t crl_ceil_div(uint64_t a, uint64_t b);
// Bytes of the UTF-8 character at `text`, which ends with a 0 byte; 0: there is none.
size_t crl_utf8_length(const char *text);
// Whether `name` is one of `names`, which have blanks between them.
bool crl_word_among(const char *names, const char *name);

// As carillon_nearest_try() and carillon_did_you_mean().
void crl_nearest_try(struct carillon_nearest *nearest, const char *candidate);
const char *crl_did_you_mean(const struct carillon_nearest *nearest, char text[96]);

// Makes room for one more element of `size` bytes; returns 0 or CRL_ERR_MEMORY and leaves the array as it was.
int crl_grow(void **array, size_t *capacity, size_t count, size_t size);
// list[count++] = the value behind the first three, with room for it. Returns the same.
#define CRL_PUSH(list, room, count, ...)                                                                               \
    (crl_grow((void **)&(list), &(room), count, sizeof *(list)) ? CRL_ERR_MEMORY                                       \
                                                                : ((list)[(count)++] = (__VA_ARGS__), 0))
// Appends so many items, as many as there may be; nothing is read from `from` for none.
int crl_append(void **list, size_t *room, size_t *count, const void *from, size_t items, size_t size);
#define CRL_APPEND(list, room, count, from, items)                                                                     \
    crl_append((void **)&(list), &(room), &(count), from, items, sizeof *(list))

// Which of two comes first, as qsort() asks it, by pairs of their numbers, {one's, the other's}, the first pair first.
#define CRL_COMPARE(...)                                                                                               \
    crl_compare_pairs((const uint64_t[][2]){__VA_ARGS__}, sizeof((uint64_t[][2]){__VA_ARGS__}) / sizeof(uint64_t[2]))
static inline int crl_compare_pairs(const uint64_t (*pair)[2], size_t count)
{
    for (; count > 1 && (*pair)[0] == (*pair)[1]; pair++) count--;
    return (*pair)[0] < (*pair)[1] ? -1 : (*pair)[0] > (*pair)[1];
}

// Several arrays, {&array, size of an element} each, become `count` elements long. Returns 0 or CRL_ERR_MEMORY, with
// those as they were for which there is no memory.
struct crl_resized {
    void *array; // where the pointer is
    size_t size;
};
int crl_resize(size_t count, const struct crl_resized *arrays); // which end with a NULL
#define CRL_RESIZE(count, ...) crl_resize(count, (const struct crl_resized[]){__VA_ARGS__, {NULL, 0}})

// As qsort() asks it of numbers of 32 bits.
int crl_compare_numbers(const void *a, const void *b);

// Stable order of 0…count−1 by a 64-bit key, by counting sort on the bits that differ. `order` has `count` entries and
// holds the input order on entry. Costs two passes over the keys per 16 bits of max_key (8 for short lists) and count *
// 4 bytes of scratch memory.
typedef uint64_t crl_key_fn(const void *user, uint32_t index);
int crl_sort_order(uint32_t *order, uint32_t count, crl_key_fn *key, const void *user, uint64_t max_key);

// A bijection of 64 bits that looks random: splitmix64's finalizer.
static inline uint64_t crl_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
// A bijection of 0…2^bits−1 that looks random, keyed by `seed`.
uint64_t crl_permute(uint64_t value, uint32_t bits, uint64_t seed);
// The same for many values: its keys are made once.
struct crl_permutation {
    uint64_t multiply[3], add[3], mask;
    uint64_t keep, set; // bits of a value that are left as they are, and that are set; all, and none, unless said later
    const uint32_t *rare; // [16] what a value in four is instead, but for bit 31 of all but [0]; NULL: none is
    uint32_t shift;
};
void crl_permutation_init(struct crl_permutation *permutation, uint32_t bits, uint64_t seed);
static inline uint64_t crl_permuted(const struct crl_permutation *p, uint64_t value)
{
    // Odd multipliers, additions and right-shift XORs are bijections modulo 2^bits, and so is their composition.
    for (int round = 0; round < 3; round++) {
        value = (value * p->multiply[round] + p->add[round]) & p->mask;
        value ^= value >> p->shift;
    }
    return (value & p->keep) | p->set;
}
static inline uint64_t crl_rare(const struct crl_permutation *p, uint64_t value)
{
    const uint32_t which = value >> 16 & 15;
    return value >> 20 & 3 ? value : p->rare[which] | (which ? value & UINT64_C(0x80000000) : 0);
}
static inline uint64_t crl_permutation_at(const struct crl_permutation *p, uint64_t value)
{
    value = crl_permuted(p, value);
    return p->rare ? crl_rare(p, value) : value;
}
// values[i] = numbers[i] + offset as it is permuted, i < count. The lists must not overlap.
void crl_permutation_many(const struct crl_permutation *permutation, const uint64_t *numbers, uint64_t offset,
                          uint64_t *values, size_t count);

// An output buffer for numbers and text in front of a FILE: several times faster than fprintf. Errors are sticky.
struct crl_writer {
    FILE *file;
    size_t used;
    bool failed;
    char buffer[1 << 16];
};
void crl_writer_init(struct crl_writer *writer, FILE *file);
void crl_writer_number(struct crl_writer *writer, uint64_t number);
void crl_writer_char(struct crl_writer *writer, char c);
int crl_writer_flush(struct crl_writer *writer);

// A reader that counts lines and columns. `c` is the current character or EOF.
struct crl_reader {
    FILE *file; // NULL: bytes in memory
    const char *name;
    const char *bytes;
    size_t used, filled;
    uint64_t line, col;
    int c;
    char buffer[1 << 16];
};
void crl_reader_init(struct crl_reader *reader, FILE *file, const char *name);
// Reads `count` bytes in memory, which begin line `line` of the file `name`; then comes EOF.
void crl_reader_init_bytes(struct crl_reader *reader, const char *bytes, size_t count, const char *name, uint64_t line);
void crl_reader_next(struct crl_reader *reader);
// Opens a file to be read. NULL, with errno, where that fails, also of a directory (EISDIR).
FILE *crl_open(const char *path);
// Refuses text that begins with a byte order mark, of UTF-8 or UTF-16, by name, before a reader stumbles over its first
// byte.
int crl_refuse_mark(const char *bytes, size_t count, const char *name, struct crl_diag *diag);
// Reads decimal digits as a 32-bit number; fails (with a position) on anything else and on numbers ≥ 2^32 − 1.
int crl_reader_number(struct crl_reader *reader, const char *what, uint32_t *number, struct crl_diag *diag);
// The current character for an error message.
const char *crl_reader_here(const struct crl_reader *reader, char text[16]);

#endif
