// SPDX-License-Identifier: Apache-2.0
// Which nodes may have sent in a cycle: a bit for each block of 16 nodes, whose masks are a line of the caches. A round
// of a scatter has as many cycles as it has packets at the root, and in nearly all of them nearly all nodes are idle.
#ifndef CRL_BUSY_H
#define CRL_BUSY_H

#include <stdint.h>
#include <string.h>

enum { CRL_BUSY_NODES = 16 }; // of a block

// Words of 64 bits, and blocks that have no nodes at their end.
static inline uint32_t crl_busy_words(uint32_t nodes) { return nodes / (CRL_BUSY_NODES * 64) + 1; }

static inline void crl_busy_set(uint64_t *busy, uint32_t node)
{
    uint32_t block = node / CRL_BUSY_NODES;
    busy[block / 64] |= UINT64_C(1) << block % 64;
}

// The first block, from `block` on, that is busy; 64 * words: none.
static inline uint32_t crl_busy_next(const uint64_t *busy, uint32_t words, uint32_t block)
{
    uint32_t at = block / 64;
    if (at >= words) return 64 * words;
    uint64_t bits = busy[at] >> block % 64 << block % 64;
    while (!bits && ++at < words) bits = busy[at];
    return bits ? at * 64 + (uint32_t)__builtin_ctzll(bits) : 64 * words;
}

// Of a block, nodes below `nodes`.
static inline uint32_t crl_busy_count(uint32_t nodes, uint32_t block)
{
    uint32_t left = nodes - block * CRL_BUSY_NODES;
    return left < CRL_BUSY_NODES ? left : CRL_BUSY_NODES;
}

// Empties the masks of all nodes of busy blocks, a mask a node, and the blocks.
static inline void crl_busy_clear(uint64_t *busy, uint32_t nodes, uint32_t *valid)
{
    const uint32_t words = crl_busy_words(nodes);
    for (uint32_t b = 0; (b = crl_busy_next(busy, words, b)) < 64 * words; b++)
        memset(valid + (size_t)b * CRL_BUSY_NODES, 0, sizeof *valid * crl_busy_count(nodes, b));
    memset(busy, 0, sizeof *busy * words);
}

#endif
