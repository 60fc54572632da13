// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <errno.h>

int crl_fail_memory(struct crl_diag *diag) { return crl_fail(diag, CRL_ERR_MEMORY, "out of memory"); }

void crl_free_owned(const void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

void crl_free_all(void *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) free(list[i]);
}

uint32_t crl_bits_for(uint64_t count)
{
    uint32_t bits = 0;
    while (bits < 63 && (UINT64_C(1) << bits) < count) bits++;
    return bits;
}

uint64_t crl_ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

bool crl_word_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

int crl_grow(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) return 0;
    enum { LEAST = 64 };
    size_t wanted = *capacity < LEAST ? LEAST : *capacity + *capacity / 2;
    if (wanted > SIZE_MAX / size) return CRL_ERR_MEMORY;
    void *grown = realloc(*array, wanted * size);
    if (!grown) return CRL_ERR_MEMORY;
    *array = grown;
    *capacity = wanted;
    return 0;
}

int crl_append(void **list, size_t *room, size_t *count, const void *from, size_t items, size_t size)
{
    while (*room < *count + items)
        if (crl_grow(list, room, *room, size)) return CRL_ERR_MEMORY;
    if (items) memcpy((char *)*list + *count * size, from, items * size);
    *count += items;
    return 0;
}

int crl_resize(size_t count, const struct crl_resized *arrays)
{
    int error = 0;
    for (; arrays->array; arrays++) {
        void *array;
        memcpy(&array, arrays->array, sizeof array);
        array = count > SIZE_MAX / arrays->size ? NULL : realloc(array, count * arrays->size);
        if (array) memcpy(arrays->array, &array, sizeof array);
        else error = CRL_ERR_MEMORY;
    }
    return error;
}

int crl_compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// As below, where there are hardly any.
static void insert_all(uint32_t *order, uint32_t count, crl_key_fn *key, const void *user)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t one = order[i];
        const uint64_t its = key(user, one);
        uint32_t at = i;
        for (; at && key(user, order[at - 1]) > its; at--) order[at] = order[at - 1];
        order[at] = one;
    }
}

int crl_sort_order(uint32_t *order, uint32_t count, crl_key_fn *key, const void *user, uint64_t max_key)
{
    enum { HARDLY_ANY = 32 };
    if (count <= HARDLY_ANY) {
        insert_all(order, count, key, user);
        return 0;
    }
    enum { FEW = 4096, SMALL_DIGIT = 8, LARGE_DIGIT = 16 }; // a long list is worth a large table of counters
    uint32_t digit = count < FEW ? SMALL_DIGIT : LARGE_DIGIT, digits = UINT32_C(1) << digit;
    uint32_t *scratch = malloc(sizeof *scratch * (count + (size_t)digits));
    if (!scratch) return CRL_ERR_MEMORY;
    uint32_t *from = order, *to = scratch + digits, *start = scratch;
    for (uint32_t shift = 0; shift < 64 && max_key >> shift; shift += digit) {
        memset(start, 0, sizeof *start * digits);
        for (uint32_t i = 0; i < count; i++) start[key(user, from[i]) >> shift & (digits - 1)]++;
        bool same = false;
        for (uint32_t d = 0, sum = 0; d < digits; d++) {
            uint32_t n = start[d];
            same |= n == count;
            start[d] = sum;
            sum += n;
        }
        if (same) continue; // all keys agree in this digit
        for (uint32_t i = 0; i < count; i++) to[start[key(user, from[i]) >> shift & (digits - 1)]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) memcpy(order, from, sizeof *order * count);
    free(scratch);
    return 0;
}

void crl_writer_init(struct crl_writer *writer, FILE *file)
{
    writer->file = file;
    writer->used = 0;
    writer->failed = false;
}

int crl_writer_flush(struct crl_writer *writer)
{
    if (writer->used && fwrite(writer->buffer, 1, writer->used, writer->file) != writer->used) writer->failed = true;
    writer->used = 0;
    if (fflush(writer->file)) writer->failed = true;
    return writer->failed ? CRL_ERR_IO : 0;
}

static void make_room(struct crl_writer *writer, size_t bytes)
{
    if (writer->used + bytes <= sizeof writer->buffer) return;
    if (fwrite(writer->buffer, 1, writer->used, writer->file) != writer->used) writer->failed = true;
    writer->used = 0;
}

void crl_writer_number(struct crl_writer *writer, uint64_t number)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    make_room(writer, n);
    while (n) writer->buffer[writer->used++] = digits[--n];
}

void crl_writer_char(struct crl_writer *writer, char c)
{
    make_room(writer, 1);
    writer->buffer[writer->used++] = c;
}

void crl_reader_init_bytes(struct crl_reader *reader, const char *bytes, size_t count, const char *name, uint64_t line)
{
    reader->file = NULL;
    reader->name = name;
    reader->bytes = bytes;
    reader->used = 0;
    reader->filled = count;
    reader->line = line;
    reader->col = 0;
    reader->c = 0;
    crl_reader_next(reader);
}

void crl_reader_init(struct crl_reader *reader, FILE *file, const char *name)
{
    reader->file = file;
    reader->name = name;
    reader->bytes = reader->buffer;
    reader->used = reader->filled = 0;
    reader->line = 1;
    reader->col = 0;
    reader->c = 0;
    crl_reader_next(reader);
}

void crl_reader_next(struct crl_reader *reader)
{
    if (reader->c == '\n') {
        reader->line++;
        reader->col = 0;
    }
    if (reader->used == reader->filled) {
        reader->filled = reader->file ? fread(reader->buffer, 1, sizeof reader->buffer, reader->file) : 0;
        reader->used = 0;
    }
    if (reader->filled == 0) {
        if (reader->c != EOF) reader->col++;
        reader->c = EOF;
        return;
    }
    reader->c = (unsigned char)reader->bytes[reader->used++];
    reader->col++;
}

FILE *crl_open(const char *path)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) || !S_ISDIR(status.st_mode)) return file;
    fclose(file);
    errno = EISDIR;
    return NULL;
}

int crl_refuse_mark(const char *bytes, size_t count, const char *name, struct crl_diag *diag)
{
    if (count >= 2 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2)))
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "the file is UTF-16; save it as UTF-8");
    if (count < 3 || memcmp(bytes, "\xef\xbb\xbf", 3)) return 0;
    return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1,
                       "the file begins with a UTF-8 byte order mark; save it without one");
}

size_t crl_utf8_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    bool overlong = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90);
    bool beyond = (*at == 0xed && at[1] >= 0xa0) || (*at == 0xf4 && at[1] >= 0x90); // surrogates, > U+10FFFF
    return overlong || beyond ? 0 : length;
}

const char *crl_reader_here(const struct crl_reader *reader, char text[16])
{
    if (reader->c == EOF) return "end of file";
    if (reader->c == '\n') return "end of line";
    if (reader->c >= 32 && reader->c < 127) snprintf(text, 16, "'%c'", reader->c);
    else snprintf(text, 16, "byte 0x%02x", (unsigned)reader->c);
    return text;
}

int crl_reader_number(struct crl_reader *reader, const char *what, uint32_t *number, struct crl_diag *diag)
{
    char here[16];
    uint64_t value = 0, col = reader->col;
    if (reader->c < '0' || reader->c > '9')
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, col, "expected the %s, found %s", what,
                           crl_reader_here(reader, here));
    for (; reader->c >= '0' && reader->c <= '9'; crl_reader_next(reader)) {
        value = value * 10 + (uint64_t)(reader->c - '0');
        if (value >= UINT32_MAX)
            return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, col, "the %s is too large for 32 bits",
                               what);
    }
    *number = (uint32_t)value;
    return 0;
}
