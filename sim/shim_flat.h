// SPDX-License-Identifier: Apache-2.0
/* One verilated crl_fabric. Part of shim.cpp. */
#ifndef CRL_SHIM_FLAT_H
#define CRL_SHIM_FLAT_H

namespace
{

constexpr uint32_t kNodes = CRL_FLAT;
constexpr uint32_t kRowNumberBits = CRL_ROW_NUMBER_BITS;
constexpr size_t kPackedBytes = (kNodes * kPorts + 7) / 8;

} // namespace

struct crl_shim : FlatShim {
    const uint32_t tables;

    explicit crl_shim(const crl_shim_setup &setup) : FlatShim(setup), tables(setup.tables)
    {
        Flat *const models[] = {flat.get()};
        show(setup.wave_path, models);
    }

    void clock(bool dump)
    {
        for (const bool clk : {false, true}) {
            root.clk_i = clk;
            flat->eval();
            if (dump) wave.dump(*context);
        }
    }

    void step(const crl_shim_drive &d)
    {
        root.rst_ni = !d.reset;
        root.clear_i = d.clear;
        root.start_i = d.start;
        root.table_we_i = 0;
        port_set(root.last_row_i, &d.last_row, sizeof root.last_row_i);
        port_set(root.last_page_i, &d.last_page, sizeof root.last_page_i);

        uint8_t mask[kPackedBytes] = {};
        for (uint32_t n = 0; n < nodes; ++n) {
            for (uint32_t p = 0; p < kPorts; ++p)
                if (force_valid[n] >> p & 1) mask[(n * kPorts + p) / 8] |= uint8_t(1u << (n * kPorts + p) % 8);
            force_clear(n);
        }
        port_set(root.inj_valid_i, mask, kPackedBytes);
        port_set(root.inj_data_i, force_data.data(), nodes * kNodeBytes);
        evaluate([&] { clock(true); });
        take_valid();
    }

    void load(uint32_t address, const void *const *rows)
    {
        root.start_i = root.clear_i = 0;
        root.rst_ni = 1;
        const uint8_t none[kPackedBytes] = {};
        port_set(root.inj_valid_i, none, kPackedBytes);
        for (uint32_t t = 0; t < tables; ++t) {
            root.table_we_i = 1;
            port_set(root.table_sel_i, &t, sizeof root.table_sel_i);
            port_set(root.table_addr_i, &address, sizeof root.table_addr_i);
            port_set(root.table_data_i, rows[t], kRowBytes);
            clock(false);
        }
        root.table_we_i = 0;
    }

    void words(uint64_t *data)
    {
        const uint8_t *const words = reinterpret_cast<const uint8_t *>(&root.link_data_o);
        for (size_t i = 0; i < size_t(kNodes) * kPorts; ++i) {
            data[i] = 0;
            std::memcpy(&data[i], words + i * kWordBytes, kWordBytes);
        }
    }

    bool busy() { return root.busy_o; }

    crl_shim_fault node_fault(uint32_t node)
    {
        return {uint32_t(bits_get(root.fault_o, node * 3, 3)),
                uint32_t(bits_get(root.fault_ports_o, node * kPorts, kPorts)),
                uint32_t(bits_get(root.fault_row_o, size_t(node) * kRowNumberBits, kRowNumberBits))};
    }

    crl_shim_fault table_fault(uint32_t table)
    {
        return {uint32_t(bits_get(root.fault_parity_o, table, 1)), 0,
                uint32_t(bits_get(root.fault_parity_row_o, size_t(table) * kRowNumberBits, kRowNumberBits))};
    }
};

#endif
