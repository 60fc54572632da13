// SPDX-License-Identifier: Apache-2.0
// Little-endian numbers in bytes, and the CRC-32 of frames and flash banks.
#ifndef CRL_BOARD_BYTES_H
#define CRL_BOARD_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

static inline void crl_put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void crl_put32(uint8_t *at, uint32_t value)
{
    crl_put16(at, value);
    crl_put16(at + 2, value >> 16);
}

static inline uint32_t crl_get16(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8; }
static inline uint32_t crl_get32(const uint8_t *at) { return crl_get16(at) | crl_get16(at + 2) << 16; }

static inline uint32_t crl_crc(const uint8_t *bytes, size_t count) { return (uint32_t)crc32_z(0, bytes, count); }

#endif
