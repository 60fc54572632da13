// SPDX-License-Identifier: Apache-2.0
#include "mpsse.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIN_CLOCK = 1,
    PIN_OUT = 2,
    PIN_IN = 4,

    /* Bits of a shift command, which has bit 7 clear. */
    SHIFT_BITS = 2,
    SHIFT_READ_FALLING = 4,
    SHIFT_LSB_FIRST = 8,
    SHIFT_WRITE = 16,
    SHIFT_READ = 32,
    SHIFT_TMS = 64,

    BAD_COMMAND = 0xFA,
};

void crl_vmpsse_init(struct crl_vmpsse *engine, const struct crl_vmpsse_pins *pins)
{
    memset(engine, 0, sizeof *engine);
    engine->pins = pins;
    engine->divide_by_5 = true;
}

void crl_vmpsse_free(struct crl_vmpsse *engine)
{
    free(engine->answer);
    engine->answer = NULL;
    engine->answers = engine->room = 0;
}

static void answer(struct crl_vmpsse *engine, uint8_t byte)
{
    if (engine->answers == engine->room) {
        const size_t room = engine->room ? 2 * engine->room : 4096;
        uint8_t *grown = realloc(engine->answer, room);

        if (!grown) return; /* the host will miss it */
        engine->answer = grown;
        engine->room = room;
    }
    engine->answer[engine->answers++] = byte;
}

static void drive(struct crl_vmpsse *engine)
{
    engine->pins->drive(engine->pins->user, engine->level, engine->direction);
}

static void set_pin(struct crl_vmpsse *engine, unsigned pin, bool high)
{
    engine->level = (uint16_t)(high ? engine->level | pin : engine->level & ~pin);
}

static bool sense_in(const struct crl_vmpsse *engine)
{
    if (engine->loopback) return engine->level & PIN_OUT;
    return engine->pins->sense(engine->pins->user) & PIN_IN;
}

static uint64_t bit_ns(const struct crl_vmpsse *engine)
{
    /* 60 MHz, or 12 MHz, divided by 2 (1 + divisor) */
    return (engine->divide_by_5 ? 1000u : 200u) * (1 + (uint64_t)engine->divisor) / 6;
}

/*
 * One clock: two edges from where the clock rests. Data are put out before the first edge, whichever edge they are said
 * to change with: for who samples with the other edge that is the same. Returns the bit read.
 */
static bool clock_bit(struct crl_vmpsse *engine, bool out)
{
    const bool rest = engine->level & PIN_CLOCK;
    bool in = false;

    if (engine->command & SHIFT_WRITE) {
        set_pin(engine, PIN_OUT, out);
        drive(engine);
    }
    for (int edge = 0; edge < 2; edge++) {
        const bool falls = rest ? edge == 0 : edge == 1;

        if ((engine->command & SHIFT_READ) && falls == !!(engine->command & SHIFT_READ_FALLING)) in = sense_in(engine);
        set_pin(engine, PIN_CLOCK, !falls);
        drive(engine);
    }
    engine->pins->wait(engine->pins->user, bit_ns(engine));
    return in;
}

static uint8_t shift(struct crl_vmpsse *engine, uint8_t out, unsigned bits)
{
    const bool lsb = engine->command & SHIFT_LSB_FIRST;
    uint8_t in = 0;

    for (unsigned i = 0; i < bits; i++) {
        const bool bit = clock_bit(engine, lsb ? out >> i & 1 : out >> (7 - i) & 1);

        /* Bits come in at one end and are pushed along: fewer than eight end up at that end. */
        in = lsb ? (uint8_t)(in >> 1 | (bit ? 0x80 : 0)) : (uint8_t)(in << 1 | (bit ? 1 : 0));
    }
    return in;
}

static void clock_only(struct crl_vmpsse *engine, size_t clocks)
{
    engine->command = 0; /* neither write nor read */
    while (clocks--) clock_bit(engine, false);
}

static unsigned head16(const struct crl_vmpsse *engine) { return engine->head[0] | (unsigned)engine->head[1] << 8; }

/* Bytes that follow a command byte before its data; -1: there is no such command. */
static int head_bytes(uint8_t command)
{
    static const int8_t others[] = {2,  0,  2,  0,  0, 0, 2, 0, 0,  0,  0,  0,  0, 0, 1, 2, /* 0x80... */
                                    -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1, 2, 2, 2};   /* 0x90... */

    if (!(command & 0x80)) {
        if (!(command & (SHIFT_WRITE | SHIFT_READ | SHIFT_TMS))) return -1;
        if (command & SHIFT_TMS) return command & SHIFT_BITS ? 2 : -1; /* length, data */
        if (command & SHIFT_BITS) return command & SHIFT_WRITE ? 2 : 1;
        return 2;
    }
    return command < 0x80 + sizeof others ? others[command - 0x80] : -1;
}

static void run_shift(struct crl_vmpsse *engine)
{
    const uint8_t command = engine->command;

    if (command & SHIFT_TMS) {
        /* JTAG: TMS is pin 3, bit 7 of the data is held on TDI. Nothing here listens, but the clocks are real. */
        for (unsigned i = 0; i <= (engine->head[0] & 7u); i++) clock_bit(engine, engine->head[1] >> 7);
        if (command & SHIFT_READ) answer(engine, 0xFF);
    } else if (command & SHIFT_BITS) {
        const uint8_t in = shift(engine, engine->head[1], (engine->head[0] & 7u) + 1);

        if (command & SHIFT_READ) answer(engine, in);
    } else if (command & SHIFT_WRITE) engine->left = (size_t)head16(engine) + 1;
    else
        for (size_t n = (size_t)head16(engine) + 1; n; n--) answer(engine, shift(engine, 0, 8));
}

static void run_command(struct crl_vmpsse *engine)
{
    const uint8_t *head = engine->head;

    if (!(engine->command & 0x80)) {
        run_shift(engine);
        return;
    }
    switch (engine->command) {
    case 0x80:
        engine->level = (uint16_t)((engine->level & 0xFF00) | head[0]);
        engine->direction = (uint16_t)((engine->direction & 0xFF00) | head[1]);
        drive(engine);
        break;
    case 0x82:
        engine->level = (uint16_t)((engine->level & 0xFF) | head[0] << 8);
        engine->direction = (uint16_t)((engine->direction & 0xFF) | head[1] << 8);
        drive(engine);
        break;
    case 0x81: answer(engine, (uint8_t)engine->pins->sense(engine->pins->user)); break;
    case 0x83: answer(engine, (uint8_t)(engine->pins->sense(engine->pins->user) >> 8)); break;
    case 0x84: engine->loopback = true; break;
    case 0x85: engine->loopback = false; break;
    case 0x86: engine->divisor = head16(engine); break;
    case 0x8A: engine->divide_by_5 = false; break;
    case 0x8B: engine->divide_by_5 = true; break;
    case 0x8E: clock_only(engine, (size_t)(head[0] & 7) + 1); break;
    case 0x8F: clock_only(engine, 8 * ((size_t)head16(engine) + 1)); break;
    default: break; /* clocking modes and waits that nothing here depends on: accepted. Answers never wait */
    }
}

static void take_byte(struct crl_vmpsse *engine, uint8_t byte)
{
    if (engine->left) {
        const uint8_t in = shift(engine, byte, 8);

        if (engine->command & SHIFT_READ) answer(engine, in);
        engine->left--;
        return;
    }
    if (engine->have < engine->need) engine->head[engine->have++] = byte;
    else {
        const int need = head_bytes(byte);

        engine->command = byte;
        engine->have = 0;
        if (need < 0) {
            answer(engine, BAD_COMMAND);
            answer(engine, byte);
            engine->need = 0;
            return;
        }
        engine->need = (unsigned)need;
    }
    if (engine->have == engine->need) {
        run_command(engine);
        engine->have = engine->need = 0;
    }
}

void crl_vmpsse_write(struct crl_vmpsse *engine, const uint8_t *bytes, size_t n)
{
    while (n--) take_byte(engine, *bytes++);
}

size_t crl_vmpsse_read(struct crl_vmpsse *engine, uint8_t *bytes, size_t n)
{
    if (n > engine->answers) n = engine->answers;
    if (!n) return 0;
    memcpy(bytes, engine->answer, n);
    engine->answers -= n;
    memmove(engine->answer, engine->answer + n, engine->answers);
    return n;
}

void crl_vmpsse_purge(struct crl_vmpsse *engine, bool commands, bool answers)
{
    if (commands) engine->have = engine->need = 0, engine->left = 0;
    if (answers) engine->answers = 0;
}

void crl_vmpsse_float(struct crl_vmpsse *engine)
{
    engine->direction = 0;
    drive(engine);
}
