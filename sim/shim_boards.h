// SPDX-License-Identifier: Apache-2.0
/* Boards with clocks of their own, and the ends of cables between them. Part of shim_streams.h. */
#ifndef CRL_SHIM_BOARDS_H
#define CRL_SHIM_BOARDS_H

#include <array>
#include <deque>
#include <random>

namespace
{

using Cable = Vcrl_cable;
using CableRoot = std::remove_reference_t<decltype(*Cable::rootp)>;

constexpr int64_t kCycle = 1000000; // of a clock as it should be, in parts of it
constexpr uint32_t kRebootCycles = 16;
constexpr uint64_t kRowSteps = 3; // from the step that begins a round to the one that plays row 0
// Cycles that crl_flit_check takes more than a cable that is there at once, where a flit is sent every `gap` cycles.
constexpr int64_t checks(int64_t gap) { return 2 * gap; }

struct Flit {
    int64_t due;
    bool word, good;
    std::array<uint8_t, sizeof(CableRoot::flit_o)> bits;
};

struct End {
    std::unique_ptr<Cable> model;
    uint32_t board = 0;
    int64_t delay = 0, gap = 1, clocks = 0;
    std::deque<Flit> coming;
    uint64_t put = 0, taken = 0;      // words
    bool puts = false, takes = false; // in this cycle
    uint64_t word = 0;
};

struct Board {
    int64_t period = 0, next = 0;  // of its clock
    uint64_t steps = 0, begun = 0; // steps since its first round began, and rounds
    uint32_t rounds = 0, rest = 0; // that must still begin, and steps before the next one may
    uint64_t played = 0;           // rounds whose rows have all been played
    int64_t first = 0, last = 0;   // when the first of them ended, and the last one yet
    uint32_t now = 0;              // where its links are in their ring
    uint32_t off = 0;              // cycles since it was rebooted
};

// A cable that carries nothing, or noise, and until when.
struct Outage : crl_sim_outage {
    int64_t from = INT64_MAX, until = INT64_MAX;

    bool is_of(uint32_t end, int64_t time) const { return end / 2 == cable && from <= time && time < until; }
};

/* What lies between the boards. The check of flits is not here: a damaged one is said to be. */
struct Cables {
    std::vector<Board> boards;
    std::vector<uint32_t> board_of, in, out; // of nodes; the ends behind inputs and outputs, [nodes][ports]
    std::vector<End> ends;
    std::mt19937_64 random;
    int64_t slowest = kCycle;
    uint64_t ahead;
    double errors;
    std::vector<Outage> outages;
    uint32_t rebooted, reboot_round;
    std::vector<crl_shim_wait> waits, longest; // of boards
    std::vector<uint8_t> fault;                // of ends
    std::vector<uint32_t> valid;               // of nodes: their links after their board's last step
    std::vector<uint8_t> fresh;                // of boards: the last edge was a step, so that what nodes show is new
    crl_shim_boards told{};

    Cables(const crl_shim_setup &setup, VerilatedContext *context) : random(setup.boards->seed)
    {
        const crl_sim_boards &s = *setup.boards;
        const size_t inputs = size_t(setup.nodes) * kPorts;
        ahead = s.ahead;
        errors = s.errors;
        for (const crl_sim_outage &o : s.outage)
            if (o.round) outages.push_back({o});
        rebooted = s.rebooted;
        reboot_round = s.reboot_round;
        waits.resize(s.boards);
        longest.resize(s.boards);
        fault.resize(s.ends);
        told.now = waits.data();
        told.longest = longest.data();
        told.fault = fault.data();
        board_of.assign(s.board, s.board + setup.nodes);
        in.assign(s.input, s.input + inputs);
        out.assign(inputs, UINT32_MAX);
        for (size_t i = 0; i < inputs; ++i)
            if (in[i] != UINT32_MAX) out[size_t(setup.source[i]) * kPorts + i % kPorts] = in[i] ^ 1;
        for (uint32_t b = 0; b < s.boards; ++b) {
            const int64_t period = kCycle + s.ppm[b];
            boards.emplace_back();
            boards[b].period = period;
            boards[b].next = int64_t(random() % uint64_t(period));
            slowest = std::max(slowest, period);
        }
        valid.assign(setup.nodes, 0);
        fresh.assign(s.boards, 1);
        ends.resize(s.ends);
        for (uint32_t e = 0; e < s.ends; ++e) {
            ends[e].model = std::make_unique<Cable>(context, ("end" + std::to_string(e)).c_str());
            ends[e].board = s.end_board[e];
            ends[e].delay = (s.delay[e] + checks(s.gap[e ^ 1])) * kCycle;
            ends[e].gap = s.gap[e];
            const uint64_t identity = s.end_board[e] == s.stranger;
            port_set(ends[e].model->rootp->identity_i, &identity, 1);
        }
    }

    // What the inputs behind cables see: a word in the cycles in which one is expected.
    void words_for(uint32_t node, uint32_t expects, uint32_t &mask, uint8_t *words) const
    {
        for (uint32_t p = 0; p < kPorts; ++p) {
            const uint32_t e = in[size_t(node) * kPorts + p];
            if (e == UINT32_MAX) continue;
            mask = (mask & ~(1u << p)) | (expects & 1u << p);
            port_get(words + p * kWordBytes, ends[e].model->rootp->word_o, kWordBytes);
        }
    }

    bool chance() { return errors > 0 && std::generate_canonical<double, 32>(random) < errors; }

    // A board has made a step.
    void step(uint32_t b, int64_t time, uint32_t pace)
    {
        Board &board = boards[b];
        ++board.steps;
        if (!board.begun || board.steps <= kRowSteps || (board.steps - kRowSteps) % pace) return;
        if (!board.played++) board.first = time;
        board.last = time;
    }

    // A board begins a round.
    void begin(uint32_t b, int64_t time)
    {
        Board &board = boards[b];
        if (b == rebooted && board.begun == reboot_round) board.off = 1;
        for (Outage &o : outages) {
            End *const two = &ends[size_t(o.cable) * 2];
            if (o.from < INT64_MAX || board.begun != o.round || (two[0].board != b && two[1].board != b)) continue;
            o.from = time + int64_t(o.after) * kCycle;
            if (o.cycles) o.until = o.from + int64_t(o.cycles) * kCycle;
        }
    }

    const Outage *outage(uint32_t end, int64_t time) const
    {
        for (const Outage &o : outages)
            if (o.is_of(end, time)) return &o;
        return nullptr;
    }

    bool mends(int64_t time) const
    {
        for (const Outage &o : outages)
            if (o.from <= time && time < o.until && o.until < INT64_MAX) return true;
        return false;
    }

    bool dead(int64_t time) const
    {
        for (const Outage &o : outages)
            if (o.from <= time && o.until == INT64_MAX) return true;
        return false;
    }

    // All boards are reset, and their cables are those of a plan of such a number. What is dead stays dead.
    void reset(uint64_t plan)
    {
        for (Board &b : boards) {
            const Board before = b;
            b = {};
            b.period = before.period;
            b.next = before.next;
        }
        for (End &end : ends) {
            uint64_t identity = 0;
            port_get(&identity, end.model->rootp->identity_i, 1);
            identity = (identity & 1) | plan << 1;
            port_set(end.model->rootp->identity_i, &identity, 1);
            end.coming.clear();
            end.put = end.taken = 0;
            end.puts = end.takes = false;
        }
        waits.assign(waits.size(), {});
        longest.assign(longest.size(), {});
        fresh.assign(fresh.size(), 1);
        told.stalls = told.repetitions = 0;
        told.peak = 0;
    }

    // A board waits for an end, or for none.
    void note_wait(uint32_t b, uint32_t end)
    {
        crl_shim_wait &wait = waits[b];
        wait = {end == CRL_SIM_NONE ? 0 : wait.cycles + 1, boards[b].steps, end};
        if (boards[b].played && wait.cycles > longest[b].cycles) longest[b] = wait; // cables come up in the first round
    }

    void send(End &from, End &to, int64_t time)
    {
        Flit flit{time + to.delay, false, true, {}};
        port_get(flit.bits.data(), from.model->rootp->flit_o, flit.bits.size());
        flit.word = bits_get(from.model->rootp->flit_o, CRL_FLIT_BITS - 1, 1);
        flit.good = !chance();
        for (int copies = chance() ? 0 : chance() ? 2 : 1; copies; --copies) to.coming.push_back(flit);
    }

    // The next flit of a cable; where the other clock is faster, flits without a word are left out.
    static bool hear(End &end, int64_t time, Flit &flit)
    {
        auto &coming = end.coming;
        while (coming.size() > 1 && coming[1].due <= time && !coming[0].word) coming.pop_front();
        if (coming.empty() || coming[0].due > time) return false;
        flit = coming[0];
        coming.pop_front();
        return true;
    }

    void clock(uint32_t e, int64_t time, bool reset)
    {
        End &end = ends[e];
        CableRoot &root = *end.model->rootp;
        Flit flit{};
        const Outage *const out = outage(e, time);
        if (out) end.coming.clear();
        bool heard = !reset && hear(end, time, flit);
        const bool sends = end.clocks++ % end.gap == 0;
        if (sends && !reset && !out) send(end, ends[e ^ 1], time);
        if (out && out->noise) {
            heard = true;
            for (uint8_t &byte : flit.bits) byte = uint8_t(random());
        }
        root.rst_ni = !reset;
        root.end_i = e & 1;
        root.put_i = end.puts;
        port_set(root.data_i, &end.word, kWordBytes);
        root.take_i = end.takes;
        root.flit_take_i = sends;
        root.flit_valid_i = heard;
        root.flit_good_i = flit.good;
        port_set(root.flit_i, flit.bits.data(), flit.bits.size());
        root.clk_i = 0;
        end.model->eval();
        told.repetitions += root.repeats_o;
        fault[e] = uint8_t(root.fault_other_o * CRL_SHIM_OTHER_PLAN | root.fault_reset_o * CRL_SHIM_RESET_ALONE |
                           root.silent_o * CRL_SHIM_SILENT);
        root.clk_i = 1;
        end.model->eval();
        end.put += end.puts;
        end.taken += end.takes;
        if (end.puts) told.peak = std::max(told.peak, uint32_t(end.put - ends[e ^ 1].taken));
    }

    const crl_shim_boards *tell()
    {
        told.cycles_a_round = 0;
        for (const Board &b : boards)
            if (b.played > 1 && b.period == slowest) // others may begin early, and then fall into step
                told.cycles_a_round =
                    std::max(told.cycles_a_round, double(b.last - b.first) / double(b.played - 1) / double(slowest));
        return &told;
    }
};

} // namespace

#endif
