// SPDX-License-Identifier: Apache-2.0
/*
 * The C++ side of the simulator: instances of the verilated modules behind the C table of shim.h. build.c compiles this
 * file together with the verilated code, as one unit, so that the evaluation of a router can be inlined into the loop
 * over all of them. It defines, before including this file:
 *
 *   CRL_PORTS CRL_DATA_WIDTH CRL_ROW_BITS CRL_ROW_NUMBER_BITS
 *   CRL_WAVE      0 none, 1 FST, 2 VCD
 *   CRL_FLAT      n: Vcrl_flat, a verilated fabric of n nodes
 *   CRL_CROSSBAR  p: Vcrl_logp_node and Vcrl_crossbar, of p ports
 *   CRL_QUEUE     1: Vcrl_queue_node
 *   CRL_ONLINE    1, 2: Vcrl_online, an on-line router, whose digits have CRL_ONLINE_DIGIT bits
 *   CRL_STREAMS   k: Vcrl_stream_node, of k lanes
 *   CRL_CABLES    with that, d: Vcrl_cable, of depth d, whose flits have CRL_FLIT_BITS
 *                 none of these: Vcrl_router and Vcrl_sequencer
 */
#include "shim.h"
#include "shim_headers.h"

struct crl_shim_base;

#if CRL_WAVE == 1
#include "verilated_fst_c.h"
#elif CRL_WAVE == 2
#include "verilated_vcd_c.h"
#endif

// Verilator keeps a port in little-endian words, so the bytes of a flat vector are its words in order on these hosts
// only.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ports are copied as bytes");
static_assert(CRL_DATA_WIDTH % 8 == 0 && CRL_DATA_WIDTH <= 64, "a word is whole bytes");

namespace
{

constexpr uint32_t kPorts = CRL_PORTS;
constexpr size_t kWordBytes = CRL_DATA_WIDTH / 8;
constexpr size_t kNodeBytes = kPorts * kWordBytes;
constexpr size_t kRowBytes = (CRL_ROW_BITS + 7) / 8;
constexpr size_t kFailureTextMax = 4096;

// The simulation that the running thread evaluates: the runtime's print and stop hooks are given no other context.
thread_local crl_shim_base *t_shim = nullptr;

// Copies the low bytes of a port to or from memory, whatever C type Verilator chose for it.
template <class Port> inline void port_set(Port &port, const void *bytes, size_t n) { std::memcpy(&port, bytes, n); }
template <class Port> inline void port_get(void *bytes, const Port &port, size_t n) { std::memcpy(bytes, &port, n); }

// Up to 64 bits from a bit position of a port on.
template <class Port> uint64_t bits_get(const Port &port, size_t at, uint32_t width)
{
    const uint8_t *const bytes = reinterpret_cast<const uint8_t *>(&port);
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; ++i) value |= uint64_t(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}
template <class Port> void bits_set(Port &port, size_t at, uint32_t width, uint64_t value)
{
    uint8_t *const bytes = reinterpret_cast<uint8_t *>(&port);
    for (uint32_t i = 0; i < width; ++i) {
        const uint8_t bit = uint8_t(1u << (at + i) % 8);
        bytes[(at + i) / 8] = uint8_t((bytes[(at + i) / 8] & ~bit) | (value >> i & 1 ? bit : 0));
    }
}

/*
 * A rising edge in one evaluation. Verilator finds the edge by comparing the clock with the value it saved at the last
 * evaluation; clearing that saved value replaces the evaluation at clock low. It is the same thing only when the rising
 * clock is the one and only event of the module, which the type of the trigger vector says; where a Verilator names
 * these otherwise, or the module has a second event, the overload below evaluates both levels.
 */
template <class Model, class Root>
inline auto clock_edge(Model &model, Root &root, int)
    -> decltype(root.__Vtrigrprev__TOP__clk_i,
                std::enable_if_t<sizeof(root.__VactTriggered) == sizeof(VlTriggerVec<1>)>())
{
    root.__Vtrigrprev__TOP__clk_i = 0;
    root.clk_i = 1;
    model.eval();
}
template <class Model, class Root> inline void clock_edge(Model &model, Root &root, long)
{
    root.clk_i = 0;
    model.eval();
    root.clk_i = 1;
    model.eval();
}

} // namespace

#if CRL_WAVE
extern thread_local int crl_wave_errno; // shim_trace.cpp

#if CRL_WAVE == 1
using WaveWriter = VerilatedFstC;
#else
// The writer of VCD ends the program when its file does.
struct WaveFile : VerilatedVcdFile {
    int fd = -1;
    bool open(const std::string &name) override
    {
        fd = ::open(name.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0) crl_wave_errno = errno;
        return fd >= 0;
    }
    void close() override
    {
        if (fd >= 0 && ::close(fd)) crl_wave_errno = errno;
        fd = -1;
    }
    ssize_t write(const char *bytes, ssize_t size) override
    {
        const ssize_t done = ::write(fd, bytes, size_t(size));
        if (done >= 0 || errno == EINTR || errno == EAGAIN) return done;
        if (!crl_wave_errno) crl_wave_errno = errno;
        return size;
    }
};
struct WaveWriter : WaveFile, VerilatedVcdC {
    WaveWriter() : VerilatedVcdC(static_cast<WaveFile *>(this)) {}
    using VerilatedVcdC::close;
    using VerilatedVcdC::open;
};
#endif

// Both clock levels of every step, with errors kept.
struct Wave {
    WaveWriter writer;
    uint64_t half_cycles = 0;
    bool is_open = false;

    // Takes note of what went wrong in this thread since the last time.
    int error = 0;
    void note()
    {
        if (!error) error = crl_wave_errno;
        crl_wave_errno = 0;
    }
    template <class Models> void add(Models &models)
    {
        for (auto &model : models) model->trace(&writer, 99);
    }
    void open(const char *path)
    {
        crl_wave_errno = 0;
        writer.open(path);
        is_open = writer.isOpen();
        if (!is_open && !crl_wave_errno) crl_wave_errno = EIO;
        note();
    }
    // The next level is not before this one.
    void wait_for(uint64_t half_cycle)
    {
        if (half_cycles < half_cycle) half_cycles = half_cycle;
    }
    void dump(VerilatedContext &context)
    {
        context.time(half_cycles * 5);
        if (is_open && !error) writer.dump(half_cycles * 5);
        ++half_cycles;
        note();
    }
    void close()
    {
        if (is_open) writer.close();
        is_open = false;
        note();
    }
};
#else
struct Wave {
    static constexpr int error = 0;
    template <class Models> void add(Models &) {}
    void open(const char *) {}
    void wait_for(uint64_t) {}
    void dump(VerilatedContext &) {}
    void close() {}
};
#endif

// Of what is played slot by slot: the levels of a slot, so that slot s begins at time 1000 s unless the one before
// takes longer.
constexpr uint64_t kSlotLevels = 200;

/* What all kinds share: failures, waves, forced inputs. */
struct crl_shim_base {
    Wave wave;

    void (*const message)(void *user, const char *text);
    void *const user;

    std::mutex failure_mutex;
    std::string failure_text;
    std::string print_line;
    std::atomic<bool> failed{false};
    std::atomic<bool> dead{false}; // the RTL did not converge: evaluating it further means nothing

    const uint32_t nodes;
    const std::unique_ptr<VerilatedContext> context; // models go before it, as they are members of what has this base

    // Inputs that the next step overrides. A node is looked at closely only when its mask is not zero.
    std::vector<uint32_t> force_mask, force_valid;
    std::vector<uint8_t> force_data;

    explicit crl_shim_base(const crl_shim_setup &setup)
        : message(setup.message), user(setup.user), nodes(setup.nodes), context(new VerilatedContext),
          force_mask(nodes), force_valid(nodes), force_data(nodes * kNodeBytes)
    {
        context->threads(1); // else Verilator keeps a pool of its own, which does nothing here
        context->traceEverOn(CRL_WAVE != 0);
        t_shim = this;
    }

    template <class... Models> void show(const char *wave_path, Models &...models)
    {
        if (!wave_path) return;
        (wave.add(models), ...);
        wave.open(wave_path);
    }

    // Work that evaluates the RTL, which may find that it does not converge.
    template <class Work> void evaluate(const Work &work)
    {
        if (dead) return;
        t_shim = this;
        try {
            work();
        } catch (const std::exception &e) {
            fail(e.what());
            dead = true;
        }
    }

    // What only some kinds have.
    const uint32_t *destinations() { return nullptr; }
    void words(uint64_t *) {} // of queue control they are handed over with the slot
    bool busy() { return false; }
    void slot(crl_shim_slot &) {}
    crl_shim_streams *streams_of() { return nullptr; }
    const crl_shim_boards *boards_of() { return nullptr; }
    bool held(uint32_t, uint32_t, uint32_t, uint64_t *) { return false; }
    void give(uint32_t, const uint32_t *) {}
    crl_shim_interval interval() { return {}; }
    crl_shim_fault table_fault(uint32_t) { return {}; }

    void force(uint32_t node, uint32_t port, bool valid, uint64_t word)
    {
        const uint32_t bit = 1u << port;
        force_mask[node] |= bit;
        force_valid[node] = (force_valid[node] & ~bit) | (valid ? bit : 0);
        std::memcpy(&force_data[node * kNodeBytes + port * kWordBytes], &word, kWordBytes);
    }

    // Replaces what the neighbours sent to a node. data: the node's input words.
    void force_apply(uint32_t node, uint32_t &valid, uint8_t *data) const
    {
        const uint32_t mask = force_mask[node];
        valid = (valid & ~mask) | force_valid[node];
        for (uint32_t p = 0; p < kPorts; ++p)
            if (mask >> p & 1)
                std::memcpy(data + p * kWordBytes, &force_data[node * kNodeBytes + p * kWordBytes], kWordBytes);
    }

    void force_all(const uint64_t *words, size_t stride, uint32_t count)
    {
        const uint32_t mask = uint32_t((uint64_t(1) << count) - 1);
        for (uint32_t n = 0; n < nodes; ++n) {
            force_mask[n] |= mask;
            force_valid[n] = (force_valid[n] & ~mask) | (words ? mask : 0);
            for (uint32_t p = 0; words && p < count; ++p)
                std::memcpy(&force_data[n * kNodeBytes + p * kWordBytes], &words[p * stride + n], kWordBytes);
        }
    }

    void force_clear(uint32_t node) { force_mask[node] = force_valid[node] = 0; }

    void fail(const char *text)
    {
        const std::lock_guard<std::mutex> lock(failure_mutex);
        if (failure_text.size() < kFailureTextMax) failure_text += text;
        if (failure_text.empty()) failure_text.swap(print_line); // a line without an end
        failed = true;
    }

    // The runtime prints a line in pieces; the caller wants whole lines.
    void print(const char *text)
    {
        const std::lock_guard<std::mutex> lock(failure_mutex);
        print_line += text;
        size_t end;
        while ((end = print_line.find('\n')) != std::string::npos) {
            const std::string line = print_line.substr(0, end + 1);
            print_line.erase(0, end + 1);
            if (line.find("%Error") != std::string::npos && failure_text.size() < kFailureTextMax) failure_text += line;
            if (message) message(user, line.c_str());
        }
    }
};

#if CRL_FLAT
using Flat = Vcrl_flat;
using FlatRoot = std::remove_reference_t<decltype(*Flat::rootp)>;

/*
 * One verilated fabric behind the same table as the network that the harness wires: its wiring and its clock are
 * Verilator's own, so it judges the harness.
 */
struct FlatShim : crl_shim_base {
    const std::unique_ptr<Flat> flat;
    FlatRoot &root;
    std::vector<uint32_t> valid;

    explicit FlatShim(const crl_shim_setup &setup)
        : crl_shim_base(setup), flat(new Flat(context.get(), "fabric")), root(*flat->rootp), valid(nodes)
    {
    }

    void take_valid()
    {
        for (uint32_t n = 0; n < nodes; ++n) valid[n] = uint32_t(bits_get(root.link_valid_o, n * kPorts, kPorts));
    }
    const uint32_t *sent() { return valid.data(); }
};
#endif

#if CRL_QUEUE
// A slot of queue control: `play` does it.
template <class Shim> void play_slot(Shim &shim, crl_shim_slot &slot)
{
    std::fill(slot.sent, slot.sent + shim.nodes, 0);
    std::fill(slot.delivered, slot.delivered + shim.nodes, 0);
    slot.cycles = 0;
    shim.evaluate([&] { shim.play(slot); });
}
#endif

#if CRL_FLAT && CRL_ONLINE
#include "shim_flat_online.h"
#elif CRL_FLAT && CRL_QUEUE
#include "shim_flat_queue.h"
#elif CRL_ONLINE
#include "shim_online.h"
#elif CRL_FLAT
#include "shim_flat.h"
#elif CRL_CROSSBAR
#include "shim_logp.h"
#elif CRL_QUEUE
#include "shim_queue.h"
#elif CRL_STREAMS
#include "shim_streams.h"
#else
#include "shim_network.h"
#endif

/* Hooks of the Verilator runtime, which would print, and end the program, by itself. */

extern "C" int crl_shim_printf(const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int n = std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (t_shim) t_shim->print(text);
    return n;
}

void vl_finish(const char *, int, const char *) {}

void vl_stop(const char *file, int line, const char *)
{
    // The text was printed just before, and kept by print(); an assertion without one must not go unseen.
    if (!t_shim) return;
    t_shim->fail("");
    if (t_shim->failure_text.empty())
        t_shim->fail((std::string(file) + ":" + std::to_string(line) + ": stopped").c_str());
}

void vl_fatal(const char *file, int line, const char *, const char *text)
{
    // The runtime does not expect this to return: it would loop for ever on RTL that does not converge.
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + text + "\n");
}

namespace
{

crl_shim *shim_create(const crl_shim_setup *setup)
{
    try {
        return new crl_shim(*setup);
    } catch (const std::exception &e) {
        if (setup->message) setup->message(setup->user, e.what());
        return nullptr;
    }
}
const crl_shim_ops ops = {
    shim_create,
    [](crl_shim *s) {
        t_shim = s; // models may have last words
        delete s;
    },
    [](crl_shim *s) { return int(s->wave.error); },
    [](crl_shim *s) {
        t_shim = s;
        s->wave.close();
        return int(s->wave.error);
    },
    [](crl_shim *s, const crl_shim_drive *drive) { s->step(*drive); },
    [](crl_shim *s, uint32_t address, const void *const *rows) {
        t_shim = s;
        s->load(address, rows);
    },
    [](crl_shim *s, uint32_t node, uint32_t port, bool valid, uint64_t word) { s->force(node, port, valid, word); },
    [](crl_shim *s, const uint64_t *words, size_t stride, uint32_t count) { s->force_all(words, stride, count); },
    [](crl_shim *s) { return s->sent(); },
    [](crl_shim *s, uint64_t *data) { s->words(data); },
    [](crl_shim *s) { return s->destinations(); },
    [](crl_shim *s) { return s->busy(); },
    [](crl_shim *s, crl_shim_slot *slot) { s->slot(*slot); },
    [](crl_shim *s) { return s->streams_of(); },
    [](crl_shim *s) { return s->boards_of(); },
    [](crl_shim *s, uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet) {
        t_shim = s;
        return s->held(node, memory, address, packet);
    },
    [](crl_shim *s, uint32_t node, const uint32_t *packet) {
        t_shim = s;
        s->give(node, packet);
    },
    [](crl_shim *s) { return s->interval(); },
    [](crl_shim *s, uint32_t node) { return s->node_fault(node); },
    [](crl_shim *s, uint32_t table) { return s->table_fault(table); },
    [](crl_shim *s) { return s->failed ? s->failure_text.c_str() : nullptr; },
};

} // namespace

extern "C" __attribute__((visibility("default"))) const crl_shim_ops *crl_shim_entry(void) { return &ops; }
