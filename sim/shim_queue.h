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

} // namespace

struct crl_shim : crl_shim_base {
    std::vector<uint32_t> node_table, source, target; // target: the inverse of source

    // Order matters: models go before the context they live in.
    std::unique_ptr<VerilatedContext> context;
    std::vector<std::unique_ptr<Node>> models;

    // Two of each, so that no node sees what another sent in the same cycle. Node `nodes` never sends.
    std::vector<uint32_t> valid[2], accepts[2];
    std::vector<uint8_t> data[2];
    unsigned now = 0;
    std::vector<uint32_t> own_first, own_last, own_next; // own packets of a slot, a list a node
    std::vector<uint32_t> own_offered;                   // at the edge before: what becomes of it shows after this one

    explicit crl_shim(const crl_shim_setup &setup)
    {
        nodes = setup.nodes;
        message = setup.message;
        user = setup.user;
        node_table.assign(setup.node_table, setup.node_table + nodes);
        source.assign(setup.source, setup.source + size_t(nodes) * kPorts);
        target.assign(size_t(nodes) * kPorts, nodes);
        for (uint32_t n = 0; n < nodes; ++n)
            for (uint32_t p = 0; p < kPorts; ++p) {
                const uint32_t from = source[size_t(n) * kPorts + p];
                if (from < nodes) target[size_t(from) * kPorts + p] = n;
            }
        force_init();
        for (int i = 0; i < 2; ++i) {
            valid[i].assign(nodes + 1, 0);
            accepts[i].assign(nodes + 1, 0);
            data[i].assign((nodes + 1) * kNodeBytes, 0);
        }
        own_first.assign(nodes, kNoPacket);
        own_last.assign(nodes, kNoPacket);
        own_offered.assign(nodes, kNoPacket);
        context = std::make_unique<VerilatedContext>();
        context->threads(1);
        t_shim = this;
        const uint32_t last_row = setup.period - 1;
        for (uint32_t n = 0; n < nodes; ++n) {
            models.push_back(std::make_unique<Node>(context.get(), ("node" + std::to_string(n)).c_str()));
            NodeRoot &root = *models[n]->rootp;
            port_set(root.node_i, &n, sizeof root.node_i);
            port_set(root.limit_i, &setup.limit, sizeof root.limit_i);
            port_set(root.last_row_i, &last_row, sizeof root.last_row_i);
        }
    }

    void links_in(uint32_t n, NodeRoot &root)
    {
        const uint32_t *const from = &source[size_t(n) * kPorts];
        uint32_t mask = 0;
        for (uint32_t p = 0; p < kPorts; ++p) {
            if (!(valid[now][from[p]] >> p & 1)) continue;
            mask |= 1u << p;
            std::memcpy(reinterpret_cast<uint8_t *>(&root.link_data_i) + p * kWordBytes,
                        &data[now][from[p] * kNodeBytes + p * kWordBytes], kWordBytes);
        }
        if (force_mask[n]) {
            uint8_t words[kNodeBytes];
            port_get(words, root.link_data_i, kNodeBytes);
            force_apply(n, mask, words);
            port_set(root.link_data_i, words, kNodeBytes);
            force_clear(n);
        }
        port_set(root.link_valid_i, &mask, sizeof root.link_valid_i);
    }

    void accepts_in(uint32_t n, NodeRoot &root)
    {
        const uint32_t *const to = &target[size_t(n) * kPorts];
        uint32_t mask = 0;
        for (uint32_t p = 0; p < kPorts; ++p) mask |= (accepts[now][to[p]] >> p & 1) << p;
        port_set(root.link_accept_i, &mask, sizeof root.link_accept_i);
    }

    // One clock edge of everything. slot: what is collected; may be NULL.
    void edge(bool reset, bool begin, crl_shim_slot *slot)
    {
        for (uint32_t n = 0; n < nodes; ++n) {
            Node &model = *models[n];
            NodeRoot &root = *model.rootp;
            root.rst_ni = !reset;
            root.slot_i = begin;
            root.stalled_i = begin && slot && slot->stalled && slot->stalled[n];
            root.load_we_i = 0;
            links_in(n, root);
            accepts_in(n, root);
            const uint32_t own = root.inject_ready_o && !begin && slot ? own_first[n] : kNoPacket;
            root.inject_valid_i = own != kNoPacket;
            if (own != kNoPacket) {
                root.inject_data_i = slot->own_word[own];
                own_first[n] = own_next[own];
            }
            clock_edge(model, root, 0);
            accepts[now ^ 1][n] = root.link_accept_o;
            if (own_offered[n] != kNoPacket && slot && slot->taken) slot->taken[own_offered[n]] = root.inject_taken_o;
            own_offered[n] = own;
            const uint32_t sends = root.link_valid_o;
            valid[now ^ 1][n] = sends;
            if (sends) port_get(&data[now ^ 1][n * kNodeBytes], root.link_data_o, kNodeBytes);
            if (!slot) continue;
            slot->sent[n] |= sends;
            for (uint32_t p = 0; sends >> p; ++p)
                if (sends >> p & 1)
                    std::memcpy(&slot->word[size_t(n) * kPorts + p], &data[now ^ 1][n * kNodeBytes + p * kWordBytes],
                                kWordBytes);
            if (root.deliver_valid_o && root.deliver_port_o < kPorts) slot->delivered[n] |= 1u << root.deliver_port_o;
        }
        now ^= 1;
        if (slot) slot->cycles++;
    }

    void step(const crl_shim_drive &d)
    {
        if (dead) return;
        t_shim = this;
        try {
            edge(d.reset, false, nullptr);
        } catch (const std::exception &e) {
            fail(e.what());
            dead = true;
        }
    }

    void list_own(const crl_shim_slot &slot)
    {
        own_next.assign(slot.own, kNoPacket);
        for (uint32_t i = 0; i < slot.own; ++i) {
            const uint32_t n = slot.own_node[i];
            if (own_first[n] == kNoPacket) own_first[n] = i;
            else own_next[own_last[n]] = i;
            own_last[n] = i;
        }
    }
    bool holds_own() const
    {
        for (const uint32_t first : own_first)
            if (first != kNoPacket) return true;
        return false;
    }

    void play(crl_shim_slot &slot)
    {
        while (!models[0]->rootp->ready_o) edge(false, false, nullptr);
        list_own(slot);
        edge(false, true, &slot);
        for (uint32_t n = 0; n < nodes; ++n) slot.stored[n] = models[n]->rootp->stored_o;
        while (!models[0]->rootp->inject_ready_o) edge(false, false, &slot);
        while (holds_own()) edge(false, false, &slot);
        for (int i = 0; i < 2; i++) edge(false, false, &slot); // until the last packet is stored
        slot.dropped = slot.strange = 0;
        for (const auto &model : models) {
            slot.dropped += model->rootp->dropped_o;
            slot.strange += model->rootp->strange_o;
        }
    }

    void slot(crl_shim_slot &slot)
    {
        std::fill(slot.sent, slot.sent + nodes, 0);
        std::fill(slot.delivered, slot.delivered + nodes, 0);
        slot.cycles = 0;
        if (dead) return;
        t_shim = this;
        try {
            play(slot);
        } catch (const std::exception &e) {
            fail(e.what());
            dead = true;
        }
    }

    void load(uint32_t address, const void *const *rows)
    {
        t_shim = this;
        const uint32_t row = address & ~kGateRow;
        for (uint32_t n = 0; n < nodes; ++n) {
            NodeRoot &root = *models[n]->rootp;
            root.rst_ni = 1;
            root.slot_i = root.inject_valid_i = 0;
            root.load_we_i = 1;
            root.load_gate_i = address != row;
            port_set(root.load_addr_i, &row, sizeof root.load_addr_i);
            port_set(root.load_data_i, rows[node_table[n]], kRowBytes);
            clock_edge(*models[n], root, 0);
            root.load_we_i = 0;
        }
    }
};

namespace
{

const uint32_t *shim_valid(crl_shim *s) { return s->valid[s->now].data(); }
void shim_data(crl_shim *, uint64_t *) {} // words are handed over with the slot
const uint32_t *shim_dest(crl_shim *) { return nullptr; }
bool shim_busy(crl_shim *) { return false; }
void shim_slot(crl_shim *s, crl_shim_slot *slot) { s->slot(*slot); }
crl_shim_fault shim_node_fault(crl_shim *s, uint32_t node) { return {s->models[node]->rootp->fault_o, 0, 0}; }
crl_shim_fault shim_table_fault(crl_shim *, uint32_t) { return {}; }

} // namespace

#endif
