// SPDX-License-Identifier: Apache-2.0
/*
 * One verilated crl_fabric behind the same table as the network: its wiring and its clock are Verilator's own, so
 * it judges the harness. Part of shim.cpp.
 */
#ifndef CRL_SHIM_FLAT_H
#define CRL_SHIM_FLAT_H

namespace
{

using Flat = Vcrl_flat;
using FlatRoot = std::remove_reference_t<decltype(*Flat::rootp)>;

constexpr uint32_t kNodes = CRL_FLAT;
constexpr uint32_t kRowNumberBits = CRL_ROW_NUMBER_BITS;
constexpr size_t kPackedBytes = (kNodes * kPorts + 7) / 8;

} // namespace

struct crl_shim : crl_shim_base {
    uint32_t tables = 0;
    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<Flat> flat;
    std::vector<uint32_t> valid;

    explicit crl_shim(const crl_shim_setup &setup)
    {
        nodes = setup.nodes;
        tables = setup.tables;
        message = setup.message;
        user = setup.user;
        force_init();
        valid.assign(nodes, 0);
        context = std::make_unique<VerilatedContext>();
        context->threads(1);
        context->traceEverOn(CRL_WAVE != 0);
        t_shim = this;
        flat = std::make_unique<Flat>(context.get(), "fabric");
        if (setup.wave_path) {
            Flat *const models[] = {flat.get()};
            wave.add(models);
            wave.open(setup.wave_path);
        }
    }
    ~crl_shim() { t_shim = this; }

    void clock(bool dump)
    {
        for (const bool clk : {false, true}) {
            flat->rootp->clk_i = clk;
            flat->eval();
            if (dump) wave.dump(*context);
        }
    }

    void step(const crl_shim_drive &d)
    {
        if (dead) return;
        t_shim = this;
        FlatRoot &root = *flat->rootp;
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
        try {
            clock(true);
        } catch (const std::exception &e) {
            fail(e.what());
            dead = true;
        }
        for (uint32_t n = 0; n < nodes; ++n) valid[n] = uint32_t(bits_get(root.link_valid_o, n * kPorts, kPorts));
    }

    void load(uint32_t address, const void *const *rows)
    {
        t_shim = this;
        FlatRoot &root = *flat->rootp;
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
};

namespace
{

const uint32_t *shim_valid(crl_shim *s) { return s->valid.data(); }

void shim_data(crl_shim *s, uint64_t *data)
{
    const uint8_t *const words = reinterpret_cast<const uint8_t *>(&s->flat->rootp->link_data_o);
    for (size_t i = 0; i < size_t(kNodes) * kPorts; ++i) {
        data[i] = 0;
        std::memcpy(&data[i], words + i * kWordBytes, kWordBytes);
    }
}

const uint32_t *shim_dest(crl_shim *) { return nullptr; }

constexpr void (*shim_slot)(crl_shim *, crl_shim_slot *) = nullptr;

bool shim_busy(crl_shim *s) { return s->flat->rootp->busy_o; }

crl_shim_fault shim_node_fault(crl_shim *s, uint32_t node)
{
    const FlatRoot &root = *s->flat->rootp;
    return {uint32_t(bits_get(root.fault_o, node * 3, 3)),
            uint32_t(bits_get(root.fault_ports_o, node * kPorts, kPorts)),
            uint32_t(bits_get(root.fault_row_o, size_t(node) * kRowNumberBits, kRowNumberBits))};
}

crl_shim_fault shim_table_fault(crl_shim *s, uint32_t table)
{
    const FlatRoot &root = *s->flat->rootp;
    return {uint32_t(bits_get(root.fault_parity_o, table, 1)), 0,
            uint32_t(bits_get(root.fault_parity_row_o, size_t(table) * kRowNumberBits, kRowNumberBits))};
}

} // namespace

#endif
