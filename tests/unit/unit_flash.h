// SPDX-License-Identifier: Apache-2.0
// A stand-in for interface A of a board: an MPSSE that understands what the program sends, and a flash chip behind it,
// whose power can fail after any byte. Knows nothing of the code it tests but struct crl_pipe.
#ifndef UNIT_FLASH_H
#define UNIT_FLASH_H

#include "unit.h"
#include "board/usb.h"

enum { FAKE_CELLS = 1 << 24, FAKE_SELECT = 0x10, FAKE_DONE = 0x40, FAKE_RESET = 0x80 };

struct fake_flash {
    struct crl_pipe pipe;
    long calls, fail_at;      // the call that fails, counted from 0; -1: none
    bool unplugged;           // it and all after it fail
    bool stays_unplugged;     // whether the failure is an unplug, or one transfer's
    uint8_t mode;             // FT2232H bit mode
    uint8_t values, outputs;  // pins as driven
    uint8_t request[1 << 11]; // commands not yet complete
    size_t requested;
    uint8_t *reply;
    size_t first, filled;
    uint8_t *cells;
    uint8_t spi[300]; // bytes since chip select
    size_t spi_count;
    bool selected, asleep, write_enabled, configured;
    uint32_t read_at;
    uint32_t id;
    long power;              // bytes written or erased until the power fails; -1: never
    uint8_t stuck;           // bits that program as 0 whatever is written
    bool protects;           // write enable has no effect
    bool never_done;         // busy for ever
    uint32_t busy;           // status reads until it is done
    long erased, programmed; // sectors, pages
};

static inline void fake_deselect(struct fake_flash *f)
{
    uint32_t addr = (uint32_t)f->spi[1] << 16 | (uint32_t)f->spi[2] << 8 | f->spi[3];
    bool writes = f->write_enabled && !f->busy;
    f->selected = false;
    if (!f->spi_count) return;
    uint8_t command = f->spi[0];
    if (f->asleep && command != 0xab) return;
    if (command == 0xab) f->asleep = false;
    if (command == 0xb9) f->asleep = true;
    if (command == 0x06) f->write_enabled = !f->protects;
    if (command == 0x20 && writes && f->spi_count == 4) {
        addr &= ~UINT32_C(4095);
        for (uint32_t i = 0; i < 4096 && f->power; i++, f->power -= f->power > 0) f->cells[addr + i] = 0xff;
        f->erased++;
    }
    if (command == 0x02 && writes && f->spi_count > 4) {
        for (size_t i = 4; i < f->spi_count && f->power; i++, f->power -= f->power > 0) {
            uint32_t at = (addr & ~UINT32_C(255)) | ((addr + (uint32_t)i - 4) & 255);
            f->cells[at] &= f->spi[i] & (uint8_t)~f->stuck;
        }
        f->programmed++;
    }
    if (command == 0x20 || command == 0x02) {
        f->write_enabled = false;
        f->busy = 2;
    }
    if (!f->power) f->unplugged = true;
}

static inline uint8_t fake_spi_in(struct fake_flash *f)
{
    uint8_t command = f->spi_count ? f->spi[0] : 0;
    if (!f->selected || f->asleep) return 0xff;
    if (command == 0x05) {
        uint8_t status = (uint8_t)((f->busy || f->never_done) | f->write_enabled << 1);
        if (f->busy) f->busy--;
        return status;
    }
    if (f->busy) return 0xff;
    if (command == 0x9f) return (uint8_t)(f->id >> (16 - 8 * (f->read_at++ % 3)));
    if (command == 0x03 && f->spi_count == 4) {
        uint32_t addr = (uint32_t)f->spi[1] << 16 | (uint32_t)f->spi[2] << 8 | f->spi[3];
        return f->cells[(addr + f->read_at++) % FAKE_CELLS];
    }
    return 0xff;
}

static inline void fake_pins(struct fake_flash *f, uint8_t values, uint8_t outputs)
{
    bool select = (outputs & FAKE_SELECT) && !(values & FAKE_SELECT);
    f->values = values;
    f->outputs = outputs;
    if (f->selected && !select) fake_deselect(f);
    if (!f->selected && select) f->spi_count = f->read_at = 0;
    f->selected = select;
}

static inline void fake_answer(struct fake_flash *f, uint8_t byte) { f->reply[f->filled++] = byte; }

// Executes the first command; returns its length, 0 while it is not complete.
static inline size_t fake_mpsse(struct fake_flash *f)
{
    const uint8_t *r = f->request;
    size_t length = f->requested > 2 ? r[1] + 256u * r[2] + 1 : 0;
    bool held = (f->outputs & FAKE_RESET) && !(f->values & FAKE_RESET);
    switch (r[0]) {
    case 0x80:
        if (f->requested < 3) return 0;
        fake_pins(f, r[1], r[2]);
        return 3;
    case 0x81: fake_answer(f, !held && f->configured ? FAKE_DONE : 0); return 1;
    case 0x11:
        if (!length || f->requested < 3 + length) return 0;
        for (size_t i = 0; i < length; i++)
            if (f->spi_count < sizeof f->spi) f->spi[f->spi_count++] = r[3 + i];
        return 3 + length;
    case 0x20:
        if (!length) return 0;
        for (size_t i = 0; i < length; i++) fake_answer(f, fake_spi_in(f));
        return 3;
    case 0x86: return f->requested < 3 ? 0 : 3;
    case 0x85:
    case 0x87:
    case 0x8a:
    case 0x8d:
    case 0x97: return 1;
    default:
        fake_answer(f, 0xfa);
        fake_answer(f, r[0]);
        return 1;
    }
}

static inline int fake_call(struct fake_flash *f, struct crl_diag *diag)
{
    bool fails = f->calls++ == f->fail_at;
    if (fails && f->stays_unplugged) f->unplugged = true;
    return fails || f->unplugged ? crl_fail(diag, CRL_ERR_DEVICE, "injected") : 0;
}

static inline int fake_control(struct crl_pipe *pipe, uint8_t request, uint16_t value, uint8_t high,
                               struct crl_diag *diag)
{
    struct fake_flash *f = pipe->self;
    (void)high;
    int error = fake_call(f, diag);
    if (error) return error;
    if (request == 0x0b) {
        f->mode = (uint8_t)(value >> 8);
        f->requested = 0;
        fake_pins(f, 0xff, 0);
    }
    if (request == 0 && value <= 1) f->first = f->filled = 0;
    return 0;
}

static inline int fake_write(struct crl_pipe *pipe, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    struct fake_flash *f = pipe->self;
    int error = fake_call(f, diag);
    if (error) return error;
    assert_int_equal(f->mode, 2);
    for (size_t i = 0; i < count; i++) {
        assert_true(f->requested < sizeof f->request);
        f->request[f->requested++] = bytes[i];
        if (fake_mpsse(f)) f->requested = 0;
    }
    return f->unplugged ? crl_fail(diag, CRL_ERR_DEVICE, "no power") : 0;
}

static inline int fake_read(struct crl_pipe *pipe, uint8_t *bytes, size_t size, size_t *got, uint32_t timeout_ms,
                            struct crl_diag *diag)
{
    struct fake_flash *f = pipe->self;
    (void)timeout_ms;
    *got = 0;
    int error = fake_call(f, diag);
    if (error) return error;
    *got = f->filled - f->first < size ? f->filled - f->first : size;
    if (*got > 700) *got = 700; // pieces, as transfers are
    memcpy(bytes, f->reply + f->first, *got);
    f->first += *got;
    if (f->first == f->filled) f->first = f->filled = 0;
    return 0;
}

static inline void fake_open(struct fake_flash *f)
{
    *f = (struct fake_flash){.fail_at = -1, .power = -1, .id = 0xef4018, .asleep = true, .configured = true};
    f->pipe = (struct crl_pipe){f, 0, "testing", fake_control, fake_write, fake_read};
    f->cells = malloc(FAKE_CELLS);
    f->reply = malloc(1 << 18);
    assert_non_null(f->cells);
    assert_non_null(f->reply);
    memset(f->cells, 0xff, FAKE_CELLS);
}

// Unplugged and plugged in again: the cells stay.
static inline void fake_power_cycle(struct fake_flash *f)
{
    struct fake_flash fresh = {.fail_at = -1,
                               .power = -1,
                               .id = f->id,
                               .asleep = true,
                               .configured = true,
                               .cells = f->cells,
                               .reply = f->reply,
                               .pipe = f->pipe};
    *f = fresh;
}

static inline void fake_close(struct fake_flash *f)
{
    free(f->cells);
    free(f->reply);
}

#endif
