// SPDX-License-Identifier: Apache-2.0
/* One verilated crl_online_fabric behind the same table as the network that the harness wires. Part of shim.cpp. */
#ifndef CRL_SHIM_FLAT_ONLINE_H
#define CRL_SHIM_FLAT_ONLINE_H

#include "shim_online_words.h"

namespace
{

using Flat = Vcrl_flat;
using FlatRoot = std::remove_reference_t<decltype(*Flat::rootp)>;

constexpr uint32_t kStepW = kDims > 1 ? 32 - __builtin_clz(kDims - 1) : 1;
constexpr uint32_t kHeldW = kDims * kDigitW + kPayloadW;

} // namespace

struct crl_shim : OnlineWords {
    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<Flat> flat;
    std::vector<uint32_t> valid;

    explicit crl_shim(const crl_shim_setup &setup)
    {
        nodes = setup.nodes;
        message = setup.message;
        user = setup.user;
        force_init();
        valid.assign(nodes, 0);
        context = std::make_unique<VerilatedContext>();
        context->threads(1);
        t_shim = this;
        flat = std::make_unique<Flat>(context.get(), "fabric");
    }

    void clock() { clock_edge(*flat, *flat->rootp, 0); }

    void slot()
    {
        FlatRoot &root = *flat->rootp;
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
        if (dead) return;
        t_shim = this;
        FlatRoot &root = *flat->rootp;
        root.rst_ni = !d.reset;
        root.start_i = d.start;
        root.load_we_i = 0;
        root.slot_i = 0;
        try {
            if (d.reset || d.start) clock();
            else slot();
        } catch (const std::exception &e) {
            fail(e.what());
            dead = true;
        }
        root.start_i = 0;
        for (uint32_t n = 0; n < nodes; ++n) {
            valid[n] = uint32_t(bits_get(root.link_valid_o, n * kPorts, kPorts));
            if (CRL_ONLINE != 1 && (bits_get(root.begins_o, n, 1) || bits_get(root.step_o, size_t(n) * kStepW, kStepW)))
                fail("an exchange tells of intervals\n");
        }
    }

    void load(uint32_t address, const void *const *rows)
    {
        t_shim = this;
        FlatRoot &root = *flat->rootp;
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
};

namespace
{

const uint32_t *shim_valid(crl_shim *s) { return s->valid.data(); }
void shim_data(crl_shim *s, uint64_t *data)
{
    const FlatRoot &root = *s->flat->rootp;
    for (uint32_t n = 0; n < s->nodes; ++n)
        for (uint32_t p = 0; p < kPorts; ++p)
            if (s->valid[n] >> p & 1)
                data[size_t(n) * kPorts + p] = s->traced(root.link_data_o, (size_t(n) * kPorts + p) * kLinkW, p,
                                                         uint32_t(bits_get(root.phase_o, n * 2, 2)),
                                                         uint32_t(bits_get(root.step_o, size_t(n) * kStepW, kStepW)));
}
const uint32_t *shim_dest(crl_shim *) { return nullptr; }
bool shim_busy(crl_shim *s) { return s->flat->rootp->busy_o; }
void shim_slot(crl_shim *, crl_shim_slot *) {}
bool shim_held(crl_shim *s, uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet)
{
    t_shim = s;
    FlatRoot &root = *s->flat->rootp;
    root.read_sel_i = uint16_t(memory);
    root.read_addr_i = uint16_t(address);
    s->clock(); // between slots this changes nothing
    *packet = s->held_packet(root.read_data_o, size_t(node) * kHeldW, memory);
    return bits_get(root.read_valid_o, node, 1);
}
#if CRL_ONLINE == 1
void shim_give(crl_shim *s, uint32_t node, const uint32_t *packet)
{
    t_shim = s;
    FlatRoot &root = *s->flat->rootp;
    bits_set(root.give_valid_i, node, 1, 1);
    for (uint32_t p = 0; p < kPorts; ++p) {
        bits_set(root.give_data_i, size_t(node) * kPayloadW, kPayloadW, packet[p]);
        s->clock();
    }
    bits_set(root.give_valid_i, node, 1, 0);
}
crl_shim_interval shim_interval(crl_shim *s)
{
    const FlatRoot &root = *s->flat->rootp;
    const uint64_t begins = bits_get(root.begins_o, 0, 1), phase = bits_get(root.phase_o, 0, 2);
    crl_shim_interval interval = {begins != 0, phase == 1, true};
    for (uint32_t n = 1; n < s->nodes; ++n)
        interval.agree &= bits_get(root.begins_o, n, 1) == begins && bits_get(root.phase_o, n * 2, 2) == phase;
    return interval;
}
#endif
crl_shim_fault shim_node_fault(crl_shim *s, uint32_t node)
{
    return {uint32_t(bits_get(s->flat->rootp->fault_o, node, 1)) << 6, 0, 0};
}
crl_shim_fault shim_table_fault(crl_shim *, uint32_t) { return {}; }

} // namespace

#endif
