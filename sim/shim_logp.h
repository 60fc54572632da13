// SPDX-License-Identifier: Apache-2.0
/* A LogP machine: N processors and one crossbar, wired by the harness. Part of shim.cpp. */
#ifndef CRL_SHIM_LOGP_H
#define CRL_SHIM_LOGP_H

namespace
{

using Processor = Vcrl_logp_node;
using Crossbar = Vcrl_crossbar;
using ProcessorRoot = std::remove_reference_t<decltype(*Processor::rootp)>;
using CrossbarRoot = std::remove_reference_t<decltype(*Crossbar::rootp)>;

static_assert(kPorts == 1, "a processor has one port");
static_assert(sizeof(ProcessorRoot::table_data_i) >= kRowBytes, "a row fits");

constexpr uint32_t kNameBits = __builtin_ctz(CRL_CROSSBAR);

// One bit, and one name of a processor, of a flat vector.
template <class Port> bool bit_get(const Port &port, uint32_t at)
{
    return reinterpret_cast<const uint8_t *>(&port)[at / 8] >> at % 8 & 1;
}
template <class Port> void bits_put(Port &port, uint32_t at, uint32_t count, uint32_t value)
{
    uint8_t *const bytes = reinterpret_cast<uint8_t *>(&port);
    for (uint32_t i = at; i < at + count; ++i, value >>= 1)
        bytes[i / 8] = uint8_t((bytes[i / 8] & ~(1u << i % 8)) | (value & 1) << i % 8);
}

} // namespace

struct crl_shim : crl_shim_base {
    const uint32_t op;

    std::vector<std::unique_ptr<Processor>> processors;
    std::unique_ptr<Crossbar> crossbar;
    std::vector<uint32_t> valid, dest;

    explicit crl_shim(const crl_shim_setup &setup) : crl_shim_base(setup), op(setup.op), valid(nodes), dest(nodes)
    {
        for (uint32_t n = 0; n < nodes; ++n)
            processors.push_back(std::make_unique<Processor>(context.get(), ("node" + std::to_string(n)).c_str()));
        crossbar = std::make_unique<Crossbar>(context.get(), "crossbar");
        CrossbarRoot &root = *crossbar->rootp;
        port_set(root.nodes_i, &nodes, sizeof root.nodes_i);
        port_set(root.latency_i, &setup.latency, sizeof root.latency_i);
        Crossbar *const crossbars[] = {crossbar.get()};
        show(setup.wave_path, processors, crossbars);
    }

    // Hands every word over without an edge of the clock: what the processors registered goes into the crossbar, what
    // comes out of it (at a latency of 1 the same words) to the processors.
    void settle(bool clk, const crl_shim_drive &d)
    {
        CrossbarRoot &bar = *crossbar->rootp;
        bar.rst_ni = !d.reset;
        bar.clear_i = d.clear;
        bar.clk_i = clk;
        crossbar->eval();
        for (uint32_t n = 0; n < nodes; ++n) {
            ProcessorRoot &root = *processors[n]->rootp;
            root.rst_ni = !d.reset;
            root.clear_i = d.clear;
            root.start_i = d.start;
            root.op_i = op;
            port_set(root.last_row_i, &d.last_row, sizeof root.last_row_i);
            port_set(root.last_page_i, &d.last_page, sizeof root.last_page_i);
            // The first and the second word; what the caller forces is the only one.
            uint32_t arrives = bit_get(bar.valid_o, 2 * n) | uint32_t(bit_get(bar.valid_o, 2 * n + 1)) << 1;
            uint8_t words[2 * kNodeBytes];
            std::memcpy(words, reinterpret_cast<const uint8_t *>(&bar.data_o) + n * sizeof words, sizeof words);
            if (force_mask[n]) {
                force_apply(n, arrives, words);
                arrives &= 1;
            }
            root.link_valid_i = arrives;
            port_set(root.link_data_i, words, sizeof words);
            root.clk_i = clk;
            processors[n]->eval();
        }
    }
    // Everything sees what was there before the edge.
    void edge()
    {
        for (auto &processor : processors) {
            processor->rootp->clk_i = 1;
            processor->eval();
        }
        crossbar->rootp->clk_i = 1;
        crossbar->eval();
    }
    void take_outputs()
    {
        CrossbarRoot &bar = *crossbar->rootp;
        for (uint32_t n = 0; n < nodes; ++n) {
            const ProcessorRoot &root = *processors[n]->rootp;
            valid[n] = root.link_valid_o;
            dest[n] = root.link_dest_o;
            bits_put(bar.valid_i, n, 1, valid[n]);
            bits_put(bar.dest_i, n * kNameBits, kNameBits, dest[n]);
            std::memcpy(reinterpret_cast<uint8_t *>(&bar.data_i) + n * kNodeBytes, &root.link_data_o, kNodeBytes);
        }
    }

    void step(const crl_shim_drive &d)
    {
        evaluate([&] {
            settle(false, d);
            wave.dump(*context);
            edge();
            for (uint32_t n = 0; n < nodes; ++n)
                if (force_mask[n]) force_clear(n);
            take_outputs();
#if CRL_WAVE
            crl_shim_drive after = d; // pulses end at the edge
            after.start = after.clear = false;
            settle(true, after);
#endif
            wave.dump(*context);
        });
    }

    void load(uint32_t address, const void *const *rows)
    {
        for (uint32_t n = 0; n < nodes; ++n) {
            ProcessorRoot &root = *processors[n]->rootp;
            root.rst_ni = 1;
            root.clear_i = root.start_i = root.link_valid_i = 0;
            root.table_we_i = 1;
            port_set(root.table_addr_i, &address, sizeof root.table_addr_i);
            port_set(root.table_data_i, rows[n], kRowBytes);
            for (const bool clk : {false, true}) {
                root.clk_i = clk;
                processors[n]->eval();
            }
            root.table_we_i = 0;
        }
    }

    const uint32_t *sent() { return valid.data(); }

    void words(uint64_t *data)
    {
        for (uint32_t n = 0; n < nodes; ++n) {
            data[n] = 0;
            std::memcpy(&data[n], &processors[n]->rootp->link_data_o, kWordBytes);
        }
    }

    const uint32_t *destinations() { return dest.data(); }

    bool busy()
    {
        return std::any_of(processors.begin(), processors.end(), [](const auto &it) { return it->rootp->busy_o; });
    }

    crl_shim_fault node_fault(uint32_t node)
    {
        const ProcessorRoot &root = *processors[node]->rootp;
        const CrossbarRoot &bar = *crossbar->rootp;
        const uint32_t kinds =
            root.fault_o | uint32_t(bit_get(bar.conflict_o, node)) << 4 | uint32_t(bit_get(bar.outside_o, node)) << 5;
        return {kinds, kinds != 0, root.fault_row_o};
    }

    crl_shim_fault table_fault(uint32_t table)
    {
        const ProcessorRoot &root = *processors[table]->rootp;
        return {root.fault_parity_o, 0, root.fault_parity_row_o};
    }
};

#endif
