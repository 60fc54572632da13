// SPDX-License-Identifier: Apache-2.0
#include "image/container.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const uint8_t magic[8] = {'C', 'A', 'R', 'I', 'L', 'L', 'O', 'N'};
enum {
    VERSION = 2,
    FORM_SHIFT = 16, // the form, above the version; 0 is that of slot tables
    FORMS = CRL_FORM_LOGP + 1,
    HEADER = 32,
};

bool crl_is_data_width(uint32_t bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

// ---- writing

void crl_put_bytes(struct crl_bytes *b, const void *from, size_t count)
{
    if (!b->failed) b->failed = CRL_APPEND(b->bytes, b->capacity, b->used, from, count);
}

void crl_put(struct crl_bytes *b, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    crl_put_bytes(b, bytes, sizeof bytes);
}

void crl_put_words(struct crl_bytes *b, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) crl_put(b, words[i]);
}

void crl_put_text(struct crl_bytes *b, const char *text, size_t size)
{
    char field[128] = {0};
    memcpy(field, text, strlen(text));
    crl_put_bytes(b, field, size);
}

static uint32_t crc_of(const uint8_t *bytes, size_t count) { return (uint32_t)crc32_z(0, bytes, count); }

void crl_put_section(struct crl_bytes *b, uint32_t id, struct crl_bytes *body)
{
    crl_put(b, id);
    crl_put(b, (uint32_t)body->used);
    crl_put_bytes(b, body->bytes, body->used);
    crl_put(b, crc_of(body->bytes, body->used));
    b->failed |= body->failed;
    body->used = 0;
}

void crl_put_header(struct crl_bytes *b, enum crl_image_form form, uint32_t sections)
{
    crl_put_bytes(b, magic, sizeof magic);
    crl_put(b, VERSION | (uint32_t)form << FORM_SHIFT);
    crl_put(b, sections);
    crl_put_text(b, CARILLON_VERSION, 16);
}

int crl_container_write(struct crl_bytes *b, struct crl_bytes *body, FILE *to, struct crl_diag *diag)
{
    int error = 0;
    crl_put(b, crc_of(b->bytes, b->used));
    if (b->failed) error = crl_fail_memory(diag);
    else if (b->used > UINT32_MAX) error = crl_fail(diag, CRL_ERR_LIMIT, "the image would be larger than 4 GiB");
    else if (fwrite(b->bytes, 1, b->used, to) != b->used || fflush(to))
        error = crl_fail(diag, CRL_ERR_IO, "cannot write the image");
    CRL_FREE(b->bytes, body->bytes);
    *b = *body = (struct crl_bytes){0};
    return error;
}

// ---- reading

int crl_bad(struct crl_cursor *c, const char *text)
{
    if (!c->error) c->error = crl_fail_at(c->diag, CRL_ERR_PARSE, c->name, 0, 0, "%s", text);
    return c->error;
}

uint32_t crl_get(struct crl_cursor *c)
{
    if (c->error || c->count - c->used < 4) {
        crl_bad(c, "the image is cut off");
        return 0;
    }
    const uint8_t *b = c->bytes + c->used;
    c->used += 4;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void crl_get_words(struct crl_cursor *c, uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) words[i] = crl_get(c);
}

void crl_get_text(struct crl_cursor *c, char *text, size_t size)
{
    if (c->error || c->count - c->used < size) {
        crl_bad(c, "the image is cut off");
        return;
    }
    memcpy(text, c->bytes + c->used, size);
    size_t length = strnlen(text, size);
    bool good = length < size;
    for (size_t i = 0, step; good && i < length; i += step) {
        step = crl_utf8_length(text + i);
        good = step && (unsigned char)text[i] >= ' ' && text[i] != 0x7f;
    }
    for (size_t i = length; i < size; i++) good &= !text[i];
    if (!good) crl_bad(c, "a name is not text");
    c->used += size;
}

void crl_get_bytes(struct crl_cursor *c, void *to, size_t count)
{
    if (c->error || c->count - c->used < count) {
        crl_bad(c, "the image is cut off");
        return;
    }
    memcpy(to, c->bytes + c->used, count);
    c->used += count;
}

struct crl_cursor crl_get_section(struct crl_cursor *c, uint32_t id)
{
    struct crl_cursor body = {.name = c->name, .diag = c->diag};
    uint32_t found = crl_get(c), length = crl_get(c);
    if (!c->error && found != id) crl_bad(c, "a section is missing or out of order");
    if (!c->error && (c->count - c->used < 4 || length > c->count - c->used - 4)) crl_bad(c, "the image is cut off");
    if (!c->error) {
        body.bytes = c->bytes + c->used;
        body.count = length;
        c->used += length;
        if (crl_get(c) != crc_of(body.bytes, length)) crl_bad(c, "the CRC of a section is wrong; the image is damaged");
    }
    body.error = c->error;
    return body;
}

void crl_end_section(struct crl_cursor *c, struct crl_cursor *body)
{
    if (!body->error && body->used != body->count) crl_bad(body, "a section is longer than its contents");
    if (body->error) c->error = body->error;
}

void *crl_get_array(struct crl_cursor *body, uint64_t count, size_t size, size_t bytes_each)
{
    if (!body->error && bytes_each && count > (body->count - body->used) / bytes_each)
        crl_bad(body, "the image is cut off");
    if (body->error) return NULL;
    void *array = calloc(count ? count : 1, size);
    if (!array) body->error = crl_fail_memory(body->diag);
    return array;
}

static int check_header(struct crl_container *container, struct crl_diag *diag)
{
    struct crl_cursor c = {.bytes = container->bytes, .count = container->count, .name = container->name, .diag = diag};
    char version[17] = {0};
    if (!c.count) return crl_bad(&c, "the file is empty");
    if (c.count < sizeof magic || memcmp(c.bytes, magic, sizeof magic))
        return crl_bad(&c, "not an image: it does not begin with 'CARILLON'");
    if (c.count < HEADER + 4 || c.count % 4) return crl_bad(&c, "the image is cut off");
    c.used = container->count -= 4;
    if (crl_get(&c) != crc_of(c.bytes, container->count))
        return crl_bad(&c, "the CRC is wrong: the image is damaged or cut off");
    c.used = sizeof magic;
    uint32_t format = crl_get(&c);
    container->sections = crl_get(&c);
    crl_get_text(&c, version, 16);
    uint32_t of = format & ((1u << FORM_SHIFT) - 1);
    if (of != VERSION)
        return crl_fail_at(diag, CRL_ERR_PARSE, container->name, 0, 0,
                           "an image of format version %u; this program reads version %u: build the image again", of,
                           VERSION);
    if (format >> FORM_SHIFT >= FORMS) return crl_bad(&c, "an image of an unknown form");
    container->form = (enum crl_image_form)(format >> FORM_SHIFT);
    return c.error;
}

int crl_container_read(struct crl_container *container, FILE *file, const char *name, struct crl_diag *diag)
{
    *container = (struct crl_container){0};
    snprintf(container->name, sizeof container->name, "%s", name);
    struct crl_bytes all = {0};
    uint8_t chunk[1 << 14];
    size_t n;
    // What does not begin like an image is not read to its end, which it may not have.
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0 && !all.failed) {
        crl_put_bytes(&all, chunk, n);
        if (all.used < sizeof magic || memcmp(all.bytes, magic, sizeof magic) || all.used > UINT32_MAX) break;
    }
    container->bytes = all.bytes;
    container->count = all.used;
    int error;
    if (all.failed) error = crl_fail_memory(diag);
    else if (ferror(file)) error = crl_fail_at(diag, CRL_ERR_IO, name, 0, 0, "cannot read");
    else error = check_header(container, diag);
    if (error) crl_container_done(container);
    return error;
}

void crl_container_done(struct crl_container *container)
{
    free(container->bytes);
    *container = (struct crl_container){0};
}

struct crl_cursor crl_container_open(const struct crl_container *container, struct crl_diag *diag)
{
    return (struct crl_cursor){
        .bytes = container->bytes, .used = HEADER, .count = container->count, .name = container->name, .diag = diag};
}

int crl_container_end(struct crl_cursor *c)
{
    if (!c->error && c->used != c->count) crl_bad(c, "bytes after the last section");
    return c->error;
}
