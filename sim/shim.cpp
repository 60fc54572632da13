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

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#if CRL_WAVE == 1
#include "verilated_fst_c.h"
#elif CRL_WAVE == 2
#include "verilated_vcd_c.h"
#endif
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

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
thread_local crl_shim *t_shim = nullptr;

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

    void (*message)(void *user, const char *text) = nullptr;
    void *user = nullptr;

    std::mutex failure_mutex;
    std::string failure_text;
    std::string print_line;
    std::atomic<bool> failed{false};
    std::atomic<bool> dead{false}; // the RTL did not converge: evaluating it further means nothing

    uint32_t nodes = 0;

    // Inputs that the next step overrides. A node is looked at closely only when its mask is not zero.
    std::vector<uint32_t> force_mask, force_valid;
    std::vector<uint8_t> force_data;

    void force_init()
    {
        force_mask.assign(nodes, 0);
        force_valid.assign(nodes, 0);
        force_data.assign(nodes * kNodeBytes, 0);
    }

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
void shim_destroy(crl_shim *s) { delete s; }
void shim_step(crl_shim *s, const crl_shim_drive *drive) { s->step(*drive); }
void shim_load(crl_shim *s, uint32_t address, const void *const *rows) { s->load(address, rows); }
void shim_force(crl_shim *s, uint32_t node, uint32_t port, bool valid, uint64_t word)
{
    s->force(node, port, valid, word);
}
void shim_force_all(crl_shim *s, const uint64_t *words, size_t stride, uint32_t count)
{
    s->force_all(words, stride, count);
}
int shim_wave_error(crl_shim *s) { return s->wave.error; }
int shim_finish(crl_shim *s)
{
    t_shim = s;
    s->wave.close();
    return s->wave.error;
}
const char *shim_failure(crl_shim *s) { return s->failed ? s->failure_text.c_str() : nullptr; }

#if !CRL_ONLINE
bool shim_held(crl_shim *, uint32_t, uint32_t, uint32_t, uint64_t *) { return false; }
#endif
#if !CRL_CABLES
constexpr const crl_shim_boards *(*shim_boards)(crl_shim *) = nullptr;
#endif
#if !CRL_STREAMS
constexpr crl_shim_streams *(*shim_streams)(crl_shim *) = nullptr;
#endif
#if CRL_ONLINE != 1
void shim_give(crl_shim *, uint32_t, const uint32_t *) {}
crl_shim_interval shim_interval(crl_shim *) { return {}; }
#endif

const crl_shim_ops ops = {
    shim_create,    shim_destroy, shim_wave_error, shim_finish,   shim_step,       shim_load,        shim_force,
    shim_force_all, shim_valid,   shim_data,       shim_dest,     shim_busy,       shim_slot,        shim_streams,
    shim_boards,    shim_held,    shim_give,       shim_interval, shim_node_fault, shim_table_fault, shim_failure,
};

} // namespace

extern "C" __attribute__((visibility("default"))) const crl_shim_ops *crl_shim_entry(void) { return &ops; }
