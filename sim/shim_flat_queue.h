// SPDX-License-Identifier: Apache-2.0
/* One verilated crl_queue_fabric. Part of shim.cpp. */
#ifndef CRL_SHIM_FLAT_QUEUE_H
#define CRL_SHIM_FLAT_QUEUE_H

namespace
{

constexpr uint32_t kGateRow = 1u << 31; // in an address: of the gates, not of the forwarding table
constexpr uint32_t kNoPacket = UINT32_MAX;
constexpr uint32_t kArrivalW = 32 - __builtin_clz(kPorts + 1);
constexpr uint32_t kStoredW = CRL_PLACE_BITS + 1;

} // namespace

struct crl_shim : FlatShim {
    const uint32_t tables;
    const std::vector<uint32_t> node_table;
    std::vector<uint32_t> own_offered; // [nodes] at the edge before: what becomes of it shows after this one

    explicit crl_shim(const crl_shim_setup &setup)
        : FlatShim(setup), tables(setup.tables), node_table(setup.node_table, setup.node_table + nodes),
          own_offered(nodes, kNoPacket)
    {
        const uint32_t last_row = setup.period - 1;
        port_set(root.limit_i, &setup.limit, sizeof root.limit_i);
        port_set(root.last_row_i, &last_row, sizeof root.last_row_i);
    }

    // One clock edge. slot: what is collected; may be NULL. own: the next own packet of each node, of those left in it.
    void edge(bool reset, bool begin, crl_shim_slot *slot, std::vector<std::vector<uint32_t>> *own)
    {
        root.rst_ni = !reset;
        root.slot_i = begin;
        std::vector<uint32_t> offered(nodes, kNoPacket);
        for (uint32_t n = 0; n < nodes; ++n) {
            if (own && root.inject_ready_o && !begin && !(*own)[n].empty()) {
                offered[n] = (*own)[n].back();
                (*own)[n].pop_back();
                bits_set(root.inject_data_i, size_t(n) * 32, 32, slot->own_word[offered[n]]);
            }
            bits_set(root.inject_valid_i, n, 1, offered[n] != kNoPacket);
            bits_set(root.stalled_i, n, 1, begin && slot && slot->stalled && slot->stalled[n]);
        }
        clock_edge(*flat, root, 0);
        take_valid();
        for (uint32_t n = 0; n < nodes; ++n) {
            if (own_offered[n] != kNoPacket && slot && slot->taken)
                slot->taken[own_offered[n]] = uint8_t(bits_get(root.inject_taken_o, n, 1));
            if (!slot) continue;
            slot->sent[n] |= valid[n];
            for (uint32_t p = 0; p < kPorts; ++p)
                if (valid[n] >> p & 1)
                    slot->word[size_t(n) * kPorts + p] =
                        uint32_t(bits_get(root.link_data_o, (size_t(n) * kPorts + p) * 32, 32));
            const uint32_t port = uint32_t(bits_get(root.deliver_port_o, n * kArrivalW, kArrivalW));
            if (bits_get(root.deliver_valid_o, n, 1) && port < kPorts) slot->delivered[n] |= 1u << port;
        }
        own_offered = offered;
        if (slot) slot->cycles++;
    }

    void step(const crl_shim_drive &d)
    {
        evaluate([&] { edge(d.reset, false, nullptr, nullptr); });
    }

    void play(crl_shim_slot &slot)
    {
        std::vector<std::vector<uint32_t>> own(nodes); // a node's first packet last
        for (size_t i = slot.own; i-- > 0;) own[slot.own_node[i]].push_back(uint32_t(i));
        while (!root.ready_o) edge(false, false, nullptr, nullptr);
        edge(false, true, &slot, &own);
        for (uint32_t n = 0; n < nodes; ++n) slot.stored[n] = uint32_t(bits_get(root.stored_o, n * kStoredW, kStoredW));
        while (!root.inject_ready_o) edge(false, false, &slot, &own);
        for (const auto &list : own)
            while (!list.empty()) edge(false, false, &slot, &own);
        for (int i = 0; i < 2; i++) edge(false, false, &slot, &own); // until the last packet is stored
        slot.dropped = slot.strange = 0;
        for (uint32_t n = 0; n < nodes; ++n) {
            slot.dropped += bits_get(root.dropped_o, size_t(n) * 32, 32);
            slot.strange += bits_get(root.strange_o, size_t(n) * 32, 32);
        }
    }

    void slot(crl_shim_slot &slot) { play_slot(*this, slot); }

    void load(uint32_t address, const void *const *rows)
    {
        const uint32_t row = address & ~kGateRow;
        root.rst_ni = 1;
        root.slot_i = 0;
        root.load_gate_i = address != row;
        port_set(root.load_addr_i, &row, sizeof root.load_addr_i);
        for (uint32_t t = 0; t < tables; ++t) {
            for (uint32_t n = 0; n < nodes; ++n) {
                bits_set(root.load_we_i, n, 1, node_table[n] == t);
                bits_set(root.inject_valid_i, n, 1, 0);
            }
            port_set(root.load_data_i, rows[t], kRowBytes);
            clock_edge(*flat, root, 0);
        }
        for (uint32_t n = 0; n < nodes; ++n) bits_set(root.load_we_i, n, 1, 0);
    }

    crl_shim_fault node_fault(uint32_t node) { return {uint32_t(bits_get(root.fault_o, node * 3, 3)), 0, 0}; }
};

#endif
