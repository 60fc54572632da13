// SPDX-License-Identifier: Apache-2.0
/* One verilated crl_online_fabric. Part of shim.cpp. */
#ifndef CRL_SHIM_FLAT_ONLINE_H
#define CRL_SHIM_FLAT_ONLINE_H

#include "shim_online_words.h"

namespace
{

constexpr uint32_t kStepW = kDims > 1 ? 32 - __builtin_clz(kDims - 1) : 1;
constexpr uint32_t kHeldW = kDims * kDigitW + kPayloadW;

} // namespace

struct crl_shim : OnlineWords {
    using OnlineWords::OnlineWords;

    void clock() { clock_edge(*flat, root, 0); }

    void play()
    {
        root.slot_i = 1;
        clock();
        root.slot_i = 0;
        for (uint32_t cycles = 0; !root.ready_o; ++cycles) {
            if (cycles == kSlotCyclesMax) throw std::runtime_error("a slot does not end\n");
            clock();
        }
    }

    void step(const crl_shim_drive &d)
    {
        root.rst_ni = !d.reset;
        root.start_i = d.start;
        root.load_we_i = 0;
        root.slot_i = 0;
        evaluate([&] {
            if (d.reset || d.start) clock();
            else play();
        });
        root.start_i = 0;
        take_valid();
        for (uint32_t n = 0; n < nodes; ++n)
            if (CRL_ONLINE != 1 && (bits_get(root.begins_o, n, 1) || bits_get(root.step_o, size_t(n) * kStepW, kStepW)))
                fail("an exchange tells of intervals\n");
    }

    void load(uint32_t address, const void *const *rows)
    {
        note_register(address, rows[0]);
        root.rst_ni = 1;
        root.start_i = root.slot_i = 0;
        root.load_addr_i = uint16_t(address);
        for (uint32_t n = 0; n < nodes; ++n) {
            bits_set(root.load_we_i, n, 1, 1);
            port_set(root.load_data_i, rows[n], kRowBytes);
            clock();
            bits_set(root.load_we_i, n, 1, 0);
        }
    }

    void words(uint64_t *data)
    {
        for (uint32_t n = 0; n < nodes; ++n)
            for (uint32_t p = 0; p < kPorts; ++p)
                if (valid[n] >> p & 1)
                    data[size_t(n) * kPorts + p] = traced(root.link_data_o, (size_t(n) * kPorts + p) * kLinkW, p,
                                                          uint32_t(bits_get(root.phase_o, n * 2, 2)),
                                                          uint32_t(bits_get(root.step_o, size_t(n) * kStepW, kStepW)));
    }
    bool busy() { return root.busy_o; }
    bool held(uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet)
    {
        root.read_sel_i = uint16_t(memory);
        root.read_addr_i = uint16_t(address);
        clock(); // between slots this changes nothing
        *packet = held_packet(root.read_data_o, size_t(node) * kHeldW, memory);
        return bits_get(root.read_valid_o, node, 1);
    }
#if CRL_ONLINE == 1
    void give(uint32_t node, const uint32_t *packet)
    {
        bits_set(root.give_valid_i, node, 1, 1);
        for (uint32_t p = 0; p < kPorts; ++p) {
            bits_set(root.give_data_i, size_t(node) * kPayloadW, kPayloadW, packet[p]);
            clock();
        }
        bits_set(root.give_valid_i, node, 1, 0);
    }
    crl_shim_interval interval()
    {
        const uint64_t begins = bits_get(root.begins_o, 0, 1), phase = bits_get(root.phase_o, 0, 2);
        crl_shim_interval interval = {begins != 0, phase == 1, true};
        for (uint32_t n = 1; n < nodes; ++n)
            interval.agree &= bits_get(root.begins_o, n, 1) == begins && bits_get(root.phase_o, n * 2, 2) == phase;
        return interval;
    }
#endif
    crl_shim_fault node_fault(uint32_t node) { return {uint32_t(bits_get(root.fault_o, node, 1)) << 6, 0, 0}; }
};

#endif
