// SPDX-License-Identifier: Apache-2.0
/* Words of on-line routers, and what of their registers is needed to read them. Part of shim.cpp. */
#ifndef CRL_SHIM_ONLINE_WORDS_H
#define CRL_SHIM_ONLINE_WORDS_H

namespace
{

/* A word of a link: payload, digits of an origin, digits of a tag or a destination, class of an exchange; from bit 0.
 */
constexpr uint32_t kDims = kPorts / 2;
constexpr uint32_t kDigitW = CRL_ONLINE_DIGIT;
constexpr uint32_t kPayloadW = 32;
constexpr uint32_t kOriginAt = kPayloadW;
constexpr uint32_t kTagAt = kOriginAt + kDims * kDigitW;
constexpr uint32_t kClassAt = kTagAt + kDims * kDigitW;
constexpr uint32_t kClassW = CRL_ONLINE == 2 ? (kDims > 1 ? 32 - __builtin_clz(kDims - 1) : 1) : 0;
constexpr uint32_t kLinkW = kClassAt + kClassW;
constexpr uint32_t kSlotCyclesMax = 1000; // far more than a slot takes

#if CRL_FLAT
using Base = FlatShim;
#else
using Base = crl_shim_base;
#endif

struct OnlineWords : Base {
    uint32_t mode = 0, sides[kDims] = {};

    using Base::Base;

    // Of what is loaded into a node: all have the same mode and sides.
    void note_register(uint32_t address, const void *bytes)
    {
        uint32_t row;
        std::memcpy(&row, bytes, sizeof row);
        if (address == 0) mode = row >> 2 & 7;
        if (address >= 2 && address < 2 + kDims) sides[address - 2] = (row & 0xfff) + 1;
    }

    // A number from its digits, which are in the order of dimensions first, first + 1, …: the number of a node, or a
    // rank in that order.
    template <class Port> uint64_t number(const Port &port, size_t at, uint32_t first, bool rank) const
    {
        uint64_t value = 0, stride = 1;
        for (uint32_t i = 0; i < kDims; ++i) {
            const uint32_t k = rank ? (first + i) % kDims : i; // the dimension
            value += bits_get(port, at + (k + kDims - first) % kDims * kDigitW, kDigitW) * stride;
            stride *= sides[k];
        }
        return value;
    }

    // The word of a link at a bit position, as traces have it (docs/formats/trace.md).
    template <class Vector>
    uint64_t traced(const Vector &links, size_t at, uint32_t port, uint32_t phase, uint32_t step) const
    {
        const uint64_t payload = bits_get(links, at, kPayloadW), count = uint64_t(1) << 63;
#if CRL_ONLINE == 2
        if (phase == 1) return count | bits_get(links, at, 13);
        return bits_get(links, at + kClassAt, kClassW) << 56 | number(links, at + kTagAt, 0, false) << 44 |
               number(links, at + kOriginAt, 0, false) << 32 | payload;
#else
        const uint32_t engine = (port / 2 + kDims - step) % kDims;
        const uint64_t tag = number(links, at + kTagAt, engine, true);
        if (phase == 1) return count | (mode == 1 ? payload : tag);
        return (phase == 2 ? tag : bits_get(links, at + kTagAt, kDigitW)) << 44 |
               number(links, at + kOriginAt, engine, false) << 32 | payload;
#endif
    }

    // What a memory of a node shows, as {origin, payload}.
    template <class Vector> uint64_t held_packet(const Vector &data, size_t at, uint32_t memory) const
    {
        return number(data, at + kOriginAt, CRL_ONLINE == 2 ? 0 : memory / 4 % kDims, false) << 32 |
               bits_get(data, at, kPayloadW);
    }
};

} // namespace

#endif
