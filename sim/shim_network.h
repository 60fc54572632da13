// SPDX-License-Identifier: Apache-2.0
/* A network of N routers and T sequencers, wired by the harness. Part of shim.cpp. */
#ifndef CRL_SHIM_NETWORK_H
#define CRL_SHIM_NETWORK_H

/* The outputs of a sequencer that are inputs of its routers, as registered at the last edge. */
#define CRL_CONTROLS(X) X(row) X(fetched) X(fetched_page) X(active) X(number) X(page)

namespace
{

using Router = Vcrl_router;
using Sequencer = Vcrl_sequencer;
using RouterRoot = std::remove_reference_t<decltype(*Router::rootp)>;
using SequencerRoot = std::remove_reference_t<decltype(*Sequencer::rootp)>;

struct Control {
#define CRL_FIELD(name) decltype(SequencerRoot::name##_o) name;
    CRL_CONTROLS(CRL_FIELD)
#undef CRL_FIELD
};

static_assert(sizeof(RouterRoot::link_data_i) >= kNodeBytes, "the links fit");
static_assert(sizeof(SequencerRoot::table_data_i) >= kRowBytes, "a row fits");
#define CRL_FIELD(name)                                                                                                \
    static_assert(sizeof(SequencerRoot::name##_o) == sizeof(RouterRoot::name##_i), #name " differs in width");
CRL_CONTROLS(CRL_FIELD)
#undef CRL_FIELD

inline void control_get(Control &control, const SequencerRoot &root)
{
#define CRL_FIELD(name) control.name = root.name##_o;
    CRL_CONTROLS(CRL_FIELD)
#undef CRL_FIELD
}
inline void control_set(RouterRoot &root, const Control &control)
{
#define CRL_FIELD(name) root.name##_i = control.name;
    CRL_CONTROLS(CRL_FIELD)
#undef CRL_FIELD
}

} // namespace

struct crl_shim : crl_shim_base {
    const uint32_t tables;
    uint32_t threads;
    const std::vector<uint32_t> node_table, source;

    std::vector<std::unique_ptr<Router>> routers;
    std::vector<std::unique_ptr<Sequencer>> sequencers;

    // Two of each, so that no instance sees what another wrote in the same step. Node `nodes` never sends.
    std::vector<uint32_t> valid[2];
    std::vector<uint8_t> data[2];
    std::vector<Control> control[2];
    unsigned now = 0;

    // Words wait on links for `lag` steps: what each input is handed in the next steps, [steps][nodes], in a ring.
    std::vector<uint32_t> lag, waiting_valid;
    std::vector<uint8_t> waiting_data;
    uint32_t waiting_steps = 0, turn_now = 0;

    // Workers wait for `turn` to change, and report in `arrived`.
    std::vector<std::thread> workers;
    std::atomic<uint64_t> turn{0};
    std::atomic<uint32_t> arrived{0};
    std::atomic<bool> quit{false};
    const crl_shim_drive *drive = nullptr;

    explicit crl_shim(const crl_shim_setup &setup);
    ~crl_shim();

    void step(const crl_shim_drive &d);
    void load(uint32_t address, const void *const *rows);
    void share_run(uint32_t share);
    void worker(uint32_t share);

    void sequencer_inputs(uint32_t t, const crl_shim_drive &d)
    {
        SequencerRoot &root = *sequencers[t]->rootp;
        root.rst_ni = !d.reset;
        root.clear_i = d.clear;
        root.start_i = d.start;
        port_set(root.last_row_i, &d.last_row, sizeof root.last_row_i);
        port_set(root.last_page_i, &d.last_page, sizeof root.last_page_i);
    }
    void router_inputs(uint32_t n, const crl_shim_drive &d)
    {
        RouterRoot &root = *routers[n]->rootp;
        root.rst_ni = !d.reset;
        root.clear_i = d.clear;
        root.en_i = 1;
        control_set(root, control[now][node_table[n]]);
        const uint32_t *const from = &source[n * kPorts];
        const uint32_t *const valid_now = valid[now].data();
        const uint8_t *const data_now = data[now].data();
        uint32_t mask = 0;
        uint8_t words[kNodeBytes];
        for (uint32_t p = 0; p < kPorts; ++p) {
            mask |= valid_now[from[p]] & 1u << p;
            std::memcpy(words + p * kWordBytes, data_now + from[p] * kNodeBytes + p * kWordBytes, kWordBytes);
        }
        if (waiting_steps) wait(n, mask, words);
        if (force_mask[n]) force_apply(n, mask, words);
        port_set(root.link_valid_i, &mask, sizeof root.link_valid_i);
        port_set(root.link_data_i, words, kNodeBytes);
    }
    void advance()
    {
        now ^= 1;
        if (waiting_steps) turn_now = (turn_now + 1) % waiting_steps;
    }
    // Puts what comes to a node's links where it will be taken from `lag` steps later, and takes what has waited.
    void wait(uint32_t n, uint32_t &mask, uint8_t *words)
    {
        const auto cell = [&](uint32_t later) { return size_t((turn_now + later) % waiting_steps) * nodes + n; };
        for (uint32_t p = 0; p < kPorts; ++p) {
            const size_t at = cell(lag[n * kPorts + p]);
            waiting_valid[at] = (waiting_valid[at] & ~(1u << p)) | (mask & 1u << p);
            std::memcpy(&waiting_data[at * kNodeBytes + p * kWordBytes], words + p * kWordBytes, kWordBytes);
        }
        mask = waiting_valid[cell(0)];
        std::memcpy(words, &waiting_data[cell(0) * kNodeBytes], kNodeBytes);
    }
    void router_outputs(uint32_t n)
    {
        const RouterRoot &root = *routers[n]->rootp;
        valid[now ^ 1][n] = root.link_valid_o;
        port_get(&data[now ^ 1][n * kNodeBytes], root.link_data_o, kNodeBytes);
    }

    const uint32_t *sent() { return valid[now].data(); }
    void words(uint64_t *to)
    {
        for (uint32_t n = 0; n < nodes; ++n)
            for (uint32_t p = 0; p < kPorts && valid[now][n]; ++p) {
                uint64_t word = 0;
                std::memcpy(&word, &data[now][n * kNodeBytes + p * kWordBytes], kWordBytes);
                to[size_t(n) * kPorts + p] = word;
            }
    }
    bool busy()
    {
        return std::any_of(sequencers.begin(), sequencers.end(), [](const auto &it) { return it->rootp->busy_o; });
    }
    crl_shim_fault node_fault(uint32_t node)
    {
        const RouterRoot &root = *routers[node]->rootp;
        return {root.fault_o, root.fault_ports_o, root.fault_row_o};
    }
    crl_shim_fault table_fault(uint32_t table)
    {
        const SequencerRoot &root = *sequencers[table]->rootp;
        return {root.fault_parity_o, 0, root.fault_parity_row_o};
    }
};

crl_shim::crl_shim(const crl_shim_setup &setup)
    : crl_shim_base(setup), tables(setup.tables), threads(setup.threads < nodes ? setup.threads : nodes),
      node_table(setup.node_table, setup.node_table + nodes),
      source(setup.source, setup.source + size_t(nodes) * kPorts)
{
    if (setup.lag) {
        lag.assign(setup.lag, setup.lag + size_t(nodes) * kPorts);
        waiting_steps = 1 + *std::max_element(lag.begin(), lag.end());
        waiting_valid.assign(size_t(waiting_steps) * nodes, 0);
        waiting_data.assign(size_t(waiting_steps) * nodes * kNodeBytes, 0);
    }
    for (int i = 0; i < 2; ++i) {
        valid[i].assign(nodes + 1, 0);
        data[i].assign((nodes + 1) * kNodeBytes, 0);
        control[i].assign(tables, Control{});
    }
    for (uint32_t n = 0; n < nodes; ++n)
        routers.push_back(std::make_unique<Router>(context.get(), ("node" + std::to_string(n)).c_str()));
    for (uint32_t t = 0; t < tables; ++t)
        sequencers.push_back(std::make_unique<Sequencer>(context.get(), ("seq" + std::to_string(t)).c_str()));
    show(setup.wave_path, routers, sequencers);
    for (uint32_t share = 1; share < threads; ++share) {
        try {
            workers.emplace_back(&crl_shim::worker, this, share);
        } catch (const std::system_error &) {
            threads = share; // fewer workers than asked for do the same work
        }
    }
}

crl_shim::~crl_shim()
{
    quit = true;
    turn.fetch_add(1, std::memory_order_release);
    for (auto &w : workers) w.join();
}

// One thread's part of the instances: everything it writes is its own, everything it reads is of the last edge.
void crl_shim::share_run(uint32_t share)
{
    const crl_shim_drive &d = *drive;
    evaluate([&] {
        const auto bound = [&](uint32_t all, uint32_t i) { return uint32_t(uint64_t(all) * i / threads); };
        for (uint32_t t = bound(tables, share), end = bound(tables, share + 1); t < end; ++t) {
            Sequencer &sequencer = *sequencers[t];
            sequencer_inputs(t, d);
            clock_edge(sequencer, *sequencer.rootp, 0);
            control_get(control[now ^ 1][t], *sequencer.rootp);
        }
        for (uint32_t n = bound(nodes, share), end = bound(nodes, share + 1); n < end; ++n) {
            Router &router = *routers[n];
            router_inputs(n, d);
            if (force_mask[n]) force_clear(n);
            clock_edge(router, *router.rootp, 0);
            router_outputs(n);
        }
    });
}

void crl_shim::worker(uint32_t share)
{
    uint64_t seen = 0;
    for (;;) {
        // A step is short: spinning wins over sleeping, but a machine with fewer cores than workers must not starve.
        for (unsigned spins = 0; turn.load(std::memory_order_acquire) == seen; ++spins)
            if (spins > 2000) std::this_thread::yield();
        ++seen;
        if (quit) return;
        share_run(share);
        arrived.fetch_add(1, std::memory_order_release);
    }
}

void crl_shim::step(const crl_shim_drive &d)
{
    if (dead) return;
    drive = &d;
#if CRL_WAVE
    /*
     * Both clock levels, with the inputs of the next edge in place from the previous edge on, as in a simulation of the
     * whole network: else a neighbour's input would trail the output that drives it by a cycle in the picture.
     */
    crl_shim_drive after = d; // pulses end at the edge
    after.start = after.clear = false;
    const auto settle = [&](bool clk, const crl_shim_drive &d) {
        for (uint32_t n = 0; n < nodes; ++n) {
            router_inputs(n, d);
            routers[n]->rootp->clk_i = clk;
            routers[n]->eval();
        }
        for (uint32_t t = 0; t < tables; ++t) {
            sequencer_inputs(t, d);
            sequencers[t]->rootp->clk_i = clk;
            sequencers[t]->eval();
        }
    };
    evaluate([&] {
        settle(false, d);
        wave.dump(*context);
        settle(true, d);
        for (uint32_t n = 0; n < nodes; ++n) {
            router_outputs(n);
            force_clear(n);
        }
        for (uint32_t t = 0; t < tables; ++t) control_get(control[now ^ 1][t], *sequencers[t]->rootp);
        advance();
        settle(true, after);
        wave.dump(*context);
    });
#else
    if (threads > 1) {
        arrived.store(0, std::memory_order_relaxed);
        turn.fetch_add(1, std::memory_order_release);
        share_run(0);
        for (unsigned spins = 0; arrived.load(std::memory_order_acquire) != threads - 1; ++spins)
            if (spins > 2000) std::this_thread::yield();
    } else {
        share_run(0);
    }
    advance();
#endif
}

void crl_shim::load(uint32_t address, const void *const *rows)
{
    const crl_shim_drive idle{};
    for (uint32_t t = 0; t < tables; ++t) {
        Sequencer &sequencer = *sequencers[t];
        SequencerRoot &root = *sequencer.rootp;
        sequencer_inputs(t, idle);
        root.table_we_i = 1;
        port_set(root.table_addr_i, &address, sizeof root.table_addr_i);
        port_set(root.table_data_i, rows[t], kRowBytes);
        clock_edge(sequencer, root, 0);
        root.table_we_i = 0;
        control_get(control[now][t], root);
    }
}

#endif
