// SPDX-License-Identifier: Apache-2.0
// Frames, altered at random, to the boards' link by itself: whatever comes, it answers as docs/formats/board.md says,
// touches nothing that it must not, and does not hang. The judge below knows the page, not the design. usage: link_fuzz
// FRAMES SEED
#include "Vcrl_link.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace
{

using Bytes = std::vector<uint8_t>;

enum { READ = 1, WRITE = 2, NODES = 8, SILENCE = 1 << 8, BYTE_CLOCKS = 12, ROUNDS = 0x1C, CONTROL = 0x1D };

struct Random {
    uint64_t state;
    uint32_t operator()(uint32_t below)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>((state >> 33) % below);
    }
};

uint32_t crc_of(const uint8_t *at, size_t count)
{
    uint32_t crc = ~0u;
    while (count--) {
        crc ^= *at++;
        for (int i = 0; i < 8; i++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

unsigned get16(const uint8_t *at) { return at[0] | static_cast<unsigned>(at[1]) << 8; }

void add32(Bytes &bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
}

// What the link is connected to, and what it does there.
struct Bench {
    struct Context : VerilatedContext {
        Context()
        {
            randReset(2); // registers begin with anything
            randSeed(1);
        }
    } context;
    Vcrl_link link{&context};
    std::vector<uint16_t> memory = std::vector<uint16_t>(65536);
    Bytes reply;
    unsigned low = 1, high = 0, writes = 0, pulses = 0, pulse_address = 0, pulse_data = 0, wait = 0;
    uint64_t clocks = 0;
    bool outside = false;

    void clock()
    {
        const bool done = link.req_o && !link.done_i && ++wait > 2;
        if (done) {
            wait = 0;
            outside |= link.addr_o < low || link.addr_o > high || link.addr_o < 0x1000; // below are registers
            if (link.we_o) {
                writes++;
                memory[link.addr_o] = link.wdata_o;
            }
            link.rdata_i = memory[link.addr_o];
        }
        link.done_i = done;
        if (link.rounds_we_o || link.control_we_o) {
            pulses++;
            pulse_address = link.rounds_we_o ? ROUNDS : CONTROL;
            pulse_data = link.register_wdata_o;
        }
        link.register_data_i = static_cast<uint16_t>(link.register_o * 0x0101 + 7);
        link.tx_ready_i = clocks % 9 == 0;
        link.eval();
        if (link.tx_valid_o && link.tx_ready_i) reply.push_back(link.tx_data_o);
        link.clk_i = 1;
        link.eval();
        link.clk_i = 0;
        link.eval();
        clocks++;
    }
    void send(const Bytes &bytes)
    {
        for (uint8_t byte : bytes) {
            link.rx_valid_i = 1;
            link.rx_data_i = byte;
            clock();
            link.rx_valid_i = 0;
            for (int i = 1; i < BYTE_CLOCKS; i++) clock();
        }
    }
    void rest(int count)
    {
        for (int i = 0; i < count; i++) clock();
    }
    // Until nothing has been sent for longer than any pause within a reply.
    void listen()
    {
        for (size_t had = reply.size() + 1; had != reply.size();) {
            had = reply.size();
            rest(60);
        }
    }
};

struct Frame {
    Bytes bytes;
    bool whole = true; // not cut
};

unsigned pick_address(Random &random)
{
    static const unsigned edges[] = {0,      0x1B,   ROUNDS, CONTROL, 0x1E,   0x3F,   0x40,   0xFFF,  0x1000,
                                     0x1FFF, 0x2000, 0x27FF, 0x2800,  0x2FFF, 0x3000, 0x3FFF, 0x4000, 0xFFFF};
    return random(3) ? (edges[random(18)] + random(5) - 2) & 0xFFFF : random(65536);
}

unsigned pick_count(Random &random)
{
    if (random(400) == 0) return 4090 + random(10);
    return random(20) ? 1 + random(4) : random(40) ? random(70) : random(65536);
}

// A good frame, then what befell it on its way.
Frame make(Random &random)
{
    Frame frame;
    Bytes &b = frame.bytes;
    const bool full = random(600) == 0; // all tables, the largest frame
    const unsigned address = full ? 0x1000 : pick_address(random), n = full ? 4096 : random(4) ? pick_count(random) : 1;
    const bool write = random(2);
    b = {0xC5,
         static_cast<uint8_t>(random(30) ? write ? WRITE : READ : random(256)),
         static_cast<uint8_t>(random(256)),
         static_cast<uint8_t>(random(30) ? 0 : random(256)),
         static_cast<uint8_t>(address),
         static_cast<uint8_t>(address >> 8),
         static_cast<uint8_t>(n),
         static_cast<uint8_t>(n >> 8)};
    add32(b, crc_of(b.data(), 8));
    if (random(16) == 0) {
        b[1 + random(11)] ^= static_cast<uint8_t>(1u << random(8));
        return frame; // a header that is wrong has no payload
    }
    if (b[1] == WRITE && n >= 1 && n <= 4096) {
        for (unsigned i = 0; i < 2 * n; i++) b.push_back(static_cast<uint8_t>(random(8) ? random(256) : 0xC5));
        add32(b, crc_of(b.data() + 12, 2 * n));
        if (random(12) == 0) b[12 + random(2 * n + 4)] ^= static_cast<uint8_t>(1u << random(8));
    }
    if (random(24) == 0) {
        b.resize(1 + random(static_cast<uint32_t>(b.size()) - 1));
        frame.whole = false;
    }
    return frame;
}

// The status of a whole frame.
int judge(const Bytes &b, bool playing, bool loading, bool in_use)
{
    const unsigned op = b[1], address = get16(&b[4]), n = get16(&b[6]), last = address + n - 1;
    const bool write = op == WRITE;
    Bytes crc;
    add32(crc, crc_of(b.data(), 8));
    if (memcmp(crc.data(), &b[8], 4)) return 1;
    if ((op != READ && !write) || b[3] || n < 1 || n > 4096) return 3;
    const bool registers = last < 0x40, tables = address >= 0x1000 && last < 0x2000,
               packets = address >= 0x2000 && last < 0x2000 + 256 * NODES,
               trace = address >= 0x3000 && last < 0x4000 && !write;
    if (!(registers && (!write || (n == 1 && (address == ROUNDS || address == CONTROL)))) && !tables && !packets &&
        !trace)
        return 4;
    if (!registers && (playing || loading)) return 5;
    if (!write) return 0;
    crc.clear();
    add32(crc, crc_of(&b[12], 2 * n));
    if (memcmp(crc.data(), &b[12 + 2 * n], 4)) return 2;
    if (address == CONTROL) {
        if ((playing || loading) && (b[12] & 0x19)) return 5;
        if ((b[12] & 1) && !in_use) return 6;
    }
    return 0;
}

const char *check(const Bench &bench, const Bytes &b, int status, const std::vector<uint16_t> &before)
{
    const Bytes &reply = bench.reply;
    const unsigned address = get16(&b[4]), n = get16(&b[6]), words = status == 0 && b[1] == READ ? n : 0;
    const bool acts = status == 0 && b[1] == WRITE, is_register = address < 0x40;
    Bytes crc;

    if (reply.size() != 12 + (words ? 2 * words + 4 : 0)) return "the reply's length";
    if (reply[0] != 0x5C || reply[3] != status || get16(&reply[6]) != words) return "the reply";
    if (status != 1 && (reply[1] != b[1] || reply[2] != b[2] || get16(&reply[4]) != address))
        return "whose reply it is";
    add32(crc, crc_of(reply.data(), 8));
    if (memcmp(crc.data(), &reply[8], 4)) return "the reply's CRC";
    for (unsigned i = 0; i < words; i++)
        if (get16(&reply[12 + 2 * i]) != (is_register ? (address + i) * 0x0101 + 7 & 0xFFFF : before[address + i]))
            return "a word read";
    crc.clear();
    add32(crc, words ? crc_of(&reply[12], 2 * words) : 0);
    if (words && memcmp(crc.data(), &reply[12 + 2 * words], 4)) return "the words' CRC";
    if (bench.pulses != (acts && is_register)) return "a register is written, or is not";
    if (bench.pulses && (bench.pulse_address != address || bench.pulse_data != get16(&b[12])))
        return "what is written to a register";
    if (bench.outside || (status != 2 && bench.writes != (acts && !is_register ? n : 0)))
        return "what is asked of the memories";
    for (unsigned i = 0; acts && !is_register && i < n; i++)
        if (bench.memory[address + i] != get16(&b[12 + 2 * i])) return "a word written";
    return nullptr;
}

[[noreturn]] void fail(uint64_t number, const char *what, const Bytes &bytes, const Bench &bench)
{
    fprintf(stderr, "frame %llu: %s\nsent", static_cast<unsigned long long>(number), what);
    for (size_t i = 0; i < bytes.size() && i < 40; i++) fprintf(stderr, " %02x", bytes[i]);
    fprintf(stderr, "\ncame");
    for (size_t i = 0; i < bench.reply.size() && i < 40; i++) fprintf(stderr, " %02x", bench.reply[i]);
    fprintf(stderr, "\n");
    exit(1);
}

void begin(Bench &bench, const Bytes &bytes)
{
    bench.reply.clear();
    bench.writes = bench.pulses = 0;
    bench.outside = false;
    bench.low = 1, bench.high = 0;
    if (bytes.size() >= 12) bench.low = get16(&bytes[4]), bench.high = bench.low + get16(&bytes[6]) - 1;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    const uint64_t frames = strtoull(argv[1], nullptr, 10);
    Random random{strtoull(argv[2], nullptr, 10)};
    Bench bench;
    uint64_t seen[7] = {}, cut = 0, storms = 0;
    unsigned errors = 0;
    std::vector<uint16_t> before;

    bench.link.rst_ni = 0;
    bench.link.rx_valid_i = 0;
    bench.rest(4);
    bench.link.rst_ni = 1;
    for (uint64_t i = 0; i < frames; i++) {
        bench.link.playing_i = random(4) == 0;
        bench.link.loading_i = random(6) == 0;
        bench.link.in_use_i = random(2);
        if (random(64) == 0) { // no frames at all, and nothing is known of what it answers
            Bytes storm;
            for (unsigned n = 1 + random(80); n--;)
                storm.push_back(static_cast<uint8_t>(random(6) ? random(256) : random(3) ? 0xC5 : 1 + random(2)));
            begin(bench, storm);
            bench.link.playing_i = 1; // memories are out of reach
            bench.send(storm);
            bench.rest(2 * SILENCE);
            bench.listen();
            if (bench.writes || bench.pulses) fail(i, "noise writes", storm, bench);
            errors = bench.link.errors_o;
            storms++;
            continue;
        }
        const Frame frame = make(random);
        const Bytes &b = frame.bytes;
        begin(bench, b);
        const int status = frame.whole ? judge(b, bench.link.playing_i, bench.link.loading_i, bench.link.in_use_i) : -1;
        if (status == 0 && b[1] == READ) before = bench.memory;
        bench.send(b);
        if (frame.whole) {
            bench.listen();
            const char *wrong = check(bench, b, status, before);
            if (wrong) fail(i, wrong, b, bench);
            seen[status]++;
        } else {
            bench.rest(2 * SILENCE);
            if (!bench.reply.empty() || bench.pulses || bench.outside) fail(i, "a cut frame does something", b, bench);
            cut++;
        }
        if ((!frame.whole || status == 1 || status == 2) && errors < 0xFFFF) errors++;
        if (bench.link.errors_o != errors) fail(i, "LINK_ERRORS", b, bench);
    }
    for (int i = 0; i < 7; i++) {
        printf("status %d: %llu frames\n", i, static_cast<unsigned long long>(seen[i]));
        if (!seen[i]) return 1;
    }
    printf("cut %llu, noise %llu times; %llu clocks\n", static_cast<unsigned long long>(cut),
           static_cast<unsigned long long>(storms), static_cast<unsigned long long>(bench.clocks));
    return cut && storms ? 0 : 1;
}
