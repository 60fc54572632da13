// SPDX-License-Identifier: Apache-2.0
/* A network of N on-line routers, wired by the harness. Part of shim.cpp. */
#ifndef CRL_SHIM_ONLINE_H
#define CRL_SHIM_ONLINE_H

namespace
{

using Node = Vcrl_online;
using NodeRoot = std::remove_reference_t<decltype(*Node::rootp)>;

static_assert(sizeof(NodeRoot::link_data_i) >= kNodeBytes, "the links fit");

} // namespace

struct crl_shim : crl_shim_base {
    std::vector<uint32_t> source;

    // Order matters: models go before the context they live in.
    std::unique_ptr<VerilatedContext> context;
    std::vector<std::unique_ptr<Node>> models;

    // Two of each, so that no node sees what another sent in the same step. Node `nodes` never sends.
    std::vector<uint32_t> valid[2];
    std::vector<uint8_t> data[2];
    unsigned now = 0;
#if CRL_ONLINE == 3
    std::vector<uint8_t> given; // [nodes] there is one for the next step
    std::vector<uint32_t> packet;
#endif

    explicit crl_shim(const crl_shim_setup &setup)
    {
        nodes = setup.nodes;
        message = setup.message;
        user = setup.user;
        source.assign(setup.source, setup.source + size_t(nodes) * kPorts);
        force_init();
        for (int i = 0; i < 2; ++i) {
            valid[i].assign(nodes + 1, 0);
            data[i].assign((nodes + 1) * kNodeBytes, 0);
        }
#if CRL_ONLINE == 3
        given.assign(nodes, 0);
        packet.assign(size_t(nodes) * kPorts, 0);
#endif
        context = std::make_unique<VerilatedContext>();
        context->threads(1);
        t_shim = this;
        for (uint32_t n = 0; n < nodes; ++n)
            models.push_back(std::make_unique<Node>(context.get(), ("node" + std::to_string(n)).c_str()));
    }

    void edge(const crl_shim_drive &d)
    {
        for (uint32_t n = 0; n < nodes; ++n) {
            NodeRoot &root = *models[n]->rootp;
            root.rst_ni = !d.reset;
            root.start_i = d.start;
            root.load_we_i = 0;
#if CRL_ONLINE == 3
            root.give_valid_i = given[n];
            port_set(root.give_data_i, &packet[size_t(n) * kPorts], kPorts * sizeof(uint32_t));
            given[n] = 0;
#endif
            const uint32_t *const from = &source[size_t(n) * kPorts];
            uint32_t mask = 0;
            uint8_t words[kNodeBytes];
            for (uint32_t p = 0; p < kPorts; ++p) {
                mask |= valid[now][from[p]] & 1u << p;
                std::memcpy(words + p * kWordBytes, &data[now][from[p] * kNodeBytes + p * kWordBytes], kWordBytes);
            }
            if (force_mask[n]) force_apply(n, mask, words);
            force_clear(n);
            port_set(root.link_valid_i, &mask, sizeof root.link_valid_i);
            port_set(root.link_data_i, words, kNodeBytes);
            root.clk_i = 0; // the inputs also decide what is not registered
            models[n]->eval();
            root.clk_i = 1;
            models[n]->eval();
            valid[now ^ 1][n] = root.link_valid_o;
            port_get(&data[now ^ 1][n * kNodeBytes], root.link_data_o, kNodeBytes);
        }
        now ^= 1;
    }

    void step(const crl_shim_drive &d)
    {
        if (dead) return;
        t_shim = this;
        try {
            edge(d);
        } catch (const std::exception &e) {
            fail(e.what());
            dead = true;
        }
    }

    void load(uint32_t address, const void *const *rows)
    {
        t_shim = this;
        for (uint32_t n = 0; n < nodes; ++n) {
            NodeRoot &root = *models[n]->rootp;
            root.rst_ni = 1;
            root.start_i = 0;
            root.link_valid_i = 0;
            root.load_we_i = 1;
            root.load_addr_i = uint16_t(address);
            port_set(root.load_data_i, rows[n], kRowBytes);
            clock_edge(*models[n], root, 0);
            root.load_we_i = 0;
        }
    }

    bool held(uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet)
    {
        t_shim = this;
        NodeRoot &root = *models[node]->rootp;
        root.read_sel_i = uint16_t(memory);
        root.read_addr_i = uint16_t(address);
        models[node]->eval();
        *packet = 0;
        std::memcpy(packet, &root.read_data_o, sizeof root.read_data_o);
        return root.read_valid_o;
    }
};

namespace
{

const uint32_t *shim_valid(crl_shim *s) { return s->valid[s->now].data(); }
void shim_data(crl_shim *s, uint64_t *data) { std::memcpy(data, s->data[s->now].data(), s->nodes * kNodeBytes); }
const uint32_t *shim_dest(crl_shim *) { return nullptr; }
bool shim_busy(crl_shim *s)
{
    for (const auto &model : s->models)
        if (model->rootp->busy_o) return true;
    return false;
}
void shim_slot(crl_shim *, crl_shim_slot *) {}
bool shim_held(crl_shim *s, uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet)
{
    return s->held(node, memory, address, packet);
}
#if CRL_ONLINE == 3
void shim_give(crl_shim *s, uint32_t node, const uint32_t *packet)
{
    s->given[node] = 1;
    std::copy_n(packet, kPorts, &s->packet[size_t(node) * kPorts]);
}
crl_shim_interval shim_interval(crl_shim *s)
{
    const NodeRoot &first = *s->models[0]->rootp;
    crl_shim_interval interval = {bool(first.begins_o), bool(first.counts_o), true};
    for (const auto &model : s->models) {
        interval.agree &= model->rootp->begins_o == first.begins_o;
        interval.agree &= model->rootp->counts_o == first.counts_o;
    }
    return interval;
}
#endif
crl_shim_fault shim_node_fault(crl_shim *s, uint32_t node)
{
    return {uint32_t(s->models[node]->rootp->fault_o) << 6, 0, 0};
}
crl_shim_fault shim_table_fault(crl_shim *, uint32_t) { return {}; }

} // namespace

#endif
