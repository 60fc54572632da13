// SPDX-License-Identifier: Apache-2.0
// The image as a file: docs/formats/image.md. Little-endian 32-bit words throughout; a header, then sections, each with
// its length and CRC-32, then the CRC-32 of all that comes before it.
#include "base/base.h"
#include "image/image.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const uint8_t magic[8] = {'C', 'A', 'R', 'I', 'L', 'L', 'O', 'N'};
enum {
    FORMAT = 1,
    SECTION_GEOMETRY = 1,
    SECTION_NAMES,
    SECTION_TABLES,
    SECTION_NODES,
    SECTION_BEFORE,
    SECTION_AFTER,
    SECTION_ZERO,
    SECTIONS = 7
};

// ---- writing

struct buffer {
    uint8_t *bytes;
    size_t used, capacity;
    bool failed;
};

static void put_bytes(struct buffer *b, const void *bytes, size_t count)
{
    if (b->used + count > b->capacity) {
        size_t capacity = (b->used + count) * 2;
        uint8_t *grown = b->failed ? NULL : realloc(b->bytes, capacity);
        if (!grown) {
            b->failed = true;
            return;
        }
        b->bytes = grown;
        b->capacity = capacity;
    }
    memcpy(b->bytes + b->used, bytes, count);
    b->used += count;
}

static void put(struct buffer *b, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    put_bytes(b, bytes, sizeof bytes);
}

static void put_text(struct buffer *b, const char *text, size_t size)
{
    char field[128] = {0};
    memcpy(field, text, strlen(text));
    put_bytes(b, field, size);
}

static uint32_t crc_of(const uint8_t *bytes, size_t count) { return (uint32_t)crc32_z(0, bytes, count); }

static void put_section(struct buffer *b, uint32_t id, struct buffer *body)
{
    put(b, id);
    put(b, (uint32_t)body->used);
    put_bytes(b, body->bytes, body->used);
    put(b, crc_of(body->bytes, body->used));
    b->failed |= body->failed;
    body->used = 0;
}

static void put_places(struct buffer *b, const struct crl_image *image, const struct crl_places *places)
{
    for (uint32_t i = 0; i < image->place_sets; i++) {
        put(b, places[i].count);
        for (uint32_t k = 0; k < places[i].count; k++) {
            const struct crl_place *p = &places[i].place[k];
            put(b, p->origin);
            put(b, p->dest);
            put(b, p->bank);
            put(b, p->addr);
        }
    }
}

int crl_image_write(const struct crl_image *image, FILE *file, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    struct buffer all = {0}, body = {0};
    put_bytes(&all, magic, sizeof magic);
    put(&all, FORMAT);
    put(&all, SECTIONS);
    put_text(&all, CRL_VERSION, 16);

    const uint32_t numbers[] = {
        g->ports,        g->lanes,      g->banks, g->write_xbar, g->delay,    g->waddr_field,    g->data_width,
        g->addr_width,   g->rows,       g->words, image->nodes,  image->root, image->port_model, image->link_cycles,
        image->relative, image->tables, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put(&body, numbers[i]);
    put_section(&all, SECTION_GEOMETRY, &body);
    put_text(&body, image->topology, 128);
    put_text(&body, image->collective, 32);
    put_text(&body, image->scheme, 32);
    put_section(&all, SECTION_NAMES, &body);
    size_t words = (size_t)image->tables * g->rows * crl_row_words(g);
    for (size_t i = 0; i < words; i++) put(&body, image->bits[i]);
    put_section(&all, SECTION_TABLES, &body);
    for (uint32_t v = 0; v < image->nodes; v++) put(&body, image->node_table[v]);
    put_section(&all, SECTION_NODES, &body);
    put_places(&body, image, image->before);
    put_section(&all, SECTION_BEFORE, &body);
    put_places(&body, image, image->after);
    put_section(&all, SECTION_AFTER, &body);
    for (size_t i = 0; i < (size_t)image->place_sets * g->banks; i++) put(&body, image->zero[i]);
    put_section(&all, SECTION_ZERO, &body);
    put(&all, crc_of(all.bytes, all.used));

    int error = 0;
    if (all.failed) error = crl_fail_memory(diag);
    else if (all.used > UINT32_MAX) error = crl_fail(diag, CRL_ERR_LIMIT, "the image would be larger than 4 GiB");
    else if (fwrite(all.bytes, 1, all.used, file) != all.used || fflush(file))
        error = crl_fail(diag, CRL_ERR_IO, "cannot write the image");
    free(all.bytes);
    free(body.bytes);
    return error;
}

// ---- reading: nothing in the file is believed before it is checked

struct cursor {
    const uint8_t *bytes;
    size_t used, count;
    const char *name;
    struct crl_diag *diag;
    int error;
};

static int bad(struct cursor *c, const char *text)
{
    if (!c->error) c->error = crl_fail_at(c->diag, CRL_ERR_PARSE, c->name, 0, 0, "%s", text);
    return c->error;
}

static uint32_t get(struct cursor *c)
{
    if (c->error || c->count - c->used < 4) {
        bad(c, "the image is cut off");
        return 0;
    }
    const uint8_t *b = c->bytes + c->used;
    c->used += 4;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void get_text(struct cursor *c, char *text, size_t size)
{
    if (c->error || c->count - c->used < size) {
        bad(c, "the image is cut off");
        return;
    }
    memcpy(text, c->bytes + c->used, size);
    size_t length = strnlen(text, size);
    for (size_t i = 0; i < size; i++)
        if (i < length ? (unsigned char)text[i] < 32 || (unsigned char)text[i] > 126 : text[i] != 0)
            bad(c, "a name is not text");
    if (length == size) bad(c, "a name is not text");
    c->used += size;
}

// Opens section `id` as a cursor of its own after checking its CRC.
static struct cursor section(struct cursor *c, uint32_t id)
{
    struct cursor body = {.name = c->name, .diag = c->diag};
    uint32_t found = get(c), length = get(c);
    if (!c->error && found != id) bad(c, "a section is missing or out of order");
    if (!c->error && (c->count - c->used < 4 || length > c->count - c->used - 4)) bad(c, "the image is cut off");
    if (!c->error) {
        body.bytes = c->bytes + c->used;
        body.count = length;
        c->used += length;
        if (get(c) != crc_of(body.bytes, length)) bad(c, "the CRC of a section is wrong; the image is damaged");
    }
    body.error = c->error;
    return body;
}

static void end_section(struct cursor *c, struct cursor *body)
{
    if (!body->error && body->used != body->count) bad(body, "a section is longer than its contents");
    if (body->error) c->error = body->error;
}

// An array of `count` elements for which the body must still hold at least `bytes_each` bytes each.
static void *array_for(struct cursor *body, uint64_t count, size_t size, size_t bytes_each)
{
    if (!body->error && count > (body->count - body->used) / bytes_each) bad(body, "the image is cut off");
    if (body->error) return NULL;
    void *array = calloc(count ? count : 1, size);
    if (!array) body->error = crl_fail_memory(body->diag);
    return array;
}

static void get_places(struct cursor *c, uint32_t id, uint32_t sets, struct crl_places **out)
{
    struct cursor body = section(c, id);
    *out = array_for(&body, sets, sizeof **out, 4);
    for (uint32_t i = 0; i < sets && !body.error; i++) {
        uint32_t count = get(&body);
        (*out)[i].place = array_for(&body, count, sizeof *(*out)[i].place, 16);
        if (!(*out)[i].place) break;
        (*out)[i].count = count;
        for (uint32_t k = 0; k < count; k++) {
            struct crl_place *p = &(*out)[i].place[k];
            p->origin = get(&body);
            p->dest = get(&body);
            p->bank = get(&body);
            p->addr = get(&body);
        }
    }
    end_section(c, &body);
}

static void get_geometry(struct cursor *c, struct crl_image *image)
{
    struct crl_geometry *g = &image->geometry;
    struct cursor body = section(c, SECTION_GEOMETRY);
    uint32_t relative, *numbers[] = {&g->ports,          &g->lanes,           &g->banks,      &g->write_xbar,
                                     &g->delay,          &g->waddr_field,     &g->data_width, &g->addr_width,
                                     &g->rows,           &g->words,           &image->nodes,  &image->root,
                                     &image->port_model, &image->link_cycles, &relative,      &image->tables};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = get(&body);
    if (get(&body)) bad(&body, "a field that must be zero is not");
    if (!body.error && relative > 1) bad(&body, "a flag is neither 0 nor 1");
    if (!body.error) {
        image->relative = relative;
        image->place_sets = relative ? 1 : image->nodes;
        if (g->ports < 1 || g->ports > CRL_PORTS_MAX || g->lanes < 1 || g->lanes > g->ports || g->banks < 1 ||
            g->banks > CRL_BANKS_MAX || g->addr_width > 30 || g->write_xbar > 1 || g->delay > 1 || g->waddr_field > 1)
            bad(&body, "impossible geometry"); // before anything is computed from it
    }
    end_section(c, &body);
}

static void get_tables(struct cursor *c, struct crl_image *image)
{
    struct cursor body = section(c, SECTION_TABLES);
    uint64_t rows = (uint64_t)image->tables * image->geometry.rows;
    uint32_t row_words = crl_row_words(&image->geometry);
    if (!body.error && rows > UINT32_MAX) bad(&body, "impossible counts");
    image->bits = array_for(&body, rows * row_words, 4, 4);
    for (uint64_t i = 0; image->bits && i < rows * row_words; i++) image->bits[i] = get(&body);
    end_section(c, &body);
    if (c->error) return;
    body = section(c, SECTION_NODES);
    image->node_table = array_for(&body, image->nodes, 4, 4);
    for (uint32_t v = 0; image->node_table && v < image->nodes; v++) image->node_table[v] = get(&body);
    end_section(c, &body);
}

static int parse(struct crl_image *image, struct cursor *c)
{
    char version[17] = {0};
    if (c->count < sizeof magic || memcmp(c->bytes, magic, sizeof magic))
        return bad(c, "not an image: it does not begin with 'CARILLON'");
    if (c->count < 36 || c->count % 4) return bad(c, "the image is cut off");
    struct cursor tail = {.bytes = c->bytes, .used = c->count - 4, .count = c->count, .name = c->name, .diag = c->diag};
    if (get(&tail) != crc_of(c->bytes, c->count - 4))
        return bad(c, "the CRC is wrong: the image is damaged or cut off");
    c->count -= 4;
    c->used = sizeof magic;
    if (get(c) != FORMAT) return bad(c, "an image of another format version; build it again");
    if (get(c) != SECTIONS) return bad(c, "an unknown number of sections");
    get_text(c, version, 16);
    get_geometry(c, image);
    if (c->error) return c->error;
    struct cursor body = section(c, SECTION_NAMES);
    get_text(&body, image->topology, 128);
    get_text(&body, image->collective, 32);
    get_text(&body, image->scheme, 32);
    end_section(c, &body);
    if (!c->error) get_tables(c, image);
    if (!c->error) get_places(c, SECTION_BEFORE, image->place_sets, &image->before);
    if (!c->error) get_places(c, SECTION_AFTER, image->place_sets, &image->after);
    if (!c->error) {
        body = section(c, SECTION_ZERO);
        size_t words = (size_t)image->place_sets * image->geometry.banks;
        image->zero = array_for(&body, words, 4, 4);
        for (size_t i = 0; image->zero && i < words; i++) image->zero[i] = get(&body);
        end_section(c, &body);
    }
    if (!c->error && c->used != c->count) bad(c, "bytes after the last section");
    return c->error ? c->error : crl_image_validate(image, c->name, c->diag);
}

int crl_image_read(struct crl_image *image, FILE *file, const char *name, struct crl_diag *diag)
{
    memset(image, 0, sizeof *image);
    struct buffer all = {0};
    uint8_t chunk[1 << 14];
    size_t n;
    // What does not begin like an image is not read to its end, which it may not have.
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0 && !all.failed) {
        put_bytes(&all, chunk, n);
        if (all.used < sizeof magic || memcmp(all.bytes, magic, sizeof magic) || all.used > UINT32_MAX) break;
    }
    int error;
    if (all.failed) error = crl_fail_memory(diag);
    else if (ferror(file)) error = crl_fail_at(diag, CRL_ERR_IO, name, 0, 0, "cannot read");
    else {
        struct cursor c = {.bytes = all.bytes, .count = all.used, .name = name, .diag = diag};
        error = all.used ? parse(image, &c) : bad(&c, "the file is empty");
    }
    free(all.bytes);
    if (error) crl_image_done(image);
    return error;
}
