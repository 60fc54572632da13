// SPDX-License-Identifier: Apache-2.0
// The FT2232H: what its control requests set, and the two status bytes in front of every packet it sends. (FTDI,
// FT2232H data sheet; application notes AN_108, AN_120, AN_135.)
#ifndef CRL_BOARD_FTDI_H
#define CRL_BOARD_FTDI_H

#include "board/usb.h"

enum crl_ftdi_mode { CRL_FTDI_UART = 0x00, CRL_FTDI_MPSSE = 0x02 };

// Makes the channel a serial port, and drops what lies in its buffers.
int crl_ftdi_reset(struct crl_pipe *pipe, struct crl_diag *diag);
// After so many milliseconds (1…255) the chip sends what it has, however little.
int crl_ftdi_latency(struct crl_pipe *pipe, uint8_t ms, struct crl_diag *diag);
// All pins are inputs afterwards.
int crl_ftdi_mode(struct crl_pipe *pipe, enum crl_ftdi_mode mode, struct crl_diag *diag);
// 8 data bits, no parity, 1 stop bit, no flow control.
int crl_ftdi_line(struct crl_pipe *pipe, uint32_t baud, struct crl_diag *diag);

// The request that sets `baud`: value, and upper byte of the index. Returns the rate it gives, 0 if none is within 3 %.
uint32_t crl_ftdi_divisor(uint32_t baud, uint16_t *value, uint8_t *high);

// Takes the status bytes out of a transfer of packets of `packet` bytes; returns how many bytes of data are left, at
// the front of `bytes`.
size_t crl_ftdi_strip(uint8_t *bytes, size_t count, size_t packet);

#endif
