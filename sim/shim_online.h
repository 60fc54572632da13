// SPDX-License-Identifier: Apache-2.0
/* A network of N on-line routers, wired by the harness, a slot a step. Part of shim.cpp. */
#ifndef CRL_SHIM_ONLINE_H
#define CRL_SHIM_ONLINE_H

#include "shim_online_words.h"

namespace
{

using Node = Vcrl_online;
using NodeRoot = std::remove_reference_t<decltype(*Node::rootp)>;

constexpr size_t kLinkBytes = (kPorts * kLinkW + 7) / 8;
static_assert(sizeof(NodeRoot::link_data_i) >= kLinkBytes && sizeof(NodeRoot::link_data_i) < kLinkBytes + 8,
              "the links fit");

void bits_copy(uint8_t *to, const uint8_t *from, size_t at, uint32_t width)
{
    for (size_t i = at; i < at + width;) {
        if (i % 8 == 0 && i + 8 <= at + width) {
            to[i / 8] = from[i / 8];
            i += 8;
        } else {
            const uint8_t bit = uint8_t(1u << i % 8);
            to[i / 8] = uint8_t((to[i / 8] & ~bit) | (from[i / 8] & bit));
            ++i;
        }
    }
}

} // namespace

struct crl_shim : OnlineWords {
    std::vector<uint32_t> source;

    std::vector<std::unique_ptr<Node>> models;

    // Two of each, so that no node sees what another sends in the same slot. Node `nodes` never sends.
    std::vector<uint32_t> valid[2];
    std::vector<uint8_t> data[2];
    unsigned now = 0;
    uint64_t slots = 0; // begun, for the waves

    explicit crl_shim(const crl_shim_setup &setup) : OnlineWords(setup)
    {
        source.assign(setup.source, setup.source + size_t(nodes) * kPorts);
        for (int i = 0; i < 2; ++i) {
            valid[i].assign(nodes + 1, 0);
            data[i].assign((nodes + 1) * sizeof(NodeRoot::link_data_i), 0);
        }
        for (uint32_t n = 0; n < nodes; ++n)
            models.push_back(std::make_unique<Node>(context.get(), ("node" + std::to_string(n)).c_str()));
        show(setup.wave_path, models);
    }

    const uint8_t *links(uint32_t n) const { return &data[now][n * sizeof(NodeRoot::link_data_i)]; }

    void clock(uint32_t n) { clock_edge(*models[n], *models[n]->rootp, 0); }

    void inputs(uint32_t n)
    {
        NodeRoot &root = *models[n]->rootp;
        const uint32_t *const from = &source[size_t(n) * kPorts];
        uint32_t mask = 0;
        uint8_t words[sizeof root.link_data_i] = {};
        for (uint32_t p = 0; p < kPorts; ++p) {
            mask |= valid[now][from[p]] & 1u << p;
            bits_copy(words, links(from[p]), size_t(p) * kLinkW, kLinkW);
        }
        mask = (mask & ~force_mask[n]) | force_valid[n];
        force_clear(n);
        port_set(root.link_valid_i, &mask, sizeof root.link_valid_i);
        port_set(root.link_data_i, words, sizeof words);
    }

    /*
     * A slot, node by node: all take equally many cycles, and a node looks at a link before its neighbour sends the
     * next word, so that what was on the links before the slot is what it sees in it.
     */
    void play(uint32_t n)
    {
        NodeRoot &root = *models[n]->rootp;
        root.slot_i = 1;
        clock(n);
        root.slot_i = 0;
        for (uint32_t cycles = 0; !root.ready_o; ++cycles) {
            if (cycles == kSlotCyclesMax) throw std::runtime_error("a slot does not end\n");
            clock(n);
        }
    }

    void prepare(uint32_t n, const crl_shim_drive &d)
    {
        NodeRoot &root = *models[n]->rootp;
        root.rst_ni = !d.reset;
        root.start_i = d.start;
        root.load_we_i = 0;
        root.slot_i = 0;
        inputs(n);
    }

    void outputs(uint32_t n)
    {
        NodeRoot &root = *models[n]->rootp;
        root.start_i = 0;
        valid[now ^ 1][n] = root.link_valid_o;
        port_get(&data[now ^ 1][n * sizeof root.link_data_o], root.link_data_o, sizeof root.link_data_o);
    }

    bool all_ready() const
    {
        return std::all_of(models.begin(), models.end(), [](const auto &model) { return model->rootp->ready_o; });
    }

    // The same for the waves, cycle by cycle: both levels of all nodes side by side. Words stay at the inputs for the
    // whole slot that acts on them.
    void together(const crl_shim_drive &d)
    {
        const bool plays = !d.reset && !d.start;
        if (plays) wave.wait_for(++slots * kSlotLevels);
        for (uint32_t n = 0; n < nodes; ++n) {
            prepare(n, d);
            models[n]->rootp->slot_i = plays;
        }
        for (uint32_t cycles = 0; !cycles || (plays && !all_ready()); ++cycles) {
            if (cycles == kSlotCyclesMax) throw std::runtime_error("a slot does not end\n");
            for (const int clk : {0, 1}) {
                for (auto &model : models) {
                    model->rootp->clk_i = clk;
                    model->eval();
                }
                wave.dump(*context);
            }
            for (auto &model : models) model->rootp->slot_i = 0;
        }
        for (uint32_t n = 0; n < nodes; ++n) outputs(n);
    }

    void step(const crl_shim_drive &d)
    {
        evaluate([&] {
            if (CRL_WAVE) together(d);
            else
                for (uint32_t n = 0; n < nodes; ++n) {
                    prepare(n, d);
                    if (d.reset || d.start) clock(n);
                    else play(n);
                    outputs(n);
                }
            now ^= 1;
        });
    }

    void load(uint32_t address, const void *const *rows)
    {
        note_register(address, rows[0]);
        for (uint32_t n = 0; n < nodes; ++n) {
            NodeRoot &root = *models[n]->rootp;
            root.rst_ni = 1;
            root.start_i = 0;
            root.slot_i = 0;
            root.link_valid_i = 0;
            root.load_we_i = 1;
            root.load_addr_i = uint16_t(address);
            port_set(root.load_data_i, rows[n], kRowBytes);
            clock(n);
            root.load_we_i = 0;
        }
    }

    uint64_t word(uint32_t n, uint32_t port) const
    {
        const NodeRoot &root = *models[n]->rootp;
#if CRL_ONLINE == 2
        const uint32_t step = 0;
#else
        const uint32_t step = root.step_o;
#endif
        return traced(*links(n), size_t(port) * kLinkW, port, root.phase_o, step);
    }

    bool held(uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet)
    {
        NodeRoot &root = *models[node]->rootp;
        root.read_sel_i = uint16_t(memory);
        root.read_addr_i = uint16_t(address);
        clock(node); // between slots this changes nothing
        *packet = held_packet(root.read_data_o, 0, memory);
        return root.read_valid_o;
    }

    const uint32_t *sent() { return valid[now].data(); }
    void words(uint64_t *to)
    {
        for (uint32_t n = 0; n < nodes; ++n)
            for (uint32_t p = 0; p < kPorts; ++p)
                if (valid[now][n] >> p & 1) to[size_t(n) * kPorts + p] = word(n, p);
    }
    bool busy()
    {
        return std::any_of(models.begin(), models.end(), [](const auto &it) { return it->rootp->busy_o; });
    }
#if CRL_ONLINE == 1
    void give(uint32_t node, const uint32_t *packet)
    {
        NodeRoot &root = *models[node]->rootp;
        root.give_valid_i = 1;
        for (uint32_t p = 0; p < kPorts; ++p) {
            port_set(root.give_data_i, packet + p, sizeof *packet);
            clock(node);
        }
        root.give_valid_i = 0;
    }
    crl_shim_interval interval()
    {
        const NodeRoot &first = *models[0]->rootp;
        crl_shim_interval interval = {bool(first.begins_o), first.phase_o == 1, true};
        for (const auto &model : models) {
            interval.agree &= model->rootp->begins_o == first.begins_o;
            interval.agree &= model->rootp->phase_o == first.phase_o;
        }
        return interval;
    }
#endif
    crl_shim_fault node_fault(uint32_t node) { return {uint32_t(models[node]->rootp->fault_o) << 6, 0, 0}; }
};

#endif
