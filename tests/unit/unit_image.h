// SPDX-License-Identifier: Apache-2.0
// Image files read, compared, and damaged behind their CRCs' back.
#ifndef UNIT_IMAGE_H
#define UNIT_IMAGE_H

#include "unit.h"
#include <zlib.h>

enum { HEADER = 32 }; // bytes before the first section

static inline uint32_t word_at(const char *bytes, size_t at)
{
    const unsigned char *b = (const unsigned char *)bytes + at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void set_crc(char *bytes, size_t from, size_t count)
{
    uint32_t crc = (uint32_t)crc32(0, (const unsigned char *)bytes + from, (uInt)count);
    for (int i = 0; i < 4; i++) bytes[from + count + (size_t)i] = (char)(crc >> 8 * i);
}

// Puts right CRCs everywhere, if lengths of sections allow.
static inline void mend(char *bytes, size_t count)
{
    for (size_t at = HEADER; at + 12 <= count - 4;) {
        size_t length = word_at(bytes, at + 4);
        if (length > count - 4 - at - 12) break;
        set_crc(bytes, at + 8, length);
        at += 12 + length;
    }
    set_crc(bytes, 0, count - 4);
}

static inline int read_image(struct crl_image *image, FILE *file, const char *name, struct crl_diag *diag)
{
    memset(image, 0, sizeof *image);
    struct crl_container container;
    int error = crl_container_read(&container, file, name, diag);
    if (!error) error = crl_image_parse(image, &container, diag);
    crl_container_done(&container);
    return error;
}

static inline bool same_rows(const struct crl_row_store *a, const struct crl_row_store *b, uint32_t tables)
{
    // Rows are numbered in the order of their first use, so equal tables have equal numbers.
    return a->row_words == b->row_words && a->distinct == b->distinct &&
           (!a->distinct || !memcmp(a->bits, b->bits, sizeof *a->bits * a->distinct * a->row_words)) &&
           !memcmp(a->first, b->first, sizeof *a->first * (tables + UINT64_C(1))) &&
           (!a->first[tables] || !memcmp(a->use, b->use, sizeof *a->use * a->first[tables]));
}

static inline bool same_places(const struct crl_places *a, const struct crl_places *b)
{
    return a->count == b->count && (!a->count || !memcmp(a->place, b->place, sizeof *a->place * a->count));
}

// True if two images play the same tables from and to the same places.
static inline bool same_image(const struct crl_image *a, const struct crl_image *b)
{
    if (memcmp(&a->geometry, &b->geometry, sizeof a->geometry) || strcmp(a->topology, b->topology) ||
        strcmp(a->collective, b->collective) || strcmp(a->scheme, b->scheme) || a->nodes != b->nodes ||
        a->root != b->root || a->port_model != b->port_model || a->link_cycles != b->link_cycles ||
        a->folded != b->folded || a->tables != b->tables || a->place_sets != b->place_sets || a->parts != b->parts ||
        a->active_count != b->active_count || a->latencies != b->latencies)
        return false;
    for (uint32_t i = 0; i < a->latencies; i++)
        if (a->latency[i] != b->latency[i]) return false;
    for (uint32_t i = 0; i < a->active_count; i++)
        if (a->active[i] != b->active[i]) return false;
    if (!same_rows(&a->store, &b->store, a->tables)) return false;
    if (memcmp(a->node_table, b->node_table, sizeof *a->node_table * a->nodes)) return false;
    if (a->zeros != b->zeros || (a->zeros && memcmp(a->zero, b->zero, sizeof *a->zero * a->zeros))) return false;
    for (uint32_t i = 0; i < a->place_sets; i++)
        if (!same_places(&a->before[i], &b->before[i]) || !same_places(&a->after[i], &b->after[i])) return false;
    return true;
}

#endif
