// SPDX-License-Identifier: Apache-2.0
#include "board/mpsse.h"
#include "board/ftdi.h"
#include <string.h>

enum {
    BYTES_OUT = 0x11, // on the falling edge
    BYTES_IN = 0x20,  // on the rising edge
    SET_PINS = 0x80,
    GET_PINS = 0x81,
    LOOPBACK_OFF = 0x85,
    SET_DIVISOR = 0x86,
    SEND_NOW = 0x87,
    CLOCK_60_MHZ = 0x8a,
    CLOCK_TWO_PHASES = 0x8d,
    CLOCK_NOT_ADAPTIVE = 0x97,
    NO_COMMAND = 0xaa, // answered with BAD_COMMAND and itself
    BAD_COMMAND = 0xfa,
};
enum { ANSWER_MS = 1000, LATENCY_MS = 1, OUT_MAX = 1024, IN_MAX = 65536 };

// The answer to a command that does not exist shows that both sides agree on where commands begin.
static int synchronize(struct crl_pipe *pipe, struct crl_diag *diag)
{
    static const uint8_t ask[] = {NO_COMMAND, SEND_NOW};
    uint8_t answer[2];
    int error = pipe->write(pipe, ask, sizeof ask, diag);
    if (!error) error = crl_pipe_read_all(pipe, answer, sizeof answer, ANSWER_MS, diag);
    if (error || (answer[0] == BAD_COMMAND && answer[1] == NO_COMMAND)) return error;
    return crl_fail(diag, CRL_ERR_DEVICE,
                    "the board's USB bridge does not answer as an FT2232H; unplug it and plug it in again");
}

int crl_mpsse_open(struct crl_pipe *pipe, struct crl_diag *diag)
{
    enum { DIVISOR = 4 }; // 30 MHz / (1 + 4)
    static const uint8_t settings[] = {
        CLOCK_60_MHZ, CLOCK_NOT_ADAPTIVE, CLOCK_TWO_PHASES, LOOPBACK_OFF, SET_DIVISOR, DIVISOR, 0};
    int error = crl_ftdi_latency(pipe, LATENCY_MS, diag);
    if (!error) error = crl_ftdi_mode(pipe, CRL_FTDI_MPSSE, diag);
    if (!error) error = synchronize(pipe, diag);
    return error ? error : pipe->write(pipe, settings, sizeof settings, diag);
}

int crl_mpsse_close(struct crl_pipe *pipe, struct crl_diag *diag) { return crl_ftdi_mode(pipe, CRL_FTDI_UART, diag); }

int crl_mpsse_pins(struct crl_pipe *pipe, uint8_t values, uint8_t outputs, struct crl_diag *diag)
{
    return pipe->write(pipe, (const uint8_t[]){SET_PINS, values, outputs}, 3, diag);
}

int crl_mpsse_read_pins(struct crl_pipe *pipe, uint8_t *values, struct crl_diag *diag)
{
    int error = pipe->write(pipe, (const uint8_t[]){GET_PINS, SEND_NOW}, 2, diag);
    return error ? error : crl_pipe_read_all(pipe, values, 1, ANSWER_MS, diag);
}

static size_t put_length(uint8_t *at, uint8_t command, size_t count)
{
    at[0] = command;
    at[1] = (uint8_t)(count - 1);
    at[2] = (uint8_t)((count - 1) >> 8);
    return 3;
}

int crl_spi_transfer(struct crl_pipe *pipe, const struct crl_spi *spi, const uint8_t *out, size_t sent, uint8_t *in,
                     size_t received, struct crl_diag *diag)
{
    uint8_t batch[OUT_MAX + 16];
    size_t n = 0;
    if (sent == 0 || sent > OUT_MAX || received > IN_MAX)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "an SPI transaction of %zu + %zu bytes", sent, received);
    batch[n++] = SET_PINS;
    batch[n++] = spi->select;
    batch[n++] = spi->outputs;
    n += put_length(batch + n, BYTES_OUT, sent);
    memcpy(batch + n, out, sent);
    n += sent;
    if (received) n += put_length(batch + n, BYTES_IN, received);
    batch[n++] = SET_PINS;
    batch[n++] = spi->idle;
    batch[n++] = spi->outputs;
    batch[n++] = SEND_NOW;
    int error = pipe->write(pipe, batch, n, diag);
    return error || !received ? error : crl_pipe_read_all(pipe, in, received, ANSWER_MS, diag);
}
