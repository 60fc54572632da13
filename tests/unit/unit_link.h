// SPDX-License-Identifier: Apache-2.0
// A stand-in for the design at the other end of a board's serial link, and everything that can happen to a frame. Knows
// docs/formats/board.md, and nothing of the code it tests but struct crl_pipe.
#ifndef UNIT_LINK_H
#define UNIT_LINK_H

#include "unit.h"
#include "board/usb.h"
#include <zlib.h>

enum trouble {
    NONE,
    LOSE_REQUEST,    // nothing comes back
    LOSE_REPLY,      // what was asked for is done, but nothing comes back
    CUT_REPLY,       // half a reply
    FLIP_HEADER,     // a bit of the reply's header
    FLIP_PAYLOAD,    // a bit of the words
    BAD_HEADER_CRC,  // the board found the request's header damaged
    BAD_PAYLOAD_CRC, // or its words
    JUNK_BEFORE,     // bytes from an earlier program come first
    OLD_REPLY,       // the reply to another request
    TROUBLES
};

struct fake_link {
    struct crl_pipe pipe;
    uint16_t memory[1 << 16];
    uint8_t request[1 << 14], reply[1 << 14];
    size_t requested, first, filled;
    enum trouble trouble;
    long frames, trouble_at, trouble_count;              // which frames it befalls
    long writes;                                         // frames that wrote
    uint8_t status;                                      // refuses with this
    bool dead;                                           // the pipe itself fails
    void (*control)(struct fake_link *f, uint16_t bits); // what a write to CONTROL does
    void *user;
};

static inline void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static inline uint32_t get16(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8; }

static inline void answer(struct fake_link *f, uint8_t status, uint32_t count)
{
    uint8_t *r = f->reply + f->filled;
    const uint8_t *q = f->request;
    uint32_t addr = get16(q + 4);
    memcpy(r, q, 8);
    r[0] = 0x5c;
    r[3] = status;
    r[6] = (uint8_t)count;
    r[7] = (uint8_t)(count >> 8);
    put32(r + 8, (uint32_t)crc32_z(0, r, 8));
    f->filled += 12;
    if (!count) return;
    for (uint32_t i = 0; i < count; i++) {
        r[12 + 2 * i] = (uint8_t)f->memory[addr + i];
        r[13 + 2 * i] = (uint8_t)(f->memory[addr + i] >> 8);
    }
    put32(r + 12 + 2 * count, (uint32_t)crc32_z(0, r + 12, 2 * count));
    f->filled += 2 * count + 4;
}

static inline void serve(struct fake_link *f)
{
    uint8_t *q = f->request;
    uint32_t addr = get16(q + 4), count = get16(q + 6);
    bool writes = q[1] == 2;
    if (f->requested < 12 || (writes && f->requested < 16 + 2 * count)) return;
    assert_int_equal(q[0], 0xc5);
    assert_int_equal(q[3], 0);
    assert_true(count > 0);
    uint8_t crc[4];
    put32(crc, (uint32_t)crc32_z(0, q, 8));
    assert_memory_equal(q + 8, crc, 4);
    if (writes) {
        put32(crc, (uint32_t)crc32_z(0, q + 12, 2 * count));
        assert_memory_equal(q + 12 + 2 * count, crc, 4);
    }
    f->requested = 0;
    long frame = f->frames++;
    enum trouble now = frame >= f->trouble_at && frame < f->trouble_at + f->trouble_count ? f->trouble : NONE;
    if (now == LOSE_REQUEST) return;
    if (now == BAD_HEADER_CRC) {
        q[2] ^= 0x55;
        answer(f, 1, 0);
        return;
    }
    if (f->status) {
        answer(f, f->status, 0);
        return;
    }
    if (writes) f->writes++;
    for (uint32_t i = 0; writes && i < count; i++)
        f->memory[addr + i] = (uint16_t)(get16(q + 12 + 2 * i) ^ (now == BAD_PAYLOAD_CRC ? 0xff : 0));
    if (now == BAD_PAYLOAD_CRC) {
        answer(f, 2, 0);
        return;
    }
    if (writes && addr == 0x1d && f->control) f->control(f, f->memory[addr]);
    if (now == LOSE_REPLY) return;
    if (now == JUNK_BEFORE) {
        memset(f->reply + f->filled, 0x5c, 20);
        f->filled += 20;
    }
    if (now == OLD_REPLY) q[2]--;
    size_t begin = f->filled;
    answer(f, 0, writes ? 0 : count);
    if (now == CUT_REPLY) f->filled = begin + (f->filled - begin) / 2;
    if (now == FLIP_HEADER) f->reply[begin + 5] ^= 4;
    if (now == FLIP_PAYLOAD) f->reply[f->filled - 5] ^= 4;
}

static inline int link_control(struct crl_pipe *pipe, uint8_t request, uint16_t value, uint8_t high,
                               struct crl_diag *diag)
{
    struct fake_link *f = pipe->self;
    (void)request, (void)value, (void)high;
    return f->dead ? crl_fail(diag, CRL_ERR_DEVICE, "dead") : 0;
}

static inline int link_write(struct crl_pipe *pipe, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    struct fake_link *f = pipe->self;
    assert_true(f->requested + count <= sizeof f->request);
    memcpy(f->request + f->requested, bytes, count);
    f->requested += count;
    serve(f);
    return f->dead ? crl_fail(diag, CRL_ERR_DEVICE, "dead") : 0;
}

// Does not wait: what is not there will not come.
static inline int link_read(struct crl_pipe *pipe, uint8_t *bytes, size_t size, size_t *got, uint32_t timeout_ms,
                            struct crl_diag *diag)
{
    struct fake_link *f = pipe->self;
    *got = f->filled - f->first < size ? f->filled - f->first : size;
    if (*got > 100) *got = 100;
    memcpy(bytes, f->reply + f->first, *got);
    f->first += *got;
    if (f->first == f->filled) f->first = f->filled = 0;
    if (!*got && timeout_ms) f->requested = 0; // silence ends a frame
    return f->dead ? crl_fail(diag, CRL_ERR_DEVICE, "dead") : 0;
}

#endif
