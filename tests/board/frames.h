// SPDX-License-Identifier: Apache-2.0
// Frames of docs/formats/board.md to the design on a virtual board, byte by byte, without the program's own link layer;
// what the design answers, or that it answers nothing.
#ifndef TEST_FRAMES_H
#define TEST_FRAMES_H

#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { READ = 1, WRITE = 2, FRAME_MAX = 12 + 2 * 4096 + 4, NO_REPLY = -1 };
enum { STATUS = 0x10, LOADER = 0x11, SEQUENCE = 0x12, LINK_ERRORS = 0x1A, ROUNDS = 0x1C, CONTROL = 0x1D };
enum { START = 1, STOP = 2, CLEAR = 4, ADOPT = 8, RELOAD = 16, RESET = 32 };

static _Noreturn void die(const char *what, const char *more)
{
    fprintf(stderr, "%s: %s\n", what, more);
    exit(1);
}

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value & 0xFFFF);
    put16(at + 2, value >> 16);
}

static unsigned get16(const uint8_t *at) { return at[0] | (unsigned)at[1] << 8; }

static uint32_t crc_of(const uint8_t *bytes, size_t count) { return (uint32_t)crc32(0, bytes, (unsigned)count); }

/* A request; words NULL: zeros. Returns its length. */
static size_t make_frame(uint8_t *frame, unsigned op, unsigned address, unsigned n, const uint16_t *words)
{
    size_t length = 12;

    memcpy(frame, (uint8_t[]){0xC5, (uint8_t)op, 0x77, 0}, 4);
    put16(frame + 4, address);
    put16(frame + 6, n);
    put32(frame + 8, crc_of(frame, 8));
    if (op == WRITE && n >= 1 && n <= 4096) {
        for (unsigned i = 0; i < n; i++) put16(frame + 12 + 2 * i, words ? words[i] : 0);
        put32(frame + 12 + 2 * n, crc_of(frame + 12, 2 * n));
        length += 2 * n + 4;
    }
    return length;
}

/* Sends bytes, and waits until the design has been silent for some time after the last. Returns the bytes it sent. */
static size_t talk(struct crl_vboard *board, const uint8_t *out, size_t count, uint8_t *in, size_t size)
{
    uint8_t packet[CRL_VFTDI_PACKET];
    size_t sent = 0, got = 0;

    /* A byte takes 10 us. */
    for (size_t quiet = 0; quiet < 4 + count / 8 || sent < count; quiet++) {
        size_t n = sent < count ? crl_vftdi_out(&board->ftdi, 1, out + sent, count - sent) : 0;

        sent += n;
        if (n) quiet = 0;
        crl_vboard_run(board, 100000);
        n = crl_vftdi_in(&board->ftdi, 1, packet, sizeof packet) - 2;
        if (got + n > size) die("a reply", "longer than it can be");
        memcpy(in + got, packet + 2, n);
        got += n;
        if (n) quiet = 0;
    }
    return got;
}

/* The status of the reply to a request, whose words come with it, or NO_REPLY. A reply that is not as it must be ends
 * it all. */
static int ask_raw(struct crl_vboard *board, const uint8_t *frame, size_t count, uint16_t *words)
{
    static uint8_t in[FRAME_MAX + 64];
    const size_t got = talk(board, frame, count, in, sizeof in);
    const unsigned n = got >= 12 ? get16(in + 6) : 0;
    uint8_t crc[4];

    if (!got) return NO_REPLY;
    put32(crc, got < 12 ? 0 : crc_of(in, 8));
    if (got < 12 || in[0] != 0x5C || memcmp(in + 8, crc, 4)) die("a reply", "its header is wrong");
    if (got != 12 + (n ? 2 * n + 4 : 0)) die("a reply", "its length is wrong");
    if (n) {
        put32(crc, crc_of(in + 12, 2 * n));
        if (in[3] || memcmp(in + 12 + 2 * n, crc, 4)) die("a reply", "its words are wrong");
        for (unsigned i = 0; words && i < n; i++) words[i] = (uint16_t)get16(in + 12 + 2 * i);
    }
    if (in[3] != 1 && (in[1] != frame[1] || in[2] != frame[2] || get16(in + 4) != get16(frame + 4)))
        die("a reply", "it is to another request");
    return in[3];
}

static int ask(struct crl_vboard *board, unsigned op, unsigned address, unsigned n, uint16_t *words)
{
    static uint8_t frame[FRAME_MAX];

    return ask_raw(board, frame, make_frame(frame, op, address, n, op == WRITE ? words : NULL), words);
}

static unsigned get_register(struct crl_vboard *board, unsigned address)
{
    uint16_t word = 0;

    if (ask(board, READ, address, 1, &word)) die("a register", "cannot be read");
    return word;
}

static int control(struct crl_vboard *board, unsigned bits)
{
    return ask(board, WRITE, CONTROL, 1, (uint16_t[]){(uint16_t)bits});
}

static void await_loader(struct crl_vboard *board)
{
    for (int i = 0; get_register(board, STATUS) & 2; i++)
        if (i > 10000) die("the loader", "does not end");
}

static void say(const char *text) { fprintf(stderr, "%s\n", text); }

static void power_up_kind(struct crl_vboard *board, const char *kind, unsigned seed)
{
    static const struct crl_vflash_faults none;
    char error[4096];
    const struct crl_vtop_ops *design = crl_vtop_load(kind, NULL, say, error, sizeof error);

    if (!design) die("the design", error);
    if (crl_vboard_open(board, crl_vboard_kind(kind), 1, NULL, &none, design, NULL, seed))
        die("the board", "cannot be opened");
    if (crl_vftdi_control(&board->ftdi, (uint8_t[]){0x40, 3, 3, 0, 2, 0, 0, 0}, NULL) < 0)
        die("the board", "has no baud rate");
    await_loader(board);
}

static void power_up(struct crl_vboard *board) { power_up_kind(board, "icebreaker", 1); }

#endif
