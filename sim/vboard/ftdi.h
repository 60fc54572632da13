// SPDX-License-Identifier: Apache-2.0
/*
 * An FT2232H with its two channels: A, whose MPSSE moves pins, and B, a serial port. It knows USB's requests and the
 * vendor's (as in FTDI's own drivers' headers), and how data lie in packets: 512 bytes, each IN packet led by two bytes
 * of modem and line status.
 */
#ifndef CRL_VFTDI_H
#define CRL_VFTDI_H

#include "mpsse.h"

enum {
    CRL_VFTDI_PACKET = 512,
    CRL_VFTDI_FIFO = 4096, /* bytes of each buffer of a channel */
    CRL_VFTDI_DESCRIPTORS = 18 + 9 + 2 * (9 + 2 * 7),
};

enum crl_vftdi_mode { CRL_VFTDI_SERIAL = 0x00, CRL_VFTDI_MPSSE = 0x02 };

struct crl_vfifo {
    uint8_t byte[CRL_VFTDI_FIFO];
    size_t first, count;
};

struct crl_vftdi_channel {
    uint8_t mode; /* as in the set-bitmode request */
    uint8_t latency_ms;
    bool halted_in, halted_out;        /* endpoints that stall until cleared */
    struct crl_vfifo to_pins, to_host; /* serial data */
    bool overrun;
};

struct crl_vftdi {
    const char *manufacturer, *product, *serial;
    struct crl_vftdi_channel channel[2];
    struct crl_vmpsse engine;
    uint32_t baud; /* of channel B */
};

/* Strings and pins outlive the chip. */
void crl_vftdi_init(struct crl_vftdi *chip, const char *manufacturer, const char *product, const char *serial,
                    const struct crl_vmpsse_pins *pins);
void crl_vftdi_free(struct crl_vftdi *chip);

/* Device and configuration descriptors, as sysfs gives them. */
void crl_vftdi_descriptors(uint8_t bytes[CRL_VFTDI_DESCRIPTORS]);

/*
 * A control request with its eight bytes of setup; answers go to `data`, which has room for wLength bytes. Returns the
 * number of bytes of an answer, or -1: the request stalls.
 */
int crl_vftdi_control(struct crl_vftdi *chip, const uint8_t setup[8], uint8_t *data);

/* Takes what fits of n bytes for a channel; returns how many. */
size_t crl_vftdi_out(struct crl_vftdi *chip, int channel, const uint8_t *bytes, size_t n);

/* Bytes that wait for the host. */
size_t crl_vftdi_waiting(const struct crl_vftdi *chip, int channel);

/*
 * Fills a bulk IN transfer of `size` bytes with packets up to the first that is not full; returns its length, which is
 * at least 2 when size is. A packet that does not fit is not begun.
 */
size_t crl_vftdi_in(struct crl_vftdi *chip, int channel, uint8_t *bytes, size_t size);

bool crl_vfifo_put(struct crl_vfifo *fifo, uint8_t byte);
bool crl_vfifo_get(struct crl_vfifo *fifo, uint8_t *byte);

#endif
