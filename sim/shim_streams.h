// SPDX-License-Identifier: Apache-2.0
/* A network of N stream nodes, wired by the harness, which feeds their streams. Part of shim.cpp. */
#ifndef CRL_SHIM_STREAMS_H
#define CRL_SHIM_STREAMS_H

#if CRL_CABLES
#include "shim_boards.h"
#endif

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

    std::vector<std::unique_ptr<Node>> models;
#if CRL_CABLES
    std::unique_ptr<Cables> cables;
#endif

    // Words on the links, each `lag` steps later at its input: a ring of steps, [steps][nodes + 1]. Node `nodes` never
    // sends.
    std::vector<uint32_t> lag, valid;
    std::vector<uint8_t> data;
    uint32_t steps = 1, now = 0;

    uint32_t rounds = 0, rest = 0; // that must still begin, and clocks before the next one may

    std::vector<uint32_t> offered, taken, shown;
    std::vector<uint64_t> own, word;
    crl_shim_streams streams{};

    explicit crl_shim(const crl_shim_setup &setup) : crl_shim_base(setup)
    {
        node_table.assign(setup.node_table, setup.node_table + nodes);
        source.assign(setup.source, setup.source + size_t(nodes) * kPorts);
        lag.assign(size_t(nodes) * kPorts, 0);
        if (setup.lag) lag.assign(setup.lag, setup.lag + lag.size());
        steps = 1 + *std::max_element(lag.begin(), lag.end());
        valid.assign(size_t(steps) * (nodes + 1), 0);
        data.assign(valid.size() * kNodeBytes, 0);
        for (auto *const masks : {&offered, &taken, &shown}) masks->assign(nodes, 0);
        for (auto *const words : {&own, &word}) words->assign(size_t(nodes) * kLanes, 0);
        streams = {kLanes, offered.data(), own.data(), taken.data(), shown.data(), word.data()};
        for (uint32_t n = 0; n < nodes; ++n)
            models.push_back(std::make_unique<Node>(context.get(), ("node" + std::to_string(n)).c_str()));
#if CRL_CABLES
        cables = std::make_unique<Cables>(setup, context.get());
#endif
        show(setup.wave_path, models);
    }

    size_t links_of(uint32_t n, uint32_t later = 0) const
    {
#if CRL_CABLES
        const uint32_t now = n < nodes ? cables->boards[cables->board_of[n]].now : 0;
#endif
        return size_t((now + steps - later) % steps) * (nodes + 1) + n;
    }

    // What comes in before the next edge: words of the neighbours, and of the streams.
    void settle(uint32_t n, bool clk, const crl_shim_drive &d, bool start, bool en = true)
    {
        NodeRoot &root = *models[n]->rootp;
        uint32_t mask = 0;
        uint8_t words[kNodeBytes], own_words[sizeof root.own_data_i] = {};
        for (uint32_t p = 0; p < kPorts; ++p) {
            const size_t from = links_of(source[n * kPorts + p], lag[n * kPorts + p]);
            mask |= valid[from] & 1u << p;
            std::memcpy(words + p * kWordBytes, &data[from * kNodeBytes + p * kWordBytes], kWordBytes);
        }
#if CRL_CABLES
        cables->words_for(n, root.expects_o, mask, words);
#endif
        if (force_mask[n]) force_apply(n, mask, words);
        for (uint32_t j = 0; j < kLanes; ++j)
            std::memcpy(own_words + j * kWordBytes, &own[size_t(n) * kLanes + j], kWordBytes);
        root.clk_i = clk;
        root.rst_ni = !d.reset;
        root.clear_i = d.clear;
        root.en_i = en;
        root.start_i = start;
        port_set(root.last_row_i, &d.last_row, sizeof root.last_row_i);
        port_set(root.base_i, &d.base, sizeof root.base_i);
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
        taken[n] = 0;
        port_get(&taken[n], root.own_ready_o, sizeof root.own_ready_o < 4 ? sizeof root.own_ready_o : 4);
        shown[n] |= root.show_valid_o;
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
        evaluate([&] { step_all(d); });
    }

#if CRL_CABLES
    // An edge of the clock of one board, or of all.
    void clock_board(uint32_t b, int64_t time, const crl_shim_drive &d, bool en)
    {
        Board &board = cables->boards[b];
        for (uint32_t n = 0; n < nodes; ++n)
            if (cables->board_of[n] == b) {
                settle(n, false, d, board.rounds > 0 && !board.rest, en);
                if (en) take_streams(n);
                else shown[n] |= models[n]->rootp->show_valid_o;
            }
        bool begins = false;
        for (uint32_t n = 0; n < nodes; ++n)
            if (cables->board_of[n] == b) {
                begins |= models[n]->rootp->begin_o;
                models[n]->rootp->clk_i = 1;
                models[n]->eval();
            }
        for (uint32_t e = 0; e < cables->ends.size(); ++e)
            if (cables->ends[e].board == b) cables->clock(e, time, d.reset);
        if (!en) return;
        if (begins && !board.begun++) board.steps = 0;
        cables->step(b, time, d.pace);
        if (board.rest) --board.rest;
        if (begins) {
            --board.rounds;
            if (d.pace) board.rest = d.pace - 1;
            cables->begin(b, time);
        }
        board.now = (board.now + 1) % steps;
        for (uint32_t n = 0; n < nodes; ++n)
            if (cables->board_of[n] == b) {
                take_links(n);
                force_clear(n);
            }
    }

    // What the next step of a board needs are words of cables, and room in them: an end that is short of it, or none.
    uint32_t short_of(uint32_t b)
    {
        uint32_t lacks = CRL_SIM_NONE;
        for (End &end : cables->ends)
            if (end.board == b) end.puts = end.takes = false;
        for (uint32_t i = 0; i < nodes * kPorts; ++i) {
            const uint32_t n = i / kPorts, p = i % kPorts;
            if (cables->board_of[n] != b) continue;
            if (cables->out[i] != UINT32_MAX && valid[links_of(n)] >> p & 1) {
                End &end = cables->ends[cables->out[i]];
                if (end.puts) fail("two words go into one cable in one row\n");
                end.puts = true;
                std::memcpy(&end.word, &data[links_of(n) * kNodeBytes + p * kWordBytes], kWordBytes);
                if (!end.model->rootp->room_o) lacks = cables->out[i];
            }
            if (cables->in[i] != UINT32_MAX && models[n]->rootp->expects_o >> p & 1) {
                End &end = cables->ends[cables->in[i]];
                end.takes = true;
                if (!end.model->rootp->there_o) lacks = cables->in[i];
            }
        }
        return lacks;
    }

    void step_all(const crl_shim_drive &d)
    {
        auto &boards = cables->boards;
        cables->told.stepped = CRL_SIM_NONE;
        if (d.start)
            for (Board &board : boards) board.rounds = d.last_page + 1;
        if (d.reset) {
            cables->reset(d.base > 0);
            valid.assign(valid.size(), 0);
            shown.assign(shown.size(), 0);
        }
        if (d.reset || d.clear) {
            for (uint32_t b = 0; b < boards.size(); ++b) clock_board(b, boards[b].next, d, true);
            return;
        }
        uint32_t b = 0;
        uint64_t least = UINT64_MAX;
        for (uint32_t i = 0; i < boards.size(); ++i) {
            if (boards[i].next < boards[b].next) b = i;
            least = std::min(least, boards[i].begun ? boards[i].steps : 0);
        }
        Board &board = boards[b];
        const int64_t time = board.next;
        board.next += board.period;
        cables->told.clocked = b;
        cables->told.mends = cables->mends(time);
        cables->told.dead = cables->dead(time);
        if (board.off) { // nobody starts it again: only its cables go on
            for (uint32_t e = 0; e < cables->ends.size(); ++e)
                if (cables->ends[e].board == b) {
                    cables->ends[e].puts = cables->ends[e].takes = false;
                    cables->clock(e, time, board.off < kRebootCycles);
                }
            ++board.off;
            return;
        }
        const uint32_t lacks = short_of(b);
        const bool waits = lacks != CRL_SIM_NONE, ahead = board.begun && board.steps >= least + cables->ahead;
        cables->note_wait(b, lacks);
        for (uint32_t n = 0; n < nodes; ++n)
            if (cables->board_of[n] == b && cables->fresh[b]) shown[n] = 0;
        cables->fresh[b] = !waits && !ahead;
        if (waits || ahead)
            for (End &end : cables->ends)
                if (end.board == b) end.puts = end.takes = false;
        clock_board(b, time, d, !waits && !ahead);
        if (board.played && waits) ++cables->told.stalls; // cables come up in the first round
        if (board.begun && !waits && !ahead) cables->told.stepped = b;
    }
#else
    void step_all(const crl_shim_drive &d)
    {
        if (d.start) rounds = d.last_page + 1;
        for (uint32_t n = 0; n < nodes; ++n) settle(n, false, d, rounds > 0 && !rest);
        for (uint32_t n = 0; n < nodes; ++n) {
            shown[n] = 0;
            take_streams(n);
        }
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
        for (uint32_t n = 0; n < nodes; ++n) settle(n, true, after, rounds > 0 && !rest);
#endif
        wave.dump(*context);
    }
#endif

    void load(uint32_t address, const void *const *rows)
    {
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

#if CRL_CABLES
    const uint32_t *sent()
    {
        for (uint32_t n = 0; n < nodes; ++n) cables->valid[n] = valid[links_of(n)];
        return cables->valid.data();
    }
#else
    const uint32_t *sent() { return &valid[links_of(0)]; }
#endif

    void words(uint64_t *to)
    {
        for (uint32_t n = 0; n < nodes; ++n)
            for (uint32_t p = 0; p < kPorts; ++p) {
                uint64_t *const word = &to[size_t(n) * kPorts + p];
                *word = 0;
                std::memcpy(word, &data[links_of(n) * kNodeBytes + p * kWordBytes], kWordBytes);
            }
    }

    crl_shim_streams *streams_of() { return &streams; }
#if CRL_CABLES
    const crl_shim_boards *boards_of() { return cables->tell(); }
#endif

    bool busy()
    {
        return std::any_of(models.begin(), models.end(), [](const auto &it) { return it->rootp->busy_o; });
    }

    crl_shim_fault node_fault(uint32_t node)
    {
        const NodeRoot &root = *models[node]->rootp;
        const uint32_t starved = root.fault_o >> 3 & 1; // a kind of its own in crl_sim.h
        return {(root.fault_o & 7u) | starved << 7, root.fault_ports_o, root.fault_row_o};
    }

    // Nodes with one table see the same of it.
    crl_shim_fault table_fault(uint32_t table)
    {
        uint32_t n = 0;
        while (n < nodes && node_table[n] != table) ++n;
        if (n == nodes) return {};
        const NodeRoot &root = *models[n]->rootp;
        return {root.fault_parity_o, 0, root.fault_parity_row_o};
    }
};

#endif
