// SPDX-License-Identifier: Apache-2.0
// Damaging image files behind their CRCs' back.
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

#endif
