// SPDX-License-Identifier: Apache-2.0
// SPI and pins by the FT2232H's MPSSE (FTDI application notes AN_108, AN_135).
#ifndef CRL_BOARD_MPSSE_H
#define CRL_BOARD_MPSSE_H

#include "board/usb.h"

enum { CRL_PIN_CLOCK = 0x01, CRL_PIN_OUT = 0x02 };

// Puts the channel into MPSSE mode, all pins inputs, SPI clock 6 MHz.
int crl_mpsse_open(struct crl_pipe *pipe, struct crl_diag *diag);
// Back to how the chip wakes up: all pins inputs.
int crl_mpsse_close(struct crl_pipe *pipe, struct crl_diag *diag);

int crl_mpsse_pins(struct crl_pipe *pipe, uint8_t values, uint8_t outputs, struct crl_diag *diag);
int crl_mpsse_read_pins(struct crl_pipe *pipe, uint8_t *values, struct crl_diag *diag);

// One SPI transaction, mode 0, most significant bit first: pins as `select`, `sent` bytes out, `received` bytes in (up
// to 65536 each, 0: none), pins as `idle`.
struct crl_spi {
    uint8_t outputs, select, idle;
};
int crl_spi_transfer(struct crl_pipe *pipe, const struct crl_spi *spi, const uint8_t *out, size_t sent, uint8_t *in,
                     size_t received, struct crl_diag *diag);

#endif
