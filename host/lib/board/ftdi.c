// SPDX-License-Identifier: Apache-2.0
#include "board/ftdi.h"
#include <string.h>

enum { RESET = 0x00, FLOW_CONTROL = 0x02, BAUD_RATE = 0x03, LINE = 0x04, LATENCY = 0x09, BIT_MODE = 0x0b };
enum { RESET_ALL = 0, RESET_PURGE_RECEIVED = 1, RESET_PURGE_SENT = 2 };
enum { LINE_8N1 = 8, NO_FLOW_CONTROL = 0 };
enum { STATUS_BYTES = 2 };

int crl_ftdi_reset(struct crl_pipe *pipe, struct crl_diag *diag)
{
    static const uint16_t values[] = {RESET_ALL, RESET_PURGE_RECEIVED, RESET_PURGE_SENT};
    int error = crl_ftdi_mode(pipe, CRL_FTDI_UART, diag); // or it would go on answering while the buffers are emptied
    for (size_t i = 0; i < sizeof values / sizeof *values && !error; i++)
        error = pipe->control(pipe, RESET, values[i], 0, diag);
    return error;
}

int crl_ftdi_latency(struct crl_pipe *pipe, uint8_t ms, struct crl_diag *diag)
{
    return pipe->control(pipe, LATENCY, ms, 0, diag);
}

int crl_ftdi_mode(struct crl_pipe *pipe, enum crl_ftdi_mode mode, struct crl_diag *diag)
{
    return pipe->control(pipe, BIT_MODE, (uint16_t)(mode << 8), 0, diag); // no pin in the mask of outputs
}

uint32_t crl_ftdi_divisor(uint32_t baud, uint16_t *value, uint8_t *high)
{
    // A divisor of 12 MHz in eighths; the code of the eighths is scattered over bits 14 to 16, and bit 17 selects the
    // fast clock. Divisors 1 and 1.5 are written as 0 and 1; no other one is below 2.
    enum { CLOCK = 12000000, DIVISOR_MAX = 0x3fff, FAST = 1 << 17 };
    static const uint8_t eighth_code[8] = {0, 3, 2, 4, 1, 5, 6, 7};
    if (baud == 0) return 0;
    uint64_t eighths = (UINT64_C(8) * CLOCK + baud / 2) / baud;
    uint32_t code;
    if (eighths < 10) eighths = 8;
    else if (eighths < 14) eighths = 12;
    else if (eighths < 16) eighths = 16;
    if (eighths >> 3 > DIVISOR_MAX) return 0;
    if (eighths == 8) code = 0;
    else if (eighths == 12) code = 1;
    else code = (uint32_t)(eighths >> 3) | (uint32_t)eighth_code[eighths & 7] << 14;
    code |= FAST;
    uint32_t rate = (uint32_t)(UINT64_C(8) * CLOCK / eighths);
    if (rate > baud + baud / 33 || baud > rate + rate / 33) return 0;
    *value = (uint16_t)code;
    *high = (uint8_t)(code >> 16);
    return rate;
}

int crl_ftdi_line(struct crl_pipe *pipe, uint32_t baud, struct crl_diag *diag)
{
    uint16_t value;
    uint8_t high;
    if (!crl_ftdi_divisor(baud, &value, &high))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the serial port cannot run at %u baud", baud);
    int error = pipe->control(pipe, BAUD_RATE, value, high, diag);
    if (!error) error = pipe->control(pipe, LINE, LINE_8N1, 0, diag);
    if (!error) error = pipe->control(pipe, FLOW_CONTROL, 0, NO_FLOW_CONTROL, diag);
    return error;
}

size_t crl_ftdi_strip(uint8_t *bytes, size_t count, size_t packet)
{
    size_t kept = 0;
    for (size_t at = 0; at < count; at += packet) {
        size_t length = count - at < packet ? count - at : packet;
        if (length <= STATUS_BYTES) continue;
        memmove(bytes + kept, bytes + at + STATUS_BYTES, length - STATUS_BYTES);
        kept += length - STATUS_BYTES;
    }
    return kept;
}
