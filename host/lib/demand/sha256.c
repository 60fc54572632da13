// SPDX-License-Identifier: Apache-2.0
// SHA-256: FIPS 180-4, Sec. 6.2.
#include "demand/demand.h"
#include <math.h>
#include <string.h>

static uint32_t rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

// The constants: the first 32 bits of the fractional parts of square roots and cube roots of primes.
static void constants(uint32_t start[8], uint32_t round[64])
{
    for (uint32_t prime = 2, i = 0; i < 64; prime++) {
        bool is_prime = true;
        for (uint32_t d = 2; d * d <= prime; d++) is_prime &= prime % d != 0;
        if (!is_prime) continue;
        long double cube = cbrtl(prime), square = sqrtl(prime);
        if (i < 8) start[i] = (uint32_t)((square - floorl(square)) * 4294967296.0L);
        round[i++] = (uint32_t)((cube - floorl(cube)) * 4294967296.0L);
    }
}

static void add_block(uint32_t hash[8], const uint32_t round[64], const uint8_t *block)
{
    uint32_t w[64], s[8];
    memcpy(s, hash, sizeof s);
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 64; i++) {
        uint32_t a = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                     round[i] + w[i];
        uint32_t b =
            (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += a;
        s[0] = a + b;
    }
    for (int i = 0; i < 8; i++) hash[i] += s[i];
}

void crl_sha256(const void *bytes, size_t count, char hex[65])
{
    const uint8_t *at = bytes;
    uint32_t hash[8], round[64];
    uint8_t last[128] = {0};
    size_t left = count % 64, size = left < 56 ? 64 : 128;
    constants(hash, round);
    for (size_t i = 0; i + 64 <= count; i += 64) add_block(hash, round, at + i);
    if (left) memcpy(last, at + count - left, left);
    last[left] = 0x80;
    for (int i = 0; i < 8; i++) last[size - 1 - (size_t)i] = (uint8_t)((uint64_t)count * 8 >> (8 * i));
    for (size_t i = 0; i < size; i += 64) add_block(hash, round, last + i);
    for (int i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", hash[i]);
}
