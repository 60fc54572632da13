// SPDX-License-Identifier: Apache-2.0
/* A network of N stream nodes, wired by the harness, which feeds their streams. Part of shim.cpp. */
#ifndef CRL_SHIM_STREAMS_H
#define CRL_SHIM_STREAMS_H

namespace
{

using Node = Vcrl_stream_node;
using NodeRoot = std::remove_reference_t<decltype(*Node::rootp)>;

constexpr uint32_t kLanes = CRL_STREAMS;
constexpr size_t kStreamBytes = kLanes * kWordBytes;

static_assert(sizeof(NodeRoot::link_data_i) >= kNodeBytes, "the links fit");
static_assert(sizeof(NodeRoot::table_data_i) >= kRowBytes, "a row fits");
static_assert(sizeof(NodeRoot::own_data_i) >= kStreamBytes && sizeof(NodeRoot::show_data_o) >= kStreamBytes,
              "a word a stream fits");

} // namespace

struct crl_shim : crl_shim_base {
    std::vector<uint32_t> node_table, source;

    // Order matters: models go before the context they live in.
    std::unique_ptr<VerilatedContext> context;
    std::vector<std::unique_ptr<Node>> models;

    // Words on the links, each `lag` steps later at its input: a ring of steps, [steps][nodes + 1]. Node `nodes` never
    // sends.
    std::vector<uint32_t> lag, valid;
    std::vector<uint8_t> data;
    uint32_t steps = 1, now = 0;

    uint32_t rounds = 0, rest = 0; // that must still begin, and clocks before the next one may

    std::vector<uint32_t> offered, taken, shown;
    std::vector<uint64_t> own, word;
    crl_shim_streams streams{};

    explicit crl_shim(const crl_shim_setup &setup)
    {
        nodes = setup.nodes;
        message = setup.message;
        user = setup.user;
        node_table.assign(setup.node_table, setup.node_table + nodes);
        source.assign(setup.source, setup.source + size_t(nodes) * kPorts);
        lag.assign(size_t(nodes) * kPorts, 0);
        if (setup.lag) lag.assign(setup.lag, setup.lag + lag.size());
        force_init();
        steps = 1 + *std::max_element(lag.begin(), lag.end());
        valid.assign(size_t(steps) * (nodes + 1), 0);
        data.assign(valid.size() * kNodeBytes, 0);
        for (auto *const masks : {&offered, &taken, &shown}) masks->assign(nodes, 0);
        for (auto *const words : {&own, &word}) words->assign(size_t(nodes) * kLanes, 0);
        streams = {kLanes, offered.data(), own.data(), taken.data(), shown.data(), word.data()};
        context = std::make_unique<VerilatedContext>();
        context->threads(1);
        context->traceEverOn(CRL_WAVE != 0);
        t_shim = this;
        for (uint32_t n = 0; n < nodes; ++n)
            models.push_back(std::make_unique<Node>(context.get(), ("node" + std::to_string(n)).c_str()));
        if (setup.wave_path) {
            wave.add(models);
            wave.open(setup.wave_path);
        }
    }
    ~crl_shim() { t_shim = this; }

    size_t links_of(uint32_t n, uint32_t later = 0) const
    {
        return size_t((now + steps - later) % steps) * (nodes + 1) + n;
    }

    // What comes in before the next edge: words of the neighbours, and of the streams.
    void settle(uint32_t n, bool clk, const crl_shim_drive &d)
    {
        NodeRoot &root = *models[n]->rootp;
        uint32_t mask = 0;
        uint8_t words[kNodeBytes], own_words[sizeof root.own_data_i] = {};
        for (uint32_t p = 0; p < kPorts; ++p) {
            const size_t from = links_of(source[n * kPorts + p], lag[n * kPorts + p]);
            mask |= valid[from] & 1u << p;
            std::memcpy(words + p * kWordBytes, &data[from * kNodeBytes + p * kWordBytes], kWordBytes);
        }
        if (force_mask[n]) force_apply(n, mask, words);
        for (uint32_t j = 0; j < kLanes; ++j)
            std::memcpy(own_words + j * kWordBytes, &own[size_t(n) * kLanes + j], kWordBytes);
        root.clk_i = clk;
        root.rst_ni = !d.reset;
        root.clear_i = d.clear;
        root.en_i = 1;
        root.start_i = rounds > 0 && !rest;
        port_set(root.last_row_i, &d.last_row, sizeof root.last_row_i);
        port_set(root.link_valid_i, &mask, sizeof root.link_valid_i);
        port_set(root.link_data_i, words, kNodeBytes);
        port_set(root.own_valid_i, &offered[n], sizeof root.own_valid_i);
        port_set(root.own_data_i, own_words, kStreamBytes);
        models[n]->eval();
    }
    void take_streams(uint32_t n)
    {
        const NodeRoot &root = *models[n]->rootp;
        uint8_t words[kStreamBytes];
        taken[n] = shown[n] = 0;
        port_get(&taken[n], root.own_ready_o, sizeof root.own_ready_o < 4 ? sizeof root.own_ready_o : 4);
        port_get(&shown[n], root.show_valid_o, sizeof root.show_valid_o);
        port_get(words, root.show_data_o, kStreamBytes);
        for (uint32_t j = 0; j < kLanes; ++j)
            std::memcpy(&word[size_t(n) * kLanes + j], words + j * kWordBytes, kWordBytes);
    }
    void take_links(uint32_t n)
    {
        const NodeRoot &root = *models[n]->rootp;
        const size_t to = links_of(n);
        valid[to] = root.link_valid_o;
        port_get(&data[to * kNodeBytes], root.link_data_o, kNodeBytes);
    }

    void step(const crl_shim_drive &d)
    {
        if (dead) return;
        t_shim = this;
        if (d.start) rounds = d.last_page + 1;
        try {
            for (uint32_t n = 0; n < nodes; ++n) settle(n, false, d);
            for (uint32_t n = 0; n < nodes; ++n) take_streams(n);
            wave.dump(*context);
            const bool begins = models[0]->rootp->begin_o;
            for (uint32_t n = 0; n < nodes; ++n) {
                models[n]->rootp->clk_i = 1;
                models[n]->eval();
            }
            if (rest) --rest;
            if (begins) --rounds;
            if (begins && d.pace) rest = d.pace - 1;
            now = (now + 1) % steps;
            for (uint32_t n = 0; n < nodes; ++n) {
                take_links(n);
                force_clear(n);
            }
#if CRL_WAVE
            crl_shim_drive after = d; // pulses end at the edge
            after.clear = false;
            for (uint32_t n = 0; n < nodes; ++n) settle(n, true, after);
#endif
            wave.dump(*context);
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
            root.clear_i = root.start_i = 0;
            root.en_i = 1;
            root.link_valid_i = 0;
            root.table_we_i = 1;
            port_set(root.table_addr_i, &address, sizeof root.table_addr_i);
            port_set(root.table_data_i, rows[node_table[n]], kRowBytes);
            for (const bool clk : {false, true}) {
                root.clk_i = clk;
                models[n]->eval();
            }
            root.table_we_i = 0;
        }
    }
};

namespace
{

const uint32_t *shim_valid(crl_shim *s) { return &s->valid[s->links_of(0)]; }

void shim_data(crl_shim *s, uint64_t *data)
{
    for (uint32_t n = 0; n < s->nodes; ++n)
        for (uint32_t p = 0; p < kPorts; ++p) {
            uint64_t *const word = &data[size_t(n) * kPorts + p];
            *word = 0;
            std::memcpy(word, &s->data[s->links_of(n) * kNodeBytes + p * kWordBytes], kWordBytes);
        }
}

const uint32_t *shim_dest(crl_shim *) { return nullptr; }

constexpr void (*shim_slot)(crl_shim *, crl_shim_slot *) = nullptr;

crl_shim_streams *shim_streams(crl_shim *s) { return &s->streams; }

bool shim_busy(crl_shim *s)
{
    for (const auto &model : s->models)
        if (model->rootp->busy_o) return true;
    return false;
}

crl_shim_fault shim_node_fault(crl_shim *s, uint32_t node)
{
    const NodeRoot &root = *s->models[node]->rootp;
    const uint32_t starved = root.fault_o >> 3 & 1; // a kind of its own in crl_sim.h
    return {(root.fault_o & 7u) | starved << 7, root.fault_ports_o, root.fault_row_o};
}

// Nodes with one table see the same of it.
crl_shim_fault shim_table_fault(crl_shim *s, uint32_t table)
{
    uint32_t n = 0;
    while (n < s->nodes && s->node_table[n] != table) ++n;
    if (n == s->nodes) return {};
    const NodeRoot &root = *s->models[n]->rootp;
    return {root.fault_parity_o, 0, root.fault_parity_row_o};
}

} // namespace

#endif
