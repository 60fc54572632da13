// SPDX-License-Identifier: Apache-2.0
/* A network of N on-line routers, wired by the harness, a slot a step. Part of shim.cpp. */
#ifndef CRL_SHIM_ONLINE_H
#define CRL_SHIM_ONLINE_H

namespace
{

using Node = Vcrl_online;
using NodeRoot = std::remove_reference_t<decltype(*Node::rootp)>;

/* A word of a link: payload, digits of an origin, digits of a tag or a destination, class of an exchange; from bit 0.
 */
constexpr uint32_t kDims = kPorts / 2;
constexpr uint32_t kDigitW = CRL_ONLINE_DIGIT;
constexpr uint32_t kPayloadW = 32;
constexpr uint32_t kOriginAt = kPayloadW;
constexpr uint32_t kTagAt = kOriginAt + kDims * kDigitW;
constexpr uint32_t kClassAt = kTagAt + kDims * kDigitW;
constexpr uint32_t kClassW = CRL_ONLINE == 2 ? (kDims > 1 ? 32 - __builtin_clz(kDims - 1) : 1) : 0;
constexpr uint32_t kLinkW = kClassAt + kClassW;
constexpr size_t kLinkBytes = (kPorts * kLinkW + 7) / 8;
static_assert(sizeof(NodeRoot::link_data_i) >= kLinkBytes && sizeof(NodeRoot::link_data_i) < kLinkBytes + 8,
              "the links fit");
constexpr uint32_t kSlotCyclesMax = 1000; // far more than a slot takes

uint64_t bits_get(const uint8_t *bytes, size_t at, uint32_t width)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; ++i) value |= uint64_t(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}

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

struct crl_shim : crl_shim_base {
    std::vector<uint32_t> source;
    uint32_t mode = 0, sides[kDims] = {};

    // Order matters: models go before the context they live in.
    std::unique_ptr<VerilatedContext> context;
    std::vector<std::unique_ptr<Node>> models;

    // Two of each, so that no node sees what another sends in the same slot. Node `nodes` never sends.
    std::vector<uint32_t> valid[2];
    std::vector<uint8_t> data[2];
    unsigned now = 0;

    explicit crl_shim(const crl_shim_setup &setup)
    {
        nodes = setup.nodes;
        message = setup.message;
        user = setup.user;
        source.assign(setup.source, setup.source + size_t(nodes) * kPorts);
        force_init();
        for (int i = 0; i < 2; ++i) {
            valid[i].assign(nodes + 1, 0);
            data[i].assign((nodes + 1) * sizeof(NodeRoot::link_data_i), 0);
        }
        context = std::make_unique<VerilatedContext>();
        context->threads(1);
        t_shim = this;
        for (uint32_t n = 0; n < nodes; ++n)
            models.push_back(std::make_unique<Node>(context.get(), ("node" + std::to_string(n)).c_str()));
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
    void slot(uint32_t n)
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

    void step(const crl_shim_drive &d)
    {
        if (dead) return;
        t_shim = this;
        try {
            for (uint32_t n = 0; n < nodes; ++n) {
                NodeRoot &root = *models[n]->rootp;
                root.rst_ni = !d.reset;
                root.start_i = d.start;
                root.load_we_i = 0;
                root.slot_i = 0;
                inputs(n);
                if (d.reset || d.start) clock(n);
                else slot(n);
                root.start_i = 0;
                valid[now ^ 1][n] = root.link_valid_o;
                port_get(&data[now ^ 1][n * sizeof root.link_data_o], root.link_data_o, sizeof root.link_data_o);
            }
            now ^= 1;
        } catch (const std::exception &e) {
            fail(e.what());
            dead = true;
        }
    }

    void load(uint32_t address, const void *const *rows)
    {
        t_shim = this;
        uint32_t row;
        std::memcpy(&row, rows[0], sizeof row);
        if (address == 0) mode = row >> 2 & 7;
        if (address >= 2 && address < 2 + kDims) sides[address - 2] = (row & 0xfff) + 1;
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

    // A number from its digits, which are in the order of dimensions first, first + 1, …: the number of a node, or a
    // rank in that order.
    uint64_t number(const uint8_t *bytes, size_t at, uint32_t first, bool rank) const
    {
        uint64_t value = 0, stride = 1;
        for (uint32_t i = 0; i < kDims; ++i) {
            const uint32_t k = rank ? (first + i) % kDims : i; // the dimension
            value += bits_get(bytes, at + (k + kDims - first) % kDims * kDigitW, kDigitW) * stride;
            stride *= sides[k];
        }
        return value;
    }

    // A word as traces have it (docs/formats/trace.md).
    uint64_t word(uint32_t n, uint32_t port) const
    {
        const NodeRoot &root = *models[n]->rootp;
        const uint8_t *const bytes = links(n);
        const size_t at = size_t(port) * kLinkW;
        const uint64_t payload = bits_get(bytes, at, kPayloadW), count = uint64_t(1) << 63;
#if CRL_ONLINE == 2
        if (root.phase_o == 1) return count | bits_get(bytes, at, 13);
        return bits_get(bytes, at + kClassAt, kClassW) << 56 | number(bytes, at + kTagAt, 0, false) << 44 |
               number(bytes, at + kOriginAt, 0, false) << 32 | payload;
#else
        const uint32_t engine = (port / 2 + kDims - root.step_o) % kDims;
        const uint64_t tag = number(bytes, at + kTagAt, engine, true);
        if (root.phase_o == 1) return count | (mode == 1 ? payload : tag);
        return (root.phase_o == 2 ? tag : bits_get(bytes, at + kTagAt, kDigitW)) << 44 |
               number(bytes, at + kOriginAt, engine, false) << 32 | payload;
#endif
    }

    bool held(uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet)
    {
        t_shim = this;
        NodeRoot &root = *models[node]->rootp;
        uint8_t bytes[sizeof root.read_data_o];
        root.read_sel_i = uint16_t(memory);
        root.read_addr_i = uint16_t(address);
        clock(node); // between slots this changes nothing
        port_get(bytes, root.read_data_o, sizeof bytes);
        *packet = number(bytes, kOriginAt, CRL_ONLINE == 2 ? 0 : memory / 4 % kDims, false) << 32 |
                  bits_get(bytes, 0, kPayloadW);
        return root.read_valid_o;
    }
};

namespace
{

const uint32_t *shim_valid(crl_shim *s) { return s->valid[s->now].data(); }
void shim_data(crl_shim *s, uint64_t *data)
{
    for (uint32_t n = 0; n < s->nodes; ++n)
        for (uint32_t p = 0; p < kPorts; ++p)
            if (s->valid[s->now][n] >> p & 1) data[size_t(n) * kPorts + p] = s->word(n, p);
}
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
#if CRL_ONLINE == 1
void shim_give(crl_shim *s, uint32_t node, const uint32_t *packet)
{
    t_shim = s;
    NodeRoot &root = *s->models[node]->rootp;
    root.give_valid_i = 1;
    for (uint32_t p = 0; p < kPorts; ++p) {
        port_set(root.give_data_i, packet + p, sizeof *packet);
        s->clock(node);
    }
    root.give_valid_i = 0;
}
crl_shim_interval shim_interval(crl_shim *s)
{
    const NodeRoot &first = *s->models[0]->rootp;
    crl_shim_interval interval = {bool(first.begins_o), first.phase_o == 1, true};
    for (const auto &model : s->models) {
        interval.agree &= model->rootp->begins_o == first.begins_o;
        interval.agree &= model->rootp->phase_o == first.phase_o;
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
