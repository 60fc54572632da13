// SPDX-License-Identifier: Apache-2.0
/* A network of N nodes under queue control, wired by the harness and played slot by slot. Part of shim.cpp. */
#ifndef CRL_SHIM_QUEUE_H
#define CRL_SHIM_QUEUE_H

namespace
{

using Node = Vcrl_queue_node;
using NodeRoot = std::remove_reference_t<decltype(*Node::rootp)>;

static_assert(sizeof(NodeRoot::load_data_i) >= kRowBytes, "a row fits");
constexpr uint32_t kGateRow = 1u << 31; // in an address: of the gates, not of the forwarding table
constexpr uint32_t kNoPacket = UINT32_MAX;

/*
 * A rising edge without Verilator's search for what changed: what the inputs decide, then the edge. It is the same as
 * clock_edge under its conditions, and where nothing follows the edge in a region of its own; where Verilator names
 * these otherwise, clock_edge stands in. For models evaluated once before, so that their initial values are there.
 */
template <class Model, class Root>
inline auto known_edge(Model &, Root &root, int)
    -> decltype(Vcrl_queue_node___024root___eval_ico(&root), Vcrl_queue_node___024root___eval_nba(&root),
                root.__VicoTriggered.at(0) = true, root.__VnbaTriggered.at(0) = true,
                std::enable_if_t<sizeof(root.__VactTriggered) == sizeof(VlTriggerVec<1>)>())
{
    root.clk_i = root.__Vtrigrprev__TOP__clk_i = 1;
    root.__VicoTriggered.at(0) = true;
    Vcrl_queue_node___024root___eval_ico(&root);
    root.__VnbaTriggered.at(0) = true;
    Vcrl_queue_node___024root___eval_nba(&root);
}
template <class Model, class Root> inline void known_edge(Model &model, Root &root, long)
{
    clock_edge(model, root, 0);
}

// An own packet at a node's input.
struct Offer {
    uint32_t node, packet;
};

} // namespace

/* Inputs hold what they are given until they are given something else, so a cycle costs a node what happens to it. */
struct crl_shim : crl_shim_base {
    std::vector<uint32_t> node_table, source, target; // target: the inverse of source

    std::vector<std::unique_ptr<Node>> models;
    std::vector<NodeRoot *> roots;

    std::vector<uint32_t> valid;                      // for who asks
    bool forced = false;                              // something is
    uint64_t slots = 0;                               // begun, for the waves
    std::vector<uint32_t> accepts;                    // what the neighbours were told last
    std::vector<uint32_t> receivers, senders, turned; // nodes: with words at their inputs; of the edge: that sent, or
                                                      // accept other ports than before
    std::vector<uint32_t> own_first, own_last, own_next; // own packets of a slot, a list a node
    std::vector<uint32_t> own_nodes;                     // with own packets left
    std::vector<Offer> offered, settling;                // what becomes of an offer shows after the edge that follows

    explicit crl_shim(const crl_shim_setup &setup) : crl_shim_base(setup)
    {
        node_table.assign(setup.node_table, setup.node_table + nodes);
        source.assign(setup.source, setup.source + size_t(nodes) * kPorts);
        target.assign(size_t(nodes) * kPorts, nodes);
        for (uint32_t n = 0; n < nodes; ++n)
            for (uint32_t p = 0; p < kPorts; ++p) {
                const uint32_t from = source[size_t(n) * kPorts + p];
                if (from < nodes) target[size_t(from) * kPorts + p] = n;
            }
        valid.assign(nodes, 0);
        accepts.assign(nodes, 0);
        own_first.assign(nodes, kNoPacket);
        own_last.assign(nodes, kNoPacket);
        const uint32_t last_row = setup.period - 1;
        for (uint32_t n = 0; n < nodes; ++n) {
            models.push_back(std::make_unique<Node>(context.get(), ("node" + std::to_string(n)).c_str()));
            NodeRoot &root = *models[n]->rootp;
            roots.push_back(&root);
            port_set(root.node_i, &n, sizeof root.node_i);
            port_set(root.limit_i, &setup.limit, sizeof root.limit_i);
            port_set(root.last_row_i, &last_row, sizeof root.last_row_i);
            root.rst_ni = 1;
            root.clk_i = 1;
            models[n]->eval(); // initial values
        }
        show(setup.wave_path, models);
    }

    // A level of the clock at all nodes, for the waves, which begin with the first slot.
    void level(int clk)
    {
        for (uint32_t n = 0; n < nodes; ++n) {
            roots[n]->clk_i = clk;
            models[n]->eval();
        }
        if (slots) wave.dump(*context);
    }

    void force(uint32_t node, uint32_t port, bool word_valid, uint64_t word)
    {
        crl_shim_base::force(node, port, word_valid, word);
        forced = true;
    }
    void force_all(const uint64_t *words, size_t stride, uint32_t count)
    {
        crl_shim_base::force_all(words, stride, count);
        forced = true;
    }

    void forces_in()
    {
        if (!forced) return;
        for (uint32_t n = 0; n < nodes; ++n) {
            if (!force_mask[n]) continue;
            uint32_t mask = roots[n]->link_valid_i;
            force_apply(n, mask, reinterpret_cast<uint8_t *>(&roots[n]->link_data_i));
            port_set(roots[n]->link_valid_i, &mask, sizeof roots[n]->link_valid_i);
            receivers.push_back(n);
            force_clear(n);
        }
        forced = false;
    }

    // What was sent is at the neighbours' inputs, and what was there is gone.
    void links_on()
    {
        for (const uint32_t n : receivers) roots[n]->link_valid_i = 0;
        receivers.clear();
        for (const uint32_t n : senders)
            for (uint32_t p = 0; p < kPorts; ++p) {
                const uint32_t to = target[size_t(n) * kPorts + p];
                if (!(roots[n]->link_valid_o >> p & 1) || to == nodes) continue;
                roots[to]->link_valid_i |= 1u << p;
                std::memcpy(reinterpret_cast<uint8_t *>(&roots[to]->link_data_i) + p * kWordBytes,
                            reinterpret_cast<const uint8_t *>(&roots[n]->link_data_o) + p * kWordBytes, kWordBytes);
                receivers.push_back(to);
            }
        senders.clear();
        for (const uint32_t n : turned) {
            accepts[n] = roots[n]->link_accept_o;
            for (uint32_t p = 0; p < kPorts; ++p) {
                const uint32_t from = source[size_t(n) * kPorts + p];
                if (from == nodes) continue;
                uint32_t mask = roots[from]->link_accept_i;
                mask = (mask & ~(1u << p)) | (accepts[n] & 1u << p);
                port_set(roots[from]->link_accept_i, &mask, sizeof roots[from]->link_accept_i);
            }
        }
        turned.clear();
    }

    // The next own packet of each node that has one.
    void offer(const crl_shim_slot &slot)
    {
        size_t left = 0;
        for (const uint32_t n : own_nodes) {
            const uint32_t own = own_first[n];
            roots[n]->inject_valid_i = 1;
            roots[n]->inject_data_i = slot.own_word[own];
            offered.push_back({n, own});
            own_first[n] = own_next[own];
            if (own_first[n] != kNoPacket) own_nodes[left++] = n;
        }
        own_nodes.resize(left);
    }

    // One clock edge of everything. slot: what is collected; may be NULL.
    void edge(crl_shim_slot *slot)
    {
        forces_in();
        if (CRL_WAVE) level(0), level(1);
        for (uint32_t n = 0; n < nodes; ++n) {
            NodeRoot &root = *roots[n];
            if (!CRL_WAVE) known_edge(*models[n], root, 0);
            if (root.link_accept_o != accepts[n]) turned.push_back(n);
            if (root.link_valid_o) senders.push_back(n);
            if (root.deliver_valid_o && slot && root.deliver_port_o < kPorts)
                slot->delivered[n] |= 1u << root.deliver_port_o;
        }
        for (const Offer &it : settling)
            if (slot->taken) slot->taken[it.packet] = roots[it.node]->inject_taken_o;
        settling.swap(offered);
        offered.clear();
        for (const Offer &it : settling) roots[it.node]->inject_valid_i = 0;
        if (slot) {
            slot->cycles++;
            for (const uint32_t n : senders) {
                slot->sent[n] |= roots[n]->link_valid_o;
                for (uint32_t p = 0; p < kPorts; ++p)
                    if (roots[n]->link_valid_o >> p & 1)
                        std::memcpy(&slot->word[size_t(n) * kPorts + p],
                                    reinterpret_cast<const uint8_t *>(&roots[n]->link_data_o) + p * kWordBytes,
                                    kWordBytes);
            }
        }
        links_on();
    }

    void step(const crl_shim_drive &d)
    {
        for (NodeRoot *const root : roots) root->rst_ni = !d.reset;
        evaluate([&] { edge(nullptr); });
        for (NodeRoot *const root : roots) root->rst_ni = 1;
    }

    void list_own(const crl_shim_slot &slot)
    {
        own_next.assign(slot.own, kNoPacket);
        for (uint32_t i = 0; i < slot.own; ++i) {
            const uint32_t n = slot.own_node[i];
            if (own_first[n] != kNoPacket) own_next[own_last[n]] = i;
            else {
                own_first[n] = i;
                own_nodes.push_back(n);
            }
            own_last[n] = i;
        }
    }

    void begin(crl_shim_slot &slot)
    {
        for (uint32_t n = 0; n < nodes; ++n) {
            roots[n]->slot_i = 1;
            roots[n]->stalled_i = slot.stalled && slot.stalled[n];
        }
        edge(&slot);
        for (NodeRoot *const root : roots) root->slot_i = root->stalled_i = 0;
    }

    void play(crl_shim_slot &slot)
    {
        const NodeRoot &first = *roots[0]; // all are in the same phase
        while (!first.ready_o) edge(nullptr);
        wave.wait_for(++slots * kSlotLevels);
        list_own(slot);
        begin(slot);
        for (uint32_t n = 0; n < nodes; ++n) slot.stored[n] = roots[n]->stored_o;
        while (!first.inject_ready_o) edge(&slot);
        while (!own_nodes.empty()) {
            offer(slot);
            edge(&slot);
        }
        for (int i = 0; i < 2; i++) edge(&slot); // until the last packet is stored
        slot.dropped = slot.strange = 0;
        for (const NodeRoot *const root : roots) {
            slot.dropped += root->dropped_o;
            slot.strange += root->strange_o;
        }
    }

    void slot(crl_shim_slot &slot) { play_slot(*this, slot); }

    void load(uint32_t address, const void *const *rows)
    {
        const uint32_t row = address & ~kGateRow;
        for (uint32_t n = 0; n < nodes; ++n) {
            NodeRoot &root = *roots[n];
            root.load_we_i = 1;
            root.load_gate_i = address != row;
            port_set(root.load_addr_i, &row, sizeof root.load_addr_i);
            port_set(root.load_data_i, rows[node_table[n]], kRowBytes);
            known_edge(*models[n], root, 0);
            root.load_we_i = 0;
        }
    }

    const uint32_t *sent()
    {
        for (uint32_t n = 0; n < nodes; ++n) valid[n] = roots[n]->link_valid_o;
        return valid.data();
    }
    crl_shim_fault node_fault(uint32_t node) { return {models[node]->rootp->fault_o, 0, 0}; }
};

#endif
